//! The command line as the user types it: plain values, no side effects.

mod memory;
mod runs;
mod upkeep;
mod working;

pub use memory::*;
pub use runs::*;
pub use upkeep::*;
pub use working::*;

use clap::{Args, Parser, Subcommand};
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

/// What nidra can do. Arguments are set up for the command that is called alone: for all, it would take longer than
/// most commands do.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
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
    /// Forget entries of memory and keep them away; shows what would go until --yes is given.
    Forget(ForgetArgs),
    /// Remember something in your own words.
    Remember(RememberArgs),
    /// Pin a topic, so that nothing but you changes it.
    Pin(PinArgs),
    /// Take the pin out of a topic.
    Unpin(PinArgs),
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

#[cfg(test)]
mod tests {
    use super::Cli;
    use clap::{CommandFactory as _, Parser as _};

    #[test]
    fn the_whole_command_line_is_well_formed() {
        // Also what is set up only when it is called.
        Cli::command().debug_assert();
    }

    #[test]
    fn a_frequent_command_is_read_as_the_whole_command_line_reads_it() {
        for line in [
            "task list --all -n 3 --json",
            "--quiet task update a --decide x --reason y",
            "topic switch 登录 --project /w",
            "heartbeat --no-round --as-of 2026-12-01T00:00:00Z",
            "tokens --model gpt-4o a b",
            "decisions which port --all",
            "fragmentation",
            "density -n 2",
        ] {
            let words = || std::iter::once("nidra").chain(line.split(' '));
            let frequent = super::frequent(words().map(std::ffi::OsString::from));
            let whole = Cli::try_parse_from(words()).unwrap();
            assert_eq!(format!("{:?}", frequent.unwrap()), format!("{whole:?}"), "{line}");
        }
        for line in
            ["task", "task --help", "help task", "status", "tusk list", "--version", "task list --al", ""]
        {
            let words = std::iter::once("nidra").chain(line.split_whitespace());
            assert!(super::frequent(words.map(std::ffi::OsString::from)).is_none(), "{line}");
        }
    }
}
