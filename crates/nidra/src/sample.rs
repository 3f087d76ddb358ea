//! The sample projects that ship with nidra, laid out in a scratch folder in the shape that the real client writes.
//!
//! The conversations are our own work. Nothing outside the given folder is written.

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ZonedDateTime};
use nidra_core::error::PathError;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::{self, File, FileTimes};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// A sample project: its checkout, its memory so far and its sessions.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// The name of the checkout's folder.
    pub project: String,
    zone: String,
    now: Timestamp,
    files: BTreeMap<String, String>,
    memory: BTreeMap<String, String>,
    sessions: Vec<SampleSession>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SampleSession {
    start: Timestamp,
    turns: Vec<SampleTurn>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "lowercase")]
enum SampleTurn {
    Human(String),
    Agent(String),
    Tool(SampleTool),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SampleTool {
    name: String,
    input: Value,
    result: String,
    #[serde(default)]
    error: bool,
}

/// Where a sample was laid out.
#[derive(Clone, Debug)]
pub struct LaidOut {
    /// The checkout.
    pub checkout: PathBuf,
    /// The memory directory.
    pub memory: PathBuf,
    /// When the sample's dream runs.
    pub now: ZonedDateTime,
}

/// A sample could not be read or laid out.
#[derive(Debug, thiserror::Error)]
pub enum SampleError {
    /// The sample does not parse; only a change of the sample itself can cause it.
    #[error("the sample cannot be read")]
    Format(#[from] serde_json::Error),
    /// The sample names a time zone that this machine does not know.
    #[error("the sample's time zone is unknown")]
    Zone(#[from] jiff::Error),
    /// A file could not be written.
    #[error(transparent)]
    Path(#[from] PathError),
}

/// The samples that ship with nidra: an English and a Chinese project.
///
/// # Errors
/// When a sample does not parse.
pub fn shipped() -> Result<Vec<Sample>, SampleError> {
    [include_str!("../samples/english.json"), include_str!("../samples/chinese.json")]
        .into_iter()
        .map(|text| serde_json::from_str(text).map_err(SampleError::from))
        .collect()
}

impl Sample {
    /// Lays the sample out below `root`: `work/<project>` is the checkout, `home/.claude` the agent's folder.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn lay_out(&self, root: &Path) -> Result<LaidOut, SampleError> {
        let checkout = root.join("work").join(&self.project);
        for (name, text) in &self.files {
            write(&checkout.join(name), text.as_bytes())?;
        }
        let folder = root.join("home/.claude/projects").join(nidra_sessions::claude::slug(&checkout));
        let memory = folder.join("memory");
        fs::create_dir_all(&memory).map_err(PathError::wrap("create", &memory))?;
        for (name, text) in &self.memory {
            write(&memory.join(name), text.as_bytes())?;
        }
        for (number, session) in self.sessions.iter().enumerate() {
            let (id, text, end) = self.transcript(number, session, &checkout);
            let path = folder.join(format!("{id}.jsonl"));
            write(&path, text.as_bytes())?;
            let modified = FileTimes::new().set_modified(end.try_into()?);
            File::options()
                .write(true)
                .open(&path)
                .and_then(|file| file.set_times(modified))
                .map_err(PathError::wrap("set the time of", &path))?;
        }
        let now = self.now.to_zoned_datetime(TimeZone::get(&self.zone)?);
        Ok(LaidOut { checkout, memory, now })
    }

    fn transcript(
        &self,
        number: usize,
        session: &SampleSession,
        checkout: &Path,
    ) -> (String, String, Timestamp) {
        let id = identifier(&format!("{}/{number}", self.project));
        let mut lines = String::new();
        let mut clock = session.start;
        let mut parent = Value::Null;
        let mut count = 0;
        let mut emit = |kind: &str, message: Value, clock: Timestamp, extra: Option<(&str, Value)>| {
            count += 1;
            let uuid = identifier(&format!("{id}/{count}"));
            let mut record = json!({
                "parentUuid": parent, "isSidechain": false, "type": kind, "message": message, "uuid": uuid,
                "timestamp": clock.strftime("%Y-%m-%dT%H:%M:%S.000Z").to_string(), "userType": "external",
                "entrypoint": "cli", "cwd": checkout, "sessionId": id, "version": "2.1.332", "gitBranch": "main",
            });
            if let (Some((key, value)), Some(fields)) = (extra, record.as_object_mut()) {
                fields.insert(key.to_owned(), value);
            }
            parent = Value::String(uuid);
            lines.push_str(&record.to_string());
            lines.push('\n');
        };
        for (position, turn) in session.turns.iter().enumerate() {
            clock = later(clock, 40);
            match turn {
                SampleTurn::Human(text) => {
                    let origin = json!({ "kind": "human" });
                    emit("user", json!({ "role": "user", "content": text }), clock, Some(("origin", origin)));
                }
                SampleTurn::Agent(text) => {
                    emit(
                        "assistant",
                        assistant(position, &json!([{ "type": "text", "text": text }])),
                        clock,
                        None,
                    );
                }
                SampleTurn::Tool(tool) => {
                    let call = format!("toolu_{position:04}");
                    let block =
                        json!([{ "type": "tool_use", "id": call, "name": tool.name, "input": tool.input }]);
                    emit("assistant", assistant(position, &block), clock, None);
                    clock = later(clock, 6);
                    let block = json!([{
                        "type": "tool_result", "tool_use_id": call, "content": tool.result, "is_error": tool.error,
                    }]);
                    let result = Value::String(tool.result.clone());
                    emit(
                        "user",
                        json!({ "role": "user", "content": block }),
                        clock,
                        Some(("toolUseResult", result)),
                    );
                }
            }
        }
        (id, lines, clock)
    }
}

fn assistant(position: usize, content: &Value) -> Value {
    json!({
        "id": format!("msg_{position:04}"), "type": "message", "role": "assistant", "model": "sample",
        "content": content, "stop_reason": null, "usage": { "input_tokens": 10, "output_tokens": 10 },
    })
}

fn later(clock: Timestamp, seconds: i64) -> Timestamp {
    clock.checked_add(SignedDuration::from_secs(seconds)).unwrap_or(clock)
}

/// An identifier in the shape of a version 4 UUID, the same for the same seed.
fn identifier(seed: &str) -> String {
    let hash = nidra_core::EntryId::of("sample", seed).to_string()
        + nidra_core::EntryId::of("elpmas", seed).as_str();
    format!("{}-{}-4{}-8{}-{}", &hash[..8], &hash[8..12], &hash[13..16], &hash[17..20], &hash[20..32])
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), PathError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(PathError::wrap("create", folder))?;
    }
    File::create(path).and_then(|mut file| file.write_all(bytes)).map_err(PathError::wrap("write", path))
}
