//! What a purge needs of the database: its own row, references to contents, and every text of every table.

use super::values::Time;
use super::{Store, StoreError};
use crate::objects::ObjectId;
use crate::purge::Work;
use jiff::Timestamp;
use nidra_core::{EntryId, ProjectId, RunId};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension as _, params, params_from_iter};
use std::collections::BTreeMap;

/// Something that refers to a stored content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ObjectReference {
    pub(crate) project: ProjectId,
    pub(crate) object: ObjectId,
    /// The path of the file with this content; `None` for a list of files.
    pub(crate) path: Option<String>,
}

/// A column of a table.
struct Column {
    name: String,
    key: bool,
}

impl Store {
    /// What is left to do of a purge.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn pending_purge(&self, project: &ProjectId) -> Result<Option<Work>, StoreError> {
        let work: Option<String> = self.read(|connection| {
            connection
                .query_row("SELECT work FROM purge WHERE project = ?1", [project.as_str()], |row| row.get(0))
                .optional()
        })?;
        work.map(|work| serde_json::from_str(&work).map_err(|_| self.value_error("the work of a purge")))
            .transpose()
    }

    /// Whether a run purged what it took out of memory.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn has_purged(&self, run: &RunId) -> Result<bool, StoreError> {
        self.read(|connection| {
            connection.query_row(
                "SELECT EXISTS (SELECT 1 FROM forgotten WHERE run = ?1 AND purged = 1)",
                [run.as_str()],
                |row| row.get(0),
            )
        })
    }

    /// Whether a run of another project is under way, as far as the database knows.
    pub(crate) fn others_run(&self, project: &ProjectId) -> Result<bool, StoreError> {
        self.read(|connection| {
            connection.query_row(
                "SELECT EXISTS (SELECT 1 FROM run WHERE state = 'running' AND project <> ?1)",
                [project.as_str()],
                |row| row.get(0),
            )
        })
    }

    /// Forgets a purge that is done.
    pub(crate) fn forget_purge(&mut self, project: &ProjectId) -> Result<(), StoreError> {
        self.write(|transaction| {
            transaction.execute("DELETE FROM purge WHERE project = ?1", [project.as_str()])?;
            Ok(())
        })
    }

    /// Everything that refers to a content, of all projects.
    pub(crate) fn object_references(&self) -> Result<Vec<ObjectReference>, StoreError> {
        let rows: Vec<(String, String, Option<String>)> = self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT project, snapshot, NULL FROM run WHERE snapshot IS NOT NULL
                 UNION SELECT project, object, NULL FROM snapshot
                 UNION SELECT r.project, c.before, c.path FROM file_change AS c JOIN run AS r ON r.id = c.run
                     WHERE c.before IS NOT NULL
                 UNION SELECT r.project, c.after, c.path FROM file_change AS c JOIN run AS r ON r.id = c.run
                     WHERE c.after IS NOT NULL",
            )?;
            statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?.collect()
        })?;
        rows.into_iter()
            .map(|(project, object, path)| {
                let object = ObjectId::try_from(object).map_err(|what| self.value_error(what))?;
                Ok(ObjectReference { project: ProjectId::new(project), object, path })
            })
            .collect()
    }

    /// Lets everything of a project refer to other contents, or to none. A change of a file of which nothing is left, and
    /// of one whose very name is purged, is no change any more.
    pub(crate) fn replace_objects(
        &mut self,
        project: &ProjectId,
        replaced: &BTreeMap<ObjectId, Option<ObjectId>>,
        is_purged: impl Fn(&str) -> bool,
    ) -> Result<(), StoreError> {
        self.write(|transaction| {
            let runs = "run IN (SELECT id FROM run WHERE project = ?1)";
            for (old, new) in replaced {
                let values = params![project.as_str(), old.as_str(), new.as_ref().map(ObjectId::as_str)];
                transaction
                    .execute("UPDATE run SET snapshot = ?3 WHERE project = ?1 AND snapshot = ?2", values)?;
                for column in ["before", "after"] {
                    let set = format!("UPDATE file_change SET {column} = ?3 WHERE {runs} AND {column} = ?2");
                    transaction.execute(&set, values)?;
                }
                match new {
                    Some(_) => transaction.execute(
                        "UPDATE OR REPLACE snapshot SET object = ?3 WHERE project = ?1 AND object = ?2",
                        values,
                    )?,
                    None => transaction.execute(
                        "DELETE FROM snapshot WHERE project = ?1 AND object = ?2",
                        [project.as_str(), old.as_str()],
                    )?,
                };
            }
            transaction.execute(
                &format!("DELETE FROM file_change WHERE {runs} AND before IS NULL AND after IS NULL"),
                [project.as_str()],
            )?;
            let mut statement =
                transaction.prepare(&format!("SELECT DISTINCT path FROM file_change WHERE {runs}"))?;
            let paths: Vec<String> = statement
                .query_map([project.as_str()], |row| row.get(0))?
                .collect::<rusqlite::Result<_>>()?;
            for path in paths.iter().filter(|path| is_purged(path)) {
                transaction.execute(
                    &format!("DELETE FROM file_change WHERE {runs} AND path = ?2"),
                    [project.as_str(), path],
                )?;
            }
            Ok(())
        })
    }

    /// Removes the rows about entries and cleans every text of the project's rows, and of rows that belong to none. The
    /// words of the purge itself go in the same transaction. Returns how many rows changed.
    pub(crate) fn purge_rows(
        &mut self,
        project: &ProjectId,
        entries: &[EntryId],
        without_words: &[&str],
        clean: &dyn Fn(&str) -> Option<String>,
    ) -> Result<usize, StoreError> {
        self.read(|connection| connection.pragma_update(None, "secure_delete", true))?;
        self.write(|transaction| {
            let mut changed = 0;
            for entry in entries {
                let key = [project.as_str(), entry.as_str()];
                for table in ["entry_source", "tombstone", "entry_use", "task_link"] {
                    changed += transaction
                        .execute(&format!("DELETE FROM {table} WHERE project = ?1 AND entry = ?2"), key)?;
                }
                changed += transaction.execute(
                    "UPDATE entry_source SET predecessor = NULL WHERE project = ?1 AND predecessor = ?2",
                    key,
                )?;
            }
            let mut statement = transaction.prepare(
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
            )?;
            let tables: Vec<String> =
                statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
            for table in tables.iter().filter(|table| !without_words.contains(&table.as_str())) {
                changed += clean_table(transaction, table, project, clean)?;
            }
            transaction.execute(
                "UPDATE purge SET work = '{\"entries\":[],\"statements\":[],\"tokens\":[],\"done\":true}'
                 WHERE project = ?1",
                [project.as_str()],
            )?;
            Ok(changed)
        })
    }

    /// Writes the database's file anew, so that no page holds what was deleted, and empties its log. `false` when another
    /// process keeps it from that.
    pub(crate) fn rewrite_file(&mut self) -> Result<bool, StoreError> {
        self.read(|connection| {
            connection.pragma_update(None, "secure_delete", true)?;
            // A copy on disk would hold the pages once more.
            connection.pragma_update(None, "temp_store", "MEMORY")?;
            let emptied = |connection: &Connection| {
                connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0))
            };
            if emptied(connection)? != 0 {
                return Ok(false);
            }
            connection.execute_batch("VACUUM")?;
            Ok(emptied(connection)? == 0)
        })
    }
}

pub(super) fn put_purge(
    connection: &Connection,
    project: &ProjectId,
    run: &RunId,
    now: Timestamp,
    work: &Work,
) -> rusqlite::Result<()> {
    let work = serde_json::to_string(work)
        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
    connection.execute(
        "INSERT OR REPLACE INTO purge (project, run, at, work) VALUES (?1, ?2, ?3, ?4)",
        params![project.as_str(), run.as_str(), Time(now), work],
    )?;
    Ok(())
}

fn columns(connection: &Connection, table: &str) -> rusqlite::Result<Vec<Column>> {
    let mut statement = connection.prepare("SELECT name, pk FROM pragma_table_info(?1)")?;
    let rows = statement
        .query_map([table], |row| Ok(Column { name: row.get(0)?, key: row.get::<_, i64>(1)? > 0 }))?;
    rows.collect()
}

/// Cleans the texts of one table; returns how many rows changed.
fn clean_table(
    connection: &Connection,
    table: &str,
    project: &ProjectId,
    clean: &dyn Fn(&str) -> Option<String>,
) -> rusqlite::Result<usize> {
    let columns = columns(connection, table)?;
    let keys: Vec<&str> =
        columns.iter().filter(|column| column.key).map(|column| column.name.as_str()).collect();
    if keys.is_empty() {
        return Ok(0);
    }
    let all: Vec<String> = columns.iter().map(|column| format!("\"{}\"", column.name)).collect();
    let has = |name: &str| columns.iter().any(|column| column.name == name);
    let condition = if has("project") {
        "project = ?1"
    } else if has("run") {
        "run IN (SELECT id FROM run WHERE project = ?1)"
    } else {
        "?1 = ?1"
    };
    let mut statement =
        connection.prepare(&format!("SELECT {} FROM \"{table}\" WHERE {condition}", all.join(", ")))?;
    let rows: Vec<Vec<Value>> = statement
        .query_map([project.as_str()], |row| (0..columns.len()).map(|at| row.get(at)).collect())?
        .collect::<rusqlite::Result<_>>()?;
    let mut changed = 0;
    for row in rows {
        let cleaned: Vec<(usize, String)> = row
            .iter()
            .enumerate()
            .filter_map(|(at, value)| match value {
                Value::Text(text) => Some((at, clean(text)?)),
                Value::Null | Value::Integer(_) | Value::Real(_) | Value::Blob(_) => None,
            })
            .collect();
        if cleaned.is_empty() {
            continue;
        }
        let set: Vec<String> = cleaned
            .iter()
            .enumerate()
            .map(|(number, (at, _))| format!("{} = ?{}", all[*at], number + 1))
            .collect();
        let found: Vec<String> = keys
            .iter()
            .enumerate()
            .map(|(number, key)| format!("\"{key}\" = ?{}", cleaned.len() + number + 1))
            .collect();
        let key_values =
            columns.iter().zip(&row).filter(|(column, _)| column.key).map(|(_, value)| value.clone());
        let values: Vec<Value> =
            cleaned.into_iter().map(|(_, text)| Value::Text(text)).chain(key_values).collect();
        connection.execute(
            &format!("UPDATE OR REPLACE \"{table}\" SET {} WHERE {}", set.join(", "), found.join(" AND ")),
            params_from_iter(values),
        )?;
        changed += 1;
    }
    Ok(changed)
}
