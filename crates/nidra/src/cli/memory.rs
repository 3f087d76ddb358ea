//! The arguments of the commands that find, explain, draw, change or check memory.

use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// `nidra why`
#[derive(Debug, Args)]
pub struct WhyArgs {
    /// The entry: its identifier or the first characters of it, `FILE:LINE`, or some of its words.
    #[arg(required = true)]
    pub entry: Vec<String>,
}

/// `nidra forget`
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("which").required(true).multiple(true))]
pub struct ForgetArgs {
    /// The entry: its identifier or the first characters of it, `FILE:LINE`, or some of its words.
    #[arg(group = "which", conflicts_with_all = ["words", "session", "since", "until", "path", "all"])]
    pub entry: Vec<String>,
    /// Entries that say these words, or each of them.
    #[arg(long = "match", value_name = "TEXT", group = "which", id = "words")]
    pub words: Option<String>,
    /// Entries that rest on words of this session; its first characters are enough.
    #[arg(long, value_name = "ID", group = "which")]
    pub session: Option<String>,
    /// Entries that were said at this time or later.
    #[arg(long, value_name = "TIME", group = "which")]
    pub since: Option<String>,
    /// Entries that were said before this time.
    #[arg(long, value_name = "TIME", group = "which")]
    pub until: Option<String>,
    /// Entries in this file of the memory directory, or in those that a pattern names.
    #[arg(long, value_name = "FILE", group = "which")]
    pub path: Option<String>,
    /// All entries of this project's memory.
    #[arg(long, group = "which")]
    pub all: bool,
    /// Remove the words from everything that nidra keeps as well, for good; this cannot be undone.
    #[arg(long)]
    pub purge: bool,
    /// Do it.
    #[arg(long, short)]
    pub yes: bool,
}

/// `nidra remember`
#[derive(Debug, Args)]
pub struct RememberArgs {
    /// The words; `-` reads them from standard input.
    #[arg(required = true)]
    pub words: Vec<String>,
    /// What it is about; told from the words where it is not given.
    #[arg(long = "type", value_name = "TYPE", value_enum)]
    pub kind: Option<KindName>,
    /// The topic where it belongs: its name or its file; a new one is made where there is none.
    #[arg(long, value_name = "TOPIC")]
    pub topic: Option<String>,
    /// An agent says it, not you.
    #[arg(long)]
    pub agent: bool,
}

/// The types of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum KindName {
    /// About you.
    User,
    /// How you want the agent to work.
    Feedback,
    /// About the project.
    Project,
    /// Where things are.
    Reference,
}

/// `nidra pin`, `nidra unpin`
#[derive(Debug, Args)]
pub struct PinArgs {
    /// The topic, by its file or its name, or an entry in it as `nidra why` takes it.
    #[arg(required = true)]
    pub topic: Vec<String>,
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
