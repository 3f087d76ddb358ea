//! What lets an agent work in a staging copy, and how that ended.

use crate::staging::Staging;
use nidra_core::Watcher;
use nidra_model::budget::{Money, Spent};
use std::collections::BTreeMap;

/// What an agent is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// What it is for.
    pub system: String,
    /// Its work.
    pub work: String,
}

/// How the work ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum End {
    /// The agent was done.
    #[default]
    Done,
    /// It was stopped before; what it did by then counts as far as it rests on something.
    Stopped(String),
    /// It failed, or whoever it asks did: as with [`End::Stopped`], but where it had changed nothing by then it is as if it
    /// could not be asked.
    Failed(String),
    /// The run shall end; nothing of it counts.
    CalledOff(String),
    /// It could not be asked at all.
    Unavailable(String),
    /// It may not be asked; this limit of the budget is met.
    Spent(String),
}

/// What the work came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Worked {
    /// How it ended.
    pub end: End,
    /// Turns of the model, where they are known.
    pub turns: u64,
    /// Uses of tools by their name, where they are known.
    pub actions: BTreeMap<String, u64>,
    /// What was refused, by the reason's name.
    pub refused: BTreeMap<&'static str, u64>,
    /// What it spent, as the ledger has it.
    pub spent: Spent,
    /// Tokens of these that are an estimate, since no answer came that counts them.
    pub estimated_tokens: u64,
    /// Tokens that were counted beyond what can have been taken.
    pub overcounted_tokens: u64,
    /// Money that a program reports beyond what the run may cost.
    pub overcounted_cost: Money,
    /// Answers that came from a recording.
    pub replayed: u64,
    /// What the user may want to do about how it went.
    pub advice: Option<&'static str>,
    /// What it said at the end.
    pub said: String,
}

/// Lets an agent work.
pub trait Driver {
    /// Lets the agent work in a staging copy until it is done or has to stop.
    fn drive(&self, staging: &Staging, task: &Task, watcher: &dyn Watcher) -> Worked;
}
