//! What words are worth that are not a person's: the agent's, and what its tools were asked and answered.
//!
//! Named signals with weights, learnt by `training/density` from talks whose turns of worth are known.

use super::said;
use crate::dialogue::{Dialogue, Utterance};
use crate::lexicon::{self, Cue};
use crate::terms;
use nidra_core::{Content, Conversation, Speaker, Turn};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The signals: what each says, and what it counts.
pub const SIGNALS: [(&str, f64); 13] = [
    ("tells a cause, a place, an owner", 0.09),
    ("asks", 0.24),
    ("the person agreed", 0.1),
    ("a change of a file", 0.21),
    ("a command", 0.15),
    ("a failure of a tool", 0.17),
    ("mends what had failed", 0.13),
    ("passes what had failed", 0.3),
    ("about what the person said", 0.23),
    ("follows from what the person said", -0.07),
    ("a short answer of a tool", 0.11),
    ("names exact things", 0.16),
    ("is long", -0.22),
];

/// The signals, in the order of [`SIGNALS`].
#[derive(Clone, Copy)]
#[repr(usize)]
enum Signal {
    /// The agent tells a cause, a decision, an owner, a change, a place or a day.
    Tells,
    /// The agent asks.
    Asks,
    /// The person agrees with what the agent says.
    Agreed,
    /// A tool changes a file.
    Edit,
    /// A tool runs a command.
    Command,
    /// A tool failed.
    Failure,
    /// A change of a file before and behind which the same command failed and passed.
    Mends,
    /// A command passes that failed before.
    Passes,
    /// It is about what the person said.
    Echo,
    /// The person said something of worth before.
    Follows,
    /// What a tool answered is short.
    ShortAnswer,
    /// It names numbers, paths and identifiers.
    Exact,
    /// It is long.
    Long,
}

/// What a turn without any signal is worth.
const BASE: f64 = -0.01;
/// What a digest of the client's own is worth.
const DIGEST: f64 = 0.3;
/// What is left of nearness with each turn between.
const FADING: f64 = 0.75;
/// Terms shared with the person that are counted.
const STRONGEST: usize = 3;
/// Terms of a text from which a shared one says half as much.
const LONG: f64 = 120.0;
/// Letters of a text that are looked at.
const LOOKED_AT: usize = 4_000;
/// Turns within which a failure is mended.
const MENDED_WITHIN: usize = 12;
/// Letters of an answer from which it is not short.
const SHORT: f64 = 400.0;
/// Letters of a person's words that only agree.
const ASSENT: usize = 160;

/// What is known of the turns of a talk beside the person's.
pub(super) struct Others<'a> {
    conversation: &'a Conversation,
    dialogue: &'a Dialogue<'a>,
    /// The places of the person's turns, each with what it is worth and why.
    said: BTreeMap<usize, (f64, String)>,
    /// What the person's words of worth are about.
    valued: HashMap<String, f64>,
    /// How rare each term is in the talk.
    rarity: HashMap<String, f64>,
    terms: HashMap<usize, BTreeSet<String>>,
    /// What came of the call with each identifier.
    answers: HashMap<&'a str, Answer>,
}

/// What a tool answered.
struct Answer {
    failed: bool,
    /// In characters.
    length: usize,
}

impl<'a> Others<'a> {
    pub(super) fn of(conversation: &'a Conversation, dialogue: &'a Dialogue<'a>) -> Self {
        let mut valued: HashMap<String, f64> = HashMap::new();
        let mut all_said = BTreeMap::new();
        for utterance in &dialogue.utterances {
            let worth = said(utterance);
            for term in terms::terms(&utterance.own) {
                let best = valued.entry(term).or_default();
                *best = best.max(worth.0);
            }
            all_said.insert(utterance.place, worth);
        }
        let mut counts: HashMap<String, usize> = HashMap::new();
        let mut terms = HashMap::new();
        let mut answers = HashMap::new();
        for (place, turn) in conversation.turns.iter().enumerate() {
            if let Content::ToolResult { id, text, error, .. } = &turn.content {
                answers.insert(id.as_str(), Answer { failed: *error, length: text.chars().count() });
            }
            if !is_main(turn) {
                continue;
            }
            let Some(text) = words(turn) else { continue };
            let found = terms::terms(&text);
            for term in &found {
                *counts.entry(term.clone()).or_default() += 1;
            }
            terms.insert(place, found);
        }
        let all = (terms.len().max(2) as f64).ln();
        let rarity =
            counts.into_iter().map(|(term, count)| (term, 1.0 - (count as f64).ln() / all)).collect();
        Self { conversation, dialogue, said: all_said, valued, rarity, terms, answers }
    }

    /// What the person's words at a place are worth, and why; `None` where they said nothing.
    pub(super) fn said(&self, place: usize) -> Option<&(f64, String)> {
        self.said.get(&place)
    }

    /// What another turn is worth, and why.
    pub(super) fn weigh(&self, place: usize) -> (f64, String) {
        if self.conversation.turns.get(place).is_some_and(|turn| turn.speaker == Speaker::Summary) {
            return (DIGEST, "a digest".to_owned());
        }
        let signals = self.signals(place);
        let mut parts: Vec<(f64, &str)> = signals
            .iter()
            .zip(SIGNALS)
            .map(|(signal, (name, weight))| (signal * weight, name))
            .filter(|(part, _)| *part > 0.0)
            .collect();
        let value =
            BASE + signals.iter().zip(SIGNALS).map(|(signal, (_, weight))| signal * weight).sum::<f64>();
        parts.sort_by(|one, two| two.0.total_cmp(&one.0));
        let reasons: Vec<&str> = parts.iter().take(2).map(|(_, name)| *name).collect();
        let reason =
            if reasons.is_empty() { "not said by the person".to_owned() } else { reasons.join("; ") };
        (value.clamp(0.0, 1.0), reason)
    }

    /// How much of each signal a turn has, from 0 to 1.
    pub(super) fn signals(&self, place: usize) -> [f64; SIGNALS.len()] {
        let mut found = [0.0; SIGNALS.len()];
        let Some(turn) = self.conversation.turns.get(place) else { return found };
        if !is_main(turn) {
            return found;
        }
        match (&turn.content, turn.speaker) {
            (Content::Text(text), Speaker::Agent) => {
                let cues = lexicon::cues(text);
                let told = [Cue::Cause, Cue::Decision, Cue::Owner, Cue::Change, Cue::Place, Cue::Deadline];
                let named = told.iter().filter(|cue| cues.has(**cue)).count();
                found[Signal::Tells as usize] = (named as f64 / 3.0).min(1.0);
                found[Signal::Asks as usize] = flag(text.trim_end().ends_with(['?', '？']));
                found[Signal::Agreed as usize] = flag(self.next(place).is_some_and(agrees));
            }
            (Content::ToolCall { id, name, .. }, _) => {
                let answer = self.answers.get(id.as_str());
                let changes = changes_files(name);
                let failed = answer.is_some_and(|answer| answer.failed);
                found[Signal::Edit as usize] = flag(changes);
                found[Signal::Command as usize] = flag(!changes && command(turn).is_some());
                found[Signal::Failure as usize] = flag(failed);
                found[Signal::Mends as usize] = flag(changes && self.mends(place));
                found[Signal::Passes as usize] = flag(!failed && self.passes(place));
                let length = answer.map_or(0.0, |answer| answer.length as f64);
                found[Signal::ShortAnswer as usize] =
                    if changes { 0.0 } else { (1.0 - length / SHORT).max(0.0) };
            }
            _ => {}
        }
        if let Some(terms) = self.terms.get(&place) {
            let mut shared: Vec<f64> = terms
                .iter()
                .filter_map(|term| Some(self.valued.get(term)? * self.rarity.get(term)?.max(0.0)))
                .collect();
            shared.sort_by(|one, two| two.total_cmp(one));
            let strongest: f64 = shared.iter().take(STRONGEST).sum();
            found[Signal::Echo as usize] = strongest / STRONGEST as f64 / (1.0 + terms.len() as f64 / LONG);
        }
        let follows = &mut found[Signal::Follows as usize];
        for (at, (value, _)) in self.said.range(..place) {
            *follows = follows.max(value * FADING.powi(distance(place, *at)));
        }
        if let Some(text) = words(turn) {
            let exact = text.split_whitespace().filter(|word| is_exact(word)).count();
            found[Signal::Exact as usize] = (exact as f64 / 4.0).min(1.0);
            found[Signal::Long as usize] = (text.chars().count() as f64 / 1_000.0).min(1.0);
        }
        found
    }

    /// What the person says next.
    fn next(&self, place: usize) -> Option<&Utterance<'a>> {
        self.dialogue.utterances.iter().find(|utterance| utterance.place > place)
    }

    /// Whether a command failed before a turn and the same command passed behind it.
    fn mends(&self, place: usize) -> bool {
        let from = place.saturating_sub(MENDED_WITHIN);
        let failed: Vec<BTreeSet<String>> = self.commands(from, place, true).collect();
        self.commands(place, place + MENDED_WITHIN, false)
            .any(|passed| failed.iter().any(|failed| is_same(failed, &passed)))
    }

    /// Whether the same command as at this turn failed before.
    fn passes(&self, place: usize) -> bool {
        let Some(own) = self.conversation.turns.get(place).and_then(command) else { return false };
        let own = terms::terms(own);
        self.commands(place.saturating_sub(MENDED_WITHIN), place, true).any(|failed| is_same(&failed, &own))
    }

    /// What the commands between two turns are about that failed, or that did not.
    fn commands(&self, from: usize, to: usize, failed: bool) -> impl Iterator<Item = BTreeSet<String>> {
        let turns = self.conversation.turns.iter().take(to).skip(from);
        turns.filter_map(move |turn| {
            let Content::ToolCall { id, .. } = &turn.content else { return None };
            let answer = self.answers.get(id.as_str())?;
            (answer.failed == failed).then(|| command(turn).map(terms::terms))?
        })
    }
}

fn flag(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

fn is_main(turn: &Turn) -> bool {
    turn.source.stream.is_none() && turn.speaker != Speaker::Injected
}

fn words(turn: &Turn) -> Option<String> {
    let cut = |text: &str| text.chars().take(LOOKED_AT).collect();
    match &turn.content {
        Content::Text(text) | Content::ToolResult { text, .. } => Some(cut(text)),
        Content::ToolCall { input, .. } => Some(cut(&input.to_string())),
        Content::Interrupted => None,
    }
}

fn command(turn: &Turn) -> Option<&str> {
    match &turn.content {
        Content::ToolCall { input, .. } => input.get("command").and_then(Value::as_str),
        _ => None,
    }
}

fn changes_files(tool: &str) -> bool {
    let tool = tool.to_ascii_lowercase();
    ["edit", "write", "patch", "replace"].iter().any(|word| tool.contains(word))
}

fn is_same(one: &BTreeSet<String>, two: &BTreeSet<String>) -> bool {
    let shared = terms::shared(one, two);
    shared >= 1 && shared * 2 >= one.len().min(two.len())
}

fn agrees(utterance: &Utterance<'_>) -> bool {
    let cues = lexicon::cues(&utterance.own);
    utterance.own.chars().count() <= ASSENT
        && cues.any(&[Cue::Agreement, Cue::Praise])
        && !cues.has(Cue::Denial)
}

/// Whether a word is a number with a unit, a path, a flag or an identifier.
fn is_exact(word: &str) -> bool {
    let inner = word.trim_matches(|letter: char| !letter.is_alphanumeric());
    inner.chars().any(|letter| letter.is_ascii_digit())
        || inner.contains(['_', '/', '=', '.'])
        || inner.chars().skip(1).any(|letter| letter.is_ascii_uppercase())
}

fn distance(one: usize, two: usize) -> i32 {
    i32::try_from(one.abs_diff(two)).unwrap_or(i32::MAX).saturating_sub(1)
}
