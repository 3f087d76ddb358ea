//! After every run the index is within its limits, what is new is in it, and nothing is cut in silence.

use crate::support::{Script, World, add};
use nidra_dream::report::RunReport;
use std::fs;

fn fill(world: &World, lines: usize, width: usize) {
    fs::create_dir_all(&world.memory).unwrap();
    let mut index = String::new();
    for number in 0..lines {
        let name = format!("old-{number:03}");
        let hook = format!("machine m{number} listens on its own port ");
        index.push_str(&format!("- [{name}]({name}.md) — {:<width$}\n", hook.trim_end()).replace("  ", " x"));
        let text = format!(
            "---\nname: {name}\ndescription: d\nmetadata:\n  type: project\n---\n\nMachine m{number} listens on its own port.\n"
        );
        fs::write(world.memory.join(format!("{name}.md")), text).unwrap();
    }
    fs::write(world.memory.join("MEMORY.md"), index).unwrap();
}

fn within_limits(index: &str) {
    // As the client counts: trimmed, lines, UTF-16 units.
    assert!(index.trim().lines().count() <= 200, "{} lines", index.trim().lines().count());
    assert!(index.trim().encode_utf16().count() <= 25_000, "{} units", index.trim().encode_utf16().count());
}

#[test]
fn pub_idx_01_a_full_index_takes_what_is_new_and_names_what_it_sheds() {
    let world = World::new();
    fill(&world, 199, 40);
    world.session("Five new machines join them next week.", "Noted.");
    let engine = Script::new(|input| {
        Ok((0..5)
            .map(|number| {
                add(
                    &input,
                    &format!("new-{number}"),
                    &format!("The new machine n{number} joins them next week."),
                )
            })
            .collect())
    });
    let report = world.dream(&engine).unwrap();
    let index = world.index();
    within_limits(&index);
    for number in 0..5 {
        let loaded = index.contains(&format!("new machine n{number}"));
        assert!(
            loaded || is_told(&report, &format!("new-{number}")),
            "new-{number} is neither loaded nor named: {report:?}"
        );
    }
    assert!(index.contains("new machine n0"), "the one line that fits has to be in");
    // Every file is still there, and every old line that is gone is named in the report.
    let told = serde_json::to_string(&report).unwrap();
    for number in 0..199 {
        let name = format!("old-{number:03}.md");
        assert!(world.memory.join(&name).exists(), "{name}");
        assert!(index.contains(&name) || told.contains(&name), "{name} left the index in silence");
    }
}

/// Whether a report names a topic that was not made, with the reason.
fn is_told(report: &RunReport, name: &str) -> bool {
    let what = format!("{name}\"");
    let full = |reason: &str| reason.contains("index") || reason.contains("ceiling");
    report.refused.iter().any(|refusal| refusal.what.contains(&what) && full(&refusal.reason))
        || report
            .proposed
            .iter()
            .any(|waiting| waiting.operation.what.contains(&what) && full(&waiting.waits_because))
}

#[test]
fn pub_idx_07_thirty_kilobytes_of_news_do_not_push_the_index_over_its_limit() {
    let mut world = World::new();
    world.settings.dream.max_new_topics = 1000;
    world.session("Hundreds of machines join them next week.", "Noted.");
    let engine = Script::new(|input| {
        let long = "and it has a long story of its own, 说来话长";
        Ok((0..300)
            .map(|number| {
                add(
                    &input,
                    &format!("new-{number}"),
                    &format!("The new machine n{number} joins them, {long}."),
                )
            })
            .collect())
    });
    let report = world.dream(&engine).unwrap();
    within_limits(&world.index());
    // Each is either in memory or refused by name.
    let files = world.files();
    for number in 0..300 {
        let sentence = format!("The new machine n{number} joins");
        let kept = files.values().any(|text| text.contains(&sentence));
        assert!(
            kept != is_told(&report, &format!("new-{number}")),
            "new-{number} vanished, or is told twice"
        );
    }
}

#[test]
fn prose_of_the_index_that_stands_nowhere_else_stays() {
    let world = World::new();
    fs::create_dir_all(&world.memory).unwrap();
    let prose = "# 项目\n\n| port | who |\n|---|---|\n| 8080 | API |\n\n```\n- [x](not-a-link.md)\n```\n\nA fact that stands nowhere else.";
    fs::write(world.memory.join("MEMORY.md"), prose).unwrap();
    world.session("Machine m5 joins them next week.", "Noted.");
    let engine = Script::new(|input| Ok(vec![add(&input, "fifth", "Machine m5 joins them next week.")]));
    world.dream(&engine).unwrap();
    let index = world.index();
    assert!(
        index.starts_with(
            "# 项目\n\n| port | who |\n|---|---|\n| 8080 | API |\n\n```\n- [x](not-a-link.md)\n```\n"
        ),
        "{index}"
    );
    assert!(index.contains("A fact that stands nowhere else.\n") && index.contains("m5 joins"), "{index}");
}
