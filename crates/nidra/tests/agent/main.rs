//! Dreams with an agent, from the transcripts to the files: a model with nidra's own tools, and the real Claude Code and
//! Codex, driven headless by a model on the loopback interface that tries to get out.
//!
//! The clients are fetched by `cargo xtask clients`. A client that is absent fails its test, unless
//! `NIDRA_TEST_WITHOUT_CLIENT=1` leaves it out, loudly. No test here may reach anything but the loopback interface.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "helpers of tests fail like tests, and say what they could not test"
)]

#[cfg(target_os = "linux")]
mod bounds;
#[cfg(target_os = "linux")]
mod confined;
#[cfg(target_os = "linux")]
mod hostile;
mod program;
#[cfg(target_os = "linux")]
mod provider;
#[cfg(target_os = "linux")]
mod secrets;
#[expect(dead_code, reason = "other tests use more of it")]
#[path = "../../../nidra-agent/tests/it/server.rs"]
mod server;
#[expect(dead_code, reason = "other tests use more of it")]
#[path = "../cli/support.rs"]
mod support;
#[expect(dead_code, reason = "other tests use more of it")]
#[path = "../cli/talk.rs"]
mod talk;
#[cfg(target_os = "linux")]
mod template;
#[expect(dead_code, reason = "other tests use more of it")]
#[path = "../cli/tree.rs"]
mod tree;
