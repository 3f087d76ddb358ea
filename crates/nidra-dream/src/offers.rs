//! What was decided before about an entry that somebody else than its writer finds out of date: offered to the user, or done and taken back. The same entry is not
//! brought up again on the same grounds; what the user rejected does not come back every night.

use crate::kept::KeptPlan;
use crate::report::RunReport;
use nidra_core::{Change, EntryId, ProjectId};
use nidra_memory::store::{Store, StoreError};
use std::collections::HashSet;

/// Undone runs that are remembered, the newest first.
const REMEMBERED_RUNS: u32 = 1_000;

/// The entries with the reasons for which archiving them was decided on. A reason says no more than what is known of the
/// entry, so that it changes with the evidence and not with the night.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offers(HashSet<(EntryId, String)>);

impl Offers {
    /// Takes these entries with these reasons for decided on.
    pub fn of(decided: impl IntoIterator<Item = (EntryId, String)>) -> Self {
        Self(decided.into_iter().collect())
    }

    /// Reads what was decided before: the operations of plans in whatever state, and of runs that the user took back.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn load(store: &Store, project: &ProjectId) -> Result<Self, StoreError> {
        let planned = store
            .plans(project, None)?
            .into_iter()
            .filter_map(|plan| serde_json::from_value::<KeptPlan>(plan.body).ok())
            .flat_map(|plan| plan.plan.operations)
            .filter_map(|operation| match operation.change {
                Change::Archive { target } | Change::Rewrite { target, .. } => {
                    Some((target.entry, operation.reason))
                }
                _ => None,
            });
        let undone = store
            .undone_runs(project, REMEMBERED_RUNS)?
            .into_iter()
            .filter_map(|run| serde_json::from_value::<RunReport>(run.report).ok())
            .flat_map(|report| report.applied)
            .filter(|operation| matches!(operation.change.as_str(), "archive" | "rewrite"))
            .filter_map(|operation| Some((operation.entry?, operation.reason)));
        Ok(Self::of(planned.chain(undone)))
    }

    /// Whether archiving the entry for this reason was decided on before.
    pub fn holds(&self, entry: &EntryId, reason: &str) -> bool {
        self.0.contains(&(entry.clone(), reason.to_owned()))
    }
}
