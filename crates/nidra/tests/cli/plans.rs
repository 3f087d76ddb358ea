//! Plans and proposals: bound to their hash, checked against memory as it is, and the user's word for each.

use crate::support::{COMMITS, Home, PNPM};
use crate::talk::Talk;
use crate::tree;
use serde_json::Value;
use std::fs;

/// A memory that a later session corrects.
fn corrected() -> Home {
    let home = Home::new();
    home.remember(
        "MEMORY.md",
        "- [Dev server](dev-server.md) — the API listens on port 8080 in development\n",
    );
    home.remember(
        "dev-server.md",
        "---\nname: dev-server\ndescription: where the API listens\nmetadata:\n  node_type: memory\n  type: project\n---\n\n\
         The API listens on port 8080 in development.\n",
    );
    Talk::new(1, &home.work)
        .human(PNPM.0)
        .agent("ok")
        .human("ah yes, we moved it. the API listens on port 8480 in development now, no longer 8080")
        .agent("Thanks, 8480.")
        .write(&home);
    home
}

fn waiting(home: &Home) -> Vec<Value> {
    home.json(&["review"]).as_array().unwrap().clone()
}

fn words(home: &Home) -> String {
    tree::words(&home.memory())
}

#[test]
fn a_plan_changes_no_memory_and_is_applied_by_its_hash() {
    let home = Home::with_sessions(3);
    home.remember("MEMORY.md", "- mine\n");
    let before = tree::memory(&home.memory());
    let said = home.expect(3, &["plan"]);
    assert_eq!(tree::memory(&home.memory()), before);
    let plans = waiting(&home);
    assert_eq!(plans.len(), 1);
    let hash = plans[0]["plan"].as_str().unwrap();
    assert!(said.out.contains(hash), "{said:?}");
    // The same sessions give the same plan, not a second one.
    home.expect(3, &["plan"]);
    assert_eq!(waiting(&home).len(), 1);
    home.expect(2, &["apply", "ffff"]).names(&["ffff", "nidra review"]);
    home.expect(2, &["apply", hash, "--only", "op-99"]).names(&["op-99"]);
    assert_eq!(tree::memory(&home.memory()), before);
    home.expect(0, &["apply", &hash[..6]]);
    assert!(words(&home).contains(PNPM.1) && words(&home).contains(COMMITS.1));
    let after = tree::memory(&home.memory());
    home.expect(2, &["apply", hash]).names(&["applied", "not open"]);
    assert_eq!(tree::memory(&home.memory()), after);
    assert!(waiting(&home).is_empty());
    // The sessions behind the plan count as read now.
    home.expect(0, &["dream"]).names(&["Nothing to do"]);
    home.expect(0, &["undo"]);
    assert_eq!(tree::memory(&home.memory()), before);
}

#[test]
fn a_part_of_a_plan_can_be_applied_and_the_rest_waits() {
    let home = Home::with_sessions(3);
    let report = home.expect(3, &["plan", "--json"]).json();
    let hash = report["plan"].as_str().unwrap().to_owned();
    let proposed = report["proposed"].as_array().unwrap();
    let with = |word: &str| {
        let found = proposed.iter().find(|operation| operation.to_string().contains(word));
        found.unwrap_or_else(|| panic!("{report}"))["id"].as_str().unwrap().to_owned()
    };
    home.expect(0, &["apply", &hash, "--only", &with(PNPM.1)]);
    assert!(words(&home).contains(PNPM.1) && !words(&home).contains(COMMITS.1));
    let rest = waiting(&home);
    assert_eq!(rest.len(), 1);
    let rest = rest[0]["plan"].as_str().unwrap();
    // The old plan tells apart what was done of it and what waits, and where.
    let shown = home.expect(0, &["review", &hash]);
    let fate = |words: &str| {
        shown
            .out
            .lines()
            .skip_while(|line| !line.contains(words))
            .find(|line| line.trim_start().starts_with("is ") || line.trim_start().starts_with("waits"))
    };
    assert_eq!(fate(PNPM.1).map(str::trim), Some("is applied"), "{shown:?}");
    assert!(fate(COMMITS.1).unwrap().contains(&format!("waits as plan {rest}")), "{shown:?}");
    home.expect(0, &["apply", rest]);
    assert!(words(&home).contains(COMMITS.1));
    assert!(home.expect(0, &["review", &hash]).out.contains(&format!("is applied, as plan {rest}")));
}

#[test]
fn the_risky_policy_lets_a_correction_of_the_users_words_wait() {
    let home = corrected();
    let old = fs::read(home.memory().join("dev-server.md")).unwrap();
    let said = home.expect(0, &["dream"]);
    assert!(words(&home).contains(PNPM.1));
    assert_eq!(fs::read(home.memory().join("dev-server.md")).unwrap(), old, "{said:?}");
    let plans = waiting(&home);
    assert_eq!(plans.len(), 1);
    let review = home.expect(0, &["review"]);
    assert!(review.out.contains("8480") && review.out.contains("waits because"), "{review:?}");
    let status = home.json(&["status"]);
    assert_eq!(status["plans_waiting"][0], plans[0]["plan"]);
    home.expect(0, &["apply", plans[0]["plan"].as_str().unwrap()]);
    // One is live, the other is kept where it can be found.
    let index = fs::read_to_string(home.memory().join("MEMORY.md")).unwrap();
    assert!(index.contains("8480") && !index.contains("port 8080 in development"), "{index}");
    let topic = fs::read_to_string(home.memory().join("dev-server.md")).unwrap();
    assert!(topic.contains("8480") && !topic.contains("listens on port 8080 in"), "{topic}");
    let archive: Vec<_> =
        tree::memory(&home.memory()).into_iter().filter(|(name, _)| name.starts_with("archive/")).collect();
    assert!(
        archive.iter().any(|(_, bytes)| String::from_utf8_lossy(bytes).contains("port 8080 in development")),
        "{archive:?}"
    );
}

#[test]
fn a_plan_whose_words_changed_meanwhile_is_refused_with_the_reason() {
    let home = corrected();
    home.expect(0, &["dream"]);
    let plan = waiting(&home)[0]["plan"].as_str().unwrap().to_owned();
    let file = home.memory().join("dev-server.md");
    let mine = fs::read_to_string(&file).unwrap().replace("8080 in development", "9999 on my machine");
    fs::write(&file, &mine).unwrap();
    let before = tree::memory(&home.memory());
    home.expect(3, &["apply", &plan]).names(&["nothing of the plan fits", "dev-server.md", "nidra plan"]);
    assert_eq!(tree::memory(&home.memory()), before);
}

#[test]
fn a_dropped_proposal_is_gone_and_is_not_offered_again() {
    let mut home = corrected();
    home.expect(0, &["dream"]);
    let plan = waiting(&home)[0]["plan"].as_str().unwrap().to_owned();
    let before = tree::memory(&home.memory());
    home.expect(0, &["review", "--drop", &plan[..8]]);
    assert!(waiting(&home).is_empty());
    home.expect(2, &["apply", &plan]).names(&["not open"]);
    home.wait_hours(30);
    home.expect(0, &["dream"]);
    assert!(waiting(&home).is_empty());
    assert_eq!(tree::memory(&home.memory()), before);
    home.expect(2, &["review", "--drop", "ffff"]).names(&["ffff"]);
}

#[test]
fn the_users_word_for_one_run_applies_what_would_wait() {
    let home = corrected();
    let before = tree::memory(&home.memory());
    home.expect(0, &["dream", "--yes"]);
    let index = fs::read_to_string(home.memory().join("MEMORY.md")).unwrap();
    assert!(index.contains("8480"), "{index}");
    assert!(waiting(&home).is_empty());
    home.expect(0, &["undo"]);
    assert_eq!(tree::memory(&home.memory()), before);
}

#[test]
fn pub_del_01_pinned_words_stay_even_with_the_users_word() {
    let home = corrected();
    let file = home.memory().join("dev-server.md");
    let pinned =
        fs::read_to_string(&file).unwrap().replace("  type: project\n", "  type: project\n  pinned: true\n");
    fs::write(&file, &pinned).unwrap();
    home.nidra(&["dream", "--yes"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), pinned);
}

#[test]
fn with_everything_on_review_nothing_is_applied_by_itself() {
    let home = Home::with_sessions(5);
    home.configure("[dream]\nreview = \"all\"\n");
    home.expect(3, &["dream", "--auto"]);
    assert!(tree::memory(&home.memory()).is_empty());
    let plans = waiting(&home);
    home.expect(0, &["apply", plans[0]["plan"].as_str().unwrap()]);
    assert!(words(&home).contains(PNPM.1));
}

#[test]
fn a_plan_of_another_project_is_not_found() {
    let home = Home::with_sessions(3);
    home.expect(3, &["plan"]);
    let plan = waiting(&home)[0]["plan"].as_str().unwrap().to_owned();
    let other = home.root.join("work/other");
    crate::support::checkout(&other);
    home.expect(2, &["apply", &plan, "--project", other.to_str().unwrap()]).names(&[&plan]);
    assert!(!home.memory_of(&other).join("MEMORY.md").exists());
}

#[test]
fn a_plan_beyond_a_ceiling_says_what_is_left_and_ends_as_refused() {
    let home = Home::with_sessions(3);
    home.expect(3, &["plan"]);
    home.configure("[dream]\nmax_new_topics = 1\n");
    let hash = waiting(&home)[0]["plan"].as_str().unwrap().to_owned();
    let said = home.expect(3, &["apply", &hash]);
    let rest = waiting(&home)[0]["plan"].as_str().unwrap().to_owned();
    assert_ne!(rest, hash);
    said.names(&["Not all of it", &rest]);
    assert!(said.out.contains("dream.max_new_topics"), "{said:?}");
}

#[test]
fn what_was_dropped_does_not_come_back_after_an_undo() {
    let home = corrected();
    home.expect(0, &["dream"]);
    let plan = waiting(&home)[0]["plan"].as_str().unwrap().to_owned();
    home.expect(0, &["review", "--drop", &plan]);
    home.expect(0, &["undo"]);
    let said = home.expect(0, &["dream"]);
    assert!(said.out.contains("you said no to it before"), "{said:?}");
    assert!(waiting(&home).is_empty());
    assert!(words(&home).contains("8080") && !words(&home).contains("8480"));
}

#[test]
fn a_question_is_answered_once_and_never_applied_as_a_whole() {
    for (answer, stays, goes) in [
        ("--keep-first", "3001", Some("4310")),
        ("--keep-second", "4310", Some("3001")),
        ("--keep-both", "4310", None),
    ] {
        let home = Home::with_sessions(1);
        home.remember("MEMORY.md", "- [Ports](ports.md) — where staging runs\n");
        home.remember("ports.md", "---\nname: ports\ntype: project\n---\n\n- Staging runs on port 3001.\n- Staging runs on port 4310.\n");
        let said = home.expect(0, &["dream"]);
        assert!(said.out.contains("only one can hold") && said.out.contains("--keep-second"), "{said:?}");
        let plan = waiting(&home)[0]["plan"].as_str().unwrap().to_owned();
        home.expect(2, &["apply", &plan]).names(&["is a question", "--keep-first"]);
        home.expect(0, &["review", answer, &plan]);
        let topic = fs::read_to_string(home.memory().join("ports.md")).unwrap();
        assert!(topic.contains(stays), "{topic}");
        assert!(goes.is_none_or(|gone| !topic.contains(gone)), "{topic}");
        assert!(waiting(&home).is_empty());
    }
}

#[test]
fn all_that_waits_is_answered_with_one_document() {
    let home = Home::with_sessions(3);
    assert_eq!(home.json(&["apply", "all"]), serde_json::json!([]), "nothing waits");
    home.expect(3, &["plan"]);
    Talk::new(9, &home.work)
        .human("From now on always run the linter with clippy before each commit, please.")
        .agent("ok")
        .write(&home);
    home.expect(3, &["plan"]);
    let waiting = waiting(&home).len();
    assert!(waiting > 1, "{waiting}");
    let applied = home.nidra(&["apply", "all", "--json"]).json();
    assert_eq!(applied.as_array().unwrap().len(), waiting, "{applied:#}");
    assert!(
        applied
            .as_array()
            .unwrap()
            .iter()
            .any(|one| one["state"]["name"] == "applied" || one["state"] == "applied"),
        "{applied:#}"
    );
}
