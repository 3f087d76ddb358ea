//! `nidra note`: adds a line to today's log, which a dream of assistant mode distils later.

use crate::cli::NoteArgs;
use crate::commands::print_json;
use crate::context::Context;
use crate::error::{CliError, ErrorKind};
use nidra_core::text::redact;
use nidra_memory::atomic::{self, RealFileSystem};
use nidra_sessions::daily_log;
use std::fs::File;
use std::io::Write as _;
use std::process::ExitCode;

/// The variable that the client sets for whatever its agent starts.
pub(super) const OF_AN_AGENT: &str = "CLAUDECODE";

/// Refuses what only the person may do to memory, where an agent's client started the program.
pub(super) fn refuse_agent(context: &Context, verb: &str) -> Result<(), CliError> {
    if context.environment.text(OF_AN_AGENT).is_none() {
        return Ok(());
    }
    Err(CliError::new(
        ErrorKind::Refused,
        format!("an agent started this, and `nidra {verb}` takes a person's word"),
    )
    .hint("run it in a terminal of your own"))
}

/// `nidra note`
pub fn run(context: &Context, args: &NoteArgs) -> Result<ExitCode, CliError> {
    context.demand_on()?;
    context.demand_settings()?;
    context.guard_memory()?;
    let words = redact::redact_in(&args.words.join(" "), context.settings().redact.scope());
    if words != args.words.join(" ") {
        context.printer.warn("warning: what looks like a secret was left out of the note");
    }
    // The mark of a person's words is ours to set: typed by them it stood there twice, and by an agent it would be forged.
    let unmarked = words.trim_start_matches(|letter: char| letter == '>' || letter.is_whitespace());
    let words: Vec<&str> = unmarked.split_whitespace().collect();
    if words.is_empty() {
        return Err(CliError::usage("the note is empty"));
    }
    // Who notes down what somebody else said has not said it: only what a person types counts as their words.
    let agent = args.agent || context.environment.text(OF_AN_AGENT).is_some();
    let mark = if agent { "" } else { "> " };
    let line = format!("- {} {mark}{}\n", context.now.strftime("%H:%M"), words.join(" "));
    let name = daily_log::path_of(context.now.date());
    let failed = |error: std::io::Error| {
        CliError::failed(format!("cannot write {}", context.memory.join(&name).display()), error)
    };
    std::fs::create_dir_all(&context.memory).map_err(failed)?;
    let place = atomic::resolve(&RealFileSystem, &context.memory, &name.to_string_lossy())
        .map_err(|error| CliError::new(ErrorKind::Refused, error.to_string()))?;
    if let Some(folder) = place.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    // One call, so that lines of several writers never mix.
    File::options()
        .append(true)
        .create(true)
        .open(&place)
        .and_then(|mut file| file.write_all(line.as_bytes()))
        .map_err(failed)?;
    if context.printer.json {
        print_json(
            context,
            &serde_json::json!({ "file": place.display().to_string(), "line": line.trim_end() }),
        )?;
    } else {
        context.printer.say(&format!("{}: {}", place.display(), line.trim_end()));
    }
    Ok(ExitCode::SUCCESS)
}
