//! Recall from transcripts on disk: what is found, and that the index survives what happens to files.

#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up should stop")]

mod finding;
mod keeping;
mod memory;
mod talk;
