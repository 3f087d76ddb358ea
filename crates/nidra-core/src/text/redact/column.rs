//! Secrets in the columns of a list whose fields are parted by commas, semicolons or tabs, with the names in its first
//! line.

use super::name::Strength;
use super::value::{Context, Value};
use super::{Take, fold, quality, structure};
use std::ops::Range;

/// How many lines of a list are read.
const MOST_ROWS: usize = 64;

/// How many fields a line has at most.
const MOST_FIELDS: usize = 40;

/// How long a name of a field may be, in bytes.
const LONGEST_NAME: usize = 40;

/// The mark that parts the fields of the line in which a name stands, when the line is the head of a list.
pub(super) fn mark(text: &str, name: &Range<usize>, line: &Range<usize>) -> Option<char> {
    let byte = |at: usize| text.as_bytes().get(at).copied();
    let before = name.start.checked_sub(1).filter(|&at| at >= line.start).and_then(byte);
    let behind = byte(name.end).filter(|_| name.end < line.end);
    let sides = [before, behind];
    let mark = [b',', b'\t', b';'].into_iter().find(|mark| sides.contains(&Some(*mark)))?;
    let edges = sides.iter().all(|side| side.is_none_or(|side| side == mark || matches!(side, b'"' | b'\r')));
    edges.then(|| char::from(mark))
}

/// Gives the secrets below the head of a list, and returns where its lines end.
pub(super) fn column(text: &str, head: Range<usize>, mark: char, take: &mut Take<'_>) -> usize {
    // A text in JSON begins behind a quote, and ends before one.
    let open = text[head.clone()].rfind(":\"").map(|at| head.start + at + ":\"".len());
    let names = fields(text, inner(text, &(open.unwrap_or(head.start)..head.end)), mark);
    if names.len() < 2 || !names.iter().all(|name| is_name(&text[name.clone()])) {
        return head.end;
    }
    let wanted: Vec<(usize, Strength)> = names
        .iter()
        .enumerate()
        .filter_map(|(index, name)| Some((index, structure::meaning(&text[name.clone()])?)))
        .collect();
    let mut at = head.end;
    for _ in 0..MOST_ROWS {
        let Some(line) = structure::following(text, at) else { return at };
        at = line.end;
        let quote = text[line.clone()].find('"').filter(|_| open.is_some());
        let line = line.start..quote.map_or(line.end, |quote| line.start + quote);
        let values = fields(text, inner(text, &line), mark);
        if values.len() != names.len() {
            return at;
        }
        for (index, strength) in &wanted {
            let Some(value) = values.get(*index).filter(|value| is_value(text, value, *strength)) else {
                continue;
            };
            take(strength.rule(), value.clone());
        }
    }
    at
}

/// A line without its margin.
fn inner(text: &str, line: &Range<usize>) -> Range<usize> {
    line.start + fold::margin(&text[line.clone()])..line.end
}

/// The fields of a line, without blanks and quotes around them.
fn fields(text: &str, line: Range<usize>, mark: char) -> Vec<Range<usize>> {
    let mut start = line.start;
    let mut fields = Vec::new();
    for field in text[line].split(mark).take(MOST_FIELDS) {
        let end = start + field.len();
        let trim = [' ', '\r', '"'];
        let from = start + (field.len() - field.trim_start_matches(trim).len());
        let to = start + field.trim_end_matches(trim).len();
        fields.push(from..to.max(from));
        start = end + mark.len_utf8();
    }
    fields
}

/// Whether the text can name a field.
fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= LONGEST_NAME
        && name.chars().all(|c| c.is_alphabetic() || matches!(c, '_' | '-' | ' ' | '.') || c.is_ascii_digit())
        && name.chars().next().is_some_and(char::is_alphabetic)
}

/// Whether a field holds what its name says.
fn is_value(text: &str, range: &Range<usize>, strength: Strength) -> bool {
    let value = &text[range.clone()];
    let context = Context { strength, strict: false, colon: false };
    quality::is_mixed(value)
        && !value.contains(char::is_whitespace)
        && !quality::is_expression(value)
        && Value { range: range.clone(), quoted: true }.is_secret(text, range.end, context)
}
