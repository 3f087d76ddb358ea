//! A run is judged by what it came to: a wrong step among right ones fails nothing, and a step that changes nothing is
//! none.

use crate::support::{Script, World, add, entries, operation, target, turn};
use nidra_core::{Change, Kind, Operation, Speaker};
use nidra_dream::pipeline::Trigger;
use nidra_dream::report::RunState;

const OLD: &str = "The API listens on port 8080 here.";
const NEW: &str = "The API listens on port 9090 here.";

fn replace(input: &nidra_core::EngineInput<'_>, seen: &str, text: &str) -> Operation {
    let (topic, entry) = entries(input)[0];
    let mut target = target(topic, entry);
    seen.clone_into(&mut target.text);
    let said = turn(input, Speaker::Human);
    let change = Change::Supersede { target, text: text.to_owned(), hook: None };
    operation(change, Kind::Project, said, said.text().unwrap())
}

#[test]
fn pub_cur_02_a_wrong_anchor_beside_the_right_one_is_refused_and_the_run_succeeds() {
    let world = World::new();
    world.topic("dev", "project", &[OLD.to_owned()]);
    world.session(NEW, "Noted.");
    let engine = Script::new(|input| {
        Ok(vec![replace(&input, "The API listens on port 80 here.", NEW), replace(&input, OLD, NEW)])
    });
    let report = world.run(&engine, Trigger::Manual, true, &mut |_| {}).unwrap();
    assert_eq!((&report.state, report.refused.len(), report.applied.len()), (&RunState::Applied, 1, 1));
    assert!(world.files()["dev.md"].contains(NEW) && !world.files()["dev.md"].contains(OLD));
    // The words were consumed: nothing is read or applied again.
    let before = world.files();
    let again = world.run(&engine, Trigger::Manual, true, &mut |_| {}).unwrap();
    assert!(matches!(again.state, RunState::NothingToDo { .. }), "{again:?}");
    assert_eq!((engine.calls.get(), world.files()), (1, before));
}

#[test]
fn pub_cur_03_edits_that_change_nothing_are_refused_and_end_the_run() {
    let world = World::new();
    world.topic("dev", "project", &[OLD.to_owned()]);
    world.session(OLD, "Noted.");
    let before = world.files();
    let engine = Script::new(|input| Ok((0..50).map(|_| replace(&input, OLD, OLD)).collect()));
    let report = world.run(&engine, Trigger::Manual, true, &mut |_| {}).unwrap();
    assert!(matches!(report.state, RunState::NothingToDo { .. }), "{:?}", report.state);
    assert_eq!((report.refused.len(), report.proposed.len(), report.files.len()), (50, 0, 0));
    assert_eq!((engine.calls.get(), world.files()), (1, before));
}

#[test]
fn pub_cur_06_long_words_reach_the_engine_whole_or_with_the_cut_marked() {
    let fact = "The bridge to the harbour opens at nine.";
    for (filler, whole) in [(4_860, true), (200_000, false)] {
        let world = World::new();
        let words = format!("{} {fact} 以上。", "word ".repeat(filler / 5));
        world.session(&words, "Noted.");
        let engine = Script::new(|input| {
            let said = turn(&input, Speaker::Human).text().unwrap();
            assert_eq!(said.contains(fact), whole || said.contains(fact));
            let marked = said.contains(" bytes cut]");
            assert!(whole == (said == words.trim()) && marked != whole, "{}", said.len());
            Ok(Vec::new())
        });
        world.dream(&engine).unwrap();
        assert_eq!(engine.calls.get(), 1);
    }
}

#[test]
fn pub_obs_04_a_report_names_what_was_added_merged_replaced_refused_and_waits_with_its_sources() {
    let world = World::new();
    world.topic("dev", "project", &[OLD.to_owned(), "The worker has two threads.".to_owned()]);
    world.session(
        "Machine m5 joins; the API moved to port 9090; the worker has two threads and a queue.",
        "Noted.",
    );
    let engine = Script::new(|input| {
        let said = turn(&input, Speaker::Human);
        let quote = said.text().unwrap();
        let merged = entries(&input)[1];
        let rewrite = Change::Rewrite {
            target: target(merged.0, merged.1),
            text: "The worker has two threads and a queue.".to_owned(),
            hook: None,
        };
        let proposal =
            Change::Propose { destination: "CLAUDE.md".to_owned(), text: "Machine m5 is ours.".to_owned() };
        Ok(vec![
            add(&input, "fifth", "Machine m5 joins the cluster."),
            operation(rewrite, Kind::Project, said, quote),
            replace(&input, OLD, NEW),
            replace(&input, "words that stand nowhere", NEW),
            operation(proposal, Kind::Project, said, quote),
        ])
    });
    let report = world.run(&engine, Trigger::Manual, true, &mut |_| {}).unwrap();
    let applied: Vec<&str> = report.applied.iter().map(|operation| operation.change.as_str()).collect();
    assert_eq!(applied, ["create", "rewrite", "supersede"], "{report:?}");
    assert_eq!((report.refused.len(), report.proposed.len()), (1, 1), "{report:?}");
    let sources = report.applied.iter().chain(report.proposed.iter().map(|proposed| &proposed.operation));
    for operation in sources {
        assert!(operation.evidence[0].source.session.as_str().starts_with("00000001"), "{operation:?}");
        assert!(!operation.what.is_empty() && !operation.reason.is_empty());
    }
    assert!(!report.refused[0].reason.is_empty());
    // What is on record is the same report.
    let project = nidra_sessions::project::identify(&world.root.join("work"), true);
    let stored = world.store().runs(&project.id, 1).unwrap().remove(0).report;
    assert_eq!(stored, serde_json::to_value(&report).unwrap());
}

#[test]
fn pub_prj_11_words_for_another_place_than_the_project_s_memory_wait_for_the_user() {
    let world = World::new();
    world.session("Always use tabs in the harbour project.", "Noted.");
    let engine = Script::new(|input| {
        let said = turn(&input, Speaker::Human);
        let places = ["~/.claude/CLAUDE.md", "team/MEMORY.md", "/etc/global-memory.md"];
        let propose = |place: &&str| {
            let (destination, text) =
                ((*place).to_owned(), "Always use tabs in the harbour project.".to_owned());
            operation(Change::Propose { destination, text }, Kind::Feedback, said, said.text().unwrap())
        };
        Ok(places.iter().map(propose).collect())
    });
    let report = world.run(&engine, Trigger::Manual, true, &mut |_| {}).unwrap();
    assert_eq!((report.applied.len(), report.proposed.len()), (0, 3), "{report:?}");
    assert!(world.files().is_empty());
}
