//! OpenAI's chat completions, as most servers of models speak them: the form of the answer is its `response_format`.

use super::Answered;
use super::endpoint::Endpoint;
use super::protocol::{Question, ReadFault, Reply, Stop, is_idle, tokens, unreadable, values};
use crate::price::Usage;
use serde_json::{Value, json};

/// The host whose newer models know the limit of an answer by another name only.
pub(super) const MAKER: &str = "api.openai.com";

/// The body of a request. The provider keeps what is the same at the beginning without being told.
pub(super) fn body(endpoint: &Endpoint, question: &Question) -> Value {
    let user = [question.memory.as_str(), question.evidence.as_str()].map(str::trim).join("\n\n");
    let mut body = json!({
        "model": endpoint.model,
        "stream": true,
        "stream_options": { "include_usage": true },
        "messages": [
            { "role": "system", "content": question.system },
            { "role": "user", "content": user.trim_start() },
        ],
    });
    let limit = if endpoint.host == MAKER { "max_completion_tokens" } else { "max_tokens" };
    body[limit] = json!(question.max_output);
    if question.enforced {
        body["response_format"] = json!({
            "type": "json_schema",
            "json_schema": { "name": "report", "strict": true, "schema": question.schema },
        });
    }
    if let Some(temperature) = question.temperature {
        body["temperature"] = json!(temperature);
    }
    body
}

/// Reads a reply, streamed or in one piece.
pub(super) fn read(answered: &Answered) -> Result<Reply, ReadFault> {
    let (streamed, values) = values(answered);
    let mut reply = Reply::default();
    let mut begun = false;
    let mut ended = None;
    for value in &values {
        if let Some(words) = error(value) {
            return Err(ReadFault::Server(words));
        }
        if let Some(counted) = usage(&value["usage"]) {
            reply.usage = Some(counted);
        }
        let Some(choice) = value["choices"].as_array().map(|choices| choices.first()) else { continue };
        begun = true;
        let Some(choice) = choice else { continue };
        let message = if streamed { &choice["delta"] } else { &choice["message"] };
        reply.text.push_str(message["content"].as_str().unwrap_or_default());
        if message["refusal"].as_str().is_some_and(|words| !words.is_empty()) {
            ended = Some(Stop::Refused);
        }
        if let Some(reason) = choice["finish_reason"].as_str() {
            ended = ended.or(Some(stop(reason)));
        }
    }
    if !begun {
        return Err(unreadable(answered));
    }
    reply.stop = match ended {
        Some(stop) => stop,
        None if is_idle(&reply.text) => Stop::CutOff,
        None => unsaid(answered)?,
    };
    Ok(reply)
}

/// How a reply ended that gives no reason: some servers write the mark of the protocol's end alone.
pub(super) fn unsaid(answered: &Answered) -> Result<Stop, ReadFault> {
    let marked = answered.body.trim_ascii_end().ends_with(b"[DONE]");
    if marked || answered.content_type != "text/event-stream" { Ok(Stop::Done) } else { Err(ReadFault::Lost) }
}

/// The words of an error in the midst of a reply; `None` where there is none.
pub(super) fn error(value: &Value) -> Option<String> {
    let error = value.get("error").filter(|error| !error.is_null())?;
    let words = error["message"].as_str().or_else(|| error.as_str());
    Some(words.unwrap_or("it does not say which").to_owned())
}

pub(super) fn stop(reason: &str) -> Stop {
    match reason {
        "length" => Stop::CutOff,
        "content_filter" => Stop::Refused,
        _ => Stop::Done,
    }
}

pub(super) fn usage(value: &Value) -> Option<Usage> {
    let kept = tokens(value, "/prompt_tokens_details/cached_tokens");
    let usage = Usage {
        input: tokens(value, "/prompt_tokens").saturating_sub(kept),
        cache_write: 0,
        cache_read: kept,
        output: tokens(value, "/completion_tokens"),
    };
    // No call costs nothing: a count of none is none.
    (usage.total() > 0).then_some(usage)
}
