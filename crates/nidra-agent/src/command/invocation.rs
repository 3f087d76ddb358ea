//! How an agent is called: the two that we know by name, and any other by a template.

use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// The mark of a template for which the prompt is put.
const PROMPT: &str = "{prompt}";

/// An agent whose program is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentProgram {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// Any other.
    Other,
}

/// An agent's command that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvocationError {
    /// There is no such program.
    #[error("there is no program {0:?}; name it in `agent.command` with its whole path")]
    NoProgram(String),
    /// It may not be run.
    #[error("{0} of `agent.command` may not be run; `chmod +x` makes a script a program")]
    NotExecutable(String),
    /// It is not said where the prompt goes.
    #[error("`agent.command` says nowhere where the prompt goes; write {{prompt}} in one of its arguments")]
    NoPrompt,
}

/// How an agent is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation {
    /// Which it is.
    pub program: AgentProgram,
    /// Its name in reports.
    pub name: String,
    /// What it has to be able to run: itself, and what runs it.
    pub executables: Vec<PathBuf>,
    /// What it has to be able to read besides.
    pub readable: Vec<PathBuf>,
    path: PathBuf,
    arguments: Vec<String>,
    /// It stops by itself at a limit of money.
    counts: bool,
}

impl Invocation {
    /// Finds out how an agent is called. `folders` are where programs are looked for; `model` and `address` are what the
    /// settings say of its provider.
    ///
    /// # Errors
    /// When it cannot be called.
    pub fn of(
        command: &[String],
        folders: &[PathBuf],
        model: Option<&str>,
        address: Option<&str>,
    ) -> Result<Self, InvocationError> {
        let (name, given) = command.split_first().ok_or_else(|| InvocationError::NoProgram(String::new()))?;
        let path = find(name, folders).ok_or_else(|| InvocationError::NoProgram(name.clone()))?;
        if !is_executable(&path) {
            return Err(InvocationError::NotExecutable(path.display().to_string()));
        }
        let stem = Path::new(name).file_stem().and_then(OsStr::to_str).unwrap_or(name);
        let program = match stem {
            "claude" => AgentProgram::Claude,
            "codex" => AgentProgram::Codex,
            _ => AgentProgram::Other,
        };
        let arguments = match (program, given.is_empty()) {
            (AgentProgram::Claude, true) => claude(model),
            (AgentProgram::Codex, true) => codex(model, address),
            _ if given.iter().any(|argument| argument.contains(PROMPT)) => given.to_vec(),
            _ => return Err(InvocationError::NoPrompt),
        };
        let real = fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
        let mut executables = interpreters(&real, folders);
        let mut readable = Vec::new();
        // A program of JavaScript lies among the packages that it needs.
        if let Some(modules) = real.ancestors().find(|folder| folder.ends_with("node_modules")) {
            readable.push(modules.to_owned());
            executables.push(modules.to_owned());
        }
        executables.push(real.clone());
        if program == AgentProgram::Codex {
            // It reads files through a shell and has no other way; what it starts is held as it is.
            executables.extend(["/usr/bin", "/bin"].map(PathBuf::from));
        }
        let counts = program == AgentProgram::Claude && given.is_empty();
        Ok(Self { program, name: stem.to_owned(), executables, readable, path: real, arguments, counts })
    }

    /// Tells an agent that can count how many dollars it may cost.
    #[must_use]
    pub fn with_budget(mut self, dollars: f64) -> Self {
        if self.counts {
            self.arguments.extend(["--max-budget-usd".to_owned(), format!("{dollars:.4}")]);
        }
        self
    }

    /// Whether it stops by itself at a limit of money that it is told.
    pub fn counts(&self) -> bool {
        self.counts
    }

    /// The program and its arguments with the prompt in its place.
    pub fn argv(&self, prompt: &str) -> Vec<String> {
        let arguments = self.arguments.iter().map(|argument| argument.replace(PROMPT, prompt));
        std::iter::once(self.path.display().to_string()).chain(arguments).collect()
    }

    /// The folder of the program.
    pub(super) fn folder(&self) -> Option<PathBuf> {
        self.path.parent().map(Path::to_path_buf)
    }
}

/// Claude Code: without a session that stays, hooks, servers or a shell; its own permission rules are a second fence.
fn claude(model: Option<&str>) -> Vec<String> {
    let mut arguments: Vec<String> = [
        "-p",
        PROMPT,
        "--output-format",
        "json",
        "--no-session-persistence",
        "--setting-sources",
        "",
        "--strict-mcp-config",
        "--tools",
        "Read,Edit,Write,Glob,Grep",
        "--allowedTools",
        "Read,Edit,Write,Glob,Grep",
        "--disallowedTools",
        "Bash,Agent,Task,WebFetch,WebSearch,NotebookEdit",
    ]
    .map(str::to_owned)
    .to_vec();
    if let Some(model) = model {
        arguments.extend(["--model".to_owned(), model.to_owned()]);
    }
    arguments
}

/// Codex: its own sandbox would stand inside ours, where it cannot be set up, so it is left out.
fn codex(model: Option<&str>, address: Option<&str>) -> Vec<String> {
    let mut arguments: Vec<String> =
        ["exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]
            .map(str::to_owned)
            .to_vec();
    if let Some(model) = model {
        arguments.extend(["--model".to_owned(), model.to_owned()]);
    }
    if let Some(address) = address {
        let quoted = serde_json::Value::from(address).to_string();
        for setting in [
            "model_provider=\"nidra\"".to_owned(),
            "model_providers.nidra.name=\"nidra\"".to_owned(),
            format!("model_providers.nidra.base_url={quoted}"),
            "model_providers.nidra.env_key=\"OPENAI_API_KEY\"".to_owned(),
            "model_providers.nidra.wire_api=\"responses\"".to_owned(),
        ] {
            arguments.extend(["-c".to_owned(), setting]);
        }
    }
    arguments.push(PROMPT.to_owned());
    arguments
}

/// A program by its path, or by its name in the folders.
fn find(name: &str, folders: &[PathBuf]) -> Option<PathBuf> {
    let path = Path::new(name);
    if name.contains('/') {
        return path.is_absolute().then(|| path.to_owned()).filter(|path| path.is_file());
    }
    folders
        .iter()
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
}

/// Whether anybody may run a file.
fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & 0o111 != 0)
}

/// The programs that run a script, by its first line.
fn interpreters(program: &Path, folders: &[PathBuf]) -> Vec<PathBuf> {
    let Ok(file) = fs::File::open(program) else { return Vec::new() };
    let mut line = Vec::new();
    let read = BufReader::new(file.take(256)).read_until(b'\n', &mut line);
    let line = String::from_utf8_lossy(&line);
    let Some(rest) = line.strip_prefix("#!").filter(|_| read.is_ok()) else { return Vec::new() };
    let words = rest.split_whitespace().filter(|word| !word.starts_with('-'));
    words.filter_map(|word| find(word, folders)).filter_map(|path| fs::canonicalize(path).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_needs_a_place_for_the_prompt_and_a_program() {
        let folder = tempfile::tempdir().unwrap();
        let agent = folder.path().join("agent");
        fs::write(&agent, "#!/usr/bin/env sh\n").unwrap();
        fs::set_permissions(&agent, fs::Permissions::from_mode(0o755)).unwrap();
        let folders = [folder.path().to_owned(), PathBuf::from("/usr/bin"), PathBuf::from("/bin")];
        let of = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            Invocation::of(&words, &folders, None, None)
        };
        assert_eq!(of(&["agent"]), Err(InvocationError::NoPrompt));
        assert_eq!(
            of(&["no-such-agent", "{prompt}"]),
            Err(InvocationError::NoProgram("no-such-agent".to_owned()))
        );
        assert_eq!(of(&["./agent", "{prompt}"]), Err(InvocationError::NoProgram("./agent".to_owned())));
        let found = of(&["agent", "--task={prompt}"]).unwrap();
        assert_eq!(found.argv("Do it; $(x)").last().unwrap(), "--task=Do it; $(x)");
        let shell = fs::canonicalize("/usr/bin/sh").or_else(|_| fs::canonicalize("/bin/sh")).unwrap();
        assert!(found.executables.contains(&shell), "{:?}", found.executables);
        assert!(!found.executables.contains(&PathBuf::from("/usr/bin")));
    }

    #[test]
    fn the_known_agents_are_called_without_a_shell_or_servers_of_their_own() {
        let arguments = claude(Some("m"));
        let denied = arguments.iter().position(|argument| argument == "--disallowedTools").unwrap();
        assert!(
            arguments[denied + 1].contains("Bash") && arguments.contains(&"--strict-mcp-config".to_owned())
        );
        assert!(
            codex(None, Some("http://127.0.0.1:1/v1"))
                .iter()
                .any(|argument| argument.contains("127.0.0.1:1/v1"))
        );
    }
}
