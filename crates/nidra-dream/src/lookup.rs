//! Finding an entry of memory by its identifier, by its place, or by some of its words; the archive counts too.

use crate::drift::Lines;
use nidra_core::text::similarity::{containment, terms};
use nidra_core::{EntryId, Kind};
use nidra_memory::archived::{ArchivedEntry, archived};
use nidra_memory::directory::MemoryDirectory;
use std::collections::{BTreeMap, BTreeSet};

/// Entries that are named when nothing matches.
const MAX_NEAREST: usize = 3;
/// How much of what was asked for stands in an entry that is called near, from 0 to 1.
const NEAR: f64 = 0.3;
/// Characters of an identifier at least.
const MIN_PREFIX: usize = 4;

/// An entry and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The entry.
    pub entry: EntryId,
    /// The file where its words stand, relative to the memory directory.
    pub path: String,
    /// The first line of the words there, from 1.
    pub line: u64,
    /// The last line of the words there, from 1.
    pub last_line: u64,
    /// The topic file that it belongs or belonged to.
    pub topic: String,
    /// Its words.
    pub text: String,
    /// What its topic is about.
    pub kind: Option<Kind>,
    /// It is stated as true.
    pub active: bool,
    /// How it left active memory.
    pub archived: Option<ArchivedEntry>,
}

/// What came of looking for an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// It is this one.
    One(Box<Place>),
    /// It could be any of these.
    Several(Vec<Place>),
    /// It is none; these are the nearest.
    None(Vec<Place>),
}

/// All entries of memory, then those of the archive. What came back from there is named once, where it is now.
pub fn places(memory: &MemoryDirectory) -> Vec<Place> {
    let view = memory.view();
    let lines = Lines::of(memory);
    let mut places: Vec<Place> = view
        .topics
        .iter()
        .flat_map(|topic| topic.entries.iter().map(move |entry| (topic, entry)))
        .map(|(topic, entry)| Place {
            entry: entry.id.clone(),
            path: topic.path.clone(),
            line: lines.at(&topic.path, entry.range.start),
            last_line: lines.at(&topic.path, entry.range.end),
            topic: topic.path.clone(),
            text: entry.text.clone(),
            kind: topic.kind,
            active: entry.active,
            archived: None,
        })
        .collect();
    let kinds: BTreeMap<&str, Option<Kind>> =
        view.topics.iter().map(|topic| (topic.path.as_str(), topic.kind)).collect();
    let mut known: BTreeSet<EntryId> = places.iter().map(|place| place.entry.clone()).collect();
    // The last time that it left counts.
    for entry in archived(memory).into_iter().rev() {
        if known.insert(entry.entry.clone()) {
            places.push(Place {
                entry: entry.entry.clone(),
                path: entry.path.clone(),
                line: entry.line,
                last_line: entry.line,
                topic: entry.topic.clone(),
                text: entry.text.clone(),
                kind: entry.kind.or_else(|| kinds.get(entry.topic.as_str()).copied().flatten()),
                active: false,
                archived: Some(entry),
            });
        }
    }
    places
}

/// Looks for the entry that is meant. An entry of active memory goes before those of the archive.
pub fn find(asked: &str, places: &[Place], memory: &MemoryDirectory) -> Found {
    let asked = asked.trim();
    let folded = fold(asked);
    let wanted: BTreeSet<String> = terms(asked).into_iter().collect();
    let is_prefix = asked.len() >= MIN_PREFIX && asked.bytes().all(|byte| byte.is_ascii_hexdigit());
    let prefix = asked.to_ascii_lowercase();
    let at = place_of(asked, memory);
    let of_file = file_of(asked, memory);
    // A line of the index speaks for the topics that it links to.
    let linked = at.as_ref().map(|(path, line)| linked(path, *line, memory)).unwrap_or_default();
    // In the archive a line between entries, such as a reason, belongs to the entry behind it, or else to the last.
    let nearest = at.as_ref().and_then(|(path, line)| {
        let of_file = || places.iter().filter(|place| place.archived.is_some() && place.path == *path);
        let behind = of_file().filter(|place| place.last_line >= *line).map(|place| place.line).min();
        let is_there = *line <= lines_of(path, memory);
        behind.or_else(|| of_file().map(|place| place.line).max()).filter(|_| is_there)
    });
    // The surest way of naming comes first.
    let ways: [&dyn Fn(&Place) -> bool; 8] = [
        &|place| is_prefix && place.entry.as_str().starts_with(&prefix),
        &|place| {
            at.as_ref().is_some_and(|(path, line)| {
                place.path == *path && (place.line..=place.last_line).contains(line)
            })
        },
        &|place| place.archived.is_none() && linked.contains(&place.path),
        &|place| at.as_ref().is_some_and(|(path, _)| place.path == *path) && Some(place.line) == nearest,
        &|place| of_file.as_ref() == Some(&place.path),
        &|place| !folded.is_empty() && fold(&place.text) == folded,
        &|place| !folded.is_empty() && fold(&place.text).contains(&folded),
        &|place| !wanted.is_empty() && wanted.is_subset(&terms(&place.text).into_iter().collect()),
    ];
    for way in ways {
        let found: Vec<&Place> = places.iter().filter(|place| way(place)).collect();
        let active: Vec<&&Place> = found.iter().filter(|place| place.active).collect();
        match (found.as_slice(), active.as_slice()) {
            ([], _) => {}
            ([one], _) => return Found::One(Box::new((*one).clone())),
            (_, [one]) => return Found::One(Box::new((**one).clone())),
            (several, _) => return Found::Several(several.iter().map(|place| (*place).clone()).collect()),
        }
    }
    let mut near: Vec<(f64, &Place)> = places
        .iter()
        .map(|place| (containment(asked, &place.text), place))
        .filter(|(share, _)| *share >= NEAR)
        .collect();
    near.sort_by(|left, right| right.0.total_cmp(&left.0));
    Found::None(near.into_iter().take(MAX_NEAREST).map(|(_, place)| place.clone()).collect())
}

/// `path:line`, with the path as the memory directory has it or in full.
fn place_of(asked: &str, memory: &MemoryDirectory) -> Option<(String, u64)> {
    let (path, line) = asked.rsplit_once(':')?;
    Some((file_of(path, memory)?, line.parse().ok()?))
}

/// The topics to which a line of the index links.
fn linked(path: &str, line: u64, memory: &MemoryDirectory) -> BTreeSet<String> {
    if path != memory.index_path() {
        return BTreeSet::new();
    }
    let lines = memory.view().index;
    let line = usize::try_from(line).ok().and_then(|line| lines.into_iter().nth(line.checked_sub(1)?));
    line.map(|line| line.targets.into_iter().collect()).unwrap_or_default()
}

/// How many lines a file has.
fn lines_of(path: &str, memory: &MemoryDirectory) -> u64 {
    let bytes = memory.files.get(path).map_or(&[][..], |file| file.bytes.as_slice());
    let lines = bytes.strip_suffix(b"\n").unwrap_or(bytes).split(|byte| *byte == b'\n').count();
    u64::try_from(lines).unwrap_or(u64::MAX)
}

/// The file that a path means.
fn file_of(path: &str, memory: &MemoryDirectory) -> Option<String> {
    let path = memory.resolve(inside(path, memory));
    memory.files.contains_key(path).then(|| path.to_owned())
}

/// A path as it stands inside of the memory directory.
pub(crate) fn inside<'a>(path: &'a str, memory: &MemoryDirectory) -> &'a str {
    let root = memory.root.to_string_lossy();
    path.strip_prefix(root.as_ref()).unwrap_or(path).trim_start_matches("./").trim_start_matches('/')
}

/// Words without regard to white space and letter case.
fn fold(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory() -> MemoryDirectory {
        let ports = "---\nname: ports\nmetadata:\n  type: project\n---\n\n- Staging runs on port 3001.\n- The worker listens\n  on port 4310.\n";
        let chinese = "---\nname: 提交\nmetadata:\n  type: feedback\n---\n\n提交信息写中文。\n";
        let archive = "# Archive of ports.md\n\n## 2026-05-13: superseded\n\nReason: it moved (run r1, op-5)\n\n```text\n- Staging runs on port 2999.\n```\n";
        MemoryDirectory::from_files([
            ("ports.md", ports.as_bytes()),
            ("commits.md", chinese.as_bytes()),
            ("archive/ports.md", archive.as_bytes()),
            (
                "MEMORY.md",
                "- [Commits](commits.md) — 中文\n- [Ports](ports.md) — where\n\nMine.\n".as_bytes(),
            ),
        ])
    }

    fn found(asked: &str) -> Found {
        let memory = memory();
        find(asked, &places(&memory), &memory)
    }

    #[track_caller]
    fn one(asked: &str) -> String {
        match found(asked) {
            Found::One(place) => place.text,
            other => panic!("{asked}: {other:?}"),
        }
    }

    #[test]
    fn an_entry_is_found_by_identifier_place_and_words_in_both_languages() {
        let id = EntryId::of("ports.md", "Staging runs on port 3001.");
        for asked in [id.as_str(), &id.as_str()[..8], "ports.md:7", "runs on port 3001", "STAGING 3001"] {
            assert_eq!(one(asked), "Staging runs on port 3001.", "{asked}");
        }
        assert_eq!(one("ports.md:9"), "The worker listens on port 4310.", "its second line");
        for asked in ["commits.md", "commits.md:7", "提交信息", "中文 提交信息", "提交信息写中文。"]
        {
            assert_eq!(one(asked), "提交信息写中文。", "{asked}");
        }
    }

    #[test]
    fn archived_entries_are_found_and_active_ones_go_first() {
        assert_eq!(one("port 2999"), "Staging runs on port 2999.");
        assert_eq!(one("Staging runs on port"), "Staging runs on port 3001.");
        let old = EntryId::of("ports.md", "Staging runs on port 2999.");
        assert_eq!(one(old.as_str()), "Staging runs on port 2999.");
    }

    #[test]
    fn lines_of_the_index_and_of_the_archive_are_understood() {
        assert_eq!(one("MEMORY.md:1"), "提交信息写中文。");
        let Found::Several(several) = found("MEMORY.md:2") else { panic!() };
        assert_eq!(several.len(), 2);
        assert_eq!(found("MEMORY.md:4"), Found::None(Vec::new()), "a line of the user's own");
        for asked in ["archive/ports.md", "archive/ports.md:3", "archive/ports.md:8", "archive/ports.md:9"] {
            assert_eq!(one(asked), "Staging runs on port 2999.", "{asked}");
        }
        assert_eq!(found("ports.md:1"), Found::None(Vec::new()), "its head is no entry");
    }

    #[test]
    fn several_are_all_named_and_none_names_the_nearest() {
        let Found::Several(several) = found("port") else { panic!() };
        assert_eq!(several.len(), 3);
        let Found::None(near) = found("the worker's port in production") else { panic!() };
        assert_eq!(near[0].text, "The worker listens on port 4310.");
        assert_eq!(found("ports.md:999"), Found::None(Vec::new()));
        assert_eq!(found(""), Found::None(Vec::new()));
    }
}
