//! `nidra log`, `nidra show` and `nidra diff`: what runs did.

use crate::cli::{LogArgs, RunArgs};
use crate::commands::print_json;
use crate::context::Context;
use crate::error::CliError;
use crate::printer::style::{self, paint};
use crate::render;
use nidra_dream::outside::OutsideReport;
use nidra_dream::report::{RunReport, RunState as Ended};
use nidra_memory::store::{RunRecord, RunState, Store};
use std::process::ExitCode;

/// `nidra log`
pub fn log(context: &Context, args: &LogArgs) -> Result<ExitCode, CliError> {
    let store = context.store_to_read()?;
    let runs = store.runs(&context.project.id, args.limit).map_err(|error| unreadable(context, error))?;
    if context.printer.json {
        let runs: Vec<_> = runs.iter().map(summary).collect();
        print_json(context, &runs)?;
        return Ok(ExitCode::SUCCESS);
    }
    if runs.is_empty() {
        context.printer.say("No run yet. `nidra dream --dry-run` shows what one would do.");
    }
    for run in &runs {
        let style = match run.state {
            RunState::Applied => style::GOOD,
            RunState::Failed | RunState::Interrupted | RunState::Refused => style::BAD,
            RunState::Running | RunState::Nothing | RunState::Proposed | RunState::Undone => style::DIM,
            RunState::Stopped => style::WARN,
        };
        context.printer.data(&format!(
            "{}  {}  {:<11} {:<6} {}",
            run.id,
            render::moment(run.started, &context.zone()),
            paint(style, if run.undoes.is_some() { "undo" } else { run.state.as_str() }),
            run.trigger,
            effect(run)
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// What a run wrote outside the memory directory, and what it took out there.
pub fn outside(run: &RunRecord) -> (Vec<OutsideReport>, Vec<OutsideReport>) {
    serde_json::from_value::<RunReport>(run.report.clone())
        .map(|report| (report.outside, report.taken_outside))
        .unwrap_or_default()
}

/// What a run came to, in a few words.
pub fn effect(run: &RunRecord) -> String {
    if let Some(undone) = &run.undoes {
        return format!("undid {undone}");
    }
    if let Some(error) = &run.error {
        return error.clone();
    }
    let count = |name: &str| run.counts.get(name).and_then(serde_json::Value::as_u64).unwrap_or(0);
    let mut words: Vec<String> = ["applied", "proposed", "refused"]
        .into_iter()
        .filter(|name| count(name) > 0)
        .map(|name| format!("{} {name}", count(name)))
        .collect();
    if let Ok(RunReport { state: Ended::NothingToDo { reason } | Ended::Refused { reason }, .. }) =
        serde_json::from_value(run.report.clone())
    {
        words.push(reason);
    }
    words.join(", ")
}

fn summary(run: &RunRecord) -> serde_json::Value {
    serde_json::json!({
        "run": run.id, "state": run.state, "started": run.started, "finished": run.finished, "engine": run.engine,
        "trigger": run.trigger, "counts": run.counts, "error": run.error, "undoes": run.undoes,
        "undone_by": run.undone_by,
    })
}

/// `nidra show`
pub fn show(context: &Context, args: &RunArgs) -> Result<ExitCode, CliError> {
    let store = context.store_to_read()?;
    let run = find(context, &store, &args.run)?;
    if context.printer.json {
        let mut value = summary(&run);
        if let Some(fields) = value.as_object_mut() {
            fields.insert("report".to_owned(), run.report);
        }
        print_json(context, &value)?;
        return Ok(ExitCode::SUCCESS);
    }
    let zone = context.zone();
    let printer = context.printer;
    printer.data(&format!("{} {}", paint(style::HEAD, run.id.as_str()), run.state.as_str()));
    printer.data(&format!(
        "  started {} by {}, engine {}",
        render::moment(run.started, &zone),
        run.trigger,
        run.engine
    ));
    if let Some(undone) = &run.undone_by {
        printer.data(&format!("  undone by {undone}"));
    }
    if let Some(undoes) = &run.undoes {
        printer.data(&format!("  undid {undoes}"));
    }
    if let Some(error) = &run.error {
        printer.data(&format!("  {}", paint(style::BAD, error)));
    }
    if let Some(report) = report(&run) {
        printer.data("");
        printer.data(render::report(&report, &zone, false).trim_end());
        let told = report.model.as_ref().and_then(|model| model["in_words"].as_array());
        for line in told.into_iter().flatten().filter_map(serde_json::Value::as_str) {
            printer.data(&format!("  {line}"));
        }
        for session in &report.sessions {
            let reason = session.reason.as_deref().map(|reason| format!(" ({reason})")).unwrap_or_default();
            printer.data(&format!(
                "  {} {}{reason}: {} turns, {} typed",
                render::source(&session.session),
                session.state,
                session.turns,
                session.human_turns
            ));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// `nidra diff`
pub fn diff(context: &Context, args: &RunArgs) -> Result<ExitCode, CliError> {
    let store = context.store_to_read()?;
    let run = find(context, &store, &args.run)?;
    let files = report(&run).map(|report| report.files).unwrap_or_default();
    if context.printer.json {
        print_json(context, &files)?;
    } else if files.is_empty() {
        context.printer.say("This run changed no file.");
    } else {
        context.printer.data(render::files(&files).trim_end());
    }
    Ok(ExitCode::SUCCESS)
}

fn report(run: &RunRecord) -> Option<RunReport> {
    serde_json::from_value(run.report.clone()).ok()
}

/// Finds a run by its identifier, its first or last characters, or `last`: the newest that changed memory.
pub fn find(context: &Context, store: &Store, name: &str) -> Result<RunRecord, CliError> {
    let project = &context.project.id;
    let hint = "`nidra log` lists the runs of this project";
    if name.is_empty() {
        return Err(CliError::usage("the run's name is empty").hint(hint));
    }
    if name == "last" {
        return store
            .last_applied(project)
            .map_err(|error| unreadable(context, error))?
            .ok_or_else(|| CliError::usage("no run that changed memory is still in force").hint(hint));
    }
    let found = store.runs_called(project, name, 2).map_err(|error| unreadable(context, error))?;
    let mut found = found.into_iter();
    match (found.next(), found.next()) {
        (Some(run), None) => Ok(run),
        (Some(_), Some(_)) => Err(CliError::usage(format!("several runs begin with {name}")).hint(hint)),
        (None, _) => Err(CliError::usage(format!("no run of this project is called {name}")).hint(hint)),
    }
}

fn unreadable(context: &Context, error: nidra_memory::store::StoreError) -> CliError {
    CliError::failed(format!("cannot read the state directory {}", context.state.display()), error)
}
