//! A dream, step by step: gate ▷ lease ▷ orient ▷ gather ▷ consolidate ▷ prune ▷ commit ▷ report.
//!
//! Everything that a dream needs comes in as a [`Dream`]; everything that it decides goes out as a [`RunReport`].

use crate::event::{Event, Phase, Sink};
use crate::gate::{self, Gate, Switches};
use crate::gather::{self, Criteria, Gathered, Selection, SessionKnowledge};
use crate::guard;
use crate::history::{History, Look};
use crate::hygiene;
use crate::report::{OperationReport, ProposedReport, RunReport, RunState, counted, file_report};
use crate::review::{self, Verdict};
use crate::settle::{self, Decided, Ending};
use jiff::ZonedDateTime;
use nidra_core::error::PathError;
use nidra_core::{
    Engine, EngineError, EngineInput, EntryId, Kind, Operation, OperationId, Plan, RunId, Settings, TrustRank,
};
use nidra_memory::commit::{CommitError, ConflictPolicy};
use nidra_memory::directory::{MemoryDirectory, MemoryError};
use nidra_memory::lease::{self, Lease, LeaseError, LeaseOptions};
use nidra_memory::limits::IndexLimits;
use nidra_memory::recover::RecoverError;
use nidra_memory::stage::{StageContext, Staged, stage};
use nidra_memory::store::{Store, StoreError};
use nidra_sessions::{Project, Reader};
use std::path::Path;

/// Topics that one run links in the index at most.
const MAX_RELINKED: usize = 20;
/// How often a dream judges anew because memory changed meanwhile.
const TRIES: u32 = 3;

/// Who asked for a dream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// A hook or a scheduler: all gates are evaluated.
    Automatic,
    /// The user: passes the time and session gates, but never the lock.
    Manual,
}

impl Trigger {
    /// The name used in reports and stored state.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Automatic => "auto",
            Self::Manual => "manual",
        }
    }
}

/// How far a dream goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// To the end.
    Apply,
    /// Shows what would change; nothing at all is written.
    DryRun,
    /// Keeps the plan for the user's word; memory stays as it is.
    Plan,
}

/// Everything that a dream needs.
pub struct Dream<'a> {
    /// The project.
    pub project: &'a Project,
    /// The user's home directory, as far as it is known.
    pub home: Option<&'a Path>,
    /// The memory directory.
    pub memory_root: &'a Path,
    /// The state directory.
    pub state_home: &'a Path,
    /// The settings.
    pub settings: &'a Settings,
    /// What can switch dreaming off.
    pub switches: Switches,
    /// The moment, in the user's zone.
    pub now: &'a ZonedDateTime,
    /// The reader of the agent's transcripts.
    pub reader: &'a dyn Reader,
    /// The engine that judges.
    pub engine: &'a dyn Engine,
    /// What hooks and the agent's registry know about sessions.
    pub knowledge: &'a SessionKnowledge,
    /// Who asked.
    pub trigger: Trigger,
    /// The user's word for this run: what would be proposed inside the memory directory is applied.
    pub consent: bool,
    /// How far it goes.
    pub mode: Mode,
}

/// A dream that ended without an answer; memory is as it was.
#[derive(Debug, thiserror::Error)]
pub enum DreamError {
    /// nidra is switched off.
    #[error("dreaming is {0}")]
    Off(String),
    /// The memory directory is taken.
    #[error(transparent)]
    Lease(#[from] LeaseError),
    /// Memory could not be read.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The state directory could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The engine came to no answer.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// Memory could not be written.
    #[error(transparent)]
    Commit(#[from] CommitError),
    /// What an interrupted run left could not be put in order.
    #[error(transparent)]
    Recover(#[from] RecoverError),
    /// A file could not be read or written.
    #[error(transparent)]
    Path(#[from] PathError),
}

/// Dreams.
///
/// # Errors
/// When the dream ended without an answer; memory is as it was then.
pub fn dream(dream: &Dream<'_>, store: &mut Store, events: Sink<'_>) -> Result<RunReport, DreamError> {
    let mut report = RunReport::begin(dream);
    let criteria = dream.criteria();

    // 1. Gate: cheapest first. A closed gate ends an automatic dream; a manual one passes all but the lock.
    events(&Event::Entered(Phase::Gate));
    let mut history = History::load(store, &dream.project.id)?;
    if let Some(closed) = cheap_gates(dream, &history, &mut report, events)? {
        return Ok(skipped(report, closed));
    }
    let look = Look::new(&history, store, &dream.project.id);
    let selection = gather::select(dream.reader, &look, criteria);
    look.finish()?;
    let sessions = gate::session_gate(selection.touched, dream.settings.dream.min_sessions);
    if let Some(closed) = pass(sessions, dream.trigger, &mut report, events) {
        settle::note_scan(dream, store, &selection)?;
        return Ok(skipped(report, closed));
    }

    if selection.read.is_empty() && !settle::is_unfinished(dream, store)? {
        report.state = RunState::NothingToDo { reason: nothing_to_read(&selection) };
        return settle::end_early(dream, store, report, &selection);
    }

    // 2. Lease: nobody else changes this memory until the run has ended. What an interrupted run left is put in order.
    events(&Event::Entered(Phase::Lease));
    let lease =
        if dream.mode == Mode::DryRun { look_at_lock(dream)? } else { take_lease(dream, store, events)? };
    if lease.is_some() {
        history = History::load(store, &dream.project.id)?;
    }
    let run = settle::begin(dream, store)?;
    let holding = Holding { dream, run: &run, lease: lease.as_ref(), history: &history };
    let outcome = holding.go_on(store, selection, report, events);
    if let Err(error) = &outcome {
        settle::failed(dream, store, &run, error);
    }
    outcome
}

/// A dream that holds its memory directory, or looks at it in a dry run.
struct Holding<'a> {
    dream: &'a Dream<'a>,
    run: &'a RunId,
    lease: Option<&'a Lease>,
    history: &'a History,
}

impl Holding<'_> {
    fn go_on(
        &self,
        store: &mut Store,
        mut selection: Selection,
        mut report: RunReport,
        events: Sink<'_>,
    ) -> Result<RunReport, DreamError> {
        let dream = self.dream;
        // 3. Orient: memory as it is.
        events(&Event::Entered(Phase::Orient));
        let mut memory = MemoryDirectory::load(dream.memory_root)?;
        let topics = counted(memory.topics().count(), "topic");
        events(&Event::Note(format!("{topics} in {}", dream.memory_root.display())));

        // 4. Gather: the new turns, oldest session first, in a bounded batch.
        events(&Event::Entered(Phase::Gather));
        let gathered = gather_new(dream, store, self.history, &mut selection, &mut report)?;
        events(&Event::Note(format!(
            "{} with new turns, {} left for later",
            counted(gathered.conversations.len(), "session"),
            report.waiting_sessions
        )));
        if gathered.conversations.is_empty() {
            report.state = RunState::NothingToDo { reason: nothing_to_read(&selection) };
            let ending = self.ending(&memory, Decided::default(), &gathered, &selection);
            return settle::end(dream, store, ending, report, events);
        }
        let spoken = gate::session_gate(gathered.with_speech(), dream.settings.dream.min_sessions);
        if let Some(closed) = pass(spoken, dream.trigger, &mut report, events) {
            settle::note_scan(dream, store, &selection)?;
            return settle::skip(dream, store, self.run, skipped(report, closed));
        }
        events(&Event::Fired {
            hours_since_last: self
                .history
                .schedule
                .last_success
                .map(|last| dream.now.timestamp().duration_since(last).as_secs_f64() / 3600.0),
            sessions: selection.touched,
        });

        // Steps 5 to 8 begin anew when somebody changes memory in the same places meanwhile. At last what is in dispute
        // waits for the user, and the live text wins, file by file.
        let mut disputed = Vec::new();
        for _ in 1..TRIES {
            let ending = self.judge(&memory, &gathered, &selection, &[], report.clone(), events)?;
            match settle::end(dream, store, ending.0, ending.1, events) {
                Err(DreamError::Commit(CommitError::Conflict { paths })) => {
                    events(&Event::Note(format!("{} changed meanwhile; judging again", paths.join(", "))));
                    memory = MemoryDirectory::load(dream.memory_root)?;
                    disputed.extend(paths);
                }
                outcome => return outcome,
            }
        }
        let (mut ending, report) = self.judge(&memory, &gathered, &selection, &disputed, report, events)?;
        ending.on_conflict = ConflictPolicy::SkipFile;
        settle::end(dream, store, ending, report, events)
    }

    /// Consolidate and prune: what the engine wants, what the guard and the policy let through, as bytes.
    fn judge<'b>(
        &'b self,
        memory: &'b MemoryDirectory,
        gathered: &'b Gathered,
        selection: &'b Selection,
        disputed: &[String],
        mut report: RunReport,
        events: Sink<'_>,
    ) -> Result<(Ending<'b>, RunReport), DreamError> {
        let dream = self.dream;
        let view = memory.view();
        report.diagnostics.extend(memory.diagnostics.iter().cloned());

        // 5. Consolidate: the engine says what should change.
        events(&Event::Entered(Phase::Consolidate));
        let outcome = dream.engine.dream(EngineInput {
            conversations: &gathered.conversations,
            memory: &view,
            now: dream.now,
        })?;
        report.drop_candidates(outcome.dropped);

        // 6. Prune: the guard refuses, the policy asks, the rest becomes bytes within the limits of the index.
        events(&Event::Entered(Phase::Prune));
        let operations = numbered(outcome.operations);
        let guarded = guard::check(operations, &view, &gathered.conversations, &dream.settings.dream);
        report.refused = guarded.refused;
        let mut decided = Decided { base: memory.tree_hash(), ..Decided::default() };
        let policy = dream.settings.dream.review;
        for operation in guarded.accepted {
            let rank = |entry: &EntryId| self.history.rank(entry);
            let is_disputed = |path: &str| disputed.iter().any(|disputed| disputed == path);
            match review::judge(&operation, &view, policy, dream.consent, &rank) {
                Verdict::Apply if operation.change.path().is_some_and(is_disputed) => {
                    decided.waiting.push((operation, "somebody else keeps changing its file".to_owned()));
                }
                // What the user took back does not come back by itself; asked for, it does.
                Verdict::Apply if dream.trigger == Trigger::Automatic && self.history.was_undone(&operation) => {
                    decided.waiting.push((operation, "you undid it before".to_owned()));
                }
                Verdict::Apply if dream.mode != Mode::Plan => decided.accepted.push(operation),
                Verdict::Apply => {
                    decided.waiting.push((operation, "`nidra plan` applies nothing".to_owned()));
                }
                Verdict::Propose(reason) => decided.waiting.push((operation, reason.to_owned())),
                Verdict::Refuse(reason) => report.refuse(&operation, reason),
            }
        }
        if dream.mode != Mode::Plan {
            decided.accepted.extend(index_work(memory, decided.accepted.len()));
        }
        prune(dream, memory, self.run, &mut decided, &mut report);

        // 7. Commit and 8. report follow: one transaction makes the run true; anything before it is taken back at the
        // next start.
        Ok((self.ending(memory, decided, gathered, selection), report))
    }

    fn ending<'b>(
        &'b self,
        memory: &'b MemoryDirectory,
        decided: Decided,
        gathered: &'b Gathered,
        selection: &'b Selection,
    ) -> Ending<'b> {
        Ending {
            run: self.run,
            lease: self.lease,
            memory,
            decided,
            gathered,
            selection,
            on_conflict: ConflictPolicy::Refuse,
        }
    }
}

impl Dream<'_> {
    fn criteria(&self) -> Criteria<'_> {
        Criteria {
            project: self.project,
            share_worktrees: self.settings.memory.share_worktrees,
            home: self.home,
            now: self.now.timestamp(),
            settings: &self.settings.sessions,
            knowledge: self.knowledge,
        }
    }
}

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
fn pass(gate: Gate, trigger: Trigger, report: &mut RunReport, events: Sink<'_>) -> Option<Gate> {
    events(&Event::Gate(gate.clone()));
    report.gates.retain(|known| known.name != gate.name);
    report.gates.push(gate.clone());
    if gate.open || trigger == Trigger::Manual {
        return None;
    }
    events(&Event::Skipped(gate.clone()));
    Some(gate)
}

fn skipped(mut report: RunReport, gate: Gate) -> RunReport {
    report.state = RunState::Skipped { gate };
    report
}

/// Switch, time and throttle: what costs nothing but a small read.
fn cheap_gates(
    dream: &Dream<'_>,
    history: &History,
    report: &mut RunReport,
    events: Sink<'_>,
) -> Result<Option<Gate>, DreamError> {
    let now = dream.now.timestamp();
    let switch = gate::switch_gate(dream.switches);
    if dream.switches.disabled {
        return Err(DreamError::Off(switch.value));
    }
    let schedule = &history.schedule;
    let dream_settings = &dream.settings.dream;
    let gates = [
        switch,
        gate::time_gate(now, schedule.last_success, schedule.hold_until, dream_settings.min_hours),
        gate::throttle_gate(now, schedule.last_scan, dream_settings.scan_throttle_minutes),
    ];
    Ok(gates.into_iter().find_map(|gate| pass(gate, dream.trigger, report, events)))
}

/// A dry run takes no lease, because that would write; it only says when somebody holds it.
fn look_at_lock(dream: &Dream<'_>) -> Result<Option<Lease>, DreamError> {
    if dream.memory_root.is_dir() {
        let owner = nidra_memory::owner::Owner::current();
        if let Some(holder) = lease::busy(dream.memory_root, &owner, dream.now.timestamp())? {
            return Err(LeaseError::Busy { directory: dream.memory_root.to_owned(), holder }.into());
        }
    }
    Ok(None)
}

fn take_lease(dream: &Dream<'_>, store: &mut Store, events: Sink<'_>) -> Result<Option<Lease>, DreamError> {
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
    for note in settle::recover(dream, store, &lease)? {
        events(&Event::Note(note));
    }
    store.note_attempt(&dream.project.id, dream.now.timestamp())?;
    Ok(Some(lease))
}

fn gather_new(
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
    let gathered = gather::read(dream.reader, &look, &selection.read, dream.criteria());
    look.finish()?;
    report.sessions.extend(gathered.sessions.iter().cloned());
    report.sessions.extend(selection.left.iter().cloned());
    report.diagnostics.extend(selection.diagnostics.iter().chain(&gathered.diagnostics).cloned());
    report.records.clone_from(&gathered.counts);
    Ok(gathered)
}

/// Why there is nothing to judge: which input is missing.
fn nothing_to_read(selection: &Selection) -> String {
    let running = selection.left.iter().filter(|session| session.state == "running").count();
    if selection.found == 0 {
        "no session of this project was found".to_owned()
    } else if !selection.read.is_empty() {
        "the sessions hold nothing new".to_owned()
    } else if running > 0 {
        format!(
            "{running} of {} sessions may still be running (no end was seen and they were written within \
             sessions.idle_minutes), and all others were read before",
            selection.found
        )
    } else {
        let excluded = selection.left.iter().filter(|session| session.state == "excluded").count();
        match excluded {
            0 => "all sessions were read before".to_owned(),
            excluded if excluded == selection.left.len() => "the settings exclude all sessions".to_owned(),
            excluded => {
                format!("all sessions were read before, but for {excluded} that the settings exclude")
            }
        }
    }
}

/// Lines for topics that no line of the index points to: without one no session hears of them.
fn index_work(memory: &MemoryDirectory, number: usize) -> Vec<Operation> {
    nidra_memory::repair::links(memory)
        .into_iter()
        .take(MAX_RELINKED)
        .enumerate()
        .map(|(position, (change, reason))| Operation {
            id: OperationId::new(format!("index-{}", number + position + 1)),
            change,
            kind: Kind::Project,
            rank: TrustRank::Observed,
            reason: reason.to_owned(),
            evidence: Vec::new(),
        })
        .collect()
}

/// Gives every operation its name in the plan.
fn numbered(mut operations: Vec<Operation>) -> Vec<Operation> {
    for (number, operation) in operations.iter_mut().enumerate() {
        operation.id = OperationId::new(format!("op-{}", number + 1));
    }
    operations
}

/// Turns the accepted operations into bytes, and reports what they come to.
fn prune(
    dream: &Dream<'_>,
    memory: &MemoryDirectory,
    run: &RunId,
    decided: &mut Decided,
    report: &mut RunReport,
) {
    let staged = stage_for(dream.now, dream.settings, memory, &decided.accepted, run);
    // What memory cannot take as it is now (a full index, a file in the middle of a merge) waits for the user: its
    // sessions count as read, so refusing it would lose it.
    let reason = |operation: &Operation| {
        staged.refused.iter().find(|(id, _)| *id == operation.id).map(|(_, reason)| reason.clone())
    };
    let (waiting, accepted) = std::mem::take(&mut decided.accepted)
        .into_iter()
        .map(|operation| (reason(&operation), operation))
        .partition::<Vec<_>, _>(|(reason, _)| reason.is_some());
    decided.accepted = accepted.into_iter().map(|(_, operation)| operation).collect();
    decided.waiting.extend(
        waiting.into_iter().filter_map(|(reason, operation)| reason.map(|reason| (operation, reason))),
    );
    report.applied = decided.accepted.iter().map(OperationReport::from).collect();
    report.proposed = decided
        .waiting
        .iter()
        .map(|(operation, reason)| ProposedReport {
            operation: OperationReport::from(operation),
            waits_because: reason.clone(),
        })
        .collect();
    report.files = staged.changes.files.iter().filter(|file| !file.is_noop()).map(file_report).collect();
    report.index = staged.index.into();
    report.run = Some(run.clone());
    decided.changes = staged.changes;
    if !decided.waiting.is_empty() {
        let plan =
            Plan { operations: decided.waiting.iter().map(|(operation, _)| operation.clone()).collect() };
        report.plan = Some(plan.hash());
    }
}

/// Operations as bytes, within the limits of the settings.
pub fn stage_for(
    now: &ZonedDateTime,
    settings: &Settings,
    memory: &MemoryDirectory,
    operations: &[Operation],
    run: &RunId,
) -> Staged {
    let context =
        StageContext { now: now.clone(), run: run.clone(), limits: IndexLimits::from(&settings.memory) };
    stage(memory, operations, &context)
}
