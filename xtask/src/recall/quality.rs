//! Recall on public conversations: the share of the evidence among the first hits, and whether the newest value wins.
//!
//! A set is a folder with `questions.jsonl` and one folder for each conversation: `home` with the client's folder,
//! `work` with the checkout, `now` with the moment of asking. A question is
//! `{"conv","q","type","ev":[record…],"new":[…],"old":[…]}`.

use super::kept;
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// What others reach on the whole sets, evidence among the first ten, in percent.
const REFERENCES: [(&str, &str); 3] = [
    ("locomo", "BM25 52.0, stemmed 61.7, dense 45.1, both fused 57.0, best simple hybrid 70.5"),
    ("beam-100K", "BM25 39.8, with a prior for people 50.2, dense 55.6, fused with the prior 57.6"),
    ("beam-500K", "BM25 35.4, with a prior for people 46.8"),
];

/// A question and where its answer stands.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) text: String,
    pub(super) kind: String,
    pub(super) evidence: BTreeSet<String>,
    pub(super) new: BTreeSet<String>,
    pub(super) old: BTreeSet<String>,
}

/// The questions of a set by their conversation.
pub(super) type Talks = BTreeMap<String, Vec<Asked>>;

/// The sums over the questions of a set.
#[derive(Debug, Default, PartialEq)]
struct Sums {
    questions: u32,
    /// Recall among the first 1, 5, 10 and 20.
    recall: [f64; 4],
    kinds: BTreeMap<String, (f64, u32)>,
    pairs: u32,
    newest_first: u32,
    stale: u32,
}

const DEPTHS: [usize; 4] = [1, 5, 10, 20];

impl Sums {
    fn add(&mut self, asked: &Asked, hits: &[String]) {
        let share = |depth: usize| {
            let first: BTreeSet<&String> = hits.iter().take(depth).collect();
            let held = asked.evidence.iter().filter(|record| first.contains(record)).count();
            held as f64 / asked.evidence.len() as f64
        };
        self.questions += 1;
        for (sum, depth) in self.recall.iter_mut().zip(DEPTHS) {
            *sum += share(depth);
        }
        let kind = self.kinds.entry(asked.kind.clone()).or_default();
        kind.0 += share(10);
        kind.1 += 1;
        if !asked.new.is_empty() && !asked.old.is_empty() {
            let rank = |records: &BTreeSet<String>| {
                hits.iter().position(|hit| records.contains(hit)).unwrap_or(usize::MAX)
            };
            let (new, old) = (rank(&asked.new), rank(&asked.old));
            self.pairs += 1;
            self.newest_first += u32::from(new < old);
            self.stale += u32::from(old < 10);
        }
    }
}

/// Measures every set below the folder.
pub(super) fn run(nidra: &Path, folder: &Path) -> Result<bool> {
    let mut sets: Vec<PathBuf> = fs::read_dir(folder)
        .with_context(|| format!("cannot list {}", folder.display()))?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.join("questions.jsonl").is_file())
        .collect();
    sets.sort();
    if sets.is_empty() {
        bail!("no folder below {} holds a questions.jsonl", folder.display());
    }
    println!(
        "{:<12} {:>9} {:>6} {:>6} {:>6} {:>6}  {:>13} {:>8}",
        "set", "questions", "R@1", "R@5", "R@10", "R@20", "newest first", "stale"
    );
    for set in sets {
        let name = set.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let talks = talks(&set)?;
        let sums = measure(nidra, &set, &talks)?;
        let percent = |sum: f64| 100.0 * sum / f64::from(sums.questions.max(1));
        let of_pairs = |count: u32| match sums.pairs {
            0 => "–".to_owned(),
            pairs => format!("{:.0} %", 100.0 * f64::from(count) / f64::from(pairs)),
        };
        let [one, five, ten, twenty] = sums.recall.map(percent);
        println!(
            "{name:<12} {:>9} {one:>6.1} {five:>6.1} {ten:>6.1} {twenty:>6.1}  {:>13} {:>8}",
            sums.questions,
            of_pairs(sums.newest_first),
            of_pairs(sums.stale),
        );
        if let Some((_, others)) = REFERENCES.iter().find(|(set, _)| *set == name) {
            println!("{:<12} others, R@10: {others}", "");
        }
        let kinds: BTreeMap<&String, f64> = sums
            .kinds
            .iter()
            .map(|(kind, (sum, count))| (kind, (1000.0 * sum / f64::from(*count)).round() / 10.0))
            .collect();
        println!(
            "{}",
            json!({ "set": name, "questions": sums.questions, "recall@10": (10.0 * ten).round() / 10.0,
            "pairs": sums.pairs, "newest_first": sums.newest_first, "stale": sums.stale, "recall@10 by type": kinds })
        );
        kept::run(nidra, &set, &name, &talks)?;
    }
    Ok(true)
}

/// Reads the questions of one set.
fn talks(set: &Path) -> Result<Talks> {
    let mut talks = Talks::new();
    for line in fs::read_to_string(set.join("questions.jsonl"))?.lines() {
        let value: Value = serde_json::from_str(line).context("a line of questions.jsonl")?;
        let (talk, asked) =
            question(&value).with_context(|| format!("a question without its parts: {line}"))?;
        if !asked.evidence.is_empty() {
            talks.entry(talk).or_default().push(asked);
        }
    }
    Ok(talks)
}

/// Asks the questions of one set.
fn measure(nidra: &Path, set: &Path, talks: &Talks) -> Result<Sums> {
    let mut sums = Sums::default();
    for (talk, questions) in talks {
        let answers =
            ask(nidra, &set.join(talk), questions).with_context(|| format!("conversation {talk}"))?;
        for (number, asked) in questions.iter().enumerate() {
            sums.add(asked, answers.get(&(number as u64)).map_or(&[], Vec::as_slice));
        }
    }
    Ok(sums)
}

fn question(value: &Value) -> Option<(String, Asked)> {
    let text = |name: &str| value[name].as_str().map(str::to_owned);
    let records = |name: &str| {
        value[name].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let asked = Asked {
        text: text("q")?,
        kind: text("type")?,
        evidence: records("ev"),
        new: records("new"),
        old: records("old"),
    };
    Some((text("conv")?, asked))
}

/// The records of the hits of each question, by its number.
fn ask(nidra: &Path, root: &Path, questions: &[Asked]) -> Result<BTreeMap<u64, Vec<String>>> {
    let state = tempfile::tempdir()?;
    let words = ["recall", "--sessions", "--batch", "--limit", "20"];
    let mut child = super::inside(nidra, root, state.path(), &words)?
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut lines = String::new();
    for (number, asked) in questions.iter().enumerate() {
        lines.push_str(&json!({ "id": number, "q": asked.text }).to_string());
        lines.push('\n');
    }
    let mut input = child.stdin.take().context("no standard input")?;
    // Answers come while questions are still written.
    let writing = std::thread::spawn(move || input.write_all(lines.as_bytes()));
    let output = child.wait_with_output()?;
    writing.join().ok().context("the questions were not taken")??;
    if !output.status.success() {
        bail!("nidra recall ended with {}", output.status);
    }
    let mut answers = BTreeMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let answer: Value = serde_json::from_str(line)?;
        let hits = answer["hits"].as_array().into_iter().flatten();
        let records = hits.filter_map(|hit| hit["record"].as_str()).map(str::to_owned).collect();
        answers.insert(answer["id"].as_u64().context("an answer without its number")?, records);
    }
    Ok(answers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_counts_what_it_found() {
        let (_, asked) = question(&json!({ "conv": "a", "q": "which port?", "type": "update", "ev": ["x", "y"], "new": ["y"], "old": ["x"] })).unwrap();
        let hits: Vec<String> = ["z", "y", "w", "v", "x"].map(str::to_owned).to_vec();
        let mut sums = Sums::default();
        sums.add(&asked, &hits);
        let recall: Vec<String> = sums.recall.iter().map(|sum| format!("{sum:.2}")).collect();
        assert_eq!(recall, ["0.00", "1.00", "1.00", "1.00"]);
        assert_eq!((sums.pairs, sums.newest_first, sums.stale), (1, 1, 1));
        sums.add(&asked, &[]);
        assert_eq!((sums.newest_first, sums.stale, sums.questions), (1, 1, 2));
        assert_eq!(sums.kinds["update"], (1.0, 2));
    }
}
