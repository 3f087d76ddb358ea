//! Cutting a transcript into lines with a fixed buffer, whatever their length.
//!
//! Only 0x0A ends a line. A line longer than the buffer is condensed while it streams by, so that it
//! never sits in memory whole.

use crate::json::{Condenser, Line};
use memchr::memchr;
use std::io::{self, Read};

/// Bytes of the buffer for reading a whole transcript.
pub(crate) const WHOLE: usize = 256 * 1024;
/// Bytes of the buffer for looking at the beginning of a transcript.
pub(crate) const GLANCE: usize = 16 * 1024;

/// One line.
#[derive(Debug)]
pub(crate) struct RawLine<'a> {
    /// Its bytes without the line feed, condensed if it was long.
    pub(crate) line: Line<'a>,
    /// Where it starts in the file.
    pub(crate) offset: u64,
    /// How long it is in the file, without the line feed.
    pub(crate) length: u64,
    /// Its number, counted from 1.
    pub(crate) number: u64,
    /// A line feed ends it; `false` only at the end of the file.
    pub(crate) terminated: bool,
    /// Its bytes are not those of the file any more.
    pub(crate) condensed: bool,
    /// It stayed too long even when condensed; its bytes are only a beginning.
    pub(crate) overflowed: bool,
}

/// The lines of a file from a position on.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    reader: R,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// The file offset of `buffer[start]`.
    offset: u64,
    number: u64,
    condenser: Condenser,
}

impl<R: Read> Lines<R> {
    /// Reads from the start of a file with a buffer of this many bytes. Of a line that is longer, the
    /// values of the top-level keys are kept that `wanted` accepts.
    pub(crate) fn new(reader: R, buffer: usize, wanted: fn(&[u8]) -> bool) -> Self {
        Self {
            reader,
            buffer: vec![0; buffer],
            start: 0,
            end: 0,
            offset: 0,
            number: 0,
            condenser: Condenser::new(wanted),
        }
    }

    /// Says that the reader does not stand at the start: the byte offset there, and the lines before it.
    pub(crate) fn starting_at(mut self, offset: u64, lines_before: u64) -> Self {
        self.offset = offset;
        self.number = lines_before;
        self
    }

    /// The next line; `None` at the end of the file.
    pub(crate) fn next(&mut self) -> io::Result<Option<RawLine<'_>>> {
        let mut searched = self.start;
        loop {
            if let Some(distance) = memchr(b'\n', &self.buffer[searched..self.end]) {
                return Ok(Some(self.whole(searched + distance, true)));
            }
            if self.start == 0 && self.end == self.buffer.len() {
                return self.long().map(Some);
            }
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
            searched = self.end;
            if self.fill()? == 0 {
                let end = self.end;
                return Ok(if end == 0 { None } else { Some(self.whole(end, false)) });
            }
        }
    }

    /// Reads more bytes behind those in the buffer.
    fn fill(&mut self) -> io::Result<usize> {
        loop {
            match self.reader.read(&mut self.buffer[self.end..]) {
                Ok(count) => {
                    self.end += count;
                    return Ok(count);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The line in the buffer that ends at `at`.
    fn whole(&mut self, at: usize, terminated: bool) -> RawLine<'_> {
        let (start, offset) = (self.start, self.offset);
        let length = (at - start) as u64;
        self.start = at + usize::from(terminated);
        self.offset += length + u64::from(terminated);
        self.number += 1;
        RawLine {
            line: Line { bytes: &self.buffer[start..at], cuts: &[] },
            offset,
            length,
            number: self.number,
            terminated,
            condensed: false,
            overflowed: false,
        }
    }

    /// The line that fills the buffer and goes on behind it.
    fn long(&mut self) -> io::Result<RawLine<'_>> {
        self.condenser.reset();
        self.condenser.feed(&self.buffer);
        let offset = self.offset;
        let mut length = self.buffer.len() as u64;
        let terminated = loop {
            self.start = 0;
            self.end = 0;
            if self.fill()? == 0 {
                break false;
            }
            let found = memchr(b'\n', &self.buffer[..self.end]);
            let part = &self.buffer[..found.unwrap_or(self.end)];
            self.condenser.feed(part);
            length += part.len() as u64;
            if let Some(at) = found {
                self.start = at + 1;
                break true;
            }
        };
        self.offset += length + u64::from(terminated);
        self.number += 1;
        Ok(RawLine {
            line: Line { bytes: self.condenser.bytes(), cuts: self.condenser.cuts() },
            offset,
            length,
            number: self.number,
            terminated,
            condensed: true,
            overflowed: self.condenser.overflowed(),
        })
    }
}

#[cfg(test)]
#[path = "lines_tests.rs"]
mod tests;
