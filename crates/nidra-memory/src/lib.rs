//! A memory directory as a value, and every write to it: lease, snapshot, journal, commit, undo.
//!
//! Only `commit` and `undo` change files of a memory directory, and before the first write there is a
//! verified snapshot. The crate knows no agent's transcripts and calls no model.

pub mod adopt;
pub mod archived;
pub mod atomic;
pub mod change;
pub mod check;
pub mod commit;
pub mod directory;
pub mod document;
pub mod front_matter;
pub mod index;
pub mod journal;
pub mod lease;
pub mod limits;
pub mod lock_file;
pub mod merge;
pub mod objects;
pub mod owner;
pub mod pin;
pub mod purge;
pub mod recover;
pub mod repair;
pub mod shared_file;
pub mod stage;
pub mod store;
pub mod undo;

pub use change::{ChangeSet, FileChange};
