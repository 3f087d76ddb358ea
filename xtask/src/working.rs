//! The figures of working memory: the error and speed of the token estimate, the density of passages, what compaction leaves
//! answerable, and how fast commands answer when the database holds a year of work.

use crate::{bench, command, workspace::Workspace};
use anyhow::Result;
use std::process::Command;

/// Prints all figures; returns whether all limits hold.
pub(crate) fn run(workspace: &Workspace) -> Result<bool> {
    let root = workspace.root();
    bench::build(workspace)?;
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
    println!("\nSpeed: commands with a year of work, against an empty program; the aim is {}\n", bench::AIM);
    let measures = bench::commands(workspace)?;
    bench::print(&measures);
    Ok(good && measures.iter().all(bench::Measure::holds))
}
