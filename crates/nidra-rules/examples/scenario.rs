//! Runs the rules engine on a scenario of talk (JSON) and writes the memory that it leaves into a directory.
//!
//! `scenario SCENARIO.json DIRECTORY` – a plain rendering of the operations, for looking at the engine's
//! judgement; it is no substitute for the staging of the memory crate.

use jiff::{SignedDuration, Timestamp, ZonedDateTime};
use nidra_core::{
    AgentKind, Change, Content, Conversation, Engine, EngineInput, EntryId, EntryView, IndexLine, Kind,
    MemoryView, SessionId, Source, Speaker, TopicView, Turn,
};
use nidra_rules::RulesEngine;
use serde_json::Value;
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let (Some(scenario), Some(directory)) = (arguments.get(1), arguments.get(2)) else {
        return Err("usage: scenario SCENARIO.json DIRECTORY [--verbose]".into());
    };
    let verbose = arguments.iter().any(|argument| argument == "--verbose");
    let text = std::fs::read_to_string(scenario)?.replace('\u{205d}', "");
    let scenario: Value = serde_json::from_str(&text)?;
    let zone = scenario["tz"].as_str().unwrap_or("UTC");
    let now: Timestamp = scenario["now"].as_str().unwrap_or_default().parse()?;
    let now: ZonedDateTime = now.in_tz(zone)?;
    let conversations = conversations(&scenario)?;
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    if let Some(memory) = scenario["memory"].as_object() {
        for (name, text) in memory {
            files.insert(name.clone(), text.as_str().unwrap_or_default().to_owned());
        }
    }
    let memory = view(&files);
    let outcome =
        RulesEngine.dream(EngineInput { conversations: &conversations, memory: &memory, now: &now })?;
    let mut report = String::new();
    for operation in &outcome.operations {
        writeln!(
            report,
            "+ {} [{}] {} :: {}",
            operation.change.name(),
            operation.rank.as_str(),
            operation.reason,
            text_of(&operation.change)
        )?;
    }
    for dropped in &outcome.dropped {
        writeln!(report, "- {} :: {}", dropped.reason, dropped.text)?;
    }
    for operation in &outcome.operations {
        apply(&operation.change, &mut files);
    }
    let again =
        RulesEngine.dream(EngineInput { conversations: &conversations, memory: &view(&files), now: &now })?;
    for operation in &again.operations {
        writeln!(report, "! again: {} :: {}", operation.change.name(), text_of(&operation.change))?;
    }
    let directory = PathBuf::from(directory);
    if directory.exists() {
        std::fs::remove_dir_all(&directory)?;
    }
    for (name, text) in &files {
        let path = directory.join(name);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(path, text)?;
    }
    if verbose {
        std::fs::write(directory.with_extension("report"), report)?;
    }
    Ok(())
}

fn text_of(change: &Change) -> String {
    match change {
        Change::Create { topic, entries, hook } => format!(
            "{} | {} | - [{}]({}.md) — {hook}",
            topic.kind.as_str(),
            entries.join(" ¶ "),
            topic.title,
            topic.slug
        ),
        Change::Append { path, text, .. } => format!("{path} {text}"),
        Change::Rewrite { target, text, .. } | Change::Supersede { target, text, .. } => {
            format!("{} => {text}", target.text)
        }
        Change::Archive { target } => target.text.clone(),
        other => format!("{other:?}"),
    }
}

fn conversations(scenario: &Value) -> Result<Vec<Conversation>, Box<dyn Error>> {
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

/// Front matter, then one entry per bullet or paragraph.
fn view(files: &BTreeMap<String, String>) -> MemoryView {
    let mut memory = MemoryView::default();
    for (path, text) in files {
        if path == "MEMORY.md" {
            memory.index =
                text.lines().map(|line| IndexLine { text: line.to_owned(), targets: Vec::new() }).collect();
            continue;
        }
        if path.starts_with("archive/") {
            continue;
        }
        let mut parts = text.splitn(3, "---\n");
        let (_, front, body) =
            (parts.next(), parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let field = |name: &str| {
            front.lines().find_map(|line| {
                line.trim().strip_prefix(name).map(|rest| rest.trim().trim_matches('"').to_owned())
            })
        };
        let entries = body
            .split('\n')
            .filter(|line| !line.trim().is_empty())
            .map(|line| {
                let bullet = line.starts_with("- ");
                let text = line.trim_start_matches("- ").trim().to_owned();
                EntryView {
                    id: EntryId::of(path, &text),
                    range: 0..0,
                    text,
                    headings: Vec::new(),
                    bullet,
                    active: true,
                }
            })
            .collect();
        memory.topics.push(TopicView {
            path: path.clone(),
            name: field("name:").unwrap_or_default(),
            description: field("description:").unwrap_or_default(),
            kind: field("type:").as_deref().and_then(Kind::parse),
            pinned: front.lines().any(|line| line.trim() == "pinned: true"),
            editable: true,
            modified: None,
            entries,
        });
    }
    memory
}

fn apply(change: &Change, files: &mut BTreeMap<String, String>) {
    match change {
        Change::Create { topic, entries, hook } => {
            let path = format!("{}.md", topic.slug);
            let text = format!(
                "---\nname: \"{}\"\ndescription: \"{}\"\ntype: {}\n---\n{}\n",
                topic.title,
                topic.description.replace('"', "'"),
                topic.kind.as_str(),
                entries.join("\n\n")
            );
            files.insert(path.clone(), text);
            let line = format!("- [{}]({path}) — {hook}\n", topic.title);
            files.entry("MEMORY.md".to_owned()).or_default().push_str(&line);
        }
        Change::Append { path, text, hook } => {
            if let Some(file) = files.get_mut(path) {
                file.extend(["- ", text.as_str(), "\n"]);
            }
            rehook(files, path, hook.as_deref());
        }
        Change::Rewrite { target, text, hook } | Change::Supersede { target, text, hook } => {
            if let Some(file) = files.get_mut(&target.path) {
                *file = file.replace(&target.text, text);
            }
            rehook(files, &target.path, hook.as_deref());
        }
        Change::Archive { target } => {
            if let Some(file) = files.get_mut(&target.path) {
                let kept: Vec<&str> =
                    file.lines().filter(|line| line.trim_start_matches("- ").trim() != target.text).collect();
                *file = kept.join("\n") + "\n";
            }
        }
        Change::Retitle { path, hook, .. } => rehook(files, path, hook.as_deref()),
        Change::Relink { .. } | Change::Unlink { .. } | Change::Propose { .. } => {}
    }
}

fn rehook(files: &mut BTreeMap<String, String>, path: &str, hook: Option<&str>) {
    let (Some(index), Some(hook)) = (files.get_mut("MEMORY.md"), hook) else { return };
    let link = format!("]({path})");
    let lines: Vec<String> = index
        .lines()
        .map(|line| match line.find(&link) {
            Some(at) => format!("{}{link} — {hook}", &line[..at]),
            None => line.to_owned(),
        })
        .collect();
    *index = lines.join("\n") + "\n";
}
