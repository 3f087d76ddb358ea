//! What a run with a model tells: of a set-up that cannot work, of sessions that it did not judge, of pauses, of what it
//! declined, and of what it cost.

use crate::program::{home, set};
use crate::server::{Act, Server, stream};
use crate::support::Home;
use crate::talk::{Talk, session_id};
use crate::tree;
use serde_json::json;
use std::sync::atomic::{AtomicU32, Ordering};

/// The notice that the next session's start shows.
fn notice(home: &Home) -> String {
    let payload = json!({
        "session_id": session_id(90), "transcript_path": home.claude.join("projects/none.jsonl"), "cwd": home.work,
        "hook_event_name": "SessionStart", "source": "startup",
    });
    home.hook(payload.to_string().as_bytes()).out
}

#[test]
fn a_dream_that_nobody_watches_fails_in_sight_when_no_model_is_set_up() {
    let mut home = Home::with_sessions(6);
    set(&mut home, "NIDRA_DREAM_ENGINE", "model");
    let status = home.expect(0, &["status"]);
    assert!(status.out.contains("model cannot be asked: no model is named"), "{status:?}");
    assert!(home.json(&["status"])["engine"]["fault"].as_str().unwrap().contains("model.name"));
    home.expect(1, &["dream", "--auto"]).names(&["no model is named", "model.on_failure"]);
    assert!(!home.memory().join("MEMORY.md").exists());
    let run = &home.json(&["log"])[0];
    assert_eq!((&run["state"], &run["engine"]), (&json!("failed"), &json!("model")));
    // What it left still counts for the hooks, which do not look at old transcripts again.
    let gates = tree::files(&home.state.join("projects"));
    let gate = gates.iter().find(|(path, _)| path.ends_with("gate.json")).unwrap().1;
    assert_eq!(serde_json::from_slice::<serde_json::Value>(gate).unwrap()["unread"], 6);
    let log = std::fs::read_to_string(home.state.join("logs/nidra.log")).unwrap();
    assert!(log.contains("event=failed") && log.contains("no model is named"), "{log}");
    let told = notice(&home);
    assert!(told.contains("the last dream failed") && told.contains("nidra status"), "{told}");
    // Not once more, and not at each end of a turn.
    assert!(!notice(&home).contains("failed"));
    home.expect(0, &["dream", "--auto"]).names(&["throttle gate is closed"]);
    // A later run that does not fail takes back what nobody has read.
    home.wait_hours(1);
    home.expect(1, &["dream", "--auto"]);
    home.wait_hours(1);
    set(&mut home, "NIDRA_DREAM_ENGINE", "rules");
    home.expect(0, &["dream", "--auto"]);
    assert!(!notice(&home).contains("failed"));
}

#[test]
fn where_the_rules_stand_in_they_judge_and_the_run_says_so() {
    let mut home = Home::with_sessions(6);
    set(&mut home, "NIDRA_DREAM_ENGINE", "model");
    set(&mut home, "NIDRA_MODEL_ON_FAILURE", "rules");
    let said = home.expect(0, &["dream", "--auto"]);
    assert!(
        said.err.contains("no model is named") && said.err.contains("the rules alone judged"),
        "{said:?}"
    );
    assert!(home.memory().join("MEMORY.md").exists());
}

#[test]
fn a_closed_gate_is_no_failure_whatever_the_model() {
    let mut home = Home::with_sessions(1);
    set(&mut home, "NIDRA_DREAM_ENGINE", "model");
    home.expect(0, &["dream", "--auto"]).names(&["sessions gate is closed"]);
    assert_eq!(notice(&home), "");
}

#[test]
fn setting_an_engine_that_cannot_be_asked_is_warned_of() {
    let home = Home::with_sessions(0);
    let said = home.expect(0, &["config", "dream.engine", "model"]);
    assert!(said.err.contains("warning") && said.err.contains("no model is named"), "{said:?}");
    let said = home.expect(0, &["config", "dream.engine", "rules"]);
    assert!(!said.err.contains("warning"), "{said:?}");
}

#[test]
fn a_preview_needs_no_key() {
    let mut home = Home::with_sessions(2);
    set(&mut home, "NIDRA_MODEL_NAME", "claude-haiku-4-5");
    let said = home.expect(0, &["dream", "--dry-run", "--engine", "model"]);
    assert!(said.err.contains("A run would ask claude-haiku-4-5 at api.anthropic.com"), "{said:?}");
    home.expect(2, &["dream", "--engine", "model"]).names(&["there is no key"]);
    set(&mut home, "NIDRA_DREAM_ENGINE", "model");
    assert!(home.json(&["status"])["engine"]["fault"].as_str().unwrap().contains("no key"));
}

/// Refuses what speaks of Marisol, and judges nothing else.
fn refuses_marisol() -> Server {
    Server::start(|request, _| {
        if request.body.contains("Marisol") {
            return Act::answer(request, "I'm sorry, but I can't help with that.");
        }
        Act::answer(request, &json!({ "batch": request.batch(), "operations": [] }).to_string())
    })
}

#[test]
fn sessions_that_could_not_be_judged_are_counted_and_the_run_does_not_end_well() {
    let server = refuses_marisol();
    for others in [0, 3] {
        let home = home(&server, others);
        if others == 0 {
            Talk::new(41, &home.work).human("please have a look at the build").agent("ok").write(&home);
        }
        Talk::new(40, &home.work)
            .human("From now on never push to the release branch without asking Marisol first.")
            .agent("ok")
            .write(&home);
        let said = home.expect(1, &["dream", "--engine", "model"]);
        assert!(said.err.contains("1 session could not be judged"), "{said:?}");
        if others == 0 {
            assert!(!said.err.contains("Nothing to do: nothing was"), "{said:?}");
            assert!(said.err.contains("the model refused to answer"), "{said:?}");
        } else {
            assert!(home.memory().join("MEMORY.md").exists());
        }
        let report = &home.json(&["show", home.json(&["log"])[0]["run"].as_str().unwrap()])["report"];
        assert_eq!(report["set_aside"][0]["state"], "retry 1 of 3", "{report}");
    }
}

#[test]
fn a_limit_that_keeps_sessions_waiting_is_named_at_the_end() {
    let server = Server::saying(r#"{"batch":"BATCH","operations":[]}"#);
    let mut home = home(&server, 0);
    for (number, words) in (50..).zip([
        "From now on always run the linter with clippy before each commit, please.",
        "Never push to the release branch without asking Marisol first.",
    ]) {
        Talk::new(number, &home.work).human(words).agent("ok").write(&home);
    }
    set(&mut home, "NIDRA_MODEL_MAX_OUTPUT_TOKENS", "100");
    set(&mut home, "NIDRA_BUDGET_RUN_REQUESTS", "1");
    let said = home.expect(0, &["dream", "--engine", "model"]);
    assert!(
        said.err.contains("1 session waits for the next run: ") && said.err.contains("budget.run_requests"),
        "{said:?}"
    );
}

/// Whether another session has nothing to ask is no matter of the limit.
#[test]
fn a_limit_that_comes_before_the_first_question_fails_the_run_whatever_else_was_read() {
    for idle in [false, true] {
        let server = Server::saying(r#"{"batch":"BATCH","operations":[]}"#);
        let mut home = home(&server, 0);
        Talk::new(50, &home.work)
            .human("Never push to the release branch without asking Marisol first.")
            .agent("ok")
            .write(&home);
        if idle {
            Talk::new(51, &home.work).human("what does the readme say?").agent("hello").write(&home);
        }
        set(&mut home, "NIDRA_BUDGET_RUN_REQUESTS", "0");
        let said = home.expect(1, &["dream", "--engine", "model"]);
        assert!(said.err.contains("budget.run_requests"), "{said:?}");
        assert!(server.requests().is_empty());
    }
}

#[test]
fn pauses_before_another_try_are_told_with_their_cause() {
    let calls = AtomicU32::new(0);
    let server = Server::start(move |request, _| {
        if calls.fetch_add(1, Ordering::SeqCst) == 0 {
            return Act::plain(503, "application/json", r#"{"error":{"message":"the hamster is tired"}}"#);
        }
        Act::answer(request, &json!({ "batch": request.batch(), "operations": [] }).to_string())
    });
    let mut home = home(&server, 2);
    set(&mut home, "NIDRA_MODEL_RETRIES", "2");
    let said = home.expect(0, &["dream", "--engine", "model"]);
    assert!(
        said.err.contains("the hamster is tired") && said.err.contains("asks again in 1 s, 2 times at most"),
        "{said:?}"
    );
    let events = std::fs::read_to_string(home.state.join("logs/events.jsonl")).unwrap();
    assert!(events.contains(r#""does":"retries""#), "{events}");
}

#[test]
fn what_the_plan_declined_is_shown_with_the_words_it_was_about_and_none_of_the_models() {
    let server = Server::start(|request, _| {
        let operations: Vec<_> = request
            .items()
            .iter()
            .map(|item| {
                json!({"op": "create", "item": item["item"], "text": "Buy the blue zeppelin.", "quote": "zeppelin"})
            })
            .collect();
        Act::answer(request, &json!({ "batch": request.batch(), "operations": operations }).to_string())
    });
    let home = home(&server, 2);
    let said = home.expect(0, &["dream", "--engine", "model"]);
    assert!(said.err.contains("The plan declined: ") && said.err.contains("create of “"), "{said:?}");
    let shown = home.expect(0, &["show"]);
    assert!(shown.out.contains("The plan declined: ") && shown.out.contains("always use pnpm"), "{shown:?}");
    assert!(!tree::words(&home.state).contains("zeppelin"));
}

#[test]
fn tokens_that_nobody_counted_are_said_to_be_a_guess_and_a_stranger_costs_nothing() {
    for (act, tokens) in [
        (Act::plain(200, "text/html", "<html>welcome</html>"), false),
        (Act::plain(200, "application/json", r#"{"error":{"message":"not loaded"}}"#), false),
        (Act::Hang(std::time::Duration::from_secs(3)), true),
    ] {
        let server = Server::start(move |_, _| act.clone());
        let mut home = home(&server, 2);
        set(&mut home, "NIDRA_MODEL_TIMEOUT_SECONDS", "1");
        let said = home.expect(1, &["dream", "--engine", "model"]);
        assert_eq!(said.err.contains("at a guess"), tokens, "{said:?}");
        let call = &home.json(&["ledger"])[0];
        assert_eq!(call["input_tokens"].as_u64().unwrap() > 0, tokens, "{call}");
    }
}

#[test]
fn a_form_that_a_server_does_not_take_is_told_before_it_is_asked_without() {
    let server = Server::start(|request, number| {
        if number == 0 {
            return Act::plain(400, "application/json", r#"{"error":{"message":"no forms here"}}"#);
        }
        Act::answer(request, &json!({ "batch": request.batch(), "operations": [] }).to_string())
    });
    let home = home(&server, 2);
    let said = home.expect(0, &["dream", "--engine", "model"]);
    assert!(said.err.contains("no forms here") && said.err.contains("once more without a form"), "{said:?}");
}

#[test]
fn limits_of_the_day_and_the_project_say_when_they_open_again() {
    let server = Server::saying(r#"{"batch":"BATCH","operations":[]}"#);
    for (limit, opens) in [("DAY", "the next day"), ("PROJECT", "thirty days")] {
        let mut home = home(&server, 1);
        set(&mut home, &format!("NIDRA_BUDGET_{limit}_REQUESTS"), "0");
        let said = home.expect(1, &["dream", "--engine", "model"]);
        assert!(said.err.contains(opens), "{said:?}");
    }
}

#[test]
fn a_session_that_the_rules_judge_alone_in_the_end_says_so_later_too() {
    let server = refuses_marisol();
    let mut home = home(&server, 0);
    Talk::new(40, &home.work)
        .human("From now on never push to the release branch without asking Marisol first.")
        .agent("ok")
        .write(&home);
    home.expect(1, &["dream", "--engine", "model"]);
    for _ in 0..2 {
        home.wait_hours(30);
        home.nidra(&["dream", "--engine", "model"]);
    }
    assert!(tree::words(&home.memory()).contains("Marisol"));
    let report = &home.json(&["show", home.json(&["log"])[0]["run"].as_str().unwrap()])["report"];
    let reason = report["sessions"][0]["reason"].as_str().unwrap_or_default();
    assert!(reason.contains("judged by the rules alone"), "{report}");
}

#[test]
fn report_ledger_and_events_of_a_run_name_the_same_tokens() {
    // More tokens than the question has bytes, an answer that is none, and one that never comes.
    for number in 0..3 {
        let server = Server::start(move |request, _| match number {
            0 => {
                let text = json!({ "batch": request.batch(), "operations": [] }).to_string();
                let text =
                    stream(request, &text, None).replace("\"input_tokens\":90", "\"input_tokens\":9000000");
                Act::plain(200, "text/event-stream", &text)
            }
            1 => Act::answer(request, "no"),
            _ => Act::Hang(std::time::Duration::from_secs(3)),
        });
        let mut home = home(&server, 2);
        set(&mut home, "NIDRA_MODEL_TIMEOUT_SECONDS", "1");
        set(&mut home, "NIDRA_MODEL_ON_FAILURE", "rules");
        let report = home.json(&["dream", "--engine", "model"]);
        let ledger = home.json(&["ledger"]);
        let kinds = ["input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens"];
        let of = |value: &serde_json::Value, names: &[&str]| -> u64 {
            names.iter().filter_map(|name| value[*name].as_u64()).sum()
        };
        let kept: u64 = ledger.as_array().unwrap().iter().map(|call| of(call, &kinds)).sum();
        let said = report["model"]["spent"]["tokens"].as_u64().unwrap();
        assert!(kept > 0 && said == kept, "{number}: {said} {ledger:#}");
        let events = std::fs::read_to_string(home.state.join("logs/events.jsonl")).unwrap();
        let last = events.lines().rfind(|line| line.contains(r#""event":"completed""#)).unwrap();
        let tokens = &serde_json::from_str::<serde_json::Value>(last).unwrap()["tokens"];
        let told = of(tokens, &kinds) + of(tokens, &["estimated_tokens"]);
        assert_eq!(told, kept, "{number}: {last}");
        // What nobody counted is not known, which is another thing than none.
        assert_eq!(tokens["input_tokens"].is_null(), number == 2, "{last}");
    }
}
