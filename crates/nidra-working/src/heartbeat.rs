//! What a scheduler leaves for others: the heartbeat, the trigger while a rest is due, and one line for the agent.
//!
//! The files lie in the project's folder of the state directory. The user's settings may name two more, which other
//! programs look for; such a file may lie in a folder that everybody can write to, so it is never followed as a link
//! and never taken over from somebody else. All of them are made anew with each beat, so none waits for the disk.

use crate::fragmentation::{Fragmentation, Trigger};
use jiff::Timestamp;
use nidra_core::ProjectId;
use nidra_core::error::PathError;
use nidra_memory::atomic::{self, FileKind, FileSystem};
use nidra_memory::store::Aged;
use serde::Deserialize;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

/// What a beat found.
#[derive(Clone, Debug)]
pub struct Beat<'a> {
    /// The checkout of the project.
    pub project: &'a Path,
    /// When it was.
    pub at: Timestamp,
    /// What the round came to, where there was one.
    pub aged: Option<Aged>,
    /// How scattered the work is.
    pub found: &'a Fragmentation,
    /// Until when a soft trigger was put off.
    pub put_off: Option<Timestamp>,
}

impl Beat<'_> {
    /// The trigger that holds: a soft one can be put off, a hard one cannot.
    pub fn trigger(&self) -> Trigger {
        match self.found.trigger {
            Trigger::Soft if self.put_off.is_some_and(|until| until > self.at) => Trigger::None,
            trigger => trigger,
        }
    }

    /// The heartbeat as JSON.
    pub fn document(&self) -> Value {
        let trigger = self.trigger();
        json!({
            "version": 1, "at": self.at, "project": self.project.display().to_string(),
            "round": self.aged.map(|aged| aged.round), "tasks_aged": self.aged.map(|aged| aged.tasks),
            "dream_trigger": trigger != Trigger::None, "trigger": trigger.as_str(),
            "reasons": if trigger == Trigger::None { &[][..] } else { &self.found.reasons },
            "put_off_until": self.put_off.filter(|until| *until > self.at),
            "index": self.found.index, "signals": self.found.measures,
        })
    }

    /// The one line that the agent reads: what is the matter, and what to do.
    pub fn line(&self) -> String {
        let must =
            if self.trigger() == Trigger::Hard { "is due and cannot be put off" } else { "would do good" };
        format!(
            "a rest {must} ({}): finish the step at hand, then run `nidra rest`",
            self.found.reasons.join(", ")
        )
    }
}

/// Where a project's files stand.
fn path(state: &Path, project: &ProjectId, name: &str) -> PathBuf {
    state.join("projects").join(project.as_str()).join(name)
}

/// The file that is there while a rest is due.
pub fn trigger_path(state: &Path, project: &ProjectId) -> PathBuf {
    path(state, project, "trigger.json")
}

/// The heartbeat's file.
pub fn heartbeat_path(state: &Path, project: &ProjectId) -> PathBuf {
    path(state, project, "heartbeat.json")
}

/// The line for the agent that it has not seen yet.
pub fn notice_path(state: &Path, project: &ProjectId) -> PathBuf {
    path(state, project, "rest-notice.txt")
}

fn put_off_path(state: &Path, project: &ProjectId) -> PathBuf {
    path(state, project, "put-off.json")
}

/// Writes the heartbeat; the trigger comes with it and goes when no rest is due any more. The agent is told once for
/// each trigger.
///
/// # Errors
/// When a file cannot be written.
pub fn write(
    files: &dyn FileSystem,
    state: &Path,
    project: &ProjectId,
    beat: &Beat<'_>,
) -> Result<(), PathError> {
    let folder = path(state, project, "");
    atomic::create_directories(files, &folder, true)?;
    let text = text(&beat.document());
    atomic::write_soon(files, &heartbeat_path(state, project), text.as_bytes())?;
    let trigger = trigger_path(state, project);
    if beat.trigger() == Trigger::None {
        return clear(files, state, project);
    }
    let told = atomic::read_if_present(files, &trigger)?.is_some_and(|bytes| {
        serde_json::from_slice::<Told<'_>>(&bytes)
            .is_ok_and(|before| before.trigger == beat.trigger().as_str())
    });
    if !told {
        // The line first: a kill in between tells the agent twice rather than never.
        atomic::write_soon(files, &notice_path(state, project), beat.line().as_bytes())?;
    }
    atomic::write_soon(files, &trigger, text.as_bytes())
}

/// What the trigger's file says of the beat before; the rest of it is passed over.
#[derive(Deserialize)]
struct Told<'a> {
    #[serde(borrow)]
    trigger: Cow<'a, str>,
}

/// Takes the trigger and the line for the agent away.
///
/// # Errors
/// When a file cannot be removed.
pub fn clear(files: &dyn FileSystem, state: &Path, project: &ProjectId) -> Result<(), PathError> {
    for path in [trigger_path(state, project), notice_path(state, project)] {
        remove(files, &path)?;
    }
    Ok(())
}

fn remove(files: &dyn FileSystem, path: &Path) -> Result<(), PathError> {
    match files.remove(path) {
        Err(error) if error.source.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Leaves a line for the agent's next session.
///
/// # Errors
/// When the file cannot be written.
pub fn notify(
    files: &dyn FileSystem,
    state: &Path,
    project: &ProjectId,
    line: &str,
) -> Result<(), PathError> {
    atomic::create_directories(files, &path(state, project, ""), true)?;
    atomic::write_soon(files, &notice_path(state, project), line.as_bytes())
}

/// The line for the agent, if there is one that it has not seen.
///
/// # Errors
/// When the file cannot be read.
pub fn look(files: &dyn FileSystem, state: &Path, project: &ProjectId) -> Result<Option<String>, PathError> {
    let bytes = atomic::read_if_present(files, &notice_path(state, project))?;
    Ok(bytes.filter(|bytes| !bytes.is_empty()).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

/// Marks the line as seen.
///
/// # Errors
/// When the file cannot be removed.
pub fn seen(files: &dyn FileSystem, state: &Path, project: &ProjectId) -> Result<(), PathError> {
    remove(files, &notice_path(state, project))
}

/// Puts soft triggers off until a moment; `None` takes that back.
///
/// # Errors
/// When the file cannot be written.
pub fn put_off(
    files: &dyn FileSystem,
    state: &Path,
    project: &ProjectId,
    until: Option<Timestamp>,
) -> Result<(), PathError> {
    let place = put_off_path(state, project);
    match until {
        Some(until) => {
            atomic::create_directories(files, &path(state, project, ""), true)?;
            atomic::write_soon(files, &place, text(&json!({ "until": until })).as_bytes())
        }
        None => remove(files, &place),
    }
}

/// Until when soft triggers are put off. A file that cannot be understood counts as none.
///
/// # Errors
/// When the file cannot be read.
pub fn put_off_until(
    files: &dyn FileSystem,
    state: &Path,
    project: &ProjectId,
) -> Result<Option<Timestamp>, PathError> {
    let bytes = atomic::read_if_present(files, &put_off_path(state, project))?;
    let value = bytes.and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
    Ok(value.and_then(|value| value.get("until")?.as_str()?.parse().ok()))
}

/// Refuses a place outside of the state directory that must not be written to.
///
/// # Errors
/// When the file is a link, no plain file, or belongs to another user than `user`; or when its folder is one in which
/// others could replace it.
pub fn check_outside(files: &dyn FileSystem, path: &Path, user: u32) -> Result<(), PathError> {
    let refuse =
        |path: &Path, why: &str| Err(PathError::wrap("write", path)(io::Error::other(why.to_owned())));
    let folder = path.parent().unwrap_or(path);
    let Some(status) = files.status(&files.canonical(folder)?)? else {
        return refuse(folder, "the folder is not there");
    };
    let sticky = status.mode & 0o1000 != 0;
    if status.mode & 0o022 != 0 && !sticky || status.user != user && status.user != 0 {
        return refuse(folder, "others could replace files in this folder; name another in the settings");
    }
    match files.status(path)? {
        Some(status) if status.kind == FileKind::Link => refuse(path, "it is a link, which is not followed"),
        Some(status) if status.kind != FileKind::File => refuse(path, "it is not a plain file"),
        Some(status) if status.user != user => refuse(path, "it belongs to another user"),
        _ => Ok(()),
    }
}

/// Writes a file outside of the state directory for other programs, or removes it (`None`).
///
/// # Errors
/// As of [`check_outside`], or when the system refuses.
pub fn write_outside(
    files: &dyn FileSystem,
    path: &Path,
    user: u32,
    value: Option<&Value>,
) -> Result<(), PathError> {
    check_outside(files, path, user)?;
    match value {
        Some(value) => atomic::write_soon(files, path, text(value).as_bytes()),
        None => remove(files, path),
    }
}

fn text(value: &Value) -> String {
    let mut text = serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string());
    text.push('\n');
    text
}

#[cfg(test)]
#[path = "heartbeat_tests.rs"]
mod tests;
