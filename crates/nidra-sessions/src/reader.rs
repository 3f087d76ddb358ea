//! The one interface of all readers: which transcripts there are, and what they say.

use crate::{Cursor, Discovery, Known, ReadError, ReadOutcome, Transcript, claude};
use nidra_core::{AgentKind, Turn};
use std::path::{Path, PathBuf};

/// Reads the transcripts of one agent.
pub trait Reader {
    /// The agent.
    fn agent(&self) -> AgentKind;

    /// What one of them is called: `session`.
    fn noun(&self) -> &'static str {
        "session"
    }

    /// The transcripts that there are. One that the caller knows is not opened. What cannot be read is a diagnostic,
    /// never a failure.
    fn discover(&self, known: &dyn Fn(&Path) -> Option<Known>) -> Discovery;

    /// Hands the turns behind a cursor to `sink`, in the order of the file. Records whose working directory is not
    /// accepted are left out: a session can move from one project to another.
    ///
    /// # Errors
    /// When the transcript cannot be read at all.
    fn read(
        &self,
        transcript: &Transcript,
        from: &Cursor,
        accept: &dyn Fn(&Path) -> bool,
        sink: &mut dyn FnMut(Turn),
    ) -> Result<ReadOutcome, ReadError>;

    /// Hands the turns of one record to `sink` again, by the place that an earlier reading named.
    ///
    /// # Errors
    /// When the transcript cannot be read at all.
    fn read_record(
        &self,
        transcript: &Transcript,
        offset: u64,
        length: u64,
        sink: &mut dyn FnMut(Turn),
    ) -> Result<(), ReadError>;
}

/// The reader of Claude Code's transcripts.
#[derive(Clone, Debug)]
pub struct ClaudeCode {
    /// The client's folder: `CLAUDE_CONFIG_DIR`, else `~/.claude`.
    pub config: PathBuf,
    /// Folders of nidra itself; a session that ran there is one of its own and is never read.
    pub own: Vec<PathBuf>,
}

impl Reader for ClaudeCode {
    fn agent(&self) -> AgentKind {
        AgentKind::ClaudeCode
    }

    fn discover(&self, known: &dyn Fn(&Path) -> Option<Known>) -> Discovery {
        claude::discover_with(&self.config, claude::Lookup { known, own_directories: &self.own })
    }

    fn read(
        &self,
        transcript: &Transcript,
        from: &Cursor,
        accept: &dyn Fn(&Path) -> bool,
        sink: &mut dyn FnMut(Turn),
    ) -> Result<ReadOutcome, ReadError> {
        claude::read_where(transcript, from, accept, sink)
    }

    fn read_record(
        &self,
        transcript: &Transcript,
        offset: u64,
        length: u64,
        sink: &mut dyn FnMut(Turn),
    ) -> Result<(), ReadError> {
        claude::read_record(transcript, offset, length, sink)
    }
}
