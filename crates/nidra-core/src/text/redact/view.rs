//! A second look at lines that are written in disguise: escaped in JSON or mark-up, in full-width letters, or with
//! characters between the letters that nobody sees.

use std::ops::Range;

/// Only lines with one of these are looked at again.
pub(super) fn keywords() -> Vec<String> {
    let mut words: Vec<String> =
        ["\\n", "\\r", "\\t", "\\\"", "\\'", "\\u00", "\\/", "\\x", "&quot;", "&#", "&apos;", "&amp;"]
            .map(str::to_owned)
            .to_vec();
    words.extend(UNSEEN.iter().map(char::to_string));
    let wide = ['０'..='９', 'Ａ'..='Ｚ', 'ａ'..='ｚ'];
    words.extend(wide.into_iter().flatten().map(String::from));
    words
}

/// Characters without a width.
const UNSEEN: [char; 8] =
    ['\u{200b}', '\u{200c}', '\u{200d}', '\u{2060}', '\u{feff}', '\u{ad}', '\u{200e}', '\u{200f}'];

/// Plain words for some lines of a text, and the place of each of their bytes in it.
pub(super) struct View {
    pub(super) text: String,
    places: Vec<usize>,
}

impl View {
    /// Writes lines plainly.
    pub(super) fn of(text: &str, lines: &[Range<usize>]) -> Self {
        let mut view = Self { text: String::new(), places: Vec::new() };
        for line in lines {
            view.write(text, line.clone());
            view.push('\n', line.end);
        }
        view.places.push(text.len());
        view
    }

    /// The place in the text of a range of the view; `None` for an empty one.
    pub(super) fn place(&self, range: &Range<usize>) -> Option<Range<usize>> {
        let (start, end) = (*self.places.get(range.start)?, *self.places.get(range.end)?);
        (start < end).then_some(start..end)
    }

    fn push(&mut self, character: char, place: usize) {
        self.text.push(character);
        self.places.extend(std::iter::repeat_n(place, character.len_utf8()));
    }

    fn write(&mut self, text: &str, line: Range<usize>) {
        let mut at = line.start;
        while let Some(character) = text.get(at..line.end).and_then(|rest| rest.chars().next()) {
            let rest = &text[at..line.end];
            let plain = match character {
                '\\' => escape(rest),
                '&' => entity(rest),
                _ => None,
            };
            if let Some((plain, length)) = plain {
                self.push(plain, at);
                at += length;
                continue;
            }
            if !UNSEEN.contains(&character) {
                self.push(narrow(character), at);
            }
            at += character.len_utf8();
        }
    }
}

/// The character that an escape at the start of a text stands for, and the length of the escape. Escapes of escapes
/// count as one: text may have been put into JSON more than once.
fn escape(text: &str) -> Option<(char, usize)> {
    let bars = text.bytes().take_while(|&byte| byte == b'\\').count();
    let behind = &text[bars..];
    let plain = match behind.bytes().next()? {
        b'n' | b'r' => '\n',
        b't' => '\t',
        quote @ (b'"' | b'\'' | b'/') => char::from(quote),
        b'u' => return number(behind.get(1..5)?, 16).map(|plain| (plain, bars + 5)),
        b'x' => return number(behind.get(1..3)?, 16).map(|plain| (plain, bars + 3)),
        _ => return None,
    };
    Some((plain, bars + 1))
}

/// The same for an entity of mark-up.
fn entity(text: &str) -> Option<(char, usize)> {
    for (name, plain) in [("&quot;", '"'), ("&apos;", '\''), ("&amp;", '&')] {
        if text.starts_with(name) {
            return Some((plain, name.len()));
        }
    }
    let digits = text.strip_prefix("&#")?;
    let end = digits.bytes().take(7).position(|byte| byte == b';')?;
    let plain = match digits[..end].strip_prefix(['x', 'X']) {
        Some(hex) => number(hex, 16),
        None => number(&digits[..end], 10),
    };
    plain.map(|plain| (plain, "&#;".len() + end))
}

/// The ASCII character with this number.
fn number(digits: &str, radix: u32) -> Option<char> {
    char::from_u32(u32::from_str_radix(digits, radix).ok()?).filter(|plain| (' '..='~').contains(plain))
}

/// A full-width letter, digit or mark as its narrow one. Marks of Chinese sentences stay: they end values.
fn narrow(character: char) -> char {
    match character {
        '，' | '；' | '：' | '！' | '？' | '（' | '）' => character,
        '！'..='～' => {
            char::from_u32(u32::from(character) - u32::from('！') + u32::from('!')).unwrap_or(character)
        }
        _ => character,
    }
}
