//! What can go wrong with the state database.

use nidra_core::error::PathError;
use std::path::PathBuf;

/// The state database could not be opened, read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database was written by a newer version.
    #[error(
        "the database {} is of format {found}; this version reads format {known}: install a newer nidra, or set \
         NIDRA_HOME to another directory",
        path.display()
    )]
    NewerFormat {
        /// The database.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// The newest format that this version reads.
        known: i64,
    },
    /// The file is no database or is damaged.
    #[error(
        "the database {} is damaged: move it away and nidra starts a new one; memory files and snapshots are not \
         in it",
        path.display()
    )]
    Damaged {
        /// The database.
        path: PathBuf,
        /// The cause.
        #[source]
        source: rusqlite::Error,
    },
    /// Another process kept the database locked for too long.
    #[error("the database {} is in use by another process; try again", path.display())]
    Locked {
        /// The database.
        path: PathBuf,
        /// The cause.
        #[source]
        source: rusqlite::Error,
    },
    /// The database could not be opened.
    #[error("cannot open the database {}", path.display())]
    Open {
        /// The database.
        path: PathBuf,
        /// The cause.
        #[source]
        source: rusqlite::Error,
    },
    /// A statement failed.
    #[error("cannot use the database {}", path.display())]
    Query {
        /// The database.
        path: PathBuf,
        /// The cause.
        #[source]
        source: rusqlite::Error,
    },
    /// A stored value is not one that this version knows.
    #[error("the database {} holds {what} that cannot be understood", path.display())]
    Value {
        /// The database.
        path: PathBuf,
        /// Which value.
        what: String,
    },
    /// A project is not in the database.
    #[error("the database {} knows no project {project}", path.display())]
    UnknownProject {
        /// The database.
        path: PathBuf,
        /// The project.
        project: nidra_core::ProjectId,
    },
    /// The state directory could not be used.
    #[error(transparent)]
    Io(#[from] PathError),
}

impl StoreError {
    pub(super) fn query(path: &std::path::Path) -> impl Fn(rusqlite::Error) -> Self {
        let path = path.to_owned();
        move |source| {
            let path = path.clone();
            match source.sqlite_error_code() {
                Some(rusqlite::ErrorCode::NotADatabase | rusqlite::ErrorCode::DatabaseCorrupt) => {
                    Self::Damaged { path, source }
                }
                Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked) => {
                    Self::Locked { path, source }
                }
                Some(rusqlite::ErrorCode::CannotOpen) => Self::Open { path, source },
                _ => Self::Query { path, source },
            }
        }
    }
}
