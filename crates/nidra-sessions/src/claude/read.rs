//! Reading a transcript from a cursor: lines, then records, then turns.

use crate::claude::record::{Record, Scanned, View, is_wanted_key, kind_name, scan};
use crate::claude::turns::{Place, Speech};
use crate::cursor::Cursor;
use crate::json::{Broken, Line};
use crate::lines::{Lines, RawLine, WHOLE};
use crate::outcome::{ReadError, ReadOutcome};
use crate::transcript::Transcript;
use memchr::memmem;
use nidra_core::Turn;
use nidra_core::error::{Diagnostic, PathError};
use std::fs::File;
use std::io::{Read as _, Seek, SeekFrom};
use std::path::Path;

/// A record up to this length is always read to its end, so that damage in it is noticed; a longer
/// one that is no speech is only looked at from both ends.
const SHORT: usize = 2 * 1024;
/// Looks for the next whole record behind a broken one that may run to the end of the line.
const LONG_SEARCHES: usize = 16;

/// Reads the new turns of a transcript and hands them to the sink in the order of the file.
///
/// # Errors
/// When the file is gone or the system refuses to read it. Damage inside never fails a reading.
pub fn read(
    transcript: &Transcript,
    from: &Cursor,
    sink: &mut dyn FnMut(Turn),
) -> Result<ReadOutcome, ReadError> {
    read_where(transcript, from, &|_| true, sink)
}

/// Like [`read`], but leaves out the records whose working directory is not accepted: a session can
/// move from one project to another, and one folder can hold transcripts of two projects.
///
/// # Errors
/// When the file is gone or the system refuses to read it.
pub fn read_where(
    transcript: &Transcript,
    from: &Cursor,
    accept: &dyn Fn(&Path) -> bool,
    sink: &mut dyn FnMut(Turn),
) -> Result<ReadOutcome, ReadError> {
    let path = transcript.path.as_path();
    let mut file =
        File::open(path).map_err(PathError::wrap("open", path)).map_err(ReadError::from_path_error)?;
    let restarted = !from.matches(&mut file, path)?;
    let (offset, lines) = if restarted { (0, 0) } else { (from.offset, from.line) };
    file.seek(SeekFrom::Start(offset)).map_err(PathError::wrap("seek in", path))?;

    let mut speech = Speech::new(transcript, accept, sink);
    speech.outcome.restarted = restarted;
    let mut end = (offset, lines);
    let mut reading = Reading { path, speech: &mut speech, joint: memmem::Finder::new(br#"}{""#) };
    let mut reader = Lines::new(&file, WHOLE, is_wanted_key).starting_at(offset, lines);
    while let Some(line) = reader.next().map_err(PathError::wrap("read", path))? {
        end = reading.line(&line);
    }
    let mut outcome = speech.finish();
    outcome.cursor = Cursor::at(&mut file, path, end.0, end.1)?;
    if outcome.more > 0 {
        let message = format!("{} more stretches could not be read", outcome.more);
        outcome.diagnostics.push(Diagnostic { path: path.to_owned(), line: None, offset: None, message });
    }
    Ok(outcome)
}

/// Reads the turns of one record again, by the place that an earlier reading named.
///
/// # Errors
/// When the file is gone or the system refuses to read it. A place that holds no record yields no turns.
pub fn read_record(
    transcript: &Transcript,
    offset: u64,
    length: u64,
    sink: &mut dyn FnMut(Turn),
) -> Result<(), ReadError> {
    let path = transcript.path.as_path();
    let mut file =
        File::open(path).map_err(PathError::wrap("open", path)).map_err(ReadError::from_path_error)?;
    file.seek(SeekFrom::Start(offset)).map_err(PathError::wrap("seek in", path))?;
    let mut speech = Speech::new(transcript, &|_| true, sink);
    let mut reading = Reading { path, speech: &mut speech, joint: memmem::Finder::new(br#"}{""#) };
    let room = usize::try_from(length).map_or(WHOLE, |length| WHOLE.min(length + 1));
    let mut reader = Lines::new(file.take(length), room, is_wanted_key).starting_at(offset, 0);
    if let Some(line) = reader.next().map_err(PathError::wrap("read", path))? {
        reading.line(&line);
    }
    speech.finish();
    Ok(())
}

/// A look at each line.
struct Reading<'r, 't> {
    path: &'r Path,
    speech: &'r mut Speech<'t>,
    /// Finds where one record directly follows another.
    joint: memmem::Finder<'static>,
}

impl Reading<'_, '_> {
    /// Reads the records of a line; returns the offset and the number of lines behind what was read.
    fn line(&mut self, raw: &RawLine<'_>) -> (u64, u64) {
        let behind = (raw.offset + raw.length + u64::from(raw.terminated), raw.number);
        if !raw.terminated {
            return self.tail(raw).unwrap_or((raw.offset, raw.number - 1));
        }
        if raw.overflowed {
            self.broken(raw, 0, "a record is too large to be read");
            return behind;
        }
        let bytes = raw.line.bytes.trim_ascii_end();
        if !raw.condensed && bytes.len() > SHORT && bytes.last() == Some(&b'}') {
            let mut record = Record::default();
            match scan(raw.line, 0, true, &mut record) {
                Ok(Scanned::Passed { kind }) if self.joint.find(bytes).is_none() => {
                    self.pass(raw.line, kind.as_ref());
                    return behind;
                }
                Ok(Scanned::Whole { end }) if end == bytes.len() => {
                    self.record(raw, &record, 0, end);
                    return behind;
                }
                Ok(_) | Err(_) => {}
            }
        }
        self.records(raw);
        behind
    }

    fn pass(&mut self, line: Line<'_>, kind: Option<&crate::json::Span>) {
        match kind {
            Some(kind) => self.speech.outcome.count(&kind_name(line, Some(kind))),
            None => self.speech.outcome.count("attachment"),
        }
    }

    /// Reads all records of a terminated line; what is broken between them is reported.
    fn records(&mut self, raw: &RawLine<'_>) {
        let bytes = raw.line.bytes;
        let mut position = 0;
        loop {
            let start = content_start(raw, position);
            if bytes[position..start].contains(&0) {
                self.broken(raw, position, "zero bytes");
            }
            if start == bytes.len() {
                return;
            }
            let mut record = Record::default();
            if let Ok(end) = whole(raw.line, start, &mut record) {
                self.record(raw, &record, start, end);
                position = end;
                continue;
            }
            self.broken(raw, start, "a broken record");
            let Some(next) = resynchronise(raw.line, start) else { return };
            position = next;
        }
    }

    /// Reads the complete records of a line that no line feed ends yet. The first incomplete one waits.
    fn tail(&mut self, raw: &RawLine<'_>) -> Option<(u64, u64)> {
        let bytes = raw.line.bytes;
        let mut position = 0;
        if raw.overflowed || (raw.condensed && !is_complete(raw)) {
            return None;
        }
        loop {
            let start = content_start(raw, position);
            if start == bytes.len() {
                break;
            }
            let mut record = Record::default();
            let Ok(end) = whole(raw.line, start, &mut record) else { break };
            if bytes[position..start].contains(&0) {
                self.broken(raw, position, "zero bytes");
            }
            self.record(raw, &record, start, end);
            position = end;
        }
        let read = if raw.condensed { raw.length } else { position as u64 };
        (position > 0).then(|| (raw.offset + read, raw.number - 1))
    }

    fn record(&mut self, raw: &RawLine<'_>, record: &Record, start: usize, end: usize) {
        let view = View { line: raw.line, record };
        let kind = if record.kind.is_none() && record.attachment.is_some() {
            "attachment".into()
        } else {
            view.kind()
        };
        self.speech.outcome.count(&kind);
        // Positions inside a condensed line are not those of the file.
        let (offset, length) = if raw.condensed {
            (raw.offset, raw.length)
        } else {
            (raw.offset + start as u64, (end - start) as u64)
        };
        self.speech.record(view, &kind, Place { offset, length });
    }

    fn broken(&mut self, raw: &RawLine<'_>, position: usize, what: &str) {
        self.speech.outcome.malformed += 1;
        let offset = if raw.condensed { raw.offset } else { raw.offset + position as u64 };
        self.speech.outcome.report(Diagnostic {
            path: self.path.to_owned(),
            line: Some(raw.number),
            offset: Some(offset),
            message: format!("{what} skipped"),
        });
    }
}

/// The next position that holds neither white space nor a zero byte, nor the mark at a file's start.
fn content_start(raw: &RawLine<'_>, position: usize) -> usize {
    let bytes = raw.line.bytes;
    let mut start = position;
    if start == 0 && raw.offset == 0 && bytes.starts_with("\u{feff}".as_bytes()) {
        start = "\u{feff}".len();
    }
    while bytes.get(start).is_some_and(|&byte| byte == 0 || byte.is_ascii_whitespace()) {
        start += 1;
    }
    start
}

/// Reads a record to its end.
fn whole(line: Line<'_>, start: usize, record: &mut Record) -> Result<usize, Broken> {
    match scan(line, start, false, record)? {
        Scanned::Whole { end } => Ok(end),
        Scanned::Passed { .. } => Err(Broken { at: start, incomplete: false }),
    }
}

/// Whether all records of a line are complete.
fn is_complete(raw: &RawLine<'_>) -> bool {
    let mut position = 0;
    loop {
        let start = content_start(raw, position);
        if start == raw.line.bytes.len() {
            return position > 0;
        }
        match whole(raw.line, start, &mut Record::default()) {
            Ok(end) => position = end,
            Err(_) => return false,
        }
    }
}

/// The start of the next whole record behind a broken one on the same line: after a torn write the
/// client goes on without a line feed.
fn resynchronise(line: Line<'_>, broken: usize) -> Option<usize> {
    let mut searches = 0;
    for found in memmem::find_iter(&line.bytes[broken + 1..], br#"{""#) {
        let start = broken + 1 + found;
        let mut record = Record::default();
        match whole(line, start, &mut record) {
            // An object inside of the broken record has neither of these.
            Ok(_) if record.kind.is_some() && (record.uuid.is_some() || record.session.is_some()) => {
                return Some(start);
            }
            Err(Broken { incomplete: true, .. }) => {
                searches += 1;
                if searches == LONG_SEARCHES {
                    return None;
                }
            }
            Ok(_) | Err(_) => {}
        }
    }
    None
}
