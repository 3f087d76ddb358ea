//! Finds the one answer in what a model wrote. Prose or a fence around it, a comma too many and the envelope of a tool
//! call are harmless and taken away; anything that would need a guess is a fault.

use super::strict::{self, Fault};
use super::{AnswerFault, is_error, is_outline, is_refusal};
use serde_json::Value;

/// The answer as a value.
pub(super) fn answer(text: &str) -> Result<Value, AnswerFault> {
    let text = text.trim_start_matches('\u{feff}').trim();
    let mut found = Vec::new();
    let mut fault = None;
    for region in regions(text) {
        match strict::read(region).or_else(|first| mended(region).ok_or(first)) {
            Ok(value) => found.extend(unwrapped(value)),
            // Braces in prose are no answer; the worst of those that look like one counts.
            Err(broken) if region.contains("\"operations\"") => fault = fault.max(Some(named(broken))),
            Err(_) => {}
        }
    }
    match (found.pop(), found.is_empty(), fault) {
        (Some(value), true, None) => Ok(value),
        (Some(_), _, None) => Err(AnswerFault::Several),
        (_, _, Some(fault)) => Err(fault),
        (None, _, None) => Err(without_answer(text)),
    }
}

/// Whether one of the objects of a text has a field of this name.
pub(super) fn holds_field(text: &str, field: &str) -> bool {
    regions(text).into_iter().any(|region| {
        let value = strict::read(region).ok().or_else(|| mended(region));
        value.is_some_and(|value| value.get(field).is_some())
    })
}

fn named(fault: Fault) -> AnswerFault {
    match fault {
        Fault::Unfinished => AnswerFault::CutOff,
        Fault::Doubled => AnswerFault::DuplicateKeys,
        Fault::Broken => AnswerFault::Malformed,
    }
}

/// What a text is that holds no answer.
pub(super) fn without_answer(text: &str) -> AnswerFault {
    if is_error(text) {
        AnswerFault::ErrorText
    } else if is_refusal(text) {
        AnswerFault::Refusal
    } else if text.contains("\"operations\"") || text.trim_start_matches('`').trim_start().starts_with('{') {
        AnswerFault::Malformed
    } else {
        AnswerFault::NoForm
    }
}

/// The objects of a text that are in no other, in order; the last one may have no end.
fn regions(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut depth, mut start) = (0_usize, 0);
    let (mut quoted, mut escaped) = (false, false);
    for (at, byte) in text.bytes().enumerate() {
        if quoted {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => quoted = false,
                _ => {}
            }
            continue;
        }
        match byte {
            // Quotation marks in the prose around an object are none of JSON's.
            b'"' => quoted = depth > 0,
            b'{' => {
                if depth == 0 {
                    start = at;
                }
                depth += 1;
            }
            b'}' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    found.extend(text.get(start..=at));
                }
            }
            _ => {}
        }
    }
    if depth > 0 {
        found.extend(text.get(start..));
    }
    found
}

/// The value of a text without the commas in front of a closing bracket; `None` when that does not help.
fn mended(text: &str) -> Option<Value> {
    let mut plain = String::with_capacity(text.len());
    let (mut quoted, mut escaped) = (false, false);
    for (at, letter) in text.char_indices() {
        if quoted {
            match letter {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => quoted = false,
                _ => {}
            }
        } else if letter == '"' {
            quoted = true;
        } else if letter == ',' {
            let rest = text.get(at + 1..).unwrap_or_default().trim_start();
            if rest.starts_with([']', '}']) {
                continue;
            }
        }
        plain.push(letter);
    }
    if plain.len() == text.len() { None } else { strict::read(&plain).ok() }
}

/// The answer inside the envelope of a tool call, which some models write as text. `None` for other objects.
fn unwrapped(value: Value) -> Option<Value> {
    if is_outline(&value) {
        return Some(value);
    }
    let fields = value.as_object()?;
    let inner = ["arguments", "parameters", "input", "report"].iter().find_map(|name| fields.get(*name))?;
    match inner {
        Value::String(text) => strict::read(text).ok().filter(is_outline),
        inner => is_outline(inner).then(|| inner.clone()),
    }
}
