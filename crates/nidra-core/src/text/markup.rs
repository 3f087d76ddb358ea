//! Where code and addresses stand in a text, so that the other tools leave them alone.
//!
//! This is no Markdown parser: it reads what people and agents write in a chat, where fences stay
//! open and backticks stand alone, and must never fail or take more than linear time.

use super::language::is_han;
use std::collections::BTreeMap;
use std::ops::Range;

/// A line of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'t> {
    /// Where it starts, in bytes.
    pub start: usize,
    /// Its text without the line end.
    pub text: &'t str,
    /// It belongs to a fenced block, the fences included.
    pub fenced: bool,
}

impl Line<'_> {
    /// Where it ends, in bytes, before the line end.
    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// The lines of a text with their places; `\n`, `\r\n` and a lone `\r` end a line.
pub fn lines(text: &str) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    let mut fence: Option<(char, usize)> = None;
    let mut start = 0;
    while start < text.len() {
        let rest = &text[start..];
        let length = rest.find(['\n', '\r']).unwrap_or(rest.len());
        let line = &rest[..length];
        let fenced = match (fence, fence_mark(line)) {
            (None, Some((mark, count, _))) => {
                fence = Some((mark, count));
                true
            }
            (None, None) => false,
            (Some((open, least)), Some((mark, count, bare))) if open == mark && count >= least && bare => {
                fence = None;
                true
            }
            (Some(_), _) => true,
        };
        lines.push(Line { start, text: line, fenced });
        let end = &rest[length..];
        start += length + if end.starts_with("\r\n") { 2 } else { usize::from(!end.is_empty()) };
    }
    lines
}

/// The fence that a line opens or closes: its character, its length, and whether nothing follows it.
fn fence_mark(line: &str) -> Option<(char, usize, bool)> {
    let line = line.trim_start_matches(|c: char| c.is_whitespace() || c == '>');
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let rest = line.trim_start_matches(mark);
    let count = line.len() - rest.len();
    // "```code```" on one line is an inline span, not a fence.
    (count >= 3 && !rest.contains('`')).then(|| (mark, count, rest.trim().is_empty()))
}

/// The inline code spans of one line, with their backticks, in order.
pub fn inline_code(line: &str) -> Vec<Range<usize>> {
    if !line.contains('`') {
        return Vec::new();
    }
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (at, _) in line.match_indices('`') {
        match runs.last_mut() {
            Some((start, count)) if *start + *count == at => *count += 1,
            _ => runs.push((at, 1)),
        }
    }
    let mut by_length: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for &(start, count) in &runs {
        by_length.entry(count).or_default().push(start);
    }
    let mut spans = Vec::new();
    let mut from = 0;
    for (start, count) in runs {
        if start < from {
            continue;
        }
        let same = by_length.get(&count).map_or(&[][..], Vec::as_slice);
        if let Some(&close) = same.get(same.partition_point(|&other| other <= start)) {
            from = close + count;
            spans.push(start..from);
        }
    }
    spans
}

/// The code of a text, in order: fenced blocks line by line, and inline spans with their backticks.
pub fn code_spans(text: &str) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    for line in lines(text) {
        if line.fenced {
            spans.push(line.start..line.end());
        } else {
            spans.extend(
                inline_code(line.text).into_iter().map(|span| line.start + span.start..line.start + span.end),
            );
        }
    }
    spans
}

/// The addresses with a scheme (`https://…`) of a text, in order, without punctuation that follows them.
pub fn urls(text: &str) -> Vec<Range<usize>> {
    let mut spans: Vec<Range<usize>> = Vec::new();
    for (at, mark) in text.match_indices("://") {
        let floor = spans.last().map_or(0, |span| span.end);
        if at < floor {
            continue;
        }
        let scheme = text[floor..at]
            .bytes()
            .rev()
            .take(20)
            .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'.' | b'-'))
            .count();
        if scheme == 0 {
            continue;
        }
        let body = &text[at + mark.len()..];
        let length = body
            .find(|c: char| {
                c.is_whitespace()
                    || c.is_control()
                    || is_han(c)
                    || matches!(c, '<' | '>' | '"' | '\'' | '`' | '|')
                    || is_wide_punctuation(c)
            })
            .unwrap_or(body.len());
        let trimmed = body[..length].trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '*']);
        spans.push(at - scheme..at + mark.len() + trimmed.len());
    }
    spans
}

/// Whether the character is punctuation of Chinese text: `，。、；：！？「」“”（）《》` …
pub fn is_wide_punctuation(c: char) -> bool {
    matches!(c, '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{3011}' | '\u{3014}'..='\u{301f}'
        | '\u{ff01}'..='\u{ff0f}' | '\u{ff1a}'..='\u{ff20}' | '\u{ff3b}'..='\u{ff40}' | '\u{ff5b}'..='\u{ff65}'
        | '\u{2018}'..='\u{201d}' | '\u{2026}')
}

/// Whether a place lies inside one of the ranges, which are ordered and do not overlap.
pub fn covers(ranges: &[Range<usize>], at: usize) -> bool {
    let next = ranges.partition_point(|range| range.end <= at);
    ranges.get(next).is_some_and(|range| range.start <= at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slices<'t>(text: &'t str, ranges: &[Range<usize>]) -> Vec<&'t str> {
        ranges.iter().map(|range| &text[range.clone()]).collect()
    }

    #[test]
    fn lines_know_their_places_and_fences() {
        let text = "a\r\n```rust\nlet x;\n``` \nb\rc";
        let found: Vec<_> = lines(text).iter().map(|line| (line.start, line.text, line.fenced)).collect();
        assert_eq!(
            found,
            [
                (0, "a", false),
                (3, "```rust", true),
                (11, "let x;", true),
                (18, "``` ", true),
                (23, "b", false),
                (25, "c", false)
            ]
        );
    }

    #[test]
    fn a_fence_closes_only_with_its_own_mark() {
        let text = "~~~\n```\nx\n~~~~\nprose";
        let open: Vec<_> =
            lines(text).into_iter().filter(|line| !line.fenced).map(|line| line.text).collect();
        assert_eq!(open, ["prose"]);
    }

    #[test]
    fn inline_code_needs_a_run_of_the_same_length() {
        let text = "use `a` and ``b ` c`` but not ` this";
        assert_eq!(slices(text, &inline_code(text)), ["`a`", "``b ` c``"]);
    }

    #[test]
    fn urls_end_before_prose() {
        let text = "见 https://a.example/x?y=1。另外 (postgres://u@h/db), http://b.example/中文 foo://";
        assert_eq!(
            slices(text, &urls(text)),
            ["https://a.example/x?y=1", "postgres://u@h/db", "http://b.example/", "foo://"]
        );
    }

    #[test]
    fn covers_is_half_open() {
        let ranges = [2..4, 6..7];
        let inside: Vec<usize> = (0..8).filter(|&at| covers(&ranges, at)).collect();
        assert_eq!(inside, [2, 3, 6]);
    }
}
