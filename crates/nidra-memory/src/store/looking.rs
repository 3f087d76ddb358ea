//! Opening the state without changing it, and the report of a run that came out otherwise than planned.

use super::values::RunState;
use super::{BUSY_TIMEOUT, DATABASE_NAME, PAUSE, Store, StoreError, patiently, present_format, steady};
use nidra_core::RunId;
use rusqlite::backup::Backup;
use rusqlite::{Connection, OpenFlags, params};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

impl Store {
    /// Opens the database of a state directory for looking only. A missing one is taken for an empty one and stays
    /// missing: what is written then is gone with the value.
    ///
    /// # Errors
    /// [`StoreError::NewerFormat`] when a newer version wrote it.
    pub fn open_to_read(state_home: &Path) -> Result<Self, StoreError> {
        patiently(|| Self::try_open_to_read(state_home))
    }

    fn try_open_to_read(state_home: &Path) -> Result<Self, StoreError> {
        let path = state_home.join(DATABASE_NAME);
        let connection = if path.exists() {
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            if is_at_rest(&path) {
                Connection::open_with_flags(at_rest(&path), flags | OpenFlags::SQLITE_OPEN_URI)
            } else {
                Connection::open_with_flags(&path, flags)
            }
        } else {
            Connection::open_in_memory()
        };
        let connection = connection.map_err(|source| StoreError::Open { path: path.clone(), source })?;
        connection
            .busy_timeout(BUSY_TIMEOUT)
            .and_then(|()| steady(&connection))
            .map_err(StoreError::query(&path))?;
        let mut store = Self { home: state_home.to_owned(), path, connection };
        match store.format()? {
            // Missing, or just being created by another process: as good as empty.
            0 => {
                store.connection = Connection::open_in_memory()
                    .map_err(|source| StoreError::Open { path: store.path.clone(), source })?;
                store.migrate()?;
            }
            format if format == present_format() => {}
            // An older format is brought up to date in memory: a look changes no file. A newer one is refused.
            format => {
                if format < present_format() {
                    store.connection = copied(&store.connection).map_err(StoreError::query(&store.path))?;
                }
                store.migrate()?;
            }
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

/// A copy of a database in memory.
fn copied(from: &Connection) -> rusqlite::Result<Connection> {
    let mut copy = Connection::open_in_memory()?;
    Backup::new(from, &mut copy)?.run_to_completion(i32::MAX, PAUSE, None)?;
    Ok(copy)
}

/// Whether no process works on the database: then everything stands in its one file, and a look needs no other.
fn is_at_rest(path: &Path) -> bool {
    log_length(path) == 0
}

/// The length of the log of a database, in bytes: changes that are not in its file yet.
pub(super) fn log_length(path: &Path) -> u64 {
    let mut log = OsString::from(path);
    log.push("-wal");
    fs::metadata(PathBuf::from(log)).map_or(0, |log| log.len())
}

/// The name by which a database at rest is opened so that the look leaves no file behind. A run that begins in the
/// same moment writes beside the file, not into it.
fn at_rest(path: &Path) -> String {
    let mut name = String::from("file:");
    for byte in path.as_os_str().as_bytes() {
        if byte.is_ascii_alphanumeric() || b"/.-_".contains(byte) {
            name.push(char::from(*byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(name, "%{byte:02x}");
        }
    }
    name.push_str("?immutable=1");
    name
}
