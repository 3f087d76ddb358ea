//! What a person's words only say again: the entries of memory that hold the same already.

use crate::candidate::{ALREADY_KNOWN, Rejected};
use crate::phrase;
use crate::same::denied;
use crate::settle;
use crate::terms;
use nidra_core::{Evidence, MemoryView, Recurrence, Speaker, TrustRank};
use std::collections::BTreeSet;

/// The entries whose words stand in what was dropped because memory knows it. What only has a value in common with an
/// entry does not say it again.
pub(crate) fn recurrences(dropped: &[Rejected], memory: &MemoryView) -> Vec<Recurrence> {
    let mut known = None;
    dropped
        .iter()
        .filter(|rejected| rejected.reason == ALREADY_KNOWN)
        .filter_map(|rejected| {
            let known = known.get_or_insert_with(|| {
                memory
                    .entries()
                    .map(|(topic, entry)| {
                        (topic, entry, phrase::plain(&entry.text), terms::terms(&entry.text))
                    })
                    .collect::<Vec<_>>()
            });
            let about = terms::terms(&rejected.text);
            let plain = phrase::plain(&rejected.text);
            let (topic, entry, ..) = known.iter().find(|(_, entry, words, terms)| {
                words.contains(plain.trim()) || is_told(&rejected.text, &about, &entry.text, terms)
            })?;
            Some(Recurrence {
                path: topic.path.clone(),
                entry: entry.id.clone(),
                rank: rank(&rejected.evidence),
                evidence: rejected.evidence.clone(),
            })
        })
        .collect()
}

/// One recurrence for each entry, with each record once.
pub(crate) fn united(recurrences: impl IntoIterator<Item = Recurrence>) -> Vec<Recurrence> {
    let mut united: Vec<Recurrence> = Vec::new();
    for recurrence in recurrences {
        let Some(known) = united.iter_mut().find(|known| known.entry == recurrence.entry) else {
            united.push(recurrence);
            continue;
        };
        known.rank = known.rank.max(recurrence.rank);
        for evidence in recurrence.evidence {
            if !known.evidence.iter().any(|other| other.source.record == evidence.source.record) {
                known.evidence.push(evidence);
            }
        }
    }
    united
}

/// Whether an entry says what a text says: nearly all that the text is about, and the same values.
pub(crate) fn is_told(
    text: &str,
    about: &BTreeSet<String>,
    entry: &str,
    entry_terms: &BTreeSet<String>,
) -> bool {
    let shared = terms::shared(about, entry_terms);
    shared >= 3
        && shared * 10 >= about.len() * 9
        && settle::conflicting_value(entry, text, false).is_none()
        && !is_turned(text, entry)
}

/// Whether one text denies what the other asks for, and the other way round: `use pnpm, not npm` and `use npm, not pnpm`.
fn is_turned(left: &str, right: &str) -> bool {
    let (left, right) = (denied(left), denied(right));
    !left.is_empty() && !right.is_empty() && left.is_disjoint(&right)
}

/// How far words can be trusted, by who said them.
fn rank(evidence: &[Evidence]) -> TrustRank {
    let said = |speaker| evidence.iter().any(|one| one.speaker == speaker);
    match (said(Speaker::Human), said(Speaker::Agent), said(Speaker::Tool)) {
        (true, false, _) => TrustRank::HumanVerbatim,
        (true, true, _) => TrustRank::HumanConfirmed,
        (false, _, true) => TrustRank::Observed,
        (false, _, false) => TrustRank::AgentInferred,
    }
}

#[cfg(test)]
mod tests {
    use super::is_turned;

    #[test]
    fn a_reversal_is_no_repetition() {
        assert!(is_turned("use pnpm and not npm", "use npm and not pnpm"));
        assert!(is_turned("前端必须用 pnpm，不要用 npm", "前端必须用 npm，不要用 pnpm"));
        assert!(!is_turned("Always use pnpm, never npm.", "use pnpm here, not npm!"));
    }
}
