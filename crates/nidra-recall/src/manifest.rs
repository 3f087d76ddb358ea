//! What the index of a project consists of: its segments, and how far each transcript was read.

use crate::analyze;
use jiff::Timestamp;
use nidra_sessions::{Cursor, Known, Transcript};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// The name of the manifest.
pub(crate) const NAME: &str = "manifest.json";
/// The version of the files.
const VERSION: u32 = 1;

/// What the index of a project consists of.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    version: u32,
    analysis: u32,
    /// The number of the next stretch.
    pub next: u32,
    /// The transcripts, by path.
    pub files: BTreeMap<PathBuf, FileRow>,
    /// The segments, oldest first.
    pub segments: Vec<SegmentRow>,
    /// What was found at the beginning of transcripts, of whatever project, so that they are not opened again.
    pub known: BTreeMap<PathBuf, KnownRow>,
}

/// A transcript as far as it was read.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct FileRow {
    /// The numbers of its stretches, one for each reading.
    pub stretches: Vec<u32>,
    /// Its length when it was read.
    pub length: u64,
    /// When it was last written, then.
    pub modified: Timestamp,
    /// Where the next reading starts.
    pub cursor: Cursor,
}

/// A segment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SegmentRow {
    /// The name of its file.
    pub name: String,
    /// How many turns it holds.
    pub turns: u32,
    /// Its size in bytes.
    pub size: u64,
}

/// What a transcript is.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KnownRow {
    directory: Option<PathBuf>,
    headless: Option<bool>,
    own: bool,
}

impl From<&Transcript> for KnownRow {
    fn from(transcript: &Transcript) -> Self {
        Self { directory: transcript.directory.clone(), headless: transcript.headless, own: transcript.own }
    }
}

impl From<KnownRow> for Known {
    fn from(row: KnownRow) -> Self {
        Self { directory: row.directory, headless: row.headless, own: row.own }
    }
}

impl Default for Manifest {
    fn default() -> Self {
        Self {
            version: VERSION,
            analysis: analyze::VERSION,
            next: 0,
            files: BTreeMap::new(),
            segments: Vec::new(),
            known: BTreeMap::new(),
        }
    }
}

impl Manifest {
    /// Reads the manifest of an index. One that is missing, damaged or of another version is empty: the index is a
    /// cache, and what it was made of is still there.
    pub fn load(directory: &Path) -> Self {
        let read = std::fs::read(directory.join(NAME)).ok();
        let manifest = read.and_then(|bytes| serde_json::from_slice::<Self>(&bytes).ok());
        manifest
            .filter(|manifest| manifest.version == VERSION && manifest.analysis == analyze::VERSION)
            .unwrap_or_default()
    }

    /// Puts the manifest into the place of the old one, whole.
    pub(crate) fn save(&self, directory: &Path) -> io::Result<()> {
        let mut file = tempfile::NamedTempFile::new_in(directory)?;
        serde_json::to_writer(&mut file, self).map_err(io::Error::other)?;
        file.flush()?;
        file.persist(directory.join(NAME)).map_err(|error| error.error)?;
        Ok(())
    }

    /// What is known of a transcript without opening it.
    pub fn known(&self, path: &Path) -> Option<Known> {
        self.known.get(path).cloned().map(Known::from)
    }

    /// The transcript to which each stretch belongs.
    pub fn owners(&self) -> BTreeMap<u32, &Path> {
        self.files
            .iter()
            .flat_map(|(path, row)| row.stretches.iter().map(move |stretch| (*stretch, path.as_path())))
            .collect()
    }
}
