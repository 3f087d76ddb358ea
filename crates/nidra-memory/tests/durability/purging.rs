//! Errors of the system at every operation of a purge: the words are gone in the end, and the rest can be put back.

use crate::faults::each_fault;
use crate::support::{World, new_run, now, project};
use nidra_core::{EntryId, RunId};
use nidra_memory::atomic::RealFileSystem;
use nidra_memory::commit::commit;
use nidra_memory::objects::{ObjectId, Objects};
use nidra_memory::purge::{self, Work};
use nidra_memory::undo::{UndoError, UndoRequest, undo};
use nidra_memory::{ChangeSet, FileChange};
use std::fs;
use std::path::Path;

const WORDS: &str = "The vault hint is zebra-quartz-9913.";
const TOKEN: &str = "zebra-quartz-9913";
const KEPT: &str = "The worker listens on port 4310.";

fn change(path: &str, before: Option<&str>, after: Option<&str>) -> FileChange {
    let bytes = |text: Option<&str>| text.map(|text| text.as_bytes().to_vec());
    FileChange { path: path.to_owned(), before: bytes(before), after: bytes(after) }
}

/// A world in which a run planted the words and another one took them out of memory, with the purge still to be done.
fn planted() -> World {
    let world = World::new();
    let both = format!("- {WORDS}\n- {KEPT}\n");
    let alone = format!("---\nname: vault\n---\n\n{WORDS}\n");
    let mut first = new_run("p1", 300);
    first.record.report =
        serde_json::json!({ "applied": [{ "what": format!("add: {WORDS}") }, { "what": KEPT }] });
    let added = ChangeSet {
        files: vec![change("both.md", None, Some(&both)), change("vault.md", None, Some(&alone))],
    };
    commit(&mut world.store(), &world.lease(), &RealFileSystem, &first, &added).unwrap();
    fs::create_dir_all(world.root().join("logs")).unwrap();
    fs::write(world.root().join("logs/2026-11-29.md"), format!("- 09:00 > {WORDS}\n- 09:01 > {KEPT}\n"))
        .unwrap();
    fs::create_dir_all(world.state().join("logs")).unwrap();
    let event = serde_json::json!({ "what": WORDS });
    fs::write(world.state().join("logs/events.jsonl"), format!("{event}\n{{\"what\":\"else\"}}\n")).unwrap();

    let mut second = new_run("p2", 400);
    second.purge = Some(Work {
        entries: vec![EntryId::of("vault.md", WORDS)],
        statements: vec![WORDS.to_owned()],
        tokens: vec![TOKEN.to_owned(), "vault.md".to_owned()],
        done: false,
    });
    let kept = format!("- {KEPT}\n");
    let taken = ChangeSet {
        files: vec![change("both.md", Some(&both), Some(&kept)), change("vault.md", Some(&alone), None)],
    };
    commit(&mut world.store(), &world.lease(), &RealFileSystem, &second, &taken).unwrap();
    world
}

fn walk(path: &Path, look: &mut dyn FnMut(&Path)) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            walk(&entry.unwrap().path(), look);
        }
    } else {
        look(path);
    }
}

/// Where the words stand: files as they are, and contents unpacked.
fn places(world: &World) -> Vec<String> {
    let holds = |bytes: &[u8]| bytes.windows(TOKEN.len()).any(|window| window == TOKEN.as_bytes());
    let mut found = Vec::new();
    let state = world.state();
    let objects = Objects::new(&state, &RealFileSystem);
    for root in [world.state(), world.root()] {
        walk(&root, &mut |path| {
            let parts: Vec<_> =
                path.iter().rev().take(2).map(|part| part.to_string_lossy().into_owned()).collect();
            let unpacked = ObjectId::try_from(format!("{}{}", parts[1], parts[0]))
                .ok()
                .and_then(|id| objects.get(&id).ok())
                .is_some_and(|content| holds(&content));
            if unpacked || holds(&fs::read(path).unwrap()) {
                found.push(path.display().to_string());
            }
        });
    }
    found
}

#[test]
fn an_error_at_each_operation_of_a_purge_leaves_it_to_the_next_run_which_ends_it() {
    assert!(places(&planted()).len() > 4, "the words were not planted well");
    each_fault(|files, what| {
        let world = planted();
        let done = purge::finish(&mut world.store(), &world.lease(), files, &project());
        if done.is_ok() {
            assert_eq!(places(&world), [""; 0], "{what}");
        } else {
            let report = world.recover();
            assert!(report.purged.is_some() || places(&world).is_empty(), "{what}");
        }
        assert_eq!(places(&world), [""; 0], "{what}");
        let log = fs::read_to_string(world.root().join("logs/2026-11-29.md")).unwrap();
        assert_eq!(log, format!("- 09:01 > {KEPT}\n"), "{what}");
        assert_eq!(world.read("both.md"), format!("- {KEPT}\n"), "{what}");
        // What the first run made goes when it is taken back, and nothing of the words comes.
        let request = |run: &str, target: &str| UndoRequest {
            target: RunId::new(target),
            run: RunId::new(run),
            trigger: "manual".into(),
            now: now(),
            hold_until: None,
        };
        let refused = undo(&mut world.store(), &world.lease(), &RealFileSystem, &request("u0", "p2"));
        assert!(refused.is_ok() || matches!(refused, Err(UndoError::Purged { .. })), "{what}: {refused:?}");
        undo(&mut world.store(), &world.lease(), &RealFileSystem, &request("u1", "p1")).unwrap();
        assert!(!world.root().join("vault.md").exists(), "{what}");
        assert_eq!(places(&world), [""; 0], "{what}");
        let report = world.store().run(&RunId::new("p1")).unwrap().unwrap().report.to_string();
        assert!(report.contains("[purged]") && report.contains(KEPT), "{what}: {report}");
        done.is_ok()
    });
}
