//! Purging: the words of what the user asked to be forgotten leave everything that nidra keeps, for good.
//!
//! Memory itself was changed by the commit of the run that asks for it; the same transaction wrote down what is to be
//! done here. Every step finds its work by looking, so a purge that was cut off is simply done again, by whoever takes
//! the memory directory next. At last the database is written anew, so that no page of it holds what was deleted.
//! This is the one place where something is destroyed, and only the user's own command leads here.

mod database;
mod files;
pub mod markdown;
mod matcher;
mod objects;

pub use files::NOTICE;
pub use matcher::Matcher;

use crate::atomic::FileSystem;
use crate::lease::Lease;
use crate::objects::ObjectError;
use crate::store::{Store, StoreError};
use nidra_core::error::PathError;
use nidra_core::{EntryId, ProjectId};
use serde::{Deserialize, Serialize};

/// What stands in the place of purged words.
pub const PURGED: &str = "[purged]";

/// What a purge looks for. It stands in the database until it is done, and nowhere afterwards.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// The entries.
    pub entries: Vec<EntryId>,
    /// Their words, and the words in which those were said.
    pub statements: Vec<String>,
    /// Words of theirs that nothing else of memory holds: names, numbers, identifiers; and files that are gone.
    pub tokens: Vec<String>,
    /// All words are removed; only the database's file is still to be written anew.
    #[serde(default)]
    pub done: bool,
}

/// A purge was not brought to its end; the next run goes on with it.
#[derive(Debug, thiserror::Error)]
pub enum PurgeError {
    /// A file of the state directory or of the memory directory.
    #[error(transparent)]
    Path(#[from] PathError),
    /// A stored content.
    #[error(transparent)]
    Object(#[from] ObjectError),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Another process reads the database.
    #[error("another process works on the database, so its file could not be written anew")]
    Busy,
}

/// What a purge removed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Purged {
    /// Stored contents that were rewritten or removed.
    pub objects: usize,
    /// Rows of the database that were changed or removed.
    pub rows: usize,
    /// Other files that were changed or removed.
    pub files: usize,
}

/// Does what is left to do of a purge of this project; `None` when there is none.
///
/// # Errors
/// When it could not be brought to its end; the next run goes on with it.
pub fn finish(
    store: &mut Store,
    lease: &Lease,
    files: &dyn FileSystem,
    project: &ProjectId,
) -> Result<Option<Purged>, PurgeError> {
    let Some(work) = store.pending_purge(project)? else { return Ok(None) };
    let mut purged = Purged::default();
    if !work.done {
        let key = store.forgetting_key()?;
        let matcher = Matcher::new(&work, &key);
        // 1. Contents: what replaces them is stored and referred to before anything is removed.
        let known = objects::Known::read(store, files, project)?;
        let replaced = objects::replace(store, files, project, &known, &matcher)?;
        purged.objects = replaced.len();
        // 2. Files that are no contents: journals, logs, working memory, daily logs.
        let root = store.project(project)?.map(|project| project.root);
        let (home, memory) = (store.home().to_owned(), lease.memory_root());
        purged.files = files::clean(&home, memory, root.as_deref(), files, project, &matcher, &replaced)?;
        // 3. Rows, and the work itself with them.
        purged.rows = database::clean(store, project, &work, &matcher)?;
    }
    // 4. The pages that held them.
    if !store.rewrite_file()? {
        return Err(PurgeError::Busy);
    }
    store.forget_purge(project)?;
    Ok(Some(purged))
}

#[cfg(test)]
#[path = "purge_tests.rs"]
mod tests;
