//! The command layer of nidra: the client's hooks, settings and environment, notes of hooks, detached starts.
//!
//! It is a library so that its parts can be tested; whoever wants the dream engine uses `nidra-dream`.

pub mod client;
pub mod config;
pub mod detach;
pub mod spool;
