//! What a text is made of, counted in one walk over its bytes.

use super::vocabulary::{self, Frequency, MAX_WORD, Word};
use crate::text::language::is_han;

/// The number of kinds of runs.
pub const KINDS: usize = 27;

/// The kinds of runs that cost alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Kind {
    /// Pieces of ASCII letters, cut where a capital begins a new word, that are common behind a blank.
    Spaced,
    /// Such pieces that are common where they stand, not behind a blank.
    Bare,
    /// Such pieces that are not common.
    Rare,
    /// Pieces of two or more capitals.
    Capitals,
    /// Threes of digits, begun ones too.
    Digits,
    /// Runs of digits behind a blank.
    SpacedDigits,
    /// Runs of marks of ASCII.
    Marks,
    /// Marks that differ from the one before them in the run.
    OtherMarks,
    /// Marks that repeat it.
    RepeatedMarks,
    /// Runs of line ends behind a mark, with which many vocabularies join them.
    MarkedLines,
    /// Other runs of line ends.
    Lines,
    /// Runs of two or more blanks.
    Blanks,
    /// Han characters that are one token nearly everywhere.
    CommonHan,
    /// Han characters that are one token in large vocabularies.
    KnownHan,
    /// Other Han characters.
    RareHan,
    /// Wide marks.
    WideMarks,
    /// Kana.
    Kana,
    /// Hangul.
    Hangul,
    /// Letters of other scripts.
    Letters,
    /// Other signs.
    Symbols,
    /// Dashes, lines and the like that repeat the one before them.
    RepeatedSymbols,
    /// Letters of a piece beyond `LONG`: no token holds that many.
    FarLetters,
    /// Marks of a run beyond `LONG` that differ from the one before them.
    FarMarks,
    /// Begun `LONG`s of blanks or line ends in one run, beyond the first.
    FarBlanks,
    /// Blanks in a run longer than `LONG` that differ from the one before them, or move back to the beginning of the line.
    OtherBlanks,
    /// Signs of emotion and the like.
    Emoji,
    /// Letters and signs that hardly any vocabulary has, so that each byte of them is about a token.
    Odd,
}

/// The length from which on a run is one that texts hardly have. What is within costs as it does in ordinary texts; beyond
/// it each letter, mark and blank counts, or a long run would cost nothing.
const LONG: usize = 16;

/// How many runs of each kind a text has; everything that an estimate needs to know of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Features([u64; KINDS]);

/// The class of a byte.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Digit,
    Mark,
    Line,
    Blank,
    Control,
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
            // What begins the commands of a terminal is joined with the mark behind it.
            0x00..=0x1a | 0x1c..=0x1f | 0x7f => Class::Control,
            0x80..=0xff => Class::Beyond,
            _ => Class::Mark,
        };
        byte += 1;
    }
    classes
};

fn class(byte: u8) -> Class {
    CLASSES[usize::from(byte)]
}

/// Where the run of bytes of a class ends.
fn run(bytes: &[u8], from: usize, alike: Class) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    rest.iter().position(|&byte| class(byte) != alike).map_or(bytes.len(), |length| from + length)
}

fn before(text: &str, at: usize) -> Option<char> {
    text.get(..at).and_then(|past| past.chars().next_back())
}

fn is_wide_mark(letter: char) -> bool {
    matches!(letter, '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ffef}')
}

fn is_behind_mark(text: &str, at: usize) -> bool {
    before(text, at).is_some_and(|letter| match u8::try_from(letter) {
        Ok(byte) => class(byte) == Class::Mark,
        Err(_) => is_wide_mark(letter),
    })
}

/// Whether hardly any vocabulary has a letter or sign: rare Latin letters, accents that stand for themselves, dots of
/// Braille, signs for private use, and scripts of few readers.
fn is_odd(letter: char) -> bool {
    match letter {
        '\u{180}'..='\u{24f}' | '\u{300}'..='\u{36f}' | '\u{700}'..='\u{8ff}' | '\u{2800}'..='\u{28ff}' => {
            true
        }
        // Latin and Greek letters with marks, signs that stand in many a text of any language, and what turns a sign into
        // one of emotion.
        '\u{1e00}'..='\u{33ff}' | '\u{fe00}'..='\u{fe0f}' => false,
        '\u{1000}'.. => true,
        _ => false,
    }
}

/// Whether vocabularies join a sign with others of its kind: dashes, points, lines and blocks.
fn is_joined(letter: char) -> bool {
    matches!(letter, '\u{2010}'..='\u{2027}' | '─' | '━' | '═' | '▀'..='▓' | '■' | '□' | '●' | '○')
}

impl Features {
    /// Counts the runs of a text.
    pub fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut features = Self::default();
        let mut at = 0;
        let mut spaced = false;
        while let Some(&byte) = bytes.get(at) {
            let start = at;
            let behind_blank = std::mem::take(&mut spaced);
            match class(byte) {
                Class::Lower => {
                    at = run(bytes, at, Class::Lower);
                    features.word(bytes, start, at, behind_blank);
                }
                Class::Upper => {
                    let capitals = run(bytes, at, Class::Upper);
                    at = run(bytes, capitals, Class::Lower);
                    // The last capital before small letters begins their word.
                    let word = if at > capitals { capitals - 1 } else { capitals };
                    match word - start {
                        0 => {}
                        1 => features.word(bytes, start, word, behind_blank),
                        length => {
                            features.add(Kind::Capitals, 1);
                            features.add(Kind::FarLetters, length.saturating_sub(LONG));
                        }
                    }
                    if at > word {
                        features.word(bytes, word, at, behind_blank && word == start);
                    }
                }
                Class::Digit => {
                    at = run(bytes, at, Class::Digit);
                    features.add(Kind::Digits, (at - start).div_ceil(3));
                    features.add(Kind::SpacedDigits, usize::from(behind_blank));
                }
                Class::Mark => {
                    at = run(bytes, at, Class::Mark);
                    let marks = bytes.get(start..at).unwrap_or_default();
                    let others = marks.windows(2).filter(|pair| pair.first() != pair.last()).count();
                    features.add(Kind::Marks, 1);
                    features.add(Kind::OtherMarks, others);
                    features.add(Kind::RepeatedMarks, at - start - 1 - others);
                    if others > LONG {
                        features.add(Kind::FarMarks, others - LONG);
                    }
                }
                Class::Line => {
                    at = run(bytes, at, Class::Line);
                    let marked = is_behind_mark(text, start);
                    features.add(if marked { Kind::MarkedLines } else { Kind::Lines }, 1);
                    if at - start > LONG {
                        features.add(Kind::FarBlanks, (at - start - 1) / LONG);
                    }
                }
                Class::Blank => {
                    at = run(bytes, at, Class::Blank);
                    features.add(Kind::Blanks, usize::from(at - start > 1));
                    if at - start > LONG {
                        features.far_blanks(bytes.get(start..at).unwrap_or_default());
                    }
                    spaced = true;
                }
                Class::Control => {
                    at += 1;
                    features.add(Kind::Symbols, 1);
                }
                Class::Beyond => {
                    let Some(letter) = text.get(at..).and_then(|rest| rest.chars().next()) else { break };
                    at += letter.len_utf8();
                    features.add(kind(letter, text, start), 1);
                }
            }
        }
        features
    }

    #[inline]
    fn word(&mut self, bytes: &[u8], start: usize, end: usize, spaced: bool) {
        let length = end - start;
        let common = length == 1
            || length <= MAX_WORD && vocabulary::is_common(Word::at(bytes, start, length), spaced);
        self.add(
            match (common, spaced || length == 1) {
                (true, true) => Kind::Spaced,
                (true, false) => Kind::Bare,
                (false, _) => Kind::Rare,
            },
            1,
        );
        if length > LONG {
            self.add(Kind::FarLetters, length - LONG);
        }
    }

    fn far_blanks(&mut self, blanks: &[u8]) {
        let others =
            blanks.windows(2).filter(|pair| pair.first() != pair.last() || pair.last() == Some(&b'\r'));
        self.add(Kind::FarBlanks, (blanks.len() - 1) / LONG);
        self.add(Kind::OtherBlanks, others.count());
    }

    #[inline]
    fn add(&mut self, kind: Kind, number: usize) {
        self.0[kind as usize] += number as u64;
    }

    /// The numbers, in the order of [`Kind`].
    pub fn counts(&self) -> &[u64; KINDS] {
        &self.0
    }

    /// What two texts come to together, but for a run that goes on from one into the other.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        for (number, more) in self.0.iter_mut().zip(other.0) {
            *number += more;
        }
        self
    }
}

/// The kind of a letter or sign outside of ASCII that stands at this place of the text.
fn kind(letter: char, text: &str, at: usize) -> Kind {
    match letter {
        letter if is_han(letter) => match vocabulary::frequency(letter) {
            Frequency::Common => Kind::CommonHan,
            Frequency::Known => Kind::KnownHan,
            Frequency::Rare => Kind::RareHan,
        },
        letter if is_wide_mark(letter) => Kind::WideMarks,
        '\u{3040}'..='\u{30ff}' => Kind::Kana,
        '\u{ac00}'..='\u{d7af}' => Kind::Hangul,
        '\u{1f000}'..='\u{1faff}' => Kind::Emoji,
        letter if is_odd(letter) => Kind::Odd,
        letter if letter.is_alphabetic() => Kind::Letters,
        letter if is_joined(letter) && before(text, at) == Some(letter) => Kind::RepeatedSymbols,
        _ => Kind::Symbols,
    }
}
