//! Names of topic files: which paths may be touched at all, and what a new file is called.

use crate::directory::MemoryDirectory;
use crate::directory::role::{in_archive, is_dated};
use crate::document::entries::says_inactive;
use crate::index::INDEX_NAME;
use nidra_core::NewTopic;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Characters of a path at most.
const MAX_PATH_CHARACTERS: usize = 200;
/// Characters of a new file's stem at most.
const MAX_STEM_CHARACTERS: usize = 60;
/// Stems that Windows keeps for devices.
const DEVICES: &[&str] = &["con", "prn", "aux", "nul"];
/// Stems that clients load by themselves.
const LOADED: &[&str] = &["memory", "claude", "agents", "gemini", "qwen"];

/// Why a path must not be written; `None` when it may be.
pub(super) fn path_fault(path: &str) -> Option<String> {
    let fault = |reason: &str| Some(format!("the path {path:?} {reason}"));
    if path.chars().count() > MAX_PATH_CHARACTERS {
        return Some(format!("the path is longer than {MAX_PATH_CHARACTERS} characters"));
    }
    if path.contains(char::is_control) {
        return fault("holds a control character");
    }
    if path.contains('\\') || path.as_bytes().get(1) == Some(&b':') {
        return fault("is a Windows path");
    }
    if path.starts_with(['/', '~']) {
        return fault("leads out of the memory directory");
    }
    let parts: Vec<&str> = path.split('/').collect();
    if parts.iter().any(|part| matches!(*part, "" | "." | "..")) {
        return fault("leads out of the memory directory");
    }
    if parts.iter().any(|part| part.starts_with('.')) {
        return fault("is hidden");
    }
    if parts.iter().any(|part| is_device(part)) {
        return fault("is a name that the system keeps for a device");
    }
    let (file, folders) = parts.split_last()?;
    if folders.iter().any(|folder| folder.to_ascii_lowercase().ends_with(".md")) {
        return fault("takes a file for a folder");
    }
    if matches!(folders.first(), Some(&"logs" | &"sessions" | &"team")) {
        return fault("is a daily log or belongs to a team");
    }
    if in_archive(path) {
        return fault("is in the archive");
    }
    if file.eq_ignore_ascii_case(INDEX_NAME) {
        return fault("is the index, which only follows its topics");
    }
    if file.strip_suffix(".md").is_none_or(str::is_empty) {
        return fault("is no Markdown file");
    }
    None
}

fn is_device(part: &str) -> bool {
    let stem = part.split('.').next().unwrap_or(part).to_ascii_lowercase();
    let numbered = ["com", "lpt"].iter().any(|prefix| {
        stem.strip_prefix(prefix)
            .is_some_and(|rest| rest.len() == 1 && matches!(rest.as_bytes()[0], b'1'..=b'9'))
    });
    numbered || DEVICES.contains(&stem.as_str())
}

/// The stem of a new file: free, ASCII, and never one of an existing name in other letters.
pub(super) fn stem(
    topic: &NewTopic,
    memory: &MemoryDirectory,
    taken: &dyn Fn(&str) -> bool,
) -> Result<String, String> {
    let wish = topic.slug.trim();
    let bare = wish.strip_suffix(".md").unwrap_or(wish);
    if !bare.is_empty() {
        if let Some(fault) = path_fault(&format!("{bare}.md")) {
            return Err(fault);
        }
        if bare.contains('/') {
            return Err(format!("the name {wish:?} holds a folder"));
        }
        if LOADED.contains(&bare.to_ascii_lowercase().as_str()) {
            return Err(format!("the name {wish:?} is one that clients load by themselves"));
        }
    }
    let mut stem = kebab(bare);
    if stem.is_empty() {
        stem = kebab(&topic.title);
    }
    if stem.is_empty() {
        stem = hashed(topic);
    }
    // A name that is a date reads as a daily log, which is no topic.
    if LOADED.contains(&stem.as_str()) || is_device(&stem) || is_dated(&stem) {
        stem = format!("{}-{stem}", topic.kind.as_str());
    }
    let is_free = |candidate: &str| {
        let path = format!("{candidate}.md");
        !taken(&path) && !clashes(memory, &path)
    };
    if is_free(&stem) {
        return Ok(stem);
    }
    (2..10_000)
        .map(|number| {
            let suffix = format!("-{number}");
            let room = MAX_STEM_CHARACTERS - suffix.len();
            format!("{}{suffix}", stem.get(..room.min(stem.len())).unwrap_or(&stem).trim_end_matches('-'))
        })
        .find(|candidate| is_free(candidate))
        .ok_or_else(|| format!("every name like {stem:?} is taken"))
}

/// Whether a name in the directory means this path on some file system: case and Unicode form do not count.
fn clashes(memory: &MemoryDirectory, path: &str) -> bool {
    let folded = fold(path);
    memory
        .files
        .keys()
        .chain(memory.others.keys())
        .chain(memory.aliases.keys())
        .any(|other| fold(other) == folded)
}

/// A path as a file system may see it that tells neither case nor Unicode form apart.
pub(crate) fn fold(path: &str) -> String {
    path.nfc().flat_map(char::to_lowercase).collect()
}

/// ASCII letters and digits with single hyphens, at most 60 characters, cut at a hyphen where there is one.
/// Words that say archive are left out: files and folders with them read as out of use.
fn kebab(text: &str) -> String {
    let plain: String = text.nfkd().filter(|letter| !is_combining_mark(*letter)).collect();
    let mut out = String::new();
    for word in plain.split(|letter: char| !letter.is_ascii_alphanumeric()) {
        let word = word.to_ascii_lowercase();
        if word.is_empty() || says_inactive(&word) {
            continue;
        }
        let room = MAX_STEM_CHARACTERS.saturating_sub(out.len() + usize::from(!out.is_empty()));
        if word.len() > room {
            if out.is_empty() {
                out.push_str(&word[..room]);
            }
            break;
        }
        if !out.is_empty() {
            out.push('-');
        }
        out.push_str(&word);
    }
    out
}

/// A short name that depends only on what the topic says.
fn hashed(topic: &NewTopic) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in [&topic.slug, &topic.title, &topic.description] {
        hasher.update(part.as_bytes());
        hasher.update(b"\0");
    }
    format!("{}-{}", topic.kind.as_str(), &hasher.finalize().to_hex()[..8])
}
