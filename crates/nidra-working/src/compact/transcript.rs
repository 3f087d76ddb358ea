//! A transcript as records whose words can be exchanged without touching anything else.

use jiff::Timestamp;
use nidra_core::text::token::{Family, Features};
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// A transcript: its lines in order. A line that is no record stays as it is.
#[derive(Clone, Debug, Default)]
pub struct Script {
    lines: Vec<Line>,
}

#[derive(Clone, Debug)]
enum Line {
    Record(Box<Value>),
    Other(String),
}

/// Who a body belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A person typed it.
    Human,
    /// The client put it in.
    Injected,
    /// The agent said it.
    Agent,
    /// The agent thought it.
    Thought,
    /// The input of a call.
    Call,
    /// What a call gave.
    Result,
}

/// The words of a block of a record.
#[derive(Clone, Debug)]
pub struct Body {
    /// The line.
    pub line: usize,
    /// The block in the content; `None` for a content that is one string.
    pub block: Option<usize>,
    /// Whose words they are.
    pub role: Role,
    /// The words that a model reads.
    pub text: String,
    /// The call that it is or answers.
    pub call: Option<String>,
    /// The result says that the call failed.
    pub error: bool,
}

/// A call of a tool.
#[derive(Clone, Debug)]
pub struct Call {
    /// The line.
    pub line: usize,
    /// The tool.
    pub name: String,
    /// The file that it reads or writes, where it names one.
    pub file: Option<String>,
}

impl Script {
    /// Reads a transcript.
    pub fn parse(text: &str) -> Self {
        let line = |line: &str| match serde_json::from_str::<Value>(line) {
            Ok(value) if value.is_object() => Line::Record(Box::new(value)),
            _ => Line::Other(line.to_owned()),
        };
        Self { lines: text.lines().map(line).collect() }
    }

    /// A transcript of these records.
    pub fn of_records(records: impl IntoIterator<Item = Value>) -> Self {
        Self { lines: records.into_iter().map(|record| Line::Record(Box::new(record))).collect() }
    }

    /// Whether a text is a transcript at all.
    pub fn is_one(text: &str) -> bool {
        let first = text.lines().find(|line| !line.trim().is_empty());
        first.and_then(|line| serde_json::from_str::<Value>(line).ok()).is_some_and(|value| {
            value.get("type").is_some()
                && (value.get("sessionId").is_some() || value.get("message").is_some())
        })
    }

    /// The transcript as text.
    pub fn render(&self) -> String {
        let mut text = String::new();
        for line in &self.lines {
            match line {
                Line::Record(value) => text.push_str(&value.to_string()),
                Line::Other(line) => text.push_str(line),
            }
            text.push('\n');
        }
        text
    }

    /// How many lines there are.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether there is no line.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The record of a line.
    pub fn record(&self, line: usize) -> Option<&Value> {
        match self.lines.get(line) {
            Some(Line::Record(value)) => Some(value),
            _ => None,
        }
    }

    /// When the record of a line was made, where it says so.
    pub fn moment(&self, line: usize) -> Option<Timestamp> {
        self.record(line)?.get("timestamp")?.as_str()?.parse().ok()
    }

    /// What a record is known by.
    pub fn name(&self, line: usize) -> String {
        let uuid = self.record(line).and_then(|record| record.get("uuid")).and_then(Value::as_str);
        uuid.map_or_else(|| format!("line {}", line + 1), str::to_owned)
    }

    /// The bodies of the main thread since the last compaction, in order.
    pub fn bodies(&self) -> Vec<Body> {
        let begin = self.begin();
        (begin..self.len()).flat_map(|line| self.bodies_of(line)).collect()
    }

    /// The line at which what a model reads begins.
    fn begin(&self) -> usize {
        let boundary = |line: &usize| {
            self.record(*line).and_then(|record| record.get("subtype")).and_then(Value::as_str)
                == Some("compact_boundary")
        };
        (0..self.len()).rev().find(boundary).unwrap_or(0)
    }

    fn bodies_of(&self, line: usize) -> Vec<Body> {
        let Some(record) = self.record(line) else { return Vec::new() };
        let flag = |name: &str| record.get(name).and_then(Value::as_bool) == Some(true);
        let user = match record.get("type").and_then(Value::as_str) {
            Some("user") => true,
            Some("assistant") => false,
            _ => return Vec::new(),
        };
        if flag("isSidechain") {
            return Vec::new();
        }
        let body = |block, role, text: String, call: Option<&str>, error| Body {
            line,
            block,
            role,
            text,
            call: call.map(str::to_owned),
            error,
        };
        let typed = |text: &str| {
            let put_in = flag("isMeta") || flag("isCompactSummary") || text.trim_start().starts_with('<');
            if !user {
                Role::Agent
            } else if put_in {
                Role::Injected
            } else {
                Role::Human
            }
        };
        match record.pointer("/message/content") {
            Some(Value::String(text)) => vec![body(None, typed(text), text.clone(), None, false)],
            Some(Value::Array(blocks)) => blocks
                .iter()
                .enumerate()
                .filter_map(|(number, block)| {
                    let text = |name: &str| block.get(name).and_then(Value::as_str);
                    match text("type")? {
                        "text" => {
                            let words = text("text")?;
                            Some(body(Some(number), typed(words), words.to_owned(), None, false))
                        }
                        "thinking" => {
                            Some(body(Some(number), Role::Thought, text("thinking")?.to_owned(), None, false))
                        }
                        "tool_use" => {
                            let input = block.get("input").map(Value::to_string).unwrap_or_default();
                            Some(body(Some(number), Role::Call, input, text("id"), false))
                        }
                        "tool_result" => {
                            let error = block.get("is_error").and_then(Value::as_bool) == Some(true);
                            let words = result_text(block.get("content")?);
                            Some(body(Some(number), Role::Result, words, text("tool_use_id"), error))
                        }
                        _ => None,
                    }
                })
                .collect(),
            _ => Vec::new(),
        }
    }

    /// The calls by their identifiers.
    pub fn calls(&self) -> HashMap<String, Call> {
        let mut calls = HashMap::new();
        for line in 0..self.len() {
            let blocks = self.record(line).and_then(|record| record.pointer("/message/content")?.as_array());
            for block in blocks.into_iter().flatten() {
                let text = |pointer: &str| block.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
                if let (Some(id), Some(name)) = (text("/id"), text("/name")) {
                    let file = text("/input/file_path")
                        .or_else(|| text("/input/path"))
                        .or_else(|| text("/input/notebook_path"));
                    calls.insert(id, Call { line, name, file });
                }
            }
        }
        calls
    }

    /// Puts other words in the place of a body's.
    pub fn replace(&mut self, body: &Body, words: &str) {
        let Some(Line::Record(record)) = self.lines.get_mut(body.line) else { return };
        // The client keeps a second copy of what a tool gave, for its own screens.
        if body.role == Role::Result
            && record.get("toolUseResult").is_some_and(|copy| copy.to_string().len() > words.len() + 200)
        {
            record["toolUseResult"] = Value::String(words.to_owned());
        }
        let Some(content) = record.pointer_mut("/message/content") else { return };
        match body.block {
            None => *content = Value::String(words.to_owned()),
            Some(number) => {
                let Some(block) = content.get_mut(number) else { return };
                match body.role {
                    Role::Result => block["content"] = Value::String(words.to_owned()),
                    // A thought is signed: it stays whole or goes.
                    Role::Thought => *block = json!({ "type": "text", "text": words }),
                    Role::Human | Role::Injected | Role::Agent => {
                        block["text"] = Value::String(words.to_owned());
                    }
                    Role::Call => {}
                }
            }
        }
    }

    /// Cuts the long strings of a call's input.
    pub fn cut_input(&mut self, body: &Body, limit: usize) {
        let (Some(Line::Record(record)), Some(number)) = (self.lines.get_mut(body.line), body.block) else {
            return;
        };
        if let Some(input) = record
            .pointer_mut("/message/content")
            .and_then(|content| content.get_mut(number)?.get_mut("input"))
        {
            cut(input, limit);
        }
    }

    /// The line at which the last so many turns of a person begin.
    pub fn tail(&self, turns: usize) -> usize {
        let lines: Vec<usize> =
            self.bodies().into_iter().filter(|body| body.role == Role::Human).map(|body| body.line).collect();
        lines
            .len()
            .checked_sub(turns)
            .and_then(|at| lines.get(at))
            .or(lines.first())
            .copied()
            .unwrap_or(self.len())
    }

    /// What a model reads, in tokens.
    pub fn tokens(&self, family: Family) -> usize {
        let features =
            self.bodies().iter().fold(Features::default(), |sum, body| sum.and(Features::of(&body.text)));
        features.tokens(family)
    }

    /// All words that a model reads.
    pub fn words(&self) -> String {
        self.bodies().into_iter().map(|body| body.text).collect::<Vec<_>>().join("\n")
    }

    /// The same session with a digest in the place of everything before a line, as the client writes it.
    #[must_use]
    pub fn with_digest(
        &self,
        digest: &str,
        tail: usize,
        boundary: &str,
        summary: &str,
        tokens: (usize, usize),
    ) -> Self {
        let template = (0..self.len())
            .filter_map(|line| self.record(line))
            .rfind(|record| record.get("uuid").is_some() && record.get("message").is_some());
        let envelope = |extra: Value| -> Value {
            let mut record = Map::new();
            for name in
                ["userType", "entrypoint", "cwd", "sessionId", "version", "gitBranch", "slug", "timestamp"]
            {
                if let Some(value) = template.and_then(|template| template.get(name)) {
                    record.insert(name.to_owned(), value.clone());
                }
            }
            record.insert("isSidechain".to_owned(), Value::Bool(false));
            if let Value::Object(extra) = extra {
                record.extend(extra);
            }
            Value::Object(record)
        };
        let last = (0..tail.min(self.len()))
            .rev()
            .find_map(|line| self.record(line)?.get("uuid")?.as_str().map(str::to_owned));
        let mut records = vec![
            envelope(json!({
                "type": "system", "subtype": "compact_boundary", "uuid": boundary, "parentUuid": null,
                "logicalParentUuid": last, "content": "Conversation compacted", "level": "info", "isMeta": false,
                "compactMetadata": { "trigger": "manual", "preTokens": tokens.0, "postTokens": tokens.1 },
            })),
            envelope(json!({
                "type": "user", "uuid": summary, "parentUuid": boundary, "isCompactSummary": true,
                "isVisibleInTranscriptOnly": true, "message": { "role": "user", "content": digest },
            })),
        ];
        let mut parent = summary.to_owned();
        for line in tail..self.len() {
            let Some(record) = self.record(line) else { continue };
            if record.get("message").is_none()
                || record.get("isSidechain").and_then(Value::as_bool) == Some(true)
            {
                continue;
            }
            let mut record = record.clone();
            if let Some(uuid) = record.get("uuid").and_then(Value::as_str).map(str::to_owned) {
                record["parentUuid"] = Value::String(std::mem::replace(&mut parent, uuid));
            }
            records.push(record);
        }
        Self::of_records(records)
    }
}

fn result_text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            blocks.iter().filter_map(|block| block.get("text")?.as_str()).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

fn cut(value: &mut Value, limit: usize) {
    match value {
        Value::String(text) if text.chars().count() > limit => {
            let head: String = text.chars().take(limit).collect();
            *text = format!("{head} …");
        }
        Value::Array(values) => values.iter_mut().for_each(|value| cut(value, limit)),
        Value::Object(fields) => fields.values_mut().for_each(|value| cut(value, limit)),
        _ => {}
    }
}
