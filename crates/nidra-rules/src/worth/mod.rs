//! How much a sentence is like those that people wanted to be kept, as other talks have taught.
//!
//! The weights of `signals.rs` were set by hand. These were learnt from talks of which it is known what was worth
//! keeping (see `examples/worth`); the two are weighed together, which finds more in talks that neither has seen than
//! the first alone. The table of the weights can be read: what a sentence does, which cues it has, how much it says.

mod weights;

use crate::dialogue::{self, Utterance};
use crate::human;
use crate::lexicon::Cue;
use crate::sentence::{Act, Line, weight};
use crate::signals;
use crate::terms;
use nidra_core::EngineInput;
use nidra_core::text::language::is_han;
use std::sync::LazyLock;

/// The parts of the talk that a sentence can have.
const ACTS: &[Act] =
    &[Act::Statement, Act::Question, Act::Hypothesis, Act::Task, Act::Filler, Act::Dismissal, Act::Disowned];
/// Cues that count where a sentence began with them and they were cut off.
const OPENERS: &[Cue] = &[Cue::Denial, Cue::Agreement, Cue::TakesNote, Cue::Praise];

/// The names of the signals, in order.
pub fn names() -> &'static [String] {
    static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
        let cues = Cue::ALL.iter().map(|cue| format!("{cue:?}"));
        let openers = OPENERS.iter().map(|cue| format!("opens with {cue:?}"));
        let acts = ACTS.iter().map(|act| format!("is {act:?}"));
        let rest = [
            "exact things",
            "terms",
            "words",
            "short",
            "answers an offer",
            "stops the agent",
            "late",
            "sentences beside",
            "Chinese",
            "colon",
        ];
        cues.chain(openers).chain(acts).chain(rest.map(str::to_owned)).collect()
    });
    &NAMES
}

/// The signals of a sentence, each from 0 to about 3, in the order of their names. `beside` is how many sentences were
/// said in one go.
fn signals(line: &Line, beside: usize, utterance: &Utterance<'_>) -> Vec<f64> {
    let flag = |is: bool| f64::from(u8::from(is));
    let text = line.text.as_str();
    let words = weight(text);
    let mut found: Vec<f64> = Cue::ALL.iter().map(|cue| flag(line.cues.has(*cue))).collect();
    found.extend(OPENERS.iter().map(|cue| flag(line.opening.has(*cue))));
    found.extend(ACTS.iter().map(|act| flag(line.act == *act)));
    found.extend([
        signals::values(text).min(3) as f64,
        terms::terms(text).len().min(16) as f64 / 8.0,
        words.min(30) as f64 / 10.0,
        flag(words < 4),
        flag(utterance.offered),
        flag(utterance.interrupted),
        utterance.position,
        beside.min(8) as f64 / 4.0,
        flag(text.chars().any(is_han)),
        flag(text.contains([':', '：'])),
    ]);
    found
}

/// What a sentence is worth by what other talks have taught, in the units of the weights that were set by hand.
pub(crate) fn of(line: &Line, beside: usize, utterance: &Utterance<'_>) -> f64 {
    let sum: f64 = signals(line, beside, utterance)
        .iter()
        .zip(weights::WEIGHTS)
        .map(|(signal, (_, weight))| signal * weight)
        .sum();
    (sum + weights::BIAS - weights::HAND_BIAS) / weights::HAND
}

/// A sentence with its signals, for learning.
#[derive(Debug)]
pub struct Example {
    /// The sentence.
    pub sentence: String,
    /// All that was said in one go.
    pub said: String,
    /// Its worth by the weights that were set by hand.
    pub by_hand: f64,
    /// Its signals.
    pub signals: Vec<f64>,
}

/// All sentences of some conversations.
pub fn examples(input: &EngineInput<'_>) -> Vec<Example> {
    let mut found = Vec::new();
    for conversation in input.conversations {
        let dialogue = dialogue::read(conversation, input.now);
        for utterance in &dialogue.utterances {
            let lines = human::read(utterance);
            found.extend(lines.iter().map(|line| Example {
                sentence: line.text.clone(),
                said: utterance.text.to_owned(),
                by_hand: signals::by_hand(line, utterance).value,
                signals: signals(line, lines.len(), utterance),
            }));
        }
    }
    found
}
