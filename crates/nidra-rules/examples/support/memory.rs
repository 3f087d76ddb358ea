//! Memory files of scenarios as a view.

use nidra_core::{EntryId, EntryView, IndexLine, Kind, MemoryView, TopicView};
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
