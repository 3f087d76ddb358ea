//! Bytes cut into lines, each with its own ending.
//!
//! Everything else works on these lines, so that an edit can keep the ending that it finds. Offsets are
//! offsets into the file's bytes, whatever the bytes are.

use std::borrow::Cow;

/// How a line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// A line feed.
    Lf,
    /// A carriage return and a line feed.
    CrLf,
    /// The file ends here without one.
    None,
}

impl Ending {
    /// The bytes of the ending.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::CrLf => "\r\n",
            Self::None => "",
        }
    }
}

/// One line: where its content stands, and how it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// The first byte of the content; behind a byte order mark on the first line.
    pub start: usize,
    /// The byte behind the content.
    pub end: usize,
    /// The ending, which stands at `end`.
    pub ending: Ending,
}

impl Line {
    /// The byte behind the line's ending.
    pub fn next(&self) -> usize {
        self.end + self.ending.as_str().len()
    }

    /// The content as text; bytes that are no text become replacement characters.
    pub fn text<'a>(&self, bytes: &'a [u8]) -> Cow<'a, str> {
        String::from_utf8_lossy(bytes.get(self.start..self.end).unwrap_or_default())
    }
}

/// The mark that some editors put before the first byte of a text.
pub const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Cuts bytes into lines. The empty rest behind a final line end is not a line.
pub fn split(bytes: &[u8]) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut start = if bytes.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    while start < bytes.len() {
        let rest = &bytes[start..];
        let line = match rest.iter().position(|byte| *byte == b'\n') {
            Some(0) => Line { start, end: start, ending: Ending::Lf },
            Some(at) if rest[at - 1] == b'\r' => Line { start, end: start + at - 1, ending: Ending::CrLf },
            Some(at) => Line { start, end: start + at, ending: Ending::Lf },
            None => Line { start, end: bytes.len(), ending: Ending::None },
        };
        start = line.next();
        lines.push(line);
        if line.ending == Ending::None {
            break;
        }
    }
    lines
}

/// The ending that a new line gets behind the given one: its own, else the one before it, else a line feed.
pub fn ending_near(lines: &[Line], index: usize) -> Ending {
    let upto = lines.len().min(index + 1);
    lines[..upto]
        .iter()
        .rev()
        .chain(&lines[upto..])
        .map(|line| line.ending)
        .find(|ending| *ending != Ending::None)
        .unwrap_or(Ending::Lf)
}

/// Whether both kinds of line end occur.
pub fn mixed(lines: &[Line]) -> bool {
    lines.iter().any(|line| line.ending == Ending::Lf) && lines.iter().any(|line| line.ending == Ending::CrLf)
}
