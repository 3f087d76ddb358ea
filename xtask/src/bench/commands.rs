//! What the commands of working memory cost while the database holds a year of work: an agent calls them between two
//! steps, so they must answer like any small program.

use super::{Measure, in_turn, prepared, time};
use crate::{command, workspace::Workspace};
use anyhow::{Context, Result};
use std::{fs, process::Command};

/// Pairs of runs in a round, one of each program in turn.
const PAIRS: usize = 40;
/// Rounds; the lowest ratio counts, since only disturbance makes a round worse.
const ROUNDS: usize = 5;
/// A command answers in at most this many times the time of a program that does nothing.
pub(crate) const AIM: f64 = 3.0;
/// What a command that looks must not pass: a busy machine adds to both in other proportions.
const LOOK: f64 = 4.5;
/// The same for one that changes something, or finds changes in the log of the database.
const CHANGE: f64 = 5.0;
/// The same for the heartbeat, which leaves files for others besides.
const BEAT: f64 = 6.0;

/// The commands, first those that only look, then those that change something, then looking with those changes in the
/// log of the database. `#` is the number of the run.
const COMMANDS: [(&str, f64, &[&str]); 14] = [
    ("tokens", LOOK, &["tokens", "README.md"]),
    ("task list", LOOK, &["task", "list"]),
    ("task show", LOOK, &["task", "show", "task-333"]),
    ("topic list", LOOK, &["topic", "list"]),
    ("decisions", LOOK, &["decisions"]),
    ("snapshot list", LOOK, &["snapshot", "list"]),
    ("fragmentation", LOOK, &["fragmentation"]),
    ("check --now", LOOK, &["check", "--now"]),
    ("task register", CHANGE, &["task", "register", "run-#", "what is to be reached", "the next step"]),
    ("task update", CHANGE, &["task", "update", "task-0", "--note", "what was found, run #"]),
    ("topic switch", CHANGE, &["topic", "switch", "topic-#"]),
    ("heartbeat", BEAT, &["heartbeat"]),
    ("fragmentation after changes", CHANGE, &["fragmentation"]),
    ("task show after changes", CHANGE, &["task", "show", "task-333"]),
];

/// Measures each command beside an empty program.
pub(crate) fn measure(workspace: &Workspace) -> Result<Vec<Measure>> {
    let folder = tempfile::tempdir().context("a temporary directory")?;
    let folder = folder.path();
    let nidra = workspace.release_program("nidra");
    let status = command::output(prepared(&nidra, folder, folder).args(["status", "--json"]))?;
    let status: serde_json::Value = serde_json::from_str(&status)?;
    let project = status["project_id"].as_str().context("the project's name")?;
    let year_of_work = workspace.release_program("examples/year_of_work");
    command::run(Command::new(year_of_work).arg(folder.join("state")).arg(project))?;
    fs::write(folder.join("README.md"), "A short text.\n")?;
    let empty = workspace.release_program("examples/empty");
    let mut number = 0;
    let mut measures = Vec::new();
    for (name, limit, arguments) in COMMANDS {
        let own = || {
            number += 1;
            let words = arguments.iter().map(|word| word.replace('#', &number.to_string()));
            time(prepared(&nidra, folder, folder).args(words))
        };
        let base = || time(&mut prepared(&empty, folder, folder));
        let (own, base) = in_turn(ROUNDS, PAIRS, own, base)?;
        measures.push(Measure::ratio(name, limit, (name, own), ("empty", base)));
    }
    Ok(measures)
}
