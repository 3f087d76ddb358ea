//! Learns how much each signal of `nidra_rules::worth` weighs.
//!
//! `worth FILE-OR-FOLDER...` reads scenarios and takes from `gold.keep` and `gold.update` which sentences of a person
//! were worth keeping; what only may be kept teaches nothing. It prints, for the weights that were set by hand, for those
//! that were learnt from the other scenarios, and for the mean of both, how often of two sentences the one worth keeping
//! weighs more, and how many of the best are worth keeping; then the weights learnt from all, as the table of
//! `src/worth/weights.rs`.
#![expect(clippy::print_stdout, reason = "figures and the table are what this program is for")]

#[path = "../support/gold.rs"]
mod gold;
#[path = "../support/learn.rs"]
mod learn;
#[path = "../support/talk.rs"]
mod talk;

use gold::patterns;
use jiff::{Timestamp, ZonedDateTime};
use learn::{Learning, Weights};
use nidra_core::{EngineInput, MemoryView, Unwatched};
use nidra_rules::worth;
use regex::Regex;
use serde_json::Value;
use std::error::Error;
use std::path::PathBuf;

const LEARNING: Learning = Learning { rounds: 3000, penalty: 0.002, rare: 1.0 };
/// Weights below this are left out of the table.
const SMALL: f64 = 0.05;

/// A sentence with the known answer.
struct Sentence {
    by_hand: Vec<f64>,
    signals: Vec<f64>,
    kept: bool,
}

fn main() -> Result<(), Box<dyn Error>> {
    let files = gold::files(std::env::args().skip(1))?;
    let scenarios = files.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let all: Vec<&Sentence> = scenarios.iter().flatten().collect();
    let by_hand = learn(&all, |sentence| &sentence.by_hand);

    let mut ranked: [Vec<(f64, bool)>; 3] = Default::default();
    for (at, held) in scenarios.iter().enumerate() {
        let others: Vec<&Sentence> = scenarios
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != at)
            .flat_map(|(_, other)| other)
            .collect();
        let weights = learn(&others, |sentence| &sentence.signals);
        for sentence in held {
            let (hand, learnt) = (by_hand.sum(&sentence.by_hand), weights.sum(&sentence.signals));
            for (ranked, value) in ranked.iter_mut().zip([hand, learnt, f64::midpoint(hand, learnt)]) {
                ranked.push((value, sentence.kept));
            }
        }
    }
    let kept = all.iter().filter(|sentence| sentence.kept).count();
    println!("{} sentences, {kept} worth keeping", all.len());
    for (name, ranked) in ["by hand", "learnt", "both"].into_iter().zip(&mut ranked) {
        ranked.sort_by(|left, right| right.0.total_cmp(&left.0));
        let best = |count: usize| {
            ranked.iter().take(count).filter(|(_, kept)| *kept).count() as f64
                / count.min(ranked.len()) as f64
        };
        println!(
            "{name:8} right of two {:.3}, of the best {} worth keeping {:.3}, of the best {kept} {:.3}",
            right_of_two(ranked),
            kept / 2,
            best(kept / 2),
            best(kept)
        );
    }

    let weights = learn(&all, |sentence| &sentence.signals);
    println!("\npub(super) const HAND: f64 = {:.2};", by_hand.signals.first().copied().unwrap_or_default());
    println!("pub(super) const HAND_BIAS: f64 = {:.2};", by_hand.bias);
    println!("pub(super) const BIAS: f64 = {:.2};\n", weights.bias);
    println!("pub(super) const WEIGHTS: &[(&str, f64)] = &[");
    for (name, weight) in worth::names().iter().zip(&weights.signals) {
        println!("    (\"{name}\", {:.2}),", if weight.abs() < SMALL { 0.0 } else { *weight });
    }
    println!("];");
    Ok(())
}

fn learn(sentences: &[&Sentence], signals: impl Fn(&Sentence) -> &Vec<f64>) -> Weights {
    let examples: Vec<(&[f64], bool)> =
        sentences.iter().map(|sentence| (signals(sentence).as_slice(), sentence.kept)).collect();
    LEARNING.learn(&examples)
}

/// How often of two sentences the one that is worth keeping stands before the one that is not.
fn right_of_two(ranked: &[(f64, bool)]) -> f64 {
    let (mut kept, mut right, mut others) = (0_usize, 0_usize, 0_usize);
    for (_, worth) in ranked {
        if *worth {
            kept += 1;
        } else {
            others += 1;
            right += kept;
        }
    }
    right as f64 / (kept * others).max(1) as f64
}

fn read(path: &PathBuf) -> Result<Vec<Sentence>, Box<dyn Error>> {
    let scenario: Value = serde_json::from_str(&std::fs::read_to_string(path)?.replace('\u{205d}', ""))?;
    let zone = scenario["tz"].as_str().unwrap_or("UTC");
    let now: ZonedDateTime =
        scenario["now"].as_str().unwrap_or_default().parse::<Timestamp>()?.in_tz(zone)?;
    let conversations = talk::conversations(&scenario)?;
    let memory = MemoryView::default();
    let facts = |list: &str, key: &str| -> Result<Vec<Vec<Regex>>, Box<dyn Error>> {
        scenario["gold"][list].as_array().into_iter().flatten().map(|fact| patterns(&fact[key])).collect()
    };
    let mut wanted = facts("keep", "must")?;
    wanted.extend(facts("update", "new")?);
    let allowed = facts("ok", "must")?;

    let mut sentences = Vec::new();
    for example in worth::examples(&EngineInput {
        conversations: &conversations,
        memory: &memory,
        now: &now,
        watcher: &Unwatched,
    }) {
        let holds =
            |fact: &Vec<Regex>, text: &str| fact.iter().filter(|pattern| pattern.is_match(text)).count();
        let kept = wanted.iter().any(|fact| {
            let said = holds(fact, &example.said);
            let whole = said == fact.len() || fact.len() > 2 && said + 1 == fact.len();
            whole && holds(fact, &example.sentence) >= fact.len().div_ceil(2).max(1)
        });
        let may = allowed.iter().any(|fact| !fact.is_empty() && holds(fact, &example.said) == fact.len());
        if kept || !may {
            sentences.push(Sentence {
                by_hand: vec![example.by_hand.clamp(-6.0, 6.0)],
                signals: example.signals,
                kept,
            });
        }
    }
    Ok(sentences)
}
