//! What the client hands to a hook on standard input.

use serde_json::{Map, Value};
use std::path::PathBuf;

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
    #[error("the hook input is not a JSON object")]
    NotAnObject(#[source] serde_json::Error),
    /// A field that every event has is missing or is no text.
    #[error("the hook input has no text in field `{0}`")]
    Missing(&'static str),
}

/// Parses a hook's input.
///
/// # Errors
/// When it is no JSON object or lacks `session_id`, `transcript_path`, `cwd` or `hook_event_name`.
pub fn parse_hook(json: &[u8]) -> Result<HookPayload, HookError> {
    let text = String::from_utf8_lossy(json);
    let fields: Map<String, Value> =
        serde_json::from_str(text.trim_start_matches('\u{feff}').trim()).map_err(HookError::NotAnObject)?;
    let optional = |name: &str| {
        fields.get(name).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let required = |name: &'static str| optional(name).ok_or(HookError::Missing(name));
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
        stop_hook_active: fields.get("stop_hook_active").and_then(Value::as_bool).unwrap_or(false),
    })
}
