//! Plans that wait for the user's word, in the form in which they are stored.

use nidra_core::{Operation, Plan, PlanHash, Recurrence};
use nidra_sessions::Cursor;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The version of the stored form; a newer one is refused by name.
pub const VERSION: u32 = 1;

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
    /// The hash that `apply` is bound to.
    pub fn hash(&self) -> PlanHash {
        self.plan.hash()
    }

    /// The operations.
    pub fn operations(&self) -> &[Operation] {
        &self.plan.operations
    }
}
