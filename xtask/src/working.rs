//! The figures of working memory: the error and speed of the token estimate, the density of passages, what compaction leaves
//! answerable, and how fast commands answer when the database holds a year of work.

use crate::{command, workspace::Workspace};
use anyhow::{Context, Result, ensure};
use std::{
    env,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

/// Runs of each program; medians count, so a disturbance of some runs is none of the figure.
const RUNS: usize = 40;

/// A command answers in at most this many times the time of a program that does nothing.
const LIMIT: f64 = 3.0;

/// The commands that are timed.
const COMMANDS: [&[&str]; 6] = [
    &["task", "list"],
    &["task", "update", "task-0", "--note", "x"],
    &["topic", "list"],
    &["fragmentation"],
    &["heartbeat"],
    &["tokens", "README.md"],
];

/// Prints all figures; returns whether all limits hold.
pub(crate) fn run(workspace: &Workspace) -> Result<bool> {
    let root = workspace.root();
    let build = |arguments: &[&str]| {
        command::run(command::cargo(root).args(["build", "--locked", "--quiet", "--release"]).args(arguments))
    };
    build(&["--package", "nidra", "--bin", "nidra", "--example", "empty"])?;
    build(&["--package", "nidra-core", "--example", "tokens"])?;
    build(&["--package", "nidra-rules", "--example", "density"])?;
    build(&["--package", "nidra-memory", "--example", "year_of_work"])?;
    let mut good = true;
    let mut section = |title: &str, program: &str, arguments: &[&str]| -> Result<()> {
        println!("\n{title}\n");
        let mut command = Command::new(workspace.release_program(program));
        good &= command::run_watched(command.current_dir(root).args(arguments), |_| {})?;
        Ok(())
    };
    section(
        "Tokens: estimate against real tokenizers",
        "examples/tokens",
        &["evaluation", "docs", "crates"],
    )?;
    section("Density: turns worth keeping against the others", "examples/density", &["evaluation/held"])?;
    section(
        "Compaction: facts that can still be answered",
        "nidra",
        &["compact", "--check", "evaluation/held"],
    )?;
    println!("\nSpeed: commands with a year of work, against an empty program\n");
    good &= speed(workspace)?;
    Ok(good)
}

fn speed(workspace: &Workspace) -> Result<bool> {
    let folder = tempfile::tempdir().context("a temporary directory")?;
    let nidra = workspace.release_program("nidra");
    let status = command::output(prepared(&nidra, folder.path()).args(["status", "--json"]))?;
    let status: serde_json::Value = serde_json::from_str(&status)?;
    let project = status["project_id"].as_str().context("the project's name")?;
    command::run(
        Command::new(workspace.release_program("examples/year_of_work"))
            .arg(folder.path().join("state"))
            .arg(project),
    )?;
    std::fs::write(folder.path().join("README.md"), "A short text.\n")?;
    let mut good = true;
    for arguments in COMMANDS {
        let (mut own, mut empty) = (Vec::new(), Vec::new());
        for _ in 0..RUNS {
            own.push(time(prepared(&nidra, folder.path()).args(arguments))?);
            empty.push(time(&mut prepared(&workspace.release_program("examples/empty"), folder.path()))?);
        }
        let (own, empty) = (median(&mut own), median(&mut empty));
        let ratio = own.as_secs_f64() / empty.as_secs_f64().max(f64::MIN_POSITIVE);
        let verdict = if ratio <= LIMIT { "ok    " } else { "FAILED" };
        good &= ratio <= LIMIT;
        println!(
            "{verdict}  {:<36} {ratio:.2} ({own:.2?} / {empty:.2?}), {LIMIT} at most",
            arguments.join(" ")
        );
    }
    Ok(good)
}

fn prepared(program: &Path, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .current_dir(folder)
        .env_clear()
        .env("PATH", env::var_os("PATH").unwrap_or_default())
        .env("HOME", folder)
        .env("NIDRA_HOME", folder.join("state"))
        .stdin(Stdio::null());
    command
}

fn time(command: &mut Command) -> Result<Duration> {
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let started = Instant::now();
    let status = command.status().context("the program can be started")?;
    let elapsed = started.elapsed();
    ensure!(status.success(), "a timed program ended with {status}");
    Ok(elapsed)
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
