//! Builders that write transcripts the way the client does.

use nidra_core::{AgentKind, Content, SessionId, Speaker, Turn};
use nidra_sessions::claude::read;
use nidra_sessions::{Cursor, ReadOutcome, Transcript};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// A session identifier with this number in it.
pub(crate) fn uuid(number: u32) -> String {
    format!("00000000-0000-4000-8000-{number:012}")
}

/// Builds records with growing identifiers and times.
pub(crate) struct Log {
    pub(crate) session: String,
    pub(crate) directory: String,
    pub(crate) bytes: Vec<u8>,
    records: u32,
}

impl Log {
    pub(crate) fn new(session: u32, directory: &str) -> Self {
        Self { session: uuid(session), directory: directory.to_owned(), bytes: Vec::new(), records: 0 }
    }

    /// A record with the common envelope; `extra` fields replace those of the envelope.
    pub(crate) fn record(&mut self, kind: &str, extra: &Value) -> String {
        self.records += 1;
        let mut record = json!({
            "parentUuid": null,
            "isSidechain": false,
            "type": kind,
            "uuid": format!("record-{}", self.records),
            "timestamp": format!("2026-11-30T10:{:02}:{:02}.000Z", self.records / 60 % 60, self.records % 60),
            "entrypoint": "cli",
            "cwd": self.directory,
            "sessionId": self.session,
            "version": "2.1.332",
        });
        for (name, value) in extra.as_object().expect("extra fields are an object") {
            record[name] = value.clone();
        }
        record.to_string()
    }

    pub(crate) fn line(&mut self, line: &str) -> &mut Self {
        self.bytes.extend_from_slice(line.as_bytes());
        self.bytes.push(b'\n');
        self
    }

    pub(crate) fn push(&mut self, kind: &str, extra: &Value) -> &mut Self {
        let line = self.record(kind, extra);
        self.line(&line)
    }

    pub(crate) fn human(&mut self, text: &str) -> &mut Self {
        self.push("user", &json!({"message": {"role": "user", "content": text}}))
    }

    pub(crate) fn agent(&mut self, message: &str, text: &str) -> &mut Self {
        let blocks = json!([{"type": "text", "text": text}]);
        self.push("assistant", &json!({"message": {"id": message, "role": "assistant", "content": blocks}}))
    }

    pub(crate) fn call(&mut self, id: &str, name: &str, input: &Value) -> &mut Self {
        let blocks = json!([{"type": "tool_use", "id": id, "name": name, "input": input}]);
        self.push(
            "assistant",
            &json!({"message": {"id": format!("m-{id}"), "role": "assistant", "content": blocks}}),
        )
    }

    pub(crate) fn result(&mut self, id: &str, text: &str) -> &mut Self {
        let blocks = json!([{"type": "tool_result", "tool_use_id": id, "content": text}]);
        self.push(
            "user",
            &json!({"message": {"role": "user", "content": blocks}, "toolUseResult": {"stdout": text}}),
        )
    }

    /// Writes the transcript below a configuration directory.
    pub(crate) fn write(&self, config: &Path, folder: &str) -> PathBuf {
        let folder = config.join("projects").join(folder);
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join(format!("{}.jsonl", self.session));
        fs::write(&path, &self.bytes).unwrap();
        path
    }

    /// Reads the records as a transcript from its start.
    pub(crate) fn read(&self) -> Read {
        read_bytes(&self.bytes)
    }
}

/// What a reading yielded.
pub(crate) struct Read {
    pub(crate) turns: Vec<Turn>,
    pub(crate) outcome: ReadOutcome,
}

impl Read {
    /// The texts of a speaker.
    pub(crate) fn texts(&self, speaker: Speaker) -> Vec<&str> {
        self.turns.iter().filter(|turn| turn.speaker == speaker).filter_map(Turn::text).collect()
    }

    pub(crate) fn human(&self) -> Vec<&str> {
        self.texts(Speaker::Human)
    }

    /// All words of the reading, tools included.
    pub(crate) fn everything(&self) -> String {
        format!("{:?}", self.turns)
    }

    /// The results of tools: text, error, refused.
    pub(crate) fn results(&self) -> Vec<(&str, bool, bool)> {
        let mut results = Vec::new();
        for turn in &self.turns {
            if let Content::ToolResult { text, error, refused, .. } = &turn.content {
                results.push((text.as_str(), *error, *refused));
            }
        }
        results
    }
}

pub(crate) fn transcript(path: &Path) -> Transcript {
    Transcript {
        path: path.to_owned(),
        agent: AgentKind::ClaudeCode,
        session: SessionId::new(path.file_stem().unwrap().to_str().unwrap()),
        stream: None,
        length: fs::metadata(path).map(|metadata| metadata.len()).unwrap_or_default(),
        modified: jiff::Timestamp::UNIX_EPOCH,
        inode: None,
        directory: None,
        headless: None,
        own: false,
    }
}

pub(crate) fn read_from(transcript: &Transcript, cursor: &Cursor) -> Read {
    let mut turns = Vec::new();
    let outcome = read(transcript, cursor, &mut |turn| turns.push(turn)).unwrap();
    Read { turns, outcome }
}

pub(crate) fn read_path(path: &Path) -> Read {
    read_from(&transcript(path), &Cursor::default())
}

pub(crate) fn read_bytes(bytes: &[u8]) -> Read {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.jsonl");
    fs::write(&path, bytes).unwrap();
    read_path(&path)
}
