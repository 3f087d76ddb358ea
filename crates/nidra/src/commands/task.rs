//! `nidra task`: what is being worked on, by names of the user's own.

use crate::cli::{TaskArgs, TaskListArgs, TaskUpdateArgs, TaskVerb};
use crate::commands::print_json;
use crate::commands::working::{
    SHOWN, answer, demand_on, export, name, say_more, sentence, session_folders, shown_at_most, state_fault,
};
use crate::context::Context;
use crate::error::CliError;
use crate::printer::style::{self, paint};
use crate::render;
use nidra_core::text::wording::counted;
use nidra_memory::store::{
    Decide, Registration, Store, TaskChange, TaskOutcome, TaskRecord, TaskSelection, TaskState,
};
use nidra_rules::suggest::{self, Matter};
use nidra_working::{live, talk};
use serde_json::json;
use std::process::ExitCode;

/// `nidra task`
pub fn run(context: &Context, args: &TaskArgs) -> Result<ExitCode, CliError> {
    match &args.verb {
        TaskVerb::Register { id, goal, next_step } => register(context, id, goal, next_step),
        TaskVerb::Update(args) => update(context, args),
        TaskVerb::Close { id, outcome } => {
            let outcome = outcome.as_deref().map(|words| sentence(context, words)).transpose()?;
            let change = TaskChange { close: Some(outcome), ..TaskChange::default() };
            let task = apply(context, id, &change)?;
            answer(context, &task, &format!("Closed {}.", task.id))
        }
        TaskVerb::Reopen { id } => {
            let task = apply(context, id, &TaskChange { reopen: true, ..TaskChange::default() })?;
            answer(context, &task, &format!("{} is open again; next: {}", task.id, next(&task)))
        }
        TaskVerb::Stale => stale(context),
        TaskVerb::List(args) => list(context, args),
        TaskVerb::Show { id } => show(context, id),
    }
}

fn register(context: &Context, id: &str, goal: &str, next_step: &str) -> Result<ExitCode, CliError> {
    demand_on(context)?;
    let (id, goal, next_step) = (name(id)?, sentence(context, goal)?, sentence(context, next_step)?);
    let mut store = context.store_of_work()?;
    let now = context.now.timestamp();
    let registered = store
        .register_task(&context.project.id, &id, &goal, &next_step, now)
        .map_err(state_fault(context))?;
    match registered {
        Registration::New(task) => {
            export(context, &store);
            store.leave();
            answer(context, &task, &format!("Registered {}; next: {}", task.id, next(&task)))
        }
        Registration::Same(task) => {
            answer(context, &task, &format!("{} is registered already; nothing changed.", task.id))
        }
        Registration::Taken(task) => {
            let error = CliError::new(
                crate::error::ErrorKind::Refused,
                format!("there is another task {:?}, {}: {}", task.id, task.state.as_str(), task.goal),
            );
            let hint = if task.state == TaskState::Closed {
                format!("`nidra task reopen {}` goes on with it; else choose another name", task.id)
            } else {
                "`nidra task update` changes it; else choose another name".to_owned()
            };
            Err(error.hint(hint))
        }
    }
}

fn update(context: &Context, args: &TaskUpdateArgs) -> Result<ExitCode, CliError> {
    let words = |text: &Option<String>| text.as_deref().map(|text| sentence(context, text)).transpose();
    let decide = match &args.decide {
        None => None,
        Some(choice) => Some(Decide {
            number: args.decision,
            choice: words(choice)?,
            reason: words(&args.reason)?,
            alternatives: args
                .alternative
                .iter()
                .map(|other| sentence(context, other))
                .collect::<Result<_, _>>()?,
        }),
    };
    let change = TaskChange {
        advance: args.advance.as_ref().map(words).transpose()?,
        ask: words(&args.ask)?,
        decide,
        note: words(&args.note)?,
        goal: words(&args.goal)?,
        link: args.link.clone(),
        unlink: args.unlink.clone(),
        close: None,
        reopen: false,
    };
    if change == TaskChange::default() {
        return Err(CliError::usage("nothing is said that should change")
            .hint("`--advance`, `--decide`, `--ask`, `--note`, `--goal`, `--link` or `--unlink`"));
    }
    let task = apply(context, &args.id, &change)?;
    let waiting = task.open_decisions().count();
    let waiting =
        if waiting == 0 { String::new() } else { format!("; {} open", counted(waiting, "decision")) };
    answer(context, &task, &format!("{}: next: {}{waiting}", task.id, next(&task)))
}

fn apply(context: &Context, id: &str, change: &TaskChange) -> Result<TaskRecord, CliError> {
    demand_on(context)?;
    let id = name(id)?;
    let mut store = context.store_of_work()?;
    let outcome = store
        .change_task(&context.project.id, &id, change, context.now.timestamp())
        .map_err(state_fault(context))?;
    match outcome {
        TaskOutcome::Changed(task) => {
            export(context, &store);
            store.leave();
            Ok(*task)
        }
        TaskOutcome::Unknown => Err(unknown(context, &store, &id)),
        TaskOutcome::Closed => Err(CliError::usage(format!("the task {id:?} is closed"))
            .hint(format!("`nidra task reopen {id}` opens it again"))),
        TaskOutcome::Open => Err(CliError::usage(format!("the task {id:?} is open"))),
        TaskOutcome::NoDecision => Err(CliError::usage(format!("the task {id:?} has no such open decision"))
            .hint("`--ask QUESTION` opens one; `--decide CHOICE` records one that was never open")),
    }
}

fn unknown(context: &Context, store: &Store, id: &str) -> CliError {
    let error = CliError::usage(format!("there is no task {id:?}"));
    let tasks = store.tasks(&context.project.id, TaskSelection::Open).unwrap_or_default();
    match tasks.iter().min_by_key(|task| strsim::damerau_levenshtein(&task.id, id)) {
        Some(near) if strsim::damerau_levenshtein(&near.id, id) <= 3 => {
            error.hint(format!("did you mean {:?}?", near.id))
        }
        _ => error.hint("`nidra task list` lists them"),
    }
}

fn stale(context: &Context) -> Result<ExitCode, CliError> {
    demand_on(context)?;
    let mut store = context.store_of_work()?;
    let aged = store.age_tasks(&context.project.id, context.now.timestamp()).map_err(state_fault(context))?;
    export(context, &store);
    store.leave();
    let value = json!({ "round": aged.round, "tasks": aged.tasks, "decisions": aged.decisions });
    let tasks = counted(aged.tasks as usize, "open task");
    answer(context, &value, &format!("Round {}: {tasks} became a round older.", aged.round))
}

fn list(context: &Context, args: &TaskListArgs) -> Result<ExitCode, CliError> {
    if args.suggested {
        return suggested(context);
    }
    let store = context.store_to_read()?;
    if context.printer.json {
        let which = match (args.all, args.closed) {
            (true, _) => TaskSelection::All,
            (_, true) => TaskSelection::Closed,
            _ => TaskSelection::Open,
        };
        let mut tasks = store.tasks(&context.project.id, which).map_err(state_fault(context))?;
        tasks.truncate(args.limit.map_or(usize::MAX, shown_at_most));
        print_json(context, &tasks)?;
        return Ok(ExitCode::SUCCESS);
    }
    let most = shown_at_most(args.limit.unwrap_or(SHOWN));
    let fault = state_fault(context);
    let mut tasks = Vec::new();
    if !args.closed {
        tasks = store.tasks_at_hand(&context.project.id).map_err(&fault)?;
    }
    let open = tasks.len();
    if args.all || args.closed {
        // One more than is shown says whether there are more.
        let count = most.saturating_sub(open).saturating_add(1);
        tasks.extend(store.closed_last(&context.project.id, count).map_err(&fault)?);
    }
    store.leave();
    if tasks.is_empty() {
        context.printer.say("No tasks here. `nidra task register NAME GOAL NEXT_STEP` registers one.");
        return Ok(ExitCode::SUCCESS);
    }
    let lines: Vec<String> = tasks.iter().take(most).map(line).collect();
    context.printer.data(&lines.join("\n"));
    if tasks.len() > most {
        let (count, option) = match (args.all, args.closed) {
            (true, _) => (None, " --all"),
            (_, true) => (None, " --closed"),
            _ => (Some(tasks.len() - most), ""),
        };
        say_more(context, count, &format!("nidra task list{option} --limit 0"));
    }
    Ok(ExitCode::SUCCESS)
}

/// A task on one line.
fn line(task: &TaskRecord) -> String {
    let head = paint(style::HEAD, &task.id);
    if task.state == TaskState::Closed {
        let outcome = task.outcome.as_deref().map(|words| format!(" ({words})")).unwrap_or_default();
        return format!("{head}  {}{outcome}", paint(style::DIM, "closed"));
    }
    let mut text = format!("{head}  {}  next: {}", task.goal, next(task));
    if task.stale > 0 {
        let rounds = format!("  stale {}", counted(task.stale as usize, "round"));
        text.push_str(&paint(if task.stale >= 3 { style::WARN } else { style::DIM }, &rounds));
    }
    for decision in task.open_decisions() {
        let words = format!("  to decide ({} rounds): {}", decision.rounds, decision.question);
        text.push_str(&paint(style::WARN, &words));
    }
    text
}

fn next(task: &TaskRecord) -> &str {
    if task.next_step.is_empty() { "(nothing named)" } else { &task.next_step }
}

fn show(context: &Context, id: &str) -> Result<ExitCode, CliError> {
    let id = name(id)?;
    let store = context.store_to_read()?;
    let fault = state_fault(context);
    let Some(task) = store.task(&context.project.id, &id).map_err(&fault)? else {
        return Err(unknown(context, &store, &id));
    };
    let events = store.task_events(&context.project.id, &id).map_err(&fault)?;
    store.leave();
    if context.printer.json {
        print_json(context, &json!({ "task": task, "events": events }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut lines = vec![line(&task)];
    for decision in task.decisions.iter().filter(|decision| decision.decided.is_some()) {
        let choice = decision.choice.as_deref().unwrap_or("taken");
        let reason = decision.reason.as_deref().map(|why| format!(", because {why}")).unwrap_or_default();
        let others = if decision.alternatives.is_empty() {
            String::new()
        } else {
            format!(" (not {})", decision.alternatives.join(", "))
        };
        lines.push(format!("  decided: {} → {choice}{reason}{others}", decision.question));
    }
    lines.extend(task.links.iter().map(|entry| format!("  linked to {entry}")));
    for event in events {
        let at = render::moment(event.at, &context.zone());
        lines.push(format!("  {at}  {:<10} {}", event.kind, event.text));
    }
    context.printer.data(&lines.join("\n"));
    Ok(ExitCode::SUCCESS)
}

/// What the newest session suggests. Nothing is registered unless the settings say so, and then only goals, under a name
/// made of their record.
fn suggested(context: &Context) -> Result<ExitCode, CliError> {
    let found = match live::newest(&session_folders(context)) {
        Some(path) => {
            let conversation = talk::read(&path)
                .map_err(|error| CliError::failed(format!("cannot read {}", path.display()), error))?;
            suggest::suggestions(&conversation, &context.now)
        }
        None => Vec::new(),
    };
    let mut registered = Vec::new();
    if context.settings().working.register_suggested && !context.environment.disabled() {
        let mut store = context.store_of_work()?;
        let goals: Vec<_> = found.iter().filter(|suggestion| suggestion.matter == Matter::Goal).collect();
        for goal in goals {
            let id = format!("suggested-{}", goal.record.chars().take(8).collect::<String>());
            let text = sentence(context, &goal.text)?;
            let step = found.iter().find(|step| step.matter == Matter::Step && step.place >= goal.place);
            let step = step.map(|step| sentence(context, &step.text)).transpose()?.unwrap_or_default();
            let now = context.now.timestamp();
            let outcome = store.register_task(&context.project.id, &id, &text, &step, now);
            if let Registration::New(task) = outcome.map_err(state_fault(context))? {
                registered.push(task.id);
            }
        }
        export(context, &store);
    }
    if context.printer.json {
        let suggestions: Vec<_> = found
            .iter()
            .map(|one| json!({ "matter": one.matter.as_str(), "text": one.text, "record": one.record }))
            .collect();
        print_json(context, &json!({ "suggestions": suggestions, "registered": registered }))?;
        return Ok(ExitCode::SUCCESS);
    }
    if found.is_empty() {
        context.printer.say("The newest session suggests nothing.");
    }
    for one in &found {
        context.printer.data(&format!("{:<9} {}", one.matter.as_str(), one.text));
    }
    for id in registered {
        context.printer.say(&format!("Registered {id}."));
    }
    Ok(ExitCode::SUCCESS)
}
