//! What both protocols have in common: a question, a reply, and the faults that a status tells of.

use super::endpoint::{Credential, Endpoint, Protocol, Secret};
use super::{Answered, CallError, CallFault, EventStream, anthropic, openai};
use crate::price::Usage;
use nidra_core::text::{redact, steering, width};
use serde::de::IgnoredAny;
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
    /// It met its limit.
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
        ReadFault::Lost => CallError::new(
            CallFault::Lost,
            format!(
                "the answer of {} broke off before its end; the model did not end it, so the server or a proxy on the way did",
                endpoint.url
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
    /// It ends, and nobody said that it does.
    Lost,
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
    let words = match &answered.location {
        Some(location) if fault == CallFault::Redirected => {
            // What follows the path may hold anything.
            format!("it leads to {}", location.split(['?', '#']).next().unwrap_or_default())
        }
        _ => words,
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
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    width::shorten(&steering::shown(&redact::redact(&words)), 160)
}

/// Why there is no value in a reply.
pub(super) fn unreadable(answered: &Answered) -> ReadFault {
    if answered.complete { ReadFault::Shape } else { ReadFault::Lost }
}

/// A reply in one piece, or as a stream: the values of its events.
pub(super) fn values(answered: &Answered) -> (bool, Vec<Value>) {
    if !is_stream(answered) {
        return (false, serde_json::from_slice(&answered.body).into_iter().collect());
    }
    let mut stream = EventStream::default();
    let events = stream.push(&answered.body);
    (true, events.iter().filter_map(|event| serde_json::from_str(&event.data).ok()).collect())
}

/// Bytes of blanks behind an answer from which on its writer had nothing more to say.
const IDLE: usize = 64;

/// Whether an answer is whole and only blanks follow it: some small models end their answer and then write empty lines
/// until their tokens are spent.
pub(crate) fn is_idle(text: &str) -> bool {
    if text.len() - text.trim_end().len() < IDLE {
        return false;
    }
    let object = text.find('{').and_then(|start| text.get(start..)).unwrap_or_default();
    let mut values = serde_json::Deserializer::from_str(object).into_iter::<IgnoredAny>();
    matches!(values.next(), Some(Ok(_)))
        && values.byte_offset() + IDLE <= object.len()
        && object
            .get(values.byte_offset()..)
            .is_some_and(|rest| rest.chars().all(|c| c.is_whitespace() || c == '`'))
}

/// Listens to a stream, to know when there is nothing more to wait for.
pub(super) struct Listener {
    events: Option<EventStream>,
    text: String,
}

impl Listener {
    /// A listener to a reply with this head.
    pub(super) fn new(answered: &Answered) -> Self {
        Self { events: is_stream(answered).then(EventStream::default), text: String::new() }
    }

    /// Whether the answer is done with these bytes.
    pub(super) fn is_done(&mut self, bytes: &[u8]) -> bool {
        let Some(events) = &mut self.events else { return false };
        for event in events.push(bytes) {
            let Ok(value) = serde_json::from_str::<Value>(&event.data) else { continue };
            let places = ["/delta/text", "/delta/partial_json", "/choices/0/delta/content"];
            let words = places.iter().find_map(|place| value.pointer(place)?.as_str());
            self.text.push_str(words.unwrap_or_default());
        }
        is_idle(&self.text)
    }
}

fn is_stream(answered: &Answered) -> bool {
    answered.content_type == "text/event-stream"
}

/// A number of tokens out of a reply; whatever else stands there counts as none.
pub(super) fn tokens(value: &Value, place: &str) -> u64 {
    value.pointer(place).and_then(Value::as_u64).unwrap_or_default()
}
