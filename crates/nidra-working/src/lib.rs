//! Working memory: what is being worked on, how scattered it is, and when a rest is due.
//!
//! Tasks and topics stand in the state database (`nidra_memory::store`); this crate judges them and the talk
//! ([`fragmentation`], [`heartbeat`]), and writes what other programs read ([`export`]). It never writes into a memory
//! directory, reads no clock and no environment.

pub mod compact;
pub mod decisions;
pub mod dullness;
pub mod export;
pub mod fragmentation;
pub mod heartbeat;
pub mod live;
pub mod rest;
pub mod snapshots;
pub mod talk;
pub mod triggers;
