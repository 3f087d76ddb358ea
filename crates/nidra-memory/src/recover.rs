//! Recovery: what an interrupted run left is put right before the next one does anything.
//!
//! A run that the database recorded is finished, any other is rolled back. Files that someone changed after
//! the crash keep their bytes.

use crate::atomic::{self, AtomicError, FileSystem, Status, Sweep};
use crate::commit::StepError;
use crate::commit::apply::{Restored, remove_directories, restore};
use crate::journal::{Journal, JournalEntry, JournalError};
use crate::lease::{Lease, LeaseError};
use crate::objects::Objects;
use crate::owner::{ProcessTable as _, SystemProcesses};
use crate::purge::{self, PurgeError, Purged};
use crate::store::{RunState, Store};
use crate::undo::remove_created;
use jiff::SignedDuration;
use nidra_core::{ProjectId, RunId};
use std::path::PathBuf;

/// How old an unfinished file of the state directory is before it is swept: other projects' runs write
/// there at the same time.
const LEFTOVER_AGE: SignedDuration = SignedDuration::from_hours(1);

/// Recovery failed; it begins anew at the next run.
#[derive(Debug, thiserror::Error)]
pub enum RecoverError {
    /// The lease is not this run's.
    #[error(transparent)]
    Lease(#[from] LeaseError),
    /// A step failed.
    #[error("cannot recover run {run}")]
    Run {
        /// The interrupted run.
        run: RunId,
        /// The cause.
        #[source]
        source: StepError,
    },
    /// A purge could not be brought to its end.
    #[error("what you asked to purge is not all removed yet")]
    Purge(#[from] PurgeError),
    /// Something that does not belong to one run failed.
    #[error("cannot recover what an earlier run left")]
    General(#[source] StepError),
}

/// What recovery did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecoverReport {
    /// Runs that were recorded and only needed their end.
    pub finished: Vec<RunId>,
    /// Runs that were rolled back.
    pub rolled_back: Vec<RolledBack>,
    /// Runs that had begun and written nothing.
    pub interrupted: Vec<RunId>,
    /// Unfinished files that were removed.
    pub swept: Vec<PathBuf>,
    /// What a purge removed that had been cut off.
    pub purged: Option<Purged>,
    /// Journals that cannot be understood, where they stand now.
    pub set_aside: Vec<PathBuf>,
}

/// A run that was rolled back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RolledBack {
    /// The run.
    pub run: RunId,
    /// Files that hold their earlier bytes again.
    pub restored: Vec<String>,
    /// Files that hold neither the earlier nor the run's bytes, and keep what they hold.
    pub kept: Vec<String>,
}

impl RecoverReport {
    /// Whether there was nothing to do.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Puts right what interrupted runs of this memory directory left. To be called after the lease was taken
/// and before the new run is recorded as running.
pub fn recover(
    store: &mut Store,
    lease: &Lease,
    files: &dyn FileSystem,
    project: &ProjectId,
) -> Result<RecoverReport, RecoverError> {
    let _fence = lease.fence()?;
    let mut report = RecoverReport::default();
    let general = |error: StepError| RecoverError::General(error);
    let home = store.home().to_owned();
    let journal = Journal::new(&home, files);
    let pending = journal.pending(lease.memory_root()).map_err(|error| general(error.into()))?;
    for error in pending.unreadable {
        match error {
            JournalError::Unreadable { path, .. } => {
                report.set_aside.push(journal.set_aside(&path).map_err(|error| general(error.into()))?);
            }
            error @ (JournalError::Io(_) | JournalError::NewerFormat { .. }) => {
                return Err(general(error.into()));
            }
        }
    }
    // The newest first, as each run stands on those before it.
    for (_, entry) in pending.entries.into_iter().rev() {
        let run = entry.run.clone();
        recover_one(store, lease, files, &journal, &entry, &mut report)
            .map_err(|source| RecoverError::Run { run, source })?;
    }
    for run in store.running(project).map_err(|error| general(error.into()))? {
        store
            .interrupt_run(project, &run, lease.now(), "the run ended before it wrote anything")
            .map_err(|error| general(error.into()))?;
        report.interrupted.push(run);
    }
    report.swept = sweep(lease, files, &home).map_err(general)?;
    report.purged = match purge::finish(store, lease, files, project) {
        // No row holds the words any more; the pages wait until nobody else looks, and no run waits for that.
        Err(PurgeError::Busy) => None,
        other => other?,
    };
    Ok(report)
}

fn recover_one(
    store: &mut Store,
    lease: &Lease,
    files: &dyn FileSystem,
    journal: &Journal<'_>,
    entry: &JournalEntry,
    report: &mut RecoverReport,
) -> Result<(), StepError> {
    let found = store.run(&entry.run)?;
    if let Some(run) = found.as_ref().filter(|run| matches!(run.state, RunState::Applied | RunState::Undone))
    {
        let objects = Objects::new(store.home(), files);
        for file in &entry.files {
            let place = match atomic::resolve(files, lease.memory_root(), &file.path) {
                Ok(place) => place,
                Err(AtomicError::Refused { .. }) => continue,
                Err(error) => return Err(error.into()),
            };
            let content = |id: &Option<_>| id.as_ref().map(|id| objects.get(id)).transpose();
            let states = || Ok((content(&file.before)?, content(&file.after)?));
            atomic::settle_left::<StepError>(files, &place, states)?;
        }
        if let Some(target) = &run.undoes {
            remove_created(store, lease, files, target)?;
        } else if let Some(time) = store.schedule(&entry.project)?.last_success {
            lease.succeed(time)?;
        }
        store.write_gate(files, &entry.project, None, None, None)?;
        journal.settle(&entry.run)?;
        report.finished.push(entry.run.clone());
        return Ok(());
    }
    let objects = Objects::new(store.home(), files);
    let mut rolled_back = RolledBack { run: entry.run.clone(), restored: Vec::new(), kept: Vec::new() };
    for file in entry.files.iter().rev() {
        let content = |id: &Option<_>| id.as_ref().map(|id| objects.get(id)).transpose();
        let (before, after) = (content(&file.before)?, content(&file.after)?);
        match restore(files, lease, &file.path, after.as_deref(), before.as_deref())? {
            Restored::Done => rolled_back.restored.push(file.path.clone()),
            Restored::Kept => rolled_back.kept.push(file.path.clone()),
            Restored::Untouched => {}
        }
    }
    remove_directories(files, lease.memory_root(), &entry.directories)?;
    store.interrupt_run(&entry.project, &entry.run, lease.now(), "the run ended while it was writing")?;
    journal.discard(&entry.run)?;
    report.rolled_back.push(rolled_back);
    Ok(())
}

fn sweep(lease: &Lease, files: &dyn FileSystem, home: &std::path::Path) -> Result<Vec<PathBuf>, StepError> {
    lease.verify()?;
    // Whoever holds the lease is the only one that writes there.
    let mut swept = atomic::sweep(files, lease.memory_root(), Sweep::Deep, &|_, _| true)?;
    let now = lease.now();
    let dead = |name: &str, status: &Status| {
        let gone = atomic::temporary_owner(name).is_none_or(|pid| SystemProcesses.find(pid).is_none());
        gone && now.duration_since(status.modified) > LEFTOVER_AGE
    };
    // Journals and objects are many, and what is unfinished of them stands on the first level.
    for (folder, depth) in [("journal", Sweep::Flat), ("objects", Sweep::Flat), ("projects", Sweep::Deep)] {
        let folder = home.join(folder);
        if files.status(&folder)?.is_some() {
            swept.extend(atomic::sweep(files, &folder, depth, &dead)?);
        }
    }
    Ok(swept)
}
