//! A Markdown file of memory as a value: its bytes, its lines, its front matter and its entries.
//!
//! Parsing never fails and never loses a byte; what is odd is a flag. Nothing here may read or write a file.

pub mod entries;
pub mod lines;

use crate::front_matter::{self, FrontMatter};
use entries::{Entry, Tail};
use lines::{BYTE_ORDER_MARK, Line};

/// A parsed file.
#[derive(Clone, Debug)]
pub struct Document {
    /// The bytes as they are.
    pub bytes: Vec<u8>,
    /// The lines, behind a byte order mark if there is one.
    pub lines: Vec<Line>,
    /// The front matter blocks: none, one, or two where a tool put a second one before the first.
    pub heads: Vec<FrontMatter>,
    /// The first line of the body, by number from 0.
    pub body: usize,
    /// The entries of the body, in order.
    pub entries: Vec<Entry>,
    /// The state behind the last line.
    pub tail: Tail,
    /// The first line with a merge conflict marker outside fenced code, by number from 0.
    pub conflict: Option<usize>,
    /// The first line that looks like front matter but does not stand at the file's start.
    pub displaced_head: Option<usize>,
}

impl Document {
    /// Parses a file. `folder_inactive` says that a folder in its path holds what is out of use.
    pub fn parse(bytes: &[u8], folder_inactive: bool) -> Self {
        let lines = lines::split(bytes);
        let mut heads = Vec::new();
        let mut body = 0;
        if let Some(head) = front_matter::read(bytes, &lines, 0) {
            body = head.lines.end;
            heads.push(head);
            let next = first_text_line(bytes, &lines, body);
            if let Some(second) = front_matter::read(bytes, &lines, next) {
                body = second.lines.end;
                heads.push(second);
            }
        }
        let displaced_head = if heads.is_empty() {
            Some(first_text_line(bytes, &lines, 0))
                .filter(|line| *line > 0 && front_matter::read(bytes, &lines, *line).is_some())
        } else {
            None
        };
        let (entries, tail) = entries::segment(bytes, &lines, body, folder_inactive);
        let conflict = conflict_marker(bytes, &lines);
        Self { bytes: bytes.to_vec(), lines, heads, body, entries, tail, conflict, displaced_head }
    }

    /// The front matter that counts: the first block that names or describes the topic, else the first one.
    pub fn head(&self) -> Option<&FrontMatter> {
        self.heads
            .iter()
            .find(|head| head.get("name").is_some() || head.get("description").is_some())
            .or_else(|| self.heads.first())
    }

    /// Whether the file starts with a byte order mark.
    pub fn has_byte_order_mark(&self) -> bool {
        self.bytes.starts_with(BYTE_ORDER_MARK)
    }

    /// Why the file must not be edited; `None` when it may be.
    pub fn obstacle(&self) -> Option<String> {
        if let Err(error) = std::str::from_utf8(&self.bytes) {
            return Some(format!("it is not valid UTF-8 (byte {})", error.valid_up_to()));
        }
        if let Some(line) = self.conflict {
            return Some(format!("it holds an unresolved merge conflict (line {})", line + 1));
        }
        self.heads
            .iter()
            .flat_map(|head| &head.problems)
            .map(|problem| {
                format!("its front matter needs repair (line {}: {})", problem.line + 1, problem.message)
            })
            .next()
    }

    /// The first line of the body that says something, without heading marks.
    pub fn first_line(&self) -> Option<String> {
        self.lines
            .iter()
            .skip(self.body)
            .map(|line| line.text(&self.bytes).trim().trim_start_matches('#').trim().to_owned())
            .find(|text| !text.is_empty())
    }
}

/// The first line from `from` on that is not blank; the number of lines when there is none.
fn first_text_line(bytes: &[u8], lines: &[Line], from: usize) -> usize {
    (from..lines.len()).find(|number| !lines[*number].text(bytes).trim().is_empty()).unwrap_or(lines.len())
}

/// The first line with a merge conflict marker. Fenced code may quote one, unless its fence never closes:
/// then the conflict itself may have torn the fence apart.
pub fn conflict_marker(bytes: &[u8], lines: &[Line]) -> Option<usize> {
    let fences = lines.iter().filter(|line| entries::is_fence(&line.text(bytes))).count();
    let torn = fences % 2 == 1;
    let mut fence = false;
    for (number, line) in lines.iter().enumerate() {
        let text = line.text(bytes);
        if entries::is_fence(&text) {
            fence = !fence;
        } else if (!fence || torn) && is_conflict_marker(&text) {
            return Some(number);
        }
    }
    None
}

/// Whether a line opens or closes one side of an unresolved merge. `=======` alone underlines a heading.
fn is_conflict_marker(text: &str) -> bool {
    ["<<<<<<<", ">>>>>>>", "|||||||"]
        .iter()
        .any(|marker| text.strip_prefix(marker).is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')))
}

#[cfg(test)]
#[path = "document_tests.rs"]
mod tests;
