//! The end of a run: the final look at the bytes, the commit, and the records of what happened.

use crate::event::{Event, Phase, Sink};
use crate::gate;
use crate::gather::{Gathered, Selection};
use crate::guard;
use crate::history;
use crate::kept::{KeptPlan, Origin};
use crate::notice;
use crate::pipeline::{Dream, DreamError, Mode, Trigger};
use crate::provenance;
use crate::recurrence;
use crate::report::{RunReport, RunState};
use crate::steps::{self, new_run};
use crate::turns::Turns;
use crate::usage;
use nidra_core::error::chain;
use nidra_core::{EntryId, Operation, Recurrence, RunId, SessionId};
use nidra_memory::atomic::{RealFileSystem, TEMPORARY_PREFIX};
use nidra_memory::commit::{CommitError, ConflictPolicy, NewRun, commit};
use nidra_memory::directory::MemoryDirectory;
use nidra_memory::journal::Journal;
use nidra_memory::lease::Lease;
use nidra_memory::recover::{self, RecoverReport};
use nidra_memory::store::{
    self, PlanRecord, RunRecord, Schedule, SessionRecord, Store, Tombstone, TranscriptRecord,
};
use nidra_memory::{ChangeSet, store::StoreError};
use std::collections::BTreeSet;
use std::path::Path;

/// What was decided about the operations of a run.
#[derive(Clone, Debug, Default)]
pub struct Decided {
    /// The hash of memory as the run saw it.
    pub base: String,
    /// Operations that are applied.
    pub accepted: Vec<Operation>,
    /// Operations that wait for the user's word, each with the reason.
    pub waiting: Vec<(Operation, String)>,
    /// What memory says already and was said again.
    pub recurrences: Vec<Recurrence>,
    /// Plans that no longer wait as they did.
    pub overtaken: Vec<PlanRecord>,
    /// What memory says twice in ways that exclude each other.
    pub asked: Vec<PlanRecord>,
    /// What the accepted operations archive.
    pub tombstones: Vec<Tombstone>,
    /// What the accepted operations come to.
    pub changes: ChangeSet,
}

impl Decided {
    /// The existing entries that operations name.
    pub(crate) fn touched(&self) -> BTreeSet<EntryId> {
        self.accepted
            .iter()
            .chain(self.waiting.iter().map(|(operation, _)| operation))
            .filter_map(|operation| Some(operation.change.target()?.entry.clone()))
            .collect()
    }
}

/// Everything that the end of a run needs besides the dream and the store.
pub struct Ending<'a> {
    /// The identifier of the run.
    pub run: &'a RunId,
    /// The lease; none in a dry run.
    pub lease: Option<&'a Lease>,
    /// Memory as the run saw it.
    pub memory: &'a MemoryDirectory,
    /// What was decided.
    pub decided: Decided,
    /// What was read.
    pub gathered: &'a Gathered,
    /// Which sessions there are.
    pub selection: &'a Selection,
    /// What to do about files that changed meanwhile in the same places.
    pub on_conflict: ConflictPolicy,
}

/// Ends a run: looks at the final bytes, commits, records.
///
/// # Errors
/// When memory or the records could not be written; memory is as it was then.
pub fn end(
    dream: &Dream<'_>,
    store: &mut Store,
    ending: Ending<'_>,
    mut report: RunReport,
    events: Sink<'_>,
) -> Result<RunReport, DreamError> {
    let Ending { run, lease, memory, decided, gathered, selection, on_conflict } = ending;
    if let Err(reason) = guard::final_bytes(&decided.changes, dream.settings.redact.scope()) {
        report.state = RunState::Refused { reason };
        report.applied.clear();
        report.files.clear();
        if lease.is_some() {
            store.put_run(&finished(dream, run, &report, store::RunState::Refused))?;
        }
        return Ok(report);
    }
    if let Some(state) = outcome(&report) {
        report.state = state;
    }
    match (dream.mode, lease) {
        (Mode::DryRun, _) | (_, None) => {
            report.run = None;
            // Nothing was kept, so there is nothing that could be applied by its name.
            report.plan = None;
            report.questions.iter_mut().for_each(|question| question.plan = None);
            if report.state == RunState::Applied {
                report.state = RunState::Planned;
            }
            Ok(report)
        }
        (Mode::Plan, Some(_lease)) => {
            report.run = None;
            if let Some(plan) = kept_plan(dream, &decided, Origin::Plan, gathered) {
                store.put_plan(&dream.project.id, &plan)?;
            }
            // A plan that was asked for holds what the sessions say; what memory says is for a dream to ask.
            report.questions.clear();
            Ok(report)
        }
        (Mode::Apply, Some(lease)) => {
            dream.enter(Phase::Commit, events)?;
            let paths = steps::pinned_since(dream.memory_root, memory, &decided.accepted)?;
            if !paths.is_empty() {
                return Err(CommitError::Conflict { paths }.into());
            }
            report.run = Some(run.clone());
            let mut new = new_commit(dream, run, memory, &decided, gathered, selection, &report);
            new.on_conflict = on_conflict;
            let committed = commit(store, lease, &RealFileSystem, &new, &decided.changes)?;
            events(&Event::Entered { phase: Phase::Report });
            report.conflicts = committed.conflicts;
            report.files.retain(|file| committed.written.contains(&file.path));
            if let Some(state) = outcome(&report) {
                report.state = state;
            }
            for warning in committed.warnings {
                events(&Event::Note { text: warning });
            }
            settle_report(dream, store, run, &report)?;
            events(&Event::Completed {
                files: u32::try_from(report.files.len()).unwrap_or(u32::MAX),
                operations: u32::try_from(report.applied.len()).unwrap_or(u32::MAX),
            });
            Ok(report)
        }
    }
}

/// How a run ended that judged something; none when it never came to that.
fn outcome(report: &RunReport) -> Option<RunState> {
    if !report.files.is_empty() {
        Some(RunState::Applied)
    } else if !report.proposed.is_empty() || !report.questions.is_empty() {
        Some(RunState::Proposed)
    } else {
        None
    }
}

fn new_commit(
    dream: &Dream<'_>,
    run: &RunId,
    memory: &MemoryDirectory,
    decided: &Decided,
    gathered: &Gathered,
    selection: &Selection,
    report: &RunReport,
) -> NewRun {
    let mut new = NewRun::new(finished(dream, run, report, store::RunState::Running));
    new.cursors = gathered.cursors().map(|(path, cursor)| history::stored(path, cursor)).collect();
    new.seen_records = gathered.records().cloned().collect();
    new.sessions = sessions(report);
    let turns = Turns::new(&gathered.conversations, dream.settings.redact.scope());
    new.provenance = provenance::of(memory, &decided.changes, &decided.accepted, Some(&turns));
    new.provenance.extend(recurrence::sources(&decided.recurrences, Some(&turns)));
    new.uses = usage::count(&gathered.conversations, &memory.view(), dream.memory_root);
    new.tombstones.clone_from(&decided.tombstones);
    new.plans = decided.overtaken.iter().chain(&decided.asked).cloned().collect();
    new.plans.extend(kept_plan(dream, decided, Origin::Proposal, gathered));
    // A run without new input is no dream: it does not put the next one off.
    let read = !gathered.conversations.is_empty();
    new.last_success = read.then(|| dream.now.timestamp());
    new.transcript_folders = Some(selection.folders.iter().cloned().collect());
    new.unread = Some(report.waiting_sessions + selection.running());
    new
}

fn finished(dream: &Dream<'_>, run: &RunId, report: &RunReport, state: store::RunState) -> RunRecord {
    let mut record = RunRecord::begin(
        run.clone(),
        dream.project.id.clone(),
        dream.now.timestamp(),
        dream.engine.name(),
        dream.trigger.as_str(),
    );
    record.state = state;
    if state != store::RunState::Running {
        record.finished = Some(dream.now.timestamp());
    }
    record.plan_hash.clone_from(&report.plan);
    record.report = serde_json::to_value(report).unwrap_or_default();
    record.counts = serde_json::json!({
        "applied": report.applied.len(),
        "proposed": report.proposed.len(),
        "refused": report.refused.len(),
        "dropped": report.dropped_total,
        "recurrences": report.recurrences.len(),
        "files": report.files.len(),
        "sessions": report.sessions.iter().filter(|session| session.state == "used").count(),
    });
    record
}

/// Stores the report as it came out, which can be less than what was planned, and leaves the line for the next start.
fn settle_report(
    dream: &Dream<'_>,
    store: &mut Store,
    run: &RunId,
    report: &RunReport,
) -> Result<(), DreamError> {
    let state = match report.state {
        RunState::Applied => None,
        RunState::Proposed => Some(store::RunState::Proposed),
        RunState::NothingToDo { .. }
        | RunState::Planned
        | RunState::Skipped { .. }
        | RunState::Refused { .. } => Some(store::RunState::Nothing),
    };
    store.put_report(run, state, &serde_json::to_value(report).unwrap_or_default())?;
    match report.one_line() {
        Some(line) => notice::leave(dream.state_home, &dream.project.id, &line)?,
        None => notice::drop_failure(dream.state_home, &dream.project.id)?,
    }
    Ok(())
}

fn sessions(report: &RunReport) -> Vec<SessionRecord> {
    report
        .sessions
        .iter()
        .filter(|session| session.reason.as_deref() != Some("no new bytes"))
        .map(|session| SessionRecord {
            session: SessionId::new(session.session.clone()),
            state: session.state.clone(),
            reason: session.reason.clone(),
            path: None,
            last_activity: None,
            tries: session.tries,
        })
        .collect()
}

/// The waiting operations in the form in which they are kept; none when nothing waits.
fn kept_plan(
    dream: &Dream<'_>,
    decided: &Decided,
    origin: Origin,
    gathered: &Gathered,
) -> Option<PlanRecord> {
    if decided.waiting.is_empty() {
        return None;
    }
    let (operations, waits_because) = decided.waiting.iter().cloned().unzip();
    let whole = origin == Origin::Plan;
    let plan = KeptPlan {
        cursors: gathered.cursors().filter(|_| whole).cloned().collect(),
        records: gathered.records().filter(|_| whole).cloned().collect(),
        recurrences: decided.recurrences.iter().filter(|_| whole).cloned().collect(),
        ..KeptPlan::new(origin, dream.engine.name(), operations, waits_because)
    };
    Some(plan.opened(&decided.base, dream.now.timestamp()))
}

/// Whether an interrupted run left something to put right.
///
/// # Errors
/// When the state directory cannot be read.
pub fn is_unfinished(dream: &Dream<'_>, store: &Store) -> Result<bool, DreamError> {
    if dream.mode == Mode::DryRun || !dream.memory_root.is_dir() {
        return Ok(false);
    }
    let files = RealFileSystem;
    let pending = Journal::new(store.home(), &files).pending(dream.memory_root);
    // A journal that cannot be read is for recovery to report.
    let left = pending.map_or(true, |pending| !pending.entries.is_empty() || !pending.unreadable.is_empty());
    Ok(left
        || has_leftovers(dream.memory_root)
        || !store.running(&dream.project.id)?.is_empty()
        || store.pending_purge(&dream.project.id)?.is_some())
}

/// Whether files stand in a memory directory that a run began and never finished. Without the state directory nothing
/// else tells of them.
fn has_leftovers(memory: &Path) -> bool {
    let holds =
        |folder: &Path| {
            std::fs::read_dir(folder).into_iter().flatten().flatten().any(|entry| {
                entry.file_name().to_str().is_some_and(|name| name.starts_with(TEMPORARY_PREFIX))
            })
        };
    holds(memory) || holds(&memory.join("archive"))
}

/// Gives a run its identifier and, when it may change memory, records that it begins: a run that then ends without a
/// word is known to have been interrupted.
///
/// # Errors
/// When the state directory cannot be written.
pub fn begin(dream: &Dream<'_>, store: &mut Store) -> Result<RunId, DreamError> {
    let run = new_run(store, &dream.project.id, dream.now)?;
    if dream.mode == Mode::Apply {
        let report = RunReport::begin(dream);
        store.put_run(&finished(dream, &run, &report, store::RunState::Running))?;
    }
    Ok(run)
}

/// Records that a run found its gate closed after all.
///
/// # Errors
/// When the state directory cannot be written.
pub fn skip(
    dream: &Dream<'_>,
    store: &mut Store,
    run: &RunId,
    report: RunReport,
) -> Result<RunReport, DreamError> {
    if dream.mode == Mode::Apply {
        store.put_run(&finished(dream, run, &report, store::RunState::Nothing))?;
    }
    Ok(report)
}

/// Records why a run failed, and how many sessions it leaves unread: a hook counts them without looking at them again. The
/// error itself goes to the caller; that it cannot be recorded does not replace it.
pub fn failed(dream: &Dream<'_>, store: &mut Store, run: &RunId, unread: u32, error: &DreamError) {
    if dream.mode != Mode::Apply {
        return;
    }
    let recorded =
        store.run(run).ok().flatten().is_some_and(|record| record.state != store::RunState::Running);
    if !recorded {
        let mut report = RunReport::begin(dream);
        report.model = dream.engine.account();
        if let DreamError::NoneJudged { sessions, .. } = error {
            report.sessions.clone_from(sessions);
        }
        for session in self::sessions(&report) {
            let _unrecorded = store.put_session(&dream.project.id, &session);
        }
        // An engine that fails is not asked again at the end of each turn, and a run that was stopped does not come back
        // at once.
        let was_asked =
            matches!(error, DreamError::Engine(_) | DreamError::NoneJudged { .. } | DreamError::Changed);
        if was_asked || matches!(error, DreamError::Stopped { .. }) {
            let _unthrottled = store.note_scan(&dream.project.id, dream.now.timestamp()).and_then(|()| {
                store.write_gate(&RealFileSystem, &dream.project.id, None, None, Some(unread))
            });
        }
        let state = match error {
            DreamError::Stopped { .. } => store::RunState::Stopped,
            _ => store::RunState::Failed,
        };
        let mut record = finished(dream, run, &report, state);
        record.error = Some(chain(error));
        // Nobody watches a run that a hook started.
        if dream.trigger == Trigger::Automatic && state == store::RunState::Failed {
            let _untold = notice::leave_failure(dream.state_home, &dream.project.id);
        }
        let _unrecorded = store.put_run(&record);
    }
}

/// Ends a run that found nothing to read: it is recorded, and memory is not even opened.
///
/// # Errors
/// When the state directory cannot be written.
pub fn end_early(
    dream: &Dream<'_>,
    store: &mut Store,
    mut report: RunReport,
    selection: &Selection,
) -> Result<RunReport, DreamError> {
    report.sessions.clone_from(&selection.left);
    report.diagnostics.clone_from(&selection.diagnostics);
    if dream.mode == Mode::Apply {
        note_scan(dream, store, selection)?;
        let run = new_run(store, &dream.project.id, dream.now)?;
        report.run = Some(run.clone());
        store.put_run(&finished(dream, &run, &report, store::RunState::Nothing))?;
    }
    Ok(report)
}

/// Remembers that the session directories were looked at, so that they are not looked at again at once.
///
/// # Errors
/// When the database cannot be written.
pub fn note_scan(dream: &Dream<'_>, store: &mut Store, selection: &Selection) -> Result<(), StoreError> {
    if dream.mode == Mode::DryRun {
        return Ok(());
    }
    let now = dream.now.timestamp();
    store.put_project(&dream.project.id, &dream.project.root, dream.memory_root, now)?;
    store.note_scan(&dream.project.id, now)?;
    remember(store, selection)?;
    let folders: Vec<_> = selection.folders.iter().cloned().collect();
    let unread = selection.touched + selection.running();
    store.write_gate(&RealFileSystem, &dream.project.id, Some(&folders), None, Some(unread))
}

/// Remembers what was found at the beginnings of transcripts, so that the next look does not open them.
///
/// # Errors
/// When the database cannot be written.
pub fn remember(store: &mut Store, selection: &Selection) -> Result<(), StoreError> {
    let records: Vec<TranscriptRecord> = selection
        .learnt
        .iter()
        .filter_map(|(path, known)| {
            let directory = known.directory.clone()?;
            Some(TranscriptRecord { path: path.clone(), directory, headless: known.headless, own: known.own })
        })
        .collect();
    store.put_transcripts(&records)
}

/// Puts right the times that a clock left which ran ahead: the gates would else count from each look anew, and stay
/// closed until the clock has caught up.
///
/// # Errors
/// When the database or the gate file cannot be written.
pub fn correct_schedule(
    dream: &Dream<'_>,
    store: &mut Store,
    schedule: &mut Schedule,
    events: Sink<'_>,
) -> Result<(), StoreError> {
    let (now, min_hours) = (dream.now.timestamp(), dream.settings.dream.min_hours);
    if dream.mode == Mode::DryRun
        || !gate::is_ahead(now, schedule.last_success, schedule.hold_until, min_hours)
    {
        return Ok(());
    }
    events(&Event::Note {
        text: "the clock was set back since the last dream; its time now counts from here".to_owned(),
    });
    let last_success = gate::corrected(now, schedule.last_success);
    let hold_until = gate::corrected_hold(now, schedule.hold_until, min_hours);
    store.correct_schedule(&dream.project.id, last_success, hold_until)?;
    schedule.last_success = last_success.or(schedule.last_success);
    schedule.hold_until = hold_until.or(schedule.hold_until);
    store.write_gate(&RealFileSystem, &dream.project.id, None, None, None)
}

/// Puts right what an interrupted run left; what was done, as notes for the user.
///
/// # Errors
/// When something could not be put right; nothing else is done then.
pub fn recover(dream: &Dream<'_>, store: &mut Store, lease: &Lease) -> Result<Vec<String>, DreamError> {
    let RecoverReport { finished, rolled_back, interrupted, set_aside, swept: _, purged } =
        recover::recover(store, lease, &RealFileSystem, &dream.project.id)?;
    let mut notes: Vec<String> = finished
        .iter()
        .map(|run| format!("run {run} had been interrupted after its commit; it counts"))
        .collect();
    notes.extend(rolled_back.iter().map(|rolled| {
        let kept = if rolled.kept.is_empty() {
            String::new()
        } else {
            format!("; {} changed since and kept their text", rolled.kept.join(", "))
        };
        format!("run {} had been interrupted and was taken back{kept}", rolled.run)
    }));
    notes.extend(
        interrupted.iter().map(|run| format!("run {run} had been interrupted before it wrote anything")),
    );
    notes.extend(
        set_aside
            .iter()
            .map(|path| format!("a journal that cannot be read was set aside: {}", path.display())),
    );
    if purged.is_some() {
        notes.push("a purge that had been interrupted was brought to its end".to_owned());
    }
    Ok(notes)
}
