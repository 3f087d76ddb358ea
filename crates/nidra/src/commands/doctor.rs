//! `nidra doctor`: looks for what keeps nidra from working, and says what to do. Changes nothing.

use crate::cli::{DoctorArgs, Global};
use crate::client::install;
use crate::config::Environment;
use crate::context::Context;
use crate::error::{CliError, ErrorKind};
use crate::event_log;
use crate::printer::style::{self, paint};
use jiff::SignedDuration;
use nidra_core::text::wording::counted;
use nidra_dream::history::History;
use nidra_memory::check::{Severity, check};
use nidra_memory::directory::MemoryDirectory;
use nidra_memory::limits::IndexLimits;
use nidra_memory::store::{RunState, Store};
use nidra_sessions::claude;
use std::process::ExitCode;

mod agent;
mod lock;
mod model;

/// Days before the client removes a transcript at which unread sessions are named.
const RETENTION_WARNING_DAYS: i64 = 5;

/// How one thing stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
enum State {
    Fine,
    Note,
    Fault,
}

/// One thing that was looked at.
#[derive(Debug, serde::Serialize)]
struct Examined {
    what: &'static str,
    state: State,
    message: String,
    advice: Option<String>,
}

impl Examined {
    fn fine(what: &'static str, message: impl Into<String>) -> Self {
        Self { what, state: State::Fine, message: message.into(), advice: None }
    }

    fn note(what: &'static str, message: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { what, state: State::Note, message: message.into(), advice: Some(advice.into()) }
    }

    fn fault(what: &'static str, message: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { what, state: State::Fault, message: message.into(), advice: Some(advice.into()) }
    }
}

/// `nidra doctor`
pub fn run(global: &Global, environment: Environment, args: &DoctorArgs) -> Result<ExitCode, CliError> {
    let context = Context::resolve(global, environment)?;
    let mut found: Vec<Examined> = context
        .project_settings_fault
        .iter()
        .map(|fault| {
            Examined::fault(
                "settings",
                fault.clone(),
                "mend the place that is named; nothing dreams until then",
            )
        })
        .collect();
    found.extend([switches(&context), hooks(&context), memory(&context), lock::busy(&context)]);
    found.extend(lock::left(&context));
    found.extend(agent::examine(&context));
    found.extend(state(&context));
    found.extend(model::examine(&context, args));
    found.extend(team(&context));
    if context.printer.json {
        super::print_json(&context, &found)?;
    } else {
        for examined in &found {
            let (mark, style) = match examined.state {
                State::Fine => ("ok   ", style::GOOD),
                State::Note => ("note ", style::WARN),
                State::Fault => ("fault", style::BAD),
            };
            context.printer.data(&format!(
                "{} {:<9} {}",
                paint(style, mark),
                examined.what,
                examined.message
            ));
            if let Some(advice) = &examined.advice {
                context.printer.data(&format!("                {advice}"));
            }
        }
        let log = event_log::path(&context.state);
        if log.is_file() {
            context.printer.say(&format!("Every gate decision stands in {}.", log.display()));
        }
    }
    let fault = found.iter().any(|examined| examined.state == State::Fault);
    Ok(if fault { ExitCode::from(ErrorKind::Failed.exit_code()) } else { ExitCode::SUCCESS })
}

fn switches(context: &Context) -> Examined {
    let gate = nidra_dream::gate::switch_gate(context.switches());
    if gate.open && context.project_settings_fault.is_some() {
        return Examined::note(
            "switches",
            "no automatic dream: the settings cannot be used",
            "mend the place that is named above",
        );
    }
    if gate.open {
        return Examined::fine("switches", "automatic dreams are on");
    }
    let advice = if context.environment.disabled() {
        "unset NIDRA_DISABLED".to_owned()
    } else if !context.settings().dream.enabled {
        "`nidra config dream.enabled true` switches them on".to_owned()
    } else {
        context.location.enabled_because.clone()
    };
    Examined::note("switches", format!("no automatic dream: {}", gate.value), advice)
}

/// The place that a team shares, where the settings name one.
fn team(context: &Context) -> Option<Examined> {
    let setting = context.settings().propose.team.as_ref()?;
    Some(match nidra_dream::team::file(setting) {
        Ok(file) => Examined::fine("team", format!("rules are proposed for {}", file.display())),
        Err(error) => Examined::fault(
            "team",
            error.to_string(),
            "`propose.team` names a directory or a Markdown file of yours that is there; `nidra config propose.team` says who set it",
        ),
    })
}

fn hooks(context: &Context) -> Examined {
    match install::installed_state(&context.client_paths()) {
        Err(error) => {
            Examined::fault("hooks", error.to_string(), "mend the client's settings, then run `nidra init`")
        }
        Ok(state) if !state.is_complete(context.settings().recall.disclose_tokens > 0) => Examined::note(
            "hooks",
            format!("not all hooks are in {}", state.settings.display()),
            "`nidra init` adds them; without hooks nothing dreams by itself",
        ),
        Ok(state) if state.listens_to_prompts() && context.settings().recall.disclose_tokens == 0 => {
            Examined::note(
                "hooks",
                "a hook runs at every prompt, and recall.disclose_tokens is 0: it has nothing to tell",
                "`nidra init` takes it out",
            )
        }
        Ok(state) => match state.notices.first() {
            Some(notice) => {
                Examined::note("hooks", notice.to_string(), "change it in the client's settings if you want")
            }
            None => Examined::fine("hooks", format!("in {}", state.settings.display())),
        },
    }
}

fn are_hooks_in(context: &Context) -> bool {
    install::installed_state(&context.client_paths()).is_ok_and(|state| !state.events.is_empty())
}

fn memory(context: &Context) -> Examined {
    let directory = context.memory.display();
    if let Err(error) = context.guard_memory() {
        return Examined::fault("memory", error.message, error.hints.join("; "));
    }
    match MemoryDirectory::load(&context.memory) {
        Err(error) => Examined::fault("memory", error.to_string(), "mend the cause, or set memory.directory"),
        Ok(memory) => {
            let findings = check(&memory, &IndexLimits::from(&context.settings().memory));
            let errors = findings.iter().filter(|finding| finding.severity == Severity::Error).count();
            match errors {
                0 => Examined::fine("memory", format!("{directory} ({})", context.memory_because)),
                errors => Examined::note(
                    "memory",
                    format!("{directory}: {errors} of {} findings are errors", findings.len()),
                    "`nidra check` names them, `nidra check --fix` plans what can be mended",
                ),
            }
        }
    }
}

/// The state directory, the last run, and sessions that the client will soon remove.
fn state(context: &Context) -> Vec<Examined> {
    let store = match context.store_to_read() {
        Ok(store) => store,
        Err(error) => {
            let cause = error.source.as_ref().map(ToString::to_string).unwrap_or_default();
            let advice = format!(
                "{cause}; move {} aside to start anew, memory itself is not in it",
                context.state.display()
            );
            return vec![Examined::fault("state", error.message, advice)];
        }
    };
    let mut found = Vec::new();
    match store.check() {
        Ok(faults) if faults.is_empty() => {
            found.push(Examined::fine("state", context.state.display().to_string()));
        }
        Ok(faults) => found.push(Examined::fault(
            "state",
            format!("the database is damaged: {}", faults.join("; ")),
            format!("move {} aside to start anew; memory itself is not in it", store.path().display()),
        )),
        Err(error) => found.push(Examined::fault("state", error.to_string(), "mend the cause and try again")),
    }
    found.extend(last_run(context, &store));
    found.extend(sessions(context, &store));
    found
}

fn last_run(context: &Context, store: &Store) -> Option<Examined> {
    let run = store.runs(&context.project.id, 1).ok()?.into_iter().next()?;
    Some(match run.state {
        RunState::Failed | RunState::Refused => Examined::fault(
            "last run",
            format!(
                "{} {}: {}",
                run.id,
                run.state.as_str(),
                run.error.as_deref().unwrap_or("see `nidra show`")
            ),
            if are_hooks_in(context) {
                "mend the cause; the next end of a session tries again"
            } else {
                "mend the cause; `nidra dream` tries again"
            },
        ),
        RunState::Stopped => Examined::fine("last run", format!("{} stopped by the user", run.id)),
        RunState::Interrupted | RunState::Running => Examined::note(
            "last run",
            format!("{} is {}", run.id, run.state.as_str()),
            "if it no longer runs, the next dream puts right what it left and goes on at once",
        ),
        RunState::Applied | RunState::Nothing | RunState::Proposed | RunState::Undone => {
            Examined::fine("last run", format!("{} {}", run.id, run.state.as_str()))
        }
    })
}

/// The client removes old transcripts; what was not read by then is lost to memory.
fn sessions(context: &Context, store: &Store) -> Option<Examined> {
    let history = History::load(store, &context.project.id).ok()?;
    let selection = context.selection(&history, store).ok()?;
    let environment = crate::context::client_environment(&context.environment);
    let days = claude::retention_days(Some(&context.project), &environment, &context.client);
    let old = i64::from(days).saturating_sub(RETENTION_WARNING_DAYS).max(0);
    let limit =
        context.now.timestamp().checked_sub(SignedDuration::from_hours(old.min(100_000) * 24)).ok()?;
    let at_risk = selection.read.iter().filter(|files| files.modified < limit).count();
    let waiting = selection.read.len();
    let failed = selection.failed() as usize;
    Some(if failed > 0 {
        Examined::note(
            "sessions",
            format!("{} failed three times and left out", counted(failed, "session")),
            "`nidra sessions` says why; `nidra sessions --retry` has the next dream try again",
        )
    } else if at_risk > 0 {
        Examined::note(
            "sessions",
            format!(
                "{at_risk} of {waiting} unread sessions are near the {days} days after which the client removes them"
            ),
            "`nidra dream` reads them now",
        )
    } else if let Some(diagnostic) = selection.diagnostics.first() {
        Examined::note(
            "sessions",
            crate::render::diagnostic(diagnostic),
            "mend the permissions of that place",
        )
    } else {
        Examined::fine("sessions", format!("{} found, {waiting} wait to be read", selection.found))
    })
}
