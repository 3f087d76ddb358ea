//! What was true and is not any more: of two hits that state another value of the same thing, the newer counts.
//!
//! Similarity does not find such pairs, since what changes is told in new words. The question does: both hits state a
//! value of one kind near the words that the question asks about.

use crate::analyze::{Analyzer, Term};
use crate::question::Question;
use crate::values::{Sort, Value, values};
use jiff::Timestamp;
use std::collections::BTreeMap;

/// Hits that are compared.
const COMPARED: usize = 12;
/// The share of the question that stands near the older value, at least.
const OLDER: f32 = 0.3;
/// The same for the newer value, when its sentence tells of no change.
const NEWER: f32 = 0.5;
/// The same when it does; who brings something up to date repeats less.
const CHANGED: f32 = 0.2;
/// How much of its weight a word loses with each word between it and the value.
const FADE: f32 = 0.05;

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
    let all: f32 = rarity.values().sum();
    let claims: Vec<Option<Claim>> = statements
        .iter()
        .take(COMPARED)
        .map(|statement| {
            let at = statement.at.filter(|_| statement.states)?;
            Some(Claim { at, best: best(&values(statement.text, analyzer), rarity, all) })
        })
        .collect();
    let claims: Vec<(usize, Claim)> =
        claims.into_iter().enumerate().filter_map(|(number, claim)| Some((number, claim?))).collect();
    for (number, older) in &claims {
        let excludes =
            |newer: &Claim, older: &Claim| newer.at > older.at && contradicts(newer, older, question);
        let newest =
            claims.iter().filter(|(_, newer)| excludes(newer, older)).max_by_key(|(_, newer)| newer.at);
        let between = claims.iter().any(|(_, first)| excludes(older, first));
        by[*number] = newest.map(|(newest, _)| Replaced { by: *newest, between });
    }
    by
}

/// The best supported values of each kind.
fn best(values: &[Value], rarity: &BTreeMap<Term, f32>, all: f32) -> BTreeMap<Sort, Best> {
    let mut best: BTreeMap<Sort, Best> = BTreeMap::new();
    for value in values {
        let mut near: BTreeMap<Term, f32> = BTreeMap::new();
        for (term, distance) in &value.around {
            if let Some(weight) = rarity.get(term) {
                let weight = weight * (1.0 - FADE * (*distance as f32 - 1.0));
                let known = near.entry(*term).or_default();
                *known = known.max(weight);
            }
        }
        let support = near.values().sum::<f32>() / all.max(f32::MIN_POSITIVE);
        let held = best.entry(value.sort).or_default();
        if support > held.support + f32::EPSILON {
            *held = Best { support, values: vec![value.normal.clone()], changed: value.changed };
        } else if (support - held.support).abs() <= f32::EPSILON {
            held.values.push(value.normal.clone());
            held.changed |= value.changed;
        }
    }
    best
}

/// Whether the newer hit states another value of what the question asks for.
fn contradicts(newer: &Claim, older: &Claim, question: &Question) -> bool {
    older.best.iter().any(|(sort, older)| {
        let Some(newer) = newer.best.get(sort) else { return false };
        older.support >= OLDER
            && newer.support >= if newer.changed { CHANGED } else { NEWER }
            && question.wants.takes(*sort)
            && newer.values.iter().all(|value| !older.values.contains(value))
    })
}
