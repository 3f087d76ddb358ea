//! The format side of the crate: memory directories as values, and operations staged on them.

#![expect(clippy::unwrap_used, clippy::panic, reason = "the helpers of tests stop a test")]

mod client;
mod directories;
mod files;
mod indexes;
mod paths;
mod properties;
mod support;
