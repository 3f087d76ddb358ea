//! The client's own settings, as far as they decide about memory and retention.

use crate::project::Project;
use nidra_core::error::Diagnostic;
use serde_json::{Map, Value};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Days after which the client removes transcripts when no setting says otherwise.
const RETENTION_DAYS: u32 = 30;

/// What the client would find in its environment. Nothing is read here: the caller fills it in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClaudeEnvironment {
    /// The home directory, for settings that begin with `~/`.
    pub home: Option<PathBuf>,
    /// `CLAUDE_COWORK_MEMORY_PATH_OVERRIDE`.
    pub memory_path_override: Option<String>,
    /// `CLAUDE_CODE_REMOTE_MEMORY_DIR`.
    pub remote_memory_directory: Option<String>,
    /// `CLAUDE_CODE_DISABLE_AUTO_MEMORY`.
    pub disable_auto_memory: Option<String>,
    /// `CLAUDE_CODE_REMOTE`.
    pub remote: Option<String>,
    /// The variable that switches assistant mode on, where the client has one.
    pub assistant: Option<String>,
    /// The settings that an administrator manages.
    pub managed_settings: Option<PathBuf>,
}

/// The layers of the client's settings, the strongest first.
#[derive(Debug)]
pub(crate) struct Layers {
    layers: Vec<(PathBuf, Map<String, Value>)>,
    /// Settings files that could not be used.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl Layers {
    /// Reads managed, local, project and user settings.
    pub(crate) fn read(environment: &ClaudeEnvironment, checkout: Option<&Path>, config: &Path) -> Self {
        let mut paths = Vec::new();
        paths.extend(environment.managed_settings.clone());
        if let Some(checkout) = checkout {
            let folder = checkout.join(".claude");
            paths.push(folder.join("settings.local.json"));
            paths.push(folder.join("settings.json"));
        }
        let user = config.join("settings.json");
        // In the home directory the project's folder is the user's own.
        paths.retain(|path| *path != user);
        paths.push(user);
        let mut layers = Self { layers: Vec::new(), diagnostics: Vec::new() };
        for path in paths {
            layers.add(path);
        }
        layers
    }

    fn add(&mut self, path: PathBuf) {
        // A pipe in its place would never end.
        if fs::metadata(&path).is_ok_and(|metadata| !metadata.is_file()) {
            self.report(&path, "the settings are no regular file".to_owned());
            return;
        }
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) => {
                if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) {
                    self.report(&path, format!("cannot read {}: {error}", path.display()));
                }
                return;
            }
        };
        match serde_json::from_str(&without_comments(&String::from_utf8_lossy(&bytes))) {
            Ok(map) => self.layers.push((path, map)),
            Err(error) => self.report(&path, format!("the settings are not a JSON object: {error}")),
        }
    }

    /// Notes that something in a settings file was not used.
    pub(crate) fn report(&mut self, path: &Path, message: String) {
        self.diagnostics.push(Diagnostic { path: path.to_owned(), line: None, offset: None, message });
    }

    /// The values of a setting with their files, the strongest first.
    pub(crate) fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (&'a Path, &'a Value)> {
        self.layers.iter().filter_map(move |(path, map)| map.get(name).map(|value| (path.as_path(), value)))
    }

    /// The strongest value of a switch.
    pub(crate) fn switch<'a>(&'a self, name: &'a str) -> Option<(&'a Path, bool)> {
        self.values(name).find_map(|(path, value)| value.as_bool().map(|on| (path, on)))
    }
}

/// Days after which the client removes transcripts (`cleanupPeriodDays`).
pub fn retention_days(project: Option<&Project>, environment: &ClaudeEnvironment, config: &Path) -> u32 {
    let layers = Layers::read(environment, project.map(|project| project.checkout.as_path()), config);
    let days = layers.values("cleanupPeriodDays").find_map(|(_, value)| value.as_u64());
    days.map_or(RETENTION_DAYS, |days| u32::try_from(days).unwrap_or(u32::MAX))
}

/// Reads a variable that is a switch; `None` if it says neither.
pub(crate) fn switch(text: Option<&str>) -> Option<bool> {
    match text?.trim().to_ascii_lowercase().as_str() {
        "1" | "true" | "yes" | "on" => Some(true),
        "0" | "false" | "no" | "off" => Some(false),
        _ => None,
    }
}

/// Takes comments, commas before a closing bracket and a byte order mark out of JSON.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.trim_start_matches('\u{feff}').chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' => {
                out.push('"');
                let mut escaped = false;
                for inner in characters.by_ref() {
                    out.push(inner);
                    if inner == '"' && !escaped {
                        break;
                    }
                    escaped = inner == '\\' && !escaped;
                }
            }
            '/' if characters.peek() == Some(&'/') => {
                for skipped in characters.by_ref() {
                    if skipped == '\n' {
                        break;
                    }
                }
                out.push('\n');
            }
            '/' if characters.peek() == Some(&'*') => {
                characters.next();
                let mut star = false;
                for skipped in characters.by_ref() {
                    if star && skipped == '/' {
                        break;
                    }
                    star = skipped == '*';
                }
                out.push(' ');
            }
            '}' | ']' => {
                let kept = out.trim_end();
                if let Some(without) = kept.strip_suffix(',') {
                    out.truncate(without.len());
                }
                out.push(character);
            }
            _ => out.push(character),
        }
    }
    out
}
