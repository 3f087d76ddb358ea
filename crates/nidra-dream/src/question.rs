//! Statements of memory that exclude each other: the same words with another value, and nothing that tells which is newer.
//! Which one holds is a question for the user.

use crate::kept::{KeptPlan, Origin};
use crate::offers::Offers;
use crate::standing::{Sources, last_said, sources_of};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use nidra_core::text::similarity::terms;
use nidra_core::{
    Change, EntryId, EntryView, Evidence, Kind, MemoryView, Operation, OperationId, Target, TopicView,
    TrustRank,
};
use nidra_memory::store::PlanRecord;
use std::collections::{BTreeMap, BTreeSet};

/// Questions that one run asks at most; the others come with the next run.
const MAX_ASKED: usize = 5;
/// Values of one entry that are looked at.
const MAX_VALUES: usize = 8;
/// Terms that two entries share at least, so that they are about the same: in one file, and in two.
const SHARED: (usize, usize) = (2, 4);
/// Pieces of evidence that a question shows of each side.
const MAX_EVIDENCE: usize = 3;
/// Words right before a value that say what something is; behind others a number often names another thing.
const LINKS: &[&str] = &[
    "is", "are", "port", "to", "at", "on", "version", "uses", "=", ":", "：", "是", "为", "用", "端口",
    "版本", "在",
];

/// Two statements of which at most one can hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// Taking the first out of memory, and taking the second out.
    pub answers: [Operation; 2],
}

/// The name of the operation that takes the first statement out, and of the one that takes the second out.
pub const ANSWERS: [&str; 2] = ["drop-first", "drop-second"];

impl Question {
    /// The question in the form in which it is kept. Each is a plan of its own, so that each can be answered alone.
    pub fn kept(&self, engine: &str, base: &str, now: Timestamp) -> PlanRecord {
        let because = "only you can say which of the two holds";
        let waits_because = self.answers.iter().map(|_| because.to_owned()).collect();
        KeptPlan::new(Origin::Question, engine, self.answers.to_vec(), waits_because).opened(base, now)
    }
}

/// The questions that memory raises. What was asked before, what other operations touch and what is pinned is left out.
pub fn questions(
    memory: &MemoryView,
    sources: &Sources,
    offers: &Offers,
    touched: &BTreeSet<EntryId>,
    zone: &TimeZone,
) -> Vec<Question> {
    let mut seen: BTreeMap<String, (&TopicView, &EntryView, String)> = BTreeMap::new();
    let mut found = Vec::new();
    for (topic, entry) in memory.entries().filter(|(topic, entry)| {
        entry.active && topic.editable && !topic.pinned && !touched.contains(&entry.id)
    }) {
        for (frame, value) in frames(&entry.text) {
            let Some((other_topic, other, other_value)) = seen.get(&frame) else {
                seen.insert(frame, (topic, entry, value));
                continue;
            };
            let same_file = other_topic.path == topic.path;
            let shared = terms(&frame).len();
            let about_one =
                other.headings == entry.headings && shared >= if same_file { SHARED.0 } else { SHARED.1 };
            let dates = [other, &entry].map(|entry| last_said(&sources_of(sources, &entry.id)));
            let told = matches!(dates, [Some(first), Some(second)] if first != second);
            if *other_value == value || !about_one || told {
                continue;
            }
            let question = question([(*other_topic, *other), (topic, entry)], sources, dates, zone);
            if !offers.holds(&entry.id, &question.answers[1].reason) {
                found.push(question);
            }
            break;
        }
        if found.len() >= MAX_ASKED {
            break;
        }
    }
    found
}

fn question(
    sides: [(&TopicView, &EntryView); 2],
    sources: &Sources,
    dates: [Option<Timestamp>; 2],
    zone: &TimeZone,
) -> Question {
    let said = |at: usize| {
        let (topic, entry) = sides[at];
        let date = dates[at].map_or_else(
            || "nobody knows since when".to_owned(),
            |at| format!("said on {}", at.to_zoned_datetime(zone.clone()).date()),
        );
        format!("“{}” ({}, {date})", entry.text, topic.path)
    };
    let answer = |at: usize| {
        let (topic, entry) = sides[at];
        Operation {
            id: OperationId::new(ANSWERS[at]),
            change: Change::Archive {
                target: Target {
                    path: topic.path.clone(),
                    entry: entry.id.clone(),
                    text: entry.text.clone(),
                },
            },
            kind: topic.kind.unwrap_or(Kind::Project),
            rank: TrustRank::HumanVerbatim,
            reason: format!("it excludes {}, and nothing tells which is newer", said(1 - at)),
            evidence: evidence(sources, &entry.id),
        }
    };
    Question { answers: [answer(0), answer(1)] }
}

fn evidence(sources: &Sources, entry: &EntryId) -> Vec<Evidence> {
    let recorded = sources_of(sources, entry);
    crate::standing::evidence(&recorded).into_iter().take(MAX_EVIDENCE).cloned().collect()
}

/// A statement without one of its values, for each value that a linking word introduces, together with that value.
fn frames(text: &str) -> Vec<(String, String)> {
    let folded = text.to_lowercase();
    let inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '/' | ':' | '%');
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = folded[at..].find(|c: char| c.is_ascii_alphanumeric()).map(|start| at + start) {
        let end = folded[start..].find(|c: char| !inner(c)).map_or(folded.len(), |end| start + end);
        let value = folded[start..end].trim_end_matches(['.', '-', ':', '/']);
        at = end.max(start + 1);
        if is_value(value) && introduced(&folded[..start]) {
            let behind = folded[start + value.len()..].trim_end_matches(['.', '。']);
            found.push((format!("{}\u{0}{behind}", &folded[..start]), value.to_owned()));
        }
    }
    found.truncate(MAX_VALUES);
    found
}

/// Whether a word holds a number that is no date: things happen on many days.
fn is_value(word: &str) -> bool {
    let date = word.len() >= 8 && word.bytes().filter(|byte| *byte == b'-').count() == 2;
    !date && word.bytes().any(|byte| byte.is_ascii_digit())
}

/// Whether the words in front of a value end with one that says what something is.
fn introduced(before: &str) -> bool {
    let before = before.trim_end_matches([' ', '`', '"', '“', '「']);
    LINKS.iter().any(|link| {
        before.strip_suffix(link).is_some_and(|rest| {
            !link.is_ascii() || !link.starts_with(char::is_alphabetic) || rest.ends_with(' ')
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_words_with_another_value_share_a_frame() {
        let one = |text: &str| frames(text).into_iter().map(|(frame, _)| frame).collect::<Vec<_>>();
        assert_eq!(one("Staging runs on port 3001."), one("staging runs on port 4310"));
        assert_eq!(one("超时是 30 秒。"), one("超时是 60 秒。"));
        assert_eq!(one("Machine m5 joins next week.").len(), 0);
        assert_eq!(one("The release is on 2026-05-01.").len(), 0);
        assert_ne!(one("Staging runs on port 3001."), one("Production runs on port 3001."));
    }
}
