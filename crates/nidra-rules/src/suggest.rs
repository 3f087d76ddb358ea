//! What a talk says about work under way: goals that a person set, steps that are still to be done, and questions of the
//! agent's that nobody answered. They are suggestions; nothing follows from them by itself.

use crate::dialogue;
use crate::human;
use crate::lexicon::{self, Cue};
use crate::sentence::{self, Act};
use jiff::ZonedDateTime;
use nidra_core::Conversation;

/// What is suggested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matter {
    /// A task, by its goal.
    Goal,
    /// A next step.
    Step,
    /// A decision that was asked for and not taken.
    Decision,
}

impl Matter {
    /// The name used in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Goal => "goal",
            Self::Step => "step",
            Self::Decision => "decision",
        }
    }
}

/// A suggestion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// What is suggested.
    pub matter: Matter,
    /// The words.
    pub text: String,
    /// The record in which they stand.
    pub record: String,
    /// Where the record stands among the turns.
    pub place: usize,
}

/// Words in front of a step that is to be done.
const STEPS: &[&str] = &[
    "next step",
    "next:",
    "next up",
    "remaining:",
    "todo",
    "still to do",
    "下一步",
    "接下来",
    "待办",
    "还剩",
];
/// Characters of a suggestion.
const LIMIT: usize = 160;

/// Reads suggestions from a conversation, in its order.
pub fn suggestions(conversation: &Conversation, now: &ZonedDateTime) -> Vec<Suggestion> {
    let dialogue = dialogue::read(conversation, now);
    let mut found = Vec::new();
    for utterance in &dialogue.utterances {
        for line in human::read(utterance) {
            let is_goal = utterance.opens && (line.act == Act::Task || line.cues.has(Cue::Intent));
            let matter = if is_goal {
                Matter::Goal
            } else if line.cues.has(Cue::OpenLoop) || is_step(&line.text) {
                Matter::Step
            } else {
                continue;
            };
            // One goal for each beginning.
            if matter == Matter::Goal
                && found.last().is_some_and(|last: &Suggestion| last.place == utterance.place)
            {
                continue;
            }
            found.push(Suggestion {
                matter,
                text: shortened(&line.text),
                record: utterance.source.record.clone(),
                place: utterance.place,
            });
        }
    }
    for saying in &dialogue.sayings {
        let answered = dialogue.utterances.iter().any(|utterance| utterance.place > saying.place);
        let lines = sentence::lines(saying.text);
        for (at, line) in lines.iter().enumerate() {
            let last = at + 1 == lines.len();
            let asks =
                line.text.trim_end().ends_with(['?', '？']) || lexicon::cues(&line.text).has(Cue::Offer);
            let matter = if asks && last && !answered {
                Matter::Decision
            } else if !answered && is_step(&line.text) {
                Matter::Step
            } else {
                continue;
            };
            found.push(Suggestion {
                matter,
                text: shortened(&line.text),
                record: saying.source.record.clone(),
                place: saying.place,
            });
        }
    }
    found.sort_by_key(|suggestion| suggestion.place);
    found
}

fn is_step(text: &str) -> bool {
    let text = text.trim_start_matches(['-', '*', '#', ' ']).to_lowercase();
    STEPS.iter().any(|mark| text.starts_with(mark))
}

fn shortened(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() <= LIMIT { text } else { text.chars().take(LIMIT).chain("…".chars()).collect() }
}

/// Whether words praise what was done, as people do when a task is finished.
pub fn is_praise(text: &str) -> bool {
    lexicon::cues(text).has(Cue::Praise)
}
