//! Splits prose into sentences, Latin and Chinese, and keeps code apart.
//!
//! Chat text is uneven: sentences start in lower case, lines are items, numbers and file names hold
//! periods. The splitter looks at lines first and at terminators second, and never changes a byte:
//! each sentence is a slice of the text.

use super::language::is_han;
use super::markup::{self, Line};
use super::width::display_width;
use std::ops::Range;

/// A sentence of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence<'t> {
    /// The words, trimmed. Where a wrapped paragraph was joined, they hold its line breaks.
    pub text: &'t str,
    /// Where they stand in the whole text, in bytes.
    pub range: Range<usize>,
    /// The sentence is a line of a quotation (`> …`).
    pub quoted: bool,
    /// The sentence is an item of a list.
    pub item: bool,
}

/// Columns above which a line without terminator may have been wrapped by an editor.
const WRAP_COLUMNS: usize = 60;

/// The sentences of a text in order. Fenced code is left out; a line break ends a sentence, unless a long line
/// without terminator goes on in lower case. A row of a table is one item.
pub fn sentences(text: &str) -> Vec<Sentence<'_>> {
    let mut found = Vec::new();
    let mut block: Option<Block> = None;
    for line in markup::lines(text) {
        if line.fenced {
            flush(text, block.take(), &mut found);
            continue;
        }
        let next = Block::read(&line);
        match (&mut block, next) {
            (Some(open), Some(next)) if open.continues_with(text, &next) => open.range.end = next.range.end,
            (open, next) => {
                flush(text, open.take(), &mut found);
                *open = next;
            }
        }
    }
    flush(text, block, &mut found);
    found
}

/// A line, or a wrapped paragraph, without its marks.
struct Block {
    range: Range<usize>,
    quoted: bool,
    shape: Shape,
}

/// What kind of line a block begins with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Prose without a mark.
    Plain,
    /// A heading.
    Heading,
    /// An item with a bullet or a number.
    Item,
    /// A row of a table, which is not split.
    Row,
}

impl Block {
    /// Reads a line; `None` for blank lines, rules and the lines below table heads.
    fn read(line: &Line<'_>) -> Option<Self> {
        let mut rest = line.text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        let mut quoted = false;
        while let Some(inner) = rest.strip_prefix('>') {
            quoted = true;
            rest = inner.trim_start();
        }
        let unmarked = strip_mark(rest);
        let item = unmarked.is_some();
        let mut content = unmarked.unwrap_or(rest);
        let heading =
            !item && content.starts_with('#') && content.trim_start_matches('#').starts_with([' ', '\t']);
        if heading {
            content = content.trim_start_matches('#').trim_start();
        }
        let start = line.start + (line.text.len() - content.len());
        let content = content.trim_end();
        let row = content.len() > 1 && content.starts_with('|') && content.ends_with('|');
        let bare = content.chars().all(|c| matches!(c, '-' | '*' | '_' | '=' | '|' | ':' | ' ' | '\t' | '+'));
        if content.is_empty() || bare {
            return None;
        }
        let shape = match (row, item, heading) {
            (true, ..) => Shape::Row,
            (_, true, _) => Shape::Item,
            (.., true) => Shape::Heading,
            _ => Shape::Plain,
        };
        Some(Self { range: start..start + content.len(), quoted, shape })
    }

    /// Whether the next line is the rest of a paragraph that was wrapped by an editor.
    fn continues_with(&self, text: &str, next: &Self) -> bool {
        if self.shape == Shape::Row || self.quoted || next.quoted || next.shape != Shape::Plain {
            return false;
        }
        let line = text[self.range.clone()].rsplit(['\n', '\r']).next().unwrap_or_default();
        if display_width(line) <= WRAP_COLUMNS {
            return false;
        }
        let Some(last) = line.chars().next_back() else { return false };
        let first = text[next.range.clone()].chars().next();
        match last {
            '，' | '、' => first.is_some_and(char::is_alphanumeric),
            _ if is_terminator(last) || matches!(last, ':' | '：') => false,
            _ => first.is_some_and(char::is_lowercase),
        }
    }
}

/// What follows the mark of a list item; `None` where the line has none.
fn strip_mark(line: &str) -> Option<&str> {
    let after_bullet = ["- ", "* ", "+ ", "-\t", "*\t", "• ", "•", "· ", "– ", "— "]
        .iter()
        .find_map(|mark| line.strip_prefix(mark))
        .or_else(|| strip_number(line))?;
    let rest = after_bullet.trim_start();
    let boxed = ["[ ] ", "[x] ", "[X] "].iter().find_map(|mark| rest.strip_prefix(mark));
    Some(boxed.map_or(rest, str::trim_start))
}

/// What follows `1. `, `1) `, `1、`, `（1）`, `(1) `, `①`, `一、`.
fn strip_number(line: &str) -> Option<&str> {
    let first = line.chars().next()?;
    if matches!(first, '①'..='⑳') {
        return Some(&line[first.len_utf8()..]);
    }
    let open = matches!(first, '(' | '（');
    let body = if open { &line[first.len_utf8()..] } else { line };
    let numeral = |c: char| c.is_ascii_digit() || "一二三四五六七八九十".contains(c);
    let rest = body.trim_start_matches(numeral);
    let digits = &body[..body.len() - rest.len()];
    if digits.is_empty() || digits.chars().count() > 3 {
        return None;
    }
    let mark = rest.chars().next()?;
    let after = &rest[mark.len_utf8()..];
    match mark {
        '、' if !open => Some(after),
        '）' => Some(after),
        '.' | ')' if digits.is_ascii() && (after.is_empty() || after.starts_with([' ', '\t'])) => Some(after),
        '.' if digits.is_ascii() && after.starts_with(is_han) && !open => Some(after),
        _ => None,
    }
}

/// Splits a block and adds its sentences.
fn flush<'t>(text: &'t str, block: Option<Block>, found: &mut Vec<Sentence<'t>>) {
    let Some(block) = block else { return };
    let content = &text[block.range.clone()];
    let pieces =
        if block.shape == Shape::Row { std::iter::once(0..content.len()).collect() } else { split(content) };
    for piece in pieces {
        let words = &content[piece.clone()];
        let trimmed = words.trim();
        if trimmed.is_empty() {
            continue;
        }
        let start = block.range.start + piece.start + (words.len() - words.trim_start().len());
        found.push(Sentence {
            text: trimmed,
            range: start..start + trimmed.len(),
            quoted: block.quoted,
            item: matches!(block.shape, Shape::Item | Shape::Row),
        });
    }
}

/// Whether the character ends a sentence wherever it stands.
fn is_full_stop(c: char) -> bool {
    matches!(c, '。' | '！' | '？' | '；' | '．' | '｡')
}

/// Whether the character can end a sentence.
fn is_terminator(c: char) -> bool {
    is_full_stop(c) || matches!(c, '.' | '!' | '?' | '…')
}

/// Whether the character may follow a terminator and still belongs to the sentence.
fn is_closer(c: char) -> bool {
    matches!(c, '”' | '’' | '」' | '』' | '）' | ')' | ']' | '】' | '》' | '"' | '\'' | '*' | '_' | '~')
}

/// The ranges of the sentences of one block, untrimmed.
fn split(content: &str) -> Vec<Range<usize>> {
    let shielded = shields(content);
    let characters: Vec<(usize, char)> = content.char_indices().collect();
    let mut pieces = Vec::new();
    let (mut start, mut index) = (0, 0);
    while let Some(&(at, c)) = characters.get(index) {
        if let Some(span) = shield_at(&shielded, at) {
            let inner = content[..span.end].chars().rev().find(|c| !is_closer(*c));
            while characters.get(index).is_some_and(|&(at, _)| at < span.end) {
                index += 1;
            }
            // `“Stop.” Then …`: a quotation that ends a sentence ends it only before a new start.
            let quotation = !content[span.clone()].starts_with('`') && inner.is_some_and(is_terminator);
            let rest = &content[span.end..];
            let fresh = rest.starts_with(char::is_whitespace)
                && rest.trim_start().chars().next().is_some_and(|c| c.is_uppercase() || is_han(c));
            if quotation && fresh {
                pieces.push(start..span.end);
                start = span.end;
            }
            continue;
        }
        index += 1;
        if !is_terminator(c) {
            continue;
        }
        while characters
            .get(index)
            .is_some_and(|&(at, c)| is_terminator(c) && shield_at(&shielded, at).is_none())
        {
            index += 1;
        }
        let mut end = index;
        while characters.get(end).is_some_and(|&(at, c)| is_closer(c) && shield_at(&shielded, at).is_none()) {
            end += 1;
        }
        let place = |index: usize| characters.get(index).map_or(content.len(), |&(at, _)| at);
        let run = &content[at..place(index)];
        if ends_sentence(&content[start..at], run, &content[place(end)..], end > index) {
            index = end;
            pieces.push(start..place(end));
            start = place(end);
        }
    }
    pieces.push(start..content.len());
    pieces
}

/// The span that starts at or covers the place.
fn shield_at(spans: &[Range<usize>], at: usize) -> Option<Range<usize>> {
    let next = spans.partition_point(|span| span.end <= at);
    spans.get(next).filter(|span| span.start <= at).cloned()
}

/// The spans inside of which nothing ends a sentence: code, addresses, quotations; merged and ordered.
fn shields(content: &str) -> Vec<Range<usize>> {
    let mut spans = markup::inline_code(content);
    spans.extend(markup::urls(content));
    spans.extend(quotations(content));
    spans.sort_by_key(|span| (span.start, span.end));
    let mut merged: Vec<Range<usize>> = Vec::new();
    for span in spans {
        match merged.last_mut() {
            Some(last) if span.start < last.end => last.end = last.end.max(span.end),
            _ => merged.push(span),
        }
    }
    merged
}

/// The closed quotations of a block: `「…」`, `『…』`, `“…”`, `"…"`. An open one that never closes is none.
fn quotations(content: &str) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let mut open: Vec<(char, usize)> = Vec::new();
    let mut before = None;
    let mut characters = content.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        let after = characters.peek().map(|&(_, next)| next);
        let closes = match c {
            '”' => Some('“'),
            '」' => Some('「'),
            '』' => Some('『'),
            '"' if open.iter().any(|&(mark, _)| mark == '"') => Some('"'),
            _ => None,
        };
        if let Some(opening) = closes {
            if let Some(depth) = open.iter().rposition(|&(mark, _)| mark == opening) {
                spans.push(open[depth].1..at + c.len_utf8());
                open.truncate(depth);
            }
        } else if matches!(c, '“' | '「' | '『')
            || c == '"'
                && before.is_none_or(|c: char| !c.is_ascii_alphanumeric())
                && after.is_some_and(|c| !c.is_whitespace())
        {
            // Nested deeper than anyone quotes: garbage, and the search for the partner must stay cheap.
            if open.len() < 16 {
                open.push((c, at));
            }
        }
        before = Some(c);
    }
    spans
}

/// Words that end with a period of their own.
const ABBREVIATIONS: &[&str] = &[
    "e.g", "i.e", "eg", "ie", "vs", "cf", "approx", "resp", "incl", "excl", "esp", "ca", "dr", "mr", "mrs",
    "ms", "prof", "st", "fig", "figs", "eq", "sec", "ch", "vol", "ed", "eds", "al", "dept", "est", "inc",
    "ltd", "corp", "jr", "sr", "a.k.a", "w.r.t", "viz", "max", "min", "pp", "a.m", "p.m", "u.s", "u.k", "no",
];

/// Abbreviations that may also end a sentence: they do where a capital follows.
const LOOSE_ABBREVIATIONS: &[&str] =
    &["etc", "a.m", "p.m", "u.s", "u.k", "inc", "ltd", "corp", "jr", "max", "min", "no"];

/// Whether a run of terminators ends the sentence, given what stands before and behind it.
fn ends_sentence(before: &str, run: &str, after: &str, closed: bool) -> bool {
    let next = after.chars().next();
    if run.chars().any(is_full_stop) {
        return true;
    }
    let Some(next) = next else { return true };
    let breaks = next.is_whitespace() || is_han(next) || markup::is_wide_punctuation(next);
    if !breaks {
        return false;
    }
    let following = after.trim_start().chars().next();
    let Some(following) = following else { return true };
    let lower = following.is_lowercase();
    if run.contains('…') || run.starts_with("..") {
        // A pause, unless something new starts behind it.
        return next.is_whitespace() && !lower;
    }
    if run.contains(['!', '?']) {
        // `c? }`, `! =`: an operator, not an exclamation.
        let code = matches!(following, '}' | ')' | ']' | '=' | ',' | ';' | '&' | '+' | '<' | ':');
        return !code && (before.chars().next_back().is_some_and(|c| !c.is_whitespace()) || !lower);
    }
    if closed {
        return true;
    }
    let word = before
        .rsplit(|c: char| c.is_whitespace() || matches!(c, '(' | '（' | '"' | '“' | ',' | '，') || is_han(c))
        .next()
        .unwrap_or_default();
    if word.is_empty() {
        // A period with a blank on both sides ends nothing (`ls . src`).
        return before.is_empty() || !before.ends_with(char::is_whitespace);
    }
    let folded = word.to_ascii_lowercase();
    if LOOSE_ABBREVIATIONS.contains(&folded.as_str()) {
        // `no. 5` is a number, `no. Use …` is an answer.
        return match folded.as_str() {
            "no" | "max" | "min" => !following.is_ascii_digit(),
            _ => following.is_uppercase() || is_han(following),
        };
    }
    if ABBREVIATIONS.contains(&folded.as_str()) {
        return false;
    }
    !is_initial(before, word, following)
}

/// Whether a word is the initial of a name: `J. Smith`, `Donald E. Knuth`.
fn is_initial(before: &str, word: &str, following: char) -> bool {
    let single = word.len() == 1 && word.starts_with(|c: char| c.is_ascii_uppercase() && c != 'I');
    if !single || !following.is_uppercase() {
        return false;
    }
    let ahead = before[..before.len() - word.len()].trim_end();
    let previous = ahead.rsplit(char::is_whitespace).next().unwrap_or_default();
    // `Plan B. Then`, `Option A. We`: a label, not a name.
    let label =
        ["plan", "option", "step", "phase", "type", "class", "part", "vitamin", "variant", "team", "case"]
            .contains(&previous.to_ascii_lowercase().as_str());
    previous.is_empty() || previous.starts_with(char::is_uppercase) && !label
}

#[cfg(test)]
#[path = "sentence_tests.rs"]
mod tests;
