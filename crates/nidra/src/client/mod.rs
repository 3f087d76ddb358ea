//! Claude Code, the client: its hooks in the user's settings, and what a hook answers.
//!
//! Writes one file of the client's, its user settings, and only when the user asks for it (`init`, `uninstall`);
//! a hook writes nothing of the client's. Everything that decides is pure; [`install`] alone touches files.

pub mod command;
pub(crate) mod document;
pub(crate) mod edit;
pub mod hook;
pub mod install;
pub mod notice;
pub mod plan;
pub(crate) mod record;
pub(crate) mod replace;
