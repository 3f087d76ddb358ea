//! The engine for daily logs: notes that an agent wrote down while it worked, judged like talk and trusted like notes.
//!
//! What makes a sentence worth keeping is the same whoever wrote it, so the rules judge the notes as if they had been
//! said. What they then rest on is put right: a note is the agent's inference. It never outranks what a person said, and
//! a rule that only a note tells of waits for the person's word.

use crate::RulesEngine;
use crate::signals::TOOK_NOTE;
use nidra_core::{
    Content, Conversation, Engine, EngineError, EngineInput, Evidence, Outcome, Source, Speaker, TrustRank,
    Turn,
};
use std::collections::HashSet;

/// What an agent says that has taken note.
const TAKES_NOTE: &str = "Noted.";

/// The engine for daily logs.
#[derive(Clone, Copy, Debug, Default)]
pub struct NotesEngine;

impl Engine for NotesEngine {
    fn name(&self) -> &'static str {
        "notes"
    }

    fn dream(&self, input: EngineInput<'_>) -> Result<Outcome, EngineError> {
        let mut notes = HashSet::new();
        let spoken: Vec<Conversation> =
            input.conversations.iter().map(|conversation| as_talk(conversation, &mut notes)).collect();
        let mut outcome = RulesEngine.dream(EngineInput { conversations: &spoken, ..input })?;
        for operation in &mut outcome.operations {
            put_right(&mut operation.evidence, &mut operation.rank, &notes);
            // It did so by writing, and nobody answered.
            operation.reason = operation.reason.replace(TOOK_NOTE, "the agent wrote it down");
        }
        for recurrence in &mut outcome.recurrences {
            put_right(&mut recurrence.evidence, &mut recurrence.rank, &notes);
        }
        for dropped in &mut outcome.dropped {
            put_right(&mut dropped.evidence, &mut TrustRank::AgentInferred, &notes);
        }
        Ok(outcome)
    }
}

/// Where a note stands: its session and its record.
type Place = (String, String);

fn place(source: &Source) -> Place {
    (source.session.to_string(), source.record.clone())
}

/// The conversation with the agent's notes as if a person had said them and the agent had taken note, which it did.
fn as_talk(conversation: &Conversation, notes: &mut HashSet<Place>) -> Conversation {
    let mut spoken = Conversation { turns: Vec::new(), ..conversation.clone() };
    for turn in &conversation.turns {
        let mut turn = turn.clone();
        let speaks =
            matches!((&turn.content, turn.speaker), (Content::Text(_), Speaker::Agent | Speaker::Human));
        let taken = Turn {
            speaker: Speaker::Agent,
            content: Content::Text(TAKES_NOTE.to_owned()),
            source: Source { record: format!("{}+", turn.source.record), ..turn.source.clone() },
            at: turn.at,
        };
        if speaks && turn.speaker == Speaker::Agent {
            notes.insert(place(&turn.source));
            turn.speaker = Speaker::Human;
        }
        spoken.turns.push(turn);
        spoken.turns.extend(speaks.then_some(taken));
    }
    spoken
}

/// Says who really wrote the words, and how far they can be trusted then.
fn put_right(evidence: &mut [Evidence], rank: &mut TrustRank, notes: &HashSet<Place>) {
    for one in evidence.iter_mut().filter(|one| notes.contains(&place(&one.source))) {
        one.speaker = Speaker::Agent;
    }
    if !evidence.iter().any(|one| one.speaker == Speaker::Human) {
        *rank = (*rank).min(TrustRank::AgentInferred);
    }
}
