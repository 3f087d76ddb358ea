//! What an agent left in its copy of memory that is no topic of it, so that nobody would ever read it there: archives, daily
//! logs, further indexes, files of other kinds, links, and what cannot be read.

use jiff::civil::Date;
use nidra_core::text::width;
use nidra_memory::directory::MemoryDirectory;
use nidra_memory::directory::role::{self, Role};
use std::fs;
use std::path::Path;

/// Bytes of one of them that are read.
const MAX_BYTES: usize = 64 * 1024;
/// How many are looked at.
const MAX_STRAYS: usize = 200;
/// The words of names that mean something to nidra itself, so that they may be told.
const NAMES: [&str; 8] = ["archive", "history", "logs", "sessions", "team", "MEMORY", "md", "txt"];

/// Something that is no topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stray {
    /// Where it lies in the copy of memory, with `/` at the end of a folder.
    pub(crate) path: String,
    /// Why it is none.
    pub(crate) reason: &'static str,
    /// What stands in it, as far as it is read.
    text: String,
}

impl Stray {
    /// What it states.
    pub(crate) fn statements(&self) -> Vec<String> {
        let view = MemoryDirectory::from_files([("stray.md", self.text.as_bytes())]).view();
        view.entries().map(|(_, entry)| entry.text.clone()).collect()
    }

    /// The words of its name that may be told: those that mean something to nidra, and days.
    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        let days = self.path.split(['/', '.']).filter(|part| part.parse::<Date>().is_ok());
        NAMES.into_iter().chain(days)
    }
}

/// All of them in a copy of memory, by their paths. A copy is made without any.
pub(crate) fn strays(memory: &MemoryDirectory) -> Vec<Stray> {
    let archived = memory.files.iter().filter(|(_, file)| file.role == Role::Archive).map(|(path, file)| {
        let text = String::from_utf8_lossy(&file.bytes);
        stray(path, width::cut_bytes(&text, MAX_BYTES).to_owned())
    });
    let others = memory.others.keys().map(|path| {
        let place = memory.root.join(path);
        let mut text = String::new();
        read(&place, &mut text);
        let end = if is_folder(&place) { "/" } else { "" };
        stray(&format!("{path}{end}"), text)
    });
    let mut strays: Vec<Stray> = archived.chain(others).take(MAX_STRAYS).collect();
    strays.sort_by(|left, right| left.path.cmp(&right.path));
    strays
}

fn stray(path: &str, text: String) -> Stray {
    let reason = role::left_alone(path).unwrap_or("it cannot be read as a file of memory");
    Stray { path: path.to_owned(), reason, text }
}

fn is_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

/// Reads a regular file, or those below a folder, one after the other until there is enough. Whatever else lies there is
/// passed by: a link may lead out, and a pipe would wait for its other end.
fn read(path: &Path, text: &mut String) {
    let mut open = vec![path.to_owned()];
    while let Some(path) = open.pop() {
        let left = MAX_BYTES.saturating_sub(text.len());
        let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
        if left == 0 {
            return;
        }
        if metadata.is_dir() {
            open.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
        } else if metadata.is_file() && metadata.len() <= nidra_memory::directory::MAX_FILE_BYTES {
            // What is no text states nothing.
            let words = fs::read_to_string(&path).unwrap_or_default();
            text.push_str(width::cut_bytes(&words, left));
            text.push('\n');
        }
    }
}
