//! The rows about plans and proposals.

use super::values::{PlanRecord, PlanState, Time};
use super::{Store, StoreError};
use jiff::Timestamp;
use nidra_core::{PlanHash, ProjectId, RunId};
use rusqlite::{Connection, OptionalExtension as _, Row, params};

impl Store {
    /// Stores a plan, or its new state; body and base of a plan that is stored already stay.
    pub fn put_plan(&mut self, project: &ProjectId, plan: &PlanRecord) -> Result<(), StoreError> {
        self.write(|transaction| put_plan(transaction, project, plan, None))
    }

    /// A plan by its hash.
    pub fn plan(&self, project: &ProjectId, hash: &PlanHash) -> Result<Option<PlanRecord>, StoreError> {
        Ok(self.plans(project, None)?.into_iter().find(|plan| plan.hash == *hash))
    }

    /// The plans of a project in a state, or all of them, oldest first.
    pub fn plans(
        &self,
        project: &ProjectId,
        state: Option<PlanState>,
    ) -> Result<Vec<PlanRecord>, StoreError> {
        let rows: Vec<RawPlan> = self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT hash, base, created, state, body FROM plan
                 WHERE project = ?1 AND (?2 IS NULL OR state = ?2) ORDER BY created, hash",
            )?;
            statement.query_map(params![project.as_str(), state.map(PlanState::as_str)], read_plan)?.collect()
        })?;
        rows.into_iter().map(|row| self.understand_plan(row)).collect()
    }

    fn understand_plan(&self, row: RawPlan) -> Result<PlanRecord, StoreError> {
        let unknown = |what: &str| self.value_error(format!("{what} of plan {}", row.hash));
        Ok(PlanRecord {
            state: PlanState::parse(&row.state).ok_or_else(|| unknown("a state"))?,
            body: serde_json::from_str(&row.body).map_err(|_| unknown("the body"))?,
            hash: PlanHash::new(row.hash),
            base: row.base,
            created: row.created,
        })
    }
}

struct RawPlan {
    hash: String,
    base: String,
    created: Timestamp,
    state: String,
    body: String,
}

fn read_plan(row: &Row<'_>) -> rusqlite::Result<RawPlan> {
    Ok(RawPlan {
        hash: row.get(0)?,
        base: row.get(1)?,
        created: row.get::<_, Time>(2)?.0,
        state: row.get(3)?,
        body: row.get(4)?,
    })
}

pub(super) fn put_plan(
    connection: &Connection,
    project: &ProjectId,
    plan: &PlanRecord,
    run: Option<&RunId>,
) -> rusqlite::Result<()> {
    connection.execute(
        "INSERT INTO plan (hash, project, base, created, state, run, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
         ON CONFLICT (project, hash) DO UPDATE SET state = ?5",
        params![
            plan.hash.as_str(),
            project.as_str(),
            plan.base,
            Time(plan.created),
            plan.state.as_str(),
            run.map(RunId::as_str),
            plan.body.to_string(),
        ],
    )?;
    Ok(())
}

pub(super) fn read_plan_state(
    connection: &Connection,
    project: &ProjectId,
    hash: &PlanHash,
) -> rusqlite::Result<Option<String>> {
    connection
        .query_row(
            "SELECT state FROM plan WHERE project = ?1 AND hash = ?2",
            [project.as_str(), hash.as_str()],
            |row| row.get(0),
        )
        .optional()
}

/// Gives a plan back the state that it had; `None` removes it.
pub(super) fn reset_plan(
    connection: &Connection,
    project: &ProjectId,
    hash: &PlanHash,
    state: Option<PlanState>,
) -> rusqlite::Result<()> {
    match state {
        Some(state) => connection.execute(
            "UPDATE plan SET state = ?3 WHERE project = ?1 AND hash = ?2",
            [project.as_str(), hash.as_str(), state.as_str()],
        )?,
        None => connection.execute(
            "DELETE FROM plan WHERE project = ?1 AND hash = ?2",
            [project.as_str(), hash.as_str()],
        )?,
    };
    Ok(())
}
