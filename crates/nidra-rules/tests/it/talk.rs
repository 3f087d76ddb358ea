//! Builds conversations and memories for the tests, and applies operations to a memory in the simplest way.

use jiff::{SignedDuration, Timestamp, ZonedDateTime};
use nidra_core::{
    AgentKind, Change, Content, Conversation, Engine, EngineInput, EntryId, EntryView, Kind, MemoryView,
    Outcome, SessionId, Source, Speaker, TopicView, Turn, Unwatched,
};
use nidra_rules::RulesEngine;
use std::path::PathBuf;

/// A session under construction.
#[derive(Clone, Debug)]
pub(crate) struct Talk {
    session: String,
    clock: Timestamp,
    turns: Vec<Turn>,
}

impl Talk {
    pub(crate) fn at(session: &str, start: &str) -> Self {
        Self { session: session.to_owned(), clock: start.parse().expect("a time"), turns: Vec::new() }
    }

    fn push(mut self, speaker: Speaker, stream: Option<&str>, content: Content) -> Self {
        self.clock = self.clock.checked_add(SignedDuration::from_secs(30)).expect("a later time");
        let number = self.turns.len();
        let source = Source {
            agent: AgentKind::ClaudeCode,
            session: SessionId::new(&*self.session),
            stream: stream.map(str::to_owned),
            record: format!("{}-{number}", self.session),
            path: PathBuf::from(format!("{}.jsonl", self.session)).into(),
            offset: number as u64,
            length: 1,
        };
        self.turns.push(Turn { source, at: Some(self.clock), speaker, content });
        self
    }

    pub(crate) fn human(self, text: &str) -> Self {
        self.push(Speaker::Human, None, Content::Text(text.to_owned()))
    }

    pub(crate) fn agent(self, text: &str) -> Self {
        self.push(Speaker::Agent, None, Content::Text(text.to_owned()))
    }

    pub(crate) fn injected(self, text: &str) -> Self {
        self.push(Speaker::Injected, None, Content::Text(text.to_owned()))
    }

    pub(crate) fn subagent(self, text: &str) -> Self {
        self.push(Speaker::Subagent, Some("side"), Content::Text(text.to_owned()))
    }

    pub(crate) fn interrupted(self) -> Self {
        self.push(Speaker::Human, None, Content::Interrupted)
    }

    pub(crate) fn run(self, command: &str, result: &str, failed: bool) -> Self {
        let id = format!("call-{}", self.turns.len());
        let input = serde_json::json!({ "command": command });
        self.push(Speaker::Agent, None, Content::ToolCall { id: id.clone(), name: "Bash".to_owned(), input })
            .push(
                Speaker::Tool,
                None,
                Content::ToolResult { id, text: result.to_owned(), error: failed, refused: false },
            )
    }

    pub(crate) fn done(self) -> Conversation {
        Conversation {
            session: Some(SessionId::new(&*self.session)),
            directory: None,
            turns: self.turns,
            diagnostics: Vec::new(),
        }
    }
}

/// A talk on a usual day.
pub(crate) fn talk() -> Talk {
    Talk::at("s1", "2026-05-12T09:00:00Z")
}

/// A memory of topic files with bullets.
pub(crate) fn memory(topics: &[(&str, Kind, &[&str])]) -> MemoryView {
    MemoryView {
        topics: topics
            .iter()
            .map(|(stem, kind, entries)| {
                let path = format!("{stem}.md");
                TopicView {
                    name: (*stem).to_owned(),
                    description: (*stem).to_owned(),
                    kind: Some(*kind),
                    pinned: false,
                    editable: true,
                    modified: None,
                    entries: entries.iter().map(|text| entry(&path, text)).collect(),
                    path,
                }
            })
            .collect(),
        index: Vec::new(),
    }
}

fn entry(path: &str, text: &str) -> EntryView {
    EntryView {
        id: EntryId::of(path, text),
        range: 0..0,
        text: text.to_owned(),
        headings: Vec::new(),
        bullet: true,
        active: true,
    }
}

pub(crate) fn now(text: &str) -> ZonedDateTime {
    text.parse().expect("a time in a zone")
}

/// Runs the engine a few days later, in UTC.
pub(crate) fn dream(conversations: &[Conversation], memory: &MemoryView) -> Outcome {
    dream_at(conversations, memory, "2026-05-20T08:00:00+00:00[UTC]")
}

pub(crate) fn dream_at(conversations: &[Conversation], memory: &MemoryView, moment: &str) -> Outcome {
    let now = now(moment);
    RulesEngine
        .dream(EngineInput { conversations, memory, now: &now, watcher: &Unwatched })
        .expect("an outcome")
}

/// The words of all new and replacing entries.
pub(crate) fn stated(outcome: &Outcome) -> Vec<String> {
    outcome
        .operations
        .iter()
        .flat_map(|operation| match &operation.change {
            Change::Create { entries, .. } => entries.clone(),
            Change::Append { text, .. } | Change::Rewrite { text, .. } | Change::Supersede { text, .. } => {
                vec![text.clone()]
            }
            _ => Vec::new(),
        })
        .collect()
}

/// One talk, empty memory: what is stated.
pub(crate) fn kept(talk: Talk) -> Vec<String> {
    stated(&dream(&[talk.done()], &MemoryView::default()))
}

/// Applies operations to a memory view.
pub(crate) fn apply(memory: &MemoryView, outcome: &Outcome) -> MemoryView {
    let mut memory = memory.clone();
    for operation in &outcome.operations {
        match &operation.change {
            Change::Create { topic, entries, .. } => {
                let path = format!("{}.md", topic.slug);
                memory.topics.push(TopicView {
                    name: topic.title.clone(),
                    description: topic.description.clone(),
                    kind: Some(topic.kind),
                    pinned: false,
                    editable: true,
                    modified: None,
                    entries: entries.iter().map(|text| entry(&path, text)).collect(),
                    path,
                });
            }
            Change::Append { path, text, .. } => {
                for topic in memory.topics.iter_mut().filter(|topic| topic.path == *path) {
                    topic.entries.push(entry(path, text));
                }
            }
            Change::Rewrite { target, text, .. } | Change::Supersede { target, text, .. } => {
                for topic in memory.topics.iter_mut().filter(|topic| topic.path == target.path) {
                    for old in topic.entries.iter_mut().filter(|old| old.id == target.entry) {
                        *old = entry(&target.path, text);
                    }
                }
            }
            Change::Archive { target } => {
                for topic in memory.topics.iter_mut().filter(|topic| topic.path == target.path) {
                    topic.entries.retain(|old| old.id != target.entry);
                }
            }
            Change::Retitle { .. }
            | Change::Relink { .. }
            | Change::Unlink { .. }
            | Change::Propose { .. } => {}
        }
    }
    memory.topics.sort_by(|left, right| left.path.cmp(&right.path));
    memory
}
