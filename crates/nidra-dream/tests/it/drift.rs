//! Entries that the checkout does not bear out: reported, proposed once, and never touched without the user's word.

use crate::support::{Script, World, add};
use nidra_core::settings::ReviewPolicy;
use nidra_core::{Change, OperationId};
use nidra_dream::pipeline::Trigger;
use nidra_memory::store::{PlanRecord, PlanState};
use std::fs;

fn world() -> World {
    let world = World::new();
    let work = world.root.join("work");
    fs::create_dir_all(work.join("src")).unwrap();
    fs::write(work.join("src/main.rs"), "fn main() {}\n").unwrap();
    world
}

fn nothing()
-> Script<impl Fn(nidra_core::EngineInput<'_>) -> Result<Vec<nidra_core::Operation>, nidra_core::EngineError>>
{
    Script::new(|_| Ok(Vec::new()))
}

#[test]
fn a_stale_entry_waits_for_the_users_word_under_every_policy() {
    for policy in [ReviewPolicy::Auto, ReviewPolicy::Risky, ReviewPolicy::All] {
        let mut world = world();
        world.settings.dream.review = policy;
        world.topic("tests", "project", &["The slash command is covered by slash_test.rs.".to_owned()]);
        world.topic("start", "project", &["入口在 src/main.rs。".to_owned()]);
        world.session("What does the readme say?", "It says hello.");
        let before = world.files();
        let report = world.run(&nothing(), Trigger::Manual, false, &mut |_| {}).unwrap();
        assert_eq!(world.files(), before);
        assert_eq!(report.applied.len(), 0);
        assert_eq!(report.drift.len(), 1);
        assert_eq!((report.drift[0].path.as_str(), report.drift[0].line), ("tests.md", 9));
        let [proposed] = report.proposed.as_slice() else { panic!("{:?}", report.proposed) };
        assert_eq!(
            (proposed.operation.id.as_str(), proposed.operation.change.as_str()),
            ("drift-1", "archive")
        );
        assert!(proposed.operation.reason.contains("slash_test.rs"), "{}", proposed.operation.reason);
    }
}

#[test]
fn the_word_for_a_run_archives_what_is_stale_and_undo_brings_it_back_for_good() {
    let mut world = world();
    world.topic("tests", "project", &["The slash command is covered by slash_test.rs.".to_owned()]);
    world.topic("rules", "feedback", &["The dashes are covered by dash_test.rs.".to_owned()]);
    world.session("What does the readme say?", "It says hello.");
    let before = world.files();
    let report = world.run(&nothing(), Trigger::Manual, true, &mut |_| {}).unwrap();
    assert_eq!((report.applied.len(), report.proposed.len()), (1, 1), "a rule of the person waits");
    let archived = &world.files()["archive/tests.md"];
    assert!(archived.contains("The slash command is covered by slash_test.rs."), "{archived}");
    world.undo(&report);
    assert_eq!(world.files(), before);

    // What was taken back waits, whatever the next run was given.
    world.hours_pass(30);
    world.session("And what does the licence say?", "It says what one may do.");
    let again = world.run(&nothing(), Trigger::Manual, true, &mut |_| {}).unwrap();
    assert_eq!(again.applied.len(), 0);
    assert_eq!(world.files(), before);
}

#[test]
fn the_same_verdict_is_proposed_once_and_another_one_anew() {
    let mut world = world();
    world.topic("tests", "project", &["Covered by slash_test.rs and by parse_test.rs.".to_owned()]);
    fs::write(world.root.join("work/parse_test.rs"), "").unwrap();
    world.session("What does the readme say?", "It says hello.");
    let first = world.dream(&nothing()).unwrap();
    assert_eq!(first.proposed.len(), 1);

    // The user says no; the next night brings nothing new.
    let project = nidra_sessions::project::identify(&world.root.join("work"), true);
    let plan = world.store().plan(&project.id, &first.plan.unwrap()).unwrap().unwrap();
    let dropped = PlanRecord { state: PlanState::Rejected, ..plan };
    world.store().put_plan(&project.id, &dropped).unwrap();
    world.hours_pass(30);
    world.session("And what does the licence say?", "It says what one may do.");
    let second = world.dream(&nothing()).unwrap();
    assert_eq!((second.proposed.len(), second.drift.len()), (0, 1));

    // More of it has gone since: that is other evidence.
    fs::remove_file(world.root.join("work/parse_test.rs")).unwrap();
    world.hours_pass(30);
    world.session("And the changelog?", "It says what changed.");
    assert_eq!(world.dream(&nothing()).unwrap().proposed.len(), 1);
}

#[test]
fn what_the_run_replaces_or_the_user_pinned_is_not_proposed() {
    let world = world();
    world.topic("tests", "project", &["Covered by slash_test.rs.".to_owned()]);
    world.topic("kept", "project", &["Covered by pinned_test.rs.".to_owned()]);
    let path = world.memory.join("kept.md");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replacen("---\n", "---\npinned: true\n", 1)).unwrap();
    world.session("The slash command is covered by src/main.rs now.", "Noted.");
    let replaces = Script::new(|input| {
        let (topic, entry) =
            crate::support::entries(&input).into_iter().find(|(topic, _)| topic.path == "tests.md").unwrap();
        let mut operation = add(&input, "x", "The slash command is covered by src/main.rs now.");
        operation.id = OperationId::new("op-1");
        operation.change = Change::Supersede {
            target: crate::support::target(topic, entry),
            text: "The slash command is covered by src/main.rs now.".to_owned(),
            hook: None,
        };
        Ok(vec![operation])
    });
    let report = world.dream(&replaces).unwrap();
    assert!(
        report.proposed.iter().all(|proposed| proposed.operation.change != "archive"),
        "{:?}",
        report.proposed
    );
}

#[test]
fn pub_del_04_a_note_about_other_places_is_neither_reported_nor_proposed() {
    let world = world();
    world.topic(
        "places",
        "reference",
        &[
            "It reads ~/.config/tool/a.toml and /opt/x/bin; the types are in lantern/src/lib.rs.".to_owned(),
            "配置在 ~/.config/tool/a.toml，类型在另一个仓库的 src/lib.rs。".to_owned(),
        ],
    );
    world.session("What does the readme say?", "It says hello.");
    let report = world.dream(&nothing()).unwrap();
    assert_eq!((report.proposed.len(), report.drift.len()), (0, 0));
}

#[test]
fn an_entry_about_a_file_that_moved_is_offered_with_its_new_place() {
    let world = world();
    world.topic(
        "start",
        "project",
        &["The entry point is src/app/main.rs, nothing else starts there.".to_owned()],
    );
    world.session("What does the readme say?", "It says hello.");
    let report = world.dream(&nothing()).unwrap();
    let [proposed] = report.proposed.as_slice() else { panic!("{:?}", report.proposed) };
    assert_eq!(proposed.operation.change, "rewrite");
    assert!(
        proposed.operation.what.ends_with("→ The entry point is src/main.rs, nothing else starts there.")
    );
    world.session("And the licence?", "MIT.");
    assert_eq!(world.dream(&nothing()).unwrap().proposed.len(), 0, "once");
}

#[test]
fn the_line_of_the_index_no_longer_says_what_was_archived() {
    let world = world();
    let stale = "The slash command is covered by slash_test.rs.";
    world.topic("tests", "project", &[stale.to_owned(), "The load runs at night.".to_owned()]);
    let index = world.memory.join("MEMORY.md");
    fs::write(&index, "- [Tests](tests.md) — slash command covered by slash_test.rs; load at night\n")
        .unwrap();
    world.session("What does the readme say?", "It says hello.");
    world.run(&nothing(), Trigger::Manual, true, &mut |_| {}).unwrap();
    let index = fs::read_to_string(index).unwrap();
    assert_eq!(index, "- [Tests](tests.md) — load at night\n");
    let topic = fs::read_to_string(world.memory.join("tests.md")).unwrap();
    assert!(
        !topic.contains("slash_test.rs") && topic.ends_with("\n\nThe load runs at night.\n"),
        "{topic:?}"
    );
}
