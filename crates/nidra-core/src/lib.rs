//! The words of the dream engine, and pure tools for text.
//!
//! Everything here is a value or a pure function. The crate reads no clock, no environment, no file
//! and no network: whoever calls it passes what it needs. See `ARCHITECTURE.md` for the way a dream
//! takes through the crates.

pub mod engine;
pub mod error;
pub mod evidence;
pub mod id;
pub mod memory;
pub mod operation;
pub mod session;
pub mod settings;
pub mod text;

pub use engine::{
    Dropped, Engine, EngineError, EngineInput, Outcome, Progress, Recurrence, Unwatched, Watcher,
};
pub use evidence::{Affect, Evidence, TrustRank};
pub use id::{EntryId, OperationId, PlanHash, ProjectId, RunId, SessionId};
pub use memory::{EntryView, IndexLine, Kind, MemoryView, TopicView};
pub use operation::{Change, NewTopic, Operation, Plan, Target};
pub use session::{AgentKind, Content, Conversation, Source, Speaker, Turn};
pub use settings::Settings;
