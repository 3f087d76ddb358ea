//! Judges the memory that the rules engine leaves on scenarios, by language.
//!
//! `evaluate FILE-OR-FOLDER...` dreams over each scenario twice: once over all its sessions, and session by session, as
//! somebody would whose every evening ends with a dream. Both must leave memories that are worth the same. The figures
//! are those of [`score`]; they come from operations rendered plainly and are no substitute for a run of the program.
#![expect(clippy::print_stdout, reason = "figures are what this program is for")]

#[path = "../support/apply.rs"]
mod apply;
#[path = "../support/gold.rs"]
mod gold;
#[path = "../support/memory.rs"]
mod memory;
mod score;
#[path = "../support/talk.rs"]
mod talk;

use apply::apply;
use jiff::{Timestamp, ZonedDateTime};
use memory::view;
use nidra_core::{Conversation, Engine, EngineInput, Unwatched};
use nidra_rules::RulesEngine;
use score::Score;
use serde_json::Value;
use std::collections::BTreeMap;
use std::error::Error;
use std::path::PathBuf;

/// The files of a memory by their paths.
type Files = BTreeMap<String, String>;

fn main() -> Result<(), Box<dyn Error>> {
    let mut sums: BTreeMap<(String, &str), (usize, Score)> = BTreeMap::new();
    for path in gold::files(std::env::args().skip(1))? {
        let scenario = read(&path)?;
        let language = scenario["lang"].as_str().unwrap_or("en").to_owned();
        for (how, batch) in [("in one dream", usize::MAX), ("one by one", 1)] {
            let score = Score::of(&scenario["gold"], &dream(&scenario, batch)?)?;
            for group in ["all".to_owned(), language.clone()] {
                let (count, sum) = sums.entry((group, how)).or_default();
                *count += 1;
                sum.add(&score);
            }
        }
    }
    for ((language, how), (count, score)) in sums {
        println!("{language:6} {how:13} {count:3} scenarios  {score}");
    }
    Ok(())
}

fn read(path: &PathBuf) -> Result<Value, Box<dyn Error>> {
    Ok(serde_json::from_str(&std::fs::read_to_string(path)?.replace('\u{205d}', ""))?)
}

/// The memory after dreams over so many sessions each.
fn dream(scenario: &Value, batch: usize) -> Result<Files, Box<dyn Error>> {
    let zone = scenario["tz"].as_str().unwrap_or("UTC");
    let now: ZonedDateTime =
        scenario["now"].as_str().unwrap_or_default().parse::<Timestamp>()?.in_tz(zone)?;
    let conversations: Vec<Conversation> = talk::conversations(scenario)?;
    let mut files = Files::new();
    for (name, text) in scenario["memory"].as_object().into_iter().flatten() {
        files.insert(name.clone(), text.as_str().unwrap_or_default().to_owned());
    }
    for conversations in conversations.chunks(batch.min(conversations.len().max(1))) {
        let memory = view(&files);
        let outcome = RulesEngine.dream(EngineInput {
            conversations,
            memory: &memory,
            now: &now,
            watcher: &Unwatched,
        })?;
        for operation in &outcome.operations {
            apply(&operation.change, &mut files);
        }
    }
    Ok(files)
}
