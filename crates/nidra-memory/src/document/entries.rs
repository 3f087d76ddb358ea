//! The body of a topic cut into entries: bullets with their continuation lines, paragraphs, table rows.
//!
//! Fenced code belongs to the entry before it. A rule, a blank line and a table's separator end an entry.

use super::lines::Line;
use std::ops::Range;

/// Words in a heading or a folder's name that say: what stands below is no longer stated as true.
const INACTIVE: &[&str] = &["archiv", "histor", "supersed", "归档", "歸檔", "历史", "歷史"];

/// Whether a heading or a folder with this name holds what is out of use.
pub fn says_inactive(name: &str) -> bool {
    let lower = name.to_lowercase();
    INACTIVE.iter().any(|word| lower.contains(word))
}

/// What an entry is in Markdown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A bullet or numbered item: its indentation and its mark with the spaces behind it.
    Bullet {
        /// The white space before the mark.
        indent: String,
        /// The mark: `-`, `*`, `+`, `3.`, `3)`.
        mark: String,
        /// The white space behind the mark.
        gap: String,
    },
    /// A paragraph.
    Paragraph,
    /// A row of a table.
    TableRow,
}

/// A stretch of an entry's words that stands in one line of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Where the stretch stands in [`Entry::text`].
    pub view: Range<usize>,
    /// Where it stands in the file.
    pub raw: Range<usize>,
    /// It is part of fenced code.
    pub code: bool,
}

/// One entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its lines, by number from 0.
    pub lines: Range<usize>,
    /// Its bytes: whole lines, without the last line's ending.
    pub range: Range<usize>,
    /// Its words without bullet mark; lines are joined by one space.
    pub text: String,
    /// Where the words stand in the file, line by line.
    pub pieces: Vec<Piece>,
    /// The headings above it, outermost first.
    pub headings: Vec<String>,
    /// What it is in Markdown.
    pub mark: Mark,
    /// It is stated as true.
    pub active: bool,
}

/// The state behind the last line of a body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tail {
    /// A code fence that was never closed.
    pub open_fence: bool,
    /// Something in the headings above the end says that it is out of use.
    pub inactive: bool,
    /// The first heading that says it is out of use, as a line number.
    pub first_inactive_heading: Option<usize>,
}

/// Whether a line opens or closes fenced code.
pub fn is_fence(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with("```") || text.starts_with("~~~")
}

/// The level and the words of a heading.
pub fn heading(text: &str) -> Option<(usize, &str)> {
    let level = text.bytes().take_while(|byte| *byte == b'#').count();
    let rest = text.get(level..)?;
    if (1..=6).contains(&level) && rest.starts_with([' ', '\t']) { Some((level, rest.trim())) } else { None }
}

/// Indentation, mark and gap of a list item.
pub fn bullet(text: &str) -> Option<(&str, &str, &str)> {
    let indent = text.len() - text.trim_start_matches([' ', '\t']).len();
    let body = text.get(indent..)?;
    if indent > 3 {
        return None;
    }
    let mark = match body.as_bytes().first()? {
        b'-' | b'*' | b'+' => 1,
        b'0'..=b'9' => {
            let digits = body.bytes().take_while(u8::is_ascii_digit).count();
            match body.as_bytes().get(digits)? {
                b'.' | b')' => digits + 1,
                _ => return None,
            }
        }
        _ => return None,
    };
    let rest = body.get(mark..)?;
    let gap = rest.len() - rest.trim_start().len();
    if gap == 0 { None } else { Some((text.get(..indent)?, body.get(..mark)?, rest.get(..gap)?)) }
}

/// A rule: three or more of `-`, `*`, `_` and nothing else.
fn is_rule(text: &str) -> bool {
    let marks = text.chars().filter(|character| !character.is_whitespace());
    let count = marks.clone().count();
    count >= 3 && marks.into_iter().all(|character| matches!(character, '-' | '*' | '_'))
}

/// The line between a table's head and its rows.
pub fn is_table_separator(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty()
        && text.chars().all(|character| character.is_whitespace() || matches!(character, ':' | '|' | '-'))
}

/// Whether the words of an entry are struck through or commented out.
fn is_struck(text: &str) -> bool {
    let comment = text.starts_with("<!--") && text.ends_with("-->");
    comment || text.strip_prefix("~~").is_some_and(|rest| rest.contains("~~"))
}

struct Builder<'a> {
    bytes: &'a [u8],
    lines: &'a [Line],
    block: Vec<(usize, bool)>,
    headings: Vec<(usize, String)>,
    found: Vec<Entry>,
    folder_inactive: bool,
}

impl Builder<'_> {
    fn inactive(&self) -> bool {
        self.folder_inactive || self.headings.iter().any(|(_, words)| says_inactive(words))
    }

    fn flush(&mut self) {
        let block = std::mem::take(&mut self.block);
        let (Some((first, _)), Some((last, _))) = (block.first().copied(), block.last().copied()) else {
            return;
        };
        let head = self.lines[first].text(self.bytes).into_owned();
        let mark = match bullet(&head) {
            Some((indent, mark, gap)) if !is_fence(&head) => {
                Mark::Bullet { indent: indent.to_owned(), mark: mark.to_owned(), gap: gap.to_owned() }
            }
            _ if head.trim_start().starts_with('|') => Mark::TableRow,
            _ => Mark::Paragraph,
        };
        let skip = match &mark {
            Mark::Bullet { indent, mark, gap } => indent.len() + mark.len() + gap.len(),
            Mark::Paragraph | Mark::TableRow => 0,
        };
        let mut text = String::new();
        let mut pieces = Vec::new();
        for (number, code) in block {
            let line = self.lines[number];
            let from = line.start + if number == first { skip } else { 0 };
            let raw = trim(self.bytes, from..line.end);
            if raw.is_empty() {
                continue;
            }
            if !text.is_empty() {
                text.push(' ');
            }
            let start = text.len();
            text.push_str(&String::from_utf8_lossy(&self.bytes[raw.clone()]));
            pieces.push(Piece { view: start..text.len(), raw, code });
        }
        if text.is_empty() {
            return;
        }
        let active = !self.inactive() && !is_struck(&text);
        self.found.push(Entry {
            lines: first..last + 1,
            range: self.lines[first].start..self.lines[last].end,
            text,
            pieces,
            headings: self.headings.iter().map(|(_, words)| words.clone()).collect(),
            mark,
            active,
        });
    }
}

/// Takes ASCII white space off both ends of a range.
fn trim(bytes: &[u8], mut range: Range<usize>) -> Range<usize> {
    while range.start < range.end && bytes[range.start].is_ascii_whitespace() {
        range.start += 1;
    }
    while range.start < range.end && bytes[range.end - 1].is_ascii_whitespace() {
        range.end -= 1;
    }
    range
}

/// Cuts the lines from `body` on into entries.
pub fn segment(bytes: &[u8], lines: &[Line], body: usize, folder_inactive: bool) -> (Vec<Entry>, Tail) {
    let mut builder =
        Builder { bytes, lines, block: Vec::new(), headings: Vec::new(), found: Vec::new(), folder_inactive };
    let mut tail = Tail::default();
    let mut fence = false;
    for (number, line) in lines.iter().enumerate().skip(body) {
        let text = line.text(bytes);
        if is_fence(&text) {
            fence = !fence;
            builder.block.push((number, true));
        } else if fence {
            builder.block.push((number, true));
        } else if let Some((level, words)) = heading(&text) {
            builder.flush();
            builder.headings.retain(|(above, _)| *above < level);
            builder.headings.push((level, words.to_owned()));
            if tail.first_inactive_heading.is_none() && builder.inactive() {
                tail.first_inactive_heading = Some(number);
            }
        } else if text.trim().is_empty() || is_rule(&text) || is_table_separator(&text) {
            builder.flush();
        } else {
            if bullet(&text).is_some() || text.trim_start().starts_with('|') {
                builder.flush();
            }
            builder.block.push((number, false));
        }
    }
    builder.flush();
    tail.open_fence = fence;
    tail.inactive = builder.inactive();
    (builder.found, tail)
}
