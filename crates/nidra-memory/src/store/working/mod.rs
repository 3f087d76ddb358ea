//! Tasks, topics and rounds: what is being worked on. Every change is one transaction, so that calls in parallel lose
//! nothing and a kill leaves the state of before or of after.

mod reading;
mod tasks;
mod topics;

pub use reading::{TakenDecision, TaskSelection};
pub use tasks::{Aged, Decide, Registration, TaskChange, TaskOutcome};
pub use topics::TopicOutcome;

use jiff::Timestamp;
use serde::Serialize;

/// Whether a task is being worked on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TaskState {
    /// It is.
    Open,
    /// It is done, or was given up.
    Closed,
}

impl TaskState {
    /// The name used in answers and stored state.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Closed => "closed",
        }
    }
}

/// A task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TaskRecord {
    /// Its name, in the user's words.
    pub id: String,
    /// What it is for.
    pub goal: String,
    /// What is to be done next; empty when nothing is left to do.
    pub next_step: String,
    /// Whether it is open.
    pub state: TaskState,
    /// Rounds since it last went forward.
    pub stale: u32,
    /// When it was registered.
    pub created: Timestamp,
    /// When it changed last, rounds aside.
    pub changed: Timestamp,
    /// When it was closed.
    pub closed: Option<Timestamp>,
    /// What came of it.
    pub outcome: Option<String>,
    /// Its decisions, in the order in which they came up.
    pub decisions: Vec<DecisionPoint>,
    /// Entries of memory that it has to do with.
    pub links: Vec<String>,
}

impl TaskRecord {
    /// Decisions that are not taken yet.
    pub fn open_decisions(&self) -> impl Iterator<Item = &DecisionPoint> {
        self.decisions.iter().filter(|decision| decision.decided.is_none())
    }
}

/// A decision of a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DecisionPoint {
    /// Its number within the task, from 1.
    pub number: u32,
    /// What has to be decided.
    pub question: String,
    /// When it came up.
    pub asked: Timestamp,
    /// Rounds that it has been open.
    pub rounds: u32,
    /// What was chosen.
    pub choice: Option<String>,
    /// Why.
    pub reason: Option<String>,
    /// What else there was.
    pub alternatives: Vec<String>,
    /// When it was taken; `None` while it is open.
    pub decided: Option<Timestamp>,
}

/// Something that happened to a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TaskEvent {
    /// When.
    pub at: Timestamp,
    /// `registered`, `step`, `note`, `asked`, `decided`, `closed`, `reopened`, `goal`.
    pub kind: String,
    /// Its words.
    pub text: String,
}

/// How it stands with a topic of the talk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TopicState {
    /// It is being talked about; one topic at most is.
    Active,
    /// It was put aside for another one.
    Paused,
    /// It waits for its turn.
    Pending,
    /// It is done.
    Done,
}

impl TopicState {
    /// The name used in answers and stored state.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Paused => "paused",
            Self::Pending => "pending",
            Self::Done => "done",
        }
    }

    /// Reads the name; anything unknown counts as done.
    pub fn parse(text: &str) -> Self {
        [Self::Active, Self::Paused, Self::Pending]
            .into_iter()
            .find(|state| state.as_str() == text)
            .unwrap_or(Self::Done)
    }
}

/// A topic of the talk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TopicRecord {
    /// Its name, in the user's words.
    pub name: String,
    /// How it stands with it.
    pub state: TopicState,
    /// When it came up.
    pub created: Timestamp,
    /// When its state changed last.
    pub changed: Timestamp,
}

#[cfg(test)]
#[path = "working_tests.rs"]
mod tests;
