//! Decoding string literals: every escape, repaired Unicode, and an explicit mark where text was cut.

use crate::json::Span;
use memchr::memchr;
use std::fmt::Write;

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
    pub(crate) const INPUT: Self = Self { head: 16 * 1024, tail: 0 };
    /// What tools return: the outcome stands at the end.
    pub(crate) const RESULT: Self = Self { head: 12 * 1024, tail: 4 * 1024 };
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

impl Line<'_> {
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

/// Decodes escapes into `out`. Lone surrogates and invalid UTF-8 become U+FFFD; an escape that the
/// end cuts off is dropped when the text is known to be truncated, and kept as written otherwise.
fn unescape(raw: &[u8], truncated: bool, out: &mut String) {
    let repaired = String::from_utf8_lossy(raw);
    let text: &str = &repaired;
    out.reserve(text.len());
    let mut rest = text;
    while let Some(slash) = memchr(b'\\', rest.as_bytes()) {
        let (plain, escape) = rest.split_at(slash);
        out.push_str(plain);
        let (decoded, length) = decode_escape(escape);
        match decoded {
            Some(character) => out.push(character),
            None if truncated && escape.len() < 6 => {}
            None => out.push('\\'),
        }
        rest = if decoded.is_none() && truncated && escape.len() < 6 { "" } else { &escape[length..] };
    }
    out.push_str(rest);
}

/// The character that an escape stands for and the escape's length; `None` if it is no valid escape,
/// in which case only the backslash is taken.
fn decode_escape(escape: &str) -> (Option<char>, usize) {
    let simple = match escape.as_bytes().get(1) {
        Some(b'n') => '\n',
        Some(b'"') => '"',
        Some(b'\\') => '\\',
        Some(b'/') => '/',
        Some(b't') => '\t',
        Some(b'r') => '\r',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'u') => {
            let Some(unit) = code_unit(escape, 0) else { return (None, 1) };
            if (0xD800..0xDC00).contains(&unit)
                && let Some(low) = code_unit(escape, 6)
                && (0xDC00..0xE000).contains(&low)
            {
                let code = 0x1_0000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
                return (Some(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)), 12);
            }
            return (Some(char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER)), 6);
        }
        _ => return (None, 1),
    };
    (Some(simple), 2)
}

/// The UTF-16 unit of a `\uXXXX` escape that starts at `at`.
fn code_unit(text: &str, at: usize) -> Option<u32> {
    let bytes = text.as_bytes().get(at..at + 6)?;
    let digits = bytes.strip_prefix(b"\\u")?;
    let digits = std::str::from_utf8(digits)
        .ok()
        .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    u32::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
#[path = "text_tests.rs"]
mod tests;
