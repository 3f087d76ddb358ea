//! Reading transcripts, finding them, and knowing whose they are.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests fail with them")]

mod build;
mod client;
mod damage;
mod discovery;
mod feedback;
mod projects;
mod property;
mod samples;
mod streams;
