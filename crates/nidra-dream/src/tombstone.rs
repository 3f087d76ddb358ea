//! What was archived does not come back by the words that it rested on; new words bring it back.

use crate::standing::{Sources, evidence, sources_of};
use jiff::tz::TimeZone;
use nidra_core::text::redact;
use nidra_core::text::similarity::similarity;
use nidra_core::{Change, Evidence, Operation};
use nidra_memory::archived::ArchivedEntry;
use nidra_memory::store::Tombstone;

/// How alike two wordings of the same entry are at least.
pub(crate) const SAME: f64 = 0.8;

/// The tombstones of what these operations archive.
pub(crate) fn of(operations: &[Operation], sources: &Sources) -> Vec<Tombstone> {
    operations
        .iter()
        .filter_map(|operation| match &operation.change {
            Change::Archive { target } => Some(Tombstone {
                entry: target.entry.clone(),
                path: target.path.clone(),
                text: redact::redact(&target.text),
                evidence: evidence(&sources_of(sources, &target.entry)).into_iter().cloned().collect(),
            }),
            _ => None,
        })
        .collect()
}

/// Why an operation would only bring back what was archived; `None` when it says something else, or rests on new words.
pub(crate) fn fault(operation: &Operation, tombstones: &[Tombstone]) -> Option<String> {
    let added: Vec<&str> = match &operation.change {
        Change::Create { entries, .. } => entries.iter().map(String::as_str).collect(),
        Change::Append { text, .. } => vec![text],
        _ => return None,
    };
    let buries = |text: &str| {
        tombstones.iter().any(|tombstone| {
            let is_old = |one: &Evidence| tombstone.evidence.iter().any(|old| same_words(one, old));
            !operation.evidence.is_empty()
                && operation.evidence.iter().all(is_old)
                && similarity(text, &tombstone.text) >= SAME
        })
    };
    (!added.is_empty() && added.iter().all(|text| buries(text)))
        .then(|| "it was archived before, and nobody has said it again since".to_owned())
}

/// Why an operation would only bring back what the archive says was taken out by a run of which nothing else is known any
/// more: its words are no younger than the archive's. `None` when it says something else, or rests on newer words.
pub(crate) fn archive_fault(
    operation: &Operation,
    lost: &[ArchivedEntry],
    zone: &TimeZone,
) -> Option<String> {
    let added: Vec<&str> = match &operation.change {
        Change::Create { entries, .. } => entries.iter().map(String::as_str).collect(),
        Change::Append { text, .. } => vec![text],
        _ => return None,
    };
    let newest = operation.evidence.iter().map(|evidence| evidence.at).collect::<Option<Vec<_>>>()?;
    let newest = newest.into_iter().max()?.to_zoned_datetime(zone.clone()).date().to_string();
    // Days are written so that their order is that of their letters.
    let buries =
        |text: &str| lost.iter().any(|entry| entry.date >= newest && similarity(text, &entry.text) >= SAME);
    (!added.is_empty() && added.iter().all(|text| buries(text)))
        .then(|| "the archive says that it was taken out, and nobody has said it again since".to_owned())
}

/// Whether two pieces of evidence are the same words, also where a copy of the record has another identifier.
pub(crate) fn same_words(left: &Evidence, right: &Evidence) -> bool {
    left.source.record == right.source.record
        || left.at.is_some() && left.at == right.at && left.quote == right.quote
}
