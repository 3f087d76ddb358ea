//! The session that is being worked in, looked at cheaply: which file it is, and how full its window is.
//!
//! A client writes into each reply how many tokens it had read. The end of the file therefore says what the window
//! holds, exactly and at the cost of one small read, however long the session is.

use nidra_core::text::token::{Family, Features};
use nidra_sessions::claude;
use serde::Serialize;
use serde_json::Value;
use std::fs::{self, File};
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Bytes at the end of a transcript that are looked at, the second where the first hold no reply; a reply with its tool
/// calls is seldom longer.
const TAILS: [u64; 2] = [16 * 1024, 256 * 1024];

/// How full a session's window is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WindowUse {
    /// Tokens in the window.
    pub tokens: u64,
    /// Whether the client counted them; else they are estimated.
    pub counted: bool,
}

/// The newest transcript in some folders of the client's.
pub fn newest(folders: &[PathBuf]) -> Option<PathBuf> {
    let entries = folders.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
    let modified = |path: &Path| -> Option<SystemTime> { fs::metadata(path).ok()?.modified().ok() };
    entries
        .map(|entry| entry.path())
        .filter(|path| claude::is_session_file(path))
        .filter_map(|path| Some((modified(&path)?, path)))
        .max()
        .map(|(_, path)| path)
}

/// How full the window of a session is; `None` where its transcript cannot be read.
pub fn window_use(transcript: &Path, family: Family) -> Option<WindowUse> {
    let mut file = File::open(transcript).ok()?;
    let length = file.metadata().ok()?.len();
    let mut seen = WindowUse { tokens: 0, counted: false };
    for tail in TAILS {
        let begin = length.saturating_sub(tail);
        file.seek(SeekFrom::Start(begin)).ok()?;
        let mut bytes = Vec::new();
        (&mut file).take(tail).read_to_end(&mut bytes).ok()?;
        match last_use(&String::from_utf8_lossy(&bytes), family) {
            Ok(found) => return Some(found),
            // No reply in sight: what can be seen stands for the rest.
            Err(tokens) if begin > 0 => seen.tokens = tokens.saturating_mul(length) / tail,
            Err(tokens) => return Some(WindowUse { tokens, counted: false }),
        }
    }
    Some(seen)
}

/// What the last reply says, with what was said since; where there is none, what was said.
fn last_use(text: &str, family: Family) -> Result<WindowUse, u64> {
    // What was said since the last reply is not in its count.
    let mut since = Features::default();
    for line in text.lines().rev() {
        let Ok(record) = serde_json::from_str::<Value>(line) else { continue };
        if record.get("isSidechain").and_then(Value::as_bool) == Some(true) {
            continue;
        }
        if record.get("subtype").and_then(Value::as_str) == Some("compact_boundary") {
            return Ok(WindowUse { tokens: count(since.tokens(family)), counted: false });
        }
        if let Some(tokens) = record.pointer("/message/usage").and_then(used) {
            return Ok(WindowUse { tokens: tokens + count(since.tokens(family)), counted: true });
        }
        since = since.and(words(&record));
    }
    Err(count(since.tokens(family)))
}

/// What a reply says that the window held; `None` where it says nothing, as replies of the client's own do.
fn used(usage: &Value) -> Option<u64> {
    let number = |name: &str| usage.get(name).and_then(Value::as_u64).unwrap_or(0);
    let sum = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens"]
        .into_iter()
        .map(number)
        .sum();
    (sum > 0).then_some(sum)
}

/// The words of a record that the model reads.
fn words(record: &Value) -> Features {
    let mut features = Features::default();
    let mut waiting: Vec<&Value> = record.pointer("/message/content").into_iter().collect();
    while let Some(value) = waiting.pop() {
        match value {
            Value::String(text) => features = features.and(Features::of(text)),
            Value::Array(values) => waiting.extend(values),
            Value::Object(fields) => waiting.extend(
                ["text", "content", "input", "thinking"].into_iter().filter_map(|name| fields.get(name)),
            ),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    features
}

fn count(tokens: usize) -> u64 {
    u64::try_from(tokens).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_reply_says_how_full_the_window_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("11111111-1111-4111-8111-111111111111.jsonl");
        let reply = r#"{"type":"assistant","message":{"content":[{"type":"text","text":"hi"}],"usage":{"input_tokens":10,"cache_creation_input_tokens":200,"cache_read_input_tokens":68000,"output_tokens":40}}}"#;
        let side = r#"{"isSidechain":true,"message":{"usage":{"input_tokens":999999}}}"#;
        let asked = r#"{"type":"user","message":{"content":"one two three four"}}"#;
        fs::write(&path, format!("{reply}\n{side}\n{asked}\n")).unwrap();
        let found = window_use(&path, Family::O200k).unwrap();
        assert!(found.counted && (68_252..=68_256).contains(&found.tokens), "{found:?}");

        // A reply that a long output hides from the first look.
        let output = format!(r#"{{"type":"user","message":{{"content":"{}"}}}}"#, "word ".repeat(10_000));
        fs::write(&path, format!("{reply}\n{output}\n")).unwrap();
        let found = window_use(&path, Family::O200k).unwrap();
        assert!(found.counted && (70_000..=88_000).contains(&found.tokens), "{found:?}");

        let boundary = r#"{"type":"system","subtype":"compact_boundary"}"#;
        fs::write(&path, format!("{reply}\n{boundary}\n{asked}\n")).unwrap();
        let found = window_use(&path, Family::O200k).unwrap();
        assert!(!found.counted && found.tokens <= 6, "{found:?}");
        assert_eq!(newest(&[folder.path().to_owned(), folder.path().join("none")]), Some(path));
    }
}
