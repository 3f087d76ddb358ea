//! New topics: one fact each, unless its neighbour in the talk speaks of the same.

use crate::candidate::Candidate;
use crate::index_line;
use crate::merge::{Merged, push};
use crate::phrase;
use crate::terms;
use nidra_core::{Change, MemoryView, NewTopic};
use std::collections::BTreeMap;

/// Makes a topic of a candidate, or puts it into the new topic of its neighbour.
pub(crate) fn create(
    candidate: &Candidate,
    memory: &MemoryView,
    slugs: &mut BTreeMap<String, usize>,
    merged: &mut Merged,
) {
    if join(candidate, merged) {
        return;
    }
    let label = index_line::label(&candidate.text, candidate.kind, &candidate.context);
    let mut slug = label.slug.clone();
    let count = slugs.entry(label.slug.clone()).or_insert(0);
    *count += 1;
    let taken = |slug: &str| memory.topic(&format!("{slug}.md")).is_some();
    let mut number = *count;
    if number > 1 {
        slug = format!("{}-{number}", label.slug);
    }
    while taken(&slug) {
        number += 1;
        slug = format!("{}-{number}", label.slug);
    }
    *count = number;
    let topic = NewTopic { slug, title: label.title, description: label.description, kind: candidate.kind };
    let change = Change::Create { topic, entries: vec![candidate.text.clone()], hook: label.hook };
    push(merged, change, candidate, candidate.reason.clone());
}

/// Names a new topic anew whose statements were changed before it was written, and gives the words behind its link.
pub(crate) fn relabel(topic: &mut NewTopic, entries: &[String], taken: impl Fn(&str) -> bool) -> String {
    let Some(first) = entries.first() else { return String::new() };
    let label = index_line::label(first, topic.kind, "");
    if !taken(&label.slug) {
        topic.slug = label.slug;
    }
    topic.title = label.title;
    topic.description = label.description;
    let mut hook = label.hook;
    for entry in &entries[1..] {
        let line = joined(&hook, entry);
        if index_line::units(&line) <= index_line::room(&topic.title, &format!("{}.md", topic.slug)) {
            hook = line;
        }
    }
    hook
}

/// The words behind a link with one fact more.
fn joined(hook: &str, text: &str) -> String {
    let fact = phrase::plain(text);
    let fact = fact.trim_end_matches(['.', '。']);
    let mark = if fact.chars().any(nidra_core::text::language::is_han) { "；" } else { "; " };
    format!("{hook}{mark}{fact}")
}

/// Puts a candidate into the new topic of its neighbour in the talk, where both speak of one subject and one index line
/// can state both.
fn join(candidate: &Candidate, merged: &mut Merged) -> bool {
    let Some(session) = candidate.evidence.first().map(|evidence| &evidence.source.session) else {
        return false;
    };
    let Some(last) = merged.operations.last_mut() else { return false };
    let near = last.evidence.last().is_some_and(|evidence| evidence.source.session == *session);
    let rank = last.rank;
    let Change::Create { topic, entries, hook } = &mut last.change else { return false };
    let told = terms::terms(&entries.join(" "));
    let shared = terms::shared(&candidate.terms, &told);
    let alike = shared >= 2 && shared * 10 >= candidate.terms.len().min(told.len()) * 4;
    if !near || !alike || topic.kind != candidate.kind || rank != candidate.rank {
        return false;
    }
    let line = joined(hook, &candidate.text);
    let whole = entries.iter().map(|entry| phrase::plain(entry)).collect::<Vec<_>>().join(" ");
    let complete = index_line::compress(&whole, usize::MAX) == *hook;
    if !complete || index_line::units(&line) > index_line::room(&topic.title, &format!("{}-2.md", topic.slug))
    {
        return false;
    }
    *hook = line;
    entries.push(candidate.text.clone());
    last.evidence.extend(candidate.evidence.iter().cloned());
    true
}
