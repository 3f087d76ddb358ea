//! What a run says while it works: events with the seeds' names, for the log, the progress display and `--json`.

use crate::gate::Gate;
use nidra_core::Progress;
use serde::{Deserialize, Serialize};

/// A step of a dream, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// The gates are evaluated.
    Gate,
    /// The memory directory is taken.
    Lease,
    /// Memory is read.
    Orient,
    /// Sessions are found and read.
    Gather,
    /// The engine judges.
    Consolidate,
    /// Operations are checked and turned into bytes; the index is kept within its limits.
    Prune,
    /// Memory is changed.
    Commit,
    /// The run is recorded.
    Report,
}

impl Phase {
    /// The name used in reports and log lines.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Gate => "gate",
            Self::Lease => "lease",
            Self::Orient => "orient",
            Self::Gather => "gather",
            Self::Consolidate => "consolidate",
            Self::Prune => "prune",
            Self::Commit => "commit",
            Self::Report => "report",
        }
    }
}

/// Something that happened in a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "event")]
pub enum Event {
    /// A gate decided.
    Gate(Gate),
    /// All gates are open and the run starts.
    Fired {
        /// Hours since the last successful dream; none when there was none.
        hours_since_last: Option<f64>,
        /// Sessions touched since then.
        sessions: u32,
    },
    /// A gate is closed; nothing runs.
    Skipped(Gate),
    /// A step began.
    Entered {
        /// Which.
        phase: Phase,
    },
    /// What a step found, for a person.
    Note {
        /// Its words.
        text: String,
    },
    /// What the engine does at the moment.
    Progress(Progress),
    /// The run changed memory, or found nothing to change.
    Completed {
        /// Files that changed.
        files: u32,
        /// Operations applied.
        operations: u32,
    },
    /// The user stopped the run; memory is as it was.
    Stopped {
        /// Where.
        phase: Phase,
    },
    /// The run failed; memory is as it was.
    Failed {
        /// Where.
        phase: Phase,
        /// Why.
        reason: String,
    },
}

/// Receives the events of a run.
pub type Sink<'a> = &'a mut dyn FnMut(&Event);
