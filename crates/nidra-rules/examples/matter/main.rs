//! Learns how much each signal of `nidra_rules::matter` weighs.
//!
//! `matter FILE-OR-FOLDER...` reads scenarios, pairs each sentence of a person with each statement of memory, and takes
//! from `gold.update` which pairs are of one matter. It prints how well the weights do on each scenario when they were
//! learnt from the others, then the weights learnt from all, as the table of `src/matter/weights.rs`. The result is
//! the same in every run: the learning starts from zero and uses no chance.
#![expect(clippy::print_stdout, reason = "figures and the table are what this program is for")]

#[path = "../support/mod.rs"]
mod support;

use jiff::{Timestamp, ZonedDateTime};
use nidra_core::EngineInput;
use nidra_rules::matter::{self, Signals, Slots};
use regex::{Regex, RegexBuilder};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::PathBuf;

/// Rounds of learning.
const ROUNDS: usize = 3000;
/// How far a round goes.
const STEP: f64 = 0.5;
/// How much a weight costs.
const PENALTY: f64 = 0.0008;
/// How much more a pair of one matter counts than one that is not.
const RARE: f64 = 4.0;
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
}

struct Scenario {
    name: String,
    pairs: Vec<Pair>,
    updates: usize,
}

struct Weights {
    bias: f64,
    signals: Vec<f64>,
}

impl Weights {
    fn probability(&self, signals: &[f64]) -> f64 {
        let sum: f64 = self.signals.iter().zip(signals).map(|(weight, signal)| weight * signal).sum();
        1.0 / (1.0 + (-(self.bias + sum)).exp())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut verbose = false;
    let mut files = Vec::new();
    for argument in std::env::args().skip(1) {
        if argument == "--verbose" {
            verbose = true;
            continue;
        }
        let path = PathBuf::from(argument);
        if path.is_dir() {
            for entry in std::fs::read_dir(path)? {
                files.push(entry?.path());
            }
        } else {
            files.push(path);
        }
    }
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    let scenarios = files.iter().map(read).collect::<Result<Vec<_>, _>>()?;

    let mut sums = [(0, 0); TAKEN.len()];
    for held in &scenarios {
        let others: Vec<&Scenario> = scenarios.iter().filter(|other| other.name != held.name).collect();
        let weights = learn(&others);
        for (sum, taken) in sums.iter_mut().zip(TAKEN) {
            let (found, wrong) = judge(held, &weights, taken, false);
            *sum = (sum.0 + found, sum.1 + wrong);
        }
        let (found, wrong) = judge(held, &weights, TAKEN[0], verbose);
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
    let conversations = support::conversations(&scenario)?;
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    for (name, text) in scenario["memory"].as_object().into_iter().flatten() {
        files.insert(name.clone(), text.as_str().unwrap_or_default().to_owned());
    }
    let memory = support::view(&files);
    let slots = Slots::new(&memory, &now);
    let input = EngineInput { conversations: &conversations, memory: &memory, now: &now };

    let updates: Vec<(Vec<Regex>, Vec<Regex>)> = scenario["gold"]["update"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|update| Ok((patterns(&update["new"])?, patterns(&update["old"])?)))
        .collect::<Result<_, Box<dyn Error>>>()?;
    let mut known = BTreeSet::new();
    let mut pairs = Vec::new();
    for example in matter::examples(&input, &slots) {
        let slot = &slots.slots()[example.slot];
        let update = updates.iter().position(|(new, old)| {
            old.iter().any(|old| old.is_match(&slot.text))
                && new.iter().any(|new| new.is_match(&example.sentence) && !new.is_match(&slot.text))
        });
        known.extend(update);
        pairs.push(Pair {
            sentence: (example.session, example.utterance, example.sentence),
            text: slot.text.clone(),
            slot: example.slot,
            signals: example.pair.signals.values(),
            update,
        });
    }
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Scenario { name, pairs, updates: known.len() })
}

fn patterns(list: &Value) -> Result<Vec<Regex>, Box<dyn Error>> {
    // What must not stand beside a value only matters where it is looked for in a whole file.
    let around = Regex::new(r"\(\?<?[!=][^()]*\)")?;
    let texts = list.as_array().into_iter().flatten().filter_map(Value::as_str);
    Ok(texts
        .map(|text| RegexBuilder::new(&around.replace_all(text, "")).case_insensitive(true).build())
        .collect::<Result<_, _>>()?)
}

/// Logistic regression by plain descent.
fn learn(scenarios: &[&Scenario]) -> Weights {
    let count = Signals::NAMES.len();
    let pairs: Vec<&Pair> = scenarios.iter().flat_map(|scenario| &scenario.pairs).collect();
    let total: f64 = pairs.iter().map(|pair| if pair.update.is_some() { RARE } else { 1.0 }).sum();
    let mut weights = Weights { bias: 0.0, signals: vec![0.0; count] };
    let mut speed = vec![0.0; count + 1];
    for _ in 0..ROUNDS {
        let mut slope = vec![0.0; count + 1];
        for pair in &pairs {
            let (wanted, factor) = if pair.update.is_some() { (1.0, RARE) } else { (0.0, 1.0) };
            let error = (weights.probability(&pair.signals) - wanted) * factor / total;
            for (slope, signal) in slope.iter_mut().zip(&pair.signals) {
                *slope += error * signal;
            }
            slope[count] += error;
        }
        for (at, speed) in speed.iter_mut().enumerate() {
            let weight = if at == count { &mut weights.bias } else { &mut weights.signals[at] };
            let cost = if at == count { 0.0 } else { PENALTY * *weight };
            *speed = 0.9 * *speed - STEP * (slope[at] + cost);
            *weight += *speed;
        }
    }
    weights
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
        } else {
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
