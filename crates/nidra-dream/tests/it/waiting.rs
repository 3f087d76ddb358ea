//! What waits for the user's word: nothing is asked twice, a no is remembered, and newer words take a question back.

use crate::support::{Script, World, add, entries, operation, target, turn};
use nidra_core::settings::ReviewPolicy;
use nidra_core::{Change, EngineInput, Kind, Operation, OperationId, Speaker, TrustRank};
use nidra_dream::apply::{Application, ApplyError, apply};
use nidra_dream::kept::KeptError;
use nidra_dream::pipeline::{Mode, Trigger};
use nidra_dream::report::RunState;
use nidra_memory::lease::{Lease, LeaseOptions};
use nidra_memory::store::{PlanRecord, PlanState};
use nidra_sessions::project;

const OLD: &str = "Staging runs on port 3001.";
const NEW: &str = "Staging runs on port 4310.";

fn world() -> World {
    let world = World::new();
    world.topic("ports", "project", &[OLD.to_owned()]);
    world
}

/// Replaces the first entry by what the person says.
fn replaces(input: &EngineInput<'_>) -> Vec<Operation> {
    let (topic, entry) = entries(input)[0];
    let turn = turn(input, Speaker::Human);
    let text = turn.text().unwrap();
    let change = Change::Supersede { target: target(topic, entry), text: text.to_owned(), hook: None };
    vec![operation(change, Kind::Project, turn, text)]
}

fn plans(world: &World, state: PlanState) -> Vec<PlanRecord> {
    let project = project::identify(&world.root.join("work"), true);
    world.store().plans(&project.id, Some(state)).unwrap()
}

fn reject(world: &World) {
    let project = project::identify(&world.root.join("work"), true);
    for plan in plans(world, PlanState::Open) {
        let rejected = PlanRecord { state: PlanState::Rejected, ..plan };
        world.store().put_plan(&project.id, &rejected).unwrap();
    }
}

#[test]
fn a_no_is_remembered_whatever_is_undone_until_somebody_says_it_again() {
    let mut world = world();
    world.session(NEW, "Noted.");
    let engine = Script::new(|input| {
        let mut wanted = replaces(&input);
        wanted.push(add(&input, "fifth", "Machine m5 joins the others next week."));
        Ok(wanted)
    });
    let first = world.dream(&engine).unwrap();
    assert_eq!((first.proposed.len(), first.applied.len()), (1, 1), "{first:?}");
    reject(&world);
    world.undo(&first);
    let again = world.dream(&engine).unwrap();
    assert_eq!((again.proposed.len(), again.applied.len()), (0, 1), "{again:?}");
    assert!(again.refused[0].reason.contains("you said no"), "{:?}", again.refused);
    // Even the word for a whole run is none for what was rejected by name.
    world.undo(&again);
    let consent = world.run(&engine, Trigger::Manual, true, &mut |_| {}).unwrap();
    assert!(!world.files()["ports.md"].contains(NEW), "{consent:?}");
    world.hours_pass(30);
    world.session(NEW, "Noted.");
    assert_eq!(world.dream(&Script::new(|input| Ok(replaces(&input)))).unwrap().proposed.len(), 1);
}

#[test]
fn what_waits_is_not_asked_twice_and_newer_words_take_its_place() {
    let mut world = world();
    world.session(NEW, "Noted.");
    world.dream(&Script::new(|input| Ok(replaces(&input)))).unwrap();
    world.hours_pass(30);
    world.session("Staging runs on port 4310 .", "As you said.");
    let again = world.dream(&Script::new(|input| Ok(replaces(&input)))).unwrap();
    assert_eq!(again.proposed.len(), 0, "{again:?}");
    assert!(again.refused[0].reason.contains("waits for your word already"), "{:?}", again.refused);
    assert_eq!(plans(&world, PlanState::Open).len(), 1);
    world.hours_pass(30);
    world.session("Staging runs on port 5520.", "Noted.");
    let newer = world.dream(&Script::new(|input| Ok(replaces(&input)))).unwrap();
    assert_eq!(newer.proposed.len(), 1);
    let open = plans(&world, PlanState::Open);
    assert_eq!(open.len(), 1, "the older question is obsolete");
    assert!(open[0].body.to_string().contains("5520"));
    assert_eq!(plans(&world, PlanState::Obsolete).len(), 1);
}

#[test]
fn a_plan_to_forget_ends_when_its_entry_is_said_again() {
    let mut world = World::new();
    let entry = "The nightly job seems to copy the old reports.";
    world.session(&format!("Look at it. {entry}"), "I see.");
    let learn = Script::new(|input| {
        Ok(vec![Operation { rank: TrustRank::AgentInferred, ..add(&input, "nightly", entry) }])
    });
    world.dream(&learn).unwrap();
    world.hours_pass(400 * 24);
    world.session("What does the readme say?", "It says hello.");
    let offered = world.dream(&Script::new(|_| Ok(Vec::new()))).unwrap();
    assert_eq!(offered.proposed[0].operation.id, OperationId::new("forget-1"), "{offered:?}");
    world.hours_pass(24);
    world.session(entry, "Yes.");
    world.dream(&Script::new(|input| Ok(vec![add(&input, "nightly", entry)]))).unwrap();
    assert_eq!(plans(&world, PlanState::Open).len(), 0);
    assert_eq!(plans(&world, PlanState::Obsolete).len(), 1);
}

#[test]
fn what_is_said_of_a_pinned_topic_waits_and_is_not_lost() {
    let world = world();
    let path = world.memory.join("ports.md");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replacen("---\n", "---\npinned: true\n", 1)).unwrap();
    world.session(NEW, "Noted.");
    let before = world.files();
    for consent in [false, true] {
        let report =
            world.run(&Script::new(|input| Ok(replaces(&input))), Trigger::Manual, consent, &mut |_| {});
        let report = report.unwrap();
        if consent {
            assert_eq!(
                report.state,
                RunState::NothingToDo { reason: "all sessions were read before".to_owned() }
            );
        } else {
            assert!(report.proposed[0].waits_because.contains("pinned"), "{report:?}");
        }
        assert_eq!(world.files(), before);
    }
}

#[test]
fn a_plan_that_is_applied_in_part_names_the_plan_of_the_rest() {
    let mut world = World::new();
    world.settings.dream.review = ReviewPolicy::All;
    world.session("Who owns what?", "Here.");
    let facts = ["Ana owns the billing module.", "Ben owns the search pages.", "Cem owns outgoing mail."];
    let engine = Script::new(|input| {
        Ok(facts
            .iter()
            .enumerate()
            .map(|(number, fact)| Operation {
                id: OperationId::new(format!("op-{number}")),
                ..add(&input, &format!("owner-{number}"), fact)
            })
            .collect())
    });
    world.dream(&engine).unwrap();
    let plan = plans(&world, PlanState::Open).remove(0);
    let (now, project) = (world.zoned(), project::identify(&world.root.join("work"), true));
    let mut settings = world.settings.clone();
    settings.dream.max_new_topics = 1;
    let application = Application {
        project: &project,
        memory_root: &world.memory,
        settings: &settings,
        now: &now,
        only: &[],
        words: None,
    };
    let lease = Lease::acquire(&world.memory, &LeaseOptions::new("apply")).unwrap();
    let report = apply(&application, &mut world.store(), &lease, &plan).unwrap();
    assert_eq!((report.applied.len(), report.refused.len()), (1, 2), "{report:?}");
    let open = plans(&world, PlanState::Open);
    assert_eq!(report.left, open.first().map(|plan| plan.hash.clone()));
    assert_eq!(open[0].body["plan"]["operations"].as_array().unwrap().len(), 2);
}

/// The name of a plan is a digest of its operations: what somebody writes into them is not what the user says yes to.
#[test]
fn a_plan_that_was_changed_where_it_is_kept_is_not_applied() {
    let mut world = world();
    world.settings.dream.review = ReviewPolicy::All;
    world.session(NEW, "Noted.");
    world.dream(&Script::new(|input| Ok(replaces(&input)))).unwrap();
    let plan = plans(&world, PlanState::Open).remove(0);
    let (now, project) = (world.zoned(), project::identify(&world.root.join("work"), true));
    let settings = world.settings.clone();
    let application = Application {
        project: &project,
        memory_root: &world.memory,
        settings: &settings,
        now: &now,
        only: &[],
        words: None,
    };
    let before = world.files();
    for (place, value) in [
        ("/change/text", "Staging runs on port 6666."),
        ("/evidence/0/quote", "Staging runs on port 6666."),
        ("/evidence/0/source/record", "another"),
        ("/rank", "human-confirmed"),
        ("/kind", "feedback"),
        ("/reason", "because"),
        ("/id", "op-7"),
    ] {
        let mut body = plan.body.clone();
        let field = body.pointer_mut(&format!("/plan/operations/0{place}"));
        *field.unwrap_or_else(|| panic!("{place} in {:#}", plan.body)) = value.into();
        let changed = PlanRecord { body, ..plan.clone() };
        let lease = Lease::acquire(&world.memory, &LeaseOptions::new("apply")).unwrap();
        let error = apply(&application, &mut world.store(), &lease, &changed).unwrap_err();
        assert!(matches!(error, ApplyError::Kept(_, KeptError::Altered)), "{place}: {error:?}");
        drop(lease);
        assert_eq!(world.files(), before, "{place}");
    }
    let lease = Lease::acquire(&world.memory, &LeaseOptions::new("apply")).unwrap();
    assert_eq!(apply(&application, &mut world.store(), &lease, &plan).unwrap().applied.len(), 1);
}

#[test]
fn a_dry_run_names_no_plan_since_it_keeps_none() {
    let world = world();
    world.session(NEW, "Noted.");
    let report = world.go(&Script::new(|input| Ok(replaces(&input))), Mode::DryRun).unwrap();
    assert_eq!((report.proposed.len(), report.plan), (1, None));
}

#[test]
fn statements_that_exclude_each_other_are_a_question_with_both_texts_and_places() {
    for (first, second) in [(OLD, NEW), ("测试环境超时是 30 秒。", "测试环境超时是 60 秒。")]
    {
        let mut world = World::new();
        world.topic(
            "ports",
            "project",
            &[first.to_owned(), second.to_owned(), "Machine m5 is slow.".to_owned()],
        );
        world.session("What does the readme say?", "It says hello.");
        let before = world.files();
        let report = world.dream(&Script::new(|_| Ok(Vec::new()))).unwrap();
        assert_eq!(world.files(), before);
        let [question] = report.questions.as_slice() else { panic!("{report:?}") };
        let [one, two] = question.answers.as_slice() else { panic!("{report:?}") };
        assert!(one.what.contains(first) && one.reason.contains(second) && one.reason.contains("ports.md"));
        assert!(two.what.contains(second) && two.reason.contains(first));
        world.hours_pass(30);
        world.session("And the licence?", "MIT.");
        assert_eq!(world.dream(&Script::new(|_| Ok(Vec::new()))).unwrap().questions.len(), 0, "asked once");
    }
}

#[test]
fn what_tells_which_is_newer_or_speaks_of_another_thing_is_no_question() {
    for entries in [
        ["Machine m5 has four cards.", "Machine m6 has four cards."],
        ["The release is on 2026-05-01.", "The release is on 2026-06-01."],
        ["Staging runs on port 3001.", "Production runs on port 4310."],
    ] {
        let world = World::new();
        world.topic("ports", "project", &entries.map(str::to_owned));
        world.session("What does the readme say?", "It says hello.");
        let report = world.dream(&Script::new(|_| Ok(Vec::new()))).unwrap();
        assert_eq!(report.questions, [], "{entries:?}");
    }
}
