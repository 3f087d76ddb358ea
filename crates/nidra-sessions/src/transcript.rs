//! A transcript as a file: where it lies, whose it is, how far it goes.

use jiff::Timestamp;
use nidra_core::error::Diagnostic;
use nidra_core::{AgentKind, SessionId};
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

/// A transcript that an agent left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transcript {
    /// The file.
    pub path: PathBuf,
    /// The agent that wrote it.
    pub agent: AgentKind,
    /// The session that it belongs to.
    pub session: SessionId,
    /// The sub-agent whose stream it is; `None` for the session itself. Streams never count as sessions.
    pub stream: Option<String>,
    /// Its length in bytes.
    pub length: u64,
    /// When its content last changed.
    pub modified: Timestamp,
    /// Its inode, where the system has such.
    pub inode: Option<u64>,
    /// The first working directory that its records name. The name of the folder is never decoded.
    pub directory: Option<PathBuf>,
    /// No person was at the keyboard (`claude -p`); `None` if its records do not say.
    pub headless: Option<bool>,
    /// It is a run of nidra itself, which is never read and never counted.
    pub own: bool,
}

impl Transcript {
    /// A file that is read without having been discovered: of its state on disk nothing is known.
    pub fn named(path: &Path, agent: AgentKind, session: SessionId) -> Self {
        Self {
            path: path.to_owned(),
            agent,
            session,
            stream: None,
            length: 0,
            modified: Timestamp::UNIX_EPOCH,
            inode: None,
            directory: None,
            headless: None,
            own: false,
        }
    }

    /// Whether the file is the one that was found: of the same length, time and identity. One that goes on is not.
    pub fn is_untouched(&self) -> bool {
        fs::metadata(&self.path).is_ok_and(|metadata| {
            metadata.len() == self.length
                && modified(&metadata) == self.modified
                && (self.inode.is_none() || inode(&metadata) == self.inode)
        })
    }

    /// Whether it is a session that may be counted: no sub-agent's stream, no run of nidra itself.
    pub fn is_session(&self) -> bool {
        self.stream.is_none() && !self.own
    }
}

/// When the content of a file last changed; the beginning of time where the system does not say.
pub(crate) fn modified(metadata: &Metadata) -> Timestamp {
    metadata.modified().ok().and_then(|time| Timestamp::try_from(time).ok()).unwrap_or_default()
}

/// What tells a file from another of its name, where the system has such.
#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems have no inode")]
pub(crate) fn inode(metadata: &Metadata) -> Option<u64> {
    use std::os::unix::fs::MetadataExt;
    Some(metadata.ino())
}

#[cfg(not(unix))]
pub(crate) fn inode(_: &Metadata) -> Option<u64> {
    None
}

/// What is known of a transcript without looking into it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// The first working directory that its records name.
    pub directory: Option<PathBuf>,
    /// No person was at the keyboard; `None` if its records do not say.
    pub headless: Option<bool>,
    /// It is a run of nidra itself.
    pub own: bool,
}

/// The transcripts that were found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Discovery {
    /// Sessions and the streams of their sub-agents, ordered by path.
    pub transcripts: Vec<Transcript>,
    /// Folders and files that could not be read.
    pub diagnostics: Vec<Diagnostic>,
    /// The folder below which the agent keeps its transcripts, when there is none.
    pub missing: Option<PathBuf>,
}

impl Discovery {
    /// The sessions that may be counted.
    pub fn sessions(&self) -> impl Iterator<Item = &Transcript> {
        self.transcripts.iter().filter(|transcript| transcript.is_session())
    }

    /// The streams of the sub-agents of a session.
    pub fn children<'a>(&'a self, session: &'a SessionId) -> impl Iterator<Item = &'a Transcript> {
        self.transcripts
            .iter()
            .filter(move |transcript| transcript.stream.is_some() && transcript.session == *session)
    }
}
