//! A transcript: any bytes are read as far as they can be, in one reading or in two, and none twice.

use super::scratch;
use nidra_core::{AgentKind, SessionId, Turn};
use nidra_sessions::claude::{self, Lookup};
use nidra_sessions::{Cursor, ReadOutcome, Transcript};
use std::fs;
use std::path::Path;

const NAME: &str = "00000000-0000-4000-8000-000000000001.jsonl";

/// The first byte says where the file ends at its first reading; the others are the file.
pub(super) fn run(data: &[u8]) {
    let Some((share, bytes)) = data.split_first() else { return };
    let folder = scratch();
    let path = folder.path().join(NAME);
    let cut = bytes.len() * usize::from(*share) / 255;
    fs::write(&path, bytes).expect("the transcript can be written");
    let (turns, whole) = read(&path, bytes.len(), &Cursor::default());
    check(&turns, &whole, bytes);
    let found = claude::discover_folders(
        &[folder.path().to_owned()],
        Lookup { known: &|_| None, own_directories: &[] },
    );
    assert!(found.transcripts.len() <= 1, "one file became several transcripts");

    fs::write(&path, &bytes[..cut]).expect("the transcript can be cut");
    let (earlier, first) = read(&path, cut, &Cursor::default());
    check(&earlier, &first, &bytes[..cut]);
    fs::write(&path, bytes).expect("the transcript can grow");
    let (later, second) = read(&path, bytes.len(), &first.cursor);
    check(&later, &second, bytes);
    assert!(!second.restarted, "a file that only grew was read from its start");
    assert_eq!(second.cursor, whole.cursor, "two readings end where one does");
    for turn in &later {
        assert!(turn.source.offset >= first.cursor.offset, "a record was read twice");
    }
    let (nothing, third) = read(&path, bytes.len(), &second.cursor);
    assert!(nothing.is_empty(), "nothing new was said");
    assert_eq!(third.cursor, second.cursor);
}

fn read(path: &Path, length: usize, from: &Cursor) -> (Vec<Turn>, ReadOutcome) {
    let session = SessionId::new("00000000-0000-4000-8000-000000000001");
    let transcript =
        Transcript { length: length as u64, ..Transcript::named(path, AgentKind::ClaudeCode, session) };
    let mut turns = Vec::new();
    let outcome =
        claude::read(&transcript, from, &mut |turn| turns.push(turn)).expect("reading never fails whole");
    (turns, outcome)
}

fn check(turns: &[Turn], outcome: &ReadOutcome, bytes: &[u8]) {
    assert_eq!(outcome.turns, turns.len() as u64);
    assert!(outcome.cursor.offset <= bytes.len() as u64, "the cursor stands behind the end");
    for turn in turns {
        let end = turn.source.offset + turn.source.length;
        assert!(end <= outcome.cursor.offset, "a record ends behind what was read");
        assert!(turn.source.length > 0, "a record without a byte");
    }
}
