//! The index in an undo: a list whose lines are taken back one by one. Pure.

use crate::index::link::scan;
use std::collections::BTreeSet;

/// The index before a run, with those lines of the run that point to files which stay.
pub(super) fn with_lines_of(
    before: Option<Vec<u8>>,
    after: Option<&[u8]>,
    kept: &[String],
) -> Option<Vec<u8>> {
    let old = before.clone().unwrap_or_default();
    let known: BTreeSet<&[u8]> = old.split(|byte| *byte == b'\n').collect();
    let marks: Vec<String> = kept.iter().map(|path| format!("]({path})")).collect();
    let lines: Vec<&[u8]> = after
        .unwrap_or_default()
        .split_inclusive(|byte| *byte == b'\n')
        .filter(|line| !known.contains(line.strip_suffix(b"\n").unwrap_or(line)))
        .filter(|line| {
            let line = String::from_utf8_lossy(line);
            marks.iter().any(|mark| line.contains(mark))
        })
        .collect();
    if lines.is_empty() {
        return before;
    }
    let mut index = before.unwrap_or_default();
    if !index.is_empty() && !index.ends_with(b"\n") {
        index.push(b'\n');
    }
    for line in lines {
        index.extend_from_slice(line);
    }
    Some(index)
}

/// The present index without what a run did to it: its new lines go, its old ones come back in their place, and every
/// other line stays where it is.
pub(super) fn take_back(before: Option<&[u8]>, after: Option<&[u8]>, live: &[u8]) -> Vec<u8> {
    let lines = |bytes: Option<&[u8]>| -> Vec<Vec<u8>> {
        bytes.unwrap_or_default().split_inclusive(|byte| *byte == b'\n').map(bare).collect()
    };
    let (before, after) = (lines(before), lines(after));
    let mut added: Vec<&Vec<u8>> = after.iter().filter(|line| !before.contains(line)).collect();
    let mut gone: Vec<&Vec<u8>> = before.iter().filter(|line| !after.contains(line)).collect();
    let mut index = Vec::new();
    for line in live.split_inclusive(|byte| *byte == b'\n') {
        let text = bare(line);
        let Some(place) = added.iter().position(|added| **added == text) else {
            index.extend_from_slice(line);
            continue;
        };
        added.remove(place);
        if let Some(old) = gone.iter().position(|old| !old.is_empty() && target(old) == target(&text)) {
            index.extend_from_slice(gone.remove(old));
            index.extend_from_slice(&line[text.len()..]);
        }
    }
    // A line that the run took out, and that nobody put back since.
    for line in gone.into_iter().filter(|line| !line.is_empty()) {
        let present = index.split(|byte| *byte == b'\n').any(|present| bare(present) == *line);
        if !present {
            if !index.is_empty() && !index.ends_with(b"\n") {
                index.push(b'\n');
            }
            index.extend_from_slice(line);
            index.push(b'\n');
        }
    }
    index
}

/// A line without its end.
fn bare(line: &[u8]) -> Vec<u8> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line).to_vec()
}

/// The first file that a line points to.
fn target(line: &[u8]) -> Option<String> {
    scan(&String::from_utf8_lossy(line)).into_iter().next().map(|link| link.target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_a_run_go_and_those_of_the_user_stay() {
        let before = b"- [A](a.md) \xe2\x80\x94 old\n";
        let after = b"- [A](a.md) \xe2\x80\x94 new\n- [B](b.md) \xe2\x80\x94 b\n";
        let live = b"- [A](a.md) \xe2\x80\x94 new\n- [B](b.md) \xe2\x80\x94 b\n- [Mine](mine.md) by hand\n";
        let index = take_back(Some(before), Some(after), live);
        assert_eq!(String::from_utf8_lossy(&index), "- [A](a.md) — old\n- [Mine](mine.md) by hand\n");
    }

    #[test]
    fn line_ends_and_missing_lines_are_no_obstacle() {
        let after = "- [一](one.md) — 一\r\n- [二](two.md) — 二\r\n";
        let live = "- [二](two.md) — 二\r\n我自己写的\r\n";
        let index = take_back(None, Some(after.as_bytes()), live.as_bytes());
        assert_eq!(String::from_utf8_lossy(&index), "我自己写的\r\n");
        let index = take_back(Some(b"gone\n"), Some(b""), b"mine");
        assert_eq!(index, b"mine\ngone\n");
    }
}
