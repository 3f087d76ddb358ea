//! What a dream does to memory, and what it leaves alone.

use crate::support::{COMMITS, Home, PNPM};
use crate::talk::Talk;
use crate::tree;
use std::fs;

#[test]
fn a_dream_learns_the_rules_of_both_languages_and_says_where_from() {
    let home = Home::with_sessions(2);
    let before = tree::exact(&home.claude.join("projects"));
    let said = home.expect(0, &["dream"]);
    for (sentence, word) in [PNPM, COMMITS] {
        assert!(tree::words(&home.memory()).contains(word), "{said:?}");
        // The words that it rests on are shown as they were typed.
        assert!(said.out.contains(sentence.trim_end_matches(['.', '。'])), "{said:?}");
    }
    let index = fs::read_to_string(home.memory().join("MEMORY.md")).unwrap();
    assert!(index.contains(PNPM.1) && index.contains(COMMITS.1), "{index}");
    // Transcripts are input and nothing else.
    for (path, state) in
        before.iter().filter(|(path, _)| path.extension().is_some_and(|name| name == "jsonl"))
    {
        assert_eq!(tree::exact(path).get(path), Some(state));
    }
}

#[test]
fn pub_tim_08_looking_changes_nothing_and_makes_no_state() {
    let home = Home::with_sessions(5);
    home.remember("MEMORY.md", "- [Dev server](dev.md) — the API listens on port 8080\n");
    home.remember(
        "dev.md",
        "---\nname: dev\ndescription: d\ntype: project\n---\n\nThe API listens on port 8080.\n",
    );
    let before = tree::exact(&home.root);
    let said = home.expect(0, &["dream", "--dry-run"]);
    assert!(said.out.contains(PNPM.1) && said.out.contains("+++ MEMORY.md"), "{said:?}");
    for command in ["status", "sessions", "check", "log", "review", "config"] {
        home.expect(0, &[command]);
    }
    assert!(!home.state.exists());
    tree::assert_same(&home.root, &before);
}

#[test]
fn pub_tim_08_looking_after_a_dream_leaves_not_even_a_file_of_the_database() {
    let (home, before) = looked_at_after_a_dream();
    tree::assert_same(&home.root, &before);
}

#[test]
fn pub_tim_08_looking_after_a_dream_changes_nothing_that_is_the_users() {
    let (home, before) = looked_at_after_a_dream();
    for place in [&home.folder, &home.work] {
        let below = before.iter().filter(|(path, _)| path.starts_with(place));
        tree::assert_same(place, &below.map(|(path, state)| (path.clone(), state.clone())).collect());
    }
    // The database itself keeps every byte.
    let database = home.state.join("nidra.db");
    assert_eq!(tree::exact(&database).get(&database), before.get(&database));
}

/// A home after a dream, before all looking, and after it.
fn looked_at_after_a_dream() -> (Home, tree::Exact) {
    let mut home = Home::with_sessions(5);
    home.expect(0, &["dream"]);
    home.wait_hours(30);
    Talk::new(9, &home.work)
        .human("We always run the linter before every commit, without exception.")
        .agent("Noted.")
        .write(&home);
    let before = tree::exact(&home.root);
    home.expect(0, &["dream", "--dry-run"]);
    for command in ["status", "sessions", "check", "log", "review", "config", "show", "diff"] {
        home.expect(0, &[command]);
    }
    (home, before)
}

#[test]
fn pub_cost_01_a_second_dream_changes_no_byte() {
    let mut home = Home::with_sessions(5);
    home.expect(0, &["dream"]);
    let before = tree::memory(&home.memory());
    for _ in 0..5 {
        home.wait_hours(25);
        let said = home.expect(0, &["dream"]);
        assert!(said.err.contains("Nothing to do"), "{said:?}");
    }
    home.expect(0, &["dream", "--yes"]);
    home.expect(0, &["dream", "--auto"]);
    assert_eq!(tree::memory(&home.memory()), before);
    assert_eq!(
        home.json(&["log"]).as_array().unwrap().iter().filter(|run| run["state"] == "applied").count(),
        1
    );
}

#[test]
fn pub_own_05_a_dream_without_a_word_worth_keeping_makes_no_file_in_the_work_tree() {
    let home = Home::new();
    for number in 1..=20 {
        let folder = home.work.join(format!("package-{number}"));
        fs::create_dir_all(&folder).unwrap();
        Talk::new(number, &folder).human("thanks!").agent("You are welcome.").write(&home);
    }
    let before = tree::exact(&home.work);
    let said = home.expect(0, &["dream"]);
    assert!(said.err.contains("Nothing to do"), "{said:?}");
    tree::assert_same(&home.work, &before);
    assert!(tree::memory(&home.memory()).is_empty());
}

#[test]
fn pub_own_01_and_02_daily_logs_are_never_written_nor_made() {
    let home = Home::with_sessions(5);
    for day in 1..=29 {
        home.remember(
            &format!("logs/2026/11/2026-11-{day:02}.md"),
            &format!("- 09:00 worked on day {day}\n"),
        );
    }
    let before = tree::exact(&home.memory().join("logs/2026/11"));
    home.expect(0, &["dream"]);
    tree::assert_same(&home.memory().join("logs/2026/11"), &before);
    let today = tree::memory(&home.memory());
    assert!(
        !today.keys().any(|name| name.contains("2026-11-30") || name.contains("2026-12-01")),
        "{today:?}"
    );
}

#[test]
fn pub_dur_04_litter_of_editors_and_systems_is_left_alone() {
    let home = Home::with_sessions(5);
    let litter = [".x.md.swp", "x.md~", "x.tmp", "#x.md#", ".DS_Store", "4913", "note.json"];
    for name in litter {
        home.remember(name, "Never mind this.");
    }
    home.expect(0, &["dream"]);
    let index = fs::read_to_string(home.memory().join("MEMORY.md")).unwrap();
    for name in litter {
        assert_eq!(fs::read(home.memory().join(name)).unwrap(), b"Never mind this.");
        assert!(!index.contains(name), "{index}");
    }
}

#[test]
fn pub_trg_02_no_network_is_needed_to_decide_and_to_dream() {
    let home = Home::with_sessions(5);
    let mut command = std::process::Command::new("unshare");
    home.environment(&mut command);
    command.args(["-n", env!("CARGO_BIN_EXE_nidra"), "dream", "--auto"]).current_dir(&home.work);
    let said = crate::support::said(&mut command, b"");
    if said.err.contains("unshare") {
        crate::support::not_tested("a dream without any network interface; `unshare -n` is not allowed");
        return;
    }
    assert_eq!(said.status.code(), Some(0), "{said:?}");
    assert!(tree::words(&home.memory()).contains(PNPM.1));
}
