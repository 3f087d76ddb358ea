//! `nidra rest`: the seven steps of a rest, each of which can be taken up again, and what they did taken back.

use crate::cli::{EngineArgs, RestArgs};
use crate::commands::dream::Request;
use crate::commands::model::Asked;
use crate::commands::working::{
    State, demand_on, export, family, memory_entries, session_folders, state, state_fault,
};
use crate::commands::{dream, print_json};
use crate::context::Context;
use crate::error::CliError;
use crate::printer::style::{self, paint};
use nidra_core::Conversation;
use nidra_core::error::PathError;
use nidra_core::settings::DecideChoice;
use nidra_dream::hand::suppression::Suppression;
use nidra_dream::pipeline::{Mode, Trigger};
use nidra_memory::atomic::{self, RealFileSystem};
use nidra_memory::directory::MemoryDirectory;
use nidra_memory::store::{Store, TaskChange, TaskSelection, TopicRecord, TopicState};
use nidra_rules::{density, suggest};
use nidra_working::compact::transcript::Script;
use nidra_working::compact::{Knowledge, Level, compact};
use nidra_working::rest::{self, Applied, Progress, Step, Verdict};
use nidra_working::{decisions, heartbeat, live, talk};
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;

/// Tokens that conclusions may take, however short the session was.
const CONTEXT: usize = 1_200;

/// `nidra rest`
pub fn run(context: &Context, args: &RestArgs) -> Result<ExitCode, CliError> {
    demand_on(context)?;
    if args.undo {
        return undo(context);
    }
    let mut progress = load(context)?.unwrap_or_else(|| Progress {
        begun: context.now.timestamp(),
        done: Vec::new(),
        applied: Vec::new(),
    });
    if !progress.done.is_empty() {
        context.printer.say(&format!("Going on with the rest that began at {}.", progress.begun));
    }
    let mut store = context.store()?;
    let scan = scan(context, &store, args)?;
    let mut verdicts = Vec::new();
    for step in Step::ALL {
        if progress.done.contains(&step) && step != Step::Scan {
            continue;
        }
        match step {
            Step::Scan | Step::Settle => {}
            Step::Extract => extract(context, &store, &scan, &progress)?,
            // What is said twice or differently from memory is settled by the dream itself, with history.
            Step::Keep => keep(context)?,
            Step::Decide => {
                verdicts = rest::verdicts(
                    &scan.conversation,
                    &scan.state.tasks,
                    &scan.state.topics,
                    &context.settings().working,
                );
                apply(context, &mut store, &scan.state.topics, &verdicts, &mut progress)?;
            }
            Step::Replace => replace(context, &store, &scan, &progress)?,
            Step::Tell => tell(context, &progress)?,
        }
        if !progress.done.contains(&step) {
            progress.done.push(step);
        }
        save(context, &progress)?;
        context.printer.say(&format!("{} {}", paint(style::GOOD, "done"), step.as_str()));
    }
    finish(context, &progress)?;
    export(context, &store);
    answer(context, &progress, &verdicts)
}

/// What a rest looks at.
struct Scan {
    conversation: Conversation,
    text: String,
    state: State,
    /// What the user asked to be forgotten, apart from what they say anew in this very session.
    away: Suppression,
}

impl Scan {
    /// A text as a rest writes it down: without what the user asked to be forgotten.
    fn kept(&self, text: String) -> String {
        self.away.without(&text, |_| true).unwrap_or(text)
    }
}

fn scan(context: &Context, store: &Store, args: &RestArgs) -> Result<Scan, CliError> {
    let state = state(context, store)?;
    let mut away = Suppression::load(store, &context.project.id).map_err(state_fault(context))?;
    let path = args.session.clone().or_else(|| live::newest(&session_folders(context)));
    let Some(path) = path else {
        return Ok(Scan { conversation: Conversation::default(), text: String::new(), state, away });
    };
    let mut conversation = talk::read(&path)
        .map_err(|error| CliError::failed(format!("cannot read {}", path.display()), error))?;
    away.let_in_what_is_said_anew(&conversation);
    conversation.turns.iter_mut().for_each(|turn| away.take_out_of(turn));
    let text = crate::commands::tokens::read(&path)?;
    Ok(Scan { conversation, text, state, away })
}

fn extract(context: &Context, store: &Store, scan: &Scan, progress: &Progress) -> Result<(), CliError> {
    let sources = store.recorded_sources(&context.project.id).map_err(state_fault(context))?;
    let taken = store.decisions_taken(&context.project.id).map_err(state_fault(context))?;
    let memory = MemoryDirectory::load(&context.memory).unwrap_or_else(|_| MemoryDirectory::from_files([]));
    let decisions = decisions::collect(&memory, &sources, &taken);
    let weighed = density::weigh(&scan.conversation, &context.now);
    let suggestions = suggest::suggestions(&scan.conversation, &context.now);
    let entities = rest::entities(&scan.conversation, &weighed);
    for (name, text) in rest::extracts(&decisions, &scan.state.tasks, &suggestions, &entities) {
        write(context, progress, name, &scan.kept(text))?;
    }
    Ok(())
}

/// Brings memory up to date, as `nidra dream` does; its report is a run like any other.
fn keep(context: &Context) -> Result<(), CliError> {
    let engine = EngineArgs { engine: None, record: None, offline: false };
    let request = Request {
        mode: Mode::Apply,
        trigger: Trigger::Manual,
        consent: false,
        engine: Asked::of(context.settings(), &engine),
        logs: context.location.assistant,
    };
    dream::execute(context, &request).map(drop)
}

fn apply(
    context: &Context,
    store: &mut Store,
    topics: &[TopicRecord],
    verdicts: &[Verdict],
    progress: &mut Progress,
) -> Result<(), CliError> {
    if context.settings().working.decide == DecideChoice::Propose {
        return Ok(());
    }
    let (project, now) = (&context.project.id, context.now.timestamp());
    let fault = state_fault(context);
    for verdict in verdicts.iter().filter(|verdict| verdict.clear) {
        let topic = topics.iter().find(|topic| verdict.kind == "topic" && topic.name == verdict.name);
        let (from, to) = match (verdict.verdict, topic) {
            ("close", None) => {
                let change =
                    TaskChange { close: Some(Some(verdict.reason.clone())), ..TaskChange::default() };
                store.change_task(project, &verdict.name, &change, now).map_err(&fault)?;
                ("open", "closed")
            }
            ("done", Some(topic)) => {
                store.set_topic(project, Some(&topic.name), TopicState::Done, now).map_err(&fault)?;
                (topic.state.as_str(), "done")
            }
            ("pause", Some(topic)) => {
                store.set_topic(project, Some(&topic.name), TopicState::Paused, now).map_err(&fault)?;
                (topic.state.as_str(), "paused")
            }
            _ => continue,
        };
        progress.applied.push(Applied {
            kind: verdict.kind.to_owned(),
            name: verdict.name.clone(),
            from: from.to_owned(),
            to: to.to_owned(),
        });
        save(context, progress)?;
    }
    Ok(())
}

fn replace(context: &Context, store: &Store, scan: &Scan, progress: &Progress) -> Result<(), CliError> {
    let tasks = store.tasks(&context.project.id, TaskSelection::Open).map_err(state_fault(context))?;
    let memory = memory_entries(context);
    let knowledge = Knowledge {
        now: &context.now,
        family: family(context),
        tasks: &tasks,
        memory: &memory,
        floor: CONTEXT,
    };
    let outcome = compact(&Script::parse(&scan.text), Level::Deep, &knowledge);
    let digest = Script::parse(&outcome.text);
    let mut text = digest
        .record(1)
        .and_then(|record| record.pointer("/message/content")?.as_str())
        .unwrap_or_default()
        .to_owned();
    if scan.text.is_empty() {
        text = String::from("No session was there to conclude from.\n");
    }
    text.push_str("\n## Files of this rest\n- decisions.md, tasks.md, entities.md\n");
    write(context, progress, "context.md", &scan.kept(text))
}

fn tell(context: &Context, progress: &Progress) -> Result<(), CliError> {
    let fault = |error| CliError::failed("cannot tell the agent", error);
    heartbeat::clear(&RealFileSystem, &context.state, &context.project.id).map_err(fault)?;
    let place = folder(context, progress).join("context.md");
    let line = format!(
        "a rest was taken: read {} for conclusions and open tasks, and go on with the next step there",
        place.display()
    );
    heartbeat::notify(&RealFileSystem, &context.state, &context.project.id, &line).map_err(fault)
}

/// Takes back what the last rest did to tasks and topics; memory has `nidra undo`.
fn undo(context: &Context) -> Result<ExitCode, CliError> {
    let path = base(context).join("last.json");
    let last = atomic::read_if_present(&RealFileSystem, &path).map_err(unwritable)?;
    let progress: Option<Progress> = last.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let Some(mut progress) = progress else {
        return Err(CliError::usage("there is no rest to take back"));
    };
    let mut store = context.store()?;
    let (project, now) = (&context.project.id, context.now.timestamp());
    let fault = state_fault(context);
    let applied = std::mem::take(&mut progress.applied);
    for change in applied.iter().rev() {
        if change.kind == "task" {
            let reopen = TaskChange { reopen: true, ..TaskChange::default() };
            store.change_task(project, &change.name, &reopen, now).map_err(&fault)?;
        } else {
            let before = TopicState::parse(&change.from);
            store.set_topic(project, Some(&change.name), before, now).map_err(&fault)?;
        }
    }
    atomic::write(&RealFileSystem, &path, &serde_json::to_vec(&progress).unwrap_or_default())
        .map_err(unwritable)?;
    export(context, &store);
    if context.printer.json {
        print_json(context, &json!({ "taken_back": applied }))?;
    } else {
        context.printer.data(&format!("Took back {} changes of tasks and topics.", applied.len()));
        context.printer.say("What the rest wrote into memory is a run: `nidra undo` takes it back.");
    }
    Ok(ExitCode::SUCCESS)
}

fn answer(context: &Context, progress: &Progress, verdicts: &[Verdict]) -> Result<ExitCode, CliError> {
    let folder = folder(context, progress);
    if context.printer.json {
        let value = json!({
            "begun": progress.begun, "steps": progress.done, "folder": folder.display().to_string(),
            "verdicts": verdicts, "applied": progress.applied,
        });
        print_json(context, &value)?;
        return Ok(ExitCode::SUCCESS);
    }
    for verdict in verdicts.iter().filter(|verdict| verdict.verdict != "keep") {
        let done = progress
            .applied
            .iter()
            .any(|applied| applied.name == verdict.name && applied.kind == verdict.kind);
        let word = if done { "applied" } else { "proposed" };
        context.printer.data(&format!(
            "{word}: {} {} {}: {}",
            verdict.verdict, verdict.kind, verdict.name, verdict.reason
        ));
    }
    context.printer.data(&format!("The files of this rest are in {}.", folder.display()));
    Ok(ExitCode::SUCCESS)
}

fn base(context: &Context) -> PathBuf {
    context.state.join("projects").join(context.project.id.as_str()).join("rest")
}

fn folder(context: &Context, progress: &Progress) -> PathBuf {
    base(context).join(progress.begun.strftime("%Y%m%d-%H%M%S").to_string())
}

fn write(context: &Context, progress: &Progress, name: &str, text: &str) -> Result<(), CliError> {
    let folder = folder(context, progress);
    let clean = nidra_core::text::redact::redact_in(text, context.settings().redact.scope());
    atomic::create_directories(&RealFileSystem, &folder, true)
        .and_then(|_| atomic::write(&RealFileSystem, &folder.join(name), clean.as_bytes()))
        .map_err(unwritable)
}

fn load(context: &Context) -> Result<Option<Progress>, CliError> {
    let bytes =
        atomic::read_if_present(&RealFileSystem, &base(context).join("progress.json")).map_err(unwritable)?;
    // One that cannot be understood counts as none: the rest begins anew, and no step harms when done twice.
    Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
}

fn save(context: &Context, progress: &Progress) -> Result<(), CliError> {
    let bytes =
        serde_json::to_vec(progress).map_err(|error| CliError::failed("cannot store the rest", error))?;
    atomic::create_directories(&RealFileSystem, &base(context), true)
        .and_then(|_| atomic::write(&RealFileSystem, &base(context).join("progress.json"), &bytes))
        .map_err(unwritable)
}

/// The rest is over: its progress becomes the last one.
fn finish(context: &Context, progress: &Progress) -> Result<(), CliError> {
    let bytes =
        serde_json::to_vec(progress).map_err(|error| CliError::failed("cannot store the rest", error))?;
    atomic::write(&RealFileSystem, &base(context).join("last.json"), &bytes).map_err(unwritable)?;
    let file = base(context).join("progress.json");
    std::fs::remove_file(&file).map_err(PathError::wrap("remove", &file)).map_err(unwritable)
}

fn unwritable(error: PathError) -> CliError {
    CliError::failed("the files of the rest cannot be used", error)
}
