//! Pieces of the text below some directories, sorted by what kind of text they are.

use nidra_core::text::language::is_han;
use nidra_core::text::token::Features;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

/// Pieces of one kind at most.
const MAX_PIECES: usize = 400;

/// Pieces of one file at most, so that no large file stands for its kind.
const MAX_OF_FILE: usize = 12;

/// A text and what tokenizers make of it.
#[derive(Serialize, Deserialize)]
pub(crate) struct Piece {
    pub(crate) kind: String,
    pub(crate) text: String,
    pub(crate) counts: BTreeMap<String, usize>,
}

/// Cuts pieces of 1,000 to 6,000 letters out of the files, in the order of their names.
pub(crate) fn cut(directories: &[PathBuf]) -> Vec<Piece> {
    let mut files = Vec::new();
    for directory in directories {
        collect(directory, &mut files);
    }
    files.sort();
    // A step that shares no factor with the number spreads the choice over all folders.
    let count = files.len().max(1);
    let step = (count / 2 + 1..=2 * count).find(|step| gcd(*step, count) == 1).unwrap_or(1);
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    let mut pieces = Vec::new();
    for number in 0..files.len() {
        let path = &files[number * step % count];
        let Ok(text) = fs::read_to_string(path) else { continue };
        let text = talk(path, text);
        let letters: Vec<char> = text.chars().collect();
        // Tables of letters of all scripts are nobody's text.
        if letters.iter().filter(|letter| !letter.is_ascii() && !is_han(**letter)).count() * 5 > letters.len()
        {
            continue;
        }
        let length = 1_000 + number * 617 % 5_000;
        for chunk in letters.chunks(length).take(MAX_OF_FILE).filter(|chunk| chunk.len() >= 500) {
            let Some(kind) = kind(path, chunk) else { continue };
            let seen = kinds.entry(kind).or_default();
            if *seen < MAX_PIECES {
                *seen += 1;
                let text = chunk.iter().collect();
                pieces.push(Piece { kind: kind.to_owned(), text, counts: BTreeMap::new() });
            }
        }
    }
    pieces
}

/// What is said in a file of JSON that holds talk in Chinese; its quoting would count as much as its words.
fn talk(path: &Path, text: String) -> String {
    let is_json = path.extension().is_some_and(|extension| extension == "json");
    if !is_json || text.chars().filter(|letter| is_han(*letter)).count() * 12 < text.chars().count() {
        return text;
    }
    let Ok(value) = serde_json::from_str::<Value>(&text) else { return text };
    let (mut waiting, mut said) = (vec![&value], Vec::new());
    while let Some(value) = waiting.pop() {
        match value {
            Value::String(words) => said.push(words.as_str()),
            Value::Array(values) => waiting.extend(values.iter().rev()),
            Value::Object(fields) => waiting.extend(fields.values().rev()),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    said.join("\n")
}

fn gcd(one: usize, two: usize) -> usize {
    if two == 0 { one } else { gcd(two, one % two) }
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(path) else {
        files.push(path.to_owned());
        return;
    };
    for entry in entries.flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() {
            collect(&entry.path(), files);
        } else if kind.is_file() && entry.metadata().is_ok_and(|metadata| metadata.len() < 4_000_000) {
            files.push(entry.path());
        }
    }
}

/// Chinese and mixed text by their letters, the rest by the file's extension.
fn kind(path: &Path, letters: &[char]) -> Option<&'static str> {
    let share = letters.iter().filter(|letter| is_han(**letter)).count() as f64 / letters.len() as f64;
    if share > 0.4 {
        return Some("chinese");
    }
    if share > 0.08 {
        return Some("mixed");
    }
    match path.extension()?.to_str()? {
        "md" | "txt" | "rst" => Some("english"),
        "rs" | "py" | "js" | "ts" | "c" | "h" | "go" | "sh" => Some("code"),
        "jsonl" => Some("transcript"),
        "log" => Some("logs"),
        "json" | "toml" | "yaml" | "yml" => Some("data"),
        _ => None,
    }
}

/// Writes pieces as lines of JSON.
pub(crate) fn export(path: &Path, pieces: &[Piece]) -> Result<(), Box<dyn Error>> {
    let lines = pieces.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?;
    Ok(fs::write(path, lines.join("\n"))?)
}

/// Writes the runs of each piece beside the numbers of tokenizers, as lines of JSON.
pub(crate) fn features(path: &Path, pieces: &[Piece]) -> Result<(), Box<dyn Error>> {
    let line = |piece: &Piece| {
        let runs = Features::of(&piece.text);
        json!({ "kind": piece.kind, "runs": runs.counts(), "counts": piece.counts }).to_string()
    };
    Ok(fs::write(path, pieces.iter().map(line).collect::<Vec<_>>().join("\n"))?)
}

/// Reads pieces that another program counted.
pub(crate) fn counted(path: &Path) -> Result<Vec<Piece>, Box<dyn Error>> {
    let text = fs::read_to_string(path)?;
    Ok(text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}
