//! What must hold whatever fails: memory and state are those before a run or those after it.

#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail like tests")]

mod cases;
mod child;
mod crash;
mod disk;
mod faults;
mod purging;
mod race;
mod support;
mod undoing;
