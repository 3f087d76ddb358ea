//! What a memory of 25 kB keeps of public conversations: the share of the evidence that stands behind its entries.
//!
//! Each conversation is dreamt over once by the rules, into a memory directory of its own. The measure needs no judge: an
//! entry names the records that it rests on, and so does a question.

use super::quality::{Asked, Talks};
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// UTF-16 units of `MEMORY.md` that a client loads, and lines.
const LOADED: (usize, usize) = (25_000, 200);
/// Types of questions whose evidence is how somebody wants things done. It shares no words with the later question, so only
/// what every session loads can tell of it.
const STANDING: [&str; 2] = ["instruction_following", "preference_following"];

/// What others keep in 25 kB, in percent.
const REFERENCES: [(&str, &str); 2] = [
    ("locomo", "random turns 28.8, first words of people 32.9, dense in information 46.1; the aim is 50"),
    ("beam-500K", "random turns 22.1, dense in information 16.6, first words of people 51.0; the aim is 55"),
];

/// A memory, as far as it is measured.
#[derive(Debug, Default)]
struct Memory {
    /// Records behind all active entries.
    store: BTreeSet<String>,
    /// Records behind those that a line of the index leads to.
    index: BTreeSet<String>,
    /// Bytes of the words of those.
    words: usize,
    /// `MEMORY.md` is longer than what a client loads.
    over: bool,
}

/// The sums over the questions of a set.
#[derive(Debug, Default, PartialEq)]
struct Sums {
    questions: u32,
    store: f64,
    index: f64,
    /// Of the evidence from the first and from the second half of a conversation.
    halves: [(f64, u32); 2],
    standing: (f64, u32),
    pairs: u32,
    newest_kept: u32,
    oldest_stated: u32,
}

impl Sums {
    fn add(&mut self, asked: &Asked, memory: &Memory, order: &BTreeMap<String, usize>) {
        let behind = |records: &BTreeSet<String>| {
            asked.evidence.intersection(records).count() as f64 / asked.evidence.len() as f64
        };
        let index = behind(&memory.index);
        self.questions += 1;
        self.store += behind(&memory.store);
        self.index += index;
        for record in &asked.evidence {
            if let Some(place) = order.get(record) {
                let half = &mut self.halves[usize::from(place * 2 >= order.len())];
                half.0 += f64::from(u8::from(memory.index.contains(record)));
                half.1 += 1;
            }
        }
        if STANDING.contains(&asked.kind.as_str()) {
            self.standing.0 += index;
            self.standing.1 += 1;
        }
        if !asked.new.is_empty() && !asked.old.is_empty() {
            self.pairs += 1;
            self.newest_kept += u32::from(!asked.new.is_disjoint(&memory.store));
            self.oldest_stated += u32::from(!asked.old.is_disjoint(&memory.store));
        }
    }
}

/// Dreams over the conversations of one set and prints what is kept.
pub(super) fn run(nidra: &Path, set: &Path, name: &str, talks: &Talks) -> Result<()> {
    let mut sums = Sums::default();
    let (mut words, mut over) = (0, 0);
    for (talk, questions) in talks {
        let root = set.join(talk);
        let memory = dream(nidra, &root).with_context(|| format!("conversation {talk}"))?;
        let order = order(&root)?;
        words += memory.words;
        over += u32::from(memory.over);
        for asked in questions {
            sums.add(asked, &memory, &order);
        }
    }
    let percent = |sum: f64, count: u32| (1000.0 * sum / f64::from(count.max(1))).round() / 10.0;
    let [first, second] = sums.halves.map(|(sum, count)| percent(sum, count));
    let of_pairs = |count: u32| json!((sums.pairs > 0).then(|| percent(f64::from(count), sums.pairs)));
    let standing = json!((sums.standing.1 > 0).then(|| percent(sums.standing.0, sums.standing.1)));
    println!(
        "{:<12} kept of the evidence: {} % behind index lines, {} % in all; first half {first} %, second half {second} %",
        "",
        percent(sums.index, sums.questions),
        percent(sums.store, sums.questions),
    );
    if let Some((_, others)) = REFERENCES.iter().find(|(set, _)| *set == name) {
        println!("{:<12} others, 25 kB: {others}", "");
    }
    println!(
        "{}",
        json!({ "set": name, "kept": { "index": percent(sums.index, sums.questions), "store": percent(sums.store, sums.questions),
            "first half": first, "second half": second, "instructions and preferences": standing,
            "newest kept": of_pairs(sums.newest_kept), "oldest still stated": of_pairs(sums.oldest_stated),
            "mean bytes of entries": words / talks.len().max(1), "indexes beyond what is loaded": over } })
    );
    Ok(())
}

/// Dreams over one conversation and lists the entries of the memory that it leaves.
fn dream(nidra: &Path, root: &Path) -> Result<Memory> {
    let scratch = tempfile::tempdir()?;
    let directory = scratch.path().join("memory");
    fs::create_dir(&directory)?;
    let call = |words: &[&str]| -> Result<String> {
        let output = super::inside(nidra, root, &scratch.path().join("state"), words)?
            .env("CLAUDE_COWORK_MEMORY_PATH_OVERRIDE", &directory)
            .output()?;
        if !output.status.success() {
            bail!(
                "nidra {} ended with {}: {}",
                words[0],
                output.status,
                String::from_utf8_lossy(&output.stderr)
            );
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    };
    call(&["dream", "--yes", "--engine", "rules", "-q"])?;
    let index = fs::read_to_string(directory.join("MEMORY.md")).unwrap_or_default();
    let mut memory = Memory {
        over: index.encode_utf16().count() > LOADED.0 || index.lines().count() > LOADED.1,
        ..Memory::default()
    };
    for line in call(&["entries", "--json-lines"])?.lines() {
        add(&mut memory, &serde_json::from_str(line)?);
    }
    Ok(memory)
}

/// Adds an entry as `nidra entries` prints it.
fn add(memory: &mut Memory, entry: &Value) {
    let sources = entry["sources"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let sources: Vec<String> = sources.map(str::to_owned).collect();
    if entry["index"] == true {
        memory.words += entry["text"].as_str().map_or(0, str::len);
        memory.index.extend(sources.iter().cloned());
    }
    memory.store.extend(sources);
}

/// The records of a conversation in the order in which they were said.
fn order(root: &Path) -> Result<BTreeMap<String, usize>> {
    let mut records = Vec::new();
    for project in fs::read_dir(root.join("home/.claude/projects"))?.flatten() {
        for file in fs::read_dir(project.path())?.flatten() {
            if file.path().extension().is_none_or(|extension| extension != "jsonl") {
                continue;
            }
            for line in fs::read_to_string(file.path())?.lines() {
                let record: Value = serde_json::from_str(line)?;
                if let (Some(at), Some(id)) = (record["timestamp"].as_str(), record["uuid"].as_str()) {
                    records.push((at.to_owned(), id.to_owned()));
                }
            }
        }
    }
    records.sort();
    Ok(records.into_iter().enumerate().map(|(place, (_, id))| (id, place)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(records: &[&str]) -> BTreeSet<String> {
        records.iter().map(|record| (*record).to_owned()).collect()
    }

    #[test]
    fn evidence_counts_where_an_entry_rests_on_it() {
        let mut memory = Memory::default();
        add(&mut memory, &json!({ "text": "four", "index": true, "sources": ["a", "b"] }));
        add(&mut memory, &json!({ "text": "beside", "index": false, "sources": ["c"] }));
        assert_eq!((memory.words, memory.index.len(), memory.store.len()), (4, 2, 3));
        let order =
            ["a", "b", "c", "d"].iter().enumerate().map(|(place, id)| ((*id).to_owned(), place)).collect();
        let asked = Asked {
            text: "?".to_owned(),
            kind: STANDING[0].to_owned(),
            evidence: set(&["a", "c", "d"]),
            new: set(&["c"]),
            old: set(&["d"]),
        };
        let mut sums = Sums::default();
        sums.add(&asked, &memory, &order);
        assert!((sums.index - 1.0 / 3.0).abs() < 1e-9 && (sums.store - 2.0 / 3.0).abs() < 1e-9, "{sums:?}");
        assert_eq!(sums.halves, [(1.0, 1), (0.0, 2)]);
        assert_eq!((sums.standing.1, sums.pairs, sums.newest_kept, sums.oldest_stated), (1, 1, 1, 0));
    }
}
