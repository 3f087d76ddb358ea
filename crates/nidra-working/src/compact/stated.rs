//! What a dream over a session would keep, in its own short words, and which bodies it rests on.

use super::Knowledge;
use super::transcript::Script;
use crate::talk;
use nidra_core::{Engine as _, EngineInput, MemoryView, Unwatched};
use nidra_rules::RulesEngine;

/// A statement of a dream.
pub(super) struct Stated {
    /// What it says.
    pub(super) words: String,
    /// The number of the last body that it rests on: there everything is known that it says.
    pub(super) body: Option<usize>,
}

/// The statements of a dream over a session, in the order of the talk.
pub(super) fn of(script: &Script, knowledge: &Knowledge<'_>) -> Vec<Stated> {
    let (conversation, _) = talk::of_script(script);
    let input = EngineInput {
        conversations: &[conversation],
        memory: &MemoryView::default(),
        now: knowledge.now,
        watcher: &Unwatched,
    };
    // The engine fails where it is stopped, and nobody stops it here.
    let Ok(outcome) = RulesEngine.dream(input) else { return Vec::new() };
    let stated = outcome.operations.iter().flat_map(|operation| {
        let bodies = operation.evidence.iter().map(|evidence| evidence.source.offset);
        let body = bodies.max().and_then(|body| usize::try_from(body).ok());
        operation.change.statements().into_iter().map(move |words| Stated { words: words.to_owned(), body })
    });
    stated.collect()
}
