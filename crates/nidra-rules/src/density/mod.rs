//! How much of a talk is worth keeping, passage by passage.
//!
//! What a person says is weighed as a dream weighs it: by named cues, by what they answer, by how much exact they name.
//! What the agent found out counts where the engine would keep it; the rest of its words, and what tools print, count
//! little, whatever they are about. No word of any sample is in here.

mod decision;
mod others;

pub use decision::{Decided, decision};
pub use others::SIGNALS;

use crate::chosen;
use crate::dialogue::{self, Dialogue, Utterance};
use crate::human;
use crate::observed;
use crate::sentence;
use crate::signals;
use jiff::ZonedDateTime;
use nidra_core::{AgentKind, Content, Conversation, SessionId, Source, Speaker, Turn};
use others::Others;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// A passage with its worth.
#[derive(Clone, Debug, PartialEq)]
pub struct Weighed {
    /// Where it stands among the turns of its conversation.
    pub place: usize,
    /// What it is worth, from 0 to 1.
    pub value: f64,
    /// Why, in a few words.
    pub reason: String,
}

/// What a passage is worth that the engine would just keep.
pub const WORTH_KEEPING: f64 = 0.5;
/// A passage that says what was said before counts this share.
const REPEATED: f64 = 0.4;

/// Weighs every turn of a conversation, in its order.
pub fn weigh(conversation: &Conversation, now: &ZonedDateTime) -> Vec<Weighed> {
    let dialogue = dialogue::read(conversation, now);
    let mut known = judged(&dialogue, now);
    let others = Others::of(conversation, &dialogue);
    let mut seen: HashSet<String> = HashSet::new();
    conversation
        .turns
        .iter()
        .enumerate()
        .map(|(place, turn)| {
            let (mut value, mut reason) = others.said(place).cloned().unwrap_or_else(|| others.weigh(place));
            if let Some((better, why)) = known.remove(&key(&turn.source, turn.speaker))
                && better > value
            {
                (value, reason) = (better, why);
            }
            if turn.text().is_some_and(|text| text.len() > 40 && !seen.insert(folded(text))) {
                value *= REPEATED;
                reason = format!("said before; {reason}");
            }
            Weighed { place, value, reason }
        })
        .collect()
}

/// The signals of every turn that is not a person's, as [`SIGNALS`] names them, for learning their weights.
pub fn signals(conversation: &Conversation, now: &ZonedDateTime) -> Vec<Option<[f64; SIGNALS.len()]>> {
    let dialogue = dialogue::read(conversation, now);
    let others = Others::of(conversation, &dialogue);
    let of = |place: usize| others.said(place).is_none().then(|| others.signals(place));
    (0..conversation.turns.len()).map(of).collect()
}

/// Turns that candidates rest on, with the worth of the best.
fn judged(dialogue: &Dialogue<'_>, now: &ZonedDateTime) -> HashMap<(String, u64, Speaker), (f64, String)> {
    let mut candidates = observed::collect(dialogue, now);
    for (index, utterance) in dialogue.utterances.iter().enumerate() {
        let lines = human::read(utterance);
        candidates.extend(human::collect(dialogue, index, &lines));
        candidates.extend(chosen::collect(dialogue, index, &lines));
    }
    let mut known: HashMap<_, (f64, String)> = HashMap::new();
    for candidate in candidates {
        let value = scaled(candidate.score);
        for evidence in &candidate.evidence {
            let best = known.entry(key(&evidence.source, evidence.speaker)).or_default();
            if value > best.0 {
                *best = (value, candidate.reason.clone());
            }
        }
    }
    known
}

fn key(source: &Source, speaker: Speaker) -> (String, u64, Speaker) {
    (source.record.clone(), source.offset, speaker)
}

/// What a person's words are worth: their best sentence, and a little for every other good one.
fn said(utterance: &Utterance<'_>) -> (f64, String) {
    let lines = human::read(utterance);
    let mut scores: Vec<_> =
        lines.iter().map(|line| signals::sentence(line, lines.len(), utterance)).collect();
    scores.sort_by(|one, two| two.value.total_cmp(&one.value));
    let Some(best) = scores.first() else { return (0.02, "nothing of their own".to_owned()) };
    let more = scores.iter().skip(1).filter(|score| score.value > signals::THRESHOLD).count().min(3);
    (scaled(best.value + 0.2 * more as f64), best.explain())
}

/// A score of the engine's on the scale from 0 to 1.
fn scaled(score: f64) -> f64 {
    WORTH_KEEPING * 2.0 / (1.0 + (signals::THRESHOLD - score).exp())
}

/// The sentences of a text that say most, in their order and within so many characters; at least the best one, cut.
pub fn digest(text: &str, limit: usize, now: &ZonedDateTime) -> String {
    let whole = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if whole.chars().count() <= limit {
        return whole;
    }
    let conversation = Conversation { turns: vec![spoken(text)], ..Conversation::default() };
    let dialogue = dialogue::read(&conversation, now);
    let Some(utterance) = dialogue.utterances.first() else { return cut(&whole, limit) };
    let lines = sentence::lines(text);
    let mut ranked: Vec<(usize, f64)> = lines
        .iter()
        .enumerate()
        .map(|(at, line)| (at, signals::sentence(line, lines.len(), utterance).value))
        .collect();
    ranked.sort_by(|one, two| two.1.total_cmp(&one.1).then(one.0.cmp(&two.0)));
    let (mut chosen, mut used) = (Vec::new(), 0);
    for (at, _) in ranked {
        let Some(line) = lines.get(at) else { continue };
        let length = line.text.chars().count() + 1;
        if used + length <= limit {
            used += length;
            chosen.push(at);
        } else if chosen.is_empty() {
            return cut(&line.text, limit);
        }
    }
    chosen.sort_unstable();
    let texts: Vec<&str> = chosen.iter().filter_map(|at| Some(lines.get(*at)?.text.trim())).collect();
    if texts.is_empty() { cut(&whole, limit) } else { texts.join(" ") }
}

fn cut(text: &str, limit: usize) -> String {
    if text.chars().count() <= limit {
        return text.to_owned();
    }
    text.chars().take(limit).chain(" …".chars()).collect()
}

/// A text as a person's turn.
fn spoken(text: &str) -> Turn {
    let source = Source {
        agent: AgentKind::ClaudeCode,
        session: SessionId::new("text"),
        stream: None,
        record: "@0".to_owned(),
        path: Path::new("text").into(),
        offset: 0,
        length: text.len() as u64,
    };
    Turn { source, at: None, speaker: Speaker::Human, content: Content::Text(text.to_owned()) }
}

fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}
