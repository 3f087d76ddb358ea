//! `nidra why`: where an entry comes from, how much speaks for it, and what becomes of it; and what recurs is strengthened.

use crate::support::{COMMITS, Home, PNPM};
use crate::talk::Talk;
use crate::tree::{assert_same, exact};
use serde_json::Value;
use std::fs;

/// A home whose memory holds two rules, one in English and one in Chinese.
fn home() -> Home {
    let home = Home::with_sessions(1);
    home.expect(0, &["dream"]);
    home
}

fn strings<'a>(value: &'a Value, name: &str) -> Vec<&'a str> {
    value.as_array().unwrap().iter().map(|one| one[name].as_str().unwrap()).collect()
}

/// Where an entry stands, as `FILE:LINE`.
fn place(answer: &Value) -> String {
    format!("{}:{}", answer["path"].as_str().unwrap(), answer["line"])
}

#[test]
fn an_entry_is_explained_from_its_words_to_its_end_in_both_languages() {
    let home = home();
    let (memory, state) = (exact(&home.memory()), exact(&home.state));
    for (said, word) in [PNPM, COMMITS] {
        let answer = home.json(&["why", word]);
        assert!(answer["text"].as_str().unwrap().contains(word), "{answer}");
        assert_eq!(
            (answer["rank"].as_str(), answer["kind"].as_str()),
            (Some("human-verbatim"), Some("feedback"))
        );
        assert_eq!(
            (&answer["active"], &answer["pinned"], &answer["archived"]),
            (&true.into(), &false.into(), &Value::Null)
        );
        let source = &answer["sources"][0];
        assert_eq!(
            (source["relation"].as_str(), source["run"].as_str()),
            (Some("states"), Some(home.last_run().as_str()))
        );
        let evidence = &source["evidence"][0];
        assert_eq!((evidence["speaker"].as_str(), evidence["quote"].as_str()), (Some("human"), Some(said)));
        assert_eq!(evidence["source"]["session"], crate::talk::session_id(1));
        assert!(evidence["source"]["record"].is_string() && evidence["at"].is_string(), "{evidence}");
        let file = fs::read_to_string(home.memory().join(answer["path"].as_str().unwrap())).unwrap();
        let line = usize::try_from(answer["line"].as_u64().unwrap()).unwrap();
        assert!(file.lines().nth(line - 1).unwrap().contains(word), "{file}");
        // The signals add up to the total.
        let signals = answer["score"]["signals"].as_array().unwrap();
        let sum: f64 = signals.iter().map(|signal| signal["contribution"].as_f64().unwrap()).sum();
        let total = answer["score"]["total"].as_f64().unwrap();
        assert!((sum - total).abs() < 1e-9 && (0.0..=1.0).contains(&total), "{sum} {total}");
        for name in [
            "trust",
            "recurrence",
            "recency",
            "checkout",
            "kind",
            "affect",
            "concreteness",
            "links",
            "use",
            "origin",
        ] {
            assert!(strings(&answer["score"]["signals"], "name").contains(&name), "{name}");
        }
        assert_eq!(answer["outlook"]["archive"], "kept");
        assert_eq!(
            (answer["outlook"]["because"].as_str(), &answer["outlook"]["needs_consent"]),
            (Some("young"), &true.into())
        );

        // The same entry by its identifier, the start of it, its place, and in words for a person.
        let id = answer["entry"].as_str().unwrap();
        for asked in
            [id, &id[..6], &place(&answer), &format!("{}/{}", home.memory().display(), place(&answer))]
        {
            assert_eq!(home.json(&["why", asked]), answer, "{asked}");
        }
        let text = home.expect(0, &["why", word]).out;
        for part in [
            said,
            id,
            "human-verbatim",
            "session 00000001",
            "record ",
            "Importance 0.",
            "recency",
            "forget.min_age_days",
        ] {
            assert!(text.contains(part), "{part:?} is not in\n{text}");
        }
    }
    assert_same(&home.memory(), &memory);
    assert_same(&home.state, &state);
}

#[test]
fn what_is_said_again_strengthens_its_entry_and_changes_no_byte_of_memory() {
    let mut home = home();
    let memory = crate::tree::memory(&home.memory());
    home.wait_hours(48);
    let again = [
        format!("ugh, how many times do I have to tell you: {}", PNPM.0),
        format!("怎么又这样？说了多少遍了。{}", COMMITS.0),
    ];
    for (number, words) in (2..).zip(&again) {
        Talk::new(number, &home.work).at("2026-12-02T09:00:00Z").human(words).agent("Sorry.").write(&home);
    }
    let shown = home.expect(0, &["dream", "--dry-run"]);
    assert!(shown.out.contains("Said again"), "{shown:?}");
    let report = home.json(&["dream"]);
    assert_eq!(report["state"], "nothing-to-do", "{report}");
    assert!(report["reason"].as_str().unwrap().contains("2 entries of memory again"), "{report}");
    assert_eq!(report["recurrences"].as_array().unwrap().len(), 2);
    assert_eq!(crate::tree::memory(&home.memory()), memory);
    for (word, words) in [PNPM.1, COMMITS.1].into_iter().zip(&again) {
        let answer = home.json(&["why", word]);
        assert_eq!(answer["sessions"], 2, "{answer}");
        assert_eq!(strings(&answer["sources"], "relation"), ["repeats", "states"], "{answer}");
        assert_eq!(answer["sources"][0]["affect"], serde_json::json!(["frustration"]), "{answer}");
        assert_eq!(answer["sources"][0]["evidence"][0]["quote"].as_str(), Some(words.as_str()));
        let text = home.expect(0, &["why", word]).out;
        assert!(text.contains("heard again by") && text.contains("2 sessions say it"), "{text}");
    }
    // A second dream has nothing to read, and nothing counts twice.
    let before = exact(&home.memory());
    home.expect(0, &["dream"]);
    assert_same(&home.memory(), &before);
    assert_eq!(home.json(&["why", PNPM.1])["sessions"], 2);
}

#[test]
fn what_left_memory_is_found_in_the_archive_and_what_took_its_place_names_it() {
    let home = Home::new();
    home.remember("MEMORY.md", "- [Dev server](dev.md) — the API listens on port 8080\n");
    home.remember(
        "dev.md",
        "---\nname: dev\ndescription: d\ntype: project\n---\n\nThe API listens on port 8080.\n",
    );
    Talk::new(1, &home.work)
        .human("The API listens on port 9000 now, no longer on 8080.")
        .agent("Noted.")
        .write(&home);
    home.expect(0, &["dream", "--yes"]);
    let archived = home.json(&["why", "port 8080"]);
    assert_eq!(
        (archived["active"].as_bool(), archived["path"].as_str()),
        (Some(false), Some("archive/dev.md")),
        "{archived}"
    );
    assert_eq!(archived["text"], "The API listens on port 8080.");
    assert_eq!(
        (archived["archived"]["what"].as_str(), archived["archived"]["run"].as_str()),
        (Some("superseded"), Some(home.last_run().as_str()))
    );
    assert!(archived["archived"]["replaced_by"].as_str().unwrap().contains("9000"));
    let id = archived["entry"].as_str().unwrap().to_owned();
    assert_eq!(home.json(&["why", &id]), archived);
    assert!(home.expect(0, &["why", &id]).out.contains("superseded on 2026-12-01"));

    let active = home.json(&["why", "API listens 9000"]);
    assert_eq!(active["earlier"][0]["entry"], id.as_str(), "{active}");
    assert_eq!(
        (active["earlier"][0]["relation"].as_str(), active["earlier"][0]["text"].as_str()),
        (Some("replaces"), Some("The API listens on port 8080."))
    );

    // After an undo the old words are memory again, and nobody remembers the new ones.
    home.expect(0, &["undo"]);
    let back = home.json(&["why", "port 8080"]);
    assert_eq!((back["active"].as_bool(), back["path"].as_str()), (Some(true), Some("dev.md")), "{back}");
    assert_eq!(back["sources"], serde_json::json!([]));
    home.expect(1, &["why", "API listens 9000"]);
}

#[test]
fn without_a_state_database_nothing_is_known_and_nothing_is_made() {
    let home = Home::new();
    home.remember("MEMORY.md", "- [端口](ports.md) — 测试环境\n");
    home.remember("ports.md", "---\nname: ports\ntype: reference\n---\n\n测试环境跑在 3001 端口。\n");
    let before = exact(&home.root);
    let said = home.expect(0, &["why", "测试环境"]);
    assert!(
        said.out.contains("测试环境跑在 3001 端口。") && said.out.contains("Nothing is known"),
        "{said:?}"
    );
    let answer = home.json(&["why", "3001"]);
    assert_eq!((&answer["rank"], &answer["sessions"]), (&Value::Null, &Value::Null));
    assert_eq!(answer["outlook"]["needs_consent"], true);
    assert_same(&home.root, &before);
    assert!(!home.state.exists());
}

#[test]
fn several_are_listed_none_names_the_nearest_and_pinned_ones_say_so() {
    let home = Home::new();
    home.remember("MEMORY.md", "- [ports](ports.md) — ports\n");
    home.remember(
        "ports.md",
        "---\nname: ports\ntype: project\npinned: true\n---\n\n- Staging runs on port 3001.\n- 生产环境跑在 port 4310。\n",
    );
    let several = home.expect(1, &["why", "port"]);
    several.names(&["2 entries match", "ports.md:7", "ports.md:8", "生产环境"]);
    assert!(several.out.is_empty(), "{several:?}");
    let error = home.nidra(&["why", "port", "--json"]);
    assert_eq!((error.status.code(), error.json()["error"]["kind"].as_str()), (Some(1), Some("failed")));

    home.expect(1, &["why", "the staging machine"]).names(&[
        "no entry of",
        "the nearest",
        "Staging runs on port 3001.",
    ]);
    home.expect(1, &["why", "ports.md:1"]).names(&["no entry of"]);
    home.expect(1, &["why", "完全无关的内容"]).names(&["FILE:LINE"]);
    home.expect(2, &["why"]);

    let answer = home.json(&["why", "ports.md:8"]);
    assert_eq!(
        (answer["text"].as_str(), answer["pinned"].as_bool()),
        (Some("生产环境跑在 port 4310。"), Some(true))
    );
    assert_eq!(
        (answer["score"]["total"].as_f64(), answer["outlook"]["because"].as_str()),
        (Some(1.0), Some("pinned"))
    );
    assert!(home.expect(0, &["why", "Staging", "port"]).out.contains("never, its topic is pinned"));
}

#[test]
fn forgetting_waits_for_the_users_word_and_undo_takes_it_back() {
    let mut home = home();
    home.configure("[forget]\nmin_score = 1.0\nmin_age_days = 0\n\n[dream]\nreview = \"auto\"\n");
    home.wait_hours(72);
    let before = crate::tree::memory(&home.memory());
    let answer = home.json(&["why", COMMITS.1]);
    assert_eq!(
        (answer["outlook"]["archive"].as_str(), answer["outlook"]["because"].as_str()),
        (Some("next-dream"), Some("score"))
    );
    Talk::new(2, &home.work)
        .at("2026-12-02T09:00:00Z")
        .human("what does the readme say?")
        .agent("It says hello.")
        .write(&home);
    // Rules are the user's own: neither `auto` nor `--yes` is a word on this very entry.
    let report = home.expect(3, &["dream", "--yes", "--json"]).json();
    assert_eq!(strings(&report["proposed"], "change"), ["archive", "archive"], "{report}");
    assert_eq!(crate::tree::memory(&home.memory()), before);
    // While the question is open, nothing was decided.
    let waits = home.json(&["why", COMMITS.1]);
    assert_eq!(
        (&waits["outlook"]["archive"], &waits["outlook"]["waits"]),
        (&"waits".into(), &report["plan"])
    );
    let text = home.expect(0, &["why", COMMITS.1]).out;
    assert!(text.contains("you have not decided yet") && !text.contains("decided on before"), "{text}");

    let plan = report["plan"].as_str().unwrap();
    home.expect(0, &["apply", plan]);
    let archived = home.json(&["why", COMMITS.1]);
    assert_eq!(
        (archived["active"].as_bool(), archived["archived"]["what"].as_str()),
        (Some(false), Some("archived with its file")),
        "{archived}"
    );
    assert!(
        archived["archived"]["reason"]
            .as_str()
            .unwrap()
            .contains("A person said it; 1 session says it; last said on 2026-11-28")
    );
    assert_eq!(archived["sources"], answer["sources"], "what it rested on is still known");
    let text = home.expect(0, &["why", COMMITS.1]).out;
    assert!(text.contains("stays in the archive") && text.contains(COMMITS.0), "{text}");

    home.expect(0, &["undo"]);
    assert_eq!(crate::tree::memory(&home.memory()), before);
    let back = home.json(&["why", COMMITS.1]);
    assert_eq!((back["active"].as_bool(), &back["sources"]), (Some(true), &answer["sources"]));
    // Nothing is offered anew on the same grounds, and a second dream changes no byte.
    home.wait_hours(24);
    Talk::new(3, &home.work).at("2026-12-03T09:00:00Z").human("and the licence?").agent("MIT.").write(&home);
    let again = home.json(&["dream", "--yes"]);
    assert_eq!(
        (&again["proposed"], &again["applied"]),
        (&serde_json::json!([]), &serde_json::json!([])),
        "{again}"
    );
    assert_eq!(crate::tree::memory(&home.memory()), before);
}

#[test]
fn a_project_may_only_ask_for_less_forgetting() {
    let home = home();
    for (line, code) in [
        ("enabled = false", 0),
        ("max_entries = 500", 0),
        ("min_score = 0.1", 0),
        ("min_age_days = 365", 0),
        ("max_entries = 10", 2),
        ("min_score = 0.9", 2),
        ("min_age_days = 1", 2),
        ("min_scores = 1", 2),
    ] {
        fs::write(home.work.join(".nidra.toml"), format!("[forget]\n{line}\n")).unwrap();
        let said = home.nidra(&["dream", "--dry-run"]);
        assert_eq!(said.status.code(), Some(code), "{line}: {said:?}");
        if code != 0 {
            said.names(&[".nidra.toml:2", "`forget."]);
        }
    }
}

#[test]
fn what_agents_loaded_and_recalled_is_counted_and_never_taken_for_truth() {
    let mut home = home();
    let before = home.json(&["why", PNPM.1]);
    let signal = |answer: &Value| {
        let signals = answer["score"]["signals"].as_array().unwrap().clone();
        signals.into_iter().find(|signal| signal["name"] == "use").unwrap()
    };
    assert_eq!(signal(&before)["value"], 0.0, "{before}");
    home.wait_hours(48);
    let file = home.memory().join(before["path"].as_str().unwrap());
    let index = fs::read_to_string(home.memory().join("MEMORY.md")).unwrap();
    let text = before["text"].as_str().unwrap();
    Talk::new(2, &home.work)
        .at("2026-12-02T09:00:00Z")
        .human("how do we install packages here?")
        .tool("Read", &serde_json::json!({ "file_path": file }), text)
        .tool("Read", &serde_json::json!({ "file_path": file }), text)
        .agent("As the notes say.")
        .write(&home);
    Talk::new(3, &home.work)
        .at("2026-12-02T10:00:00Z")
        .injected(&format!("<system-reminder>\nContents of the memory:\n\n{index}\n</system-reminder>"))
        .human("and which tool was it?")
        .tool(
            "Bash",
            &serde_json::json!({ "command": "nidra recall \"package tool\"" }),
            &format!(" 1. {text}\n"),
        )
        .agent("As recalled.")
        .write(&home);
    // A file that is written is not one that was read.
    Talk::new(4, &home.work)
        .at("2026-12-02T11:00:00Z")
        .human("please put it into the notes")
        .tool("Write", &serde_json::json!({ "file_path": file, "content": "x" }), "ok")
        .agent("Done.")
        .write(&home);
    home.expect(0, &["dream"]);
    let after = home.json(&["why", PNPM.1]);
    let used = signal(&after);
    let sentence = used["sentence"].as_str().unwrap();
    assert!(sentence.contains("Loaded 2 times") && sentence.contains("recalled once"), "{sentence}");
    assert!(sentence.contains("last"), "{sentence}");
    assert!(used["value"].as_f64().unwrap() > 0.5 && used["weight"].as_f64().unwrap() < 0.05, "{used}");
    assert_eq!((&after["sessions"], &after["sources"]), (&before["sessions"], &before["sources"]));
    // The other rule stood in the index alone.
    let other = signal(&home.json(&["why", COMMITS.1]));
    assert!(other["sentence"].as_str().unwrap().contains("Loaded once, recalled 0 times"), "{other}");
    // The sessions are read once, so nothing is counted twice.
    home.wait_hours(30);
    home.expect(0, &["dream"]);
    let later = signal(&home.json(&["why", PNPM.1]));
    assert!(later["sentence"].as_str().unwrap().contains("Loaded 2 times, recalled once"), "{later}");
}
