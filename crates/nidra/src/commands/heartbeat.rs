//! `nidra heartbeat`: the judge that is not the agent. A scheduler of any kind runs it; it ages tasks, looks whether a
//! rest is due, and leaves that where agent and other programs find it.

use crate::cli::HeartbeatArgs;
use crate::commands::fragmentation::print;
use crate::commands::working::{demand_on, export, judgement, state_fault};
use crate::commands::{print_json, snapshot};
use crate::context::Context;
use crate::error::{CliError, ErrorKind};
use jiff::SignedDuration;
use nidra_core::error::PathError;
use nidra_memory::atomic::{FileSystem as _, RealFileSystem};
use nidra_working::fragmentation::Trigger;
use nidra_working::heartbeat::{self, Beat};
use std::path::Path;
use std::process::ExitCode;

/// `nidra heartbeat`
pub fn run(context: &Context, args: &HeartbeatArgs) -> Result<ExitCode, CliError> {
    demand_on(context)?;
    let files = RealFileSystem;
    let (project, now) = (&context.project.id, context.now.timestamp());
    let mut store = context.store_of_work()?;
    let outside = places_outside(context)?;
    let aged = if args.no_round || args.put_off.is_some() {
        None
    } else {
        Some(store.age_tasks(project, now).map_err(state_fault(context))?)
    };
    let found = judgement(context, &store, args.tokens)?;
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
    for place in &outside {
        place.write(&beat)?;
    }
    export(context, &store);
    // The judgement stands whatever becomes of the snapshot.
    if let Err(error) = snapshot::daily(context, &mut store) {
        context.printer.warn(&error.render());
    }
    store.leave();
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

/// A file for other programs that the settings name.
struct Outside<'a> {
    path: &'a Path,
    user: u32,
    only_when_due: bool,
}

impl Outside<'_> {
    fn write(&self, beat: &Beat<'_>) -> Result<(), CliError> {
        let wanted = !self.only_when_due || beat.trigger() != Trigger::None;
        let document = wanted.then(|| beat.document());
        heartbeat::write_outside(&RealFileSystem, self.path, self.user, document.as_ref()).map_err(fault)
    }
}

/// The files that the settings name. A place that must not be written to is refused before anything changes: else each
/// try would be a round.
fn places_outside(context: &Context) -> Result<Vec<Outside<'_>>, CliError> {
    let working = &context.settings().working;
    let named = [(&working.heartbeat_file, false), (&working.trigger_file, true)];
    let named = named.into_iter().filter_map(|(path, only_when_due)| Some((path.as_deref()?, only_when_due)));
    named
        .map(|(path, only_when_due)| {
            let own = RealFileSystem.status(&context.state).map_err(fault)?;
            let user = own.map_or(u32::MAX, |own| own.user);
            heartbeat::check_outside(&RealFileSystem, path, user).map_err(fault)?;
            Ok(Outside { path, user, only_when_due })
        })
        .collect()
}

fn fault(error: PathError) -> CliError {
    CliError::failed("cannot leave the heartbeat", error)
}
