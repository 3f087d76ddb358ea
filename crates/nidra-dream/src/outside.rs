//! What the user accepted for files outside the memory directory: written into nidra's own block there, taken back with
//! its run, and taken out altogether when nidra leaves.

use crate::{promote, team};
use nidra_core::settings::ProposeSettings;
use nidra_core::text::redact::{self, Scope};
use nidra_core::{Change, Operation};
use nidra_memory::atomic::RealFileSystem;
use nidra_memory::shared_file::{self, Edit, SharedFileError};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A statement that stands in a file outside the memory directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutsideReport {
    /// The file, relative to the checkout; that of a team in full.
    pub path: String,
    /// The words.
    pub text: String,
}

/// Writes an accepted proposal; the reason when that cannot be done. One that stands there already is fine.
pub(crate) fn accept(
    checkout: &Path,
    settings: &ProposeSettings,
    operation: &Operation,
    scope: Scope,
) -> Result<OutsideReport, String> {
    let Change::Propose { destination, text } = &operation.change else {
        return Err("it is no proposal for a file outside the memory directory".to_owned());
    };
    demand_known(settings, destination)?;
    if redact::redact_in(text, scope) != *text {
        return Err("it holds a secret".to_owned());
    }
    let (root, name) = place(checkout, destination);
    shared_file::change(&RealFileSystem, root, name, Edit::Add(text)).map_err(|error| error.to_string())?;
    Ok(OutsideReport { path: destination.clone(), text: text.clone() })
}

/// Refuses a file that nidra does not write into. An engine may name any place; a person agreed to words for one of these.
fn demand_known(settings: &ProposeSettings, destination: &str) -> Result<(), String> {
    if is_of_checkout(destination) {
        return Ok(());
    }
    let file = Path::new(destination);
    match &settings.team {
        Some(setting) if team::names(setting, file) => {
            team::demand_own(file).map_err(|error| error.to_string())
        }
        Some(_) if file.is_absolute() => Err(format!("`propose.team` does not name {destination}")),
        None if file.is_absolute() => {
            Err(format!("`propose.team` is unset, so nothing is written into {destination}"))
        }
        _ => Err(format!("nidra writes into {} alone", promote::files().collect::<Vec<_>>().join(", "))),
    }
}

fn is_of_checkout(destination: &str) -> bool {
    promote::files().any(|name| name == destination)
}

/// The directory that a file may not leave, and its name there.
fn place<'a>(checkout: &'a Path, destination: &'a str) -> (&'a Path, &'a str) {
    let file = Path::new(destination);
    if file.is_absolute() { team::parts(file) } else { (checkout, destination) }
}

/// What accepting a statement would do to its file, as a difference.
///
/// # Errors
/// The reason why it could not be done.
pub fn preview(
    checkout: &Path,
    settings: &ProposeSettings,
    destination: &str,
    text: &str,
) -> Result<String, String> {
    demand_known(settings, destination)?;
    let (root, name) = place(checkout, destination);
    let (before, after) = shared_file::preview(&RealFileSystem, root, name, Edit::Add(text))
        .map_err(|error| error.to_string())?;
    let (before, after) = (String::from_utf8_lossy(&before), String::from_utf8_lossy(&after));
    let difference = similar::TextDiff::from_lines(before.as_ref(), after.as_ref());
    Ok(difference.unified_diff().context_radius(1).header(destination, destination).to_string())
}

/// Takes statements back with their run, also from a team's file that the setting names no longer: only what nidra wrote
/// into its own block leaves. Returns what could not be taken back, with the reason.
pub fn take_back(checkout: &Path, statements: &[OutsideReport]) -> Vec<String> {
    let failed = |statement: &OutsideReport| {
        edit(checkout, statement, Edit::Remove(&statement.text))
            .err()
            .map(|error| format!("{} keeps “{}”: {error}", statement.path, statement.text))
    };
    known(statements).filter_map(failed).collect()
}

/// Puts statements back that left their blocks. Returns what could not be put back, with the reason.
pub fn put_back(checkout: &Path, statements: &[OutsideReport]) -> Vec<String> {
    let failed = |statement: &OutsideReport| {
        edit(checkout, statement, Edit::Add(&statement.text))
            .err()
            .map(|error| format!("{} does not get “{}” back: {error}", statement.path, statement.text))
    };
    known(statements).filter_map(failed).collect()
}

/// Whether a statement stands in nidra's block of its file now. One of a block that cannot be read does, until it is looked
/// at more closely.
pub(crate) fn stands(checkout: &Path, statement: &OutsideReport) -> bool {
    let (root, name) = place(checkout, &statement.path);
    shared_file::preview(&RealFileSystem, root, name, Edit::Remove(&statement.text))
        .map_or(true, |(before, after)| before != after)
}

/// Those that are for files that nidra writes into.
fn known(statements: &[OutsideReport]) -> impl Iterator<Item = &OutsideReport> {
    statements
        .iter()
        .filter(|statement| is_of_checkout(&statement.path) || Path::new(&statement.path).is_absolute())
}

fn edit(checkout: &Path, statement: &OutsideReport, edit: Edit<'_>) -> Result<(), SharedFileError> {
    let file = Path::new(&statement.path);
    let of_team = file.is_absolute();
    // Whoever deleted the team's folder took the statement along.
    if of_team && !file.exists() {
        return Ok(());
    }
    let (root, name) = place(checkout, &statement.path);
    if of_team {
        team::demand_own(file)?;
    }
    shared_file::change(&RealFileSystem, root, name, edit).map(|_changed| ())
}

/// Whether a team's file holds a block of nidra's.
///
/// # Errors
/// When the block is broken or the file cannot be read.
pub fn has_block(file: &Path) -> Result<bool, SharedFileError> {
    team::demand_own(file)?;
    let (root, name) = team::parts(file);
    let (before, after) = shared_file::preview(&RealFileSystem, root, name, Edit::RemoveAll)?;
    Ok(before != after)
}

/// Takes nidra's block out of a team's file; says whether there was one.
///
/// # Errors
/// When the block is broken or the file cannot be written.
pub fn remove_block(file: &Path) -> Result<bool, SharedFileError> {
    team::demand_own(file)?;
    let (root, name) = team::parts(file);
    shared_file::change(&RealFileSystem, root, name, Edit::RemoveAll)
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
