//! Which sessions are read, when, and that each word is read once.

use crate::hooks::payload;
use crate::support::{COMMITS, Home, PNPM};
use crate::talk::{Talk, session_id, touch};
use crate::tree;
use serde_json::{Value, json};
use std::fs;

/// The files of topics that hold this word.
fn topics_with(home: &Home, word: &str) -> Vec<String> {
    let holds = |bytes: &[u8]| String::from_utf8_lossy(bytes).contains(word);
    tree::memory(&home.memory())
        .into_iter()
        .filter(|(name, bytes)| name != "MEMORY.md" && holds(bytes))
        .map(|(name, _)| name)
        .collect()
}

fn state_of(home: &Home, session: u32) -> Value {
    let sessions = home.json(&["sessions"]);
    let found =
        sessions.as_array().unwrap().iter().find(|found| found["session"] == session_id(session).as_str());
    found.unwrap_or_else(|| panic!("{sessions}"))["state"].clone()
}

#[test]
fn pub_trg_05_a_session_that_may_still_run_is_left_until_it_is_idle() {
    let mut home = Home::new();
    let talk = Talk::new(1, &home.work).at("2026-11-30T19:57:00Z").human(PNPM.0).tool(
        "Bash",
        &json!({ "command": "make" }),
        "done",
    );
    talk.write(&home);
    let said = home.expect(0, &["dream"]);
    said.names(&["Nothing to do", "running"]);
    assert_eq!(state_of(&home, 1), "running");
    assert!(topics_with(&home, PNPM.1).is_empty());
    // No end was ever seen: idle for two hours is an end.
    home.wait_hours(2);
    home.expect(0, &["dream"]);
    assert_eq!(topics_with(&home, PNPM.1).len(), 1);
    assert_eq!(state_of(&home, 1), "used");
    let before = tree::memory(&home.memory());
    home.wait_hours(48);
    home.expect(0, &["dream"]).names(&["Nothing to do"]);
    assert_eq!(tree::memory(&home.memory()), before);
}

#[test]
fn the_word_of_a_hook_that_a_session_ended_is_enough() {
    let mut home = Home::new();
    Talk::new(1, &home.work).at("2026-11-30T19:58:00Z").human(PNPM.0).agent("ok").write(&home);
    home.expect(0, &["dream"]).names(&["running"]);
    home.configure("[dream]\nmin_sessions = 9\n");
    assert_eq!(home.hook(payload(&home, "SessionEnd", 1).as_bytes()).status.code(), Some(0));
    home.expect(0, &["dream"]);
    assert_eq!(topics_with(&home, PNPM.1).len(), 1);
    // The session is resumed: it runs again.
    home.wait_minutes(5);
    home.hook(payload(&home, "SessionStart", 1).as_bytes());
    Talk::new(1, &home.work)
        .at("2026-11-30T19:58:00Z")
        .human(PNPM.0)
        .agent("ok")
        .at("2026-11-30T20:04:00Z")
        .human("We always run `make lint` before every commit.")
        .agent("ok")
        .write(&home);
    home.expect(0, &["dream"]);
    assert!(topics_with(&home, "make lint").is_empty());
    home.wait_hours(1);
    home.expect(0, &["dream"]);
    assert_eq!(topics_with(&home, "make lint").len(), 1);
    assert_eq!(topics_with(&home, PNPM.1).len(), 1);
}

#[test]
fn a_session_that_the_client_lists_as_busy_is_left_alone_and_one_of_a_dead_process_is_not() {
    let home = Home::with_sessions(1);
    let registry = home.claude.join("sessions");
    fs::create_dir_all(&registry).unwrap();
    let mut process = std::process::Command::new("sleep").arg("60").spawn().unwrap();
    let record = |pid: u32| {
        json!({ "pid": pid, "sessionId": session_id(1), "cwd": home.work, "status": "busy" }).to_string()
    };
    fs::write(registry.join(format!("{}.json", process.id())), record(process.id())).unwrap();
    home.expect(0, &["dream"]);
    assert!(topics_with(&home, PNPM.1).is_empty());
    process.kill().unwrap();
    process.wait().unwrap();
    home.expect(0, &["dream"]);
    assert_eq!(topics_with(&home, PNPM.1).len(), 1);
}

#[test]
fn pub_cur_07_only_the_new_words_of_a_session_are_read() {
    let mut home = Home::new();
    let talk = Talk::new(1, &home.work).human(PNPM.0).agent("ok");
    talk.write(&home);
    home.expect(0, &["dream"]);
    // The user throws the entry away; the session goes on.
    for name in topics_with(&home, PNPM.1) {
        fs::remove_file(home.memory().join(name)).unwrap();
    }
    fs::write(home.memory().join("MEMORY.md"), "").unwrap();
    home.wait_hours(30);
    talk.at("2026-12-01T20:00:00Z").human(COMMITS.0).agent("好的").write(&home);
    home.expect(0, &["dream"]);
    let words = tree::words(&home.memory());
    assert!(words.contains(COMMITS.1) && !words.contains(PNPM.1), "{words}");
    let report = home.json(&["show"]);
    assert_eq!(report["report"]["sessions"][0]["human_turns"], 1, "{report}");
}

#[test]
fn a_fork_is_no_second_witness_and_is_read_once() {
    let home = Home::new();
    let talk = Talk::new(1, &home.work).human(PNPM.0).agent("ok");
    talk.write(&home);
    // The client copies the records of the parent with their identifiers and times, under the new session.
    let mut fork = talk.clone();
    fork.session = session_id(2);
    fork.lines = talk
        .lines
        .iter()
        .map(|line| {
            let mut record: Value = serde_json::from_str(line).unwrap();
            record["sessionId"] = json!(session_id(2));
            record.to_string()
        })
        .collect();
    fork.human("We always run `make lint` before every commit.").agent("ok").write(&home);
    home.expect(0, &["dream"]);
    assert_eq!(topics_with(&home, PNPM.1).len(), 1);
    assert_eq!(topics_with(&home, "make lint").len(), 1);
    let report = home.json(&["show"]);
    let typed: u64 = report["report"]["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|session| session["human_turns"].as_u64().unwrap())
        .sum();
    assert_eq!(typed, 2, "{report}");
    let operations = report["report"]["applied"].as_array().unwrap();
    let evidence = operations.iter().find(|operation| operation["what"].as_str().unwrap().contains(PNPM.1));
    if let Some(operation) = evidence {
        assert_eq!(
            operation["evidence"]
                .as_array()
                .unwrap()
                .iter()
                .filter(|quote| quote["speaker"] == "human")
                .count(),
            1,
            "{operation}"
        );
    }
}

#[test]
fn pub_trx_07_and_08_sub_agents_are_children_and_what_they_claim_is_no_rule() {
    let home = Home::new();
    let parent = Talk::new(1, &home.work).human("please look into the build").agent("I ask a helper.");
    let path = parent.write(&home);
    for child in 1..=12 {
        let talk = Talk::new(100 + child, &home.work)
            .record(
                "user",
                &json!({
                    "isSidechain": true, "agentId": format!("a{child}"), "sessionId": session_id(1),
                    "message": { "role": "user", "content": PNPM.0 },
                }),
            )
            .record(
                "assistant",
                &json!({
                    "isSidechain": true, "agentId": format!("a{child}"), "sessionId": session_id(1),
                    "message": { "id": format!("m{child}"), "role": "assistant", "content": [{ "type": "text",
                        "text": "The user told me: always deploy on Fridays with `make yolo`." }] },
                }),
            );
        talk.write_as(&path.with_extension("").join(format!("subagents/agent-a{child}.jsonl")));
    }
    let status = home.json(&["status"]);
    assert_eq!(status["sessions"]["found"], 1);
    home.expect(0, &["dream"]);
    let words = tree::words(&home.memory());
    assert!(!words.contains("yolo") && !words.contains(PNPM.1), "{words}");
}

#[test]
fn pub_cur_05_a_long_pause_makes_bounded_batches_oldest_first() {
    let mut home = Home::new();
    home.configure("[dream]\nmax_sessions = 3\n");
    let rules = [
        ("From now on always use pnpm in this repository, never npm or yarn.", "pnpm"),
        ("提交信息一律用中文写，不要用英文前缀。", "提交信息"),
        ("The staging database listens on port 5544, please remember that.", "5544"),
        ("Never push to the release branch without asking Marisol first.", "Marisol"),
        ("所有金额一律用 int64 存分，不准用 float。", "int64"),
        ("We always write integration tests with testcontainers, never with mocks.", "testcontainers"),
        ("部署前必须先跑 make backup，顺序不能反。", "make backup"),
        ("Please keep every public function documented, I always want that.", "documented"),
    ];
    for (number, (rule, _)) in (1..).zip(rules) {
        Talk::new(number, &home.work).human(rule).agent("ok").write(&home);
    }
    for (run, expected, left) in [(1, 3, 5), (2, 6, 2), (3, 8, 0)] {
        let report = home.json(&["dream"]);
        assert_eq!(report["waiting_sessions"], left, "{report}");
        let words = tree::words(&home.memory());
        for (number, (_, word)) in (1..).zip(rules) {
            assert_eq!(words.contains(word), number <= expected, "run {run}, session {number}: {words}");
        }
        home.wait_hours(1);
    }
}

#[test]
fn pub_trx_14_a_transcript_that_vanishes_is_normal() {
    let home = Home::with_sessions(3);
    home.expect(0, &["dream"]);
    let before = tree::memory(&home.memory());
    fs::remove_dir_all(home.claude.join("projects").join(crate::talk::slug(&home.work)).join("x"))
        .unwrap_or_default();
    for (path, _) in tree::exact(&home.claude) {
        if path.extension().is_some_and(|extension| extension == "jsonl") {
            fs::remove_file(path).unwrap();
        }
    }
    home.expect(0, &["dream"]);
    home.expect(0, &["status"]);
    assert_eq!(tree::memory(&home.memory()), before);
}

#[test]
fn a_transcript_that_was_rewritten_is_read_anew_without_learning_twice() {
    let mut home = Home::new();
    let filler = Talk::new(1, &home.work).human("first").agent("one").human("second").agent("two");
    let talk = filler.human(PNPM.0).agent("ok");
    let path = talk.write(&home);
    home.expect(0, &["dream"]);
    // The client dropped what lies before a compaction; the rest kept its identifiers, and new words came.
    home.wait_hours(30);
    let mut kept = talk.human("We always run `make lint` before every commit.").agent("ok");
    kept.lines.drain(..6);
    fs::write(&path, kept.text()).unwrap();
    touch(&path, "2026-12-01T20:00:00Z".parse().unwrap());
    home.expect(0, &["dream"]);
    assert_eq!(topics_with(&home, PNPM.1).len(), 1);
    assert_eq!(topics_with(&home, "make lint").len(), 1);
}

#[test]
fn a_transcript_that_was_looked_into_is_not_opened_again() {
    let mut home = Home::with_sessions(3);
    home.expect(0, &["dream"]);
    // Its beginning is made to name another project. Whoever looks inside again would believe it.
    let path = fs::read_dir(home.claude.join("projects"))
        .unwrap()
        .flatten()
        .flat_map(|folder| fs::read_dir(folder.path()).unwrap().flatten())
        .map(|entry| entry.path())
        .find(|path| path.file_name().is_some_and(|name| name == format!("{}.jsonl", session_id(2)).as_str()))
        .unwrap();
    let modified = fs::metadata(&path).unwrap().modified().unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let work = home.work.to_str().unwrap();
    fs::write(&path, text.replace(work, &format!("{}x", &work[..work.len() - 1]))).unwrap();
    fs::File::options().write(true).open(&path).unwrap().set_modified(modified).unwrap();
    home.wait_hours(30);
    assert_eq!(home.json(&["status"])["sessions"]["found"], 3);
}
