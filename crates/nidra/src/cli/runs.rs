//! The arguments of the commands that dream, and that show, apply or undo what dreams did.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `nidra confined`
#[derive(Debug, Args)]
pub struct ConfinedArgs {
    /// What the agent may do, as JSON.
    pub spec: PathBuf,
    /// Become the agent instead of watching it.
    #[arg(long)]
    pub enter: bool,
}

/// Which engine judges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EngineName {
    /// The embedded engine: no network, no key, no model.
    Rules,
    /// The embedded engine, and a model that judges what it found.
    Model,
    /// The embedded engine, and an agent that works in a staging copy of memory.
    Agent,
}

/// Options of commands that run an engine.
#[derive(Clone, Debug, Args)]
pub struct EngineArgs {
    /// The engine that judges.
    #[arg(long, value_enum)]
    pub engine: Option<EngineName>,
    /// Keep what is sent to the model and what it answers in this folder.
    #[arg(long, value_name = "FOLDER")]
    pub record: Option<PathBuf>,
    /// Take the model's answers from the folder of --record and open no connection.
    #[arg(long, requires = "record")]
    pub offline: bool,
}

/// `nidra try`
#[derive(Debug, Args)]
pub struct TryArgs {
    /// Keep the scratch folder, at this path; it must not exist yet or be empty.
    #[arg(long, value_name = "PATH")]
    pub keep: Option<PathBuf>,
}

/// `nidra dream`
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub struct DreamArgs {
    /// The engine.
    #[command(flatten)]
    pub engine: EngineArgs,
    /// Show what would change and write nothing at all.
    #[arg(long, conflicts_with_all = ["auto", "yes"])]
    pub dry_run: bool,
    /// Run only if all gates are open, as a scheduler or hook does.
    #[arg(long)]
    pub auto: bool,
    /// Also apply what would otherwise wait for your word, for this run.
    #[arg(long, short, conflicts_with = "auto")]
    pub yes: bool,
    /// Read the daily logs in the memory directory instead of the sessions, as assistant mode does.
    #[arg(long, conflicts_with = "all")]
    pub logs: bool,
    /// Dream over every project that has sessions, one after the other.
    #[arg(long, conflicts_with = "project")]
    pub all: bool,
    /// Leave the caller's session first and report readiness on standard output.
    #[arg(long, hide = true)]
    pub detached: bool,
}

/// `nidra status`
#[derive(Debug, Args)]
pub struct StatusArgs {
    /// Show what the dream that is running does, until it has ended.
    #[arg(long)]
    pub follow: bool,
}

/// `nidra stop`
#[derive(Debug, Args)]
pub struct StopArgs {
    /// End it at once; the next run puts right what it leaves.
    #[arg(long)]
    pub now: bool,
    /// Wait so many seconds for it to end.
    #[arg(long, default_value_t = 10, value_name = "SECONDS")]
    pub wait: u32,
}

/// `nidra events`
#[derive(Debug, Args)]
pub struct EventsArgs {
    /// Show at most this many events of the past; 0 shows those that come alone.
    #[arg(long, short = 'n', default_value_t = 50, value_name = "COUNT")]
    pub limit: u32,
    /// Go on with what comes.
    #[arg(long, short)]
    pub follow: bool,
    /// Show the events of all projects.
    #[arg(long, conflicts_with_all = ["project", "prometheus"])]
    pub all: bool,
    /// Print figures of the project in Prometheus' text format instead.
    #[arg(long, conflicts_with = "follow")]
    pub prometheus: bool,
    /// Send the events of all projects that were not sent before to an OpenTelemetry collector (OTLP over HTTP, JSON), by
    /// default the one that `OTEL_EXPORTER_OTLP_ENDPOINT` names.
    #[cfg(feature = "otlp")]
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = "", conflicts_with_all = ["prometheus", "limit"])]
    pub otlp: Option<String>,
}

/// `nidra apply`
#[derive(Debug, Args)]
pub struct ApplyArgs {
    /// The plan's hash, or its first characters, as `plan` and `review` print it; `all` for each that waits and asks no
    /// question.
    pub plan: String,
    /// Apply only these operations (`op-1,op-4`).
    #[arg(long, value_delimiter = ',', value_name = "OPERATIONS")]
    pub only: Vec<String>,
    /// Say it in these words instead; for a plan of one statement, or with --only.
    #[arg(long, value_name = "TEXT")]
    pub words: Option<String>,
}

/// `nidra review`
#[derive(Debug, Args)]
pub struct ReviewArgs {
    /// Show this plan alone: its hash, or the first characters of it.
    #[arg(value_name = "PLAN", conflicts_with = "answer")]
    pub plan: Option<String>,
    /// Drop this plan or proposal, or `all`; it is not offered again.
    #[arg(long, value_name = "PLAN", group = "answer")]
    pub drop: Option<String>,
    /// Of two statements that exclude each other keep the first; the second goes to the archive.
    #[arg(long, value_name = "PLAN", group = "answer")]
    pub keep_first: Option<String>,
    /// Of two statements that exclude each other keep the second; the first goes to the archive.
    #[arg(long, value_name = "PLAN", group = "answer")]
    pub keep_second: Option<String>,
    /// Keep both statements; the question is not asked again.
    #[arg(long, value_name = "PLAN", group = "answer")]
    pub keep_both: Option<String>,
}

/// `nidra log`
#[derive(Debug, Args)]
pub struct LogArgs {
    /// Show at most this many runs, newest first.
    #[arg(long, short = 'n', default_value_t = 20, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: u32,
}

/// Commands on one run.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// The run, its first characters, or `last`.
    #[arg(default_value = "last")]
    pub run: String,
}

/// `nidra ledger`
#[derive(Debug, Args)]
pub struct LedgerArgs {
    /// Show at most this many calls, newest first.
    #[arg(long, short = 'n', default_value_t = 20, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: u32,
    /// Show the calls of all projects.
    #[arg(long, conflicts_with = "project")]
    pub all: bool,
}

/// `nidra sessions`
#[derive(Debug, Args)]
pub struct SessionsArgs {
    /// Try sessions again that could not be read or judged: this one, or all of them.
    #[arg(long, value_name = "SESSION", num_args = 0..=1, default_missing_value = "")]
    pub retry: Option<String>,
}
