//! The program with `--engine model`.

use crate::server::{Act, Server, stream};
use crate::support::{Home, PNPM};
use crate::talk::{Talk, session_id};
use crate::tree;
use serde_json::json;
use std::fs;

/// A server that judges nothing.
fn quiet() -> Server {
    Server::saying(r#"{"batch":"BATCH","operations":[]}"#)
}

/// A home whose environment names this server.
pub(crate) fn home(server: &Server, sessions: u32) -> Home {
    let mut home = Home::with_sessions(sessions);
    home.variables = [
        ("ANTHROPIC_BASE_URL", server.url()),
        ("ANTHROPIC_API_KEY", "the-key-of-the-tests".to_owned()),
        ("ANTHROPIC_MODEL", "claude-haiku-4-5".to_owned()),
        ("NIDRA_MODEL_RETRIES", "0".to_owned()),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .to_vec();
    home
}

pub(crate) fn set(home: &mut Home, name: &str, value: &str) {
    home.variables.retain(|(known, _)| known != name);
    home.variables.push((name.to_owned(), value.to_owned()));
}

#[test]
fn a_dream_with_a_quiet_model_leaves_what_the_rules_leave() {
    let server = quiet();
    let with = home(&server, 3);
    with.expect(0, &["dream", "--engine", "model"]);
    let without = home(&server, 3);
    without.expect(0, &["dream"]);
    let words = |home: &Home| fs::read_to_string(home.memory().join("MEMORY.md")).unwrap();
    assert_eq!(words(&with), words(&without));
    assert!(words(&with).contains(PNPM.1));
    assert_eq!(with.json(&["log"])[0]["engine"], "model");
    let calls = with.json(&["ledger"]);
    let sent = server.requests();
    assert_eq!((calls.as_array().unwrap().len(), sent.len()), (1, 1));
    let call = &calls[0];
    assert_eq!(call["run"], with.json(&["log"])[0]["run"]);
    assert_eq!(call["request_bytes"], sent[0].body.len());
    assert_eq!(call["request_hash"], blake3::hash(sent[0].body.as_bytes()).to_hex().to_string());
    assert_eq!(
        (&call["provider"], &call["outcome"], &call["local"]),
        (&json!("anthropic"), &json!("answered"), &json!(true))
    );
    assert_eq!(call["output_tokens"], 50);
    assert!(!call.to_string().contains(PNPM.1));
    // The key is in no file, and the model is not asked again when nothing is new.
    assert!(!tree::words(&with.root).contains("the-key-of-the-tests"));
    with.expect(0, &["dream", "--engine", "model"]);
    assert_eq!(server.requests().len(), 1);
    let said = with.expect(0, &["ledger"]);
    assert!(said.out.contains("claude-haiku-4-5 at 127.0.0.1"), "{said:?}");
}

#[test]
fn what_the_model_adds_is_stored_with_its_source_and_can_be_undone() {
    let server = Server::start(|request, _| {
        let operations: Vec<_> = request
            .items()
            .iter()
            .filter(|item| item.get("candidate").is_some())
            .map(|item| {
                let text = item["words"][0]["words"].as_str().unwrap();
                json!({"op": "create", "item": item["item"], "text": text, "quote": text})
            })
            .collect();
        Act::answer(request, &json!({ "batch": request.batch(), "operations": operations }).to_string())
    });
    let home = home(&server, 2);
    let before = tree::words(&home.memory());
    home.expect(0, &["dream", "--engine", "model"]);
    assert!(tree::words(&home.memory()).contains(PNPM.1));
    assert!(home.expect(0, &["why", PNPM.1]).out.contains("always use pnpm"));
    home.expect(0, &["undo"]);
    assert_eq!(tree::words(&home.memory()), before);
    assert_eq!(home.json(&["ledger"]).as_array().unwrap().len(), 1, "what was sent stays on record");
}

#[test]
fn a_run_that_fails_leaves_memory_and_cursors_and_names_the_cause() {
    for (status, body, word) in [
        (401, "{}", "check the key"),
        (200, "<html>welcome</html>", "model.base_url"),
        (200, "", "model.base_url"),
    ] {
        let server = Server::start(move |_, _| Act::plain(status, "application/json", body));
        let home = home(&server, 2);
        let said = home.expect(1, &["dream", "--engine", "model"]);
        said.names(&[word]);
        assert!(!home.memory().join("MEMORY.md").exists());
        assert!(
            home.json(&["sessions"]).as_array().unwrap().iter().all(|session| session["state"] == "waiting")
        );
        // The rules can still do it.
        home.expect(0, &["dream", "--engine", "rules"]);
        assert!(tree::words(&home.memory()).contains(PNPM.1));
    }
}

#[test]
fn pub_out_02_a_session_that_the_model_refuses_waits_and_the_others_go_on() {
    let server = Server::start(|request, _| {
        if request.body.contains("Marisol") {
            return Act::answer(request, "I'm sorry, but I can't help with that.");
        }
        Act::answer(request, &json!({ "batch": request.batch(), "operations": [] }).to_string())
    });
    let home = home(&server, 3);
    Talk::new(40, &home.work)
        .human("From now on never push to the release branch without asking Marisol first.")
        .agent("ok")
        .write(&home);
    let said = home.expect(1, &["dream", "--engine", "model", "--json"]);
    let report = said.json();
    let memory = tree::words(&home.memory());
    assert!(memory.contains(PNPM.1) && !memory.contains("Marisol"));
    let sessions = &report["sessions"];
    let bad =
        sessions.as_array().unwrap().iter().find(|session| session["session"] == session_id(40)).unwrap();
    assert_eq!(bad["state"], "retry 1 of 3", "{bad}");
    // One question about all, and smaller ones until the item at fault is found; nothing is asked twice.
    assert!(server.requests().len() <= 6, "{}", server.requests().len());
}

#[test]
fn pub_cost_02_what_the_budget_does_not_reach_waits_unmarked() {
    let server = quiet();
    let mut home = home(&server, 1);
    let rules = [
        "From now on always run the linter with clippy before each commit, please.",
        "We decided that staging is hosted at Hetzner, remember that.",
        "Never push to the release branch without asking Marisol first.",
    ];
    for (number, words) in (50..).zip(rules) {
        Talk::new(number, &home.work).human(words).agent("ok").write(&home);
    }
    set(&mut home, "NIDRA_MODEL_MAX_OUTPUT_TOKENS", "100");
    set(&mut home, "NIDRA_BUDGET_RUN_REQUESTS", "3");
    let said = home.expect(0, &["dream", "--engine", "model"]);
    assert_eq!(server.requests().len(), 3);
    assert!(said.err.contains("budget.run_requests"), "{said:?}");
    let states: Vec<_> =
        home.json(&["sessions"]).as_array().unwrap().iter().map(|session| session["state"].clone()).collect();
    assert!(states.contains(&json!("used")) && states.contains(&json!("waiting")), "{states:?}");
    assert!(!states.iter().any(|state| state.as_str().unwrap().starts_with("retry")), "{states:?}");
    home.expect(0, &["dream", "--engine", "model"]);
    home.expect(0, &["dream", "--engine", "model"]);
    let memory = tree::words(&home.memory());
    assert!(["clippy", "Hetzner", "Marisol"].into_iter().all(|word| memory.contains(word)), "{memory}");
    assert!(server.requests().len() <= 6, "{}", server.requests().len());
}

#[test]
fn a_dry_run_estimates_sends_nothing_and_writes_nothing() {
    let server = quiet();
    let home = home(&server, 2);
    let before = tree::exact(&home.root);
    let said = home.expect(0, &["dream", "--dry-run", "--engine", "model"]);
    assert!(said.err.contains("A run would ask claude-haiku-4-5"), "{said:?}");
    tree::assert_same(&home.root, &before);
    let estimate = &home.json(&["dream", "--dry-run", "--engine", "model"])["model"]["estimate"];
    assert!(
        estimate["requests"].as_u64().unwrap() == 1 && estimate["input_tokens"].as_u64().unwrap() > 500,
        "{estimate}"
    );
    assert!(server.requests().is_empty());
}

#[test]
fn exchanges_are_kept_and_answered_from_without_a_connection() {
    let server = quiet();
    let first = home(&server, 2);
    let kept = first.root.join("kept");
    let kept = kept.to_str().unwrap();
    first.expect(0, &["dream", "--engine", "model", "--record", kept]);
    first.expect(0, &["undo"]);
    let rows = first.json(&["ledger"]).as_array().unwrap().len();
    let said = first.expect(0, &["dream", "--engine", "model", "--record", kept, "--offline"]);
    assert_eq!(server.requests().len(), 1);
    // A replayed answer is no call: the run says so, and neither report, ledger nor events count one.
    assert!(said.err.contains("1 answer replayed from the recording; nothing was sent or spent"), "{said:?}");
    assert!(!said.err.contains("1 call"), "{said:?}");
    let model = &first.json(&["show"])["report"]["model"];
    assert_eq!((&model["replayed"], &model["spent"]["requests"]), (&json!(1), &json!(0)), "{model}");
    assert_eq!(model["spent"]["tokens"], 0, "{model}");
    assert_eq!(first.json(&["ledger"]).as_array().unwrap().len(), rows);
    let events = fs::read_to_string(first.state.join("logs/events.jsonl")).unwrap();
    let last = events.lines().rfind(|line| line.contains(r#""event":"completed""#)).unwrap();
    assert!(events.contains(r#""does":"replayed""#) && !last.contains("tokens"), "{last}");
    assert!(tree::words(&first.memory()).contains(PNPM.1));
    first.expect(2, &["dream", "--engine", "model", "--offline"]);
    // Where nothing is recorded nothing is sent, and the way on is another than with a model that does not answer.
    first.expect(0, &["undo"]);
    let empty = first.root.join("empty");
    fs::create_dir(&empty).unwrap();
    let said =
        first.expect(1, &["dream", "--engine", "model", "--record", empty.to_str().unwrap(), "--offline"]);
    assert!(said.err.contains("leave --offline out") && !said.err.contains("doctor"), "{said:?}");
    let file = first.root.join("file");
    fs::write(&file, "mine").unwrap();
    first
        .expect(2, &["dream", "--engine", "model", "--record", file.to_str().unwrap()])
        .names(&["is no folder", "--record"]);
    assert_eq!(fs::read_to_string(file).unwrap(), "mine");
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn what_is_missing_is_a_mistake_of_the_settings() {
    let mut home = Home::with_sessions(1);
    home.expect(2, &["dream", "--engine", "model"]).names(&["no model is named", "model.name"]);
    set(&mut home, "NIDRA_MODEL_NAME", "m");
    home.expect(2, &["dream", "--engine", "model"]).names(&[
        "there is no key",
        "ANTHROPIC_API_KEY",
        "model.key_file",
    ]);
    let file = home.root.join("key");
    fs::write(&file, "k\n").unwrap();
    set(&mut home, "NIDRA_MODEL_KEY_FILE", file.to_str().unwrap());
    home.expect(2, &["dream", "--engine", "model"]).names(&["can be read by others", "chmod 600"]);
    set(&mut home, "NIDRA_MODEL_PRICES", "/nowhere/prices.toml");
    set(&mut home, "NIDRA_MODEL_BASE_URL", "http://127.0.0.1:9");
    home.variables.retain(|(name, _)| name != "NIDRA_MODEL_KEY_FILE");
    home.expect(2, &["dream", "--engine", "model"]).names(&["table of prices"]);
}

#[test]
fn pub_sec_03_a_project_that_stays_is_not_sent_elsewhere() {
    let mut home = Home::with_sessions(2);
    // Nobody could be reached at this address, and nobody is tried.
    set(&mut home, "ANTHROPIC_BASE_URL", "https://elsewhere.invalid");
    set(&mut home, "NIDRA_MODEL_NAME", "m");
    fs::write(home.work.join(".nidra.toml"), "[model]\nlocal_only = true\n").unwrap();
    let said = home.expect(0, &["dream", "--engine", "model"]);
    assert!(said.err.contains("may leave this machine"), "{said:?}");
    assert!(tree::words(&home.memory()).contains(PNPM.1));
    assert_eq!(home.json(&["ledger"]), json!([]));
}

#[test]
fn pub_out_01_an_answer_that_was_cut_off_changes_nothing() {
    let server = Server::start(|request, _| {
        let text = json!({ "batch": request.batch(), "operations": [] }).to_string();
        Act::plain(200, "text/event-stream", &stream(request, &text, Some("max_tokens")))
    });
    let home = home(&server, 1);
    home.expect(1, &["dream", "--engine", "model"]).names(&["cut off"]);
    assert!(!home.memory().join("MEMORY.md").exists());
}
