//! Topics of the talk in the database.

use super::super::values::Time;
use super::super::{Store, StoreError};
use super::{TopicRecord, TopicState};
use jiff::Timestamp;
use nidra_core::ProjectId;
use rusqlite::{Connection, OptionalExtension as _, params};

/// What became of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TopicOutcome {
    /// The topic as it is now, and the one that was paused for it.
    Changed(TopicRecord, Option<String>),
    /// There is no such topic, or none is active.
    Unknown,
}

impl Store {
    /// Notes a topic: it becomes active when none is, else it waits. One that is there keeps its state, unless it was
    /// done.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn mark_topic(
        &mut self,
        project: &ProjectId,
        name: &str,
        now: Timestamp,
    ) -> Result<TopicRecord, StoreError> {
        self.write(|transaction| {
            if let Some(topic) =
                read_topic(transaction, project, name)?.filter(|topic| topic.state != TopicState::Done)
            {
                return Ok(topic);
            }
            let state = match active(transaction, project)? {
                None => TopicState::Active,
                Some(_) => TopicState::Pending,
            };
            put(transaction, project, name, state, now)
        })
    }

    /// Makes a topic the active one; the one that was is paused.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn switch_topic(
        &mut self,
        project: &ProjectId,
        name: &str,
        now: Timestamp,
    ) -> Result<TopicOutcome, StoreError> {
        self.write(|transaction| {
            let old = active(transaction, project)?.filter(|old| old != name);
            if let Some(old) = &old {
                put(transaction, project, old, TopicState::Paused, now)?;
            }
            Ok(TopicOutcome::Changed(put(transaction, project, name, TopicState::Active, now)?, old))
        })
    }

    /// Sets the state of a topic; of the active one where none is named.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn set_topic(
        &mut self,
        project: &ProjectId,
        name: Option<&str>,
        state: TopicState,
        now: Timestamp,
    ) -> Result<TopicOutcome, StoreError> {
        self.write(|transaction| {
            let name = match name {
                Some(name) => read_topic(transaction, project, name)?.map(|topic| topic.name),
                None => active(transaction, project)?,
            };
            match name {
                Some(name) => Ok(TopicOutcome::Changed(put(transaction, project, &name, state, now)?, None)),
                None => Ok(TopicOutcome::Unknown),
            }
        })
    }

    /// The topics that are not done, or all of them: active, pending, paused, done, and among those the latest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn topics(&self, project: &ProjectId, with_done: bool) -> Result<Vec<TopicRecord>, StoreError> {
        let states = if with_done {
            "('active', 'pending', 'paused', 'done')"
        } else {
            "('active', 'pending', 'paused')"
        };
        self.read(|connection| {
            let mut statement = connection.prepare_cached(&format!(
                "SELECT name, state, created, changed FROM topic WHERE project = ?1 AND state IN {states}"
            ))?;
            let mut topics =
                statement.query_map([project.as_str()], topic_of)?.collect::<rusqlite::Result<Vec<_>>>()?;
            let place = |state: TopicState| {
                [TopicState::Active, TopicState::Pending, TopicState::Paused]
                    .iter()
                    .position(|known| *known == state)
                    .unwrap_or(3)
            };
            topics.sort_by(|one, two| {
                (place(one.state), two.changed, &one.name).cmp(&(place(two.state), one.changed, &two.name))
            });
            Ok(topics)
        })
    }
}

fn topic_of(row: &rusqlite::Row<'_>) -> rusqlite::Result<TopicRecord> {
    Ok(TopicRecord {
        name: row.get(0)?,
        state: TopicState::parse(&row.get::<_, String>(1)?),
        created: row.get::<_, Time>(2)?.0,
        changed: row.get::<_, Time>(3)?.0,
    })
}

fn read_topic(
    connection: &Connection,
    project: &ProjectId,
    name: &str,
) -> rusqlite::Result<Option<TopicRecord>> {
    connection
        .prepare_cached("SELECT name, state, created, changed FROM topic WHERE project = ?1 AND name = ?2")?
        .query_row([project.as_str(), name], topic_of)
        .optional()
}

fn active(connection: &Connection, project: &ProjectId) -> rusqlite::Result<Option<String>> {
    connection
        .query_row(
            "SELECT name FROM topic WHERE project = ?1 AND state = 'active'",
            [project.as_str()],
            |row| row.get(0),
        )
        .optional()
}

fn put(
    connection: &Connection,
    project: &ProjectId,
    name: &str,
    state: TopicState,
    now: Timestamp,
) -> rusqlite::Result<TopicRecord> {
    connection.query_row(
        "INSERT INTO topic (project, name, state, created, changed) VALUES (?1, ?2, ?3, ?4, ?4)
         ON CONFLICT (project, name) DO UPDATE SET state = ?3, changed = ?4
         RETURNING name, state, created, changed",
        params![project.as_str(), name, state.as_str(), Time(now)],
        topic_of,
    )
}
