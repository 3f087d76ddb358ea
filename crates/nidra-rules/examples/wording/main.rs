//! Learns which wordings speak for keeping a sentence.
//!
//! `wording FILE...` reads utterances as JSON lines (`text`, `label`: `keep` or `drop`). It prints how well the files of
//! each author are judged by what the others teach, and with `--table FILE` writes the weights learnt from all, as
//! `src/worth/wording.tsv`.
#![expect(clippy::print_stdout, reason = "figures are what this program is for")]

use nidra_rules::worth::wording;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

/// Passes over all utterances.
const ROUNDS: usize = 40;
/// How far one utterance moves a weight at first.
const STEP: f64 = 0.2;
/// How strongly weights are drawn to nothing.
const PENALTY: f64 = 0.003;
/// A feature that fewer utterances have teaches nothing.
const RARE: usize = 3;
/// Hundredths below which a weight is left out of the table.
const SMALL: f64 = 3.0;

struct Utterance {
    author: String,
    features: Vec<String>,
    kept: bool,
}

#[derive(Default)]
struct Weights {
    bias: f64,
    by_feature: HashMap<String, f64>,
}

impl Weights {
    fn odds(&self, utterance: &Utterance) -> f64 {
        let sum: f64 = utterance.features.iter().filter_map(|feature| self.by_feature.get(feature)).sum();
        self.bias + sum
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1).peekable();
    let mut table = None;
    let mut utterances = Vec::new();
    while let Some(argument) = arguments.next() {
        if argument == "--table" {
            table = arguments.next();
        } else {
            read(Path::new(&argument), &mut utterances)?;
        }
    }
    let mut authors: Vec<String> = utterances.iter().map(|one: &Utterance| one.author.clone()).collect();
    authors.sort();
    authors.dedup();
    for author in &authors {
        let (held, others): (Vec<&Utterance>, Vec<&Utterance>) =
            utterances.iter().partition(|one| one.author == *author);
        let weights = learn(&others);
        let mut ranked: Vec<(f64, bool)> = held.iter().map(|one| (weights.odds(one), one.kept)).collect();
        let right = ranked.iter().filter(|(odds, kept)| (*odds > 0.0) == *kept).count();
        ranked.sort_by(|left, right| right.0.total_cmp(&left.0));
        println!(
            "{author}: {} utterances, judged right {:.3}, right of two {:.3}",
            held.len(),
            right as f64 / held.len().max(1) as f64,
            right_of_two(&ranked)
        );
    }
    if let Some(table) = table {
        let weights = learn(&utterances.iter().collect::<Vec<_>>());
        std::fs::write(table, render(&weights))?;
    }
    Ok(())
}

/// Reads a file; its author is the beginning of its name.
fn read(path: &Path, utterances: &mut Vec<Utterance>) -> Result<(), Box<dyn Error>> {
    let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
    let author = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '-');
    for line in std::fs::read_to_string(path)?.lines().filter(|line| !line.trim().is_empty()) {
        let value: Value = serde_json::from_str(line)?;
        let text = value["text"].as_str().ok_or("no text")?;
        utterances.push(Utterance {
            author: author.to_owned(),
            features: wording::features(text).into_iter().collect(),
            kept: value["label"] == "keep",
        });
    }
    Ok(())
}

/// Logistic regression by steps that shrink with what a weight has moved already; the order is the same each time.
fn learn(utterances: &[&Utterance]) -> Weights {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for feature in utterances.iter().flat_map(|one| &one.features) {
        *counts.entry(feature).or_default() += 1;
    }
    let known: HashMap<&str, usize> = counts
        .into_iter()
        .filter(|(_, count)| *count >= RARE)
        .enumerate()
        .map(|(at, (feature, _))| (feature, at))
        .collect();
    let rows: Vec<(Vec<usize>, f64)> = utterances
        .iter()
        .map(|one| {
            let at = one.features.iter().filter_map(|feature| known.get(feature.as_str()).copied());
            (at.collect(), f64::from(u8::from(one.kept)))
        })
        .collect();
    let (mut weights, mut moved) = (vec![0.0; known.len()], vec![1.0; known.len()]);
    let (mut bias, mut bias_moved) = (0.0, 1.0_f64);
    for round in 0..ROUNDS {
        // A fixed walk over all rows that is not their order.
        let stride = rows.len() / 2 + round + 1;
        for step in 0..rows.len() {
            let Some((features, kept)) = rows.get(step * coprime(stride, rows.len()) % rows.len()) else {
                continue;
            };
            let odds: f64 = bias + features.iter().filter_map(|at| weights.get(*at)).sum::<f64>();
            let error = kept - 1.0 / (1.0 + (-odds).exp());
            bias += STEP * error / bias_moved.sqrt();
            bias_moved += error * error;
            for at in features {
                if let (Some(weight), Some(moved)) = (weights.get_mut(*at), moved.get_mut(*at)) {
                    let slope = error - PENALTY * rows.len() as f64 / 40.0 * *weight;
                    *weight += STEP * slope / f64::sqrt(*moved);
                    *moved += slope * slope;
                }
            }
        }
    }
    let by_feature =
        known.into_iter().filter_map(|(feature, at)| Some((feature.to_owned(), *weights.get(at)?))).collect();
    Weights { bias, by_feature }
}

/// The next number that shares no factor with the length.
fn coprime(from: usize, length: usize) -> usize {
    fn common(left: usize, right: usize) -> usize {
        if right == 0 { left } else { common(right, left % right) }
    }
    (from..).find(|number| common(*number, length) == 1).unwrap_or(1)
}

/// How often of two utterances the one that is worth keeping stands before the one that is not.
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

fn render(weights: &Weights) -> String {
    let mut rows: Vec<(&str, f64)> = weights
        .by_feature
        .iter()
        .map(|(feature, weight)| (feature.as_str(), (weight * 100.0).round()))
        .filter(|(_, weight)| weight.abs() >= SMALL)
        .collect();
    rows.sort_by(|left, right| left.0.cmp(right.0));
    let mut text = format!("\t{}\n", (weights.bias * 100.0).round());
    for (feature, weight) in rows {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{feature}\t{weight}");
    }
    text
}
