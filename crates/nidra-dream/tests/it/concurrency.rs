//! What others do while an engine thinks: their words win, and nobody waits for a lock that no one holds.

use crate::support::{Script, World, add, entries, operation, target, turn};
use nidra_core::settings::ReviewPolicy;
use nidra_core::{Change, EngineError, EngineInput, Kind, Operation, Speaker};
use nidra_dream::pipeline::{DreamError, Trigger};
use nidra_dream::report::RunState;
use nidra_memory::lease::{Lease, LeaseError, LeaseOptions};
use std::cell::Cell;
use std::fs;
use std::path::Path;

/// Memory of four machines, and a person's word that the third one moved.
fn machines() -> World {
    let mut world = World::new();
    world.settings.dream.review = ReviewPolicy::Auto;
    for number in 1..=4 {
        world.topic(
            &format!("t{number}"),
            "project",
            &[format!("Machine m{number} listens on port 80{number}0 here.")],
        );
    }
    world.session("Machine m3 moved to port 9999 yesterday.", "Noted.");
    world
}

/// Moves the third machine, if it stands where it is expected, and adds a fifth.
fn move_third(input: &EngineInput<'_>, expected: &str) -> Vec<Operation> {
    let said = turn(input, Speaker::Human);
    let (topic, entry) = entries(input).into_iter().find(|(topic, _)| topic.path == "t3.md").unwrap();
    let mut wishes = vec![add(input, "fifth", "Machine m5 joins them next week.")];
    if entry.text.contains(expected) {
        let text = "Machine m3 listens on port 9999 here.".to_owned();
        let change = Change::Supersede { target: target(topic, entry), text, hook: None };
        wishes.push(operation(change, Kind::Project, said, said.text().unwrap()));
    }
    wishes
}

/// Changes a file as an editor does.
fn edit(path: &Path, change: impl Fn(String) -> String) {
    fs::write(path, change(fs::read_to_string(path).unwrap())).unwrap();
}

#[test]
fn pub_con_01_what_is_written_while_the_engine_thinks_stays() {
    let world = machines();
    let memory = world.memory.clone();
    let first = Cell::new(true);
    let engine = Script::new(|input| {
        if first.replace(false) {
            // Meanwhile an agent adds a topic with its line, and the user corrects the third one.
            fs::write(memory.join("n.md"), "---\nname: n\n---\n\nA note of a live session.\n").unwrap();
            edit(&memory.join("MEMORY.md"), |index| format!("{index}- [n](n.md) — a note\n"));
            edit(&memory.join("t3.md"), |text| text.replace("8030", "7777"));
        }
        Ok(move_third(&input, "8030"))
    });
    let report = world.dream(&engine).unwrap();
    let files = world.files();
    assert!(files["n.md"].contains("A note of a live session."));
    assert!(files["t3.md"].contains("7777") && !files["t3.md"].contains("9999"), "{}", files["t3.md"]);
    assert!(
        files["MEMORY.md"].contains("- [n](n.md) — a note") && files["MEMORY.md"].contains("m5"),
        "{}",
        files["MEMORY.md"]
    );
    // What it says it changed is what changed.
    assert!(report.files.iter().all(|file| file.path != "t3.md"), "{report:?}");
    world.undo(&report);
    let files = world.files();
    assert!(
        files["t3.md"].contains("7777")
            && files["MEMORY.md"].contains("a note")
            && !files["MEMORY.md"].contains("m5")
    );
}

#[test]
fn pub_con_01_a_user_who_does_not_stop_writing_wins_and_what_is_in_dispute_waits() {
    let world = machines();
    let memory = world.memory.clone();
    let number = Cell::new(7000);
    let engine = Script::new(|input| {
        let wishes = move_third(&input, "Machine m3");
        let (old, new) = (number.get(), number.get() + 1);
        number.set(new);
        edit(&memory.join("t3.md"), |text| {
            text.replace("8030", "7000").replace(&old.to_string(), &new.to_string())
        });
        Ok(wishes)
    });
    let report = world.dream(&engine).unwrap();
    let files = world.files();
    assert!(
        files["t3.md"].contains(&number.get().to_string()) && !files["t3.md"].contains("9999"),
        "{}",
        files["t3.md"]
    );
    assert!(report.proposed.iter().any(|waiting| waiting.operation.what.contains("9999")), "{report:?}");
    assert!(files["MEMORY.md"].contains("m5"), "what is not in dispute is done: {}", files["MEMORY.md"]);
    assert!(engine.calls.get() <= 5, "it gives up in the end");
    // Words that stayed are neither archived nor reported as replaced.
    assert!(!files.keys().any(|name| name.starts_with("archive/")), "{files:?}");
    assert!(report.applied.iter().all(|operation| operation.change != "supersede"), "{:?}", report.applied);
}

#[test]
fn pub_con_01_a_topic_that_is_closed_while_the_engine_thinks_is_left_as_it_is_and_the_rest_goes_on() {
    type Edit = fn(String) -> String;
    let edits: [(&str, Edit); 3] = [
        ("a pin", |text| text.replacen("---\n", "---\npinned: true\n", 1)),
        ("a conflict", |text| format!("{text}\n<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n")),
        ("a broken head", |text| text.replacen("name: t3", "name: [t3", 1)),
    ];
    for (name, close) in edits {
        let world = machines();
        let memory = world.memory.clone();
        let first = Cell::new(true);
        let closed = std::cell::RefCell::new(String::new());
        let engine = Script::new(|input| {
            let wishes = move_third(&input, "8030");
            if first.replace(false) {
                edit(&memory.join("t3.md"), close);
                closed.replace(fs::read_to_string(memory.join("t3.md")).unwrap());
            }
            Ok(wishes)
        });
        let report = world.dream(&engine).unwrap();
        let files = world.files();
        assert_eq!(files["t3.md"], *closed.borrow(), "{name}");
        assert!(files["MEMORY.md"].contains("m5"), "{name}: what is open is done: {}", files["MEMORY.md"]);
        assert!(!files.keys().any(|path| path.starts_with("archive/")), "{name}: {files:?}");
        // It is named, refused or waiting.
        let mut named: Vec<&str> = report.refused.iter().map(|one| one.what.as_str()).collect();
        named.extend(report.proposed.iter().map(|one| one.operation.what.as_str()));
        assert!(named.iter().any(|what| what.contains("9999")), "{name}: {named:?}");
    }
}

/// What the index says of a topic belongs to it, though no byte of its file changes.
#[test]
fn the_index_line_of_a_topic_that_is_pinned_while_the_engine_thinks_stays_as_it_is() {
    let fact = "The API listens on port 8080 here.";
    for pins in [false, true] {
        let world = World::new();
        world.topic("dev", "project", &[fact.to_owned()]);
        world.session("Machine m5 joins them next week.", "Noted.");
        let memory = world.memory.clone();
        let engine = Script::new(|input| {
            let change = Change::Retitle {
                path: "dev.md".to_owned(),
                description: None,
                hook: Some("The API listens on port 8080".to_owned()),
            };
            let said = turn(&input, Speaker::Human);
            let retitle = operation(change, Kind::Project, said, said.text().unwrap());
            let file = memory.join("dev.md");
            if pins && !fs::read_to_string(&file).unwrap().contains("pinned") {
                edit(&file, |text| text.replacen("---\n", "---\npinned: true\n", 1));
            }
            Ok(vec![retitle, add(&input, "fifth", "Machine m5 joins them next week.")])
        });
        let report = world.dream(&engine).unwrap();
        let index = world.index();
        assert!(index.contains("m5"), "what is open is done: {index}");
        assert_eq!(index.contains("— about dev"), pins, "{index} {report:?}");
    }
}

#[test]
fn a_memory_that_is_removed_while_the_engine_thinks_is_told_as_that() {
    let world = World::new();
    world.topic("dev", "project", &["The API listens on port 8080 here.".to_owned()]);
    world.session("Machine m5 joins them next week.", "Noted.");
    let memory = world.memory.clone();
    let engine = Script::new(|input| {
        let wishes = vec![add(&input, "fifth", "Machine m5 joins them next week.")];
        fs::remove_dir_all(&memory).unwrap();
        Ok(wishes)
    });
    let error = nidra_core::error::chain(&world.dream(&engine).unwrap_err());
    assert!(error.contains("was removed or moved away") && !error.contains("another run"), "{error}");
    assert!(!world.memory.exists());
}

#[test]
fn pub_con_02_the_snapshot_holds_what_stood_there_at_the_commit() {
    let world = World::new();
    world.topic("dev", "project", &["The API listens on port 8080 here.".to_owned()]);
    world.session("Machine m5 joins them next week.", "Noted.");
    let memory = world.memory.clone();
    let engine = Script::new(move |input| {
        let index = fs::read_to_string(memory.join("MEMORY.md")).unwrap();
        fs::write(memory.join("MEMORY.md"), format!("# 标题\n\n{index}")).unwrap();
        Ok(vec![add(&input, "fifth", "Machine m5 joins them next week.")])
    });
    let report = world.dream(&engine).unwrap();
    assert!(world.index().starts_with("# 标题\n") && world.index().contains("m5"));
    world.undo(&report);
    assert!(world.index().starts_with("# 标题\n") && !world.index().contains("m5"), "{}", world.index());
    assert!(world.index().contains("[dev](dev.md)"));
}

#[test]
fn pub_cur_01_a_failed_engine_moves_nothing_and_the_next_run_reads_it_all() {
    let world = World::new();
    world.session("Machine m5 joins them next week.", "Noted.");
    let failing = Script::new(|_| Err(EngineError::Failed("unknown model".to_owned())));
    for _ in 0..2 {
        assert!(matches!(world.dream(&failing), Err(DreamError::NoneJudged { .. })));
        assert!(world.files().is_empty());
    }
    let good = Script::new(|input| Ok(vec![add(&input, "fifth", "Machine m5 joins them next week.")]));
    let report = world.dream(&good).unwrap();
    assert_eq!((report.state, report.sessions[0].turns), (RunState::Applied, 2));
}

#[test]
fn pub_lck_03_every_way_out_gives_the_lock_back_a_panic_too() {
    let world = World::new();
    world.session("Machine m5 joins them next week.", "Noted.");
    let panicking = Script::new(|_| panic!("the engine broke"));
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| world.dream(&panicking)));
    assert!(outcome.is_err());
    let good = Script::new(|input| Ok(vec![add(&input, "fifth", "Machine m5 joins them next week.")]));
    assert_eq!(world.dream(&good).unwrap().state, RunState::Applied);
    world.session("Machine m6 joins them as well.", "Noted.");
    let more = Script::new(|input| Ok(vec![add(&input, "sixth", "Machine m6 joins them as well.")]));
    assert_eq!(world.dream(&more).unwrap().state, RunState::Applied);
}

#[test]
fn pub_lck_04_a_live_holder_is_never_robbed() {
    let world = World::new();
    world.session("Machine m5 joins them next week.", "Noted.");
    fs::create_dir_all(&world.memory).unwrap();
    let lease = Lease::acquire(&world.memory, &LeaseOptions::new("dream")).unwrap();
    let engine = Script::new(|input| Ok(vec![add(&input, "fifth", "Machine m5 joins them next week.")]));
    for trigger in [Trigger::Manual, Trigger::Automatic] {
        let world = &world;
        let settings = &world.settings;
        assert!(settings.dream.min_sessions > 1);
        match world.run(&engine, trigger, false, &mut |_| {}) {
            Err(DreamError::Lease(LeaseError::Busy { .. })) => assert_eq!(trigger, Trigger::Manual),
            Ok(report) => {
                assert!(matches!(report.state, RunState::Skipped { .. }) && trigger == Trigger::Automatic);
            }
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!(engine.calls.get(), 0);
    drop(lease);
    assert_eq!(world.dream(&engine).unwrap().state, RunState::Applied);
}
