//! A dream from its gates to its report: which sessions it reads, what an engine may change, what waits for the user.
//!
//! The crate knows no terminal, no agent's file format and no clock; [`pipeline::dream`] is the one way through it.

pub mod adopt;
pub mod apply;
pub mod checkout;
mod consult;
mod crowd;
mod demote;
pub mod drift;
pub mod event;
pub mod forget;
pub mod gate;
pub mod gather;
pub mod guard;
pub mod hand;
pub mod history;
pub mod hygiene;
pub mod kept;
pub mod lookup;
pub mod notice;
pub mod offers;
pub mod outside;
pub mod pipeline;
pub mod promote;
mod provenance;
pub mod question;
mod recheck;
mod recurrence;
pub mod report;
pub mod review;
pub mod settle;
pub mod standing;
mod steps;
pub mod team;
mod tombstone;
mod turns;
pub mod usage;
pub mod waiting;
pub mod why;

pub use steps::new_run;
