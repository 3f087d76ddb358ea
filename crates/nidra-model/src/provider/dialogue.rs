//! A talk in which the model has tools, in both protocols: its turns sent, and the next one read.

use super::endpoint::{Endpoint, Protocol};
use super::protocol::{ReadFault, Stop, read_with, tokens, unreadable, values};
use super::{Answered, CallError, anthropic, openai};
use crate::price::Usage;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A tool that the model may call.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// What it does, for the model.
    pub description: &'static str,
    /// The form of its input, as a JSON Schema.
    pub schema: Value,
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// Pairs the call with its result.
    pub id: String,
    /// The tool's name, as the model wrote it.
    pub name: String,
    /// Its input; a string where it was no JSON.
    pub input: Value,
}

/// What a tool answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolResult {
    /// The call.
    pub id: String,
    /// The answer.
    pub text: String,
    /// It failed, or was refused.
    pub failed: bool,
}

/// One message of a talk.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// Our words.
    Ours(String),
    /// The model's words and calls.
    Model {
        /// The words.
        text: String,
        /// The calls.
        calls: Vec<ToolCall>,
    },
    /// What its tools answered, in the order of the calls.
    Results(Vec<ToolResult>),
}

/// A talk so far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dialogue<'d> {
    /// What the model is for.
    pub system: &'d str,
    /// Its tools.
    pub tools: &'d [Tool],
    /// The messages; ours is the first.
    pub messages: &'d [Message],
    /// Tokens of the next turn at most.
    pub max_output: u32,
    /// How freely it is answered; `None` leaves it to the provider.
    pub temperature: Option<f64>,
}

/// The model's next turn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Turn {
    /// Its words.
    pub text: String,
    /// Its calls.
    pub calls: Vec<ToolCall>,
    /// How it ended.
    pub stop: Stop,
    /// The tokens; `None` where the provider does not count them.
    pub usage: Option<Usage>,
}

/// The body of a request for the next turn.
pub fn dialogue_body(endpoint: &Endpoint, dialogue: &Dialogue<'_>) -> Value {
    let mut body = match endpoint.protocol {
        Protocol::Anthropic => to_anthropic(dialogue),
        Protocol::Openai => to_openai(endpoint, dialogue),
    };
    body["model"] = json!(endpoint.model);
    body["stream"] = json!(true);
    if let Some(temperature) = dialogue.temperature {
        body["temperature"] = json!(temperature);
    }
    body
}

/// Reads the next turn.
///
/// # Errors
/// When its status or its form says that it is no answer.
pub fn read_turn(endpoint: &Endpoint, answered: &Answered) -> Result<Turn, CallError> {
    read_with(endpoint, answered, |answered| match endpoint.protocol {
        Protocol::Anthropic => from_anthropic(answered),
        Protocol::Openai => from_openai(answered),
    })
}

fn to_anthropic(dialogue: &Dialogue<'_>) -> Value {
    let kept = json!({ "type": "ephemeral" });
    let mut messages: Vec<Value> = dialogue
        .messages
        .iter()
        .map(|message| match message {
            Message::Ours(text) => json!({ "role": "user", "content": [{ "type": "text", "text": text }] }),
            Message::Model { text, calls } => {
                let words = (!text.trim().is_empty()).then(|| json!({ "type": "text", "text": text }));
                let calls = calls.iter().map(|call| {
                    // The protocol takes objects alone; what was none was answered with an error.
                    let input = if call.input.is_object() { call.input.clone() } else { json!({}) };
                    json!({ "type": "tool_use", "id": call.id, "name": call.name, "input": input })
                });
                json!({ "role": "assistant", "content": words.into_iter().chain(calls).collect::<Vec<_>>() })
            }
            Message::Results(results) => {
                let blocks = results.iter().map(|result| {
                    json!({
                        "type": "tool_result", "tool_use_id": result.id,
                        "content": result.text, "is_error": result.failed,
                    })
                });
                json!({ "role": "user", "content": blocks.collect::<Vec<_>>() })
            }
        })
        .collect();
    // The whole talk so far comes again with the next turn, so the provider is asked to keep it.
    let last = messages.last_mut().and_then(|message| message["content"].as_array_mut()?.last_mut());
    if let Some(block) = last {
        block["cache_control"] = kept.clone();
    }
    let tools: Vec<Value> = dialogue
        .tools
        .iter()
        .map(
            |tool| json!({ "name": tool.name, "description": tool.description, "input_schema": tool.schema }),
        )
        .collect();
    json!({
        "max_tokens": dialogue.max_output,
        "system": [{ "type": "text", "text": dialogue.system, "cache_control": kept }],
        "tools": tools,
        "messages": messages,
    })
}

fn to_openai(endpoint: &Endpoint, dialogue: &Dialogue<'_>) -> Value {
    let mut messages = vec![json!({ "role": "system", "content": dialogue.system })];
    for message in dialogue.messages {
        match message {
            Message::Ours(text) => messages.push(json!({ "role": "user", "content": text })),
            Message::Model { text, calls } => {
                let calls: Vec<Value> = calls
                    .iter()
                    .map(|call| {
                        let arguments =
                            call.input.as_str().map_or_else(|| call.input.to_string(), str::to_owned);
                        let function = json!({ "name": call.name, "arguments": arguments });
                        json!({ "id": call.id, "type": "function", "function": function })
                    })
                    .collect();
                let mut said = json!({ "role": "assistant", "content": text });
                if !calls.is_empty() {
                    said["tool_calls"] = json!(calls);
                }
                messages.push(said);
            }
            Message::Results(results) => {
                for result in results {
                    messages
                        .push(json!({ "role": "tool", "tool_call_id": result.id, "content": result.text }));
                }
            }
        }
    }
    let tools: Vec<Value> = dialogue
        .tools
        .iter()
        .map(|tool| {
            let function =
                json!({ "name": tool.name, "description": tool.description, "parameters": tool.schema });
            json!({ "type": "function", "function": function })
        })
        .collect();
    let mut body = json!({
        "stream_options": { "include_usage": true },
        "messages": messages,
        "tools": tools,
    });
    let limit = if endpoint.host == openai::MAKER { "max_completion_tokens" } else { "max_tokens" };
    body[limit] = json!(dialogue.max_output);
    body
}

/// A call whose parts are still coming.
#[derive(Default)]
struct Coming {
    id: String,
    name: String,
    input: String,
}

impl Coming {
    fn whole(self, place: usize) -> ToolCall {
        let text = if self.input.trim().is_empty() { "{}" } else { self.input.as_str() };
        let input = serde_json::from_str(text).unwrap_or_else(|_| json!(self.input));
        // Some servers leave the identifier out; the pair only has to be one.
        let id = if self.id.is_empty() { format!("call-{place}") } else { self.id };
        ToolCall { id, name: self.name, input }
    }
}

fn calls(coming: BTreeMap<u64, Coming>) -> Vec<ToolCall> {
    let named = coming.into_values().filter(|call| !call.name.is_empty());
    named.enumerate().map(|(place, call)| call.whole(place)).collect()
}

fn text_of(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn from_anthropic(answered: &Answered) -> Result<Turn, ReadFault> {
    let (streamed, values) = values(answered);
    let mut turn = Turn { stop: Stop::CutOff, ..Turn::default() };
    let mut coming: BTreeMap<u64, Coming> = BTreeMap::new();
    if !streamed {
        let value = values.first().ok_or_else(|| unreadable(answered))?;
        if value["type"] == "error" || value["error"].is_object() {
            return Err(ReadFault::Server(anthropic::error(value)));
        }
        for (place, block) in (0..).zip(value["content"].as_array().ok_or(ReadFault::Shape)?) {
            match text_of(&block["type"]) {
                "text" => turn.text.push_str(text_of(&block["text"])),
                "tool_use" => {
                    let call = Coming {
                        id: text_of(&block["id"]).to_owned(),
                        name: text_of(&block["name"]).to_owned(),
                        input: block["input"].to_string(),
                    };
                    coming.insert(place, call);
                }
                _ => {}
            }
        }
        turn.stop = value["stop_reason"].as_str().map_or(Stop::CutOff, anthropic::stop);
        turn.usage = anthropic::usage(&value["usage"]);
        turn.calls = calls(coming);
        return Ok(turn);
    }
    let (mut begun, mut over) = (false, false);
    let mut counted = Usage::default();
    let mut ended = None;
    for value in &values {
        let index = value["index"].as_u64().unwrap_or_default();
        match text_of(&value["type"]) {
            "message_start" => {
                begun = true;
                counted = anthropic::usage(&value["message"]["usage"]).unwrap_or_default();
            }
            "content_block_start" if value["content_block"]["type"] == "tool_use" => {
                let call = coming.entry(index).or_default();
                text_of(&value["content_block"]["id"]).clone_into(&mut call.id);
                text_of(&value["content_block"]["name"]).clone_into(&mut call.name);
            }
            "content_block_delta" => {
                turn.text.push_str(text_of(&value["delta"]["text"]));
                let part = text_of(&value["delta"]["partial_json"]);
                if !part.is_empty() {
                    coming.entry(index).or_default().input.push_str(part);
                }
            }
            "message_delta" => {
                ended = value["delta"]["stop_reason"].as_str().map(anthropic::stop).or(ended);
                counted.output = counted.output.max(tokens(value, "/usage/output_tokens"));
                counted.input = counted.input.max(tokens(value, "/usage/input_tokens"));
            }
            "message_stop" => {
                over = true;
                turn.stop = ended.unwrap_or_default();
            }
            "error" => return Err(ReadFault::Server(anthropic::error(value))),
            _ => {}
        }
    }
    if !begun {
        return Err(ReadFault::Shape);
    }
    if !over {
        return Err(ReadFault::Lost);
    }
    turn.calls = calls(coming);
    turn.usage = (counted.total() > 0).then_some(counted);
    Ok(turn)
}

fn from_openai(answered: &Answered) -> Result<Turn, ReadFault> {
    let (streamed, values) = values(answered);
    let mut turn = Turn::default();
    let mut coming: BTreeMap<u64, Coming> = BTreeMap::new();
    let mut begun = false;
    let mut ended = None;
    for value in &values {
        if let Some(words) = openai::error(value) {
            return Err(ReadFault::Server(words));
        }
        if let Some(counted) = openai::usage(&value["usage"]) {
            turn.usage = Some(counted);
        }
        let Some(choices) = value["choices"].as_array() else { continue };
        begun = true;
        let Some(choice) = choices.first() else { continue };
        let message = if streamed { &choice["delta"] } else { &choice["message"] };
        turn.text.push_str(text_of(&message["content"]));
        for (place, part) in (0..).zip(message["tool_calls"].as_array().into_iter().flatten()) {
            let call = coming.entry(part["index"].as_u64().unwrap_or(place)).or_default();
            call.id.push_str(text_of(&part["id"]));
            call.name.push_str(text_of(&part["function"]["name"]));
            call.input.push_str(text_of(&part["function"]["arguments"]));
        }
        if message["refusal"].as_str().is_some_and(|words| !words.is_empty()) {
            ended = Some(Stop::Refused);
        }
        if let Some(reason) = choice["finish_reason"].as_str() {
            ended = ended.or(Some(openai::stop(reason)));
        }
    }
    if !begun {
        return Err(unreadable(answered));
    }
    turn.stop = ended.map_or_else(|| openai::unsaid(answered), Ok)?;
    turn.calls = calls(coming);
    Ok(turn)
}
