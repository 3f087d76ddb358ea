//! x
pub mod shell;
