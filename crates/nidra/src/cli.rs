//! The command line as the user types it: plain values, no side effects.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// A dream engine for coding agents: reads their sessions and keeps a small, true memory for them.
#[derive(Debug, Parser)]
#[command(
    name = "nidra",
    version,
    max_term_width = 110,
    after_help = "Exit codes: 0 done (also: nothing to do), 1 failed, 2 usage or settings, 3 refused by the guard or \
                  review needed, 4 another dream holds the memory, 5 switched off."
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Options of every command.
    #[command(flatten)]
    pub global: Global,
}

/// Options of every command.
#[derive(Clone, Debug, Args)]
pub struct Global {
    /// Work on the project at this path instead of the current directory.
    #[arg(long, global = true, value_name = "PATH")]
    pub project: Option<PathBuf>,
    /// Answer in JSON on standard output.
    #[arg(long, global = true)]
    pub json: bool,
    /// Say nothing but the answer.
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Take this as the present moment (RFC 3339), as `NIDRA_NOW` does.
    #[arg(long, global = true, value_name = "TIME")]
    pub as_of: Option<String>,
}

/// What nidra can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Dream over sample sessions in a scratch folder, to see what nidra does.
    Try(TryArgs),
    /// Add nidra's hooks to the agent's settings.
    Init(InitArgs),
    /// Take nidra's hooks out again and give back the agent's settings as they were.
    Uninstall(InitArgs),
    /// Show the gates, the last dream, the memory and what waits.
    Status,
    /// Dream now: read new sessions and bring memory up to date.
    Dream(DreamArgs),
    /// Make a plan without applying it, and keep it for `apply`.
    Plan(EngineArgs),
    /// Apply a kept plan or proposal, if memory is still what it was made for.
    Apply(ApplyArgs),
    /// List the plans and proposals that wait for your word, or drop one.
    Review(ReviewArgs),
    /// List the runs.
    Log(LogArgs),
    /// Show what a run did, why, and from which words.
    Show(RunArgs),
    /// Show what a run changed, as a difference.
    Diff(RunArgs),
    /// Take back what a run changed.
    Undo(RunArgs),
    /// List what was sent to models: when, where, how much, at what cost.
    Ledger(LedgerArgs),
    /// Explain an entry of memory: where it comes from, how much speaks for it, and what becomes of it.
    Why(WhyArgs),
    /// Ask memory, and with --sessions every past turn, what is known.
    Recall(RecallArgs),
    /// List the entries of memory with what they rest on.
    Entries(EntriesArgs),
    /// List the sessions of this project and what became of each.
    Sessions(SessionsArgs),
    /// Bring over the memory of this project from where it was before a move, or list such memories.
    Adopt(AdoptArgs),
    /// Report what is odd in the memory directory.
    Check(CheckArgs),
    /// Look for what keeps nidra from working, and say what to do.
    Doctor,
    /// Show or change settings.
    Config(ConfigArgs),
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual page.
    Man,
    /// What the agent calls: notes an event and starts a dream when all gates are open.
    #[command(hide = true)]
    Hook(HookArgs),
}

/// Which engine judges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EngineName {
    /// The embedded engine: no network, no key, no model.
    Rules,
    /// The embedded engine, and a model that judges what it found.
    Model,
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

/// `nidra init`, `nidra uninstall`
#[derive(Debug, Args)]
pub struct InitArgs {
    /// Show what would change and change nothing.
    #[arg(long)]
    pub dry_run: bool,
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
    /// Dream over every project that has sessions, one after the other.
    #[arg(long, conflicts_with = "project")]
    pub all: bool,
    /// Leave the caller's session first and report readiness on standard output.
    #[arg(long, hide = true)]
    pub detached: bool,
}

/// `nidra apply`
#[derive(Debug, Args)]
pub struct ApplyArgs {
    /// The plan's hash, or its first characters, as `plan` and `review` print it.
    pub plan: String,
    /// Apply only these operations (`op-1,op-4`).
    #[arg(long, value_delimiter = ',', value_name = "OPERATIONS")]
    pub only: Vec<String>,
}

/// `nidra review`
#[derive(Debug, Args)]
pub struct ReviewArgs {
    /// Drop this plan or proposal; it is not offered again.
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
    #[arg(long, short = 'n', default_value_t = 20, value_name = "COUNT")]
    pub limit: u32,
    /// Show the calls of all projects.
    #[arg(long, conflicts_with = "project")]
    pub all: bool,
}

/// `nidra why`
#[derive(Debug, Args)]
pub struct WhyArgs {
    /// The entry: its identifier or the first characters of it, `FILE:LINE`, or some of its words.
    #[arg(required = true)]
    pub entry: Vec<String>,
}

/// `nidra recall`
#[derive(Debug, Args)]
pub struct RecallArgs {
    /// The question, or some words.
    #[arg(required_unless_present = "batch")]
    pub question: Vec<String>,
    /// Search every past turn of the project's sessions as well.
    #[arg(long, short)]
    pub sessions: bool,
    /// Search the sessions of all projects.
    #[arg(long, requires = "sessions", conflicts_with = "project")]
    pub all_projects: bool,
    /// Read questions from standard input, one JSON object with `id` and `q` a line, and answer one a line.
    #[arg(long, conflicts_with = "question")]
    pub batch: bool,
    /// Give at most this many hits.
    #[arg(long, short = 'n', default_value_t = 10, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..=200))]
    pub limit: u16,
    /// Only what was said from this day or time on (`2026-11-01`, `last monday`, `上周一`).
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Only what was said before this day or time.
    #[arg(long, value_name = "TIME")]
    pub until: Option<String>,
}

/// `nidra entries`
#[derive(Debug, Args)]
pub struct EntriesArgs {
    /// Print one JSON object a line.
    #[arg(long)]
    pub json_lines: bool,
    /// List the archived entries as well.
    #[arg(long)]
    pub archived: bool,
}

/// `nidra adopt`
#[derive(Debug, Args)]
pub struct AdoptArgs {
    /// Where the project was; the memories that could be brought over are listed when left out.
    #[arg(value_name = "PATH")]
    pub path: Option<PathBuf>,
}

/// `nidra sessions`
#[derive(Debug, Args)]
pub struct SessionsArgs {
    /// Try sessions again that could not be read or judged: this one, or all of them.
    #[arg(long, value_name = "SESSION", num_args = 0..=1, default_missing_value = "")]
    pub retry: Option<String>,
}

/// `nidra check`
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Make a plan of what can be mended without loss, for you to review and apply.
    #[arg(long)]
    pub fix: bool,
    /// Hold what memory says against the checkout: paths, names, scripts, versions, ports, keys, branches, tools.
    #[arg(long, conflicts_with = "fix")]
    pub drift: bool,
}

/// `nidra config`
#[derive(Debug, Args)]
pub struct ConfigArgs {
    /// The setting, such as `dream.min_hours`; all of them when left out.
    pub key: Option<String>,
    /// The new value, written to the user's settings file.
    pub value: Option<String>,
}

/// `nidra hook`
#[derive(Debug, Args)]
pub struct HookArgs {
    /// The agent that calls.
    pub agent: String,
}
