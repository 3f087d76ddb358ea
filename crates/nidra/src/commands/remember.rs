//! `nidra remember`: the user's own words, into this project's memory at once.

use crate::cli::{KindName, RememberArgs};
use crate::commands::undo::lease_to_change;
use crate::commands::{note, print_json};
use crate::context::Context;
use crate::error::{CliError, ErrorKind};
use crate::render;
use nidra_core::{Kind, Speaker};
use nidra_dream::hand::remember::{Remember, RememberError, remember};
use nidra_dream::report::{RunReport, RunState};
use std::io::Read as _;
use std::process::ExitCode;

/// Bytes that are read from standard input at most; an entry is far shorter.
const MAX_INPUT: u64 = 64 * 1024;

/// `nidra remember`
pub fn run(context: &Context, args: &RememberArgs) -> Result<ExitCode, CliError> {
    context.demand_on()?;
    let words = words(args)?;
    let agent = args.agent || context.environment.text(note::OF_AN_AGENT).is_some();
    let request = Remember {
        project: &context.project,
        memory_root: &context.memory,
        settings: context.settings(),
        now: &context.now,
        words: &words,
        speaker: if agent { Speaker::Agent } else { Speaker::Human },
        kind: args.kind.map(kind),
        topic: args.topic.as_deref(),
    };
    let mut store = context.store()?;
    let lease = lease_to_change(context, &mut store, "remember")?;
    context.know_project(&mut store)?;
    let report = remember(&request, &mut store, &lease).map_err(|error| failure(context, error))?;
    let refused = !report.refused.is_empty()
        || !report.conflicts.is_empty()
        || matches!(report.state, RunState::Refused { .. });
    let code = if refused { ErrorKind::Refused.exit_code().into() } else { ExitCode::SUCCESS };
    if context.printer.json {
        print_json(context, &report)?;
        return Ok(code);
    }
    context.printer.data(render::report(&report, &context.zone(), false).trim_end());
    for diagnostic in &report.diagnostics {
        context.printer.warn(&render::diagnostic(diagnostic));
    }
    context.printer.say(&ending(&report));
    Ok(code)
}

fn ending(report: &RunReport) -> String {
    match (&report.run, &report.state) {
        (Some(run), RunState::Applied) => format!("Remembered. `nidra undo {run}` takes it back."),
        (Some(_), _) => "Memory says so already; that you said it again counts for it.".to_owned(),
        (None, _) => "Nothing was remembered.".to_owned(),
    }
}

fn words(args: &RememberArgs) -> Result<String, CliError> {
    if args.words != ["-"] {
        return Ok(args.words.join(" "));
    }
    let mut bytes = Vec::new();
    std::io::stdin()
        .take(MAX_INPUT)
        .read_to_end(&mut bytes)
        .map_err(|error| CliError::failed("cannot read standard input", error))?;
    String::from_utf8(bytes).map_err(|_| CliError::usage("standard input is no UTF-8 text"))
}

fn kind(name: KindName) -> Kind {
    match name {
        KindName::User => Kind::User,
        KindName::Feedback => Kind::Feedback,
        KindName::Project => Kind::Project,
        KindName::Reference => Kind::Reference,
    }
}

fn failure(context: &Context, error: RememberError) -> CliError {
    match error {
        RememberError::Empty => CliError::usage(error.to_string()),
        RememberError::Secret(_) => CliError::new(ErrorKind::Refused, error.to_string())
            .hint("say where it is kept instead of what it is"),
        error => CliError::failed(
            format!("nothing was remembered; {} is as it was", context.memory.display()),
            error,
        ),
    }
}
