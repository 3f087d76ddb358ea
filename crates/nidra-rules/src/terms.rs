//! The words that a statement is about, and the values that it gives.

use crate::lexicon;
use crate::sentence::is_identifier;
use nidra_core::text::expression;
use nidra_core::text::language::is_han;
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Whether a character parts the words of a sentence wherever it stands. A Han character does: it is no part of a word
/// in Latin letters.
pub(crate) fn is_separator(c: char) -> bool {
    c.is_whitespace() || is_han(c) || ",;()\"`「」“”，。、：；（）!?|".contains(c)
}

/// The words that a text is about: lower-case Latin words in a simple singular form, identifiers and their parts,
/// numbers, and pairs of Han characters. Stop words are left out.
pub(crate) fn terms(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for word in text.split(|c: char| is_separator(c) || matches!(c, '！' | '？' | '*' | '~')) {
        let word = word.trim_matches(|c: char| {
            matches!(c, '.' | ':' | '\'' | '-' | '<' | '>' | '[' | ']' | '{' | '}' | '=')
        });
        if word.is_empty() {
            continue;
        }
        let lower = word.to_lowercase();
        if is_identifier(word) {
            found.insert(lower.clone());
        }
        for part in parts(word) {
            let part = singular(&part.to_lowercase());
            let numeric = part.chars().all(|c| c.is_ascii_digit());
            if (part.len() > 1 || numeric) && !lexicon::is_stop_word(&part) {
                found.insert(part);
            }
        }
    }
    let han: Vec<char> = text.chars().collect();
    for pair in han.windows(2) {
        if is_han(pair[0]) && is_han(pair[1]) {
            let pair: String = pair.iter().collect();
            if !lexicon::is_stop_word(&pair)
                && !pair.contains([
                    '的', '了', '吗', '呢', '吧', '是', '不', '也', '就', '都', '把', '被', '在', '和', '要',
                    '别', '很',
                ])
            {
                found.insert(pair);
            }
        }
    }
    found
}

/// The parts of a word: at dashes, dots, slashes, underscores and where a capital follows a small letter.
fn parts(word: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut current = String::new();
    let mut previous = ' ';
    for character in word.chars() {
        let border = !(character.is_alphanumeric() || character == '\'' || character == '%');
        if (border || (character.is_uppercase() && previous.is_lowercase())) && !current.is_empty() {
            found.push(std::mem::take(&mut current));
        }
        if !border {
            current.push(character);
        }
        previous = character;
    }
    if !current.is_empty() {
        found.push(current);
    }
    found
}

/// A simple singular: `packages` and `package` are one.
fn singular(word: &str) -> String {
    if word.len() > 4 && word.ends_with("ies") {
        return format!("{}y", &word[..word.len() - 3]);
    }
    if word.len() > 3
        && word.ends_with('s')
        && !word.ends_with("ss")
        && !word.ends_with("us")
        && !word.ends_with("is")
        && word.is_ascii()
    {
        return word[..word.len() - 1].to_owned();
    }
    word.to_owned()
}

/// Whether two terms name the same: equal, or one begins with the other and is long enough to be the same word.
pub(crate) fn same(left: &str, right: &str) -> bool {
    if left == right {
        return true;
    }
    let (short, long) = if left.len() <= right.len() { (left, right) } else { (right, left) };
    if let (Some(a), Some(b)) = (hex(short), hex(long)) {
        return a == b;
    }
    short.is_ascii()
        && long.is_ascii()
        && short.len() >= 5
        && short.chars().all(|c| c.is_ascii_alphabetic())
        && long.starts_with(short)
        && long.len() <= short.len() + 4
}

fn hex(word: &str) -> Option<u64> {
    u64::from_str_radix(word.strip_prefix("0x")?, 16).ok()
}

/// How many of the terms have a match among the others.
pub(crate) fn shared(left: &BTreeSet<String>, right: &BTreeSet<String>) -> usize {
    left.iter().filter(|term| right.iter().any(|other| same(term, other))).count()
}

/// Whether most of what one set of terms is about is in the other.
pub(crate) fn says_less(left: &BTreeSet<String>, right: &BTreeSet<String>) -> bool {
    shared(left, right) * 10 >= left.len() * 7
}

/// Whether two different values have the same form: they share most of their beginning, or all but their numbers.
pub(crate) fn alike(left: &str, right: &str) -> bool {
    let bare = |text: &str| -> String { text.chars().filter(|c| !c.is_ascii_digit()).collect() };
    let prefix = left.chars().zip(right.chars()).take_while(|(a, b)| a == b).count();
    let longest = left.chars().count().max(right.chars().count());
    longest >= 6
        && (prefix * 10 >= longest * 6 || bare(left) == bare(right) && bare(left).chars().count() >= 3)
}

/// A kind of value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ValueKind {
    /// `https://…`
    Url,
    /// A host name or path.
    Location,
    /// A time of day.
    Time,
    /// A number with a unit, a percentage, a version, a hexadecimal number.
    Quantity,
    /// A name with dashes: a host, a cluster, a branch.
    Name,
    /// A bare number.
    Number,
    /// A day of the week.
    Weekday,
}

static VALUES: LazyLock<Vec<(ValueKind, Option<Regex>)>> = LazyLock::new(|| {
    [
        (ValueKind::Url, r"https?://[^\s，。）)」]+"),
        (ValueKind::Time, r"\b[0-2]?\d[:：][0-5]\d\b"),
        (ValueKind::Quantity, r"(?i)0x[0-9a-f]+|\bv?\d+\.\d+(?:\.\d+)*\s?%?|\d+\s?(?:%|秒|分钟|小时|天|ms|kb|mb|gb|kib|gib|s\b|px|v\b|ua\b|元|分\b)"),
        (ValueKind::Location, r"[A-Za-z0-9_.-]*/[A-Za-z0-9_./<>*-]+|\b[a-z0-9-]+(?:\.[a-z0-9-]+){1,}\b"),
        (ValueKind::Name, r"(?-u:\b)[A-Za-z][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)+(?-u:\b)"),
        (ValueKind::Weekday, r"(?:周|星期|礼拜)[一二三四五六日天]|(?i)\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b"),
        (ValueKind::Number, r"(?-u:\b)\d+(?-u:\b)"),
    ]
    .into_iter()
    .map(|(kind, pattern)| (kind, expression::new(pattern).ok()))
    .collect()
});

/// The terms that are words: the parts of a number or a date are no subject.
pub(crate) fn words(terms: &BTreeSet<String>) -> BTreeSet<String> {
    terms.iter().filter(|term| term.chars().any(char::is_alphabetic)).cloned().collect()
}

/// The values that a text gives.
pub(crate) fn values(text: &str) -> BTreeSet<(ValueKind, String)> {
    let mut found = BTreeSet::new();
    let mut rest = text.to_lowercase();
    for (kind, pattern) in VALUES.iter() {
        let Some(pattern) = pattern else { continue };
        let matches: Vec<_> =
            pattern.find_iter(&rest).map(|hit| (hit.range(), hit.as_str().replace(' ', ""))).collect();
        for (range, value) in matches.into_iter().rev() {
            found.insert((*kind, value));
            // What was read as one kind is not read again as another.
            let blank = " ".repeat(range.len());
            rest.replace_range(range, &blank);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_and_plurals() {
        let found = terms("defaultReminder in packages/billing for two queues");
        for term in ["default", "reminder", "package", "billing", "queue", "packages/billing"] {
            assert!(found.contains(term), "{term} of {found:?}");
        }
    }

    #[test]
    fn hexadecimal_numbers_are_equal_by_value() {
        assert!(same("0x8000", "0x00008000"));
        assert!(!same("0x8000", "0x80000"));
        assert!(same("app", "app"));
        assert!(!same("port", "portuguese"));
    }

    #[test]
    fn values_by_kind() {
        let found = values("窗口改到周三 15:30，超时 9 秒，看 https://a.example.com/x");
        assert!(found.contains(&(ValueKind::Weekday, "周三".to_owned())));
        assert!(found.contains(&(ValueKind::Time, "15:30".to_owned())));
        assert!(found.contains(&(ValueKind::Quantity, "9秒".to_owned())));
        assert!(found.iter().any(|(kind, _)| *kind == ValueKind::Url));
    }
}
