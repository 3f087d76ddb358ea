//! `nidra entries`: every entry of memory with the records that it rests on. Nothing is changed.

use crate::cli::EntriesArgs;
use crate::commands::print_json;
use crate::context::Context;
use crate::error::CliError;
use crate::printer::style::{self, paint};
use nidra_core::text::redact;
use nidra_memory::directory::MemoryDirectory;
use nidra_recall::entries::{self, Entry};
use std::process::ExitCode;

/// An entry as it is printed.
#[derive(Debug, serde::Serialize)]
struct Listed {
    text: String,
    index: bool,
    sources: Vec<String>,
    sessions: Vec<String>,
    entry: String,
    path: String,
    topic: String,
    kind: Option<&'static str>,
    active: bool,
    rank: Option<&'static str>,
    said: Option<jiff::Timestamp>,
    left: Option<String>,
    replaced_by: Option<String>,
}

/// `nidra entries`
pub fn run(context: &Context, args: &EntriesArgs) -> Result<ExitCode, CliError> {
    let listed: Vec<Listed> =
        load(context, false)?.into_iter().filter(|entry| entry.active || args.archived).map(list).collect();
    if args.json_lines {
        for entry in &listed {
            let line =
                serde_json::to_string(entry).map_err(|error| CliError::failed("cannot write JSON", error))?;
            context.printer.data(&line);
        }
    } else if context.printer.json {
        print_json(context, &listed)?;
    } else {
        for entry in &listed {
            let place = paint(style::DIM, &format!("{}  {}", entry.entry, entry.path));
            let left = entry.left.as_deref().map(|left| format!(" ({left})")).unwrap_or_default();
            context.printer.data(&format!("{place}  {}{left}", entry.text));
        }
        if listed.is_empty() {
            context.printer.say(&format!("Memory in {} has no entries.", context.memory.display()));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The entries of memory with their sources; with the words around them where they are to be searched.
pub fn load(context: &Context, searched: bool) -> Result<Vec<Entry>, CliError> {
    let memory = MemoryDirectory::load(&context.memory).map_err(|error| {
        CliError::failed(format!("cannot read the memory directory {}", context.memory.display()), error)
            .hint("mend the cause, or name another directory with memory.directory")
    })?;
    let sources = context.store_to_read()?.recorded_sources(&context.project.id).map_err(|error| {
        CliError::failed(format!("cannot read the state directory {}", context.state.display()), error)
    })?;
    let mut entries = entries::entries(&memory, &sources);
    if searched {
        let scope = context.settings().redact.scope();
        nidra_recall::context::add(&mut entries, &sources, &context.reader(), scope);
    }
    Ok(entries)
}

fn list(entry: Entry) -> Listed {
    Listed {
        text: redact::redact(&entry.text),
        index: entry.index,
        sources: entry.sources,
        sessions: entry.sessions,
        entry: entry.id.as_str().to_owned(),
        path: entry.path,
        topic: entry.topic,
        kind: entry.kind.map(nidra_core::Kind::as_str),
        active: entry.active,
        rank: entry.rank.map(nidra_core::TrustRank::as_str),
        said: entry.said,
        left: entry.left.map(|(verb, date)| format!("{verb} on {date}")),
        replaced_by: entry.replaced_by.as_deref().map(redact::redact),
    }
}
