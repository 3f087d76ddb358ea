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
const COMPARED: usize = 30;
/// The share of the question that stands near the older value, at least.
const OLDER: f32 = 0.3;
/// The same for the newer value; who brings something up to date repeats less.
const NEWER: f32 = 0.2;
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
    best: BTreeMap<Sort, (f32, Vec<String>)>,
}

/// For each of these hits, the number of the newest that replaced it.
pub fn replaced(
    statements: &[Statement<'_>],
    question: &Question,
    rarity: &BTreeMap<Term, f32>,
    analyzer: &mut Analyzer,
) -> Vec<Option<usize>> {
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
    for (older, place) in claims.iter().zip(&mut by) {
        let Some(older) = older else { continue };
        let newer = claims.iter().enumerate().filter_map(|(number, claim)| Some((number, claim.as_ref()?)));
        *place = newer
            .filter(|(_, newer)| newer.at > older.at && contradicts(newer, older, question))
            .max_by_key(|(_, newer)| newer.at)
            .map(|(number, _)| number);
    }
    by
}

/// The best supported values of each kind.
fn best(values: &[Value], rarity: &BTreeMap<Term, f32>, all: f32) -> BTreeMap<Sort, (f32, Vec<String>)> {
    let mut best: BTreeMap<Sort, (f32, Vec<String>)> = BTreeMap::new();
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
        if support > held.0 + f32::EPSILON {
            *held = (support, vec![value.normal.clone()]);
        } else if (support - held.0).abs() <= f32::EPSILON {
            held.1.push(value.normal.clone());
        }
    }
    best
}

/// Whether the newer hit states another value of what the question asks for.
fn contradicts(newer: &Claim, older: &Claim, question: &Question) -> bool {
    older.best.iter().any(|(sort, (support, said))| {
        let Some((again, says)) = newer.best.get(sort) else { return false };
        *support >= OLDER
            && *again >= NEWER
            && question.wants.takes(*sort)
            && says.iter().all(|value| !said.contains(value))
    })
}
