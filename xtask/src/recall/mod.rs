//! How well and how fast recall finds.
//!
//! `quality` asks the questions of public conversations and compares the records that come back with the evidence
//! that the sets name; no judge is needed. `kept` dreams over the same conversations and counts the evidence that stands
//! behind what memory keeps. `speed` compares with the two tools that everybody has: a full-text table
//! of SQLite, and a search through the files themselves.

mod kept;
mod quality;
mod speed;

use crate::{command, workspace::Workspace};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Where the conversations lie when the command line does not say.
const FOLDER: &str = "NIDRA_RECALL_DATA";

/// What is measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Recall {
    /// The public sets below a folder.
    Quality(Option<PathBuf>),
    /// Time and space on this many turns.
    Speed(u32),
}

/// Measures and prints a table; returns whether everything could be measured.
pub(crate) fn run(workspace: &Workspace, what: &Recall) -> Result<bool> {
    let build = ["build", "--locked", "--quiet", "--release", "--package", "nidra", "--bin", "nidra"];
    command::run(command::cargo(workspace.root()).args(build))?;
    let nidra = workspace.release_program("nidra");
    match what {
        Recall::Speed(turns) => speed::run(&nidra, *turns),
        Recall::Quality(folder) => {
            let Some(folder) = folder.clone().or_else(|| env::var_os(FOLDER).map(PathBuf::from)) else {
                bail!(
                    "name the folder of the conversations, or set {FOLDER}; docs/benchmarks.md says what it holds"
                )
            };
            quality::run(&nidra, &folder)
        }
    }
}

/// A call of nidra in the checkout of a public conversation, at the moment of asking, with that conversation's sessions and
/// a state of its own.
fn inside(nidra: &Path, conversation: &Path, state: &Path, words: &[&str]) -> Result<Command> {
    let checkout = fs::read_dir(conversation.join("work"))?.flatten().next().context("no checkout")?.path();
    let now = fs::read_to_string(conversation.join("now"))?;
    let mut call = Command::new(nidra);
    call.args(words)
        .args(["--as-of", now.trim()])
        .current_dir(checkout)
        .env_clear()
        .env("HOME", conversation.join("home").canonicalize()?)
        .env("NIDRA_HOME", state)
        .env("TZ", "UTC");
    Ok(call)
}
