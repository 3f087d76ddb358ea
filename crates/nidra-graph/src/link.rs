//! Links between entries, each with what it rests on.
//!
//! Evidence adds up: a rare entity that both name, rare terms that both hold, and how alike their meanings are. What many
//! entries share counts little, and a tool that both use is never enough by itself.

use crate::Note;
use crate::entity::{Entity, EntityKind};
use crate::terms::Terms;
use jiff::Timestamp;
use nidra_core::text::language::is_han;
use nidra_core::text::similarity;
use nidra_vectors::{Vector, embed};
use std::collections::{BTreeMap, BTreeSet};

/// Evidence that a link needs.
const ENOUGH: f64 = 0.45;
/// Links of one entry at most; the strongest stay.
const PER_NOTE: usize = 8;
/// From where on two meanings are alike.
const ALIKE: f64 = 0.5;
/// From where on that is a link by itself: of the statements in `training/vectors` that say the same, half are that
/// near, and of those that do not, few, and these are about the same kind of thing.
const ALIKE_ALONE: f64 = 0.68;
/// From where on two entries stand beside each other on a map if nothing else is nearer.
const NEAR: f64 = 0.42;
/// What a meaning gives, from [`ALIKE`] upwards.
const MEANING: f64 = 1.6;
/// What a term gives for each unit of its weight.
const TERM: f64 = 0.13;
/// What terms give together at most.
const TERMS: f64 = 0.6;
/// Entries above which meanings are compared only where something else speaks for a link.
const COMPARED: usize = 6_000;
/// What an entity that only the quotations name counts for.
const BESIDE: f64 = 0.5;
/// Terms that a link shows at most.
const SHOWN_TERMS: usize = 6;

/// Two entries that have something to do with each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// The entry that stands first.
    pub from: usize,
    /// The other.
    pub to: usize,
    /// How much speaks for it, from 0.45 up to 1.
    pub strength: f64,
    /// What both have, the strongest first.
    pub shared: Vec<Shared>,
    /// How alike their meanings are, where that counts.
    pub meaning: Option<f64>,
    /// They come from different sessions.
    pub across_sessions: bool,
    /// They come from different projects.
    pub across_projects: bool,
    /// When it came to be: the later of the times at which the two were last said.
    pub since: Option<Timestamp>,
}

/// What two entries have in common.
#[derive(Clone, Debug, PartialEq)]
pub struct Shared {
    /// What kind of thing; `None` for a word.
    pub kind: Option<EntityKind>,
    /// The words, as they are written.
    pub words: String,
    /// How many entries have it.
    pub holders: usize,
    /// One of the two has it only in what it rests on.
    pub beside: bool,
}

impl Link {
    /// The other end, for an entry that is one of its ends.
    pub fn other(&self, note: usize) -> Option<usize> {
        if self.from == note { Some(self.to) } else { (self.to == note).then_some(self.from) }
    }

    /// Why it is there, in a few words: `ticket PAY-114, “invoice”, alike in meaning (0.78)`.
    pub fn reason(&self) -> String {
        let mut parts: Vec<String> = self
            .shared
            .iter()
            .map(|shared| match shared.kind {
                Some(kind) => format!("{} {}", kind.as_str(), shared.words),
                None => format!("“{}”", shared.words),
            })
            .collect();
        if let Some(meaning) = self.meaning {
            parts.push(format!("alike in meaning ({meaning:.2})"));
        }
        parts.join(", ")
    }
}

/// Two entries of which one is the nearest of the other by meaning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Near {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) alike: f64,
}

/// What speaks for a link between two entries.
#[derive(Default)]
struct Evidence {
    entities: f64,
    meaning: f64,
    alike: f64,
    shared: Vec<(f64, Shared)>,
}

/// The links, the strongest first, and the nearest of each entry by meaning, however weak: enough to stand beside each
/// other, not enough to be a link.
pub(crate) fn collect(notes: &[Note], entities: &[Entity], terms: &Terms) -> (Vec<Link>, Vec<Near>) {
    let mut pairs: BTreeMap<(usize, usize), Evidence> = BTreeMap::new();
    by_entities(notes, entities, &mut pairs);
    by_terms(notes, terms, &mut pairs);
    let near = by_meaning(notes, &mut pairs);
    let mut links: Vec<Link> =
        pairs.into_iter().filter_map(|((from, to), evidence)| evidence.into_link(notes, from, to)).collect();
    links.sort_by(|left, right| {
        right
            .strength
            .total_cmp(&left.strength)
            .then_with(|| (left.from, left.to).cmp(&(right.from, right.to)))
    });
    let mut counts = vec![0_usize; notes.len()];
    links.retain(|link| {
        let room =
            [link.from, link.to].iter().any(|end| counts.get(*end).is_some_and(|count| *count < PER_NOTE));
        if room {
            for end in [link.from, link.to] {
                if let Some(count) = counts.get_mut(end) {
                    *count += 1;
                }
            }
        }
        room
    });
    (links, near)
}

impl Evidence {
    fn into_link(mut self, notes: &[Note], from: usize, to: usize) -> Option<Link> {
        let (left, right) = (notes.get(from)?, notes.get(to)?);
        self.shared.sort_by(|left, right| right.0.total_cmp(&left.0));
        let mut terms = 0.0;
        let mut known = BTreeSet::new();
        // The parts of one word are one piece of evidence.
        self.shared.retain(|(gain, shared)| {
            let new = known.insert((shared.kind, shared.words.to_lowercase()));
            terms += if new && shared.kind.is_none() { *gain } else { 0.0 };
            new
        });
        let strength = (self.entities + terms.min(TERMS) + self.meaning).min(1.0);
        if strength < ENOUGH && self.alike < ALIKE_ALONE {
            return None;
        }
        let mut words = 0;
        let shared: Vec<Shared> = in_words(self.shared, &left.text, &right.text)
            .into_iter()
            .filter(|shared| {
                words += usize::from(shared.kind.is_none());
                shared.kind.is_some() || words <= SHOWN_TERMS
            })
            .collect();
        Some(Link {
            from,
            to,
            strength: strength.max(ENOUGH),
            shared,
            meaning: (self.alike >= ALIKE).then_some(self.alike),
            across_sessions: !left.sessions.is_empty()
                && !right.sessions.is_empty()
                && !left.sessions.iter().any(|session| right.sessions.contains(session)),
            across_projects: left.project != right.project,
            since: left.said.max(right.said),
        })
    }
}

/// What is shared, with the pairs of signs put together to the words that both texts have: 请假 and 假要 and 要提 are no
/// words to show, 请假要提前 is.
fn in_words(shared: Vec<(f64, Shared)>, left: &str, right: &str) -> Vec<Shared> {
    let is_pair = |shared: &Shared| shared.kind.is_none() && shared.words.chars().all(is_han);
    let (pairs, mut words): (Vec<Shared>, Vec<Shared>) =
        shared.into_iter().map(|(_, shared)| shared).partition(is_pair);
    let holders: BTreeMap<&str, usize> =
        pairs.iter().map(|pair| (pair.words.as_str(), pair.holders)).collect();
    let signs: Vec<char> = left.chars().collect();
    let pair_at = |at: usize| signs.get(at..at + 2).map(|pair| pair.iter().collect::<String>());
    let mut shown = BTreeSet::new();
    let mut at = 0;
    while at < signs.len() {
        let mut end = at;
        let mut fewest = usize::MAX;
        while let Some(pair) = pair_at(end).filter(|pair| holders.contains_key(pair.as_str())) {
            let longer: String = signs.get(at..end + 2).into_iter().flatten().collect();
            if !right.contains(&longer) {
                break;
            }
            fewest = fewest.min(holders.get(pair.as_str()).copied().unwrap_or(usize::MAX));
            end += 1;
        }
        if end > at {
            let run: String = signs.get(at..=end).into_iter().flatten().collect();
            if shown.insert(run.clone()) {
                words.push(Shared { kind: None, words: run, holders: fewest, beside: false });
            }
            at = end;
        } else {
            at += 1;
        }
    }
    // What is written otherwise in the two, such as in traditional signs, is shown as it is compared.
    if shown.is_empty() {
        words.extend(pairs);
    }
    words
}

/// What an entity counts for that two entries share and nobody else names.
fn weight(kind: EntityKind) -> f64 {
    match kind {
        EntityKind::Ticket => 1.0,
        EntityKind::Error | EntityKind::File => 0.9,
        EntityKind::Name | EntityKind::Service => 0.8,
        EntityKind::Person => 0.6,
        EntityKind::Tool => 0.35,
        EntityKind::Decision => 0.0,
    }
}

/// How many entries may share something that still says something.
fn bound(notes: usize) -> usize {
    let root = (notes as f64).sqrt();
    (6..=notes.max(6)).take_while(|count| (*count as f64) <= root).last().unwrap_or(6)
}

/// What two share is worth less the more have it.
fn rarity(holders: usize) -> f64 {
    (2.0 / holders.max(2) as f64).sqrt()
}

fn by_entities(notes: &[Note], entities: &[Entity], pairs: &mut BTreeMap<(usize, usize), Evidence>) {
    let bound = bound(notes.len());
    for entity in entities {
        let holders = entity.mentions.len();
        let full = weight(entity.kind) * rarity(holders);
        if holders < 2 || holders > bound || full <= 0.0 {
            continue;
        }
        for (at, left) in entity.mentions.iter().enumerate() {
            for right in entity.mentions.iter().skip(at + 1) {
                // What neither says itself is no evidence.
                if left.beside && right.beside {
                    continue;
                }
                let beside = left.beside || right.beside;
                let gain = if beside { full * BESIDE } else { full };
                let evidence = pairs.entry((left.note, right.note)).or_default();
                evidence.entities += gain;
                let words = if left.beside { &right.words } else { &left.words };
                let shared = Shared { kind: Some(entity.kind), words: words.clone(), holders, beside };
                evidence.shared.push((gain, shared));
            }
        }
    }
}

fn by_terms(notes: &[Note], terms: &Terms, pairs: &mut BTreeMap<(usize, usize), Evidence>) {
    let bound = bound(notes.len()).min(24);
    for term in 0..terms.len() {
        let holders = terms.holders(term);
        if holders.len() < 2 || holders.len() > bound {
            continue;
        }
        let gain = TERM * similarity::weight(terms.name(term)) * rarity(holders.len());
        for (at, left) in holders.iter().enumerate() {
            for right in holders.iter().skip(at + 1) {
                let evidence = pairs.entry((*left, *right)).or_default();
                let words = terms.written(term).to_owned();
                evidence
                    .shared
                    .push((gain, Shared { kind: None, words, holders: holders.len(), beside: false }));
            }
        }
    }
}

fn by_meaning(notes: &[Note], pairs: &mut BTreeMap<(usize, usize), Evidence>) -> Vec<Near> {
    let vectors: Vec<Vector> = notes.iter().map(|note| embed(&note.text)).collect();
    let add = |pairs: &mut BTreeMap<(usize, usize), Evidence>, from: usize, to: usize, alike: f64| {
        let evidence = pairs.entry((from, to)).or_default();
        evidence.alike = alike;
        evidence.meaning = (alike - ALIKE).max(0.0) * MEANING;
    };
    if notes.len() > COMPARED {
        let known: Vec<(usize, usize)> = pairs.keys().copied().collect();
        for (from, to) in known {
            if let (Some(left), Some(right)) = (vectors.get(from), vectors.get(to)) {
                add(pairs, from, to, f64::from(alike(left, right)));
            }
        }
        return Vec::new();
    }
    let mut nearest: Vec<Option<(f64, usize)>> = vec![None; notes.len()];
    for (from, left) in vectors.iter().enumerate() {
        for (to, right) in vectors.iter().enumerate().skip(from + 1) {
            let alike = f64::from(alike(left, right));
            for (one, other) in [(from, to), (to, from)] {
                if alike >= NEAR && nearest[one].is_none_or(|(best, _)| alike > best) {
                    nearest[one] = Some((alike, other));
                }
            }
            // What is not alike enough to stand alone only strengthens what is there.
            if alike >= ALIKE_ALONE || (alike >= ALIKE && pairs.contains_key(&(from, to))) {
                add(pairs, from, to, alike);
            }
        }
    }
    let of_each = nearest.into_iter().enumerate();
    of_each.filter_map(|(from, near)| near.map(|(alike, to)| Near { from, to, alike })).collect()
}

/// How alike two meanings are, in lanes that the compiler can keep in wide registers.
fn alike(left: &Vector, right: &Vector) -> f32 {
    let mut lanes = [0.0_f32; 8];
    for (left, right) in left.values().chunks_exact(8).zip(right.values().chunks_exact(8)) {
        for ((lane, left), right) in lanes.iter_mut().zip(left).zip(right) {
            *lane += left * right;
        }
    }
    lanes.iter().sum()
}

#[cfg(test)]
#[path = "link_tests.rs"]
mod tests;
