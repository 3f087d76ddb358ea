//! Which words each new entry rests on, found by comparing memory before and after a change.

use crate::recurrence;
use crate::turns::Turns;
use nidra_core::{Change, EntryId, Operation};
use nidra_memory::ChangeSet;
use nidra_memory::directory::MemoryDirectory;
use nidra_memory::store::{EntrySource, Relation};
use std::collections::BTreeSet;

/// The sources of the entries that a change brings. The feeling of the person is read from the turns, as far as they are
/// at hand.
pub(crate) fn of(
    memory: &MemoryDirectory,
    changes: &ChangeSet,
    operations: &[Operation],
    turns: Option<&Turns<'_>>,
) -> Vec<EntrySource> {
    let before: BTreeSet<EntryId> =
        memory.view().topics.into_iter().flat_map(|topic| topic.entries).map(|entry| entry.id).collect();
    let after = MemoryDirectory::from_files(
        changes.files.iter().filter_map(|file| Some((file.path.as_str(), file.after.as_deref()?))),
    );
    let stated: Vec<(String, &Operation)> = operations
        .iter()
        .flat_map(|operation| {
            operation.change.statements().into_iter().map(move |text| (fold(text), operation))
        })
        .collect();
    let mut sources = Vec::new();
    for topic in after.view().topics {
        for entry in topic.entries {
            if before.contains(&entry.id) {
                continue;
            }
            let text = fold(&entry.text);
            if let Some((_, operation)) = stated.iter().find(|(words, _)| words.contains(&text)) {
                let (relation, predecessor) = relation(&operation.change);
                sources.push(EntrySource {
                    entry: entry.id,
                    path: topic.path.clone(),
                    evidence: operation.evidence.clone(),
                    rank: operation.rank,
                    relation,
                    predecessor,
                    affect: recurrence::feeling(&operation.evidence, turns),
                });
            }
        }
    }
    sources
}

/// What an operation does to an entry, and which one it was before.
fn relation(change: &Change) -> (Relation, Option<EntryId>) {
    let predecessor = change.target().map(|target| target.entry.clone());
    match change {
        Change::Rewrite { .. } => (Relation::Rewrites, predecessor),
        Change::Supersede { .. } => (Relation::Replaces, predecessor),
        Change::Create { .. }
        | Change::Append { .. }
        | Change::Archive { .. }
        | Change::Retitle { .. }
        | Change::Relink { .. }
        | Change::Unlink { .. }
        | Change::Propose { .. } => (Relation::States, None),
    }
}

/// Words with white space folded and bullet marks left out.
fn fold(text: &str) -> String {
    text.trim_start_matches(['-', '*', '+', ' ']).split_whitespace().collect::<Vec<_>>().join(" ")
}
