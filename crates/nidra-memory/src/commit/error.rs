//! Why a commit or an undo did not happen.

use crate::atomic::AtomicError;
use crate::journal::JournalError;
use crate::lease::LeaseError;
use crate::objects::ObjectError;
use crate::store::StoreError;
use nidra_core::RunId;
use nidra_core::error::PathError;
use std::fmt;

/// A commit did not happen. Unless it says otherwise, memory is as it was and no cursor moved.
#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    /// The lease is not this run's.
    #[error(transparent)]
    Lease(#[from] LeaseError),
    /// A path of the change set is not one that a run may write.
    #[error("a run may not write {path}: {reason}")]
    Refused {
        /// The path.
        path: String,
        /// Why not.
        reason: &'static str,
    },
    /// Files changed since the plan was made, in the same places; plan again on what they hold now.
    #[error("memory changed in the meantime: {}", paths.join(", "))]
    Conflict {
        /// The files.
        paths: Vec<String>,
    },
    /// An earlier run was interrupted; recovery comes first.
    #[error("run {run} was interrupted and has not been recovered yet")]
    Unrecovered {
        /// The earlier run.
        run: RunId,
    },
    /// A step failed and everything was put back.
    #[error("the run failed while {step}; memory is as it was")]
    Failed {
        /// The step.
        step: Step,
        /// The cause.
        #[source]
        source: Box<StepError>,
    },
    /// A step failed, and not everything could be put back; the next run does so before anything else.
    #[error("the run failed while {step}, and could not put everything back ({left}); the next run does")]
    Stuck {
        /// The step.
        step: Step,
        /// What is left to do, and why.
        left: String,
        /// The cause.
        #[source]
        source: Box<StepError>,
    },
}

impl CommitError {
    /// The error with all its causes, in one line.
    pub fn chain(&self) -> String {
        nidra_core::error::chain(self)
    }
}

/// A step of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Reading what memory holds now.
    Read,
    /// Storing the snapshot.
    Snapshot,
    /// Writing the journal.
    Journal,
    /// Writing a memory file.
    Write(String),
    /// Recording the run in the database.
    Record,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read => f.write_str("reading memory"),
            Self::Snapshot => f.write_str("storing the snapshot"),
            Self::Journal => f.write_str("writing the journal"),
            Self::Write(path) => write!(f, "writing {path}"),
            Self::Record => f.write_str("recording the run"),
        }
    }
}

/// The cause of a failed step.
#[derive(Debug, thiserror::Error)]
pub enum StepError {
    /// A file operation.
    #[error(transparent)]
    Io(#[from] PathError),
    /// The replacement of a file.
    #[error(transparent)]
    Atomic(#[from] AtomicError),
    /// The snapshot.
    #[error(transparent)]
    Object(#[from] ObjectError),
    /// The journal.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The lease.
    #[error(transparent)]
    Lease(#[from] LeaseError),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
}
