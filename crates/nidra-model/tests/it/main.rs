//! The engine with a model, asked over real connections of the loopback interface.

#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail like tests")]

mod budgets;
mod judging;
mod places;
mod secrets;
mod server;
mod setup;
mod talk;
mod wire;
