//! Taking over the memory of another directory: its files come along byte for byte, and nothing that is here changes
//! but the index, which gets their lines.

use crate::change::{ChangeSet, FileChange};
use crate::directory::MemoryDirectory;
use crate::directory::role::Role;
use crate::index::{Index, edit};
use crate::limits::{IndexLimits, measure};
use std::collections::{BTreeMap, BTreeSet};

/// What taking over comes to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Adoption {
    /// The new files and the index.
    pub changes: ChangeSet,
    /// Files that got another name because theirs was taken, by the name that they had.
    pub renamed: BTreeMap<String, String>,
    /// Lines of the other index that had no room; the files they speak of are here all the same.
    pub left: Vec<String>,
}

/// Brings the memory of `from` into `into`. A file that stands here with the same bytes is the same file; one with other
/// bytes keeps its name, and the newcomer gets a number.
pub fn adopt(from: &MemoryDirectory, into: &MemoryDirectory, limits: &IndexLimits) -> Adoption {
    let mut adoption = Adoption::default();
    let mut taken: BTreeSet<String> = into.files.keys().chain(into.others.keys()).cloned().collect();
    for (path, file) in from.files.iter().filter(|(_, file)| file.role != Role::Index) {
        if into.files.get(path).is_some_and(|present| present.bytes == file.bytes) {
            continue;
        }
        let name = free_name(path, &taken);
        taken.insert(name.clone());
        if name != *path {
            adoption.renamed.insert(path.clone(), name.clone());
        }
        let after = Some(file.bytes.clone());
        adoption.changes.files.push(FileChange { path: name, before: None, after });
    }
    let (index, left) = index(from, into, limits, &adoption.renamed);
    adoption.left = left;
    if index != into.index_bytes() {
        let before = into.files.contains_key(into.index_path()).then(|| into.index_bytes().to_vec());
        let path = into.index_path().to_owned();
        adoption.changes.files.push(FileChange { path, before, after: Some(index) });
    }
    adoption
}

/// The path, or one with a number in front of its ending where it is taken.
fn free_name(path: &str, taken: &BTreeSet<String>) -> String {
    let stem = path.strip_suffix(".md").unwrap_or(path);
    // Names that differ in case only are one file on some systems.
    let is_free = |name: &String| !taken.iter().any(|other| other.eq_ignore_ascii_case(name));
    let mut name = path.to_owned();
    let mut number = 1_u32;
    while !is_free(&name) {
        number += 1;
        name = format!("{stem}-{number}.md");
    }
    name
}

/// The index with the lines of the other one, as far as they fit, and the lines that did not.
fn index(
    from: &MemoryDirectory,
    into: &MemoryDirectory,
    limits: &IndexLimits,
    renamed: &BTreeMap<String, String>,
) -> (Vec<u8>, Vec<String>) {
    let mut bytes = into.index_bytes().to_vec();
    if bytes.iter().all(u8::is_ascii_whitespace) && renamed.is_empty() {
        return (from.index_bytes().to_vec(), Vec::new());
    }
    let theirs = Index::parse(from.index_bytes());
    let ours = Index::parse(&bytes);
    if ours.obstacle().is_some() {
        return (bytes, theirs.entries.into_iter().map(|entry| entry.text).collect());
    }
    let present: BTreeSet<&str> = ours.entries.iter().map(|entry| entry.text.trim()).collect();
    let mut left = Vec::new();
    for entry in &theirs.entries {
        let text = entry.text.trim();
        // A heading or a blank line says nothing without what stood below it.
        if text.is_empty() || text.starts_with('#') || entry.hidden || present.contains(text) {
            continue;
        }
        let mut line = entry.text.clone();
        for link in entry.links.iter().rev() {
            if let Some(name) = renamed.get(&link.target) {
                let written = line[link.range.clone()].replace(&link.target, name);
                line.replace_range(link.range.clone(), &written);
            }
        }
        let edit = edit::add(&Index::parse(&bytes), &line);
        let mut longer = bytes.clone();
        longer.splice(edit.range, edit.text.into_bytes());
        if measure(&longer).fits(limits) {
            bytes = longer;
        } else {
            left.push(entry.text.clone());
        }
    }
    (bytes, left)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::INDEX_NAME;

    fn memory(files: &[(&str, &str)]) -> MemoryDirectory {
        MemoryDirectory::from_files(files.iter().map(|(path, text)| (*path, text.as_bytes())))
    }

    fn after<'a>(adoption: &'a Adoption, path: &str) -> Option<&'a str> {
        let file = adoption.changes.files.iter().find(|file| file.path == path)?;
        std::str::from_utf8(file.after.as_deref()?).ok()
    }

    #[test]
    fn an_empty_memory_takes_everything_over_byte_for_byte() {
        let old = memory(&[
            (INDEX_NAME, "# 记忆\r\n- [用 pnpm](pnpm.md) — 只用 pnpm\r\nport 8443\r\n"),
            ("pnpm.md", "只用 pnpm\r\n"),
            ("archive/old.md", "gone\n"),
        ]);
        let adoption = adopt(&old, &memory(&[]), &IndexLimits::default());
        for (path, file) in &old.files {
            assert_eq!(after(&adoption, path).map(str::as_bytes), Some(file.bytes.as_slice()), "{path}");
        }
        assert!(adoption.left.is_empty() && adoption.renamed.is_empty());
        assert!(adoption.changes.files.iter().all(|file| file.before.is_none()));
    }

    #[test]
    fn what_is_here_stays_and_a_taken_name_gets_a_number() {
        let old = memory(&[
            (INDEX_NAME, "- [Ports](ports.md) — 8443\n- [Same](same.md) — one\nThe bridge is in rack 4.\n"),
            ("ports.md", "8443\n"),
            ("same.md", "one\n"),
        ]);
        let new = memory(&[
            (INDEX_NAME, "# Mine\n- [Ports](ports.md) — 9000\n- [Same](same.md) — one\n"),
            ("ports.md", "9000\n"),
            ("same.md", "one\n"),
        ]);
        let adoption = adopt(&old, &new, &IndexLimits::default());
        assert_eq!(after(&adoption, "ports-2.md"), Some("8443\n"));
        assert_eq!((after(&adoption, "ports.md"), after(&adoption, "same.md")), (None, None));
        let index = after(&adoption, INDEX_NAME).unwrap();
        assert!(
            index.starts_with("# Mine\n- [Ports](ports.md) — 9000\n- [Same](same.md) — one\n"),
            "{index}"
        );
        assert!(index.contains("- [Ports](ports-2.md) — 8443"), "{index}");
        assert!(index.contains("The bridge is in rack 4."), "{index}");
        assert_eq!(index.matches("same.md").count(), 1);
    }

    #[test]
    fn lines_beyond_the_limit_are_named_and_their_files_come_all_the_same() {
        let old = memory(&[(INDEX_NAME, "- [A](a.md) — a\n- [B](b.md) — b\n"), ("a.md", "a"), ("b.md", "b")]);
        let new = memory(&[(INDEX_NAME, "- [C](c.md) — c\n"), ("c.md", "c")]);
        let limits = IndexLimits { lines: 2, ..IndexLimits::default() };
        let adoption = adopt(&old, &new, &limits);
        assert_eq!(adoption.left, ["- [B](b.md) — b"]);
        assert!(after(&adoption, "a.md").is_some() && after(&adoption, "b.md").is_some());
        assert!(measure(after(&adoption, INDEX_NAME).unwrap().as_bytes()).fits(&limits));
    }
}
