//! Engines that want to delete: capped, named, and always with a way back.

use crate::support::{Script, World, archive, entries, operation, target, turn};
use nidra_core::settings::ReviewPolicy;
use nidra_core::{Change, EntryId, Kind, Speaker, Target};
use nidra_dream::pipeline::Trigger;
use std::fs;

fn fact(number: usize) -> String {
    format!("Fact number {number} says that machine m{number} listens on port {}.", 4000 + number)
}

#[test]
fn pub_del_01_an_order_to_delete_most_of_memory_waits_for_the_user_and_is_capped_even_then() {
    let mut world = World::new();
    let kinds = [("user", 5), ("feedback", 14), ("reference", 4), ("project", 7)];
    let mut number = 0;
    for (kind, count) in kinds {
        for _ in 0..count {
            number += 1;
            world.topic(&format!("{number:02}-{kind}"), kind, &[fact(number)]);
        }
    }
    world.session("Please tidy up the memory a little today.", "I will.");
    let before = world.files();
    let greedy = Script::new(|input| {
        Ok(entries(&input).into_iter().take(23).map(|(topic, entry)| archive(&input, topic, entry)).collect())
    });

    // By default nothing goes without the user's word, and each wish is named.
    let report = world.dream(&greedy).unwrap();
    assert_eq!(world.files(), before);
    assert_eq!(report.applied.len(), 0);
    assert_eq!(report.proposed.len() + report.refused.len(), 23);
    for (kind, reason) in report.refused.iter().map(|refusal| (&refusal.what, &refusal.reason)) {
        assert!(reason.contains("ceiling"), "{kind} {reason}");
    }

    // With the user's word the ceiling of a tenth of the entries holds all the same.
    world.hours_pass(30);
    world.session("Please tidy up the memory again today.", "I will.");
    let report = world.run(&greedy, Trigger::Manual, true, &mut |_| {}).unwrap();
    assert_eq!((report.applied.len(), report.refused.len()), (3, 20));
    let after = world.files();
    let archived: String = after
        .iter()
        .filter(|(name, _)| name.starts_with("archive/"))
        .map(|(_, text)| text.as_str())
        .collect();
    for number in 1..=30 {
        let live =
            after.iter().any(|(name, text)| !name.starts_with("archive/") && text.contains(&fact(number)));
        assert!(live || archived.contains(&fact(number)), "fact {number} is lost");
    }
    assert!(archived.contains("a test says so"), "{archived}");
    world.undo(&report);
    assert_eq!(world.files(), before);
}

#[test]
fn pub_del_02_daily_logs_are_no_target() {
    let mut world = World::new();
    world.settings.dream.review = ReviewPolicy::Auto;
    fs::create_dir_all(world.memory.join("logs/2026/11")).unwrap();
    for day in 1..=28 {
        fs::write(
            world.memory.join(format!("logs/2026/11/2026-11-{day:02}.md")),
            format!("- 09:00 worked on thing {day}\n"),
        )
        .unwrap();
    }
    world.topic("dev", "project", &[fact(1)]);
    world.session("Please tidy up the daily logs now.", "I will.");
    let before = world.files();
    let engine = Script::new(|input| {
        let said = turn(&input, Speaker::Human);
        let log = |day: u32| Target {
            path: format!("logs/2026/11/2026-11-{day:02}.md"),
            entry: EntryId::of(
                &format!("logs/2026/11/2026-11-{day:02}.md"),
                &format!("09:00 worked on thing {day}"),
            ),
            text: format!("09:00 worked on thing {day}"),
        };
        let mut wishes: Vec<_> = (1..=28)
            .map(|day| {
                operation(Change::Archive { target: log(day) }, Kind::Project, said, said.text().unwrap())
            })
            .collect();
        let path = "logs/2026/11/2026-11-30.md".to_owned();
        let text = "The day went well for everyone.".to_owned();
        wishes.push(operation(
            Change::Append { path, text, hook: None },
            Kind::Project,
            said,
            said.text().unwrap(),
        ));
        Ok(wishes)
    });
    let report = world.run(&engine, Trigger::Manual, true, &mut |_| {}).unwrap();
    assert_eq!(report.refused.len(), 29, "{:?}", report.refused);
    assert_eq!(world.files(), before);
}

#[test]
fn pub_del_03_repeated_removal_never_empties_memory() {
    let mut world = World::new();
    world.settings.dream.review = ReviewPolicy::Auto;
    for topic in 0..20 {
        world.topic(
            &format!("t{topic:02}"),
            "project",
            &(0..5).map(|entry| fact(topic * 5 + entry)).collect::<Vec<_>>(),
        );
    }
    let mut live = 100;
    for run in 0..5 {
        world.session(&format!("Please tidy up the memory, round {run}."), "I will.");
        let greedy = Script::new(|input| {
            Ok(entries(&input)
                .into_iter()
                .take(40)
                .map(|(topic, entry)| archive(&input, topic, entry))
                .collect())
        });
        let report = world.dream(&greedy).unwrap();
        let ceiling = live / 10;
        assert_eq!(report.applied.len(), ceiling, "run {run}");
        assert!(
            report.refused.iter().all(|refusal| refusal.reason.contains("ceiling reached")),
            "{:?}",
            report.refused
        );
        live -= ceiling;
        let all: String = world.files().into_values().collect();
        for number in 0..100 {
            assert!(all.contains(&fact(number)), "run {run}: fact {number} is lost");
        }
        world.hours_pass(30);
    }
}

#[test]
fn pub_del_06_and_con_03_what_was_not_seen_word_for_word_cannot_be_changed() {
    let mut world = World::new();
    world.settings.dream.review = ReviewPolicy::Auto;
    world.topic("dev", "project", &[fact(1), fact(2)]);
    world.session("The port of the first machine changed.", "Noted.");
    let before = world.files();
    let engine = Script::new(|input| {
        let said = turn(&input, Speaker::Human);
        let (topic, entry) = entries(&input)[0];
        let right = target(topic, entry);
        let wrong = [
            Target { text: "Fact one is about the first machine.".to_owned(), ..right.clone() },
            Target { entry: EntryId::of("dev.md", "something else"), ..right.clone() },
            Target { path: "other.md".to_owned(), ..right.clone() },
            Target { path: "../dev.md".to_owned(), ..right },
        ];
        Ok(wrong
            .into_iter()
            .flat_map(|target| {
                let text = "Now everything is quite different there.".to_owned();
                [Change::Supersede { target: target.clone(), text, hook: None }, Change::Archive { target }]
            })
            .map(|change| operation(change, Kind::Project, said, said.text().unwrap()))
            .collect())
    });
    let report = world.run(&engine, Trigger::Manual, true, &mut |_| {}).unwrap();
    assert_eq!(report.refused.len(), 8, "{report:?}");
    assert_eq!(world.files(), before);
}

#[test]
fn pinned_topics_stay_whatever_is_asked() {
    let mut world = World::new();
    world.settings.dream.review = ReviewPolicy::Auto;
    world.topic("dev", "project", &[fact(1)]);
    let path = world.memory.join("dev.md");
    fs::write(
        &path,
        fs::read_to_string(&path).unwrap().replace("  type: project\n", "  type: project\n  pinned: true\n"),
    )
    .unwrap();
    world.session("Machine one is gone for good.", "Noted.");
    let before = world.files();
    let engine = Script::new(|input| {
        Ok(entries(&input).into_iter().map(|(topic, entry)| archive(&input, topic, entry)).collect())
    });
    let report = world.run(&engine, Trigger::Manual, true, &mut |_| {}).unwrap();
    assert_eq!(world.files(), before);
    assert!(report.refused[0].reason.contains("pinned"), "{report:?}");
}
