use super::transcript::Role;
use super::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn now() -> ZonedDateTime {
    "2026-12-01T10:00:00+08:00[Asia/Shanghai]".parse().unwrap()
}

fn knowledge(now: &ZonedDateTime) -> Knowledge<'_> {
    Knowledge { now, family: Family::O200k, tasks: &[], memory: &[], floor: 0 }
}

/// A long session about a service, with a rule in English and one in Chinese among the noise.
fn long_session() -> Script {
    let listing: Vec<String> =
        (0..200).map(|n| format!("src/module_{n}/file_{n}.rs: {} lines\n", n * 7)).collect();
    let listing = listing.concat();
    let mut turns = Vec::new();
    for round in 0..12 {
        turns.push(json!({ "u": format!("have a look at module {round} please") }));
        turns.push(json!({ "t": { "name": "Bash", "input": { "command": "find src | xargs wc -l" }, "result": listing } }));
        turns.push(json!({ "t": { "name": "Read", "input": { "file_path": "/w/src/main.rs" }, "result": format!("{listing}// {round}") } }));
        turns.push(json!({ "a": format!("Module {round} looks fine to me. It has a few functions and nothing that stands out so far, I will go on with the next one.") }));
        if round == 3 {
            turns.push(json!({ "u": "From now on always run the migrations with `just migrate-safe`, never with sqlx directly." }));
        }
        if round == 5 {
            turns.push(json!({ "u": "以后所有金额一律用整数分存储，不要用浮点数。" }));
        }
    }
    turns.push(json!({ "u": "now fix the flaky test in module 7" }));
    turns.push(json!({ "a": "The flaky test is fixed: it had waited on the wall clock." }));
    scenario::script(&json!({ "sessions": [{ "start": "2026-12-01T09:00:00Z", "turns": turns }] }))
}

fn skeleton(script: &Script) -> Vec<(Value, Value, Vec<String>)> {
    (0..script.len())
        .map(|line| {
            let record = script.record(line).unwrap();
            let blocks = record.pointer("/message/content").and_then(Value::as_array);
            let kinds = blocks.into_iter().flatten().map(|block| {
                let id = block.get("id").or(block.get("tool_use_id")).cloned().unwrap_or_default();
                format!("{}{id}", block["type"])
            });
            (record["uuid"].clone(), record["parentUuid"].clone(), kinds.collect())
        })
        .collect()
}

#[test]
fn light_and_rem_sleep_keep_every_record_and_every_pair() {
    let (script, now) = (long_session(), now());
    for level in [Level::Micro, Level::Session] {
        let outcome = compact(&script, level, &knowledge(&now));
        let after = Script::parse(&outcome.text);
        assert_eq!(skeleton(&after), skeleton(&script), "{level:?}");
        assert!(outcome.after < outcome.before / 3, "{level:?}: {} of {}", outcome.after, outcome.before);
        for kept in ["just migrate-safe", "整数分存储", "fix the flaky test", "waited on the wall clock"]
        {
            assert!(after.words().contains(kept), "{level:?} lost {kept:?}");
        }
    }
}

#[test]
fn light_sleep_drops_what_came_again_and_what_was_read_again() {
    let (script, now) = (long_session(), now());
    let outcome = compact(&script, Level::Micro, &knowledge(&now));
    let why: BTreeSet<&str> = outcome.changes.iter().map(|change| change.why.as_str()).collect();
    assert_eq!(why, BTreeSet::from(["repeated", "superseded"]));
    // Words of people and agent are not touched.
    let said = |script: &Script| -> Vec<String> {
        let said = script.bodies().into_iter().filter(|body| matches!(body.role, Role::Human | Role::Agent));
        said.map(|body| body.text).collect()
    };
    assert_eq!(said(&Script::parse(&outcome.text)), said(&script));
}

#[test]
fn deep_sleep_leaves_a_digest_that_the_client_reads_and_the_last_turns() {
    let (script, now) = (long_session(), now());
    let task = TaskRecord {
        id: "flaky".to_owned(),
        goal: "green builds".to_owned(),
        next_step: "watch CI for a day".to_owned(),
        state: TaskState::Open,
        stale: 0,
        created: now.timestamp(),
        changed: now.timestamp(),
        closed: None,
        outcome: None,
        decisions: Vec::new(),
        links: Vec::new(),
    };
    let known = Knowledge { tasks: &[task], ..knowledge(&now) };
    let outcome = compact(&script, Level::Deep, &known);
    assert!(outcome.after as f64 <= 0.08 * outcome.before as f64, "{} of {}", outcome.after, outcome.before);
    let after = Script::parse(&outcome.text);
    let (boundary, summary) = (after.record(0).unwrap(), after.record(1).unwrap());
    assert_eq!((&boundary["subtype"], &boundary["parentUuid"]), (&json!("compact_boundary"), &Value::Null));
    assert_eq!((&summary["isCompactSummary"], &summary["parentUuid"]), (&json!(true), &boundary["uuid"]));
    assert_eq!(after.record(2).unwrap()["parentUuid"], summary["uuid"]);
    let words = after.words();
    for kept in ["just migrate-safe", "整数分", "watch CI for a day", "now fix the flaky test in module 7"]
    {
        assert!(words.contains(kept), "lost {kept:?} in {words}");
    }
    let uuids: BTreeSet<String> = (0..after.len()).map(|line| after.name(line)).collect();
    assert_eq!(uuids.len(), after.len(), "every record has a name of its own");
}

#[test]
fn what_is_no_transcript_is_compacted_by_paragraphs() {
    let now = now();
    let noise: Vec<String> = (0..40).map(|n| format!("let me check number {n} and see\n\n")).collect();
    let noise = noise.concat();
    let text = format!("{noise}From now on deploy only on Tuesdays, never on Fridays.\n\n{noise}");
    let outcome = plain::compact(&text, Level::Session, &knowledge(&now));
    assert!(outcome.text.contains("only on Tuesdays"), "{}", outcome.text);
    assert!(outcome.after as f64 <= 0.25 * outcome.before as f64);
    let micro = plain::compact(&text, Level::Micro, &knowledge(&now));
    assert_eq!(micro.text.matches("number 7 ").count(), 1);
}

/// Two of the scenarios that may be looked at, one in each language.
#[test]
fn what_was_worth_keeping_stays_answerable() {
    for name in ["courier-android", "zh-agv-ros2"] {
        let path = format!("{}/../../evaluation/tune/{name}.json", env!("CARGO_MANIFEST_DIR"));
        let scenario: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let now = now();
        for (level, share, least) in
            [(Level::Micro, 1.0, 1.0), (Level::Session, 0.4, 0.9), (Level::Deep, 0.09, 0.8)]
        {
            let found = scenario::check(&scenario, level, &knowledge(&now));
            let answerable = found.answerable as f64 / found.facts as f64;
            let (percent, facts) = (found.share() * 100.0, found.facts);
            println!("{name} {level:?}: {percent:.1} % of the tokens, {} of {facts} facts", found.answerable);
            assert!(facts >= 8 && answerable >= least && found.share() <= share, "{found:?}");
        }
    }
}
