//! Condensing a line that is too long for the buffer, while it streams by.
//!
//! Values of top-level keys that no reader looks at become `null`; every other string literal keeps
//! its head and its tail. What comes out is a line like any other, with the places of its cuts.

use crate::json::Cut;
use crate::json::quote::{end_of_string, is_escaped};

/// Bytes kept from the start of a string literal: more than the largest [`crate::json::Limit::head`],
/// so that the character in which a limit ends is still whole.
const HEAD: usize = 64 * 1024 + 64;
/// Bytes kept from its end: more than the largest [`crate::json::Limit::tail`].
const TAIL: usize = 4 * 1024 + 64;
/// Bytes of a condensed line at most; a line that stays longer is given up.
const MAXIMUM: usize = 4 * 1024 * 1024;

/// The state between two chunks of a line.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "they are the state of a scanner and vary freely")]
pub(crate) struct Condenser {
    wanted: fn(&[u8]) -> bool,
    out: Vec<u8>,
    cuts: Vec<Cut>,
    depth: usize,
    in_string: bool,
    /// A backslash at the end of the last chunk escapes the first byte of the next one.
    escaped: bool,
    /// The next string at depth 1 is a key.
    at_key: bool,
    /// The string being read is a key.
    is_key: bool,
    /// The value being read is left out.
    dropping: bool,
    /// The last key at depth 1 is one whose value is left out.
    drop_next: bool,
    literal: usize,
    literal_length: usize,
    tail: Vec<u8>,
    /// The first byte of the tail belongs to an escape whose backslash was left out.
    tail_escaped: bool,
    overflow: bool,
}

impl Condenser {
    /// Makes one that keeps the values of the top-level keys that `wanted` accepts.
    pub(crate) fn new(wanted: fn(&[u8]) -> bool) -> Self {
        Self {
            wanted,
            out: Vec::new(),
            cuts: Vec::new(),
            depth: 0,
            in_string: false,
            escaped: false,
            at_key: false,
            is_key: false,
            dropping: false,
            drop_next: false,
            literal: 0,
            literal_length: 0,
            tail: Vec::new(),
            tail_escaped: false,
            overflow: false,
        }
    }

    /// Starts a new line.
    pub(crate) fn reset(&mut self) {
        let mut out = std::mem::take(&mut self.out);
        out.clear();
        *self = Self { out, ..Self::new(self.wanted) };
    }

    /// The condensed bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.out
    }

    /// Where they were cut.
    pub(crate) fn cuts(&self) -> &[Cut] {
        &self.cuts
    }

    /// The line stayed too long and was given up.
    pub(crate) fn overflowed(&self) -> bool {
        self.overflow
    }

    /// Takes the next bytes of the line; none of them is a line feed.
    pub(crate) fn feed(&mut self, chunk: &[u8]) {
        let mut rest = chunk;
        while !rest.is_empty() {
            if self.out.len() > MAXIMUM {
                self.overflow = true;
                return;
            }
            rest = if self.in_string { self.inside(rest) } else { self.outside(rest) };
        }
    }

    /// Takes bytes up to the end of the string literal or of the chunk; returns the rest.
    fn inside<'a>(&mut self, chunk: &'a [u8]) -> &'a [u8] {
        let Some(quote) = end_of_string(chunk, self.escaped) else {
            self.escaped = is_escaped(chunk, self.escaped);
            self.keep(chunk);
            return &[];
        };
        self.keep(&chunk[..quote]);
        self.end_string();
        &chunk[quote + 1..]
    }

    /// Takes one structural byte and what follows it up to the next string; returns the rest.
    fn outside<'a>(&mut self, chunk: &'a [u8]) -> &'a [u8] {
        for (index, &byte) in chunk.iter().enumerate() {
            if byte == b'"' {
                self.start_string();
                return &chunk[index + 1..];
            }
            self.structure(byte);
            if self.out.len() > MAXIMUM {
                return &chunk[index + 1..];
            }
        }
        &[]
    }

    fn structure(&mut self, byte: u8) {
        match byte {
            b'{' | b'[' => {
                self.depth += 1;
                self.at_key = self.depth == 1 && byte == b'{';
            }
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 {
                    self.dropping = false;
                }
            }
            b',' if self.depth == 1 => {
                self.dropping = false;
                self.at_key = true;
            }
            b':' if self.depth == 1 && self.drop_next => {
                self.drop_next = false;
                self.out.extend_from_slice(b":null");
                self.dropping = true;
                return;
            }
            _ => {}
        }
        if !self.dropping {
            self.out.push(byte);
        }
    }

    fn start_string(&mut self) {
        self.in_string = true;
        self.escaped = false;
        self.is_key = self.depth == 1 && self.at_key;
        self.at_key = false;
        if !self.dropping {
            self.out.push(b'"');
        }
        self.literal = self.out.len();
        self.literal_length = 0;
        self.tail.clear();
    }

    fn keep(&mut self, part: &[u8]) {
        if self.dropping {
            return;
        }
        let room = HEAD.saturating_sub(self.literal_length).min(part.len());
        let fills_head = self.literal_length <= HEAD && self.literal_length + part.len() > HEAD;
        self.literal_length += part.len();
        self.out.extend_from_slice(&part[..room]);
        if fills_head {
            self.tail_escaped = is_escaped(&self.out[self.literal..], false);
        }
        let beyond = &part[room..];
        let surplus = (self.tail.len() + beyond.len()).saturating_sub(TAIL);
        let old = surplus.min(self.tail.len());
        let new = surplus - old;
        self.tail_escaped = is_escaped(&self.tail[..old], self.tail_escaped);
        self.tail_escaped = is_escaped(&beyond[..new], self.tail_escaped);
        self.tail.drain(..old);
        self.tail.extend_from_slice(&beyond[new..]);
    }

    fn end_string(&mut self) {
        self.in_string = false;
        if self.dropping {
            return;
        }
        if self.literal_length > HEAD + TAIL {
            // No half of an escape may stay at the cut, or a quote behind it would seem to end the string.
            let half = is_escaped(&self.out[self.literal..], false);
            self.out.truncate(self.out.len() - usize::from(half));
            self.tail.drain(..usize::from(self.tail_escaped));
            let bytes = self.literal_length - (self.out.len() - self.literal) - self.tail.len();
            self.cuts.push(Cut { at: self.out.len(), bytes });
        }
        self.out.append(&mut self.tail);
        if self.is_key {
            self.drop_next = !(self.wanted)(&self.out[self.literal..]);
        }
        self.out.push(b'"');
    }
}
