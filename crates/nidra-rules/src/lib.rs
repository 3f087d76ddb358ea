//! The embedded engine: judges without a model what of a talk is worth keeping.
//!
//! It takes one way: conversations become dialogues, dialogues become candidates with their grounds, candidates
//! are settled among themselves and then against memory, and what is left becomes operations. It must never
//! touch a file, a clock or a network, and never take another's words for the human's.

mod candidate;
mod chosen;
mod contrary;
pub mod density;
mod dialogue;
mod disown;
pub mod drift;
mod families;
mod foreign;
mod hearsay;
mod hook;
mod human;
pub mod importance;
mod index_line;
mod lexicon;
pub mod matter;
mod merge;
mod moment;
mod new_topic;
pub mod notes;
mod numbered;
mod observed;
mod occasion;
mod once;
mod over;
mod person;
mod phrase;
mod polish;
mod procedure;
mod quoted;
mod recur;
mod reminder;
mod repeated;
mod request;
mod restated;
mod retract;
mod revise;
pub mod same;
mod sentence;
mod settle;
mod siblings;
mod signals;
mod standing;
mod subject;
pub mod suggest;
mod terms;
pub mod title;
pub mod told;
mod topic;
mod undone;
mod withdraw;
pub mod worth;

use candidate::Rejected;
use dialogue::Dialogue;
use merge::Merged;
use nidra_core::{Dropped, Engine, EngineError, EngineInput, MemoryView, Outcome, Recurrence, Watcher};
use sentence::Line;
use standing::Standing;

/// The engine of rules.
#[derive(Clone, Copy, Debug, Default)]
pub struct RulesEngine;

impl Engine for RulesEngine {
    fn name(&self) -> &'static str {
        "rules"
    }

    fn dream(&self, input: EngineInput<'_>) -> Result<Outcome, EngineError> {
        // 1. Who said what, with what stood around it.
        let mut dialogues = Vec::with_capacity(input.conversations.len());
        let mut lines: Vec<Vec<_>> = Vec::with_capacity(input.conversations.len());
        for conversation in input.conversations {
            go_on(input.watcher)?;
            let dialogue = dialogue::read(conversation, input.now);
            lines.push(dialogue.utterances.iter().map(human::read).collect());
            dialogues.push(dialogue);
        }
        // 2. Session by session: each meets what the ones before it left.
        let mut standing = Standing::new(input.memory);
        for (dialogue, lines) in dialogues.iter().zip(&lines) {
            go_on(input.watcher)?;
            let changed = session(dialogue, lines, standing.view(), input.now);
            standing.take(changed);
        }
        // 3. What only shows over several: tastes that had to be told again, tools that nobody runs any more.
        let mut candidates = repeated::collect(&dialogues, &lines);
        revise::used::collect(standing.view(), &dialogues, &mut candidates);
        if !candidates.is_empty() {
            let merged = merge::merge(candidates, &[], standing.view());
            standing.take(outcome(merged, Vec::new(), Vec::new()));
        }
        Ok(standing.finish())
    }
}

/// Ends the work between two sessions when nobody wants it any more.
fn go_on(watcher: &dyn Watcher) -> Result<(), EngineError> {
    if watcher.stopped() { Err(EngineError::Stopped("by the user".to_owned())) } else { Ok(()) }
}

/// What one session changes in memory as it stands.
fn session(
    dialogue: &Dialogue<'_>,
    lines: &[Vec<Line>],
    memory: &MemoryView,
    now: &jiff::ZonedDateTime,
) -> Outcome {
    // 1. Candidates: from the human, and from what was found out.
    let mut candidates = Vec::new();
    for (index, sentences) in lines.iter().enumerate() {
        let said = human::collect(dialogue, index, sentences);
        let mut chosen = chosen::collect(dialogue, index, sentences);
        if let Some(chosen) = &mut chosen {
            // What the words end beside the choice stays known.
            for one in said.iter().filter(|one| terms::says_less(&one.terms, &chosen.terms)) {
                chosen.negated.extend(one.negated.iter().cloned());
                chosen.cues = chosen.cues.union(one.cues);
            }
        }
        let chosen = chosen.filter(|chosen| {
            said.iter().all(|one| one.negated.is_empty() || terms::says_less(&one.terms, &chosen.terms))
        });
        // The choice with its subject says more than the bare words.
        candidates.extend(said.into_iter().filter(|one| {
            let words = terms::words(&one.terms);
            chosen.as_ref().is_none_or(|chosen| !terms::says_less(&words, &chosen.terms))
        }));
        candidates.extend(chosen);
    }
    candidates.extend(observed::collect(dialogue, now));
    let mut dropped = foreign::orders(dialogue);
    // 2. What puts another value in the place of a known one.
    let said: Vec<_> =
        lines.iter().enumerate().map(|(index, lines)| revise::said(dialogue, index, lines)).collect();
    revise::collect::collect(memory, dialogue, &said, &mut candidates, &mut dropped);
    over::collect(memory, now, dialogue, lines, &mut candidates);
    contrary::collect(memory, dialogue, lines, &mut candidates);
    matter::collect::collect(memory, now, dialogue, lines, &mut candidates);
    let reminders = reminder::collect(memory, dialogue, lines, &mut candidates, &mut dropped);
    // 3. Among themselves, then against memory.
    let settled = settle::settle(candidates, dialogue, lines, &said);
    dropped.extend(settled.dropped);
    let merged = merge::merge(settled.kept, &settled.withdrawn, memory);
    // 4. What memory says already was said again.
    let known = recur::recurrences(&dropped, memory);
    outcome(merged, dropped, reminders.into_iter().chain(known).collect())
}

/// An outcome with all that was dropped and all that was said again.
fn outcome(merged: Merged, mut dropped: Vec<Rejected>, recurrences: Vec<Recurrence>) -> Outcome {
    dropped.extend(merged.dropped);
    Outcome {
        operations: merged.operations,
        dropped: dropped
            .into_iter()
            .map(|one| Dropped { text: one.text, reason: one.reason, evidence: one.evidence })
            .collect(),
        recurrences: recur::united(merged.recurrences.into_iter().chain(recurrences)),
    }
}
