//! Whose words are whose: nidra's own runs, injected text, refusals, interruptions.

use crate::build::{Log, uuid};
use nidra_core::{Content, Speaker};
use nidra_sessions::Known;
use nidra_sessions::claude::{Lookup, OWN_RUN_MARK, discover, discover_with};
use serde_json::json;
use std::path::PathBuf;

#[test]
fn pub_slf_01_a_run_with_the_mark_is_its_own() {
    let config = tempfile::tempdir().unwrap();
    let mut own = Log::new(1, "/w/p");
    own.push("mode", &json!({})).human(&format!("<!-- {OWN_RUN_MARK} -->\nConsolidate the memory."));
    own.write(config.path(), "-w-p");
    let mut other = Log::new(2, "/w/p");
    other.human("你好").human(&format!("what does {OWN_RUN_MARK} mean?"));
    other.write(config.path(), "-w-p");
    let found = discover(config.path());
    let sessions: Vec<_> = found.sessions().map(|session| session.session.as_str()).collect();
    assert_eq!(sessions, [uuid(2)], "the mark counts in the first message only");
    assert_eq!(found.transcripts.len(), 2);
}

#[test]
fn pub_slf_02_a_run_inside_of_nidras_directories_is_its_own() {
    let config = tempfile::tempdir().unwrap();
    for (session, directory) in [(1, "/state/nidra"), (2, "/state/nidra/stage/1"), (3, "/state/nidra-notes")]
    {
        let mut log = Log::new(session, directory);
        log.human("no mark here");
        log.write(config.path(), "-state-nidra");
    }
    let own = [PathBuf::from("/state/nidra")];
    let found = discover_with(config.path(), Lookup { known: &|_| None, own_directories: &own });
    let sessions: Vec<_> = found.sessions().map(|session| session.session.as_str()).collect();
    assert_eq!(sessions, [uuid(3)]);
}

#[test]
fn pub_slf_04_injected_memory_is_cut_out_of_what_the_person_typed() {
    let index = "- [Package manager](pm.md) — use npm\n- [部署](deploy.md) — 每周五部署";
    let reminder = format!("<system-reminder>\nContents of MEMORY.md:\n{index}\n</system-reminder>");
    let mut log = Log::new(1, "/w/p");
    log.human(&format!("fix the tests\n\n{reminder}"));
    log.push(
        "user",
        &json!({"message": {"role": "user", "content": [
            {"type": "text", "text": reminder}, {"type": "text", "text": "and the docs"}]}}),
    );
    log.push("user", &json!({"isMeta": true, "message": {"role": "user", "content": index}}));
    log.push(
        "attachment",
        &json!({"attachment": {"type": "instructions", "files": [{"type": "AutoMem", "content": index}]}}),
    );
    log.push("queue-operation", &json!({"operation": "enqueue", "content": "fix the tests"}));
    log.push("last-prompt", &json!({"lastPrompt": "fix the tests"}));
    log.push("api-request-blob", &json!({"message": {"role": "user", "content": index}}));
    let read = log.read();
    assert_eq!(read.human(), ["fix the tests", "and the docs"]);
    assert_eq!(read.texts(Speaker::Injected), [reminder.as_str(), reminder.as_str(), index]);
    assert!(read.turns.iter().all(|turn| matches!(turn.speaker, Speaker::Human | Speaker::Injected)));
    let names: Vec<_> = read.turns.iter().map(|turn| turn.source.record.as_str()).collect();
    assert_eq!(names, ["record-1", "record-1#1", "record-2", "record-2#1", "record-3"]);
}

#[test]
fn flags_of_the_client_outweigh_the_role() {
    let mut log = Log::new(1, "/w/p");
    for extra in [
        json!({"isMeta": true}),
        json!({"origin": {"kind": "task-notification"}}),
        json!({"isVisibleInTranscriptOnly": true}),
        json!({"sourceToolUseID": "toolu_1"}),
        json!({"rowSource": "harness"}),
    ] {
        let mut extra = extra;
        extra["message"] = json!({"role": "user", "content": "I always use tabs."});
        log.push("user", &extra);
    }
    log.push(
        "user",
        &json!({"origin": {"kind": "human"}, "rowSource": "local", "message": {"role": "user", "content": "I use tabs."}}),
    );
    let read = log.read();
    assert_eq!(read.human(), ["I use tabs."]);
    assert_eq!(read.texts(Speaker::Injected).len(), 5);
}

#[test]
fn text_beside_a_tools_answer_is_not_the_persons() {
    let mut log = Log::new(1, "/w/p");
    log.push(
        "user",
        &json!({"message": {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "c", "content": [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]},
            {"type": "text", "text": "I prefer npm."}]}}),
    );
    let read = log.read();
    assert!(read.human().is_empty());
    assert_eq!(read.results(), [("one\ntwo", false, false)]);
}

#[test]
fn a_refused_call_is_a_refusal_and_its_reason_is_the_persons() {
    let answer = "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\n用 pnpm，不要 npm";
    let mut log = Log::new(1, "/w/p");
    let refusal = |entrypoint: &str, kind: Option<&str>, text: &str, id: &str| {
        json!({"toolDenialKind": kind, "entrypoint": entrypoint, "message": {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": id, "is_error": true, "content": text}]}})
    };
    log.push("user", &refusal("cli", Some("user-rejected"), answer, "c1"));
    log.push("user", &refusal("sdk-cli", Some("user-rejected"), answer, "c2"));
    log.push("user", &refusal("cli", None, answer, "c3"));
    log.push("user", &refusal("cli", None, "Exit code 1\nthe user said: trust me", "c4"));
    let read = log.read();
    let refused: Vec<bool> = read.results().iter().map(|(_, _, refused)| *refused).collect();
    assert_eq!(refused, [true, true, true, false]);
    assert_eq!(read.human(), ["用 pnpm，不要 npm"], "only where the client says that a person refused");
}

#[test]
fn an_interruption_is_told() {
    let mut log = Log::new(1, "/w/p");
    log.push(
        "user",
        &json!({"rowSource": "harness", "message": {"role": "user",
            "content": [{"type": "text", "text": "[Request interrupted by user for tool use]"}]}}),
    );
    let read = log.read();
    assert_eq!(read.turns.len(), 1);
    assert_eq!((read.turns[0].speaker, &read.turns[0].content), (Speaker::Human, &Content::Interrupted));
}

#[test]
fn what_the_client_makes_up_for_the_agent_is_no_speech() {
    let mut log = Log::new(1, "/w/p");
    let content = json!([{"type": "text", "text": "API Error: 529"}]);
    log.push(
        "assistant",
        &json!({"isApiErrorMessage": true, "message": {"role": "assistant", "content": content}}),
    );
    log.push(
        "assistant",
        &json!({"message": {"model": "<synthetic>", "role": "assistant", "content": content}}),
    );
    assert!(log.read().turns.is_empty());
}

#[test]
fn words_typed_while_the_agent_works_are_heard_once() {
    let queued = |text: &str, mode: &str| json!({"type": null, "attachment": {"type": "queued_command", "prompt": text, "commandMode": mode}});
    let line = |log: &mut Log, text: &str, mode: &str| {
        let mut record: serde_json::Value =
            serde_json::from_str(&log.record("attachment", &queued(text, mode))).unwrap();
        record["type"] = json!("attachment");
        // The client writes the attachment's kind first, and the attachment before the record's own kind.
        let attachment = format!(
            r#"{{"type":"queued_command","prompt":{},"commandMode":"{mode}"}}"#,
            serde_json::Value::from(text)
        );
        record.as_object_mut().unwrap().remove("attachment");
        record.as_object_mut().unwrap().remove("type");
        let rest = record.to_string();
        format!(r#"{{"attachment":{attachment},"type":"attachment",{}"#, &rest[1..])
    };
    let mut log = Log::new(1, "/w/p");
    for (text, mode) in [
        ("别改测试", "prompt"),
        ("done: job 7", "task-notification"),
        ("<system-reminder>x</system-reminder>", "prompt"),
    ] {
        let line = line(&mut log, text, mode);
        log.line(&line);
    }
    log.human("别改测试").human("别改测试");
    let read = log.read();
    assert_eq!(
        read.human(),
        ["别改测试", "别改测试"],
        "once queued and repeated by the client, once typed again"
    );
    assert_eq!(read.outcome.counts["attachment"], 3);
}

#[test]
fn headless_sessions_are_known_as_such() {
    let config = tempfile::tempdir().unwrap();
    for (session, entrypoint) in [(1, "cli"), (2, "sdk-cli")] {
        let mut log = Log::new(session, "/w/p");
        log.push("user", &json!({"entrypoint": entrypoint, "message": {"role": "user", "content": "hi"}}));
        log.write(config.path(), "-w-p");
    }
    let mut silent = Log::new(3, "/w/p");
    silent.line(r#"{"type":"user","message":{"role":"user","content":"we deploy on Fridays now"}}"#);
    silent.write(config.path(), "-w-p");
    let found = discover(config.path());
    let headless: Vec<_> = found.transcripts.iter().map(|transcript| transcript.headless).collect();
    assert_eq!(headless, [Some(false), Some(true), None]);
    assert_eq!(found.transcripts[2].directory, None);
}

#[test]
fn what_the_caller_knows_is_not_looked_up_again() {
    let config = tempfile::tempdir().unwrap();
    let mut log = Log::new(1, "/w/p");
    log.human("x");
    log.write(config.path(), "-w-p");
    let known = |_: &std::path::Path| {
        Some(Known { directory: Some(PathBuf::from("/known")), headless: Some(true), own: false })
    };
    let found = discover_with(config.path(), Lookup { known: &known, own_directories: &[] });
    assert_eq!(found.transcripts[0].directory, Some(PathBuf::from("/known")));
    assert_eq!(found.transcripts[0].headless, Some(true));
}
