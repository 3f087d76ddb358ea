//! What was true and is not any more: of two hits that state another value of the same thing, the newer counts.
//!
//! Similarity does not find such pairs, since what changes is told in new words. The question does: both hits state a
//! value of one kind near the words that the question asks about. How near is near enough is judged beside the other
//! hits, since a question has words of its own that no statement repeats.

use crate::analyze::{Analyzer, Term};
use crate::question::Question;
use crate::signs;
use crate::values::{Sort, Value, values};
use jiff::Timestamp;
use std::collections::BTreeMap;

/// Hits that are compared.
const COMPARED: usize = 12;
/// The share of the best support of any hit that the older value has, at least.
const OLDER: f32 = 0.45;
/// The same for the newer value, when its sentence tells of no change.
const NEWER: f32 = 0.45;
/// The same when it does; who brings something up to date repeats less.
const CHANGED: f32 = 0.3;
/// The support below which a value belongs to something else, however little the other hits have.
const FLOOR: f32 = 0.08;
/// The share of what the older hit has of the question that the newer hit has as well.
const COMMON: f32 = 0.5;
/// The same when the newer value's sentence tells of a change.
const COMMON_CHANGED: f32 = 0.4;
/// How much of its weight a word loses with each word between it and the value.
const FADE: f32 = 0.03;
/// The share of its weight that a word keeps which stands in another sentence than the value.
const ELSEWHERE: f32 = 0.2;

/// What is compared of a hit.
#[derive(Clone, Copy, Debug)]
pub struct Statement<'t> {
    /// Its words.
    pub text: &'t str,
    /// When it was said; what has no time is not compared.
    pub at: Option<Timestamp>,
    /// It counts as a statement of how things are.
    pub states: bool,
}

/// What a hit says about the matter of the question.
struct Claim {
    at: Timestamp,
    /// For each kind of value the best supported ones.
    best: BTreeMap<Sort, Best>,
    /// The terms of the question that it holds anywhere.
    whole: BTreeMap<Term, f32>,
    /// Who says so, where the words name somebody.
    speaker: Option<String>,
}

/// The values of one kind that stand nearest to the matter.
#[derive(Default)]
struct Best {
    support: f32,
    values: Vec<String>,
    changed: bool,
}

/// What became of a hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replaced {
    /// The number of the newest hit that says otherwise.
    pub by: usize,
    /// It replaced an older one itself, so it is not the first that was said.
    pub between: bool,
}

/// For each of these hits, the newest that replaced it.
pub fn replaced(
    statements: &[Statement<'_>],
    question: &Question,
    rarity: &BTreeMap<Term, f32>,
    analyzer: &mut Analyzer,
) -> Vec<Option<Replaced>> {
    let mut by = vec![None; statements.len()];
    if !question.wants.value {
        return by;
    }
    let matter = Matter { rarity, all: rarity.values().sum() };
    let claims: Vec<Option<Claim>> = statements
        .iter()
        .take(COMPARED)
        .map(|statement| {
            let at = statement.at.filter(|_| statement.states)?;
            Some(matter.claim(at, statement.text, analyzer))
        })
        .collect();
    let claims: Vec<(usize, Claim)> =
        claims.into_iter().enumerate().filter_map(|(number, claim)| Some((number, claim?))).collect();
    let asked =
        claims.iter().flat_map(|(_, claim)| &claim.best).filter(|(sort, _)| question.wants.takes(**sort));
    let best = asked.map(|(_, best)| best.support).fold(0.0, f32::max);
    for (number, older) in &claims {
        let excludes =
            |newer: &Claim, older: &Claim| newer.at > older.at && contradicts(newer, older, question, best);
        let newest =
            claims.iter().filter(|(_, newer)| excludes(newer, older)).max_by_key(|(_, newer)| newer.at);
        let between = claims.iter().any(|(_, first)| excludes(older, first));
        by[*number] = newest.map(|(newest, _)| Replaced { by: *newest, between });
    }
    by
}

/// What the question is about.
struct Matter<'q> {
    rarity: &'q BTreeMap<Term, f32>,
    all: f32,
}

impl Matter<'_> {
    /// What a hit says of the matter.
    fn claim(&self, at: Timestamp, text: &str, analyzer: &mut Analyzer) -> Claim {
        let mut whole: BTreeMap<Term, f32> = BTreeMap::new();
        analyzer.terms(text, &mut |term| {
            if let Some(weight) = self.rarity.get(&term) {
                whole.insert(term, *weight);
            }
        });
        let mut best: BTreeMap<Sort, Best> = BTreeMap::new();
        for value in values(text, analyzer) {
            let support = self.support(&value, &whole);
            let held = best.entry(value.sort).or_default();
            if support > held.support + f32::EPSILON {
                *held = Best { support, values: vec![value.normal.clone()], changed: value.changed };
            } else if (support - held.support).abs() <= f32::EPSILON {
                held.values.push(value.normal.clone());
                held.changed |= value.changed;
            }
        }
        Claim { at, best, whole, speaker: signs::speaker(text) }
    }

    /// The share of the question that stands near a value; what stands elsewhere in the hit counts little.
    fn support(&self, value: &Value, whole: &BTreeMap<Term, f32>) -> f32 {
        let mut near: BTreeMap<Term, f32> =
            whole.iter().map(|(term, weight)| (*term, weight * ELSEWHERE)).collect();
        for (term, distance) in &value.around {
            if let Some(weight) = self.rarity.get(term) {
                let weight = weight * (1.0 - FADE * (*distance as f32 - 1.0));
                let known = near.entry(*term).or_default();
                *known = known.max(weight);
            }
        }
        near.values().sum::<f32>() / self.all.max(f32::MIN_POSITIVE)
    }
}

/// Whether the newer hit states another value of what the question asks for. `best` is the best support that a value has.
fn contradicts(newer: &Claim, older: &Claim, question: &Question, best: f32) -> bool {
    // Two people each have their own.
    if newer.speaker != older.speaker {
        return false;
    }
    let held: f32 = older.whole.values().sum();
    let common: f32 =
        older.whole.iter().filter(|(term, _)| newer.whole.contains_key(term)).map(|(_, weight)| weight).sum();
    let supported = |support: f32, share: f32| support >= FLOOR && support >= share * best;
    older.best.iter().filter(|(sort, _)| question.wants.takes(**sort)).any(|(sort, older)| {
        let Some(newer) = newer.best.get(sort) else { return false };
        let (share, shared) = if newer.changed { (CHANGED, COMMON_CHANGED) } else { (NEWER, COMMON) };
        supported(older.support, OLDER)
            && supported(newer.support, share)
            && common >= shared * held
            && newer.values.iter().all(|value| !older.values.contains(value))
    })
}
