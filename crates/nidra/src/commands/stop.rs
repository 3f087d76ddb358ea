//! `nidra stop`: ends the dream that works on this memory, and says what became of it.

use crate::cli::StopArgs;
use crate::commands::print_json;
use crate::context::Context;
use crate::error::{CliError, ErrorKind};
use nidra_memory::lease::{BusyHolder, Holder};
use nidra_memory::owner::{Owner, ProcessTable as _, SystemProcesses};
use rustix::process::{Pid, Signal};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// What only a dream or a plan says it does; anything else is done in no time and is better left alone.
const STOPPABLE: [&str; 2] = ["dream", "plan"];
/// How often it is looked whether the run has ended.
const LOOK: Duration = Duration::from_millis(20);

/// `nidra stop`
pub fn run(context: &Context, args: &StopArgs) -> Result<ExitCode, CliError> {
    let Some(holder) = holder(context)? else {
        context.printer.say("No dream is running here.");
        if context.printer.json {
            print_json(context, &serde_json::json!({ "stopped": false, "process": null }))?;
        }
        return Ok(ExitCode::SUCCESS);
    };
    let process = process(&holder)?;
    signal(process, holder.owner.pid)?;
    let limit = Instant::now() + Duration::from_secs(args.wait.into());
    let mut again = args.now;
    while runs(&holder) {
        if again {
            // The second signal ends it at once.
            signal(process, holder.owner.pid)?;
            again = false;
        }
        if Instant::now() > limit {
            return Err(CliError::new(
                ErrorKind::Busy,
                format!("the dream (process {}) has not stopped within {} s", holder.owner.pid, args.wait),
            )
            .hint("`nidra stop --now` ends it at once; memory stays whole even then"));
        }
        std::thread::sleep(LOOK);
    }
    if context.printer.json {
        print_json(context, &serde_json::json!({ "stopped": true, "process": holder.owner.pid }))?;
    } else {
        context.printer.data(&format!(
            "The dream (process {}) has ended; `nidra log` says how, and memory is whole.",
            holder.owner.pid
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// The run of nidra that holds the memory directory.
fn holder(context: &Context) -> Result<Option<Holder>, CliError> {
    let busy = context.holder().map_err(|error| {
        CliError::failed(format!("cannot look who holds {}", context.memory.display()), error)
    })?;
    match busy {
        None => Ok(None),
        Some(BusyHolder::Nidra(Some(holder))) => Ok(Some(*holder)),
        Some(other) => Err(CliError::new(ErrorKind::Busy, format!("the memory is held by {other}"))
            .hint("nidra ends only what it started itself")),
    }
}

/// The process to signal: on this machine, still the one that took the memory, and at something that can be stopped.
fn process(holder: &Holder) -> Result<Pid, CliError> {
    let refuse = |words: String| Err(CliError::new(ErrorKind::Busy, words));
    if !Owner::current().is_local_to(&holder.owner) {
        return refuse(format!("the dream runs on {}, so stop it there", holder.owner.host));
    }
    if !STOPPABLE.contains(&holder.purpose.as_str()) {
        return refuse(format!("nidra {} is at work, which ends by itself at once", holder.purpose));
    }
    match i32::try_from(holder.owner.pid).ok().and_then(Pid::from_raw) {
        Some(process) if runs(holder) => Ok(process),
        _ => refuse(format!("process {} has ended by itself", holder.owner.pid)),
    }
}

/// Whether the holder's process still runs, and is not another one that got its number.
fn runs(holder: &Holder) -> bool {
    let found = SystemProcesses.find(holder.owner.pid);
    found.is_some_and(|found| match (found.started, holder.owner.process_start) {
        (Some(started), Some(known)) => started.duration_since(known).unsigned_abs() < Duration::from_secs(2),
        _ => true,
    })
}

fn signal(process: Pid, number: u32) -> Result<(), CliError> {
    match rustix::process::kill_process(process, Signal::TERM) {
        // It ended in between, which is what was asked for.
        Ok(()) | Err(rustix::io::Errno::SRCH) => Ok(()),
        Err(error) => {
            Err(CliError::failed(format!("cannot stop process {number}"), std::io::Error::from(error)))
        }
    }
}
