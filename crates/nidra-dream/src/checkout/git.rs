//! The branches of a repository, read from its files.

use super::relative;
use nidra_sessions::plain_file;
use nidra_sessions::repository::{self, GitDirectories};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Bytes of a file of git that are read.
const MAX_BYTES: u64 = 8 * 1024 * 1024;
/// Files below `refs` that are looked at.
const MAX_REFERENCES: usize = 20_000;

/// The names of all branches, local and remote ones; none where the folder is no repository.
pub(super) fn branches(root: &Path) -> Option<BTreeSet<String>> {
    let GitDirectories { common, .. } = repository::directories(root)?;
    // A branch without a commit stands in `HEAD` alone.
    let mut found: BTreeSet<String> = repository::branch(root).into_iter().collect();
    for line in text(&common.join("packed-refs")).unwrap_or_default().lines() {
        if let Some((_, name)) = line.split_once(' ') {
            found.extend(branch(name));
        }
    }
    let mut folders = vec![common.join("refs/heads"), common.join("refs/remotes")];
    let mut seen = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            seen += 1;
            if seen > MAX_REFERENCES {
                return Some(found);
            }
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                folders.push(entry.path());
            } else if let Some(name) = relative(&common, &entry.path()) {
                found.extend(branch(&name));
            }
        }
    }
    Some(found)
}

/// The branch that a reference names.
fn branch(reference: &str) -> Option<String> {
    let reference = reference.trim();
    if let Some(name) = reference.strip_prefix("refs/heads/") {
        return Some(name.to_owned());
    }
    let (_, name) = reference.strip_prefix("refs/remotes/")?.split_once('/')?;
    (name != "HEAD").then(|| name.to_owned())
}

fn text(path: &Path) -> Option<String> {
    plain_file::text(path, MAX_BYTES)
}
