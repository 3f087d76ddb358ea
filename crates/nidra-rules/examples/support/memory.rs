//! Memory files of scenarios as a view, and a plain rendering of operations.
#![allow(dead_code, reason = "each example uses its part")]

use nidra_core::{Change, EntryId, EntryView, IndexLine, Kind, MemoryView, TopicView};
use std::collections::BTreeMap;

/// Front matter, then one entry per bullet or paragraph.
pub(crate) fn view(files: &BTreeMap<String, String>) -> MemoryView {
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

/// Does an operation to the files, plainly.
pub(crate) fn apply(change: &Change, files: &mut BTreeMap<String, String>) {
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
