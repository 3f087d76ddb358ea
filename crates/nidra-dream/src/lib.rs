//! A dream from its gates to its report: which sessions it reads, what an engine may change, what waits for the user.
//!
//! The crate knows no terminal, no agent's file format and no clock; [`pipeline::dream`] is the one way through it.

pub mod adopt;
pub mod apply;
pub mod checkout;
mod consult;
pub mod drift;
pub mod event;
pub mod form;
pub mod gate;
pub mod gather;
pub mod guard;
pub mod history;
pub mod hygiene;
pub mod kept;
pub mod notice;
pub mod pipeline;
pub mod provenance;
pub mod report;
pub mod review;
pub mod settle;
mod steps;

pub use steps::new_run;
