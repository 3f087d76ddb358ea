//! Taking over the memory of a project that moved, or that is not used any more.
//!
//! Only the user's word does it. The other memory stays as it is: nothing is taken from there, and undoing the run takes
//! back what came here.

use crate::report::{RunReport, RunState, file_report};
use crate::steps::new_run;
use jiff::ZonedDateTime;
use nidra_core::Settings;
use nidra_core::error::Diagnostic;
use nidra_memory::ChangeSet;
use nidra_memory::adopt::{Adoption, adopt as take_over};
use nidra_memory::atomic::RealFileSystem;
use nidra_memory::commit::{CommitError, NewRun, commit};
use nidra_memory::directory::{MemoryDirectory, MemoryError};
use nidra_memory::lease::Lease;
use nidra_memory::limits::{IndexLimits, IndexUse, measure};
use nidra_memory::store::{EntrySource, ProjectRecord, RunRecord, Store, StoreError};
use nidra_sessions::Project;
use std::path::Path;

/// The name in the place of an engine's.
pub const ENGINE: &str = "adopt";

/// What taking over needs.
pub struct Takeover<'a> {
    /// The project that takes over.
    pub project: &'a Project,
    /// Its memory directory.
    pub memory_root: &'a Path,
    /// The settings.
    pub settings: &'a Settings,
    /// The moment, in the user's zone.
    pub now: &'a ZonedDateTime,
}

/// Nothing was taken over; both memories are as they were.
#[derive(Debug, thiserror::Error)]
pub enum AdoptError {
    /// Everything of the other memory is here already.
    #[error("nothing of {} is missing here", .0.display())]
    Nothing(std::path::PathBuf),
    /// A memory directory could not be read.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The state directory could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Memory could not be written.
    #[error(transparent)]
    Commit(#[from] CommitError),
}

/// How full the index is afterwards.
fn index_use(changes: &ChangeSet, into: &MemoryDirectory) -> IndexUse {
    let index = changes.files.iter().find(|file| file.path == into.index_path());
    index.and_then(|file| file.after.as_deref()).map_or_else(|| into.index_use(), measure)
}

/// Brings the memory of another project here, with what its entries rest on.
///
/// # Errors
/// When nothing was taken over; both memories are as they were.
pub fn adopt(
    takeover: &Takeover<'_>,
    store: &mut Store,
    lease: &Lease,
    other: &ProjectRecord,
) -> Result<RunReport, AdoptError> {
    let from = MemoryDirectory::load(&other.memory_directory)?;
    let into = MemoryDirectory::load(takeover.memory_root)?;
    let limits = IndexLimits::from(&takeover.settings.memory);
    let Adoption { changes, renamed, left } = take_over(&from, &into, &limits);
    if changes.is_empty() {
        store.note_adoption(&other.id, &takeover.project.id)?;
        return Err(AdoptError::Nothing(other.memory_directory.clone()));
    }
    let run = new_run(store, &takeover.project.id, takeover.now)?;
    let mut report = RunReport::taking_over(takeover);
    report.run = Some(run.clone());
    report.state = RunState::Applied;
    report.index = index_use(&changes, &into).into();
    report.files = changes.files.iter().map(file_report).collect();
    report.diagnostics = left
        .into_iter()
        .map(|line| Diagnostic {
            path: other.memory_directory.join(from.index_path()),
            line: None,
            offset: None,
            message: format!("this line of the index did not come along, for want of room or since the index cannot be edited: {line}"),
        })
        .collect();
    let mut new = NewRun::new(RunRecord::begin(
        run.clone(),
        takeover.project.id.clone(),
        takeover.now.timestamp(),
        ENGINE,
        "manual",
    ));
    new.record.report = serde_json::to_value(&report).unwrap_or_default();
    new.record.counts = serde_json::json!({ "files": report.files.len() });
    // Entries of a file that got another name have another identity.
    new.provenance = store
        .sources(&other.id)?
        .into_values()
        .filter_map(EntrySource::united)
        .filter(|source: &EntrySource| !renamed.contains_key(&source.path))
        .collect();
    let committed = commit(store, lease, &RealFileSystem, &new, &changes)?;
    report.files.retain(|file| committed.written.contains(&file.path));
    store.put_report(&run, None, &serde_json::to_value(&report).unwrap_or_default())?;
    store.note_adoption(&other.id, &takeover.project.id)?;
    Ok(report)
}
