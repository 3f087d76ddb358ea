//! The arguments of the commands for working memory.

use super::{Cli, Command, Global};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;

/// The command line with these commands alone. They are called between two steps of an agent, and to set up all other
/// commands takes longer than most of them do.
#[derive(Debug, Parser)]
#[command(name = "nidra")]
struct Between {
    #[command(subcommand)]
    command: Frequent,
    #[command(flatten)]
    global: Global,
}

#[derive(Debug, Subcommand)]
#[command(defer = true)]
enum Frequent {
    Task(TaskArgs),
    Topic(TopicArgs),
    Fragmentation(FragmentationArgs),
    Heartbeat(HeartbeatArgs),
    Tokens(TokensArgs),
    Density(DensityArgs),
    Decisions(DecisionsArgs),
}

/// Reads the command line if it is a call of one of these commands, and nothing is to be said about it: help and
/// mistakes are matters of the whole command line.
pub fn frequent(arguments: impl Iterator<Item = OsString>) -> Option<Cli> {
    let Between { command, global } = Between::try_parse_from(arguments).ok()?;
    let command = match command {
        Frequent::Task(args) => Command::Task(args),
        Frequent::Topic(args) => Command::Topic(args),
        Frequent::Fragmentation(args) => Command::Fragmentation(args),
        Frequent::Heartbeat(args) => Command::Heartbeat(args),
        Frequent::Tokens(args) => Command::Tokens(args),
        Frequent::Density(args) => Command::Density(args),
        Frequent::Decisions(args) => Command::Decisions(args),
    };
    Some(Cli { command, global })
}

/// `nidra task`
#[derive(Debug, Args)]
pub struct TaskArgs {
    /// What to do.
    #[command(subcommand)]
    pub verb: TaskVerb,
}

/// What can be done with tasks.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum TaskVerb {
    /// Register a task under a name of your own.
    Register {
        /// Its name.
        id: String,
        /// What it is for.
        goal: String,
        /// What is to be done next.
        next_step: String,
    },
    /// Change a task.
    Update(TaskUpdateArgs),
    /// Close a task.
    Close {
        /// Its name.
        id: String,
        /// What came of it.
        outcome: Option<String>,
    },
    /// Open a closed task again.
    Reopen {
        /// Its name.
        id: String,
    },
    /// Make all open tasks a round older.
    Stale,
    /// List the open tasks.
    List(TaskListArgs),
    /// Show a task with all that happened to it.
    Show {
        /// Its name.
        id: String,
    },
}

/// `nidra task update`
#[derive(Debug, Args)]
pub struct TaskUpdateArgs {
    /// Its name.
    pub id: String,
    /// The next step is done; the words are the one after it.
    #[arg(long, value_name = "NEXT", num_args = 0..=1)]
    pub advance: Option<Option<String>>,
    /// A decision is taken, the oldest open one if no other is named; the words are what was chosen.
    #[arg(long, value_name = "CHOICE", num_args = 0..=1)]
    pub decide: Option<Option<String>>,
    /// The number of the decision that is taken.
    #[arg(long, value_name = "NUMBER", requires = "decide")]
    pub decision: Option<u32>,
    /// Why it was chosen.
    #[arg(long, requires = "decide")]
    pub reason: Option<String>,
    /// What else there was to choose; may be given several times.
    #[arg(long, value_name = "OTHER", requires = "decide")]
    pub alternative: Vec<String>,
    /// Something has to be decided.
    #[arg(long, value_name = "QUESTION")]
    pub ask: Option<String>,
    /// Something to remember with the task.
    #[arg(long)]
    pub note: Option<String>,
    /// Another goal.
    #[arg(long)]
    pub goal: Option<String>,
    /// An entry of memory that the task has to do with; may be given several times.
    #[arg(long, value_name = "ENTRY")]
    pub link: Vec<String>,
    /// An entry that it has nothing to do with after all.
    #[arg(long, value_name = "ENTRY")]
    pub unlink: Vec<String>,
}

/// `nidra task list`
#[derive(Debug, Args)]
pub struct TaskListArgs {
    /// List closed tasks as well.
    #[arg(long, conflicts_with = "closed")]
    pub all: bool,
    /// List the closed tasks alone.
    #[arg(long)]
    pub closed: bool,
    /// List what the newest session suggests: goals, next steps, and decisions that were asked for and not taken.
    #[arg(long, conflicts_with_all = ["all", "closed"])]
    pub suggested: bool,
    /// Show at most so many; 0 is all. By default 20, and all with --json.
    #[arg(long, short = 'n', value_name = "COUNT", conflicts_with = "suggested")]
    pub limit: Option<usize>,
}

/// `nidra topic`
#[derive(Debug, Args)]
pub struct TopicArgs {
    /// What to do.
    #[command(subcommand)]
    pub verb: TopicVerb,
}

/// What can be done with topics.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum TopicVerb {
    /// Note a topic: it becomes active when none is, else it waits.
    Mark {
        /// Its name.
        name: String,
    },
    /// Go over to a topic; the one that was active is paused.
    Switch {
        /// Its name.
        name: String,
    },
    /// A topic is done: this one, or the active one.
    Done {
        /// Its name.
        name: Option<String>,
    },
    /// Put a topic aside: this one, or the active one.
    Pause {
        /// Its name.
        name: Option<String>,
    },
    /// List the topics that are not done.
    List {
        /// List those that are done as well.
        #[arg(long)]
        all: bool,
        /// Show at most so many; 0 is all. By default 20, and all with --json.
        #[arg(long, short = 'n', value_name = "COUNT")]
        limit: Option<usize>,
    },
}

/// `nidra fragmentation`
#[derive(Debug, Args)]
pub struct FragmentationArgs {
    /// Take this as the tokens in use, instead of what the newest session says.
    #[arg(long, value_name = "NUMBER")]
    pub tokens: Option<u64>,
}

/// `nidra heartbeat`
#[derive(Debug, Args)]
pub struct HeartbeatArgs {
    /// Look only: tasks do not become older.
    #[arg(long)]
    pub no_round: bool,
    /// Take this as the tokens in use, instead of what the newest session says.
    #[arg(long, value_name = "NUMBER")]
    pub tokens: Option<u64>,
    /// Put a soft trigger off for so many hours; 0 takes that back. A hard trigger cannot be put off.
    #[arg(long, value_name = "HOURS", value_parser = clap::value_parser!(u32).range(0..=720))]
    pub put_off: Option<u32>,
}

/// `nidra rest`
#[derive(Debug, Args)]
pub struct RestArgs {
    /// The transcript to conclude from; by default the newest session.
    #[arg(long, value_name = "FILE")]
    pub session: Option<PathBuf>,
    /// Take back what the last rest did to tasks and topics; memory has `nidra undo`.
    #[arg(long, conflicts_with = "session")]
    pub undo: bool,
}

/// `nidra tokens`
#[derive(Debug, Args)]
pub struct TokensArgs {
    /// Files; `-` or nothing is standard input.
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The model or family of tokenizers; by default that of `working.tokenizer`.
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
}

/// `nidra density`
#[derive(Debug, Args)]
pub struct DensityArgs {
    /// A transcript (`.jsonl`) or a text, of which each paragraph is a passage; by default the newest session.
    pub file: Option<PathBuf>,
    /// Show at most this many passages, the best first.
    #[arg(long, short = 'n', default_value_t = 20, value_name = "COUNT")]
    pub limit: usize,
}

/// How much `nidra compact` leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CompactLevel {
    /// Drop what is repeated, superseded or bulky; no word of a person or the agent is touched.
    Micro,
    /// Keep every record and shorten the words, to a quarter.
    Session,
    /// Leave a digest and the last turns, a twelfth.
    Deep,
}

/// `nidra compact`
#[derive(Debug, Args)]
pub struct CompactArgs {
    /// A transcript or a text, `-` for standard input; by default the newest session.
    pub file: Option<PathBuf>,
    /// How much is left.
    #[arg(long, value_enum, default_value = "micro")]
    pub level: CompactLevel,
    /// Write the result to this file instead of standard output.
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Compact scenarios (files or folders) of which it is known what matters, and say how much of that is left.
    #[arg(long, value_name = "SCENARIO", num_args = 1.., conflicts_with_all = ["file", "output"])]
    pub check: Vec<PathBuf>,
}

/// `nidra decisions`
#[derive(Debug, Args)]
pub struct DecisionsArgs {
    /// Words that the decision is about.
    pub about: Vec<String>,
    /// List those that hold no more as well.
    #[arg(long)]
    pub all: bool,
    /// Show at most so many, the newest first; 0 is all. By default 20, and all with --json or words.
    #[arg(long, short = 'n', value_name = "COUNT")]
    pub limit: Option<usize>,
}
