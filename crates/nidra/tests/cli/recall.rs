//! `nidra recall` and `nidra entries`: what is known, from memory and from past turns.

use crate::support::{COMMITS, Home, PNPM};
use crate::talk::{Talk, session_id};
use crate::tree::{assert_same, exact};
use serde_json::{Value, json};
use std::io::Write as _;
use std::process::Stdio;

/// A home whose memory holds two rules, and whose second session is not dreamt over yet.
fn home() -> Home {
    let home = Home::with_sessions(1);
    home.expect(0, &["dream"]);
    Talk::new(2, &home.work)
        .human("the retries live in fetchWithBackoff, do they not?")
        .agent("Yes, src/net/retry_policy.rs calls it.")
        .human("数据库的端口是 5433")
        .write(&home);
    home
}

fn texts(hits: &Value) -> Vec<&str> {
    hits.as_array().unwrap().iter().map(|hit| hit["text"].as_str().unwrap()).collect()
}

#[test]
fn memory_answers_in_both_languages_and_nothing_of_memory_changes() {
    let home = home();
    let memory = exact(&home.memory());
    for (question, (_, word)) in [("which package manager, pnpm?", PNPM), ("提交信息用什么语言", COMMITS)]
    {
        let hits = home.json(&["recall", question]);
        assert!(texts(&hits)[0].contains(word), "{hits}");
        let first = &hits[0];
        assert_eq!((first["kind"].as_str(), first["rank"].as_str()), (Some("entry"), Some("human-verbatim")));
        assert_eq!(first["session"], session_id(1));
        assert_eq!(first["current"], true);
        assert!(first["reasons"].as_array().is_some_and(|reasons| !reasons.is_empty()), "{first}");
    }
    assert_same(&home.memory(), &memory);
}

#[test]
fn nothing_known_is_an_answer() {
    let home = home();
    assert_eq!(home.json(&["recall", "kubernetes ingress"]), json!([]));
    let said = home.expect(0, &["recall", "kubernetes ingress"]);
    assert!(said.out.is_empty() && said.err.contains("holds nothing"), "{said:?}");
}

#[test]
fn past_turns_answer_only_when_asked() {
    let home = home();
    assert_eq!(home.json(&["recall", "fetch_with_backoff"]), json!([]));
    for (question, word) in [
        ("fetch_with_backoff", "fetchWithBackoff"),
        ("数据库端口", "5433"),
        ("retry_policy.rs", "retry_policy"),
    ] {
        let hits = home.json(&["recall", "--sessions", question]);
        assert!(texts(&hits)[0].contains(word), "{question}: {hits}");
        assert_eq!((hits[0]["kind"].as_str(), &hits[0]["session"]), (Some("turn"), &json!(session_id(2))));
    }
    // The turn on which an entry rests is not told a second time.
    let hits = home.json(&["recall", "--sessions", "pnpm npm yarn repository"]);
    assert_eq!(texts(&hits).iter().filter(|text| text.contains("never npm")).count(), 1, "{hits}");
}

#[test]
fn a_batch_answers_line_by_line() {
    let home = home();
    let mut child = home
        .command(&["recall", "--sessions", "--batch", "--limit", "3"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let questions = "{\"id\":\"a\",\"q\":\"fetchWithBackoff\"}\n\n{\"id\":2,\"q\":\"kubernetes\"}\n";
    child.stdin.take().unwrap().write_all(questions.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let answers: Vec<Value> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!((&answers[0]["id"], &answers[1]["id"]), (&json!("a"), &json!(2)));
    assert!(answers[0]["hits"][0]["record"].is_string(), "{answers:?}");
    assert_eq!(answers[1]["hits"], json!([]));
}

#[test]
fn entries_name_the_records_behind_them() {
    let home = home();
    let said = home.expect(0, &["entries", "--json-lines"]);
    let entries: Vec<Value> = said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(entries.len() >= 2, "{said:?}");
    let why = home.json(&["why", PNPM.1]);
    let entry = entries.iter().find(|entry| entry["text"].as_str().unwrap().contains(PNPM.1)).unwrap();
    assert_eq!(entry["sources"][0], why["sources"][0]["evidence"][0]["source"]["record"]);
    assert_eq!((&entry["index"], &entry["active"]), (&json!(true), &json!(true)));
}

#[test]
fn mistakes_are_named() {
    let home = home();
    for (arguments, word) in [
        (&["recall"][..], "QUESTION"),
        (&["recall", "--since", "soonish", "pnpm"], "soonish"),
        (&["recall", "--limit", "0", "pnpm"], "limit"),
        (&["recall", "--all-projects", "pnpm"], "sessions"),
    ] {
        let said = home.expect(2, arguments);
        assert!(said.err.contains(word), "{arguments:?}: {said:?}");
    }
}
