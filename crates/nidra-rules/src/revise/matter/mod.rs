//! Finds the statement of memory that plain words of a person are about, by its subject, and puts their words there.
//!
//! `the indexer has eight workers since spring` names no end and no old value. It takes the place of what memory says of
//! the indexer's workers because both share rare words of their subject, both give something of one kind, and no other
//! entry is as near. Nothing here knows a single wording of a change; what is known is what a subject is.

mod conflict;
mod guard;
mod restate;

use super::value::{self, Value};
use super::{Known, Revision, Said, Swap, compose};
use crate::lexicon::Cue;
use crate::terms;
use conflict::{Conflict, Kind};
use nidra_core::text::date;
use nidra_core::text::language::is_han;
use nidra_core::{EntryId, Kind as TopicKind, MemoryView};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// How much better than the next entry the best one must be.
const MARGIN: f64 = 0.2;

/// The sentences of memory with what they are about.
pub(crate) struct Matters {
    entries: Vec<Entry>,
    /// In how many entries each term stands.
    spread: BTreeMap<String, usize>,
}

struct Entry {
    id: EntryId,
    kind: TopicKind,
    whole: Known,
    parts: Vec<Part>,
    /// What the topic's name, description and headings are about.
    title: BTreeSet<String>,
    /// The topic's name, for words that name no subject.
    name: String,
}

/// One sentence of an entry.
struct Part {
    range: Range<usize>,
    known: Known,
    /// Its subject without the names that fill a role in it.
    subject: BTreeSet<String>,
}

/// An entry that words replace, with the new words.
pub(crate) struct Found {
    /// The entry.
    pub(crate) entry: EntryId,
    /// The kind of its topic.
    pub(crate) kind: TopicKind,
    /// The new words.
    pub(crate) revision: Revision,
}

/// What speaks for it that a line is about a sentence of memory.
#[derive(Clone, Copy, Debug, Default)]
struct Nearness {
    /// Weight of the subject in the line itself.
    own: f64,
    /// Weight of the title in the line itself.
    title: f64,
    /// Weight of the subject and title in what stands around the line only.
    around: f64,
    /// The part of the sentence's subject that the line names.
    covered: f64,
    /// The same with what stands around.
    with: f64,
}

impl Matters {
    /// Reads memory.
    pub(crate) fn new(memory: &MemoryView) -> Self {
        let mut spread = BTreeMap::new();
        let entries: Vec<Entry> = memory
            .entries()
            .filter(|(topic, _)| topic.editable && !topic.pinned)
            .map(|(topic, entry)| {
                let whole = Known::new(&entry.text);
                let parts = parts(&whole.text);
                let stem = topic.path.trim_end_matches(".md");
                let title = terms::terms(&format!(
                    "{} {} {} {}",
                    topic.name,
                    value::blank(&topic.description),
                    entry.headings.join(" "),
                    stem.replace(['_', '-', '/'], " ")
                ));
                Entry {
                    id: entry.id.clone(),
                    kind: topic.kind.unwrap_or(TopicKind::Project),
                    parts,
                    title,
                    name: topic.name.clone(),
                    whole,
                }
            })
            .collect();
        for entry in &entries {
            for term in terms::terms(&entry.whole.text).union(&entry.title) {
                *spread.entry(term.clone()).or_insert(0) += 1;
            }
        }
        Self { entries, spread }
    }

    /// What a term tells: much where few entries have it.
    fn weight(&self, term: &str) -> f64 {
        let rarity = match self.spread.get(term).copied().unwrap_or(1) {
            0 | 1 => 1.0,
            2 => 0.85,
            3 => 0.65,
            4 => 0.5,
            5 | 6 => 0.35,
            _ => 0.2,
        };
        // A Chinese word makes a pair of its own with each of its neighbours.
        if term.chars().any(is_han) { rarity * 0.7 } else { rarity }
    }

    /// The entries that what a person said takes the place of.
    pub(crate) fn replaced(&self, said: &Said) -> Vec<Found> {
        let mut found: Vec<(f64, usize, Found)> = Vec::new();
        if said.text.lines().any(guard::is_passing) || said.cues.has(Cue::Dismissal) {
            return Vec::new();
        }
        // Words that speak of a change themselves are read for it elsewhere; here they need the old value before them.
        let told = said.cues.any(&[Cue::Change, Cue::Removal, Cue::Denial]);
        let lines: Vec<&str> = said.text.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            if guard::is_elsewhere(line) {
                continue;
            }
            let own = terms::terms(&value::blank(line));
            let mut around = said.around_terms.clone();
            around.extend(said.terms.iter().cloned());
            let mut rated: Vec<(f64, usize, usize, Conflict)> = Vec::new();
            let mut nearest: Vec<f64> = Vec::new();
            for (place, entry) in self.entries.iter().enumerate() {
                let mut top: f64 = 0.0;
                for (index, part) in entry.parts.iter().enumerate() {
                    let near = self.nearness(entry, part, &own, &around);
                    let Some(conflict) = conflict::between(&part.known, &entry.whole, line, said) else {
                        continue;
                    };
                    if !guard::agrees(line, &part.known.text, &entry.title) {
                        continue;
                    }
                    let score = near.own
                        + 0.5 * near.title
                        + 0.4 * near.around
                        + 0.5 * near.covered
                        + conflict.bonus();
                    top = top.max(score);
                    if enough(&conflict, near)
                        && (!told || conflict.kind == Kind::Shown && near.covered >= 0.4)
                    {
                        rated.push((score, place, index, conflict));
                    }
                }
                nearest.push(top);
            }
            rated.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
            let Some((score, place, index, conflict)) = rated.into_iter().next() else { continue };
            let rival = nearest
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != place)
                .map(|(_, score)| *score)
                .fold(0.0, f64::max);
            if score - rival < MARGIN {
                continue;
            }
            let entry = &self.entries[place];
            if date::has_relative(&entry.whole.text, &said.moment) {
                continue;
            }
            let Some(revision) = revision(entry, &entry.parts[index], &conflict, (&lines, at), said, score)
            else {
                continue;
            };
            found.push((score, place, Found { entry: entry.id.clone(), kind: entry.kind, revision }));
        }
        found.sort_by(|left, right| right.0.total_cmp(&left.0));
        let mut taken = BTreeSet::new();
        found.retain(|(_, place, _)| taken.insert(*place));
        found.into_iter().map(|(_, _, found)| found).collect()
    }

    fn nearness(
        &self,
        entry: &Entry,
        part: &Part,
        own: &BTreeSet<String>,
        around: &BTreeSet<String>,
    ) -> Nearness {
        let held = |among: &BTreeSet<String>, term: &str| among.iter().any(|other| terms::same(term, other));
        let mut near = Nearness::default();
        let mut whole = 0.0;
        let mut beside = 0.0;
        for term in &part.subject {
            let weight = self.weight(term);
            whole += weight;
            if held(own, term) {
                near.own += weight;
            } else if held(around, term) {
                beside += weight;
            }
        }
        for term in entry.title.iter().filter(|term| !held(&part.subject, term)) {
            let weight = self.weight(term).min(0.6);
            if held(own, term) {
                near.title += weight;
            } else if held(around, term) {
                near.around += 0.5 * weight;
            }
        }
        near.around += beside;
        near.title = near.title.min(1.2);
        let whole = f64::max(whole, 0.5);
        near.covered = near.own / whole;
        near.with = (near.own + 0.5 * beside + 0.5 * near.title) / whole;
        near
    }
}

/// The entry with the new words in it.
fn revision(
    entry: &Entry,
    part: &Part,
    conflict: &Conflict,
    (lines, at): (&[&str], usize),
    said: &Said,
    score: f64,
) -> Option<Revision> {
    let fresh = conflict.fresh.clone();
    let (core, text) = match &conflict.swap {
        Some((old, new)) => {
            let swap = Swap {
                range: part.range.start + old.range.start..part.range.start + old.range.end,
                old: old.text.clone(),
                new: value::spelled(old, new),
                said: new.text.clone(),
                sureness: score,
                name: false,
            };
            compose::compose(&entry.whole, said, &[swap])?
        }
        None => restate::restate(entry, part, lines, at, said)?,
    };
    Some(Revision { text, core, fresh, sureness: score, renamed: conflict.kind == Kind::Filler })
}

/// Whether what speaks for one subject is enough for a kind of conflict.
fn enough(conflict: &Conflict, near: Nearness) -> bool {
    let sum = near.own + 0.5 * near.title + 0.4 * near.around;
    match conflict.kind {
        Kind::Shown => sum >= 0.5 && near.own + near.title > 0.0 || near.around >= 1.0 && near.with >= 0.3,
        Kind::Typed => {
            near.own >= 0.6 && (near.covered >= 0.34 || near.with >= 0.5)
                || near.own > 0.3 && near.with >= 0.5 && sum >= 1.0
        }
        Kind::Bare => near.own >= 1.0 && near.covered >= 0.5,
        Kind::Gone => sum >= 0.6,
        Kind::Filler => near.own >= 0.6 && near.covered >= 0.45 || near.own >= 1.4 && near.covered >= 0.34,
        Kind::Lifted => near.own >= 0.8 && near.covered >= 0.3 || near.own >= 1.6,
    }
}

/// The sentences of a text.
fn parts(text: &str) -> Vec<Part> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut push = |from: usize, to: usize| {
        let words = &text[from..to];
        let head = from + words.len() - words.trim_start().len();
        let range = head..head + words.trim().len();
        if !range.is_empty() {
            let known = Known::new(&text[range.clone()]);
            let named: BTreeSet<String> =
                known.names.iter().flat_map(|name| terms::terms(&known.text[name.clone()])).collect();
            let subject: BTreeSet<String> =
                known.subject.iter().filter(|term| !named.contains(*term)).cloned().collect();
            let subject = if subject.is_empty() { known.subject.clone() } else { subject };
            found.push(Part { range, known, subject });
        }
    };
    let mut inside = false;
    for (at, character) in text.char_indices() {
        inside ^= character == '`';
        let end = at + character.len_utf8();
        let follows = text[end..].chars().next().is_none_or(char::is_whitespace);
        let ends =
            matches!(character, '。' | '；' | '！' | '\n') || matches!(character, '.' | ';' | '!') && follows;
        if ends && !inside {
            push(start, end);
            start = end;
        }
    }
    push(start, text.len());
    found
}

/// The values of one form among others.
fn comparable<'v>(old: &Value, among: &'v [Value]) -> Vec<&'v Value> {
    among.iter().filter(|new| value::comparable(old, new)).collect()
}
