//! Proofs of one promise: nothing is ever lost. Long random histories against a simple model, races of
//! processes, and editors that write while a run commits.
//!
//! How long they go on is set by the environment: `NIDRA_PROOF_OPERATIONS`, `NIDRA_PROOF_ROUNDS`,
//! `NIDRA_PROOF_EDITS` and `NIDRA_PROOF_SEED`. Each says which seed it used.

#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail like tests")]

mod child;
mod clients;
mod editors;
mod eventful;
mod machine;
mod model;
mod races;
mod random;
mod regressions;
mod user;
