//! The program as its users and the client meet it: the real binary in a home directory of its own.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "helpers of tests fail like tests, and say what they could not test"
)]

mod answers;
mod bad_input;
mod bad_settings;
mod concurrency;
mod daily_logs;
mod disk;
mod dream;
mod drift;
mod forgetting;
mod gates;
mod help;
mod hooks;
mod install;
mod judging;
mod map;
mod plans;
mod projects;
mod proposals;
mod purging;
mod reading;
mod recall;
mod remembering;
mod rest;
mod support;
mod talk;
mod team;
mod tree;
mod undo;
mod visibility;
mod why;
mod working;
