//! What was said in a session, in a form that no longer depends on the agent.

use crate::error::Diagnostic;
use crate::id::SessionId;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The agent that wrote a transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AgentKind {
    /// Claude Code.
    ClaudeCode,
    /// Whoever writes the daily logs of a memory directory.
    DailyLog,
    /// The user themself, on nidra's command line.
    CommandLine,
}

impl AgentKind {
    /// The name used in settings, reports and stored state.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::DailyLog => "daily-log",
            Self::CommandLine => "command-line",
        }
    }
}

/// Where a turn stands in a transcript: enough to show the words again later.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Source {
    /// The agent that wrote the transcript.
    pub agent: AgentKind,
    /// The session that the turn belongs to.
    pub session: SessionId,
    /// The sub-agent's identifier; `None` on the main thread.
    pub stream: Option<String>,
    /// The record's own identifier, or `@OFFSET` where it has none.
    pub record: String,
    /// The transcript file.
    #[serde(serialize_with = "crate::error::shown")]
    pub path: Arc<Path>,
    /// Where the record starts in the file, in bytes.
    pub offset: u64,
    /// How long the record is, in bytes, without its line end.
    pub length: u64,
}

/// Who produced a turn. The role of a record alone does not decide this: most "user" records of
/// real transcripts were not typed by a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Speaker {
    /// A person typed it.
    Human,
    /// The agent of the main thread said or did it.
    Agent,
    /// A tool returned it.
    Tool,
    /// It belongs to a sub-agent's conversation, whichever role it has there.
    Subagent,
    /// The client put it in: reminders, memory, hook output, command echoes, expanded skills.
    Injected,
    /// The digest that a compaction left.
    Summary,
}

/// What a turn holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Content {
    /// Words.
    Text(String),
    /// The agent called a tool.
    ToolCall {
        /// Pairs the call with its result.
        id: String,
        /// The tool's name as the agent knows it.
        name: String,
        /// The tool's input; long strings are cut with an explicit mark.
        input: serde_json::Value,
    },
    /// A tool answered.
    ToolResult {
        /// Pairs the result with its call.
        id: String,
        /// The answer's text; cut with an explicit mark when long.
        text: String,
        /// The tool failed.
        error: bool,
        /// A person refused the call, so it never ran.
        refused: bool,
    },
    /// A person stopped the agent.
    Interrupted,
}

/// One turn of a conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// Where it stands.
    pub source: Source,
    /// When it was said, by the record's own time stamp.
    pub at: Option<Timestamp>,
    /// Who produced it.
    pub speaker: Speaker,
    /// What it holds.
    pub content: Content,
}

impl Turn {
    /// The words of a text turn.
    pub fn text(&self) -> Option<&str> {
        match &self.content {
            Content::Text(text) => Some(text),
            Content::ToolCall { .. } | Content::ToolResult { .. } | Content::Interrupted => None,
        }
    }
}

/// The new turns of one session, in the order in which they were said.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Conversation {
    /// The session; empty only in a default value.
    pub session: Option<SessionId>,
    /// The working directory that its records name.
    pub directory: Option<PathBuf>,
    /// The turns in the order of the files: the main thread first, then each sub-agent's stream.
    pub turns: Vec<Turn>,
    /// What was odd while reading.
    pub diagnostics: Vec<Diagnostic>,
}
