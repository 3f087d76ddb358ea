//! What a rule is, and how it reads.
//!
//! The rules themselves are tables in the modules below, one for each trade. To add one, add a line to a table: its
//! name, the words that make it read at all, its shape, the check, and samples beside it, of what it must find and
//! of what it must leave. The tests and the corpus of the measurement take their samples from there.

use super::{Take, fold, quality};
use regex::Regex;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

mod access;
mod business;
mod check;
mod cloud;
mod code;
mod context;
mod model;
mod service;
mod talk;

pub(super) use check::Check;

/// Where a rule looks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// The shape begins with the keyword, at the start of a word.
    Start,
    /// The shape begins with the keyword, wherever it stands.
    Here,
    /// Letters and digits follow the keyword for long, and the shape is around it.
    Tail,
    /// The shape stands behind the keyword, not far away on the same line.
    Near,
    /// The line around the keyword is searched; for rare keywords only.
    Line,
}

/// A rule: what makes it read, what it matches, and what the match must pass.
pub(super) struct Rule {
    /// The name in placeholders.
    pub(super) name: &'static str,
    /// Where it looks.
    pub(super) reach: Reach,
    /// Nothing is read without one of these, in any case.
    pub(super) keywords: &'static [&'static str],
    /// The shape; the secret is the first group that matched, or everything where there is none.
    pub(super) pattern: &'static str,
    /// What the match must pass.
    pub(super) check: Check,
    /// Templates of what it must find, with the secret between `«` and `»`.
    pub(super) positive: &'static [&'static str],
    /// Templates of what it must leave as it is.
    pub(super) negative: &'static [&'static str],
}

/// A rule for tokens that begin with a keyword.
const fn start(
    name: &'static str,
    keywords: &'static [&'static str],
    pattern: &'static str,
    check: Check,
    positive: &'static [&'static str],
    negative: &'static [&'static str],
) -> Rule {
    Rule { name, reach: Reach::Start, keywords, pattern, check, positive, negative }
}

/// A rule for secrets behind a mark that stands in the middle of words.
const fn here(
    name: &'static str,
    keywords: &'static [&'static str],
    pattern: &'static str,
    check: Check,
    positive: &'static [&'static str],
    negative: &'static [&'static str],
) -> Rule {
    Rule { name, reach: Reach::Here, keywords, pattern, check, positive, negative }
}

/// A rule for secrets that the words around them give away.
const fn line(
    name: &'static str,
    keywords: &'static [&'static str],
    pattern: &'static str,
    check: Check,
    positive: &'static [&'static str],
    negative: &'static [&'static str],
) -> Rule {
    Rule { name, reach: Reach::Line, keywords, pattern, check, positive, negative }
}

/// A rule for tokens without a mark of their own, behind a word that names their issuer.
const fn near(
    name: &'static str,
    keywords: &'static [&'static str],
    pattern: &'static str,
    check: Check,
    positive: &'static [&'static str],
    negative: &'static [&'static str],
) -> Rule {
    Rule { name, reach: Reach::Near, keywords, pattern, check, positive, negative }
}

/// A rule for tokens with a name in front: the keyword joins both.
const fn tail(
    name: &'static str,
    keywords: &'static [&'static str],
    pattern: &'static str,
    check: Check,
    positive: &'static [&'static str],
    negative: &'static [&'static str],
) -> Rule {
    Rule { name, reach: Reach::Tail, keywords, pattern, check, positive, negative }
}

/// All rules; where two hit the same text, the earlier one gives the name.
pub(super) static RULES: LazyLock<Vec<&'static Rule>> = LazyLock::new(|| {
    let tables = [
        cloud::RULES,
        code::RULES,
        talk::RULES,
        business::RULES,
        model::RULES,
        service::RULES,
        access::RULES,
        context::RULES,
    ];
    tables.into_iter().flatten().collect()
});

/// The compiled shapes, in the order of the rules.
static COMPILED: LazyLock<Vec<OnceLock<Option<Regex>>>> =
    LazyLock::new(|| RULES.iter().map(|_| OnceLock::new()).collect());

/// The compiled shape of a rule; `None` only for a shape that does not compile, which a test excludes.
pub(super) fn regex(index: usize) -> Option<&'static Regex> {
    let rule = RULES.get(index)?;
    COMPILED
        .get(index)?
        .get_or_init(|| match rule.reach {
            Reach::Start | Reach::Here => Regex::new(&format!("^(?:{})", rule.pattern)).ok(),
            Reach::Line | Reach::Near | Reach::Tail => Regex::new(rule.pattern).ok(),
        })
        .as_ref()
}

/// A token is never longer than this, in bytes.
const TOKEN_LIMIT: usize = 2_048;

/// How far behind its keyword a token without a mark of its own ends at most, in bytes.
const NEAR_LIMIT: usize = 190;

/// Such a token has at least so many characters in a row.
const LEAST_NEAR: usize = 24;

/// Letters and digits behind the name of a token of unknown kind, at least.
const LEAST_TAIL: usize = 18;

/// How far the name of such a token reaches back at most, in bytes.
const HEAD_LIMIT: usize = 48;

impl Rule {
    /// Gives the token that begins at a keyword.
    pub(super) fn token(&self, index: usize, text: &str, at: usize, take: &mut Take<'_>) {
        let Some(regex) = regex(index) else { return };
        let end = super::floor(text, at + TOKEN_LIMIT);
        let rest = &text[at..end];
        if regex.captures_len() > 1 {
            // The test is quick; the groups are looked at where it passes.
            if regex.is_match(rest) {
                self.first_group(regex, rest, at, take);
            }
            return;
        }
        let run = fold::run(rest);
        let pieces = if run == rest.len() { Vec::new() } else { fold::continuation(text, at + run) };
        let accepted = |found: &regex::Match<'_>| self.check.accepts(found.as_str(), found.as_str());
        if pieces.is_empty() {
            if let Some(found) = regex.find(rest).filter(accepted) {
                take(self.name, at..at + found.end());
            }
            return;
        }
        let mut joined = rest[..run].to_owned();
        for piece in &pieces {
            joined.push_str(&text[piece.clone()]);
        }
        if let Some(found) = regex.find(&joined).filter(accepted) {
            take(self.name, at..fold::place(at + run, run, &pieces, found.end()));
        }
    }

    /// Gives the group that matched, or the whole match.
    fn first_group(&self, regex: &Regex, text: &str, shift: usize, take: &mut Take<'_>) {
        let Some(found) = regex.captures(text) else { return };
        let Some(whole) = found.get(0) else { return };
        let secret = found.iter().skip(1).flatten().next().unwrap_or(whole);
        if self.check.accepts(secret.as_str(), whole.as_str()) {
            take(self.name, shift + secret.start()..shift + secret.end());
        }
    }

    /// Gives the token that stands not far behind a keyword.
    pub(super) fn behind(&self, index: usize, text: &str, at: usize, take: &mut Take<'_>) {
        let bytes = &text.as_bytes()[at..text.len().min(at + NEAR_LIMIT)];
        let bytes = &bytes[..bytes.iter().position(|&byte| byte == b'\n').unwrap_or(bytes.len())];
        // Words are shorter than tokens.
        let (mut run, mut longest) = (0, 0);
        for byte in bytes {
            run = if byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'+' | b'_' | b'-') {
                run + 1
            } else {
                0
            };
            longest = longest.max(run);
        }
        if longest < LEAST_NEAR {
            return;
        }
        let Some(regex) = regex(index) else { return };
        let rest = &text[at..super::floor(text, at + bytes.len())];
        if regex.is_match(rest) {
            self.first_group(regex, rest, at, take);
        }
    }

    /// Gives the token around a keyword that a long run of letters and digits follows.
    pub(super) fn around(&self, index: usize, text: &str, keyword: Range<usize>, take: &mut Take<'_>) {
        let bytes = text.as_bytes();
        let limit = (keyword.end + TOKEN_LIMIT).min(bytes.len());
        let run = bytes[keyword.end..limit].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        if run < LEAST_TAIL {
            return;
        }
        let head =
            bytes[..keyword.start].iter().rev().take(HEAD_LIMIT).take_while(|byte| byte.is_ascii()).count();
        self.scan(index, text, keyword.start - head..keyword.end + run, take);
    }

    /// Gives the secrets of a line.
    pub(super) fn scan(&self, index: usize, text: &str, line: Range<usize>, take: &mut Take<'_>) {
        let Some(regex) = regex(index) else { return };
        let haystack = &text[..line.end];
        let mut from = line.start;
        while from <= line.end {
            let Some(found) = regex.captures_at(haystack, from) else { return };
            let Some(whole) = found.get(0) else { return };
            let secret = found.iter().skip(1).flatten().next().unwrap_or(whole);
            if self.check.accepts(secret.as_str(), whole.as_str()) {
                take(self.name, secret.range());
            }
            // A shape may begin inside a match that was refused, but only behind its secret's start.
            from = whole.end().max(secret.end());
            if whole.is_empty() {
                return;
            }
        }
    }
}

/// The shortest mark of a token that is known behind other letters, in bytes.
const LEAST_GLUED: usize = 4;

/// Whether a token stands behind letters that it was glued to: its mark is one that no word ends with, and what
/// follows is generated.
pub(super) fn is_glued(text: &str, mark: &Range<usize>) -> bool {
    if mark.len() < LEAST_GLUED || !text[..mark.end].ends_with(['_', '-']) {
        return false;
    }
    let rest = &text[mark.end..super::floor(text, mark.end + NEAR_LIMIT)];
    let run = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
    let body = &rest[..run];
    run >= LEAST_TAIL
        && quality::classes(body) >= 3
        && !quality::is_named(body)
        && quality::entropy(body) >= 3.0
}

/// Whether a word begins here: what stands before is no letter, or the end of an escape.
pub(super) fn begins_word(text: &str, at: usize) -> bool {
    let before = &text.as_bytes()[..at];
    let word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    match before {
        [.., b'%', high, low] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => true,
        [.., last] => !word(last),
        [] => true,
    }
}
