//! What a name inside a memory directory stands for, judged by the name alone.

use crate::document::entries::says_inactive;
use crate::index::INDEX_NAME;

/// What a file of memory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// `MEMORY.md` at the root.
    Index,
    /// A topic file.
    Topic,
    /// A file below a folder that says archive or history.
    Archive,
}

/// What to do with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Read it.
    Read(Role),
    /// Leave it alone, for this reason.
    Ignore(&'static str),
    /// Leave it alone, and say so.
    Report(&'static str),
}

/// Folders that belong to others, by lower-case name.
const FOREIGN_FOLDERS: &[&str] = &["node_modules", "target", "__pycache__", "venv"];

/// Why a file of this name, relative to a memory directory, is no topic and not the index; `None` where it is. Nothing that
/// stands in such a file is ever read as what memory says.
pub fn left_alone(relative: &str) -> Option<&'static str> {
    let mut above = relative.match_indices('/').filter_map(|(end, _)| relative.get(..end));
    let inside = above.find_map(folder);
    match inside.unwrap_or_else(|| file(relative)) {
        Verdict::Read(Role::Archive) => Some("an archive, in which only nidra writes"),
        Verdict::Read(Role::Index | Role::Topic) => None,
        Verdict::Ignore(reason) => Some(reason),
        Verdict::Report(_) => Some("named like the conflict copy of a sync tool"),
    }
}

/// Judges a folder; `None` when what is inside counts.
pub(super) fn folder(relative: &str) -> Option<Verdict> {
    let name = last_part(relative);
    if name.starts_with('.') {
        return Some(Verdict::Ignore("a hidden folder"));
    }
    if FOREIGN_FOLDERS.contains(&name.to_ascii_lowercase().as_str()) {
        return Some(Verdict::Ignore("a folder of another tool"));
    }
    match relative {
        "logs" | "sessions" => {
            Some(Verdict::Ignore("daily logs, which are read elsewhere and never written"))
        }
        "team" => Some(Verdict::Ignore("team memory, which is not this memory's own")),
        _ => None,
    }
}

/// Judges a file.
pub(super) fn file(relative: &str) -> Verdict {
    let name = last_part(relative);
    if name.starts_with('.') {
        return Verdict::Ignore("a hidden file");
    }
    if name.starts_with("~$") || name.starts_with('#') || !is_markdown(name) {
        return Verdict::Ignore("no Markdown file");
    }
    if is_conflict_copy(name) {
        return Verdict::Report("a conflict copy that a sync tool left; merge it by hand and delete it");
    }
    if relative == INDEX_NAME {
        return Verdict::Read(Role::Index);
    }
    if name == INDEX_NAME {
        return Verdict::Ignore("a second MEMORY.md, which no client loads");
    }
    if in_archive(relative) {
        return Verdict::Read(Role::Archive);
    }
    if is_dated(name) {
        return Verdict::Ignore("a daily log, which is read elsewhere and never written");
    }
    Verdict::Read(Role::Topic)
}

/// Whether a folder above the file says archive or history.
pub fn in_archive(relative: &str) -> bool {
    relative.rsplit_once('/').is_some_and(|(folders, _)| folders.split('/').any(says_inactive))
}

fn last_part(relative: &str) -> &str {
    relative.rsplit('/').next().unwrap_or(relative)
}

fn is_markdown(name: &str) -> bool {
    name.len() > 3 && std::path::Path::new(name).extension().is_some_and(|extension| extension == "md")
}

/// Whether the name is one that a sync tool gives to the losing side.
fn is_conflict_copy(name: &str) -> bool {
    let lower = name.to_lowercase();
    let of_the_index =
        name.starts_with("MEMORY") && name != INDEX_NAME && !is_word(name.chars().nth("MEMORY".len()));
    of_the_index
        || lower.contains("conflicted copy")
        || lower.contains(".sync-conflict-")
        || lower.contains("(case conflict")
        || name.contains("冲突副本")
}

fn is_word(letter: Option<char>) -> bool {
    letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_')
}

/// `2026-05-21.md`.
pub(crate) fn is_dated(name: &str) -> bool {
    let stem = name.trim_end_matches(".md");
    stem.len() == 10 && stem.parse::<jiff::civil::Date>().is_ok()
}
