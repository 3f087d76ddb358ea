//! The question: what the model is for, what memory says, and the evidence between marks that nothing in it can forge.

use crate::answer::{Asked, Verb};
use crate::material::{Item, Known};
use crate::provider::Question;
use nidra_core::Speaker;
use nidra_core::settings::ModelSettings;
use nidra_core::text::redact::{self, Scope};
use serde_json::{Value, json};

/// What the model is for.
const SYSTEM: &str = include_str!("prompts/judge.md");

/// What a run shows with every question.
#[derive(Clone, Debug)]
pub(crate) struct Frame<'a> {
    pub(crate) entries: &'a [Known],
    pub(crate) settings: &'a ModelSettings,
    pub(crate) scope: Scope,
}

impl Frame<'_> {
    /// The question about these items, and what its answer may name. The same items give the same question.
    pub(crate) fn question(&self, items: &[&Item], enforced: bool) -> (Question, Asked) {
        let lines: Vec<String> = items.iter().map(|item| line(item)).collect();
        // Each part was redacted on its own; what stands together may show what stood apart.
        let evidence = redact::redact_in(&lines.join("\n"), self.scope);
        let memory = self.memory();
        let batch = mark(&format!("{memory}\n{evidence}"));
        let asked = Asked {
            batch: batch.clone(),
            items: items.iter().map(|item| item.name.clone()).collect(),
            entries: self.entries.iter().map(|entry| entry.name.clone()).collect(),
        };
        let fenced = format!("batch: {batch}\n\n<evidence-{batch}>\n{evidence}\n</evidence-{batch}>");
        let question = Question {
            system: SYSTEM.trim().to_owned(),
            memory,
            evidence: fenced,
            schema: schema(&asked),
            max_output: self.settings.max_output_tokens,
            temperature: self.settings.temperature,
            enforced,
        };
        (question, asked)
    }

    /// The entries of memory that are shown, fenced as the evidence is: they may have come from anywhere, too.
    fn memory(&self) -> String {
        if self.entries.is_empty() {
            return String::new();
        }
        let lines: Vec<String> = self.entries.iter().map(entry_line).collect();
        let lines = redact::redact_in(&lines.join("\n"), self.scope);
        let mark = mark(&lines);
        format!("<memory-{mark}>\n{lines}\n</memory-{mark}>")
    }
}

/// A mark that its text does not hold: its own hash, so that a question is the same whenever it is asked.
fn mark(text: &str) -> String {
    let mut hash = blake3::hash(text.as_bytes());
    loop {
        let mark = hash.to_hex().get(..12).unwrap_or_default().to_owned();
        if !text.contains(&mark) {
            return mark;
        }
        hash = blake3::hash(hash.as_bytes());
    }
}

/// One item as one line of JSON: no line end or quotation mark of the text can leave it.
fn line(item: &Item) -> String {
    let words: Vec<Value> = item
        .quotes
        .iter()
        .map(|evidence| json!({ "speaker": speaker(evidence.speaker), "words": fenced(&evidence.quote) }))
        .collect();
    let mut line = json!({ "item": item.name, "words": words });
    if let Some(candidate) = &item.candidate {
        line["candidate"] = json!(fenced(&candidate.text));
        line["kind"] = json!(candidate.kind.as_str());
        line["operation"] = json!(candidate.change);
        if let Some(replaces) = &candidate.replaces {
            line["replaces"] = json!(fenced(replaces));
        }
    }
    line.to_string()
}

fn entry_line(entry: &Known) -> String {
    json!({ "entry": entry.name, "file": entry.path, "text": fenced(&entry.text) }).to_string()
}

/// Text without what could pass for a mark of ours.
fn fenced(text: &str) -> String {
    text.replace('<', "‹").replace('>', "›")
}

fn speaker(speaker: Speaker) -> &'static str {
    match speaker {
        Speaker::Human => "person",
        Speaker::Agent | Speaker::Subagent => "agent",
        Speaker::Tool => "tool",
        Speaker::Injected => "client",
        Speaker::Summary => "summary",
    }
}

/// The form of an answer in which nothing can be named that was not shown.
fn schema(asked: &Asked) -> Value {
    let words = || json!({ "type": ["string", "null"] });
    let verbs: Vec<&str> = Verb::ALL.iter().map(|(_, name)| *name).collect();
    let mut entries: Vec<Value> = asked.entries.iter().chain(&asked.items).map(|name| json!(name)).collect();
    entries.push(Value::Null);
    let properties = json!({
        "op": { "type": "string", "enum": verbs },
        "item": { "type": "string", "enum": asked.items },
        "entry": { "type": ["string", "null"], "enum": entries },
        "text": words(),
        "title": words(),
        "kind": { "type": ["string", "null"], "enum": ["user", "feedback", "project", "reference", null] },
        "quote": words(),
    });
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["batch", "operations"],
        "properties": {
            "batch": { "type": "string", "enum": [asked.batch] },
            "operations": {
                "type": "array",
                // A small model goes round and round until its tokens are spent, where nothing ends its list.
                "maxItems": asked.items.len(),
                "items": {
                    "type": "object",
                    "additionalProperties": false,
                    "required": ["op", "item", "entry", "text", "title", "kind", "quote"],
                    "properties": properties,
                },
            },
        },
    })
}
