//! The rows about how often entries were used.

use super::values::Time;
use super::{Store, StoreError};
use jiff::Timestamp;
use nidra_core::{EntryId, ProjectId, RunId};
use rusqlite::{Connection, params};
use std::collections::BTreeMap;

/// How often agents used an entry: once for each session that a run read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryUse {
    /// The entry.
    pub entry: EntryId,
    /// How often it was loaded: with the index, or with its file.
    pub loaded: u32,
    /// How often a question found it.
    pub recalled: u32,
    /// When that was last.
    pub last: Timestamp,
}

impl Store {
    /// How often the entries of a project were used, by all runs together.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn uses(&self, project: &ProjectId) -> Result<BTreeMap<EntryId, EntryUse>, StoreError> {
        let uses: Vec<EntryUse> = self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT entry, sum(loaded), sum(recalled), max(last) FROM entry_use WHERE project = ?1 GROUP BY entry",
            )?;
            let rows = statement.query_map([project.as_str()], |row| {
                Ok(EntryUse {
                    entry: EntryId::new(row.get::<_, String>(0)?),
                    loaded: row.get(1)?,
                    recalled: row.get(2)?,
                    last: row.get::<_, Time>(3)?.0,
                })
            })?;
            rows.collect()
        })?;
        Ok(uses.into_iter().map(|one| (one.entry.clone(), one)).collect())
    }
}

pub(super) fn put_use(
    connection: &Connection,
    project: &ProjectId,
    run: &RunId,
    used: &EntryUse,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO entry_use (project, entry, run, loaded, recalled, last)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![
            project.as_str(),
            used.entry.as_str(),
            run.as_str(),
            used.loaded,
            used.recalled,
            Time(used.last),
        ])?;
    Ok(())
}
