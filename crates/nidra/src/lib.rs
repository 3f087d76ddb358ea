//! The command layer of nidra: command line, hooks, settings, environment, the client's settings file.
//!
//! It is a library so that its parts can be tested; whoever wants the dream engine uses `nidra-dream`.

pub mod cli;
pub mod client;
pub mod commands;
pub mod config;
pub mod context;
pub mod detach;
pub mod disclosure;
pub mod error;
pub mod event_log;
pub mod event_stream;
pub mod interrupt;
pub mod narrator;
pub mod printer;
pub mod render;
pub mod sample;
pub mod spool;

use clap::Parser as _;
use cli::Cli;
use error::CliError;
use printer::Printer;
use std::process::ExitCode;

/// Runs the program: reads the command line, does what it says, and turns an error into words and an exit code.
pub fn main() -> ExitCode {
    interrupt::survive_file_limit();
    // Hooks return in milliseconds, so they do not even pay for the command line parser.
    if let Some(agent) = commands::hook::requested(std::env::args_os()) {
        return commands::hook::run(&agent);
    }
    let cli = cli::frequent(std::env::args_os()).unwrap_or_else(Cli::parse);
    let printer = Printer { json: cli.global.json, quiet: cli.global.quiet };
    match commands::run(cli) {
        Ok(code) => code,
        Err(error) => {
            report(printer, &error);
            ExitCode::from(error.kind.exit_code())
        }
    }
}

fn report(printer: Printer, error: &CliError) {
    if printer.json && printer.json(&error.to_json()).is_ok() {
        return;
    }
    printer.warn(&error.render());
}
