//! A memory directory as a value: every file's bytes, and what they mean.
//!
//! Loading reads and never writes. Files that are not memory (hidden ones, other tools' folders, editor
//! litter, daily logs, team memory) are known by name only and left alone.

mod load;
mod lookup;
pub mod role;

pub use load::{MAX_FILE_BYTES, resolve_within};
pub use lookup::Lookup;

use crate::document::Document;
use crate::index::{INDEX_NAME, Index};
use crate::limits::{IndexUse, measure};
use nidra_core::error::{Diagnostic, PathError};
use nidra_core::{EntryId, EntryView, IndexLine, MemoryView, TopicView};
use role::Role;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Characters of a description that is taken from the body, as the client takes it.
const FALLBACK_DESCRIPTION_UNITS: usize = 120;

/// A memory directory could not be read as a whole.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// Something else stands where the directory should be.
    #[error(
        "{} is not a directory; move it away or name another memory directory (`memory.directory`)",
        path.display()
    )]
    NotADirectory {
        /// The path.
        path: PathBuf,
    },
    /// A link leads out of the directory.
    #[error(
        "{} is a link to {}, which lies outside {}; put the real file in its place or move the memory directory",
        path.display(), target.display(), root.display()
    )]
    LinkLeaves {
        /// The link.
        path: PathBuf,
        /// Where it leads.
        target: PathBuf,
        /// What it leaves.
        root: PathBuf,
    },
    /// A directory, a pipe or a device has the name of a memory file.
    #[error("{} is not a regular file; move it away", path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
    },
    /// A file is larger than any memory.
    #[error("{} is too large to be read ({bytes} bytes, at most {MAX_FILE_BYTES}); split it by hand", path.display())]
    TooLarge {
        /// The path.
        path: PathBuf,
        /// Its size in bytes.
        bytes: u64,
    },
    /// The system refused.
    #[error(transparent)]
    Path(#[from] PathError),
}

/// One file of memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileState {
    /// Its bytes as they are.
    pub bytes: Vec<u8>,
    /// What it is.
    pub role: Role,
}

/// A memory directory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MemoryDirectory {
    /// The directory.
    pub root: PathBuf,
    /// Index, topics and archive, by path relative to the root with `/` between its parts.
    pub files: BTreeMap<String, FileState>,
    /// Links inside the root: the link's path and the file of [`Self::files`] that it leads to. Writing goes to the
    /// file, so that the link stays a link.
    pub aliases: BTreeMap<String, String>,
    /// Names that are left alone, with the reason.
    pub others: BTreeMap<String, String>,
    /// What was odd while reading.
    pub diagnostics: Vec<Diagnostic>,
    /// The mark of an unfinished merge of the repository whose root the directory is; nothing is edited then.
    pub merging: Option<String>,
}

impl MemoryDirectory {
    /// Reads a memory directory. One that does not exist is empty.
    ///
    /// # Errors
    /// When something else stands in its place, when it cannot be listed, or when the index leads out of it or cannot
    /// be read. Trouble with one topic is a diagnostic, and that topic is left alone.
    pub fn load(root: &Path) -> Result<Self, MemoryError> {
        load::load(root)
    }

    /// A directory with these files, as if they had been read; for tests and for memory that lives elsewhere.
    pub fn from_files<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Self {
        let mut memory = Self::default();
        for (path, bytes) in files {
            match role::file(path) {
                role::Verdict::Read(role) => {
                    memory.files.insert(path.to_owned(), FileState { bytes: bytes.to_vec(), role });
                }
                role::Verdict::Ignore(reason) | role::Verdict::Report(reason) => {
                    memory.others.insert(path.to_owned(), reason.to_owned());
                }
            }
        }
        memory
    }

    /// The path of the index: `MEMORY.md`, or what it links to.
    pub fn index_path(&self) -> &str {
        self.aliases.get(INDEX_NAME).map_or(INDEX_NAME, String::as_str)
    }

    /// The bytes of the index; empty when there is none.
    pub fn index_bytes(&self) -> &[u8] {
        self.files.get(self.index_path()).map_or(&[], |file| file.bytes.as_slice())
    }

    /// How full the index is.
    pub fn index_use(&self) -> IndexUse {
        measure(self.index_bytes())
    }

    /// The file that a path means: links inside the root are followed.
    pub fn resolve<'a>(&'a self, path: &'a str) -> &'a str {
        self.aliases.get(path).map_or(path, String::as_str)
    }

    /// The topic files, by path.
    pub fn topics(&self) -> impl Iterator<Item = (&str, &FileState)> {
        self.files
            .iter()
            .filter(|(_, file)| file.role == Role::Topic)
            .map(|(path, file)| (path.as_str(), file))
    }

    /// Why a topic must not be edited; `None` when it may be.
    pub fn obstacle(&self, document: &Document) -> Option<String> {
        match &self.merging {
            Some(mark) => Some(format!("the repository is in the middle of a merge ({mark})")),
            None => document.obstacle(),
        }
    }

    /// Memory as engines see it.
    pub fn view(&self) -> MemoryView {
        let documents: Vec<(&str, Document)> =
            self.topics().map(|(path, file)| (path, Document::parse(&file.bytes, false))).collect();
        let lookup = Lookup::new(self, &documents);
        let index = Index::parse(self.index_bytes());
        let lines = index
            .entries
            .iter()
            .map(|entry| IndexLine {
                text: entry.text.clone(),
                targets: entry.links.iter().filter_map(|link| lookup.target(link)).collect(),
            })
            .collect();
        MemoryView {
            topics: documents.iter().map(|(path, document)| self.topic_view(path, document)).collect(),
            index: lines,
        }
    }

    fn topic_view(&self, path: &str, document: &Document) -> TopicView {
        let head = document.head();
        let stem = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".md");
        let description = head
            .and_then(|head| head.get("description"))
            .map(str::to_owned)
            .or_else(|| {
                let line = document.first_line()?;
                Some(nidra_core::text::width::shorten(&line, FALLBACK_DESCRIPTION_UNITS))
            })
            .unwrap_or_default();
        TopicView {
            path: path.to_owned(),
            name: head.and_then(|head| head.get("name")).unwrap_or(stem).to_owned(),
            description,
            kind: document.heads.iter().find_map(crate::front_matter::FrontMatter::kind),
            pinned: document.heads.iter().any(crate::front_matter::FrontMatter::pinned),
            editable: self.obstacle(document).is_none(),
            modified: document.heads.iter().find_map(crate::front_matter::FrontMatter::modified),
            entries: document
                .entries
                .iter()
                .map(|entry| EntryView {
                    id: EntryId::of(path, &entry.text),
                    range: entry.range.clone(),
                    text: entry.text.clone(),
                    headings: entry.headings.clone(),
                    bullet: matches!(entry.mark, crate::document::entries::Mark::Bullet { .. }),
                    active: entry.active,
                })
                .collect(),
        }
    }

    /// A hash over the paths and bytes of all memory files; it depends on nothing else.
    pub fn tree_hash(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for (path, file) in &self.files {
            for part in [path.as_bytes(), file.bytes.as_slice()] {
                hasher.update(&u64::try_from(part.len()).unwrap_or(u64::MAX).to_le_bytes());
                hasher.update(part);
            }
        }
        hasher.finalize().to_hex().to_string()
    }
}

#[cfg(test)]
#[path = "directory_tests.rs"]
mod tests;
