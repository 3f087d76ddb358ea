//! Rebuilds the index lines of topics whose entries changed: what is true now, and nothing that was replaced.

use crate::index_line;
use crate::phrase;
use crate::terms;
use nidra_core::text::language::is_han;
use nidra_core::{Change, MemoryView, Operation, OperationId, TopicView};
use std::collections::{BTreeMap, BTreeSet};

/// The words of a topic that changed in this run.
#[derive(Default)]
struct Changed {
    /// What entries said that are no longer true.
    old: Vec<String>,
    /// What is true now.
    new: Vec<String>,
}

/// Sets the words behind the index link of each operation that changes an entry of an existing topic.
pub(crate) fn rebuild(operations: &mut Vec<Operation>, memory: &MemoryView) {
    let mut changed: BTreeMap<String, Changed> = BTreeMap::new();
    for operation in operations.iter() {
        let Some(target) = operation.change.target() else { continue };
        let of = changed.entry(target.path.clone()).or_default();
        of.old.push(target.text.clone());
        if let Change::Supersede { hook: Some(core), .. } = &operation.change {
            of.new.push(core.clone());
        }
    }
    for operation in operations.iter_mut() {
        if let Change::Supersede { target, hook, .. } = &mut operation.change
            && let Some(of) = changed.get(&target.path)
            && let Some(topic) = memory.topic(&target.path)
        {
            *hook = Some(line(topic, of, memory));
        }
    }
    retitle(operations, &changed, memory);
}

/// An archived entry's words leave the index line too, where nothing else rewrites it and something is left to say.
fn retitle(operations: &mut Vec<Operation>, changed: &BTreeMap<String, Changed>, memory: &MemoryView) {
    let mut added: Vec<Operation> = Vec::new();
    for operation in operations.iter() {
        let Change::Archive { target } = &operation.change else { continue };
        let Some((of, topic)) = changed.get(&target.path).zip(memory.topic(&target.path)) else { continue };
        let left = topic.entries.iter().any(|entry| entry.active && !of.old.contains(&entry.text));
        let done = added.iter().any(|other| other.change.path() == Some(target.path.as_str()));
        if !of.new.is_empty() || !left || done || found(topic, memory).is_none() {
            continue;
        }
        let hook = line(topic, of, memory);
        if hook.is_empty() {
            continue;
        }
        added.push(Operation {
            id: OperationId::new(format!("op-{}", operations.len() + added.len() + 1)),
            change: Change::Retitle { path: target.path.clone(), description: None, hook: Some(hook) },
            ..operation.clone()
        });
    }
    operations.extend(added);
}

/// The words behind the link: the new facts, then what the line and the topic said besides, as far as there is room.
fn line(topic: &TopicView, changed: &Changed, memory: &MemoryView) -> String {
    let title = title(topic, memory);
    let room = index_line::room(&title, &topic.path);
    let old: Vec<BTreeSet<String>> = changed.old.iter().map(|text| terms::terms(text)).collect();
    let new: BTreeSet<String> = changed.new.iter().flat_map(|text| terms::terms(text)).collect();
    let mut facts: Vec<String> = Vec::new();
    let share = if changed.new.len() > 1 { (room / changed.new.len()).saturating_sub(2) } else { room };
    for text in &changed.new {
        facts.push(index_line::compress(&phrase::plain(text), share));
    }
    let stale = |text: &str| {
        let about = terms::terms(text);
        let repeats = |other: &BTreeSet<String>| terms::shared(&about, other) * 2 >= about.len().max(1);
        old.iter().any(repeats) || repeats(&new)
    };
    let mut rest: Vec<String> = said(topic, memory).into_iter().filter(|text| !stale(text)).collect();
    let told: BTreeSet<String> = rest.iter().flat_map(|text| terms::terms(text)).collect();
    for entry in topic.entries.iter().filter(|entry| entry.active && !changed.old.contains(&entry.text)) {
        let about = terms::terms(&entry.text);
        if terms::shared(&about, &told) * 2 < about.len() {
            rest.push(phrase::plain(&entry.text));
        }
    }
    for text in rest {
        let mark = if facts.iter().any(|fact| fact.chars().any(is_han)) { "；" } else { "; " };
        let used = index_line::units(&facts.join(mark)) + mark.len();
        let left = room.saturating_sub(used);
        let fact = text.trim_end_matches(['.', '。', ' ']);
        if index_line::units(fact) <= left {
            facts.push(fact.to_owned());
        } else if left >= 36 {
            facts.push(index_line::compress(fact, left));
        }
    }
    let mark = if facts.iter().any(|fact| fact.chars().any(is_han)) { "；" } else { "; " };
    facts.join(mark)
}

/// The index line of a topic.
fn found<'a>(topic: &TopicView, memory: &'a MemoryView) -> Option<&'a str> {
    let link = format!("]({})", topic.path);
    memory
        .index
        .iter()
        .find(|line| {
            line.text.contains(&link) || line.targets.len() == 1 && line.targets.contains(&topic.path)
        })
        .map(|line| line.text.as_str())
}

/// The title of a topic in the index; without a line its name.
fn title(topic: &TopicView, memory: &MemoryView) -> String {
    found(topic, memory)
        .and_then(|line| {
            let start = line.find('[')? + 1;
            let end = line[start..].find("](")? + start;
            Some(line[start..end].to_owned())
        })
        .unwrap_or_else(|| topic.name.clone())
}

/// What the index line said, fact by fact.
fn said(topic: &TopicView, memory: &MemoryView) -> Vec<String> {
    let Some(line) = found(topic, memory) else { return Vec::new() };
    let Some(end) = line.find("](").and_then(|at| line[at..].find(')').map(|close| at + close + 1)) else {
        return Vec::new();
    };
    let words = line[end..]
        .trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '—' | '–' | '-' | ':' | '：'));
    let marks: &[char] =
        if words.contains([';', '；']) { &[';', '；'] } else { &[';', '；', '。', '，'] };
    words
        .split(marks)
        .flat_map(|part| part.split(". "))
        .flat_map(|part| if words.contains([';', '；']) { vec![part] } else { part.split(", ").collect() })
        .map(|part| part.trim().trim_end_matches('.').to_owned())
        .filter(|part| terms::terms(part).len() >= 2)
        .collect()
}
