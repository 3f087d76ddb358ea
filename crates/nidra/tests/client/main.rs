//! Tests of the command layer's parts on a real file system and with real processes.

#![expect(clippy::unwrap_used, reason = "a helper of a test fails the test")]

mod config;
mod detach;
mod install;
