//! The engine with a model: what the rules found, judged by a model on a leash.
//!
//! The rules engine judges first and its plan is the floor. A model is then shown the candidates, the sentences that
//! nearly were some, and the entries of memory that are about the same; it answers with typed operations by identifier.
//! Each of them is checked against the words that were shown before it may touch the plan, and the plan passes the
//! same guard as any other.
//!
//! The crate opens connections, and nothing but the loopback interface is reached by its tests. It never writes
//! memory, never applies its own answer, and reads neither the environment nor the clock of the system: both come in.

mod answer;
pub mod budget;
mod caller;
mod counting;
pub mod diagnosis;
mod engine;
pub mod ground;
pub mod ledger;
mod material;
mod merge;
pub mod price;
pub mod privacy;
mod prompt;
pub mod provider;
mod spending;
pub mod spoken;
mod words;

pub use answer::AnswerFault;
pub use caller::{CallOptions, Caller, Pause, Unanswered};
pub use engine::{ModelEngine, ModelOptions, unavailable};
pub use merge::Declined;
pub use spending::{
    ENDED_EARLY, Estimate, NOT_ASKED, Summary, account, in_all, overcount, price_note, tokens,
};
pub use words::map_words;
