//! Candidates that say what is so now in a statement's place, for words of the same matter.

use super::agreed::agreed;
use super::left::left;
use super::slot::{names, stem};
use super::{Pair, Signals, Slot, Slots, pairs, words};
use crate::candidate::{Candidate, Revised};
use crate::contrary;
use crate::dialogue::Dialogue;
use crate::lexicon::Cue;
use crate::phrase;
use crate::restated;
use crate::revise::{self, Revision, Said, value};
use crate::sentence::Line;
use crate::siblings;
use crate::subject;
use crate::terms;
use nidra_core::text::language::is_han;
use nidra_core::text::{date, redact};
use nidra_core::{Evidence, MemoryView, TrustRank};

/// From this probability on a statement is replaced.
const TAKEN: f64 = 0.5;
/// From this probability on a person's words stand in a statement's place although none of them says what turned.
const SURE: f64 = 0.85;

/// From this probability on two differences in one form are still the same matter.
const CERTAIN: f64 = 0.93;

/// By how much a sentence with other names or values may be less sure than one without.
const NEWS: f64 = 0.15;

/// Adds a candidate for each entry of which a sentence says that it is otherwise now; what was said of the entry by
/// its own words is settled before.
pub(crate) fn collect(
    memory: &MemoryView,
    now: &jiff::ZonedDateTime,
    dialogue: &Dialogue<'_>,
    lines: &[Vec<Line>],
    candidates: &mut Vec<Candidate>,
) {
    let slots = Slots::new(memory, now);
    if slots.statements.is_empty() {
        return;
    }
    for (index, lines) in lines.iter().enumerate() {
        let mut found: Vec<(f64, Pair, Said)> = (0..lines.len())
            .filter_map(|at| words(dialogue, index, lines, at))
            .filter_map(|said| best(&slots, &said).map(|(probability, pair)| (probability, pair, said)))
            .collect();
        // Of several sentences about one statement the surest speaks.
        // That something is over says less than what came in its place.
        let sure = |(probability, pair, _): &(f64, Pair, Said)| {
            probability + if pair.signals.is_news() { NEWS } else { 0.0 }
        };
        found.sort_by(|left, right| sure(right).total_cmp(&sure(left)));
        for (probability, pair, said) in found {
            let slot = &slots.statements[pair.slot];
            take(dialogue, index, slot, (&pair.signals, probability), &said, None, candidates);
        }
        if let Some(agreed) = agreed(dialogue, index, lines)
            && let Some((probability, pair)) = best(&slots, &agreed.said)
        {
            let slot = &slots.statements[pair.slot];
            let (said, evidence) = (&agreed.said, Some(agreed.evidence()));
            take(dialogue, index, slot, (&pair.signals, probability), said, evidence, candidates);
        }
    }
}

/// The statement that a sentence surely replaces, and how sure it is.
fn best(slots: &Slots, said: &Said) -> Option<(f64, Pair)> {
    pairs(slots, said)
        .into_iter()
        .map(|pair| (pair.probability(), pair))
        .filter(|(probability, pair)| *probability >= TAKEN && pair.is_about() && pair.signals.differs())
        .max_by(|left, right| left.0.total_cmp(&right.0))
        .filter(|_| !is_known(slots, said))
}

/// Whether memory says so already, in these words.
fn is_known(slots: &Slots, said: &Said) -> bool {
    let told = phrase::plain(&revise::told(&phrase::without_fillers(said.text.trim()), &said.moment));
    let told = told.trim().trim_end_matches(['.', '。']).to_lowercase();
    let again = |slot: &Slot| {
        terms::shared(&slot.known.subject, &said.terms) > 0 && restated::is_restated(&told, &slot.text)
    };
    told.is_empty() || slots.statements.iter().any(|slot| slot.plain.contains(&told) || again(slot))
}

/// Makes the candidate, or says of one that stands there already what it replaces. Words of the agent's that the person
/// `agreed` to only give other values.
fn take(
    dialogue: &Dialogue<'_>,
    index: usize,
    slot: &Slot,
    (signals, probability): (&Signals, f64),
    said: &Said,
    agreed: Option<Evidence>,
    candidates: &mut Vec<Candidate>,
) {
    let Some(utterance) = dialogue.utterances.get(index) else { return };
    let here = |candidate: &Candidate| candidate.utterance == index;
    let of_entry = |candidate: &Candidate| {
        candidate.revises.as_ref().is_some_and(|revised| revised.entry.as_ref() == Some(&slot.entry))
    };
    let spoken = |candidate: &Candidate| {
        candidate.revises.is_some() && terms::shared(&said.terms, &candidate.terms) * 2 >= said.terms.len()
    };
    if candidates.iter().any(|candidate| here(candidate) && (of_entry(candidate) || spoken(candidate))) {
        return;
    }
    let apart = [siblings::are_siblings, contrary::are_apart, contrary::are_opposed]
        .iter()
        .any(|apart| apart(&slot.text, &said.text));
    if apart && probability < CERTAIN || signals.is_report() {
        return;
    }
    let topic = terms::terms(&slot.title);
    let place = said.values.first().map_or(0, |value| value.range.start);
    let known =
        signals.shown + signals.gone + signals.named + signals.rival + signals.lifted + signals.owner > 0.0;
    if !known && probability < SURE && revise::is_of_another(&slot.known, &topic, said, place) {
        return;
    }
    // What lifts a rule says more than its value, and so does what ends a value without a new one for it.
    // `Sunday 02:00` holds every week; `last Sunday` cannot be taken over.
    let passing = date::has_relative(&revise::value::without_weekdays(&slot.text), &said.moment);
    let swapped = if signals.lifted > 0.0 || passing || signals.is_whole() {
        None
    } else {
        revise::swapped(&slot.known, said, &topic, signals.bind())
            .filter(|revision| !still_says(&revision.core, slot, said))
    };
    let sureness = if swapped.is_some() { 1.0 + probability } else { probability };
    let speaks = (signals.turns(!slot.known.values.is_empty()) || probability >= SURE)
        && !is_complaint(signals, said)
        && (probability >= SURE || !is_errand(said));
    let kept = candidates.iter().find(|candidate| {
        here(candidate)
            && candidate.revises.is_none()
            && candidate.rank == TrustRank::HumanVerbatim
            && terms::shared(&said.terms, &candidate.terms) * 10 >= said.terms.len() * 7
    });
    let revision = if agreed.is_some() {
        let end = if slot.text.chars().any(is_han) { '。' } else { '.' };
        swapped.map(|revision| Revision {
            text: format!("{}{end}", revision.core.trim_end_matches(end)),
            ..revision
        })
    } else {
        swapped.or_else(|| speaks.then(|| restated(slot, said, kept)).flatten())
    };
    let Some(revision) = revision else { return };
    // Who says the statement again beside something else adds to it.
    let old = phrase::plain(&slot.text).to_lowercase();
    if phrase::plain(&revision.text).to_lowercase().contains(old.trim_end_matches(['.', '。', ' '])) {
        return;
    }
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
    revise::collect::absorb(candidates, index, &revision);
    let reason = if agreed.is_some() {
        "proposed by the agent and agreed to by the human"
    } else {
        "the same matter is said otherwise now"
    };
    let revised = Revised { entry: Some(slot.entry.clone()), core: revision.core, sureness };
    let mut candidate = Candidate::revision(index, utterance, slot.kind, whole, revised, reason);
    if let Some(evidence) = agreed {
        candidate.rank = TrustRank::HumanConfirmed;
        candidate.evidence.insert(0, evidence);
    }
    candidates.push(candidate);
}

/// Whether words with new values in them still give a value or a name that the person says to be over.
fn still_says(core: &str, slot: &Slot, said: &Said) -> bool {
    let core = core.to_lowercase();
    let over = left(&said.text);
    said.values.iter().any(|value| {
        said.mark(value).gone
            && slot
                .known
                .values
                .iter()
                .any(|old| old.key == value.key && core.contains(&old.text.to_lowercase()))
    }) || slot.names.iter().any(|name| over.contains(&stem(name)) && core.contains(name.as_str()))
}

/// Whether a person only says that something is at fault: nothing is said to hold in its place.
fn is_complaint(signals: &Signals, said: &Said) -> bool {
    let turn = signals.change + signals.removal + signals.lately + signals.lifted + signals.gone;
    said.cues.has(Cue::Problem) && turn + signals.value + signals.loose + signals.rival == 0.0
}

/// Whether a person only orders a piece of work: it sets nothing for later.
fn is_errand(said: &Said) -> bool {
    said.cues.has(Cue::Task)
        && !said.cues.any(&[
            Cue::Standing,
            Cue::Change,
            Cue::Decision,
            Cue::Obligation,
            Cue::Prohibition,
            Cue::Removal,
            Cue::Habit,
            Cue::Owner,
        ])
}

/// The person's own words, all that was kept of them, with the statement's subject where they do not name it.
fn restated(slot: &Slot, said: &Said, kept: Option<&Candidate>) -> Option<Revision> {
    let line = revise::told(&phrase::without_fillers(said.text.trim()), &said.moment);
    let line = line.trim_end_matches(['.', '。', ',', '，', ' ']).to_owned();
    let whole = kept.map_or(line.as_str(), |kept| kept.text.trim_end_matches(['.', '。', ' ']));
    let chinese = whole.chars().any(is_han);
    let named = slot.is_named_by(whole);
    let subject = subject::of(&slot.text).or_else(|| subject::head(&slot.text)).filter(|_| !named);
    let with_subject = |words: &str| match &subject {
        Some(subject) if chinese => format!("{subject}：{words}"),
        Some(subject) => format!("{}: {words}", phrase::capitalised(subject)),
        None => phrase::capitalised(words),
    };
    let text = format!("{}{}", with_subject(whole), if chinese { "。" } else { "." });
    // A bare value says nothing that could stand alone.
    let speaks = said.terms.iter().any(|term| term.chars().any(char::is_alphabetic));
    if line.is_empty() || !speaks || redact::has_placeholder(&text) {
        return None;
    }
    Some(Revision { core: with_subject(news(slot, said, &line)), fresh: vec![line], text, sureness: 2.0 })
}

/// The clause that says what is so now, where another only says that what was so is over.
fn news<'a>(slot: &Slot, said: &Said, line: &'a str) -> &'a str {
    let ends = |c: char| matches!(c, '，' | '；' | ';' | ',' | '。');
    let tells = |clause: &str| {
        let fresh = value::find(clause).iter().any(|value| {
            !said.values.iter().any(|other| other.key == value.key && said.mark(other).gone)
                && !slot.known.values.iter().any(|old| value::equal(old, value))
        }) || names(clause).iter().any(|name| !slot.names.contains(name));
        let about = terms::shared(&slot.known.subject, &terms::terms(clause)) > 0;
        (about && fresh, terms::terms(clause).len() >= 3)
    };
    let clauses: Vec<&str> = line.split(ends).map(str::trim).collect();
    let news: Vec<&&str> = clauses.iter().filter(|clause| tells(clause) == (true, true)).collect();
    match news.as_slice() {
        [only] if clauses.len() > 1 && !tells(clauses[0]).0 => only,
        _ => line,
    }
}
