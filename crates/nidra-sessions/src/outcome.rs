//! What a reading of a transcript yields besides its turns, and why it can fail.

use crate::cursor::Cursor;
use jiff::Timestamp;
use nidra_core::error::{Diagnostic, PathError};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Diagnostics that one reading keeps; further ones are only counted.
const DIAGNOSTICS: usize = 100;
/// Kinds of records that one reading tells apart.
const KINDS: usize = 256;
/// Working directories that one reading remembers.
const DIRECTORIES: usize = 32;

/// What a reading yielded besides the turns that went to the sink.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadOutcome {
    /// Where the next reading starts.
    pub cursor: Cursor,
    /// The records by kind, unknown kinds included. Records without a kind count as `(none)`.
    pub counts: BTreeMap<String, u64>,
    /// The turns that went to the sink.
    pub turns: u64,
    /// The stretches that could not be read.
    pub malformed: u64,
    /// The records whose working directory was not accepted.
    pub foreign: u64,
    /// What was odd; the first hundred, then a line that counts the rest.
    pub diagnostics: Vec<Diagnostic>,
    /// The bytes before the cursor had changed, so the transcript was read from its start.
    pub restarted: bool,
    /// The last time stamp of what a person or an agent said or did. Records that a client writes on
    /// its own (meta records, error messages) do not count.
    pub last_activity: Option<Timestamp>,
    /// The working directories that the records name, in the order of their first appearance.
    pub directories: Vec<PathBuf>,
    /// Diagnostics beyond those kept.
    pub(crate) more: u64,
}

impl ReadOutcome {
    /// Counts a record.
    pub(crate) fn count(&mut self, kind: &str) {
        if let Some(count) = self.counts.get_mut(kind) {
            *count += 1;
            return;
        }
        let name = if self.counts.len() < KINDS { kind } else { "(other)" };
        *self.counts.entry(name.to_owned()).or_default() += 1;
    }

    /// Keeps a diagnostic, or counts it.
    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < DIAGNOSTICS {
            self.diagnostics.push(diagnostic);
        } else {
            self.more += 1;
        }
    }

    /// Remembers a working directory.
    pub(crate) fn visit(&mut self, directory: &PathBuf) {
        if self.directories.len() < DIRECTORIES && !self.directories.contains(directory) {
            self.directories.push(directory.clone());
        }
    }
}

/// A transcript could not be read at all.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It vanished: the client removes old transcripts, so this is normal.
    #[error("the transcript {} is gone", path.display())]
    Gone {
        /// Where it was.
        path: PathBuf,
    },
    /// The system refused.
    #[error(transparent)]
    Io(#[from] PathError),
}

impl ReadError {
    /// Tells a vanished transcript from one that cannot be read.
    pub(crate) fn from_path_error(error: PathError) -> Self {
        if error.source.kind() == std::io::ErrorKind::NotFound {
            return Self::Gone { path: error.path };
        }
        Self::Io(error)
    }
}
