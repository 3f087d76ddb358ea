//! Which snapshots of memory there are; their bytes lie among the objects.

use super::values::Time;
use super::{Store, StoreError};
use crate::objects::ObjectId;
use jiff::Timestamp;
use nidra_core::{ProjectId, RunId};
use rusqlite::{Connection, params};

/// A snapshot of a memory directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotRecord {
    /// The object that holds its list of files.
    pub object: ObjectId,
    /// When it was taken.
    pub at: Timestamp,
    /// Why: `daily`, `asked`, `restore`, or `dream`.
    pub cause: String,
    /// The run that took it before its first write.
    pub run: Option<RunId>,
}

impl Store {
    /// Records a snapshot.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn put_snapshot(
        &mut self,
        project: &ProjectId,
        object: &ObjectId,
        cause: &str,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.write(|transaction| {
            transaction.execute(
                "INSERT OR REPLACE INTO snapshot (project, object, at, cause) VALUES (?1, ?2, ?3, ?4)",
                params![project.as_str(), object.as_str(), Time(now), cause],
            )?;
            Ok(())
        })
    }

    /// Drops the record of a snapshot; its objects stay.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn drop_snapshot(
        &mut self,
        project: &ProjectId,
        snapshot: &SnapshotRecord,
    ) -> Result<(), StoreError> {
        self.write(|transaction| {
            transaction.execute(
                "DELETE FROM snapshot WHERE project = ?1 AND at = ?2 AND object = ?3",
                params![project.as_str(), Time(snapshot.at), snapshot.object.as_str()],
            )?;
            Ok(())
        })
    }

    /// The snapshots of a project, those of its runs among them, the newest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn snapshots(&self, project: &ProjectId) -> Result<Vec<SnapshotRecord>, StoreError> {
        let rows = self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT object, at, cause, NULL FROM snapshot WHERE project = ?1
                 UNION ALL SELECT snapshot, started, 'dream', id FROM run WHERE project = ?1 AND snapshot IS NOT NULL
                 ORDER BY 2 DESC, 1",
            )?;
            let rows = statement.query_map([project.as_str()], |row| {
                Ok((
                    row.get::<_, String>(0)?,
                    row.get::<_, Time>(1)?.0,
                    row.get(2)?,
                    row.get::<_, Option<String>>(3)?.map(RunId::new),
                ))
            })?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        })?;
        rows.into_iter()
            .map(|(object, at, cause, run)| {
                let object = ObjectId::try_from(object).map_err(|what| self.value_error(what))?;
                Ok(SnapshotRecord { object, at, cause, run })
            })
            .collect()
    }

    /// The lists of files of all snapshots of all projects, by name.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn all_snapshot_objects(&self) -> Result<Vec<String>, StoreError> {
        self.read(all_objects)
    }

    /// Removes contents that no run changed a file from or to, as long as the snapshots are still the known ones and no
    /// run is under way; `None` when that is not so. The database is locked meanwhile, so that no run can begin.
    ///
    /// # Errors
    /// When the database cannot be used.
    pub fn remove_unneeded(
        &mut self,
        known: &[String],
        candidates: Vec<ObjectId>,
        mut remove: impl FnMut(&ObjectId) -> bool,
    ) -> Result<Option<usize>, StoreError> {
        self.write(|transaction| {
            let running: bool = transaction.query_row(
                "SELECT EXISTS (SELECT 1 FROM run WHERE state = 'running')",
                [],
                |row| row.get(0),
            )?;
            if running || all_objects(transaction)? != known {
                return Ok(None);
            }
            let mut needed = transaction
                .prepare("SELECT EXISTS (SELECT 1 FROM file_change WHERE before = ?1 OR after = ?1)")?;
            let mut removed = 0;
            for object in candidates {
                if !needed.query_row([object.as_str()], |row| row.get::<_, bool>(0))? && remove(&object) {
                    removed += 1;
                }
            }
            Ok(Some(removed))
        })
    }
}

fn all_objects(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare_cached(
        "SELECT object FROM snapshot UNION SELECT snapshot FROM run WHERE snapshot IS NOT NULL ORDER BY 1",
    )?;
    statement.query_map([], |row| row.get(0))?.collect()
}
