//! Which sessions of the client run right now, from the registry that it keeps.
//!
//! Only the `<pid>.json` files are opened: what lies beside them is secret.

use nidra_core::SessionId;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// A session in the client's registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveSession {
    /// The client's process.
    pub pid: u32,
    /// The session.
    pub session: SessionId,
    /// Its working directory.
    pub directory: Option<PathBuf>,
    /// The agent is working; `None` if the client does not say.
    pub busy: Option<bool>,
    /// The process still runs and is the one that made the record. A crashed client leaves its record.
    pub alive: bool,
}

/// Reads the registry below a configuration directory.
pub fn live_sessions(config: &Path) -> Vec<LiveSession> {
    live_sessions_at(config, Path::new("/proc"))
}

/// Like [`live_sessions`], with the place where the system shows its processes. Without such a place
/// every recorded session counts as alive.
pub fn live_sessions_at(config: &Path, processes: &Path) -> Vec<LiveSession> {
    let Ok(entries) = fs::read_dir(config.join("sessions")) else { return Vec::new() };
    let mut sessions: Vec<LiveSession> =
        entries.flatten().filter_map(|entry| session(&entry.path(), processes)).collect();
    sessions.sort_by_key(|session| session.pid);
    sessions
}

fn session(path: &Path, processes: &Path) -> Option<LiveSession> {
    if path.extension()? != "json" {
        return None;
    }
    let named: u32 = path.file_stem()?.to_str()?.parse().ok()?;
    // Records are a few hundred bytes; a record that vanishes meanwhile is a session that ended.
    let record: Value = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
    let text = |name: &str| record.get(name).and_then(Value::as_str);
    let session = text("sessionId").filter(|session| !session.is_empty())?;
    let pid =
        record.get("pid").and_then(Value::as_u64).and_then(|pid| u32::try_from(pid).ok()).unwrap_or(named);
    let recorded_start = record.get("procStart").and_then(ticks);
    Some(LiveSession {
        pid,
        session: SessionId::new(session),
        directory: text("cwd").map(PathBuf::from),
        busy: text("status").map(|status| status == "busy"),
        alive: is_alive(pid, recorded_start, processes),
    })
}

fn ticks(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.trim().parse().ok())
}

fn is_alive(pid: u32, recorded_start: Option<u64>, processes: &Path) -> bool {
    if !processes.join("self").exists() && !processes.join("stat").exists() {
        return true;
    }
    let Ok(line) = fs::read(processes.join(pid.to_string()).join("stat")) else { return false };
    match (recorded_start, start_ticks(&line)) {
        (Some(recorded), Some(actual)) => recorded == actual,
        _ => true,
    }
}

/// The start time of a process: field 22 of its `stat` line. The second field is the program's name in
/// parentheses and may hold blanks and parentheses itself.
fn start_ticks(line: &[u8]) -> Option<u64> {
    let behind_name = line.iter().rposition(|&byte| byte == b')')? + 1;
    let rest = std::str::from_utf8(line.get(behind_name..)?).ok()?;
    rest.split_ascii_whitespace().nth(19)?.parse().ok()
}
