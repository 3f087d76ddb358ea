//! Entries of memory as answers: what holds before what left, what can be trusted before what was concluded.

use crate::analyze::{Analyzer, Term};
use crate::entries::{Entry, EntryIndex};
use crate::question::Question;
use crate::rank::{Rarity, Weights, by_terms};
use crate::segment::{SegmentError, TurnRow};
use crate::signs;
use nidra_core::TrustRank;
use std::collections::{BTreeMap, BTreeSet};

/// What an archived entry is worth beside one that holds.
const ARCHIVED: f32 = 0.4;
/// The gain from the lowest rank of trust to the highest.
const TRUST: f32 = 0.15;
/// The gain of an entry whose topic stands in the index.
const INDEXED: f32 = 0.05;
/// The share of the score of the turns that it rests on that an entry gets.
const CONTEXT: f32 = 0.4;
/// The same for what was said and done just before those.
const BEFORE: f32 = 0.35;
/// Entries that are looked at.
const LOOKED_AT: usize = 60;
/// Entries whose meaning is compared one by one; a larger memory is asked by its words.
const MEANT: u32 = 1_000;
/// How near a meaning has to be that shares no word with the question.
const NEAR: f32 = 0.4;
/// Entries that are found by their meaning alone at most.
const FEW: usize = 3;
/// What an entry found by its meaning alone is worth beside the best that is found by words.
const BY_MEANING: f32 = 0.3;
/// How near a meaning has to be that only fills an answer up.
const NOT_FAR: f32 = 0.2;
/// The share of the question that one hit covers when nothing has to be filled up.
const ANSWERED: f32 = 0.8;
/// Hits up to which an answer is filled up.
const ENOUGH: usize = 5;
/// The gain of an entry that covers the whole question. An entry is short, so this says more than of a turn.
const COVERAGE: f32 = 0.6;

/// An entry that may answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Known {
    /// How well, without a unit.
    pub score: f32,
    /// The share of the question that it covers, by the rarity of its terms.
    pub coverage: f32,
    /// The entry.
    pub entry: Entry,
    /// The terms of the question that it holds.
    pub shared: Vec<String>,
    /// Why it stands where it stands.
    pub reasons: Vec<&'static str>,
}

/// Finds the entries that answer a question, the best first.
///
/// # Errors
/// When the index is damaged.
pub fn find(
    index: &EntryIndex,
    question: &Question,
    weights: &Weights,
    analyzer: &mut Analyzer,
) -> Result<Vec<Known>, SegmentError> {
    let weights = Weights { human: 1.0, neighbour: weights.neighbour / 4.0, second: 0.0, ..*weights };
    let (candidates, rarity) = by_terms(&index.segment, question, &weights, &|topic| topic)?;
    let (around, _) = by_terms(&index.context, question, &weights, &|topic| topic)?;
    let (before, _) = by_terms(&index.before, question, &weights, &|topic| topic)?;
    let mut scores: BTreeMap<u32, (f32, TurnRow, bool)> = candidates
        .iter()
        .filter(|candidate| candidate.own > 0.0)
        .map(|candidate| (candidate.turn, (candidate.score, candidate.row, true)))
        .collect();
    for (candidates, share) in [(around, CONTEXT), (before, BEFORE)] {
        for candidate in candidates.iter().filter(|candidate| candidate.own > 0.0) {
            let held = scores.entry(candidate.turn).or_insert((0.0, candidate.row, false));
            held.0 += candidate.own * share;
        }
    }
    let mut scores: Vec<(f32, TurnRow, bool)> = scores.into_values().collect();
    scores.sort_by(|left, right| right.0.total_cmp(&left.0));
    let mut found = Vec::new();
    for (score, row, by_words) in scores.into_iter().take(LOOKED_AT) {
        let entry = index.entry(&row)?;
        let mut known = weigh(entry, score, question, &rarity, &weights, analyzer);
        if !by_words {
            known.reasons.insert(0, "said beside it");
        }
        // What shares a word of asking only answers nothing.
        if question.is_about(&known.shared) || !by_words {
            found.push(known);
        }
    }
    found.sort_by(|left, right| right.score.total_cmp(&left.score));
    let best = found.first().map_or(1.0, |one| one.score);
    let (near, not_far): (Vec<_>, Vec<_>) =
        by_meaning(index, question, &found)?.into_iter().partition(|(alike, _)| *alike >= NEAR);
    let meant = |best: f32| move |(alike, entry)| said_otherwise(entry, best * BY_MEANING * alike);
    found.extend(near.into_iter().take(FEW).map(meant(best)));
    found.sort_by(|left, right| right.score.total_cmp(&left.score));
    // Where little is found that says little of what is asked, what only comes near stands behind it; where nothing is,
    // nothing is known.
    let answered = found.iter().any(|one| one.coverage >= ANSWERED);
    if let Some(last) = found.last().map(|last| last.score).filter(|_| !answered) {
        let room = ENOUGH.saturating_sub(found.len());
        found.extend(not_far.into_iter().take(room).map(meant(last)));
    }
    behind_its_successor(&mut found);
    Ok(found)
}

/// The entries that mean what is asked and say it in other words, the nearest first.
fn by_meaning(
    index: &EntryIndex,
    question: &Question,
    found: &[Known],
) -> Result<Vec<(f32, Entry)>, SegmentError> {
    let [segment] = &index.segment;
    if segment.turns() > MEANT {
        return Ok(Vec::new());
    }
    let asked = nidra_vectors::embed(&question.text);
    let mut near: Vec<(f32, Entry)> = Vec::new();
    for at in 0..segment.turns() {
        let entry = index.entry(&segment.turn(at)?)?;
        if !entry.active || found.iter().any(|known| known.entry.id == entry.id) {
            continue;
        }
        let alike = nidra_vectors::similarity(&asked, &nidra_vectors::embed(&entry.text));
        if alike >= NOT_FAR {
            near.push((alike, entry));
        }
    }
    near.sort_by(|left, right| right.0.total_cmp(&left.0));
    Ok(near)
}

fn said_otherwise(entry: Entry, score: f32) -> Known {
    Known { score, coverage: 0.0, entry, shared: Vec::new(), reasons: vec!["said in other words"] }
}

fn weigh(
    entry: Entry,
    score: f32,
    question: &Question,
    rarity: &Rarity,
    weights: &Weights,
    analyzer: &mut Analyzer,
) -> Known {
    let mut terms: Vec<Term> = Vec::new();
    for text in [&entry.topic, &entry.description].into_iter().chain(&entry.headings).chain([&entry.text]) {
        analyzer.terms(text, &mut |term| terms.push(term));
    }
    let held: BTreeSet<Term> = terms.iter().copied().collect();
    let all: f32 = rarity.of.values().sum();
    let shared: Vec<_> = question.terms.iter().filter(|asked| held.contains(&asked.term)).collect();
    let covered: f32 = shared.iter().filter_map(|asked| rarity.of.get(&asked.term)).sum();
    let coverage = if all > 0.0 { covered / all } else { 0.0 };
    let pairs: BTreeSet<(Term, Term)> = terms
        .windows(2)
        .map(|pair| (pair[0], pair[1]))
        .filter(|pair| question.pairs.contains(pair))
        .collect();
    let together = pairs.len() as f32 / question.pairs.len().max(1) as f32;
    let mut factor = 1.0 + COVERAGE * coverage + weights.pairs * together;
    let mut reasons = Vec::new();
    if !shared.is_empty() {
        reasons.push("words");
    }
    if !pairs.is_empty() {
        reasons.push("words together");
    }
    if let Some(rank) = entry.rank {
        let steps = [
            TrustRank::AgentInferred,
            TrustRank::Observed,
            TrustRank::HumanConfirmed,
            TrustRank::HumanVerbatim,
        ];
        factor += TRUST * steps.iter().filter(|step| rank >= **step).count() as f32 / steps.len() as f32;
        if rank >= TrustRank::HumanConfirmed {
            reasons.push("a person's words");
        }
    }
    if entry.index {
        factor += INDEXED;
    }
    let wants = question.wants;
    if (wants.time && signs::has_time(&entry.text)) || (wants.number && signs::has_number(&entry.text)) {
        factor += weights.answer;
        reasons.push("an answer of the kind asked for");
    }
    if !entry.active {
        factor *= ARCHIVED;
        reasons.push("left memory");
    }
    let shared = shared.into_iter().map(|asked| asked.normal.clone()).collect();
    Known { score: score * factor, coverage, entry, shared, reasons }
}

/// What was superseded never stands above what replaced it.
fn behind_its_successor(found: &mut [Known]) {
    let fold = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let lowest: Vec<Option<f32>> = found
        .iter()
        .map(|one| {
            let new = fold(one.entry.replaced_by.as_deref()?);
            found
                .iter()
                .find(|other| other.entry.active && fold(&other.entry.text) == new)
                .map(|other| other.score)
        })
        .collect();
    for (one, successor) in found.iter_mut().zip(lowest) {
        if let Some(successor) = successor
            && one.score >= successor
        {
            one.score = successor * 0.99;
        }
    }
    found.sort_by(|left, right| right.score.total_cmp(&left.score));
}
