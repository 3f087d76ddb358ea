//! Removes secrets from text.
//!
//! Rules are data: one pass over the keywords of all rules decides which lines a rule reads at all, so that
//! megabytes of tool output cost little. Tokens of known shape are found wherever they stand; anything else is
//! found by the name beside it. What a rule takes is the secret alone: the name, the command and the words around
//! it stay, and so does text that only speaks about secrets.
//!
//! This module must never widen what it shows: a placeholder names the rule and says nothing about the secret.

use memchr::memmem;
use std::borrow::Cow;
use std::ops::Range;

mod address;
mod assignment;
mod below;
mod column;
mod encoded;
mod fold;
mod keywords;
mod later;
mod literal;
mod login;
mod name;
mod near;
mod path;
mod personal;
mod phrase;
mod plain;
mod private_key;
mod quality;
mod rules;
pub mod sample;
mod scan;
mod statement;
mod structure;
mod telling;
mod turned;
mod value;
mod view;

pub use path::{is_clean_path, redact_path};
use scan::search;
use view::View;

/// A secret found in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule that found it: `aws-access-key`, `password-assignment` …
    pub rule: &'static str,
    /// Where the secret itself stands, in bytes, without the name beside it.
    pub range: Range<usize>,
}

/// A receiver of findings: the rule and the place of the secret.
type Take<'a> = dyn FnMut(&'static str, Range<usize>) + 'a;

/// A receiver of findings that also takes the rank of the rule; the lowest gives the name.
type Give<'a> = dyn FnMut(usize, &'static str, Range<usize>) + 'a;

/// How every placeholder begins.
const PLACEHOLDER_START: &str = "[redacted:";

/// A placeholder is never longer than this, in bytes.
const PLACEHOLDER_LIMIT: usize = 48;

/// What is looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// Secrets: what opens something.
    #[default]
    Secrets,
    /// Secrets, and what tells who a person is: addresses of mail, telephone numbers, numbers of papers and cards.
    SecretsAndPersonal,
}

/// Finds the secrets of a text, in order, without overlap.
pub fn find(text: &str) -> Vec<Finding> {
    find_in(text, Scope::Secrets)
}

/// Finds what is in the scope, in order, without overlap.
pub fn find_in(text: &str, scope: Scope) -> Vec<Finding> {
    let placeholders = placeholders(text);
    let masked = mask(text, &placeholders);
    let text = masked.as_ref();
    let mut found: Vec<(usize, Finding)> = Vec::new();
    let disguised = search(text, &mut |rank, rule, range| {
        if let Some(range) = outside(&placeholders, range) {
            found.push((rank, Finding { rule, range }));
        }
    });
    if !disguised.is_empty() {
        let view = View::of(text, &disguised);
        search(&view.text, &mut |rank, rule, range| {
            if let Some(range) = view.place(&range).and_then(|range| outside(&placeholders, range)) {
                found.push((rank, Finding { rule, range }));
            }
        });
    }
    if scope == Scope::SecretsAndPersonal {
        personal::personal(text, &mut |rule, range| {
            if let Some(range) = outside(&placeholders, range) {
                found.push((usize::MAX, Finding { rule, range }));
            }
        });
    }
    merge(found)
}

/// The text with each secret replaced by a typed placeholder: `[redacted:RULE]`.
///
/// What stands beside a placeholder reads differently from what stood beside the secret, so the text is read again
/// until nothing more is found; redacting the result changes nothing.
pub fn redact(text: &str) -> String {
    redact_in(text, Scope::Secrets)
}

/// The text with everything in the scope replaced, as [`redact`] does it.
pub fn redact_in(text: &str, scope: Scope) -> String {
    let mut clean = match redact_once(text, scope) {
        Cow::Borrowed(same) => return same.to_owned(),
        Cow::Owned(clean) => clean,
    };
    for _ in 0..PASSES {
        match redact_once(&clean, scope) {
            Cow::Borrowed(_) => break,
            Cow::Owned(cleaner) => clean = cleaner,
        }
    }
    clean
}

/// More rounds than any text was seen to need.
const PASSES: usize = 8;

/// One round of [`redact_in`], without a copy where there is nothing to remove.
fn redact_once(text: &str, scope: Scope) -> Cow<'_, str> {
    let findings = find_in(text, scope);
    if findings.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    let mut from = 0;
    for finding in findings {
        clean.push_str(&text[from..finding.range.start]);
        clean.push_str(PLACEHOLDER_START);
        clean.push_str(finding.rule);
        clean.push(']');
        from = finding.range.end;
    }
    clean.push_str(&text[from..]);
    Cow::Owned(clean)
}

/// Whether the text holds a placeholder that [`redact`] wrote; such text is never stored as a fact's value.
pub fn has_placeholder(text: &str) -> bool {
    text.contains(PLACEHOLDER_START)
}

/// The names of all rules, ordered.
pub fn rule_names() -> Vec<&'static str> {
    let mut names: Vec<&'static str> = rules::RULES.iter().map(|rule| rule.name).collect();
    names.extend(name::RULES);
    names.extend(personal::RULES);
    names.extend(encoded::RULES);
    names.extend([private_key::NAME, statement::NAME, address::NAME, phrase::NAME, structure::COOKIE]);
    names.sort_unstable();
    names.dedup();
    names
}

/// A rule and its samples, as templates for [`sample::Generator`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleSamples {
    /// The name of the rule.
    pub rule: &'static str,
    /// What it must find.
    pub positive: &'static [&'static str],
    /// What it must leave as it is.
    pub negative: &'static [&'static str],
}

/// The samples of all rules for known shapes.
pub fn samples() -> impl Iterator<Item = RuleSamples> {
    rules::RULES.iter().map(|rule| RuleSamples {
        rule: rule.name,
        positive: rule.positive,
        negative: rule.negative,
    })
}

/// The place itself, or the start of the character that it is inside of.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Where placeholders stand already.
fn placeholders(text: &str) -> Vec<Range<usize>> {
    memmem::find_iter(text.as_bytes(), PLACEHOLDER_START)
        .filter_map(|at| {
            let body = &text[at + PLACEHOLDER_START.len()..];
            let name = body.bytes().take_while(|byte| byte.is_ascii_lowercase() || *byte == b'-').count();
            let closed = body.as_bytes().get(name) == Some(&b']') && name < PLACEHOLDER_LIMIT;
            closed.then(|| at..at + PLACEHOLDER_START.len() + name + 1)
        })
        .collect()
}

/// The text with placeholders made unreadable, so that their words are no names; all places stay the same.
fn mask<'t>(text: &'t str, placeholders: &[Range<usize>]) -> Cow<'t, str> {
    if placeholders.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut masked = String::with_capacity(text.len());
    let mut from = 0;
    for placeholder in placeholders {
        masked.push_str(&text[from..placeholder.start]);
        masked.extend(std::iter::repeat_n('\u{1}', placeholder.len()));
        from = placeholder.end;
    }
    masked.push_str(&text[from..]);
    Cow::Owned(masked)
}

/// The part of a range in front of the first placeholder that it touches; `None` when nothing is left.
fn outside(placeholders: &[Range<usize>], range: Range<usize>) -> Option<Range<usize>> {
    let next = placeholders.partition_point(|placeholder| placeholder.end <= range.start);
    match placeholders.get(next) {
        Some(placeholder) if placeholder.start <= range.start => None,
        Some(placeholder) => Some(range.start..range.end.min(placeholder.start)),
        None => Some(range),
    }
    .filter(|range| !range.is_empty())
}

/// Joins findings that overlap, under the name of the most specific rule.
fn merge(mut found: Vec<(usize, Finding)>) -> Vec<Finding> {
    found.sort_by(|(left_rule, left), (right_rule, right)| {
        (left.range.start, left_rule).cmp(&(right.range.start, right_rule))
    });
    let mut merged: Vec<(usize, Finding)> = Vec::new();
    for (index, finding) in found {
        match merged.last_mut() {
            Some((last_index, last)) if finding.range.start < last.range.end => {
                last.range.end = last.range.end.max(finding.range.end);
                if index < *last_index {
                    *last_index = index;
                    last.rule = finding.rule;
                }
            }
            _ => merged.push((index, finding)),
        }
    }
    merged.into_iter().map(|(_, finding)| finding).collect()
}

#[cfg(test)]
#[path = "redact/tests.rs"]
mod tests;
