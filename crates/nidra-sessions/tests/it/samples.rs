//! Transcripts that the real client wrote, in both versions that were measured.

use crate::build::{Read, read_from, read_path, transcript};
use nidra_core::{Content, Speaker};
use nidra_sessions::Cursor;
use nidra_sessions::claude::{Lookup, discover_folders};
use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/claude-code").join(name)
}

fn sample(name: &str) -> Read {
    let read = read_path(&folder(name));
    assert_eq!(read.outcome.malformed, 0);
    read
}

fn calls(read: &Read) -> Vec<&str> {
    let mut names = Vec::new();
    for turn in &read.turns {
        if let Content::ToolCall { name, .. } = &turn.content {
            names.push(name.as_str());
        }
    }
    names
}

#[test]
fn an_interactive_session_with_a_refusal_and_a_compaction() {
    let read = sample("2.1.332/interactive/e3f91606-7c57-4f19-9424-a7424e48563f.jsonl");
    assert_eq!(read.human(), ["请把返回值改成 2，并记录决定", "second", "用代理", "after compact"]);
    assert_eq!(
        read.texts(Speaker::Agent),
        [
            "我先看一下文件。",
            "完成：把返回值改成 2，并写了决定文件。",
            "Second turn answer: we agreed to deploy on 2026-12-03.",
            "I'll delegate.",
            "Hello there.",
        ]
    );
    assert_eq!(calls(&read), ["Read", "Bash", "Bash", "Edit", "Write", "Bash", "Agent"]);
    let results = read.results();
    assert_eq!(results.len(), 7);
    assert_eq!(results.iter().filter(|(_, _, refused)| *refused).count(), 1, "the sub-agent was refused");
    assert!(results[1].1, "reading the missing file failed");
    assert_eq!(read.texts(Speaker::Summary).len(), 1);
    assert_eq!(read.turns.iter().filter(|turn| turn.content == Content::Interrupted).count(), 1);
    assert!(!read.everything().contains("I should look at the file first"), "thinking is not delivered");
}

#[test]
fn an_interactive_session_with_errors_and_shell_mode() {
    let read = sample("2.1.332/interactive/5dde1a90-3f49-4ef3-a393-9a21c96f426c.jsonl");
    assert_eq!(read.human(), ["please explain the build system", "another question", "err"]);
    assert_eq!(read.texts(Speaker::Agent), ["All right.", "All right."], "error messages are no speech");
    assert_eq!(read.texts(Speaker::Injected).len(), 3);
}

#[test]
fn headless_sessions_of_both_versions_with_a_sub_agent() {
    for (version, stream) in [("2.1.197", "afc4fbcf7192bc48e"), ("2.1.332", "a78cc78b5aeb4e118")] {
        let found = discover_folders(
            &[folder(&format!("{version}/headless"))],
            Lookup { known: &|_| None, own_directories: &[] },
        );
        let child = found.transcripts.iter().find(|transcript| transcript.stream.is_some()).unwrap();
        assert_eq!(child.stream.as_deref(), Some(stream));
        let parent = found.sessions().find(|transcript| transcript.session == child.session).unwrap();
        assert_eq!(parent.headless, Some(true));
        assert!(parent.directory.as_ref().is_some_and(|directory| directory.starts_with("/home/dev")));

        let read = read_from(parent, &Cursor::default());
        assert_eq!(read.human(), ["Use an agent"]);
        assert_eq!(read.texts(Speaker::Agent), ["I'll delegate.", "The sub-agent found src/app.py."]);
        let read = read_from(child, &Cursor::default());
        assert_eq!(read.turns.len(), 6);
        assert!(read.turns.iter().all(|turn| turn.speaker == Speaker::Subagent));
        assert_eq!(
            read.texts(Speaker::Subagent),
            ["Find the app entry point.", "Entry point is src/app.py:main"]
        );
    }
}

#[test]
fn an_older_session_that_was_resumed_compacted_and_forked() {
    let read = sample("2.1.197/headless/11111111-1111-4111-8111-111111111197.jsonl");
    assert_eq!(read.human(), ["请把返回值改成 2，并记录决定", "When do we deploy?", "after"]);
    assert_eq!(calls(&read), ["Read", "Bash", "Bash", "Edit", "Write", "Bash"]);
    assert_eq!(read.texts(Speaker::Summary).len(), 1);

    let fork = sample("2.1.197/headless/efc7959d-3cce-4abc-9fd7-3c10a309273c.jsonl");
    assert_eq!(fork.human(), ["after", "fork"]);
    let originals: Vec<_> = read.turns.iter().map(|turn| &turn.source.record).collect();
    let new: Vec<_> = fork.turns.iter().filter(|turn| !originals.contains(&&turn.source.record)).collect();
    let new: Vec<_> = new.iter().filter_map(|turn| turn.text()).collect();
    assert_eq!(new, ["fork", "Hello there."], "copies keep their identifiers, so the caller can tell");
}

#[test]
fn every_sample_reads_the_same_in_two_parts() {
    let path = folder("2.1.332/interactive/e3f91606-7c57-4f19-9424-a7424e48563f.jsonl");
    let whole = read_path(&path);
    let bytes = std::fs::read(&path).unwrap();
    let copy = tempfile::tempdir().unwrap();
    let copy = copy.path().join("e3f91606-7c57-4f19-9424-a7424e48563f.jsonl");
    for cut in (0..bytes.len()).step_by(997) {
        std::fs::create_dir_all(copy.parent().unwrap()).unwrap();
        std::fs::write(&copy, &bytes[..cut]).unwrap();
        let first = read_path(&copy);
        std::fs::write(&copy, &bytes).unwrap();
        let second = read_from(&transcript(&copy), &first.outcome.cursor);
        let names: Vec<_> = first
            .turns
            .iter()
            .chain(&second.turns)
            .map(|turn| (&turn.source.record, &turn.content))
            .collect();
        let expected: Vec<_> = whole.turns.iter().map(|turn| (&turn.source.record, &turn.content)).collect();
        assert_eq!(names, expected, "cut at {cut}");
    }
}
