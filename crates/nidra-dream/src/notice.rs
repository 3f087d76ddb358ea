//! The one line about the last dream that the next session's start shows: left by a run, taken once by a hook.

use nidra_core::ProjectId;
use nidra_core::error::PathError;
use nidra_memory::purge::NOTICE;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

fn path(state_home: &Path, project: &ProjectId) -> PathBuf {
    state_home.join("projects").join(project.as_str()).join(NOTICE)
}

/// Leaves the line; an earlier one that nobody saw is replaced.
///
/// # Errors
/// When the file cannot be written.
pub fn leave(state_home: &Path, project: &ProjectId, line: &str) -> Result<(), PathError> {
    let path = path(state_home, project);
    let fresh = path.with_extension("new");
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(PathError::wrap("create", folder))?;
    }
    fs::write(&fresh, line).map_err(PathError::wrap("write", &fresh))?;
    fs::rename(&fresh, &path).map_err(PathError::wrap("write", &path))
}

/// How a line about a failed run begins.
const FAILED: &str = "the last dream failed and left memory as it was";

/// Leaves the line about a run that failed. It gives no reason: the words of a provider or a program would become what
/// nidra says to the next agent.
///
/// # Errors
/// When the file cannot be written.
pub fn leave_failure(state_home: &Path, project: &ProjectId) -> Result<(), PathError> {
    leave(state_home, project, &format!("{FAILED}; `nidra status` says why, `nidra doctor` what to do"))
}

/// Drops the line about an earlier run that failed: a later one did not.
///
/// # Errors
/// When the file cannot be read or removed.
pub fn drop_failure(state_home: &Path, project: &ProjectId) -> Result<(), PathError> {
    match look(state_home, project)? {
        Some(line) if line.starts_with(FAILED) => seen(state_home, project),
        Some(_) | None => Ok(()),
    }
}

/// The line, if there is one that nobody saw yet; it stays.
///
/// # Errors
/// When the file cannot be read.
pub fn look(state_home: &Path, project: &ProjectId) -> Result<Option<String>, PathError> {
    let path = path(state_home, project);
    match fs::read_to_string(&path) {
        Ok(line) => Ok(Some(line)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(PathError::wrap("read", &path)(error)),
    }
}

/// Marks the line as seen.
///
/// # Errors
/// When the file cannot be removed.
pub fn seen(state_home: &Path, project: &ProjectId) -> Result<(), PathError> {
    let path = path(state_home, project);
    match fs::remove_file(&path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(PathError::wrap("remove", &path)(error)),
        Ok(()) | Err(_) => Ok(()),
    }
}
