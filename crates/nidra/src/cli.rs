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
    Status(StatusArgs),
    /// Dream now: read new sessions and bring memory up to date.
    Dream(DreamArgs),
    /// Stop the dream that works on this memory.
    Stop(StopArgs),
    /// Show what runs did, one event a line.
    Events(EventsArgs),
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
    /// Show what entries have to do with each other: people, services, files, tickets, links and communities.
    Associations(AssociationsArgs),
    /// Draw a map of memory: a page, Markdown, or lines for the terminal.
    Map(MapArgs),
    /// List the sessions of this project and what became of each.
    Sessions(SessionsArgs),
    /// Write a line into today's log in the memory directory.
    Note(NoteArgs),
    /// Bring over the memory of this project from where it was before a move, or list such memories.
    Adopt(AdoptArgs),
    /// Report what is odd in the memory directory.
    Check(CheckArgs),
    /// Register, move and close tasks.
    Task(TaskArgs),
    /// Note, switch and close topics of the talk.
    Topic(TopicArgs),
    /// Measure how scattered the work is, with what is behind each number.
    Fragmentation(FragmentationArgs),
    /// Age tasks by a round, look whether a rest is due, and leave that for the agent; for a scheduler.
    Heartbeat(HeartbeatArgs),
    /// Take a rest in seven steps: conclude, keep, decide on tasks and topics, and tell the agent.
    Rest(RestArgs),
    /// Estimate the tokens of texts.
    Tokens(TokensArgs),
    /// Show which passages of a session or a text are worth keeping.
    Density(DensityArgs),
    /// Make a session or a text shorter without losing what matters.
    Compact(CompactArgs),
    /// List decisions with reason, alternatives, source, and what took their place.
    Decisions(DecisionsArgs),
    /// List, compare and put back snapshots of memory.
    Snapshot(SnapshotArgs),
    /// Look for what keeps nidra from working, and say what to do.
    Doctor(DoctorArgs),
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
    /// What holds an agent's program; started by nidra alone.
    #[command(hide = true)]
    Confined(ConfinedArgs),
}

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
    /// Show at most this many events of the past.
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

/// `nidra note`
#[derive(Debug, Args)]
pub struct NoteArgs {
    /// The words.
    #[arg(required = true)]
    pub words: Vec<String>,
    /// An agent writes it, not you.
    #[arg(long)]
    pub agent: bool,
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

/// `nidra associations`
#[derive(Debug, Args)]
pub struct AssociationsArgs {
    /// An entry, by its identifier, as `FILE:LINE` or by some of its words, or a thing that entries name; all when left
    /// out.
    pub about: Vec<String>,
    /// Look across the memories of all projects.
    #[arg(long, conflicts_with = "project")]
    pub all_projects: bool,
    /// Show at most this many links and things.
    #[arg(long, short = 'n', default_value_t = 20, value_name = "COUNT")]
    pub limit: usize,
}

/// `nidra map`
#[derive(Debug, Args)]
pub struct MapArgs {
    /// Write the map to this file: a page, or by its name Markdown (`.md`) or JSON (`.json`).
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Give Markdown instead of a page or lines for the terminal.
    #[arg(long)]
    pub markdown: bool,
    /// Draw the memories of all projects on one map.
    #[arg(long, conflicts_with = "project")]
    pub all_projects: bool,
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
    /// Answer from the newest session whether a rest would do good.
    #[arg(long, conflicts_with_all = ["fix", "drift"])]
    pub now: bool,
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
}

/// `nidra snapshot`
#[derive(Debug, Args)]
pub struct SnapshotArgs {
    /// What to do.
    #[command(subcommand)]
    pub verb: SnapshotVerb,
}

/// What can be done with snapshots. One is named by the first characters of its name, by its moment in UTC
/// (`2026-11-30`), by the run that took it, or as `last`.
#[derive(Debug, Subcommand)]
pub enum SnapshotVerb {
    /// Take a snapshot now.
    Take,
    /// List the snapshots, the newest first.
    List,
    /// List the files of a snapshot, or print one.
    Show {
        /// The snapshot.
        #[arg(default_value = "last")]
        snapshot: String,
        /// The file to print.
        file: Option<String>,
    },
    /// Show what changed since a snapshot, or between two.
    Diff {
        /// The snapshot.
        #[arg(default_value = "last")]
        snapshot: String,
        /// A later one; memory as it is when left out.
        other: Option<String>,
    },
    /// Put a snapshot back, whole or one file of it; `nidra undo` takes that back.
    Restore {
        /// The snapshot.
        snapshot: String,
        /// The file to put back; all when left out.
        #[arg(long, value_name = "PATH")]
        file: Option<String>,
        /// Show what would change and change nothing.
        #[arg(long)]
        dry_run: bool,
    },
    /// Read snapshots back and compare every byte with its name.
    Verify {
        /// The snapshot; all when left out.
        snapshot: Option<String>,
    },
    /// Drop snapshots that are older than `working.snapshot_days`; never the last good one.
    Prune,
}

/// `nidra doctor`
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Also ask the model one small question; it costs a few tokens. A model on this machine is asked in any case when
    /// dreams use it.
    #[arg(long)]
    pub ask: bool,
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
