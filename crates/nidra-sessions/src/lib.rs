//! Readers of the transcripts that coding agents leave, and project identity.
//!
//! Everything here only reads: which transcripts there are ([`claude::discover`]), to which project a
//! directory belongs ([`project::identify`]), and what was said since a [`Cursor`] ([`claude::read`]).
//! Damage costs at most the damaged stretch and is reported as a diagnostic; memory stays bounded for
//! any file and any line. The crate never writes, never starts a process, never reads the environment
//! or a clock, and knows nothing of memory entries.

pub mod claude;
mod cursor;
pub mod daily_log;
mod json;
mod lines;
mod outcome;
pub mod plain_file;
pub mod project;
mod reader;
pub mod repository;
pub mod transcript;

pub use cursor::Cursor;
pub use daily_log::DailyLogs;
pub use outcome::{ReadError, ReadOutcome};
pub use project::{Project, identify};
pub use reader::{ClaudeCode, Reader};
pub use transcript::{Discovery, Known, Transcript};
