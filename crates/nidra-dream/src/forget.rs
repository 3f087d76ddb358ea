//! Forgetting: entries for which little speaks are archived, or offered to the user for that, once per change of evidence.

use crate::offers::Offers;
use crate::standing::{Sources, Weighed, evidence, sources_of};
use jiff::tz::TimeZone;
use nidra_core::settings::ForgetSettings;
use nidra_core::{Change, EntryId, Kind, Operation, OperationId, Target, TrustRank};
use nidra_rules::drift::Verdict;
use nidra_rules::importance::SignalName;
use nidra_rules::importance::ladder::{Step, climb};
use std::collections::BTreeSet;

/// Entries that one run archives or offers at most; the others come with the next run.
const MAX_FORGOTTEN: usize = 10;
/// Pieces of evidence that an operation shows, the newest first.
const MAX_EVIDENCE: usize = 5;

/// An entry that is to leave memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Forgotten {
    /// Its archiving.
    pub operation: Operation,
    /// It leaves only with the user's word, whatever the policy.
    pub needs_consent: bool,
}

/// The entries that leave memory, the least important first. What other operations of the run touch, what cannot be
/// edited, and what was decided on before stays.
pub fn forgotten(
    weighed: &[Weighed],
    sources: &Sources,
    settings: &ForgetSettings,
    offers: &Offers,
    touched: &BTreeSet<EntryId>,
    zone: &TimeZone,
) -> Vec<Forgotten> {
    let standings: Vec<_> = weighed.iter().map(|entry| entry.standing.clone()).collect();
    let steps = climb(&standings, settings);
    let mut leaving: Vec<&Weighed> = weighed
        .iter()
        .zip(steps)
        .filter(|(entry, step)| {
            matches!(step, Step::Archive(_)) && entry.editable && !touched.contains(&entry.entry)
        })
        .map(|(entry, _)| entry)
        .collect();
    leaving.sort_by(|left, right| left.standing.score.total.total_cmp(&right.standing.score.total));
    leaving
        .into_iter()
        .map(|entry| (entry, reason(entry, zone)))
        .filter(|(entry, reason)| !offers.holds(&entry.entry, reason))
        .take(MAX_FORGOTTEN)
        .enumerate()
        .map(|(number, (entry, reason))| Forgotten {
            operation: Operation {
                id: OperationId::new(format!("forget-{}", number + 1)),
                change: Change::Archive {
                    target: Target {
                        path: entry.path.clone(),
                        entry: entry.entry.clone(),
                        text: entry.text.clone(),
                    },
                },
                kind: entry.facts.kind.unwrap_or(Kind::Project),
                rank: TrustRank::Observed,
                reason,
                evidence: evidence(&sources_of(sources, &entry.entry))
                    .into_iter()
                    .take(MAX_EVIDENCE)
                    .cloned()
                    .collect(),
            },
            needs_consent: entry.standing.needs_consent(),
        })
        .collect()
}

/// Why an entry leaves memory, by what is known of it. The words change with its evidence and with the verdict of the
/// checkout, and with nothing else: neither the night nor the cause may bring a decided matter up again.
pub fn reason(entry: &Weighed, zone: &TimeZone) -> String {
    let mut grounds: Vec<String> = [SignalName::Trust, SignalName::Recurrence]
        .into_iter()
        .filter(|_| entry.facts.support.is_some())
        .filter_map(|name| entry.standing.score.signals.iter().find(|signal| signal.name == name))
        .map(|signal| signal.sentence.trim_end_matches('.').to_owned())
        .collect();
    if let Some(said) = entry.last_said {
        let verb = if entry.facts.support.is_some() { "said" } else { "changed" };
        grounds.push(format!("last {verb} on {}", said.to_zoned_datetime(zone.clone()).date()));
    }
    match entry.facts.verdict {
        Verdict::Fresh => grounds.push("the checkout bears it out".to_owned()),
        Verdict::Stale => grounds.push("the checkout does not bear it out".to_owned()),
        Verdict::Moved => grounds.push("what it names has moved".to_owned()),
        Verdict::Ambiguous | Verdict::NotCheckable => {}
    }
    format!("little speaks for it: {}", grounds.join("; "))
}

#[cfg(test)]
#[path = "forget_tests.rs"]
mod tests;
