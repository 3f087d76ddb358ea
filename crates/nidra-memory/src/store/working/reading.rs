//! Tasks as they are read. A year leaves ten thousand of them, of which few are open, so what is asked for most – what is
//! open, what came last – is read by the index of states and never by going through all.

use super::super::values::Time;
use super::super::{Store, StoreError};
use super::{DecisionPoint, TaskEvent, TaskRecord, TaskState};
use jiff::Timestamp;
use nidra_core::ProjectId;
use rusqlite::{Connection, OptionalExtension as _, Row, params};
use std::collections::BTreeMap;

/// Which tasks are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskSelection {
    /// Those that are open.
    Open,
    /// Those that are closed.
    Closed,
    /// All.
    All,
}

/// A decision that was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakenDecision {
    /// The task that it belongs to.
    pub task: String,
    /// The decision.
    pub decision: DecisionPoint,
}

impl TakenDecision {
    fn of((task, decision): (String, DecisionPoint)) -> Self {
        Self { task, decision }
    }
}

/// The round in which a project is (`?1`); 0 before the first.
pub(super) const ROUND: &str = "coalesce((SELECT number FROM working_round WHERE project = ?1), 0)";

/// The columns of a task.
fn columns() -> String {
    format!("id, goal, next_step, state, coalesce({ROUND} - since, stale), created, changed, closed, outcome")
}

/// The columns of a decision.
fn decision_columns() -> String {
    format!(
        "task_decision.task, task_decision.number, question, asked, coalesce({ROUND} - task_decision.since, rounds),
         choice, reason, alternatives, decided"
    )
}

/// Open tasks. Without the hint all tasks of the project would be read, since few of them being open is nothing that
/// SQLite knows.
const OPEN: &str = "FROM task INDEXED BY task_open WHERE project = ?1 AND state = 'open'";

impl Store {
    /// A task.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn task(&self, project: &ProjectId, id: &str) -> Result<Option<TaskRecord>, StoreError> {
        self.read(|connection| read_task(connection, project, id))
    }

    /// Tasks, the stalest first, then those that changed last.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn tasks(&self, project: &ProjectId, which: TaskSelection) -> Result<Vec<TaskRecord>, StoreError> {
        let from = match which {
            TaskSelection::Open => OPEN,
            TaskSelection::Closed => "FROM task WHERE project = ?1 AND state = 'closed'",
            TaskSelection::All => "FROM task WHERE project = ?1",
        };
        self.read(|connection| {
            let mut tasks = read_tasks(connection, project, from)?;
            // One question for each of a few tasks is cheaper than all decisions of a year.
            if tasks.len() <= 64 {
                for task in &mut tasks {
                    complete(connection, project, task)?;
                }
            } else {
                complete_all(connection, project, &mut tasks)?;
            }
            by_staleness(&mut tasks);
            Ok(tasks)
        })
    }

    /// The open tasks with what waits in them: decisions that are taken and links are left out. The stalest come first,
    /// then those that changed last.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn tasks_at_hand(&self, project: &ProjectId) -> Result<Vec<TaskRecord>, StoreError> {
        self.read(|connection| {
            let mut tasks = read_tasks(connection, project, OPEN)?;
            let from =
                "FROM task_decision INDEXED BY task_decision_open WHERE project = ?1 AND decided IS NULL";
            take_decisions(connection, project, from, &mut tasks)?;
            by_staleness(&mut tasks);
            Ok(tasks)
        })
    }

    /// The closed tasks that changed last, without decisions and links, the latest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn closed_last(&self, project: &ProjectId, count: usize) -> Result<Vec<TaskRecord>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(&format!(
                "SELECT {} FROM task INDEXED BY task_closed WHERE project = ?1 AND state = 'closed'
                 ORDER BY changed DESC LIMIT ?2",
                columns(),
            ))?;
            let count = i64::try_from(count).unwrap_or(i64::MAX);
            statement.query_map(params![project.as_str(), count], task_of)?.collect()
        })
    }

    /// The closed tasks that changed since a moment, without decisions and links, the latest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn closed_since(&self, project: &ProjectId, since: Timestamp) -> Result<Vec<TaskRecord>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(&format!(
                "SELECT {} FROM task INDEXED BY task_closed
                 WHERE project = ?1 AND state = 'closed' AND changed >= ?2 ORDER BY changed DESC",
                columns(),
            ))?;
            statement.query_map(params![project.as_str(), Time(since)], task_of)?.collect()
        })
    }

    /// All decisions that were taken, by task.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn decisions_taken(&self, project: &ProjectId) -> Result<Vec<TakenDecision>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(&format!(
                "SELECT {} FROM task_decision WHERE project = ?1 AND decided IS NOT NULL
                 ORDER BY task, number",
                decision_columns(),
            ))?;
            statement.query_map([project.as_str()], |row| decision_of(row).map(TakenDecision::of))?.collect()
        })
    }

    /// The decisions that were taken last, the latest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn decisions_taken_last(
        &self,
        project: &ProjectId,
        count: usize,
    ) -> Result<Vec<TakenDecision>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(&format!(
                "SELECT {} FROM task_decision INDEXED BY task_decision_taken
                 WHERE project = ?1 AND decided IS NOT NULL ORDER BY decided DESC, task, number LIMIT ?2",
                decision_columns(),
            ))?;
            let count = i64::try_from(count).unwrap_or(i64::MAX);
            let rows = statement.query_map(params![project.as_str(), count], decision_of)?;
            rows.map(|row| row.map(TakenDecision::of)).collect()
        })
    }

    /// What happened to a task, the oldest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn task_events(&self, project: &ProjectId, id: &str) -> Result<Vec<TaskEvent>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT at, kind, text FROM task_event WHERE project = ?1 AND task = ?2 ORDER BY number",
            )?;
            let rows = statement.query_map([project.as_str(), id], |row| {
                Ok(TaskEvent { at: row.get::<_, Time>(0)?.0, kind: row.get(1)?, text: row.get(2)? })
            })?;
            rows.collect()
        })
    }

    /// How many rounds there were, and when the last one was.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn round(&self, project: &ProjectId) -> Result<Option<(u32, Timestamp)>, StoreError> {
        self.read(|connection| {
            connection
                .query_row(
                    "SELECT number, at FROM working_round WHERE project = ?1",
                    [project.as_str()],
                    |row| Ok((row.get(0)?, row.get::<_, Time>(1)?.0)),
                )
                .optional()
        })
    }
}

pub(super) fn read_task(
    connection: &Connection,
    project: &ProjectId,
    id: &str,
) -> rusqlite::Result<Option<TaskRecord>> {
    let mut statement = connection
        .prepare_cached(&format!("SELECT {} FROM task WHERE project = ?1 AND id = ?2", columns()))?;
    let Some(mut task) = statement.query_row([project.as_str(), id], task_of).optional()? else {
        return Ok(None);
    };
    complete(connection, project, &mut task)?;
    Ok(Some(task))
}

fn read_tasks(connection: &Connection, project: &ProjectId, from: &str) -> rusqlite::Result<Vec<TaskRecord>> {
    let mut statement = connection.prepare_cached(&format!("SELECT {} {from}", columns()))?;
    statement.query_map([project.as_str()], task_of)?.collect()
}

fn by_staleness(tasks: &mut [TaskRecord]) {
    tasks.sort_by(|one, two| (two.stale, two.changed, &one.id).cmp(&(one.stale, one.changed, &two.id)));
}

/// Adds decisions and links to one task.
fn complete(connection: &Connection, project: &ProjectId, task: &mut TaskRecord) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {} FROM task_decision WHERE project = ?1 AND task = ?2 ORDER BY number",
        decision_columns(),
    ))?;
    let rows = statement.query_map([project.as_str(), &task.id], decision_of)?;
    task.decisions = rows.map(|row| row.map(|(_, decision)| decision)).collect::<Result<_, _>>()?;
    let mut statement = connection
        .prepare_cached("SELECT entry FROM task_link WHERE project = ?1 AND task = ?2 ORDER BY entry")?;
    task.links =
        statement.query_map([project.as_str(), &task.id], |row| row.get(0))?.collect::<Result<_, _>>()?;
    Ok(())
}

/// Adds decisions and links to many tasks.
fn complete_all(
    connection: &Connection,
    project: &ProjectId,
    tasks: &mut [TaskRecord],
) -> rusqlite::Result<()> {
    take_decisions(connection, project, "FROM task_decision WHERE project = ?1", tasks)?;
    let mut places = places(tasks);
    let mut statement = connection
        .prepare_cached("SELECT task, entry FROM task_link WHERE project = ?1 ORDER BY task, entry")?;
    for row in statement.query_map([project.as_str()], |row| Ok((row.get::<_, String>(0)?, row.get(1)?)))? {
        let (task, entry) = row?;
        if let Some(place) = places.get_mut(&task) {
            place.links.push(entry);
        }
    }
    Ok(())
}

/// Adds some of the project's decisions to the tasks that they belong to.
fn take_decisions(
    connection: &Connection,
    project: &ProjectId,
    from: &str,
    tasks: &mut [TaskRecord],
) -> rusqlite::Result<()> {
    let mut places = places(tasks);
    let mut statement =
        connection.prepare_cached(&format!("SELECT {} {from} ORDER BY task, number", decision_columns()))?;
    for row in statement.query_map([project.as_str()], decision_of)? {
        let (task, decision) = row?;
        if let Some(place) = places.get_mut(&task) {
            place.decisions.push(decision);
        }
    }
    Ok(())
}

fn places(tasks: &mut [TaskRecord]) -> BTreeMap<String, &mut TaskRecord> {
    tasks.iter_mut().map(|task| (task.id.clone(), task)).collect()
}

fn task_of(row: &Row<'_>) -> rusqlite::Result<TaskRecord> {
    let state: String = row.get(3)?;
    Ok(TaskRecord {
        id: row.get(0)?,
        goal: row.get(1)?,
        next_step: row.get(2)?,
        state: if state == "open" { TaskState::Open } else { TaskState::Closed },
        stale: row.get(4)?,
        created: row.get::<_, Time>(5)?.0,
        changed: row.get::<_, Time>(6)?.0,
        closed: row.get::<_, Option<Time>>(7)?.map(|time| time.0),
        outcome: row.get(8)?,
        decisions: Vec::new(),
        links: Vec::new(),
    })
}

/// A decision and its task.
fn decision_of(row: &Row<'_>) -> rusqlite::Result<(String, DecisionPoint)> {
    let alternatives: String = row.get(7)?;
    let decision = DecisionPoint {
        number: row.get(1)?,
        question: row.get(2)?,
        asked: row.get::<_, Time>(3)?.0,
        rounds: row.get(4)?,
        choice: row.get(5)?,
        reason: row.get(6)?,
        alternatives: serde_json::from_str(&alternatives).unwrap_or_default(),
        decided: row.get::<_, Option<Time>>(8)?.map(|time| time.0),
    };
    Ok((row.get(0)?, decision))
}
