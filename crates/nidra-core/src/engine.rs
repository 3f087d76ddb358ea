//! The one interface of all engines: conversations and memory in, operations out.

use crate::evidence::{Evidence, TrustRank};
use crate::id::EntryId;
use crate::memory::MemoryView;
use crate::operation::Operation;
use crate::session::Conversation;
use jiff::ZonedDateTime;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What an engine is given. It sees nothing else and touches no file.
#[derive(Clone, Copy, Debug)]
pub struct EngineInput<'a> {
    /// The new turns of each session, oldest session first.
    pub conversations: &'a [Conversation],
    /// Memory as it is.
    pub memory: &'a MemoryView,
    /// When the dream runs, in the user's zone.
    pub now: &'a ZonedDateTime,
    /// Who watches, and may stop it.
    pub watcher: &'a dyn Watcher,
}

/// What an engine returns.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// What it wants changed.
    pub operations: Vec<Operation>,
    /// What it considered and did not keep, with the reason.
    pub dropped: Vec<Dropped>,
    /// What memory says already and was said again.
    #[serde(default)]
    pub recurrences: Vec<Recurrence>,
}

impl Outcome {
    /// Adds what the engine returned about other conversations.
    pub fn extend(&mut self, other: Self) {
        self.operations.extend(other.operations);
        self.dropped.extend(other.dropped);
        self.recurrences.extend(other.recurrences);
    }
}

/// An entry of memory whose words were said again. It is strengthened; no byte of memory changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recurrence {
    /// The topic file, relative to the memory directory.
    pub path: String,
    /// The entry.
    pub entry: EntryId,
    /// How far the words can be trusted that say it again.
    pub rank: TrustRank,
    /// Those words.
    pub evidence: Vec<Evidence>,
}

/// A candidate that was considered and not kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dropped {
    /// The candidate's words.
    pub text: String,
    /// Why it was not kept.
    pub reason: String,
    /// Where it came from.
    pub evidence: Vec<Evidence>,
}

/// What an engine does at the moment, for whoever watches a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "does")]
pub enum Progress {
    /// A model is asked.
    Asks {
        /// The candidates that it is asked about; none where it works with tools.
        items: u64,
        /// Tokens of the question, at a guess.
        estimated_tokens: u64,
    },
    /// A model answered.
    Answered {
        /// Tokens of the question that were read anew.
        input_tokens: u64,
        /// Tokens of the question that the provider remembered.
        cache_read_tokens: u64,
        /// Tokens that the provider wrote down for later.
        cache_write_tokens: u64,
        /// Tokens of the answer.
        output_tokens: u64,
        /// How long it took, in milliseconds.
        milliseconds: u64,
    },
    /// Tokens were taken that nobody counted: an answer did not come to its end, or whoever gave it keeps no count.
    Uncounted {
        /// How many, at a guess.
        estimated_tokens: u64,
        /// How long it took, in milliseconds.
        milliseconds: u64,
    },
    /// An answer came from a recording; nobody was asked and nothing was spent.
    Replayed,
    /// A question was not answered and is asked again.
    Retries {
        /// Why there was no answer.
        cause: String,
        /// Seconds until then.
        seconds: u64,
        /// How often it may still be asked.
        tries_left: u64,
    },
    /// An agent said something.
    Says {
        /// Its words, without secrets.
        text: String,
    },
    /// An agent used a tool.
    Uses {
        /// The tool.
        tool: String,
        /// The file that it is about.
        path: Option<String>,
        /// Whether it worked.
        worked: bool,
        /// Why it did not.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
}

/// Whoever watches a run. An engine tells what it does, and looks between its steps whether it shall stop.
pub trait Watcher: fmt::Debug {
    /// Hears what the engine does.
    fn tell(&self, progress: &Progress);

    /// Whether the run shall end; an engine that finds it so returns [`EngineError::Stopped`].
    fn stopped(&self) -> bool;
}

/// Nobody watches.
#[derive(Clone, Copy, Debug)]
pub struct Unwatched;

impl Watcher for Unwatched {
    fn tell(&self, _progress: &Progress) {}

    fn stopped(&self) -> bool {
        false
    }
}

/// An engine: judges what is worth keeping.
pub trait Engine {
    /// The name used in settings, reports and stored state.
    fn name(&self) -> &'static str;

    /// Reads the conversations and says what should change in memory.
    ///
    /// # Errors
    /// When it cannot come to an answer; nothing is stored and no cursor moves then.
    fn dream(&self, input: EngineInput<'_>) -> Result<Outcome, EngineError>;

    /// Judges without asking anybody, for sessions on which whoever is asked failed time and again; `None` where nobody is
    /// asked anyway.
    ///
    /// # Errors
    /// As [`Engine::dream`].
    fn dream_alone(&self, _input: EngineInput<'_>) -> Option<Result<Outcome, EngineError>> {
        None
    }

    /// What the engine asked others for this run and what that came to, for the run's report; `None` where it asks nobody.
    fn account(&self) -> Option<serde_json::Value> {
        None
    }
}

/// An engine could not come to an answer.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The run was stopped by the user or by a limit.
    #[error("the engine was stopped: {0}")]
    Stopped(String),
    /// It could not be asked, or gave no answer; what it was asked has no part in that.
    #[error("{0}")]
    Unavailable(String),
    /// It may do no more in this run; what it was not asked about waits for another, and no session is to blame.
    #[error("the engine may do no more in this run: {0}")]
    Exhausted(String),
    /// It failed on what it was asked.
    #[error("the engine failed: {0}")]
    Failed(String),
}
