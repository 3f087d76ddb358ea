//! How much of a talk is worth keeping, passage by passage, and which sentences are decisions.
//!
//! What a person says is weighed as a dream weighs it: by named cues, by what they answer, by how much exact they name.
//! What the agent found out counts where the engine would keep it; the rest of its words, and what tools print, count
//! little, whatever they are about. No word of any sample is in here.

use crate::chosen;
use crate::dialogue::{self, Dialogue};
use crate::human;
use crate::lexicon::{self, Cue};
use crate::observed;
use crate::sentence;
use crate::signals;
use crate::terms;
use jiff::ZonedDateTime;
use nidra_core::{AgentKind, Content, Conversation, SessionId, Source, Speaker, Turn};
use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap, HashSet};
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
    let echoes = Echoes::of(conversation, &dialogue);
    let mut seen: HashSet<String> = HashSet::new();
    let place_of: HashMap<usize, usize> =
        dialogue.utterances.iter().enumerate().map(|(index, utterance)| (utterance.place, index)).collect();
    conversation
        .turns
        .iter()
        .enumerate()
        .map(|(place, turn)| {
            let (mut value, mut reason) = match place_of.get(&place) {
                Some(&index) => said(&dialogue, index),
                None => echoes.raise(place, other(turn)),
            };
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

/// What the person's words of worth are about, and how rare each of these terms is in the talk: what the agent and its
/// tools say about it was what those words came from, or what came of them.
struct Echoes {
    valued: HashMap<String, f64>,
    rarity: HashMap<String, f64>,
    terms: HashMap<usize, BTreeSet<String>>,
    /// The person's turns with their worth, in order.
    said: Vec<(usize, f64)>,
}

/// How much an echo counts at most.
const ECHO: f64 = 0.6;
/// How much the nearness of the person's words of worth counts at most.
const NEAR: f64 = 0.35;
/// What is left of nearness with each turn between.
const FADING: f64 = 0.75;
/// Terms that are counted.
const STRONGEST: usize = 3;
/// Terms of a text from which a shared one says half as much.
const LONG: f64 = 120.0;
/// Letters of a text that are looked at.
const LOOKED_AT: usize = 4_000;

impl Echoes {
    fn of(conversation: &Conversation, dialogue: &Dialogue<'_>) -> Self {
        let mut valued: HashMap<String, f64> = HashMap::new();
        let mut terms = HashMap::new();
        let mut all_said = Vec::new();
        for (index, utterance) in dialogue.utterances.iter().enumerate() {
            let (value, _) = said(dialogue, index);
            all_said.push((utterance.place, value));
            for term in terms::terms(&utterance.own) {
                let best = valued.entry(term).or_default();
                *best = best.max(value);
            }
        }
        let mut counts: HashMap<String, usize> = HashMap::new();
        for (place, turn) in conversation.turns.iter().enumerate() {
            if turn.source.stream.is_some() || turn.speaker == Speaker::Injected {
                continue;
            }
            let text = match &turn.content {
                Content::Text(text) | Content::ToolResult { text, .. } => {
                    text.chars().take(LOOKED_AT).collect()
                }
                Content::ToolCall { input, .. } => {
                    input.to_string().chars().take(LOOKED_AT).collect::<String>()
                }
                Content::Interrupted => continue,
            };
            let found = terms::terms(&text);
            for term in &found {
                *counts.entry(term.clone()).or_default() += 1;
            }
            terms.insert(place, found);
        }
        let all = (terms.len().max(2) as f64).ln();
        let rarity =
            counts.into_iter().map(|(term, count)| (term, 1.0 - (count as f64).ln() / all)).collect();
        Self { valued, rarity, terms, said: all_said }
    }

    fn raise(&self, place: usize, (value, reason): (f64, String)) -> (f64, String) {
        let Some(terms) = self.terms.get(&place) else { return (value, reason) };
        let mut shared: Vec<f64> = terms
            .iter()
            .filter_map(|term| Some(self.valued.get(term)? * self.rarity.get(term)?.max(0.0)))
            .collect();
        shared.sort_by(|one, two| two.total_cmp(one));
        let strongest: f64 = shared.iter().take(STRONGEST).sum();
        let echo = ECHO * strongest / STRONGEST as f64 / (1.0 + terms.len() as f64 / LONG);
        // What a person says right behind is about it; what they said before led to it.
        let near = self
            .said
            .iter()
            .map(|(at, value)| match place.cmp(at) {
                Ordering::Less => value * FADING.powi(distance(place, *at)),
                _ => value * 0.6 * FADING.powi(distance(place, *at)),
            })
            .fold(0.0, f64::max);
        let echo = echo + NEAR * near;
        if echo > value {
            (value + echo, format!("about what the person said; {reason}"))
        } else {
            (value + echo, reason)
        }
    }
}

fn distance(one: usize, two: usize) -> i32 {
    i32::try_from(one.abs_diff(two)).unwrap_or(i32::MAX).saturating_sub(1)
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
fn said(dialogue: &Dialogue<'_>, index: usize) -> (f64, String) {
    let Some(utterance) = dialogue.utterances.get(index) else { return (0.0, String::new()) };
    let lines = human::read(utterance);
    let mut scores: Vec<_> =
        lines.iter().map(|line| signals::sentence(line, lines.len(), utterance)).collect();
    scores.sort_by(|one, two| two.value.total_cmp(&one.value));
    let Some(best) = scores.first() else { return (0.02, "nothing of their own".to_owned()) };
    let more = scores.iter().skip(1).filter(|score| score.value > signals::THRESHOLD).count().min(3);
    (scaled(best.value + 0.2 * more as f64), best.explain())
}

/// What words that are not a person's are worth when no candidate rests on them.
fn other(turn: &Turn) -> (f64, String) {
    let (value, reason) = match (&turn.content, turn.speaker) {
        (Content::Text(text), Speaker::Agent) => {
            let cues = lexicon::cues(text);
            let told = [Cue::Cause, Cue::Decision, Cue::Owner, Cue::Change, Cue::Place, Cue::Deadline];
            let named = told.iter().filter(|cue| cues.has(**cue)).count();
            (0.04 + 0.03 * named as f64, "the agent's words")
        }
        (Content::Text(_), Speaker::Summary) => (0.3, "a digest"),
        (Content::Text(_), Speaker::Human | Speaker::Tool | Speaker::Subagent | Speaker::Injected) => {
            (0.01, "not said by the person")
        }
        (Content::ToolCall { .. }, _) => (0.03, "a call of a tool"),
        (Content::ToolResult { error: true, .. }, _) => (0.06, "a failure of a tool"),
        (Content::ToolResult { .. }, _) => (0.02, "what a tool printed"),
        (Content::Interrupted, _) => (0.02, "an interruption"),
    };
    (value, reason.to_owned())
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

/// A decision as its words tell it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decided {
    /// Why, where the words say so.
    pub reason: Option<String>,
    /// What it was decided against.
    pub alternatives: Vec<String>,
}

/// Words behind which a reason stands, and words behind which stands what was not chosen.
const REASONS: &[&str] = &[
    " because ",
    " since ",
    " so that ",
    " due to ",
    " as it ",
    "因为",
    "由于",
    "原因是",
    "以便",
    "为了",
    "理由是",
];
const REJECTED: &[&str] = &[
    " instead of ",
    " rather than ",
    ", not ",
    " over ",
    " in place of ",
    "而不是",
    "，不是",
    "，不用",
    "不再用",
    "代替",
    "取代",
];

/// Reads a statement as a decision; `None` for one that is none.
pub fn decision(text: &str) -> Option<Decided> {
    let lines = sentence::lines(text);
    let decided = lines.iter().any(|line| {
        line.cues.has(Cue::Decision)
            || line.cues.any(&[Cue::Change, Cue::Removal]) && line.cues.any(&[Cue::Reason, Cue::Habit])
    });
    let alternatives: Vec<String> = REJECTED.iter().filter_map(|mark| behind(text, mark)).collect();
    let chosen = !alternatives.is_empty() && terms::terms(text).len() >= 2;
    (decided || chosen)
        .then(|| Decided { reason: REASONS.iter().find_map(|mark| behind(text, mark)), alternatives })
}

/// The words behind a mark, up to the end of the clause.
fn behind(text: &str, mark: &str) -> Option<String> {
    let at = text.to_lowercase().find(mark).filter(|at| text.is_char_boundary(*at))?;
    let rest = text.get(at + mark.len()..)?;
    let end =
        rest.find([';', '；', '。', '(', '（', '\n', '，']).or_else(|| rest.find(". ")).unwrap_or(rest.len());
    let mut words = rest.get(..end)?.split(", ").next()?;
    for reason in REASONS.iter().filter(|reason| **reason != mark) {
        words = words.split(reason).next().unwrap_or(words);
    }
    let words = words.trim().trim_end_matches(['.', ',']);
    (!words.is_empty()).then(|| words.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_name_reason_and_what_was_not_chosen() {
        let read = |text: &str| decision(text).unwrap();
        let english = read("We use Postgres instead of MySQL because we need partial indexes.");
        assert_eq!(english.reason.as_deref(), Some("we need partial indexes"));
        assert_eq!(english.alternatives, ["MySQL"]);
        let chinese = read("缓存决定用 Redis，而不是 Memcached，因为要持久化。");
        assert_eq!(chinese.reason.as_deref(), Some("要持久化"));
        assert_eq!(chinese.alternatives, ["Memcached"]);
        assert_eq!(decision("The staging host is at 10.0.0.7."), None);
    }
}
