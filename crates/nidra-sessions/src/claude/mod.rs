//! Claude Code: where its transcripts lie, what they say, which of its sessions run, what its hooks
//! hand over, and where it keeps the memory of a project.
//!
//! Everything is read as the real client (2.1.197 and 2.1.332) writes it; what is unknown is counted
//! and passed over.

mod discover;
mod hook;
mod live;
mod memory_directory;
mod read;
mod record;
mod settings;
mod slug;
mod speech;
mod turns;
mod unite;

pub use discover::{Lookup, discover, discover_folders, discover_with, is_session_file};
pub use hook::{HookError, HookPayload, parse_hook};
pub use live::{LiveSession, live_sessions, live_sessions_at};
pub use memory_directory::{MemoryLocation, memory_directory};
pub use read::{read, read_record, read_where};
pub use settings::{ClaudeEnvironment, retention_days};
pub use slug::slug;

#[cfg(test)]
pub(crate) use record::{Record, Scanned, is_wanted_key, scan};

use std::path::{Path, PathBuf};

/// Text in the first message of a run of nidra itself, by which such a run is recognised and left out.
pub const OWN_RUN_MARK: &str = "nidra:dream-run";

/// Where the client keeps its things.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaudePaths {
    /// `CLAUDE_CONFIG_DIR`, or `.claude` in the home directory.
    pub config: PathBuf,
}

impl ClaudePaths {
    /// Resolves the configuration directory from the variable's value and the home directory.
    pub fn resolve(config_variable: Option<&Path>, home: &Path) -> Self {
        let config = config_variable.filter(|path| !path.as_os_str().is_empty());
        Self { config: config.map_or_else(|| home.join(".claude"), Path::to_owned) }
    }

    /// The folder that holds one folder per working directory.
    pub fn projects(&self) -> PathBuf {
        self.config.join("projects")
    }
}
