//! The turns that a run read, and whether what is quoted from them was really said.

use nidra_core::text::redact::{self, Scope};
use nidra_core::{Conversation, Evidence, Turn};
use std::collections::HashMap;

/// The turns that a run read, by record.
pub(crate) struct Turns<'a> {
    turns: HashMap<&'a str, &'a Turn>,
    scope: Scope,
}

impl<'a> Turns<'a> {
    /// The turns of these conversations; `scope` says what is removed from what is quoted.
    pub(crate) fn new(conversations: &'a [Conversation], scope: Scope) -> Self {
        let turns = conversations
            .iter()
            .flat_map(|conversation| &conversation.turns)
            .map(|turn| (turn.source.record.as_str(), turn))
            .collect();
        Self { turns, scope }
    }

    /// The words of a turn.
    pub(crate) fn text(&self, record: &str) -> Option<&'a str> {
        self.turns.get(record)?.text()
    }

    /// Why a piece of evidence is none: nobody said these words, or somebody else. Secrets are removed from all.
    pub(crate) fn fault(&self, evidence: &mut [Evidence]) -> Option<&'static str> {
        for one in &mut *evidence {
            one.quote = redact::redact_in(&one.quote, self.scope);
        }
        evidence.iter().find_map(|one| {
            let Some(turn) = self.turns.get(one.source.record.as_str()) else {
                return Some("it cites a record that was not read");
            };
            if turn.speaker != one.speaker {
                return Some("it attributes words to somebody who did not say them");
            }
            // Tool calls and results are cited as a whole; their text is not prose.
            let text = turn.text()?;
            (!contains_words(&redact::redact_in(text, self.scope), &one.quote))
                .then_some("it quotes words that were not said")
        })
    }
}

/// Whether the quotation occurs in the text, with white space folded.
fn contains_words(text: &str, quote: &str) -> bool {
    let fold = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let quote = fold(quote);
    !quote.is_empty() && fold(text).contains(&quote)
}
