//! Every setting with its form, its bounds and what a project may do with it: the one table from which files,
//! variables, flags, `explain` and the reference page are read.
//!
//! It mirrors `nidra_core::Settings`; a test fails when one of them has a key that the other lacks.

use super::environment::VariableOwner;
use nidra_model::provider::endpoint::address;
use std::path::{Path, PathBuf};
use toml::Value;

/// A setting.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Key {
    /// Its path: `dream.min_hours`.
    pub path: &'static str,
    /// What its value looks like.
    pub form: Form,
    /// What a project's file may do with it.
    pub project: ProjectRule,
    /// What it means, in one sentence.
    pub meaning: &'static str,
    /// A variable of the client's that sets it as well, when nidra's own is absent.
    pub client_variable: Option<&'static str>,
}

/// What a value looks like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    /// `true` or `false`.
    Switch,
    /// A number, with or without a fraction, between these bounds.
    Decimal(f64, f64),
    /// A whole number between these bounds.
    Whole(u32, u32),
    /// One of these words.
    Choice(&'static [&'static str]),
    /// An absolute directory, or one below `~/`.
    Directory,
    /// Several of those.
    Directories,
    /// An absolute file, or one below `~/`.
    File,
    /// The address of a server: `http` or `https`, a host, neither user nor query.
    Address,
    /// Words on one line.
    Text,
    /// Several of those.
    Texts,
}

/// What the file of a project may do with a setting. A repository is not the user: it may ask for less, never
/// for more, and it never says where memory goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProjectRule {
    /// Anything within the bounds.
    Free,
    /// Nothing.
    Never,
    /// Only switch it off.
    OnlyOff,
    /// Only switch it on.
    OnlyOn,
    /// Only make it smaller than the user has it.
    OnlyLess,
    /// Only make it greater than the user has it.
    OnlyMore,
    /// Only choose a word that stands before the user's in the list of words.
    OnlyEarlier,
}

const fn key(path: &'static str, form: Form, project: ProjectRule, meaning: &'static str) -> Key {
    Key { path, form, project, meaning, client_variable: None }
}

const fn shared(key: Key, variable: &'static str) -> Key {
    Key { client_variable: Some(variable), ..key }
}

/// One century, and more than any pause that makes sense.
const MAX_HOURS: f64 = 876_600.0;
const MAX_MINUTES: f64 = MAX_HOURS * 60.0;

/// All settings, ordered as in `config.toml`.
pub const KEYS: &[Key] = &[
    key(
        "dream.enabled",
        Form::Switch,
        ProjectRule::OnlyOff,
        "Dream by itself; a dream that is asked for runs anyway.",
    ),
    shared(
        key(
            "dream.min_hours",
            Form::Decimal(0.0, MAX_HOURS),
            ProjectRule::Free,
            "Hours since the last successful dream before the next one.",
        ),
        "CLAUDE_CODE_AUTO_DREAM_MIN_HOURS",
    ),
    shared(
        key(
            "dream.min_sessions",
            Form::Whole(0, 1_000_000),
            ProjectRule::Free,
            "Sessions touched since the last successful dream before the next one.",
        ),
        "CLAUDE_CODE_AUTO_DREAM_MIN_SESSIONS",
    ),
    key(
        "dream.scan_throttle_minutes",
        Form::Decimal(0.0, MAX_MINUTES),
        ProjectRule::OnlyMore,
        "Minutes between two scans of the session directories while sessions are too few.",
    ),
    key(
        "dream.max_sessions",
        Form::Whole(1, 1_000_000),
        ProjectRule::OnlyLess,
        "Sessions read in one run at most; the rest waits for the next run.",
    ),
    key(
        "dream.engine",
        Form::Choice(&["rules", "model", "agent"]),
        ProjectRule::Never,
        "The engine that judges what is worth keeping.",
    ),
    key(
        "dream.review",
        Form::Choice(&["all", "risky", "auto"]),
        ProjectRule::OnlyEarlier,
        "What needs the user's word before it is applied: everything, what is risky, or nothing but pinned entries.",
    ),
    key(
        "dream.max_changed_share",
        Form::Decimal(0.0, 1.0),
        ProjectRule::OnlyLess,
        "Share of the topic files that one run may change or archive at most.",
    ),
    key(
        "dream.max_archived_share",
        Form::Decimal(0.0, 1.0),
        ProjectRule::OnlyLess,
        "Share of the active entries that one run may archive at most.",
    ),
    key(
        "dream.max_new_topics",
        Form::Whole(0, 100_000),
        ProjectRule::OnlyLess,
        "New topic files in one run at most.",
    ),
    key(
        "memory.directory",
        Form::Directory,
        ProjectRule::Never,
        "The memory directory; unset means the agent's own.",
    ),
    key(
        "memory.max_index_lines",
        Form::Whole(1, 1_000_000),
        ProjectRule::OnlyLess,
        "Lines of the index at most, as the client counts them.",
    ),
    key(
        "memory.max_index_units",
        Form::Whole(100, 100_000_000),
        ProjectRule::OnlyLess,
        "UTF-16 units of the index at most, as the client counts them.",
    ),
    key(
        "memory.max_line_units",
        Form::Whole(20, 100_000),
        ProjectRule::OnlyLess,
        "UTF-16 units of an index line that nidra writes at most.",
    ),
    key(
        "memory.share_worktrees",
        Form::Switch,
        ProjectRule::OnlyOff,
        "One memory for all work trees of a repository, as the client has it.",
    ),
    key(
        "sessions.idle_minutes",
        Form::Decimal(0.0, MAX_MINUTES),
        ProjectRule::Never,
        "Minutes without a new record after which a session counts as ended when no hook said so.",
    ),
    key(
        "sessions.include_headless",
        Form::Switch,
        ProjectRule::Never,
        "Count and read sessions that ran without a person at the keyboard.",
    ),
    key(
        "sessions.exclude",
        Form::Directories,
        ProjectRule::Never,
        "Projects that are neither read nor counted, with everything below them.",
    ),
    key(
        "redact.personal",
        Form::Switch,
        ProjectRule::OnlyOn,
        "Remove addresses of mail, telephone numbers, and numbers of papers, cards and accounts, besides secrets.",
    ),
    key(
        "forget.enabled",
        Form::Switch,
        ProjectRule::OnlyOff,
        "Demote and archive entries of little importance.",
    ),
    key(
        "forget.max_entries",
        Form::Whole(1, 1_000_000),
        ProjectRule::OnlyMore,
        "Active entries that memory may hold before the least important of them are archived.",
    ),
    key(
        "forget.min_score",
        Form::Decimal(0.0, 1.0),
        ProjectRule::OnlyLess,
        "The importance below which an entry is archived.",
    ),
    key(
        "forget.min_age_days",
        Form::Decimal(0.0, MAX_HOURS / 24.0),
        ProjectRule::OnlyMore,
        "Days since the last evidence before an entry can be archived.",
    ),
    key(
        "propose.enabled",
        Form::Switch,
        ProjectRule::OnlyOff,
        "Propose rules that had to be told again for CLAUDE.md, AGENTS.md and CLAUDE.local.md.",
    ),
    key(
        "propose.min_sessions",
        Form::Whole(1, 1_000),
        ProjectRule::OnlyMore,
        "Sessions in which a rule was said before it is proposed.",
    ),
    key(
        "propose.team",
        Form::File,
        ProjectRule::Never,
        "A Markdown file, or a directory, that a team shares; rules that were told in several projects are proposed for it.",
    ),
    key(
        "model.provider",
        Form::Choice(&["auto", "anthropic", "openai"]),
        ProjectRule::Never,
        "The protocol by which the model is asked; `auto` takes the one for which the environment holds an address or key.",
    ),
    key(
        "model.base_url",
        Form::Address,
        ProjectRule::Never,
        "The provider's address; unset means that of the environment, else the protocol's own.",
    ),
    key(
        "model.name",
        Form::Text,
        ProjectRule::Never,
        "The model's identifier; unset means that of the environment.",
    ),
    key(
        "model.key_file",
        Form::File,
        ProjectRule::Never,
        "A file that holds the key, for runs whose environment does not; only you may be able to read it.",
    ),
    key(
        "model.prices",
        Form::File,
        ProjectRule::Never,
        "A table of prices whose rows take the place of those that come with nidra.",
    ),
    key(
        "model.timeout_seconds",
        Form::Whole(1, 3_600),
        ProjectRule::OnlyLess,
        "Seconds that one call may take.",
    ),
    key(
        "model.retries",
        Form::Whole(0, 10),
        ProjectRule::OnlyLess,
        "How often a call that failed in passing is tried again.",
    ),
    key(
        "model.max_in_flight",
        Form::Whole(1, 64),
        ProjectRule::Never,
        "Calls in flight at most, of all runs on this machine.",
    ),
    key(
        "model.max_input_tokens",
        Form::Whole(1_000, 1_000_000),
        ProjectRule::OnlyLess,
        "Tokens of one question at most.",
    ),
    key(
        "model.max_output_tokens",
        Form::Whole(100, 100_000),
        ProjectRule::OnlyLess,
        "Tokens of one answer at most.",
    ),
    key(
        "model.temperature",
        Form::Decimal(0.0, 2.0),
        ProjectRule::Never,
        "How freely the model answers; unset leaves it to the provider.",
    ),
    key(
        "model.on_failure",
        Form::Choice(&["wait", "rules"]),
        ProjectRule::OnlyEarlier,
        "What becomes of sessions on which the model gave no usable answer: they wait, or the rules alone judge.",
    ),
    key(
        "model.may_drop",
        Form::Switch,
        ProjectRule::OnlyOff,
        "Let the model leave out what the rules would keep, other than your own words.",
    ),
    key(
        "model.local_only",
        Form::Switch,
        ProjectRule::OnlyOn,
        "Send nothing of the project to a provider that is not on this machine.",
    ),
    key(
        "model.local_projects",
        Form::Directories,
        ProjectRule::Never,
        "Projects of which nothing goes to a provider that is not on this machine, with everything below them.",
    ),
    key(
        "model.local_sessions",
        Form::Texts,
        ProjectRule::Never,
        "Patterns of sessions, by identifier or working directory, of which nothing leaves this machine.",
    ),
    key(
        "agent.command",
        Form::Texts,
        ProjectRule::Never,
        "The agent's program and arguments, one text each: `claude`, `codex`, or any with `{prompt}` in one of them; empty for a model with nidra's own tools.",
    ),
    key(
        "agent.confinement",
        Form::Choice(&["full", "files"]),
        ProjectRule::OnlyEarlier,
        "What has to be enforced, or an agent's program is not started: its files and network, or its files alone.",
    ),
    key(
        "agent.programs",
        Form::Directories,
        ProjectRule::Never,
        "Folders whose programs an agent's program may run and read, besides its own.",
    ),
    key(
        "agent.variables",
        Form::Texts,
        ProjectRule::Never,
        "Names of variables that an agent's program gets, besides the key and address of its provider.",
    ),
    key(
        "agent.prompts",
        Form::Directory,
        ProjectRule::Never,
        "A folder with texts that replace the agent's prompts: system.md, orient.md, gather.md, consolidate.md, prune.md.",
    ),
    key(
        "agent.max_turns",
        Form::Whole(1, 1_000),
        ProjectRule::OnlyLess,
        "Turns that a model with nidra's own tools may take.",
    ),
    key(
        "agent.max_input_tokens",
        Form::Whole(1_000, 10_000_000),
        ProjectRule::OnlyLess,
        "Tokens of one question to a model with nidra's own tools at most.",
    ),
    key(
        "agent.timeout_seconds",
        Form::Whole(1, 86_400),
        ProjectRule::OnlyLess,
        "Seconds that an agent's program may take.",
    ),
    key(
        "budget.run_tokens",
        Form::Whole(0, u32::MAX),
        ProjectRule::OnlyLess,
        "Tokens that models may use in a run.",
    ),
    key("budget.run_requests", Form::Whole(0, 1_000_000), ProjectRule::OnlyLess, "Calls of models in a run."),
    key(
        "budget.run_cost",
        Form::Decimal(0.0, 1_000_000.0),
        ProjectRule::OnlyLess,
        "US dollars that models may cost in a run.",
    ),
    key(
        "budget.run_seconds",
        Form::Whole(0, 10_000_000),
        ProjectRule::OnlyLess,
        "Seconds that calls of models may take in a run.",
    ),
    key(
        "budget.day_tokens",
        Form::Whole(0, u32::MAX),
        ProjectRule::OnlyLess,
        "Tokens that models may use in a calendar day, all projects together.",
    ),
    key(
        "budget.day_requests",
        Form::Whole(0, 1_000_000),
        ProjectRule::OnlyLess,
        "Calls of models in a calendar day, all projects together.",
    ),
    key(
        "budget.day_cost",
        Form::Decimal(0.0, 1_000_000.0),
        ProjectRule::OnlyLess,
        "US dollars that models may cost in a calendar day, all projects together.",
    ),
    key(
        "budget.day_seconds",
        Form::Whole(0, 10_000_000),
        ProjectRule::OnlyLess,
        "Seconds that calls of models may take in a calendar day, all projects together.",
    ),
    key(
        "budget.project_tokens",
        Form::Whole(0, u32::MAX),
        ProjectRule::OnlyLess,
        "Tokens that models may use in a project in thirty days.",
    ),
    key(
        "budget.project_requests",
        Form::Whole(0, 1_000_000),
        ProjectRule::OnlyLess,
        "Calls of models in a project in thirty days.",
    ),
    key(
        "budget.project_cost",
        Form::Decimal(0.0, 1_000_000.0),
        ProjectRule::OnlyLess,
        "US dollars that models may cost in a project in thirty days.",
    ),
    key(
        "budget.project_seconds",
        Form::Whole(0, 10_000_000),
        ProjectRule::OnlyLess,
        "Seconds that calls of models may take in a project in thirty days.",
    ),
    key(
        "working.stale_rounds",
        Form::Whole(1, 1_000_000),
        ProjectRule::Free,
        "Rounds without a step after which a task with a next step counts as backlog.",
    ),
    key(
        "working.max_backlog",
        Form::Whole(1, 1_000_000),
        ProjectRule::Free,
        "Tasks in the backlog from which a rest is due.",
    ),
    key(
        "working.max_topics",
        Form::Whole(1, 1_000_000),
        ProjectRule::Free,
        "Active and pending topics from which a rest is due.",
    ),
    key(
        "working.decision_rounds",
        Form::Whole(1, 1_000_000),
        ProjectRule::Free,
        "Rounds after which an open decision counts as late.",
    ),
    key(
        "working.max_undecided",
        Form::Whole(1, 1_000_000),
        ProjectRule::Free,
        "Tasks with a late decision from which a rest is due.",
    ),
    key(
        "working.max_tokens",
        Form::Whole(1, u32::MAX),
        ProjectRule::OnlyLess,
        "Tokens in use above which a rest cannot be put off.",
    ),
    key(
        "working.max_index",
        Form::Decimal(0.0, 1.0),
        ProjectRule::Free,
        "The weighted index of all signals from which a rest is due.",
    ),
    key(
        "working.max_turns",
        Form::Whole(1, 1_000_000),
        ProjectRule::Free,
        "Turns of a person in a session above which a rest is suggested.",
    ),
    key(
        "working.window_tokens",
        Form::Whole(1_000, u32::MAX),
        ProjectRule::Free,
        "Tokens that the agent's window holds.",
    ),
    key(
        "working.max_window_share",
        Form::Decimal(0.0, 1.0),
        ProjectRule::Free,
        "Share of the window above which a rest is suggested.",
    ),
    key(
        "working.max_dullness",
        Form::Decimal(0.0, 1.0),
        ProjectRule::Free,
        "Dullness from which a rest is suggested.",
    ),
    key(
        "working.tokenizer",
        Form::Text,
        ProjectRule::Free,
        "The family of tokenizers (`claude-4.7`, `claude-3`, `o200k`, `cl100k`, `gemma`), or the model, by which tokens are estimated.",
    ),
    key(
        "working.export",
        Form::Switch,
        ProjectRule::Never,
        "Write tasks, topics and figures as JSON into `.dream` in the checkout after each change.",
    ),
    key(
        "working.register_suggested",
        Form::Switch,
        ProjectRule::OnlyOff,
        "Register the tasks that the talk suggests without being asked.",
    ),
    key(
        "working.decide",
        Form::Choice(&["propose", "apply"]),
        ProjectRule::OnlyEarlier,
        "What a rest does with tasks and topics: it proposes, or it does what the evidence is clear about.",
    ),
    key(
        "working.trigger_file",
        Form::File,
        ProjectRule::Never,
        "A file that the heartbeat writes as well while a rest is due.",
    ),
    key(
        "working.heartbeat_file",
        Form::File,
        ProjectRule::Never,
        "A file to which the heartbeat writes its JSON as well.",
    ),
    key(
        "working.snapshot_days",
        Form::Whole(1, 100_000),
        ProjectRule::OnlyMore,
        "Days that snapshots of memory are kept, those before dreams aside.",
    ),
    key(
        "map.after_dream",
        Form::File,
        ProjectRule::Never,
        "A file, or a folder with one page for each project, to which the map is written after each dream that changed memory; a name that ends in `.md` or `.json` gives that form.",
    ),
    key(
        "recall.disclose_tokens",
        Form::Whole(0, 2_000),
        ProjectRule::OnlyLess,
        "Tokens of the entries that hooks tell an agent when a session starts and at its first prompt, of those that do not stand in the index; 0 tells none. Run `nidra init` again after a change.",
    ),
];

impl Key {
    /// The variable that sets it: `NIDRA_DREAM_MIN_HOURS`.
    pub fn variable(&self) -> String {
        format!("NIDRA_{}", self.path.replace('.', "_").to_ascii_uppercase())
    }

    /// Whether a variable of this name sets it.
    pub(crate) fn is_variable(&self, name: &str) -> bool {
        let letter = |byte: u8| if byte == b'.' { b'_' } else { byte.to_ascii_uppercase() };
        name.strip_prefix("NIDRA_").is_some_and(|rest| rest.bytes().eq(self.path.bytes().map(letter)))
    }

    /// The table that it stands in and its name there.
    pub(crate) fn parts(&self) -> (&'static str, &'static str) {
        self.path.split_once('.').unwrap_or(("", self.path))
    }
}

/// The setting with this path.
pub fn find(path: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.path == path)
}

/// Whether settings stand in a table of this name.
pub(crate) fn is_table(name: &str) -> bool {
    KEYS.iter().any(|key| key.parts().0 == name)
}

/// What a writer may have meant by a path that is no setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suggestion {
    /// The name is right, but it belongs in another table.
    Misplaced(&'static str),
    /// This one looks much like it.
    Near(&'static str),
}

/// Finds what was meant by a path that is no setting.
pub(crate) fn suggest(path: &str) -> Option<Suggestion> {
    let name = path.rsplit('.').next().unwrap_or(path);
    if let Some(key) = KEYS.iter().find(|key| key.parts().1 == name) {
        return Some(Suggestion::Misplaced(key.path));
    }
    let distance = |key: &Key| {
        let whole = strsim::damerau_levenshtein(&path.to_lowercase(), key.path);
        let last = strsim::damerau_levenshtein(&name.to_lowercase().replace('-', "_"), key.parts().1);
        whole.min(last)
    };
    let (nearest, key) = KEYS.iter().map(|key| (distance(key), key)).min_by_key(|(distance, _)| *distance)?;
    // A third of the letters may differ; beyond that it is a guess.
    (nearest <= 2.max(name.chars().count() / 3)).then_some(Suggestion::Near(key.path))
}

/// The nearest variable to one that is not known.
pub(crate) fn suggest_variable(name: &str) -> Option<String> {
    let own = super::environment::VARIABLES.iter().filter(|variable| variable.owner == VariableOwner::Nidra);
    let names = KEYS.iter().map(Key::variable).chain(own.map(|variable| variable.name.to_owned()));
    let (distance, near) = names
        .map(|near| (strsim::damerau_levenshtein(name, &near), near))
        .min_by_key(|(distance, _)| *distance)?;
    (distance <= 4).then_some(near)
}

impl Form {
    /// What a value has to be, for a message.
    pub fn wanted(&self) -> String {
        match self {
            Self::Switch => "true or false".to_owned(),
            Self::Decimal(least, most) => format!("a number from {least} to {most}"),
            Self::Whole(least, most) => format!("a whole number from {least} to {most}"),
            Self::Choice(words) => {
                let words: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
                match words.as_slice() {
                    [only] => only.clone(),
                    words => format!("one of {}", words.join(", ")),
                }
            }
            Self::Directory => "an absolute directory, or one that starts with ~/".to_owned(),
            Self::Directories => "a list of absolute directories, or ones that start with ~/".to_owned(),
            Self::File => "an absolute file, or one that starts with ~/".to_owned(),
            Self::Address => {
                "an address that starts with http:// or https://, without user and query".to_owned()
            }
            Self::Text => "words on one line".to_owned(),
            Self::Texts => "a list of words".to_owned(),
        }
    }

    /// Brings a value from a file into its one form; `None` for a wrong type or a value out of bounds.
    pub(crate) fn accept(&self, value: &Value, home: Option<&Path>) -> Option<Value> {
        match (self, value) {
            (Self::Switch, Value::Boolean(_)) => Some(value.clone()),
            (Self::Decimal(least, most), Value::Float(number)) => {
                (number.is_finite() && least <= number && number <= most).then(|| value.clone())
            }
            (Self::Decimal(..), Value::Integer(number)) => {
                let number = i32::try_from(*number).ok()?;
                self.accept(&Value::Float(f64::from(number)), home)
            }
            (Self::Whole(least, most), Value::Integer(number)) => {
                (i64::from(*least) <= *number && *number <= i64::from(*most)).then(|| value.clone())
            }
            (Self::Choice(words), Value::String(word)) => {
                words.contains(&word.as_str()).then(|| value.clone())
            }
            (Self::Address, Value::String(url)) => {
                let url = url.trim();
                address(url).map(|_| Value::String(url.to_owned()))
            }
            (Self::Text, Value::String(words)) => {
                let plain = !words.trim().is_empty() && !words.chars().any(char::is_control);
                plain.then(|| Value::String(words.trim().to_owned()))
            }
            (Self::Texts, Value::Array(texts)) => {
                let one = |text: &Value| Self::Text.accept(text, home);
                texts.iter().map(one).collect::<Option<_>>().map(Value::Array)
            }
            (Self::Directory | Self::File, Value::String(path)) => directory(path, home).map(Value::String),
            (Self::Directories, Value::Array(paths)) => {
                let one = |path: &Value| Self::Directory.accept(path, home);
                paths.iter().map(one).collect::<Option<_>>().map(Value::Array)
            }
            _ => None,
        }
    }

    /// Reads a value as it stands in a variable, a flag or on the command line.
    pub(crate) fn parse(&self, text: &str, home: Option<&Path>) -> Option<Value> {
        let text = text.trim();
        let value = match self {
            Self::Switch => Value::Boolean(match text.to_ascii_lowercase().as_str() {
                "true" | "1" | "yes" | "on" => true,
                "false" | "0" | "no" | "off" => false,
                _ => return None,
            }),
            Self::Decimal(..) => Value::Float(text.parse().ok()?),
            Self::Whole(..) => Value::Integer(text.parse().ok()?),
            Self::Choice(_) | Self::Directory | Self::File | Self::Address | Self::Text => {
                Value::String(text.to_owned())
            }
            Self::Directories | Self::Texts if text.starts_with('[') => {
                let mut document: toml::Table = toml::from_str(&format!("value = {text}")).ok()?;
                document.remove("value")?
            }
            Self::Directories | Self::Texts => {
                let paths = text.split(':').filter(|path| !path.is_empty());
                Value::Array(paths.map(|path| Value::String(path.to_owned())).collect())
            }
        };
        self.accept(&value, home)
    }
}

impl ProjectRule {
    /// Why a project may not set this value over that of the user; `None` when it may.
    pub(crate) fn refusal(self, form: Form, user: Option<&Value>, project: &Value) -> Option<&'static str> {
        let number = |value: &Value| {
            value.as_float().or_else(|| i32::try_from(value.as_integer()?).ok().map(f64::from))
        };
        let place = |value: &Value| match form {
            Form::Choice(words) => words.iter().position(|word| Some(*word) == value.as_str()),
            _ => None,
        };
        let numbers = || Some((number(user?)?, number(project)?));
        match self {
            Self::Free => None,
            _ if user == Some(project) => None,
            Self::Never => Some("a project may not set it"),
            Self::OnlyOff => (project.as_bool() != Some(false)).then_some("a project may only switch it off"),
            Self::OnlyOn => (project.as_bool() != Some(true)).then_some("a project may only switch it on"),
            Self::OnlyLess => numbers()
                .is_none_or(|(user, project)| project > user)
                .then_some("a project may only make it smaller than the user has it"),
            Self::OnlyMore => numbers()
                .is_none_or(|(user, project)| project < user)
                .then_some("a project may only make it greater than the user has it"),
            Self::OnlyEarlier => (user.and_then(place) < place(project))
                .then_some("a project may only ask for more review than the user has it"),
        }
    }
}

/// A directory with `~/` put in full; `None` for a relative one.
fn directory(path: &str, home: Option<&Path>) -> Option<String> {
    let full = match path.strip_prefix("~/") {
        Some(rest) => home?.join(rest),
        None if path == "~" => home?.to_owned(),
        None => PathBuf::from(path),
    };
    full.is_absolute().then(|| full.to_str().map(str::to_owned)).flatten()
}

#[cfg(test)]
#[path = "key_tests.rs"]
mod tests;
