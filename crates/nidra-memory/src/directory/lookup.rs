//! Which topic a pointer of the index means.

use super::MemoryDirectory;
use crate::document::Document;
use crate::index::link::{Link, Pointer};
use std::collections::BTreeMap;
use unicode_normalization::UnicodeNormalization;

/// Prefixes that a file's name carries and a wiki link often drops.
const KIND_PREFIXES: &[&str] = &["user", "feedback", "project", "reference"];

/// The topics by every name that a pointer may use.
#[derive(Debug)]
pub struct Lookup {
    paths: BTreeMap<String, String>,
    names: BTreeMap<String, String>,
}

impl Lookup {
    /// Collects the names of all topics.
    pub fn new(memory: &MemoryDirectory, documents: &[(&str, Document)]) -> Self {
        let mut paths = BTreeMap::new();
        for path in memory.files.keys() {
            paths.insert(fold(path), path.clone());
        }
        for (link, target) in &memory.aliases {
            paths.insert(fold(link), target.clone());
        }
        let mut names = BTreeMap::new();
        // A file's stem outranks a title, and a title outranks a stem without its prefix.
        for (path, _) in documents {
            names.entry(name_key(stem(path))).or_insert_with(|| (*path).to_owned());
        }
        for (path, document) in documents {
            if let Some(name) = document.head().and_then(|head| head.get("name")) {
                names.entry(name_key(name)).or_insert_with(|| (*path).to_owned());
            }
        }
        for (path, _) in documents {
            let key = name_key(stem(path));
            let bare = KIND_PREFIXES
                .iter()
                .find_map(|prefix| key.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('-')));
            if let Some(bare) = bare {
                names.entry(bare.to_owned()).or_insert_with(|| (*path).to_owned());
            }
        }
        Self { paths, names }
    }

    /// The path of a memory file with this path, whatever its Unicode form.
    pub fn path(&self, path: &str) -> Option<&str> {
        self.paths.get(&fold(path)).map(String::as_str)
    }

    /// What a pointer targets: a link's path even when there is no such file, the others only when there is one.
    pub fn target(&self, link: &Link) -> Option<String> {
        match link.pointer {
            Pointer::Link => Some(self.path(&link.target).unwrap_or(&link.target).to_owned()),
            Pointer::Bare => self.path(&link.target).map(str::to_owned),
            Pointer::Wiki => self
                .path(&link.target)
                .or_else(|| self.path(&format!("{}.md", link.target)))
                .map(str::to_owned)
                .or_else(|| self.names.get(&name_key(&link.target)).cloned()),
        }
    }
}

/// A path in one Unicode form: file systems disagree about theirs.
pub(crate) fn fold(path: &str) -> String {
    path.nfc().collect()
}

fn stem(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path).trim_end_matches(".md")
}

/// A name without case, and with one kind of separator.
fn name_key(name: &str) -> String {
    name.trim_end_matches(".md")
        .nfc()
        .flat_map(char::to_lowercase)
        .map(|letter| if letter.is_whitespace() || letter == '_' { '-' } else { letter })
        .collect()
}
