//! What was decided before about an entry that somebody else than its writer finds out of date: offered to the user, or done and taken back. The same entry is not
//! brought up again on the same grounds; what the user rejected does not come back every night.

use crate::kept::KeptPlan;
use crate::report::RunReport;
use nidra_core::{Change, EntryId, PlanHash, ProjectId};
use nidra_memory::store::{PlanRecord, PlanState, Store, StoreError};
use std::collections::{HashMap, HashSet};

/// Undone runs that are remembered, the newest first.
const REMEMBERED_RUNS: u32 = 1_000;

/// The entries with the reasons for which archiving them was decided on. A reason says no more than what is known of the
/// entry, so that it changes with the evidence and not with the night.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offers {
    decided: HashSet<(EntryId, String)>,
    waiting: HashMap<EntryId, PlanHash>,
}

impl Offers {
    /// Takes these entries with these reasons for decided on.
    pub fn of(decided: impl IntoIterator<Item = (EntryId, String)>) -> Self {
        Self { decided: decided.into_iter().collect(), waiting: HashMap::new() }
    }

    /// Reads what was decided before: the operations of plans in whatever state, and of runs that the user took back.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn load(
        plans: &[(PlanRecord, KeptPlan)],
        store: &Store,
        project: &ProjectId,
    ) -> Result<Self, StoreError> {
        let mut offers = Self::default();
        for (record, kept) in plans {
            for operation in kept.operations() {
                let (Change::Archive { target } | Change::Rewrite { target, .. }) = &operation.change else {
                    continue;
                };
                if record.state == PlanState::Open {
                    offers.waiting.insert(target.entry.clone(), record.hash.clone());
                }
                offers.decided.insert((target.entry.clone(), operation.reason.clone()));
            }
        }
        let undone = store
            .undone_runs(project, REMEMBERED_RUNS)?
            .into_iter()
            .filter_map(|run| serde_json::from_value::<RunReport>(run.report).ok())
            .flat_map(|report| report.applied)
            .filter(|operation| matches!(operation.change.as_str(), "archive" | "rewrite"))
            .filter_map(|operation| Some((operation.entry?, operation.reason)));
        offers.decided.extend(undone);
        Ok(offers)
    }

    /// The plan in which a change of the entry waits for the user's word.
    pub fn waits(&self, entry: &EntryId) -> Option<&PlanHash> {
        self.waiting.get(entry)
    }

    /// Whether archiving the entry for this reason was decided on before.
    pub fn holds(&self, entry: &EntryId, reason: &str) -> bool {
        self.decided.contains(&(entry.clone(), reason.to_owned()))
    }
}
