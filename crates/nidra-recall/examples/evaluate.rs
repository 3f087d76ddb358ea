//! Scores recall on folders that hold one home per conversation and `questions.jsonl`, and tries other weights.
//!
//! `evaluate [--weights JSON] [--search] FOLDER…`

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a tool for measuring, not part of the product"
)]

use jiff::ZonedDateTime;
use jiff::tz::TimeZone;
use nidra_core::text::redact::Scope;
use nidra_recall::analyze::Analyzer;
use nidra_recall::index::{Index, Sources};
use nidra_recall::question::Question;
use nidra_recall::rank::Weights;
use nidra_recall::turns::{self, Searching};
use nidra_sessions::{ClaudeCode, Reader as _};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

#[derive(serde::Deserialize)]
struct Asked {
    conv: String,
    q: String,
    #[serde(rename = "type")]
    kind: String,
    ev: Vec<String>,
    new: Vec<String>,
    old: Vec<String>,
}

struct Talk {
    index: Index,
    reader: ClaudeCode,
    transcripts: Vec<nidra_sessions::Transcript>,
    now: ZonedDateTime,
    asked: Vec<Asked>,
    _scratch: tempfile::TempDir,
}

fn load(folder: &Path) -> Vec<Talk> {
    let mut asked: BTreeMap<String, Vec<Asked>> = BTreeMap::new();
    for line in std::fs::read_to_string(folder.join("questions.jsonl")).unwrap().lines() {
        let one: Asked = serde_json::from_str(line).unwrap();
        asked.entry(one.conv.clone()).or_default().push(one);
    }
    let talk = |(conv, asked): (String, Vec<Asked>)| {
        let root = folder.join(&conv);
        let reader = ClaudeCode { config: root.join("home/.claude"), own: Vec::new() };
        let transcripts = reader.discover(&|_| None).transcripts;
        let now: jiff::Timestamp = std::fs::read_to_string(root.join("now")).unwrap().trim().parse().unwrap();
        let scratch = tempfile::tempdir().unwrap();
        let sources = Sources {
            reader: &reader,
            transcripts: &transcripts,
            found: &transcripts,
            accept: &|_| true,
            scope: Scope::Secrets,
            now,
        };
        let index = Index::up_to_date(scratch.path(), sources).unwrap();
        Talk {
            index,
            reader,
            transcripts,
            now: now.to_zoned_datetime(TimeZone::UTC),
            asked,
            _scratch: scratch,
        }
    };
    asked.into_iter().map(talk).collect()
}

#[derive(Default)]
struct Score {
    recall: Vec<f64>,
    first: Vec<f64>,
    wrong: usize,
    kinds: BTreeMap<String, Vec<f64>>,
    pairs: Vec<(bool, bool)>,
}

fn mean(values: &[f64]) -> f64 {
    100.0 * values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn score(talks: &[Talk], weights: Weights, verbose: bool) -> Score {
    let mut total = Score::default();
    let mut analyzer = Analyzer::default();
    for talk in talks {
        for asked in &talk.asked {
            let question = Question::read(&asked.q, &talk.now, &mut analyzer);
            let searching = Searching {
                index: &talk.index,
                reader: &talk.reader,
                transcripts: &talk.transcripts,
                scope: Scope::Secrets,
                weights,
                zone: &TimeZone::UTC,
                since: None,
                until: None,
            };
            let found = turns::find(searching, &question, &mut analyzer, 80).unwrap();
            let ranks: Vec<&str> = found.iter().map(|one| one.record.as_str()).collect();
            let evidence: BTreeSet<&str> = asked.ev.iter().map(String::as_str).collect();
            let hit = ranks.iter().take(10).filter(|record| evidence.contains(*record)).count();
            let recall = hit as f64 / evidence.len() as f64;
            total.recall.push(recall);
            total
                .first
                .push(f64::from(u8::from(ranks.iter().take(3).any(|record| evidence.contains(record)))));
            total.wrong += found
                .iter()
                .filter(|one| {
                    one.superseded
                        && evidence.contains(one.record.as_str())
                        && !asked.old.contains(&one.record)
                })
                .count();
            total.kinds.entry(asked.kind.clone()).or_default().push(recall);
            let rank = |records: &[String]| {
                ranks.iter().position(|one| records.iter().any(|record| record == one)).unwrap_or(usize::MAX)
            };
            if verbose {
                for one in found.iter().filter(|one| {
                    one.replaced_by.is_some()
                        && evidence.contains(one.record.as_str())
                        && !asked.old.contains(&one.record)
                }) {
                    let by = found.iter().find(|other| Some(&other.record) == one.replaced_by.as_ref());
                    let short = |text: &str| text.replace('\n', " ").chars().take(300).collect::<String>();
                    println!(
                        "WRONG [{}] {}\n   {}\n   by {}",
                        asked.kind,
                        asked.q,
                        short(&one.text),
                        by.map(|by| short(&by.text)).unwrap_or_default()
                    );
                }
            }
            if !asked.new.is_empty() && !asked.old.is_empty() {
                let (new, old) = (rank(&asked.new), rank(&asked.old));
                total.pairs.push((new < old, old < 10));
                if verbose {
                    println!("\nQ {} | new {new} old {old}", asked.q);
                    for one in found.iter().take(24) {
                        let mark = if asked.new.contains(&one.record) {
                            "NEW"
                        } else if asked.old.contains(&one.record) {
                            "OLD"
                        } else {
                            "   "
                        };
                        if mark != "   " {
                            println!(
                                "  {mark} {:.2} {} {}",
                                one.score,
                                one.voice.as_str(),
                                one.text.replace('\n', " ").chars().take(600).collect::<String>()
                            );
                        }
                    }
                }
            }
        }
    }
    total
}

fn main() {
    let mut folders = Vec::new();
    let mut weights = Weights::default();
    let (mut search, mut verbose) = (false, false);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--weights" => weights = serde_json::from_str(&words.next().unwrap()).unwrap(),
            "--search" => search = true,
            "--pairs" => verbose = true,
            _ => folders.push(PathBuf::from(word)),
        }
    }
    let sets: Vec<(String, Vec<Talk>)> = folders
        .iter()
        .map(|folder| (folder.file_name().unwrap().to_string_lossy().into_owned(), load(folder)))
        .collect();
    let figures = |weights: Weights| -> Vec<f64> {
        sets.iter().map(|(_, talks)| mean(&score(talks, weights, false).recall)).collect()
    };
    if search {
        climb(weights, &figures);
        return;
    }
    for (name, talks) in &sets {
        let score = score(talks, weights, verbose);
        let kinds: BTreeMap<&String, f64> =
            score.kinds.iter().map(|(kind, values)| (kind, (mean(values) * 10.0).round() / 10.0)).collect();
        let first = score.pairs.iter().filter(|pair| pair.0).count();
        let stale = score.pairs.iter().filter(|pair| pair.1).count();
        println!(
            "{name}: R@10 {:.1} hit@3 {:.1} wrong {}  newest first {first}/{} stale {stale}  {kinds:?}",
            mean(&score.recall),
            mean(&score.first),
            score.wrong,
            score.pairs.len()
        );
    }
}

/// Changes one weight after the other as long as the mean over the sets gains.
fn climb(mut weights: Weights, figures: &dyn Fn(Weights) -> Vec<f64>) {
    let goal = |figures: &[f64]| figures.iter().sum::<f64>() / figures.len() as f64;
    let mut best = figures(weights);
    println!("start {:.2} {best:.1?}", goal(&best));
    let value = serde_json::to_value(weights).unwrap();
    let names: Vec<String> = value.as_object().unwrap().keys().cloned().collect();
    for round in 0..2 {
        for name in &names {
            for step in [0.5, 0.75, 1.3, 1.8] {
                let mut value = serde_json::to_value(weights).unwrap();
                let before = value[name].as_f64().unwrap();
                value[name] = (((before * step) * 1000.0).round() / 1000.0).into();
                let tried: Weights = serde_json::from_value(value).unwrap();
                let now = figures(tried);
                if goal(&now) > goal(&best) + 0.05 {
                    println!(
                        "{round} {name} {before:.2} -> {:.3}: {:.2} {now:.1?}",
                        before * step,
                        goal(&now)
                    );
                    (weights, best) = (tried, now);
                }
            }
        }
    }
    println!("{}", serde_json::to_string(&weights).unwrap());
}
