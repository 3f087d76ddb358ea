//! `nidra events`: what runs did, one event a line, for people and programs that look on.

use crate::cli::EventsArgs;
use crate::commands::metrics;
use crate::context::Context;
use crate::error::CliError;
use crate::event_stream::{self, Line};
use crate::narrator::doing;
use crate::render;
use jiff::tz::TimeZone;
use nidra_core::text::wording::counted;
use nidra_dream::event::Event;
use std::process::ExitCode;
use std::time::Duration;

/// How often a follower looks for more.
const LOOK: Duration = Duration::from_millis(200);

/// `nidra events`
pub fn run(context: &Context, args: &EventsArgs) -> Result<ExitCode, CliError> {
    if args.prometheus {
        context.printer.data(metrics::text(context)?.trim_end());
        return Ok(ExitCode::SUCCESS);
    }
    #[cfg(feature = "otlp")]
    if let Some(endpoint) = &args.otlp {
        return crate::commands::otlp::run(context, endpoint, args.follow).map(|()| ExitCode::SUCCESS);
    }
    let mut at = 0;
    let wanted = |line: &Line| args.all || line.project == context.project.id;
    let lines: Vec<Line> = read(context, &mut at)?.into_iter().filter(wanted).collect();
    let first = lines.len().saturating_sub(args.limit as usize);
    if lines.is_empty() && !args.follow {
        context.printer.say("No event yet.");
    }
    for line in lines.iter().skip(first) {
        print(context, line);
    }
    if !args.follow {
        return Ok(ExitCode::SUCCESS);
    }
    loop {
        std::thread::sleep(LOOK);
        for line in read(context, &mut at)?.iter().filter(|line| wanted(line)) {
            print(context, line);
        }
    }
}

fn read(context: &Context, at: &mut u64) -> Result<Vec<Line>, CliError> {
    event_stream::read(&event_stream::path(&context.state), at)
        .map_err(|error| CliError::failed("cannot read the events", error))
}

fn print(context: &Context, line: &Line) {
    let text = if context.printer.json {
        serde_json::to_string(line).unwrap_or_default()
    } else {
        words(line, &context.zone())
    };
    context.printer.data(&text);
}

/// An event for a person.
pub fn words(line: &Line, zone: &TimeZone) -> String {
    let what = match &line.event {
        Event::Gate(gate) => {
            let verdict = if gate.open { "open" } else { "closed" };
            format!("gate {} is {verdict}: {} (needs {})", gate.name.as_str(), gate.value, gate.need)
        }
        Event::Skipped(gate) => {
            format!("skipped by gate {}: {} (needs {})", gate.name.as_str(), gate.value, gate.need)
        }
        Event::Fired { hours_since_last, sessions } => {
            let since = hours_since_last.map_or_else(
                || "the first dream".to_owned(),
                |hours| format!("{hours:.1} h since the last dream"),
            );
            format!("fired: {since}, {sessions} to read")
        }
        Event::Entered { phase } => format!("{}: {}", phase.as_str(), doing(*phase)),
        Event::Note { text } => text.clone(),
        Event::Progress(progress) => event_stream::words(progress),
        Event::Completed { files, operations } => {
            let tokens = line.tokens.map(|tokens| format!(", {}", tokens.in_words())).unwrap_or_default();
            format!("completed: {} in {}{tokens}", counted(*operations, "change"), counted(*files, "file"))
        }
        Event::Stopped { phase } => format!("stopped at {}", phase.as_str()),
        Event::Failed { phase, reason } => format!("failed at {}: {reason}", phase.as_str()),
    };
    format!("{}  {:>7}  {what}", render::moment(line.time, zone), line.process)
}
