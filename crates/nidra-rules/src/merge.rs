//! Sets the settled candidates against memory as it is: known, replacing, belonging to a topic, or new.

use crate::candidate::{Candidate, Rejected};
use crate::contrary;
use crate::hook;
use crate::lexicon::Cue;
use crate::new_topic;
use crate::phrase;
use crate::recur;
use crate::restated;
use crate::revise;
use crate::settle::{self, Withdrawn};
use crate::siblings;
use crate::subject;
use crate::terms;
use crate::withdraw;
use nidra_core::text::date;
use nidra_core::{
    Change, EntryView, Kind, MemoryView, Operation, OperationId, Recurrence, Target, TopicView, TrustRank,
};
use std::collections::{BTreeMap, BTreeSet};

/// At most so many tenths of the entries are superseded or archived in one run; a wave of replacements is a fault, not news.
const CEILING_TENTHS: usize = 6;

/// Operations and what did not become one.
#[derive(Debug, Default)]
pub(crate) struct Merged {
    /// The operations, in order.
    pub(crate) operations: Vec<Operation>,
    /// The rest.
    pub(crate) dropped: Vec<Rejected>,
    /// What memory says already and was said again.
    pub(crate) recurrences: Vec<Recurrence>,
}

struct Known<'a> {
    topic: &'a TopicView,
    entry: &'a EntryView,
    terms: BTreeSet<String>,
    /// Its terms without what its values name.
    subject: BTreeSet<String>,
    /// What its topic's name and description are about.
    title: BTreeSet<String>,
}

impl<'a> Known<'a> {
    fn new(topic: &'a TopicView, entry: &'a EntryView) -> Self {
        let subject = terms::terms(&revise::value::blank(&entry.text))
            .into_iter()
            .filter(|term| !term.chars().any(|c| c.is_ascii_digit()))
            .collect();
        let title = terms::terms(&format!("{} {}", topic.name, topic.description));
        Self { topic, entry, terms: terms::terms(&entry.text), subject, title }
    }
}

/// Merges the candidates into memory.
pub(crate) fn merge(kept: Vec<Candidate>, withdrawn: &[Withdrawn], memory: &MemoryView) -> Merged {
    let known: Vec<Known<'_>> = memory.entries().map(|(topic, entry)| Known::new(topic, entry)).collect();
    let mut ceiling = (known.len() * CEILING_TENTHS).div_ceil(10).max(3);
    let mut merged = Merged::default();
    let mut gone: BTreeSet<usize> = BTreeSet::new();
    let mut slugs: BTreeMap<String, usize> = BTreeMap::new();
    // What this run says again is not replaced or taken back by the same run.
    let known_again: Vec<Option<usize>> =
        kept.iter().map(|candidate| already_known(candidate, &known)).collect();
    let standing: BTreeSet<usize> = known_again.iter().flatten().copied().collect();
    gone.extend(&standing);
    ceiling += standing.len();
    let (revising, others): (Vec<_>, Vec<_>) =
        kept.into_iter().zip(known_again).partition(|(candidate, _)| entry_of(candidate, &known).is_some());
    let mut revised: BTreeSet<usize> = BTreeSet::new();
    // What corrects nothing that a person said to be wrong comes last: a run changes only so many files.
    let mut late: Vec<Operation> = Vec::new();
    for (candidate, _) in revising {
        let Some(place) = entry_of(&candidate, &known) else { continue };
        gone.insert(place);
        if revised.insert(place) {
            supersede(&candidate, &known, place, &mut merged);
            if candidate.rank < TrustRank::HumanConfirmed {
                late.extend(merged.operations.pop());
            }
        }
    }
    for (candidate, again) in others {
        if let Some(place) = again {
            let reason = format!("already known: {}", known[place].topic.path);
            merged.recurrences.push(Recurrence {
                path: known[place].topic.path.clone(),
                entry: known[place].entry.id.clone(),
                rank: candidate.rank,
                evidence: candidate.evidence.clone(),
            });
            merged.dropped.push(Rejected { text: candidate.text, reason, evidence: candidate.evidence });
            continue;
        }
        let replaced = replaced_entries(&candidate, &known, &gone);
        if replaced.is_empty() && only_ends(&candidate, &known, &revised) {
            let reason = "the entry has its new words already".to_owned();
            merged.dropped.push(Rejected { text: candidate.text, reason, evidence: candidate.evidence });
            continue;
        }
        if let Some(first) = replaced.first().copied()
            && gone.len() < ceiling
            && known[first].topic.editable
        {
            gone.insert(first);
            // The same wish in new words is no loss.
            let restated = restates(&candidate, &known[first]);
            ceiling += usize::from(restated);
            supersede(&candidate, &known, first, &mut merged);
            if restated {
                late.extend(merged.operations.pop());
            }
            for other in replaced.into_iter().skip(1) {
                if gone.len() < ceiling && known[other].topic.editable && !known[other].topic.pinned {
                    gone.insert(other);
                    let reason = format!("replaced by what was said on {}", candidate.said.date());
                    push(&mut merged, Change::Archive { target: target(&known[other]) }, &candidate, reason);
                }
            }
            continue;
        }
        new_topic::create(&candidate, memory, &mut slugs, &mut merged);
    }
    for back in withdrawn {
        archive(back, &known, &mut gone, ceiling, &mut merged);
    }
    merged.operations.extend(late);
    for (at, operation) in merged.operations.iter_mut().enumerate() {
        operation.id = OperationId::new(format!("op-{}", at + 1));
    }
    hook::rebuild(&mut merged.operations, memory);
    merged
}

/// The place of the entry of memory that a candidate revises.
fn entry_of(candidate: &Candidate, known: &[Known<'_>]) -> Option<usize> {
    let entry = candidate.revises.as_ref()?.entry.as_ref()?;
    known.iter().position(|known| known.entry.id == *entry)
}

/// Whether a candidate says no more than that what a revised entry said is over.
fn only_ends(candidate: &Candidate, known: &[Known<'_>], revised: &BTreeSet<usize>) -> bool {
    candidate.terms.len() <= 6
        && revised.iter().any(|place| {
            known[*place].terms.iter().any(|term| {
                settle::is_specific(term) && candidate.negated.iter().any(|other| terms::same(term, other))
            })
        })
}

fn already_known(candidate: &Candidate, known: &[Known<'_>]) -> Option<usize> {
    let plain = phrase::plain(&candidate.text);
    let changes = candidate.cues.any(&[Cue::Change, Cue::Removal]);
    known.iter().position(|entry| {
        let words = &entry.entry.text;
        phrase::plain(words).contains(plain.trim())
            || terms::shared(&entry.terms, &candidate.terms) > 0
                && (restated::is_restated(&candidate.text, words)
                    || !changes
                        && recur::is_told(&candidate.text, &candidate.terms, words, &entry.terms)
                        && !contrary::is_contrary(words, &candidate.text))
    })
}

/// The entries of memory that a candidate replaces, the surest first.
fn replaced_entries(candidate: &Candidate, known: &[Known<'_>], gone: &BTreeSet<usize>) -> Vec<usize> {
    let context = terms::terms(&candidate.context);
    let mut found: Vec<(usize, f64)> = known
        .iter()
        .enumerate()
        .filter(|(place, _)| !gone.contains(place))
        .filter_map(|(place, entry)| {
            if turns_round(candidate, entry) {
                return Some((place, CONTRARY));
            }
            let score = replaces(candidate, &context, entry)?;
            (!siblings::are_siblings(&entry.entry.text, &candidate.text)).then_some((place, score))
        })
        .collect();
    found.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
    // A second one only where the old thing itself is named and the entry is about little else.
    found
        .into_iter()
        .enumerate()
        .filter(|(rank, (_, score))| *rank == 0 || *rank == 1 && *score >= 1.8)
        .map(|(_, (place, _))| place)
        .collect()
}

/// Whether a person's rule chooses otherwise than an entry for the same matter.
fn turns_round(candidate: &Candidate, known: &Known<'_>) -> bool {
    candidate.rank == TrustRank::HumanVerbatim
        && terms::shared(&known.terms, &candidate.terms) > 0
        && contrary::is_contrary(&known.entry.text, &candidate.text)
}

/// How surely a rule replaces one of the same matter that chooses otherwise.
const CONTRARY: f64 = 3.0;

/// How surely a candidate replaces an entry; `None` when it does not.
fn replaces(candidate: &Candidate, context: &BTreeSet<String>, known: &Known<'_>) -> Option<f64> {
    if candidate.rank < TrustRank::HumanConfirmed || known.terms.is_empty() {
        return None;
    }
    let own = terms::shared(&known.terms, &candidate.terms);
    let own_subject = terms::shared(&known.subject, &candidate.terms);
    let around = known
        .terms
        .iter()
        .filter(|term| {
            !candidate.terms.iter().any(|other| terms::same(term, other))
                && context.iter().any(|other| terms::same(term, other))
        })
        .count();
    let subject = terms::shared(&known.title, &candidate.terms).min(2);
    let coverage = (own as f64 + 0.5 * around as f64 + 0.4 * subject as f64) / known.terms.len() as f64;
    let named = known
        .terms
        .iter()
        .filter(|term| {
            settle::is_specific(term) && candidate.negated.iter().any(|other| terms::same(term, other))
        })
        .count();
    // Nothing in common, and no change from one of a family to another: the rest need not be looked at.
    let changes = candidate.cues.any(&[Cue::Change, Cue::Removal]);
    if own + around + named == 0 && !changes {
        return None;
    }
    let conflict =
        settle::conflicting_value(&known.entry.text, &candidate.text, candidate.cues.has(Cue::Change))
            .is_some();
    let turns = candidate.cues.any(&[
        Cue::Change,
        Cue::Removal,
        Cue::Decision,
        Cue::Denial,
        Cue::Obligation,
        Cue::Standing,
    ]);
    let fresh = candidate.terms.iter().any(|term| !known.terms.iter().any(|other| terms::same(term, other)));
    let rivals = crate::families::rivals(&known.entry.text, &candidate.text, &candidate.negated).is_some();
    if rivals
        && candidate.cues.any(&[Cue::Change, Cue::Removal])
        && candidate.rank == TrustRank::HumanVerbatim
    {
        return Some(1.2 + coverage);
    }
    if named >= 1 && coverage >= 0.2 && fresh {
        return Some(1.0 + coverage + 0.3 * named as f64);
    }
    // Words that were taken over as they were said speak of many things; a few of those again are no news of them.
    if known.terms.len() > revise::collect::TALK && own * 2 < known.terms.len() {
        return None;
    }
    let around_subject = known
        .subject
        .iter()
        .filter(|term| {
            !candidate.terms.iter().any(|other| terms::same(term, other))
                && context.iter().any(|other| terms::same(term, other))
        })
        .count();
    let subject_coverage = (own_subject as f64 + 0.5 * around_subject as f64 + 0.4 * subject as f64)
        / known.subject.len().max(1) as f64;
    // The agent said the old thing right before and the person said that it is not so any more.
    let contradicted = candidate.cues.any(&[Cue::Removal, Cue::Change])
        && terms::shared(&known.terms, context) * 10 >= known.terms.len() * 7
        && known.terms.len() >= 3;
    // Long words with a matter of their own say nothing against it.
    let on_it = own >= 2 || candidate.terms.len() <= 8;
    if contradicted && on_it && (own >= 1 || candidate.cues.has(Cue::Removal)) {
        return Some(0.9 + coverage);
    }
    if restates(candidate, known) {
        return Some(0.8 + coverage);
    }
    if candidate.cues.any(&[Cue::Change, Cue::Removal])
        && own_subject >= 2
        && own_subject * 10 >= known.subject.len() * 6
        && fresh
    {
        return Some(0.7 + 0.3 * coverage);
    }
    let same_form = conflict && settle::same_form(&known.entry.text, &candidate.text);
    // The old value itself was named right before, by the agent or the person.
    let shown = conflict
        && terms::values(&known.entry.text)
            .iter()
            .any(|value| terms::values(&candidate.context).contains(value));
    let close = (own_subject >= 2 || settle::same_shape(&known.entry.text, &candidate.text))
        && subject_coverage >= 0.5
        || subject_coverage >= 0.75
        || (same_form || shown) && subject_coverage >= if shown { 0.15 } else { 0.25 };
    let named_here = own_subject * 2 >= known.subject.len() || shown;
    if conflict && turns && own_subject >= 1 && close && named_here {
        return Some(subject_coverage.min(1.0) + if shown { 0.3 } else { 0.0 });
    }
    None
}

/// Whether a candidate gives a wish of memory in new words, where nobody can tell any more when the old ones were said:
/// `Yesterday he asked for …`.
fn restates(candidate: &Candidate, known: &Known<'_>) -> bool {
    known.terms.len() <= 6
        && terms::shared(&known.terms, &candidate.terms) * 3 >= known.terms.len()
        && known.topic.kind == Some(Kind::Feedback)
        && candidate.kind == Kind::Feedback
        && candidate.rank == TrustRank::HumanVerbatim
        && date::has_relative(&known.entry.text, &candidate.said)
}

fn target(known: &Known<'_>) -> Target {
    Target { path: known.topic.path.clone(), entry: known.entry.id.clone(), text: known.entry.text.clone() }
}

/// The entry says this now. The words behind the index link are set when all operations are known.
fn supersede(candidate: &Candidate, known: &[Known<'_>], place: usize, merged: &mut Merged) {
    let entry = &known[place];
    let (text, core) = if let Some(revised) = &candidate.revises {
        (candidate.text.clone(), revised.core.clone())
    } else {
        let text = with_subject(&candidate.text, entry);
        let core = phrase::plain(&text);
        (text, core)
    };
    let reason = format!(
        "{}; replaces “{}”",
        candidate.reason,
        nidra_core::text::width::shorten(&entry.entry.text, 60)
    );
    push(merged, Change::Supersede { target: target(entry), text, hook: Some(core) }, candidate, reason);
}

/// The words with the subject of the entry that they replace, where they do not name it.
fn with_subject(text: &str, known: &Known<'_>) -> String {
    if terms::shared(&known.terms, &terms::terms(text)) >= 1 {
        return text.to_owned();
    }
    match subject::of(&known.entry.text) {
        Some(subject) if text.chars().any(nidra_core::text::language::is_han) => format!("{subject}：{text}"),
        Some(subject) => format!("{subject}: {text}"),
        None => text.to_owned(),
    }
}

/// An idea or rule of memory that the person took back goes to the archive.
fn archive(
    back: &Withdrawn,
    known: &[Known<'_>],
    gone: &mut BTreeSet<usize>,
    ceiling: usize,
    merged: &mut Merged,
) {
    let rare = |entry: &Known<'_>| {
        back.terms.iter().any(|term| {
            entry.terms.contains(term) && known.iter().filter(|other| other.terms.contains(term)).count() <= 2
        })
    };
    let best = known
        .iter()
        .enumerate()
        .filter(|(place, entry)| !gone.contains(place) && entry.topic.editable)
        .map(|(place, entry)| {
            (place, entry, terms::shared(&back.terms, &withdraw::named_terms(&entry.entry.text)))
        })
        .filter(|(_, entry, shared)| {
            let size = entry.terms.len();
            if back.named {
                // One word is enough where the statement is short.
                *shared > 0 && shared * 3 >= back.terms.len() * 2 && (*shared >= 2 || size <= 8)
            } else {
                *shared > 0 && shared * 8 >= size && rare(entry)
            }
        })
        .max_by_key(|(place, _, shared)| (*shared, std::cmp::Reverse(*place)));
    let Some((place, ..)) = best else { return };
    if gone.len() >= ceiling {
        return;
    }
    gone.insert(place);
    let number = merged.operations.len() + 1;
    merged.operations.push(Operation {
        id: OperationId::new(format!("op-{number}")),
        change: Change::Archive { target: target(&known[place]) },
        kind: known[place].topic.kind.unwrap_or(Kind::Project),
        rank: TrustRank::HumanVerbatim,
        reason: format!("taken back by the human on {}", back.day),
        evidence: vec![back.evidence.clone()],
    });
}

pub(crate) fn push(merged: &mut Merged, change: Change, candidate: &Candidate, reason: String) {
    let number = merged.operations.len() + 1;
    merged.operations.push(Operation {
        id: OperationId::new(format!("op-{number}")),
        change,
        kind: candidate.kind,
        rank: candidate.rank,
        reason,
        evidence: candidate.evidence.clone(),
    });
}
