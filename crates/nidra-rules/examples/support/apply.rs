//! A plain rendering of operations into memory files.

use nidra_core::Change;
use std::collections::BTreeMap;

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
