//! One answer from memory and past turns: fused, each thing once, with the reason for each hit.

use crate::known::Known;
use crate::turns::Found;
use jiff::Timestamp;
use std::collections::BTreeSet;

/// How soon a place in a list stops counting.
const EASE: f32 = 8.0;
/// What memory counts beside past turns: it was judged, a turn was only said.
const MEMORY: f32 = 1.25;

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

/// Fuses both lists by the places in them: their scores have no common unit.
pub fn fuse(known: Vec<Known>, found: Vec<Found>, limit: usize) -> Vec<Hit> {
    let place = |position: usize, weight: f32| weight * EASE / (EASE + position as f32);
    let (memory, turns) = if found.is_empty() { (1.0, 1.0) } else { (MEMORY, 1.0) };
    let mut hits: Vec<(f32, Hit)> = Vec::new();
    let mut told: BTreeSet<String> = BTreeSet::new();
    for (position, one) in known.into_iter().enumerate() {
        told.extend(one.entry.sources.iter().cloned());
        hits.push((place(position, memory), entry(one)));
    }
    for (position, one) in found.into_iter().enumerate() {
        // What an entry rests on stands in the answer already.
        if told.contains(&one.record) {
            if let Some((score, _)) = hits
                .iter_mut()
                .find(|(_, hit)| hit.kind == "entry" && hit.record.as_deref() == Some(&one.record))
            {
                *score += place(position, turns) / 2.0;
            }
            continue;
        }
        hits.push((place(position, turns), turn(one)));
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
