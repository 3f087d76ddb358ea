//! `nidra forget`: what the user names leaves memory and stays away. Nothing is changed until they say yes.

use crate::cli::ForgetArgs;
use crate::commands::undo::lease_to_change;
use crate::commands::{note, print_json, recall, why, working};
use crate::context::Context;
use crate::error::{CliError, ErrorKind};
use crate::printer::style::{self, paint};
use nidra_core::text::wording::counted_entries;
use nidra_core::text::{redact, width};
use nidra_dream::hand::forget::{Forget, ForgetError, Forgetting, forget, look};
use nidra_dream::hand::select::{SelectError, Wanted};
use serde_json::json;
use std::process::ExitCode;

/// UTF-16 units of an entry in a list.
const LISTED_UNITS: usize = 160;

/// `nidra forget`
pub fn run(context: &Context, args: &ForgetArgs) -> Result<ExitCode, CliError> {
    let wanted = wanted(context, args)?;
    let request = Forget {
        project: &context.project,
        memory_root: &context.memory,
        settings: context.settings(),
        now: &context.now,
        wanted: &wanted,
        purge: args.purge,
    };
    let failure = |error| failure(context, error);
    if !args.yes {
        let store = context.store_to_read()?;
        let shown = look(&request, &store).map_err(failure)?;
        return show(context, args, &shown);
    }
    context.demand_on()?;
    note::refuse_agent(context, "forget")?;
    let mut store = context.store()?;
    let lease = lease_to_change(context, &mut store, "forget")?;
    context.know_project(&mut store)?;
    let done = forget(&request, &mut store, &lease).map_err(failure)?;
    if done.purged.is_some() {
        // Files for other programs are made of rows that were cleaned just now.
        working::export_cleaned(context, &store)?;
    }
    show(context, args, &done)
}

fn wanted(context: &Context, args: &ForgetArgs) -> Result<Wanted, CliError> {
    let time = |text: &Option<String>, option: &str| {
        text.as_deref().map(|text| recall::time(context, text, option)).transpose()
    };
    let entry = Some(args.entry.join(" ")).filter(|entry| !entry.trim().is_empty());
    let named = entry.is_some();
    for (option, text) in [("--match", &args.words), ("--session", &args.session), ("--path", &args.path)] {
        if text.as_ref().is_some_and(|text| text.trim().is_empty()) {
            return Err(CliError::usage(format!("{option} is empty")));
        }
    }
    if !args.entry.is_empty() && !named {
        return Err(CliError::usage("the entry is empty"));
    }
    Ok(Wanted {
        entry,
        words: args.words.clone(),
        session: args.session.clone(),
        since: time(&args.since, "--since")?,
        until: time(&args.until, "--until")?,
        path: args.path.clone(),
        all: args.all,
        archived: args.purge,
    })
}

/// Shows what was forgotten or would be. Who has not said yes yet, and who asked for more than was done, gets to know.
fn show(context: &Context, args: &ForgetArgs, forgetting: &Forgetting) -> Result<ExitCode, CliError> {
    let refused = !forgetting.report.refused.is_empty();
    let waits = !args.yes && !forgetting.chosen.is_empty();
    let code = if refused || waits { ErrorKind::Refused.exit_code().into() } else { ExitCode::SUCCESS };
    if context.printer.json {
        print_json(context, &as_json(args, forgetting))?;
        return Ok(code);
    }
    let printer = context.printer;
    if forgetting.chosen.is_empty() && !refused {
        printer.say(&format!("Nothing in {} matches.", context.memory.display()));
        return Ok(code);
    }
    let head = if args.yes { "Forgotten" } else { "Would be forgotten" };
    printer.data(&paint(style::HEAD, &format!("{head}: {}", counted_entries(forgetting.chosen.len()))));
    for chosen in &forgetting.chosen {
        let place = &chosen.place;
        let mut marks: Vec<&str> = Vec::new();
        if place.archived.is_some() {
            marks.push("archived");
        }
        if forgetting.pinned.contains(&place.entry) {
            marks.push("pinned");
        }
        marks.extend(place.kind.map(nidra_core::Kind::as_str));
        let text = width::shorten(&redact::redact(&place.text), LISTED_UNITS);
        printer.data(&format!("  {}:{}  {}  {}", place.path, place.line, place.entry, marks.join(", ")));
        printer.data(&format!("    {text}"));
        printer.data(&format!("    {}", paint(style::DIM, &chosen.because.join("; "))));
    }
    for statement in &forgetting.outside {
        printer.data(&format!("  {}  (nidra's block)  {}", statement.path, redact::redact(&statement.text)));
    }
    for plan in &forgetting.withdrawn {
        printer.data(&format!("  plan {plan} would have said it again and is withdrawn"));
    }
    for refusal in &forgetting.report.refused {
        printer.data(&format!("  {} {}: {}", paint(style::WARN, "stays"), refusal.what, refusal.reason));
    }
    for diagnostic in &forgetting.report.diagnostics {
        printer.warn(&crate::render::diagnostic(diagnostic));
    }
    for path in &forgetting.report.conflicts {
        printer.warn(&format!("{path} changed meanwhile; its text won."));
    }
    printer.say(&ending(args, forgetting));
    Ok(code)
}

fn ending(args: &ForgetArgs, forgetting: &Forgetting) -> String {
    let transcripts = "The agent's transcripts are not touched.";
    let run = forgetting.report.run.as_ref().map(ToString::to_string).unwrap_or_default();
    match (args.yes, args.purge) {
        (false, false) => {
            format!(
                "Nothing is changed. `--yes` moves this to the archive and keeps it from coming back. {transcripts}"
            )
        }
        (false, true) => format!(
            "Nothing is changed. `--yes` removes these words from everything that nidra keeps; that cannot be undone. \
             {transcripts}"
        ),
        (true, false) => {
            format!("It stays away until you say it anew. `nidra undo {run}` takes that back. {transcripts}")
        }
        (true, true) => {
            let purged = forgetting.purged.clone().unwrap_or_default();
            format!(
                "Its words are gone from everything that nidra keeps ({} stored contents, {} rows, {} files), for good. \
                 {transcripts}",
                purged.objects, purged.rows, purged.files
            )
        }
    }
}

fn as_json(args: &ForgetArgs, forgetting: &Forgetting) -> serde_json::Value {
    let entries: Vec<_> = forgetting
        .chosen
        .iter()
        .map(|chosen| {
            let place = &chosen.place;
            json!({
                "entry": place.entry, "path": place.path, "line": place.line, "topic": place.topic,
                "text": redact::redact(&place.text), "kind": place.kind.map(nidra_core::Kind::as_str),
                "archived": place.archived.is_some(), "pinned": forgetting.pinned.contains(&place.entry),
                "because": chosen.because,
            })
        })
        .collect();
    let files: Vec<_> = forgetting
        .report
        .files
        .iter()
        .map(|file| json!({ "path": file.path, "change": file.change }))
        .collect();
    json!({
        "dry_run": !args.yes, "purge": args.purge, "run": forgetting.report.run, "entries": entries,
        "refused": forgetting.report.refused, "conflicts": forgetting.report.conflicts, "files": files,
        "outside": forgetting.outside, "withdrawn": forgetting.withdrawn, "purged": forgetting.purged,
        "transcripts": "untouched",
    })
}

fn failure(context: &Context, error: ForgetError) -> CliError {
    match error {
        ForgetError::Select(SelectError::Several { asked, several }) => {
            why::ambiguous(&asked, &several).hint("`--match TEXT` takes all entries that say the words")
        }
        ForgetError::Select(SelectError::None { asked, nearest }) => why::unknown(context, &asked, &nearest),
        ForgetError::Select(error @ SelectError::Pattern { .. }) => CliError::usage(error.to_string()),
        error @ ForgetError::Purge(_) => CliError::failed("the purge is not at its end", error)
            .hint("any command that changes memory goes on with it; `nidra dream` does"),
        ForgetError::Refused(reason) => CliError::new(ErrorKind::Refused, reason),
        ForgetError::Memory(error) => {
            CliError::failed(format!("cannot read the memory directory {}", context.memory.display()), error)
        }
        error => CliError::failed(
            format!("nothing was forgotten; {} is as it was", context.memory.display()),
            error,
        ),
    }
}
