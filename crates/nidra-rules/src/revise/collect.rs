//! Candidates that revise an entry of memory.

use super::nearby::Nearby;
use super::{Draft, Known, Revision, Said};
use crate::candidate::{ALREADY_KNOWN, Candidate, Rejected, Revised};
use crate::dialogue::Dialogue;
use crate::lexicon::Cue;
use crate::terms;
use nidra_core::{EntryId, Kind, MemoryView, TrustRank};
use std::collections::BTreeSet;

/// From here on a revision is taken for what the whole statement says.
const SURE: f64 = 1.7;

/// From so many words on an entry is talk rather than one statement.
pub(crate) const TALK: usize = 12;

/// Adds a candidate for each entry of memory that a person's words revise; candidates of the same words that say no
/// more than that go.
pub(crate) fn collect(
    memory: &MemoryView,
    dialogue: &Dialogue<'_>,
    said: &[Option<Said>],
    candidates: &mut Vec<Candidate>,
    dropped: &mut Vec<Rejected>,
) {
    let known: Vec<(EntryId, Kind, Known)> = memory
        .entries()
        .filter(|(topic, entry)| topic.editable && crate::matter::is_prose(&entry.text))
        .map(|(topic, entry)| {
            (entry.id.clone(), topic.kind.unwrap_or(Kind::Project), Known::new(&entry.text))
        })
        .collect();
    let nearby = Nearby::new(known.iter().map(|(_, _, known)| known));
    for (index, said) in said.iter().enumerate() {
        let Some(said) = said else { continue };
        let near = nearby.of(said);
        let mut drafts: Vec<(usize, Draft<'_>)> = near
            .iter()
            .filter_map(|place| super::draft(&known[*place].2, said).map(|draft| (*place, draft)))
            .collect();
        for place in near {
            let known = &known[place].2;
            let fresh = super::known_values(known, said);
            let draft = || drafts.iter().find(|(other, _)| *other == place).map(|(_, draft)| draft);
            if !fresh.is_empty() && draft().and_then(Draft::revision).is_none() {
                forget(candidates, dropped, index, known, &fresh);
            }
        }
        drafts.sort_by(|left, right| right.1.sureness.total_cmp(&left.1.sureness).then(left.0.cmp(&right.0)));
        let mut used: BTreeSet<String> = BTreeSet::new();
        for (place, draft) in drafts {
            if draft.fresh().any(|value| used.contains(value)) {
                continue;
            }
            // Words that were taken over as they were said give many values in passing.
            if known[place].2.subject.len() > TALK && draft.sureness < SURE {
                continue;
            }
            let Some(revision) = draft.revision() else { continue };
            // The value stands in a statement about something else.
            let elsewhere = candidates.iter().any(|candidate| {
                candidate.utterance == index
                    && candidate.revises.is_none()
                    && is_elsewhere(candidate, &revision)
            });
            if elsewhere {
                continue;
            }
            used.extend(revision.fresh.iter().cloned());
            absorb(candidates, index, &revision);
            let Some(utterance) = dialogue.utterances.get(index) else { continue };
            // What is said beside the value stays where it is said, in a statement of its own.
            let stays = candidates.iter().any(|candidate| {
                let lower = candidate.text.to_lowercase();
                candidate.utterance == index
                    && candidate.revises.is_none()
                    && candidate.rank == TrustRank::HumanVerbatim
                    && revision.fresh.iter().any(|value| lower.contains(&value.to_lowercase()))
            });
            let chinese = revision.core.chars().any(nidra_core::text::language::is_han);
            let end = if chinese { "。" } else { "." };
            let text = if stays { format!("{}{end}", revision.core) } else { revision.text };
            let (entry, kind, statement) = &known[place];
            let text = statement.with_rest(&text);
            candidates.push(Candidate::revision(
                index,
                utterance,
                *kind,
                text,
                Revised {
                    entry: Some(entry.clone()),
                    core: revision.core,
                    sureness: revision.sureness.max(1.0),
                },
                "something is different now",
            ));
        }
    }
}

/// Takes out the candidates of an utterance that only say how an entry came to what it says.
fn forget(
    candidates: &mut Vec<Candidate>,
    dropped: &mut Vec<Rejected>,
    index: usize,
    known: &Known,
    fresh: &[String],
) {
    candidates.retain(|candidate| {
        let here = candidate.utterance == index && candidate.revises.is_none();
        let lower = candidate.text.to_lowercase();
        let states = fresh.iter().any(|value| lower.contains(&value.to_lowercase()));
        let about: BTreeSet<String> =
            candidate.terms.iter().filter(|term| !term.is_empty()).cloned().collect();
        let shared = terms::shared(&about, &terms::terms(&known.whole));
        let name = fresh.iter().any(|value| value.chars().all(char::is_alphabetic));
        let gone = here && states && (shared * 10 >= about.len() * 2 || name && shared >= 1);
        if gone {
            dropped.push(Rejected {
                text: candidate.text.clone(),
                reason: ALREADY_KNOWN.to_owned(),
                evidence: candidate.evidence.clone(),
            });
        }
        !gone
    });
}

/// Takes out the candidates of an utterance whose matter a revision states.
pub(crate) fn absorb(candidates: &mut Vec<Candidate>, index: usize, revision: &Revision) {
    candidates.retain(|candidate| {
        candidate.revises.is_some()
            || candidate.utterance != index
            || candidate.rank < TrustRank::HumanVerbatim
            || !is_stated(candidate, revision)
    });
}

/// Whether a candidate gives the new value in a long statement that has little to do with the revised one.
fn is_elsewhere(candidate: &Candidate, revision: &Revision) -> bool {
    let lower = candidate.text.to_lowercase();
    let shared = terms::shared(&candidate.terms, &terms::terms(&revision.core));
    revision.sureness < 1.5
        && candidate.terms.len() >= 9
        && shared * 10 < candidate.terms.len() * 3
        && revision.fresh.iter().any(|value| lower.contains(&value.to_lowercase()))
}

/// Whether a revision says what a candidate says.
pub(crate) fn is_stated(candidate: &Candidate, revision: &Revision) -> bool {
    let lower = candidate.text.to_lowercase();
    let about = terms::terms(&revision.text);
    let shared = terms::shared(&candidate.terms, &about);
    // A long statement that gives the value in passing says more than that.
    let passing = candidate.terms.len() >= 9 && shared * 10 < candidate.terms.len() * 4;
    // And one that also rules on another matter is not said by the new value.
    let more = candidate.terms.len().saturating_sub(shared);
    let rules = candidate.cues.any(&[Cue::Standing, Cue::Prohibition, Cue::Obligation])
        && (revision.sureness < SURE && more >= 3 || more >= 5 && more * 10 >= candidate.terms.len() * 3);
    if rules {
        return false;
    }
    !passing && revision.fresh.iter().any(|value| lower.contains(&value.to_lowercase()))
        || shared * 10 >= candidate.terms.len() * 7
}
