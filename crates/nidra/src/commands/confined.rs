//! `nidra confined`: what holds an agent's program. It is started by `nidra dream --engine agent` and by nobody else.

use crate::cli::ConfinedArgs;
use crate::error::CliError;
use crate::printer::Printer;
use nidra_agent::command::{ConfineError, Confinement, NOT_STARTED, enter, supervise};
use std::path::Path;
use std::process::ExitCode;

/// `nidra confined SPEC`: starts the agent, waits for it, and ends what is left of it. `--enter` becomes the agent.
pub fn run(args: &ConfinedArgs) -> Result<ExitCode, CliError> {
    let confinement = read(&args.spec)?;
    if args.enter {
        return Ok(not_started(&enter(&confinement)));
    }
    let own = std::env::current_exe()
        .map_err(|error| CliError::failed("cannot find the program that this is", error))?;
    Ok(match supervise(&own, &args.spec, &confinement) {
        Ok(code) => ExitCode::from(u8::try_from(code).unwrap_or(u8::MAX)),
        Err(error) => not_started(&error),
    })
}

/// Says why, and ends with the code by which whoever waits knows that no agent ran.
fn not_started(error: &ConfineError) -> ExitCode {
    Printer { json: false, quiet: false }.warn(&error.to_string());
    ExitCode::from(u8::try_from(NOT_STARTED).unwrap_or(u8::MAX))
}

fn read(spec: &Path) -> Result<Confinement, CliError> {
    let bytes = std::fs::read(spec)
        .map_err(|error| CliError::failed(format!("cannot read {}", spec.display()), error))?;
    serde_json::from_slice(&bytes)
        .map_err(|error| CliError::usage(format!("{} says no confinement: {error}", spec.display())))
}
