//! `nidra pin` and `nidra unpin`: the marker of the memory files by which a topic stays as it is.

use crate::cli::PinArgs;
use crate::commands::undo::lease_to_change;
use crate::commands::{note, print_json, why};
use crate::context::Context;
use crate::error::{CliError, ErrorKind};
use nidra_core::text::wording::counted_entries;
use nidra_dream::hand::pin::{Pinning, PinningError, pin};
use nidra_memory::pin::Pin;
use std::process::ExitCode;

/// `nidra pin`, `nidra unpin`
pub fn run(context: &Context, args: &PinArgs, wanted: Pin) -> Result<ExitCode, CliError> {
    context.demand_on()?;
    let verb = if wanted == Pin::Set { "pin" } else { "unpin" };
    note::refuse_agent(context, verb)?;
    let asked = args.topic.join(" ");
    let mut store = context.store()?;
    let lease = lease_to_change(context, &mut store, verb)?;
    context.know_project(&mut store)?;
    let request = Pinning {
        project: &context.project,
        memory_root: &context.memory,
        now: &context.now,
        asked: &asked,
        pin: wanted,
    };
    let done = pin(&request, &mut store, &lease).map_err(|error| failure(context, error))?;
    if let Some(path) = done.report.conflicts.first() {
        return Err(CliError::new(ErrorKind::Refused, format!("{path} changed meanwhile; its text won")));
    }
    if context.printer.json {
        let pinned = wanted == Pin::Set;
        print_json(
            context,
            &serde_json::json!({
                "topic": done.topic, "pinned": pinned, "entries": done.entries, "run": done.report.run,
                "changed": done.report.run.is_some(),
            }),
        )?;
        return Ok(ExitCode::SUCCESS);
    }
    let entries = counted_entries(done.entries);
    let printer = context.printer;
    match (wanted, &done.report.run) {
        (Pin::Set, None) => printer.say(&format!("{} is pinned already.", done.topic)),
        (Pin::TakenOut, None) => printer.say(&format!("{} is not pinned.", done.topic)),
        (Pin::Set, Some(run)) => {
            printer.data(&format!("pinned {} ({entries})", done.topic));
            printer.say(&format!(
                "No dream changes it until `nidra unpin {}`. `nidra undo {run}` takes this back.",
                done.topic
            ));
        }
        (Pin::TakenOut, Some(run)) => {
            printer.data(&format!("unpinned {} ({entries})", done.topic));
            printer.say(&format!("Dreams may change it again. `nidra undo {run}` takes this back."));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn failure(context: &Context, error: PinningError) -> CliError {
    match error {
        PinningError::Several { asked, several } => why::ambiguous(&asked, &several),
        PinningError::None { asked, nearest } => why::unknown(context, &asked, &nearest),
        PinningError::Pin(error) => CliError::new(ErrorKind::Refused, error.to_string()),
        error => {
            CliError::failed(format!("nothing was changed; {} is as it was", context.memory.display()), error)
        }
    }
}
