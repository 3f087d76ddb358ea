//! Snapshots of memory: taken each day, kept for some days, verified, compared, and put back.
//!
//! The bytes lie among the objects, where a content that is there already costs nothing. Putting a snapshot back is an
//! ordinary run: it takes a snapshot of what is there first, and `nidra undo` takes it back.

use jiff::{SignedDuration, Timestamp};
use nidra_core::ProjectId;
use nidra_core::error::PathError;
use nidra_memory::atomic::FileSystem;
use nidra_memory::journal::Journal;
use nidra_memory::objects::{Manifest, ObjectError, ObjectId, Objects};
use nidra_memory::store::{SnapshotRecord, Store, StoreError};
use nidra_memory::{ChangeSet, FileChange};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A snapshot could not be taken, read or dropped.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// The objects.
    #[error(transparent)]
    Object(#[from] ObjectError),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file.
    #[error(transparent)]
    Path(#[from] PathError),
    /// The snapshot does not hold the file.
    #[error("the snapshot holds no file {0}")]
    NoFile(String),
}

/// Takes a snapshot now and records it.
///
/// # Errors
/// When the directory cannot be read, or the objects or the database cannot be written.
pub fn take(
    store: &mut Store,
    files: &dyn FileSystem,
    project: &ProjectId,
    memory: &Path,
    cause: &str,
    now: Timestamp,
) -> Result<SnapshotRecord, SnapshotError> {
    let home = store.home().to_owned();
    let objects = Objects::new(&home, files);
    let object = objects.snapshot(memory)?;
    store.put_snapshot(project, &object, cause, now)?;
    // Recorded first, looked at then: what was pruned in between is stored anew.
    if !verify(&objects, &object).is_empty() {
        objects.snapshot(memory)?;
    }
    Ok(SnapshotRecord { object, at: now, cause: cause.to_owned(), run: None })
}

/// Whether the daily snapshot is due.
pub fn is_due(snapshots: &[SnapshotRecord], now: Timestamp) -> bool {
    let day = SignedDuration::from_hours(24);
    !snapshots.iter().any(|snapshot| {
        let age = now.duration_since(snapshot.at);
        snapshot.cause == "daily" && age < day && age > -day
    })
}

/// The snapshot that is meant: `last`, the beginning of its name, or the beginning of its moment in UTC.
pub fn find<'a>(snapshots: &'a [SnapshotRecord], wanted: &str) -> Option<&'a SnapshotRecord> {
    if wanted == "last" {
        return snapshots.first();
    }
    let wanted = wanted.to_ascii_lowercase();
    snapshots.iter().find(|snapshot| {
        wanted.len() >= 4
            && (snapshot.object.as_str().starts_with(&wanted)
                || snapshot.at.to_string().to_ascii_lowercase().starts_with(&wanted)
                || snapshot.run.as_ref().is_some_and(|run| run.as_str() == wanted))
    })
}

/// What of a snapshot cannot be read back, one line each; none when it is good.
pub fn verify(objects: &Objects<'_>, snapshot: &ObjectId) -> Vec<String> {
    let manifest = match objects.manifest(snapshot) {
        Ok(manifest) => manifest,
        Err(error) => return vec![format!("the list of its files cannot be read: {error}")],
    };
    let bad = |file: &nidra_memory::objects::ManifestFile| {
        objects.get(&file.object).err().map(|error| format!("{}: {error}", file.path))
    };
    manifest.files.iter().filter_map(bad).collect()
}

/// The contents of a snapshot by path; links are left out, as they are never written.
///
/// # Errors
/// When an object cannot be read.
pub fn contents(
    objects: &Objects<'_>,
    manifest: &Manifest,
) -> Result<BTreeMap<String, Vec<u8>>, SnapshotError> {
    let mut contents = BTreeMap::new();
    for file in manifest.files.iter().filter(|file| file.link.is_none()) {
        contents.insert(file.path.clone(), objects.get(&file.object)?);
    }
    Ok(contents)
}

/// The changes that lead from one state to another; of one file alone where a path is given.
///
/// # Errors
/// When the wanted state does not hold the path.
pub fn changes(
    from: &BTreeMap<String, Vec<u8>>,
    to: &BTreeMap<String, Vec<u8>>,
    only: Option<&str>,
) -> Result<ChangeSet, SnapshotError> {
    if let Some(path) = only.filter(|path| !to.contains_key(*path)) {
        return Err(SnapshotError::NoFile(path.to_owned()));
    }
    let paths: BTreeSet<&String> = from.keys().chain(to.keys()).collect();
    let files = paths
        .into_iter()
        // Daily logs only ever grow; nobody takes one back.
        .filter(|path| !path.starts_with(LOGS))
        .filter(|path| only.is_none_or(|only| only == *path))
        .map(|path| FileChange {
            path: path.clone(),
            before: from.get(path).cloned(),
            after: to.get(path).cloned(),
        })
        .filter(|change| !change.is_noop())
        .collect();
    Ok(ChangeSet { files })
}

/// The folder of the daily logs in a memory directory.
const LOGS: &str = "logs/";

/// What pruning did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Snapshots that were dropped.
    pub dropped: Vec<SnapshotRecord>,
    /// Contents that nothing needs any more and that were removed.
    pub objects: usize,
    /// Why no content was removed, where that was so.
    pub kept_because: Option<String>,
}

/// Drops the snapshots that are older than some days; those of runs stay, as `nidra undo` needs them, and so does the
/// last good one. Contents that only dropped ones held go as well, unless a run is under way.
///
/// # Errors
/// When the database or the objects cannot be read or written.
pub fn prune(
    store: &mut Store,
    files: &dyn FileSystem,
    project: &ProjectId,
    days: u32,
    now: Timestamp,
) -> Result<Pruned, SnapshotError> {
    let home = store.home().to_owned();
    let objects = Objects::new(&home, files);
    let snapshots = store.snapshots(project)?;
    let last_good = snapshots.iter().find(|snapshot| verify(&objects, &snapshot.object).is_empty()).cloned();
    let limit = SignedDuration::from_hours(24 * i64::from(days));
    let dropped: Vec<SnapshotRecord> = snapshots
        .into_iter()
        .filter(|snapshot| snapshot.run.is_none() && now.duration_since(snapshot.at) > limit)
        .filter(|snapshot| last_good.as_ref() != Some(snapshot))
        .collect();
    let mut pruned = Pruned { dropped, ..Pruned::default() };
    if pruned.dropped.is_empty() {
        return Ok(pruned);
    }
    let mut candidates = BTreeSet::new();
    for snapshot in &pruned.dropped {
        candidates.insert(snapshot.object.clone());
        // One that is damaged names nothing that could be removed.
        if let Ok(manifest) = objects.manifest(&snapshot.object) {
            candidates.extend(manifest.files.into_iter().map(|file| file.object));
        }
    }
    let dropped: BTreeSet<&str> = pruned.dropped.iter().map(|snapshot| snapshot.object.as_str()).collect();
    for snapshot in &pruned.dropped {
        store.drop_snapshot(project, snapshot)?;
    }
    let remaining = store.all_snapshot_objects()?;
    for name in &remaining {
        let Ok(object) = ObjectId::try_from(name.clone()) else { continue };
        candidates.remove(&object);
        match objects.manifest(&object) {
            Ok(manifest) => {
                for file in manifest.files {
                    candidates.remove(&file.object);
                }
            }
            Err(_) if dropped.contains(name.as_str()) => {}
            Err(error) => {
                pruned.kept_because = Some(format!("the snapshot {name} cannot be read: {error}"));
                return Ok(pruned);
            }
        }
    }
    if files.list(Journal::new(&home, files).directory()).is_ok_and(|names| !names.is_empty()) {
        pruned.kept_because = Some("a run is under way or was interrupted".to_owned());
        return Ok(pruned);
    }
    let removed = store.remove_unneeded(&remaining, candidates.into_iter().collect(), |object| {
        objects.remove(object).is_ok()
    })?;
    match removed {
        Some(count) => pruned.objects = count,
        None => pruned.kept_because = Some("a run began meanwhile".to_owned()),
    }
    Ok(pruned)
}

#[cfg(test)]
#[path = "snapshots_tests.rs"]
mod tests;
