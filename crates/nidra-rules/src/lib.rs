//! The embedded engine: judges without a model what of a talk is worth keeping.
//!
//! It takes one way: conversations become dialogues, dialogues become candidates with their grounds, candidates
//! are settled among themselves and then against memory, and what is left becomes operations. It must never
//! touch a file, a clock or a network, and never take another's words for the human's.

mod candidate;
mod chosen;
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
mod observed;
mod person;
mod phrase;
mod polish;
mod quoted;
mod recur;
mod reminder;
mod repeated;
mod request;
mod retract;
mod revise;
mod sentence;
mod settle;
mod siblings;
mod signals;
mod subject;
mod terms;
mod title;
mod topic;
mod withdraw;
pub mod worth;

use nidra_core::{Dropped, Engine, EngineError, EngineInput, Outcome};

/// The engine of rules.
#[derive(Clone, Copy, Debug, Default)]
pub struct RulesEngine;

impl Engine for RulesEngine {
    fn name(&self) -> &'static str {
        "rules"
    }

    fn dream(&self, input: EngineInput<'_>) -> Result<Outcome, EngineError> {
        // 1. Who said what, with what stood around it.
        let dialogues: Vec<_> =
            input.conversations.iter().map(|conversation| dialogue::read(conversation, input.now)).collect();
        let lines: Vec<Vec<_>> =
            dialogues.iter().map(|dialogue| dialogue.utterances.iter().map(human::read).collect()).collect();
        // 2. Candidates: from the human, from what was found out, from what had to be asked for again.
        let mut candidates = Vec::new();
        let mut dropped = Vec::new();
        for (session, dialogue) in dialogues.iter().enumerate() {
            for (index, sentences) in lines[session].iter().enumerate() {
                let said = human::collect(dialogue, session, index, sentences);
                let mut chosen = chosen::collect(dialogue, session, index, sentences);
                if let Some(chosen) = &mut chosen {
                    // What the words end beside the choice stays known.
                    for one in said.iter().filter(|one| terms::says_less(&one.terms, &chosen.terms)) {
                        chosen.negated.extend(one.negated.iter().cloned());
                        chosen.cues = chosen.cues.union(one.cues);
                    }
                }
                let chosen = chosen.filter(|chosen| {
                    said.iter()
                        .all(|one| one.negated.is_empty() || terms::says_less(&one.terms, &chosen.terms))
                });
                // The choice with its subject says more than the bare words.
                candidates.extend(said.into_iter().filter(|one| {
                    chosen.as_ref().is_none_or(|chosen| !terms::says_less(&one.terms, &chosen.terms))
                }));
                candidates.extend(chosen);
            }
            candidates.extend(observed::collect(dialogue, session, input.now));
            dropped.extend(foreign::orders(dialogue));
        }
        candidates.extend(repeated::collect(&dialogues, &lines));
        // 3. What puts another value in the place of a known one.
        let said: Vec<Vec<_>> = dialogues
            .iter()
            .zip(&lines)
            .map(|(dialogue, spoken)| {
                spoken.iter().enumerate().map(|(index, lines)| revise::said(dialogue, index, lines)).collect()
            })
            .collect();
        revise::collect::collect(input.memory, &dialogues, &said, &mut candidates, &mut dropped);
        matter::collect::collect(input.memory, input.now, &dialogues, &lines, &mut candidates);
        revise::used::collect(input.memory, &dialogues, &mut candidates);
        let reminders = reminder::collect(input.memory, &dialogues, &lines, &mut candidates, &mut dropped);
        // 4. Among themselves, then against memory.
        let settled = settle::settle(candidates, &dialogues, &lines, &said);
        dropped.extend(settled.dropped);
        let merged = merge::merge(settled.kept, &settled.withdrawn, &dialogues, input.memory);
        dropped.extend(merged.dropped);
        // 5. What memory says already was said again.
        let known = recur::recurrences(&dropped, input.memory);
        let recurrences = recur::united(merged.recurrences.into_iter().chain(reminders).chain(known));
        Ok(Outcome {
            operations: merged.operations,
            dropped: dropped
                .into_iter()
                .map(|one| Dropped { text: one.text, reason: one.reason, evidence: one.evidence })
                .collect(),
            recurrences,
        })
    }
}
