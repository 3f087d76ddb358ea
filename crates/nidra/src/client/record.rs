//! What `init` did to a settings file, kept in the state directory so that `uninstall` can take it back: the
//! original bytes, and the hash of the bytes that were written instead.

use super::replace::{self, ReplaceError};
use nidra_core::error::PathError;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The format that this version writes.
const VERSION: u32 = 1;

/// The record of one settings file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    version: u32,
    /// The settings file, links resolved; for a person who looks at the record.
    pub(crate) settings: String,
    /// The file existed before.
    pub(crate) existed: bool,
    /// BLAKE3 of the bytes that were written.
    pub(crate) written: String,
    /// Directories that were made for the file, outermost first.
    pub(crate) directories: Vec<PathBuf>,
    /// The bytes before; kept in a file of their own.
    #[serde(skip)]
    pub(crate) original: Vec<u8>,
}

/// A record that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// A file operation failed.
    #[error(transparent)]
    Path(#[from] PathError),
    /// A newer version of nidra wrote it.
    #[error("{} has format {found}, and this version of nidra knows {VERSION} at most; use the newer nidra", path.display())]
    Newer {
        /// The record.
        path: PathBuf,
        /// Its format.
        found: u32,
    },
    /// The record was written by somebody else at the same moment.
    #[error(transparent)]
    Replace(#[from] ReplaceError),
}

/// Where the records of a settings file are: one directory per file, for people keep several configurations.
pub(crate) fn directory(state: &Path, settings: &Path) -> PathBuf {
    let name = blake3::hash(settings.as_os_str().as_encoded_bytes()).to_hex();
    state.join("client").join("claude-code").join(&name.as_str()[..16])
}

/// The hash by which written bytes are known again.
pub(crate) fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

impl Record {
    /// Describes a change of a settings file from `original` to `written`.
    pub(crate) fn new(
        settings: &Path,
        original: Option<&[u8]>,
        written: &[u8],
        directories: Vec<PathBuf>,
    ) -> Self {
        Self {
            version: VERSION,
            settings: settings.display().to_string(),
            existed: original.is_some(),
            written: hash(written),
            directories,
            original: original.unwrap_or_default().to_owned(),
        }
    }

    /// Loads a record. One that is missing or torn counts as none: `uninstall` then works from the settings alone.
    pub(crate) fn load(directory: &Path) -> Result<Option<Self>, RecordError> {
        #[derive(Deserialize)]
        struct Format {
            version: u32,
        }
        let path = directory.join("installed.json");
        let Some(bytes) = replace::read(&path)? else { return Ok(None) };
        if let Ok(Format { version }) = serde_json::from_slice(&bytes)
            && version > VERSION
        {
            return Err(RecordError::Newer { path, found: version });
        }
        let Ok(mut record) = serde_json::from_slice::<Self>(&bytes) else { return Ok(None) };
        let Some(original) = replace::read(&directory.join("settings.original"))? else { return Ok(None) };
        record.original = original;
        Ok(Some(record))
    }

    /// Stores the record, the original bytes first: a record never stands without them.
    pub(crate) fn store(&self, directory: &Path) -> Result<(), RecordError> {
        replace::create_directories(directory)?;
        let record = serde_json::to_vec_pretty(self)
            .map_err(|error| PathError::wrap("write", directory)(io::Error::other(error)))?;
        for (name, bytes) in [("settings.original", &self.original), ("installed.json", &record)] {
            let path = directory.join(name);
            let present = replace::read(&path)?;
            replace::replace(&path, present.as_deref(), bytes)?;
        }
        Ok(())
    }

    /// Forgets the record.
    pub(crate) fn forget(directory: &Path) -> Result<(), PathError> {
        match fs::remove_dir_all(directory) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(PathError::wrap("remove", directory)(error))
            }
            Ok(()) | Err(_) => {
                // The two directories above it go with the last record.
                for above in directory.ancestors().skip(1).take(2) {
                    let _still_in_use = fs::remove_dir(above);
                }
                Ok(())
            }
        }
    }
}
