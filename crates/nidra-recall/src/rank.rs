//! Ranking: which turns answer a question, and why.
//!
//! First all turns that share a term are scored by BM25 (no text is read). The best of them and their neighbours are
//! read again in their transcripts and weighed by what the words show: who speaks, whether terms stand together,
//! whether the time fits, whether the kind of answer is there.

use crate::analyze::Term;
use crate::question::Question;
use crate::segment::write::length_of;
use crate::segment::{Segment, SegmentError, TurnRow, Voice};
use crate::signs::{ORDER_TERM, STANDING_TERM};
use std::collections::BTreeMap;

/// How much each sign counts. The defaults were chosen on the open parts of three sets of conversations, so figures on them are
/// optimistic.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Weights {
    /// BM25: how soon a repeated term stops counting.
    pub saturation: f32,
    /// BM25: how much long turns are held back, from 0 to 1.
    pub length: f32,
    /// A person's words count this many times those of the agent.
    pub human: f32,
    /// The same for tools.
    pub tool: f32,
    /// The share of its best direct neighbour's score that a turn gets.
    pub neighbour: f32,
    /// The share of the score of those two turns away.
    pub second: f32,
    /// Terms that stand next to each other as in the question.
    pub pairs: f32,
    /// The share of the question that a turn covers.
    pub coverage: f32,
    /// The question names who speaks.
    pub speaker: f32,
    /// It was said in the days that the question means.
    pub days: f32,
    /// A time or a number is wanted and there.
    pub answer: f32,
    /// A standing instruction or a preference.
    pub standing: f32,
    /// The same, by itself, when advice is asked for.
    pub advice: f32,
    /// Further, when nothing else is said.
    pub order: f32,
    /// A change is told, and a value as it is now is asked for.
    pub change: f32,
    /// Of all candidates it is the newest, and a value as it is now is asked for; older ones get their share of it.
    pub recent: f32,
    /// How alike question and turn are by their meaning.
    pub meaning: f32,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            saturation: 1.2,
            length: 0.8,
            human: 2.5,
            tool: 0.6,
            neighbour: 0.6,
            second: 0.1,
            pairs: 0.15,
            coverage: 0.3,
            speaker: 0.6,
            days: 1.0,
            answer: 0.4,
            standing: 0.3,
            advice: 6.0,
            order: 4.0,
            change: 0.3,
            recent: 0.2,
            meaning: 1.5,
        }
    }
}

/// Turns that are read again and weighed by their words.
pub const READ_AGAIN: usize = 80;
/// Turns whose neighbours are looked at.
const WITH_NEIGHBOURS: usize = 200;

/// A turn that may answer.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Its segment.
    pub segment: usize,
    /// Its number there.
    pub turn: u32,
    /// What is known of it.
    pub row: TurnRow,
    /// By its own terms.
    pub own: f32,
    /// With its neighbours and its voice.
    pub score: f32,
    /// What it got from its neighbours.
    pub from_neighbours: f32,
}

/// How often a term of the question stands anywhere.
#[derive(Clone, Debug)]
pub struct Rarity {
    /// The weight of each term of the question: its rarity times how much it counts.
    pub of: BTreeMap<Term, f32>,
}

/// Scores all turns by their terms and returns the best, without having read any text. `owner` gives stretches of one
/// transcript one number, so that turns of two readings are neighbours.
pub fn by_terms(
    segments: &[Segment],
    question: &Question,
    weights: &Weights,
    owner: &dyn Fn(u32) -> u32,
) -> Result<(Vec<Candidate>, Rarity), SegmentError> {
    let bases: Vec<usize> = segments
        .iter()
        .scan(0_usize, |sum, segment| {
            let base = *sum;
            *sum += segment.turns() as usize;
            Some(base)
        })
        .collect();
    let total: usize = segments.iter().map(|segment| segment.turns() as usize).sum();
    let all_terms: u64 = segments.iter().map(Segment::total_terms).sum();
    let mean = (all_terms as f32 / total.max(1) as f32).max(1.0);
    let mut norms = Vec::with_capacity(segments.len());
    for segment in segments {
        norms.push(segment.norms()?);
    }
    let damp: Vec<f32> = (0..=u8::MAX)
        .map(|code| weights.saturation * (1.0 - weights.length + weights.length * length_of(code) / mean))
        .collect();
    let mut scores = vec![0.0_f32; total];
    let mut rarity = BTreeMap::new();
    for asked in &question.terms {
        let mut lists = Vec::with_capacity(segments.len());
        for segment in segments {
            lists.push(segment.postings(asked.term)?);
        }
        let found: usize = lists.iter().map(Vec::len).sum();
        if found == 0 && asked.weight < 1.0 {
            continue;
        }
        let (count, found) = (total as f32, found as f32);
        let idf = (1.0 + (count - found + 0.5) / (found + 0.5)).ln() * asked.weight;
        rarity.insert(asked.term, idf);
        for (position, list) in lists.into_iter().enumerate() {
            let lengths = &norms[position].0;
            let scores = &mut scores[bases[position]..];
            for posting in list {
                let turn = posting.turn as usize;
                let times = f32::from(posting.count);
                let (Some(score), Some(code)) = (scores.get_mut(turn), lengths.get(turn)) else { continue };
                *score += idf * times * (weights.saturation + 1.0) / (times + damp[usize::from(*code)]);
            }
        }
    }
    if question.wants.advice {
        for (position, segment) in segments.iter().enumerate() {
            for (term, weight) in [(STANDING_TERM, weights.advice), (ORDER_TERM, weights.order)] {
                for posting in segment.postings(term)? {
                    if let Some(score) = scores[bases[position]..].get_mut(posting.turn as usize) {
                        *score += weight;
                    }
                }
            }
        }
    }
    let place = |at: usize| {
        let segment = bases.partition_point(|base| *base <= at).saturating_sub(1);
        (segment, u32::try_from(at - bases[segment]).unwrap_or_default())
    };
    let voiced = |at: usize| {
        let (segment, turn) = place(at);
        let voice = norms[segment].1.get(turn as usize).and_then(|code| Voice::of(*code));
        scores[at] * voice.map_or(1.0, |voice| weights.voice(voice))
    };
    let mut best = top(&scores, &voiced, WITH_NEIGHBOURS);
    // Turns next to a good one may be the answer to it without one word of the question.
    let around: Vec<usize> =
        best.iter().flat_map(|at| at.saturating_sub(2)..=(at + 2).min(total.saturating_sub(1))).collect();
    best.extend(around);
    best.sort_unstable();
    best.dedup();
    let mut rows = BTreeMap::new();
    for at in &best {
        let (segment, turn) = place(*at);
        rows.insert(*at, segments[segment].turn(turn)?);
    }
    let near = |at: usize, distance: usize| {
        let file = rows.get(&at).map(|row| owner(row.file));
        [at.checked_sub(distance), at.checked_add(distance)]
            .into_iter()
            .flatten()
            .filter(|other| rows.get(other).map(|row| owner(row.file)) == file)
            .map(|other| scores[other])
            .fold(0.0_f32, f32::max)
    };
    let mut candidates: Vec<Candidate> = best
        .iter()
        .filter_map(|at| {
            let row = *rows.get(at)?;
            let own = scores[*at];
            let from_neighbours = weights.neighbour * near(*at, 1) + weights.second * near(*at, 2);
            let mut score = (own + from_neighbours) * weights.voice(row.voice);
            // A turn that says little itself never outdoes the match beside it by who speaks.
            let match_beside = [at.checked_sub(1), at.checked_add(1)].into_iter().flatten();
            let best = match_beside
                .filter(|other| rows.get(other).is_some_and(|beside| owner(beside.file) == owner(row.file)))
                .max_by(|left, right| scores[*left].total_cmp(&scores[*right]));
            if let Some(best) = best
                && own < SAYS_LITTLE * scores[best]
            {
                score = score.min(BESIDE * voiced(best));
            }
            let (segment, turn) = place(*at);
            (score > 0.0).then_some(Candidate { segment, turn, row, own, score, from_neighbours })
        })
        .collect();
    candidates.sort_by(|left, right| right.score.total_cmp(&left.score));
    Ok((candidates, Rarity { of: rarity }))
}

impl Weights {
    fn voice(&self, voice: Voice) -> f32 {
        match voice {
            Voice::Human => self.human,
            Voice::Agent | Voice::Subagent | Voice::Summary => 1.0,
            Voice::Tool => self.tool,
        }
    }
}

/// The places of the highest scores.
fn top(scores: &[f32], voiced: &dyn Fn(usize) -> f32, count: usize) -> Vec<usize> {
    let mut best: Vec<(f32, usize)> = Vec::with_capacity(count * 2);
    let mut floor = 0.0_f32;
    // No voice raises a score by more than this, so most turns are passed by with one comparison.
    for (at, score) in scores.iter().enumerate() {
        if *score * CEILING <= floor || *score <= 0.0 {
            continue;
        }
        let score = voiced(at);
        if score <= floor {
            continue;
        }
        best.push((score, at));
        if best.len() == count * 2 {
            best.select_nth_unstable_by(count - 1, |left, right| right.0.total_cmp(&left.0));
            best.truncate(count);
            floor = best.iter().map(|(score, _)| *score).fold(f32::MAX, f32::min);
        }
    }
    best.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
    best.truncate(count);
    best.into_iter().map(|(_, at)| at).collect()
}

/// A turn with less than this share of the score of the match beside it says little itself.
const SAYS_LITTLE: f32 = 0.35;
/// The share of that match's score that it gets at most.
const BESIDE: f32 = 0.95;
/// The highest factor of a voice.
const CEILING: f32 = 4.0;
