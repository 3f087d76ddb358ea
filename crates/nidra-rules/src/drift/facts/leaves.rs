//! Keys with their values, and the ports among them.

use super::Port;
use crate::drift::clause::pattern;
use crate::drift::files::{base, ending};
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// Values of one file at most.
const MAX_LEAVES: usize = 5_000;

/// A key with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::drift) struct Leaf {
    /// The file.
    pub file: String,
    /// The keys from the outermost to the one that holds the value.
    pub keys: Vec<String>,
    /// The value, without quotes.
    pub value: String,
}

/// A port in a program that sets something up, or in a command.
static PORT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)\bport['\x22]?\s*[:=]\s*['\x22]?(\d{2,5})\b|(?:--port[= ]|\s-p[= ]|\bPORT=|:\$\{PORT:-)(\d{2,5})\b|",
        r"\bEXPOSE\s+(\d{2,5})\b|\b(?:localhost|127\.0\.0\.1|0\.0\.0\.0):(\d{2,5})\b"
    ))
});
/// `key = "value"` of a language of blocks.
static ASSIGNED: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r#"^\s*([\w.-]+)\s*=\s*(?:"([^"$]*)"|([\w.-]+))\s*(?:[#/].*)?$"#));
/// Words that own no port: every second folder is called so.
const NOBODY: &[&str] = &[
    "src",
    "app",
    "apps",
    "service",
    "services",
    "server",
    "dev",
    "port",
    "ports",
    "config",
    "configs",
    "main",
    "resources",
    "packages",
    "docker",
    "deploy",
    "infra",
    "spec",
    "containers",
    "container",
    "template",
    "env",
    "environment",
    "local",
    "development",
    "expose",
    "http",
    "scripts",
    "application",
    "settings",
    "the",
    "and",
    "java",
    "target",
    "host",
    "default",
];

/// Reads the values of a file, by its kind.
pub(super) fn read(path: &str, text: &str) -> Vec<Leaf> {
    let name = base(path);
    let pairs = match ending(name).as_deref() {
        _ if name.starts_with(".env") => lines(text, '='),
        Some("yaml" | "yml") => super::yaml::leaves(text),
        Some("json") => {
            let mut found = Vec::new();
            if let Ok(value) = serde_json::from_str(text) {
                json(&value, &mut Vec::new(), &mut found);
            }
            found
        }
        Some("toml") => {
            let mut found = Vec::new();
            if let Ok(value) = toml::from_str::<toml::Value>(text) {
                tree(&value, &mut Vec::new(), &mut found);
            }
            found
        }
        Some("conf") if text.contains('{') => nested(text),
        Some("properties" | "ini" | "cfg" | "conf" | "env") => lines(text, '='),
        Some("sbatch" | "slurm") => directives(text),
        _ if name == ".sqlfluff" => lines(text, '='),
        Some("tf" | "tfvars") => blocks(text),
        _ => Vec::new(),
    };
    pairs
        .into_iter()
        .take(MAX_LEAVES)
        .map(|(keys, value)| Leaf { file: path.to_owned(), keys, value })
        .collect()
}

fn json(value: &serde_json::Value, keys: &mut Vec<String>, found: &mut Vec<super::yaml::Pair>) {
    match value {
        serde_json::Value::Object(map) => {
            for (key, value) in map {
                keys.push(key.clone());
                json(value, keys, found);
                keys.pop();
            }
        }
        serde_json::Value::Array(items) => items.iter().for_each(|item| json(item, keys, found)),
        serde_json::Value::String(text) => found.push((keys.clone(), text.clone())),
        serde_json::Value::Number(number) => found.push((keys.clone(), number.to_string())),
        serde_json::Value::Bool(_) | serde_json::Value::Null => {}
    }
}

fn tree(value: &toml::Value, keys: &mut Vec<String>, found: &mut Vec<super::yaml::Pair>) {
    match value {
        toml::Value::Table(table) => {
            for (key, value) in table {
                keys.push(key.clone());
                tree(value, keys, found);
                keys.pop();
            }
        }
        toml::Value::Array(items) => items.iter().for_each(|item| tree(item, keys, found)),
        toml::Value::String(text) => found.push((keys.clone(), text.clone())),
        toml::Value::Integer(number) => found.push((keys.clone(), number.to_string())),
        toml::Value::Float(number) => found.push((keys.clone(), number.to_string())),
        toml::Value::Boolean(_) | toml::Value::Datetime(_) => {}
    }
}

/// `key=value` lines; a section in brackets stands above its keys.
fn lines(text: &str, mark: char) -> Vec<super::yaml::Pair> {
    let mut section: Option<String> = None;
    let mut found = Vec::new();
    for line in text.lines().map(str::trim) {
        if line.starts_with(['#', ';', '!']) {
            continue;
        }
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            section = Some(name.to_owned());
            continue;
        }
        let Some((key, value)) = line.trim_start_matches("export ").split_once(mark) else { continue };
        let mut keys: Vec<String> = section.iter().cloned().collect();
        keys.extend(key.trim().split('.').map(str::to_owned));
        let value = value.trim().trim_matches(['"', '\'']);
        if !value.is_empty() {
            found.push((keys, value.to_owned()));
        }
    }
    found
}

/// Settings of blocks in braces, several of which may stand on a line: `deployment { port = 8094 }`.
fn nested(text: &str) -> Vec<super::yaml::Pair> {
    let mut above: Vec<String> = Vec::new();
    let mut found = Vec::new();
    let text = text.replace('{', "{\n").replace('}', "\n}\n");
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with(['#', '/'])) {
        if let Some(head) = line.strip_suffix('{') {
            above.push(head.trim().trim_end_matches(['=', ':']).trim().to_owned());
        } else if line == "}" {
            above.pop();
        } else if let Some((key, value)) = line.split_once(['=', ':']) {
            let value = value.trim().trim_end_matches([',', ';']).trim_matches(['"', '\'']);
            if !value.is_empty() && !value.starts_with('[') {
                let keys = above.iter().map(String::as_str).chain(key.trim().split('.'));
                found.push((keys.map(str::to_owned).collect(), value.to_owned()));
            }
        }
    }
    found
}

/// What a script of the queue system asks for: `#SBATCH --account=flood`.
fn directives(text: &str) -> Vec<super::yaml::Pair> {
    text.lines()
        .filter_map(|line| line.trim().strip_prefix("#SBATCH")?.trim().strip_prefix("--")?.split_once('='))
        .map(|(key, value)| (vec!["slurm".to_owned(), key.to_owned()], value.trim().to_owned()))
        .collect()
}

fn blocks(text: &str) -> Vec<super::yaml::Pair> {
    let mut above: Vec<String> = Vec::new();
    let mut found = Vec::new();
    for line in text.lines() {
        let trimmed = line.trim();
        if let Some(head) = trimmed.strip_suffix('{') {
            let name = head.trim().trim_end_matches('=').replace('"', "");
            above.push(name.split_whitespace().last().unwrap_or_default().to_owned());
        } else if trimmed == "}" {
            above.pop();
        } else if let Some(assigned) = ASSIGNED.as_ref().and_then(|pattern| pattern.captures(line))
            && let (Some(key), Some(value)) = (assigned.get(1), assigned.get(2).or(assigned.get(3)))
        {
            let mut keys = above.clone();
            keys.push(key.as_str().to_owned());
            found.push((keys, value.as_str().to_owned()));
        }
    }
    found
}

/// The ports among the values.
pub(super) fn ports_of_leaves(leaves: &[Leaf], ports: &mut Vec<Port>) {
    // The image of a service is what people call it.
    let images: BTreeMap<(&str, &[String]), &str> = leaves
        .iter()
        .filter_map(|leaf| {
            let (key, above) = leaf.keys.split_last()?;
            (key == "image").then_some(((leaf.file.as_str(), above), leaf.value.as_str()))
        })
        .collect();
    for leaf in leaves {
        let Some(key) = leaf.keys.last() else { continue };
        let lower = key.to_ascii_lowercase();
        if !(lower.ends_with("port")
            || lower == "ports"
            || lower == "expose"
            || lower == "listen"
            || lower.starts_with("port_"))
        {
            continue;
        }
        // `127.0.0.1:8080:80/tcp`: both ends are ports of the service, one outside and one inside its container.
        let value = leaf.value.split('/').next().unwrap_or_default();
        let numbers: Vec<u32> = value
            .split(':')
            .filter_map(|part| part.parse().ok())
            .filter(|port| (10..=65535).contains(port))
            .collect();
        let mut owners = owners(&leaf.file);
        owners.extend(leaf.keys.iter().flat_map(|key| words(key)));
        let name = images.get(&(leaf.file.as_str(), &leaf.keys[..leaf.keys.len() - 1]));
        let name = name.and_then(|image| image.rsplit('/').next()?.split([':', '@']).next());
        owners.extend(name.into_iter().flat_map(words));
        ports.extend(numbers.into_iter().map(|number| Port {
            number,
            file: leaf.file.clone(),
            owners: owners.clone(),
        }));
    }
}

/// The ports that programs and commands set.
pub(super) fn ports_in_text(path: &str, text: &str, ports: &mut Vec<Port>) {
    let name = base(path);
    let speaks = super::is_script_setting(name)
        || ["package.json", "Makefile", "justfile", "Procfile", "Dockerfile", "Containerfile"]
            .contains(&name)
        || name.starts_with("Dockerfile.");
    if !speaks {
        return;
    }
    for found in PORT.iter().flat_map(|pattern| pattern.captures_iter(text)) {
        let number = found.iter().skip(1).flatten().next().and_then(|number| number.as_str().parse().ok());
        if let Some(number) = number.filter(|number| (10..=65535).contains(number)) {
            ports.push(Port { number, file: path.to_owned(), owners: owners(path) });
        }
    }
}

/// Whom the folders of a file name.
fn owners(path: &str) -> BTreeSet<String> {
    path.rsplit_once('/').map_or("", |(folders, _)| folders).split('/').flat_map(words).collect()
}

/// The words of a name in small letters, but for those that say nothing.
pub(in crate::drift) fn words(name: &str) -> impl Iterator<Item = String> {
    let mut spaced = String::new();
    let mut before = ' ';
    for character in name.chars() {
        if character.is_ascii_uppercase() && before.is_ascii_lowercase() {
            spaced.push(' ');
        }
        spaced.push(if character.is_alphanumeric() { character } else { ' ' });
        before = character;
    }
    let whole = name.to_lowercase();
    let whole = whole.contains(['-', '_']).then_some(whole);
    let parts: Vec<String> = spaced.split_whitespace().map(str::to_lowercase).collect();
    parts.into_iter().chain(whole).filter(|word| word.chars().count() > 1 && !NOBODY.contains(&word.as_str()))
}
