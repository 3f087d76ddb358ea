//! `nidra decisions`: what was decided, why, against what, and what became of it.

use crate::cli::DecisionsArgs;
use crate::commands::print_json;
use crate::commands::working::{SHOWN, say_more, shown_at_most, state_fault};
use crate::context::Context;
use crate::error::CliError;
use crate::printer::style::{self, paint};
use crate::render;
use nidra_core::text::similarity::containment;
use nidra_memory::directory::MemoryDirectory;
use nidra_working::decisions::{self, Decision};
use std::process::ExitCode;

/// How much of what was asked for a decision has to hold, from 0 to 1.
const ABOUT: f64 = 0.5;

/// `nidra decisions`
pub fn run(context: &Context, args: &DecisionsArgs) -> Result<ExitCode, CliError> {
    let store = context.store_to_read()?;
    let fault = state_fault(context);
    let project = &context.project.id;
    // A program gets all, and what is asked for may be old; a person is shown what was decided last.
    let most = match args.limit {
        Some(limit) => shown_at_most(limit),
        None if context.printer.json || !args.about.is_empty() => usize::MAX,
        None => SHOWN,
    };
    let taken = if most == usize::MAX || !args.about.is_empty() {
        store.decisions_taken(project)
    } else {
        // One more than is shown says whether there are more.
        store.decisions_taken_last(project, most.saturating_add(1))
    };
    let taken = taken.map_err(&fault)?;
    let sources = store.recorded_sources(project).map_err(&fault)?;
    store.leave();
    let memory = if context.memory.is_dir() {
        MemoryDirectory::load(&context.memory)
            .map_err(|error| CliError::failed(format!("cannot read {}", context.memory.display()), error))?
    } else {
        MemoryDirectory::from_files([])
    };
    let mut found = decisions::collect(&memory, &sources, &taken);
    if !args.all {
        found.retain(|decision| decision.holds);
    }
    if !args.about.is_empty() {
        let asked = args.about.join(" ");
        found.retain(|decision| containment(&asked, &decision.text) >= ABOUT);
    }
    let more = found.len() > most;
    found.truncate(most);
    if context.printer.json {
        print_json(context, &found)?;
        return Ok(ExitCode::SUCCESS);
    }
    if found.is_empty() {
        context.printer.say("No decisions here. `nidra task update NAME --decide CHOICE` records one.");
        return Ok(ExitCode::SUCCESS);
    }
    let lines: Vec<String> = found.iter().flat_map(|decision| lines(context, decision)).collect();
    context.printer.data(&lines.join("\n"));
    if more {
        let option = if args.all { " --all" } else { "" };
        say_more(context, None, &format!("nidra decisions{option} --limit 0"));
    }
    Ok(ExitCode::SUCCESS)
}

fn lines(context: &Context, decision: &Decision) -> Vec<String> {
    let at = decision.at.map_or_else(|| "-".to_owned(), |at| render::moment(at, &context.zone()));
    let style = if decision.holds { style::HEAD } else { style::DIM };
    let mut lines = vec![format!("{at}  {}", paint(style, &decision.text))];
    let mut line = |name: &str, words: &str| lines.push(format!("    {name}: {words}"));
    if let Some(reason) = &decision.reason {
        line("because", reason);
    }
    if !decision.alternatives.is_empty() {
        line("not", &decision.alternatives.join(", "));
    }
    if let Some(before) = &decision.reverses {
        line("in the place of", before);
    }
    if let Some(after) = &decision.reversed_by {
        line("reversed by", after);
    }
    line("stands in", &format!("{} ({})", decision.place, decision.id));
    for source in &decision.sources {
        line("said", &format!("{} (session {}, {})", source.quote, source.session, source.rank));
    }
    lines
}
