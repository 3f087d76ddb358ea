//! Scenarios as conversations.

use jiff::{SignedDuration, Timestamp};
use nidra_core::{AgentKind, Content, Conversation, SessionId, Source, Speaker, Turn};
use serde_json::Value;
use std::error::Error;
use std::path::PathBuf;

/// The sessions of a scenario.
pub(crate) fn conversations(scenario: &Value) -> Result<Vec<Conversation>, Box<dyn Error>> {
    let mut found = Vec::new();
    for session in scenario["sessions"].as_array().into_iter().flatten() {
        let id = session["id"].as_str().unwrap_or_default();
        let mut clock: Timestamp = session["start"].as_str().unwrap_or_default().parse()?;
        let mut turns = Vec::new();
        for turn in session["turns"].as_array().into_iter().flatten() {
            add(turn, id, None, &mut clock, &mut turns)?;
        }
        found.push(Conversation {
            session: Some(SessionId::new(id)),
            directory: None,
            turns,
            diagnostics: Vec::new(),
        });
    }
    Ok(found)
}

fn add(
    turn: &Value,
    session: &str,
    stream: Option<&str>,
    clock: &mut Timestamp,
    turns: &mut Vec<Turn>,
) -> Result<(), Box<dyn Error>> {
    *clock = clock.checked_add(SignedDuration::from_secs(25))?;
    if let Some(gap) = turn["gap"].as_str() {
        let (number, unit) = gap.trim().split_at(gap.trim().len() - 1);
        let seconds = match unit {
            "s" => 1,
            "m" => 60,
            "h" => 3600,
            _ => 86_400,
        };
        *clock = clock
            .checked_add(SignedDuration::from_secs(number.trim().parse::<i64>().unwrap_or(0) * seconds))?;
    }
    let number = turns.len();
    let source = Source {
        agent: AgentKind::ClaudeCode,
        session: SessionId::new(session),
        stream: stream.map(str::to_owned),
        record: format!("@{number}"),
        path: PathBuf::from(format!("{session}.jsonl")).into(),
        offset: number as u64,
        length: 1,
    };
    let speaker = |main: Speaker| if stream.is_some() { Speaker::Subagent } else { main };
    let mut push = |speaker: Speaker, content: Content, at: Timestamp| {
        turns.push(Turn { source: source.clone(), at: Some(at), speaker, content });
    };
    if let Some(text) = turn["u"].as_str() {
        push(speaker(Speaker::Human), Content::Text(text.to_owned()), *clock);
    } else if let Some(text) = turn["a"].as_str() {
        push(speaker(Speaker::Agent), Content::Text(text.to_owned()), *clock);
    } else if let Some(text) = turn["meta"].as_str() {
        push(Speaker::Injected, Content::Text(text.to_owned()), *clock);
    } else if turn["interrupt"].as_bool() == Some(true) {
        push(Speaker::Human, Content::Interrupted, *clock);
    } else if turn["t"].is_object() {
        let call = &turn["t"];
        let id = format!("call-{number}");
        push(
            speaker(Speaker::Agent),
            Content::ToolCall {
                id: id.clone(),
                name: call["name"].as_str().unwrap_or_default().to_owned(),
                input: call["input"].clone(),
            },
            *clock,
        );
        *clock = clock.checked_add(SignedDuration::from_secs(5))?;
        let text = call["result"].as_str().map_or_else(|| call["result"].to_string(), str::to_owned);
        push(
            speaker(Speaker::Tool),
            Content::ToolResult { id, text, error: call["error"].as_bool() == Some(true), refused: false },
            *clock,
        );
    } else if let Some(inner) = turn["side"].as_array() {
        for turn in inner {
            add(turn, session, Some("side"), clock, turns)?;
        }
    }
    Ok(())
}
