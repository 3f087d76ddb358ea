//! What the people of a conversation said, as it may be quoted: without secrets, and each sentence with the turn that it
//! stands in.

use nidra_core::text::redact::{self, Scope};
use nidra_core::{Conversation, Evidence, Speaker, Turn};

/// The turns of a conversation's people.
#[derive(Debug)]
pub struct Spoken<'a> {
    turns: Vec<(&'a Turn, String)>,
    scope: Scope,
}

impl<'a> Spoken<'a> {
    /// The turns of these people.
    pub fn of(conversation: &'a Conversation, scope: Scope) -> Self {
        let turns = conversation
            .turns
            .iter()
            .filter(|turn| turn.speaker == Speaker::Human)
            .filter_map(|turn| Some((turn, folded(&redact::redact_in(turn.text()?, scope)))))
            .collect();
        Self { turns, scope }
    }

    /// The quotation of a sentence; `None` when it holds a secret or nobody said it.
    pub fn quote(&self, sentence: &str) -> Option<Evidence> {
        let quote = redact::redact_in(sentence.trim(), self.scope);
        if redact::has_placeholder(&quote) {
            return None;
        }
        let words = folded(&quote);
        let (turn, _) = self.turns.iter().find(|(_, text)| text.contains(&words))?;
        Some(Evidence { source: turn.source.clone(), speaker: turn.speaker, at: turn.at, quote })
    }
}

/// Words with single blanks between them.
pub fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
