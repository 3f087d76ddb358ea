//! Working memory as JSON files that other programs read: `task-state.json`, `topic-state.json`, `metrics.json`.

use crate::fragmentation::Fragmentation;
use jiff::Timestamp;
use nidra_core::error::PathError;
use nidra_memory::atomic::{self, FileKind, FileSystem};
use nidra_memory::store::{TaskRecord, TopicRecord, TopicState};
use serde_json::{Map, Value, json};
use std::io;
use std::path::Path;

/// The folder in the checkout.
pub const FOLDER: &str = ".dream";

/// Tasks as `task-state.json` holds them, by name.
pub fn task_state(tasks: &[TaskRecord], round: u32, now: Timestamp) -> Value {
    let mut by_name = Map::new();
    for task in tasks {
        let open: Vec<_> = task.open_decisions().collect();
        let value = json!({
            "goal": task.goal, "next_step": task.next_step, "status": task.state.as_str(),
            "stale_rounds": task.stale, "created_at": task.created, "updated_at": task.changed,
            "closed_at": task.closed, "outcome": task.outcome,
            "decision_point": open.first().map(|decision| &decision.question),
            "decision_latency": open.iter().map(|decision| decision.rounds).max().unwrap_or(0),
            "decisions": task.decisions, "links": task.links,
        });
        by_name.insert(task.id.clone(), value);
    }
    json!({ "version": 1, "updated_at": now, "round": round, "tasks": by_name })
}

/// Topics as `topic-state.json` holds them, by name.
pub fn topic_state(topics: &[TopicRecord], now: Timestamp) -> Value {
    let current = topics.iter().find(|topic| topic.state == TopicState::Active).map(|topic| &topic.name);
    let by_name: Map<String, Value> = topics
        .iter()
        .map(|topic| {
            let value = json!({
                "status": topic.state.as_str(), "created_at": topic.created, "updated_at": topic.changed,
            });
            (topic.name.clone(), value)
        })
        .collect();
    json!({ "version": 1, "updated_at": now, "current": current, "topics": by_name })
}

/// The figures as `metrics.json` holds them.
pub fn metrics(found: &Fragmentation, now: Timestamp) -> Value {
    let signals: Map<String, Value> = found
        .measures
        .iter()
        .map(|measure| {
            let value = json!({
                "value": measure.value, "threshold": measure.threshold, "reached": measure.reached,
                "items": measure.items,
            });
            (measure.signal.as_str().to_owned(), value)
        })
        .collect();
    json!({
        "version": 1, "updated_at": now, "signals": signals, "index": found.index,
        "dream_trigger": found.trigger.as_str(), "reasons": found.reasons,
    })
}

/// Writes a value into a file of the export folder in one step.
///
/// # Errors
/// When the folder or the file is a link or no plain file, or cannot be written.
pub fn write(files: &dyn FileSystem, checkout: &Path, name: &str, value: &Value) -> Result<(), PathError> {
    let folder = checkout.join(FOLDER);
    let refuse = |path: &Path, why: &str| PathError::wrap("write", path)(io::Error::other(why.to_owned()));
    match files.status(&folder)? {
        Some(status) if status.kind != FileKind::Directory => {
            return Err(refuse(&folder, "it is not a folder of its own; move it away"));
        }
        Some(_) => {}
        None => {
            atomic::create_directories(files, &folder, false)?;
            // The folder is nobody's work: it hides itself from version control.
            atomic::write(files, &folder.join(".gitignore"), b"*\n")?;
        }
    }
    let path = folder.join(name);
    if files.status(&path)?.is_some_and(|status| status.kind != FileKind::File) {
        return Err(refuse(&path, "it is not a plain file; move it away"));
    }
    let mut text = value.to_string();
    if let Ok(pretty) = serde_json::to_string_pretty(value) {
        text = pretty;
    }
    text.push('\n');
    atomic::write(files, &path, text.as_bytes())
}
