//! The user: edits memory files in every way that programs do, and knows which words must survive.

use crate::random::Random;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// The files that the user and the runs know of.
pub(crate) const PATHS: [&str; 6] =
    ["MEMORY.md", "feedback.md", "项目.md", "deep/notes.md", "old.md", "archive/2026-11.md"];

/// How a program writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// Writes another file and renames it.
    Rename,
    /// Empties the file and writes it anew.
    Truncate,
    /// Adds a line at the end.
    Append,
    /// Removes the file.
    Delete,
    /// Opens the file to add a line, which comes later.
    OpenToAppend,
    /// Writes the line that was announced.
    WriteOpened,
}

/// The user of one memory directory.
#[derive(Debug)]
pub(crate) struct User {
    root: PathBuf,
    random: Random,
    next: u64,
    /// The words that must be found in each file.
    pub(crate) words: BTreeMap<String, BTreeSet<String>>,
    /// A file that is open to be appended to.
    opened: Option<(String, File)>,
    /// How many words came to stand beside their file.
    pub(crate) beside: u64,
    /// The files that were edited since this was emptied.
    pub(crate) edited: BTreeSet<String>,
}

/// The user's words in a text.
pub(crate) fn words_in(text: &str) -> BTreeSet<String> {
    text.split('<').filter_map(|part| part.split_once('>')).map(|(word, _)| word.to_owned()).collect()
}

impl User {
    pub(crate) fn new(root: &Path, random: Random) -> Self {
        Self {
            root: root.to_owned(),
            random,
            next: 0,
            words: BTreeMap::new(),
            opened: None,
            beside: 0,
            edited: BTreeSet::new(),
        }
    }

    fn line(&mut self, path: &str) -> String {
        self.next += 1;
        let word = format!("u{}", self.next);
        self.words.entry(path.to_owned()).or_default().insert(word.clone());
        let tail = ["says the user", "说用户", "🦀 bytes", ""][self.random.index(4)];
        format!("- <{word}> {tail}\n")
    }

    /// Edits one file in one way. Where a file is open, others leave its path alone but for appending.
    pub(crate) fn edit(&mut self, path: &str, style: Style) {
        let place = self.root.join(path);
        let held = self.opened.as_ref().is_some_and(|(open, _)| open == path);
        let present = fs::read_to_string(&place).ok();
        match style {
            Style::WriteOpened => {
                let Some((path, mut file)) = self.opened.take() else { return };
                if file.metadata().unwrap().nlink() == 0 {
                    // A file that is gone; whoever still writes to it has missed the moment.
                    return;
                }
                let line = self.line(&path);
                file.write_all(line.as_bytes()).unwrap();
                self.edited.insert(path);
                return;
            }
            Style::OpenToAppend => {
                if self.opened.is_none()
                    && PATHS.contains(&path)
                    && let Ok(file) = OpenOptions::new().append(true).open(&place)
                {
                    self.opened = Some((path.to_owned(), file));
                    self.edited.insert(path.to_owned());
                }
                return;
            }
            Style::Delete => {
                if held || present.is_none() {
                    return;
                }
                fs::remove_file(&place).unwrap();
                self.words.remove(path);
            }
            Style::Append => {
                let line = self.line(path);
                fs::create_dir_all(place.parent().unwrap()).unwrap();
                let mut file = OpenOptions::new().append(true).create(true).open(&place).unwrap();
                file.write_all(line.as_bytes()).unwrap();
            }
            Style::Rename | Style::Truncate => {
                if held {
                    return;
                }
                let text = self.rewrite(path, &present.unwrap_or_default());
                fs::create_dir_all(place.parent().unwrap()).unwrap();
                if style == Style::Truncate {
                    fs::write(&place, text).unwrap();
                } else {
                    let beside = place.with_file_name(".user.swp");
                    fs::write(&beside, text).unwrap();
                    fs::rename(&beside, &place).unwrap();
                }
            }
        }
        self.edited.insert(path.to_owned());
    }

    /// A text with a line more, and sometimes one less.
    fn rewrite(&mut self, path: &str, text: &str) -> String {
        let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
        if !lines.is_empty() && self.random.percent(30) {
            let gone = lines.remove(self.random.index(lines.len()));
            for word in words_in(&gone) {
                self.words.entry(path.to_owned()).or_default().remove(&word);
            }
        }
        if let Some(last) = lines.last_mut()
            && !last.ends_with('\n')
        {
            last.push('\n');
        }
        let line = self.line(path);
        lines.insert(self.random.index(lines.len() + 1), line);
        let mut text = lines.concat();
        if self.random.percent(3) {
            text.pop();
        }
        text
    }

    /// A random edit of a random file.
    pub(crate) fn edit_something(&mut self) {
        let path = PATHS[self.random.index(PATHS.len())];
        let styles = [Style::Rename, Style::Truncate, Style::Append, Style::Append, Style::Delete];
        let style = styles[self.random.index(styles.len())];
        // Files go away now and then, not all the time.
        let style = if style == Style::Delete && self.random.percent(60) { Style::Append } else { style };
        self.edit(path, style);
    }

    /// The path of one of the user's files, relative to the memory directory.
    pub(crate) fn known(&self, place: &Path) -> Option<String> {
        let root = fs::canonicalize(&self.root).unwrap();
        let path = place.strip_prefix(root).ok()?.to_str()?;
        PATHS.contains(&path).then(|| path.to_owned())
    }

    /// Closes what is open without a write.
    pub(crate) fn forget(&mut self) {
        self.opened = None;
    }

    /// Ends what is open.
    pub(crate) fn close(&mut self) {
        self.edit("", Style::WriteOpened);
    }

    /// The words that are not where they should be: in their file or, where two texts of the user could not be
    /// brought together, in the text that stands beside it.
    pub(crate) fn missing(&mut self) -> Vec<String> {
        let mut missing = Vec::new();
        for (path, words) in &mut self.words {
            let found = words_of(&self.root.join(path));
            if words.is_subset(&found) {
                continue;
            }
            let beside: BTreeSet<String> = (1..100)
                .map(|number| self.root.join(format!("{path}.kept-{number}")))
                .take_while(|place| place.exists())
                .flat_map(|place| words_of(&place))
                .collect();
            let lost: Vec<String> = words.difference(&found).cloned().collect();
            for word in lost {
                if beside.contains(&word) {
                    self.beside += 1;
                    words.remove(&word);
                } else {
                    missing.push(format!("{word} in {path}"));
                }
            }
        }
        missing
    }
}

fn words_of(place: &Path) -> BTreeSet<String> {
    words_in(&String::from_utf8_lossy(&fs::read(place).unwrap_or_default()))
}
