//! `nidra undo`: takes back what a run changed.

use crate::cli::RunArgs;
use crate::commands::{print_json, runs, working};
use crate::context::Context;
use crate::error::{CliError, ErrorKind};
use jiff::SignedDuration;
use nidra_dream::notice;
use nidra_memory::atomic::RealFileSystem;
use nidra_memory::lease::{Lease, LeaseError, LeaseOptions};
use nidra_memory::recover::recover;
use nidra_memory::store::Store;
use nidra_memory::undo::{UndoError, UndoRequest, undo};
use std::process::ExitCode;

/// `nidra undo`
pub fn run(context: &Context, args: &RunArgs) -> Result<ExitCode, CliError> {
    let mut store = context.store()?;
    let target = runs::find(context, &store, &args.run)?;
    let (outside, taken) = runs::outside(&target);
    let (applied_plan, adopted) = (target.trigger == "apply", target.engine == nidra_dream::adopt::ENGINE);
    let target = target.id;
    if !context.memory.is_dir() {
        return Err(CliError::new(
            ErrorKind::Failed,
            format!("there is no memory directory {}", context.memory.display()),
        )
        .hint("create it to have the files of before the run put back into it"));
    }
    let lease = lease(context, &mut store, "undo")?;
    let project = &context.project.id;
    let run = nidra_dream::new_run(&store, project, &context.now)
        .map_err(|error| CliError::failed("cannot use the state directory", error))?;
    // Automatic runs leave what was taken back alone for one period.
    #[expect(clippy::cast_possible_truncation, reason = "settings are checked to be a sane number of hours")]
    let hold = SignedDuration::from_secs((context.settings().dream.min_hours * 3600.0) as i64);
    let request = UndoRequest {
        target: target.clone(),
        run,
        trigger: "manual".to_owned(),
        now: context.now.timestamp(),
        hold_until: context.now.timestamp().checked_add(hold).ok(),
    };
    let mut report = undo(&mut store, &lease, &RealFileSystem, &request).map_err(failure)?;
    report.warnings.extend(nidra_dream::outside::take_back(&context.project.checkout, &outside));
    report.warnings.extend(nidra_dream::outside::put_back(&context.project.checkout, &taken));
    if adopted {
        store
            .forget_adoptions(project)
            .map_err(|error| CliError::failed("cannot use the state directory", error))?;
    }
    // What the line would tell is no longer so; a line that stays is no harm worth failing for.
    let _stale = notice::seen(&context.state, project);
    if context.printer.json {
        print_json(
            context,
            &serde_json::json!({
                "undone": target, "run": request.run, "restored": report.restored, "merged": report.merged,
                "kept": report.kept, "warnings": report.warnings,
            }),
        )?;
        return Ok(ExitCode::SUCCESS);
    }
    for statement in &outside {
        context.printer.data(&format!("taken out of {}: {}", statement.path, statement.text));
    }
    for statement in &taken {
        context.printer.data(&format!("put back into {}: {}", statement.path, statement.text));
    }
    for path in &report.restored {
        let gone = !context.memory.join(path).exists();
        context.printer.data(&format!("{} {path}", if gone { "removed " } else { "restored" }));
    }
    for path in &report.merged {
        context.printer.data(&format!("merged   {path}: changed since; only the run's part was taken back"));
    }
    for path in &report.kept {
        context.printer.warn(&format!("kept     {path}: changed since in the same place; its text won"));
    }
    for warning in &report.warnings {
        context.printer.warn(&format!("warning: {warning}"));
    }
    let next = if adopted {
        "The other memory lies unused again; `nidra adopt` lists it."
    } else if applied_plan {
        "Its plan waits for your word again; `nidra review` shows it."
    } else {
        "Its sessions will be read again: a dream that you ask for applies what they say, one that runs by itself only proposes it."
    };
    context.printer.say(&format!("Run {target} is undone. {next}"));
    Ok(ExitCode::SUCCESS)
}

/// Takes the lease for a command that changes memory by the settings; the memory directory is made where there is none.
pub fn lease_to_change(context: &Context, store: &mut Store, purpose: &str) -> Result<Lease, CliError> {
    context.demand_settings()?;
    context.guard_memory()?;
    std::fs::create_dir_all(&context.memory)
        .map_err(|error| CliError::failed(format!("cannot create {}", context.memory.display()), error))?;
    lease(context, store, purpose)
}

/// Takes the lease on the memory directory of the context, and puts right what an interrupted run left there.
fn lease(context: &Context, store: &mut Store, purpose: &str) -> Result<Lease, CliError> {
    context.guard_memory()?;
    let lease =
        Lease::acquire(&context.memory, &LeaseOptions::new(purpose)).map_err(|error| match error {
            LeaseError::Busy { .. } => CliError::new(ErrorKind::Busy, error.to_string())
                .hint("wait until it has ended; `nidra status` shows who holds it"),
            error => CliError::failed(
                format!("cannot take the memory directory {}", context.memory.display()),
                error,
            ),
        })?;
    let recovered = recover(store, &lease, &RealFileSystem, &context.project.id)
        .map_err(|error| CliError::failed("what an interrupted run left could not be put right", error))?;
    if recovered.purged.is_some() {
        context.printer.say("A purge that had been interrupted was brought to its end.");
        working::export_cleaned(context, store)?;
    }
    Ok(lease)
}

fn failure(error: UndoError) -> CliError {
    match error {
        UndoError::Unknown { .. }
        | UndoError::AlreadyUndone { .. }
        | UndoError::IsUndo { .. }
        | UndoError::Purged { .. }
        | UndoError::NotApplied { .. } => {
            CliError::usage(error.to_string()).hint("`nidra log` lists the runs of this project")
        }
        error @ (UndoError::Snapshot { .. } | UndoError::Store(_) | UndoError::Commit(_)) => {
            CliError::failed("the run could not be undone; memory is as it was", error)
        }
    }
}
