//! Notes of hooks among bytes that are none: no note is lost, none comes twice, and the rest is named.

use super::{scratch, write};
use jiff::Timestamp;
use nidra::spool::{self, SpoolNote};

const PROJECT: &str = "project-1";

pub(super) fn run(data: &[u8]) {
    let folder = scratch();
    let directory = folder.path().join("spool");
    let note = |session: &str| SpoolNote::new(Timestamp::UNIX_EPOCH, "Stop", session);
    let (before, behind) = (note("before the bytes"), note("behind the bytes"));
    write(&directory.join(format!("{PROJECT}.jsonl")), b"");
    spool::append(&directory, Some(PROJECT), &before).expect("a note can be left");
    let path = directory.join(format!("{PROJECT}.jsonl"));
    let mut bytes = std::fs::read(&path).expect("the note is there");
    bytes.extend_from_slice(data);
    std::fs::write(&path, &bytes).expect("bytes can be added");
    spool::append(&directory, Some(PROJECT), &behind).expect("another note can be left");

    let shown = spool::peek(&directory, Some(PROJECT));
    let first = spool::drain(&directory, Some(PROJECT)).expect("notes can be taken");
    assert_eq!(first.notes.first(), Some(&before));
    assert_eq!(first.notes.last(), Some(&behind));
    assert_eq!(first.notes, shown, "a look and a taking differ");
    let lines = data.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).count();
    assert_eq!(first.notes.len() - 2 + first.diagnostics.len(), lines, "each line is a note or is named");
    let second = spool::drain(&directory, Some(PROJECT)).expect("notes can be taken again");
    assert_eq!(second.notes, first.notes, "notes that were not dealt with come again");
    second.finish().expect("notes can be dropped");
    assert_eq!(spool::peek(&directory, Some(PROJECT)), []);
    assert_eq!(spool::waiting(&directory).expect("the directory can be read"), []);
}
