//! Providers of models: what is asked, what comes back, and what can go wrong on the way.

mod anthropic;
mod dialogue;
pub mod endpoint;
mod event_stream;
mod http;
pub mod in_flight;
mod openai;
mod protocol;
mod recording;

pub use dialogue::{Dialogue, Message, Tool, ToolCall, ToolResult, Turn, dialogue_body, read_turn};
pub use endpoint::{Credential, Endpoint, Protocol, Secret, SetupError};
pub use event_stream::{EventStream, StreamEvent};
pub use http::Http;
pub use protocol::{Question, Reply, Stop, body, read_reply};
pub(crate) use protocol::{headers, is_idle};
pub(crate) use recording::hash;
pub use recording::hash as hash_of;
pub use recording::{Recorder, Replay};

use jiff::Timestamp;
use nidra_core::Watcher;
use std::time::Duration;

/// A request as it goes over the wire.
#[derive(Clone, Copy, Debug)]
pub struct Post<'a> {
    /// The whole address.
    pub url: &'a str,
    /// The headers; the key is among them, so they are neither recorded nor logged.
    pub headers: &'a [(&'static str, Secret)],
    /// The body: JSON.
    pub body: &'a str,
    /// The present moment.
    pub now: Timestamp,
    /// How long all of it may take.
    pub timeout: Duration,
    /// Whether the answer is one object: behind it nothing is worth waiting, and paying, for.
    pub one_object: bool,
    /// Who may stop it.
    pub watcher: &'a dyn Watcher,
}

/// A reply as it came over the wire.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answered {
    /// The status of HTTP.
    pub status: u16,
    /// The type of the content, without its parameters.
    pub content_type: String,
    /// How long the server asks to wait.
    pub retry_after: Option<Duration>,
    /// Where it says that it is to be found.
    pub location: Option<String>,
    /// The body, as far as it came.
    pub body: Vec<u8>,
    /// Whether the body came to its end.
    pub complete: bool,
}

/// Brings a request to a provider and its reply back.
pub trait Transport {
    /// Sends a request once.
    ///
    /// # Errors
    /// When there is no reply at all; a reply with a bad status is one.
    fn post(&self, post: &Post<'_>) -> Result<Answered, CallError>;

    /// Whether replies come from a recording, so that nobody is asked and nothing is paid.
    fn replays(&self) -> bool {
        false
    }
}

/// What went wrong with a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallFault {
    /// Nobody answers at the address.
    Unreachable,
    /// The run was stopped meanwhile.
    Stopped,
    /// The answer did not come in time.
    TimedOut,
    /// The key is missing, wrong or may not do this.
    Key,
    /// There is no such path or model.
    NotFound,
    /// Too many calls.
    Busy,
    /// The server has a fault of its own.
    Server,
    /// The server does not take the request.
    Request,
    /// The question is longer than the model takes.
    TooLong,
    /// The server sends elsewhere; keys and evidence do not follow.
    Redirected,
    /// The reply is none of the protocol.
    Shape,
    /// The reply broke off.
    Lost,
    /// The reply is longer than any that is read.
    Oversized,
    /// There is no recorded reply.
    NotRecorded,
    /// A recording cannot be read or written.
    Recording,
}

impl CallFault {
    /// The name used in the ledger.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unreachable => "unreachable",
            Self::Stopped => "stopped",
            Self::TimedOut => "timed-out",
            Self::Key => "key-refused",
            Self::NotFound => "not-found",
            Self::Busy => "rate-limited",
            Self::Server => "server-fault",
            Self::Request => "request-refused",
            Self::TooLong => "too-long",
            Self::Redirected => "redirected",
            Self::Shape => "no-protocol",
            Self::Lost => "broken-off",
            Self::Oversized => "oversized",
            Self::NotRecorded => "not-recorded",
            Self::Recording => "recording-failed",
        }
    }

    /// Whether the same call may work a little later.
    pub fn passes(self) -> bool {
        matches!(self, Self::Unreachable | Self::TimedOut | Self::Busy | Self::Server | Self::Lost)
    }
}

/// A call that came to no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct CallError {
    /// What went wrong.
    pub fault: CallFault,
    /// What, where, and what to do; never the text that was sent.
    pub message: String,
    /// How long the server asks to wait.
    pub retry_after: Option<Duration>,
}

impl CallError {
    /// An error without a wish of the server's.
    pub fn new(fault: CallFault, message: impl Into<String>) -> Self {
        Self { fault, message: message.into(), retry_after: None }
    }
}
