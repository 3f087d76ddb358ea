//! `nidra hook`: what the client calls. Notes the event, tells about the last dream, and starts a dream when all gates
//! are open. It returns in milliseconds, opens no database, and never fails the client.

use crate::client::hook::{HookCall, HookFacts, decide};
use crate::config::{self, ConfigFiles, Environment};
use crate::context::client_environment;
use crate::detach::{self, Launch};
use crate::{disclosure, event_log, spool};
use jiff::Timestamp;
use jiff::civil::Date;
use nidra_core::Settings;
use nidra_core::error::chain;
use nidra_core::settings::EngineChoice;
use nidra_dream::gate::{self, Switches};
use nidra_dream::notice;
use nidra_memory::atomic::RealFileSystem;
use nidra_memory::store::{GateFile, GateRead};
use nidra_sessions::claude::{self, HookPayload};
use nidra_sessions::{Project, daily_log, project};
use nidra_working::heartbeat;
use std::collections::BTreeSet;
use std::error::Error;
use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Bytes of a hook's input that are read at most; real inputs are a few kilobytes.
const MAX_INPUT: u64 = 4 * 1024 * 1024;

/// The agent that a command line `nidra hook AGENT` names; looked for without parsing anything else.
pub fn requested(mut arguments: impl Iterator<Item = OsString>) -> Option<String> {
    let (_program, command, agent, more) =
        (arguments.next()?, arguments.next()?, arguments.next()?, arguments.next());
    let agent = agent.into_string().ok().filter(|agent| !agent.starts_with('-'))?;
    (command == "hook" && more.is_none()).then_some(agent)
}

/// Serves one call. Whatever goes wrong is logged and never reaches the client.
pub fn run(agent: &str) -> ExitCode {
    let environment = Environment::from_process();
    if environment.disabled() || environment.own_run() {
        return ExitCode::SUCCESS;
    }
    let Ok(state) = environment.state_directory() else {
        return ExitCode::SUCCESS;
    };
    if let Err(error) = serve(agent, &environment, &state) {
        let words = chain(&*error);
        // Where the log cannot be written either, there is nobody left to tell.
        let _unlogged = event_log::append_line(
            &state,
            &format!("{} event=hook-failed reason={words:?}", now(&environment)),
        );
    }
    ExitCode::SUCCESS
}

fn serve(agent: &str, environment: &Environment, state: &Path) -> Result<(), Box<dyn Error>> {
    if agent != "claude-code" {
        return Err(format!("the agent {agent:?} is not known").into());
    }
    let mut input = Vec::new();
    std::io::stdin().lock().take(MAX_INPUT).read_to_end(&mut input)?;
    let payload = claude::parse_hook(&input)?;
    let now = now(environment);
    let home = environment.home();
    let shared = project::identify_with_home(&payload.cwd, true, home.as_deref());
    let files = ConfigFiles::standard(environment, Some(&shared.checkout))?;
    // With settings that cannot be used the event is still noted; the reason comes up in `nidra status`.
    let loaded = config::load(&files, environment, &[]);
    let settings = loaded.as_ref().map(|configuration| configuration.settings.clone()).unwrap_or_default();
    let project = if settings.memory.share_worktrees {
        shared
    } else {
        project::identify_with_home(&payload.cwd, false, home.as_deref())
    };
    let last_report = if payload.hook_event_name == "SessionStart" {
        notice::look(state, &project.id)?.or_else(|| overdue(state, &settings, &project, &payload, now))
    } else {
        None
    };
    let rest = match payload.hook_event_name.as_str() {
        "SessionStart" | "UserPromptSubmit" => heartbeat::look(&RealFileSystem, state, &project.id)?,
        _ => None,
    };
    let memories = disclosure::look(environment, state, &settings, &project, &payload, now);
    let facts = HookFacts {
        off: !settings.dream.enabled || is_excluded(&settings, &project),
        own_run: environment.own_run(),
        gates_open: loaded.is_ok() && gates_open(environment, state, &settings, &project, &payload, now),
        last_report: last_report.as_deref(),
        rest: rest.as_deref(),
        memories: memories.as_deref(),
    };
    let call = HookCall {
        event: &payload.hook_event_name,
        session: &payload.session_id,
        transcript: Some(&payload.transcript_path),
        directory: Some(&payload.cwd),
        source: payload.source.as_deref(),
        reason: payload.reason.as_deref(),
    };
    let decision = decide(&call, &facts, now);
    if let Some(note) = &decision.note {
        spool::append(&state.join("spool"), Some(project.id.as_str()), note)?;
    }
    if let Some(output) = &decision.output {
        let mut out = std::io::stdout().lock();
        writeln!(out, "{output}")?;
        out.flush()?;
    }
    if decision.report_shown {
        notice::seen(state, &project.id)?;
    }
    if decision.rest_shown {
        heartbeat::seen(&RealFileSystem, state, &project.id)?;
    }
    if decision.start {
        start(environment, state, &settings, &project)?;
    }
    loaded?;
    Ok(())
}

fn is_excluded(settings: &Settings, project: &Project) -> bool {
    settings
        .sessions
        .exclude
        .iter()
        .any(|path| project.root.starts_with(path) || project.checkout.starts_with(path))
}

/// Whether the gates are open as far as a hook can see: one small file, and only behind it the client's settings and a
/// listing of folders. The dream itself looks again, exactly.
fn gates_open(
    environment: &Environment,
    state: &Path,
    settings: &Settings,
    project: &Project,
    payload: &HookPayload,
    now: Timestamp,
) -> bool {
    if !matches!(payload.hook_event_name.as_str(), "Stop" | "SessionEnd") {
        return false;
    }
    let gate = match GateFile::read(&RealFileSystem, state, &project.id) {
        GateRead::Known(gate) => Some(gate),
        GateRead::Absent | GateRead::Unusable(_) => None,
    };
    let last_success = gate.as_ref().and_then(|gate| gate.last_success);
    let hold_until = gate.as_ref().and_then(|gate| gate.hold_until);
    let last_look = gate.as_ref().and_then(GateFile::last_look);
    // After the clock was set back only a run puts the stored times right; it does so even when it goes no further.
    let is_ahead = gate::is_ahead(now, last_success, hold_until, settings.dream.min_hours);
    let is_due = gate::time_gate(now, last_success, hold_until, settings.dream.min_hours).open
        && gate::throttle_gate(now, last_look, settings.dream.scan_throttle_minutes).open;
    if !is_due && !is_ahead {
        return false;
    }
    let Ok(client) = environment.claude_config() else {
        return false;
    };
    let location = claude::memory_directory(project, &client_environment(environment), &client);
    let switches = Switches {
        disabled: false,
        enabled: settings.dream.enabled,
        auto_memory: location.enabled || settings.memory.directory.is_some(),
        // Assistant mode keeps the ordinary dream out and has one of its own, over the daily logs.
        assistant_mode: false,
        remote_mode: location.remote,
    };
    let enough = || {
        if location.assistant {
            let memory = settings.memory.directory.as_ref().unwrap_or(&location.directory);
            return logged_since(memory, now.to_zoned_datetime(environment.time_zone()).date(), last_success);
        }
        gate::session_gate(unread(gate, payload), settings.dream.min_sessions).open
    };
    gate::switch_gate(switches).open && (is_ahead || enough())
}

/// Whether the log of today or of yesterday was written since a moment. Older ones were seen by the dream of their night.
fn logged_since(memory: &Path, today: Date, since: Option<Timestamp>) -> bool {
    [Some(today), today.yesterday().ok()].into_iter().flatten().any(|day| {
        let written = std::fs::metadata(memory.join(daily_log::path_of(day))).and_then(|log| log.modified());
        let written = written.ok().and_then(|time| Timestamp::try_from(time).ok());
        written.is_some_and(|written| since.is_none_or(|since| written > since))
    })
}

/// A line for the user when a dream should have run long ago and did not.
fn overdue(
    state: &Path,
    settings: &Settings,
    project: &Project,
    payload: &HookPayload,
    now: Timestamp,
) -> Option<String> {
    let GateRead::Known(gate) = GateFile::read(&RealFileSystem, state, &project.id) else {
        return None;
    };
    let due = gate::time_gate(now, gate.last_success, gate.hold_until, settings.dream.min_hours);
    if !due.open {
        return None;
    }
    let (last_success, hold_until) = (gate.last_success, gate.hold_until);
    let sessions = gate::session_gate(unread(Some(gate), payload), settings.dream.min_sessions);
    gate::overdue(now, last_success, hold_until, settings.dream.min_hours, &sessions)
        .map(|since| format!("a dream is overdue since {since:.0}; `nidra doctor` looks why"))
}

/// Sessions with something new: those that the last look at them left, whatever the times of their files, and those
/// written since. One that was left and written again counts twice; the run itself looks exactly.
fn unread(gate: Option<GateFile>, payload: &HookPayload) -> u32 {
    let (left, looked) = gate.as_ref().map_or((0, None), |gate| (gate.unread, gate.last_look()));
    left + touched(gate.map(|gate| gate.transcript_folders).unwrap_or_default(), payload, looked)
}

/// Sessions written since a moment, by the time stamps of their files. The session that goes on does not count.
fn touched(folders: Vec<PathBuf>, payload: &HookPayload, since: Option<Timestamp>) -> u32 {
    let ending = payload.hook_event_name == "SessionEnd";
    let mut folders: BTreeSet<PathBuf> = folders.into_iter().collect();
    folders.extend(payload.transcript_path.parent().map(Path::to_owned));
    let mut count = 0;
    for entry in folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten() {
        let path = entry.path();
        if !claude::is_session_file(&path) || (!ending && path == payload.transcript_path) {
            continue;
        }
        let modified = entry.metadata().and_then(|metadata| metadata.modified()).ok();
        let modified = modified.and_then(|time| Timestamp::try_from(time).ok());
        if modified.is_some_and(|modified| since.is_none_or(|since| modified > since)) {
            count += 1;
        }
    }
    count
}

fn start(
    environment: &Environment,
    state: &Path,
    settings: &Settings,
    project: &Project,
) -> Result<(), Box<dyn Error>> {
    let program = std::env::current_exe()?;
    let arguments: Vec<OsString> = [
        OsString::from("dream"),
        "--auto".into(),
        "--detached".into(),
        "--quiet".into(),
        "--project".into(),
        project.checkout.clone().into(),
    ]
    .into();
    detach::start(&Launch {
        program: &program,
        arguments: &arguments,
        directory: state,
        environment: environment.variables(),
        kept: if settings.dream.engine == EngineChoice::Rules { &[] } else { &detach::MODEL_VARIABLES },
    })?;
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "the command layer is where the clock of the system is read")]
fn now(environment: &Environment) -> Timestamp {
    let set = environment.now().ok().flatten();
    set.map_or_else(Timestamp::now, |now| now.timestamp())
}
