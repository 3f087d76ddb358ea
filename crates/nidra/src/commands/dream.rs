//! `nidra dream` and `nidra plan`: run the engine over new sessions.

use crate::cli::{DreamArgs, EngineArgs, Global};
use crate::commands::model::{Asked, Judge};
use crate::commands::{agent, map, print_json, review};
use crate::config::Environment;
use crate::context::Context;
use crate::error::{CliError, ErrorKind};
use crate::interrupt::Interrupt;
use crate::narrator::Narrator;
use crate::printer::style::{self, paint};
use crate::{detach, disclosure, render, spool};
use nidra_core::EngineError;
use nidra_core::text::wording::{counted, ended};
use nidra_dream::event::Event;
use nidra_dream::gate;
use nidra_dream::pipeline::{self, Dream, DreamError, Mode, Trigger};
use nidra_dream::report::{ProposedReport, RunReport, RunState};
use nidra_memory::lease::LeaseError;
use nidra_memory::store::Store;
use nidra_model::{ENDED_EARLY, NOT_ASKED};
use nidra_rules::notes::NotesEngine;
use nidra_sessions::{ClaudeCode, Reader as _, project};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// `nidra dream`
pub fn run(global: &Global, environment: Environment, args: &DreamArgs) -> Result<ExitCode, CliError> {
    if args.detached {
        detach::detach().map_err(|error| CliError::failed("cannot leave the caller's session", error))?;
    }
    if args.all {
        return all(global, &environment, args);
    }
    let context = Context::resolve(global, environment)?;
    one(&context, args)
}

/// `nidra plan`
pub fn plan(context: &Context, args: &EngineArgs) -> Result<ExitCode, CliError> {
    let engine = Asked::of(context.settings(), args);
    let logs = context.location.assistant;
    let request = Request { mode: Mode::Plan, trigger: Trigger::Manual, consent: false, engine, logs };
    let report = execute(context, &request)?;
    print(context, &report, request.mode, request.logs)?;
    Ok(exit_code(&report))
}

/// What is asked of a dream.
#[derive(Clone, Debug)]
pub struct Request {
    /// How far it goes.
    pub mode: Mode,
    /// Who asked.
    pub trigger: Trigger,
    /// The user's word for this run.
    pub consent: bool,
    /// The engine.
    pub engine: Asked,
    /// The daily logs are read instead of the sessions.
    pub logs: bool,
}

impl Request {
    /// What the command line asks for in a project.
    fn of(context: &Context, args: &DreamArgs) -> Self {
        Self {
            mode: if args.dry_run { Mode::DryRun } else { Mode::Apply },
            trigger: if args.auto { Trigger::Automatic } else { Trigger::Manual },
            consent: args.yes,
            engine: Asked::of(context.settings(), &args.engine),
            logs: args.logs || context.location.assistant,
        }
    }
}

fn one(context: &Context, args: &DreamArgs) -> Result<ExitCode, CliError> {
    let request = Request::of(context, args);
    let report = execute(context, &request)?;
    print(context, &report, request.mode, request.logs)?;
    Ok(exit_code(&report))
}

/// Every project that has sessions, one after the other. A failing project never keeps the others waiting.
fn all(global: &Global, environment: &Environment, args: &DreamArgs) -> Result<ExitCode, CliError> {
    let context = Context::resolve(global, environment.clone())?;
    let mut projects: BTreeMap<PathBuf, PathBuf> = BTreeMap::new();
    for transcript in context.reader().discover(&|_| None).transcripts {
        if let Some(directory) = transcript.directory.filter(|_| !transcript.own) {
            let root = project::identify_with_home(
                &directory,
                context.settings().memory.share_worktrees,
                environment.home().as_deref(),
            )
            .root;
            projects.entry(root).or_insert(directory);
        }
    }
    let mut worst = 0_u8;
    let mut answers = Vec::new();
    for (root, directory) in projects {
        context.printer.say(&paint(style::HEAD, &root.display().to_string()));
        let outcome = Context::of(global, environment.clone(), &directory).and_then(|context| {
            let request = Request::of(&context, args);
            let report = execute(&context, &request)?;
            if !context.printer.json {
                print(&context, &report, request.mode, request.logs)?;
            }
            Ok(report)
        });
        match outcome {
            Ok(report) => {
                worst = worst.max(code(&report));
                answers.push(serde_json::to_value(&report).unwrap_or_default());
            }
            Err(error) => {
                worst = worst.max(error.kind.exit_code());
                if !context.printer.json {
                    context.printer.warn(&error.render());
                }
                let mut answer = error.to_json();
                if let Some(fields) = answer.as_object_mut() {
                    fields.insert("project".to_owned(), serde_json::json!(root.display().to_string()));
                }
                answers.push(answer);
            }
        }
    }
    if context.printer.json {
        print_json(&context, &answers)?;
    }
    Ok(ExitCode::from(worst))
}

/// Runs a dream and logs what happens.
pub(super) fn execute(context: &Context, request: &Request) -> Result<RunReport, CliError> {
    // Off is off: not even the state directory is made.
    let switch = gate::switch_gate(context.switches());
    if context.environment.disabled() {
        return Err(failure(context, DreamError::Off(switch.value)));
    }
    context.demand_settings()?;
    context.guard_memory()?;
    let mut store: Store =
        if request.mode == Mode::DryRun { context.store_to_read()? } else { context.store()? };
    let notes = match request.mode {
        Mode::DryRun => None,
        Mode::Apply | Mode::Plan => spool::drain(&context.spool(), Some(context.project.id.as_str())).ok(),
    };
    if request.mode == Mode::Apply {
        agent::clean(context);
        disclosure::clean(&context.state);
    }
    let knowledge = context.knowledge();
    let reader = context.reader_of(request.logs);
    let interrupt = Interrupt::listen()
        .map_err(|error| CliError::failed("cannot listen to the signal to stop", error))?;
    let narrator = Narrator::new(context, request.mode, interrupt);
    let asked = if request.logs && !request.engine.is_rules() {
        context.printer.say("Daily logs are judged by the rules alone; no model is asked.");
        Asked::rules()
    } else {
        request.engine.clone()
    };
    let judge = match request.trigger {
        Trigger::Manual => Judge::prepare(context, &store, &asked, request.mode)?,
        Trigger::Automatic => Judge::prepare_unwatched(context, &store, &asked, request.mode),
    };
    let pause = |time| narrator.wait(time);
    let driver = judge.driver(context, &pause);
    let chosen = judge.engine(context, driver.as_deref(), request.mode, &pause);
    let mut settings = context.settings().clone();
    let mut switches = context.switches();
    if request.logs {
        // Its own dream: one log with something new is enough, and the mode that keeps the ordinary one out does not.
        settings.dream.min_sessions = settings.dream.min_sessions.min(1);
        switches.assistant_mode = false;
    }
    let home = context.environment.home();
    let dream = Dream {
        project: &context.project,
        home: home.as_deref(),
        memory_root: &context.memory,
        state_home: &context.state,
        settings: &settings,
        switches,
        now: &context.now,
        reader: reader.as_ref(),
        engine: if request.logs { &NotesEngine } else { chosen.engine() },
        knowledge: &knowledge,
        trigger: request.trigger,
        consent: request.consent,
        mode: request.mode,
        watcher: &narrator,
    };
    let outcome = pipeline::dream(&dream, &mut store, &mut |event| narrator.event(event));
    let failed = outcome.is_err();
    // Why a run failed is said once, by its error.
    let says_why = |text: &String| text.starts_with(ENDED_EARLY) || text.starts_with(NOT_ASKED);
    for text in chosen.summary().into_iter().filter(|text| !(failed && says_why(text))) {
        narrator.event(&Event::Note { text });
    }
    match outcome {
        Ok(report) => {
            // The notes are used up only when their sessions were read.
            let read = report.run.is_some();
            if let Some(Err(error)) = notes.filter(|_| read).map(spool::Drained::finish) {
                context.printer.warn(&format!("warning: the notes of hooks were not cleared: {error}"));
            }
            if request.mode == Mode::Apply && report.state == RunState::Applied {
                map::after_dream(context);
            }
            Ok(report)
        }
        Err(error) => {
            match &error {
                DreamError::Off(_) | DreamError::Lease(LeaseError::Busy { .. }) => {}
                DreamError::Stopped { phase } => narrator.event(&Event::Stopped { phase: *phase }),
                error => {
                    narrator.event(&Event::Failed { phase: narrator.phase(), reason: chain(error) });
                }
            }
            Err(match error {
                DreamError::Engine(error @ EngineError::Unavailable(_)) if asked.replays() => {
                    CliError::failed("the recording came to no answer", error)
                        .hint("memory is as it was; leave --offline out to ask the model and keep its answers in the folder")
                }
                error => failure(context, error),
            })
        }
    }
}

fn print(context: &Context, report: &RunReport, mode: Mode, logs: bool) -> Result<(), CliError> {
    let dry_run = mode == Mode::DryRun;
    if context.printer.json {
        return print_json(context, report);
    }
    let text = render::report(report, &context.zone(), dry_run);
    if !text.trim().is_empty() {
        context.printer.data(text.trim_end());
    }
    if dry_run && !report.files.is_empty() {
        context.printer.data(&render::files(&report.files));
    }
    for diagnostic in report.diagnostics.iter().take(10) {
        context.printer.say(&paint(style::WARN, &render::diagnostic(diagnostic)));
    }
    if report.waiting_sessions > 0 {
        let (waiting, verb) =
            (report.waiting_sessions, if report.waiting_sessions == 1 { "waits" } else { "wait" });
        let why = report.waits_because.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
        let words = format!("{} {verb} for the next run{why}", counted(waiting, report.noun()));
        context.printer.say(&ended(&words));
    }
    if !report.set_aside.is_empty() {
        let verb = if report.set_aside.len() == 1 { "is" } else { "are" };
        context.printer.warn(&format!(
            "warning: {} could not be judged and {verb} tried again by the next dream; `nidra sessions` says why",
            counted(report.set_aside.len(), report.noun())
        ));
    }
    context.printer.say(&render::ending(report));
    hints(context, report, logs)
}

/// What a person may want to know next: plans that wait, and where sessions are when there are none here.
fn hints(context: &Context, report: &RunReport, logs: bool) -> Result<(), CliError> {
    if !matches!(report.state, RunState::NothingToDo { .. }) {
        return Ok(());
    }
    let waiting = review::open(context, &context.store_to_read()?)?.len();
    if waiting > 0 {
        let plans = if waiting == 1 { "1 plan waits".to_owned() } else { format!("{waiting} plans wait") };
        context.printer.say(&format!("{plans} for your word; `nidra review` shows what it is."));
    }
    if report.sessions.is_empty() && !logs {
        let projects = projects_with_sessions(&context.reader(), context.environment.home().as_deref());
        for (path, count) in projects.iter().take(5) {
            context.printer.say(&format!("  {} of {}", counted(*count, "session"), path.display()));
        }
    }
    Ok(())
}

/// The projects that have sessions, those with most first.
pub fn projects_with_sessions(reader: &ClaudeCode, home: Option<&Path>) -> Vec<(PathBuf, usize)> {
    let mut projects: BTreeMap<PathBuf, usize> = BTreeMap::new();
    for transcript in reader.discover(&|_| None).transcripts {
        if transcript.is_session()
            && let Some(directory) = transcript.directory
        {
            *projects.entry(project::identify_with_home(&directory, true, home).root).or_default() += 1;
        }
    }
    let mut projects: Vec<_> = projects.into_iter().collect();
    projects.sort_by_key(|(path, count)| (std::cmp::Reverse(*count), path.clone()));
    projects
}

fn exit_code(report: &RunReport) -> ExitCode {
    ExitCode::from(code(report))
}

/// The documented exit code of a run that ended with a report.
fn code(report: &RunReport) -> u8 {
    // What the other sessions came to stands all the same.
    if !report.set_aside.is_empty() {
        return ErrorKind::Failed.exit_code();
    }
    match report.state {
        // An offer for a file outside memory is nothing that the dream left undone.
        RunState::Proposed if report.questions.is_empty() && report.proposed.iter().all(is_offer) => 0,
        RunState::Refused { .. } | RunState::Proposed => ErrorKind::Refused.exit_code(),
        RunState::NothingToDo { .. } if never_asked(report) => ErrorKind::Failed.exit_code(),
        RunState::Applied | RunState::Planned | RunState::NothingToDo { .. } | RunState::Skipped { .. } => 0,
    }
}

/// Whether a limit came before the first question. That some other session had nothing to ask makes no difference.
fn never_asked(report: &RunReport) -> bool {
    let asked_nobody = |model: &serde_json::Value| {
        ["/spent/requests", "/replayed"]
            .iter()
            .all(|count| model.pointer(count).is_some_and(|count| *count == 0))
    };
    report.waits_because.is_some() && report.model.as_ref().is_some_and(asked_nobody)
}

fn is_offer(proposed: &ProposedReport) -> bool {
    proposed.operation.change == "propose"
}

/// An error with its causes in one line.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let words = cause.to_string();
        if !text.ends_with(&words) {
            text = format!("{text}: {words}");
        }
        next = cause.source();
    }
    text
}

/// A failed dream in the words of the command line.
pub fn failure(context: &Context, error: DreamError) -> CliError {
    let memory = context.memory.display();
    match error {
        error @ DreamError::Stopped { .. } => CliError::new(ErrorKind::Failed, format!("the dream was {error}"))
            .hint("memory is as it was, and what was read will be read again"),
        DreamError::Off(reason) => CliError::new(ErrorKind::Off, format!("nidra is {reason}"))
            .hint("unset NIDRA_DISABLED to switch it on again"),
        DreamError::Lease(error @ LeaseError::Busy { .. }) => {
            CliError::new(ErrorKind::Busy, error.to_string())
                .hint("wait until it has ended; `nidra status` shows who holds it, `nidra stop` ends a dream")
        }
        DreamError::Memory(error) => {
            CliError::failed(format!("cannot read the memory directory {memory}"), error)
                .hint("nothing was changed; `nidra check` names every file that is in the way")
        }
        DreamError::Commit(error) => CliError::failed(format!("cannot change the memory in {memory}"), error)
            .hint("nothing is lost: what was written is put back, now or at the next run"),
        DreamError::Lease(error) => {
            CliError::failed(format!("cannot take the memory directory {memory}"), error)
                .hint("nothing was changed; mend the cause and run the command again")
        }
        DreamError::Store(error) => {
            CliError::failed(format!("cannot use the state directory {}", context.state.display()), error)
                .hint("memory is as it was; mend the cause and run the command again")
        }
        DreamError::Recover(error) => {
            CliError::failed("what an interrupted run left could not be put right", error)
                .hint("mend the cause and run the command again; nothing new is done before that")
        }
        DreamError::Engine(error @ EngineError::Unavailable(_)) => {
            CliError::failed("the engine came to no answer", error)
                .hint("memory is as it was and the sessions will be read again")
                .hint("`nidra dream --engine rules` judges them now without a model; `nidra doctor --ask` looks for the cause")
        }
        DreamError::Engine(error @ EngineError::Exhausted(_)) => {
            CliError::failed("the engine came to no answer", error)
                .hint("memory is as it was and the sessions wait; `nidra ledger` shows what was spent, `nidra config` the limits (`budget.…`)")
                .hint("`nidra dream --engine rules` judges them now without a model")
        }
        DreamError::Engine(error) => CliError::failed("the engine came to no answer", error)
            .hint("memory is as it was and the sessions will be read again"),
        error @ DreamError::NoneJudged { .. } => CliError::new(ErrorKind::Failed, error.to_string()).hint(
            "memory is as it was; the sessions are tried again up to three times, `nidra sessions` shows them",
        ),
        error @ DreamError::Changed => CliError::new(ErrorKind::Failed, error.to_string())
            .hint("memory is as it was; the next dream reads them again"),
        DreamError::Path(error) => CliError::failed("a file could not be used", error),
    }
}
