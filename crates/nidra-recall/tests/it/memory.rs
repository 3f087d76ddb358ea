//! Entries of memory: what holds goes before what left, and an index of them follows every change.

use crate::talk::{By, Home, now};
use jiff::Timestamp;
use nidra_core::text::redact::Scope;
use nidra_core::{Evidence, RunId, Speaker, TrustRank};
use nidra_memory::directory::MemoryDirectory;
use nidra_memory::store::{EntrySource, RecordedSource};
use nidra_recall::analyze::Analyzer;
use nidra_recall::context;
use nidra_recall::entries::{EntryIndex, entries, fingerprint};
use nidra_recall::index::IndexError;
use nidra_recall::known::{self, Known};
use nidra_recall::question::Question;
use nidra_recall::rank::Weights;
use nidra_sessions::{Cursor, Reader as _};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

const PORTS: &str = "---\nname: staging ports\ndescription: where things listen\nmetadata:\n  type: project\n---\n\n- Staging runs on port 3001.\n- The worker listens on port 4310.\n";
const ARCHIVE: &str = "# Archive of ports.md\n\n## 2026-05-13: superseded\n\nReason: it moved (run r1, op-5)\n\n```text\n- Staging runs on port 2999, always on port 2999.\n```\n\nReplaced by: Staging runs on port 3001.\n";

fn write(root: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

fn ask(root: &Path, cache: &Path, question: &str) -> Vec<Known> {
    let index = EntryIndex::up_to_date::<IndexError>(cache, &fingerprint(root, &[]), || {
        Ok(entries(&MemoryDirectory::load(root).unwrap(), &BTreeMap::new()))
    });
    let mut analyzer = Analyzer::default();
    let question = Question::read(question, &now(), &mut analyzer);
    known::find(&index.unwrap(), &question, &Weights::default(), &mut analyzer).unwrap()
}

#[test]
fn what_was_superseded_stands_below_what_replaced_it() {
    let (memory, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(
        memory.path(),
        &[("ports.md", PORTS), ("archive/ports.md", ARCHIVE), ("MEMORY.md", "- [Ports](ports.md) — where\n")],
    );
    let found = ask(memory.path(), cache.path(), "staging port 2999");
    assert_eq!(found[0].entry.text, "Staging runs on port 3001.");
    let old = found.iter().find(|known| known.entry.text.contains("2999")).unwrap();
    assert!(!old.entry.active);
    assert!(old.score < found[0].score);
    assert!(found[0].entry.index, "its topic has a line in the index");
}

#[test]
fn the_topic_counts_and_every_change_is_seen() {
    let (memory, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(
        memory.path(),
        &[("ports.md", PORTS), ("commits.md", "---\nname: 提交\n---\n\n提交信息写中文。\n")],
    );
    assert_eq!(
        ask(memory.path(), cache.path(), "where do things listen?").len(),
        2,
        "by the description of the topic"
    );
    assert_eq!(ask(memory.path(), cache.path(), "提交信息用什么语言？")[0].entry.text, "提交信息写中文。");
    assert!(ask(memory.path(), cache.path(), "kubernetes").is_empty());
    write(memory.path(), &[("kube.md", "---\nname: kube\n---\n\n- Kubernetes runs in Oslo.\n")]);
    assert_eq!(ask(memory.path(), cache.path(), "kubernetes")[0].entry.text, "Kubernetes runs in Oslo.");
    // Damage of the cache costs a new reading.
    for entry in fs::read_dir(cache.path()).unwrap() {
        fs::write(entry.unwrap().path(), "nonsense").unwrap();
    }
    assert_eq!(ask(memory.path(), cache.path(), "kubernetes").len(), 1);
}

#[test]
fn an_entry_is_found_by_the_exchange_that_led_to_it() {
    let home = Home::new();
    let rule = "no openocd in this house, probe-rs does it";
    home.say(
        1,
        &[
            (1, By::Human, "the soldering iron is back"),
            (2, By::Human, "thanks for yesterday"),
            (3, By::Human, "flash the new firmware please"),
            (4, By::Agent, "I start openocd"),
            (5, By::Human, rule),
            (6, By::Human, "now clean the bench"),
        ],
    );
    let (reader, transcripts) = (home.reader(), home.transcripts());
    let mut turns = Vec::new();
    reader.read(&transcripts[0], &Cursor::default(), &|_| true, &mut |turn| turns.push(turn)).unwrap();
    let turn = turns.iter().find(|turn| turn.text() == Some(rule)).unwrap();
    let evidence = Evidence {
        source: turn.source.clone(),
        speaker: Speaker::Human,
        at: turn.at,
        quote: rule.to_owned(),
    };
    let body = format!("---\nname: tools\n---\n\n- {rule}.\n- The kettle stands in the hall.\n");
    let memory = MemoryDirectory::from_files([("tools.md", body.as_bytes())]);
    let mut all = entries(&memory, &BTreeMap::new());
    let id = all.iter().find(|entry| entry.text.contains("openocd")).unwrap().id.clone();
    let source =
        EntrySource::stating(id.clone(), "tools.md".to_owned(), vec![evidence], TrustRank::HumanVerbatim);
    let recorded = RecordedSource { run: RunId::new("r1"), started: Timestamp::UNIX_EPOCH, source };
    context::add(&mut all, &BTreeMap::from([(id.clone(), vec![recorded])]), &reader, Scope::Secrets);
    let index = EntryIndex::of(&all).unwrap();
    let mut analyzer = Analyzer::default();
    let mut first = |question: &str| {
        let question = Question::read(question, &now(), &mut analyzer);
        let found = known::find(&index, &question, &Weights::default(), &mut analyzer).unwrap();
        found.first().filter(|one| one.entry.id == id).map(|one| one.reasons.clone())
    };
    let reasons = first("which way is firmware flashed?").unwrap();
    assert!(reasons.contains(&"said beside it"), "{reasons:?}");
    assert_eq!(first("who cleans the bench?"), None, "what came after led to nothing");
    assert_eq!(first("where is the soldering iron?"), None, "another matter lies between");
}
