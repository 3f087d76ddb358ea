//! The state database: cursors, runs, provenance, plans and the schedule, in SQLite.
//!
//! All SQL of the project stands below this module. Cursors and whatever else says that input was
//! consumed change only in the one transaction that records a committed run, or its undo.

mod calls;
mod commits;
mod error;
mod forgotten;
mod gate;
mod looking;
mod plans;
mod purging;
mod reading;
mod runs;
mod snapshots;
mod sources;
mod uses;
mod values;
mod working;

pub use calls::{CallEnd, CallPeriods, CallTotals, ModelCall};
pub use commits::{RunEffects, UndoEffects};
pub use error::StoreError;
pub use forgotten::{ForgottenRecord, ForgottenRow, record_hash};
pub use gate::{GateFile, GateRead};
pub use snapshots::SnapshotRecord;
pub use uses::EntryUse;
pub use values::{
    CursorRecord, EntrySource, FileChangeRecord, PlanRecord, PlanState, ProjectRecord, RecordedSource,
    Relation, RunRecord, RunState, Schedule, SessionRecord, Tombstone, TranscriptRecord,
};

pub use working::{
    Aged, Decide, DecisionPoint, Registration, TakenDecision, TaskChange, TaskEvent, TaskOutcome, TaskRecord,
    TaskSelection, TaskState, TopicOutcome, TopicRecord, TopicState,
};

use crate::atomic::{self, FileSystem, Permissions, RealFileSystem};
use jiff::Timestamp;
use nidra_core::error::PathError;
use nidra_core::{ProjectId, RunId};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior, params};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use values::{FilePath, Time};

/// The database's name inside the state directory.
pub const DATABASE_NAME: &str = "nidra.db";

/// The steps from an empty database to the present format. They are only ever added to: the number of
/// steps taken is the database's `user_version`.
const MIGRATIONS: [&str; 9] = [
    include_str!("migrations/0001_first.sql"),
    include_str!("migrations/0002_repository.sql"),
    include_str!("migrations/0003_transcript.sql"),
    include_str!("migrations/0004_importance.sql"),
    include_str!("migrations/0005_model_call.sql"),
    include_str!("migrations/0006_working.sql"),
    include_str!("migrations/0007_forgotten.sql"),
    include_str!("migrations/0008_rounds.sql"),
    include_str!("migrations/0009_at_hand.sql"),
];

/// The present format: the number of steps.
fn present_format() -> i64 {
    i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX)
}

/// How long a statement waits for another process to finish its own.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// From this length on, in bytes, the log is brought into the database by a change that need not wait for the disk as
/// well: whoever opens the database reads the log first, so a long one would make all commands slow.
const LONG_LOG: u64 = 768 * 1024;

/// The pause between two tries where SQLite itself does not wait.
const PAUSE: Duration = Duration::from_millis(5);

/// Opens the database again while it is locked: making one, and letting go of it as the last, shut everybody else out
/// for a moment, in which SQLite itself does not wait.
fn patiently(open: impl Fn() -> Result<Store, StoreError>) -> Result<Store, StoreError> {
    let begin = Instant::now();
    loop {
        match open() {
            Err(StoreError::Locked { .. }) if begin.elapsed() < BUSY_TIMEOUT => std::thread::sleep(PAUSE),
            outcome => return outcome,
        }
    }
}

/// What a failure of power may take of the changes that were made last. A process that ends, in whatever way, takes none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// Nothing: a change is done when the disk has it.
    Full,
    /// Those of the last moments, whole changes and the latest first. An answer then does not wait for the disk.
    Recent,
}

/// The state of nidra on this machine.
#[derive(Debug)]
pub struct Store {
    home: PathBuf,
    path: PathBuf,
    connection: Connection,
}

impl Store {
    /// Opens the database of a state directory; both are created when they are missing.
    ///
    /// # Errors
    /// [`StoreError::NewerFormat`] when a newer version wrote it; nothing is changed then.
    pub fn open(state_home: &Path) -> Result<Self, StoreError> {
        Self::open_with(state_home, Durability::Full)
    }

    /// The same for changes that last as it is said.
    ///
    /// # Errors
    /// As of [`Store::open`].
    pub fn open_with(state_home: &Path, durability: Durability) -> Result<Self, StoreError> {
        patiently(|| Self::try_open(state_home, durability))
    }

    fn try_open(state_home: &Path, durability: Durability) -> Result<Self, StoreError> {
        let files = RealFileSystem;
        atomic::create_directories(&files, state_home, true)?;
        let home = files.canonical(state_home)?;
        let path = home.join(DATABASE_NAME);
        // Created beforehand so that it is for the user alone; SQLite gives its other files the same mode.
        match files.write_new(&path, b"", Permissions::Private) {
            Err(error) if error.source.kind() == io::ErrorKind::AlreadyExists => {
                refuse_marked(&files, &path)?;
            }
            other => other?,
        }
        let connection =
            Connection::open(&path).map_err(|source| StoreError::Open { path: path.clone(), source })?;
        let mut store = Self { home, path, connection };
        store.configure(durability)?;
        store.migrate()?;
        Ok(store)
    }

    fn configure(&self, durability: Durability) -> Result<(), StoreError> {
        self.read(|connection| {
            connection.busy_timeout(BUSY_TIMEOUT)?;
            connection.pragma_update(None, "foreign_keys", true)?;
            steady(connection)?;
            // What a statement could have to take back is little; a file for it costs more than the statement.
            connection.pragma_update(None, "temp_store", "MEMORY")?;
            match durability {
                // The commit of a run must outlive a power failure, as its files do.
                Durability::Full => connection.pragma_update(None, "synchronous", "FULL")?,
                Durability::Recent => {
                    connection.pragma_update(None, "synchronous", "NORMAL")?;
                    // Bringing the log into the database waits for the disk, so only a long one is, by whoever
                    // is the last to close. A number of pages would not do: it starts anew with each process.
                    let short = looking::log_length(&self.path) < LONG_LOG;
                    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, short)?;
                }
            }
            connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))
        })
    }

    fn migrate(&mut self) -> Result<(), StoreError> {
        let known = present_format();
        let found = self.format()?;
        if found > known || found < 0 {
            return Err(StoreError::NewerFormat { path: self.path.clone(), found, known });
        }
        if found == known {
            return Ok(());
        }
        self.write(|transaction| {
            // Read again: another process may have been faster.
            let found: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
            for step in MIGRATIONS.iter().skip(usize::try_from(found).unwrap_or_default()) {
                transaction.execute_batch(step)?;
            }
            transaction.pragma_update(None, "user_version", known)
        })
    }

    fn format(&self) -> Result<i64, StoreError> {
        self.read(|connection| connection.pragma_query_value(None, "user_version", |row| row.get(0)))
    }

    /// Lets go of the database without closing it, for a process that ends now: what was changed is in the database or its
    /// log, and the system takes back locks and memory at once instead of piece by piece. A long log is brought into
    /// the database by closing it after all.
    pub fn leave(self) {
        if looking::log_length(&self.path) < LONG_LOG {
            std::mem::forget(self);
        }
    }

    /// The state directory.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// The database file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Lets SQLite look for damage; the lines it has to say, none when all is well.
    pub fn check(&self) -> Result<Vec<String>, StoreError> {
        let lines = self.read(|connection| {
            let mut statement = connection.prepare("PRAGMA quick_check")?;
            let lines =
                statement.query_map([], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?;
            Ok(lines)
        })?;
        Ok(lines.into_iter().filter(|line| line != "ok").collect())
    }

    fn read<T>(&self, query: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        query(&self.connection).map_err(StoreError::query(&self.path))
    }

    fn write<T>(
        &mut self,
        change: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let mut attempt = |change: &mut dyn FnMut(&Transaction<'_>) -> rusqlite::Result<T>| {
            // Immediate: a transaction that reads first could fail to become a writer.
            let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let result = change(&transaction)?;
            transaction.commit()?;
            Ok(result)
        };
        let mut change = Some(change);
        attempt(&mut |transaction| match change.take() {
            Some(change) => change(transaction),
            None => Err(rusqlite::Error::InvalidQuery),
        })
        .map_err(StoreError::query(&self.path))
    }

    fn value_error(&self, what: impl Into<String>) -> StoreError {
        StoreError::Value { path: self.path.clone(), what: what.into() }
    }

    /// Makes a project known, or its places when they moved; `now` counts only the first time.
    pub fn put_project(
        &mut self,
        id: &ProjectId,
        root: &Path,
        memory_directory: &Path,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.write(|transaction| {
            transaction.execute(
                "INSERT INTO project (id, root, memory_directory, first_seen) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (id) DO UPDATE SET root = ?2, memory_directory = ?3",
                params![id.as_str(), FilePath(root.into()), FilePath(memory_directory.into()), Time(now)],
            )?;
            Ok(())
        })
    }

    /// A project.
    pub fn project(&self, id: &ProjectId) -> Result<Option<ProjectRecord>, StoreError> {
        Ok(self.projects()?.into_iter().find(|project| project.id == *id))
    }

    /// All projects, ordered by when nidra met them.
    pub fn projects(&self) -> Result<Vec<ProjectRecord>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT id, root, memory_directory, first_seen, repository, adopted_by FROM project
                 ORDER BY first_seen, id",
            )?;
            let rows = statement.query_map([], |row| {
                Ok(ProjectRecord {
                    id: ProjectId::new(row.get::<_, String>(0)?),
                    root: row.get::<_, FilePath>(1)?.0,
                    memory_directory: row.get::<_, FilePath>(2)?.0,
                    first_seen: row.get::<_, Time>(3)?.0,
                    repository: row.get(4)?,
                    adopted_by: row.get::<_, Option<String>>(5)?.map(ProjectId::new),
                })
            })?;
            rows.collect()
        })
    }

    /// Notes what the project's repository is known by wherever it lies.
    pub fn note_repository(&mut self, id: &ProjectId, repository: &str) -> Result<(), StoreError> {
        self.write(|transaction| {
            transaction.execute(
                "UPDATE project SET repository = ?2 WHERE id = ?1 AND repository IS NOT ?2",
                [id.as_str(), repository],
            )?;
            Ok(())
        })
    }

    /// Notes that another project took the memory of this one over.
    pub fn note_adoption(&mut self, id: &ProjectId, by: &ProjectId) -> Result<(), StoreError> {
        self.write(|transaction| {
            transaction
                .execute("UPDATE project SET adopted_by = ?2 WHERE id = ?1", [id.as_str(), by.as_str()])?;
            Ok(())
        })
    }

    /// Forgets what this project took over.
    pub fn forget_adoptions(&mut self, by: &ProjectId) -> Result<(), StoreError> {
        self.write(|transaction| {
            transaction
                .execute("UPDATE project SET adopted_by = NULL WHERE adopted_by = ?1", [by.as_str()])?;
            Ok(())
        })
    }

    /// When runs of a project were and may be.
    pub fn schedule(&self, project: &ProjectId) -> Result<Schedule, StoreError> {
        self.read(|connection| read_schedule(connection, project))
    }

    /// Notes that a run begins now.
    pub fn note_attempt(&mut self, project: &ProjectId, now: Timestamp) -> Result<(), StoreError> {
        self.set_schedule(project, "last_attempt", Some(now))
    }

    /// Notes that the session directories were looked through now.
    pub fn note_scan(&mut self, project: &ProjectId, now: Timestamp) -> Result<(), StoreError> {
        self.set_schedule(project, "last_scan", Some(now))
    }

    /// Lets no automatic run begin before this; `None` lifts it.
    pub fn hold(&mut self, project: &ProjectId, until: Option<Timestamp>) -> Result<(), StoreError> {
        self.set_schedule(project, "hold_until", until)
    }

    /// Replaces times that lie in the future because the clock was set back since; `None` leaves one. To be
    /// called before the gates are asked, as they would count from each look anew.
    pub fn correct_schedule(
        &mut self,
        project: &ProjectId,
        last_success: Option<Timestamp>,
        hold_until: Option<Timestamp>,
    ) -> Result<(), StoreError> {
        self.write(|transaction| {
            for (column, time) in [("last_success", last_success), ("hold_until", hold_until)] {
                if time.is_some() {
                    set_schedule(transaction, project, column, time)?;
                }
            }
            Ok(())
        })
    }

    fn set_schedule(
        &mut self,
        project: &ProjectId,
        column: &'static str,
        time: Option<Timestamp>,
    ) -> Result<(), StoreError> {
        self.write(|transaction| set_schedule(transaction, project, column, time))
    }
}

/// Lets statements be planned by their words alone: planned by what is bound to them, they would be planned again for
/// each row that is asked for.
fn steady(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map(drop)
}

fn set_schedule(
    connection: &Connection,
    project: &ProjectId,
    column: &'static str,
    time: Option<Timestamp>,
) -> rusqlite::Result<()> {
    connection.execute(
        &format!(
            "INSERT INTO schedule (project, {column}) VALUES (?1, ?2)
             ON CONFLICT (project) DO UPDATE SET {column} = ?2"
        ),
        params![project.as_str(), time.map(Time)],
    )?;
    Ok(())
}

fn read_schedule(connection: &Connection, project: &ProjectId) -> rusqlite::Result<Schedule> {
    let mut statement = connection.prepare_cached(
        "SELECT last_success, last_attempt, last_scan, hold_until, interrupted_run FROM schedule WHERE project = ?1",
    )?;
    let time = |row: &rusqlite::Row<'_>, column: usize| -> rusqlite::Result<Option<Timestamp>> {
        Ok(row.get::<_, Option<Time>>(column)?.map(|time| time.0))
    };
    let found = statement
        .query_row([project.as_str()], |row| {
            Ok(Schedule {
                last_success: time(row, 0)?,
                last_attempt: time(row, 1)?,
                last_scan: time(row, 2)?,
                hold_until: time(row, 3)?,
                interrupted_run: row.get::<_, Option<String>>(4)?.map(RunId::new),
            })
        })
        .optional()?;
    Ok(found.unwrap_or_default())
}

/// Fails where the database is marked read-only, which a privileged process would not notice.
fn refuse_marked(files: &dyn FileSystem, path: &Path) -> Result<(), StoreError> {
    let places = [Some(path), path.parent()];
    for place in places.into_iter().flatten() {
        if files.status(place)?.is_some_and(|status| status.mode & 0o222 == 0) {
            let cause = io::Error::new(io::ErrorKind::PermissionDenied, "it is marked read-only");
            return Err(PathError::wrap("write", place)(cause).into());
        }
    }
    Ok(())
}

#[cfg(test)]
#[path = "store_tests.rs"]
mod tests;
