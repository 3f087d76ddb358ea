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
        if let Event::Entered { phase } = event {
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

/// Fails on the session in which these words were said, and keeps the words of all others.
fn poisoned(
    input: &nidra_core::EngineInput<'_>,
) -> Result<Vec<nidra_core::Operation>, nidra_core::EngineError> {
    let mut operations = Vec::new();
    for conversation in input.conversations {
        let turn = conversation.turns.iter().find(|turn| turn.speaker == Speaker::Human).unwrap();
        let words = turn.text().unwrap();
        if words.contains("poison") {
            return Err(nidra_core::EngineError::Failed("the answer was cut off".to_owned()));
        }
        let slug = words.split(' ').nth(1).unwrap();
        let change = crate::support::create(slug, nidra_core::Kind::Project, words);
        operations.push(crate::support::operation(change, nidra_core::Kind::Project, turn, words));
    }
    Ok(operations)
}

fn state_of(report: &nidra_dream::report::RunReport, session: &str) -> String {
    report.sessions.iter().find(|known| known.session.starts_with(session)).unwrap().state.clone()
}

#[test]
fn pub_cost_03_one_session_that_fails_holds_no_other_up_and_is_set_aside_after_three_tries() {
    let mut world = World::new();
    for machine in ["m1", "m2"] {
        world.session(&format!("Machine {machine} joins the cluster."), "Noted.");
    }
    world.session("Machine poison breaks what looks at it.", "Noted.");
    for machine in ["m4", "m5"] {
        world.session(&format!("Machine {machine} joins the cluster."), "Noted.");
    }
    let engine = Script::new(|input| poisoned(&input));
    let report = world.dream(&engine).unwrap();
    for machine in ["m1", "m2", "m4", "m5"] {
        assert!(world.files().contains_key(&format!("{machine}.md")), "{machine}: {:?}", world.files());
    }
    assert_eq!(state_of(&report, "00000003"), "retry 1 of 3");
    assert_eq!(state_of(&report, "00000001"), "used");
    // Alone it is tried twice more, each time a failure with a cause that is on record.
    for tries in [2, 3] {
        world.hours_pass(30);
        let error = world.dream(&engine).unwrap_err();
        assert!(error.to_string().contains("the answer was cut off"), "{error}");
        let project = nidra_sessions::project::identify(&world.root.join("work"), true);
        let stored = world.store().sessions(&project.id).unwrap();
        let failed = stored.values().find(|session| session.tries > 0).unwrap();
        let state = if tries == 3 { "failed".to_owned() } else { format!("retry {tries} of 3") };
        assert_eq!((failed.tries, &failed.state), (tries, &state));
        let run = world.store().runs(&project.id, 1).unwrap().remove(0);
        assert!(run.error.unwrap().contains("the answer was cut off"));
    }
    let asked = engine.calls.get();
    world.hours_pass(30);
    let report = world.dream(&engine).unwrap();
    assert_eq!((engine.calls.get(), state_of(&report, "00000003").as_str()), (asked, "failed"));
    // The user's word brings it back, and what works again is forgotten as a failure.
    let project = nidra_sessions::project::identify(&world.root.join("work"), true);
    assert_eq!(world.store().retry_sessions(&project.id, None).unwrap().len(), 1);
    let healed = Script::new(|input| {
        Ok(vec![crate::support::add(&input, "healed", "Machine poison breaks what looks at it.")])
    });
    let report = world.dream(&healed).unwrap();
    assert_eq!(state_of(&report, "00000003"), "used");
    assert!(world.store().sessions(&project.id).unwrap().values().all(|session| session.tries == 0));
}

#[test]
fn pub_lck_06_an_engine_out_of_reach_is_no_session_s_fault() {
    let mut world = World::new();
    world.session("Machine m1 joins the cluster.", "Noted.");
    world.session("Machine m2 joins the cluster.", "Noted.");
    let gone = Script::new(|_| Err(nidra_core::EngineError::Unavailable("connection refused".to_owned())));
    for _ in 0..5 {
        assert!(world.dream(&gone).unwrap_err().to_string().contains("connection refused"));
        world.hours_pass(1);
    }
    assert_eq!(gone.calls.get(), 5, "asked once in each run");
    let report = world.dream(&Script::new(|input| poisoned(&input))).unwrap();
    assert_eq!(report.sessions.iter().filter(|session| session.state == "used").count(), 2);
    assert!(world.files().contains_key("m1.md") && world.files().contains_key("m2.md"));
}

#[test]
fn pub_trx_15_sessions_too_large_together_are_judged_in_parts_and_each_turn_once() {
    let world = World::new();
    for machine in 1..=7 {
        world.session(&format!("Machine m{machine} joins the cluster."), "Noted.");
    }
    let seen = std::cell::RefCell::new(Vec::new());
    let engine = Script::new(|input| {
        if input.conversations.len() > 2 {
            return Err(nidra_core::EngineError::Failed("more than the window holds".to_owned()));
        }
        let parts = input.conversations.iter().map(|part| part.session.clone().unwrap());
        seen.borrow_mut().extend(parts);
        poisoned(&input)
    });
    let report = world.dream(&engine).unwrap();
    let mut seen = seen.borrow().clone();
    assert_eq!(seen.len(), 7);
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 7, "no session was judged twice");
    assert_eq!(report.applied.len(), 7);
    assert!((1..=7).all(|machine| world.files().contains_key(&format!("m{machine}.md"))));
}
