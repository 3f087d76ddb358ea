//! What `check --fix` proposes: changes of the index that lose nothing, as operations that the user reviews.
//!
//! A topic that no line points to gets one; a line whose file is gone, or that stands twice word for word, goes to the
//! archive. Everything else that `check` reports is for a person to decide.

use crate::check::{FindingKind, check};
use crate::directory::MemoryDirectory;
use crate::index::Index;
use crate::limits::IndexLimits;
use nidra_core::{Change, Kind, Operation, OperationId, TrustRank};
use std::collections::BTreeSet;

/// The operations that mend what can be mended safely, in the order of the findings.
pub fn repairs(memory: &MemoryDirectory, limits: &IndexLimits) -> Vec<Operation> {
    let view = memory.view();
    let index = Index::parse(memory.index_bytes());
    let mut changes = links(memory);
    let mut seen = BTreeSet::new();
    for finding in check(memory, limits) {
        let line = finding.line.and_then(|line| usize::try_from(line).ok()?.checked_sub(1));
        let entry = line.and_then(|line| index.entries.get(line));
        let Some(entry) = entry.filter(|entry| entry.item && entry.links.len() == 1) else { continue };
        let gone = finding.kind == FindingKind::DanglingLink;
        let twice = finding.kind == FindingKind::DuplicateLink
            && view.index.iter().filter(|line| line.text == entry.text).count() > 1;
        if (gone || twice) && seen.insert(entry.text.clone()) {
            let reason = if gone { "the file that it points to is gone" } else { "the line stands twice" };
            changes.push((Change::Unlink { line: entry.text.clone() }, reason));
        }
    }
    operations(changes, "fix")
}

/// Changes of the index as operations; they state nothing, so they rest on no words.
pub fn operations(changes: impl IntoIterator<Item = (Change, &'static str)>, prefix: &str) -> Vec<Operation> {
    changes
        .into_iter()
        .enumerate()
        .map(|(number, (change, reason))| Operation {
            id: OperationId::new(format!("{prefix}-{}", number + 1)),
            change,
            kind: Kind::Project,
            rank: TrustRank::Observed,
            reason: reason.to_owned(),
            evidence: Vec::new(),
        })
        .collect()
}

/// Lines for the topics that no line of the index points to. A free-form index is the user's own and stays.
pub fn links(memory: &MemoryDirectory) -> Vec<(Change, &'static str)> {
    let index = Index::parse(memory.index_bytes());
    if index.is_free_form() || index.obstacle().is_some() {
        return Vec::new();
    }
    let view = memory.view();
    let linked: BTreeSet<&String> = view.index.iter().flat_map(|line| &line.targets).collect();
    view.topics
        .iter()
        .filter(|topic| topic.editable && topic.kind.is_some() && !linked.contains(&topic.path))
        .map(|topic| {
            let stem = topic.path.rsplit('/').next().unwrap_or(&topic.path).trim_end_matches(".md");
            let title = if topic.name.is_empty() { stem } else { &topic.name };
            let change = Change::Relink {
                path: topic.path.clone(),
                title: title.to_owned(),
                hook: topic.description.clone(),
            };
            (change, "no line of the index points to it, so no session hears of it")
        })
        .collect()
}
