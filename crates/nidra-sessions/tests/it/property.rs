//! Whatever the bytes are: no panic, and the same turns in one reading as in two.

use crate::build::{Log, read_bytes, read_from, read_path, transcript, uuid};
use nidra_core::Turn;
use nidra_sessions::Cursor;
use nidra_sessions::claude::{Lookup, discover_folders, parse_hook};
use proptest::prelude::*;
use serde_json::json;
use std::fs;

/// What a line of a generated transcript is.
#[derive(Clone, Debug)]
enum Piece {
    Human(String),
    Agent(String),
    Result(String, usize),
    Other(String),
    Broken(Vec<u8>),
    Zeros(usize),
}

fn piece() -> impl Strategy<Value = Piece> {
    prop_oneof![
        "\\PC{0,40}".prop_map(Piece::Human),
        "[a-z中文😀\\\\\"\\n<>/ ]{0,60}".prop_map(Piece::Human),
        "\\PC{0,40}".prop_map(Piece::Agent),
        ("\\PC{0,30}", 0..3000_usize).prop_map(|(text, times)| Piece::Result(text, times)),
        "[a-z-]{1,12}".prop_map(Piece::Other),
        prop::collection::vec(any::<u8>(), 0..60).prop_map(Piece::Broken),
        (1..50_usize).prop_map(Piece::Zeros),
    ]
}

fn bytes(pieces: &[Piece]) -> Vec<u8> {
    let mut log = Log::new(1, "/w/p");
    for (number, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Human(text) => log.human(text),
            Piece::Agent(text) => log.agent(&format!("m{number}"), text),
            Piece::Result(text, times) => log.result(&format!("c{number}"), &text.repeat(*times)),
            Piece::Other(kind) => log.push(&format!("x{kind}"), &json!({"snapshot": {"a": "}{"}})),
            Piece::Broken(bytes) => {
                log.bytes.extend(bytes);
                log.line("")
            }
            Piece::Zeros(count) => {
                log.bytes.extend(std::iter::repeat_n(0, *count));
                &mut log
            }
        };
    }
    log.bytes
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(noise in prop::collection::vec(any::<u8>(), 0..4000)) {
        read_bytes(&noise);
        let _ = parse_hook(&noise);
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(format!("{}.jsonl", uuid(1))), &noise).unwrap();
        discover_folders(&[folder.path().to_owned()], Lookup { known: &|_| None, own_directories: &[] });
    }

    #[test]
    fn damaged_records_never_panic(pieces in prop::collection::vec(piece(), 1..8), hits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20)) {
        let mut bytes = bytes(&pieces);
        for (index, byte) in hits {
            let at = index.index(bytes.len());
            bytes[at] = byte;
        }
        read_bytes(&bytes);
    }

    #[test]
    fn two_readings_yield_what_one_does(pieces in prop::collection::vec(piece(), 1..12), cut in any::<prop::sample::Index>()) {
        let bytes = bytes(&pieces);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.jsonl");
        fs::write(&path, &bytes).unwrap();
        let whole = read_path(&path);
        fs::write(&path, &bytes[..cut.index(bytes.len() + 1)]).unwrap();
        let first = read_path(&path);
        fs::write(&path, &bytes).unwrap();
        let second = read_from(&transcript(&path), &first.outcome.cursor);
        prop_assert!(!second.outcome.restarted);
        let parts: Vec<Turn> = first.turns.into_iter().chain(second.turns).collect();
        prop_assert_eq!(parts, whole.turns);
        prop_assert_eq!(first.outcome.malformed + second.outcome.malformed, whole.outcome.malformed);
        let third = read_from(&transcript(&path), &second.outcome.cursor);
        prop_assert!(third.turns.is_empty());
        prop_assert_eq!(third.outcome.cursor, second.outcome.cursor);
    }
}

#[test]
fn an_empty_transcript_is_no_fault() {
    let read = read_bytes(b"");
    assert!(read.turns.is_empty());
    assert_eq!(read.outcome.cursor, Cursor::default());
}
