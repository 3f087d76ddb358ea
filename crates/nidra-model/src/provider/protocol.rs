//! What both protocols have in common: a question, a reply, and the faults that a status tells of.

use super::endpoint::{Credential, Endpoint, Protocol, Secret};
use super::{Answered, CallError, CallFault, anthropic, openai};
use crate::price::Usage;
use nidra_core::text::{redact, width};
use serde_json::Value;

/// A question to a model. What stands first changes least, so that the provider can keep it.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// What the model is for; the same for every question.
    pub system: String,
    /// What memory says; the same for every question of a run.
    pub memory: String,
    /// The evidence.
    pub evidence: String,
    /// The form of the answer, as a JSON Schema.
    pub schema: Value,
    /// Tokens of the answer at most.
    pub max_output: u32,
    /// How freely it is answered; `None` leaves it to the provider.
    pub temperature: Option<f64>,
    /// Whether the server is held to the form by its own means; some refuse to be.
    pub enforced: bool,
}

/// How an answer ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stop {
    /// The model was done.
    #[default]
    Done,
    /// It met its limit, or the connection was lost.
    CutOff,
    /// The model or its provider refused.
    Refused,
}

/// A model's reply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// The words.
    pub text: String,
    /// How it ended.
    pub stop: Stop,
    /// The tokens; `None` where the provider does not count them.
    pub usage: Option<Usage>,
}

/// The body of a request for a question.
pub fn body(endpoint: &Endpoint, question: &Question) -> Value {
    match endpoint.protocol {
        Protocol::Anthropic => anthropic::body(&endpoint.model, question),
        Protocol::Openai => openai::body(endpoint, question),
    }
}

/// The headers of a request.
pub(crate) fn headers(endpoint: &Endpoint) -> Vec<(&'static str, Secret)> {
    let bearer = |words: &Secret| ("authorization", Secret::new(format!("Bearer {}", words.reveal())));
    let mut headers: Vec<_> = match (&endpoint.credential, endpoint.protocol) {
        (Some(Credential::Key(key)), Protocol::Anthropic) => vec![("x-api-key", key.clone())],
        (Some(Credential::Key(words) | Credential::Token(words)), _) => vec![bearer(words)],
        (None, _) => Vec::new(),
    };
    if endpoint.protocol == Protocol::Anthropic {
        headers.push(("anthropic-version", Secret::new(anthropic::VERSION)));
    }
    headers
}

/// Reads a reply.
///
/// # Errors
/// When its status or its form says that it is no answer.
pub fn read_reply(endpoint: &Endpoint, answered: &Answered) -> Result<Reply, CallError> {
    read_with(endpoint, answered, |answered| match endpoint.protocol {
        Protocol::Anthropic => anthropic::read(answered),
        Protocol::Openai => openai::read(answered),
    })
}

/// Reads a reply by a reader of its protocol.
pub(super) fn read_with<R>(
    endpoint: &Endpoint,
    answered: &Answered,
    read: impl FnOnce(&Answered) -> Result<R, ReadFault>,
) -> Result<R, CallError> {
    if !(200..300).contains(&answered.status) {
        return Err(bad_status(endpoint, answered));
    }
    read(answered).map_err(|fault| match fault {
        ReadFault::Shape => CallError::new(
            CallFault::Shape,
            format!(
                "what {} sends is no reply of the protocol `{}`; check `model.base_url` and `model.provider`",
                endpoint.url,
                endpoint.protocol.as_str()
            ),
        ),
        ReadFault::Server(words) => {
            let words = shown(&words);
            CallError::new(
                CallFault::Server,
                format!("{} broke off with a fault of its own: {words}", endpoint.host),
            )
        }
    })
}

/// Why a reply with a good status is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ReadFault {
    /// It is something else.
    Shape,
    /// It is an error of the server's, in these words.
    Server(String),
}

fn bad_status(endpoint: &Endpoint, answered: &Answered) -> CallError {
    let words = error_words(&answered.body).unwrap_or_default();
    let all = String::from_utf8_lossy(answered.body.get(..4_000).unwrap_or(&answered.body));
    let long = ["exceed_context", "context_length", "context length", "too long", "too many tokens"];
    let fault = match answered.status {
        300..=399 => CallFault::Redirected,
        401 | 403 => CallFault::Key,
        404 => CallFault::NotFound,
        408 | 409 | 425 | 500..=599 => CallFault::Server,
        413 => CallFault::TooLong,
        429 => CallFault::Busy,
        _ if long.iter().any(|mark| all.contains(mark)) => CallFault::TooLong,
        _ => CallFault::Request,
    };
    let advice = match fault {
        CallFault::Redirected => "name the address that it leads to; it is not followed",
        CallFault::Key => "check the key and whether it belongs to this address",
        CallFault::NotFound if all.contains(&endpoint.model) => "there is no such model; check `model.name`",
        CallFault::NotFound => "check `model.base_url` and `model.name`",
        CallFault::TooLong => "set `model.max_input_tokens` lower",
        CallFault::Busy | CallFault::Server => "it may work later",
        _ => "see the words of the server",
    };
    let words = shown(&words);
    let said = if words.is_empty() { String::new() } else { format!(" ({words})") };
    CallError {
        fault,
        message: format!("{} answers with status {}{said}; {advice}", endpoint.url, answered.status),
        retry_after: answered.retry_after,
    }
}

/// The words of an error, wherever servers put them; a page of a proxy or a program is no word of theirs.
fn error_words(body: &[u8]) -> Option<String> {
    let value = serde_json::from_slice::<Value>(body).ok()?;
    let places = ["/error/message", "/message", "/error", "/detail"];
    let words = places.iter().find_map(|place| value.pointer(place)?.as_str())?;
    let kind = value.pointer("/error/type").and_then(Value::as_str).unwrap_or_default();
    Some(format!("{kind} {words}").trim().to_owned())
}

/// A server's words for a message: one short line without secrets, as a server may repeat what it was sent.
pub(super) fn shown(words: &str) -> String {
    let line: String = words.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    width::shorten(&redact::redact(line.trim()), 160)
}

/// A reply in one piece, or as a stream: the values of its events.
pub(super) fn values(answered: &Answered) -> (bool, Vec<Value>) {
    let streamed = answered.content_type == "text/event-stream";
    if !streamed {
        return (false, serde_json::from_slice(&answered.body).into_iter().collect());
    }
    let mut stream = super::EventStream::default();
    let events = stream.push(&answered.body);
    (true, events.iter().filter_map(|event| serde_json::from_str(&event.data).ok()).collect())
}

/// A number of tokens out of a reply; whatever else stands there counts as none.
pub(super) fn tokens(value: &Value, place: &str) -> u64 {
    value.pointer(place).and_then(Value::as_u64).unwrap_or_default()
}
