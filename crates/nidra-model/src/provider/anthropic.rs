//! Anthropic's Messages: the form of the answer is the input of a tool that the model has to call.

use super::Answered;
use super::protocol::{Question, ReadFault, Reply, Stop, is_idle, tokens, unreadable, values};
use crate::price::Usage;
use serde_json::{Value, json};

/// The version of the protocol.
pub(super) const VERSION: &str = "2023-06-01";
/// The tool by which the model answers.
const TOOL: &str = "report";

/// The body of a request. What is the same for all questions, and what is the same for those of a run, is marked to be
/// kept by the provider.
pub(super) fn body(model: &str, question: &Question) -> Value {
    let kept = json!({ "type": "ephemeral" });
    let mut content = Vec::new();
    if !question.memory.is_empty() {
        content.push(json!({ "type": "text", "text": question.memory, "cache_control": kept }));
    }
    content.push(json!({ "type": "text", "text": question.evidence }));
    let mut body = json!({
        "model": model,
        "max_tokens": question.max_output,
        "stream": true,
        "system": [{ "type": "text", "text": question.system, "cache_control": kept }],
        "messages": [{ "role": "user", "content": content }],
    });
    if question.enforced {
        let mut schema = question.schema.clone();
        // Only a strict schema has to demand every field; each that is left out saves tokens.
        if let Some(operation) = schema.pointer_mut("/properties/operations/items") {
            operation["required"] = json!(["op", "item"]);
        }
        body["tools"] = json!([{
            "name": TOOL,
            "description": "Reports the operations.",
            "input_schema": schema,
        }]);
        body["tool_choice"] = json!({ "type": "tool", "name": TOOL });
    }
    if let Some(temperature) = question.temperature {
        body["temperature"] = json!(temperature);
    }
    body
}

/// Reads a reply, streamed or in one piece.
pub(super) fn read(answered: &Answered) -> Result<Reply, ReadFault> {
    let (streamed, values) = values(answered);
    if streamed { stream(&values) } else { whole(values.first().ok_or_else(|| unreadable(answered))?) }
}

fn whole(value: &Value) -> Result<Reply, ReadFault> {
    if value["type"] == "error" || value["error"].is_object() {
        return Err(ReadFault::Server(error(value)));
    }
    let blocks = value["content"].as_array().ok_or(ReadFault::Shape)?;
    let mut text = String::new();
    for block in blocks {
        match block["type"].as_str() {
            Some("text") => text.push_str(block["text"].as_str().unwrap_or_default()),
            Some("tool_use") => text.push_str(&block["input"].to_string()),
            _ => {}
        }
    }
    let stop = value["stop_reason"].as_str().map_or(Stop::CutOff, stop);
    Ok(Reply { text, stop, usage: usage(&value["usage"]) })
}

fn stream(values: &[Value]) -> Result<Reply, ReadFault> {
    let mut reply = Reply { stop: Stop::CutOff, ..Reply::default() };
    let (mut begun, mut over) = (false, false);
    let mut counted = Usage::default();
    let mut ended = None;
    for value in values {
        match value["type"].as_str() {
            Some("message_start") => {
                begun = true;
                counted = usage(&value["message"]["usage"]).unwrap_or_default();
            }
            Some("content_block_delta") => {
                let delta = &value["delta"];
                let words = delta["text"].as_str().or_else(|| delta["partial_json"].as_str());
                reply.text.push_str(words.unwrap_or_default());
            }
            Some("message_delta") => {
                ended = value["delta"]["stop_reason"].as_str().map(stop).or(ended);
                counted.output = counted.output.max(tokens(value, "/usage/output_tokens"));
                // Some servers count the question only at the end.
                counted.input = counted.input.max(tokens(value, "/usage/input_tokens"));
            }
            Some("message_stop") => {
                over = true;
                reply.stop = ended.unwrap_or_default();
            }
            Some("error") => return Err(ReadFault::Server(error(value))),
            _ => {}
        }
    }
    if !begun {
        return Err(ReadFault::Shape);
    }
    if !over && !is_idle(&reply.text) {
        return Err(ReadFault::Lost);
    }
    reply.usage = (counted.total() > 0).then_some(counted);
    Ok(reply)
}

pub(super) fn stop(reason: &str) -> Stop {
    match reason {
        "max_tokens" | "model_context_window_exceeded" | "pause_turn" => Stop::CutOff,
        "refusal" => Stop::Refused,
        _ => Stop::Done,
    }
}

pub(super) fn usage(value: &Value) -> Option<Usage> {
    value.is_object().then(|| Usage {
        input: tokens(value, "/input_tokens"),
        cache_write: tokens(value, "/cache_creation_input_tokens"),
        cache_read: tokens(value, "/cache_read_input_tokens"),
        output: tokens(value, "/output_tokens"),
    })
}

pub(super) fn error(value: &Value) -> String {
    value["error"]["message"].as_str().unwrap_or("it does not say which").to_owned()
}
