//! `nidra remember`, `pin` and `unpin`: the user's own words at the highest rank, and topics that nothing else changes.

use crate::support::{COMMITS, Home, PNPM, said};
use crate::talk::Talk;
use crate::tree;
use serde_json::Value;
use std::fs;

fn entries(home: &Home) -> Vec<Value> {
    home.json(&["entries"]).as_array().unwrap().clone()
}

#[test]
fn the_users_words_are_remembered_whole_at_the_highest_rank_in_both_languages() {
    let home = Home::new();
    for (words, part) in [PNPM, COMMITS, ("use tabs", "use tabs"), ("数据库在三号机房", "三号机房")]
    {
        let report = home.json(&["remember", words]);
        assert_eq!(report["state"], "applied", "{report}");
        let answer = home.json(&["why", part]);
        assert_eq!(answer["rank"], "human-verbatim", "{answer}");
        assert_eq!(answer["sources"][0]["evidence"][0]["speaker"], "human");
        assert_eq!(answer["outlook"]["in_index"], true);
    }
    assert_eq!(entries(&home).len(), 4);
    // From standard input.
    let piped = said(&mut home.command(&["remember", "-"]), "发布前先跑\n完整的回归测试。\n".as_bytes());
    assert!(piped.status.success(), "{piped:?}");
    assert_eq!(home.json(&["why", "回归测试"])["rank"], "human-verbatim");
    home.expect(2, &["remember", "  "]);
}

/// Words of today mean another day tomorrow.
#[test]
fn relative_days_are_remembered_as_dates() {
    let home = Home::new();
    let now: jiff::Timestamp = home.now.parse().unwrap();
    let today = now.in_tz("Asia/Shanghai").unwrap().date();
    let tomorrow = today.tomorrow().unwrap().to_string();
    for words in ["tomorrow the parser moves to the blue rack", "明天打包机搬到二楼"] {
        home.expect(0, &["remember", words]);
        let memory = tree::words(&home.memory());
        assert!(memory.contains(&tomorrow), "{memory}");
        assert!(!memory.contains("tomorrow the") && !memory.contains("明天打包机"), "{memory}");
    }
}

#[test]
fn what_memory_says_already_is_strengthened_and_a_new_value_takes_the_place_of_the_old() {
    let home = Home::new();
    home.expect(0, &["remember", "The staging server listens on port 4310."]);
    let again = home.json(&["remember", "The staging server listens on port 4310."]);
    assert_eq!(again["recurrences"].as_array().unwrap().len(), 1, "{again}");
    assert_eq!(entries(&home).len(), 1);
    assert_eq!(home.json(&["why", "4310"])["sources"].as_array().unwrap().len(), 2);
    home.expect(0, &["remember", "The staging server listens on port 4400 now."]);
    let left = entries(&home);
    assert_eq!(left.len(), 1, "{left:?}");
    assert!(left[0]["text"].as_str().unwrap().contains("4400"), "{left:?}");
    assert!(tree::words(&home.memory()).contains("4310"), "the old value stands in the archive");
}

#[test]
fn type_and_topic_are_the_users_to_choose() {
    let home = Home::new();
    home.remember("ports.md", "---\nname: ports\ntype: project\n---\n\n- The worker listens on 4310.\n");
    home.expect(0, &["remember", "--topic", "ports", "The gateway is reached through 7443."]);
    let ports = fs::read_to_string(home.memory().join("ports.md")).unwrap();
    assert!(
        ports.ends_with("- The worker listens on 4310.\n- The gateway is reached through 7443.\n"),
        "{ports}"
    );
    home.expect(0, &["remember", "--type", "user", "--topic", "Editor", "Helix with the dark theme"]);
    let answer = home.json(&["why", "Helix"]);
    assert_eq!((answer["kind"].as_str(), answer["path"].as_str()), (Some("user"), Some("editor.md")));
    home.expect(2, &["remember", "--type", "nonsense", "x y z w"]);
}

#[test]
fn secrets_are_refused_by_the_name_of_their_rule_and_stand_nowhere() {
    let home = Home::new();
    let secret = format!("{}{}", "AKIA", "Q7ZL4MNO2XWV8KTP");
    let said = home.nidra(&["remember", &format!("the deploy key of staging is {secret}")]);
    assert_eq!(said.status.code(), Some(3), "{said:?}");
    said.names(&["secret", "aws"]);
    for (path, bytes) in tree::files(&home.root) {
        assert!(!String::from_utf8_lossy(&bytes).contains(&secret), "{path}");
    }
}

#[test]
fn an_agent_remembers_facts_and_never_makes_rules() {
    let mut home = Home::new();
    home.variables.push(("CLAUDECODE".to_owned(), "1".to_owned()));
    let report = home.nidra(&["remember", PNPM.0]);
    assert_eq!(report.status.code(), Some(3), "{report:?}");
    assert!(entries(&home).is_empty());
    home.expect(0, &["remember", "The staging server listens on port 4310."]);
    assert_eq!(home.json(&["why", "4310"])["rank"], "agent-inferred");
}

#[test]
fn a_pinned_topic_stays_as_it_is_until_it_is_unpinned() {
    let mut home = Home::new();
    home.expect(0, &["remember", "The staging server listens on port 4310."]);
    let before = tree::memory(&home.memory());
    let answer = home.json(&["pin", "4310"]);
    assert_eq!((&answer["pinned"], &answer["changed"]), (&true.into(), &true.into()));
    assert_eq!(home.json(&["why", "4310"])["pinned"], true);
    assert_eq!(home.json(&["pin", "4310"])["changed"], false, "it is so already");
    home.wait_hours(30);
    Talk::new(1, &home.work)
        .at("2026-12-01T09:00:00Z")
        .human("We moved it: the staging server listens on port 4400 now, not 4310.")
        .agent("ok")
        .write(&home);
    home.expect(3, &["dream", "--yes"]);
    assert!(entries(&home).iter().all(|entry| !entry["text"].as_str().unwrap().contains("4400")));
    home.expect(0, &["unpin", answer["topic"].as_str().unwrap()]);
    assert_eq!(tree::memory(&home.memory()), before, "setting and taking out leaves no trace");
    home.expect(1, &["pin", "no such topic anywhere"]);
}

#[test]
fn pins_are_written_in_whatever_form_a_head_has_and_no_other_byte_changes() {
    let home = Home::new();
    for (name, text, pinned) in [
        (
            "none.md",
            "- One fact stands here.\r\n",
            "---\r\npinned: true\r\n---\r\n\r\n- One fact stands here.\r\n",
        ),
        (
            "flat.md",
            "---\nname: flat\n# mine\ntype: project\n---\n\nAnother fact stands here.\n",
            "---\nname: flat\n# mine\ntype: project\npinned: true\n---\n\nAnother fact stands here.\n",
        ),
        (
            "false.md",
            "---\nname: false\npinned: false\n---\n\nA third fact stands here.\n",
            "---\nname: false\npinned: true\n---\n\nA third fact stands here.\n",
        ),
    ] {
        home.remember(name, text);
        home.expect(0, &["pin", name]);
        assert_eq!(fs::read_to_string(home.memory().join(name)).unwrap(), pinned, "{name}");
        home.expect(0, &["undo"]);
        assert_eq!(fs::read_to_string(home.memory().join(name)).unwrap(), text, "{name}");
    }
}

#[test]
fn the_words_alone_take_a_statements_place_and_no_statement_of_another_thing_leaves() {
    let home = Home::new();
    home.remember("cache.md", "- We cache sessions in ristretto. Nobody on duty knows Redis.\n");
    home.remember("local.md", "- Tiles are cached with moka in-process.\n");
    home.expect(0, &["remember", "We cache sessions in Redis."]);
    let said: Vec<String> =
        entries(&home).iter().map(|entry| entry["text"].as_str().unwrap().to_owned()).collect();
    assert!(said.iter().any(|text| text == "We cache sessions in Redis."), "{said:?}");
    assert!(said.iter().any(|text| text.contains("moka")), "{said:?}");
    home.expect(0, &["remember", "We decided to drop memcached because it pages us at night."]);
    assert!(entries(&home).iter().any(|entry| entry["text"].as_str().unwrap().contains("moka")));
}

#[test]
fn an_agent_neither_forgets_nor_pins_nor_makes_a_rule() {
    let mut home = Home::new();
    home.remember("cache.md", "- We cache sessions in ristretto.\n");
    home.variables.push(("CLAUDECODE".to_owned(), "1".to_owned()));
    for command in [
        &["forget", "--all", "--yes"][..],
        &["forget", "ristretto", "--purge", "--yes"],
        &["pin", "cache.md"],
        &["unpin", "cache.md"],
        &["remember", "Always use tabs."],
        &["remember", "提交信息一律用英文。"],
    ] {
        let before = tree::words(&home.memory());
        home.expect(3, command);
        assert_eq!(tree::words(&home.memory()), before, "{command:?}");
    }
    home.expect(3, &["forget", "ristretto"]);
    assert_eq!(entries(&home).len(), 1);
}
