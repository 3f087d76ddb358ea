//! The gate file: the little that a hook needs to know, so that it opens no database.
//!
//! It is a copy of what the database says, written after each commit or evaluation. Whatever is odd about
//! it means that there is none; a hook then lets the run itself find out.

use super::{Store, StoreError};
use crate::atomic::{self, FileSystem};
use jiff::Timestamp;
use nidra_core::ProjectId;
use nidra_core::error::PathError;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The version of the gate file's format.
const GATE_VERSION: u32 = 1;

/// What a hook needs to know about a project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateFile {
    /// The version of this format.
    pub version: u32,
    /// The last run that was committed.
    pub last_success: Option<Timestamp>,
    /// The last look at the session directories.
    pub last_scan: Option<Timestamp>,
    /// No automatic run before this.
    pub hold_until: Option<Timestamp>,
    /// The folders that hold the project's transcripts.
    pub transcript_folders: Vec<PathBuf>,
    /// The project's memory directory.
    pub memory_directory: PathBuf,
    /// The process of a run that had begun when this was written.
    pub running: Option<u32>,
    /// Sessions with something new when this was written, whatever the times of their files.
    #[serde(default)]
    pub unread: u32,
}

impl GateFile {
    /// The last look at the sessions: a dream that was committed was one, too.
    pub fn last_look(&self) -> Option<Timestamp> {
        self.last_scan.max(self.last_success)
    }
}

/// What reading a gate file gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GateRead {
    /// The file's content.
    Known(GateFile),
    /// There is none.
    Absent,
    /// There is one that counts as none, and why, as a sentence fragment.
    Unusable(String),
}

/// The part of a gate file that all formats share.
#[derive(Deserialize)]
struct Version {
    version: u32,
}

impl GateFile {
    /// A gate file about a project that has never dreamt.
    pub fn new(memory_directory: PathBuf, transcript_folders: Vec<PathBuf>) -> Self {
        Self {
            version: GATE_VERSION,
            last_success: None,
            last_scan: None,
            hold_until: None,
            transcript_folders,
            memory_directory,
            running: None,
            unread: 0,
        }
    }

    /// Where a project's gate file stands.
    pub fn path(state_home: &Path, project: &ProjectId) -> PathBuf {
        state_home.join("projects").join(project.as_str()).join("gate.json")
    }

    /// Reads a project's gate file.
    pub fn read(files: &dyn FileSystem, state_home: &Path, project: &ProjectId) -> GateRead {
        let path = Self::path(state_home, project);
        let bytes = match atomic::read_if_present(files, &path) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return GateRead::Absent,
            Err(error) => return GateRead::Unusable(format!("{error}: {}", error.source)),
        };
        let shown = path.display();
        match serde_json::from_slice::<Version>(&bytes) {
            Ok(Version { version: GATE_VERSION }) => {}
            Ok(Version { version }) => {
                return GateRead::Unusable(format!(
                    "{shown} is of format {version}, this version reads format {GATE_VERSION}"
                ));
            }
            Err(error) => return GateRead::Unusable(format!("{shown} cannot be understood: {error}")),
        }
        serde_json::from_slice(&bytes).map_or_else(
            |error| GateRead::Unusable(format!("{shown} cannot be understood: {error}")),
            GateRead::Known,
        )
    }

    /// Writes a project's gate file in one step.
    pub fn write(
        &self,
        files: &dyn FileSystem,
        state_home: &Path,
        project: &ProjectId,
    ) -> Result<(), PathError> {
        let path = Self::path(state_home, project);
        let bytes = serde_json::to_vec(self)
            .map_err(|error| PathError::wrap("write", &path)(std::io::Error::other(error)))?;
        if let Some(directory) = path.parent() {
            atomic::create_directories(files, directory, true)?;
        }
        atomic::write(files, &path, &bytes)
    }
}

impl Store {
    /// Writes a project's gate file from what the database says. `None` keeps the transcript folders
    /// and the number of unread sessions that the file named before.
    pub fn write_gate(
        &self,
        files: &dyn FileSystem,
        project: &ProjectId,
        transcript_folders: Option<&[PathBuf]>,
        running: Option<u32>,
        unread: Option<u32>,
    ) -> Result<(), StoreError> {
        let Some(record) = self.project(project)? else {
            return Err(StoreError::UnknownProject { path: self.path.clone(), project: project.clone() });
        };
        let before = match GateFile::read(files, &self.home, project) {
            GateRead::Known(gate) => Some(gate),
            GateRead::Absent | GateRead::Unusable(_) => None,
        };
        let unread = unread.or(before.as_ref().map(|gate| gate.unread)).unwrap_or_default();
        let folders = match transcript_folders {
            Some(folders) => folders.to_vec(),
            None => before.map(|gate| gate.transcript_folders).unwrap_or_default(),
        };
        let schedule = self.schedule(project)?;
        let mut gate = GateFile::new(record.memory_directory, folders);
        gate.last_success = schedule.last_success;
        gate.last_scan = schedule.last_scan;
        gate.hold_until = schedule.hold_until;
        gate.running = running;
        gate.unread = unread;
        Ok(gate.write(files, &self.home, project)?)
    }
}
