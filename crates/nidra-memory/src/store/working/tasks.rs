//! Tasks in the database.

use super::super::values::Time;
use super::super::{Store, StoreError};
use super::reading::{ROUND, read_task};
use super::{TaskRecord, TaskState};
use jiff::Timestamp;
use nidra_core::ProjectId;
use rusqlite::{Transaction, params};

/// What became of a registration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Registration {
    /// The task is new.
    New(TaskRecord),
    /// It is there already, with the same goal and next step; nothing changed.
    Same(TaskRecord),
    /// There is another one of this name; nothing changed.
    Taken(TaskRecord),
}

/// What becomes of a task in one call; everything together or nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskChange {
    /// The step is done; the next one, where it is known.
    pub advance: Option<Option<String>>,
    /// Something has to be decided.
    pub ask: Option<String>,
    /// Something was decided.
    pub decide: Option<Decide>,
    /// Something to remember.
    pub note: Option<String>,
    /// A new goal.
    pub goal: Option<String>,
    /// Entries of memory that it has to do with.
    pub link: Vec<String>,
    /// Entries that it has nothing to do with after all.
    pub unlink: Vec<String>,
    /// It is done, with what came of it.
    pub close: Option<Option<String>>,
    /// It goes on after it was closed.
    pub reopen: bool,
}

/// A decision that was taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decide {
    /// Which decision; the oldest open one where none is named.
    pub number: Option<u32>,
    /// What was chosen.
    pub choice: Option<String>,
    /// Why.
    pub reason: Option<String>,
    /// What else there was.
    pub alternatives: Vec<String>,
}

/// What became of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskOutcome {
    /// The task as it is now.
    Changed(Box<TaskRecord>),
    /// There is no such task.
    Unknown,
    /// It is closed, and only an open one can be changed so.
    Closed,
    /// It is open, and only a closed one can be reopened.
    Open,
    /// There is no open decision of this number, or none at all and no words to make one of.
    NoDecision,
}

/// What a round came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aged {
    /// The number of the round.
    pub round: u32,
    /// Open tasks that became a round older.
    pub tasks: u32,
    /// Open decisions that did.
    pub decisions: u32,
}

impl Store {
    /// Registers a task.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn register_task(
        &mut self,
        project: &ProjectId,
        id: &str,
        goal: &str,
        next_step: &str,
        now: Timestamp,
    ) -> Result<Registration, StoreError> {
        self.write(|transaction| {
            if let Some(task) = read_task(transaction, project, id)? {
                let same = task.goal == goal && task.next_step == next_step && task.state == TaskState::Open;
                return Ok(if same { Registration::Same(task) } else { Registration::Taken(task) });
            }
            transaction
                .prepare_cached(&format!(
                    "INSERT INTO task (project, id, goal, next_step, state, created, changed, since)
                     VALUES (?1, ?2, ?3, ?4, 'open', ?5, ?5, {ROUND})"
                ))?
                .execute(params![project.as_str(), id, goal, next_step, Time(now)])?;
            add_event(transaction, project, id, now, "registered", goal)?;
            Ok(Registration::New(TaskRecord {
                id: id.to_owned(),
                goal: goal.to_owned(),
                next_step: next_step.to_owned(),
                state: TaskState::Open,
                stale: 0,
                created: now,
                changed: now,
                closed: None,
                outcome: None,
                decisions: Vec::new(),
                links: Vec::new(),
            }))
        })
    }

    /// Changes a task.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn change_task(
        &mut self,
        project: &ProjectId,
        id: &str,
        change: &TaskChange,
        now: Timestamp,
    ) -> Result<TaskOutcome, StoreError> {
        self.write(|transaction| {
            let Some(task) = read_task(transaction, project, id)? else { return Ok(TaskOutcome::Unknown) };
            match (change.reopen, task.state) {
                (true, TaskState::Open) => return Ok(TaskOutcome::Open),
                (false, TaskState::Closed) if *change != notes_only(change) => {
                    return Ok(TaskOutcome::Closed);
                }
                _ => {}
            }
            if let Some(decide) = &change.decide
                && !take_decision(transaction, project, &task, decide, now)?
            {
                return Ok(TaskOutcome::NoDecision);
            }
            apply(transaction, project, &task, change, now)?;
            let changed = read_task(transaction, project, id)?;
            Ok(changed.map_or(TaskOutcome::Unknown, |task| TaskOutcome::Changed(Box::new(task))))
        })
    }

    /// Makes all open tasks and decisions of a project a round older: they count from a round, so that is one row.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn age_tasks(&mut self, project: &ProjectId, now: Timestamp) -> Result<Aged, StoreError> {
        self.write(|transaction| {
            let decisions = transaction.query_row(
                "SELECT count(*) FROM task_decision INDEXED BY task_decision_open
                 WHERE project = ?1 AND decided IS NULL
                 AND task IN (SELECT id FROM task WHERE project = ?1 AND state = 'open')",
                [project.as_str()],
                |row| row.get(0),
            )?;
            let tasks = transaction.query_row(
                "SELECT count(*) FROM task INDEXED BY task_open WHERE project = ?1 AND state = 'open'",
                [project.as_str()],
                |row| row.get(0),
            )?;
            let round = transaction.query_row(
                "INSERT INTO working_round (project, number, at) VALUES (?1, 1, ?2)
                 ON CONFLICT (project) DO UPDATE SET number = number + 1, at = ?2 RETURNING number",
                params![project.as_str(), Time(now)],
                |row| row.get(0),
            )?;
            Ok(Aged { round, tasks, decisions })
        })
    }
}

/// The part of a change that a closed task allows as well.
fn notes_only(change: &TaskChange) -> TaskChange {
    TaskChange {
        note: change.note.clone(),
        link: change.link.clone(),
        unlink: change.unlink.clone(),
        ..TaskChange::default()
    }
}

fn apply(
    transaction: &Transaction<'_>,
    project: &ProjectId,
    task: &TaskRecord,
    change: &TaskChange,
    now: Timestamp,
) -> rusqlite::Result<()> {
    let event = |kind: &str, text: &str| add_event(transaction, project, &task.id, now, kind, text);
    let set = |assignments: &str, value: &dyn rusqlite::ToSql| {
        transaction.execute(
            &format!("UPDATE task SET {assignments} WHERE project = ?1 AND id = ?2"),
            params![project.as_str(), task.id, value],
        )
    };
    // The open decisions of a task grow older with it: they stop when it is closed, and go on when it is reopened.
    let set_open_decisions = |assignments: &str| {
        transaction.execute(
            &format!(
                "UPDATE task_decision SET {assignments} WHERE project = ?1 AND task = ?2 AND decided IS NULL"
            ),
            params![project.as_str(), task.id],
        )
    };
    if change.reopen {
        transaction.execute(
            &format!(
                "UPDATE task SET state = 'open', closed = NULL, outcome = NULL, since = {ROUND}
                 WHERE project = ?1 AND id = ?2"
            ),
            params![project.as_str(), task.id],
        )?;
        set_open_decisions(&format!("since = {ROUND} - rounds"))?;
        event("reopened", "")?;
    }
    if let Some(goal) = &change.goal {
        set("goal = ?3", goal)?;
        event("goal", goal)?;
    }
    if let Some(next) = &change.advance {
        event("step", &task.next_step)?;
        set(&format!("since = {ROUND}, next_step = ?3"), &next.clone().unwrap_or_default())?;
    }
    if let Some(question) = &change.ask {
        add_decision(transaction, project, &task.id, question, now)?;
        event("asked", question)?;
    }
    if let Some(note) = &change.note {
        event("note", note)?;
    }
    for entry in &change.link {
        transaction.execute(
            "INSERT OR IGNORE INTO task_link (project, task, entry) VALUES (?1, ?2, ?3)",
            [project.as_str(), &task.id, entry],
        )?;
    }
    for entry in &change.unlink {
        transaction.execute(
            "DELETE FROM task_link WHERE project = ?1 AND task = ?2 AND entry = ?3",
            [project.as_str(), &task.id, entry],
        )?;
    }
    if let Some(outcome) = &change.close {
        let rest = format!("state = 'closed', stale = coalesce({ROUND} - since, stale), since = NULL");
        set(&format!("{rest}, outcome = ?3"), outcome)?;
        set("closed = ?3", &Time(now))?;
        set_open_decisions(&format!("rounds = coalesce({ROUND} - since, rounds), since = NULL"))?;
        event("closed", outcome.as_deref().unwrap_or_default())?;
    }
    set("changed = ?3", &Time(now))?;
    Ok(())
}

/// Takes the decision that is meant; one that was never open is recorded as taken. `false` when none is meant.
fn take_decision(
    transaction: &Transaction<'_>,
    project: &ProjectId,
    task: &TaskRecord,
    decide: &Decide,
    now: Timestamp,
) -> rusqlite::Result<bool> {
    let open = task
        .open_decisions()
        .find(|decision| decide.number.is_none_or(|number| number == decision.number))
        .map(|decision| decision.number);
    let number = match (open, decide.number, &decide.choice) {
        (Some(number), ..) => number,
        (None, None, Some(choice)) => add_decision(transaction, project, &task.id, choice, now)?,
        (None, ..) => return Ok(false),
    };
    let alternatives = serde_json::Value::from(decide.alternatives.clone()).to_string();
    transaction.execute(
        &format!(
            "UPDATE task_decision SET choice = ?4, reason = ?5, alternatives = ?6, decided = ?7,
                 rounds = coalesce({ROUND} - since, rounds), since = NULL
             WHERE project = ?1 AND task = ?2 AND number = ?3"
        ),
        params![project.as_str(), task.id, number, decide.choice, decide.reason, alternatives, Time(now)],
    )?;
    add_event(transaction, project, &task.id, now, "decided", decide.choice.as_deref().unwrap_or_default())?;
    Ok(true)
}

fn add_decision(
    transaction: &Transaction<'_>,
    project: &ProjectId,
    task: &str,
    question: &str,
    now: Timestamp,
) -> rusqlite::Result<u32> {
    transaction.query_row(
        &format!(
            "INSERT INTO task_decision (project, task, number, question, asked, since)
             SELECT ?1, ?2, coalesce(max(number), 0) + 1, ?3, ?4, {ROUND}
             FROM task_decision WHERE project = ?1 AND task = ?2 RETURNING number"
        ),
        params![project.as_str(), task, question, Time(now)],
        |row| row.get(0),
    )
}

fn add_event(
    transaction: &Transaction<'_>,
    project: &ProjectId,
    task: &str,
    now: Timestamp,
    kind: &str,
    text: &str,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "INSERT INTO task_event (project, task, number, at, kind, text)
             SELECT ?1, ?2, coalesce(max(number), 0) + 1, ?3, ?4, ?5 FROM task_event WHERE project = ?1 AND task = ?2",
        )?
        .execute(params![project.as_str(), task, Time(now), kind, text])?;
    Ok(())
}
