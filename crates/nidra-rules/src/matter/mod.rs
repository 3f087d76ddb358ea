//! Finds the one statement of memory that a person's sentence is about and whether it says otherwise now.
//!
//! People rarely name what they replace: `lokari holds 30 days for us` says nothing of the 14 that memory holds. What
//! tells is that both speak of one thing, that both give a value of one form, and that no other statement is as near.
//! Each of these is a signal with a name; how much each weighs was learnt from talks with known answers (see
//! `examples/matter`), and the weights stand in a table that can be read.

mod agreed;
pub(crate) mod collect;
mod left;
mod phrases;
mod signals;
mod slot;
mod values;
mod verdict;
mod weights;

pub use signals::Signals;
pub(crate) use slot::is_prose;
pub use slot::{Slot, Slots};

use crate::dialogue::{self, Dialogue};
use crate::human;
use crate::lexicon::Cue;
use crate::revise::{self, Said};
use crate::sentence::{Act, Line};
use nidra_core::{EngineInput, EntryId};
use signals::Words;
use std::collections::{BTreeMap, BTreeSet};

/// A sentence and a statement of memory that may be of one matter.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The place of the statement among the slots.
    pub slot: usize,
    /// How they stand to each other.
    pub signals: Signals,
    /// The person said the statement again, in full, right before.
    affirmed: bool,
    /// The sentence tells of a thing of its own how it changes.
    apart: bool,
}

impl Pair {
    /// Whether the sentence can be about the statement at all. That a thing of its own turns says nothing of a statement
    /// with which it shares no word, though the talk was of that right before. Who has just said it again and goes on with other words
    /// speaks of something else, unless these give a value or a name in its place or say that it is over.
    fn is_about(&self) -> bool {
        let found = &self.signals;
        let instead = found.value + found.rival + found.gone + found.day + found.lifted;
        if self.apart && found.own + found.topic == 0.0 && instead + found.owner + found.shown == 0.0 {
            return false;
        }
        !self.affirmed
            || found.own >= AGAIN
            || instead + found.denial + found.removal + found.own_name + found.own_means > 0.0
    }

    /// How likely it is that the sentence says what is so now in the statement's place.
    pub fn probability(&self) -> f64 {
        let sum: f64 = self
            .signals
            .values()
            .iter()
            .zip(weights::WEIGHTS)
            .map(|(signal, (_, weight))| signal * weight)
            .sum();
        1.0 / (1.0 + (-(sum + weights::BIAS)).exp())
    }
}

/// How much of a statement has to be in the words right before to have been said again.
const AFFIRMED: f64 = 0.85;

/// How much of a statement has to be named once more by who has just said it.
const AGAIN: f64 = 0.3;

/// A sentence of a person beside a statement of memory, for learning.
#[derive(Debug)]
pub struct Example {
    /// The place of the session.
    pub session: usize,
    /// The place of the utterance among the person's.
    pub utterance: usize,
    /// The sentence.
    pub sentence: String,
    /// The place of the statement.
    pub slot: usize,
    /// How they stand to each other.
    pub pair: Pair,
}

/// All sentences of some conversations beside the statements that they may be about.
pub fn examples(input: &EngineInput<'_>, slots: &Slots) -> Vec<Example> {
    let mut found = Vec::new();
    for (session, conversation) in input.conversations.iter().enumerate() {
        let dialogue = dialogue::read(conversation, input.now);
        for (index, utterance) in dialogue.utterances.iter().enumerate() {
            let lines = human::read(utterance);
            for (at, line) in lines.iter().enumerate() {
                let Some(said) = words(&dialogue, index, &lines, at) else { continue };
                found.extend(pairs(slots, &said).into_iter().map(|pair| Example {
                    session,
                    utterance: index,
                    sentence: line.text.clone(),
                    slot: pair.slot,
                    pair,
                }));
            }
        }
    }
    found
}

/// A sentence as far as it may say what is so; `None` for what asks, takes back, holds once, is another's or was pasted.
pub(crate) fn words(dialogue: &Dialogue<'_>, index: usize, lines: &[Line], at: usize) -> Option<Said> {
    let line = lines.get(at)?;
    let passing =
        line.cues.has(Cue::Ephemeral) && !line.cues.any(&[Cue::Standing, Cue::Change, Cue::Explicit]);
    let once = lines[at..].iter().take(2).any(|line| phrases::holds_once(&line.text));
    let speaks = matches!(line.act, Act::Statement | Act::Task | Act::Filler);
    if !speaks || passing || once || revise::sets_nothing(line) {
        return None;
    }
    revise::sentence(dialogue, index, lines, at)
}

/// From this share of a Chinese statement's characters on it is looked at.
const WRITTEN: f64 = 0.3;

/// From so many statements on a value of their kind tells nothing by itself.
const FEW: usize = 2;

/// The statements that a sentence may be about.
pub(crate) fn pairs(slots: &Slots, said: &Said) -> Vec<Pair> {
    let words = Words::new(slots, said);
    let (exact, loose) = values::rivals(slots, said);
    // What shares no word, neither with the sentence nor with what was said before it, is not looked at.
    let own: BTreeSet<usize> = words.places(slots, Words::own).collect();
    let mut near = own.clone();
    near.extend(words.places(slots, Words::around));
    near.extend(slots.of_characters(&words.characters, WRITTEN));
    // Where only few statements give a value of that kind, it speaks for itself.
    if exact.len() <= FEW {
        near.extend(&exact);
    }
    let apart = words.has_own_subject();
    let mut found: Vec<Pair> = near
        .into_iter()
        .filter_map(|at| {
            let mut signals = signals::signals(slots, &slots.statements[at], &words);
            signals.only = signals.value / exact.len().max(1) as f64;
            signals.only_loose = signals.loose / loose.max(1) as f64;
            let meets = own.contains(&at)
                || signals.around >= 0.3
                || signals.characters >= WRITTEN
                || exact.len() <= FEW && signals.value > 0.0;
            let affirmed = words.affirms(slots, &slots.statements[at], AFFIRMED);
            meets.then_some(Pair { slot: at, signals, affirmed, apart })
        })
        .collect();
    let strength = |signals: &Signals| {
        signals.own
            + 0.5 * signals.topic
            + 0.5 * signals.around
            + signals.explained
            + 0.5 * signals.value.max(0.6 * signals.loose).max(signals.rival)
    };
    let strengths: Vec<f64> = found.iter().map(|pair| strength(&pair.signals)).collect();
    // The strongest of each entry, the strongest first.
    let mut best: BTreeMap<&EntryId, f64> = BTreeMap::new();
    for (pair, strength) in found.iter().zip(&strengths) {
        let held = best.entry(&slots.statements[pair.slot].entry).or_insert(*strength);
        *held = held.max(*strength);
    }
    let mut ranked: Vec<(&EntryId, f64)> = best.into_iter().collect();
    ranked.sort_by(|left, right| right.1.total_cmp(&left.1));
    for (pair, strength) in found.iter_mut().zip(&strengths) {
        let entry = &slots.statements[pair.slot].entry;
        let next = ranked.iter().find(|(other, _)| *other != entry).map_or(0.0, |(_, strength)| *strength);
        pair.signals.lead = (strength - next).clamp(-1.0, 1.0);
    }
    found
}
