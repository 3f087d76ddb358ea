//! What memory says already and was said again: a further source of its entry, and no change of memory.

use crate::report::RecurrenceReport;
use crate::turns::Turns;
use nidra_core::text::{redact, width};
use nidra_core::{Affect, EntryId, Evidence, MemoryView, Recurrence, Speaker};
use nidra_memory::store::{EntrySource, Relation};
use nidra_rules::importance::affect;
use std::collections::BTreeMap;

/// UTF-16 units of an entry that a report shows.
const SHOWN_UNITS: usize = 200;

/// Lets through what was really said again of what memory really says: once per entry, each record once. The agent reads
/// memory at its start, so that its own words alone prove nothing.
pub(crate) fn admit(
    found: impl IntoIterator<Item = Recurrence>,
    memory: &MemoryView,
    turns: &Turns<'_>,
) -> Vec<Recurrence> {
    let mut admitted: BTreeMap<EntryId, Recurrence> = BTreeMap::new();
    for mut recurrence in found {
        let is_there = memory
            .entries()
            .any(|(topic, entry)| topic.path == recurrence.path && entry.id == recurrence.entry);
        if !is_there || turns.fault(&mut recurrence.evidence).is_some() || !is_heard(&recurrence.evidence) {
            continue;
        }
        let known = admitted
            .entry(recurrence.entry.clone())
            .or_insert_with(|| Recurrence { evidence: Vec::new(), ..recurrence.clone() });
        known.rank = known.rank.max(recurrence.rank);
        for evidence in recurrence.evidence {
            let is_known = |other: &Evidence| other.source.record == evidence.source.record;
            if !known.evidence.iter().any(is_known) {
                known.evidence.push(evidence);
            }
        }
    }
    admitted.into_values().collect()
}

fn is_heard(evidence: &[Evidence]) -> bool {
    evidence.iter().any(|evidence| matches!(evidence.speaker, Speaker::Human | Speaker::Tool))
}

/// The further sources, as they are stored.
pub(crate) fn sources(recurrences: &[Recurrence], turns: Option<&Turns<'_>>) -> Vec<EntrySource> {
    recurrences
        .iter()
        .map(|recurrence| EntrySource {
            relation: Relation::Repeats,
            affect: feeling(&recurrence.evidence, turns),
            ..EntrySource::stating(
                recurrence.entry.clone(),
                recurrence.path.clone(),
                recurrence.evidence.clone(),
                recurrence.rank,
            )
        })
        .collect()
}

/// What a person's turns showed of their feeling: the whole turn where it is at hand, else the words that are quoted.
pub(crate) fn feeling(evidence: &[Evidence], turns: Option<&Turns<'_>>) -> Affect {
    evidence
        .iter()
        .filter(|evidence| evidence.speaker == Speaker::Human)
        .map(|evidence| {
            let turn = turns.and_then(|turns| turns.text(&evidence.source.record));
            affect::of(turn.unwrap_or(&evidence.quote))
        })
        .fold(Affect::default(), Affect::union)
}

/// What was said again, for a report.
pub(crate) fn report(recurrences: &[Recurrence], memory: &MemoryView) -> Vec<RecurrenceReport> {
    recurrences
        .iter()
        .filter_map(|recurrence| {
            let (_, entry) = memory.entries().find(|(_, entry)| entry.id == recurrence.entry)?;
            Some(RecurrenceReport {
                entry: recurrence.entry.clone(),
                path: recurrence.path.clone(),
                text: width::shorten(&redact::redact(&entry.text), SHOWN_UNITS),
                evidence: recurrence.evidence.clone(),
            })
        })
        .collect()
}
