//! Conversations in plain words, also for the tests of the engine with an agent.

use jiff::{SignedDuration, Timestamp};
use nidra_core::{AgentKind, Content, Conversation, SessionId, Source, Speaker, Turn};
use std::path::PathBuf;

/// A session in which a person says these words, one after the other.
pub(crate) fn talk(session: &str, words: &[&str]) -> Conversation {
    let mut clock: Timestamp = "2026-11-28T09:00:00Z".parse().unwrap();
    let mut turns = Vec::new();
    for (number, text) in words.iter().enumerate() {
        for (speaker, text) in [(Speaker::Human, *text), (Speaker::Agent, "Understood.")] {
            clock = clock.checked_add(SignedDuration::from_secs(30)).unwrap();
            let source = Source {
                agent: AgentKind::ClaudeCode,
                session: SessionId::new(session),
                stream: None,
                record: format!("{session}-{number}-{speaker:?}"),
                path: PathBuf::from(format!("/t/{session}.jsonl")).into(),
                offset: number as u64,
                length: 1,
            };
            turns.push(Turn { source, at: Some(clock), speaker, content: Content::Text(text.to_owned()) });
        }
    }
    Conversation {
        session: Some(SessionId::new(session)),
        directory: Some(PathBuf::from(format!("/home/dev/{session}"))),
        turns,
        diagnostics: Vec::new(),
    }
}
