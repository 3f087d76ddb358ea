//! Inserting into and cutting out of a settings text, in the style that the text already has.
//!
//! Insertion only adds bytes: every byte of the text stays, in its order. Cutting removes one child with its comma
//! and the white space that stood in front of it; comments stay, for they are the user's words.

use super::document::{self, Child, Node};
use std::ops::Range;

/// A value to be written.
#[derive(Clone, Debug)]
pub(crate) enum Json {
    /// A string.
    Text(String),
    /// A whole number.
    Number(u32),
    /// A list.
    List(Vec<Self>),
    /// An object, its members in this order.
    Object(Vec<(&'static str, Self)>),
}

/// How a text is laid out.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Style {
    newline: &'static str,
    /// One step of indentation.
    unit: String,
    /// What stands between a name and its value on one line.
    colon: &'static str,
    /// The document stands on one line.
    inline: bool,
}

/// The whole text of a new settings file, or of one that held nothing but white space and comments.
pub(crate) fn append_document(text: &str, value: &Json) -> String {
    let style = Style {
        newline: if text.contains("\r\n") { "\r\n" } else { "\n" },
        unit: "  ".to_owned(),
        colon: ": ",
        inline: false,
    };
    let body = text.get(document::start(text)..).unwrap_or_default();
    let gap = if body.is_empty() || body.ends_with('\n') { "" } else { style.newline };
    let mut written = format!("{text}{gap}");
    render(&mut written, value, &style, false, "");
    written.push_str(style.newline);
    written
}

/// Puts a new last child into a container. `name` is the member's name in an object, `None` in a list.
pub(crate) fn insert(text: &str, root: &Node, container: &Node, name: Option<&str>, value: &Json) -> String {
    let style = Style::of(text, root);
    let inner = text.get(container.span.clone()).unwrap_or_default();
    let children = container.children();
    let inline = if children.is_empty() { style.inline } else { !inner.contains('\n') };
    let base = line_indent(text, container.span.start).to_owned();
    let indent = match children.last() {
        Some(last) if starts_line(text, last.span.start) => line_indent(text, last.span.start).to_owned(),
        Some(_) | None => format!("{base}{}", style.unit),
    };
    let mut child = String::new();
    if let Some(name) = name {
        quote(&mut child, name);
        child.push_str(if inline { style.colon } else { ": " });
    }
    render(&mut child, value, &style, inline, &indent);
    match children.last() {
        Some(last) => insert_behind(text, last, &child, &style, inline, &indent),
        None => insert_first(text, container, &child, &style, inline, &indent, &base),
    }
}

fn insert_behind(text: &str, last: &Child, child: &str, style: &Style, inline: bool, indent: &str) -> String {
    let trailing = last.comma.is_some();
    let anchor = last.comma.map_or(last.span.end, |comma| comma + 1);
    let at = same_line_comments_end(text, anchor);
    let gap = match (inline, style.colon) {
        (false, _) => format!("{}{indent}", style.newline),
        (true, ":") => String::new(),
        (true, _) => " ".to_owned(),
    };
    let before = text.get(..anchor).unwrap_or_default();
    let between = text.get(anchor..at).unwrap_or_default();
    let behind = text.get(at..).unwrap_or_default();
    let (comma, last_comma) = if trailing { ("", ",") } else { (",", "") };
    format!("{before}{comma}{between}{gap}{child}{last_comma}{behind}")
}

fn insert_first(
    text: &str,
    container: &Node,
    child: &str,
    style: &Style,
    inline: bool,
    indent: &str,
    base: &str,
) -> String {
    let (open, close) = (container.span.start + 1, container.span.end - 1);
    let at = last_comment_end(text, open, close);
    let before = text.get(..at).unwrap_or_default();
    let rest = text.get(at..close).unwrap_or_default();
    let behind = text.get(at..).unwrap_or_default();
    if inline {
        return format!("{before}{child}{behind}");
    }
    let newline = style.newline;
    let tail = if rest.contains('\n') { String::new() } else { format!("{newline}{base}") };
    format!("{before}{newline}{indent}{child}{tail}{behind}")
}

/// Takes a child out of its container, with its comma and the white space in front of it.
pub(crate) fn remove(text: &str, container: &Node, index: usize) -> String {
    let children = container.children();
    let Some(child) = children.get(index) else { return text.to_owned() };
    let mut cuts: Vec<Range<usize>> = Vec::new();
    let mut end = child.span.end;
    match child.comma {
        Some(comma) if blank(text, child.span.end, comma) => end = comma + 1,
        Some(comma) => cuts.push(comma..comma + 1),
        // The last child goes without a comma of its own, so the one before it goes instead.
        None => cuts.extend(
            index
                .checked_sub(1)
                .and_then(|i| children.get(i))
                .and_then(|previous| previous.comma)
                .map(|at| at..at + 1),
        ),
    }
    let lead = text.get(..child.span.start).unwrap_or_default();
    let space = lead.trim_end_matches([' ', '\t']).len();
    let line_start = lead.get(..space).unwrap_or_default().ends_with('\n');
    let line_end = end + rest_of_line(text, end).len();
    if children.len() == 1
        && blank(text, container.span.start + 1, child.span.start)
        && blank(text, end, container.span.end - 1)
    {
        cuts.push(container.span.start + 1..container.span.end - 1);
    } else if line_start && (blank(text, end, line_end) || closes_behind(text, container, index, space, end))
    {
        let mark = if lead.get(..space).unwrap_or_default().ends_with("\r\n") { 2 } else { 1 };
        cuts.push(space - mark..end);
    } else if line_start || index == 0 {
        let behind = text.get(end..).unwrap_or_default();
        let skipped = behind.len() - behind.trim_start_matches([' ', '\t']).len();
        cuts.push(child.span.start..end + skipped);
    } else {
        cuts.push(space..end);
    }
    cuts.sort_by_key(|cut| cut.start);
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    for cut in cuts {
        kept.push_str(text.get(from..cut.start).unwrap_or_default());
        from = cut.end.max(from);
    }
    kept.push_str(text.get(from..).unwrap_or_default());
    kept
}

/// Whether the container closes right behind a child, with no comment before it that would swallow the bracket.
fn closes_behind(text: &str, container: &Node, index: usize, space: usize, end: usize) -> bool {
    let before = index.checked_sub(1).and_then(|previous| container.children().get(previous));
    let from = before.map(|child| child.comma.map_or(child.span.end, |comma| comma + 1));
    from.is_some_and(|from| blank(text, from, space)) && blank(text, end, container.span.end - 1)
}

/// Writes a string as JSON has it.
pub(crate) fn quote(into: &mut String, text: &str) {
    into.push_str(&serde_json::Value::from(text).to_string());
}

fn render(into: &mut String, value: &Json, style: &Style, inline: bool, indent: &str) {
    let deeper = format!("{indent}{}", style.unit);
    let (open, close, count) = match value {
        Json::Text(text) => return quote(into, text),
        Json::Number(number) => return into.push_str(&number.to_string()),
        Json::List(items) => ('[', ']', items.len()),
        Json::Object(members) => ('{', '}', members.len()),
    };
    into.push(open);
    for index in 0..count {
        match (inline, style.colon) {
            (false, _) => {
                into.push_str(style.newline);
                into.push_str(&deeper);
            }
            (true, ": ") if index > 0 => into.push(' '),
            (true, _) => {}
        }
        let item = match value {
            Json::List(items) => items.get(index),
            Json::Object(members) => members.get(index).map(|(name, item)| {
                quote(into, name);
                into.push_str(if inline { style.colon } else { ": " });
                item
            }),
            Json::Text(_) | Json::Number(_) => None,
        };
        if let Some(item) = item {
            render(into, item, style, inline, &deeper);
        }
        if index + 1 < count {
            into.push(',');
        }
    }
    if !inline && count > 0 {
        into.push_str(style.newline);
        into.push_str(indent);
    }
    into.push(close);
}

impl Style {
    fn of(text: &str, root: &Node) -> Self {
        let newline = match text.find('\n') {
            Some(at) if text.get(..at).unwrap_or_default().ends_with('\r') => "\r\n",
            Some(_) | None => "\n",
        };
        let inner = text.get(root.span.clone()).unwrap_or_default();
        let inline = !root.children().is_empty() && !inner.contains('\n');
        let spaced = root.children().first().is_none_or(|child| {
            let name = text.get(child.span.start..child.node.span.start).unwrap_or_default();
            !name.ends_with(':')
        });
        let colon = if inline && !spaced { ":" } else { ": " };
        Self { newline, unit: unit(text, root).unwrap_or_else(|| "  ".to_owned()), colon, inline }
    }
}

/// One step of indentation: how much deeper the first child that starts a line stands than its container.
fn unit(text: &str, node: &Node) -> Option<String> {
    let outer = line_indent(text, node.span.start);
    node.children()
        .iter()
        .filter(|child| starts_line(text, child.span.start))
        .find_map(|child| {
            line_indent(text, child.span.start).strip_prefix(outer).filter(|unit| !unit.is_empty())
        })
        .map(str::to_owned)
        .or_else(|| node.children().iter().find_map(|child| unit(text, &child.node)))
}

fn line_of(text: &str, at: usize) -> &str {
    let before = text.get(..at).unwrap_or_default();
    let line = before.rfind('\n').map_or(document::start(text), |newline| newline + 1);
    before.get(line..).unwrap_or_default()
}

/// The white space at the start of the line of this place.
fn line_indent(text: &str, at: usize) -> &str {
    let line = line_of(text, at);
    let rest = line.trim_start_matches([' ', '\t']);
    line.get(..line.len() - rest.len()).unwrap_or_default()
}

/// Whether nothing but white space stands before this place on its line.
fn starts_line(text: &str, at: usize) -> bool {
    line_of(text, at).chars().all(|letter| matches!(letter, ' ' | '\t'))
}

fn rest_of_line(text: &str, at: usize) -> &str {
    let rest = text.get(at..).unwrap_or_default();
    rest.get(..rest.find('\n').unwrap_or(rest.len())).unwrap_or_default()
}

fn blank(text: &str, from: usize, to: usize) -> bool {
    text.get(from..to)
        .is_some_and(|part| part.chars().all(|letter| matches!(letter, ' ' | '\t' | '\r' | '\n')))
}

/// The end of the comments that stand behind this place on the same line; the place itself where there are none.
fn same_line_comments_end(text: &str, from: usize) -> usize {
    let mut end = from;
    loop {
        let rest = text.get(end..).unwrap_or_default();
        let comment = rest.trim_start_matches([' ', '\t']);
        let gap = rest.len() - comment.len();
        let length = if comment.starts_with("//") {
            rest_of_line(comment, 0).trim_end_matches('\r').len()
        } else if let Some(inner) = comment.strip_prefix("/*") {
            match inner.find("*/") {
                Some(length) if !inner.get(..length).unwrap_or_default().contains('\n') => {
                    length + "/**/".len()
                }
                Some(_) | None => return end,
            }
        } else {
            return end;
        };
        end += gap + length;
    }
}

/// The end of the last comment between two places; the first place where there is none.
fn last_comment_end(text: &str, from: usize, to: usize) -> usize {
    let part = text.get(from..to).unwrap_or_default();
    let kept = part.trim_end_matches([' ', '\t', '\r', '\n']).len();
    from + kept
}
