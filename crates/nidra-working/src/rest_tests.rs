use super::*;
use crate::compact::scenario;
use crate::talk;
use serde_json::{Value, json};

fn conversation(said: &[&str]) -> Conversation {
    let turns: Vec<Value> = said.iter().map(|text| json!({ "u": text })).collect();
    let scenario = json!({ "sessions": [{ "start": "2026-12-01T09:00:00Z", "turns": turns }] });
    talk::of_script(&scenario::script(&scenario)).0
}

fn task(id: &str, goal: &str, next_step: &str, stale: u32) -> TaskRecord {
    TaskRecord {
        id: id.to_owned(),
        goal: goal.to_owned(),
        next_step: next_step.to_owned(),
        state: TaskState::Open,
        stale,
        created: Timestamp::UNIX_EPOCH,
        changed: Timestamp::UNIX_EPOCH,
        closed: None,
        outcome: None,
        decisions: Vec::new(),
        links: Vec::new(),
    }
}

#[test]
fn tasks_are_closed_advanced_or_kept_with_a_reason() {
    let talk = conversation(&[
        "the login task is finished, merged this morning",
        "now add the unique index on the callback table",
    ]);
    let tasks = [
        task("login", "sign in with a passkey", "write tests", 1),
        task("支付", "支付回调要幂等", "add the unique index on the callback table", 2),
        task("docs", "describe the API", "outline", 9),
    ];
    let found = verdicts(&talk, &tasks, &[], &WorkingSettings::default());
    let of: Vec<(&str, &str, bool)> =
        found.iter().map(|verdict| (verdict.name.as_str(), verdict.verdict, verdict.clear)).collect();
    assert_eq!(of, [("login", "close", true), ("支付", "advance", false), ("docs", "keep", true)]);
    assert!(found.iter().all(|verdict| !verdict.reason.is_empty()));

    let not_yet = conversation(&["the login task is not done yet"]);
    assert_eq!(verdicts(&not_yet, &tasks, &[], &WorkingSettings::default())[0].verdict, "keep");
}

#[test]
fn topics_are_done_paused_or_activated() {
    let topic = |name: &str, state| TopicRecord {
        name: name.to_owned(),
        state,
        created: Timestamp::UNIX_EPOCH,
        changed: Timestamp::UNIX_EPOCH,
    };
    let topics = [
        topic("缓存", TopicState::Active),
        topic("metrics", TopicState::Active),
        topic("search", TopicState::Paused),
    ];
    let mut said = vec!["缓存搞定，可以关了"];
    said.extend(["and what about the search ranking?"; 12]);
    let found = verdicts(&conversation(&said), &[], &topics, &WorkingSettings::default());
    let of: Vec<&str> = found.iter().map(|verdict| verdict.verdict).collect();
    assert_eq!(of, ["done", "pause", "activate"]);
}

#[test]
fn exact_things_are_entities_and_plain_words_are_not() {
    let talk =
        conversation(&["always deploy from release/2.4 with deploy-bot", "release/2.4 is frozen, ask Mina"]);
    let weighed: Vec<Weighed> =
        (0..2).map(|place| Weighed { place, value: 0.9, reason: String::new() }).collect();
    let found = entities(&talk, &weighed);
    let names: Vec<(&str, usize)> = found.iter().map(|entity| (entity.name.as_str(), entity.turns)).collect();
    assert_eq!(names, [("release/2.4", 2), ("deploy-bot", 1)]);
}
