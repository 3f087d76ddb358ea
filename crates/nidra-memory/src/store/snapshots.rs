//! Which snapshots of memory there are; their bytes lie among the objects.

use super::values::Time;
use super::{Store, StoreError};
use crate::objects::ObjectId;
use jiff::Timestamp;
use nidra_core::{ProjectId, RunId};
use rusqlite::params;

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

    /// Whether some run or snapshot of any project needs an object that a list of files names, by those lists.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn all_snapshot_objects(&self) -> Result<Vec<String>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT object FROM snapshot UNION SELECT snapshot FROM run WHERE snapshot IS NOT NULL",
            )?;
            statement.query_map([], |row| row.get(0))?.collect()
        })
    }
}
