//! Settles the candidates of a session among themselves, in the order in which they were said: what is taken back goes,
//! the last word on a subject wins, the same said twice is one.

use crate::candidate::{Candidate, Rejected, Revised};
use crate::contrary;
use crate::dialogue::{Dialogue, Utterance};
use crate::families;
use crate::lexicon::Cue;
use crate::once;
use crate::over;
use crate::restated;
use crate::revise::{self, Known, Said};
use crate::sentence::Line;
use crate::siblings;
use crate::terms::{self, ValueKind};
use crate::withdraw::{self, Place};
use jiff::civil::Date;
use nidra_core::Evidence;
use nidra_core::text::width::display_width;
use std::collections::{BTreeMap, BTreeSet};

/// Something that a person took back, by its words.
#[derive(Clone, Debug)]
pub(crate) struct Withdrawn {
    /// What it is about.
    pub(crate) terms: BTreeSet<String>,
    /// The person names it: `forget the screenshot rule`.
    pub(crate) named: bool,
    /// The words with which it was taken back.
    pub(crate) evidence: Evidence,
    /// When.
    pub(crate) day: Date,
}

/// What is left, what was dropped, and what was taken back without a candidate of this run.
#[derive(Debug, Default)]
pub(crate) struct Settled {
    /// The candidates that stand, in order.
    pub(crate) kept: Vec<Candidate>,
    /// The others.
    pub(crate) dropped: Vec<Rejected>,
    /// Ideas and rules of earlier times that the person took back.
    pub(crate) withdrawn: Vec<Withdrawn>,
}

/// Settles all candidates of a session.
pub(crate) fn settle(
    mut candidates: Vec<Candidate>,
    dialogue: &Dialogue<'_>,
    lines: &[Vec<Line>],
    said: &[Option<Said>],
) -> Settled {
    candidates.sort_by_key(|candidate| candidate.utterance);
    let mut settled = Settled::default();
    let mut live: Vec<Candidate> = Vec::new();
    // Statements read for revisions, by their words.
    let mut known: BTreeMap<String, Known> = BTreeMap::new();
    let mut waiting = candidates.into_iter().peekable();
    for (index, (utterance, sentences)) in dialogue.utterances.iter().zip(lines).enumerate() {
        let place = Place { index, utterance, sentences, lines, dialogue };
        withdraw::withdraw(&place, &mut live, &mut settled);
        let mut here = Vec::new();
        while let Some(candidate) = waiting.next_if(|candidate| candidate.utterance <= index) {
            here.push(candidate);
        }
        if let Some(said) = said.get(index).and_then(Option::as_ref) {
            revise_live(said, (index, utterance), &mut live, &mut known, &mut here, &mut settled);
            withdraw::end_choices(said, index, &mut live, &mut settled);
        }
        end_states(sentences, index, &mut live, &mut settled);
        for candidate in here {
            admit(candidate, &mut live, &mut settled);
        }
    }
    for candidate in waiting {
        admit(candidate, &mut live, &mut settled);
    }
    for candidate in std::mem::take(&mut live) {
        if candidate.provisional {
            settled.dropped.push(rejected(candidate, "holds for the moment only"));
        } else {
            live.push(candidate);
        }
    }
    settled.kept = live;
    settled
}

/// Drops earlier words of this session on a state that is over since.
fn end_states(sentences: &[Line], index: usize, live: &mut Vec<Candidate>, settled: &mut Settled) {
    for ending in sentences.iter().filter_map(over::ending) {
        let ended: Vec<usize> = (0..live.len())
            .filter(|at| {
                live[*at].utterance < index
                    && live[*at].revises.is_none()
                    && ending.ends(&live[*at].text).is_some()
            })
            .collect();
        remove(live, &ended, "the state that it speaks of is over", settled);
    }
}

/// How sure a revision of a statement of the same run has to be: its old value is named or was shown.
const SURE: f64 = 1.85;

/// Puts what is said here into the statements of this run that it revises.
fn revise_live(
    said: &Said,
    (index, utterance): (usize, &Utterance<'_>),
    live: &mut [Candidate],
    known: &mut BTreeMap<String, Known>,
    here: &mut Vec<Candidate>,
    settled: &mut Settled,
) {
    let earlier: Vec<usize> =
        (0..live.len()).filter(|at| live[*at].utterance < index && !live[*at].provisional).collect();
    for at in &earlier {
        let text = &live[*at].text;
        if !known.contains_key(text) {
            known.insert(text.clone(), Known::new(text));
        }
    }
    let mut drafts: Vec<_> = earlier
        .into_iter()
        .filter_map(|at| Some((at, revise::draft(known.get(&live[at].text)?, said)?)))
        .filter(|(_, draft)| {
            !draft.renames()
                && draft.sureness >= SURE
                && draft.fresh().all(|value| value.chars().any(char::is_alphabetic))
        })
        .collect();
    drafts.sort_by(|left, right| right.1.sureness.total_cmp(&left.1.sureness).then(left.0.cmp(&right.0)));
    let best = drafts.iter().find_map(|(at, draft)| Some((*at, draft.revision()?)));
    let Some((at, revision)) = best else { return };
    let entry = live[at].revises.as_ref().and_then(|revised| revised.entry.clone());
    // Words that revise memory already have their candidate; then the statement of this run is only replaced.
    if here
        .iter()
        .any(|candidate| candidate.revises.is_some() && revise::collect::is_stated(candidate, &revision))
    {
        return;
    }
    here.retain(|candidate| !revise::collect::is_stated(candidate, &revision));
    let mut old = live[at].clone();
    let newer = &mut live[at];
    newer.terms = terms::terms(&revision.text);
    newer.text = revision.text;
    newer.utterance = index;
    newer.said = utterance.said.clone();
    newer.rank = nidra_core::TrustRank::HumanVerbatim;
    newer.evidence.push(crate::human::quote(utterance));
    newer.revises = Some(Revised { entry, core: revision.core, sureness: revision.sureness });
    old.evidence.truncate(1);
    settled.dropped.push(rejected(old, format!("another value since {}", utterance.said.date())));
}

fn rejected(candidate: Candidate, reason: impl Into<String>) -> Rejected {
    Rejected { text: candidate.text, reason: reason.into(), evidence: candidate.evidence }
}

/// What the person's words behind a candidate are about, its quotations included.
pub(crate) fn spoken_terms(candidate: &Candidate) -> BTreeSet<String> {
    candidate
        .evidence
        .iter()
        .flat_map(|evidence| terms::terms(&evidence.quote))
        .chain(candidate.terms.iter().cloned())
        .collect()
}

/// The live candidates of the last few utterances.
pub(crate) fn recent(live: &[Candidate], index: usize, reach: usize) -> Vec<usize> {
    (0..live.len()).filter(|at| live[*at].utterance < index && live[*at].utterance + reach >= index).collect()
}

pub(crate) fn remove(live: &mut Vec<Candidate>, places: &[usize], reason: &str, settled: &mut Settled) {
    for at in places.iter().rev() {
        if *at < live.len() {
            let candidate = live.remove(*at);
            settled.dropped.push(rejected(candidate, reason));
        }
    }
}

/// Lets a candidate in; older ones that it replaces or repeats go.
fn admit(candidate: Candidate, live: &mut Vec<Candidate>, settled: &mut Settled) {
    let mut candidate = candidate;
    if let Some(older) = live.iter_mut().rev().find(|older| elaborates(older, &candidate)) {
        let gap = if older.text.ends_with(['。', '！', '；']) { "" } else { " " };
        older.text = once::once(&format!("{}{gap}{}", older.text, candidate.text));
        older.terms.extend(candidate.terms);
        older.evidence.extend(candidate.evidence);
        return;
    }
    let mut place = 0;
    while place < live.len() {
        let older = &live[place];
        let entry = |one: &Candidate| one.revises.as_ref().and_then(|revised| revised.entry.clone());
        if entry(older).is_some() && entry(older) == entry(&candidate) {
            // Words that surely speak of the statement are not put aside for words that may be of another matter.
            if sureness(&candidate) < 1.0 && sureness(&candidate) + DOUBT < sureness(older) {
                candidate.revises = None;
                continue;
            }
            let older = live.remove(place);
            settled.dropped.push(rejected(older, "another value was said later"));
            continue;
        }
        if contrary::is_contrary(&older.text, &candidate.text) {
            let older = live.remove(place);
            settled
                .dropped
                .push(rejected(older, format!("the opposite was said on {}", candidate.said.date())));
            continue;
        }
        if repeats(older, &candidate) {
            let longer = older.terms.len() > candidate.terms.len() + 3 && !candidate.cues.has(Cue::Change);
            let stays = match (sureness(older) >= 1.0, sureness(&candidate) >= 1.0) {
                // A statement of memory with its new value loses nothing to longer words; they stand beside it.
                (false, true) if longer => {
                    place += 1;
                    continue;
                }
                (true, false) => true,
                _ => longer,
            };
            let older = live.remove(place);
            let (mut richer, other) = if stays { (older, candidate) } else { (candidate, older) };
            richer.evidence.splice(0..0, other.evidence.clone());
            settled.dropped.push(rejected(other, "said again"));
            candidate = richer;
            continue;
        }
        // Every candidate meets every other; what two statements are about is read of those that seem to meet.
        let replaced = replaces(&candidate, older);
        if let Some(reason) = replaced.filter(|_| !siblings::are_siblings(&older.text, &candidate.text)) {
            let older = live.remove(place);
            settled.dropped.push(rejected(older, reason));
            continue;
        }
        place += 1;
    }
    live.push(candidate);
}

/// How sure it is that a candidate stands in the place of a statement of memory; 0 where it does not.
fn sureness(candidate: &Candidate) -> f64 {
    let revised = candidate.revises.as_ref().filter(|revised| revised.entry.is_some());
    revised.map_or(0.0, |revised| revised.sureness)
}

/// By how much later words may be less sure of their statement than earlier ones and still stand in its place.
const DOUBT: f64 = 0.15;

/// Whether the later words only say more about what was named right before: they begin by pointing at it.
fn elaborates(older: &Candidate, newer: &Candidate) -> bool {
    let near = older.utterance < newer.utterance && older.utterance + 2 >= newer.utterance;
    let lower = newer.text.to_lowercase();
    let points = ["this ", "that ", "these ", "those ", "it ", "the same ", "这", "那个", "它", "同样"]
        .iter()
        .any(|start| lower.starts_with(start));
    near && points
        && newer.terms.len() < 8
        && terms::shared(&older.terms, &newer.terms) >= 1
        && conflicting_value(&older.text, &newer.text, false).is_none()
}

/// Whether two candidates say the same.
fn repeats(older: &Candidate, newer: &Candidate) -> bool {
    if restated::is_restated(&newer.text, &older.text) {
        return true;
    }
    let shared = terms::shared(&older.terms, &newer.terms);
    let small = older.terms.len().min(newer.terms.len()).max(1);
    shared >= 3
        && shared * 10 >= small * 8
        && !(small <= SHORT && beside(&older.terms, &newer.terms) && beside(&newer.terms, &older.terms))
        && values_agree(&older.text, &newer.text)
        && !siblings::are_siblings(&older.text, &newer.text)
}

/// In a statement of so many terms a single other word may be the thing that it is about: `pin numpy`, `pin pandas`.
const SHORT: usize = 7;

/// Whether one statement names something that the other does not.
fn beside(one: &BTreeSet<String>, other: &BTreeSet<String>) -> bool {
    one.iter().any(|term| is_specific(term) && !other.iter().any(|known| terms::same(term, known)))
}

fn values_agree(left: &str, right: &str) -> bool {
    let (left, right) = (terms::values(left), terms::values(right));
    left.is_subset(&right) || right.is_subset(&left)
}

/// Why a later statement takes the place of an older one.
fn replaces(newer: &Candidate, older: &Candidate) -> Option<String> {
    let date = newer.said.date();
    let negates = newer.negated.iter().any(|term| {
        is_specific(term)
            && older.terms.iter().any(|other| terms::same(term, other))
            && !older.negated.iter().any(|other| terms::same(term, other))
    });
    if negates
        && older.revises.is_none()
        && older.score < 6.0
        && newer.terms.len() >= 2
        && central(older, &newer.negated)
    {
        return Some(format!("replaced by a later statement of {date}"));
    }
    if newer.cues.any(&[Cue::Change, Cue::Removal, Cue::Decision])
        && families::rivals(&older.text, &newer.text, &newer.negated).is_some()
        && older.cues.any(&[Cue::Decision, Cue::Habit, Cue::Change, Cue::Standing])
    {
        return Some(format!("another choice since {date}"));
    }
    // What two statements have in common besides the parts of dates and numbers.
    let shared = terms::shared(&terms::words(&older.terms), &terms::words(&newer.terms));
    let small = older.terms.len().min(newer.terms.len()).max(1);
    if shared >= 2
        && shared * 2 >= small
        && conflicting_value(&older.text, &newer.text, newer.cues.has(Cue::Change)).is_some()
        && newer.cues.any(&[Cue::Change, Cue::Decision, Cue::Denial, Cue::Removal, Cue::Standing])
        && !of_other_subjects(older, newer)
    {
        return Some(format!("another value since {date}"));
    }
    let forbids = |candidate: &Candidate| candidate.cues.has(Cue::Prohibition);
    if shared >= 2 && shared * 10 >= older.terms.len() * 6 && forbids(newer) != forbids(older) {
        return Some(format!("the opposite was said on {date}"));
    }
    None
}

/// Whether two statements of one form are about different things: the worker's port and the gateway's. Each begins with
/// a subject that the other does not know, and the newer one does not name the older one's value.
fn of_other_subjects(older: &Candidate, newer: &Candidate) -> bool {
    let unknown = |subject: &BTreeSet<String>, other: &Candidate| {
        !subject.is_empty()
            && subject.iter().all(|term| !other.terms.iter().any(|known| terms::same(term, known)))
    };
    let named = terms::values(&older.text).iter().any(|(_, value)| newer.text.contains(value.as_str()));
    !named && unknown(&subject(&older.text), newer) && unknown(&subject(&newer.text), older)
}

/// The terms of the word that a statement begins with; of Chinese words, which are not parted, its first characters.
fn subject(text: &str) -> BTreeSet<String> {
    const CHARACTERS: usize = 4;
    text.split_whitespace()
        .map(|word| {
            let chinese = !word.is_ascii();
            let start: String =
                if chinese { word.chars().take(CHARACTERS).collect() } else { word.to_owned() };
            terms::terms(&start)
        })
        .find(|terms| !terms.is_empty())
        .unwrap_or_default()
}

/// Whether the older statement is mainly about the terms that are over: they stand among few others, and one of them
/// stands near its start, where a statement names its subject.
fn central(older: &Candidate, negated: &BTreeSet<String>) -> bool {
    let hits: Vec<&String> =
        older.terms.iter().filter(|term| negated.iter().any(|other| terms::same(term, other))).collect();
    let lower = older.text.to_lowercase();
    let start = display_width(&lower) * 35 / 100;
    let early = hits.iter().any(|term| {
        lower.find(term.as_str()).is_some_and(|at| display_width(&lower[..at]) <= start.max(SUBJECT_COLUMNS))
    });
    early && hits.len() * 8 >= older.terms.len()
}

/// A subject stands within this many columns of the start of a short statement.
const SUBJECT_COLUMNS: usize = 22;

/// A term that names one thing: a Latin name or number rather than a general word.
pub(crate) fn is_specific(term: &str) -> bool {
    (term.is_ascii() && term.len() >= 3) || term.chars().count() >= 2 && !term.is_ascii()
}

/// Whether two texts give values of the same form that differ: hosts of one network, ports of one service.
pub(crate) fn same_form(older: &str, newer: &str) -> bool {
    let (old, new) = (terms::values(older), terms::values(newer));
    old.iter().any(|(kind, value)| {
        new.iter().any(|(other, fresh)| kind == other && value != fresh && terms::alike(value, fresh))
            && !new.contains(&(*kind, value.clone()))
    })
}

/// Whether two texts give different numbers of one shape: `4` and `5`, `2.3` and `3.1`, but not a version and an address.
pub(crate) fn same_shape(older: &str, newer: &str) -> bool {
    let shape =
        |value: &str| -> String { value.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect() };
    let (old, new) = (terms::values(older), terms::values(newer));
    old.iter().any(|(kind, value)| {
        new.iter().any(|(other, fresh)| {
            let bare = |text: &str| shape(text).replace("00", "0").replace("00", "0");
            kind == other && value != fresh && bare(value) == bare(fresh)
        })
    })
}

/// The kind of value that two texts both give, but differently. Where the newer one tells of a change, it may
/// name the old value too.
pub(crate) fn conflicting_value(older: &str, newer: &str, change: bool) -> Option<ValueKind> {
    let (old, new) = (terms::values(older), terms::values(newer));
    for kind in [
        ValueKind::Url,
        ValueKind::Time,
        ValueKind::Weekday,
        ValueKind::Quantity,
        ValueKind::Location,
        ValueKind::Name,
        ValueKind::Number,
    ] {
        let of = |values: &BTreeSet<(ValueKind, String)>| -> BTreeSet<String> {
            values.iter().filter(|(other, _)| *other == kind).map(|(_, value)| value.clone()).collect()
        };
        let (before, after) = (of(&old), of(&new));
        let turned = !before.is_subset(&after) || change;
        if !before.is_empty() && !after.is_empty() && turned && !after.is_subset(&before) {
            return Some(kind);
        }
    }
    None
}
