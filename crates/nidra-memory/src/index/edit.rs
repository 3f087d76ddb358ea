//! Edits of the index that touch one line: a new line, another hook, a line that goes.

use super::link::Pointer;
use super::{Index, IndexEntry};
use crate::document::entries::is_table_separator;
use crate::document::lines::{BYTE_ORDER_MARK, Ending, Line, ending_near};
use crate::front_matter::write::{Edit, single_line};
use nidra_core::text::width::{shorten, utf16_len};

/// Room that a hook keeps on a line whose title and path are long already.
const MIN_HOOK_UNITS: usize = 24;

/// The line of a topic: `- [Title](file.md) — hook`, on one line by construction and within the limit.
pub fn line(path: &str, title: &str, hook: &str, max_units: usize) -> String {
    let title = link_text(title, path);
    let hook = inert(hook);
    let target = link_target(path);
    let frame =
        utf16_len(&target) + utf16_len("- []()") + if hook.is_empty() { 0 } else { utf16_len(" — ") };
    let room = max_units.saturating_sub(frame);
    let title =
        if utf16_len(&title) + utf16_len(&hook) > room { shorten(&title, (room / 3).max(16)) } else { title };
    let hook_room = room.saturating_sub(utf16_len(&title));
    let hook = if utf16_len(&hook) > hook_room { shorten(&hook, hook_room) } else { hook };
    if hook.is_empty() {
        format!("- [{title}]({target})")
    } else {
        format!("- [{title}]({target}) — {hook}")
    }
}

/// Words on one line that open neither a comment nor another link: a comment would hide the lines behind it
/// from the client, and a second link would make the line speak for two topics.
fn inert(text: &str) -> String {
    let mut text = single_line(text);
    // Taking one mark out may put another one together.
    while ["<!--", "-->", "]("].iter().any(|mark| text.contains(mark)) {
        text = single_line(&text.replace("<!--", "").replace("-->", "").replace("](", "] ("));
    }
    text
}

/// A title that cannot end the link early: brackets become parentheses, and there is always something to see.
fn link_text(title: &str, path: &str) -> String {
    let title: String = inert(title)
        .chars()
        .filter(|letter| !matches!(letter, '`' | '\\'))
        .map(|letter| match letter {
            '[' => '(',
            ']' => ')',
            other => other,
        })
        .collect();
    let title = title.trim();
    if title.is_empty() { path.trim_end_matches(".md").to_owned() } else { title.to_owned() }
}

/// The path as a link target; in angle brackets where spaces or parentheses would end it.
pub fn link_target(path: &str) -> String {
    if path.contains([' ', '(', ')']) { format!("<{path}>") } else { path.to_owned() }
}

/// The edit that adds a line: behind the last line of the same kind, else at the end.
pub fn add(index: &Index, line: &str) -> Edit {
    let last_item = index.entries.iter().rposition(|entry| entry.item && !entry.inactive);
    if let Some(item) = last_item {
        let after = last_continuation(index, item);
        return insert_after(index, after, line, false);
    }
    let last_text = index.entries.iter().rposition(|entry| !entry.text.trim().is_empty());
    if let Some(last) = last_text {
        return insert_after(index, last, line, true);
    }
    let start = if index.bytes.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    Edit { range: start..start, text: format!("{line}\n") }
}

/// The last line that belongs to the item: its indented continuation lines.
fn last_continuation(index: &Index, item: usize) -> usize {
    let mut last = item;
    for (number, entry) in index.entries.iter().enumerate().skip(item + 1) {
        let indented = entry.text.starts_with([' ', '\t']) && !entry.text.trim().is_empty();
        if !indented {
            break;
        }
        last = number;
    }
    last
}

fn insert_after(index: &Index, after: usize, line: &str, blank: bool) -> Edit {
    let ending = ending_near(&index.lines, after).as_str();
    let at = index.lines.get(after).map_or(index.bytes.len(), Line::next);
    let torn = index.lines.get(after).is_some_and(|line| line.ending == Ending::None);
    let mut text = String::new();
    if torn {
        text.push_str(ending);
    }
    if blank {
        text.push_str(ending);
    }
    text.push_str(line);
    text.push_str(ending);
    Edit { range: at..at, text }
}

/// The line that speaks for one topic alone: a list item that starts with its link and has no other.
pub fn own_line(index: &Index, points_to: impl Fn(&str) -> bool) -> Option<usize> {
    index.entries.iter().position(|entry| entry.item && speaks_for(entry, &points_to))
}

/// All lines with a pointer to the topic.
pub fn lines_with(index: &Index, points_to: impl Fn(&str) -> bool) -> Vec<usize> {
    (0..index.entries.len())
        .filter(|number| {
            index.entries[*number].links.iter().any(|link| match link.pointer {
                Pointer::Link | Pointer::Bare => points_to(&link.target),
                Pointer::Wiki => points_to(&link.target) || points_to(&format!("{}.md", link.target)),
            })
        })
        .collect()
}

fn speaks_for(entry: &IndexEntry, points_to: &impl Fn(&str) -> bool) -> bool {
    let mut links = entry.links.iter().filter(|link| link.pointer == Pointer::Link);
    links.next().is_some_and(|link| points_to(&link.target)) && links.next().is_none()
}

/// What a line says behind its link.
pub fn hook(index: &Index, number: usize) -> Option<&str> {
    let entry = index.entries.get(number)?;
    let link = entry.links.first()?;
    Some(split_hook(&entry.text[link.range.end..]).1.trim_end())
}

/// The edit that gives a line another hook; `None` when it has this one already.
pub fn set_hook(index: &Index, number: usize, hook: &str, max_units: usize) -> Option<Edit> {
    let entry = index.entries.get(number)?;
    let place = index.lines.get(number)?;
    let link = entry.links.first()?;
    let behind = &entry.text[link.range.end..];
    let (separator, old) = split_hook(behind);
    let separator = if separator.trim().is_empty() { " — " } else { separator };
    let used = utf16_len(&entry.text[..link.range.end]) + utf16_len(separator);
    let hook = shorten(&inert(hook), max_units.saturating_sub(used).max(MIN_HOOK_UNITS));
    if hook.is_empty() || hook == old.trim_end() {
        return None;
    }
    let start = place.start + link.range.end;
    let end = place.end - (old.len() - old.trim_end().len());
    Some(Edit { range: start..end, text: format!("{separator}{hook}") })
}

/// Splits what stands behind a link into the separator and the hook. Emphasis that closes behind the link
/// belongs to the separator.
fn split_hook(behind: &str) -> (&str, &str) {
    let body = behind.trim_start_matches(['*', '_']).trim_start_matches(|letter: char| {
        letter.is_whitespace() || matches!(letter, '—' | '–' | '-' | ':' | '：')
    });
    behind.split_at(behind.len() - body.len())
}

/// The edit that takes a line out, with its ending.
pub fn remove(index: &Index, number: usize) -> Option<Edit> {
    let line = index.lines.get(number)?;
    Some(Edit { range: line.start..line.next(), text: String::new() })
}

/// Whether a line is part of a table; such a line is never taken out or given a hook.
pub fn is_table(entry: &IndexEntry) -> bool {
    entry.text.trim_start().starts_with('|') || is_table_separator(&entry.text)
}
