//! `nidra check --drift`: what memory says that the checkout does not bear out. Nothing is changed.

use crate::commands::print_json;
use crate::context::Context;
use crate::error::CliError;
use crate::printer::style::{self, paint};
use nidra_dream::checkout::Bounds;
use nidra_dream::drift::{self, Drift, EntryDrift};
use nidra_memory::directory::MemoryDirectory;
use nidra_rules::drift::{Judgement, Reading, Verdict};
use std::process::ExitCode;

/// Prints what was found. A finding does not change the exit code, as with the other findings of `nidra check`.
pub fn run(context: &Context, memory: &MemoryDirectory) -> Result<ExitCode, CliError> {
    let checkout = &context.project.checkout;
    let bounds = Bounds::default();
    let found = drift::look(memory, checkout, &bounds);
    if context.printer.json {
        print_json(context, &as_json(&found, &checkout.display().to_string(), &bounds))?;
        return Ok(ExitCode::SUCCESS);
    }
    let printer = context.printer;
    let mut counts = [0_usize; 5];
    for entry in &found.entries {
        counts[place(entry.verdict)] += 1;
        for judgement in entry.judgements.iter().filter(|one| is_worth_a_line(one.verdict)) {
            let style = if judgement.verdict == Verdict::Ambiguous { style::DIM } else { style::WARN };
            let hint = judgement.hint.as_ref().map(|hint| format!(": {hint}")).unwrap_or_default();
            printer.data(&format!(
                "{}:{}: {} {}{hint}",
                entry.path,
                entry.line,
                paint(style, judgement.verdict.as_str()),
                judgement.anchor
            ));
        }
    }
    let [fresh, stale, moved, ambiguous, untold] = counts;
    printer.say(&format!(
        "{}: {stale} stale, {moved} moved, {ambiguous} ambiguous, {fresh} fresh, {untold} not checkable. {}.",
        match found.entries.len() {
            1 => "1 entry".to_owned(),
            count => format!("{count} entries"),
        },
        read(&found, &bounds)
    ));
    Ok(ExitCode::SUCCESS)
}

fn is_worth_a_line(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Stale | Verdict::Moved | Verdict::Ambiguous)
}

fn place(verdict: Verdict) -> usize {
    match verdict {
        Verdict::Fresh => 0,
        Verdict::Stale => 1,
        Verdict::Moved => 2,
        Verdict::Ambiguous => 3,
        Verdict::NotCheckable => 4,
    }
}

/// How much of the checkout was read, and which limit was met.
fn read(found: &Drift, bounds: &Bounds) -> String {
    let Reading { files, bytes, whole_tree, whole_sources } = found.reading;
    let met = match (whole_tree, whole_sources) {
        (false, _) => {
            format!("; more than {} files, or some unreadable, so nothing counts as missing", bounds.files)
        }
        (true, false) => "; not all sources were read, so no name counts as missing".to_owned(),
        (true, true) => String::new(),
    };
    format!("Checkout: {files} files, {bytes} bytes read{met}")
}

fn as_json(found: &Drift, checkout: &str, bounds: &Bounds) -> serde_json::Value {
    let entries: Vec<_> = found
        .entries
        .iter()
        .map(|entry| {
            serde_json::json!({
                "path": entry.path, "line": entry.line, "text": entry.text, "verdict": entry.verdict.as_str(),
            })
        })
        .collect();
    let findings: Vec<_> = found
        .entries
        .iter()
        .flat_map(|entry| entry.judgements.iter().map(move |judgement| finding(entry, judgement)))
        .collect();
    serde_json::json!({
        "checkout": checkout,
        "findings": findings,
        "entries": entries,
        "read": {
            "files": found.reading.files, "bytes": found.reading.bytes,
            "whole_tree": found.reading.whole_tree, "whole_sources": found.reading.whole_sources,
            "max_files": bounds.files, "max_bytes": bounds.bytes,
        },
    })
}

fn finding(entry: &EntryDrift, judgement: &Judgement) -> serde_json::Value {
    serde_json::json!({
        "path": entry.path, "line": entry.line, "kind": judgement.kind.as_str(), "anchor": judgement.anchor,
        "verdict": judgement.verdict.as_str(), "hint": judgement.hint, "moved_to": judgement.moved_to,
    })
}
