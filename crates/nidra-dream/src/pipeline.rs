//! A dream, step by step: gate ▷ lease ▷ orient ▷ gather ▷ consolidate ▷ prune ▷ commit ▷ report.
//!
//! Everything that a dream needs comes in as a [`Dream`]; everything that it decides goes out as a [`RunReport`].

use crate::event::{Event, Phase, Sink};
use crate::gate::{self, Switches};
use crate::gather::{self, Criteria, Gathered, Selection, SessionKnowledge};
use crate::history::{History, Look};
use crate::kept::{self, KeptPlan};
use crate::offers::Offers;
use crate::promote::Shelf;
use crate::report::{RunReport, RunState, SessionReport};
use crate::settle::{self, Decided, Ending};
use crate::steps::{cheap_gates, gather_new, look_at_lock, nothing_to_read, pass, skipped, take_lease};
use crate::team::Team;
use crate::waiting::Waiting;
use jiff::ZonedDateTime;
use nidra_core::error::{Diagnostic, PathError};
use nidra_core::text::wording::counted;
use nidra_core::{Engine, EngineError, RunId, Settings, Watcher};
use nidra_memory::commit::{CommitError, ConflictPolicy};
use nidra_memory::directory::{MemoryDirectory, MemoryError};
use nidra_memory::lease::{Lease, LeaseError};
use nidra_memory::recover::RecoverError;
use nidra_memory::store::{PlanRecord, Store, StoreError};
use nidra_sessions::{Project, Reader};
use std::path::Path;

mod judge;

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
    /// Who watches, and may stop it until it writes.
    pub watcher: &'a dyn Watcher,
}

/// A dream that ended without an answer; memory is as it was.
#[derive(Debug, thiserror::Error)]
pub enum DreamError {
    /// nidra is switched off.
    #[error("dreaming is {0}")]
    Off(String),
    /// The user stopped it.
    #[error("stopped by the user while it was at the step `{}`", phase.as_str())]
    Stopped {
        /// Where.
        phase: Phase,
    },
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
    /// The engine failed on each session alone.
    #[error("the engine failed on every session: {cause}")]
    NoneJudged {
        /// The cause with the first of them.
        cause: String,
        /// What became of each.
        sessions: Vec<SessionReport>,
    },
    /// Nothing that was judged still stands in the transcripts.
    #[error("the transcripts changed while they were judged, and what was cited no longer stands there")]
    Changed,
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
    dream.enter(Phase::Gate, events)?;
    let mut history = History::load(store, &dream.project.id)?;
    if let Some(closed) = cheap_gates(dream, store, &mut history, &mut report, events)? {
        return Ok(skipped(report, closed));
    }
    let look = Look::new(&history, store, &dream.project.id);
    let selection = gather::select(dream.reader, &look, criteria);
    look.finish()?;
    let noun = dream.reader.noun();
    let sessions = gate::source_gate(selection.touched, dream.settings.dream.min_sessions, noun);
    if let Some(closed) = pass(sessions, dream.trigger, &mut report, events) {
        settle::note_scan(dream, store, &selection)?;
        return Ok(skipped(report, closed));
    }

    if selection.read.is_empty() && !settle::is_unfinished(dream, store)? {
        report.state = RunState::NothingToDo { reason: nothing_to_read(&selection, dream.reader.noun()) };
        return settle::end_early(dream, store, report, &selection);
    }

    // 2. Lease: nobody else changes this memory until the run has ended. What an interrupted run left is put in order.
    dream.enter(Phase::Lease, events)?;
    let lease =
        if dream.mode == Mode::DryRun { look_at_lock(dream)? } else { take_lease(dream, store, events)? };
    if lease.is_some() {
        settle::remember(store, &selection)?;
        history = History::load(store, &dream.project.id)?;
    }
    let run = settle::begin(dream, store)?;
    let plans = kept::load(store, &dream.project.id)?;
    let offers = Offers::load(&plans, store, &dream.project.id)?;
    let team = look_at_team(dream, store, &plans, &mut report)?;
    let shelf = Shelf::look(&dream.project.checkout, &plans, team);
    let waiting = Waiting::of(plans);
    let holding =
        Holding { dream, run: &run, lease: lease.as_ref(), history: &history, offers, shelf, waiting };
    let unread = selection.touched.saturating_add(selection.running());
    let outcome = holding.go_on(store, selection, report, events).map_err(|error| match error {
        DreamError::Engine(EngineError::Stopped(_)) if dream.watcher.stopped() => {
            DreamError::Stopped { phase: Phase::Consolidate }
        }
        other => other,
    });
    if let Err(error) = &outcome {
        settle::failed(dream, store, &run, unread, error);
    }
    outcome
}

/// What the team shares; a place that cannot be used is named in the report and keeps nothing else from happening.
fn look_at_team(
    dream: &Dream<'_>,
    store: &Store,
    plans: &[(PlanRecord, KeptPlan)],
    report: &mut RunReport,
) -> Result<Option<Team>, DreamError> {
    match Team::look(dream.settings, dream.project, store, plans)? {
        None => Ok(None),
        Some(Ok(team)) => Ok(Some(team)),
        Some(Err(error)) => {
            report.diagnostics.push(Diagnostic {
                path: dream.settings.propose.team.clone().unwrap_or_default(),
                line: None,
                offset: None,
                message: format!("nothing is proposed for the team (`propose.team`): {error}"),
            });
            Ok(None)
        }
    }
}

/// A dream that holds its memory directory, or looks at it in a dry run.
struct Holding<'a> {
    dream: &'a Dream<'a>,
    run: &'a RunId,
    lease: Option<&'a Lease>,
    history: &'a History,
    offers: Offers,
    shelf: Shelf,
    waiting: Waiting,
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
        dream.enter(Phase::Orient, events)?;
        let mut memory = MemoryDirectory::load(dream.memory_root)?;
        let topics = counted(memory.topics().count(), "topic");
        events(&Event::Note { text: format!("{topics} in {}", dream.memory_root.display()) });

        // 4. Gather: the new turns, oldest session first, in a bounded batch.
        dream.enter(Phase::Gather, events)?;
        let mut gathered = gather_new(dream, store, self.history, &mut selection, &mut report)?;
        events(&Event::Note {
            text: format!(
                "{} with new turns, {} left for later",
                counted(gathered.conversations.len(), dream.reader.noun()),
                report.waiting_sessions
            ),
        });
        if gathered.conversations.is_empty() {
            report.state = RunState::NothingToDo { reason: nothing_to_read(&selection, dream.reader.noun()) };
            let ending = self.ending(&memory, Decided::default(), &gathered, &selection);
            return settle::end(dream, store, ending, report, events);
        }
        let (least, noun) = (dream.settings.dream.min_sessions, dream.reader.noun());
        let spoken = gate::source_gate(gathered.with_speech(), least, noun);
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
            let ending = self.judge(&memory, &mut gathered, &selection, &[], report.clone(), events)?;
            match settle::end(dream, store, ending.0, ending.1, events) {
                Err(DreamError::Commit(CommitError::Conflict { paths })) => {
                    events(&Event::Note {
                        text: format!("{} changed meanwhile; judging again", paths.join(", ")),
                    });
                    memory = MemoryDirectory::load(dream.memory_root)?;
                    disputed.extend(paths);
                }
                outcome => return outcome,
            }
        }
        let (mut ending, report) =
            self.judge(&memory, &mut gathered, &selection, &disputed, report, events)?;
        ending.on_conflict = ConflictPolicy::SkipFile;
        settle::end(dream, store, ending, report, events)
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
    /// Begins a step, unless the user stopped the run. From the commit on there is nothing to stop any more.
    pub(crate) fn enter(&self, phase: Phase, events: Sink<'_>) -> Result<(), DreamError> {
        if self.watcher.stopped() {
            return Err(DreamError::Stopped { phase });
        }
        events(&Event::Entered { phase });
        Ok(())
    }

    pub(crate) fn criteria(&self) -> Criteria<'_> {
        Criteria {
            project: self.project,
            share_worktrees: self.settings.memory.share_worktrees,
            home: self.home,
            now: self.now.timestamp(),
            settings: &self.settings.sessions,
            scope: self.settings.redact.scope(),
            knowledge: self.knowledge,
        }
    }
}
