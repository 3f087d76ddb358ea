//! How well the density of passages tells turns that were worth keeping from the others.
//!
//! `density FILE-OR-FOLDER...` reads scenarios and takes from `gold.keep`, `gold.update` and `gold.dates` (`from`) which
//! turns were worth keeping. It prints, by language, how often of two turns the one worth keeping weighs more (the area
//! under the ROC curve), over all turns and over the person's alone, and fails below the limits. `--signals FILE` also
//! writes the signals of each turn and whether it was worth keeping, for `training/density/fit.py`.
#![expect(clippy::print_stdout, reason = "figures are what this program is for")]

#[expect(dead_code, reason = "other programs use more of it")]
#[path = "support/gold.rs"]
mod gold;
#[path = "support/talk.rs"]
mod talk;

use jiff::{Timestamp, ZonedDateTime};
use nidra_core::{Content, Speaker};
use nidra_rules::density;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::io::Write as _;

const LEAST: f64 = 0.90;
const APART: f64 = 0.03;

fn main() -> Result<(), Box<dyn Error>> {
    let mut all: BTreeMap<String, Vec<(f64, bool)>> = BTreeMap::new();
    let mut persons: BTreeMap<String, Vec<(f64, bool)>> = BTreeMap::new();
    let mut others: Vec<(f64, bool)> = Vec::new();
    let verbose = std::env::args().any(|argument| argument == "--verbose");
    let mut arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| argument != "--verbose").collect();
    let mut lines = None;
    if arguments.first().is_some_and(|argument| argument == "--signals") && arguments.len() > 1 {
        lines = Some(std::fs::File::create(arguments.remove(1))?);
        arguments.remove(0);
    }
    for path in gold::files(arguments.into_iter())? {
        let scenario: Value = serde_json::from_str(&std::fs::read_to_string(path)?.replace('\u{205d}', ""))?;
        let zone = scenario["tz"].as_str().unwrap_or("UTC");
        let now: ZonedDateTime =
            scenario["now"].as_str().unwrap_or_default().parse::<Timestamp>()?.in_tz(zone)?;
        let language = scenario["lang"].as_str().unwrap_or("en").to_owned();
        let wanted: BTreeSet<&str> = ["keep", "update", "dates"]
            .iter()
            .flat_map(|list| scenario["gold"][list].as_array().into_iter().flatten())
            .flat_map(|item| item["from"].as_array().into_iter().flatten())
            .filter_map(Value::as_str)
            .collect();
        // What may be kept teaches nothing.
        let allowed: BTreeSet<&str> = scenario["gold"]["ok"]
            .as_array()
            .into_iter()
            .flatten()
            .flat_map(|item| item["from"].as_array().into_iter().flatten())
            .filter_map(Value::as_str)
            .collect();
        for (conversation, session) in
            talk::conversations(&scenario)?.iter().zip(scenario["sessions"].as_array().into_iter().flatten())
        {
            let id = session["id"].as_str().unwrap_or_default();
            let weighed = density::weigh(conversation, &now);
            let signals = density::signals(conversation, &now);
            let mut at = 0;
            for (number, turn) in session["turns"].as_array().into_iter().flatten().enumerate() {
                let count = parts(turn);
                let value = weighed.iter().skip(at).take(count).map(|one| one.value).fold(0.0, f64::max);
                let person = conversation.turns.get(at).is_some_and(|turn| {
                    turn.speaker == Speaker::Human && matches!(turn.content, Content::Text(_))
                });
                let reason = weighed.get(at).map(|one| one.reason.clone()).unwrap_or_default();
                at += count;
                let signals = signals.iter().skip(at - count).take(count).flatten().next();
                let name = format!("{id}.{number}");
                let kept = wanted.contains(name.as_str());
                if count == 0 || !kept && allowed.contains(name.as_str()) {
                    continue;
                }
                if let Some(lines) = &mut lines {
                    let line = serde_json::json!({ "value": value, "signals": signals, "kept": kept });
                    writeln!(lines, "{line}")?;
                }
                if verbose && (kept && value < 0.3 || !kept && value > 0.7) {
                    println!("{} {value:.2} {reason}: {turn}", if kept { "KEEP" } else { "    " });
                }
                all.entry(language.clone()).or_default().push((value, kept));
                if !person {
                    others.push((value, kept));
                }
                if person {
                    persons.entry(language.clone()).or_default().push((value, kept));
                }
            }
        }
    }
    let mut areas = BTreeMap::new();
    for (language, turns) in &all {
        let area = area(turns);
        let own = persons.get(language).map_or(0.0, |turns| self::area(turns));
        println!(
            "{language:6} {:5} turns, {:4} worth keeping: {area:.3}; the person's alone {own:.3}",
            turns.len(),
            turns.iter().filter(|(_, kept)| *kept).count()
        );
        areas.insert(language.as_str(), area);
    }
    let everything: Vec<_> = all.values().flatten().copied().collect();
    let whole = area(&everything);
    println!(
        "all    {:5} turns: {whole:.3}; those of agent and tools alone {:.3}",
        everything.len(),
        area(&others)
    );
    let apart = areas.get("zh").zip(areas.get("en")).map_or(0.0, |(chinese, english)| english - chinese);
    if whole < LEAST || apart > APART {
        return Err(format!("{whole:.3} of {LEAST} at least; Chinese {apart:.3} below English").into());
    }
    Ok(())
}

/// Turns of the conversation that a turn of the scenario becomes.
fn parts(turn: &Value) -> usize {
    if turn["t"].is_object() {
        2
    } else if let Some(inner) = turn["side"].as_array() {
        inner.iter().map(parts).sum()
    } else {
        usize::from(
            turn["u"].is_string()
                || turn["a"].is_string()
                || turn["meta"].is_string()
                || turn["interrupt"] == true,
        )
    }
}

/// How often of two turns the one worth keeping weighs more; of two that weigh alike half counts.
fn area(turns: &[(f64, bool)]) -> f64 {
    let (kept, others): (Vec<_>, Vec<_>) = turns.iter().partition(|(_, kept)| *kept);
    let mut right = 0.0;
    for (value, _) in &kept {
        for (other, _) in &others {
            right +=
                if value > other { 1.0 } else { 0.5 * f64::from(u8::from(value.total_cmp(other).is_eq())) };
        }
    }
    right / (kept.len() * others.len()).max(1) as f64
}
