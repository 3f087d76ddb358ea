//! Front matter read leniently, line by line, with the bytes of every value.
//!
//! Real heads are not always YAML: one in thirty has an unquoted colon or a torn quote. Each value is
//! recovered from its line all the same, and what a strict parser would refuse or read differently is
//! noted. Nothing here rewrites a head by itself; see [`mod@write`] for edits that were asked for.

mod scalar;
pub mod write;

use crate::document::lines::Line;
use jiff::Timestamp;
use nidra_core::Kind;
use std::ops::Range;

/// Lines of front matter that the client reads at most.
pub const CLIENT_LINES: usize = 30;
/// Lines that are searched for the closing mark.
const SEARCHED_LINES: usize = 400;

/// One front matter block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrontMatter {
    /// Its lines by number from 0, with both marks.
    pub lines: Range<usize>,
    /// Its values, in order.
    pub fields: Vec<Field>,
    /// What a strict YAML parser would refuse.
    pub problems: Vec<Note>,
    /// Values that a strict YAML parser would read shorter than they stand there.
    pub lossy: Vec<Note>,
}

/// A remark on one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The line, from 0.
    pub line: usize,
    /// What is odd, as a sentence fragment.
    pub message: String,
}

/// One key with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The key of the block that it stands in: `metadata`.
    pub parent: Option<String>,
    /// The key.
    pub key: String,
    /// The value with nothing lost: a plain value keeps what stands behind ` #`.
    pub value: String,
    /// How the value is written.
    pub style: Style,
    /// The line of the key, from 0.
    pub line: usize,
    /// The bytes of the value, over all its lines; empty where there is none.
    pub range: Range<usize>,
    /// The white space before the key.
    pub indent: String,
    /// The line behind the value, from 0.
    pub next_line: usize,
}

/// How a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Without quotes.
    Plain,
    /// In single quotes.
    Single,
    /// In double quotes.
    Double,
    /// As a block behind `|` or `>`.
    Block,
    /// A list, a nested block, a bracketed value, or nothing.
    Other,
}

impl Field {
    /// The value as YAML has it: a plain one ends before ` #`.
    pub fn scalar(&self) -> &str {
        match self.style {
            Style::Plain => scalar::without_comment(&self.value),
            Style::Single | Style::Double | Style::Block | Style::Other => &self.value,
        }
    }
}

impl FrontMatter {
    /// The top-level value of a key, if it says anything.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.field(None, key).map(|field| field.value.as_str()).filter(|value| !value.trim().is_empty())
    }

    /// The first field with this key below this parent.
    pub fn field(&self, parent: Option<&str>, key: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.parent.as_deref() == parent && field.key == key)
    }

    /// A key below `metadata`, else on the top level, without comment.
    pub fn scalar(&self, key: &str) -> Option<&str> {
        self.field(Some("metadata"), key)
            .or_else(|| self.field(None, key))
            .map(Field::scalar)
            .filter(|value| !value.is_empty())
    }

    /// The kind, where it is one of the four.
    pub fn kind(&self) -> Option<Kind> {
        self.scalar("type").and_then(Kind::parse)
    }

    /// Whether the user pinned the topic, on either level.
    pub fn pinned(&self) -> bool {
        [None, Some("metadata")].into_iter().any(|parent| {
            self.field(parent, "pinned").is_some_and(|field| {
                matches!(field.scalar().to_ascii_lowercase().as_str(), "true" | "yes" | "on")
            })
        })
    }

    /// When the head says that the topic was last modified.
    pub fn modified(&self) -> Option<Timestamp> {
        let text = self.scalar("modified")?;
        if let Ok(timestamp) = text.parse::<Timestamp>() {
            return Some(timestamp);
        }
        let date: jiff::civil::Date = text.parse().ok()?;
        date.to_zoned_datetime(jiff::tz::TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
    }

    /// Whether the client itself manages this head.
    pub fn is_clients(&self) -> bool {
        self.field(Some("metadata"), "node_type").is_some()
    }
}

/// Reads the block that opens on this line. A rule (`---`) with prose behind it is none.
pub fn read(bytes: &[u8], lines: &[Line], open: usize) -> Option<FrontMatter> {
    let is_mark = |number: usize| {
        lines.get(number).is_some_and(|line| {
            let text = line.text(bytes);
            text.starts_with("---") && text.trim_end() == "---"
        })
    };
    if !is_mark(open) {
        return None;
    }
    let close = (open + 1..lines.len().min(open + SEARCHED_LINES)).find(|number| is_mark(*number))?;
    let first = (open + 1..close)
        .map(|number| lines[number].text(bytes))
        .find(|text| !text.trim().is_empty() && !text.trim_start().starts_with('#'));
    // A key of several words is YAML as well, but on the first line it is more likely prose.
    if first.is_some_and(|text| key(&text).is_none_or(|(indent, name, _)| indent > 0 || name.contains(' '))) {
        return None;
    }
    let mut reader = Reader {
        bytes,
        lines,
        close,
        head: FrontMatter {
            lines: open..close + 1,
            fields: Vec::new(),
            problems: Vec::new(),
            lossy: Vec::new(),
        },
    };
    reader.run(open + 1);
    Some(reader.head)
}

/// Splits `key: value`; gives the indentation, the key, and the offset of the value.
fn key(text: &str) -> Option<(usize, &str, usize)> {
    let indent = text.len() - text.trim_start_matches([' ', '\t']).len();
    let body = &text[indent..];
    let colon = body.find(':')?;
    let name = body[..colon].trim_end();
    let quoted = name.len() >= 2
        && (name.starts_with('"') && name.ends_with('"') || name.starts_with('\'') && name.ends_with('\''));
    let bare = if quoted { &name[1..name.len() - 1] } else { name };
    let starts_well = bare.chars().next().is_some_and(|first| first.is_alphanumeric() || first == '_');
    let fits =
        bare.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.' | '/' | ' '));
    let rest = &body[colon + 1..];
    if !starts_well || !fits || !(rest.is_empty() || rest.starts_with([' ', '\t'])) {
        return None;
    }
    let gap = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    Some((indent, bare, indent + colon + 1 + gap))
}

struct Reader<'a> {
    bytes: &'a [u8],
    lines: &'a [Line],
    close: usize,
    head: FrontMatter,
}

impl Reader<'_> {
    fn text(&self, number: usize) -> String {
        self.lines[number].text(self.bytes).into_owned()
    }

    fn problem(&mut self, line: usize, message: impl Into<String>) {
        self.head.problems.push(Note { line, message: message.into() });
    }

    fn run(&mut self, from: usize) {
        let mut parent: Option<String> = None;
        let mut parent_indent: Option<usize> = None;
        let mut number = from;
        while number < self.close {
            let text = self.text(number);
            let trimmed = text.trim();
            if trimmed.is_empty() || trimmed.starts_with('#') {
                number += 1;
                continue;
            }
            let Some((indent, name, value_at)) = key(&text) else {
                let below_list = parent.is_some() && (trimmed.starts_with("- ") || trimmed == "-");
                if !below_list {
                    self.problem(number, "neither a key nor the continuation of a value");
                }
                number += 1;
                continue;
            };
            if text[..indent].contains('\t') {
                self.problem(number, "a tab indents the key");
            }
            if indent == 0 {
                parent = None;
                parent_indent = None;
            } else if parent.is_none() {
                self.problem(number, "an indented key below nothing");
            } else if *parent_indent.get_or_insert(indent) != indent {
                // A deeper level: kept as it is, and not read.
                if parent_indent.is_some_and(|known| indent < known) {
                    self.problem(number, "keys of one block are indented differently");
                }
                number += 1;
                continue;
            }
            let (name, indentation) = (name.to_owned(), text[..indent].to_owned());
            let duplicate = self.head.field(parent.as_deref(), &name).is_some();
            if duplicate {
                self.problem(number, format!("the key `{name}` stands twice"));
            }
            let field = self.field(number, &text, value_at, parent.clone(), name, indentation);
            if indent == 0 && field.style == Style::Other && field.value.is_empty() {
                parent = Some(field.key.clone());
                parent_indent = None;
            }
            number = field.next_line;
            self.head.fields.push(field);
        }
    }

    /// Lines from `number` on that are indented deeper than the key and hold no key of their own.
    fn continuation(&self, number: usize, indent: usize, block: bool) -> usize {
        let mut end = number;
        for candidate in number..self.close {
            let text = self.text(candidate);
            if text.trim().is_empty() {
                if block {
                    continue;
                }
                break;
            }
            let depth = text.len() - text.trim_start().len();
            if depth <= indent {
                break;
            }
            end = candidate + 1;
        }
        end
    }

    fn field(
        &mut self,
        number: usize,
        text: &str,
        value_at: usize,
        parent: Option<String>,
        name: String,
        indent: String,
    ) -> Field {
        let line = self.lines[number];
        let raw = text[value_at..].trim_end();
        let start = line.start + value_at;
        let mut field = Field {
            parent,
            key: name,
            value: String::new(),
            style: Style::Other,
            line: number,
            range: start..start + raw.len(),
            indent,
            next_line: number + 1,
        };
        let depth = field.indent.len();
        if raw.is_empty() || raw.starts_with('#') {
            if raw.starts_with('#') {
                self.head
                    .lossy
                    .push(Note { line: number, message: "the whole value is a YAML comment".into() });
                raw.clone_into(&mut field.value);
            }
            return field;
        }
        if raw.starts_with(['|', '>']) && scalar::is_block_header(raw) {
            let end = self.continuation(number + 1, depth, true);
            let joint = if raw.starts_with('|') { "\n" } else { " " };
            let parts: Vec<String> = (number + 1..end).map(|at| self.text(at).trim().to_owned()).collect();
            parts.join(joint).trim().clone_into(&mut field.value);
            field.style = Style::Block;
            field.next_line = end.max(number + 1);
            field.range.end = self.lines[field.next_line - 1].end.max(field.range.end);
            return field;
        }
        let end = self.continuation(number + 1, depth, false);
        let mut whole = raw.to_owned();
        for at in number + 1..end {
            if !whole.is_empty() {
                whole.push(' ');
            }
            whole.push_str(self.text(at).trim());
        }
        if end > number + 1 {
            field.next_line = end;
            field.range.end = self.lines[end - 1].end;
        }
        let read = scalar::read(&whole);
        field.value = read.value;
        field.style = read.style;
        if field.style == Style::Other && end == number + 1 && field.value.is_empty() {
            field.value = whole;
        }
        if end == number + 1 {
            // A comment behind a closed quote is not part of the value.
            field.range.end = field.range.end.min(start + read.length);
        }
        for message in read.problems {
            self.problem(number, message);
        }
        if let Some(message) = read.lossy {
            self.head.lossy.push(Note { line: number, message });
        }
        field
    }
}

#[cfg(test)]
#[path = "front_matter_tests.rs"]
mod tests;
