//! The steps of a dream that are more than a line: gates, lease, gathering, and turning operations into bytes.

use crate::demote;
use crate::event::{Event, Sink};
use crate::gate::{self, Gate};
use crate::gather::{self, Gathered, Selection};
use crate::guard;
use crate::history::{History, Look};
use crate::hygiene;
use crate::pipeline::{Dream, DreamError, Trigger};
use crate::report::{OperationReport, ProposedReport, RunReport, RunState, file_reports};
use crate::review::{self, Verdict};
use crate::settle::{self, Decided};
use crate::standing::Weighed;
use jiff::ZonedDateTime;
use nidra_core::error::PathError;
use nidra_core::{Change, MemoryView, Operation, OperationId, Plan, RunId, Settings};
use nidra_memory::directory::{MemoryDirectory, MemoryError};
use nidra_memory::lease::{self, Lease, LeaseError, LeaseOptions};
use nidra_memory::limits::IndexLimits;
use nidra_memory::repair;
use nidra_memory::stage::{NO_CHANGE, Pins, StageContext, Staged, stage};
use nidra_memory::store::{Store, StoreError};
use nidra_sessions::repository;
use std::collections::BTreeSet;
use std::path::Path;

/// Topics that one run links in the index at most.
const MAX_RELINKED: usize = 20;

/// An identifier for a run: the moment, and a hash that tells runs of one second apart.
pub fn new_run(
    store: &Store,
    project: &nidra_core::ProjectId,
    now: &ZonedDateTime,
) -> Result<RunId, StoreError> {
    let moment = now.timestamp().strftime("%Y%m%d-%H%M%S").to_string();
    let mut number = 0_u32;
    loop {
        let hash = nidra_core::EntryId::of(project.as_str(), &format!("{moment}/{number}"));
        let run = RunId::new(format!("{moment}-{}", &hash.as_str()[..4]));
        if store.run(&run)?.is_none() {
            return Ok(run);
        }
        number += 1;
    }
}

/// Evaluates a gate: records it, reports it, and returns it when it ends the dream.
pub(crate) fn pass(gate: Gate, trigger: Trigger, report: &mut RunReport, events: Sink<'_>) -> Option<Gate> {
    events(&Event::Gate(gate.clone()));
    report.gates.retain(|known| known.name != gate.name);
    report.gates.push(gate.clone());
    if gate.open || trigger == Trigger::Manual {
        return None;
    }
    events(&Event::Skipped(gate.clone()));
    Some(gate)
}

pub(crate) fn skipped(mut report: RunReport, gate: Gate) -> RunReport {
    report.state = RunState::Skipped { gate };
    report
}

/// Switch, time and throttle: what costs nothing but a small read.
pub(crate) fn cheap_gates(
    dream: &Dream<'_>,
    store: &mut Store,
    history: &mut History,
    report: &mut RunReport,
    events: Sink<'_>,
) -> Result<Option<Gate>, DreamError> {
    let now = dream.now.timestamp();
    let switch = gate::switch_gate(dream.switches);
    if dream.switches.disabled {
        return Err(DreamError::Off(switch.value));
    }
    if let Some(closed) = pass(switch, dream.trigger, report, events) {
        return Ok(Some(closed));
    }
    settle::correct_schedule(dream, store, &mut history.schedule, events)?;
    let schedule = &history.schedule;
    let dream_settings = &dream.settings.dream;
    let gates = [
        gate::time_gate(now, schedule.last_success, schedule.hold_until, dream_settings.min_hours),
        gate::throttle_gate(now, schedule.last_look(), dream_settings.scan_throttle_minutes),
    ];
    Ok(gates.into_iter().find_map(|gate| pass(gate, dream.trigger, report, events)))
}

/// A dry run takes no lease, because that would write; it only says when somebody holds it.
pub(crate) fn look_at_lock(dream: &Dream<'_>) -> Result<Option<Lease>, DreamError> {
    if dream.memory_root.is_dir() {
        let owner = nidra_memory::owner::Owner::current();
        if let Some(holder) = lease::busy(dream.memory_root, &owner, dream.now.timestamp())? {
            return Err(LeaseError::Busy { directory: dream.memory_root.to_owned(), holder }.into());
        }
    }
    Ok(None)
}

pub(crate) fn take_lease(
    dream: &Dream<'_>,
    store: &mut Store,
    events: Sink<'_>,
) -> Result<Option<Lease>, DreamError> {
    // Read first: a file in the directory's place is named before anything is created.
    MemoryDirectory::load(dream.memory_root)?;
    std::fs::create_dir_all(dream.memory_root).map_err(PathError::wrap("create", dream.memory_root))?;
    hygiene::ignore_locks(dream.memory_root)?;
    let taken = Lease::acquire(dream.memory_root, &LeaseOptions::new("dream"));
    let lease = match taken {
        Ok(lease) => lease,
        Err(error) => {
            if let LeaseError::Busy { holder, .. } = &error {
                events(&Event::Skipped(gate::lock_gate(Some(&holder.to_string()))));
            }
            return Err(error.into());
        }
    };
    events(&Event::Gate(gate::lock_gate(None)));
    store.put_project(&dream.project.id, &dream.project.root, dream.memory_root, dream.now.timestamp())?;
    if let Some(repository) = repository::identity(&dream.project.root) {
        store.note_repository(&dream.project.id, &repository)?;
    }
    for note in settle::recover(dream, store, &lease)? {
        events(&Event::Note { text: note });
    }
    store.note_attempt(&dream.project.id, dream.now.timestamp())?;
    Ok(Some(lease))
}

pub(crate) fn gather_new(
    dream: &Dream<'_>,
    store: &Store,
    history: &History,
    selection: &mut Selection,
    report: &mut RunReport,
) -> Result<Gathered, DreamError> {
    let batch = usize::try_from(dream.settings.dream.max_sessions).unwrap_or(usize::MAX);
    let waiting = selection.read.split_off(batch.min(selection.read.len()));
    report.waiting_sessions = u32::try_from(waiting.len()).unwrap_or(u32::MAX);
    let look = Look::new(history, store, &dream.project.id);
    let mut gathered = gather::read(dream.reader, &look, &selection.read, dream.criteria());
    look.finish()?;
    history.take_out_forgotten(&mut gathered.conversations);
    report.sessions.extend(gathered.sessions.iter().cloned());
    report.sessions.extend(selection.left.iter().cloned());
    report.diagnostics.extend(selection.diagnostics.iter().chain(&gathered.diagnostics).cloned());
    report.records.clone_from(&gathered.counts);
    Ok(gathered)
}

/// Why there is nothing to judge: which input is missing.
pub(crate) fn nothing_to_read(selection: &Selection, noun: &str) -> String {
    let running = selection.running();
    if let Some(missing) = &selection.missing {
        format!("there are no {noun}s: {} does not exist", missing.display())
    } else if selection.found == 0 {
        format!("no {noun} of this project was found")
    } else if !selection.read.is_empty() {
        format!("the {noun}s hold nothing new")
    } else if running > 0 {
        format!(
            "{running} of {} {noun}s may still be running (no end was seen and they were written within \
             sessions.idle_minutes), and all others were read before",
            selection.found
        )
    } else {
        let excluded = selection.left.iter().filter(|session| session.state == "excluded").count();
        match excluded {
            0 => format!("all {noun}s were read before"),
            excluded if excluded == selection.left.len() => format!("the settings exclude all {noun}s"),
            excluded => {
                format!("all {noun}s were read before, but for {excluded} that the settings exclude")
            }
        }
    }
}

/// Topics that somebody pinned since memory was read, and of which the index shall say something else: that changes no byte of
/// theirs by which a commit would notice.
pub(crate) fn pinned_since(
    root: &Path,
    memory: &MemoryDirectory,
    accepted: &[Operation],
) -> Result<Vec<String>, MemoryError> {
    let retitled = |operation: &Operation| match &operation.change {
        Change::Retitle { path, .. } => Some(path.clone()),
        _ => None,
    };
    let mut paths: BTreeSet<String> = accepted.iter().filter_map(retitled).collect();
    if !paths.is_empty() {
        let (before, now) = (memory.view(), MemoryDirectory::load(root)?.view());
        let pinned = |view: &MemoryView, path: &str| view.topic(path).is_some_and(|topic| topic.pinned);
        paths.retain(|path| pinned(&now, path) && !pinned(&before, path));
    }
    Ok(paths.into_iter().collect())
}

/// Lines for topics that no line of the index points to: without one no session hears of them. What these operations
/// archive needs none.
pub(crate) fn index_work(memory: &MemoryDirectory, accepted: &[Operation]) -> Vec<Operation> {
    let leaves = |path: &str| {
        accepted.iter().any(|operation| {
            matches!(operation.change, Change::Archive { .. }) && operation.change.path() == Some(path)
        })
    };
    let changes = repair::links(memory)
        .into_iter()
        .filter(|(change, _)| !change.path().is_some_and(leaves))
        .take(MAX_RELINKED);
    repair::operations(changes, "index")
}

/// Gives every operation its name in the plan.
pub(crate) fn numbered(mut operations: Vec<Operation>) -> Vec<Operation> {
    for (number, operation) in operations.iter_mut().enumerate() {
        operation.id = OperationId::new(format!("op-{}", number + 1));
    }
    operations
}

/// Turns the accepted operations into bytes, and reports what they come to.
pub(crate) fn prune(
    dream: &Dream<'_>,
    memory: &MemoryDirectory,
    run: &RunId,
    weighed: &[Weighed],
    decided: &mut Decided,
    report: &mut RunReport,
) {
    let mut staged = stage_for(dream.now, dream.settings, memory, &decided.accepted, run);
    if dream.settings.forget.enabled && make_room(dream, memory, weighed, &staged, decided) {
        staged = stage_for(dream.now, dream.settings, memory, &decided.accepted, run);
    }
    if guard::final_bytes(&staged.changes, dream.settings.redact.scope()).is_err() {
        refuse_secrets(dream, memory, run, decided, report);
        staged = stage_for(dream.now, dream.settings, memory, &decided.accepted, run);
    }
    // What memory cannot take as it is now (a full index, a file in the middle of a merge) waits for the user: its
    // sessions count as read, so refusing it would lose it.
    let reason = |operation: &Operation| {
        staged.refused.iter().find(|(id, _)| *id == operation.id).map(|(_, reason)| reason.clone())
    };
    let demoted = demote::own_topics(weighed);
    for operation in std::mem::take(&mut decided.accepted) {
        match reason(&operation) {
            None => decided.accepted.push(operation),
            Some(reason) if reason == NO_CHANGE => report.refuse(&operation, &reason),
            // A topic that made way for others gets its line again when there is room; nobody is asked every night.
            Some(reason)
                if matches!(&operation.change, Change::Relink { path, .. } if demoted.contains(path.as_str()))
                    && demote::is_full(&reason) => {}
            Some(reason) => decided.waiting.push((operation, reason)),
        }
    }
    report.applied = decided.accepted.iter().map(OperationReport::from).collect();
    report.proposed = decided
        .waiting
        .iter()
        .map(|(operation, reason)| ProposedReport {
            operation: OperationReport::from(operation),
            waits_because: reason.clone(),
        })
        .collect();
    report.files = file_reports(&staged.changes);
    report.index = staged.index.into();
    report.run = Some(run.clone());
    decided.changes = staged.changes;
    if !decided.waiting.is_empty() {
        let plan =
            Plan { operations: decided.waiting.iter().map(|(operation, _)| operation.clone()).collect() };
        report.plan = Some(plan.hash());
    }
}

/// Lets the least important topics make way in the index for news that found no room, or asks for that. Says whether there
/// is more room now.
fn make_room(
    dream: &Dream<'_>,
    memory: &MemoryDirectory,
    weighed: &[Weighed],
    staged: &Staged,
    decided: &mut Decided,
) -> bool {
    let found_none = |operation: &&Operation| {
        staged.refused.iter().any(|(id, reason)| *id == operation.id && demote::is_full(reason))
    };
    let wanting: Vec<&Operation> = decided.accepted.iter().filter(found_none).collect();
    if wanting.is_empty() {
        return false;
    }
    let view = memory.view();
    let mut has_room = false;
    let (mut leading, mut proposed) = (Vec::new(), Vec::new());
    for operation in demote::lines(&wanting, &view, weighed) {
        match review::judge(&operation, &view, dream.settings.dream.review, dream.consent, &|_| None) {
            Verdict::Apply => {
                leading.push(operation);
                has_room = true;
            }
            Verdict::Propose(reason) => proposed.push((operation, reason.to_owned())),
            Verdict::Refuse(_) => {}
        }
    }
    // What makes room comes before what needs it.
    decided.accepted.splice(0..0, leading);
    decided.waiting.extend(proposed);
    has_room
}

/// Refuses the operations whose bytes hold a secret although their words alone showed none: beside a title or on a line
/// of the index they read otherwise. One such statement must not stop the others.
fn refuse_secrets(
    dream: &Dream<'_>,
    memory: &MemoryDirectory,
    run: &RunId,
    decided: &mut Decided,
    report: &mut RunReport,
) {
    decided.accepted.retain(|operation| {
        let alone = std::slice::from_ref(operation);
        let staged = stage_for(dream.now, dream.settings, memory, alone, run);
        let is_clean = guard::final_bytes(&staged.changes, dream.settings.redact.scope()).is_ok();
        if !is_clean {
            report.refuse(operation, "what would stand in memory holds a secret");
        }
        is_clean
    });
}

/// Operations as bytes, within the limits of the settings.
pub(crate) fn stage_for(
    now: &ZonedDateTime,
    settings: &Settings,
    memory: &MemoryDirectory,
    operations: &[Operation],
    run: &RunId,
) -> Staged {
    stage_with(now, settings, memory, operations, run, Pins::Hold)
}

/// Takes out the operations that could not be staged, each named in the report as refused.
pub(crate) fn leave_out_refused(staged: &Staged, operations: &mut Vec<Operation>, report: &mut RunReport) {
    for (id, reason) in &staged.refused {
        if let Some(operation) = operations.iter().find(|operation| operation.id == *id) {
            report.refuse(operation, reason);
        }
    }
    operations.retain(|operation| !staged.refused.iter().any(|(id, _)| *id == operation.id));
}

/// The same for what the user themself asked for: their pin does not stand against their word.
pub(crate) fn stage_asked(
    now: &ZonedDateTime,
    settings: &Settings,
    memory: &MemoryDirectory,
    operations: &[Operation],
    run: &RunId,
) -> Staged {
    stage_with(now, settings, memory, operations, run, Pins::Yield)
}

fn stage_with(
    now: &ZonedDateTime,
    settings: &Settings,
    memory: &MemoryDirectory,
    operations: &[Operation],
    run: &RunId,
    pins: Pins,
) -> Staged {
    let limits = IndexLimits::from(&settings.memory);
    stage(memory, operations, &StageContext { now: now.clone(), run: run.clone(), limits, pins })
}
