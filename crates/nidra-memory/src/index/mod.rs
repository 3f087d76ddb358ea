//! `MEMORY.md` line by line, and the pointers to topic files in it.
//!
//! The lines that point to a topic are kept in step with the files; every other line is the user's and
//! stays as it is. Edits touch one line each, see [`edit`].

pub mod edit;
pub mod link;

use crate::document::entries::{bullet, heading, is_fence, says_inactive};
use crate::document::lines::{Line, split};
use crate::document::{conflict_marker, lines::mixed};
use link::Link;

/// The file name of the index.
pub const INDEX_NAME: &str = "MEMORY.md";

/// One line of the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexEntry {
    /// The line's content, without its ending.
    pub text: String,
    /// The pointers in it; none inside fenced code and HTML comments.
    pub links: Vec<Link>,
    /// It is a list item whose first words are a link: the usual line of a topic.
    pub item: bool,
    /// It stands below a heading that says archive or history.
    pub inactive: bool,
    /// It is inside fenced code or an HTML comment.
    pub hidden: bool,
}

/// A parsed index.
#[derive(Clone, Debug)]
pub struct Index {
    /// The bytes as they are.
    pub bytes: Vec<u8>,
    /// Where the lines stand.
    pub lines: Vec<Line>,
    /// What the lines hold, one for each.
    pub entries: Vec<IndexEntry>,
    /// The first line with a merge conflict marker, from 0.
    pub conflict: Option<usize>,
}

impl Index {
    /// Parses the bytes of an index; never fails.
    pub fn parse(bytes: &[u8]) -> Self {
        let lines = split(bytes);
        let texts: Vec<String> = lines.iter().map(|line| line.text(bytes).into_owned()).collect();
        let last_comment_end = texts.iter().rposition(|text| text.contains("-->"));
        let mut entries = Vec::with_capacity(lines.len());
        let (mut fence, mut comment) = (false, false);
        let mut headings: Vec<(usize, bool)> = Vec::new();
        for (number, text) in texts.into_iter().enumerate() {
            let is_mark = !comment && is_fence(&text);
            if is_mark {
                fence = !fence;
            }
            let mut hidden = fence || is_mark || comment;
            if comment {
                comment = !text.contains("-->");
            } else if !hidden && let Some(start) = text.find("<!--") {
                let closes_here = text[start..].contains("-->");
                comment = !closes_here && last_comment_end.is_some_and(|line| line > number);
                hidden = text.trim_start().starts_with("<!--");
            }
            if !hidden && let Some((level, words)) = heading(&text) {
                headings.retain(|(above, _)| *above < level);
                headings.push((level, says_inactive(words)));
            }
            let pointers = if hidden { Vec::new() } else { link::scan(&text) };
            let item = bullet(&text).is_some_and(|(indent, mark, gap)| {
                pointers.first().is_some_and(|first| {
                    first.pointer == link::Pointer::Link
                        && is_decoration(&text[indent.len() + mark.len() + gap.len()..first.range.start])
                })
            });
            let inactive = headings.iter().any(|(_, inactive)| *inactive);
            entries.push(IndexEntry { text, links: pointers, item, inactive, hidden });
        }
        let conflict = conflict_marker(bytes, &lines);
        Self { bytes: bytes.to_vec(), lines, entries, conflict }
    }

    /// Why the index must not be edited; `None` when it may be.
    pub fn obstacle(&self) -> Option<String> {
        if let Err(error) = std::str::from_utf8(&self.bytes) {
            return Some(format!("{INDEX_NAME} is not valid UTF-8 (byte {})", error.valid_up_to()));
        }
        self.conflict
            .map(|line| format!("{INDEX_NAME} holds an unresolved merge conflict (line {})", line + 1))
    }

    /// Whether it says something, but in no form that points to topic files.
    pub fn is_free_form(&self) -> bool {
        self.entries.iter().any(|entry| !entry.text.trim().is_empty())
            && self.entries.iter().all(|entry| entry.links.is_empty())
    }

    /// Whether both kinds of line end occur.
    pub fn has_mixed_endings(&self) -> bool {
        mixed(&self.lines)
    }
}

/// What may stand between a bullet and its link: emphasis, a task box, an emoji, but no words.
fn is_decoration(text: &str) -> bool {
    let text = text.trim();
    let boxed = matches!(text, "[ ]" | "[x]" | "[X]");
    boxed || text.chars().all(|letter| !letter.is_alphanumeric() && letter != '[')
}

#[cfg(test)]
#[path = "index_tests.rs"]
mod tests;
