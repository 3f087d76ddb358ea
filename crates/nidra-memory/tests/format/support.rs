//! Short ways to say what a test means.

use nidra_core::{
    AgentKind, Change, EntryId, Evidence, Kind, NewTopic, Operation, OperationId, RunId, SessionId, Source,
    Speaker, Target, TrustRank,
};
use nidra_memory::directory::MemoryDirectory;
use nidra_memory::limits::IndexLimits;
use nidra_memory::stage::{Pins, StageContext, Staged, stage};
use std::collections::BTreeMap;
use std::path::Path;

pub(crate) const SESSION: &str = "9056be29-c593-4f9a-b50e-d13a8e6bc454";

pub(crate) fn memory(files: &[(&str, &str)]) -> MemoryDirectory {
    MemoryDirectory::from_files(files.iter().map(|(path, text)| (*path, text.as_bytes())))
}

pub(crate) fn context() -> StageContext {
    StageContext {
        now: "2026-05-18T09:00:00+02:00[Europe/Berlin]".parse().unwrap(),
        run: RunId::new("run-7"),
        limits: IndexLimits::default(),
        pins: Pins::Hold,
    }
}

pub(crate) fn operation(number: usize, change: Change) -> Operation {
    Operation {
        id: OperationId::new(format!("op-{number}")),
        change,
        kind: Kind::Feedback,
        rank: TrustRank::HumanVerbatim,
        reason: "the human said so".to_owned(),
        evidence: vec![Evidence {
            source: Source {
                agent: AgentKind::ClaudeCode,
                session: SessionId::new(SESSION),
                stream: None,
                record: "r".to_owned(),
                path: Path::new("t.jsonl").into(),
                offset: 0,
                length: 0,
            },
            speaker: Speaker::Human,
            at: None,
            quote: "quote".to_owned(),
        }],
    }
}

pub(crate) fn operations(changes: impl IntoIterator<Item = Change>) -> Vec<Operation> {
    changes.into_iter().enumerate().map(|(number, change)| operation(number + 1, change)).collect()
}

pub(crate) fn staged(memory: &MemoryDirectory, changes: impl IntoIterator<Item = Change>) -> Staged {
    stage(memory, &operations(changes), &context())
}

pub(crate) fn create(slug: &str, title: &str, description: &str, entries: &[&str], hook: &str) -> Change {
    Change::Create {
        topic: NewTopic {
            slug: slug.to_owned(),
            title: title.to_owned(),
            description: description.to_owned(),
            kind: Kind::Feedback,
        },
        entries: entries.iter().map(|entry| (*entry).to_owned()).collect(),
        hook: hook.to_owned(),
    }
}

pub(crate) fn target(path: &str, text: &str) -> Target {
    Target { path: path.to_owned(), entry: EntryId::of(path, text), text: text.to_owned() }
}

pub(crate) fn rewrite(path: &str, old: &str, new: &str) -> Change {
    Change::Rewrite { target: target(path, old), text: new.to_owned(), hook: None }
}

pub(crate) fn append(path: &str, text: &str) -> Change {
    Change::Append { path: path.to_owned(), text: text.to_owned(), hook: None }
}

/// Memory after the changes, as text by path; a file that goes is not in it.
pub(crate) fn applied(memory: &MemoryDirectory, staged: &Staged) -> BTreeMap<String, String> {
    let mut files: BTreeMap<String, Vec<u8>> =
        memory.files.iter().map(|(path, file)| (path.clone(), file.bytes.clone())).collect();
    for change in &staged.changes.files {
        assert_eq!(
            files.get(&change.path),
            change.before.as_ref(),
            "{} was planned on other bytes",
            change.path
        );
        match &change.after {
            Some(after) => files.insert(change.path.clone(), after.clone()),
            None => files.remove(&change.path),
        };
    }
    files.into_iter().map(|(path, bytes)| (path, String::from_utf8(bytes).unwrap())).collect()
}

/// The one text that a file has afterwards.
pub(crate) fn after(memory: &MemoryDirectory, staged: &Staged, path: &str) -> String {
    assert_eq!(staged.refused, [], "nothing may be refused here");
    applied(memory, staged).remove(path).unwrap_or_else(|| panic!("{path} is gone"))
}

pub(crate) fn reasons(staged: &Staged) -> Vec<&str> {
    staged.refused.iter().map(|(_, reason)| reason.as_str()).collect()
}
