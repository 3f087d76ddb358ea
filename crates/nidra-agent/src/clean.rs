//! What a model wrote, without secrets, before anything else is done with it: its words and calls go back to the provider
//! with the next question, its calls become files, and its words are told.
//!
//! A model is shown no secret, but it may know one from elsewhere, or make up what looks like one.

use nidra_core::text::redact::{self, Scope};
use nidra_model::map_words;
use nidra_model::provider::{ToolCall, Turn};
use serde_json::{Value, json};

/// Bytes of words that may name files; longer ones are a text.
const MAX_PATH: usize = 1_024;
/// The name of a tool whose own was no name.
const UNNAMED: &str = "unknown";

/// Removes secrets from a turn; `number` tells this turn from the others.
pub(crate) fn turn(turn: Turn, number: u64, scope: Scope) -> Turn {
    let calls = turn.calls.into_iter().enumerate();
    Turn {
        text: redact::redact_in(&turn.text, scope),
        calls: calls.map(|(place, one)| call(one, &format!("call-{number}-{place}"), scope)).collect(),
        ..turn
    }
}

/// Removes secrets from a call, and from what pairs it with its answer.
pub(crate) fn call(call: ToolCall, own_id: &str, scope: Scope) -> ToolCall {
    let clean = |text: &str| redact::find_in(text, scope).is_empty();
    ToolCall {
        id: if clean(&call.id) { call.id } else { own_id.to_owned() },
        name: if clean(&call.name) { call.name } else { UNNAMED.to_owned() },
        input: input(call.input, scope),
    }
}

/// An input without secrets, in its keys and values, alone and where they stand together.
fn input(value: Value, scope: Scope) -> Value {
    let value = map_words(value, &|text| words(text, scope));
    // A key names what its value is, which no part says alone.
    if redact::find_in(&value.to_string(), scope).is_empty() {
        value
    } else {
        json!({ "left out": "a secret" })
    }
}

/// Words without secrets. Where they name files, each name is looked at alone as well.
fn words(text: &str, scope: Scope) -> String {
    // A quotation mark within quotation marks, as a line of a shell writes it, would hide what it stands around.
    let plain = text.replace(r#"'"'"'"#, "'").replace(r"'\''", "'");
    let hidden = plain.len() < text.len() && !redact::find_in(&plain, scope).is_empty();
    let clean = redact::redact_in(if hidden { &plain } else { text }, scope);
    let is_path = clean.len() <= MAX_PATH && clean.contains(['/', '.']) && !clean.contains('\n');
    if is_path { redact::redact_path(&clean, scope) } else { clean }
}
