//! The rows about runs: one for each, of any kind and outcome.

use super::values::{BeforeRun, FileChangeRecord, RunRecord, RunState, Time};
use super::{Store, StoreError};
use crate::objects::ObjectId;
use jiff::Timestamp;
use nidra_core::{PlanHash, ProjectId, RunId};
use rusqlite::{Connection, OptionalExtension as _, Row, ToSql, params};
use std::collections::HashSet;

const COLUMNS: &str = "id, project, started, finished, state, engine, trigger, plan_hash, counts, report, error, \
                       snapshot, undoes, undone_by";

impl Store {
    /// Records a run as it is; an earlier record of the same run is replaced, except that what a committed
    /// run needs for its undo stays. Runs that begin are recorded after their lease was taken.
    pub fn put_run(&mut self, run: &RunRecord) -> Result<(), StoreError> {
        self.write(|transaction| put_run(transaction, run))
    }

    /// A run.
    pub fn run(&self, id: &RunId) -> Result<Option<RunRecord>, StoreError> {
        let row = self.read(|connection| {
            connection
                .query_row(&format!("SELECT {COLUMNS} FROM run WHERE id = ?1"), [id.as_str()], read_run)
                .optional()
        })?;
        row.map(|row| self.understand(row)).transpose()
    }

    /// The newest runs of a project, newest first.
    pub fn runs(&self, project: &ProjectId, at_most: u32) -> Result<Vec<RunRecord>, StoreError> {
        self.newest_runs("project = ?2", params![at_most, project.as_str()])
    }

    /// The identifiers of all runs of all projects.
    pub fn known_runs(&self) -> Result<HashSet<RunId>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached("SELECT id FROM run")?;
            let runs = statement.query_map([], |row| Ok(RunId::new(row.get::<_, String>(0)?)))?;
            runs.collect()
        })
    }

    /// The newest runs of a project that were taken back, newest first.
    pub fn undone_runs(&self, project: &ProjectId, at_most: u32) -> Result<Vec<RunRecord>, StoreError> {
        self.newest_runs("project = ?2 AND state = 'undone'", params![at_most, project.as_str()])
    }

    /// The newest run of a project that changed memory and is still in force.
    pub fn last_applied(&self, project: &ProjectId) -> Result<Option<RunRecord>, StoreError> {
        let condition = "project = ?2 AND state = 'applied' AND undoes IS NULL";
        Ok(self.newest_runs(condition, params![1, project.as_str()])?.into_iter().next())
    }

    /// The newest runs of a project whose identifier begins or ends with these characters, newest first.
    pub fn runs_called(
        &self,
        project: &ProjectId,
        part: &str,
        at_most: u32,
    ) -> Result<Vec<RunRecord>, StoreError> {
        let condition = "project = ?2 AND ?3 IN (substr(id, 1, length(?3)), substr(id, -length(?3)))";
        self.newest_runs(condition, params![at_most, project.as_str(), part])
    }

    /// The newest runs that fulfil a condition; the first parameter is how many at most.
    fn newest_runs(&self, condition: &str, parameters: &[&dyn ToSql]) -> Result<Vec<RunRecord>, StoreError> {
        let rows: Vec<RawRun> = self.read(|connection| {
            let mut statement = connection.prepare_cached(&format!(
                "SELECT {COLUMNS} FROM run WHERE {condition} ORDER BY started DESC, rowid DESC LIMIT ?1"
            ))?;
            statement.query_map(parameters, read_run)?.collect()
        })?;
        rows.into_iter().map(|row| self.understand(row)).collect()
    }

    /// The runs of a project that began and have not ended, as far as the database knows.
    pub fn running(&self, project: &ProjectId) -> Result<Vec<RunId>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT id FROM run WHERE project = ?1 AND state = 'running' ORDER BY started, rowid",
            )?;
            statement.query_map([project.as_str()], |row| row.get::<_, String>(0).map(RunId::new))?.collect()
        })
    }

    /// The files that a run changed, in the order in which it wrote them.
    pub fn file_changes(&self, run: &RunId) -> Result<Vec<FileChangeRecord>, StoreError> {
        let rows: Vec<(String, Option<String>, Option<String>)> = self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT path, before, after FROM file_change WHERE run = ?1 ORDER BY position",
            )?;
            statement.query_map([run.as_str()], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?.collect()
        })?;
        let object = |text: Option<String>| {
            text.map(|text| ObjectId::try_from(text).map_err(|error| self.value_error(error))).transpose()
        };
        rows.into_iter()
            .map(|(path, before, after)| {
                Ok(FileChangeRecord { path, before: object(before)?, after: object(after)? })
            })
            .collect()
    }

    /// Marks a run that ended without a word, and lets the next one begin without waiting.
    pub fn interrupt_run(
        &mut self,
        project: &ProjectId,
        run: &RunId,
        now: Timestamp,
        reason: &str,
    ) -> Result<(), StoreError> {
        self.write(|transaction| {
            transaction.execute(
                "INSERT INTO run (id, project, started, finished, state, engine, trigger, error)
                 VALUES (?1, ?2, ?3, ?3, 'interrupted', '', '', ?4)
                 ON CONFLICT (id) DO UPDATE SET state = 'interrupted', finished = ?3, error = ?4
                 WHERE state NOT IN ('applied', 'undone')",
                params![run.as_str(), project.as_str(), Time(now), reason],
            )?;
            transaction.execute(
                "INSERT INTO schedule (project, interrupted_run) VALUES (?1, ?2)
                 ON CONFLICT (project) DO UPDATE SET interrupted_run = ?2",
                [project.as_str(), run.as_str()],
            )?;
            Ok(())
        })
    }

    /// The directories of the memory directory that a run created, outermost first.
    pub(crate) fn created_directories(&self, run: &RunId) -> Result<Vec<String>, StoreError> {
        Ok(self.before_run(run)?.directories)
    }

    pub(super) fn before_run(&self, run: &RunId) -> Result<BeforeRun, StoreError> {
        let text: Option<String> = self.read(|connection| {
            connection
                .query_row("SELECT before FROM run WHERE id = ?1", [run.as_str()], |row| row.get(0))
                .optional()
        })?;
        serde_json::from_str(text.as_deref().unwrap_or("{}"))
            .map_err(|error| self.value_error(format!("a state before run {run} ({error})")))
    }

    fn understand(&self, row: RawRun) -> Result<RunRecord, StoreError> {
        let state = RunState::parse(&row.state)
            .ok_or_else(|| self.value_error(format!("a state `{}` of run {}", row.state, row.run.id)))?;
        let json = |text: &str| {
            serde_json::from_str(text)
                .map_err(|error| self.value_error(format!("a report of run {} ({error})", row.run.id)))
        };
        let snapshot = row
            .snapshot
            .map(|text| ObjectId::try_from(text).map_err(|error| self.value_error(error)))
            .transpose()?;
        Ok(RunRecord { state, counts: json(&row.counts)?, report: json(&row.report)?, snapshot, ..row.run })
    }
}

/// A row whose texts are not understood yet.
struct RawRun {
    run: RunRecord,
    state: String,
    counts: String,
    report: String,
    snapshot: Option<String>,
}

fn read_run(row: &Row<'_>) -> rusqlite::Result<RawRun> {
    let mut run = RunRecord::begin(
        RunId::new(row.get::<_, String>(0)?),
        ProjectId::new(row.get::<_, String>(1)?),
        row.get::<_, Time>(2)?.0,
        row.get::<_, String>(5)?,
        row.get::<_, String>(6)?,
    );
    run.finished = row.get::<_, Option<Time>>(3)?.map(|time| time.0);
    run.plan_hash = row.get::<_, Option<String>>(7)?.map(PlanHash::new);
    run.error = row.get(10)?;
    run.undoes = row.get::<_, Option<String>>(12)?.map(RunId::new);
    run.undone_by = row.get::<_, Option<String>>(13)?.map(RunId::new);
    Ok(RawRun { run, state: row.get(4)?, counts: row.get(8)?, report: row.get(9)?, snapshot: row.get(11)? })
}

pub(super) fn put_run(connection: &Connection, run: &RunRecord) -> rusqlite::Result<()> {
    connection.execute(
        "INSERT INTO run (id, project, started, finished, state, engine, trigger, plan_hash, counts, report, error,
                          snapshot, undoes, undone_by)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
         ON CONFLICT (id) DO UPDATE SET
             started = ?3, finished = ?4, state = ?5, engine = ?6, trigger = ?7, plan_hash = ?8, counts = ?9,
             report = ?10, error = ?11, snapshot = ?12, undoes = ?13, undone_by = ?14",
        params![
            run.id.as_str(),
            run.project.as_str(),
            Time(run.started),
            run.finished.map(Time),
            run.state.as_str(),
            run.engine,
            run.trigger,
            run.plan_hash.as_ref().map(PlanHash::as_str),
            run.counts.to_string(),
            run.report.to_string(),
            run.error,
            run.snapshot.as_ref().map(ObjectId::as_str),
            run.undoes.as_ref().map(RunId::as_str),
            run.undone_by.as_ref().map(RunId::as_str),
        ],
    )?;
    Ok(())
}
