//! Tells of a run while it works: the terminal, the debug log, and the stream of events that other programs read.

use crate::context::Context;
use crate::event_log;
use crate::event_stream::{self, Tokens};
use crate::interrupt::Interrupt;
use crate::printer::style::{self, paint};
use nidra_core::{Progress, Watcher};
use nidra_dream::event::{Event, Phase};
use nidra_dream::pipeline::Mode;
use std::cell::Cell;
use std::time::Duration;

/// How often a pause looks whether the run was stopped.
const LOOK: Duration = Duration::from_millis(50);

/// Tells of one run.
#[derive(Debug)]
pub struct Narrator<'a> {
    context: &'a Context,
    mode: Mode,
    interrupt: Interrupt,
    phase: Cell<Phase>,
    tokens: Cell<Tokens>,
}

impl<'a> Narrator<'a> {
    /// Tells of a run of this mode, and listens whether it shall stop.
    pub fn new(context: &'a Context, mode: Mode, interrupt: Interrupt) -> Self {
        Self { context, mode, interrupt, phase: Cell::new(Phase::Gate), tokens: Cell::new(Tokens::default()) }
    }

    /// The step that the run is at.
    pub fn phase(&self) -> Phase {
        self.phase.get()
    }

    /// Waits, unless the run is stopped meanwhile.
    pub fn wait(&self, time: Duration) {
        let mut left = time;
        while !left.is_zero() && !self.stopped() {
            let slice = left.min(LOOK);
            std::thread::sleep(slice);
            left = left.saturating_sub(slice);
        }
    }

    /// Tells of an event.
    pub fn event(&self, event: &Event) {
        if let Event::Entered { phase } = event {
            self.phase.set(*phase);
        }
        let context = self.context;
        if self.mode != Mode::DryRun {
            let (state, now, project) = (&context.state, context.now.timestamp(), &context.project.id);
            // Both are for looking on and back; a run does not fail because they cannot be written.
            let _unlogged = event_log::append(state, now, project, event);
            let _unseen = event_stream::append(state, now, project, event, self.tokens.get());
        }
        match event {
            Event::Entered { phase: Phase::Gate | Phase::Report }
            | Event::Gate(_)
            | Event::Fired { .. }
            | Event::Completed { .. }
            | Event::Skipped(_)
            | Event::Stopped { .. }
            | Event::Failed { .. } => {}
            Event::Entered { phase } => self.say(&format!("… {}", doing(*phase))),
            Event::Note { text } => self.say(&format!("  {text}")),
            Event::Progress(progress) => self.say(&format!("  {}", event_stream::words(progress))),
        }
    }

    fn say(&self, words: &str) {
        self.context.printer.say(&paint(style::DIM, words));
    }
}

impl Watcher for Narrator<'_> {
    fn tell(&self, progress: &Progress) {
        self.tokens.set(self.tokens.get().and(progress));
        self.event(&Event::Progress(progress.clone()));
    }

    fn stopped(&self) -> bool {
        self.interrupt.is_raised()
    }
}

/// What a step does, for a person.
pub fn doing(phase: Phase) -> &'static str {
    match phase {
        Phase::Gate => "looking whether it is time",
        Phase::Lease => "taking the memory directory",
        Phase::Orient => "reading memory",
        Phase::Gather => "reading what is new",
        Phase::Consolidate => "judging what is worth keeping",
        Phase::Prune => "checking",
        Phase::Commit => "writing",
        Phase::Report => "recording",
    }
}
