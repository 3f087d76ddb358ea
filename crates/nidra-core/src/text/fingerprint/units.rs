//! The words of a statement in their order, each with what it is there for: a value, or something denied.

use super::FingerprintKey;
use crate::text::language::is_han;
use crate::text::similarity;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use unicode_normalization::UnicodeNormalization as _;

/// Bits of a unit's hash that are kept; the flags stand above them.
const HASH_BITS: u32 = 10;
const VALUE: u16 = 1 << 13;
const DENIED: u16 = 1 << 14;
const CONTENT: u16 = 1 << 15;
/// The weight from which a word says what a statement is about.
const CONTENT_WEIGHT: f64 = 1.0;
/// Words behind one that introduces a value which are taken for it: an attribute and its noun.
const INTRODUCED: u8 = 2;
/// Words of a statement that are compared one by one.
const MAX_UNITS: usize = 200;

/// One in so many words that one statement denies and the other does not makes them two.
const OPPOSED: usize = 4;

/// English words that insist and say nothing else.
const INSISTENCE: &[&str] = &[
    "again",
    "always",
    "definitely",
    "ever",
    "just",
    "must",
    "now",
    "please",
    "really",
    "remember",
    "simply",
    "strictly",
];
/// The same in Chinese, the longer ones first.
const HAN_INSISTENCE: &[&str] = &[
    "从现在开始",
    "从现在起",
    "一定要",
    "一律",
    "总是",
    "必须",
    "一定",
    "务必",
    "统一",
    "以后",
    "今后",
    "记住",
    "都要",
    "都",
];
/// Names that begin or end with a character which insists elsewhere.
const HAN_KEEP: &[&str] = &["首都", "成都", "京都", "都市", "古都"];
/// English words behind which a value stands.
const INTRODUCES: &[&str] = &[
    "are", "as", "at", "by", "called", "for", "from", "in", "into", "is", "named", "on", "onto", "through",
    "to", "under", "use", "used", "uses", "using", "via", "was", "were", "with",
];
/// Chinese characters behind which a value stands.
const HAN_INTRODUCES: &str = "用在是为到成叫给由";
/// Chinese characters that say nothing alone.
const HAN_EMPTY: &str = "的了吗呢吧啊呀嘛我你请们这那个些先再也就";
/// Chinese words that deny.
const HAN_DENIES: &[&str] = &["禁止", "不", "没", "勿", "别"];
/// Words that hold a character which denies elsewhere.
const HAN_AFFIRMS: &[&str] =
    &["级别", "分别", "特别", "类别", "区别", "识别", "性别", "不过", "不仅", "不同"];

/// A word of a statement: a short hash of it, whether it is a value, whether it is denied, and whether it says anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unit(u16);

impl Unit {
    fn hash(self) -> u16 {
        self.0 & ((1 << HASH_BITS) - 1)
    }

    fn is(self, flag: u16) -> bool {
        self.0 & flag != 0
    }

    /// Whether it is a value that says something.
    fn is_value(self) -> bool {
        self.is(VALUE) && self.is(CONTENT)
    }
}

impl Serialize for Unit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Unit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        u16::deserialize(deserializer).map(Self)
    }
}

/// A text without the words that only insist.
pub(super) fn without_insistence(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    let mut before: Option<char> = None;
    while let Some(letter) = rest.chars().next() {
        let skipped = if is_han(letter) {
            let name = |word: &&&str| {
                rest.starts_with(**word)
                    || before.is_some_and(|before| word.starts_with(before) && word.ends_with(letter))
            };
            let kept_whole = HAN_KEEP.iter().find(name).is_some();
            HAN_INSISTENCE
                .iter()
                .filter(|_| !kept_whole)
                .find(|word| rest.starts_with(**word))
                .map(|word| word.len())
        } else if letter.is_alphabetic() && !before.is_some_and(char::is_alphanumeric) {
            let end = rest.find(|letter: char| !letter.is_alphanumeric()).unwrap_or(rest.len());
            let word = rest[..end].to_lowercase();
            INSISTENCE.binary_search(&word.as_str()).is_ok().then_some(end)
        } else {
            None
        };
        let step = skipped.unwrap_or(letter.len_utf8());
        if skipped.is_none() {
            kept.push(letter);
        }
        before = rest[..step].chars().next_back();
        rest = &rest[step..];
    }
    kept
}

/// The words of a text.
pub(super) fn read(text: &str, key: &FingerprintKey) -> Vec<Unit> {
    let letters: Vec<char> = text.nfkc().collect();
    let mut reading =
        Reading { key, units: Vec::new(), introduced: 0, denied: false, begins: true, in_code: false };
    let mut at = 0;
    while let Some(&letter) = letters.get(at) {
        at += if is_han(letter) {
            reading.han(&letters[at..], at.checked_sub(1).and_then(|before| letters.get(before)).copied())
        } else if letter.is_alphanumeric() || letter == '_' {
            reading.word(&letters[at..])
        } else {
            reading.mark(letter);
            1
        };
        if reading.units.len() >= MAX_UNITS {
            break;
        }
    }
    reading.end_clause();
    reading.units
}

struct Reading<'a> {
    key: &'a FingerprintKey,
    units: Vec<Unit>,
    /// How many of the next words are a value.
    introduced: u8,
    denied: bool,
    begins: bool,
    in_code: bool,
}

impl Reading<'_> {
    fn mark(&mut self, letter: char) {
        match letter {
            '`' => self.in_code = !self.in_code,
            ',' | ';' | '.' | '!' | '?' | '，' | '；' | '。' | '！' | '？' | '、' | '\n' | '(' | ')'
            | ':' => {
                self.end_clause();
            }
            _ => {}
        }
    }

    /// What ends a clause is what it leads to.
    fn end_clause(&mut self) {
        if !self.begins
            && let Some(last) = self.units.last_mut()
        {
            last.0 |= VALUE;
        }
        self.introduced = 0;
        self.denied = false;
        self.begins = true;
    }

    /// Reads a word with the marks inside of it; returns how many characters it has.
    fn word(&mut self, letters: &[char]) -> usize {
        let inside = |at: usize| {
            letters
                .get(at)
                .is_some_and(|letter| (letter.is_alphanumeric() || *letter == '_') && !is_han(*letter))
        };
        let mut end = 0;
        while inside(end)
            || (end > 0 && letters.get(end).is_some_and(|l| ".-/\\@'’:".contains(*l)) && inside(end + 1))
        {
            end += 1;
        }
        let raw: String = letters[..end].iter().collect();
        let lower = raw.to_lowercase();
        let terms = similarity::terms(&raw);
        let starts_clause = std::mem::replace(&mut self.begins, false);
        match terms.first() {
            Some(term) if term == "not" || matches!(lower.as_str(), "instead" | "rather") => {
                self.denied = true;
            }
            None => {
                if INTRODUCES.binary_search(&lower.as_str()).is_ok() {
                    self.introduced = INTRODUCED;
                }
            }
            Some(term) => {
                let has_form = raw.contains(|letter: char| !letter.is_alphabetic())
                    || raw.contains(char::is_uppercase) && !starts_clause
                    || self.in_code;
                let value = has_form || self.introduced > 0;
                self.introduced = self.introduced.saturating_sub(1);
                let weight = similarity::weight(term);
                self.push(term, value, weight >= CONTENT_WEIGHT);
                if INTRODUCES.binary_search(&lower.as_str()).is_ok() {
                    self.introduced = INTRODUCED;
                }
            }
        }
        end.max(1)
    }

    /// Reads Chinese; returns how many characters it took.
    fn han(&mut self, rest: &[char], before: Option<char>) -> usize {
        let letter = rest[0];
        let starts = |word: &str| word.chars().enumerate().all(|(at, letter)| rest.get(at) == Some(&letter));
        self.begins = false;
        let affirms = HAN_AFFIRMS.iter().any(|word| {
            starts(word) || before.is_some_and(|before| word.starts_with(before) && word.ends_with(letter))
        });
        if let Some(word) = HAN_DENIES.iter().find(|word| !affirms && starts(word)) {
            self.denied = true;
            // `不要`, `别再`: what follows the denial belongs to it.
            let own = word.chars().count();
            return own + usize::from(matches!(rest.get(own), Some('要' | '能' | '得' | '可' | '许')));
        }
        if HAN_INTRODUCES.contains(letter) {
            self.introduced = u8::MAX;
            return 1;
        }
        if !HAN_EMPTY.contains(letter) {
            let term: String = similarity::terms(&letter.to_string()).into_iter().next().unwrap_or_default();
            let value = self.introduced > 0;
            self.push(if term.is_empty() { "?" } else { &term }, value, true);
        }
        1
    }

    fn push(&mut self, term: &str, value: bool, content: bool) {
        let mut unit = self.key.hash("unit", term, HASH_BITS);
        for (flag, is_set) in [(VALUE, value), (DENIED, self.denied), (CONTENT, content)] {
            if is_set {
                unit |= flag;
            }
        }
        self.units.push(Unit(unit));
    }
}

/// Whether two statements that share most of their words differ all the same: another value stands in the same place, or
/// one denies what the other says.
pub(super) fn differ(left: &[Unit], right: &[Unit]) -> bool {
    let pairs = aligned(left, right);
    let content: Vec<_> = pairs
        .iter()
        .map(|(at, with)| (left[*at], right[*with]))
        .filter(|(left, right)| left.is(CONTENT) && right.is(CONTENT))
        .collect();
    let opposed = content.iter().filter(|(left, right)| left.is(DENIED) != right.is(DENIED)).count();
    if opposed > 0 && opposed * OPPOSED >= content.len() {
        return true;
    }
    let mut from = (0, 0);
    for (at, with) in pairs.into_iter().chain([(left.len(), right.len())]) {
        let (mine, theirs) = (&left[from.0..at], &right[from.1..with]);
        if mine.iter().any(|unit| unit.is_value()) && theirs.iter().any(|unit| unit.is_value()) {
            return true;
        }
        from = (at + 1, with + 1);
    }
    false
}

/// The longest row of words that both have in the same order, as pairs of their places.
fn aligned(left: &[Unit], right: &[Unit]) -> Vec<(usize, usize)> {
    let columns = right.len() + 1;
    let mut longest = vec![0_u16; (left.len() + 1) * columns];
    for at in (0..left.len()).rev() {
        for other in (0..right.len()).rev() {
            longest[at * columns + other] = if left[at].hash() == right[other].hash() {
                longest[(at + 1) * columns + other + 1] + 1
            } else {
                longest[(at + 1) * columns + other].max(longest[at * columns + other + 1])
            };
        }
    }
    let (mut at, mut other, mut pairs) = (0, 0, Vec::new());
    while at < left.len() && other < right.len() {
        if left[at].hash() == right[other].hash() {
            pairs.push((at, other));
            at += 1;
            other += 1;
        } else if longest[(at + 1) * columns + other] >= longest[at * columns + other + 1] {
            at += 1;
        } else {
            other += 1;
        }
    }
    pairs
}
