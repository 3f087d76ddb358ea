//! A second look at lines that are written in disguise: escaped in JSON or mark-up, in full-width letters, in letters
//! of another script that look alike, with blanks between the letters, or with characters that nobody sees.

use std::ops::Range;

/// Only lines with one of these are looked at again.
pub(super) fn keywords() -> Vec<String> {
    let mut words: Vec<String> =
        ["\\n", "\\r", "\\t", "\\\"", "\\'", "\\u00", "\\/", "\\x", "&quot;", "&#", "&apos;", "&amp;"]
            .map(str::to_owned)
            .to_vec();
    words.extend(UNSEEN.iter().map(char::to_string));
    words.extend(SPACED.iter().map(|word| (*word).to_owned()));
    for word in LOOKALIKE_WORDS {
        let letters: Vec<char> = word.chars().collect();
        for pair in letters.windows(2) {
            let &[first, second] = pair else { continue };
            words.extend(lookalikes(first).map(|other| String::from_iter([other, second])));
            words.extend(lookalikes(second).map(|other| String::from_iter([first, other])));
        }
    }
    let wide = ['０'..='９', 'Ａ'..='Ｚ', 'ａ'..='ｚ'];
    words.extend(wide.into_iter().flatten().map(String::from));
    words
}

/// Characters without a width.
const UNSEEN: [char; 8] =
    ['\u{200b}', '\u{200c}', '\u{200d}', '\u{2060}', '\u{feff}', '\u{ad}', '\u{200e}', '\u{200f}'];

/// How names of secrets begin whose letters stand apart.
const SPACED: &[&str] =
    &["p a s s", "p-a-s-s", "p.a.s.s", "s e c r e t", "t o k e n", "密 码", "口 令", "密-码"];

/// Names of secrets that somebody writes with letters of another script.
const LOOKALIKE_WORDS: &[&str] =
    &["password", "passphrase", "passwd", "secret", "token", "credential", "api key"];

/// Letters of other scripts that look like those of the Latin one, and which.
const LOOKALIKES: &[(char, char)] = &[
    ('а', 'a'),
    ('е', 'e'),
    ('о', 'o'),
    ('р', 'p'),
    ('с', 'c'),
    ('х', 'x'),
    ('у', 'y'),
    ('і', 'i'),
    ('ѕ', 's'),
    ('ԁ', 'd'),
    ('ԝ', 'w'),
    ('һ', 'h'),
    ('к', 'k'),
    ('т', 't'),
    ('ո', 'n'),
    ('ο', 'o'),
    ('ρ', 'p'),
    ('α', 'a'),
    ('κ', 'k'),
    ('ɑ', 'a'),
];

/// The letters of other scripts that look like this one.
fn lookalikes(letter: char) -> impl Iterator<Item = char> {
    LOOKALIKES.iter().filter(move |(_, plain)| *plain == letter).map(|(other, _)| *other)
}

/// The length of the word at the start of a text whose letters stand apart, each behind the same mark; with the marks.
fn apart(text: &str) -> Option<usize> {
    let mut characters = text.chars();
    let first = characters.next().filter(|first| first.is_alphabetic())?;
    let mark = characters.next().filter(|mark| matches!(mark, ' ' | '-' | '.'))?;
    let (mut length, mut letters, mut ascii) = (first.len_utf8(), 1, first.is_ascii());
    loop {
        let rest = text[length..].strip_prefix(mark);
        let next = rest.and_then(|rest| rest.chars().next()).filter(|next| next.is_alphabetic());
        let (Some(rest), Some(next)) = (rest, next) else { break };
        // A letter that begins a word of its own stands apart from what was before.
        if rest[next.len_utf8()..].starts_with(char::is_alphanumeric) {
            break;
        }
        letters += 1;
        ascii &= next.is_ascii();
        length += mark.len_utf8() + next.len_utf8();
    }
    (letters >= if ascii { 4 } else { 2 }).then_some(length)
}

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
            let begins = !text[line.start..at].ends_with(char::is_alphanumeric);
            if let Some(length) = apart(rest).filter(|_| begins) {
                rest[..length].chars().filter(|c| c.is_alphabetic()).for_each(|letter| self.push(letter, at));
                at += length;
                continue;
            }
            if !UNSEEN.contains(&character) {
                self.push(latin(character), at);
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

/// The Latin letter that a character looks like, or its narrow form.
fn latin(character: char) -> char {
    if character.is_ascii() {
        return character;
    }
    let looks = LOOKALIKES.iter().find(|(other, _)| *other == character);
    looks.map_or_else(|| narrow(character), |(_, plain)| *plain)
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
