//! The tools of our own loop: typed, held in the staging folder, and answered in words that help the model go on.

use crate::shell::{self, Root};
use crate::staging::MEMORY;
use nidra_core::text::width;
use nidra_memory::directory::role;
use nidra_model::provider::Tool;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Bytes of one answer at most.
const MAX_ANSWER: usize = 16 * 1024;
/// Bytes of a file that a tool writes at most.
const MAX_FILE: usize = 64 * 1024;
/// Bytes of a file that is read or searched.
const MAX_READ: u64 = 2 * 1024 * 1024;
/// Lines of a file that are read at once when nothing else is asked.
const LINES: usize = 400;
/// Places that a search gives.
const MAX_FOUND: usize = 60;
/// Bytes of a line that a search shows.
const MAX_LINE: usize = 300;
/// Files in the copy of memory at most.
const MAX_FILES: usize = 2_000;

/// The name of the tool that ends the work.
pub(crate) const DONE: &str = "done";

/// What a tool answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// It did what was asked.
    Did(String),
    /// It changed the copy of memory.
    Changed(String),
    /// It could not: a name that is not there, words that stand nowhere.
    Failed(String),
    /// It was not allowed; the name of the reason.
    Refused(&'static str, String),
}

impl Answer {
    /// The words.
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Did(text) | Self::Changed(text) | Self::Failed(text) | Self::Refused(_, text) => text,
        }
    }
}

/// The tools as the model is told of them.
pub(crate) fn all() -> Vec<Tool> {
    let object = |properties: Value, required: &[&str]| json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false });
    let text = |what: &str| json!({ "type": "string", "description": what });
    let number = |what: &str| json!({ "type": "integer", "description": what });
    let path = || text("a path inside the folder, such as memory/ports.md");
    vec![
        Tool {
            name: "list",
            description: "Lists the files below a path, with their sizes in bytes.",
            schema: object(json!({ "path": path() }), &[]),
        },
        Tool {
            name: "read",
            description: "Reads a file, or some lines of it.",
            schema: object(
                json!({ "path": path(), "first_line": number("from 1"), "lines": number("how many") }),
                &["path"],
            ),
        },
        Tool {
            name: "search",
            description: "Finds lines that hold some words, in any letter case, below a path (all files when unset).",
            schema: object(json!({ "words": text("the words, as they stand"), "path": path() }), &["words"]),
        },
        Tool {
            name: "stat",
            description: "Tells what a path is, its size and its lines.",
            schema: object(json!({ "path": path() }), &["path"]),
        },
        Tool {
            name: "edit",
            description: "Replaces words in a file of memory. The old words have to stand there exactly once.",
            schema: object(
                json!({ "path": path(), "old": text("the words that go"), "new": text("the words that come") }),
                &["path", "old", "new"],
            ),
        },
        Tool {
            name: "write",
            description: "Writes a whole Markdown file of memory, new or in place of the one there.",
            schema: object(json!({ "path": path(), "text": text("all of its text") }), &["path", "text"]),
        },
        Tool {
            name: "shell",
            description: "Runs one line of reading commands (ls find grep cat stat wc head tail sort uniq cut …), pipes \
                          allowed, nothing else of a shell.",
            schema: object(json!({ "line": text("the line") }), &["line"]),
        },
        Tool {
            name: DONE,
            description: "Ends the work.",
            schema: object(json!({ "summary": text("what was changed, in one sentence") }), &["summary"]),
        },
    ]
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    #[serde(default)]
    path: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Read {
    path: String,
    #[serde(default)]
    first_line: Option<usize>,
    #[serde(default)]
    lines: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Search {
    words: String,
    #[serde(default)]
    path: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Stat {
    path: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Edit {
    path: String,
    old: String,
    new: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Write {
    path: String,
    text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Shell {
    line: String,
}

/// Uses a tool.
pub(crate) fn call(name: &str, input: &Value, root: &Root) -> Answer {
    let answer = match name {
        "list" => with(input, |List { path }| list(root, path.as_deref().unwrap_or("."))),
        "read" => with(input, |read: Read| read_lines(root, &read)),
        "search" => {
            with(input, |Search { words, path }| search(root, &words, path.as_deref().unwrap_or(".")))
        }
        "stat" => with(input, |Stat { path }| stat(root, &path)),
        "edit" => with(input, |Edit { path, old, new }| edit(root, &path, &old, &new)),
        "write" => with(input, |Write { path, text }| write(root, &path, &text)),
        "shell" => with(input, |Shell { line }| run(root, &line)),
        _ => Err(Answer::Refused("unknown-tool", format!("there is no tool {name:?}"))),
    };
    answer.unwrap_or_else(|fault| fault)
}

type Result<T> = std::result::Result<T, Answer>;

fn with<T: DeserializeOwned>(input: &Value, act: impl FnOnce(T) -> Result<Answer>) -> Result<Answer> {
    if !input.is_object() {
        return Err(Answer::Refused(
            "malformed-input",
            "the input has to be an object with the tool's fields".to_owned(),
        ));
    }
    match serde_json::from_value(input.clone()) {
        Ok(input) => act(input),
        Err(error) => {
            Err(Answer::Refused("malformed-input", format!("the input is not of the tool's form: {error}")))
        }
    }
}

fn failed(error: &std::io::Error, path: &str) -> Answer {
    Answer::Failed(format!("{path}: {error}"))
}

/// The real path of a name inside the folder.
fn inside(root: &Root, path: &str) -> Result<PathBuf> {
    root.resolve(path).map_err(|refused| Answer::Refused("path-outside", refused.to_string()))
}

/// The real path of a Markdown file of memory, there or not.
fn writable(root: &Root, path: &str) -> Result<PathBuf> {
    let real = inside(root, path)?;
    let below = real.strip_prefix(root.path().join(MEMORY)).ok();
    let name = below.and_then(|below| below.to_str());
    let plain = |name: &str| {
        let parts: Vec<&str> = name.split('/').collect();
        name.rsplit_once('.').is_some_and(|(_, end)| end == "md")
            && parts.len() <= 4
            && parts.iter().all(|part| !part.starts_with(['.', '-']) && part.len() <= 100)
            && !name.chars().any(char::is_control)
    };
    let refused = |reason: String| Err(Answer::Refused("not-memory", reason));
    match name {
        Some(name) if plain(name) => match role::left_alone(name) {
            Some(reason) => refused(format!(
                "{path} is not written: {reason}; what stands there is never read, so write a topic such as memory/ports.md"
            )),
            None => Ok(real),
        },
        _ => refused(format!("{path} cannot be written; only memory/*.md can")),
    }
}

/// The regular files below a path, with their names from the root, in order.
fn files(root: &Root, path: &str) -> Result<Vec<(String, PathBuf, u64)>> {
    let mut found = Vec::new();
    let mut open = vec![inside(root, path)?];
    while let Some(path) = open.pop() {
        let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
        if metadata.is_dir() {
            open.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
        } else if metadata.is_file() && found.len() < MAX_FILES {
            let name = path.strip_prefix(root.path()).unwrap_or(&path).to_string_lossy().into_owned();
            found.push((name, path, metadata.len()));
        }
    }
    found.sort();
    Ok(found)
}

fn text_of(path: &Path, name: &str) -> Result<String> {
    let metadata = fs::symlink_metadata(path).map_err(|error| failed(&error, name))?;
    if !metadata.is_file() {
        return Err(Answer::Failed(format!("{name} is no file")));
    }
    if metadata.len() > MAX_READ {
        return Err(Answer::Failed(format!("{name} is too large to be read at once")));
    }
    let bytes = fs::read(path).map_err(|error| failed(&error, name))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn bounded(text: String) -> String {
    let cut = width::cut_bytes(&text, MAX_ANSWER);
    if cut.len() < text.len() { format!("{cut}\n[… cut; ask for less]") } else { text }
}

fn list(root: &Root, path: &str) -> Result<Answer> {
    let files = files(root, path)?;
    let lines: Vec<String> = files.iter().map(|(name, _, size)| format!("{name} ({size} bytes)")).collect();
    Ok(Answer::Did(bounded(if lines.is_empty() { "nothing".to_owned() } else { lines.join("\n") })))
}

fn read_lines(root: &Root, read: &Read) -> Result<Answer> {
    let text = text_of(&inside(root, &read.path)?, &read.path)?;
    let first = read.first_line.unwrap_or(1).max(1);
    let wanted = read.lines.unwrap_or(LINES);
    let lines: Vec<&str> = text.lines().skip(first - 1).take(wanted).collect();
    let total = text.lines().count();
    let shown = first - 1 + lines.len();
    let more = if shown < total { format!("\n[… {} more lines]", total - shown) } else { String::new() };
    Ok(Answer::Did(bounded(lines.join("\n") + &more)))
}

fn search(root: &Root, words: &str, path: &str) -> Result<Answer> {
    let wanted = words.trim().to_lowercase();
    if wanted.is_empty() {
        return Err(Answer::Failed("there are no words to search for".to_owned()));
    }
    let mut found = Vec::new();
    for (name, path, _) in files(root, path)? {
        let Ok(text) = text_of(&path, &name) else { continue };
        let lines = text.lines().enumerate().filter(|(_, line)| line.to_lowercase().contains(&wanted));
        found.extend(
            lines.map(|(at, line)| format!("{name}:{}: {}", at + 1, width::cut_bytes(line, MAX_LINE))),
        );
    }
    let count = found.len();
    found.truncate(MAX_FOUND);
    if count > MAX_FOUND {
        found.push(format!("[… {} more; search for more words]", count - MAX_FOUND));
    }
    Ok(Answer::Did(bounded(if found.is_empty() {
        "no line holds these words".to_owned()
    } else {
        found.join("\n")
    })))
}

fn stat(root: &Root, path: &str) -> Result<Answer> {
    let real = inside(root, path)?;
    let metadata = fs::metadata(&real).map_err(|error| failed(&error, path))?;
    if metadata.is_dir() {
        return Ok(Answer::Did(format!("{path} is a folder of {} files", files(root, path)?.len())));
    }
    let lines = text_of(&real, path)?.lines().count();
    Ok(Answer::Did(format!("{path} is a file of {} bytes in {lines} lines", metadata.len())))
}

fn edit(root: &Root, path: &str, old: &str, new: &str) -> Result<Answer> {
    let real = writable(root, path)?;
    let text = text_of(&real, path)?;
    match text.matches(old).count() {
        _ if old.is_empty() => {
            Err(Answer::Failed("the old words are empty; use write for a new file".to_owned()))
        }
        0 => Err(Answer::Failed(format!("{path} does not hold the old words; read it again"))),
        1 => store(&real, path, &text.replacen(old, new, 1)),
        count => Err(Answer::Failed(format!("{path} holds the old words {count} times; name more of them"))),
    }
}

fn write(root: &Root, path: &str, text: &str) -> Result<Answer> {
    let real = writable(root, path)?;
    if !real.exists() && files(root, MEMORY)?.len() >= MAX_FILES {
        return Err(Answer::Refused("too-many-files", "there are too many files".to_owned()));
    }
    if fs::read_to_string(&real).is_ok_and(|old| old == text) {
        return Ok(Answer::Did(format!("{path} says so already")));
    }
    store(&real, path, text)
}

fn store(real: &Path, path: &str, text: &str) -> Result<Answer> {
    if text.len() > MAX_FILE {
        return Err(Answer::Refused("too-long", format!("a file may have {} kB at most", MAX_FILE / 1024)));
    }
    let written = || -> std::io::Result<()> {
        if let Some(parent) = real.parent() {
            fs::create_dir_all(parent)?;
        }
        let mut file = fs::File::create(real)?;
        file.write_all(text.as_bytes())
    };
    written().map_err(|error| failed(&error, path))?;
    Ok(Answer::Changed(format!("{path} is written")))
}

fn run(root: &Root, line: &str) -> Result<Answer> {
    let bounds = shell::Bounds { bytes: MAX_ANSWER, ..shell::Bounds::default() };
    let output = shell::run(line, root, &bounds)
        .map_err(|refused| Answer::Refused("shell-policy", refused.to_string()))?;
    let mut text = output.text;
    for (holds, words) in [
        (output.cut, "[… cut; ask for less]".to_owned()),
        (output.late, "[ended: it took too long]".to_owned()),
        (!output.complaints.is_empty(), output.complaints),
        (output.code.is_some_and(|code| code != 0), format!("[code {}]", output.code.unwrap_or_default())),
    ] {
        if holds {
            text.push('\n');
            text.push_str(words.trim_end());
        }
    }
    let text = text.trim().to_owned();
    Ok(Answer::Did(if text.is_empty() { "no output".to_owned() } else { text }))
}
