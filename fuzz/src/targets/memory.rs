//! A memory directory and operations on it: only what an operation names changes, and what is not understood never does.

use super::parts;
use nidra_core::{
    AgentKind, Change, EntryId, Evidence, Kind, NewTopic, Operation, OperationId, RunId, SessionId, Source,
    Speaker, Target, TrustRank,
};
use nidra_memory::check::check;
use nidra_memory::directory::MemoryDirectory;
use nidra_memory::document::Document;
use nidra_memory::index::Index;
use nidra_memory::limits::{IndexLimits, measure};
use nidra_memory::stage::{Pins, StageContext, Staged, stage};
use std::collections::BTreeMap;
use std::path::Path;
use std::path::PathBuf;

const FILES: [&str; 4] = ["MEMORY.md", "a.md", "b.md", "archive/a.md"];

/// Entries of a topic that are operated on at most.
const ENTRIES: usize = 12;

/// The first part holds the words of the operations, a line each; the others are the files.
pub(super) fn run(data: &[u8]) {
    let [words, contents @ ..] = parts::<5>(data);
    let files: [(&str, &[u8]); 4] = std::array::from_fn(|number| (FILES[number], contents[number]));
    let memory = MemoryDirectory::from_files(files);
    let limits = IndexLimits { lines: 30, units: 3_000, line_units: 150 };
    let _ = check(&memory, &limits);
    let context = StageContext {
        now: "2026-05-18T09:00:00+02:00[Europe/Berlin]".parse().expect("it is a time"),
        run: RunId::new("run-7"),
        limits,
        pins: Pins::Hold,
    };
    let nothing = stage(&memory, &[], &context);
    assert!(nothing.changes.is_empty(), "no operation, and yet a change");

    let words = String::from_utf8_lossy(words);
    let words: Vec<&str> = words.split('\n').take(16).collect();
    let operations = operations(&memory, &words);
    let staged = stage(&memory, &operations, &context);
    let after = apply(&memory, &staged);
    examine(&memory, &staged, &after, &limits);
    // What a run leaves is memory like any other.
    let again =
        MemoryDirectory::from_files(after.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice())));
    let second = stage(&again, &operations, &context);
    examine(&again, &second, &apply(&again, &second), &limits);
}

fn operations(memory: &MemoryDirectory, words: &[&str]) -> Vec<Operation> {
    let word = |number: usize| words[number % words.len()].to_owned();
    let mut changes = vec![
        Change::Create {
            topic: NewTopic { slug: word(0), title: word(1), description: word(2), kind: Kind::Feedback },
            entries: vec![word(0), word(3)],
            hook: word(4),
        },
        Change::Relink { path: word(5), title: word(1), hook: word(2) },
    ];
    for topic in memory.view().topics {
        let path = topic.path.clone();
        changes.push(Change::Append { path: path.clone(), text: word(1), hook: Some(word(0)) });
        changes.push(Change::Retitle { path: path.clone(), description: Some(word(2)), hook: Some(word(3)) });
        changes.push(Change::Relink { path: path.clone(), title: word(3), hook: word(1) });
        for (number, entry) in topic.entries.iter().take(ENTRIES).enumerate() {
            let target = Target {
                path: path.clone(),
                entry: EntryId::of(&path, &entry.text),
                text: entry.text.clone(),
            };
            let text = word(number);
            changes.push(match (number + words.len()) % 3 {
                0 => Change::Rewrite { target, text, hook: Some(word(number + 1)) },
                1 => Change::Supersede { target, text, hook: None },
                _ => Change::Archive { target },
            });
        }
    }
    changes.into_iter().enumerate().map(|(number, change)| operation(number, change)).collect()
}

fn operation(number: usize, change: Change) -> Operation {
    Operation {
        id: OperationId::new(format!("op-{number}")),
        change,
        kind: Kind::Feedback,
        rank: TrustRank::HumanVerbatim,
        reason: "the human said so".to_owned(),
        evidence: vec![Evidence {
            source: Source {
                agent: AgentKind::ClaudeCode,
                session: SessionId::new("s"),
                stream: None,
                record: "r".to_owned(),
                path: PathBuf::from("t.jsonl").into(),
                offset: 0,
                length: 0,
            },
            speaker: Speaker::Human,
            at: None,
            quote: "quote".to_owned(),
        }],
    }
}

fn apply(memory: &MemoryDirectory, staged: &Staged) -> BTreeMap<String, Vec<u8>> {
    let mut files: BTreeMap<String, Vec<u8>> =
        memory.files.iter().map(|(path, file)| (path.clone(), file.bytes.clone())).collect();
    for change in &staged.changes.files {
        assert_eq!(
            files.get(&change.path),
            change.before.as_ref(),
            "{} was planned on other bytes",
            change.path
        );
        match &change.after {
            Some(after) => files.insert(change.path.clone(), after.clone()),
            None => files.remove(&change.path),
        };
    }
    files
}

fn examine(
    memory: &MemoryDirectory,
    staged: &Staged,
    after: &BTreeMap<String, Vec<u8>>,
    limits: &IndexLimits,
) {
    let view = memory.view();
    for change in &staged.changes.files {
        let path = change.path.as_str();
        let inside =
            !path.starts_with('/') && path.split('/').all(|part| !part.is_empty() && !part.starts_with('.'));
        let markdown = Path::new(path).extension().is_some_and(|extension| extension == "md");
        assert!(inside && markdown, "{path} is no place of memory");
        if let Some(before) = &change.before {
            let obstacle = if path == "MEMORY.md" {
                Index::parse(before).obstacle()
            } else {
                Document::parse(before, false).obstacle()
            };
            let archive = path.starts_with("archive");
            assert!(archive || obstacle.is_none(), "{path} was rewritten although {obstacle:?}");
            assert!(view.topic(path).is_none_or(|topic| !topic.pinned), "{path} is pinned");
            if archive {
                let grown = change.after.as_ref().is_some_and(|after| after.len() >= before.len());
                assert!(grown, "{path} lost words of the archive");
            }
        }
        if change.after.is_none() {
            let words = |files: &BTreeMap<String, Vec<u8>>| -> usize {
                files
                    .iter()
                    .filter(|(path, _)| path.starts_with("archive"))
                    .map(|(_, bytes)| bytes.len())
                    .sum()
            };
            let old = memory.files.iter().map(|(path, file)| (path.clone(), file.bytes.clone())).collect();
            assert!(words(after) > words(&old), "{path} went without a word in the archive");
        }
    }
    let index = after.get("MEMORY.md").map(Vec::as_slice).unwrap_or_default();
    assert_eq!(staged.index, measure(index), "the index is as full as was said");
    let before = measure(memory.index_bytes());
    assert!(
        staged.index.fits(limits) || !before.fits(limits) || index == memory.index_bytes(),
        "the index overflows: {before:?} became {:?}",
        staged.index
    );
}
