//! Tasks of the workspace, as `cargo xtask TASK`: what a script would do, in the language of the project.
//!
//! Nothing here is part of the product, and no task leaves anything outside the target directory.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a task's words are its output")]

mod arguments;
mod bench;
mod clients;
mod command;
mod guarantees;
mod prerequisites;
mod recall;
mod report;
mod test;
mod tidy;
mod working;
mod workspace;

use anyhow::Result;
use arguments::{Arguments, Task};
use std::{env, process::ExitCode};
use workspace::Workspace;

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the task that the command line names; `false` means that a check failed and said so.
fn run() -> Result<bool> {
    let arguments = Arguments::parse(env::args().skip(1))?;
    let workspace = Workspace::find()?;
    match arguments.task.clone() {
        Task::Test => Ok(test::all(&workspace, &arguments)),
        Task::Lint => Ok(test::lint(&workspace)),
        Task::Tidy => tidy::run(&workspace),
        Task::Bench => bench::run(&workspace, arguments.size()),
        Task::Working => working::run(&workspace),
        Task::Recall(what) => recall::run(&workspace, &what),
        Task::Guarantees => guarantees::run(&workspace),
        Task::Clients => clients::fetch_all(&workspace).map(|()| true),
        Task::Browser => prerequisites::for_browser().map(|()| true),
        Task::Help => {
            println!("{}", arguments::USAGE);
            Ok(true)
        }
    }
}
