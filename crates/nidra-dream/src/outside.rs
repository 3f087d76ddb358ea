//! What the user accepted for files outside the memory directory: written into nidra's own block there, taken back with
//! its run, and taken out altogether when nidra leaves.

use crate::promote;
use nidra_core::text::redact::{self, Scope};
use nidra_core::{Change, Operation};
use nidra_memory::atomic::RealFileSystem;
use nidra_memory::shared_file::{self, Edit, SharedFileError};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A statement that stands in a file outside the memory directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutsideReport {
    /// The file, relative to the checkout.
    pub path: String,
    /// The words.
    pub text: String,
}

/// Writes an accepted proposal; the reason when that cannot be done. One that stands there already is fine.
pub(crate) fn accept(root: &Path, operation: &Operation, scope: Scope) -> Result<OutsideReport, String> {
    let Change::Propose { destination, text } = &operation.change else {
        return Err("it is no proposal for a file outside the memory directory".to_owned());
    };
    // An engine may name any place; a person agreed to words for one of these.
    if !is_known(destination) {
        return Err(format!("nidra writes into {} alone", promote::files().collect::<Vec<_>>().join(", ")));
    }
    if redact::redact_in(text, scope) != *text {
        return Err("it holds a secret".to_owned());
    }
    shared_file::change(&RealFileSystem, root, destination, Edit::Add(text))
        .map_err(|error| error.to_string())?;
    Ok(OutsideReport { path: destination.clone(), text: text.clone() })
}

fn is_known(destination: &str) -> bool {
    promote::files().any(|name| name == destination)
}

/// What accepting a statement would do to its file, as a difference.
///
/// # Errors
/// When it could not be done.
pub fn preview(root: &Path, destination: &str, text: &str) -> Result<String, SharedFileError> {
    let (before, after) = shared_file::preview(&RealFileSystem, root, destination, Edit::Add(text))?;
    let (before, after) = (String::from_utf8_lossy(&before), String::from_utf8_lossy(&after));
    let difference = similar::TextDiff::from_lines(before.as_ref(), after.as_ref());
    Ok(difference.unified_diff().context_radius(1).header(destination, destination).to_string())
}

/// Takes statements back with their run. Returns what could not be taken back, with the reason.
pub fn take_back(root: &Path, statements: &[OutsideReport]) -> Vec<String> {
    statements
        .iter()
        .filter(|statement| is_known(&statement.path))
        .filter_map(|statement| {
            let edit = Edit::Remove(&statement.text);
            shared_file::change(&RealFileSystem, root, &statement.path, edit)
                .err()
                .map(|error| format!("{} keeps “{}”: {error}", statement.path, statement.text))
        })
        .collect()
}

/// The files of a checkout that hold a block of nidra's.
///
/// # Errors
/// When a block is broken or a file cannot be read.
pub fn with_blocks(root: &Path) -> Result<Vec<String>, SharedFileError> {
    let mut found = Vec::new();
    for name in promote::files().filter(|name| root.join(name).is_file()) {
        let (before, after) = shared_file::preview(&RealFileSystem, root, name, Edit::RemoveAll)?;
        if before != after {
            found.push(name.to_owned());
        }
    }
    Ok(found)
}

/// Takes nidra's blocks out of the files of a checkout; returns the files that changed.
///
/// # Errors
/// When a block is broken or a file cannot be written; the files before it are done.
pub fn remove_all(root: &Path) -> Result<Vec<String>, SharedFileError> {
    let mut changed = Vec::new();
    for name in promote::files().filter(|name| root.join(name).is_file()) {
        if shared_file::change(&RealFileSystem, root, name, Edit::RemoveAll)? {
            changed.push(name.to_owned());
        }
    }
    Ok(changed)
}
