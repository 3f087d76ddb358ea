//! Turns become utterances: what a person typed, with what stood before and after it.
//!
//! Only the main thread counts. Words of sub-agents, injected text and digests are never a person's words.

use crate::lexicon::{self, Cue};
use crate::quoted;
use crate::terms;
use jiff::{Timestamp, ZonedDateTime};
use nidra_core::{Content, Conversation, Source, Speaker, Turn};
use std::collections::BTreeSet;

/// After a pause this long the talk begins anew.
const PAUSE_MINUTES: i64 = 25;

/// A tool call with its result.
#[derive(Clone, Debug)]
pub(crate) struct Call<'a> {
    /// Where the call stands among the turns of its session.
    pub(crate) place: usize,
    /// The tool's input.
    pub(crate) input: &'a serde_json::Value,
    /// It failed.
    pub(crate) failed: bool,
    /// A person refused it.
    pub(crate) refused: bool,
    /// What came of it.
    pub(crate) result: &'a str,
}

impl Call<'_> {
    /// A string of the input.
    pub(crate) fn field(&self, key: &str) -> Option<&str> {
        self.input.get(key).and_then(serde_json::Value::as_str)
    }
}

/// What the agent said in one piece.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Saying<'a> {
    /// Where it stands among the turns of its session.
    pub(crate) place: usize,
    /// Where it stands in the transcript.
    pub(crate) source: &'a Source,
    /// When it was said.
    pub(crate) at: Option<Timestamp>,
    /// The words.
    pub(crate) text: &'a str,
}

/// Something that a person typed.
#[derive(Clone, Debug)]
pub(crate) struct Utterance<'a> {
    /// Where it stands among the turns of its session.
    pub(crate) place: usize,
    /// Where it stands in the transcript.
    pub(crate) source: &'a Source,
    /// When it was said.
    pub(crate) at: Option<Timestamp>,
    /// The moment in the user's zone; the moment of the dream where the record has none.
    pub(crate) said: ZonedDateTime,
    /// The whole text.
    pub(crate) text: &'a str,
    /// The person's own words in it.
    pub(crate) own: String,
    /// The words of others in it.
    pub(crate) foreign: Vec<String>,
    /// The agent's last words since the person spoke before.
    pub(crate) before: Option<Saying<'a>>,
    /// The agent's first words before the person speaks again.
    pub(crate) after: Option<Saying<'a>>,
    /// The person stopped the agent or refused a call right before.
    pub(crate) interrupted: bool,
    /// The agent offered a choice or a plan before.
    pub(crate) offered: bool,
    /// What the agent's words before are about.
    pub(crate) offer_terms: BTreeSet<String>,
    /// It opens the session, or the talk after a long pause.
    pub(crate) opens: bool,
    /// How far into the session it stands, from 0 to 1, by the person's turns.
    pub(crate) position: f64,
}

/// One session as a dialogue.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dialogue<'a> {
    /// The person's utterances in order.
    pub(crate) utterances: Vec<Utterance<'a>>,
    /// The agent's sayings in order.
    pub(crate) sayings: Vec<Saying<'a>>,
    /// The tool calls in order.
    pub(crate) calls: Vec<Call<'a>>,
    /// Texts of tools and sub-agents, which may hold orders.
    pub(crate) foreign: Vec<&'a Turn>,
}

/// The start and the end of a text that may be long: what an answer refers to stands there.
fn ends_of(text: &str) -> String {
    const HEAD: usize = 900;
    const TAIL: usize = 600;
    let count = text.chars().count();
    if count <= HEAD + TAIL {
        return text.to_owned();
    }
    text.chars().take(HEAD).chain(std::iter::once('\n')).chain(text.chars().skip(count - TAIL)).collect()
}

/// Reads a conversation as a dialogue.
pub(crate) fn read<'a>(conversation: &'a Conversation, now: &ZonedDateTime) -> Dialogue<'a> {
    let mut dialogue = Dialogue::default();
    let mut interrupted = false;
    let mut spoken: Option<Saying<'a>> = None;
    // A record without a time was made about when its neighbour was.
    let mut time = conversation.turns.iter().find_map(|turn| turn.at);
    for (place, turn) in conversation.turns.iter().enumerate() {
        time = turn.at.or(time);
        let main = turn.source.stream.is_none();
        match (&turn.content, turn.speaker) {
            (Content::Text(text), Speaker::Human) if main => {
                if text.trim().is_empty() {
                    continue;
                }
                let parted = quoted::part(text);
                let heard = spoken.map(|saying: Saying<'_>| ends_of(saying.text)).unwrap_or_default();
                dialogue.utterances.push(Utterance {
                    place,
                    source: &turn.source,
                    at: turn.at,
                    said: time
                        .map_or_else(|| now.clone(), |at| at.to_zoned_datetime(now.time_zone().clone())),
                    text,
                    own: parted.own,
                    foreign: parted.foreign,
                    offered: lexicon::cues(&heard).has(Cue::Offer),
                    offer_terms: terms::terms(&heard),
                    before: spoken.take(),
                    after: None,
                    interrupted,
                    opens: dialogue.utterances.last().is_none_or(|last| match (last.at, turn.at) {
                        (Some(before), Some(at)) => at.duration_since(before).as_mins() >= PAUSE_MINUTES,
                        _ => false,
                    }),
                    position: 0.0,
                });
                interrupted = false;
            }
            (Content::Text(text), Speaker::Agent) if main => {
                let saying = Saying { place, source: &turn.source, at: turn.at, text };
                dialogue.sayings.push(saying);
                if let Some(last) = dialogue.utterances.last_mut()
                    && last.after.is_none()
                {
                    last.after = Some(saying);
                }
                spoken = Some(saying);
            }
            (Content::ToolCall { id, input, .. }, Speaker::Agent) if main => {
                let answer = conversation.turns[place..].iter().find_map(|turn| match &turn.content {
                    Content::ToolResult { id: other, error, refused, text } if other == id => {
                        Some((*error, *refused, text.as_str()))
                    }
                    _ => None,
                });
                let (failed, refused, result) = answer.unwrap_or((false, false, ""));
                interrupted |= refused;
                dialogue.calls.push(Call { place, input, failed, refused, result });
            }
            (Content::Interrupted, _) if main => interrupted = true,
            (Content::ToolResult { .. }, _) | (Content::Text(_), Speaker::Tool | Speaker::Subagent) => {
                dialogue.foreign.push(turn);
            }
            _ => {}
        }
    }
    let total = dialogue.utterances.len();
    for (index, utterance) in dialogue.utterances.iter_mut().enumerate() {
        utterance.position = (index + 1) as f64 / total as f64;
    }
    dialogue
}
