//! Three depths of forgetting for a session: `micro` drops what is repeated, superseded or bulky and touches no structure;
//! `session` keeps every record and shortens what it says to what matters; `deep` leaves a digest and the last turns.
//!
//! A transcript stays one that its client resumes: records keep their identity and order, calls keep their results, and
//! `deep` writes what the client itself writes when it compacts. What a person ruled or decided, open tasks and the last
//! turns are never dropped.

mod deep;
mod micro;
pub mod plain;
pub mod scenario;
mod session;
mod stated;
pub mod transcript;

use jiff::ZonedDateTime;
use nidra_core::text::token::{Family, Features};
use nidra_memory::store::{TaskRecord, TaskState};
use serde::Serialize;
use transcript::Script;

/// How deep the sleep is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Light: drop tokens quickly.
    Micro,
    /// Keep the structure, shorten the words.
    Session,
    /// A digest and the last turns.
    Deep,
}

impl Level {
    /// The share of the tokens that may be left; `None` where there is no such aim.
    pub fn share(self) -> Option<f64> {
        match self {
            Self::Micro => None,
            Self::Session => Some(0.25),
            Self::Deep => Some(0.08),
        }
    }
}

/// What is known beside the transcript.
#[derive(Clone, Debug)]
pub struct Knowledge<'a> {
    /// The present moment.
    pub now: &'a ZonedDateTime,
    /// The family of tokenizers.
    pub family: Family,
    /// Open tasks, which a digest names.
    pub tasks: &'a [TaskRecord],
    /// Entries of memory, by file and words: what stands there need not stand in the session.
    pub memory: &'a [(String, String)],
    /// Tokens that a digest may take whatever the share of the session; a short session has little to share.
    pub floor: usize,
}

impl Knowledge<'_> {
    fn tokens(&self, text: &str) -> usize {
        Features::of(text).tokens(self.family)
    }

    fn open_tasks(&self) -> impl Iterator<Item = &TaskRecord> {
        self.tasks.iter().filter(|task| task.state == TaskState::Open)
    }
}

/// What was done to one passage.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// The record.
    pub record: String,
    /// `kept`, `shortened`, `left out`.
    pub what: String,
    /// Why.
    pub why: String,
    /// Tokens before.
    pub before: usize,
    /// Tokens after.
    pub after: usize,
}

/// What came of a compaction.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// The level.
    pub level: Level,
    /// Tokens that a model read before.
    pub before: usize,
    /// Tokens that it reads now.
    pub after: usize,
    /// What became of each passage.
    pub changes: Vec<Change>,
    /// The new transcript or text.
    #[serde(skip)]
    pub text: String,
}

/// Compacts a transcript.
pub fn compact(script: &Script, level: Level, knowledge: &Knowledge<'_>) -> Outcome {
    let mut script = script.clone();
    let before = script.tokens(knowledge.family);
    let mut changes = Vec::new();
    match level {
        Level::Micro => micro::run(&mut script, knowledge, &mut changes),
        Level::Session => {
            micro::run(&mut script, knowledge, &mut changes);
            session::run(&mut script, before, knowledge, &mut changes);
        }
        Level::Deep => deep::run(&mut script, before, knowledge, &mut changes),
    }
    Outcome { level, before, after: script.tokens(knowledge.family), changes, text: script.render() }
}

/// A text cut to so many characters at the end of a sentence or word, with a mark.
fn shortened(text: &str, limit: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= limit {
        return line;
    }
    let cut: String = line.chars().take(limit).collect();
    let end = cut.rfind(['.', '。', ';', '；', '!', '！', '?', '？']).filter(|at| *at > cut.len() / 2);
    let end = end.map(|at| at + cut.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8));
    let end = end.or_else(|| cut.rfind(' ').filter(|at| *at > cut.len() / 2)).unwrap_or(cut.len());
    format!("{} …", cut.get(..end).unwrap_or(&cut).trim_end())
}

#[cfg(test)]
#[path = "compact_tests.rs"]
mod tests;
