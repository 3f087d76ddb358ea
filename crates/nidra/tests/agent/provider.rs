//! A provider on the loopback interface for real agents: Anthropic's Messages and OpenAI's Responses, as far as the two
//! clients need them. It plays the turns of a script and keeps every request.

use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// A call of a tool: its name and input.
pub(crate) type Call = (&'static str, Value);

/// The running provider; closes with the value.
pub(crate) struct Provider {
    address: SocketAddr,
    bodies: Arc<Mutex<Vec<String>>>,
    closing: Arc<AtomicBool>,
}

impl Provider {
    /// Plays these calls, one a turn, then says that it is done.
    pub(crate) fn playing(turns: Vec<Call>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (bodies, closing) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let (kept, ending, turns) = (Arc::clone(&bodies), Arc::clone(&closing), Arc::new(turns));
        std::thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                if ending.load(Ordering::SeqCst) {
                    return;
                }
                let (kept, turns) = (Arc::clone(&kept), Arc::clone(&turns));
                // A client that was killed breaks its connection: nothing to report.
                std::thread::spawn(move || drop(serve(connection, &kept, &turns)));
            }
        });
        Self { address, bodies, closing }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// All that was sent.
    pub(crate) fn sent(&self) -> String {
        self.bodies.lock().unwrap().join("\n")
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        self.closing.store(true, Ordering::SeqCst);
        drop(TcpStream::connect(self.address));
    }
}

fn serve(mut connection: TcpStream, bodies: &Mutex<Vec<String>>, turns: &[Call]) -> std::io::Result<()> {
    let mut reader = BufReader::new(connection.try_clone()?);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let path = line.split_whitespace().nth(1).unwrap_or_default().to_owned();
    let post = line.starts_with("POST");
    let (mut length, mut chunked) = (0, false);
    loop {
        line.clear();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().unwrap_or(0),
            "transfer-encoding" => chunked = value.contains("chunked"),
            _ => {}
        }
    }
    let body = if chunked { read_chunks(&mut reader)? } else { read_exactly(&mut reader, length)? };
    let (kind, text) = if !post {
        ("application/json", json!({ "data": [], "models": [], "has_more": false }).to_string())
    } else if path.contains("count_tokens") {
        ("application/json", json!({ "input_tokens": 10 }).to_string())
    } else {
        let value: Value = serde_json::from_slice(&body).unwrap_or_default();
        bodies.lock().unwrap().push(value.to_string());
        let responses = path.contains("/responses");
        (
            "text/event-stream",
            if responses { to_responses(&value, turns) } else { to_messages(&value, turns) },
        )
    };
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        text.len()
    );
    connection.write_all((head + &text).as_bytes())
}

fn read_exactly(reader: &mut impl BufRead, length: usize) -> std::io::Result<Vec<u8>> {
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(body)
}

fn read_chunks(reader: &mut impl BufRead) -> std::io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let digits = line.trim().split(';').next().unwrap_or_default();
        let length = usize::from_str_radix(digits, 16).map_err(std::io::Error::other)?;
        body.extend(read_exactly(reader, length)?);
        reader.read_line(&mut String::new())?;
        if length == 0 {
            return Ok(body);
        }
    }
}

fn to_messages(body: &Value, turns: &[Call]) -> String {
    let said =
        body["messages"].as_array().into_iter().flatten().filter(|message| message["role"] == "assistant");
    let at = said.count();
    let mut lines = String::new();
    let mut event =
        |data: Value| write!(lines, "event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap()).unwrap();
    let usage = json!({ "input_tokens": 10, "output_tokens": 1, "cache_read_input_tokens": 0 });
    event(json!({ "type": "message_start", "message": {
        "id": format!("msg_{at}"), "type": "message", "role": "assistant", "model": body["model"], "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": usage,
    }}));
    let (block, delta, stop) = match turns.get(at) {
        Some((name, input)) => (
            json!({ "type": "tool_use", "id": format!("toolu_{at}"), "name": name, "input": {} }),
            json!({ "type": "input_json_delta", "partial_json": input.to_string() }),
            "tool_use",
        ),
        None => (
            json!({ "type": "text", "text": "" }),
            json!({ "type": "text_delta", "text": "Done." }),
            "end_turn",
        ),
    };
    event(json!({ "type": "content_block_start", "index": 0, "content_block": block }));
    event(json!({ "type": "content_block_delta", "index": 0, "delta": delta }));
    event(json!({ "type": "content_block_stop", "index": 0 }));
    let delta = json!({ "stop_reason": stop, "stop_sequence": null });
    event(json!({ "type": "message_delta", "delta": delta, "usage": { "output_tokens": 20 } }));
    event(json!({ "type": "message_stop" }));
    lines
}

fn to_responses(body: &Value, turns: &[Call]) -> String {
    let items = body["input"].as_array().into_iter().flatten();
    let at = items.filter(|item| item["type"] == "function_call_output").count();
    let item = match turns.get(at) {
        Some((name, input)) => json!({
            "type": "function_call", "id": format!("f{at}"), "call_id": format!("c{at}"), "name": name,
            "arguments": input.to_string(),
        }),
        None => json!({
            "type": "message", "id": format!("m{at}"), "role": "assistant",
            "content": [{ "type": "output_text", "text": "Done." }],
        }),
    };
    let usage = json!({
        "input_tokens": 10, "input_tokens_details": { "cached_tokens": 0 }, "output_tokens": 5,
        "output_tokens_details": { "reasoning_tokens": 0 }, "total_tokens": 15,
    });
    let mut lines = String::new();
    for event in [
        json!({ "type": "response.created", "response": { "id": format!("r{at}") } }),
        json!({ "type": "response.output_item.done", "output_index": 0, "item": item }),
        json!({ "type": "response.completed", "response": { "id": format!("r{at}"), "usage": usage } }),
    ] {
        write!(lines, "event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap()).unwrap();
    }
    lines
}
