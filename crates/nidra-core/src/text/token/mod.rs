//! Estimates tokens without a tokenizer.
//!
//! Budgets need a number that is right within a few hundredths, for text of any kind, on any machine, at once. One walk
//! over the bytes counts runs by their script ([`Features`]); a price for each kind of run, fitted to a family of
//! tokenizers, makes tokens of them. The counts are whole numbers, so the estimate is the same everywhere.
//! `cargo run -p nidra-core --example tokens` measures the error against real tokenizers.

use super::language::is_han;
use std::fmt;

/// An estimate of the number of tokens of a text, for the family that most models of today come near.
pub fn estimate(text: &str) -> usize {
    Features::of(text).tokens(Family::default())
}

/// Tokenizers with the same vocabulary, or so near to it that one set of prices serves them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// OpenAI's vocabulary of 100,000.
    Cl100k,
    /// OpenAI's vocabulary of 200,000; what is not known counts as this one.
    #[default]
    O200k,
    /// Claude from version 3 to 4.6.
    Claude3,
    /// Claude from version 4.7.
    Claude47,
    /// Gemma, and Gemini, which is said to share its vocabulary.
    Gemma,
}

impl Family {
    /// All families.
    pub const ALL: [Self; 5] = [Self::Cl100k, Self::O200k, Self::Claude3, Self::Claude47, Self::Gemma];

    /// The name used in settings and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cl100k => "cl100k",
            Self::O200k => "o200k",
            Self::Claude3 => "claude-3",
            Self::Claude47 => "claude-4.7",
            Self::Gemma => "gemma",
        }
    }

    /// The family with this name, else the one of the model with this name; models that are not known count as
    /// [`Family::O200k`].
    pub fn of_model(name: &str) -> Self {
        let name = name.to_ascii_lowercase();
        if let Some(family) = Self::ALL.into_iter().find(|family| family.as_str() == name) {
            return family;
        }
        let has = |word: &str| name.contains(word);
        if has("claude") || has("opus") || has("sonnet") || has("haiku") || has("fable") {
            // A name without a version is the newest model of that name.
            return if version(&name).is_none_or(|version| version >= (4, 7)) {
                Self::Claude47
            } else {
                Self::Claude3
            };
        }
        if has("gemma") || has("gemini") {
            return Self::Gemma;
        }
        let older = ["gpt-3.5", "gpt-35", "text-embedding", "davinci-002"].iter().any(|model| has(model));
        let four = has("gpt-4") && !has("gpt-4o") && !has("gpt-4.1") && !has("gpt-4.5");
        if older || four { Self::Cl100k } else { Self::O200k }
    }

    /// What a budget adds to an estimate so that one in a hundred texts passes it: the error of the worst texts.
    pub fn margin(self) -> f64 {
        match self {
            Self::Claude47 => 0.25,
            Self::Cl100k | Self::O200k | Self::Claude3 | Self::Gemma => 0.15,
        }
    }

    fn prices(self) -> Prices {
        let prices = |[
            word,
            tail,
            capitals,
            digits,
            mark,
            marked_line,
            line,
            blanks,
            han,
            kana,
            hangul,
            letter,
            symbol,
        ]: [f64; 13]| {
            Prices {
                word,
                tail,
                capitals,
                digits,
                mark,
                marked_line,
                line,
                blanks,
                han,
                kana,
                hangul,
                letter,
                symbol,
            }
        };
        // Fitted by least squares of the relative error on prose, documents, code, data, logs and transcripts, each
        // kind counting alike; kana, hangul and letters of other scripts on texts of their own.
        match self {
            Self::Cl100k => {
                prices([0.87, 1.06, 0.01, 1.44, 0.59, 0.55, 1.5, 1.17, 1.12, 1.07, 1.37, 0.51, 2.1])
            }
            Self::O200k => {
                prices([0.87, 1.04, 0.02, 1.43, 0.61, 0.53, 1.5, 1.18, 0.76, 0.79, 0.85, 0.31, 2.0])
            }
            Self::Claude3 => {
                prices([1.06, 0.75, 0.42, 1.57, 0.68, 1.66, 1.53, 1.13, 1.14, 0.91, 1.46, 0.44, 2.6])
            }
            Self::Claude47 => {
                prices([1.38, 1.86, 1.36, 1.37, 0.89, 1.46, 1.74, 1.17, 1.14, 0.91, 1.46, 0.45, 2.7])
            }
            Self::Gemma => {
                prices([1.12, 0.0, 0.41, 2.26, 0.7, 0.82, 0.82, 1.04, 0.63, 0.47, 0.76, 0.28, 1.0])
            }
        }
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The first version in the name of a model: one or two numbers of at most two digits, so that a date is none.
fn version(name: &str) -> Option<(u32, u32)> {
    let numbers: Vec<Option<u32>> = name
        .split(['-', '.', '_', '@', '/', ':', ' '])
        .map(|part| part.parse().ok().filter(|_| part.len() <= 2))
        .collect();
    let at = numbers.iter().position(Option::is_some)?;
    Some((numbers.get(at).copied().flatten()?, numbers.get(at + 1).copied().flatten().unwrap_or(0)))
}

/// What one of each run costs, in tokens.
struct Prices {
    word: f64,
    tail: f64,
    capitals: f64,
    digits: f64,
    mark: f64,
    marked_line: f64,
    line: f64,
    blanks: f64,
    han: f64,
    kana: f64,
    hangul: f64,
    letter: f64,
    symbol: f64,
}

/// What a text is made of, counted in one walk; everything that an estimate needs to know of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Features {
    /// Pieces of ASCII letters, cut where a capital begins a new word.
    pub words: u64,
    /// Letters of such pieces beyond the sixth.
    pub tail_letters: u64,
    /// Letters of pieces that are all capitals.
    pub capital_letters: u64,
    /// Digits, where a run counts as three at least.
    pub digits: u64,
    /// Eighths of marks: eight for a run of one mark of ASCII or a wide mark, one for each repetition.
    pub mark_eighths: u64,
    /// Runs of line ends behind a mark, with which many vocabularies join them.
    pub marked_lines: u64,
    /// Other runs of line ends.
    pub lines: u64,
    /// Runs of two or more blanks.
    pub blanks: u64,
    /// Han characters.
    pub han: u64,
    /// Kana.
    pub kana: u64,
    /// Hangul.
    pub hangul: u64,
    /// Letters of other scripts.
    pub letters: u64,
    /// Eighths of other signs: eight for a run of one sign, one for each repetition.
    pub symbol_eighths: u64,
}

/// The class of a byte.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Digit,
    Mark,
    Line,
    Blank,
    Beyond,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Mark; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte {
            0x61..=0x7a => Class::Lower,
            0x41..=0x5a => Class::Upper,
            0x30..=0x39 => Class::Digit,
            0x0a => Class::Line,
            0x20 | 0x09 | 0x0d => Class::Blank,
            0x80..=0xff => Class::Beyond,
            _ => Class::Mark,
        };
        byte += 1;
    }
    classes
};

/// Where the run of bytes that are alike ends.
fn run(bytes: &[u8], from: usize, alike: impl Fn(u8) -> bool) -> usize {
    bytes
        .get(from..)
        .unwrap_or_default()
        .iter()
        .position(|&byte| !alike(byte))
        .map_or(bytes.len(), |n| from + n)
}

fn is(class: Class) -> impl Fn(u8) -> bool {
    move |byte| CLASSES[usize::from(byte)] == class
}

fn before(text: &str, at: usize) -> Option<char> {
    text.get(..at).and_then(|past| past.chars().next_back())
}

fn is_wide_mark(letter: char) -> bool {
    matches!(letter, '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ffef}')
}

fn is_behind_mark(text: &str, at: usize) -> bool {
    before(text, at).is_some_and(|letter| match u8::try_from(letter) {
        Ok(byte) => CLASSES[usize::from(byte)] == Class::Mark,
        Err(_) => is_wide_mark(letter),
    })
}

impl Features {
    /// Counts the runs of a text.
    pub fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut features = Self::default();
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            let start = at;
            match CLASSES[usize::from(byte)] {
                Class::Lower => {
                    at = run(bytes, at, is(Class::Lower));
                    features.word(at - start);
                }
                Class::Upper => {
                    at = run(bytes, at, is(Class::Upper));
                    let end = run(bytes, at, is(Class::Lower));
                    // The last capital before small letters begins their word.
                    let capitals = at - start - usize::from(end > at);
                    if capitals > 0 {
                        features.word(capitals);
                    }
                    if capitals > 1 {
                        features.capital_letters += count(capitals);
                    }
                    if end > at {
                        features.word(end - at + 1);
                        at = end;
                    }
                }
                Class::Digit => {
                    at = run(bytes, at, is(Class::Digit));
                    features.digits += count((at - start).max(3));
                }
                Class::Mark => {
                    at = run(bytes, at, |next| next == byte);
                    features.mark_eighths += count(7 + at - start);
                }
                Class::Line => {
                    at = run(bytes, at, is(Class::Line));
                    let counter = if is_behind_mark(text, start) {
                        &mut features.marked_lines
                    } else {
                        &mut features.lines
                    };
                    *counter += 1;
                }
                Class::Blank => {
                    at = run(bytes, at, is(Class::Blank));
                    features.blanks += u64::from(at - start > 1);
                }
                Class::Beyond => {
                    let Some(letter) = text.get(at..).and_then(|rest| rest.chars().next()) else { break };
                    at += letter.len_utf8();
                    features.letter(letter, text, start);
                }
            }
        }
        features
    }

    fn word(&mut self, length: usize) {
        self.words += 1;
        self.tail_letters += count(length.saturating_sub(6));
    }

    /// Counts a letter or sign outside of ASCII that stands at this place of the text.
    fn letter(&mut self, letter: char, text: &str, at: usize) {
        match letter {
            letter if is_han(letter) => self.han += 1,
            letter if is_wide_mark(letter) => self.mark_eighths += 8,
            '\u{3040}'..='\u{30ff}' => self.kana += 1,
            '\u{ac00}'..='\u{d7af}' => self.hangul += 1,
            letter if letter.is_alphabetic() => self.letters += 1,
            letter => self.symbol_eighths += if before(text, at) == Some(letter) { 1 } else { 8 },
        }
    }

    /// The tokens that a family makes of the text.
    pub fn tokens(&self, family: Family) -> usize {
        let prices = family.prices();
        let parts = [
            (self.words, prices.word),
            (self.tail_letters, prices.tail / 4.0),
            (self.capital_letters, prices.capitals / 2.5),
            (self.digits, prices.digits / 3.0),
            (self.mark_eighths, prices.mark / 8.0),
            (self.marked_lines, prices.marked_line),
            (self.lines, prices.line),
            (self.blanks, prices.blanks),
            (self.han, prices.han),
            (self.kana, prices.kana),
            (self.hangul, prices.hangul),
            (self.letters, prices.letter),
            (self.symbol_eighths, prices.symbol / 8.0),
        ];
        whole(parts.into_iter().map(|(number, price)| number as f64 * price).sum())
    }

    /// What two texts come to together, but for a run that goes on from one into the other.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            words: self.words + other.words,
            tail_letters: self.tail_letters + other.tail_letters,
            capital_letters: self.capital_letters + other.capital_letters,
            digits: self.digits + other.digits,
            mark_eighths: self.mark_eighths + other.mark_eighths,
            marked_lines: self.marked_lines + other.marked_lines,
            lines: self.lines + other.lines,
            blanks: self.blanks + other.blanks,
            han: self.han + other.han,
            kana: self.kana + other.kana,
            hangul: self.hangul + other.hangul,
            letters: self.letters + other.letters,
            symbol_eighths: self.symbol_eighths + other.symbol_eighths,
        }
    }
}

fn count(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

/// The nearest whole number; the text of a machine never comes near the limits of the types.
fn whole(total: f64) -> usize {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a count of tokens is small and not negative"
    )]
    let whole = total.round().max(0.0) as usize;
    whole
}

#[cfg(test)]
#[path = "token_tests.rs"]
mod tests;
