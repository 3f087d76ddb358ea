//! The debug log: one line for each gate decision and each event of a run, made to be searched with `grep`.

use crate::event_stream;
use jiff::Timestamp;
use nidra_core::ProjectId;
use nidra_core::error::PathError;
use nidra_dream::event::Event;
use std::fs::{self, DirBuilder, File};
use std::io::Write as _;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

/// Bytes after which the log is set aside; the one set aside before is dropped.
const MAX_BYTES: u64 = 2 * 1024 * 1024;

/// Where the log stands.
pub fn path(state: &Path) -> PathBuf {
    state.join("logs/nidra.log")
}

/// Adds a line about an event.
///
/// # Errors
/// When the log cannot be written.
pub fn append(state: &Path, now: Timestamp, project: &ProjectId, event: &Event) -> Result<(), PathError> {
    append_line(state, &format!("{now} project={project} {}", words(event)))
}

/// Adds a line.
///
/// # Errors
/// When the log cannot be written.
pub fn append_line(state: &Path, line: &str) -> Result<(), PathError> {
    append_to(&path(state), &line.replace(['\n', '\r'], " "))
}

/// Adds a line to a log, which is set aside when it is full.
///
/// # Errors
/// When the log cannot be written.
pub(crate) fn append_to(path: &Path, line: &str) -> Result<(), PathError> {
    if let Some(folder) = path.parent() {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)
            .map_err(PathError::wrap("create", folder))?;
    }
    if fs::metadata(path).is_ok_and(|metadata| metadata.len() > MAX_BYTES) {
        let mut aside = path.as_os_str().to_owned();
        aside.push(".1");
        fs::rename(path, aside).map_err(PathError::wrap("rename", path))?;
    }
    let line = format!("{line}\n");
    File::options()
        .append(true)
        .create(true)
        .open(path)
        .and_then(|mut file| file.write_all(line.as_bytes()))
        .map_err(PathError::wrap("write", path))
}

fn words(event: &Event) -> String {
    match event {
        Event::Gate(gate) => format!(
            "event=gate gate={} open={} value={:?} need={:?}",
            gate.name.as_str(),
            gate.open,
            gate.value,
            gate.need
        ),
        Event::Skipped(gate) => {
            format!("event=skipped gate={} value={:?} need={:?}", gate.name.as_str(), gate.value, gate.need)
        }
        Event::Fired { hours_since_last, sessions } => {
            let hours = hours_since_last.map_or_else(|| "never".to_owned(), |hours| format!("{hours:.1}"));
            format!("event=fired hours_since_last={hours} sessions={sessions}")
        }
        Event::Entered { phase } => format!("event=phase phase={}", phase.as_str()),
        Event::Note { text } => format!("event=note text={text:?}"),
        Event::Progress(progress) => format!("event=progress text={:?}", event_stream::words(progress)),
        Event::Stopped { phase } => format!("event=stopped phase={}", phase.as_str()),
        Event::Completed { files, operations } => {
            format!("event=completed files={files} operations={operations}")
        }
        Event::Failed { phase, reason } => format!("event=failed phase={} reason={reason:?}", phase.as_str()),
    }
}
