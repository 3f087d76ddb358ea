//! A model played on the loopback interface: the one endpoint the client uses, scripted, every request kept.
//!
//! It speaks just enough HTTP/1.1 for the client: one request per connection, answered by a streamed message.

use crate::script::{Block, Script, Turn, answer, stream};
use serde_json::{Value, json};
use std::{
    io::{self, BufRead, BufReader, Write},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// The running server; closes with the value.
pub(crate) struct ModelServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    scripts: Mutex<Vec<Script>>,
    bodies: Mutex<Vec<Value>>,
    hanging: AtomicUsize,
    serial: AtomicUsize,
    closing: AtomicBool,
}

impl ModelServer {
    /// Starts a server on a free port.
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free loopback port");
        let address = listener.local_addr().expect("the address of a bound listener");
        let shared = Arc::new(Shared::default());
        let serving = Arc::clone(&shared);
        let accepting = thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                if serving.closing.load(Ordering::SeqCst) {
                    return;
                }
                let serving = Arc::clone(&serving);
                // A client that was killed breaks its connection: nothing to report.
                thread::spawn(move || drop(serving.serve(connection)));
            }
        });
        Self { address, shared, accepting: Some(accepting) }
    }

    /// The base URL for the client.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Adds a script; of two for the same prompt the first one plays.
    pub(crate) fn play(&self, script: Script) {
        locked(&self.shared.scripts).push(script);
    }

    /// The bodies of the message requests so far.
    pub(crate) fn bodies(&self) -> Vec<Value> {
        locked(&self.shared.bodies).clone()
    }

    /// How many message requests came so far.
    pub(crate) fn count(&self) -> usize {
        locked(&self.shared.bodies).len()
    }

    /// Waits until a request is held open by [`Turn::Hang`].
    pub(crate) fn wait_until_hanging(&self, limit: Duration) -> bool {
        let started = Instant::now();
        while started.elapsed() < limit {
            if self.shared.hanging.load(Ordering::SeqCst) > 0 {
                return true;
            }
            thread::sleep(Duration::from_millis(20));
        }
        false
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.shared.closing.store(true, Ordering::SeqCst);
        // The accepting thread sits in `accept`; a connection wakes it.
        drop(TcpStream::connect(self.address));
        if let Some(accepting) = self.accepting.take() {
            drop(accepting.join());
        }
    }
}

impl Shared {
    fn serve(&self, connection: TcpStream) -> io::Result<()> {
        let mut reader = BufReader::new(connection.try_clone()?);
        let request = Request::read(&mut reader)?;
        let path = request.target.split('?').next().unwrap_or_default();
        match (request.method.as_str(), path) {
            ("POST", "/v1/messages") => self.message(connection, &request),
            ("POST", "/v1/messages/count_tokens") => respond(connection, &json!({ "input_tokens": 1000 })),
            ("HEAD", _) => {
                write_all(connection, b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
            }
            _ => respond(connection, &json!({ "data": [], "has_more": false })),
        }
    }

    fn message(&self, connection: TcpStream, request: &Request) -> io::Result<()> {
        let body: Value = serde_json::from_slice(&request.body)?;
        let turn = answer(&locked(&self.scripts), &body);
        let model = body["model"].as_str().unwrap_or("played").to_owned();
        let streamed = body["stream"] == true;
        locked(&self.bodies).push(body);
        let blocks = match turn {
            Some(Turn::Say(blocks)) => blocks,
            Some(Turn::Hang) => {
                self.hanging.fetch_add(1, Ordering::SeqCst);
                while !self.closing.load(Ordering::SeqCst) {
                    thread::sleep(Duration::from_millis(20));
                }
                return Ok(());
            }
            None => vec![Block::Text("Done.".to_owned())],
        };
        let serial = self.serial.fetch_add(1, Ordering::SeqCst);
        if streamed {
            let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
            return write_all(connection, format!("{head}{}", stream(&blocks, &model, serial)).as_bytes());
        }
        let words: String = blocks
            .iter()
            .filter_map(|block| match block {
                Block::Text(text) => Some(text.as_str()),
                Block::Tool(..) => None,
            })
            .collect();
        respond(
            connection,
            &json!({
                "id": format!("msg_played_{serial:08}"), "type": "message", "role": "assistant", "model": model,
                "content": [{ "type": "text", "text": words }], "stop_reason": "end_turn", "stop_sequence": null,
                "usage": { "input_tokens": 1000, "output_tokens": 20 },
            }),
        )
    }
}

/// A request as far as the server cares.
struct Request {
    method: String,
    target: String,
    body: Vec<u8>,
}

impl Request {
    fn read(reader: &mut impl BufRead) -> io::Result<Self> {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let mut words = line.split_whitespace();
        let method = words.next().unwrap_or_default().to_owned();
        let target = words.next().unwrap_or_default().to_owned();
        let (mut length, mut chunked) = (0, false);
        loop {
            line.clear();
            reader.read_line(&mut line)?;
            let Some((name, value)) = line.trim_end().split_once(':') else { break };
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.trim().parse().map_err(io::Error::other)?,
                "transfer-encoding" => chunked = value.to_ascii_lowercase().contains("chunked"),
                _ => {}
            }
        }
        let body = if chunked { read_chunks(reader)? } else { read_exactly(reader, length)? };
        Ok(Self { method, target, body })
    }
}

fn read_exactly(reader: &mut impl BufRead, length: usize) -> io::Result<Vec<u8>> {
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(body)
}

fn read_chunks(reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    let mut line = String::new();
    loop {
        line.clear();
        reader.read_line(&mut line)?;
        let digits = line.trim().split(';').next().unwrap_or_default();
        let length = usize::from_str_radix(digits, 16).map_err(io::Error::other)?;
        body.extend(read_exactly(reader, length)?);
        line.clear();
        reader.read_line(&mut line)?;
        if length == 0 {
            return Ok(body);
        }
    }
}

fn respond(connection: TcpStream, value: &Value) -> io::Result<()> {
    let body = value.to_string();
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    write_all(connection, format!("{head}{body}").as_bytes())
}

fn write_all(mut connection: TcpStream, bytes: &[u8]) -> io::Result<()> {
    connection.write_all(bytes)?;
    connection.flush()
}

/// A lock whose holder may have panicked: the data is a log, good at every moment.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
