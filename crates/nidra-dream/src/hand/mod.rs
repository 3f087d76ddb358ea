//! The user's own hand on memory: what they ask to be forgotten, what they ask to be remembered, and what they pin.
//!
//! Each is a run like any other: operations, guard, stage, commit. The user's command is the word that a dream would have to
//! ask for, so no policy holds it up; nothing else is done on the side.

pub mod forget;
pub mod pin;
mod purge;
pub mod remember;
pub mod select;
pub mod suppression;
