//! Edits of one topic file: an entry's words, a new entry, an entry that goes.
//!
//! An edit replaces as few bytes as it can, and it is checked by parsing the result: every other entry must
//! read as before, and the new words must read as they were meant.

use crate::document::Document;
use crate::document::entries::{Entry, Mark, bullet};
use crate::document::lines::{Ending, Line, ending_near};
use crate::front_matter::write::{Edit, apply};

/// A text on one line; what is not a line break stays as it is.
pub(super) fn one_line(text: &str) -> String {
    let is_break =
        |letter: char| matches!(letter, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}');
    let parts: Vec<&str> = text.split(is_break).map(str::trim).filter(|part| !part.is_empty()).collect();
    parts.join(" ")
}

/// A text on one line without the bullet mark that it may carry.
pub(super) fn words(text: &str) -> String {
    let line = one_line(text);
    match bullet(&line) {
        Some((indent, mark @ ("-" | "*" | "+"), gap)) => {
            line[indent.len() + mark.len() + gap.len()..].to_owned()
        }
        _ => line,
    }
}

/// A text without control characters, which a terminal would act on; those of the old words stay.
pub(super) fn without_controls(text: &str, old: &str) -> String {
    let text: String = text
        .chars()
        .filter(|letter| !letter.is_control() || *letter == '\t' || old.contains(*letter))
        .collect();
    text.trim().to_owned()
}

/// The entry that holds exactly these words. `last` takes the last one where several do.
pub(super) fn find(document: &Document, text: &str, last: bool) -> Result<usize, String> {
    let wanted = text.trim();
    let mut matches = document.entries.iter().enumerate().filter(|(_, entry)| entry.text.trim() == wanted);
    let first = matches.next().map(|(number, _)| number);
    let rest = matches.next_back().map(|(number, _)| number);
    match (first, rest) {
        (None, _) => Err("its words are no longer there".to_owned()),
        (Some(number), None) => Ok(number),
        (Some(_), Some(number)) if last => Ok(number),
        (Some(_), Some(_)) => Err("its words stand there more than once".to_owned()),
    }
}

/// Gives an entry other words, replacing only what differs.
pub(super) fn reword(document: &Document, number: usize, text: &str) -> Result<Edit, String> {
    let entry = document.entries.get(number).ok_or("its words are no longer there")?;
    let (prefix, suffix) = common_ends(&entry.text, text);
    let (from, to) = (prefix, entry.text.len() - suffix);
    let torn =
        entry.pieces.iter().filter(|piece| piece.code && piece.view.start <= to && piece.view.end >= from);
    let inside_one = entry.pieces.iter().any(|piece| piece.view.start <= from && to <= piece.view.end);
    if torn.count() > 0 && !inside_one {
        return Err("it would flatten a code block".to_owned());
    }
    let start = raw_offset(entry, from).ok_or("its words are no longer there")?;
    let end = raw_offset(entry, to).ok_or("its words are no longer there")?;
    let edit = Edit { range: start..end.max(start), text: text[prefix..text.len() - suffix].to_owned() };
    check_reworded(document, number, text, &edit)?;
    Ok(edit)
}

/// Gives an entry other words in place of all its lines, code included.
pub(super) fn replace(document: &Document, number: usize, text: &str) -> Result<Edit, String> {
    let entry = document.entries.get(number).ok_or("its words are no longer there")?;
    let (first, last) =
        entry.pieces.first().zip(entry.pieces.last()).ok_or("its words are no longer there")?;
    let edit = Edit { range: first.raw.start..last.raw.end, text: text.to_owned() };
    check_reworded(document, number, text, &edit)?;
    Ok(edit)
}

fn check_reworded(document: &Document, number: usize, text: &str, edit: &Edit) -> Result<(), String> {
    let after = Document::parse(&apply(&document.bytes, vec![edit.clone()]), false);
    let same = after.entries.len() == document.entries.len()
        && after.heads.len() == document.heads.len()
        && after.obstacle().is_none()
        && after.entries.iter().zip(&document.entries).enumerate().all(|(at, (new, old))| {
            let words = if at == number { new.text == text } else { new.text == old.text };
            words && new.mark == old.mark && new.active == old.active && new.headings == old.headings
        });
    let row = |entry: &Entry| entry.text.matches('|').count() - entry.text.matches("\\|").count();
    if !same {
        return Err("the new words would read as something else in this place".to_owned());
    }
    let (old, new) = (&document.entries[number], &after.entries[number]);
    if old.mark == Mark::TableRow && row(old) != row(new) {
        return Err("a table's row must keep its number of cells".to_owned());
    }
    Ok(())
}

/// The lengths of the common start and the common end, which do not overlap.
fn common_ends(old: &str, new: &str) -> (usize, usize) {
    let prefix: usize = old
        .chars()
        .zip(new.chars())
        .take_while(|(left, right)| left == right)
        .map(|(left, _)| left.len_utf8())
        .sum();
    let suffix: usize = old[prefix..]
        .chars()
        .rev()
        .zip(new[prefix..].chars().rev())
        .take_while(|(left, right)| left == right)
        .map(|(left, _)| left.len_utf8())
        .sum();
    (prefix, suffix)
}

/// Where an offset of an entry's words stands in the file.
fn raw_offset(entry: &Entry, offset: usize) -> Option<usize> {
    let piece = entry.pieces.iter().rfind(|piece| piece.view.start <= offset)?;
    (offset <= piece.view.end).then(|| piece.raw.start + (offset - piece.view.start))
}

/// Takes an entry out, with its last line's ending.
pub(super) fn remove(document: &Document, number: usize) -> Result<Edit, String> {
    let gone = || "its words are no longer there".to_owned();
    let entry = document.entries.get(number).ok_or_else(gone)?;
    let lines = document.lines.get(entry.lines.clone()).ok_or_else(gone)?;
    let (first, last) = lines.first().zip(lines.last()).ok_or_else(gone)?;
    // Of the blank lines around it one is enough: the one behind goes along where another stands in front.
    let blank = |number: usize| {
        document.lines.get(number).is_some_and(|line| line.text(&document.bytes).trim().is_empty())
    };
    let before = entry.lines.start.checked_sub(1).is_some_and(blank);
    let end =
        if before && blank(entry.lines.end) { document.lines[entry.lines.end].next() } else { last.next() };
    let start = if before && entry.lines.end >= document.lines.len() && number > 0 {
        document.lines[entry.lines.start - 1].start
    } else {
        first.start
    };
    let edit = Edit { range: start..end, text: String::new() };
    let after = Document::parse(&apply(&document.bytes, vec![edit.clone()]), false);
    let left = document.entries.iter().enumerate().filter(|(other, _)| *other != number);
    let same = after.heads.len() == document.heads.len()
        && after.obstacle().is_none()
        && after
            .entries
            .iter()
            .map(|entry| (&entry.text, entry.active))
            .eq(left.map(|(_, entry)| (&entry.text, entry.active)));
    if same { Ok(edit) } else { Err("what is left would read as something else".to_owned()) }
}

/// Whether a text reads as one active paragraph.
pub(super) fn is_paragraph(text: &str) -> bool {
    let document = Document::parse(text.as_bytes(), false);
    let [entry] = document.entries.as_slice() else { return false };
    document.obstacle().is_none()
        && document.heads.is_empty()
        && !document.tail.open_fence
        && entry.active
        && entry.mark == Mark::Paragraph
        && entry.text == one_line(text)
        && entry.lines.start == 0
}

/// Adds an entry behind the last one that is in use, in its style and with its line ending.
pub(super) fn append(document: &Document, text: &str) -> Result<Edit, String> {
    if document.tail.open_fence {
        return Err("a code block of the file is never closed".to_owned());
    }
    let last_active = document.entries.iter().rposition(|entry| entry.active);
    let after = if document.tail.inactive {
        let before_heading = document.tail.first_inactive_heading.unwrap_or(document.lines.len());
        last_active
            .map(|number| document.entries[number].lines.end - 1)
            .or_else(|| last_text_line(document, before_heading))
    } else {
        last_text_line(document, document.lines.len())
    };
    let before =
        after.and_then(|line| document.entries.iter().rposition(|entry| entry.lines.contains(&line)));
    let style = before.or(last_active).map(|number| &document.entries[number].mark);
    let listed = match style {
        Some(Mark::Bullet { indent, mark, gap }) => Some(format!("{indent}{}{gap}", next_mark(mark))),
        Some(Mark::TableRow) => Some("- ".to_owned()),
        _ if !is_paragraph(text) => Some("- ".to_owned()),
        Some(Mark::Paragraph) | None => None,
    };
    let tight = before.is_some_and(|number| {
        matches!(document.entries[number].mark, Mark::Bullet { .. }) && !is_loose(document, number)
    });
    let ending = ending_near(&document.lines, after.unwrap_or(0)).as_str();
    let at = match after {
        Some(line) => document.lines[line].next(),
        None => document.lines.first().map_or(document.bytes.len(), |line| line.start),
    };
    let mut insert = String::new();
    if let Some(line) = after {
        if document.lines[line].ending == Ending::None {
            insert.push_str(ending);
        }
        if !(tight && listed.is_some()) {
            insert.push_str(ending);
        }
    }
    insert.push_str(listed.as_deref().unwrap_or_default());
    insert.push_str(text);
    insert.push_str(ending);
    let edit = Edit { range: at..at, text: insert };
    check_appended(document, text, &edit)?;
    Ok(edit)
}

fn check_appended(document: &Document, text: &str, edit: &Edit) -> Result<(), String> {
    let after = Document::parse(&apply(&document.bytes, vec![edit.clone()]), false);
    let added = after
        .entries
        .iter()
        .position(|entry| entry.active && entry.text == text && entry.range.end >= edit.range.start);
    let others = |skip: Option<usize>, all: &[Entry]| {
        let kept: Vec<(String, bool)> = all
            .iter()
            .enumerate()
            .filter(|(number, _)| Some(*number) != skip)
            .map(|(_, entry)| (entry.text.clone(), entry.active))
            .collect();
        kept
    };
    if added.is_some()
        && after.heads.len() == document.heads.len()
        && after.obstacle().is_none()
        && others(added, &after.entries) == others(None, &document.entries)
    {
        Ok(())
    } else {
        Err("the new words would read as something else in this place".to_owned())
    }
}

/// The last line before `end` that says something; a front matter block counts.
fn last_text_line(document: &Document, end: usize) -> Option<usize> {
    (0..end).rev().find(|number| !document.lines[*number].text(&document.bytes).trim().is_empty())
}

/// Whether a blank line stands between an item and the item before it.
fn is_loose(document: &Document, number: usize) -> bool {
    let Some(before) = number.checked_sub(1).and_then(|before| document.entries.get(before)) else {
        return false;
    };
    let between = before.lines.end..document.entries[number].lines.start;
    matches!(before.mark, Mark::Bullet { .. })
        && !between.is_empty()
        && document.lines[between].iter().all(|line: &Line| line.text(&document.bytes).trim().is_empty())
}

/// The mark of the next item: a number counts on.
fn next_mark(mark: &str) -> String {
    let digits = mark.trim_end_matches(['.', ')']);
    match digits.parse::<u64>() {
        Ok(number) => format!("{}{}", number.saturating_add(1), &mark[digits.len()..]),
        Err(_) => mark.to_owned(),
    }
}
