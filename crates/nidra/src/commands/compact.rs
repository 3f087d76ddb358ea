//! `nidra compact`: a session or a text with fewer tokens and the same worth.

use crate::cli::{CompactArgs, CompactLevel};
use crate::commands::working::{family, memory_entries, session_folders, state_fault};
use crate::commands::{print_json, tokens};
use crate::context::Context;
use crate::error::{CliError, ErrorKind};
use crate::printer::style::{self, paint};
use nidra_memory::atomic::{self, RealFileSystem};
use nidra_memory::store::TaskSelection;
use nidra_working::compact::transcript::Script;
use nidra_working::compact::{self, Knowledge, Level, Outcome, plain, scenario};
use nidra_working::live;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// `nidra compact`
pub fn run(context: &Context, args: &CompactArgs) -> Result<ExitCode, CliError> {
    let level = match args.level {
        CompactLevel::Micro => Level::Micro,
        CompactLevel::Session => Level::Session,
        CompactLevel::Deep => Level::Deep,
    };
    if !args.check.is_empty() {
        return check(context, &args.check);
    }
    let path = args.file.clone().or_else(|| live::newest(&session_folders(context))).ok_or_else(|| {
        CliError::usage("there is no session here").hint("name a transcript or a text: `nidra compact FILE`")
    })?;
    let text = tokens::read(&path)?;
    let store = context.store_to_read()?;
    let tasks = store.tasks(&context.project.id, TaskSelection::Open).map_err(state_fault(context))?;
    let memory = memory_entries(context);
    let knowledge =
        Knowledge { now: &context.now, family: family(context), tasks: &tasks, memory: &memory, floor: 0 };
    let outcome = if Script::is_one(&text) {
        compact::compact(&Script::parse(&text), level, &knowledge)
    } else {
        plain::compact(&text, level, &knowledge)
    };
    match &args.output {
        Some(output) => write(&path, output, &outcome)?,
        None if !context.printer.json => context.printer.data(outcome.text.trim_end()),
        None => {}
    }
    if context.printer.json {
        let mut value = serde_json::to_value(&outcome).unwrap_or_default();
        value["file"] = json!(path.display().to_string());
        value["output"] = json!(args.output.as_ref().map(|output| output.display().to_string()));
        if args.output.is_none() {
            value["text"] = json!(outcome.text);
        }
        print_json(context, &value)?;
        return Ok(ExitCode::SUCCESS);
    }
    let share = 100.0 * outcome.after as f64 / outcome.before.max(1) as f64;
    context
        .printer
        .say(&format!("{} tokens before, {} after ({share:.0} %).", outcome.before, outcome.after));
    if let Some(aim) = level.share().filter(|aim| share > aim * 100.0) {
        context.printer.say(&format!(
            "That is above the aim of {:.0} %: the last turns and what must be kept need the room.",
            aim * 100.0
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes the result beside the source, never over it: the client's own files are the client's.
fn write(path: &Path, output: &Path, outcome: &Outcome) -> Result<(), CliError> {
    let output = std::path::absolute(output)
        .map_err(|error| CliError::failed(format!("cannot resolve {}", output.display()), error))?;
    let same = std::fs::canonicalize(path)
        .ok()
        .zip(std::fs::canonicalize(&output).ok())
        .is_some_and(|(a, b)| a == b);
    if same {
        return Err(CliError::new(ErrorKind::Refused, "the output would take the place of the source")
            .hint("write to another file"));
    }
    atomic::write(&RealFileSystem, &output, outcome.text.as_bytes())
        .map_err(|error| CliError::failed(format!("cannot write {}", output.display()), error))
}

/// Compacts scenarios of which it is known what was worth keeping, and says how much of that is left.
fn check(context: &Context, paths: &[PathBuf]) -> Result<ExitCode, CliError> {
    let mut files = Vec::new();
    for path in paths {
        match std::fs::read_dir(path) {
            Ok(entries) => files.extend(entries.flatten().map(|entry| entry.path())),
            Err(_) => files.push(path.clone()),
        }
    }
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    if files.is_empty() {
        return Err(CliError::usage("there is no scenario (.json) there"));
    }
    let knowledge =
        Knowledge { now: &context.now, family: family(context), tasks: &[], memory: &[], floor: 0 };
    let mut all = Vec::new();
    for path in &files {
        let text = tokens::read(path)?;
        let scenario: Value = serde_json::from_str(&text)
            .map_err(|error| CliError::failed(format!("{} is no scenario", path.display()), error))?;
        for level in [Level::Micro, Level::Session, Level::Deep] {
            all.push(scenario::check(&scenario, level, &knowledge));
        }
    }
    let mut good = true;
    for level in [Level::Micro, Level::Session, Level::Deep] {
        let of: Vec<_> = all.iter().filter(|checked| checked.level == level).collect();
        let facts: usize = of.iter().map(|checked| checked.facts).sum();
        let answerable: usize = of.iter().map(|checked| checked.answerable).sum();
        let most = of.iter().map(|checked| checked.share()).fold(0.0, f64::max);
        good &= answerable == facts && level.share().is_none_or(|share| most <= share);
        if !context.printer.json {
            for checked in &of {
                context.printer.data(&format!(
                    "{level:?}  {:<24} {:>7} → {:>6} tokens ({:>4.1} %)  {} of {} facts",
                    checked.scenario,
                    checked.before,
                    checked.after,
                    checked.share() * 100.0,
                    checked.answerable,
                    checked.facts
                ));
                for missing in &checked.missing {
                    context.printer.data(&paint(style::DIM, &format!("    not answerable: {missing}")));
                }
            }
            context.printer.data(&format!(
                "{level:?}: {answerable} of {facts} facts, {:.1} % of the tokens at most",
                most * 100.0
            ));
        }
    }
    if context.printer.json {
        print_json(context, &all)?;
    }
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::from(ErrorKind::Failed.exit_code()) })
}
