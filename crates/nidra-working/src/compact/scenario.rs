//! Scenarios of talk as transcripts, and how much of what was worth keeping a compaction leaves answerable.

use super::transcript::Script;
use super::{Knowledge, Level, compact};
use regex::{Regex, RegexBuilder};
use serde::Serialize;
use serde_json::{Value, json};

/// Passages beside each other in which all expressions of a fact have to match.
const WINDOW: usize = 4;

/// How a compaction of a scenario came out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Checked {
    /// The scenario.
    pub scenario: String,
    /// The level.
    pub level: Level,
    /// Tokens before and after.
    pub before: usize,
    /// Tokens after.
    pub after: usize,
    /// Facts whose words stand in the input.
    pub facts: usize,
    /// Those that the output still answers.
    pub answerable: usize,
    /// The facts that it does not.
    pub missing: Vec<String>,
}

impl Checked {
    /// The share of the tokens that is left.
    pub fn share(&self) -> f64 {
        self.after as f64 / self.before.max(1) as f64
    }
}

/// Compacts a scenario and looks what is left of its facts.
pub fn check(scenario: &Value, level: Level, knowledge: &Knowledge<'_>) -> Checked {
    let script = script(scenario);
    let outcome = compact(&script, level, knowledge);
    let (input, output) = (passages(&script), passages(&Script::parse(&outcome.text)));
    let (mut facts, mut answerable, mut missing) = (0, 0, Vec::new());
    for fact in scenario.pointer("/gold/keep").and_then(Value::as_array).into_iter().flatten() {
        let wanted = expressions(fact.get("must").unwrap_or(&Value::Null));
        if wanted.is_empty() || !answers(&input, &wanted) {
            continue;
        }
        facts += 1;
        if answers(&output, &wanted) {
            answerable += 1;
        } else {
            missing.push(fact.get("text").and_then(Value::as_str).unwrap_or_default().to_owned());
        }
    }
    Checked {
        scenario: scenario.get("id").and_then(Value::as_str).unwrap_or_default().to_owned(),
        level,
        before: outcome.before,
        after: outcome.after,
        facts,
        answerable,
        missing,
    }
}

fn answers(passages: &[String], wanted: &[Regex]) -> bool {
    (0..passages.len()).any(|from| {
        let window = passages.get(from..passages.len().min(from + WINDOW)).unwrap_or_default();
        wanted.iter().all(|wanted| window.iter().any(|passage| wanted.is_match(passage)))
    })
}

/// What a model reads, passage by passage: the lines of a digest, else whole bodies.
fn passages(script: &Script) -> Vec<String> {
    let texts = script.bodies().into_iter().map(|body| body.text);
    texts.flat_map(|text| text.split("\n- ").map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// The expressions of a list; what must not stand beside a value is left out, as it is meant for a whole file.
fn expressions(list: &Value) -> Vec<Regex> {
    let Ok(around) = Regex::new(r"\(\?<?[!=](?:[^()]|\([^()]*\))*\)") else { return Vec::new() };
    list.as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .filter_map(|text| {
            RegexBuilder::new(&around.replace_all(text, "")).case_insensitive(true).build().ok()
        })
        .collect()
}

/// All sessions of a scenario as one transcript, in the form of the client's.
pub fn script(scenario: &Value) -> Script {
    let mut records = Vec::new();
    let mut calls = 0;
    for session in scenario.get("sessions").and_then(Value::as_array).into_iter().flatten() {
        let start = session.get("start").and_then(Value::as_str).unwrap_or_default();
        for turn in session.get("turns").and_then(Value::as_array).into_iter().flatten() {
            let text = |name: &str| turn.get(name).and_then(Value::as_str);
            let mut push = |kind: &str, content: Value, is_meta: bool| {
                let number = records.len();
                let uuid = format!("{number:08}-0000-4000-8000-000000000000");
                let parent =
                    number.checked_sub(1).map(|before| format!("{before:08}-0000-4000-8000-000000000000"));
                records.push(json!({
                    "type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "11111111-1111-4111-8111-111111111111",
                    "isSidechain": false, "isMeta": is_meta, "cwd": "/w", "version": "2.1.197", "timestamp": start,
                    "message": { "role": kind, "content": content },
                }));
            };
            if let Some(words) = text("u") {
                push("user", json!(words), false);
            } else if let Some(words) = text("a") {
                push("assistant", json!([{ "type": "text", "text": words }]), false);
            } else if let Some(words) = text("meta") {
                push("user", json!(words), true);
            } else if let Some(call) = turn.get("t").filter(|call| call.is_object()) {
                let field = |name: &str| call.get(name).cloned().unwrap_or_default();
                let result = field("result");
                let result = result.as_str().map_or_else(|| result.to_string(), str::to_owned);
                calls += 1;
                let id = format!("toolu_{calls:06}");
                push(
                    "assistant",
                    json!([{ "type": "tool_use", "id": id, "name": field("name"), "input": field("input") }]),
                    false,
                );
                let error = field("error").as_bool() == Some(true);
                push(
                    "user",
                    json!([{ "type": "tool_result", "tool_use_id": id, "content": result, "is_error": error }]),
                    false,
                );
            }
        }
    }
    Script::of_records(records)
}
