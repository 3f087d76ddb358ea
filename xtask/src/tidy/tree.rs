//! The files of the project: those that git tracks, and those it would.

use crate::command;
use anyhow::{Context, Result};
use std::{collections::BTreeMap, fs, path::Path, process::Command};

/// The text files of the project by their path from the root, with `/` between the parts.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    files: BTreeMap<String, String>,
}

impl Tree {
    /// Reads the files below `root`; those that are no valid text are left out.
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let listed = command::output(Command::new("git").current_dir(root).args([
            "-c",
            "core.quotePath=false",
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ]))
        .context("git cannot list the files of the project")?;
        let mut files = BTreeMap::new();
        for name in listed.split('\0').filter(|name| !name.is_empty()) {
            let path = root.join(name);
            // A file that was deleted but not committed so is still listed.
            if !path.is_file() {
                continue;
            }
            let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            if let Ok(text) = String::from_utf8(bytes) {
                files.insert(name.to_owned(), text);
            }
        }
        Ok(Self { files })
    }

    /// All files, in the order of their paths.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// The Rust files.
    pub(crate) fn sources(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files().filter(|(path, _)| has_extension(path, "rs"))
    }

    /// The Markdown files that a reader opens: those at the root and below `docs`.
    pub(crate) fn documents(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files().filter(|(path, _)| {
            has_extension(path, "md") && (!path.contains('/') || path.starts_with("docs/"))
        })
    }

    /// The text of one file.
    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(String::as_str)
    }
}

fn has_extension(path: &str, extension: &str) -> bool {
    Path::new(path).extension().is_some_and(|found| found == extension)
}

#[cfg(test)]
impl<const N: usize> From<[(&str, &str); N]> for Tree {
    fn from(files: [(&str, &str); N]) -> Self {
        Self { files: files.into_iter().map(|(path, text)| (path.to_owned(), text.to_owned())).collect() }
    }
}
