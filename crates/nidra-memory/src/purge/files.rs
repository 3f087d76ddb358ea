//! Files of the state directory and daily logs without what is purged.

use super::matcher::each_line;
use super::objects::Replaced;
use super::{Matcher, PurgeError};
use crate::atomic::{self, FileKind, FileSystem, Permissions};
use crate::directory::MemoryDirectory;
use nidra_core::ProjectId;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Folders of the state directory that others here take care of, or that are no words of memory: contents, and the
/// agent's own settings as they were before nidra's hooks.
const OTHERS: [&str; 3] = ["objects", "client", "in-flight"];
/// The database with its side files.
const DATABASE: &str = crate::store::DATABASE_NAME;
/// The folder that has a folder for each project.
const PROJECTS: &str = "projects";
/// The index of recall; its texts of entries are made anew at the next question.
const RECALL: &str = "recall";
/// The folder of a checkout with files for other programs, and those files.
const EXPORTS: &str = ".dream";
const EXPORTED: [&str; 3] = ["task-state.json", "topic-state.json", "metrics.json"];
/// Memory of a team, which is not this memory's own.
const TEAM: &str = "team";
/// How the files of recall begin that hold the words of entries.
const RECALLED: &str = "entries";

/// The file of a project with the line about its last run, in the state directory. A purge takes it away whole: the title
/// that it quotes can be too short to be known for a statement's.
pub const NOTICE: &str = "notice.txt";

/// Cleans the files; returns how many changed.
pub(super) fn clean(
    home: &Path,
    memory: &Path,
    checkout: Option<&Path>,
    files: &dyn FileSystem,
    project: &ProjectId,
    matcher: &Matcher,
    replaced: &Replaced,
) -> Result<usize, PurgeError> {
    let mut found = Vec::new();
    for name in files.list(home)? {
        let text = name.to_string_lossy();
        if text.starts_with(DATABASE) || OTHERS.contains(&text.as_ref()) {
            continue;
        }
        walk(files, &home.join(&name), &mut found)?;
    }
    let of_others = |path: &Path| {
        let inside = path.strip_prefix(home.join(PROJECTS)).ok();
        inside.is_some_and(|inside| !inside.starts_with(project.as_str()))
    };
    found.retain(|path| !of_others(path));
    let mut changed = 0;
    for path in &found {
        let is_recall = path.starts_with(home.join(RECALL));
        let holds_entries = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(RECALLED));
        if path.file_name().is_some_and(|name| name == NOTICE) {
            remove(files, path)?;
            changed += 1;
            continue;
        }
        if is_recall {
            if holds_entries {
                remove(files, path)?;
                changed += 1;
            }
            continue;
        }
        changed += usize::from(clean_one(files, path, matcher, Some(replaced))?);
    }
    // Files that nidra writes for other programs, made of rows that are cleaned as well.
    if let Some(exports) = checkout.map(|checkout| checkout.join(EXPORTS)) {
        // Nothing of a checkout is followed to another place.
        let is = |path: &Path, kind| {
            files.status(path).map(|status| status.is_some_and(|status| status.kind == kind))
        };
        for path in EXPORTED.iter().map(|name| exports.join(name)) {
            if is(&exports, FileKind::Directory)? && is(&path, FileKind::File)? {
                changed += usize::from(clean_one(files, &path, matcher, Some(replaced))?);
            }
        }
    }
    // What a commit may not write and is memory's all the same: the daily logs, and files that are left alone.
    let mut logs = Vec::new();
    walk(files, memory, &mut logs)?;
    let known = MemoryDirectory::load(memory).map(|memory| memory.files).unwrap_or_default();
    logs.retain(|path| {
        let inside = path.strip_prefix(memory).unwrap_or(path);
        let is_memory = inside.to_str().is_some_and(|inside| known.contains_key(inside));
        !is_memory && !inside.starts_with(TEAM)
    });
    for path in logs {
        changed += usize::from(clean_one(files, &path, matcher, None)?);
    }
    Ok(changed)
}

fn walk(files: &dyn FileSystem, path: &Path, found: &mut Vec<PathBuf>) -> Result<(), PurgeError> {
    match files.status(path)?.map(|status| status.kind) {
        Some(FileKind::File) => found.push(path.to_owned()),
        Some(FileKind::Directory) if path.file_name().is_none_or(|name| name != ".git") => {
            for name in files.list(path)? {
                walk(files, &path.join(name), found)?;
            }
        }
        Some(FileKind::Directory | FileKind::Link | FileKind::Other) | None => {}
    }
    Ok(())
}

fn remove(files: &dyn FileSystem, path: &Path) -> Result<(), PurgeError> {
    match files.remove(path) {
        Err(error) if error.source.kind() == std::io::ErrorKind::NotFound => Ok(()),
        other => Ok(other?),
    }
}

/// Cleans a file of text; one that somebody removed meanwhile needs nothing. Says whether it changed.
fn clean_one(
    files: &dyn FileSystem,
    path: &Path,
    matcher: &Matcher,
    replaced: Option<&Replaced>,
) -> Result<bool, PurgeError> {
    let Some(bytes) = atomic::read_if_present(files, path)? else { return Ok(false) };
    let Ok(text) = String::from_utf8(bytes) else { return Ok(false) };
    let extension = path.extension().and_then(|extension| extension.to_str());
    let cleaned = match (extension, replaced) {
        (Some("json"), _) => clean_document(&text, matcher, replaced),
        (Some("jsonl"), _) => clean_lines(&text, matcher),
        // Words of memory itself are judged as strictly as memory.
        (_, None) => strictly(&text, matcher),
        _ => clean_lines(&text, matcher),
    };
    let Some(cleaned) = cleaned else { return Ok(false) };
    let Some(status) = files.status(path)? else { return Ok(false) };
    atomic::write_with(files, path, cleaned.as_bytes(), Permissions::Like(&status))?;
    Ok(true)
}

fn clean_document(text: &str, matcher: &Matcher, replaced: Option<&Replaced>) -> Option<String> {
    let Ok(mut value) = serde_json::from_str::<Value>(text) else { return matcher.clean(text) };
    let mut changed = replaced.is_some_and(|replaced| follow(&mut value, replaced, matcher));
    changed |= matcher.clean_json(&mut value);
    changed.then(|| serde_json::to_string_pretty(&value).unwrap_or_default())
}

/// Lets a journal name the contents that took the place of others; files that are gone leave it.
fn follow(value: &mut Value, replaced: &Replaced, matcher: &Matcher) -> bool {
    match value {
        Value::String(text) => {
            let new = replaced.iter().find(|(old, _)| old.as_str() == text).map(|(_, new)| new);
            match new {
                Some(Some(new)) => {
                    new.as_str().clone_into(text);
                    true
                }
                Some(None) => {
                    *value = Value::Null;
                    true
                }
                None => false,
            }
        }
        Value::Array(values) => {
            let before = values.len();
            values.retain(|value| {
                let path = value.get("path").and_then(Value::as_str);
                !path.is_some_and(|path| value.get("before").is_some() && matcher.has_token(path))
            });
            let removed = values.len() != before;
            values.iter_mut().fold(removed, |changed, value| follow(value, replaced, matcher) | changed)
        }
        Value::Object(fields) => {
            fields.values_mut().fold(false, |changed, value| follow(value, replaced, matcher) | changed)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Cleans lines each for itself: values where they are JSON, else text.
fn clean_lines(text: &str, matcher: &Matcher) -> Option<String> {
    each_line(text, |words| match serde_json::from_str::<Value>(words) {
        Ok(mut value @ (Value::Object(_) | Value::Array(_))) => {
            matcher.clean_json(&mut value).then(|| value.to_string())
        }
        Ok(_) | Err(_) => matcher.clean(words),
    })
}

/// The lines of a file of memory that state it leave.
fn strictly(text: &str, matcher: &Matcher) -> Option<String> {
    let kept: String = text.split_inclusive('\n').filter(|line| !matcher.states(line)).collect();
    (kept.len() != text.len()).then_some(kept)
}
