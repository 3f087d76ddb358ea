//! The engine with an agent, on a leash.
//!
//! The rules judge first and their plan is the floor. Then an agent – a model with tools of our own, or the user's agent on
//! its command line – works in a staging copy of memory, and what it changed there is read as ordinary operations: each
//! rests on what a person said, or it is declined, and all of them pass the guard and the review of every engine.
//!
//! The crate writes in scratch folders alone, never in a memory directory.

mod clean;
pub mod command;
mod difference;
mod driver;
mod engine;
mod prompt;
mod said;
mod scratch;
pub mod shell;
pub mod staging;
mod stray;
mod summary;
mod tool_loop;
mod tools;
mod vocabulary;

pub use difference::DeclinedChange;
pub use driver::{Driver, End, Task, Worked};
pub use engine::{AgentEngine, AgentOptions};
pub use prompt::Prompts;
pub use summary::{AgentSummary, Shown};
pub use tool_loop::{LoopLimits, ToolLoop};
