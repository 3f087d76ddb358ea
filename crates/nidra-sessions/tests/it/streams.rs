//! Sub-agents, compactions and sessions that move.

use crate::build::{Log, read_from, transcript, uuid};
use nidra_core::{Content, SessionId, Speaker};
use nidra_sessions::claude::{self, Lookup, discover, discover_folders};
use nidra_sessions::{Cursor, project};
use serde_json::json;
use std::fs;
use std::path::Path;

fn child(session: u32, agent: &str, words: &str) -> Log {
    let mut log = Log::new(session, "/w/p");
    log.push(
        "user",
        &json!({"isSidechain": true, "agentId": agent, "uuid": "same", "message": {"role": "user", "content": words}}),
    );
    log.push(
        "assistant",
        &json!({"isSidechain": true, "agentId": agent, "uuid": "same-2",
            "message": {"id": "m", "role": "assistant", "content": [{"type": "text", "text": words}]}}),
    );
    log
}

fn write_child(config: &Path, log: &Log, agent: &str) {
    let folder = config.join("projects/-w-p").join(&log.session).join("subagents");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(format!("agent-{agent}.jsonl")), &log.bytes).unwrap();
    fs::write(folder.join(format!("agent-{agent}.meta.json")), "{}").unwrap();
}

#[test]
fn pub_trx_07_streams_of_sub_agents_never_count_as_sessions() {
    let config = tempfile::tempdir().unwrap();
    let mut log = Log::new(1, "/w/p");
    log.human("delegate");
    log.write(config.path(), "-w-p");
    for number in 0..12 {
        let agent = format!("a{number:016}");
        write_child(config.path(), &child(1, &agent, "find it"), &agent);
    }
    let found = discover(config.path());
    assert_eq!(found.sessions().count(), 1);
    let session = SessionId::new(uuid(1));
    assert_eq!(found.children(&session).count(), 12);
    assert!(found.children(&session).all(|stream| stream.directory.as_deref() == Some(Path::new("/w/p"))));
    assert!(found.diagnostics.is_empty());
}

#[test]
fn pub_trx_08_streams_with_equal_records_stay_apart() {
    let config = tempfile::tempdir().unwrap();
    let mut log = Log::new(1, "/w/p");
    log.human("delegate");
    log.write(config.path(), "-w-p");
    write_child(config.path(), &child(1, "a1", "the first child"), "a1");
    write_child(config.path(), &child(1, "a2", "the second child"), "a2");
    let found = discover(config.path());
    let mut keys = Vec::new();
    for transcript in &found.transcripts {
        for turn in read_from(transcript, &Cursor::default()).turns {
            assert_eq!(turn.source.session.as_str(), uuid(1));
            let expected = if turn.source.stream.is_some() { Speaker::Subagent } else { Speaker::Human };
            assert_eq!(turn.speaker, expected);
            keys.push((turn.source.stream, turn.source.record));
        }
    }
    assert_eq!(keys.len(), 5);
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), 5, "nothing is lost by telling records apart by session, stream and record");
}

#[test]
fn a_stream_inside_the_main_file_is_told_apart() {
    let mut log = Log::new(1, "/w/p");
    log.human("delegate");
    log.push("user", &json!({"isSidechain": true, "message": {"role": "user", "content": "inline prompt"}}));
    log.push(
        "user",
        &json!({"isSidechain": true, "agentId": "a9", "message": {"role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "c", "content": "found"}]}}),
    );
    let read = log.read();
    assert_eq!(read.human(), ["delegate"]);
    let streams: Vec<_> = read.turns.iter().map(|turn| turn.source.stream.as_deref()).collect();
    assert_eq!(streams, [None, Some("sidechain"), Some("a9")]);
    assert!(read.turns[1..].iter().all(|turn| turn.speaker == Speaker::Subagent));
}

#[test]
fn older_streams_beside_the_sessions_belong_to_theirs() {
    let config = tempfile::tempdir().unwrap();
    let mut log = Log::new(1, "/w/p");
    log.human("delegate");
    let path = log.write(config.path(), "-w-p");
    fs::write(path.with_file_name("agent-1a2b3c4d.jsonl"), &child(1, "1a2b3c4d", "x").bytes).unwrap();
    let found = discover(config.path());
    assert_eq!(found.sessions().count(), 1);
    assert_eq!(found.children(&SessionId::new(uuid(1))).count(), 1);
}

#[test]
fn pub_trx_11_text_before_a_compaction_is_read_and_the_digest_is_no_speech() {
    let mut log = Log::new(1, "/w/p");
    log.human("部署在周五").agent("m1", "Noted.");
    log.push("system", &json!({"subtype": "compact_boundary", "content": "Conversation compacted"}));
    let digest = "This session is being continued from an earlier one. The user prefers npm.";
    log.push(
        "user",
        &json!({"isCompactSummary": true, "isVisibleInTranscriptOnly": true,
            "message": {"role": "user", "content": digest}}),
    );
    log.human("after");
    let read = log.read();
    assert_eq!(read.human(), ["部署在周五", "after"]);
    assert_eq!(read.texts(Speaker::Summary), [digest]);

    let mut unmarked = Log::new(1, "/w/p");
    unmarked.human(digest);
    assert_eq!(unmarked.read().texts(Speaker::Summary), [digest], "also without its flag");
}

#[test]
fn pub_trx_12_the_log_on_disk_is_read_whole_with_its_compactions() {
    let mut log = Log::new(1, "/w/p");
    let mut expected = Vec::new();
    for hour in 8..23 {
        expected.push(format!("work of {hour} o'clock"));
        log.human(expected.last().unwrap());
        log.push("system", &json!({"subtype": "compact_boundary"}));
        log.push(
            "user",
            &json!({"isCompactSummary": true, "message": {"role": "user", "content": "digest"}}),
        );
    }
    assert_eq!(log.read().human(), expected);
}

#[test]
fn the_call_that_writes_a_digest_is_a_digest() {
    let config = tempfile::tempdir().unwrap();
    let mut log = Log::new(1, "/w/p");
    log.human("x");
    log.write(config.path(), "-w-p");
    write_child(config.path(), &child(1, "acompact-12", "a digest"), "acompact-12");
    let found = discover(config.path());
    let session = SessionId::new(uuid(1));
    let stream = found.children(&session).next().unwrap();
    assert_eq!(read_from(stream, &Cursor::default()).texts(Speaker::Summary), ["a digest"]);
}

#[test]
fn a_session_that_moved_gives_each_project_its_own_part() {
    let folder = tempfile::tempdir().unwrap();
    let mut log = Log::new(1, "/w/東京");
    log.human("of the first");
    log.push("relocated", &json!({"cwd": "/w/大阪"}));
    log.directory = "/w/大阪".to_owned();
    log.human("of the second").agent("m", "answer there");
    let path = folder.path().join("t.jsonl");
    fs::write(&path, &log.bytes).unwrap();
    for (root, expected, foreign) in
        [("/w/東京", vec!["of the first"], 2), ("/w/大阪", vec!["of the second", "answer there"], 1)]
    {
        let mut texts = Vec::new();
        let accept = |directory: &Path| project::is_within(directory, Path::new(root));
        let outcome = claude::read_where(&transcript(&path), &Cursor::default(), &accept, &mut |turn| {
            if let Content::Text(text) = turn.content {
                texts.push(text);
            }
        })
        .unwrap();
        assert_eq!(texts, expected);
        assert_eq!(outcome.foreign, foreign);
        assert_eq!(outcome.directories, [Path::new("/w/東京"), Path::new("/w/大阪")]);
    }
}

#[test]
fn pub_prj_04_one_folder_with_transcripts_of_two_projects() {
    let config = tempfile::tempdir().unwrap();
    let folder = claude::slug(Path::new("/w/東京"));
    assert_eq!(folder, claude::slug(Path::new("/w/大阪")));
    for (session, directory) in [(1, "/w/東京"), (2, "/w/大阪")] {
        let mut log = Log::new(session, directory);
        log.human(&format!("a fact of {directory}"));
        log.write(config.path(), &folder);
    }
    let found = discover_folders(
        &[config.path().join("projects").join(folder)],
        Lookup { known: &|_| None, own_directories: &[] },
    );
    let projects: Vec<_> = found
        .sessions()
        .map(|session| project::identify(session.directory.as_deref().unwrap(), true).id)
        .collect();
    assert_eq!(projects.len(), 2);
    assert_ne!(projects[0], projects[1]);
}
