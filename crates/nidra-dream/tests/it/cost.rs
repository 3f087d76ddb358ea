//! No new input: no work. What costs is only what is new.

use crate::support::{Script, World, add};
use nidra_core::Speaker;
use nidra_dream::event::{Event, Phase};
use nidra_dream::pipeline::Trigger;
use nidra_dream::report::RunState;

#[test]
fn pub_trg_03_nothing_to_save_is_a_success_and_the_engine_is_asked_once() {
    let mut world = World::new();
    world.session("What does the readme say about this?", "It says hello.");
    let engine = Script::new(|_| Ok(Vec::new()));
    for _ in 0..10 {
        let report = world.dream(&engine).unwrap();
        assert!(matches!(report.state, RunState::NothingToDo { .. }), "{report:?}");
        world.hours_pass(30);
    }
    assert_eq!(engine.calls.get(), 1);
    assert!(world.files().is_empty());
}

#[test]
fn pub_cost_01_an_engine_sees_the_new_session_and_no_other() {
    let mut world = World::new();
    for number in 0..40 {
        world.session(&format!("Old words number {number} about the readme."), "Yes.");
    }
    world.dream(&Script::new(|_| Ok(Vec::new()))).unwrap();
    world.hours_pass(30);
    world.session("New words about the harbour.", "Yes.");
    let engine = Script::new(|input| {
        assert_eq!(input.conversations.len(), 1);
        assert_eq!(crate::support::turn(&input, Speaker::Human).text(), Some("New words about the harbour."));
        Ok(Vec::new())
    });
    world.dream(&engine).unwrap();
    assert_eq!(engine.calls.get(), 1);
}

#[test]
fn pub_slf_05_the_same_statement_is_stored_once_however_often_it_is_offered() {
    let mut world = World::new();
    for number in 0..12 {
        world.session(&format!("Machine m5 joins them next week, I say it {number} times."), "Noted.");
        let engine = Script::new(|input| Ok(vec![add(&input, "fifth", "Machine m5 joins them next week.")]));
        world.dream(&engine).unwrap();
        world.hours_pass(30);
    }
    let files = world.files();
    let holding =
        files.iter().filter(|(name, text)| *name != "MEMORY.md" && text.contains("m5 joins")).count();
    assert_eq!(holding, 1, "{files:?}");
    assert_eq!(world.index().matches("m5 joins").count(), 1, "{}", world.index());
}

#[test]
fn the_steps_come_in_their_order_and_a_closed_gate_ends_all() {
    let world = World::new();
    world.session("Machine m5 joins them next week.", "Noted.");
    let engine = Script::new(|input| Ok(vec![add(&input, "fifth", "Machine m5 joins them next week.")]));
    let mut phases = Vec::new();
    let mut note = |event: &Event| {
        if let Event::Entered(phase) = event {
            phases.push(*phase);
        }
    };
    let skipped = world.run(&engine, Trigger::Automatic, false, &mut note).unwrap();
    assert!(matches!(skipped.state, RunState::Skipped { .. }));
    assert_eq!((engine.calls.get(), world.memory.exists()), (0, false));
    world.run(&engine, Trigger::Manual, false, &mut note).unwrap();
    assert_eq!(
        phases,
        [
            Phase::Gate,
            Phase::Gate,
            Phase::Lease,
            Phase::Orient,
            Phase::Gather,
            Phase::Consolidate,
            Phase::Prune,
            Phase::Commit,
            Phase::Report
        ]
    );
}
