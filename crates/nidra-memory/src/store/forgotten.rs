//! The rows about what the user asked to be forgotten: fingerprints instead of words, so that they can stay for good.

use super::reading::record_key;
use super::values::Time;
use super::{Store, StoreError};
use jiff::Timestamp;
use nidra_core::text::fingerprint::{Fingerprint, FingerprintKey};
use nidra_core::{ProjectId, RunId};
use rusqlite::{Connection, params};
use std::fmt::Write as _;

/// A statement that is to stay away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForgottenRecord {
    /// The statement.
    pub fingerprint: Fingerprint,
    /// Hashes of the records that said it ([`record_hash`]).
    pub records: Vec<String>,
    /// When it was forgotten: what a person says later is new.
    pub at: Timestamp,
    /// Its words were removed from everything that is kept.
    pub purged: bool,
}

/// A forgotten statement as it stands in the database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForgottenRow {
    /// Its number.
    pub number: i64,
    /// The statement.
    pub record: ForgottenRecord,
    /// The run that forgot it.
    pub run: RunId,
}

/// The hash by which a record is known to a forgotten statement.
pub fn record_hash(record: &str) -> String {
    record_key(record).iter().fold(String::new(), |mut hash, byte| {
        // Writing to a string cannot fail.
        let _ = write!(hash, "{byte:02x}");
        hash
    })
}

impl Store {
    /// The key of the fingerprints of this database.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn forgetting_key(&self) -> Result<FingerprintKey, StoreError> {
        let bytes: Vec<u8> = self.read(|connection| {
            connection.query_row("SELECT key FROM forgetting_key WHERE id = 1", [], |row| row.get(0))
        })?;
        let bytes = <[u8; 32]>::try_from(bytes.as_slice());
        bytes.map(FingerprintKey::new).map_err(|_| self.value_error("the key of forgotten statements"))
    }

    /// The statements of a project that are to stay away, oldest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn forgotten(&self, project: &ProjectId) -> Result<Vec<ForgottenRow>, StoreError> {
        type Raw = (i64, Timestamp, String, String, bool, String);
        let rows: Vec<Raw> = self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT number, at, fingerprint, records, purged, run FROM forgotten
                 WHERE project = ?1 AND lifted_by IS NULL ORDER BY number",
            )?;
            let rows = statement.query_map([project.as_str()], |row| {
                Ok((
                    row.get(0)?,
                    row.get::<_, Time>(1)?.0,
                    row.get(2)?,
                    row.get(3)?,
                    row.get(4)?,
                    row.get(5)?,
                ))
            })?;
            rows.collect()
        })?;
        rows.into_iter()
            .map(|(number, at, fingerprint, records, purged, run)| {
                let unknown = |_| self.value_error(format!("forgotten statement {number}"));
                Ok(ForgottenRow {
                    number,
                    record: ForgottenRecord {
                        fingerprint: serde_json::from_str(&fingerprint).map_err(unknown)?,
                        records: serde_json::from_str(&records).map_err(unknown)?,
                        at,
                        purged,
                    },
                    run: RunId::new(run),
                })
            })
            .collect()
    }
}

pub(super) fn put_forgotten(
    connection: &Connection,
    project: &ProjectId,
    run: &RunId,
    record: &ForgottenRecord,
) -> rusqlite::Result<()> {
    let json = |value: serde_json::Result<String>| {
        value.map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))
    };
    connection
        .prepare_cached(
            "INSERT INTO forgotten (project, at, fingerprint, records, run, purged) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![
            project.as_str(),
            Time(record.at),
            json(serde_json::to_string(&record.fingerprint))?,
            json(serde_json::to_string(&record.records))?,
            run.as_str(),
            record.purged,
        ])?;
    Ok(())
}

/// Lets a statement come back, by this run.
pub(super) fn lift(connection: &Connection, run: &RunId, number: i64) -> rusqlite::Result<()> {
    connection
        .prepare_cached("UPDATE forgotten SET lifted_by = ?2 WHERE number = ?1")?
        .execute(params![number, run.as_str()])?;
    Ok(())
}

/// Takes back what a run forgot and what it let come back.
pub(super) fn undo_forgotten(connection: &Connection, run: &RunId) -> rusqlite::Result<()> {
    connection.execute("DELETE FROM forgotten WHERE run = ?1", [run.as_str()])?;
    connection.execute("UPDATE forgotten SET lifted_by = NULL WHERE lifted_by = ?1", [run.as_str()])?;
    Ok(())
}
