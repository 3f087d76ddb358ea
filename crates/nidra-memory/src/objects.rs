//! Snapshots: file contents by their hash, compressed, in the state directory.
//!
//! An object is written once, read back and compared before anyone relies on it, and never changed.
//! One is removed only when the last snapshot that held it was dropped and no run needs it.

use crate::atomic::{self, FileKind, FileSystem, Permissions};
use nidra_core::error::PathError;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// The version of the manifest's format.
const MANIFEST_VERSION: u32 = 1;

/// zstd's own default: memory files are small, so more effort gains nothing.
const COMPRESSION_LEVEL: i32 = 3;

/// A file above this size is not part of a snapshot, in bytes; memory files are thousands of times smaller.
const LARGEST_FILE: u64 = 64 * 1024 * 1024;

/// How much content is held in memory before it is stored, in bytes.
const LARGEST_BATCH: usize = 8 * 1024 * 1024;

/// The name of an object: the BLAKE3 hash of its content, in 64 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ObjectId(String);

impl ObjectId {
    /// The name of the object with this content.
    pub fn of(content: &[u8]) -> Self {
        Self(blake3::hash(content).to_hex().to_string())
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<ObjectId> for String {
    fn from(id: ObjectId) -> Self {
        id.0
    }
}

impl TryFrom<String> for ObjectId {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let valid = text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if valid { Ok(Self(text)) } else { Err(format!("`{text}` is not the name of an object")) }
    }
}

/// A snapshot or one of its objects could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum ObjectError {
    /// The system refused.
    #[error(transparent)]
    Io(#[from] PathError),
    /// The stored bytes are not what their name says.
    #[error("the stored object {} is damaged", path.display())]
    Damaged {
        /// The object's file.
        path: PathBuf,
    },
    /// The content could not be compressed.
    #[error("cannot compress the content of {}", path.display())]
    Compress {
        /// The object's file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// A manifest is of a format that this version does not know.
    #[error(
        "the snapshot {id} is of format {found}; this version reads format {MANIFEST_VERSION}: install a newer nidra"
    )]
    NewerFormat {
        /// The snapshot.
        id: ObjectId,
        /// Its format.
        found: u32,
    },
    /// A manifest cannot be understood.
    #[error("the snapshot {id} cannot be understood")]
    Manifest {
        /// The snapshot.
        id: ObjectId,
        /// The cause.
        #[source]
        source: serde_json::Error,
    },
}

/// What a directory held at one instant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of this format.
    pub version: u32,
    /// The files, ordered by path.
    pub files: Vec<ManifestFile>,
    /// What could not be taken in, with the reason.
    #[serde(default)]
    pub skipped: Vec<SkippedFile>,
}

/// A file of a [`Manifest`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestFile {
    /// The path relative to the directory, with `/` between its parts.
    pub path: String,
    /// Its content.
    pub object: ObjectId,
    /// Its permission bits.
    pub mode: u32,
    /// Where it points, when it is a link; its content is then this target's text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
}

/// A file that a snapshot could not take in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkippedFile {
    /// The path relative to the directory; bytes that are not UTF-8 are replaced.
    pub path: String,
    /// Why it was left out.
    pub reason: String,
}

/// Contents that are stored together soon.
#[derive(Debug, Default)]
struct Waiting {
    contents: Vec<Vec<u8>>,
    bytes: usize,
}

/// The store of objects.
#[derive(Debug)]
pub struct Objects<'a> {
    directory: PathBuf,
    files: &'a dyn FileSystem,
}

impl<'a> Objects<'a> {
    /// The store in this state directory; it is created with the first object.
    pub fn new(state_home: &Path, files: &'a dyn FileSystem) -> Self {
        Self { directory: state_home.join("objects"), files }
    }

    /// The directory that the objects stand in.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    fn place(&self, id: &ObjectId) -> PathBuf {
        let (folder, name) = id.0.split_at(2);
        self.directory.join(folder).join(name)
    }

    /// Stores a content and verifies it by reading it back. A content that is there already costs one read.
    pub fn put(&self, content: &[u8]) -> Result<ObjectId, ObjectError> {
        self.put_all(&[content])?;
        Ok(ObjectId::of(content))
    }

    /// Stores several contents like [`Self::put`]; their directories are synced together, which is several
    /// times as fast as one after the other.
    pub fn put_all(&self, contents: &[&[u8]]) -> Result<(), ObjectError> {
        let mut missing = BTreeMap::new();
        for content in contents {
            let id = ObjectId::of(content);
            if !missing.contains_key(&id) && !self.has(&id)? {
                missing.insert(id, *content);
            }
        }
        let folder_of = |id: &ObjectId| self.place(id).parent().unwrap_or(&self.directory).to_owned();
        let folders: BTreeSet<PathBuf> = missing.keys().map(folder_of).collect();
        atomic::create_all_directories(self.files, &folders, true)?;

        let missing: Vec<(ObjectId, &[u8])> = missing.into_iter().collect();
        let written = atomic::together(&missing, |(id, content)| self.prepare(id, content));
        let mut result = Ok(());
        for ((id, _), temporary) in missing.iter().zip(written) {
            match temporary {
                Ok(temporary) => {
                    if result.is_ok() {
                        result = self.files.rename(&temporary, &self.place(id)).map_err(ObjectError::from);
                    }
                    if result.is_err() {
                        let _ = self.files.remove(&temporary);
                    }
                }
                Err(error) => result = result.and(Err(error)),
            }
        }
        result?;
        atomic::sync_directories(self.files, &folders)?;
        for (id, _) in &missing {
            self.get(id)?;
        }
        Ok(())
    }

    /// Whether a content is there, and whole.
    fn has(&self, id: &ObjectId) -> Result<bool, ObjectError> {
        match self.get(id) {
            Ok(_) => Ok(true),
            // A damaged object is written anew: its content is at hand.
            Err(ObjectError::Damaged { .. }) => Ok(false),
            Err(ObjectError::Io(error)) if error.source.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Writes a content beside its place, durably.
    fn prepare(&self, id: &ObjectId, content: &[u8]) -> Result<PathBuf, ObjectError> {
        let place = self.place(id);
        let packed = zstd::encode_all(content, COMPRESSION_LEVEL)
            .map_err(|source| ObjectError::Compress { path: place.clone(), source })?;
        // Not where it will stand, so that leftovers are found without a look into each folder.
        Ok(atomic::write_temporary(self.files, &self.directory, &packed, Permissions::Private)?)
    }

    /// Reads a content and checks it against its name.
    pub fn get(&self, id: &ObjectId) -> Result<Vec<u8>, ObjectError> {
        let place = self.place(id);
        let packed = self.files.read(&place)?;
        let damaged = || ObjectError::Damaged { path: place.clone() };
        let mut content = Vec::new();
        let mut decoder = zstd::Decoder::new(packed.as_slice()).map_err(|_| damaged())?;
        decoder.read_to_end(&mut content).map_err(|_| damaged())?;
        if ObjectId::of(&content) != *id {
            return Err(damaged());
        }
        Ok(content)
    }

    /// Removes a content that nothing needs any more; whoever calls it has made sure of that.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn remove(&self, id: &ObjectId) -> Result<(), ObjectError> {
        Ok(self.files.remove(&self.place(id))?)
    }

    /// Stores everything that a directory holds and returns the name of its manifest.
    ///
    /// Left out, and named in the manifest: what cannot be read, is no file, is larger than 64 MiB or has
    /// a name that is not UTF-8. Left out silently: `.git` and nidra's own lock and unfinished files.
    pub fn snapshot(&self, root: &Path) -> Result<ObjectId, ObjectError> {
        let mut manifest = Manifest { version: MANIFEST_VERSION, files: Vec::new(), skipped: Vec::new() };
        if self.files.status(root)?.is_some() {
            let mut waiting = Waiting::default();
            self.collect(root, "", &mut manifest, &mut waiting)?;
            self.store(&mut waiting)?;
        }
        manifest.files.sort_by(|a, b| a.path.cmp(&b.path));
        manifest.skipped.sort_by(|a, b| a.path.cmp(&b.path));
        let bytes = serde_json::to_vec(&manifest)
            .map_err(|source| ObjectError::Manifest { id: ObjectId::of(b""), source })?;
        self.put(&bytes)
    }

    /// Reads a manifest.
    pub fn manifest(&self, id: &ObjectId) -> Result<Manifest, ObjectError> {
        #[derive(Deserialize)]
        struct Version {
            version: u32,
        }
        let bytes = self.get(id)?;
        let manifest = |source| ObjectError::Manifest { id: id.clone(), source };
        let Version { version } = serde_json::from_slice(&bytes).map_err(manifest)?;
        if version > MANIFEST_VERSION {
            return Err(ObjectError::NewerFormat { id: id.clone(), found: version });
        }
        serde_json::from_slice(&bytes).map_err(manifest)
    }

    fn store(&self, waiting: &mut Waiting) -> Result<(), ObjectError> {
        let contents: Vec<&[u8]> = waiting.contents.iter().map(Vec::as_slice).collect();
        self.put_all(&contents)?;
        *waiting = Waiting::default();
        Ok(())
    }

    fn collect(
        &self,
        directory: &Path,
        prefix: &str,
        manifest: &mut Manifest,
        waiting: &mut Waiting,
    ) -> Result<(), ObjectError> {
        for name in self.files.list(directory)? {
            let path = directory.join(&name);
            let Some(name) = name.to_str() else {
                let shown = format!("{prefix}{}", name.to_string_lossy());
                manifest
                    .skipped
                    .push(SkippedFile { path: shown, reason: "its name is not UTF-8".to_owned() });
                continue;
            };
            if is_own_file(name) || name == ".git" {
                continue;
            }
            let relative = format!("{prefix}{name}");
            let Some(status) = self.files.status(&path)? else { continue };
            let mut skip = |reason: String| {
                manifest.skipped.push(SkippedFile { path: relative.clone(), reason });
            };
            let (content, link) = match status.kind {
                FileKind::Directory => {
                    self.collect(&path, &format!("{relative}/"), manifest, waiting)?;
                    continue;
                }
                FileKind::Other => {
                    skip("it is no file".to_owned());
                    continue;
                }
                FileKind::File if status.length > LARGEST_FILE => {
                    skip(format!("it has {} bytes", status.length));
                    continue;
                }
                FileKind::File => match self.files.read(&path) {
                    Ok(content) => (content, None),
                    Err(error) => {
                        skip(error.source.to_string());
                        continue;
                    }
                },
                FileKind::Link => {
                    let target = self.files.link_target(&path)?.to_string_lossy().into_owned();
                    (target.clone().into_bytes(), Some(target))
                }
            };
            let object = ObjectId::of(&content);
            waiting.bytes += content.len();
            waiting.contents.push(content);
            if waiting.bytes >= LARGEST_BATCH {
                self.store(waiting)?;
            }
            manifest.files.push(ManifestFile { path: relative, object, mode: status.mode, link });
        }
        Ok(())
    }
}

/// Whether a name in a memory directory is one of nidra's own lock or unfinished files, or the client's lock.
pub fn is_own_file(name: &str) -> bool {
    name.starts_with(atomic::TEMPORARY_PREFIX)
        || matches!(
            name,
            crate::lease::LOCK_NAME | crate::lease::GUARD_NAME | crate::lock_file::CLIENT_LOCK_NAME
        )
}

#[cfg(test)]
#[path = "objects_tests.rs"]
mod tests;
