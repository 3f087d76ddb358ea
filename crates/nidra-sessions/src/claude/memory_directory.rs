//! Where the client keeps the memory of a project, and whether it keeps one at all.

use crate::claude::settings::{ClaudeEnvironment, Layers, switch};
use crate::claude::slug;
use crate::project::Project;
use nidra_core::error::Diagnostic;
use std::path::{Component, Path, PathBuf};
use unicode_normalization::UnicodeNormalization;

/// The client's memory of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryLocation {
    /// The directory; it need not exist.
    pub directory: PathBuf,
    /// What decided on it, for the user.
    pub because: String,
    /// The client uses memory here.
    pub enabled: bool,
    /// What decided on that, for the user.
    pub enabled_because: String,
    /// The client works as an assistant, which has a dream of its own.
    pub assistant: bool,
    /// The client works for someone at another computer.
    pub remote: bool,
    /// Settings that were not used.
    pub diagnostics: Vec<Diagnostic>,
}

/// Finds the client's memory of a project, in the client's own order: override, setting, default.
pub fn memory_directory(project: &Project, environment: &ClaudeEnvironment, config: &Path) -> MemoryLocation {
    let mut layers = Layers::read(environment, Some(&project.checkout), config);
    let (directory, because) = resolve(project, environment, config, &mut layers);
    let remote = switch(environment.remote.as_deref()) == Some(true);
    let assistant = switch(environment.assistant.as_deref())
        .unwrap_or_else(|| layers.switch("assistant").is_some_and(|(_, on)| on));
    let (enabled, enabled_because) = enabled(environment, &layers, remote);
    MemoryLocation {
        directory: normalised(&directory),
        because,
        enabled,
        enabled_because,
        assistant,
        remote,
        diagnostics: layers.diagnostics,
    }
}

fn resolve(
    project: &Project,
    environment: &ClaudeEnvironment,
    config: &Path,
    layers: &mut Layers,
) -> (PathBuf, String) {
    if let Some(text) = environment.memory_path_override.as_deref().filter(|text| !text.is_empty()) {
        let path = Path::new(text);
        if path.is_absolute() {
            return (path.to_owned(), "CLAUDE_COWORK_MEMORY_PATH_OVERRIDE names it".to_owned());
        }
        layers.report(path, "CLAUDE_COWORK_MEMORY_PATH_OVERRIDE is not absolute and is ignored".to_owned());
    }
    let mut ignored = Vec::new();
    let mut chosen = None;
    for (file, value) in layers.values("autoMemoryDirectory") {
        match value.as_str().and_then(|text| expand(text, environment.home.as_deref())) {
            Some(path) => {
                chosen = Some((path, format!("autoMemoryDirectory in {} names it", file.display())));
                break;
            }
            None => ignored.push((file.to_owned(), value.to_string())),
        }
    }
    for (file, value) in ignored {
        let message =
            format!("autoMemoryDirectory {value} is neither absolute nor below `~/` and is ignored");
        layers.report(&file, message);
    }
    chosen.unwrap_or_else(|| {
        let remote = environment.remote_memory_directory.as_deref().filter(|text| !text.is_empty());
        let base = remote.map_or_else(|| config.to_owned(), PathBuf::from);
        let directory = base.join("projects").join(slug(&project.root)).join("memory");
        (directory, format!("the client's default for {}", project.root.display()))
    })
}

/// An absolute path, or one below the home directory; neither may climb.
fn expand(text: &str, home: Option<&Path>) -> Option<PathBuf> {
    let path = match text.strip_prefix("~/") {
        Some(below) => home?.join(below.trim_start_matches('/')),
        None => PathBuf::from(text),
    };
    let climbs = path.components().any(|component| component == Component::ParentDir);
    (path.is_absolute() && !climbs).then_some(path)
}

fn enabled(environment: &ClaudeEnvironment, layers: &Layers, remote: bool) -> (bool, String) {
    match switch(environment.disable_auto_memory.as_deref()) {
        Some(true) => return (false, "CLAUDE_CODE_DISABLE_AUTO_MEMORY switches it off".to_owned()),
        Some(false) => return (true, "CLAUDE_CODE_DISABLE_AUTO_MEMORY=0 switches it on".to_owned()),
        None => {}
    }
    if remote && environment.remote_memory_directory.as_deref().is_none_or(str::is_empty) {
        return (false, "remote mode without CLAUDE_CODE_REMOTE_MEMORY_DIR".to_owned());
    }
    match layers.switch("autoMemoryEnabled") {
        Some((file, on)) => (on, format!("autoMemoryEnabled is {on} in {}", file.display())),
        None => (true, "the client's default".to_owned()),
    }
}

/// The path as the client spells it: in Unicode form C where it is text.
fn normalised(path: &Path) -> PathBuf {
    path.to_str().map_or_else(|| path.to_owned(), |text| PathBuf::from(text.nfc().collect::<String>()))
}
