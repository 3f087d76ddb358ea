//! The commands, one module each. A command resolves its context, calls the libraries, and prints what they return.

pub mod adopt;
pub mod agent;
pub mod apply;
pub mod associations;
pub mod check;
pub mod checklist;
pub mod compact;
pub mod config;
pub mod confined;
pub mod decisions;
pub mod density;
pub mod doctor;
pub mod dream;
pub mod drift;
pub mod entries;
pub mod events;
pub mod forget;
pub mod fragmentation;
pub mod heartbeat;
pub mod hook;
pub mod init;
pub mod ledger;
mod live;
pub mod map;
mod metrics;
pub mod model;
mod model_ledger;
pub mod note;
#[cfg(feature = "otlp")]
pub mod otlp;
pub mod pin;
pub mod recall;
pub mod remember;
pub mod rest;
pub mod review;
pub mod runs;
pub mod sessions;
pub mod snapshot;
pub mod status;
pub mod stop;
pub mod task;
pub mod tokens;
pub mod topic;
pub mod try_samples;
pub mod undo;
mod unready;
pub mod why;
mod why_json;
mod working;

use crate::cli::{Cli, Command};
use crate::config::Environment;
use crate::context::Context;
use crate::error::CliError;
use clap::CommandFactory as _;
use nidra_memory::pin::Pin;
use std::process::ExitCode;

/// Does what the command line says.
pub fn run(cli: Cli) -> Result<ExitCode, CliError> {
    let environment = Environment::from_process();
    if !matches!(cli.command, Command::Hook(_) | Command::Confined(_)) {
        warn_of_strangers(&cli.global, &environment);
    }
    // These commands say themselves, or refuse, when the settings of the checkout cannot be used.
    let resolved = |environment| Context::resolve(&cli.global, environment);
    // The others answer as if that file were not there, which its owner should know.
    let context = |environment| resolved(environment).inspect(Context::warn_of_settings);
    match cli.command {
        Command::Try(args) => try_samples::run(&cli.global, &environment, &args),
        Command::Init(args) => init::install(&cli.global, &environment, &args),
        Command::Uninstall(args) => init::uninstall(&cli.global, &environment, &args),
        Command::Status(args) => status::run(&resolved(environment)?, &args),
        Command::Stop(args) => stop::run(&context(environment)?, &args),
        Command::Events(args) => events::run(&context(environment)?, &args),
        Command::Dream(args) => dream::run(&cli.global, environment, &args),
        Command::Plan(args) => dream::plan(&context(environment)?, &args),
        Command::Apply(args) => apply::run(&context(environment)?, &args),
        Command::Review(args) => review::run(&context(environment)?, &args),
        Command::Log(args) => runs::log(&context(environment)?, &args),
        Command::Show(args) => runs::show(&context(environment)?, &args),
        Command::Diff(args) => runs::diff(&context(environment)?, &args),
        Command::Undo(args) => undo::run(&resolved(environment)?, &args),
        Command::Ledger(args) => ledger::run(&context(environment)?, &args),
        Command::Why(args) => why::run(&context(environment)?, &args),
        Command::Recall(args) => recall::run(&context(environment)?, &args),
        Command::Entries(args) => entries::run(&context(environment)?, &args),
        Command::Forget(args) => forget::run(&context(environment)?, &args),
        Command::Pin(args) => pin::run(&context(environment)?, &args, Pin::Set),
        Command::Unpin(args) => pin::run(&context(environment)?, &args, Pin::TakenOut),
        Command::Remember(args) => remember::run(&context(environment)?, &args),
        Command::Associations(args) => associations::run(&context(environment)?, &args),
        Command::Map(args) => map::run(&context(environment)?, &args),
        Command::Sessions(args) => sessions::run(&context(environment)?, &args),
        Command::Note(args) => note::run(&resolved(environment)?, &args),
        Command::Adopt(args) => adopt::run(&context(environment)?, &args),
        Command::Check(args) => check::run(&context(environment)?, &args),
        Command::Doctor(args) => doctor::run(&cli.global, environment, &args),
        Command::Task(args) => task::run(&resolved(environment)?, &args),
        Command::Topic(args) => topic::run(&resolved(environment)?, &args),
        Command::Fragmentation(args) => fragmentation::run(&context(environment)?, &args),
        Command::Heartbeat(args) => heartbeat::run(&resolved(environment)?, &args),
        Command::Compact(args) => compact::run(&context(environment)?, &args),
        Command::Density(args) => density::run(&context(environment)?, &args),
        Command::Decisions(args) => decisions::run(&context(environment)?, &args),
        Command::Snapshot(args) => snapshot::run(&resolved(environment)?, &args),
        Command::Rest(args) => rest::run(&resolved(environment)?, &args),
        Command::Tokens(args) => tokens::run(&context(environment)?, &args),
        Command::Config(args) => config::run(&cli.global, &context(environment)?, &args),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "nidra", &mut script);
            Ok(print_bytes(&cli.global, &script))
        }
        Command::Man => {
            let mut page = Vec::new();
            clap_mangen::Man::new(Cli::command())
                .render(&mut page)
                .map_err(|error| CliError::failed("cannot write the manual page", error))?;
            Ok(print_bytes(&cli.global, &page))
        }
        Command::Confined(args) => confined::run(&args),
        Command::Hook(args) => Ok(hook::run(&args.agent)),
    }
}

/// Names the variables that look like nidra's and set nothing: who mistyped `NIDRA_DISABLED` believes that it is off.
fn warn_of_strangers(global: &crate::cli::Global, environment: &Environment) {
    let printer = crate::printer::Printer { json: global.json, quiet: global.quiet };
    for (name, near) in environment.strangers() {
        let near = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
        printer.warn(&format!("warning: nidra knows no variable {name}, it sets nothing{near}"));
    }
}

fn print_bytes(global: &crate::cli::Global, bytes: &[u8]) -> ExitCode {
    let printer = crate::printer::Printer { json: false, quiet: global.quiet };
    printer.data(String::from_utf8_lossy(bytes).trim_end());
    ExitCode::SUCCESS
}

/// Prints a value as JSON.
fn print_json(context: &Context, value: &impl serde::Serialize) -> Result<(), CliError> {
    context.printer.json(value).map_err(|error| CliError::failed("cannot write JSON", error))
}
