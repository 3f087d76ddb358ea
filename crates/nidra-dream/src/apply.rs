//! Applying a kept plan: bound to its hash, checked against memory as it is now, committed like any run.

use crate::guard;
use crate::history;
use crate::kept::{self, KeptError, KeptPlan, Origin};
use crate::outside;
use crate::provenance;
use crate::recurrence;
use crate::report::{OperationReport, RunReport, RunState, file_reports};
use crate::steps::{self, new_run, stage_for};
use crate::tombstone;
use jiff::ZonedDateTime;
use nidra_core::text::width;
use nidra_core::{Change, Operation, OperationId, Settings, TrustRank};
use nidra_memory::atomic::RealFileSystem;
use nidra_memory::commit::{CommitError, ConflictPolicy, NewRun, commit};
use nidra_memory::directory::{MemoryDirectory, MemoryError};
use nidra_memory::lease::{Lease, LeaseError};
use nidra_memory::store::{PlanRecord, PlanState, RunRecord, Store, StoreError};
use nidra_sessions::Project;
use std::path::Path;

/// What an application needs.
pub struct Application<'a> {
    /// The project.
    pub project: &'a Project,
    /// The memory directory.
    pub memory_root: &'a Path,
    /// The settings.
    pub settings: &'a Settings,
    /// The moment, in the user's zone.
    pub now: &'a ZonedDateTime,
    /// Only these operations; all when empty. What is left stays kept as a plan of its own.
    pub only: &'a [OperationId],
    /// The user's own words in place of those of the one operation that is chosen.
    pub words: Option<&'a str>,
}

/// A plan that was not applied; memory is as it was.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    /// The stored plan cannot be read, or is not what was kept.
    #[error("plan {0} cannot be applied")]
    Kept(String, #[source] KeptError),
    /// The plan was applied, dropped or overtaken.
    #[error("plan {hash} is {state}, not open")]
    NotOpen {
        /// The plan.
        hash: String,
        /// What became of it.
        state: &'static str,
    },
    /// The plan does not hold the operation.
    #[error("plan {hash} has no operation {operation}")]
    NoSuchOperation {
        /// The plan.
        hash: String,
        /// The operation.
        operation: OperationId,
    },
    /// The plan is a question, and no answer or several were given.
    #[error("plan {0} is a question: only one of its answers can be applied")]
    Question(String),
    /// Words were given for more than one statement, or for an operation that states nothing.
    #[error("words of your own take the place of one statement; choose one that states something")]
    Words,
    /// Nothing of the plan fits memory any more.
    #[error("nothing of the plan fits memory as it is now")]
    Nothing(Box<RunReport>),
    /// A file would hold a secret.
    #[error("{0}")]
    Refused(String),
    /// The memory directory is taken.
    #[error(transparent)]
    Lease(#[from] LeaseError),
    /// Memory could not be read.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The state directory could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Memory could not be written.
    #[error(transparent)]
    Commit(#[from] CommitError),
}

/// Applies a kept plan. What is meant for a file outside the memory directory goes into nidra's block there: the user's
/// word for this very plan is what it waited for.
///
/// # Errors
/// When nothing of it could be applied; memory is as it was.
pub fn apply(
    application: &Application<'_>,
    store: &mut Store,
    lease: &Lease,
    record: &PlanRecord,
) -> Result<RunReport, ApplyError> {
    let hash = record.hash.to_string();
    if record.state != PlanState::Open {
        return Err(ApplyError::NotOpen { hash, state: record.state.as_str() });
    }
    let kept = kept::read(record).map_err(|error| ApplyError::Kept(hash.clone(), error))?;
    if let Some(operation) =
        application.only.iter().find(|id| kept.operations().iter().all(|operation| operation.id != **id))
    {
        return Err(ApplyError::NoSuchOperation { hash, operation: operation.clone() });
    }
    if kept.origin == Origin::Question && application.only.len() != 1 {
        return Err(ApplyError::Question(hash));
    }
    let wanted =
        |operation: &&Operation| application.only.is_empty() || application.only.contains(&operation.id);
    let mut chosen: Vec<Operation> = kept.operations().iter().filter(wanted).cloned().collect();
    if let Some(words) = application.words {
        let [operation] = chosen.as_mut_slice() else { return Err(ApplyError::Words) };
        restate(&mut operation.change, words).ok_or(ApplyError::Words)?;
        operation.rank = TrustRank::HumanVerbatim;
        operation.reason =
            format!("in your own words, in place of what was proposed because {}", operation.reason);
    }

    let memory = MemoryDirectory::load(application.memory_root)?;
    let mut report = RunReport::of(application, &kept.engine);
    let guarded = guard::recheck(chosen, &memory.view(), application.settings);
    report.refused = guarded.refused;
    let run = new_run(store, &application.project.id, application.now)?;
    let (outside, mut accepted): (Vec<_>, Vec<_>) = guarded
        .accepted
        .into_iter()
        .partition(|operation| matches!(operation.change, Change::Propose { .. }));
    let staged = stage_for(application.now, application.settings, &memory, &accepted, &run);
    steps::leave_out_refused(&staged, &mut accepted, &mut report);
    report.files = file_reports(&staged.changes);
    report.index = staged.index.into();
    let scope = application.settings.redact.scope();
    guard::final_bytes(&staged.changes, scope).map_err(ApplyError::Refused)?;
    // Written before the run is recorded: after a crash in between the plan still waits, and what stands there already is
    // not written twice.
    for operation in outside {
        match outside::accept(&application.project.checkout, &application.settings.propose, &operation, scope)
        {
            Ok(statement) => {
                report.outside.push(statement);
                accepted.push(operation);
            }
            Err(reason) => report.refuse(&operation, &reason),
        }
    }
    if report.files.is_empty() && report.outside.is_empty() {
        return Err(ApplyError::Nothing(Box::new(report)));
    }

    report.run = Some(run.clone());
    report.state = RunState::Applied;
    report.plan = Some(record.hash.clone());
    report.applied = accepted.iter().map(OperationReport::from).collect();
    let mut new = NewRun::new(RunRecord::begin(
        run.clone(),
        application.project.id.clone(),
        application.now.timestamp(),
        kept.engine.as_str(),
        "apply",
    ));
    new.record.plan_hash = Some(record.hash.clone());
    new.record.report = serde_json::to_value(&report).unwrap_or_default();
    new.record.counts = serde_json::json!({ "applied": report.applied.len(), "files": report.files.len() });
    new.provenance = provenance::of(&memory, &staged.changes, &accepted, None);
    new.tombstones = tombstone::of(&accepted, &store.recorded_sources(&application.project.id)?);
    new.on_conflict = ConflictPolicy::SkipFile;
    if kept.origin == Origin::Plan {
        new.cursors = kept.cursors.iter().map(|(path, cursor)| history::stored(path, cursor)).collect();
        new.seen_records.clone_from(&kept.records);
        new.provenance.extend(recurrence::sources(&kept.recurrences, None));
        report.recurrences = recurrence::report(&kept.recurrences, &memory.view());
        new.record.report = serde_json::to_value(&report).unwrap_or_default();
        new.last_success = Some(application.now.timestamp());
    }
    new.plans.push(PlanRecord { state: PlanState::Applied, ..record.clone() });
    if let Some(left) = left(application, record, &kept, &report) {
        report.left = Some(left.hash.clone());
        new.record.report = serde_json::to_value(&report).unwrap_or_default();
        new.plans.push(left);
    }
    let committed = commit(store, lease, &RealFileSystem, &new, &staged.changes)?;
    report.conflicts = committed.conflicts;
    report.files.retain(|file| committed.written.contains(&file.path));
    store.put_report(&run, None, &serde_json::to_value(&report).unwrap_or_default())?;
    Ok(report)
}

/// The room of a title.
const TITLE: usize = 50;

/// Puts other words into a change; `None` when it states nothing.
fn restate(change: &mut Change, words: &str) -> Option<()> {
    match change {
        Change::Create { topic, entries, hook } => {
            topic.title = width::shorten(words, TITLE);
            words.clone_into(&mut topic.description);
            words.clone_into(hook);
            *entries = vec![words.to_owned()];
        }
        Change::Append { text, hook, .. }
        | Change::Rewrite { text, hook, .. }
        | Change::Supersede { text, hook, .. } => {
            words.clone_into(text);
            if let Some(hook) = hook {
                words.clone_into(hook);
            }
        }
        Change::Propose { text, .. } => words.clone_into(text),
        Change::Archive { .. } | Change::Retitle { .. } | Change::Relink { .. } | Change::Unlink { .. } => {
            return None;
        }
    }
    Some(())
}

/// What the user did not choose, and what memory could not take, stays kept as a plan of its own.
fn left(
    application: &Application<'_>,
    record: &PlanRecord,
    kept: &KeptPlan,
    report: &RunReport,
) -> Option<PlanRecord> {
    if kept.origin == Origin::Question {
        return None;
    }
    let refused = |id: &OperationId| report.refused.iter().find(|refusal| refusal.operation == *id);
    let chosen = |id: &OperationId| application.only.is_empty() || application.only.contains(id);
    let (operations, waits_because): (Vec<_>, Vec<_>) = kept
        .operations()
        .iter()
        .cloned()
        .zip(kept.waits_because.iter().cloned())
        .filter(|(operation, _)| !chosen(&operation.id) || refused(&operation.id).is_some())
        .map(|(operation, because)| {
            let because = refused(&operation.id).map_or(because, |refusal| refusal.reason.clone());
            (operation, because)
        })
        .unzip();
    if operations.is_empty() {
        return None;
    }
    // The sessions behind the plan count as read with the part that was applied.
    let plan = KeptPlan::new(Origin::Proposal, &kept.engine, operations, waits_because);
    Some(plan.opened(&record.base, application.now.timestamp()))
}
