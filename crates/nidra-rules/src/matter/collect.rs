//! Candidates that say what is so now in a statement's place, for words of the same matter.

use super::{Pair, Signals, Slot, Slots, pairs, words};
use crate::candidate::Candidate;
use crate::dialogue::Dialogue;
use crate::phrase;
use crate::revise::{self, Revision, Said};
use crate::sentence::Line;
use crate::subject;
use crate::terms;
use nidra_core::MemoryView;
use nidra_core::text::language::is_han;
use nidra_core::text::{date, redact};

/// From this probability on a statement is replaced.
const TAKEN: f64 = 0.6;

/// Adds a candidate for each entry of which a sentence says that it is otherwise now; what was said of the entry by
/// its own words is settled before.
pub(crate) fn collect(
    memory: &MemoryView,
    now: &jiff::ZonedDateTime,
    dialogues: &[Dialogue<'_>],
    lines: &[Vec<Vec<Line>>],
    candidates: &mut Vec<Candidate>,
) {
    let slots = Slots::new(memory, now);
    if slots.statements.is_empty() {
        return;
    }
    for (session, (dialogue, spoken)) in dialogues.iter().zip(lines).enumerate() {
        for (index, lines) in spoken.iter().enumerate() {
            for at in 0..lines.len() {
                let Some(said) = words(dialogue, index, lines, at) else { continue };
                let Some(pair) = best(&slots, &said) else { continue };
                take(
                    dialogue,
                    (session, index),
                    &slots.statements[pair.slot],
                    &pair.signals,
                    &said,
                    candidates,
                );
            }
        }
    }
}

/// The statement that a sentence surely replaces.
fn best(slots: &Slots, said: &Said) -> Option<Pair> {
    pairs(slots, said)
        .into_iter()
        .map(|pair| (pair.probability(), pair))
        .filter(|(probability, pair)| *probability >= TAKEN && pair.signals.differs())
        .max_by(|left, right| left.0.total_cmp(&right.0))
        .map(|(_, pair)| pair)
        .filter(|_| !is_known(slots, said))
}

/// Whether memory says so already, in these words.
fn is_known(slots: &Slots, said: &Said) -> bool {
    let told = phrase::plain(&revise::told(&phrase::without_fillers(said.text.trim()), &said.moment));
    let told = told.trim().trim_end_matches(['.', '。']).to_lowercase();
    told.is_empty() || slots.statements.iter().any(|slot| slot.plain.contains(&told))
}

/// Makes the candidate, or says of one that stands there already what it replaces.
fn take(
    dialogue: &Dialogue<'_>,
    (session, index): (usize, usize),
    slot: &Slot,
    signals: &Signals,
    said: &Said,
    candidates: &mut Vec<Candidate>,
) {
    let Some(utterance) = dialogue.utterances.get(index) else { return };
    let here = |candidate: &Candidate| (candidate.session, candidate.utterance) == (session, index);
    let of_entry = |candidate: &Candidate| {
        candidate.revises.as_ref().is_some_and(|revised| revised.entry.as_ref() == Some(&slot.entry))
    };
    let spoken = |candidate: &Candidate| {
        candidate.revises.is_some() && terms::shared(&said.terms, &candidate.terms) * 2 >= said.terms.len()
    };
    if candidates.iter().any(|candidate| here(candidate) && (of_entry(candidate) || spoken(candidate))) {
        return;
    }
    // `Sunday 02:00` holds every week; `last Sunday` cannot be taken over.
    if date::has_relative(&revise::value::without_weekdays(&slot.text), &said.moment) {
        return;
    }
    let topic = terms::terms(&slot.title);
    let place = said.values.first().map_or(0, |value| value.range.start);
    let known =
        signals.shown + signals.gone + signals.named + signals.rival + signals.lifted + signals.owner > 0.0;
    if !known && revise::is_of_another(&slot.known, &topic, said, place) {
        return;
    }
    // What lifts a rule says more than its value.
    let swapped = if signals.lifted > 0.0 { None } else { revise::swapped(&slot.known, said, &topic) };
    let revision = swapped.or_else(|| signals.turns().then(|| restated(slot, said)).flatten());
    let Some(revision) = revision else { return };
    // What the entry says beside the statement stays.
    let base = candidates
        .iter()
        .rev()
        .find(|candidate| of_entry(candidate) && candidate.text.contains(&slot.text))
        .map_or(slot.whole.as_str(), |earlier| earlier.text.as_str());
    let whole = if base.contains(&slot.text) && base.trim() != slot.text.trim() {
        base.replacen(&slot.text, &revision.text, 1)
    } else {
        revision.text.clone()
    };
    if whole == slot.whole || !redact::find(&whole).is_empty() {
        return;
    }
    revise::collect::absorb(candidates, session, index, &revision);
    candidates.push(Candidate::revision(
        (session, index),
        utterance,
        (slot.entry.clone(), slot.kind),
        whole,
        revision.core,
        "the same matter is said otherwise now",
    ));
}

/// The person's own words, with the statement's subject where they do not name it.
fn restated(slot: &Slot, said: &Said) -> Option<Revision> {
    let line = revise::told(&phrase::without_fillers(said.text.trim()), &said.moment);
    let line = line.trim_end_matches(['.', '。', ',', '，', ' ']).to_owned();
    let chinese = line.chars().any(is_han);
    let named = terms::shared(&slot.known.subject, &terms::terms(&line)) > 0;
    let subject = subject::of(&slot.text).or_else(|| subject::head(&slot.text)).filter(|_| !named);
    let core = match subject {
        Some(subject) if chinese => format!("{subject}：{line}"),
        Some(subject) => format!("{}: {line}", phrase::capitalised(&subject)),
        None => phrase::capitalised(&line),
    };
    if core.is_empty() || redact::has_placeholder(&core) {
        return None;
    }
    let text = format!("{core}{}", if chinese { "。" } else { "." });
    Some(Revision { fresh: vec![line], text, core, sureness: 2.0 })
}
