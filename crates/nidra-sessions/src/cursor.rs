//! How far a transcript was read, and the proof that what was read is still the same.

use nidra_core::error::PathError;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// Bytes at the start of a transcript that its fingerprint covers.
const HEAD: u64 = 64 * 1024;
/// Bytes before the cursor that its fingerprint covers.
const TAIL: u64 = 4 * 1024;

/// How far a transcript was read. The default is its start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Cursor {
    /// The first byte that was not read.
    pub offset: u64,
    /// The lines before it, so that diagnostics name true line numbers.
    pub line: u64,
    /// A hash over the bytes before it: the first 64 KiB and the last 4 KiB. A client may rewrite a
    /// transcript; then the hash no longer matches and reading starts again.
    pub fingerprint: String,
}

impl Cursor {
    /// Makes the cursor at a position of an open transcript.
    pub(crate) fn at(file: &mut File, path: &Path, offset: u64, line: u64) -> Result<Self, PathError> {
        let fingerprint = fingerprint(file, path, offset)?.unwrap_or_default();
        Ok(Self { offset, line, fingerprint })
    }

    /// Whether the bytes before the cursor are still those that were read.
    pub(crate) fn matches(&self, file: &mut File, path: &Path) -> Result<bool, PathError> {
        Ok(self.offset == 0 || fingerprint(file, path, self.offset)?.as_ref() == Some(&self.fingerprint))
    }
}

/// The hash over the prefix that ends at `offset`; `None` if the file is shorter.
fn fingerprint(file: &mut File, path: &Path, offset: u64) -> Result<Option<String>, PathError> {
    if offset == 0 {
        return Ok(Some(String::new()));
    }
    let mut hasher = blake3::Hasher::new();
    hasher.update(&offset.to_le_bytes());
    let head = offset.min(HEAD);
    let tail = offset.saturating_sub(TAIL).max(head);
    for (from, to) in [(0, head), (tail, offset)] {
        if from == to {
            continue;
        }
        let mut part = Vec::new();
        file.seek(SeekFrom::Start(from)).map_err(PathError::wrap("seek in", path))?;
        file.by_ref().take(to - from).read_to_end(&mut part).map_err(PathError::wrap("read", path))?;
        if (part.len() as u64) < to - from {
            return Ok(None);
        }
        hasher.update(&part);
    }
    Ok(Some(hasher.finalize().to_hex()[..32].to_owned()))
}
