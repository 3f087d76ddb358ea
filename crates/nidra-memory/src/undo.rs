//! Undo: a committed run becomes as if it had not been, in memory and in state.
//!
//! What changed since stays: a file that was edited after the run is merged, and where both touched the
//! same place the live text wins and is named. An undo is a run of its own.

use crate::atomic::FileSystem;
use crate::commit::apply::{ApplyError, FileStep, INDEX_NAME, Written, apply, refusal, remove_directories};
use crate::commit::{CommitError, StepError, decide, read_live, record_failure, refuse_unrecovered};
use crate::lease::Lease;
use crate::merge::{Merged, merge};
use crate::objects::{ObjectError, ObjectId, Objects};
use crate::store::{RunRecord, RunState, Store, StoreError, UndoEffects};
use jiff::Timestamp;
use nidra_core::RunId;

mod index;

/// How often an undo starts again when files change under its hands.
const TRIES: u32 = 3;

/// The engine's name in the record of an undo.
const ENGINE: &str = "undo";

/// An undo did not happen. Unless it says otherwise, memory is as it was.
#[derive(Debug, thiserror::Error)]
pub enum UndoError {
    /// No run has this identifier.
    #[error("there is no run {run}")]
    Unknown {
        /// The identifier.
        run: RunId,
    },
    /// The run was undone before.
    #[error("run {run} was undone already{}", by.as_ref().map(|by| format!(", by run {by}")).unwrap_or_default())]
    AlreadyUndone {
        /// The run.
        run: RunId,
        /// The undo.
        by: Option<RunId>,
    },
    /// The run is itself an undo.
    #[error("run {run} is an undo; to have its changes again, dream again")]
    IsUndo {
        /// The run.
        run: RunId,
    },
    /// The run purged what it forgot, which cannot be undone.
    #[error("run {run} purged what it forgot, for good; nothing of it is left to be put back")]
    Purged {
        /// The run.
        run: RunId,
    },
    /// The run changed nothing, so there is nothing to undo.
    #[error("run {run} is {}, so there is nothing to undo", state.as_str())]
    NotApplied {
        /// The run.
        run: RunId,
        /// How it ended.
        state: RunState,
    },
    /// What the run stored for its undo cannot be read.
    #[error("the snapshot of run {run} cannot be read")]
    Snapshot {
        /// The run.
        run: RunId,
        /// The cause.
        #[source]
        source: ObjectError,
    },
    /// The database cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The change of files failed.
    #[error(transparent)]
    Commit(#[from] CommitError),
}

/// An undo that is asked for.
#[derive(Clone, Debug)]
pub struct UndoRequest {
    /// The run to undo.
    pub target: RunId,
    /// The identifier of the undo itself.
    pub run: RunId,
    /// What set it off: `manual` …
    pub trigger: String,
    /// When, as it will be recorded.
    pub now: Timestamp,
    /// No automatic run before this, so that it is not done again at once; `None` leaves it.
    pub hold_until: Option<Timestamp>,
}

/// What an undo did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UndoReport {
    /// Files that hold the bytes from before the run again.
    pub restored: Vec<String>,
    /// Files that were changed since: the run's change is gone, the later one is kept.
    pub merged: Vec<String>,
    /// Files whose live text won, so that the run's change is still in them.
    pub kept: Vec<String>,
    /// What did not work after the undo counted already, each as a sentence fragment.
    pub warnings: Vec<String>,
}

/// Undoes a committed run: its files, cursors, consumed records, provenance and place in the schedule.
pub fn undo(
    store: &mut Store,
    lease: &Lease,
    files: &dyn FileSystem,
    request: &UndoRequest,
) -> Result<UndoReport, UndoError> {
    let _fence = lease.fence().map_err(CommitError::from)?;
    refuse_unrecovered(store, lease, files)?;
    let target = find_target(store, &request.target)?;
    let mut record =
        RunRecord::begin(request.run.clone(), target.project.clone(), request.now, ENGINE, &request.trigger);
    record.undoes = Some(target.id);

    let result = attempt(store, lease, files, request, &mut record);
    if let Err(UndoError::Commit(error @ (CommitError::Failed { .. } | CommitError::Stuck { .. }))) = &result
    {
        record_failure(store, lease, &record, error);
    }
    result
}

fn find_target(store: &Store, run: &RunId) -> Result<RunRecord, UndoError> {
    let Some(target) = store.run(run)? else { return Err(UndoError::Unknown { run: run.clone() }) };
    match target.state {
        RunState::Undone => Err(UndoError::AlreadyUndone { run: run.clone(), by: target.undone_by }),
        RunState::Applied if target.undoes.is_some() => Err(UndoError::IsUndo { run: run.clone() }),
        RunState::Applied if store.has_purged(run)? => Err(UndoError::Purged { run: run.clone() }),
        RunState::Applied => Ok(target),
        state => Err(UndoError::NotApplied { run: run.clone(), state }),
    }
}

fn attempt(
    store: &mut Store,
    lease: &Lease,
    files: &dyn FileSystem,
    request: &UndoRequest,
    record: &mut RunRecord,
) -> Result<UndoReport, UndoError> {
    let mut tries = 0;
    let (mut report, written) = loop {
        tries += 1;
        let (report, steps) = look(store, lease, files, &request.target)?;
        if steps.iter().all(|step| step.live == step.after) {
            break (report, None);
        }
        match apply(store, lease, files, &request.run, &record.project, steps) {
            Ok(written) => break (report, Some(written)),
            Err(ApplyError::Changed) if tries < TRIES => {}
            Err(ApplyError::Changed) => return Err(CommitError::Conflict { paths: Vec::new() }.into()),
            Err(ApplyError::Failed(error)) => return Err(error.into()),
        }
    };

    record.state = RunState::Applied;
    record.finished = Some(lease.now());
    record.snapshot = written.as_ref().map(|written| written.snapshot().clone());
    record.report = serde_json::json!({
        "undoes": request.target,
        "restored": report.restored,
        "merged": report.merged,
        "kept": report.kept,
    });
    let changes = written.as_ref().map(Written::changes).unwrap_or_default();
    let effects = UndoEffects { hold_until: request.hold_until };
    if let Err(error) = store.record_undo(record, &request.target, &changes, &effects) {
        decide(store, &record.id, written.as_ref(), error)?;
    }

    report.warnings.extend(written.as_ref().map(Written::clear).unwrap_or_default());
    // A journal that stays pending makes the next run do the rest.
    let settled = remove_created(store, lease, files, &request.target)
        .and_then(|()| written.as_ref().map_or(Ok(()), Written::settle));
    if let Err(error) = settled {
        report.warnings.push(format!("the undo was not brought to its end, the next run does that: {error}"));
    }
    if let Err(error) = store.write_gate(files, &record.project, None, None, None) {
        report.warnings.push(format!("the gate file was not written: {error}"));
    }
    Ok(report)
}

/// Removes the directories that an undone run created, as far as they are empty.
pub(crate) fn remove_created(
    store: &Store,
    lease: &Lease,
    files: &dyn FileSystem,
    target: &RunId,
) -> Result<(), StepError> {
    let directories = store.created_directories(target)?;
    lease.verify()?;
    remove_directories(files, lease.memory_root(), &directories)
}

fn look(
    store: &Store,
    lease: &Lease,
    files: &dyn FileSystem,
    target: &RunId,
) -> Result<(UndoReport, Vec<FileStep>), UndoError> {
    let objects = Objects::new(store.home(), files);
    let mut report = UndoReport::default();
    let mut steps = Vec::new();
    let mut changes = store.file_changes(target)?;
    // The index comes last: the lines of files that the run made and someone changed since have to stay with them.
    changes.sort_by_key(|change| change.path == INDEX_NAME);
    for change in changes {
        let path = change.path;
        if let Some(reason) = refusal(&path) {
            return Err(CommitError::Refused { path, reason }.into());
        }
        let content = |id: &Option<ObjectId>| {
            let content = id.as_ref().map(|id| objects.get(id)).transpose();
            content.map_err(|source| UndoError::Snapshot { run: target.clone(), source })
        };
        let (mut before, after) = (content(&change.before)?, content(&change.after)?);
        if path == INDEX_NAME {
            before = index::with_lines_of(before, after.as_deref(), &report.kept);
        }
        let live = read_live(lease, files, &path)?;
        match merge(after.as_deref(), live.as_deref(), before.as_deref()) {
            Merged::Clean(wanted) => {
                let list = if wanted == before { &mut report.restored } else { &mut report.merged };
                list.push(path.clone());
                steps.push(FileStep { path, live, after: wanted });
            }
            Merged::Conflict => match live {
                // The index is a list: its lines are taken back one by one, whatever stands between them by now.
                Some(live) if path == INDEX_NAME => {
                    let wanted = index::take_back(before.as_deref(), after.as_deref(), &live);
                    report.merged.push(path.clone());
                    steps.push(FileStep { path, live: Some(live), after: Some(wanted) });
                }
                Some(_) | None => report.kept.push(path),
            },
        }
    }
    Ok((report, steps))
}
