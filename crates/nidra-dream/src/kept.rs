//! Plans that wait for the user's word, in the form in which they are stored.

use jiff::Timestamp;
use nidra_core::{Operation, Plan, PlanHash, ProjectId, Recurrence};
use nidra_memory::store::{PlanRecord, PlanState, Store, StoreError};
use nidra_sessions::Cursor;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The version of the stored form; a newer one is refused by name.
const VERSION: u32 = 1;

/// Where a kept plan comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// `nidra plan`: the sessions behind it count as read only once it is applied.
    Plan,
    /// What a run did not apply by itself; its sessions were read by that run.
    Proposal,
    /// Two statements of memory that exclude each other: its operations are the two answers, of which one at most is applied.
    Question,
}

/// A plan that waits for the user's word.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptPlan {
    /// The version of the form.
    pub version: u32,
    /// Where it comes from.
    pub origin: Origin,
    /// The engine that made it.
    pub engine: String,
    /// The operations, each checked when the plan was made, with the reason why it waits.
    pub plan: Plan,
    /// Why each operation waits, in the order of the operations.
    pub waits_because: Vec<String>,
    /// The cursors to store when it is applied.
    pub cursors: Vec<(PathBuf, Cursor)>,
    /// The records that count as consumed when it is applied.
    pub records: Vec<String>,
    /// What memory says already and those sessions say again; stored when it is applied.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recurrences: Vec<Recurrence>,
}

impl KeptPlan {
    /// A plan of operations that wait for these reasons; its sessions were read by the run that made it.
    pub fn new(origin: Origin, engine: &str, operations: Vec<Operation>, waits_because: Vec<String>) -> Self {
        Self {
            version: VERSION,
            origin,
            engine: engine.to_owned(),
            plan: Plan { operations },
            waits_because,
            cursors: Vec::new(),
            records: Vec::new(),
            recurrences: Vec::new(),
        }
    }

    /// The plan as it waits in the database; `base` is the hash of the memory that it was made for.
    pub fn opened(&self, base: &str, created: Timestamp) -> PlanRecord {
        PlanRecord {
            hash: self.hash(),
            base: base.to_owned(),
            created,
            state: PlanState::Open,
            body: serde_json::to_value(self).unwrap_or_default(),
        }
    }

    /// The hash that `apply` is bound to.
    pub fn hash(&self) -> PlanHash {
        self.plan.hash()
    }

    /// The operations.
    pub fn operations(&self) -> &[Operation] {
        &self.plan.operations
    }
}

/// A kept plan that is of no use any more.
#[derive(Debug, thiserror::Error)]
pub enum KeptError {
    /// It was stored in another form.
    #[error("it was stored by another version of nidra and cannot be read")]
    Format(#[from] serde_json::Error),
    /// Its operations are not those for which its name stands: somebody else wrote in the database.
    #[error(
        "its operations are not those that were kept under this name, so somebody changed them in the database; `nidra review --drop` drops it"
    )]
    Altered,
}

/// The plan of a record, as it was kept.
///
/// # Errors
/// When it cannot be read, or is not what was kept.
pub fn read(record: &PlanRecord) -> Result<KeptPlan, KeptError> {
    let kept: KeptPlan = serde_json::from_value(record.body.clone())?;
    if kept.hash() == record.hash { Ok(kept) } else { Err(KeptError::Altered) }
}

/// The plans of a project in whatever state. One that cannot be read as it was kept is left out.
///
/// # Errors
/// When the database cannot be read.
pub fn load(store: &Store, project: &ProjectId) -> Result<Vec<(PlanRecord, KeptPlan)>, StoreError> {
    let known = |record: PlanRecord| {
        let kept = read(&record).ok()?;
        Some((record, kept))
    };
    Ok(store.plans(project, None)?.into_iter().filter_map(known).collect())
}
