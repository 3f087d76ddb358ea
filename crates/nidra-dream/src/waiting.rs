//! What waits for the user's word, and what the user said no to: nothing is asked twice, what was rejected does not come
//! back by the same words whatever is undone, and newer words take an older question back.

use crate::kept::{KeptPlan, Origin};
use crate::settle::Decided;
use crate::tombstone::{SAME, same_words};
use jiff::Timestamp;
use nidra_core::text::similarity::similarity;
use nidra_core::{Change, EntryId, Operation, Plan, PlanHash};
use nidra_memory::store::{PlanRecord, PlanState};
use std::collections::HashSet;

/// The proposals of earlier runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Waiting {
    open: Vec<(PlanRecord, KeptPlan)>,
    rejected: Vec<(PlanHash, Operation)>,
}

impl Waiting {
    /// Sorts what earlier runs proposed. A plan that the user asked for is not among it: its sessions are still to be read,
    /// and dropping it rejects the plan, not what was said in them.
    pub fn of(plans: Vec<(PlanRecord, KeptPlan)>) -> Self {
        let mut found = Self::default();
        for (record, kept) in plans {
            match (kept.origin, record.state) {
                (Origin::Proposal | Origin::Question, PlanState::Open) => found.open.push((record, kept)),
                (Origin::Proposal, PlanState::Rejected) => {
                    let operations = kept.plan.operations.into_iter();
                    found.rejected.extend(operations.map(|operation| (record.hash.clone(), operation)));
                }
                (Origin::Proposal | Origin::Question | Origin::Plan, _) => {}
            }
        }
        found
    }

    /// Why an operation is not done: the user said no to it, and nobody has said it again since.
    pub(crate) fn rejects(&self, operation: &Operation) -> Option<String> {
        if operation.evidence.is_empty() {
            return None;
        }
        let rests_on = |earlier: &Operation| {
            operation.evidence.iter().all(|new| earlier.evidence.iter().any(|old| same_words(new, old)))
        };
        self.rejected
            .iter()
            .find(|(_, earlier)| says_the_same(&earlier.change, &operation.change) && rests_on(earlier))
            .map(|(plan, _)| {
                format!("you said no to it before (plan {plan}), and nobody has said it again since")
            })
    }

    /// Why an operation is not proposed: it waits already.
    pub(crate) fn holds(&self, operation: &Operation) -> Option<String> {
        let same = |waiting: &Operation| {
            targets(&waiting.change) == targets(&operation.change)
                && says_the_same(&waiting.change, &operation.change)
        };
        self.open
            .iter()
            .filter(|(_, kept)| kept.origin == Origin::Proposal)
            .find(|(_, kept)| kept.operations().iter().any(same))
            .map(|(record, _)| format!("it waits for your word already (plan {})", record.hash))
    }

    /// The plans that change because of what a run came to: a question about an entry ends when the entry was said again or
    /// when newer words ask about it, and what was applied is no question any more. The old plan is obsolete then, and
    /// what is left of it waits as a plan of its own.
    pub(crate) fn overtaken(&self, decided: &Decided, now: Timestamp) -> Vec<PlanRecord> {
        let said_again: HashSet<&EntryId> =
            decided.recurrences.iter().map(|recurrence| &recurrence.entry).collect();
        let newer: Vec<&Operation> =
            decided.accepted.iter().chain(decided.waiting.iter().map(|(operation, _)| operation)).collect();
        let ends = |operation: &Operation| {
            let target = targets(&operation.change);
            let forgets = operation.id.as_str().starts_with("forget-");
            (forgets && target.is_some_and(|entry| said_again.contains(entry)))
                || newer.iter().any(|newer| {
                    let replaces = matches!(newer.change, Change::Supersede { .. } | Change::Rewrite { .. });
                    (replaces && target.is_some() && target == targets(&newer.change))
                        || (target.is_none() && says_the_same(&operation.change, &newer.change))
                })
        };
        let mut changed = Vec::new();
        for (record, kept) in &self.open {
            let reasons = kept.operations().iter().zip(&kept.waits_because);
            let left: Vec<(&Operation, &String)> =
                reasons.filter(|(operation, _)| !ends(operation)).collect();
            if left.len() == kept.operations().len() {
                continue;
            }
            changed.push(PlanRecord { state: PlanState::Obsolete, ..record.clone() });
            if left.is_empty() || kept.origin == Origin::Question {
                continue;
            }
            let (operations, waits_because) =
                left.into_iter().map(|(operation, because)| (operation.clone(), because.clone())).unzip();
            let kept = KeptPlan { plan: Plan { operations }, waits_because, ..kept.clone() };
            changed.push(kept.opened(&record.base, now));
        }
        changed
    }
}

/// The existing entry that a change is about.
fn targets(change: &Change) -> Option<&EntryId> {
    change.target().map(|target| &target.entry)
}

/// Whether two changes state the same, perhaps in slightly other words; what differs in a number is something else, and so
/// are words that are meant for two files outside the memory directory.
fn says_the_same(left: &Change, right: &Change) -> bool {
    if let (Change::Propose { destination: one, .. }, Change::Propose { destination: other, .. }) =
        (left, right)
        && one != other
    {
        return false;
    }
    let (Some(left_words), Some(right_words)) = (stated(left), stated(right)) else {
        return left == right;
    };
    let numbers = |text: &str| -> Vec<String> {
        let numbers = text.split(|c: char| !c.is_ascii_digit()).filter(|number| !number.is_empty());
        numbers.map(str::to_owned).collect()
    };
    numbers(&left_words) == numbers(&right_words) && similarity(&left_words, &right_words) >= SAME
}

/// What a change states.
fn stated(change: &Change) -> Option<String> {
    match change {
        Change::Create { .. } | Change::Append { .. } | Change::Rewrite { .. } | Change::Supersede { .. } => {
            Some(change.statements().join(" "))
        }
        Change::Propose { text, .. } => Some(text.clone()),
        Change::Archive { .. } | Change::Retitle { .. } | Change::Relink { .. } | Change::Unlink { .. } => {
            None
        }
    }
}
