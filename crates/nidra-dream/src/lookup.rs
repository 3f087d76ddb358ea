//! Finding an entry of memory by its identifier, by its place, or by some of its words; the archive counts too.

use crate::drift;
use nidra_core::text::similarity::{containment, terms};
use nidra_core::{EntryId, Kind};
use nidra_memory::archived::{ArchivedEntry, archived};
use nidra_memory::directory::MemoryDirectory;
use std::collections::BTreeSet;

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
    let mut places: Vec<Place> = view
        .topics
        .iter()
        .flat_map(|topic| topic.entries.iter().map(move |entry| (topic, entry)))
        .map(|(topic, entry)| Place {
            entry: entry.id.clone(),
            path: topic.path.clone(),
            line: drift::line(memory, &topic.path, entry.range.start),
            last_line: drift::line(memory, &topic.path, entry.range.end),
            topic: topic.path.clone(),
            text: entry.text.clone(),
            kind: topic.kind,
            active: entry.active,
            archived: None,
        })
        .collect();
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
                kind: entry.kind.or_else(|| view.topic(&entry.topic)?.kind),
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
    // The surest way of naming comes first.
    let ways: [&dyn Fn(&Place) -> bool; 6] = [
        &|place| is_prefix && place.entry.as_str().starts_with(&prefix),
        &|place| {
            at.as_ref().is_some_and(|(path, line)| {
                place.path == *path && (place.line..=place.last_line).contains(line)
            })
        },
        &|place| of_file.as_ref() == Some(&place.path),
        &|place| !folded.is_empty() && fold(&place.text) == folded,
        &|place| !folded.is_empty() && fold(&place.text).contains(&folded),
        &|place| {
            !wanted.is_empty() && wanted.is_subset(&terms(&place.text).into_iter().collect::<BTreeSet<_>>())
        },
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

/// The file that a path means.
fn file_of(path: &str, memory: &MemoryDirectory) -> Option<String> {
    let root = memory.root.to_string_lossy();
    let inside =
        path.strip_prefix(root.as_ref()).unwrap_or(path).trim_start_matches("./").trim_start_matches('/');
    let path = memory.resolve(inside);
    memory.files.contains_key(path).then(|| path.to_owned())
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
    fn several_are_all_named_and_none_names_the_nearest() {
        let Found::Several(several) = found("port") else { panic!() };
        assert_eq!(several.len(), 3);
        let Found::None(near) = found("the worker's port in production") else { panic!() };
        assert_eq!(near[0].text, "The worker listens on port 4310.");
        assert_eq!(found("ports.md:999"), Found::None(Vec::new()));
        assert_eq!(found(""), Found::None(Vec::new()));
    }
}
