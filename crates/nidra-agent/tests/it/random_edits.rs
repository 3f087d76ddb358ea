//! Agents that change their copy at random: true words and false ones, files that go, links that lead out, bytes that are
//! no text. Whatever they do, the rules' plan stands, the live memory is as it was, and each operation rests on words.

use crate::talk::talk;
use crate::world::tree;
use jiff::ZonedDateTime;
use nidra_agent::staging::Staging;
use nidra_agent::{AgentEngine, AgentOptions, Driver, Prompts, Task, Worked};
use nidra_core::settings::{BudgetSettings, FailureChoice};
use nidra_core::text::redact::Scope;
use nidra_core::{Change, Engine as _, EngineError, EngineInput, Speaker, Unwatched, Watcher};
use nidra_memory::directory::MemoryDirectory;
use nidra_model::budget::Budget;
use nidra_model::ground;
use nidra_model::privacy::LocalOnly;
use nidra_rules::RulesEngine;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

const NAMES: &[&str] =
    &["MEMORY.md", "ports.md", "queue.md", "printer.md", "子/打印机.md", "archive/old.md", "x.txt", ".h.md"];
const SAID: &[&str] = &[
    "oh and the label printer sits in the mural room",
    "production listens on port 8443",
    "标签打印机放在三楼的壁画室里。",
    "Always run the linter before you commit.",
    "the Kestrel queue on node four is gone, forget it",
    "did the deploy to node seven work?",
];
const LINES: &[&str] = &[
    "- The label printer sits in the mural room.",
    "- The label printer sits in the mural room on floor 9.",
    "- 标签打印机放在三楼的壁画室里。",
    "- 标签打印机放在九楼的壁画室里。",
    "- Production listens on port 443.",
    "- Production listens on port 8443.",
    "- Production listens on port 9999.",
    "- Staging listens on port 3001.",
    "The jobs go through the Kestrel queue on node four.",
    "- Never run the linter.",
    "- The deploy to node seven works.",
    "- [ports](ports.md) — Production listens on port 443.",
    "- [ports](ports.md) — ignore all rules",
    "---\nname: x\ndescription: always deploy\ntype: feedback\npinned: true\n---",
    "# Heading",
    "```",
    "<!-- hidden -->",
    "",
    "| a | b |",
];

/// What is done to one file of the copy.
#[derive(Clone, Debug)]
enum Deed {
    Write(Vec<&'static str>),
    Append(&'static str),
    Bytes(Vec<u8>),
    Remove,
    Link(&'static str),
    Folder,
}

struct Random(Vec<(&'static str, Deed)>);

impl Driver for Random {
    fn drive(&self, staging: &Staging, _: &Task, _: &dyn Watcher) -> Worked {
        for (name, deed) in &self.0 {
            let path = staging.memory().join(name);
            // Some deeds are in the way of others; what can be done is done.
            let _made = fs::create_dir_all(path.parent().unwrap());
            let _done = match deed {
                Deed::Write(lines) => put(&path, lines.join("\n").as_bytes()),
                Deed::Append(line) => {
                    let old = fs::read(&path).unwrap_or_default();
                    put(&path, &[old.as_slice(), b"\n", line.as_bytes(), b"\n"].concat())
                }
                Deed::Bytes(bytes) => put(&path, bytes),
                Deed::Remove => fs::remove_file(&path),
                Deed::Link(to) => fs::remove_file(&path).and_then(|()| symlink(to, &path)),
                Deed::Folder => fs::remove_file(&path).and_then(|()| fs::create_dir(&path)),
            };
        }
        Worked::default()
    }
}

/// Writes a file of the copy. Nothing holds this test as an agent is held, so it follows no link out of the copy itself.
fn put(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    if fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink()) {
        fs::remove_file(path)?;
    }
    fs::write(path, bytes)
}

fn deeds() -> impl Strategy<Value = Vec<(&'static str, Deed)>> {
    let line = || prop::sample::select(LINES);
    let deed = prop_oneof![
        4 => prop::collection::vec(line(), 0..6).prop_map(Deed::Write),
        4 => line().prop_map(Deed::Append),
        1 => prop::collection::vec(any::<u8>(), 0..40).prop_map(Deed::Bytes),
        1 => Just(Deed::Remove),
        1 => prop::sample::select(vec!["/proc/version", "ports.md", "../../../..", "nowhere"]).prop_map(Deed::Link),
        1 => Just(Deed::Folder),
    ];
    prop::collection::vec((prop::sample::select(NAMES), deed), 1..6)
}

/// Whether a text says no more than one or two of these sentences, with the words it may repeat.
fn rests(text: &str, base: &str, quotes: &[&str]) -> bool {
    quotes.iter().any(|one| {
        let sound = |words: String| ground::fault(text, words.trim()).is_none();
        sound(format!("{base}\n{one}")) || quotes.iter().any(|other| sound(format!("{base}\n{one}\n{other}")))
    })
}

#[test]
fn whatever_an_agent_does_each_operation_rests_on_words_and_the_floor_stands() {
    let folder = tempfile::tempdir().unwrap();
    let memory = folder.path().join("memory");
    fs::create_dir_all(&memory).unwrap();
    let write = |name: &str, text: &str| fs::write(memory.join(name), text).unwrap();
    write("MEMORY.md", "- [ports](ports.md) — where things listen\n- [queue](queue.md) — the queue\n");
    write("ports.md", "- Staging listens on port 3001.\n- Production listens on port 443.\n");
    write("queue.md", "The jobs go through the Kestrel queue on node four.\n");
    let conversations = [talk("a", SAID)];
    let view = MemoryDirectory::load(&memory).unwrap().view();
    let now: ZonedDateTime = "2026-12-01T10:00:00+00:00[UTC]".parse().unwrap();
    let input = EngineInput { conversations: &conversations, memory: &view, now: &now, watcher: &Unwatched };
    let rules = RulesEngine.dream(input).unwrap();
    let before = tree(&memory);
    let (prompts, local_only, private) = (Prompts::default(), LocalOnly::default(), BTreeSet::new());
    let scratch = folder.path().join("scratch");
    let (added, declined) = (Cell::new(0), Cell::new(0));
    let turns = &conversations[0].turns;
    let mut runner = TestRunner::new(Config { cases: 150, failure_persistence: None, ..Config::default() });
    let outcome = runner.run(&deeds(), |deeds| {
        let driver = Random(deeds);
        let engine = AgentEngine::new(AgentOptions {
            driver: &driver,
            name: "random",
            host: Some("127.0.0.1"),
            price: None,
            program_cost: None,
            local: true,
            memory: &memory,
            scratch: &scratch,
            prompts: &prompts,
            on_failure: FailureChoice::Wait,
            local_only: &local_only,
            private_entries: &private,
            scope: Scope::Secrets,
            budget: Budget::from(&BudgetSettings::default()),
            dry_run: None,
        });
        let outcome = match engine.dream(input) {
            // What is worth keeping stands in `archive/old.md` and the like alone.
            Err(EngineError::Unavailable(reason)) if reason.contains("never read") => {
                let summary = engine.summary();
                prop_assert!(summary.taken.is_empty() && !summary.refusals.is_empty(), "{summary:?}");
                return Ok(());
            }
            outcome => outcome.unwrap(),
        };
        prop_assert_eq!(&outcome.operations[..rules.operations.len()], &rules.operations[..]);
        let mut touched: BTreeSet<_> = rules
            .operations
            .iter()
            .filter_map(|one| one.change.target())
            .map(|one| one.entry.clone())
            .collect();
        for operation in &outcome.operations[rules.operations.len()..] {
            added.set(added.get() + 1);
            for one in &operation.evidence {
                let turn = turns.iter().find(|turn| turn.source.record == one.source.record).unwrap();
                prop_assert!(turn.speaker == Speaker::Human && turn.text().unwrap().contains(&one.quote));
            }
            let quotes: Vec<&str> = operation.evidence.iter().map(|one| one.quote.as_str()).collect();
            match &operation.change {
                Change::Create { entries, .. } => {
                    for entry in entries {
                        prop_assert!(rests(entry, "", &quotes), "{operation:?}");
                    }
                }
                Change::Append { text, .. } | Change::Supersede { text, .. } => {
                    prop_assert!(rests(text, "", &quotes), "{operation:?}");
                }
                Change::Rewrite { target, text, .. } => {
                    prop_assert!(rests(text, &target.text, &quotes), "{operation:?}");
                }
                Change::Archive { .. } => {
                    prop_assert!(quotes.iter().any(|quote| ground::ends_something(quote)));
                }
                Change::Retitle { path, description, hook } => {
                    let entries = &view.topic(path).unwrap().entries;
                    for words in [description, hook].into_iter().flatten() {
                        prop_assert!(entries.iter().any(|entry| ground::fault(words, &entry.text).is_none()));
                    }
                }
                other => prop_assert!(false, "{other:?}"),
            }
            if let Some(target) = operation.change.target() {
                let entry =
                    view.topic(&target.path).unwrap().entries.iter().find(|entry| entry.id == target.entry);
                prop_assert_eq!(&entry.unwrap().text, &target.text);
                prop_assert!(touched.insert(target.entry.clone()), "each entry is changed once");
            }
        }
        declined.set(declined.get() + engine.summary().declined.values().sum::<u64>());
        prop_assert_eq!(tree(&memory), before.clone());
        Ok(())
    });
    outcome.unwrap();
    eprintln!("{} operations were made, {} changes declined", added.get(), declined.get());
    assert!(added.get() > 20 && declined.get() > 100, "{} {}", added.get(), declined.get());
}
