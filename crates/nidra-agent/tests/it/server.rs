//! A server of models on the loopback interface: it speaks both protocols, answers with the turns of a script, and keeps
//! every request that it was sent.

use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// A turn of the model.
#[derive(Clone, Debug)]
pub(crate) enum Play {
    /// Words and calls of tools.
    Say(&'static str, Vec<(&'static str, Value)>),
    /// Words, ended in this way of the protocol of Anthropic.
    Ends(&'static str, &'static str),
    /// A call whose input is cut in the middle.
    Torn(&'static str, &'static str),
    /// A bad status.
    Status(u16),
    /// A bad status with these words of the server.
    Fails(u16, &'static str),
}

/// The calls of one turn.
pub(crate) fn calls(calls: &[(&'static str, Value)]) -> Play {
    Play::Say("", calls.to_vec())
}

type Script = dyn Fn(usize, &Value) -> Play + Send + Sync;

/// The running server; closes with the value.
pub(crate) struct Server {
    address: SocketAddr,
    bodies: Arc<Mutex<Vec<Value>>>,
    closing: Arc<AtomicBool>,
}

impl Server {
    /// Plays these turns, one a request; the last one again and again.
    pub(crate) fn playing(turns: Vec<Play>) -> Self {
        Self::start(move |at, _| turns[at.min(turns.len() - 1)].clone())
    }

    /// Plays what a function says to the number of a request and its body.
    pub(crate) fn start(script: impl Fn(usize, &Value) -> Play + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (bodies, closing) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let (kept, ending, script): (_, _, Arc<Script>) =
            (Arc::clone(&bodies), Arc::clone(&closing), Arc::new(script));
        std::thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                if ending.load(Ordering::SeqCst) {
                    return;
                }
                serve(connection, &kept, script.as_ref());
            }
        });
        Self { address, bodies, closing }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn bodies(&self) -> Vec<Value> {
        self.bodies.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.closing.store(true, Ordering::SeqCst);
        drop(TcpStream::connect(self.address));
    }
}

fn serve(mut connection: TcpStream, bodies: &Mutex<Vec<Value>>, script: &Script) {
    let mut reader = BufReader::new(connection.try_clone().unwrap());
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    let anthropic = line.contains("/messages");
    let mut length = 0;
    loop {
        line.clear();
        reader.read_line(&mut line).unwrap();
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut bytes = vec![0; length];
    reader.read_exact(&mut bytes).unwrap();
    let body: Value = serde_json::from_slice(&bytes).unwrap();
    let at = {
        let mut bodies = bodies.lock().unwrap();
        bodies.push(body.clone());
        bodies.len() - 1
    };
    let play = script(at, &body);
    let (status, text) = match &play {
        Play::Status(status) => (*status, "{\"error\":{\"message\":\"played\"}}".to_owned()),
        Play::Fails(status, words) => (*status, json!({ "error": { "message": words } }).to_string()),
        play if anthropic => (200, to_anthropic(play, at)),
        play => (200, to_openai(play, at)),
    };
    let head = format!(
        "HTTP/1.1 {status} Played\r\ncontent-type: text/event-stream\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        text.len()
    );
    connection.write_all((head + &text).as_bytes()).unwrap();
}

fn to_anthropic(play: &Play, at: usize) -> String {
    let mut lines = String::new();
    let mut event = |data: Value| write!(lines, "event: x\ndata: {data}\n\n").unwrap();
    let usage = json!({ "input_tokens": 100, "output_tokens": 1 });
    event(json!({ "type": "message_start", "message": { "usage": usage } }));
    let (words, calls, stop) = match play {
        Play::Say(words, calls) => {
            (*words, calls.clone(), if calls.is_empty() { "end_turn" } else { "tool_use" })
        }
        Play::Ends(words, stop) => (*words, Vec::new(), *stop),
        Play::Torn(..) | Play::Status(_) | Play::Fails(..) => ("", Vec::new(), "max_tokens"),
    };
    if !words.is_empty() {
        event(
            json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }),
        );
        event(
            json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": words } }),
        );
    }
    let torn = match play {
        Play::Torn(name, input) => vec![(*name, (*input).to_owned())],
        _ => Vec::new(),
    };
    let whole = calls.iter().map(|(name, input)| (*name, input.to_string()));
    for (index, (name, input)) in whole.chain(torn).enumerate() {
        let block = json!({ "type": "tool_use", "id": format!("t{at}-{index}"), "name": name, "input": {} });
        event(json!({ "type": "content_block_start", "index": index + 1, "content_block": block }));
        let letters: Vec<char> = input.chars().collect();
        for piece in letters.chunks(9) {
            let delta =
                json!({ "type": "input_json_delta", "partial_json": piece.iter().collect::<String>() });
            event(json!({ "type": "content_block_delta", "index": index + 1, "delta": delta }));
        }
    }
    event(
        json!({ "type": "message_delta", "delta": { "stop_reason": stop }, "usage": { "output_tokens": 50 } }),
    );
    event(json!({ "type": "message_stop" }));
    lines
}

fn to_openai(play: &Play, at: usize) -> String {
    let mut lines = String::new();
    let mut chunk = |delta: Value, finish: Value| {
        let data = json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] });
        write!(lines, "data: {data}\n\n").unwrap();
    };
    let (words, calls, stop) = match play {
        Play::Say(words, calls) => {
            (*words, calls.clone(), if calls.is_empty() { "stop" } else { "tool_calls" })
        }
        Play::Ends(words, "refusal") => (*words, Vec::new(), "content_filter"),
        Play::Ends(words, _) => (*words, Vec::new(), "length"),
        Play::Torn(..) | Play::Status(_) | Play::Fails(..) => ("", Vec::new(), "length"),
    };
    if !words.is_empty() {
        chunk(json!({ "content": words }), Value::Null);
    }
    let torn = match play {
        Play::Torn(name, input) => vec![(*name, (*input).to_owned())],
        _ => Vec::new(),
    };
    let whole = calls.iter().map(|(name, input)| (*name, input.to_string()));
    for (index, (name, input)) in whole.chain(torn).enumerate() {
        let function = json!({ "name": name, "arguments": "" });
        let call = json!({ "index": index, "id": format!("t{at}-{index}"), "type": "function", "function": function });
        chunk(json!({ "tool_calls": [call] }), Value::Null);
        let letters: Vec<char> = input.chars().collect();
        for piece in letters.chunks(9) {
            let function = json!({ "arguments": piece.iter().collect::<String>() });
            chunk(json!({ "tool_calls": [{ "index": index, "function": function }] }), Value::Null);
        }
    }
    chunk(json!({}), json!(stop));
    let usage = json!({ "choices": [], "usage": { "prompt_tokens": 100, "completion_tokens": 50 } });
    write!(lines, "data: {usage}\n\ndata: [DONE]\n\n").unwrap();
    lines
}
