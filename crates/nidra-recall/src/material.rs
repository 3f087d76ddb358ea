//! What of a turn is searched: the words of people and agents whole, tools by their beginning and end.

use crate::segment::Voice;
use nidra_core::text::width::cut_bytes;
use nidra_core::{Content, Speaker, Turn};
use std::borrow::Cow;
use std::fmt::Write as _;

/// Bytes of what a tool was asked.
const CALL_BYTES: usize = 600;
/// Bytes of the beginning of what a tool answered: the command's own words.
const HEAD_BYTES: usize = 700;
/// Bytes of its end, where errors stand.
const TAIL_BYTES: usize = 500;
/// Bytes of what sub-agents and digests say; they repeat what stands elsewhere.
const REPEATED_BYTES: usize = 4 * 1024;

/// The words of a turn by which it is found, and whose they are; `None` for what the client put in.
pub fn words(turn: &Turn) -> Option<(Voice, Cow<'_, str>)> {
    let voice = match turn.speaker {
        Speaker::Human => Voice::Human,
        Speaker::Agent => Voice::Agent,
        Speaker::Tool => Voice::Tool,
        Speaker::Subagent => Voice::Subagent,
        Speaker::Summary => Voice::Summary,
        Speaker::Injected => return None,
    };
    match &turn.content {
        Content::Text(text) => {
            let text = match voice {
                Voice::Subagent | Voice::Summary => cut_bytes(text, REPEATED_BYTES),
                Voice::Human | Voice::Agent | Voice::Tool => text.as_str(),
            };
            Some((voice, Cow::Borrowed(text)))
        }
        Content::ToolCall { name, input, .. } => {
            let mut words = name.clone();
            leaves(input, &mut words);
            let end = cut_bytes(&words, CALL_BYTES).len();
            words.truncate(end);
            Some((Voice::Tool, Cow::Owned(words)))
        }
        Content::ToolResult { text, error, .. } => {
            let mut words = String::new();
            if *error {
                words.push_str("error ");
            }
            words.push_str(cut_bytes(text, HEAD_BYTES));
            if text.len() > HEAD_BYTES + TAIL_BYTES {
                let mut from = text.len() - TAIL_BYTES;
                while !text.is_char_boundary(from) {
                    from += 1;
                }
                let _ = write!(words, " … {}", &text[from..]);
            }
            Some((Voice::Tool, Cow::Owned(words)))
        }
        Content::Interrupted => None,
    }
}

/// The strings of a tool's input, as long as there is room.
fn leaves(value: &serde_json::Value, words: &mut String) {
    if words.len() > CALL_BYTES {
        return;
    }
    match value {
        serde_json::Value::String(text) => {
            words.push(' ');
            words.push_str(cut_bytes(text, CALL_BYTES));
        }
        serde_json::Value::Array(values) => values.iter().for_each(|value| leaves(value, words)),
        serde_json::Value::Object(values) => values.values().for_each(|value| leaves(value, words)),
        serde_json::Value::Null | serde_json::Value::Bool(_) | serde_json::Value::Number(_) => {}
    }
}
