//! A checkout as a value: which files there are, what the few that configure it say, and where names were found.

use super::facts::Facts;
use super::files;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// What stands at a path that was looked up by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// A file, with its number of lines where it was counted.
    File(Option<u64>),
    /// A folder.
    Folder,
    /// A link that leads out of the checkout.
    Outside,
    /// Nothing; but ignore rules say that nobody would know.
    Ignored,
    /// Nothing.
    Missing,
}

/// How much was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Files that were seen.
    pub files: u64,
    /// Bytes that were read.
    pub bytes: u64,
    /// All files were seen; else that a name is not among them says nothing.
    pub whole_tree: bool,
    /// All sources were searched; else that a word was not found says nothing.
    pub whole_sources: bool,
}

/// What a reader found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// The name of the checkout's folder.
    pub name: String,
    /// The checkout's absolute path, with `/` between its parts.
    pub root: String,
    /// The files that no rule ignores, relative to the root, with `/` between their parts.
    pub files: Vec<String>,
    /// What stands at the wanted paths and names that are not among the files.
    pub looked: BTreeMap<String, Presence>,
    /// The words of files that configure the project and of files that were asked for.
    pub texts: BTreeMap<String, String>,
    /// Where wanted words were found.
    pub words: BTreeMap<String, Vec<String>>,
    /// The branches of the repository, local and remote; none where there is no repository.
    pub branches: Option<BTreeSet<String>>,
    /// How much was read.
    pub reading: Reading,
}

/// A snapshot with what follows from it.
#[derive(Clone, Debug)]
pub struct Checkout {
    snapshot: Snapshot,
    by_path: HashSet<String>,
    by_name: HashMap<String, Vec<String>>,
    folders: HashSet<String>,
    facts: Facts,
}

impl Checkout {
    /// Understands a snapshot.
    pub fn new(snapshot: Snapshot) -> Self {
        let mut by_name: HashMap<String, Vec<String>> = HashMap::new();
        let mut folders = HashSet::new();
        for path in &snapshot.files {
            by_name.entry(files::base(path).to_owned()).or_default().push(path.clone());
            let mut folder = path.as_str();
            while let Some((above, _)) = folder.rsplit_once('/') {
                if !folders.insert(above.to_owned()) {
                    break;
                }
                folder = above;
            }
        }
        let by_path = snapshot.files.iter().cloned().collect();
        let facts = Facts::read(&snapshot.files, &snapshot.texts);
        Self { snapshot, by_path, by_name, folders, facts }
    }

    /// The name of its folder.
    pub fn name(&self) -> &str {
        &self.snapshot.name
    }

    /// Its absolute path.
    pub fn root(&self) -> &str {
        &self.snapshot.root
    }

    /// How much of it was read.
    pub fn reading(&self) -> Reading {
        self.snapshot.reading
    }

    /// Whether there is nothing that memory could be held against.
    pub fn is_empty(&self) -> bool {
        self.snapshot.files.is_empty()
    }

    /// What the files that configure it say.
    pub(super) fn facts(&self) -> &Facts {
        &self.facts
    }

    /// What stands at a path.
    pub(super) fn presence(&self, path: &str) -> Presence {
        let path = path.trim_end_matches('/');
        if self.by_path.contains(path) {
            return match self.snapshot.looked.get(path) {
                Some(file @ Presence::File(_)) => *file,
                _ => Presence::File(None),
            };
        }
        if path.is_empty() || self.folders.contains(path) {
            return Presence::Folder;
        }
        self.snapshot.looked.get(path).copied().unwrap_or(Presence::Missing)
    }

    /// Whether a file or folder stands at a path.
    pub(super) fn has(&self, path: &str) -> bool {
        matches!(self.presence(path), Presence::File(_) | Presence::Folder)
    }

    /// The files of this name.
    pub(super) fn named(&self, name: &str) -> &[String] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }

    /// The folders of this name.
    pub(super) fn folders_named(&self, name: &str) -> Vec<&String> {
        let mut found: Vec<&String> = self.folders.iter().filter(|path| files::base(path) == name).collect();
        found.sort();
        found
    }

    /// Whether a path, or the folder that it starts with, is one of the checkout's.
    pub(super) fn knows_start(&self, path: &str) -> bool {
        path.split('/').next().is_some_and(|first| self.folders.contains(first))
    }

    /// Whether a file is named by a pattern.
    pub(super) fn matches(&self, pattern: &str) -> bool {
        self.snapshot.files.iter().any(|path| files::matches(pattern, path))
    }

    /// The words of a file, where they were read.
    pub(super) fn text(&self, path: &str) -> Option<&str> {
        self.snapshot.texts.get(path).map(String::as_str)
    }

    /// The files in which a wanted word was found.
    pub(super) fn places(&self, word: &str) -> &[String] {
        self.snapshot.words.get(word).map_or(&[], Vec::as_slice)
    }

    /// The branches, where there is a repository.
    pub(super) fn branches(&self) -> Option<&BTreeSet<String>> {
        self.snapshot.branches.as_ref()
    }
}

/// The names in a source: runs of letters, digits and underscores that start with no digit.
pub fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))
}
