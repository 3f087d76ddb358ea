//! Reminders: a person says again, annoyed or in so many words, what memory says already.
//!
//! What is asked for again is no news, however it is put: it strengthens the entry, and neither the complaint nor the
//! reminder becomes a statement of its own.

use crate::candidate::{ALREADY_KNOWN, Candidate, Rejected};
use crate::dialogue::{Dialogue, Utterance};
use crate::human;
use crate::importance::affect;
use crate::lexicon::{self, Cue};
use crate::sentence::{Act, Line};
use crate::settle;
use crate::terms;
use nidra_core::text::expression;
use nidra_core::text::language::is_han;
use nidra_core::{EntryView, MemoryView, Recurrence, TopicView, TrustRank};
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Of ten terms of a reminder so many stand in the entry at least.
const LEAST: usize = 9;
/// The same where all others are pairs of Han characters.
const LEAST_OF_PAIRS: usize = 7;

/// A statement of memory, clause by clause.
struct Known<'a> {
    topic: &'a TopicView,
    entry: &'a EntryView,
    terms: BTreeSet<String>,
    clauses: Vec<Clause>,
}

/// What stands between two marks of a sentence.
struct Clause {
    terms: BTreeSet<String>,
    forbids: bool,
}

impl Clause {
    fn new(text: &str) -> Self {
        Self { terms: terms::terms(text), forbids: lexicon::cues(text).has(Cue::Prohibition) }
    }
}

/// Finds the reminders. Their candidates go, unless they say more than that.
pub(crate) fn collect(
    memory: &MemoryView,
    dialogue: &Dialogue<'_>,
    lines: &[Vec<Line>],
    candidates: &mut Vec<Candidate>,
    dropped: &mut Vec<Rejected>,
) -> Vec<Recurrence> {
    let mut known: Option<Vec<Known<'_>>> = None;
    let mut found = Vec::new();
    for (index, (utterance, lines)) in dialogue.utterances.iter().zip(lines).enumerate() {
        let here = |candidate: &Candidate| candidate.utterance == index;
        if !reminds(utterance) {
            continue;
        }
        let known = known.get_or_insert_with(|| read(memory));
        for entry in reminded(lines, known) {
            // Words that correct an entry do not remind of it.
            let corrects =
                |one: &Candidate| here(one) && revises(one, entry.entry) && !says_no_more(one, entry);
            if candidates.iter().any(corrects) {
                continue;
            }
            found.push(Recurrence {
                path: entry.topic.path.clone(),
                entry: entry.entry.id.clone(),
                rank: TrustRank::HumanVerbatim,
                evidence: vec![human::quote(utterance)],
            });
            candidates.retain(|candidate| {
                let only_reminds = here(candidate) && says_no_more(candidate, entry);
                if only_reminds {
                    dropped.push(Rejected {
                        text: candidate.text.clone(),
                        reason: ALREADY_KNOWN.to_owned(),
                        evidence: candidate.evidence.clone(),
                    });
                }
                !only_reminds
            });
        }
    }
    found
}

fn read(memory: &MemoryView) -> Vec<Known<'_>> {
    memory
        .entries()
        .map(|(topic, entry)| Known {
            topic,
            entry,
            terms: terms::terms(&entry.text),
            clauses: clauses(&entry.text).map(Clause::new).collect(),
        })
        .collect()
}

/// Whether a person is annoyed, or says that they say it again.
fn reminds(utterance: &Utterance<'_>) -> bool {
    is_match(&REMINDS, &utterance.own)
        || is_match(&COMPLAINS, &utterance.own)
        || affect::of(utterance.text).frustration
}

/// The entries that the sentences say again, each once.
fn reminded<'k, 'm>(lines: &[Line], known: &'k [Known<'m>]) -> Vec<&'k Known<'m>> {
    let is_own = |line: &&Line| !matches!(line.act, Act::Disowned | Act::Dismissal | Act::Hypothesis);
    let mut found: Vec<&Known<'_>> = Vec::new();
    for line in lines.iter().filter(is_own) {
        let parts = parts(&line.text);
        let whole = parts.join(", ");
        // What the agent did against a rule is told without the rule's `never`.
        let complains = is_match(&COMPLAINS, &line.text);
        for said in std::iter::once(&whole).chain(&parts) {
            let said = Said::new(said, complains);
            let best = known
                .iter()
                .filter_map(|known| Some((said.agreement(known)?, known)))
                .max_by_key(|(shared, _)| *shared);
            if let Some((_, best)) = best
                && !found.iter().any(|known| std::ptr::eq(*known, best))
            {
                found.push(best);
            }
        }
    }
    found
}

/// The clauses of a text without the words that only say that it is said again.
fn parts(text: &str) -> Vec<String> {
    clauses(text).map(without_preface).filter(|part| !part.trim().is_empty()).collect()
}

/// What a person says.
struct Said<'a> {
    text: &'a str,
    clauses: Vec<Clause>,
    complains: bool,
}

impl<'a> Said<'a> {
    fn new(text: &'a str, complains: bool) -> Self {
        Self { text, clauses: clauses(text).map(Clause::new).collect(), complains }
    }

    /// In how many terms it says what an entry says; `None` where it says something else: too little of it stands there,
    /// another value, or one forbids what the other wants.
    fn agreement(&self, known: &Known<'_>) -> Option<usize> {
        let agrees = |term: &str, forbids: bool| {
            known.clauses.iter().any(|old| {
                (old.forbids == forbids || self.complains && old.forbids)
                    && old.terms.iter().any(|other| terms::same(term, other))
            })
        };
        let all: Vec<(&String, bool)> = self
            .clauses
            .iter()
            .flat_map(|clause| clause.terms.iter().map(move |term| (term, agrees(term, clause.forbids))))
            .collect();
        let shared = all.iter().filter(|(_, agrees)| *agrees).count();
        // Pairs of Han characters cross the borders of words, so that a sentence in other words has some of its own.
        let own_pairs = all.iter().all(|(term, agrees)| *agrees || term.chars().all(is_han));
        let needed = if own_pairs { LEAST_OF_PAIRS } else { LEAST };
        (shared >= 3
            && shared * 10 >= all.len() * needed
            && settle::conflicting_value(&known.entry.text, self.text, false).is_none())
        .then_some(shared)
    }
}

/// Whether a candidate gives an entry other words.
fn revises(candidate: &Candidate, entry: &EntryView) -> bool {
    candidate.revises.as_ref().is_some_and(|revised| revised.entry.as_ref() == Some(&entry.id))
}

/// Whether each sentence of a candidate only complains of what the entry is about, or says what the entry says.
fn says_no_more(candidate: &Candidate, known: &Known<'_>) -> bool {
    let is_end = |mark: char| matches!(mark, '.' | '!' | '?' | '。' | '！' | '？' | '\n');
    (candidate.revises.is_none() || revises(candidate, known.entry))
        && split(&candidate.text, is_end).all(|sentence| {
            let about = terms::terms(sentence);
            let shared = terms::shared(&about, &known.terms);
            let complains = is_match(&COMPLAINS, sentence);
            let said = parts(sentence).join(", ");
            shared == about.len()
                || complains && shared >= 2 && clauses(sentence).count() == 1
                || Said::new(&said, complains).agreement(known).is_some()
        })
}

/// The clauses of a text: what stands between its marks.
fn clauses(text: &str) -> impl Iterator<Item = &str> {
    split(text, |mark| {
        matches!(mark, ',' | '.' | ';' | ':' | '!' | '?' | '，' | '。' | '；' | '：' | '！' | '？' | '\n')
    })
}

/// A text cut at its marks. A dot or a colon inside a name is no mark.
fn split(text: &str, is_mark: impl Fn(char) -> bool) -> impl Iterator<Item = &str> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, mark) in text.char_indices() {
        let end = at + mark.len_utf8();
        let in_name = mark.is_ascii_punctuation()
            && text[end..].starts_with(|next: char| next.is_ascii_alphanumeric() || next == '/');
        if is_mark(mark) && !in_name {
            parts.push(&text[start..at]);
            start = end;
        }
    }
    parts.push(&text[start..]);
    parts.into_iter().map(str::trim).filter(|part| !part.is_empty())
}

/// A clause without the words that only say that it is said again.
fn without_preface(text: &str) -> String {
    PREFACE.as_ref().map_or_else(|| text.to_owned(), |pattern| pattern.replace(text, "").into_owned())
}

fn is_match(pattern: &LazyLock<Option<Regex>>, text: &str) -> bool {
    let text = text.replace(['\u{2019}', '\u{02bc}'], "'");
    pattern.as_ref().is_some_and(|pattern| pattern.is_match(&text))
}

static REMINDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?i)\b(?:as|like) (?:i|we)(?:'ve| have)? (?:already )?(?:said|told you|mentioned|agreed)\b|",
        r"\bi(?:'ve| have)? (?:already )?(?:told you|said)\b|\bi(?:'ve| have)? already (?:asked|mentioned)\b|",
        r"\b(?:once more|once again|to repeat)\b|",
        "(?:说|說|讲|講|提醒|强调|強調)(?:过|過)|再(?:说|說|强调|強調)一(?:遍|次)|(?:说|說)了(?:多少|好几|好幾|很多)(?:遍|次)|",
        "(?:还|還)是那句(?:话|話)|第[二三四五六七八九十几幾]+(?:遍|次|回)了|",
        r"\b(?:second|third|fourth|fifth|nth|umpteenth) time\b",
    ))
    .ok()
});

static COMPLAINS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?i)\bwhy (?:did|do|are|would|have) you\b|\byou (?:keep|kept)\b|",
        r"\byou(?:'ve| have)? (?:just |still |also )?(?:[a-z]+ed|broke|did|forgot|left|put|ran|went|wrote)\b(?: [\w`'-]+){0,12} again\b|",
        "(?:怎么|怎麼|为什么|為什麼|为啥|為啥)(?:又|还|還)|又(?:是|把|用|写|寫|改|忘|犯|往|给|給|去)|(?:谁|誰)(?:让|讓|叫)你",
    ))
    .ok()
});

static PREFACE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?i)^how (?:many times|often) (?:do|did|must|should) i (?:have to |need to )?(?:say|tell you|repeat|ask)(?: it| this| that)?(?: again)?$|",
        r"^(?:the user |and |but |so |ugh |no )*(?:(?:as|like) )?(?:i|we|the user)?(?:'ve| have)? ?(?:already |literally |just )?",
        r"(?:said|told you|asked you|mentioned|tell you|says?)(?: already| before| twice| again| so many times)*(?: to| that)?(?: |$)|",
        "^(?:用户|用戶|我|我都|我已经|我已經|跟你|和你|都|已经|已經)*(?:说|說|讲|講|强调|強調|提醒)(?:过|過)(?:了|的|要|多少遍|多少次)*",
    ))
    .ok()
});
