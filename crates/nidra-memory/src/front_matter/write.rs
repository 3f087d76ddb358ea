//! Front matter written strictly: new heads in the client's own shape, and edits that touch one value.

use super::{FrontMatter, Style, scalar};
use crate::document::Document;
use crate::document::lines::ending_near;
use jiff::Timestamp;
use nidra_core::Kind;
use std::ops::Range;

/// What a new head says.
#[derive(Clone, Debug)]
pub struct NewHead<'a> {
    /// The file's stem: ASCII letters, digits, `-`, `_`.
    pub name: &'a str,
    /// One line that says the fact.
    pub description: &'a str,
    /// The kind.
    pub kind: Kind,
    /// The session that the fact comes from.
    pub origin_session: Option<&'a str>,
    /// When it is written.
    pub modified: Timestamp,
}

/// A replacement of bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The bytes to replace; empty to insert.
    pub range: Range<usize>,
    /// What stands there then.
    pub text: String,
}

/// Applies edits that do not overlap.
pub(crate) fn apply(bytes: &[u8], mut edits: Vec<Edit>) -> Vec<u8> {
    edits.sort_by_key(|edit| edit.range.start);
    let mut out = Vec::with_capacity(bytes.len() + 256);
    let mut at = 0;
    for edit in edits {
        out.extend_from_slice(bytes.get(at..edit.range.start).unwrap_or_default());
        out.extend_from_slice(edit.text.as_bytes());
        at = edit.range.end.max(at);
    }
    out.extend_from_slice(bytes.get(at..).unwrap_or_default());
    out
}

/// The client's form of a time: UTC with milliseconds.
pub fn timestamp(at: Timestamp) -> String {
    format!("{at:.3}")
}

/// The text of a new head, with the blank line behind it. The client's own rewrite leaves it as it is.
pub fn render(head: &NewHead<'_>) -> String {
    let mut out = String::from("---\n");
    out.push_str("name: ");
    out.push_str(&scalar::encode(head.name));
    out.push_str("\ndescription: ");
    out.push_str(&scalar::encode(&single_line(head.description)));
    out.push_str("\nmetadata:\n  node_type: memory\n  type: ");
    out.push_str(head.kind.as_str());
    if let Some(session) = head.origin_session {
        out.push_str("\n  originSessionId: ");
        out.push_str(&scalar::encode(session));
    }
    out.push_str("\n  modified: ");
    out.push_str(&timestamp(head.modified));
    out.push_str("\n---\n\n");
    out
}

/// A text on one line: every run of white space and control characters becomes one space.
pub fn single_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in
        text.split(|letter: char| letter.is_whitespace() || letter.is_control() || is_line_mark(letter))
    {
        if !word.is_empty() {
            if !out.is_empty() {
                out.push(' ');
            }
            out.push_str(word);
        }
    }
    out
}

/// Characters that some programs take for a line end or a byte order mark.
fn is_line_mark(letter: char) -> bool {
    matches!(letter, '\u{2028}' | '\u{2029}' | '\u{feff}')
}

/// The edit that makes the head say this description; `None` when it says so already or there is no head.
pub fn set_description(document: &Document, description: &str) -> Option<Edit> {
    let head = document.head()?;
    let description = single_line(description);
    if let Some(field) = head.field(None, "description") {
        if field.value == description {
            return None;
        }
        let text = match field.style {
            Style::Double => scalar::double_quoted(&description),
            Style::Single if !description.contains(|letter: char| letter == '\\' || letter.is_control()) => {
                format!("'{}'", description.replace('\'', "''"))
            }
            Style::Plain | Style::Single | Style::Block | Style::Other => scalar::encode(&description),
        };
        return Some(replace_value(document, field.range.clone(), text));
    }
    let after = head.field(None, "name").map_or(head.lines.start, |field| field.next_line - 1);
    Some(insert_line(document, after, &format!("description: {}", scalar::encode(&description))))
}

/// The edit that stamps the time of change, where the client keeps one; `None` elsewhere.
pub fn set_modified(document: &Document, at: Timestamp) -> Option<Edit> {
    let head = document.head().filter(|head| head.is_clients())?;
    let stamp = timestamp(at);
    if let Some(field) = head.field(Some("metadata"), "modified") {
        if field.value == stamp {
            return None;
        }
        let text = match field.style {
            Style::Double => format!("\"{stamp}\""),
            Style::Single => format!("'{stamp}'"),
            Style::Plain | Style::Block | Style::Other => stamp,
        };
        return Some(replace_value(document, field.range.clone(), text));
    }
    let last = last_metadata(head)?;
    Some(insert_line(document, last.0, &format!("{}modified: {stamp}", last.1)))
}

/// The last line of the metadata block and the indentation of its keys.
fn last_metadata(head: &FrontMatter) -> Option<(usize, &str)> {
    head.fields
        .iter()
        .rfind(|field| field.parent.as_deref() == Some("metadata"))
        .map(|field| (field.next_line - 1, field.indent.as_str()))
}

/// Replaces a value's bytes; a value right behind its colon gets the space that YAML asks for.
fn replace_value(document: &Document, range: Range<usize>, text: String) -> Edit {
    let needs_space = range.start.checked_sub(1).and_then(|at| document.bytes.get(at)) == Some(&b':');
    Edit { range, text: if needs_space { format!(" {text}") } else { text } }
}

/// Puts a line behind the given one, with the ending that is used there.
fn insert_line(document: &Document, after: usize, text: &str) -> Edit {
    let at = document.lines.get(after).map_or(document.bytes.len(), crate::document::lines::Line::next);
    Edit { range: at..at, text: format!("{text}{}", ending_near(&document.lines, after).as_str()) }
}

/// The document with its pin set or taken out: a value that is there is changed, else a line is added, to a head of its
/// own where there is none.
pub(crate) fn set_pinned(document: &Document, pinned: bool) -> Vec<u8> {
    let mut edits: Vec<Edit> = Vec::new();
    for head in &document.heads {
        if let (false, [only]) = (pinned, head.fields.as_slice())
            && only.key == "pinned"
        {
            // A head that says nothing else was made for the pin.
            edits.extend(whole_head(document, head));
            continue;
        }
        for field in [None, Some("metadata")].into_iter().filter_map(|parent| head.field(parent, "pinned")) {
            let line =
                document.lines.get(field.line).zip(document.lines.get(field.next_line.saturating_sub(1)));
            let Some((first, last)) = line else { continue };
            edits.push(if pinned {
                replace_value(document, field.range.clone(), "true".to_owned())
            } else {
                Edit { range: first.start..last.next(), text: String::new() }
            });
        }
    }
    if pinned && edits.is_empty() {
        edits.push(match document.head() {
            Some(head) if head.is_clients() => {
                let (line, indent) = last_metadata(head).unwrap_or((head.lines.start, "  "));
                insert_line(document, line, &format!("{indent}pinned: true"))
            }
            Some(head) => {
                // In front of the closing mark, on the top level.
                insert_line(document, head.lines.end.saturating_sub(2), "pinned: true")
            }
            None => {
                let ending = ending_near(&document.lines, 0).as_str();
                let at = document.lines.first().map_or(0, |line| line.start);
                Edit { range: at..at, text: format!("---{ending}pinned: true{ending}---{ending}{ending}") }
            }
        });
    }
    apply(&document.bytes, edits)
}

/// Takes a head out, with the blank line behind it.
fn whole_head(document: &Document, head: &FrontMatter) -> Option<Edit> {
    let first = document.lines.get(head.lines.start)?;
    let last = document.lines.get(head.lines.end.checked_sub(1)?)?;
    let blank = document.lines.get(head.lines.end).filter(|line| line.start == line.end);
    Some(Edit { range: first.start..blank.unwrap_or(last).next(), text: String::new() })
}
