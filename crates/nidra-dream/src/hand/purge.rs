//! What a purge looks for, and memory as it leaves it.

use super::forget::Words;
use super::suppression::segments;
use crate::lookup::Place;
use nidra_core::EntryId;
use nidra_core::text::similarity::containment;
use nidra_memory::directory::MemoryDirectory;
use nidra_memory::directory::role::Role;
use nidra_memory::purge::markdown::{self, Cleaned};
use nidra_memory::purge::{Matcher, Work};
use nidra_memory::{ChangeSet, FileChange};
use std::collections::{BTreeMap, BTreeSet};

/// Letters of a word at least by which alone a statement is known.
const MIN_TOKEN: usize = 4;
/// Letters of a file's name at least that is looked for without its extension as well.
const MIN_STEM: usize = 7;
/// How much of a statement a sentence of the words behind it holds that said it.
const SAID: f64 = 0.3;
/// Names with a capital letter that are no names of anything of the user's.
const CALENDAR: &[&str] = &[
    "april",
    "august",
    "december",
    "february",
    "friday",
    "january",
    "july",
    "june",
    "march",
    "monday",
    "november",
    "october",
    "saturday",
    "september",
    "sunday",
    "thursday",
    "tuesday",
    "wednesday",
];

/// What the purge of these entries looks for; `predecessors` are what they were before in other words. By a word alone
/// they are known only where nothing that stays says it: neither another entry nor `left`, memory without them.
pub(super) fn work(
    words: &[Words],
    places: &[Place],
    predecessors: &[EntryId],
    gone: &[String],
    left: &str,
) -> Work {
    let mut work = Work::default();
    let chosen: BTreeSet<&EntryId> = words.iter().map(|words| &words.entry).collect();
    work.entries = chosen.iter().map(|entry| (*entry).clone()).chain(predecessors.iter().cloned()).collect();
    for words in words {
        work.statements.push(words.text.clone());
        for quote in &words.quotes {
            let sentences = segments(quote);
            let said = sentences.iter().map(|range| &quote[range.clone()]).filter(|sentence| {
                sentences.len() == 1
                    || containment(&words.text, sentence) >= SAID
                    || containment(sentence, &words.text) >= SAID
            });
            work.statements.extend(said.map(str::to_owned));
        }
    }
    work.statements.sort();
    work.statements.dedup();
    // What other entries say stays theirs.
    let others: Vec<String> = places
        .iter()
        .filter(|place| !chosen.contains(&place.entry))
        .map(|place| place.text.to_lowercase())
        .collect();
    let mut tokens: BTreeSet<String> = work.statements.iter().flat_map(|text| tokens(text)).collect();
    for path in gone {
        let name = path.rsplit('/').next().unwrap_or(path);
        tokens.insert(name.to_lowercase());
        let stem = name.trim_end_matches(".md");
        if stem.contains('-') && stem.len() >= MIN_STEM {
            tokens.insert(stem.to_lowercase());
        }
    }
    let left = left.to_lowercase();
    tokens.retain(|token| {
        !left.contains(token.as_str()) && !others.iter().any(|other| other.contains(token.as_str()))
    });
    work.tokens = tokens.into_iter().collect();
    work
}

/// What memory says when the entries have left it: every file but the archive, names and words.
pub(super) fn left(memory: &MemoryDirectory, staged: &ChangeSet) -> String {
    let mut files: BTreeMap<&str, Option<&[u8]>> =
        memory.files.iter().map(|(path, file)| (path.as_str(), Some(file.bytes.as_slice()))).collect();
    files.extend(staged.files.iter().map(|change| (change.path.as_str(), change.after.as_deref())));
    let mut left = String::new();
    for (path, bytes) in files {
        let Some(bytes) = bytes.filter(|_| markdown::role(path) != Some(Role::Archive)) else { continue };
        left.push_str(path);
        left.push('\n');
        left.push_str(&String::from_utf8_lossy(bytes));
        left.push('\n');
    }
    left
}

/// The words of a text that are known by themselves: numbers, identifiers, names.
fn tokens(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut starts = true;
    for word in text.split_whitespace() {
        let is_inner = |letter: char| letter.is_ascii_alphanumeric() || "._-/:@\\".contains(letter);
        // Between Chinese characters a word has no blanks around it.
        for part in word.split(|letter: char| !is_inner(letter)).filter(|part| !part.is_empty()) {
            let part = part.trim_matches(|letter: char| !letter.is_ascii_alphanumeric());
            let lower = part.to_lowercase();
            let exact = part.contains(|letter: char| letter.is_ascii_digit() || "._-/@\\".contains(letter))
                || part.chars().skip(1).any(|letter| letter.is_ascii_uppercase());
            let named = !starts && part.starts_with(|letter: char| letter.is_ascii_uppercase());
            if part.len() >= MIN_TOKEN && (exact || named) && CALENDAR.binary_search(&lower.as_str()).is_err()
            {
                found.push(lower);
            }
            starts = false;
        }
        starts = word.ends_with(['.', '!', '?', ':', '。', '！', '？']);
    }
    found
}

/// The changes of memory by which its words leave it without a copy in the archive.
pub(super) fn changes(memory: &MemoryDirectory, staged: &ChangeSet, matcher: &Matcher) -> ChangeSet {
    let mut after: BTreeMap<&str, Option<Vec<u8>>> =
        memory.files.iter().map(|(path, file)| (path.as_str(), Some(file.bytes.clone()))).collect();
    for change in &staged.files {
        if markdown::role(&change.path) != Some(Role::Archive) {
            after.insert(&change.path, change.after.clone());
        }
    }
    let mut changes = ChangeSet::default();
    for (path, bytes) in after {
        let before = memory.files.get(path).map(|file| file.bytes.clone());
        let after = bytes.and_then(|bytes| match markdown::clean(path, &bytes, matcher) {
            Cleaned::Same => Some(bytes),
            Cleaned::Changed(bytes) => Some(bytes),
            Cleaned::Gone => None,
        });
        let change = FileChange { path: path.to_owned(), before, after };
        if !change.is_noop() {
            changes.files.push(change);
        }
    }
    changes
}

/// The files that go with their last entry.
pub(super) fn gone(staged: &ChangeSet) -> Vec<String> {
    let is_gone = |change: &&FileChange| change.before.is_some() && change.after.is_none();
    staged.files.iter().filter(is_gone).map(|change| change.path.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_identifiers_and_names_are_known_by_themselves() {
        let cases: &[(&str, &[&str])] = &[
            ("The vault hint is zebra-quartz-9913.", &["zebra-quartz-9913"]),
            ("Ask Zelda about deploys. They run on Friday.", &["zelda"]),
            ("测试环境在staging-7机房，找Marek。", &["staging-7", "marek"]),
            ("Use tabs, not spaces.", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(&tokens(text), expected, "{text}");
        }
    }
}
