//! Passwords without a digit: letters in a case that no word has, words that were joined to a passphrase, one word.
//!
//! Such a value looks like any other word, so these are asked only where a sentence points straight at it.

use super::{floor, quality};
use crate::text::language::is_han;
use std::ops::Range;

/// The shortest value whose letters tell, in bytes.
const LEAST_JUMBLED: usize = 7;

/// Whether the case of letters changes as in no word and no name of code: `mxHIPjGADpLh`.
pub(super) fn is_jumbled(word: &str) -> bool {
    let bytes = word.as_bytes();
    if !quality::has_hump(word)
        || !(LEAST_JUMBLED..=80).contains(&bytes.len())
        || !bytes.iter().all(u8::is_ascii_alphabetic)
    {
        return false;
    }
    let segments = quality::segments(bytes);
    let vowels = word.to_ascii_lowercase().matches(['a', 'e', 'i', 'o', 'u']).count();
    let crowded = word
        .split(|c: char| c.is_ascii_uppercase() || matches!(c, 'a' | 'e' | 'i' | 'o' | 'u' | 'y'))
        .any(|run| run.len() >= 5);
    let short = segments * 3 > bytes.len() || segments >= 4 && segments * 7 >= bytes.len() * 2;
    short || crowded || segments * 5 > bytes.len() && vowels * 5 < bytes.len()
}

/// Whether short words are joined with one mark as passphrases are: `copper-walnut-velvet-meadow`.
pub(super) fn is_passphrase(word: &str) -> bool {
    let Some(mark) = word.find(['-', '.', '+', ',', ' ']).and_then(|at| word[at..].chars().next()) else {
        return false;
    };
    let parts: Vec<&str> = word.split(mark).collect();
    // Hosts and fields of programs have dots between their words, compound adjectives have hyphens.
    let least = if mark == '-' { 3 } else { 4 };
    let joined = (least..=12).contains(&parts.len()) && parts.iter().all(|part| is_part(part));
    // A remark is mostly adjectives: `low-entropy-random`.
    let remarks = parts.iter().filter(|part| is_described(&part.to_ascii_lowercase())).count();
    let file = mark == '.' && parts.last().is_some_and(|last| last.len() < 4);
    // Blanks stand between the words of any label that a page has: `Reset account link`.
    let label = mark == ' ' && !word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b' ');
    joined && remarks * 2 <= parts.len() && !file && !label
}

/// Whether a word can stand in a passphrase: a short one that is no helper of others.
fn is_part(part: &str) -> bool {
    let letters = part.trim_end_matches(|c: char| c.is_ascii_digit());
    let head = letters.as_bytes().first().is_some_and(u8::is_ascii_alphabetic);
    let small = letters.bytes().skip(1).all(|byte| byte.is_ascii_lowercase());
    (3..=10).contains(&letters.len())
        && part.len() - letters.len() <= 4
        && head
        && small
        && !FUNCTION.contains(&letters.to_ascii_lowercase().as_str())
}

/// A passphrase and what ends it reach at most so far, in bytes.
const MOST_SPELLED: usize = 130;

/// The words of a passphrase that stand with blanks between them at the start of a text, when they are a clause.
pub(super) fn spelled(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let rest = &text[range.start..floor(text, range.end.min(range.start + MOST_SPELLED))];
    let clause = rest.find(|c: char| !c.is_ascii_lowercase() && c != ' ').unwrap_or(rest.len());
    let words = rest[..clause].trim_end_matches(' ');
    let ended = rest[clause..].chars().next().is_none_or(|next| {
        matches!(next, '.' | ',' | ';' | '!' | '"' | '\r' | '。' | '，' | '；' | '！' | '\\') || is_han(next)
    });
    let clear = words.split(' ').count() >= 4 && is_passphrase(words);
    (ended && clear).then(|| range.start..range.start + words.len())
}

/// Whether one small word in a sentence such as `the password is swordfish` is a password and no remark about one.
pub(super) fn is_word(word: &str) -> bool {
    (6..=24).contains(&word.len())
        && word.bytes().all(|byte| byte.is_ascii_lowercase())
        && !FUNCTION.contains(&word)
        && !is_described(word)
}

/// Whether a word says something about a password: participles, adjectives, adverbs.
fn is_described(lower: &str) -> bool {
    ENDINGS.iter().any(|ending| lower.len() > ending.len() + 2 && lower.ends_with(ending))
        || REMARKS.contains(&lower)
}

/// How words end that describe.
const ENDINGS: &[&str] = &[
    "ed", "ing", "able", "ible", "al", "ive", "ly", "ous", "ful", "less", "ary", "ory", "ent", "ant", "ic",
    "en", "ise", "ize", "ward", "wise", "text", "word", "where", "body", "thing",
];

/// Words that are said of passwords and have no such ending.
const REMARKS: &[&str] = &[
    "above",
    "access",
    "again",
    "alright",
    "ascii",
    "auth",
    "base",
    "below",
    "blank",
    "bullshit",
    "case",
    "character",
    "characters",
    "clear",
    "common",
    "complete",
    "complex",
    "correct",
    "crap",
    "default",
    "digits",
    "distinct",
    "dummy",
    "easy",
    "empty",
    "end",
    "enough",
    "env",
    "every",
    "exact",
    "expire",
    "expires",
    "extra",
    "factor",
    "false",
    "fine",
    "first",
    "five",
    "four",
    "free",
    "garbage",
    "gone",
    "good",
    "great",
    "hash",
    "here",
    "identity",
    "inside",
    "insecure",
    "invalid",
    "junk",
    "known",
    "last",
    "later",
    "least",
    "length",
    "letters",
    "long",
    "longer",
    "lost",
    "machine",
    "matter",
    "maybe",
    "mine",
    "multi",
    "never",
    "nobody",
    "nonsense",
    "null",
    "obsolete",
    "okay",
    "old",
    "one",
    "online",
    "outside",
    "per",
    "plain",
    "prod",
    "random",
    "read",
    "ready",
    "root",
    "rubbish",
    "run",
    "safe",
    "salt",
    "same",
    "second",
    "secret",
    "secrets",
    "secure",
    "self",
    "separate",
    "server",
    "service",
    "set",
    "short",
    "shorter",
    "side",
    "simple",
    "single",
    "solid",
    "some",
    "soon",
    "spec",
    "stale",
    "strength",
    "strong",
    "stronger",
    "stupid",
    "system",
    "temp",
    "test",
    "there",
    "three",
    "time",
    "tomorrow",
    "today",
    "trash",
    "true",
    "two",
    "type",
    "unique",
    "unknown",
    "unsafe",
    "unset",
    "until",
    "upper",
    "user",
    "vault",
    "weak",
    "weaker",
    "week",
    "whatever",
    "wrong",
    "yours",
    "zero",
];

/// Words that join others, and those of the forms where passwords are asked for; a passphrase has none.
const FUNCTION: &[&str] = &[
    "account",
    "change",
    "confirm",
    "email",
    "enter",
    "forgot",
    "forgotten",
    "hide",
    "link",
    "login",
    "name",
    "password",
    "passphrase",
    "passwords",
    "repeat",
    "reset",
    "show",
    "sign",
    "username",
    "about",
    "after",
    "all",
    "and",
    "any",
    "are",
    "ask",
    "because",
    "before",
    "but",
    "can",
    "cannot",
    "contain",
    "contains",
    "could",
    "does",
    "each",
    "else",
    "for",
    "from",
    "get",
    "had",
    "has",
    "have",
    "her",
    "his",
    "how",
    "its",
    "just",
    "keep",
    "may",
    "might",
    "must",
    "nor",
    "not",
    "only",
    "our",
    "out",
    "please",
    "see",
    "shall",
    "should",
    "since",
    "than",
    "that",
    "the",
    "their",
    "them",
    "then",
    "these",
    "they",
    "this",
    "those",
    "through",
    "too",
    "use",
    "uses",
    "via",
    "was",
    "were",
    "what",
    "when",
    "which",
    "while",
    "who",
    "will",
    "with",
    "without",
    "would",
    "write",
    "you",
    "your",
    "during",
    "under",
    "within",
    "between",
    "always",
    "either",
    "neither",
    "rather",
];
