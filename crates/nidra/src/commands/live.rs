//! A run that goes on, as whoever looks from outside can see it.

use crate::commands::events;
use crate::context::Context;
use crate::error::CliError;
use crate::event_stream::{self, Line, Tokens};
use crate::narrator::doing;
use jiff::Timestamp;
use nidra_core::Progress;
use nidra_core::text::wording::counted;
use nidra_dream::event::{Event, Phase};
use nidra_memory::lease::BusyHolder;
use serde::Serialize;
use std::collections::BTreeSet;
use std::time::Duration;

/// How often a follower looks.
const LOOK: Duration = Duration::from_millis(200);

/// A run that goes on.
#[derive(Debug, Serialize)]
pub(crate) struct Live {
    /// Its process.
    pub(crate) process: u32,
    /// When it began, by the clock of the system.
    pub(crate) began: Option<Timestamp>,
    /// The step that it is at.
    pub(crate) phase: Option<Phase>,
    /// Since when.
    pub(crate) since: Option<Timestamp>,
    /// What the agent said last.
    pub(crate) words: Option<String>,
    /// How often it used a tool.
    pub(crate) tool_uses: u32,
    /// The files that it changed or looked at.
    pub(crate) paths: BTreeSet<String>,
    /// Tokens that it took.
    #[serde(flatten)]
    pub(crate) tokens: Tokens,
}

impl Live {
    /// The run that holds the memory directory of the project.
    pub(crate) fn find(context: &Context) -> Option<Self> {
        let process = process(context)?;
        let lines = event_stream::of_process(&context.state, &context.project.id, process);
        Some(Self::of(process, &lines.unwrap_or_default()))
    }

    /// What the lines of a process tell since its last run began.
    fn of(process: u32, lines: &[Line]) -> Self {
        let begins = |line: &Line| matches!(line.event, Event::Entered { phase: Phase::Gate });
        let first = lines.iter().rposition(begins).unwrap_or(0);
        let mut live = Self {
            process,
            began: None,
            phase: None,
            since: None,
            words: None,
            tool_uses: 0,
            paths: BTreeSet::new(),
            tokens: Tokens::default(),
        };
        for line in lines.iter().skip(first) {
            live.began = live.began.or(Some(line.time));
            match &line.event {
                Event::Entered { phase } => (live.phase, live.since) = (Some(*phase), Some(line.time)),
                Event::Progress(progress) => {
                    live.tokens = live.tokens.and(progress);
                    match progress {
                        Progress::Says { text } => live.words = Some(text.clone()),
                        Progress::Uses { path, .. } => {
                            live.tool_uses += 1;
                            live.paths.extend(path.clone());
                        }
                        Progress::Retries { .. } => live.words = Some(event_stream::words(progress)),
                        Progress::Asks { .. }
                        | Progress::Answered { .. }
                        | Progress::Uncounted { .. }
                        | Progress::Replayed => {}
                    }
                }
                _ => {}
            }
        }
        live
    }

    /// The run for a person, a line each.
    pub(crate) fn lines(&self) -> Vec<String> {
        #[expect(clippy::disallowed_methods, reason = "elapsed time is measured by the clock of the system")]
        let now = Timestamp::now();
        let seconds =
            |from: Option<Timestamp>| from.map_or(0, |from| now.duration_since(from).as_secs().max(0));
        let step = self.phase.map_or("begins", doing);
        let mut lines = vec![format!(
            "process {}: {step} for {} s, {} s in all",
            self.process,
            seconds(self.since),
            seconds(self.began)
        )];
        if self.tool_uses > 0 {
            let paths: Vec<&str> = self.paths.iter().map(String::as_str).take(8).collect();
            lines.push(format!("{}; {}", counted(self.tool_uses, "use") + " of tools", paths.join(", ")));
        }
        if self.tokens.total() > 0 {
            let Tokens { cache_read_tokens, output_tokens, estimated_tokens, .. } = self.tokens;
            let guess = match estimated_tokens {
                0 => String::new(),
                guess => format!(", and about {guess} that nobody counted"),
            };
            lines.push(format!(
                "{} tokens in ({} remembered), {} out{guess}",
                self.tokens.question(),
                cache_read_tokens.unwrap_or_default(),
                output_tokens.unwrap_or_default()
            ));
        }
        lines.extend(self.words.as_ref().map(|words| format!("“{words}”")));
        lines
    }
}

/// The process of the run of nidra that holds the memory directory.
fn process(context: &Context) -> Option<u32> {
    match context.holder() {
        Ok(Some(BusyHolder::Nidra(Some(holder)))) => Some(holder.owner.pid),
        _ => None,
    }
}

/// Prints what runs of the project do, until the one that goes on has ended, or at once when none does.
pub(crate) fn follow(context: &Context) -> Result<(), CliError> {
    let path = event_stream::path(&context.state);
    let failed = |error| CliError::failed("cannot read the events", error);
    let Some(process) = process(context) else {
        context.printer.say("No dream is running here; `nidra events --follow` waits for the next one.");
        return Ok(());
    };
    let mut at = 0;
    let print = |lines: &[Line]| {
        for line in lines.iter().filter(|line| line.process == process && line.project == context.project.id)
        {
            if context.printer.json {
                context.printer.data(&serde_json::to_string(line).unwrap_or_default());
            } else {
                context.printer.data(&events::words(line, &context.zone()));
            }
        }
    };
    loop {
        // In this order: what is written before the end is seen to come is still printed.
        let goes_on = self::process(context) == Some(process);
        print(&event_stream::read(&path, &mut at).map_err(failed)?);
        if !goes_on {
            return Ok(());
        }
        std::thread::sleep(LOOK);
    }
}
