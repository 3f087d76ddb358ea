//! What was said around the words that an entry rests on.
//!
//! An entry is often the answer to something: "no, we use X here" names neither the task nor the mistake that it mends.
//! Those stand in the turns before it, and a later question is asked in their words.

use crate::entries::Entry;
use crate::material;
use crate::segment::Voice;
use nidra_core::text::redact::{self, Scope};
use nidra_core::text::width::cut_bytes;
use nidra_core::{EntryId, Source, Turn};
use nidra_memory::store::RecordedSource;
use nidra_sessions::{Reader, Transcript};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

/// Turns of an entry whose words are searched.
const TURNS: usize = 3;
/// Bytes of each.
const TURN_BYTES: usize = 4_000;
/// Bytes before a turn in which what came before is looked for: what lies further off is another matter.
const REACH: u64 = 64 * 1024;
/// Records before a turn that are read.
const RECORDS: usize = 12;
/// Turns of a person's among them with which an exchange began.
const REQUESTS: usize = 2;
/// Bytes of each of these records.
const BEFORE_BYTES: usize = 600;

/// Adds the words of the turns that entries rest on, and those of the exchange that led to them: a question often has
/// them where the entry is short.
pub fn add(
    entries: &mut [Entry],
    sources: &BTreeMap<EntryId, Vec<RecordedSource>>,
    reader: &dyn Reader,
    scope: Scope,
) {
    let mut read: BTreeMap<(String, u64), [String; 2]> = BTreeMap::new();
    for entry in entries {
        let own = sources.get(&entry.id).into_iter().flatten();
        for evidence in own.flat_map(|recorded| &recorded.source.evidence).take(TURNS) {
            let place = (evidence.source.record.clone(), evidence.source.offset);
            let [words, before] = read.entry(place).or_insert_with(|| {
                let words = said(&evidence.source, reader);
                // Where the turn itself is gone, something else stands before its place.
                let before = if words.is_empty() { String::new() } else { before(&evidence.source, reader) };
                [redact::redact_in(cut_bytes(&words, TURN_BYTES), scope), redact::redact_in(&before, scope)]
            });
            for (all, more) in [(&mut entry.context, words), (&mut entry.before, before)] {
                all.push_str(more);
                all.push('\n');
            }
        }
    }
}

fn transcript(source: &Source) -> Transcript {
    Transcript {
        stream: source.stream.clone(),
        ..Transcript::named(&source.path, source.agent, source.session.clone())
    }
}

/// The words of a record; none if it is gone.
fn said(source: &Source, reader: &dyn Reader) -> String {
    let mut words = String::new();
    let mut sink = |turn: Turn| {
        // Another record may stand there by now.
        if turn.source.record == source.record
            && let Some((_, text)) = material::words(&turn)
        {
            words.push_str(&text);
            words.push('\n');
        }
    };
    // A transcript that is gone leaves the entry with its own words.
    let _ = reader.read_record(&transcript(source), source.offset, source.length, &mut sink);
    words
}

/// The words of the exchange that led to a record, the nearest first.
fn before(source: &Source, reader: &dyn Reader) -> String {
    let (transcript, mut all, mut requests) = (transcript(source), String::new(), 0);
    for (offset, length) in
        lines_before(&source.path, source.offset).unwrap_or_default().into_iter().rev().take(RECORDS)
    {
        let mut sink = |turn: Turn| {
            let Some((voice, text)) = material::words(&turn) else { return };
            match voice {
                // What goes on beside the talk led to nothing in it.
                Voice::Subagent | Voice::Summary => return,
                Voice::Human => requests += 1,
                Voice::Agent | Voice::Tool => {}
            }
            all.push_str(cut_bytes(&text, BEFORE_BYTES));
            all.push('\n');
        };
        let _ = reader.read_record(&transcript, offset, length, &mut sink);
        if requests >= REQUESTS {
            break;
        }
    }
    all
}

/// The places and lengths of the whole lines that end before this one.
fn lines_before(path: &Path, offset: u64) -> io::Result<Vec<(u64, u64)>> {
    let start = offset.saturating_sub(REACH);
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(offset - start).read_to_end(&mut bytes)?;
    let mut lines = Vec::new();
    // What the reach begins with is the rest of a line, unless it is the file's beginning.
    let mut from = (start == 0).then_some(0);
    for at in memchr::memchr_iter(b'\n', &bytes) {
        if let Some(from) = from {
            lines.push((start + from as u64, (at + 1 - from) as u64));
        }
        from = Some(at + 1);
    }
    Ok(lines)
}
