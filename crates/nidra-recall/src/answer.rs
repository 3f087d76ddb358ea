//! One answer from memory and past turns: fused, each thing once, with the reason for each hit.

use crate::known::Known;
use crate::turns::Found;
use jiff::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// How soon a place in a list stops counting.
const EASE: f32 = 8.0;
/// What an entry counts that holds no word of the question, beside one that covers it as well as the best turns do.
const UNCOVERED: f32 = 0.2;
/// The turns whose coverage entries are measured by.
const BEST: usize = 5;
/// What an entry counts beside the turn that it rests on: it was judged, the turn was only said.
const JUDGED: f32 = 1.05;
/// What an entry counts that left memory.
const LEFT: f32 = 0.5;
/// What an entry counts that rests on a turn which newer words replaced.
const OVER: f32 = 0.01;

/// One thing that answers.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Hit {
    /// `entry` or `turn`.
    pub kind: &'static str,
    /// Its words, without secrets.
    pub text: String,
    /// How well it answers, from 0 to 1, beside the other hits of this answer only.
    pub score: f32,
    /// Why it stands where it stands.
    pub reasons: Vec<&'static str>,
    /// The terms of the question that it holds.
    pub shared: Vec<String>,
    /// When it was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// The transcript record: of the turn, or the newest that the entry rests on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<String>,
    /// Its session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Who spoke.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speaker: Option<&'static str>,
    /// The entry's identifier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    /// The file where the entry stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// How far the entry can be trusted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<&'static str>,
    /// It holds, as far as is known.
    pub current: bool,
    /// What says something else and is newer: the words of an entry, or the record of a turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaced_by: Option<String>,
}

/// Fuses both lists by the places in them: their scores have no common unit. An entry takes the place of the turn that it
/// rests on; one whose turn was not found counts by how much of the question it covers beside the best turns, since the
/// first of a few entries may have little to do with the question.
pub fn fuse(known: Vec<Known>, found: Vec<Found>, limit: usize) -> Vec<Hit> {
    let place = |position: usize, weight: f32| weight * EASE / (EASE + position as f32);
    let turns: BTreeMap<&str, (usize, &Found)> =
        found.iter().enumerate().map(|(position, one)| (one.record.as_str(), (position, one))).collect();
    let covered = found.iter().take(BEST).map(|one| one.coverage).fold(0.0, f32::max);
    let mut hits: Vec<(f32, Hit)> = Vec::new();
    let mut told: BTreeSet<String> = BTreeSet::new();
    for (position, one) in known.into_iter().enumerate() {
        let share = if covered > 0.0 { (one.coverage / covered).min(1.0) } else { 1.0 };
        let own = place(position, UNCOVERED + (1.0 - UNCOVERED) * share * share);
        let rests_on = one.entry.sources.first().and_then(|record| turns.get(record.as_str()));
        // Where an entry left memory for another reason than newer words, its turn may still answer.
        if one.entry.active || one.entry.replaced_by.is_some() {
            told.extend(one.entry.sources.first().cloned());
        }
        let mut hit = entry(one);
        let score = match rests_on {
            _ if !hit.current => own * LEFT,
            Some((_, turn)) if turn.superseded => {
                hit.current = false;
                hit.replaced_by = hit.replaced_by.or_else(|| turn.replaced_by.clone());
                own * OVER
            }
            Some((turn, _)) => own.max(place(*turn, JUDGED)),
            None => own,
        };
        hits.push((score, hit));
    }
    for (position, one) in found.into_iter().enumerate() {
        // What an entry rests on stands in the answer already.
        if !told.contains(&one.record) {
            let weight = if one.superseded { OVER } else { 1.0 };
            hits.push((place(position, weight), turn(one)));
        }
    }
    // The order of a list stays; among equals memory comes first, since it was put in first.
    hits.sort_by(|left, right| right.0.total_cmp(&left.0));
    let best = hits.first().map_or(1.0, |(score, _)| *score);
    hits.into_iter()
        .take(limit)
        .map(|(score, hit)| Hit { score: (score / best * 1000.0).round() / 1000.0, ..hit })
        .collect()
}

fn entry(one: Known) -> Hit {
    let Known { entry, shared, reasons, .. } = one;
    Hit {
        kind: "entry",
        text: entry.text,
        score: 0.0,
        reasons,
        shared,
        at: entry.said,
        record: entry.sources.first().cloned(),
        session: entry.sessions.first().cloned(),
        speaker: None,
        entry: Some(entry.id.as_str().to_owned()),
        path: Some(entry.path),
        rank: entry.rank.map(nidra_core::TrustRank::as_str),
        current: entry.active,
        replaced_by: entry.replaced_by,
    }
}

fn turn(one: Found) -> Hit {
    Hit {
        kind: "turn",
        text: one.text,
        score: 0.0,
        reasons: one.reasons,
        shared: one.shared,
        at: one.at,
        record: Some(one.record),
        session: Some(one.session),
        speaker: Some(one.voice.as_str()),
        entry: None,
        path: None,
        rank: None,
        current: one.replaced_by.is_none(),
        replaced_by: one.replaced_by,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entries::Entry;
    use crate::segment::Voice;
    use nidra_core::EntryId;

    fn known(text: &str, coverage: f32, source: &str) -> Known {
        let entry = Entry {
            id: EntryId::new(text),
            path: "topic.md".to_owned(),
            topic: "topic".to_owned(),
            description: String::new(),
            headings: Vec::new(),
            kind: None,
            text: text.to_owned(),
            active: true,
            index: true,
            left: None,
            replaced_by: None,
            rank: None,
            said: None,
            sources: vec![source.to_owned()],
            sessions: Vec::new(),
            context: String::new(),
            before: String::new(),
        };
        Known { score: 1.0, coverage, entry, shared: Vec::new(), reasons: Vec::new() }
    }

    fn found(record: &str, coverage: f32, replaced_by: Option<&str>) -> Found {
        Found {
            score: 1.0,
            coverage,
            record: record.to_owned(),
            session: "s".to_owned(),
            at: None,
            voice: Voice::Human,
            text: record.to_owned(),
            shared: Vec::new(),
            reasons: Vec::new(),
            replaced_by: replaced_by.map(str::to_owned),
            superseded: replaced_by.is_some(),
        }
    }

    fn order(hits: &[Hit]) -> Vec<&str> {
        hits.iter().map(|hit| hit.text.as_str()).collect()
    }

    #[test]
    fn an_entry_takes_the_place_of_its_turn_and_a_weak_one_pushes_nothing_down() {
        let turns = || vec![found("a", 0.9, None), found("b", 0.8, None), found("c", 0.8, None)];
        let hits = fuse(vec![known("weak", 0.1, "x"), known("of b", 0.1, "b")], turns(), 10);
        assert_eq!(order(&hits), ["a", "of b", "c", "weak"]);
        let hits = fuse(vec![known("strong", 0.9, "x")], turns(), 10);
        assert_eq!(order(&hits)[0], "strong", "memory comes first among equals");
    }

    #[test]
    fn an_entry_that_rests_on_replaced_words_goes_behind_and_says_so() {
        let turns = vec![found("new", 0.9, None), found("old", 0.9, Some("new"))];
        let hits = fuse(vec![known("old value", 0.9, "old")], turns, 10);
        assert_eq!(order(&hits), ["new", "old value"]);
        assert!(hits[0].current && !hits[1].current);
        assert_eq!(hits[1].replaced_by.as_deref(), Some("new"));
    }

    #[test]
    fn what_left_memory_is_not_lifted_by_its_turn() {
        let mut left = known("left", 0.9, "a");
        left.entry.active = false;
        let hits = fuse(vec![left, known("holds", 0.5, "x")], vec![found("a", 0.9, None)], 10);
        assert_eq!(order(&hits), ["a", "left", "holds"]);
    }
}
