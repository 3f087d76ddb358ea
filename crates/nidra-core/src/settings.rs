//! What the user may set. Layers, files and environment are the command layer's concern.

use crate::text::redact::Scope;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// All settings with their values; defaults are the ones of the specification.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// When a dream runs and how far it goes.
    pub dream: DreamSettings,
    /// Where memory lives and how full it may get.
    pub memory: MemorySettings,
    /// Which sessions are read.
    pub sessions: SessionSettings,
    /// What is removed from what is read.
    pub redact: RedactSettings,
    /// What leaves memory because little speaks for it.
    pub forget: ForgetSettings,
    /// What is proposed for the files that people write themselves.
    pub propose: ProposeSettings,
    /// Which model the engine with a model asks, and how.
    pub model: ModelSettings,
    /// Which agent works in the staging copy, and how it is held.
    pub agent: AgentSettings,
    /// What the engines with a model may spend.
    pub budget: BudgetSettings,
    /// Working memory: tasks, topics, when a rest is due, snapshots.
    pub working: WorkingSettings,
    /// The map of memory.
    pub map: MapSettings,
    /// What agents are told of memory unasked.
    pub recall: RecallSettings,
}

/// `[dream]`: when a dream runs and how far it goes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DreamSettings {
    /// Dream by itself. A dream that the user asks for runs anyway, unless `NIDRA_DISABLED` is set.
    pub enabled: bool,
    /// Hours since the last successful dream before the next one.
    pub min_hours: f64,
    /// Sessions touched since the last successful dream before the next one.
    pub min_sessions: u32,
    /// Minutes between two scans of the session directories while sessions are too few.
    pub scan_throttle_minutes: f64,
    /// Sessions read in one run at most; the rest waits for the next run.
    pub max_sessions: u32,
    /// The engine: `rules`, `model` or `agent`.
    pub engine: EngineChoice,
    /// What needs the user's word before it is applied.
    pub review: ReviewPolicy,
    /// Share of the topic files that one run may change or archive at most, from 0 to 1.
    pub max_changed_share: f64,
    /// Share of the entries that one run may archive at most, from 0 to 1.
    pub max_archived_share: f64,
    /// New topic files in one run at most.
    pub max_new_topics: u32,
}

impl Default for DreamSettings {
    fn default() -> Self {
        Self {
            enabled: true,
            min_hours: 24.0,
            min_sessions: 5,
            scan_throttle_minutes: 10.0,
            max_sessions: 200,
            engine: EngineChoice::Rules,
            review: ReviewPolicy::Risky,
            max_changed_share: 0.5,
            max_archived_share: 0.1,
            max_new_topics: 200,
        }
    }
}

/// Which engine judges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EngineChoice {
    /// The embedded engine: no network, no key, no model.
    Rules,
    /// The embedded engine, and a model that judges what it found.
    Model,
    /// The embedded engine, and an agent that works in a staging copy of memory.
    Agent,
}

impl EngineChoice {
    /// The name used in settings, reports and stored state.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rules => "rules",
            Self::Model => "model",
            Self::Agent => "agent",
        }
    }
}

/// What needs the user's word before it is applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReviewPolicy {
    /// Everything is proposed.
    All,
    /// Superseding what the human said, archiving, and touching user, feedback or pinned entries is proposed.
    Risky,
    /// Everything inside the memory directory is applied, except on pinned entries.
    Auto,
}

/// `[memory]`: where memory lives and how full it may get.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MemorySettings {
    /// The memory directory; unset means the agent's own.
    pub directory: Option<PathBuf>,
    /// Lines of the index at most, as the client counts them.
    pub max_index_lines: u32,
    /// UTF-16 units of the index at most, as the client counts them.
    pub max_index_units: u32,
    /// UTF-16 units of an index line that nidra writes at most.
    pub max_line_units: u32,
    /// One memory for all work trees of a repository, as the client has it; `false` gives each its own.
    pub share_worktrees: bool,
}

impl Default for MemorySettings {
    fn default() -> Self {
        Self {
            directory: None,
            max_index_lines: 200,
            max_index_units: 25_000,
            max_line_units: 150,
            share_worktrees: true,
        }
    }
}

/// `[sessions]`: which sessions are read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SessionSettings {
    /// Minutes without a new record after which a session counts as ended when no hook said so.
    pub idle_minutes: f64,
    /// Count and read sessions that ran without a person at the keyboard (`claude -p`).
    pub include_headless: bool,
    /// Projects that are neither read nor counted, by path; everything below a path is left out too.
    pub exclude: Vec<PathBuf>,
}

impl Default for SessionSettings {
    fn default() -> Self {
        Self { idle_minutes: 30.0, include_headless: true, exclude: Vec::new() }
    }
}

/// `[redact]`: what is removed from what is read, besides secrets, which always are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RedactSettings {
    /// Remove addresses of mail, telephone numbers, and numbers of papers, cards and accounts as well.
    pub personal: bool,
}

impl RedactSettings {
    /// What is looked for.
    pub fn scope(self) -> Scope {
        if self.personal { Scope::SecretsAndPersonal } else { Scope::Secrets }
    }
}

/// `[forget]`: what leaves memory because little speaks for it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ForgetSettings {
    /// Demote and archive entries of little importance.
    pub enabled: bool,
    /// Active entries that memory may hold before the least important of them are archived.
    pub max_entries: u32,
    /// The importance, from 0 to 1, below which an entry is archived.
    pub min_score: f64,
    /// Days since the last evidence before an entry can be archived.
    pub min_age_days: f64,
}

impl Default for ForgetSettings {
    fn default() -> Self {
        Self { enabled: true, max_entries: 400, min_score: 0.4, min_age_days: 90.0 }
    }
}

/// `[propose]`: what is proposed for `CLAUDE.md`, `AGENTS.md`, `CLAUDE.local.md`, and for what a team shares. Nothing of it
/// is written unasked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ProposeSettings {
    /// Propose rules that had to be told again.
    pub enabled: bool,
    /// Sessions in which a rule was said before it is proposed.
    pub min_sessions: u32,
    /// The Markdown file, or the directory, that a team shares across projects; unset means that nothing is proposed for it.
    pub team: Option<PathBuf>,
}

impl Default for ProposeSettings {
    fn default() -> Self {
        Self { enabled: true, min_sessions: 3, team: None }
    }
}

/// `[model]`: which model is asked, and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ModelSettings {
    /// The protocol that the provider speaks.
    pub provider: ProviderChoice,
    /// The provider's address; unset means the one of the environment, else the protocol's own.
    pub base_url: Option<String>,
    /// The model's identifier; unset means the one of the environment.
    pub name: Option<String>,
    /// A file that holds the key, for runs whose environment does not.
    pub key_file: Option<PathBuf>,
    /// A table of prices that takes the place of the embedded one, model by model.
    pub prices: Option<PathBuf>,
    /// Seconds that one call may take.
    pub timeout_seconds: u32,
    /// How often a call that failed in passing is tried again.
    pub retries: u32,
    /// Calls in flight at most, of all runs on this machine.
    pub max_in_flight: u32,
    /// Tokens of one question at most.
    pub max_input_tokens: u32,
    /// Tokens of one answer at most.
    pub max_output_tokens: u32,
    /// How freely the model answers, from 0 to 2; unset leaves it to the provider.
    pub temperature: Option<f64>,
    /// What becomes of sessions on which the model gave no usable answer.
    pub on_failure: FailureChoice,
    /// Let the model leave out what the rules would keep, other than the person's own words.
    pub may_drop: bool,
    /// Nothing of this project goes to a provider that is not on this machine.
    pub local_only: bool,
    /// Projects of which nothing goes to a provider that is not on this machine, by path.
    pub local_projects: Vec<PathBuf>,
    /// Sessions of which nothing goes to a provider that is not on this machine: patterns of their identifier or of
    /// their working directory, in which `*` stands for anything.
    pub local_sessions: Vec<String>,
}

impl Default for ModelSettings {
    fn default() -> Self {
        Self {
            provider: ProviderChoice::Auto,
            base_url: None,
            name: None,
            key_file: None,
            prices: None,
            timeout_seconds: 120,
            retries: 3,
            max_in_flight: 2,
            max_input_tokens: 12_000,
            max_output_tokens: 4_000,
            temperature: None,
            on_failure: FailureChoice::Wait,
            may_drop: false,
            local_only: false,
            local_projects: Vec::new(),
            local_sessions: Vec::new(),
        }
    }
}

/// The protocol that a provider speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProviderChoice {
    /// The one for which the environment holds an address or a key; Anthropic's where it holds both or none.
    Auto,
    /// Anthropic's Messages.
    Anthropic,
    /// OpenAI's chat completions, which most local servers speak.
    Openai,
}

/// What becomes of sessions on which a model gave no usable answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureChoice {
    /// They count as not read, and a later run asks again.
    Wait,
    /// What the rules say about them is done.
    Rules,
}

/// `[agent]`: which agent works in the staging copy of memory, and how it is held.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AgentSettings {
    /// The agent's program and arguments: `["claude"]`, `["codex"]`, or any with `{prompt}` in one of them. Empty: a model
    /// with tools of nidra's own, as `[model]` names it.
    pub command: Vec<String>,
    /// What has to be enforced, or the agent is not started.
    pub confinement: ConfinementChoice,
    /// Folders whose programs the agent may run and read, besides its own.
    pub programs: Vec<PathBuf>,
    /// Names of variables that the agent gets, besides the key and address of its provider.
    pub variables: Vec<String>,
    /// A folder with texts that take the place of nidra's prompts: `system.md`, `orient.md`, `gather.md`,
    /// `consolidate.md`, `prune.md`.
    pub prompts: Option<PathBuf>,
    /// Turns of nidra's own loop at most.
    pub max_turns: u32,
    /// Tokens of a question of nidra's own loop at most.
    pub max_input_tokens: u32,
    /// Seconds that an agent's program may take.
    pub timeout_seconds: u32,
}

impl Default for AgentSettings {
    fn default() -> Self {
        Self {
            command: Vec::new(),
            confinement: ConfinementChoice::Full,
            programs: Vec::new(),
            variables: Vec::new(),
            prompts: None,
            max_turns: 30,
            max_input_tokens: 32_000,
            timeout_seconds: 600,
        }
    }
}

/// How an agent's program is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ConfinementChoice {
    /// Its files and its network: nothing outside the staging copy, and no port but its provider's.
    Full,
    /// Its files alone, for systems that cannot hold the network.
    Files,
}

/// `[budget]`: what the engine with a model may spend; each limit is checked before each call.
///
/// A run is one dream of one project, a day is a calendar day of all projects, and a project is one project in thirty
/// days.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BudgetSettings {
    /// Tokens of one run, questions and answers together.
    pub run_tokens: u32,
    /// Calls of one run.
    pub run_requests: u32,
    /// US dollars of one run.
    pub run_cost: f64,
    /// Seconds that one run may spend on its calls, waiting included.
    pub run_seconds: u32,
    /// Tokens of a day.
    pub day_tokens: u32,
    /// Calls of a day.
    pub day_requests: u32,
    /// US dollars of a day.
    pub day_cost: f64,
    /// Seconds of calls of a day.
    pub day_seconds: u32,
    /// Tokens of a project.
    pub project_tokens: u32,
    /// Calls of a project.
    pub project_requests: u32,
    /// US dollars of a project.
    pub project_cost: f64,
    /// Seconds of calls of a project.
    pub project_seconds: u32,
}

impl Default for BudgetSettings {
    fn default() -> Self {
        Self {
            run_tokens: 200_000,
            run_requests: 40,
            run_cost: 0.5,
            run_seconds: 900,
            day_tokens: 1_000_000,
            day_requests: 200,
            day_cost: 2.0,
            day_seconds: 3_600,
            project_tokens: 5_000_000,
            project_requests: 1_000,
            project_cost: 10.0,
            project_seconds: 36_000,
        }
    }
}

/// `[working]`: tasks, topics, when a rest is due, and snapshots.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WorkingSettings {
    /// Rounds without a step after which a task with a next step counts as backlog.
    pub stale_rounds: u32,
    /// Tasks in the backlog from which a rest is due.
    pub max_backlog: u32,
    /// Active and pending topics from which a rest is due.
    pub max_topics: u32,
    /// Rounds after which an open decision counts as late.
    pub decision_rounds: u32,
    /// Tasks with a late decision from which a rest is due.
    pub max_undecided: u32,
    /// Tokens in use above which a rest cannot be put off.
    pub max_tokens: u32,
    /// The weighted index of all signals, from 0 to 1, from which a rest is due.
    pub max_index: f64,
    /// Turns of a person in a session above which a rest is suggested.
    pub max_turns: u32,
    /// Tokens that the agent's window holds.
    pub window_tokens: u32,
    /// Share of the window above which a rest is suggested.
    pub max_window_share: f64,
    /// Dullness, from 0 to 1, from which a rest is suggested.
    pub max_dullness: f64,
    /// The family of tokenizers, or the model, by which tokens are estimated.
    pub tokenizer: String,
    /// Write tasks, topics and figures as JSON into `.dream` in the checkout after each change.
    pub export: bool,
    /// Register the tasks that the talk suggests without being asked.
    pub register_suggested: bool,
    /// What a rest does with tasks and topics: nothing unasked, or what the evidence is clear about.
    pub decide: DecideChoice,
    /// A file that the heartbeat writes as well while a rest is due.
    pub trigger_file: Option<PathBuf>,
    /// A file to which the heartbeat writes its JSON as well.
    pub heartbeat_file: Option<PathBuf>,
    /// Days that snapshots of memory are kept, those before dreams aside.
    pub snapshot_days: u32,
}

impl Default for WorkingSettings {
    fn default() -> Self {
        Self {
            stale_rounds: 3,
            max_backlog: 3,
            max_topics: 3,
            decision_rounds: 2,
            max_undecided: 2,
            max_tokens: 70_000,
            max_index: 0.8,
            max_turns: 20,
            window_tokens: 200_000,
            max_window_share: 0.7,
            max_dullness: 0.6,
            tokenizer: "claude-4.7".to_owned(),
            export: false,
            register_suggested: false,
            decide: DecideChoice::Propose,
            trigger_file: None,
            heartbeat_file: None,
            snapshot_days: 7,
        }
    }
}

/// What a rest does with tasks and topics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DecideChoice {
    /// It proposes; the user's word decides.
    Propose,
    /// It does what the evidence is clear about, and proposes the rest.
    Apply,
}

/// `[recall]`: what agents are told of memory unasked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RecallSettings {
    /// Tokens of the entries that the hooks add when a session starts and at its first prompt; 0 adds none.
    pub disclose_tokens: u32,
}

/// `[map]`: the map of memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MapSettings {
    /// The file, or the folder, to which the map is written after each dream that changed memory.
    pub after_dream: Option<PathBuf>,
}
