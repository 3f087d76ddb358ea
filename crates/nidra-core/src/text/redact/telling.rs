//! Judges a value to which a sentence points from afar, where nothing but its looks tells it from any other word.

use super::{plain, quality, statement, value};
use std::ops::Range;

/// What the name of a value in a sentence says about it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    /// A word for a password: people make them up.
    Password,
    /// A word for a key or a token: a machine made it.
    Secret,
}

impl Name {
    /// What a word says: keys and tokens are generated, the rest may be made up.
    pub(super) fn of(word: &str) -> Self {
        let lower = word.to_ascii_lowercase();
        let generated = ["key", "token", "secret", "密钥", "密鑰", "秘钥", "秘鑰", "令牌", "私钥", "私鑰"];
        if generated.iter().any(|name| lower.contains(name)) { Self::Secret } else { Self::Password }
    }
}

/// The shortest password that is known by its looks alone, in bytes.
const LEAST_PASSWORD: usize = 6;

/// The shortest key or token that is known by its looks alone, in bytes.
const LEAST_SECRET: usize = 16;

/// A value is never longer than this, in bytes.
const MOST: usize = 256;

/// Whether the word can be nothing but what its name says.
pub(super) fn is_telling(word: &str, quoted: bool, name: Name) -> bool {
    let least = if name == Name::Password { LEAST_PASSWORD } else { LEAST_SECRET };
    if !(least..=MOST).contains(&word.len()) || !word.bytes().all(|byte| byte.is_ascii_graphic()) {
        return false;
    }
    // A long name of code has few vowels now and then; its parts are longer than those of a key.
    let keyed = || word.len() >= LEAST_SECRET && quality::segments(word.as_bytes()) * 3 > word.len();
    if plain::is_jumbled(word) && (name == Name::Password || keyed()) {
        return true;
    }
    if is_barred(word, quoted) {
        return false;
    }
    let mixed = quality::is_mixed(word);
    match name {
        Name::Secret => mixed && !quality::is_words(word) && quality::entropy(word) >= 3.0,
        Name::Password if !mixed => quoted && is_bare(word),
        // `next15` and `python3.12` are words with a version; whoever ends a password with digits takes more of them.
        Name::Password => {
            let marked = word.contains(['.', '/', ':', '-']);
            !quality::is_words(word) || !marked && (ending_digits(word) >= 3 || value::is_gibberish(word))
        }
    }
}

/// Whether the word is something else: a variable, a path, a commit, a technique.
fn is_barred(word: &str, quoted: bool) -> bool {
    let lower = word.to_ascii_lowercase();
    word.starts_with(['-', '*', '&', '<', '#', '/'])
        || is_technique(&lower) && (quality::classes(word) < 4 || quality::is_words(word))
        || word.contains("://")
        || quality::is_placeholder(word)
        || quality::is_path(word)
        || quality::is_variable_name(word)
        || quality::is_named(word)
        || quality::is_typed(word)
        || quality::is_uuid(word)
        || quality::is_hex(word)
            && (word.len() == 40 || word.len() == 64 || ending_digits(word) == word.len())
        || is_measure(word)
        || is_product(&lower)
        || !quoted && (quality::is_expression(word) || word.contains(['=', '(', '>', '[']))
}

/// Whether a word in small letters names a technique; `jwtjhj5220` only begins like one.
pub(super) fn is_technique(lower: &str) -> bool {
    statement::TECHNICAL.iter().any(|term| {
        lower.strip_prefix(term).is_some_and(|rest| {
            !rest.starts_with(|c: char| c.is_ascii_alphabetic()) || ending_digits(rest) < 3
        })
    })
}

/// Software that people write with the number of its version.
const PRODUCTS: &[&str] = &[
    "android",
    "debian",
    "django",
    "elasticsearch",
    "fedora",
    "golang",
    "ios",
    "java",
    "kafka",
    "kubernetes",
    "laravel",
    "macos",
    "mariadb",
    "mongo",
    "mysql",
    "next",
    "nginx",
    "node",
    "nuxt",
    "php",
    "postgres",
    "python",
    "rails",
    "react",
    "redis",
    "ruby",
    "rust",
    "spring",
    "sqlite",
    "swift",
    "ubuntu",
    "vue",
    "webpack",
    "windows",
];

/// Whether a word in small letters is a product and its version: `postgresql16`, `ubuntu2204`.
fn is_product(lower: &str) -> bool {
    PRODUCTS.iter().any(|product| {
        lower.strip_prefix(product).is_some_and(|rest| {
            let version = rest.trim_start_matches(|c: char| c.is_ascii_alphabetic());
            rest.len() - version.len() <= 4
                && version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
                && (version.len() < 3
                    || version.contains('.')
                    || *product == "ubuntu"
                    || *product == "windows")
        })
    })
}

/// Whether the word is a number with a unit or a date: `90days`, `2026-06-01T12:00`, `12-character`.
fn is_measure(word: &str) -> bool {
    let unit =
        word.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '-' | ':' | '+'));
    unit.len() < word.len() && unit.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
        || word.bytes().filter(u8::is_ascii_alphabetic).count() <= 1 && word.contains([':', '-', '.', '/'])
}

/// How many digits a word ends with.
fn ending_digits(word: &str) -> usize {
    word.bytes().rev().take_while(u8::is_ascii_digit).count()
}

/// Whether a quoted word of letters can be a password: no name of code, no type, of some length.
fn is_bare(word: &str) -> bool {
    word.len() >= 8
        && !value::is_pascal(word)
        && !quality::is_expression(word)
        && (word.bytes().all(|byte| byte.is_ascii_lowercase()) || quality::classes(word) >= 3)
}

/// Words with which a clause goes on behind a name; any other word would make the name a part of a longer one:
/// `password hash`, `token format`.
const FOLLOWERS: &[&str] = &[
    "for",
    "on",
    "in",
    "of",
    "to",
    "at",
    "from",
    "now",
    "and",
    "but",
    "until",
    "till",
    "again",
    "so",
    "then",
    "please",
    "there",
    "here",
    "everywhere",
    "today",
    "tomorrow",
    "instead",
    "when",
    "while",
    "if",
    "because",
    "as",
    "too",
    "it",
    "not",
    "never",
    "everything",
    "only",
    "is",
    "by",
    "with",
    "everyone",
    "temporarily",
];

/// Whether a clause ends at the start of a text, or goes on with a word that is no part of a name.
pub(super) fn ends_clause(rest: &str) -> bool {
    let trimmed = rest.trim_start_matches([' ', '\t']);
    match trimmed.chars().next() {
        None => true,
        Some(first) if first.is_alphanumeric() => {
            let word: String = trimmed.chars().take(24).take_while(|c| c.is_alphanumeric()).collect();
            let word = word.to_ascii_lowercase();
            trimmed.len() < rest.len() && FOLLOWERS.contains(&word.as_str()) || !first.is_ascii()
        }
        Some(first) => !matches!(first, '_' | '/' | '=' | '[' | '{' | '<' | '\\' | '$' | '@'),
    }
}

/// The words of a range, the last one first, without those beyond the dozen.
pub(super) fn words_before(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let mut end = range.end;
    while words.len() < 12 {
        end = range.start + text[range.start..end].trim_end_matches([' ', '\t']).len();
        let head = &text[range.start..end];
        if head.is_empty() {
            break;
        }
        let start = range.start + head.rfind([' ', '\t']).map_or(0, |blank| blank + 1);
        words.push(start..end);
        end = start;
    }
    words
}
