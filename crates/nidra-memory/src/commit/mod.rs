//! The commit: the only way by which a run's changes reach a memory directory.
//!
//! First a verified snapshot, then the journal, then each file in one step, then one database
//! transaction, which is the instant from which the run counts. Whatever fails before it leaves memory and
//! cursors as they were. The user's change to a file always wins over the run's.

pub(crate) mod apply;
mod error;

pub use error::{CommitError, Step, StepError};

use crate::atomic::{self, AtomicError, FileSystem};
use crate::change::{ChangeSet, FileChange};
use crate::document::Document;
use crate::front_matter::FrontMatter;
use crate::index::Index;
use crate::journal::Journal;
use crate::lease::Lease;
use crate::merge::{Merged, merge, merge_appending};
use crate::objects::ObjectId;
use crate::purge::Work;
use crate::store::{
    CursorRecord, EntrySource, EntryUse, ForgottenRecord, PlanRecord, RunEffects, RunRecord, RunState,
    SessionRecord, Store, StoreError, Tombstone,
};
use apply::{ApplyError, FileStep, Written, apply, refusal};
use jiff::Timestamp;
use nidra_core::RunId;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// How often a commit starts again when files change under its hands.
const TRIES: u32 = 3;

/// What to do when a file changed in the same places as the plan changes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ConflictPolicy {
    /// Write nothing, so that the caller plans again on what the files hold now.
    #[default]
    Refuse,
    /// Leave out the change of that file and commit the others. A conflict over a new file or over the
    /// archive refuses the whole run all the same: its other changes lean on those.
    SkipFile,
}

/// A run that is to be committed, and what becomes true with it.
#[derive(Clone, Debug)]
pub struct NewRun {
    /// The run as it will be recorded; state, end and snapshot are set by the commit.
    pub record: RunRecord,
    /// How far the transcripts are read now.
    pub cursors: Vec<CursorRecord>,
    /// The identifiers of the records that were consumed.
    pub seen_records: Vec<String>,
    /// The sessions whose states changed.
    pub sessions: Vec<SessionRecord>,
    /// What the new entries rest on; those in files that are left out are left out too.
    pub provenance: Vec<EntrySource>,
    /// What is archived; in files that are left out nothing is.
    pub tombstones: Vec<Tombstone>,
    /// How often entries were used in the sessions that were read.
    pub uses: Vec<EntryUse>,
    /// What the user asked to be forgotten.
    pub forgotten: Vec<ForgottenRecord>,
    /// What is to be removed from everything that is kept, once the run counts.
    pub purge: Option<Work>,
    /// Forgotten statements that may come back, by their numbers.
    pub lifted: Vec<i64>,
    /// Plans and proposals that are new or have a new state.
    pub plans: Vec<PlanRecord>,
    /// The time of the last success from now on; `None` for a run that does not count for the schedule.
    pub last_success: Option<Timestamp>,
    /// What to do about conflicts.
    pub on_conflict: ConflictPolicy,
    /// The folders that hold the project's transcripts, for the gate file; `None` keeps those it names.
    pub transcript_folders: Option<Vec<PathBuf>>,
    /// Sessions that still have something new afterwards, for the gate file; `None` keeps the number that it names.
    pub unread: Option<u32>,
}

impl NewRun {
    /// A run that changes nothing but its own record.
    pub fn new(record: RunRecord) -> Self {
        Self {
            record,
            cursors: Vec::new(),
            seen_records: Vec::new(),
            sessions: Vec::new(),
            provenance: Vec::new(),
            tombstones: Vec::new(),
            uses: Vec::new(),
            forgotten: Vec::new(),
            purge: None,
            lifted: Vec::new(),
            plans: Vec::new(),
            last_success: None,
            on_conflict: ConflictPolicy::default(),
            transcript_folders: None,
            unread: None,
        }
    }
}

/// What a commit did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Committed {
    /// The manifest of the memory directory before the first write; `None` when no file changed.
    pub snapshot: Option<ObjectId>,
    /// The files that were written or removed, in that order.
    pub written: Vec<String>,
    /// Those of them that someone else had changed too, so that both changes were brought together.
    pub merged: Vec<String>,
    /// The files whose change was left out because the live text won.
    pub conflicts: Vec<String>,
    /// What did not work after the run counted already, each as a sentence fragment.
    pub warnings: Vec<String>,
}

/// Commits a run: all of it, or nothing.
///
/// # Errors
/// See [`CommitError`]; except for [`CommitError::Stuck`] memory is as it was. A failed run is recorded as
/// such as far as the database still takes it.
pub fn commit(
    store: &mut Store,
    lease: &Lease,
    files: &dyn FileSystem,
    run: &NewRun,
    changes: &ChangeSet,
) -> Result<Committed, CommitError> {
    let result = attempt(store, lease, files, run, changes);
    if let Err(error @ (CommitError::Failed { .. } | CommitError::Stuck { .. } | CommitError::Lease(_))) =
        &result
    {
        record_failure(store, lease, &run.record, error);
    }
    result
}

/// Records that a run failed. The error that led here matters more than one that comes on top of it, so
/// that one is dropped.
pub(crate) fn record_failure(store: &mut Store, lease: &Lease, record: &RunRecord, error: &CommitError) {
    let mut failed = record.clone();
    failed.state = RunState::Failed;
    failed.finished = Some(lease.now());
    failed.error = Some(error.chain());
    // Where the database cannot say whether it recorded the run, the run keeps its state.
    let undecided = matches!(error, CommitError::Stuck { step: Step::Record, .. });
    if !undecided {
        let _ = store.put_run(&failed);
    }
}

fn attempt(
    store: &mut Store,
    lease: &Lease,
    files: &dyn FileSystem,
    run: &NewRun,
    changes: &ChangeSet,
) -> Result<Committed, CommitError> {
    // 1. Nobody takes over from here on, and nothing is left of an earlier run.
    let _fence = lease.fence()?;
    refuse_unrecovered(store, lease, files)?;
    refuse_paths(changes)?;

    // 2. The files, merged with what they hold by now.
    let mut tries = 0;
    let (mut committed, written) = loop {
        tries += 1;
        let (outcome, steps) = look(lease, files, run.on_conflict, changes)?;
        if steps.iter().all(|step| step.live == step.after) {
            break (outcome, None);
        }
        match apply(store, lease, files, &run.record.id, &run.record.project, steps) {
            Ok(written) => break (outcome, Some(written)),
            Err(ApplyError::Changed) if tries < TRIES => {}
            Err(ApplyError::Changed) => {
                let paths = changes.files.iter().map(|file| file.path.clone()).collect();
                return Err(CommitError::Conflict { paths });
            }
            Err(ApplyError::Failed(error)) => return Err(error),
        }
    };

    // 3. The database: from here on the run counts.
    let mut record = run.record.clone();
    record.state = RunState::Applied;
    record.finished = Some(lease.now());
    record.snapshot = written.as_ref().map(|written| written.snapshot().clone());
    let file_changes = written.as_ref().map(Written::changes).unwrap_or_default();
    let effects = RunEffects {
        cursors: &run.cursors,
        seen_records: &run.seen_records,
        sessions: &run.sessions,
        provenance: run
            .provenance
            .iter()
            .filter(|source| !committed.conflicts.contains(&source.path))
            .collect(),
        tombstones: run
            .tombstones
            .iter()
            .filter(|tombstone| !committed.conflicts.contains(&tombstone.path))
            .collect(),
        uses: &run.uses,
        forgotten: &run.forgotten,
        purge: run.purge.as_ref(),
        lifted: &run.lifted,
        plans: &run.plans,
        directories: written.as_ref().map(Written::directories).unwrap_or_default(),
        last_success: run.last_success,
    };
    if let Err(error) = store.record_commit(&record, &file_changes, &effects) {
        decide(store, &record.id, written.as_ref(), error)?;
    }
    committed.snapshot = record.snapshot;
    committed.written = file_changes.into_iter().map(|change| change.path).collect();
    committed.merged.retain(|path| committed.written.contains(path));

    // 4. What others look at. The run counts, so nothing here fails it.
    committed.warnings = finish(store, lease, files, run, written.as_ref());
    Ok(committed)
}

/// Finds out what a failed transaction came to: puts the files back, goes on, or leaves it to recovery.
pub(crate) fn decide(
    store: &Store,
    run: &RunId,
    written: Option<&Written<'_>>,
    error: StoreError,
) -> Result<(), CommitError> {
    let Ok(found) = store.run(run) else {
        // Putting files back could undo a run that counts, so nothing is touched.
        let left = "whether the run counts is not known yet".to_owned();
        return Err(CommitError::Stuck { step: Step::Record, left, source: Box::new(error.into()) });
    };
    if found.is_some_and(|run| run.state == RunState::Applied) {
        return Ok(());
    }
    let Some(written) = written else {
        return Err(CommitError::Failed { step: Step::Record, source: Box::new(error.into()) });
    };
    match written.fail(Step::Record, error.into()) {
        ApplyError::Failed(error) => Err(error),
        // Only the replacement of a file says so.
        ApplyError::Changed => Err(CommitError::Conflict { paths: Vec::new() }),
    }
}

fn finish(
    store: &Store,
    lease: &Lease,
    files: &dyn FileSystem,
    run: &NewRun,
    written: Option<&Written<'_>>,
) -> Vec<String> {
    let mut warnings = Vec::new();
    if let Some(time) = run.last_success
        && let Err(error) = lease.succeed(time)
    {
        warnings.push(format!("the client's lock was not brought up to date: {error}"));
    }
    warnings.extend(written.map(Written::clear).unwrap_or_default());
    if let Some(Err(error)) = written.map(Written::settle) {
        warnings.push(format!("the journal was not filed: {error}"));
    }
    let folders = run.transcript_folders.as_deref();
    if let Err(error) = store.write_gate(files, &run.record.project, folders, None, run.unread) {
        warnings.push(format!("the gate file was not written: {error}"));
    }
    warnings
}

pub(crate) fn refuse_unrecovered(
    store: &Store,
    lease: &Lease,
    files: &dyn FileSystem,
) -> Result<(), CommitError> {
    let pending = Journal::new(store.home(), files).pending(lease.memory_root());
    let pending = pending
        .map_err(|error| CommitError::Failed { step: Step::Journal, source: Box::new(error.into()) })?;
    if let Some((_, entry)) = pending.entries.into_iter().next() {
        return Err(CommitError::Unrecovered { run: entry.run });
    }
    match pending.unreadable.into_iter().next() {
        Some(error) => Err(CommitError::Failed { step: Step::Journal, source: Box::new(error.into()) }),
        None => Ok(()),
    }
}

fn refuse_paths(changes: &ChangeSet) -> Result<(), CommitError> {
    let mut paths = BTreeSet::new();
    for FileChange { path, .. } in &changes.files {
        let reason = if paths.insert(path) { refusal(path) } else { Some("it stands twice in the plan") };
        if let Some(reason) = reason {
            return Err(CommitError::Refused { path: path.clone(), reason });
        }
    }
    Ok(())
}

/// Reads what the files hold now and brings the changes onto it.
fn look(
    lease: &Lease,
    files: &dyn FileSystem,
    policy: ConflictPolicy,
    changes: &ChangeSet,
) -> Result<(Committed, Vec<FileStep>), CommitError> {
    let mut outcome = Committed::default();
    let mut steps = Vec::new();
    let mut refused = Vec::new();
    for change in &changes.files {
        let live = read_live(lease, files, &change.path)?;
        let archive = change.path.starts_with(apply::ARCHIVE_PREFIX);
        let bring = if archive { merge_appending } else { merge };
        let open = |after: Option<&[u8]>| {
            archive || after == live.as_deref() || !shut_since(change, live.as_deref())
        };
        let after = match bring(change.before.as_deref(), live.as_deref(), change.after.as_deref()) {
            Merged::Clean(after) if open(after.as_deref()) => after,
            Merged::Clean(_) | Merged::Conflict => {
                if policy == ConflictPolicy::Refuse || archive || change.before.is_none() {
                    refused.push(change.path.clone());
                } else {
                    outcome.conflicts.push(change.path.clone());
                }
                continue;
            }
        };
        if live != change.before && live != after {
            outcome.merged.push(change.path.clone());
        }
        steps.push(FileStep { path: change.path.clone(), live, after });
    }
    if refused.is_empty() { Ok((outcome, steps)) } else { Err(CommitError::Conflict { paths: refused }) }
}

/// Whether somebody pinned the file since the change was planned, or left it so that it cannot be edited safely: what
/// was allowed on the earlier text is not on this one, however well the two go together.
fn shut_since(change: &FileChange, live: Option<&[u8]>) -> bool {
    let before = change.before.as_deref();
    let Some(live) = live.filter(|live| before != Some(*live)) else { return false };
    if change.path == apply::INDEX_NAME {
        return Index::parse(live).obstacle().is_some();
    }
    let pinned = |bytes: &[u8]| Document::parse(bytes, false).heads.iter().any(FrontMatter::pinned);
    Document::parse(live, false).obstacle().is_some() || (pinned(live) && !before.is_some_and(pinned))
}

pub(crate) fn read_live(
    lease: &Lease,
    files: &dyn FileSystem,
    path: &str,
) -> Result<Option<Vec<u8>>, CommitError> {
    let read = || -> Result<Option<Vec<u8>>, StepError> {
        let place = atomic::resolve(files, lease.memory_root(), path)?;
        Ok(atomic::read_if_present(files, &place)?)
    };
    read().map_err(|source| match source {
        StepError::Atomic(AtomicError::Refused { path, reason }) => CommitError::Refused { path, reason },
        source => CommitError::Failed { step: Step::Read, source: Box::new(source) },
    })
}
