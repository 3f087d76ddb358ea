//! What the played model says: a script per prompt, a turn per request.

use serde_json::{Value, json};

/// The turns that answer one prompt, whoever speaks it: the person or an agent to its sub-agent.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    /// The prompt that starts this script, as the client sends it.
    pub(crate) prompt: String,
    /// The answers in order; past the last one the model says a short "Done.".
    pub(crate) turns: Vec<Turn>,
}

/// One answer of the model.
#[derive(Clone, Debug)]
pub(crate) enum Turn {
    /// Content blocks, streamed.
    Say(Vec<Block>),
    /// No answer at all: the request stays open until the server closes.
    Hang,
}

/// One content block.
#[derive(Clone, Debug)]
pub(crate) enum Block {
    /// Words.
    Text(String),
    /// A tool call with its name and input.
    Tool(&'static str, Value),
}

impl Script {
    /// A script that answers `prompt` with `turns`.
    pub(crate) fn new(prompt: &str, turns: Vec<Turn>) -> Self {
        Self { prompt: prompt.to_owned(), turns }
    }

    /// A script that answers `prompt` with one sentence.
    pub(crate) fn reply(prompt: &str, words: &str) -> Self {
        Self::new(prompt, vec![say(words)])
    }
}

/// A turn of words alone.
pub(crate) fn say(words: &str) -> Turn {
    Turn::Say(vec![Block::Text(words.to_owned())])
}

/// A turn that calls the shell, with a sentence before it as models do.
pub(crate) fn bash(words: &str, command: &str) -> Turn {
    let input = json!({ "command": command, "description": words });
    Turn::Say(vec![Block::Text(words.to_owned()), Block::Tool("Bash", input)])
}

/// A turn that calls one tool.
pub(crate) fn tool(name: &'static str, input: Value) -> Turn {
    Turn::Say(vec![Block::Tool(name, input)])
}

/// Finds the answer to a request: the script whose prompt was spoken last, and in it the turn after those that
/// the request already shows.
pub(crate) fn answer(scripts: &[Script], body: &Value) -> Option<Turn> {
    let messages = body["messages"].as_array()?;
    let mut found = None;
    for (position, message) in messages.iter().enumerate().filter(|(_, message)| message["role"] == "user") {
        let texts = texts_of(&message["content"]);
        let spoken = |script: &&Script| texts.iter().any(|text| text.trim_end().ends_with(&script.prompt));
        if let Some(script) = scripts.iter().find(spoken) {
            found = Some((script, position));
        }
    }
    let (script, position) = found?;
    let already = messages[position..].iter().filter(|message| message["role"] == "assistant").count();
    script.turns.get(already).cloned()
}

/// The texts of a message; the text of a tool result is none of them, so that a file cannot pick a script.
fn texts_of(content: &Value) -> Vec<&str> {
    match content {
        Value::String(text) => vec![text.as_str()],
        Value::Array(blocks) => blocks
            .iter()
            .filter(|block| block["type"] == "text")
            .filter_map(|block| block["text"].as_str())
            .collect(),
        _ => Vec::new(),
    }
}

/// The server-sent events that stream `blocks` as one message.
pub(crate) fn stream(blocks: &[Block], model: &str, serial: usize) -> String {
    let mut events = Events::default();
    let usage = json!({
        "input_tokens": 1000, "output_tokens": 20, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0
    });
    events.push(
        "message_start",
        json!({ "message": {
            "id": format!("msg_played_{serial:08}"), "type": "message", "role": "assistant", "model": model,
            "content": [], "stop_reason": null, "stop_sequence": null, "usage": usage,
        }}),
    );
    for (index, block) in blocks.iter().enumerate() {
        let (opening, delta) = match block {
            Block::Text(text) => {
                (json!({ "type": "text", "text": "" }), json!({ "type": "text_delta", "text": text }))
            }
            Block::Tool(name, input) => (
                json!({ "type": "tool_use", "id": format!("toolu_played_{serial:08}_{index}"), "name": name, "input": {} }),
                json!({ "type": "input_json_delta", "partial_json": input.to_string() }),
            ),
        };
        events.push("content_block_start", json!({ "index": index, "content_block": opening }));
        events.push("content_block_delta", json!({ "index": index, "delta": delta }));
        events.push("content_block_stop", json!({ "index": index }));
    }
    let reason =
        if blocks.iter().any(|block| matches!(block, Block::Tool(..))) { "tool_use" } else { "end_turn" };
    events.push(
        "message_delta",
        json!({
            "delta": { "stop_reason": reason, "stop_sequence": null }, "usage": { "output_tokens": 20 }
        }),
    );
    events.push("message_stop", json!({}));
    events.text
}

/// Server-sent events under way.
#[derive(Default)]
struct Events {
    text: String,
}

impl Events {
    /// Appends an event; its name also stands in its data, as the protocol wants it.
    fn push(&mut self, name: &str, mut data: Value) {
        data["type"] = Value::from(name);
        self.text.extend(["event: ", name, "\ndata: ", &data.to_string(), "\n\n"]);
    }
}
