//! Why a lease could not be taken or kept.

use super::record::Holder;
use crate::lock_file::ClientLockError;
use nidra_core::error::PathError;
use std::fmt;
use std::path::PathBuf;

/// Who is in the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BusyHolder {
    /// A run of nidra; its record where it could be read.
    Nidra(Option<Box<Holder>>),
    /// The client's own dream.
    Client {
        /// Its process, where it is known.
        pid: Option<u32>,
    },
}

impl fmt::Display for BusyHolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nidra(Some(holder)) => write!(
                f,
                "nidra {} (process {} on {}, last heard of at {:.0})",
                holder.purpose, holder.owner.pid, holder.owner.host, holder.heartbeat
            ),
            Self::Nidra(None) => f.write_str("another run of nidra"),
            Self::Client { pid: Some(pid) } => write!(f, "the client's own dream (process {pid})"),
            Self::Client { pid: None } => f.write_str("the client's own dream"),
        }
    }
}

/// A lease could not be taken or kept.
#[derive(Debug, thiserror::Error)]
pub enum LeaseError {
    /// Another run holds the memory directory.
    #[error("{} is busy: {holder}", directory.display())]
    Busy {
        /// The memory directory.
        directory: PathBuf,
        /// Who holds it.
        holder: BusyHolder,
    },
    /// Another run took over because this one was silent too long; it may neither write nor release.
    #[error("the lease on {} was taken over by another run, or its lock file was removed", directory.display())]
    Lost {
        /// The memory directory.
        directory: PathBuf,
    },
    /// The memory directory is gone, and the lease with it.
    #[error(
        "{} was removed or moved away while this run worked; put it back if that was a mistake, and run again",
        directory.display()
    )]
    Gone {
        /// The memory directory.
        directory: PathBuf,
    },
    /// The system refused.
    #[error(transparent)]
    Io(#[from] PathError),
    /// The client's lock could not be taken.
    #[error(transparent)]
    Client(ClientLockError),
    /// The owner record could not be put into words.
    #[error("cannot write the owner record")]
    Record(#[source] serde_json::Error),
}
