//! The owner record inside a lease file.

use crate::lock_file::PriorLock;
use crate::owner::Owner;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The version of the record's format.
pub(super) const RECORD_VERSION: u32 = 1;

/// The length that a record is filled up to, so that overwriting one never leaves a tail of the older one
/// and a single small write replaces it; in bytes.
const RECORD_LENGTH: usize = 1024;

/// Who holds a memory directory, as stored in its lease file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnerRecord {
    /// The version of this format.
    pub version: u32,
    /// The fencing token: it grows with every holder.
    pub token: u64,
    /// The holder; `None` after it gave the lease back.
    pub holder: Option<Holder>,
}

/// The holder of a lease.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// Its process.
    #[serde(flatten)]
    pub owner: Owner,
    /// When it last said that it lives.
    pub heartbeat: Timestamp,
    /// What it is doing, for the message to others: `dream`, `undo` …
    pub purpose: String,
    /// What the client's lock was before, to be put back unless the run succeeds.
    pub client: Option<PriorLock>,
}

impl OwnerRecord {
    /// Reads a lease file's content; `None` when it is empty, torn or of another format.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice::<Self>(bytes.trim_ascii())
            .ok()
            .filter(|record| record.version == RECORD_VERSION)
    }

    /// The content of the lease file.
    pub(super) fn render(&self) -> Result<Vec<u8>, serde_json::Error> {
        let mut bytes = serde_json::to_vec(self)?;
        if bytes.len() < RECORD_LENGTH {
            bytes.resize(RECORD_LENGTH - 1, b' ');
        }
        bytes.push(b'\n');
        Ok(bytes)
    }
}
