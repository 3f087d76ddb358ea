//! A server of models on the loopback interface: it speaks both protocols, says what a script tells it to, and keeps
//! every request that it was sent.

use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Request {
    /// The body as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// A header's value.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// All text of the question.
    pub(crate) fn question(&self) -> String {
        let body = self.json();
        let mut text = body["system"][0]["text"].as_str().unwrap_or_default().to_owned();
        for message in body["messages"].as_array().unwrap() {
            match &message["content"] {
                Value::String(words) => text.push_str(words),
                blocks => blocks
                    .as_array()
                    .unwrap()
                    .iter()
                    .for_each(|block| text.push_str(block["text"].as_str().unwrap())),
            }
        }
        text
    }

    /// The mark that an answer has to repeat.
    pub(crate) fn batch(&self) -> String {
        let question = self.question();
        let from = question.rfind("batch: ").unwrap() + 7;
        question[from..].lines().next().unwrap().to_owned()
    }

    /// The lines of evidence: items as JSON.
    pub(crate) fn items(&self) -> Vec<Value> {
        self.question()
            .lines()
            .filter(|line| line.starts_with("{\""))
            .filter_map(|line| serde_json::from_str(line).ok())
            .filter(|line: &Value| line["item"].is_string() && line["words"].is_array())
            .collect()
    }

    /// The entries of memory that are shown.
    pub(crate) fn entries(&self) -> Vec<Value> {
        self.question()
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .filter(|line: &Value| line["entry"].is_string() && line["file"].is_string())
            .collect()
    }
}

/// What the server does.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    /// Replies in these pieces, with a pause behind each.
    Reply { status: u16, headers: Vec<(&'static str, String)>, pieces: Vec<Vec<u8>>, pause: Duration },
    /// Says nothing for so long.
    Hang(Duration),
    /// Closes the connection after these bytes of a reply that promised more.
    Break(Vec<u8>),
}

impl Act {
    /// A reply in one piece.
    pub(crate) fn plain(status: u16, content_type: &str, body: &str) -> Self {
        Self::Reply {
            status,
            headers: vec![("content-type", content_type.to_owned())],
            pieces: vec![body.as_bytes().to_vec()],
            pause: Duration::ZERO,
        }
    }

    /// The model's answer in the protocol of the request, streamed.
    pub(crate) fn answer(request: &Request, text: &str) -> Self {
        Self::plain(200, "text/event-stream", &stream(request, text, None))
    }
}

/// The model's answer as a stream of the request's protocol. `stop` is the protocol's own word for how it ended.
pub(crate) fn stream(request: &Request, text: &str, stop: Option<&str>) -> String {
    let pieces: Vec<String> =
        text.chars().collect::<Vec<_>>().chunks(17).map(|piece| piece.iter().collect()).collect();
    let mut lines = String::new();
    let mut event = |name: &str, data: Value| write!(lines, "event: {name}\ndata: {data}\n\n").unwrap();
    if request.path.ends_with("/messages") {
        let usage = json!({"input_tokens": 90, "cache_read_input_tokens": 10, "cache_creation_input_tokens": 0, "output_tokens": 1});
        event("message_start", json!({"type": "message_start", "message": {"usage": usage}}));
        for piece in pieces {
            event(
                "content_block_delta",
                json!({"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": piece}}),
            );
        }
        event("ping", json!({"type": "ping"}));
        event(
            "message_delta",
            json!({"type": "message_delta", "delta": {"stop_reason": stop.unwrap_or("tool_use")}, "usage": {"output_tokens": 50}}),
        );
        event("message_stop", json!({"type": "message_stop"}));
        return lines;
    }
    let mut data = |data: Value| write!(lines, "data: {data}\r\n\r\n").unwrap();
    for piece in pieces {
        data(json!({"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": null}]}));
    }
    data(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": stop.unwrap_or("stop")}]}));
    data(json!({"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 50}}));
    lines.push_str("data: [DONE]\r\n\r\n");
    lines
}

type Script = dyn Fn(&Request, usize) -> Act + Send + Sync;

/// The server; it ends with the value.
pub(crate) struct Server {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<Request>>>,
    most_at_once: Arc<AtomicUsize>,
    ended: Arc<AtomicBool>,
}

impl Server {
    /// A server that does what the script says of each request; the number counts requests from 0.
    pub(crate) fn start(script: impl Fn(&Request, usize) -> Act + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = Self {
            address: listener.local_addr().unwrap(),
            requests: Arc::default(),
            most_at_once: Arc::default(),
            ended: Arc::default(),
        };
        let script: Arc<Script> = Arc::new(script);
        let (requests, most, ended) =
            (Arc::clone(&server.requests), Arc::clone(&server.most_at_once), Arc::clone(&server.ended));
        std::thread::spawn(move || {
            let now = Arc::new(AtomicUsize::new(0));
            for stream in listener.incoming() {
                if ended.load(Ordering::SeqCst) {
                    return;
                }
                let (script, requests, most, now) =
                    (Arc::clone(&script), Arc::clone(&requests), Arc::clone(&most), Arc::clone(&now));
                std::thread::spawn(move || {
                    most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    // A client that goes away breaks the pipe, which is its right.
                    let _gone = serve(stream.unwrap(), script.as_ref(), &requests);
                    now.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        server
    }

    /// A server that answers with this text, whatever it is asked; `BATCH` in it becomes the mark of the question.
    pub(crate) fn saying(text: &'static str) -> Self {
        Self::start(move |request, _| Act::answer(request, &text.replace("BATCH", &request.batch())))
    }

    /// Its address.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What it was sent so far.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }

    /// How many connections were open at once at most.
    pub(crate) fn most_at_once(&self) -> usize {
        self.most_at_once.load(Ordering::SeqCst)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::SeqCst);
        drop(TcpStream::connect(self.address));
    }
}

fn serve(mut stream: TcpStream, script: &Script, requests: &Mutex<Vec<Request>>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut first = String::new();
    if reader.read_line(&mut first)? == 0 {
        return Ok(());
    }
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.push((name.to_ascii_lowercase(), value.to_owned()));
    }
    let length = headers
        .iter()
        .find(|(name, _)| name == "content-length")
        .map_or(0, |(_, value)| value.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let request = Request { path, headers, body: String::from_utf8(body).unwrap() };
    let number = {
        let mut requests = requests.lock().unwrap();
        requests.push(request.clone());
        requests.len() - 1
    };
    match script(&request, number) {
        Act::Hang(time) => {
            std::thread::sleep(time);
            Ok(())
        }
        Act::Break(bytes) => {
            stream.write_all(
                b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 100000\r\n\r\n",
            )?;
            stream.write_all(&bytes)?;
            stream.flush()
        }
        Act::Reply { status, headers, pieces, pause } => {
            let mut head =
                format!("HTTP/1.1 {status} X\r\ntransfer-encoding: chunked\r\nconnection: close\r\n");
            for (name, value) in headers {
                write!(head, "{name}: {value}\r\n").unwrap();
            }
            stream.write_all(format!("{head}\r\n").as_bytes())?;
            for piece in pieces.iter().filter(|piece| !piece.is_empty()) {
                stream.write_all(format!("{:x}\r\n", piece.len()).as_bytes())?;
                stream.write_all(piece)?;
                stream.write_all(b"\r\n")?;
                stream.flush()?;
                std::thread::sleep(pause);
            }
            stream.write_all(b"0\r\n\r\n")?;
            stream.flush()
        }
    }
}
