//! Holds the memory of scenarios against their checkouts and says for each entry with a known verdict whether it was judged rightly.
//!
//! `drift DIRECTORY [--verbose]` – reads every scenario (JSON) of a directory; see the README beside them. What counts most is the last
//! figure: an entry that is valid or cannot be checked must never be called stale.

#![expect(clippy::print_stdout, reason = "figures are what this program is for")]

use nidra_dream::checkout::Bounds;
use nidra_dream::drift::{self, EntryDrift};
use nidra_memory::directory::MemoryDirectory;
use nidra_rules::drift::Verdict;
use serde_json::Value;
use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let Some(folder) = arguments.next() else { return Err("usage: drift DIRECTORY [--verbose]".into()) };
    let verbose = arguments.any(|argument| argument == "--verbose");
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder)?.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    paths.sort();
    // By the verdict that is known: right ones and all.
    let mut score: BTreeMap<String, (u32, u32)> = BTreeMap::new();
    let mut alarms = 0;
    for path in &paths {
        let scenario: Value = serde_json::from_str(&std::fs::read_to_string(path)?)?;
        let entries = judge(&scenario)?;
        for item in scenario["gold"]["drift"].as_array().into_iter().flatten() {
            let expected = item["verdict"].as_str().unwrap_or_default();
            let entry = entries.iter().find(|entry| meant(item, &entry.text));
            let judged = entry.map_or("no such entry", |entry| shown(entry.verdict));
            let right = judged == expected;
            let (rights, all) = score.entry(expected.to_owned()).or_default();
            *rights += u32::from(right);
            *all += 1;
            let alarm = judged == "stale" && expected != "stale";
            alarms += u32::from(alarm);
            if verbose || !right {
                let name =
                    path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
                let mark = if right {
                    "right"
                } else if alarm {
                    "ALARM"
                } else {
                    "wrong"
                };
                println!(
                    "{mark} {name} {}: expected {expected}, judged {judged}",
                    item["id"].as_str().unwrap_or_default()
                );
                println!("      {}", entry.map_or("", |entry| entry.text.as_str()));
                for judgement in entry.iter().flat_map(|entry| &entry.judgements) {
                    println!(
                        "      {} {}: {} ({})",
                        judgement.kind.as_str(),
                        judgement.anchor,
                        judgement.verdict.as_str(),
                        judgement.hint.as_deref().unwrap_or_default()
                    );
                }
            }
        }
        // Entries that nobody judged are worth a look when they are called stale.
        let known = |entry: &EntryDrift| {
            scenario["gold"]["drift"].as_array().into_iter().flatten().any(|item| meant(item, &entry.text))
        };
        for entry in
            entries.iter().filter(|entry| verbose && entry.verdict == Verdict::Stale && !known(entry))
        {
            println!("      unjudged, called stale: {} {}", path.display(), entry.text);
        }
    }
    for (verdict, (right, all)) in score {
        println!("{verdict}: {right} of {all}");
    }
    println!("called stale and are not: {alarms}");
    Ok(())
}

/// Lays out a scenario and judges every entry of its memory.
fn judge(scenario: &Value) -> Result<Vec<EntryDrift>, Box<dyn Error>> {
    let scratch = tempfile::tempdir()?;
    let checkout = scratch.path().join(scenario["project"].as_str().unwrap_or("work"));
    let memory = scratch.path().join("memory");
    lay_out(&checkout, &scenario["repo"])?;
    lay_out(&memory, &scenario["memory"])?;
    let memory = MemoryDirectory::load(&memory)?;
    Ok(drift::look(&memory, &checkout, &Bounds::default()).entries)
}

fn lay_out(root: &Path, files: &Value) -> std::io::Result<()> {
    std::fs::create_dir_all(root)?;
    for (name, text) in files.as_object().into_iter().flatten() {
        let path = root.join(name);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(path, text.as_str().unwrap_or_default())?;
    }
    Ok(())
}

/// Whether an entry holds everything by which a scenario names it.
fn meant(item: &Value, text: &str) -> bool {
    let patterns: Vec<&str> =
        item["entry"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    !patterns.is_empty()
        && patterns.iter().all(|pattern| {
            nidra_core::text::expression::new(pattern).is_ok_and(|pattern| pattern.is_match(text))
        })
}

/// A verdict in the words of the scenarios.
fn shown(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Stale | Verdict::Moved => "stale",
        Verdict::Fresh => "valid",
        Verdict::Ambiguous | Verdict::NotCheckable => "uncheckable",
    }
}
