//! `nidra heartbeat`: the judge that is not the agent. A scheduler of any kind runs it; it ages tasks, looks whether a
//! rest is due, and leaves that where agent and other programs find it.

use crate::cli::HeartbeatArgs;
use crate::commands::fragmentation::print;
use crate::commands::working::{demand_on, export, state, state_fault};
use crate::commands::{print_json, snapshot};
use crate::context::Context;
use crate::error::{CliError, ErrorKind};
use jiff::SignedDuration;
use nidra_core::error::PathError;
use nidra_memory::atomic::{FileSystem as _, RealFileSystem};
use nidra_working::fragmentation::Trigger;
use nidra_working::heartbeat::{self, Beat};
use std::process::ExitCode;

/// `nidra heartbeat`
pub fn run(context: &Context, args: &HeartbeatArgs) -> Result<ExitCode, CliError> {
    demand_on(context)?;
    let files = RealFileSystem;
    let (project, now) = (&context.project.id, context.now.timestamp());
    let mut store = context.store()?;
    let aged = if args.no_round || args.put_off.is_some() {
        None
    } else {
        Some(store.age_tasks(project, now).map_err(state_fault(context))?)
    };
    let found = state(context, &store, args.tokens)?.found;
    if let Some(hours) = args.put_off {
        if found.trigger == Trigger::Hard && hours > 0 {
            return Err(CliError::new(
                ErrorKind::Refused,
                format!("the rest cannot be put off: {}", found.reasons.join(", ")),
            )
            .hint("`nidra rest` takes it; `working.max_tokens` is the threshold"));
        }
        let until = now.saturating_add(SignedDuration::from_hours(hours.into())).ok().filter(|_| hours > 0);
        heartbeat::put_off(&files, &context.state, project, until).map_err(fault)?;
    }
    let put_off = heartbeat::put_off_until(&files, &context.state, project).map_err(fault)?;
    let beat = Beat { project: &context.project.root, at: now, aged, found: &found, put_off };
    heartbeat::write(&files, &context.state, project, &beat).map_err(fault)?;
    outside(context, &beat)?;
    export(context, &mut store)?;
    // The judgement stands whatever becomes of the snapshot.
    if let Err(error) = snapshot::daily(context, &mut store) {
        context.printer.warn(&error.render());
    }
    if context.printer.json {
        print_json(context, &beat.document())?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(aged) = aged {
        context.printer.say(&format!("Round {}.", aged.round));
    }
    print(context, &found);
    if let Some(until) = put_off.filter(|until| *until > now && found.trigger == Trigger::Soft) {
        let until = crate::render::moment(until, &context.zone());
        context.printer.data(&format!("Put off until {until}."));
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes the files that the settings name for other programs.
fn outside(context: &Context, beat: &Beat<'_>) -> Result<(), CliError> {
    let working = &context.settings().working;
    if working.trigger_file.is_none() && working.heartbeat_file.is_none() {
        return Ok(());
    }
    let files = RealFileSystem;
    let Some(own) = files.status(&context.state).map_err(fault)? else { return Ok(()) };
    let document = beat.document();
    if let Some(path) = &working.heartbeat_file {
        heartbeat::write_outside(&files, path, own.user, Some(&document)).map_err(fault)?;
    }
    if let Some(path) = &working.trigger_file {
        let due = (beat.trigger() != Trigger::None).then_some(&document);
        heartbeat::write_outside(&files, path, own.user, due).map_err(fault)?;
    }
    Ok(())
}

fn fault(error: PathError) -> CliError {
    CliError::failed("cannot leave the heartbeat", error)
}
