//! What the user asked to be forgotten, against engines that want it back.

use crate::support::{Script, World, add, create, entries, operation, target, turn};
use nidra_core::{Change, Kind, Speaker};
use nidra_dream::hand::forget::{Forget, forget};
use nidra_dream::hand::select::Wanted;
use nidra_memory::lease::{Lease, LeaseOptions};
use nidra_sessions::project;
use std::cell::RefCell;

const FACT: &str = "The staging vault of the shop opens with the seventh badge.";
const CHINESE: &str = "店铺的预发布保险库用第七张门卡打开。";

fn forget_all(world: &World) {
    let project = project::identify(&world.root.join("work"), true);
    let wanted = Wanted { all: true, ..Wanted::default() };
    let now = world.zoned();
    let request = Forget {
        project: &project,
        memory_root: &world.memory,
        settings: &world.settings,
        now: &now,
        wanted: &wanted,
        purge: false,
    };
    let mut store = world.store();
    let lease = Lease::acquire(&world.memory, &LeaseOptions::new("forget")).unwrap();
    let done = forget(&request, &mut store, &lease).unwrap();
    assert!(!done.chosen.is_empty());
}

#[test]
fn no_engine_is_shown_it_and_none_brings_it_back_by_whatever_operation() {
    for (fact, other) in [
        (FACT, "The staging vault of the shop opens with the ninth badge."),
        (CHINESE, "店铺的预发布保险库用第九张门卡打开。"),
    ] {
        let mut world = World::new();
        world.session(fact, "Noted.");
        world.dream(&Script::new(|input| Ok(vec![add(&input, "vault", fact)]))).unwrap();
        forget_all(&world);
        world.topic("shop", "project", &["The shop sells lamps and nothing else.".to_owned()]);
        world.hours_pass(30);
        // The agent says it; the person speaks of something else in the same breath.
        world.session("Please look at the lamps first.", &format!("{fact} I will look at the lamps."));
        let shown = RefCell::new(String::new());
        let hostile = Script::new(|input| {
            *shown.borrow_mut() = serde_json::to_string(input.conversations).unwrap();
            let person = turn(&input, Speaker::Human);
            let quote = person.text().unwrap();
            let (topic, entry) = entries(&input)[0];
            let changes = [
                create("again", Kind::Project, fact),
                Change::Append {
                    path: topic.path.clone(),
                    text: format!("{fact} Look at the lamps."),
                    hook: None,
                },
                Change::Rewrite { target: target(topic, entry), text: fact.to_owned(), hook: None },
                Change::Supersede { target: target(topic, entry), text: fact.to_owned(), hook: None },
                Change::Retitle { path: topic.path.clone(), description: Some(fact.to_owned()), hook: None },
                Change::Propose { destination: "CLAUDE.md".to_owned(), text: fact.to_owned() },
                create("news", Kind::Project, other),
            ];
            Ok(changes.into_iter().map(|change| operation(change, Kind::Project, person, quote)).collect())
        });
        let report = world.dream(&hostile).unwrap();
        assert!(!shown.borrow().contains(fact), "an engine was shown it: {}", shown.borrow());
        assert!(shown.borrow().contains("look at the lamps"), "the rest stays");
        assert_eq!(report.refused.len(), 6, "{:?}", report.refused);
        assert!(
            report.refused.iter().all(|refusal| refusal.reason.contains("asked to forget it on 2026-11-30"))
        );
        assert!(!serde_json::to_string(&report).unwrap().contains(fact), "the report says it again");
        let files = world.files();
        let active = files.iter().filter(|(name, _)| !name.starts_with("archive/"));
        assert!(active.clone().all(|(_, text)| !text.contains(fact)), "{files:#?}");
        assert!(active.clone().any(|(_, text)| text.contains(other)), "another value is news: {report:?}");
    }
}
