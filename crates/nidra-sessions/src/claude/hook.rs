//! What the client hands to a hook on standard input.

use crate::json::{Limit, Line, Scanner};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The fields that hold text.
const TEXTS: [&[u8]; 9] = [
    b"session_id",
    b"transcript_path",
    b"cwd",
    b"hook_event_name",
    b"source",
    b"reason",
    b"agent_id",
    b"trigger",
    b"prompt",
];

/// The parts of a hook's input that matter. Fields that are not known are passed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookPayload {
    /// The session.
    pub session_id: String,
    /// Its transcript; the file may not exist yet.
    pub transcript_path: PathBuf,
    /// The working directory.
    pub cwd: PathBuf,
    /// The event: `SessionStart`, `Stop`, `SessionEnd` …
    pub hook_event_name: String,
    /// Why a session starts: `startup`, `resume`, `clear`, `compact`, `fork`.
    pub source: Option<String>,
    /// Why a session ends: `other`, `clear`, `prompt_input_exit` …
    pub reason: Option<String>,
    /// The sub-agent, inside of one.
    pub agent_id: Option<String>,
    /// What started a compaction: `manual`, `auto`.
    pub trigger: Option<String>,
    /// What the person submitted.
    pub prompt: Option<String>,
    /// The hook itself keeps the turn from ending.
    pub stop_hook_active: bool,
}

/// A hook's input could not be used.
#[derive(Debug, thiserror::Error)]
pub enum HookError {
    /// It is no JSON object.
    #[error("the hook input is not a JSON object (byte {at})")]
    NotAnObject {
        /// Where it ceases to be one, in bytes.
        at: usize,
    },
    /// A field that every event has is missing or is no text.
    #[error("the hook input has no text in field `{0}`")]
    Missing(&'static str),
}

/// Parses a hook's input.
///
/// # Errors
/// When it is no JSON object or lacks `session_id`, `transcript_path`, `cwd` or `hook_event_name`.
pub fn parse_hook(json: &[u8]) -> Result<HookPayload, HookError> {
    let start = if json.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let line = Line { bytes: json, cuts: &[] };
    let mut texts: BTreeMap<&[u8], String> = BTreeMap::new();
    let mut stop_hook_active = false;
    // The client writes whatever was typed, halves of characters included, where a strict parser would see no object.
    Scanner::new(json, start)
        .object(|scanner, key| {
            match key {
                b"stop_hook_active" => stop_hook_active = scanner.is_true()?,
                _ if TEXTS.contains(&key) => {
                    let text =
                        scanner.string_or_skip()?.map(|span| line.text(span, Limit::SPEECH).into_owned());
                    texts.extend(text.map(|text| (key, text)));
                }
                _ => {
                    scanner.skip()?;
                }
            }
            Ok(())
        })
        .map_err(|broken| HookError::NotAnObject { at: broken.at })?;
    let mut optional = |name: &str| texts.remove(name.as_bytes()).filter(|text| !text.is_empty());
    let mut required = |name: &'static str| optional(name).ok_or(HookError::Missing(name));
    Ok(HookPayload {
        session_id: required("session_id")?,
        transcript_path: PathBuf::from(required("transcript_path")?),
        cwd: PathBuf::from(required("cwd")?),
        hook_event_name: required("hook_event_name")?,
        source: optional("source"),
        reason: optional("reason"),
        agent_id: optional("agent_id"),
        trigger: optional("trigger"),
        prompt: optional("prompt"),
        stop_hook_active,
    })
}
