//! Decoding string literals: every escape, repaired Unicode, and an explicit mark where text was cut.

use crate::json::Span;
use crate::json::word::{WORD, position_in_word};
use memchr::memchr;
use std::borrow::Cow;
use std::cell::Cell;
use std::fmt::Write;

/// Bytes that decoding takes in one step.
const BLOCK: usize = 4 * WORD;

/// What the letter behind a backslash stands for, where that is a single byte; zero otherwise.
const SIMPLE: [u8; 256] = {
    let mut table = [0; 256];
    table[b'n' as usize] = b'\n';
    table[b't' as usize] = b'\t';
    table[b'r' as usize] = b'\r';
    table[b'b' as usize] = 8;
    table[b'f' as usize] = 12;
    table[b'"' as usize] = b'"';
    table[b'\\' as usize] = b'\\';
    table[b'/' as usize] = b'/';
    table
};

/// How much of a string literal is kept, in bytes as written in the transcript.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    /// Bytes kept from its start.
    pub(crate) head: usize,
    /// Bytes kept from its end.
    pub(crate) tail: usize,
}

impl Limit {
    /// Identifiers, names and flags.
    pub(crate) const NAME: Self = Self { head: 4 * 1024, tail: 0 };
    /// What people and agents say.
    pub(crate) const SPEECH: Self = Self { head: 64 * 1024, tail: 0 };
    /// What tools are given.
    pub(crate) const INPUT: Self = Self { head: 4 * 1024, tail: 0 };
    /// What tools return: the outcome stands at the end.
    pub(crate) const RESULT: Self = Self { head: 3 * 1024, tail: 1024 };
}

/// A place where a string literal was already cut while it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    /// Where in the condensed line.
    pub(crate) at: usize,
    /// How many bytes are missing there.
    pub(crate) bytes: usize,
}

/// A record's bytes with the places where they were cut.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'a> {
    /// The bytes, possibly condensed.
    pub(crate) bytes: &'a [u8],
    /// The cuts, in order.
    pub(crate) cuts: &'a [Cut],
}

impl<'a> Line<'a> {
    /// The text of a string literal, cut to the limit; borrowed where nothing has to be decoded.
    pub(crate) fn text(&self, span: Span, limit: Limit) -> Cow<'a, str> {
        let raw = &self.bytes[span.clone()];
        if raw.len() <= limit.head + limit.tail
            && self.cuts.is_empty()
            && memchr(b'\\', raw).is_none()
            && let Ok(text) = simdutf8::basic::from_utf8(raw)
        {
            return Cow::Borrowed(text);
        }
        Cow::Owned(self.decode(span, limit))
    }

    /// Decodes a string literal, cut to the limit.
    pub(crate) fn decode(&self, span: Span, limit: Limit) -> String {
        let raw = &self.bytes[span.clone()];
        let cut = self.cuts.iter().find(|cut| cut.at > span.start && cut.at < span.end);
        let (missing, gap) = cut.map_or((0, None), |cut| (cut.bytes, Some(cut.at - span.start)));
        let mut text = String::new();
        if missing == 0 && raw.len() <= limit.head + limit.tail {
            unescape(raw, false, &mut text);
            return text;
        }
        let head = character_start(raw, limit.head.min(gap.unwrap_or(raw.len())));
        let tail = (raw.len() - limit.tail.min(raw.len())).max(gap.unwrap_or(head));
        let tail = if limit.tail == 0 { raw.len() } else { escape_boundary(raw, tail) };
        unescape(&raw[..head], true, &mut text);
        // Writing into a string cannot fail.
        let _ = write!(text, "…[{} bytes cut]", missing + tail - head);
        unescape(&raw[tail..], false, &mut text);
        text
    }
}

/// The start of the character that a position falls into.
fn character_start(raw: &[u8], position: usize) -> usize {
    let mut start = position.min(raw.len());
    while start > 0 && raw.get(start).is_some_and(|byte| byte & 0xC0 == 0x80) {
        start -= 1;
    }
    start
}

/// The first position from which decoding surely starts outside of an escape and of a character:
/// behind a blank or at the lead byte of a multi-byte character.
fn escape_boundary(raw: &[u8], position: usize) -> usize {
    let window = raw.get(position..).unwrap_or_default();
    for (distance, &byte) in window.iter().take(512).enumerate() {
        if byte == b' ' {
            return position + distance + 1;
        }
        if byte >= 0xC0 {
            return position + distance;
        }
    }
    // No such place: leave out as much as the longest escape takes, and any backslash behind it.
    let mut start = (position + 12).min(raw.len());
    while raw.get(start).is_some_and(|&byte| byte == b'\\' || byte & 0xC0 == 0x80) {
        start += 1;
    }
    start
}

thread_local! {
    /// Where texts are decoded: the next one needs no other space, and space that is new has to be cleared.
    static SPACE: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Decodes escapes into `out`. Lone surrogates and invalid UTF-8 become U+FFFD; an escape that the
/// end cuts off is dropped when the text is known to be truncated, and kept as written otherwise.
fn unescape(raw: &[u8], truncated: bool, out: &mut String) {
    // Decoding makes nothing longer. Escapes are frequent and short stretches lie between them, so
    // copying whole blocks and counting what is good of them is cheaper than copying what was searched.
    let mut decoded = SPACE.take();
    decoded.resize(raw.len().max(decoded.len()), 0);
    let (mut read, mut written) = (0, 0);
    while let Some(&byte) = raw.get(read) {
        if let Some(block) = raw[read..].first_chunk::<BLOCK>()
            && let Some(room) = decoded[written..].first_chunk_mut::<BLOCK>()
        {
            *room = *block;
            let plain = plain_bytes(block);
            read += plain;
            written += plain;
            if plain == BLOCK {
                continue;
            }
        } else if byte != b'\\' {
            decoded[written] = byte;
            read += 1;
            written += 1;
            continue;
        }
        let simple = raw.get(read + 1).map_or(0, |&letter| SIMPLE[usize::from(letter)]);
        if simple != 0 {
            decoded[written] = simple;
            read += 2;
            written += 1;
        } else if let Some((character, length)) = decode_unit(&raw[read..]) {
            written += character.encode_utf8(&mut decoded[written..]).len();
            read += length;
        } else if truncated && raw.len() - read < 6 {
            break;
        } else {
            decoded[written] = b'\\';
            read += 1;
            written += 1;
        }
    }
    match simdutf8::basic::from_utf8(&decoded[..written]) {
        Ok(text) => out.push_str(text),
        Err(_) => out.push_str(&String::from_utf8_lossy(&decoded[..written])),
    }
    SPACE.set(decoded);
}

/// The bytes of a block before its first backslash.
#[inline]
fn plain_bytes(block: &[u8; BLOCK]) -> usize {
    for (number, word) in block.as_chunks::<WORD>().0.iter().enumerate() {
        if let Some(at) = position_in_word(*word, b'\\') {
            return number * WORD + at;
        }
    }
    BLOCK
}

/// The character of a `\uXXXX` escape or of a pair of them, and the length of what was taken.
fn decode_unit(escape: &[u8]) -> Option<(char, usize)> {
    let unit = code_unit(escape, 0)?;
    if (0xD800..0xDC00).contains(&unit)
        && let Some(low) = code_unit(escape, 6)
        && (0xDC00..0xE000).contains(&low)
    {
        let code = 0x1_0000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
        return Some((char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), 12));
    }
    Some((char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER), 6))
}

/// The UTF-16 unit of a `\uXXXX` escape that starts at `at`.
fn code_unit(text: &[u8], at: usize) -> Option<u32> {
    let bytes = text.get(at..at + 6)?;
    let digits = bytes.strip_prefix(b"\\u")?;
    let digits = std::str::from_utf8(digits)
        .ok()
        .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    u32::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
#[path = "text_tests.rs"]
mod tests;
