//! Removes secrets from text.
//!
//! Rules are data: one pass over the keywords of all rules decides which lines a rule reads at all, so that
//! megabytes of tool output cost little. Tokens of known shape are found wherever they stand; anything else is
//! found by the name beside it. What a rule takes is the secret alone: the name, the command and the words around
//! it stay, and so does text that only speaks about secrets.
//!
//! This module must never widen what it shows: a placeholder names the rule and says nothing about the secret.

use aho_corasick::AhoCorasick;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

mod address;
mod assignment;
mod name;
mod quality;
mod rules;
mod statement;
mod value;

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

/// How every placeholder begins.
const PLACEHOLDER_START: &str = "[redacted:";

/// A placeholder is never longer than this, in bytes.
const PLACEHOLDER_LIMIT: usize = 48;

/// The search for all keywords, and the rule of each keyword by its index.
static KEYWORDS: LazyLock<Option<(AhoCorasick, Vec<usize>)>> = LazyLock::new(|| {
    let mut words = Vec::new();
    let mut owners = Vec::new();
    for (index, rule) in rules::RULES.iter().enumerate() {
        words.extend_from_slice(rule.keywords);
        owners.extend(std::iter::repeat_n(index, rule.keywords.len()));
    }
    words.extend_from_slice(assignment::KEYWORDS);
    owners.extend(std::iter::repeat_n(rules::RULES.len(), assignment::KEYWORDS.len()));
    let search = AhoCorasick::builder().ascii_case_insensitive(true).build(words).ok()?;
    Some((search, owners))
});

/// Finds the secrets of a text, in order, without overlap.
pub fn find(text: &str) -> Vec<Finding> {
    let Some((search, owners)) = KEYWORDS.as_ref() else { return Vec::new() };
    let placeholders = placeholders(text);
    let masked = mask(text, &placeholders);
    let text = masked.as_ref();
    // The lines that each rule must read, in order; the last slot is for assignments.
    let mut wanted: Vec<Vec<Range<usize>>> = vec![Vec::new(); rules::RULES.len() + 1];
    let mut line = 0..0;
    for hit in search.find_overlapping_iter(text) {
        if hit.end() > line.end || line.is_empty() {
            line = line_around(text, hit.start());
        }
        let Some(lines) = owners.get(hit.pattern().as_usize()).and_then(|&rule| wanted.get_mut(rule)) else {
            continue;
        };
        if lines.last() != Some(&line) {
            lines.push(line.clone());
        }
    }
    let mut found: Vec<(usize, Finding)> = Vec::new();
    for (index, lines) in wanted.iter().enumerate() {
        for line in lines {
            let mut take = |rule: &'static str, range: Range<usize>| {
                if let Some(range) = outside(&placeholders, range) {
                    found.push((index, Finding { rule, range }));
                }
            };
            match rules::RULES.get(index) {
                Some(rule) => rule.scan(text, line.clone(), &mut take),
                None => assignment::scan(text, line.clone(), &mut take),
            }
        }
    }
    rules::private_keys(text, &mut |rule, range| {
        if let Some(range) = outside(&placeholders, range) {
            found.push((0, Finding { rule, range }));
        }
    });
    merge(found)
}

/// The text with each secret replaced by a typed placeholder: `[redacted:RULE]`.
///
/// What stands beside a placeholder reads differently from what stood beside the secret, so the text is read again
/// until nothing more is found; redacting the result changes nothing.
pub fn redact(text: &str) -> String {
    let mut clean = match redact_once(text) {
        Cow::Borrowed(same) => return same.to_owned(),
        Cow::Owned(clean) => clean,
    };
    for _ in 0..PASSES {
        match redact_once(&clean) {
            Cow::Borrowed(_) => break,
            Cow::Owned(cleaner) => clean = cleaner,
        }
    }
    clean
}

/// More rounds than any text was seen to need.
const PASSES: usize = 8;

/// One round of [`redact`], without a copy where there is nothing to remove.
fn redact_once(text: &str) -> Cow<'_, str> {
    let findings = find(text);
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
    names.extend([rules::PRIVATE_KEY, statement::NAME, address::NAME]);
    names.sort_unstable();
    names.dedup();
    names
}

/// The line that a place stands in, without its line end.
fn line_around(text: &str, at: usize) -> Range<usize> {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let end = text[at..].find('\n').map_or(text.len(), |length| at + length);
    start..end
}

/// Where placeholders stand already.
fn placeholders(text: &str) -> Vec<Range<usize>> {
    text.match_indices(PLACEHOLDER_START)
        .filter_map(|(at, _)| {
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
