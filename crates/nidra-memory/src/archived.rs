//! The archive read back: what left active memory, when, why and in which run.
//!
//! `stage` writes what is read here. Whatever else a person put into an archive file is passed over.

use crate::directory::MemoryDirectory;
use crate::directory::role::Role;
use crate::document::Document;
use crate::document::entries::{heading, is_fence};
use crate::document::lines::{Line, split};
use crate::front_matter::FrontMatter;
use nidra_core::{EntryId, Kind, RunId};

/// An entry that left active memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchivedEntry {
    /// The archive file, relative to the memory directory.
    pub path: String,
    /// The line, from 1, where the entry's words start there.
    pub line: u64,
    /// The topic file that it stood in, relative to the memory directory.
    pub topic: String,
    /// The entry as it was called there.
    pub entry: EntryId,
    /// Its words.
    pub text: String,
    /// What its topic was about, where that went to the archive as well.
    pub kind: Option<Kind>,
    /// The day on which it left, as it stands in the archive.
    pub date: String,
    /// What happened to it: `superseded`, `archived`, `archived with its file`.
    pub verb: String,
    /// Why.
    pub reason: String,
    /// The run that did it.
    pub run: Option<RunId>,
    /// What is true now.
    pub replaced_by: Option<String>,
}

/// Lines of the index that left it; they are no entries.
const INDEX_LINE: &str = "taken out of the index";

/// All entries of the archive, in the order of its files.
pub fn archived(memory: &MemoryDirectory) -> Vec<ArchivedEntry> {
    memory
        .files
        .iter()
        .filter(|(_, file)| file.role == Role::Archive)
        .flat_map(|(path, file)| read(path, &file.bytes))
        .collect()
}

/// What stands above the old words.
#[derive(Default)]
struct Head {
    date: String,
    verb: String,
    reason: String,
    run: Option<RunId>,
}

fn read(path: &str, bytes: &[u8]) -> Vec<ArchivedEntry> {
    let lines = split(bytes);
    // A file that a person began has no title: the name says what it is the archive of.
    let mut topic = path.split_once('/').map_or(path, |(_, rest)| rest).to_owned();
    let mut head: Option<Head> = None;
    let mut found: Vec<ArchivedEntry> = Vec::new();
    // Those of the item that is being read; what replaced them stands behind their words.
    let mut latest = 0;
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        let text = line.text(bytes).into_owned();
        at += 1;
        if is_fence(&text) {
            let end = closing(bytes, &lines, at, text.trim());
            if let Some(head) = head.take().filter(|head| head.verb != INDEX_LINE) {
                latest = found.len();
                found.extend(entries(path, &topic, bytes, &lines, at..end, &head));
            }
            at = end + 1;
        } else if let Some(title) = text.strip_prefix("# Archive of ") {
            title.trim().clone_into(&mut topic);
        } else if let Some((2, title)) = heading(&text) {
            latest = found.len();
            head = title.split_once(": ").map(|(date, verb)| Head {
                date: date.to_owned(),
                verb: verb.to_owned(),
                ..Head::default()
            });
        } else if let (Some(reason), Some(head)) = (text.strip_prefix("Reason: "), head.as_mut()) {
            (head.reason, head.run) = grounds(reason);
        } else if let Some(new) = text.strip_prefix("Replaced by: ") {
            for entry in found.iter_mut().skip(latest) {
                entry.replaced_by = Some(new.to_owned());
            }
        }
    }
    found
}

/// The line that closes a fence; the number of lines when none does.
fn closing(bytes: &[u8], lines: &[Line], from: usize, opening: &str) -> usize {
    let mark: String = opening.chars().take_while(|character| matches!(character, '`' | '~')).collect();
    (from..lines.len()).find(|number| lines[*number].text(bytes).trim() == mark).unwrap_or(lines.len())
}

/// The reason without the run behind it, and that run: `… (run 20260513-090000-37f1, op-5)`.
fn grounds(text: &str) -> (String, Option<RunId>) {
    let parts = text.rsplit_once(" (run ").and_then(|(reason, rest)| {
        let (run, _) = rest.strip_suffix(')')?.split_once(", ")?;
        Some((reason.to_owned(), Some(RunId::new(run))))
    });
    parts.unwrap_or_else(|| (text.to_owned(), None))
}

/// The entries among the old words, which may be a whole file.
fn entries(
    path: &str,
    topic: &str,
    bytes: &[u8],
    lines: &[Line],
    old: std::ops::Range<usize>,
    head: &Head,
) -> Vec<ArchivedEntry> {
    let mut text = String::new();
    for line in lines.get(old.clone()).unwrap_or_default() {
        text.push_str(&line.text(bytes));
        text.push('\n');
    }
    let document = Document::parse(text.as_bytes(), false);
    document
        .entries
        .iter()
        .map(|entry| ArchivedEntry {
            path: path.to_owned(),
            line: u64::try_from(old.start + entry.lines.start + 1).unwrap_or(u64::MAX),
            topic: topic.to_owned(),
            entry: EntryId::of(topic, &entry.text),
            text: entry.text.clone(),
            kind: document.heads.iter().find_map(FrontMatter::kind),
            date: head.date.clone(),
            verb: head.verb.clone(),
            reason: head.reason.clone(),
            run: head.run.clone(),
            replaced_by: None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ARCHIVE: &str = "# Archive of dev-server.md\n\n## 2026-05-13: superseded\n\nReason: it moved (see “x”) (run \
        20260513-090000-37f1, op-5)\n\n```text\n- The API listens on port 8080.\n```\n\nReplaced by: It listens on 9000.\n\n\
        ## 2026-06-01: archived with its file\n\nReason: little speaks for it (run r2, forget-1)\n\n````text\n---\nname: a\n\
        metadata:\n  type: reference\n---\n\n测试环境在 staging-7。\n```\n## 2026-01-01: archived\n```\n````\n";

    #[test]
    fn what_left_memory_is_read_back_with_date_reason_and_run() {
        let memory = MemoryDirectory::from_files([("archive/dev-server.md", ARCHIVE.as_bytes())]);
        let found = archived(&memory);
        let [first, second] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(first.text, "The API listens on port 8080.");
        assert_eq!(first.entry, EntryId::of("dev-server.md", "The API listens on port 8080."));
        assert_eq!((first.date.as_str(), first.verb.as_str(), first.line), ("2026-05-13", "superseded", 8));
        assert_eq!(first.reason, "it moved (see “x”)");
        assert_eq!(first.run, Some(RunId::new("20260513-090000-37f1")));
        assert_eq!(first.replaced_by.as_deref(), Some("It listens on 9000."));
        assert!(second.text.starts_with("测试环境在 staging-7。"));
        assert_eq!((second.kind, second.replaced_by.as_deref()), (Some(Kind::Reference), None));
        assert_eq!(second.run, Some(RunId::new("r2")));
    }

    #[test]
    fn lines_of_the_index_and_a_persons_own_notes_are_no_entries() {
        let text = "My own notes.\n\n## 2026-06-01: taken out of the index\n\nReason: x (run r, op-1)\n\n```text\n- [a](a.md) — a\n\
            ```\n\n```\nmy code\n```\n";
        let memory = MemoryDirectory::from_files([("archive/MEMORY.md", text.as_bytes())]);
        assert_eq!(archived(&memory), []);
    }
}
