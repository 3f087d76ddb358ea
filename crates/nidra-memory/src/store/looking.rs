//! Opening the state without changing it, and the report of a run that came out otherwise than planned.

use super::values::RunState;
use super::{DATABASE_NAME, Store, StoreError};
use nidra_core::RunId;
use rusqlite::{Connection, OpenFlags, params};
use std::path::Path;

impl Store {
    /// Opens the database of a state directory for looking only. A missing one is taken for an empty one and stays
    /// missing: what is written then is gone with the value.
    ///
    /// # Errors
    /// [`StoreError::NewerFormat`] when a newer version wrote it.
    pub fn open_to_read(state_home: &Path) -> Result<Self, StoreError> {
        let path = state_home.join(DATABASE_NAME);
        let connection = if path.exists() {
            Connection::open_with_flags(
                &path,
                OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
            )
        } else {
            Connection::open_in_memory()
        };
        let connection = connection.map_err(|source| StoreError::Open { path: path.clone(), source })?;
        let mut store = Self { home: state_home.to_owned(), path, connection };
        match store.format()? {
            // Missing, or just being created by another process: as good as empty.
            0 => {
                store.connection = Connection::open_in_memory()
                    .map_err(|source| StoreError::Open { path: store.path.clone(), source })?;
                store.migrate()?;
            }
            format if format > i64::try_from(super::MIGRATIONS.len()).unwrap_or(i64::MAX) => {
                store.migrate()?;
            }
            _ => {}
        }
        Ok(store)
    }

    /// Stores the report of a run as it came out, and its state where that differs from what the commit recorded.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn put_report(
        &mut self,
        run: &RunId,
        state: Option<RunState>,
        report: &serde_json::Value,
    ) -> Result<(), StoreError> {
        self.write(|transaction| {
            transaction.execute(
                "UPDATE run SET report = ?2, state = coalesce(?3, state) WHERE id = ?1",
                params![run.as_str(), report.to_string(), state.map(RunState::as_str)],
            )?;
            Ok(())
        })
    }
}
