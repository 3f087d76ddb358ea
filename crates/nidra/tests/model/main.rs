//! Dreams with a model, from the transcripts to the files: the program at a server of the loopback interface, and a model
//! that answers as badly as it can.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "helpers of tests fail like tests, and say what they could not test"
)]

mod collector;
mod diagnosis;
mod hostile;
mod program;
#[expect(dead_code, reason = "other tests use more of it")]
#[path = "../../../nidra-model/tests/it/server.rs"]
mod server;
mod stopping;
#[expect(dead_code, reason = "other tests use more of it")]
#[path = "../cli/support.rs"]
mod support;
#[expect(dead_code, reason = "other tests use more of it")]
#[path = "../cli/talk.rs"]
mod talk;
mod telling;
#[expect(dead_code, reason = "other tests use more of it")]
#[path = "../cli/tree.rs"]
mod tree;
