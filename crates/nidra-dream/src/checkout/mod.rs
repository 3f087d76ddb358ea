//! Reads what memory can be held against: the tree of a checkout, the few files that configure it, and the places of
//! the names that were asked for.
//!
//! Only reading, only below the root, and never more than [`Bounds`] says. No program is started: what git knows is
//! read from its files. Links are named but not followed.

mod git;
mod walk;

use nidra_rules::drift::{Presence, Reading, Snapshot, Wanted, has_source, holds_facts, identifiers};
use nidra_sessions::Project;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use walk::Tree;

/// How much is read at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Files that are seen.
    pub files: usize,
    /// Files that configure the project, the outermost first.
    pub settings: usize,
    /// Bytes of such a file; longer ones are left out.
    pub settings_bytes: u64,
    /// Sources that are searched.
    pub sources: usize,
    /// Bytes of a source; longer ones are left out.
    pub source_bytes: u64,
    /// Bytes in all.
    pub bytes: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            files: 200_000,
            settings: 1_000,
            settings_bytes: 256 * 1024,
            sources: 20_000,
            source_bytes: 1024 * 1024,
            bytes: 64 * 1024 * 1024,
        }
    }
}

/// Places that are remembered of a name; more say nothing new.
const PLACES: usize = 4;
/// Folders in which a file name is looked for that the tree does not show, the outermost first.
const LOOKED_FOLDERS: usize = 200;

/// The folder that memory of a project speaks of: its main checkout, or this work tree where there is none.
pub fn folder(project: &Project) -> &Path {
    if project.root.join(".git").exists() { &project.root } else { &project.checkout }
}

/// Reads a checkout as far as is wanted.
pub fn read(root: &Path, wanted: &Wanted, bounds: &Bounds) -> Snapshot {
    let Ok(root) = root.canonicalize() else { return Snapshot::default() };
    let tree = Tree::walk(&root, bounds.files);
    let mut reader = Reader {
        root: &root,
        bounds,
        snapshot: Snapshot {
            name: root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
            root: slashed(&root),
            branches: git::branches(&root),
            reading: Reading {
                files: u64::try_from(tree.files.len()).unwrap_or(u64::MAX),
                bytes: 0,
                whole_tree: tree.whole,
                whole_sources: true,
            },
            ..Snapshot::default()
        },
    };
    reader.settings(&tree);
    reader.look(&tree, wanted);
    reader.search(&tree, wanted);
    reader.snapshot.files = tree.files;
    reader.snapshot
}

struct Reader<'a> {
    root: &'a Path,
    bounds: &'a Bounds,
    snapshot: Snapshot,
}

impl Reader<'_> {
    /// The words of a file that is no longer than this, within what may be read in all.
    fn text(&mut self, path: &str, most: u64) -> Option<String> {
        let left = self.bounds.bytes.saturating_sub(self.snapshot.reading.bytes);
        let path = self.root.join(path);
        // A file could have become a pipe, which would never end.
        let metadata = path.symlink_metadata().ok().filter(fs::Metadata::is_file)?;
        if metadata.len() > most.min(left) {
            return None;
        }
        let mut bytes = Vec::new();
        fs::File::open(&path).ok()?.take(most.min(left)).read_to_end(&mut bytes).ok()?;
        self.snapshot.reading.bytes += u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Keeps the words of the files that configure the project.
    fn settings(&mut self, tree: &Tree) {
        let mut settings: Vec<&String> = tree.files.iter().filter(|path| holds_facts(path)).collect();
        settings.sort_by_cached_key(|path| depth(path));
        for path in settings.into_iter().take(self.bounds.settings) {
            if let Some(text) = self.text(path, self.bounds.settings_bytes) {
                self.snapshot.texts.insert(path.clone(), text);
            }
        }
    }

    /// Looks at the wanted paths one by one, and keeps the words of those that are files.
    fn look(&mut self, tree: &Tree, wanted: &Wanted) {
        let seen: HashSet<&str> = tree.files.iter().map(String::as_str).collect();
        let mut by_name: BTreeMap<&str, Vec<&String>> = BTreeMap::new();
        let ends: BTreeSet<&str> = wanted.paths.iter().chain(&wanted.names).map(|path| base(path)).collect();
        for path in &tree.files {
            if ends.contains(base(path)) {
                by_name.entry(base(path)).or_default().push(path);
            }
        }
        for path in wanted.paths.iter().chain(&wanted.names) {
            let same = by_name.get(base(path)).map_or(&[][..], Vec::as_slice);
            // The one file that a name means, or a path that starts below the root.
            let tail = format!("/{path}");
            let mut meant = same.iter().filter(|file| file.as_str() == path || file.ends_with(&tail));
            if let (Some(one), None) = (meant.next(), meant.next()) {
                self.keep(one);
            }
            if seen.contains(path.as_str()) {
                self.keep(path);
                continue;
            }
            let presence = self.presence(tree, path);
            let here = presence != Presence::Missing;
            self.snapshot.looked.insert(path.clone(), presence);
            if !here && !path.contains('/') && same.is_empty() {
                self.look_in_folders(tree, path);
            }
        }
    }

    /// Looks for a file that rules ignore in the outermost folders.
    fn look_in_folders(&mut self, tree: &Tree, name: &str) {
        for folder in tree.folders.iter().take(LOOKED_FOLDERS) {
            if self.root.join(folder).join(name).symlink_metadata().is_ok() {
                self.snapshot.looked.insert(name.to_owned(), Presence::File(None));
                return;
            }
        }
    }

    /// Keeps the words of a file and counts its lines.
    fn keep(&mut self, path: &str) {
        if self.snapshot.looked.contains_key(path) {
            return;
        }
        let known = self.snapshot.texts.get(path).cloned();
        let text = known.or_else(|| self.text(path, self.bounds.settings_bytes));
        let lines = text.as_ref().map(|text| u64::try_from(text.lines().count()).unwrap_or(u64::MAX));
        self.snapshot.looked.insert(path.to_owned(), Presence::File(lines));
        if let Some(text) = text {
            self.snapshot.texts.insert(path.to_owned(), text);
        }
    }

    /// What stands at a path that the tree does not show.
    fn presence(&self, tree: &Tree, path: &str) -> Presence {
        let mut at = self.root.to_owned();
        for part in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
            if part == ".." {
                return Presence::Outside;
            }
            at.push(part);
            let Ok(metadata) = at.symlink_metadata() else {
                return if tree.ignores(path) { Presence::Ignored } else { Presence::Missing };
            };
            if metadata.is_symlink() {
                // Where a link inside the checkout leads nowhere, the path is dead.
                match at.canonicalize() {
                    Err(_) => return Presence::Missing,
                    Ok(target) if !target.starts_with(self.root) => return Presence::Outside,
                    Ok(target) => at = target,
                }
            }
        }
        if at.is_dir() { Presence::Folder } else { Presence::File(None) }
    }

    /// Searches the sources for the wanted names.
    fn search(&mut self, tree: &Tree, wanted: &Wanted) {
        if wanted.words.is_empty() {
            return;
        }
        let words: HashSet<&str> = wanted.words.iter().map(String::as_str).collect();
        let mut sources: Vec<&String> = tree.files.iter().filter(|path| has_source(path)).collect();
        sources.sort_by_cached_key(|path| depth(path));
        self.snapshot.reading.whole_sources = tree.whole && sources.len() <= self.bounds.sources;
        // With more sources than that nothing can be missed; the outermost still show what is there.
        let most =
            if self.snapshot.reading.whole_sources { self.bounds.sources } else { self.bounds.sources / 10 };
        for path in sources.into_iter().take(most) {
            let known = self.snapshot.texts.get(path).cloned();
            let Some(text) = known.or_else(|| self.text(path, self.bounds.source_bytes)) else {
                self.snapshot.reading.whole_sources = false;
                continue;
            };
            let held: BTreeSet<&str> = identifiers(&text).filter(|word| words.contains(word)).collect();
            for word in held {
                let places = self.snapshot.words.entry(word.to_owned()).or_default();
                if places.len() < PLACES {
                    places.push(path.clone());
                }
            }
        }
    }
}

/// How far inside a path lies, for an order that starts outside; the order of names stays among equals.
fn depth(path: &str) -> usize {
    path.bytes().filter(|byte| *byte == b'/').count()
}

fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A path with `/` between its parts.
fn slashed(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

/// A path relative to the root, with `/` between its parts; none for names that are no text.
fn relative(root: &Path, path: &Path) -> Option<String> {
    let inside = path.strip_prefix(root).ok()?;
    let parts: Option<Vec<&str>> = inside.components().map(|part| part.as_os_str().to_str()).collect();
    parts.map(|parts| parts.join("/"))
}

/// Joins parts below a folder.
fn below(folder: &Path, parts: &str) -> PathBuf {
    parts.split('/').fold(folder.to_owned(), |path, part| path.join(part))
}

#[cfg(test)]
#[path = "checkout_tests.rs"]
mod tests;
