//! A session or a text as a conversation.

use crate::compact::transcript::{Role, Script};
use nidra_core::{AgentKind, Content, Conversation, SessionId, Source, Speaker, Turn};
use nidra_sessions::{Cursor, ReadError, Transcript, claude};
use std::path::Path;

/// Reads a whole transcript of the client's.
///
/// # Errors
/// When it cannot be read at all.
pub fn read(path: &Path) -> Result<Conversation, ReadError> {
    let session = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let transcript = Transcript::named(path, AgentKind::ClaudeCode, SessionId::new(session.as_str()));
    let mut turns = Vec::new();
    let outcome = claude::read(&transcript, &Cursor::default(), &mut |turn| turns.push(turn))?;
    Ok(Conversation {
        session: Some(transcript.session),
        directory: outcome.directories.into_iter().next(),
        turns,
        diagnostics: outcome.diagnostics,
    })
}

/// The bodies of a transcript as a conversation, and which turn each of them became.
pub fn of_script(script: &Script) -> (Conversation, Vec<Option<usize>>) {
    let session = SessionId::new("script");
    let path: std::sync::Arc<Path> = Path::new("script").into();
    let (mut turns, mut places) = (Vec::new(), Vec::new());
    for (number, body) in script.bodies().into_iter().enumerate() {
        let id = body.call.clone().unwrap_or_default();
        let record = script.record(body.line);
        let at = script.moment(body.line);
        let (speaker, content) = match body.role {
            Role::Human => (Speaker::Human, Content::Text(body.text)),
            Role::Injected => (Speaker::Injected, Content::Text(body.text)),
            Role::Agent => (Speaker::Agent, Content::Text(body.text)),
            Role::Thought => {
                places.push(None);
                continue;
            }
            Role::Call => {
                let block = record.and_then(|record| record.pointer("/message/content")?.get(body.block?));
                let field = |name: &str| block.and_then(|block| block.get(name)).cloned().unwrap_or_default();
                let name = field("name").as_str().unwrap_or_default().to_owned();
                (Speaker::Agent, Content::ToolCall { id, name, input: field("input") })
            }
            Role::Result => (
                Speaker::Tool,
                Content::ToolResult { id, text: body.text, error: body.error, refused: false },
            ),
        };
        places.push(Some(turns.len()));
        turns.push(Turn {
            source: Source {
                agent: AgentKind::ClaudeCode,
                session: session.clone(),
                stream: None,
                record: format!("@{number}"),
                path: path.clone(),
                offset: number as u64,
                length: 1,
            },
            at,
            speaker,
            content,
        });
    }
    (Conversation { session: Some(session), directory: None, turns, diagnostics: Vec::new() }, places)
}

/// A text as what a person said, one paragraph after the other.
pub fn of_text(text: &str) -> Conversation {
    let session = SessionId::new("text");
    let path: std::sync::Arc<Path> = Path::new("text").into();
    let mut offset = 0;
    let mut turns = Vec::new();
    for paragraph in text.split("\n\n") {
        let length = paragraph.len() as u64;
        if !paragraph.trim().is_empty() {
            turns.push(Turn {
                source: Source {
                    agent: AgentKind::ClaudeCode,
                    session: session.clone(),
                    stream: None,
                    record: format!("@{offset}"),
                    path: path.clone(),
                    offset,
                    length,
                },
                at: None,
                speaker: Speaker::Human,
                content: Content::Text(paragraph.trim().to_owned()),
            });
        }
        offset += length + 2;
    }
    Conversation { session: Some(session), directory: None, turns, diagnostics: Vec::new() }
}

/// The words of a turn, whatever it holds.
pub fn words(conversation: &Conversation, place: usize) -> String {
    match conversation.turns.get(place).map(|turn| &turn.content) {
        Some(Content::Text(text) | Content::ToolResult { text, .. }) => text.clone(),
        Some(Content::ToolCall { name, input, .. }) => format!("{name} {input}"),
        Some(Content::Interrupted) | None => String::new(),
    }
}
