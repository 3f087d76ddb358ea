//! Taking over the memory of another directory: its files come along byte for byte, and nothing that is here changes
//! but the index, which gets their lines.

use crate::change::{ChangeSet, FileChange};
use crate::directory::MemoryDirectory;
use crate::directory::role::Role;
use crate::index::link::Pointer;
use crate::index::{Index, IndexEntry, edit};
use crate::limits::{IndexLimits, measure};
use crate::stage::fold;
use std::collections::{BTreeMap, BTreeSet};

/// What taking over comes to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Adoption {
    /// The new files and the index.
    pub changes: ChangeSet,
    /// Files that got another name because theirs was taken, by the name that they had.
    pub renamed: BTreeMap<String, String>,
    /// Lines of the other index that did not come along; the files they speak of did all the same.
    pub left: Vec<String>,
}

/// Brings the memory of `from` into `into`. A file that stands here with the same bytes is the same file; one with other
/// bytes keeps its name, and the newcomer gets a number.
pub fn adopt(from: &MemoryDirectory, into: &MemoryDirectory, limits: &IndexLimits) -> Adoption {
    let mut adoption = Adoption::default();
    let names = into.files.keys().chain(into.others.keys()).chain(into.aliases.keys());
    let mut taken: BTreeSet<String> = names.map(|name| fold(name)).collect();
    for (path, file) in from.files.iter().filter(|(_, file)| file.role != Role::Index) {
        if into.files.get(path).is_some_and(|present| present.bytes == file.bytes) {
            continue;
        }
        let name = free_name(path, &taken);
        taken.insert(fold(&name));
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
    let mut name = path.to_owned();
    let mut number = 1_u32;
    while taken.contains(&fold(&name)) {
        number += 1;
        name = format!("{stem}-{number}.md");
    }
    name
}

/// The index with the other one behind it, and what of that had no room: then only the lines of topics come along.
fn index(
    from: &MemoryDirectory,
    into: &MemoryDirectory,
    limits: &IndexLimits,
    renamed: &BTreeMap<String, String>,
) -> (Vec<u8>, Vec<String>) {
    let bytes = into.index_bytes();
    if bytes.iter().all(u8::is_ascii_whitespace) && renamed.is_empty() {
        return (from.index_bytes().to_vec(), Vec::new());
    }
    let theirs = Index::parse(from.index_bytes());
    let ours = Index::parse(bytes);
    let present: BTreeSet<&str> =
        ours.entries.iter().filter(|entry| entry.item).map(|entry| entry.text.trim()).collect();
    let lines: Vec<(bool, String)> = theirs
        .entries
        .iter()
        .map(|entry| (entry.item, with_new_names(entry, renamed)))
        .filter(|(_, line)| !present.contains(line.trim()))
        .collect();
    if ours.obstacle().is_some() || theirs.obstacle().is_some() {
        let said = lines.into_iter().map(|(_, line)| line).filter(|line| !line.trim().is_empty());
        return (bytes.to_vec(), said.collect());
    }
    let whole = behind(bytes, lines.iter().map(|(_, line)| line.as_str()));
    if measure(&whole).fits(limits) {
        return (whole, Vec::new());
    }
    let (mut bytes, mut left) = (bytes.to_vec(), Vec::new());
    for (item, line) in lines {
        let longer = behind_line(&bytes, &line);
        if item && measure(&longer).fits(limits) {
            bytes = longer;
        } else if !line.trim().is_empty() {
            left.push(line);
        }
    }
    (bytes, left)
}

/// The bytes with these lines behind them, set off by a blank line.
fn behind<'a>(bytes: &[u8], lines: impl Iterator<Item = &'a str>) -> Vec<u8> {
    let ending = if bytes.windows(2).any(|pair| pair == b"\r\n") { "\r\n" } else { "\n" };
    let text = lines.collect::<Vec<_>>().join(ending);
    let text = text.trim();
    if text.is_empty() {
        return bytes.to_vec();
    }
    let mut joined = bytes.trim_ascii_end().to_vec();
    if !joined.is_empty() {
        joined.extend_from_slice(ending.repeat(2).as_bytes());
    }
    joined.extend_from_slice(text.as_bytes());
    joined.extend_from_slice(ending.as_bytes());
    joined
}

fn behind_line(bytes: &[u8], line: &str) -> Vec<u8> {
    let edit = edit::add(&Index::parse(bytes), line);
    let mut longer = bytes.to_vec();
    longer.splice(edit.range, edit.text.into_bytes());
    longer
}

/// A line whose links point to the names that the files have now.
fn with_new_names(entry: &IndexEntry, renamed: &BTreeMap<String, String>) -> String {
    let mut line = entry.text.clone();
    for link in entry.links.iter().rev() {
        let as_file = format!("{}.md", link.target);
        let Some(name) = renamed.get(&link.target).or_else(|| renamed.get(&as_file)) else { continue };
        let written = &line[link.range.clone()];
        let written = match link.pointer {
            Pointer::Link => {
                let title = written.rfind("](").map_or(written, |end| &written[..end]);
                format!("{title}]({})", edit::link_target(name))
            }
            Pointer::Wiki => {
                let shown = written.find('|').map_or("]]", |shown| &written[shown..]);
                format!("[[{}{shown}", name.trim_end_matches(".md"))
            }
            Pointer::Bare => name.clone(),
        };
        line.replace_range(link.range.clone(), &written);
    }
    line
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
    fn tables_code_and_paragraphs_keep_their_order_and_links_follow_their_files() {
        let theirs = "We deploy on Tuesdays,\nnever on Fridays.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```\nmake\n```\n\n\
            - [see schema.md](a.md) — old\n- [Mine](my%20file.md) — old\nMore in [[a]].\n";
        let old = memory(&[(INDEX_NAME, theirs), ("a.md", "old\n"), ("my file.md", "old\n")]);
        let new = memory(&[(INDEX_NAME, "- [A](a.md) — new\n"), ("a.md", "new\n"), ("my file.md", "new\n")]);
        let adoption = adopt(&old, &new, &IndexLimits::default());
        let index = after(&adoption, INDEX_NAME).unwrap();
        let wanted = theirs
            .replace("(a.md)", "(a-2.md)")
            .replace("(my%20file.md)", "(<my file-2.md>)")
            .replace("[[a]]", "[[a-2]]");
        assert_eq!(index, format!("- [A](a.md) — new\n\n{wanted}"));
        assert!(adoption.left.is_empty());
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
