//! The journal: what a run is about to do to files, written down before it does it.
//!
//! A pending journal says how to go back; whether the run counts is decided by the database alone. The
//! journals of applied runs are kept, so that the database could be rebuilt from them.

use crate::atomic::{self, FileSystem};
use crate::objects::ObjectId;
use jiff::Timestamp;
use nidra_core::error::PathError;
use nidra_core::{ProjectId, RunId};
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

/// The version of the journal's format.
const JOURNAL_VERSION: u32 = 1;

/// A journal could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The system refused.
    #[error(transparent)]
    Io(#[from] PathError),
    /// A journal cannot be understood.
    #[error("the journal {} cannot be understood", path.display())]
    Unreadable {
        /// The journal.
        path: PathBuf,
        /// The cause.
        #[source]
        source: serde_json::Error,
    },
    /// A journal is of a format that this version does not know.
    #[error(
        "the journal {} is of format {found}; this version reads format {JOURNAL_VERSION}: install a newer nidra",
        path.display()
    )]
    NewerFormat {
        /// The journal.
        path: PathBuf,
        /// Its format.
        found: u32,
    },
}

/// What a run is about to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalEntry {
    /// The version of this format.
    pub version: u32,
    /// The run.
    pub run: RunId,
    /// Its project.
    pub project: ProjectId,
    /// The memory directory, as bytes in [`encode_path`]'s form.
    pub memory_root: String,
    /// The token of the lease that it runs under.
    pub token: u64,
    /// When it was written.
    pub prepared: Timestamp,
    /// The manifest of the whole directory as it was.
    pub snapshot: ObjectId,
    /// The files in the order in which they are written.
    pub files: Vec<JournalFile>,
    /// Directories, relative to the memory directory, that did not exist before; outermost first.
    #[serde(default)]
    pub directories: Vec<String>,
}

impl JournalEntry {
    /// An entry without files.
    pub fn new(
        run: RunId,
        project: ProjectId,
        memory_root: &Path,
        token: u64,
        prepared: Timestamp,
        snapshot: ObjectId,
    ) -> Self {
        Self {
            version: JOURNAL_VERSION,
            run,
            project,
            memory_root: encode_path(memory_root),
            token,
            prepared,
            snapshot,
            files: Vec::new(),
            directories: Vec::new(),
        }
    }
}

/// A file of a [`JournalEntry`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalFile {
    /// The path relative to the memory directory, with `/` between its parts.
    pub path: String,
    /// What it held; `None` when there was no file.
    pub before: Option<ObjectId>,
    /// What it shall hold; `None` when it shall be gone.
    pub after: Option<ObjectId>,
}

/// The pending journals that were found.
#[derive(Debug, Default)]
pub struct Pending {
    /// Those that can be understood, oldest first, each with its file.
    pub entries: Vec<(PathBuf, JournalEntry)>,
    /// Those that cannot.
    pub unreadable: Vec<JournalError>,
}

/// The journals of a state directory.
#[derive(Debug)]
pub struct Journal<'a> {
    directory: PathBuf,
    files: &'a dyn FileSystem,
}

impl<'a> Journal<'a> {
    /// The journals in this state directory; it is created with the first one.
    pub fn new(state_home: &Path, files: &'a dyn FileSystem) -> Self {
        Self { directory: state_home.join("journal"), files }
    }

    /// The directory that pending journals stand in; the applied ones stand in `applied` below it.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    fn place(&self, run: &RunId) -> PathBuf {
        self.directory.join(file_name(run))
    }

    /// Writes an entry durably; from here on a crash leads to recovery.
    pub fn prepare(&self, entry: &JournalEntry) -> Result<(), JournalError> {
        let place = self.place(&entry.run);
        atomic::create_directories(self.files, &self.directory, true)?;
        let bytes = serde_json::to_vec_pretty(entry)
            .map_err(|source| JournalError::Unreadable { path: place.clone(), source })?;
        Ok(atomic::write(self.files, &place, &bytes)?)
    }

    /// Takes a run's entry out of the pending ones after the database recorded it.
    pub fn settle(&self, run: &RunId) -> Result<(), JournalError> {
        let applied = self.directory.join("applied");
        atomic::create_directories(self.files, &applied, true)?;
        // Not synced: after a power failure recovery finds it pending and only files it again.
        Ok(self.files.rename(&self.place(run), &applied.join(file_name(run)))?)
    }

    /// Removes a run's pending entry after its files were put back.
    pub fn discard(&self, run: &RunId) -> Result<(), JournalError> {
        match self.files.remove(&self.place(run)) {
            Err(error) if error.source.kind() == io::ErrorKind::NotFound => return Ok(()),
            other => other?,
        }
        Ok(self.files.sync_directory(&self.directory)?)
    }

    /// Puts a journal that cannot be understood aside, under a name that is not read again.
    pub fn set_aside(&self, path: &Path) -> Result<PathBuf, JournalError> {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".unreadable");
        let aside = path.with_file_name(name);
        self.files.rename(path, &aside)?;
        Ok(aside)
    }

    /// The pending entries of one memory directory. One that cannot be understood may belong to any
    /// directory, so it is named in each answer.
    pub fn pending(&self, memory_root: &Path) -> Result<Pending, JournalError> {
        let mut pending = Pending::default();
        let names = match self.files.list(&self.directory) {
            Ok(names) => names,
            Err(error) if error.source.kind() == io::ErrorKind::NotFound => return Ok(pending),
            Err(error) => return Err(error.into()),
        };
        let wanted = encode_path(memory_root);
        for name in names {
            let path = self.directory.join(&name);
            if path.extension() != Some(OsStr::new("json")) {
                continue;
            }
            // Another process may settle its journal while this one lists them.
            let Some(bytes) = atomic::read_if_present(self.files, &path)? else { continue };
            match parse(&path, &bytes) {
                Ok(entry) if entry.memory_root != wanted => {}
                Ok(entry) if path.file_name() == Some(OsStr::new(&file_name(&entry.run))) => {
                    pending.entries.push((path, entry));
                }
                // A copy or a damaged one: it could never be settled, so it would stand in the way for ever.
                Ok(_) => {
                    let source = serde::de::Error::custom("its name is not that of its run");
                    pending.unreadable.push(JournalError::Unreadable { path, source });
                }
                Err(error) => pending.unreadable.push(error),
            }
        }
        pending.entries.sort_by(|a, b| (a.1.prepared, &a.1.run).cmp(&(b.1.prepared, &b.1.run)));
        Ok(pending)
    }
}

fn parse(path: &Path, bytes: &[u8]) -> Result<JournalEntry, JournalError> {
    #[derive(Deserialize)]
    struct Version {
        version: u32,
    }
    let unreadable = |source| JournalError::Unreadable { path: path.to_owned(), source };
    let Version { version } = serde_json::from_slice(bytes).map_err(unreadable)?;
    if version > JOURNAL_VERSION {
        return Err(JournalError::NewerFormat { path: path.to_owned(), found: version });
    }
    serde_json::from_slice(bytes).map_err(unreadable)
}

/// A file name for a run: its identifier where that is harmless, else a hash of it.
fn file_name(run: &RunId) -> String {
    let text = run.as_str();
    let harmless = !text.is_empty()
        && text.len() <= 100
        && !text.starts_with('.')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'));
    if harmless { format!("{text}.json") } else { format!("{}.json", blake3::hash(text.as_bytes()).to_hex()) }
}

/// A path as text that loses nothing: UTF-8 as it is, anything else as `bytes:` and hexadecimal digits.
pub fn encode_path(path: &Path) -> String {
    use std::fmt::Write as _;
    match path.to_str() {
        Some(text) if !text.starts_with("bytes:") => text.to_owned(),
        _ => path.as_os_str().as_bytes().iter().fold("bytes:".to_owned(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        }),
    }
}

/// Reads what [`encode_path`] wrote.
pub fn decode_path(text: &str) -> PathBuf {
    let digits = text.strip_prefix("bytes:").filter(|digits| digits.len() % 2 == 0 && digits.is_ascii());
    let bytes = digits.and_then(|digits| {
        (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).ok()).collect()
    });
    bytes.map_or_else(|| PathBuf::from(text), |bytes: Vec<u8>| std::ffi::OsString::from_vec(bytes).into())
}

#[cfg(test)]
#[path = "journal_tests.rs"]
mod tests;
