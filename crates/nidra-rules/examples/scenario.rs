//! Runs the rules engine on a scenario of talk (JSON) and writes the memory that it leaves into a directory.
//!
//! `scenario SCENARIO.json DIRECTORY` – a plain rendering of the operations, for looking at the engine's
//! judgement; it is no substitute for the staging of the memory crate.

#[path = "support/apply.rs"]
mod apply;
#[path = "support/memory.rs"]
mod memory;
#[path = "support/talk.rs"]
mod talk;

use apply::apply;
use jiff::{Timestamp, ZonedDateTime};
use memory::view;
use nidra_core::{Change, Engine, EngineInput, Unwatched};
use nidra_rules::RulesEngine;
use serde_json::Value;
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::path::PathBuf;
use talk::conversations;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let (Some(scenario), Some(directory)) = (arguments.get(1), arguments.get(2)) else {
        return Err("usage: scenario SCENARIO.json DIRECTORY [--verbose]".into());
    };
    let verbose = arguments.iter().any(|argument| argument == "--verbose");
    let text = std::fs::read_to_string(scenario)?.replace('\u{205d}', "");
    let scenario: Value = serde_json::from_str(&text)?;
    let zone = scenario["tz"].as_str().unwrap_or("UTC");
    let now: Timestamp = scenario["now"].as_str().unwrap_or_default().parse()?;
    let now: ZonedDateTime = now.in_tz(zone)?;
    let conversations = conversations(&scenario)?;
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    if let Some(memory) = scenario["memory"].as_object() {
        for (name, text) in memory {
            files.insert(name.clone(), text.as_str().unwrap_or_default().to_owned());
        }
    }
    let memory = view(&files);
    let outcome = RulesEngine.dream(EngineInput {
        conversations: &conversations,
        memory: &memory,
        now: &now,
        watcher: &Unwatched,
    })?;
    let mut report = String::new();
    for operation in &outcome.operations {
        writeln!(
            report,
            "+ {} [{}] {} :: {}",
            operation.change.name(),
            operation.rank.as_str(),
            operation.reason,
            text_of(&operation.change)
        )?;
    }
    for dropped in &outcome.dropped {
        writeln!(report, "- {} :: {}", dropped.reason, dropped.text)?;
    }
    for operation in &outcome.operations {
        apply(&operation.change, &mut files);
    }
    let again = RulesEngine.dream(EngineInput {
        conversations: &conversations,
        memory: &view(&files),
        now: &now,
        watcher: &Unwatched,
    })?;
    for operation in &again.operations {
        writeln!(report, "! again: {} :: {}", operation.change.name(), text_of(&operation.change))?;
    }
    let directory = PathBuf::from(directory);
    if directory.exists() {
        std::fs::remove_dir_all(&directory)?;
    }
    for (name, text) in &files {
        let path = directory.join(name);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(path, text)?;
    }
    if verbose {
        std::fs::write(directory.with_extension("report"), report)?;
    }
    Ok(())
}

fn text_of(change: &Change) -> String {
    match change {
        Change::Create { topic, entries, hook } => format!(
            "{} | {} | - [{}]({}.md) — {hook}",
            topic.kind.as_str(),
            entries.join(" ¶ "),
            topic.title,
            topic.slug
        ),
        Change::Append { path, text, .. } => format!("{path} {text}"),
        Change::Rewrite { target, text, .. } | Change::Supersede { target, text, .. } => {
            format!("{} => {text}", target.text)
        }
        Change::Archive { target } => target.text.clone(),
        other => format!("{other:?}"),
    }
}
