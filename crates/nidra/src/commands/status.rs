//! `nidra status`: the gates with their values, the last dream, the memory, and what waits. Changes nothing.

use crate::cli::StatusArgs;
use crate::client::install;
use crate::commands::live::{self, Live};
use crate::commands::model::Judge;
use crate::commands::{adopt, print_json, review};
use crate::context::Context;
use crate::error::{CliError, ErrorKind};
use crate::printer::style::{self, paint};
use crate::render;
use jiff::Timestamp;
use nidra_core::settings::FailureChoice;
use nidra_core::text::wording::counted;
use nidra_dream::gate::{self, Gate};
use nidra_dream::gather::Selection;
use nidra_dream::history::History;
use nidra_memory::directory::MemoryDirectory;
use nidra_memory::limits::IndexLimits;
use nidra_memory::store::{RunRecord, RunState, Store};
use std::process::ExitCode;

/// `nidra status`
pub fn run(context: &Context, args: &StatusArgs) -> Result<ExitCode, CliError> {
    if args.follow {
        live::follow(context)?;
        return Ok(ExitCode::SUCCESS);
    }
    let live = Live::find(context);
    let store = context.store_to_read()?;
    let Outlook { gates, selection, overdue } = gates(context, &store)?;
    let last = last_run(context, &store)?;
    let waiting = review::open(context, &store)?;
    let memory = MemoryDirectory::load(&context.memory);
    let unused = adopt::unused(context, &store).map_err(|error| {
        CliError::failed(format!("cannot read the state directory {}", context.state.display()), error)
    })?;
    if context.printer.json {
        let index = memory.as_ref().ok().map(MemoryDirectory::index_use);
        let value = serde_json::json!({
            "project": context.project.root.display().to_string(), "project_id": context.project.id,
            "memory": context.memory.display().to_string(), "memory_because": context.memory_because,
            "running": live, "gates": gates, "open": gates.iter().all(|gate| gate.open), "overdue_since": overdue,
            "last_run": last.as_ref().map(|run| serde_json::json!({
                "run": run.id, "state": run.state, "started": run.started, "error": run.error,
            })),
            "engine": Judge::outlook(context, &store).map_or_else(
                |error| serde_json::json!({ "name": context.settings().dream.engine.as_str(), "fault": error.one_line() }),
                |words| serde_json::json!({ "name": context.settings().dream.engine.as_str(), "asks": words }),
            ),
            "sessions": {
                "found": selection.found, "waiting": selection.touched, "failed": selection.failed(),
            },
            "plans_waiting": waiting.iter().map(|plan| plan.hash.as_str()).collect::<Vec<_>>(),
            "index": index.map(|index| serde_json::json!({
                "lines": index.lines, "units": index.units, "bytes": index.bytes,
            })),
            "unused_memories": adopt::as_json(&unused),
            "memory_error": memory.as_ref().err().map(ToString::to_string),
        });
        print_json(context, &value)?;
        return Ok(ExitCode::SUCCESS);
    }
    let printer = context.printer;
    let zone = context.zone();
    printer.data(&format!("{}  {}", paint(style::HEAD, "Project"), context.project.root.display()));
    printer.data(&format!(
        "{}   {} ({})",
        paint(style::HEAD, "Memory"),
        context.memory.display(),
        context.memory_because
    ));
    match &memory {
        Ok(memory) => {
            let limits = IndexLimits::from(&context.settings().memory);
            let index = memory.index_use();
            printer.data(&format!(
                "         {}; index {} of {} lines, {} of {} UTF-16 units",
                counted(memory.topics().count(), "topic"),
                index.lines,
                limits.lines,
                index.units,
                limits.units
            ));
            if index.percent(&limits) >= 80 {
                let full = format!(
                    "the index is {} % full; `nidra check` names what is cut first",
                    index.percent(&limits)
                );
                printer.data(&format!("         {}", paint(style::WARN, &full)));
            }
        }
        Err(error) => printer.data(&format!("         {}", paint(style::BAD, &error.to_string()))),
    }
    for other in unused {
        let words = format!(
            "the memory of {0} is of this repository and not used here; `nidra adopt {0}` brings it over",
            other.root.display()
        );
        printer.data(&format!("         {}", paint(style::WARN, &words)));
    }
    hooks(context);
    let engine = Judge::outlook(context, &store);
    match &engine {
        Ok(words) => printer.data(&format!("{}   {words}", paint(style::HEAD, "Engine"))),
        Err(error) => printer.data(&format!(
            "{}   {}",
            paint(style::HEAD, "Engine"),
            paint(
                style::BAD,
                &format!(
                    "{} cannot be asked: {}",
                    context.settings().dream.engine.as_str(),
                    error.one_line()
                )
            )
        )),
    }
    if let Err(error) = context.demand_settings() {
        printer.warn(&error.render());
    }
    let excluded =
        context.settings().sessions.exclude.iter().find(|path| context.project.root.starts_with(path));
    if let Some(excluded) = excluded {
        let words =
            format!("Excluded by sessions.exclude ({}): nothing is read or counted here", excluded.display());
        printer.data(&paint(style::WARN, &words));
    }
    printer.data(&format!("\n{}", paint(style::HEAD, "Gates of an automatic dream")));
    printer.data(render::gates(&gates, &zone).trim_end());
    if let Some(due) = overdue {
        let words = format!(
            "overdue since {}: all is there, and nothing ran; `nidra doctor` looks why",
            render::moment(due, &zone)
        );
        printer.data(&format!("  {}", paint(style::BAD, &words)));
    } else if gates.iter().all(|gate| gate.open) {
        let but = match (&engine, context.settings().model.on_failure) {
            (Err(_), FailureChoice::Wait) => ", which fails until the engine can be asked",
            (Err(_), FailureChoice::Rules) => ", which the rules judge alone until the engine can be asked",
            (Ok(_), _) => "",
        };
        printer.data(&format!("  All open: the next end of a turn or a session starts a dream{but}."));
    }
    let failed = selection.failed() as usize;
    if failed > 0 {
        let sessions = counted(failed, "session");
        let words = format!(
            "{sessions} failed three times and {} left out; `nidra sessions` says why, `nidra sessions --retry` tries again",
            if failed == 1 { "is" } else { "are" }
        );
        printer.data(&format!("  {}", paint(style::WARN, &words)));
    }
    if let Some(live) = &live {
        printer.data(&format!("\n{}", paint(style::HEAD, "Running now")));
        for line in live.lines() {
            printer.data(&format!("  {line}"));
        }
    }
    printer.data(&format!("\n{}", paint(style::HEAD, "Last run")));
    match last {
        None => printer.data("  none yet; `nidra dream --dry-run` shows what one would do"),
        Some(run) => {
            let effect = super::runs::effect(&run);
            let effect = if effect.is_empty() { effect } else { format!(": {effect}") };
            printer.data(&format!(
                "  {} {} {}{effect}",
                run.id,
                render::moment(run.started, &zone),
                run.state.as_str()
            ));
        }
    }
    if !waiting.is_empty() {
        printer.data(&format!(
            "\n{}\n  {}; `nidra review` shows it",
            paint(style::HEAD, "Waits for your word"),
            counted(waiting.len(), "plan")
        ));
    }
    // All was said; but with settings that cannot be used nothing dreams, and a script should hear of it.
    let fault = context.project_settings_fault.is_some();
    Ok(if fault { ExitCode::from(ErrorKind::Usage.exit_code()) } else { ExitCode::SUCCESS })
}

/// What an automatic dream would meet.
struct Outlook {
    gates: Vec<Gate>,
    selection: Selection,
    overdue: Option<Timestamp>,
}

/// All gates as an automatic dream would see them now.
fn gates(context: &Context, store: &Store) -> Result<Outlook, CliError> {
    let failed = |error| {
        CliError::failed(format!("cannot read the state directory {}", context.state.display()), error)
    };
    let history = History::load(store, &context.project.id).map_err(failed)?;
    let now = context.now.timestamp();
    let settings = &context.settings().dream;
    let schedule = &history.schedule;
    let selection = context.selection(&history, store).map_err(failed)?;
    let holder = match context.holder() {
        Ok(holder) => holder.map(|holder| holder.to_string()),
        Err(error) => Some(format!("something that cannot be read: {error}")),
    };
    let sessions = gate::session_gate(selection.touched, settings.min_sessions);
    let mut switch = gate::switch_gate(context.switches());
    if switch.open && context.project_settings_fault.is_some() {
        (switch.open, switch.value) = (false, "the settings cannot be used".to_owned());
    }
    let overdue =
        gate::overdue(now, schedule.last_success, schedule.hold_until, settings.min_hours, &sessions)
            .filter(|_| switch.open);
    let gates = vec![
        switch,
        gate::time_gate(now, schedule.last_success, schedule.hold_until, settings.min_hours),
        gate::throttle_gate(now, schedule.last_look(), settings.scan_throttle_minutes),
        sessions,
        gate::lock_gate(holder.as_deref()),
    ];
    Ok(Outlook { gates, selection, overdue })
}

fn last_run(context: &Context, store: &Store) -> Result<Option<RunRecord>, CliError> {
    let runs = store.runs(&context.project.id, 1).map_err(|error| {
        CliError::failed(format!("cannot read the state directory {}", context.state.display()), error)
    })?;
    Ok(runs.into_iter().find(|run| run.state != RunState::Running))
}

/// Whether the client calls nidra.
fn hooks(context: &Context) {
    let printer = context.printer;
    let head = paint(style::HEAD, "Hooks");
    match install::installed_state(&context.client_paths()) {
        Ok(state) if state.is_complete(context.settings().recall.disclose_tokens > 0) => {
            printer.data(&format!("{head}    in {}", state.settings.display()));
        }
        Ok(state) if state.events.is_empty() => {
            printer.data(&format!(
                "{head}    not installed; `nidra init` adds them to {}",
                state.settings.display()
            ));
        }
        Ok(state) => {
            let events: Vec<_> = state.events.into_iter().collect();
            printer.data(&format!("{head}    only for {}; `nidra init` adds the rest", events.join(", ")));
        }
        Err(error) => printer.data(&format!("{head}    {}", paint(style::BAD, &error.to_string()))),
    }
}
