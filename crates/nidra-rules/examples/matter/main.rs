//! Learns how much each signal of `nidra_rules::matter` weighs.
//!
//! `matter FILE-OR-FOLDER...` reads scenarios, pairs each sentence of a person with each statement of memory, and takes
//! from `gold.update` which pairs are of one matter. It prints how well the weights do on each scenario when they were
//! learnt from others, then the weights learnt from all, as the table of `src/matter/weights.rs`. The result is
//! the same in every run: the learning starts from zero and uses no chance.
#![expect(clippy::print_stdout, reason = "figures and the table are what this program is for")]

#[path = "../support/apply.rs"]
mod apply;
#[path = "../support/gold.rs"]
mod gold;
#[path = "../support/learn.rs"]
mod learn;
#[path = "../support/memory.rs"]
mod memory;
#[path = "../support/talk.rs"]
mod talk;

use gold::patterns;
use jiff::{Timestamp, ZonedDateTime};
use learn::{Learning, Weights};
use nidra_core::{Change, Engine, EngineInput, Unwatched};
use nidra_rules::RulesEngine;
use nidra_rules::matter::{self, Signals, Slots};
use regex::Regex;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::PathBuf;

const LEARNING: Learning = Learning { rounds: 3000, penalty: 0.0008, rare: 4.0 };
/// A scenario is judged by what the other parts of all scenarios teach.
const FOLDS: usize = 6;
/// The probabilities from which on a statement may be taken as replaced.
const TAKEN: [f64; 4] = [0.5, 0.6, 0.7, 0.8];

/// A sentence beside a statement, with the known answer.
struct Pair {
    sentence: (usize, usize, String),
    text: String,
    slot: usize,
    signals: Vec<f64>,
    /// The update that the sentence makes to the statement.
    update: Option<usize>,
    /// It is neither an example nor a fault: the statement is replaced by other words nearby, and these may speak of it.
    open: bool,
}

/// So many utterances around the one that updates a statement, others may speak of the update.
const NEARBY: usize = 2;

struct Scenario {
    name: String,
    pairs: Vec<Pair>,
    updates: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    let verbose = std::env::args().any(|argument| argument == "--verbose");
    let files = gold::files(std::env::args().skip(1))?;
    let scenarios = files.iter().map(read).collect::<Result<Vec<_>, _>>()?;

    let mut sums = [(0, 0); TAKEN.len()];
    let learnt: Vec<Weights> = (0..FOLDS)
        .map(|fold| {
            let others = scenarios.iter().enumerate().filter(|(at, _)| at % FOLDS != fold);
            learn(&others.map(|(_, other)| other).collect::<Vec<_>>())
        })
        .collect();
    for (at, held) in scenarios.iter().enumerate() {
        let weights = &learnt[at % FOLDS];
        for (sum, taken) in sums.iter_mut().zip(TAKEN) {
            let (found, wrong) = judge(held, weights, taken, false);
            *sum = (sum.0 + found, sum.1 + wrong);
        }
        let (found, wrong) = judge(held, weights, TAKEN[0], verbose);
        println!("{:24} {found:3} of {:3} updates, {wrong} others", held.name, held.updates);
    }
    let all: usize = scenarios.iter().map(|scenario| scenario.updates).sum();
    for ((found, wrong), taken) in sums.into_iter().zip(TAKEN) {
        println!("from {taken}: {found} of {all} updates, {wrong} others");
    }

    let weights = learn(&scenarios.iter().collect::<Vec<_>>());
    println!("pub(super) const BIAS: f64 = {:.2};\n", weights.bias);
    println!("pub(super) const WEIGHTS: &[(&str, f64)] = &[");
    for (name, weight) in Signals::NAMES.iter().zip(&weights.signals) {
        println!("    (\"{name}\", {weight:.2}),");
    }
    println!("];");
    Ok(())
}

fn read(path: &PathBuf) -> Result<Scenario, Box<dyn Error>> {
    let scenario: Value = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    let zone = scenario["tz"].as_str().unwrap_or("UTC");
    let now: ZonedDateTime =
        scenario["now"].as_str().unwrap_or_default().parse::<Timestamp>()?.in_tz(zone)?;
    let conversations = talk::conversations(&scenario)?;
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    for (name, text) in scenario["memory"].as_object().into_iter().flatten() {
        files.insert(name.clone(), text.as_str().unwrap_or_default().to_owned());
    }
    let updates: Vec<(Vec<Regex>, Vec<Regex>)> = scenario["gold"]["update"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|update| Ok((patterns(&update["new"])?, patterns(&update["old"])?)))
        .collect::<Result<_, Box<dyn Error>>>()?;
    let mut known = BTreeSet::new();
    let mut pairs: Vec<Pair> = Vec::new();
    let mut replaced = Vec::new();
    // Session by session, so that memory holds what was kept of the earlier ones, too: most of that stays true.
    for (session, conversation) in conversations.iter().enumerate() {
        let memory = memory::view(&files);
        let slots = Slots::new(&memory, &now);
        let input = EngineInput {
            conversations: std::slice::from_ref(conversation),
            memory: &memory,
            now: &now,
            watcher: &Unwatched,
        };
        for example in matter::examples(&input, &slots) {
            let slot = &slots.slots()[example.slot];
            let update = updates.iter().position(|(new, old)| {
                old.iter().any(|old| old.is_match(&slot.text))
                    && new.iter().any(|new| new.is_match(&example.sentence) && !new.is_match(&slot.text))
            });
            known.extend(update);
            let old = updates.iter().position(|(new, old)| {
                old.iter().any(|old| old.is_match(&slot.text))
                    && !new.iter().any(|new| new.is_match(&slot.text))
            });
            pairs.push(Pair {
                sentence: (session, example.utterance, example.sentence),
                text: slot.text.clone(),
                slot: example.slot,
                signals: example.pair.signals.values(),
                update,
                open: false,
            });
            replaced.push(old);
        }
        for operation in RulesEngine.dream(input)?.operations {
            if matches!(operation.change, Change::Create { .. } | Change::Append { .. }) {
                apply::apply(&operation.change, &mut files);
            }
        }
    }
    let told: BTreeSet<(Option<usize>, usize, usize)> = pairs
        .iter()
        .filter(|pair| pair.update.is_some())
        .map(|pair| (pair.update, pair.sentence.0, pair.sentence.1))
        .collect();
    for (pair, old) in
        pairs.iter_mut().zip(replaced).filter(|(pair, old)| pair.update.is_none() && old.is_some())
    {
        let (session, utterance, _) = pair.sentence;
        pair.open = (utterance.saturating_sub(NEARBY)..=utterance + NEARBY)
            .any(|at| told.contains(&(old, session, at)));
    }
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Scenario { name, pairs, updates: known.len() })
}

/// The weights that some scenarios teach.
fn learn(scenarios: &[&Scenario]) -> Weights {
    let pairs = scenarios.iter().flat_map(|scenario| &scenario.pairs).filter(|pair| !pair.open);
    let examples: Vec<(&[f64], bool)> =
        pairs.map(|pair| (pair.signals.as_slice(), pair.update.is_some())).collect();
    LEARNING.learn(&examples)
}

/// How many updates are found, and how many other statements would be replaced.
fn judge(scenario: &Scenario, weights: &Weights, taken: f64, verbose: bool) -> (usize, usize) {
    let mut best: BTreeMap<&(usize, usize, String), (&Pair, f64)> = BTreeMap::new();
    for pair in &scenario.pairs {
        let probability = weights.probability(&pair.signals);
        let held = best.entry(&pair.sentence).or_insert((pair, probability));
        if probability > held.1 {
            *held = (pair, probability);
        }
    }
    let mut found = BTreeSet::new();
    let mut wrong = 0;
    for (pair, probability) in best.values().filter(|(_, probability)| *probability >= taken) {
        if let Some(update) = pair.update {
            found.insert(update);
        } else if !pair.open {
            wrong += 1;
        }
        if verbose {
            let mark = if pair.update.is_some() { '+' } else { 'x' };
            println!("  {mark} {probability:.2} {} => {} [{}]", pair.sentence.2, pair.text, pair.slot);
        }
    }
    if verbose {
        for pair in
            scenario.pairs.iter().filter(|pair| pair.update.is_some_and(|update| !found.contains(&update)))
        {
            let shown: Vec<String> = Signals::NAMES
                .iter()
                .zip(&pair.signals)
                .filter(|(_, signal)| **signal != 0.0)
                .map(|(name, signal)| format!("{name} {signal:.2}"))
                .collect();
            println!(
                "  - {:.2} {} => {}\n       {}",
                weights.probability(&pair.signals),
                pair.sentence.2,
                pair.text,
                shown.join(", ")
            );
        }
    }
    (found.len(), wrong)
}
