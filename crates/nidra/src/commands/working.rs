//! What the commands of working memory share: names, the live session, the judgement, and files for other programs.

use crate::commands::print_json;
use crate::context::Context;
use crate::error::CliError;
use nidra_core::error::PathError;
use nidra_core::text::redact;
use nidra_core::text::token::Family;
use nidra_memory::atomic::{FileSystem as _, RealFileSystem};
use nidra_memory::directory::MemoryDirectory;
use nidra_memory::store::{Store, StoreError, TaskRecord, TaskSelection, TopicRecord};
use nidra_sessions::claude;
use nidra_working::fragmentation::{self, Facts, Fragmentation};
use nidra_working::{export, live};
use std::path::PathBuf;
use std::process::ExitCode;

/// Characters of a name at most.
const MAX_NAME: usize = 120;

/// Characters of a sentence at most.
const MAX_TEXT: usize = 2_000;

/// A name of the user's, as it is stored: any words on one line.
pub(super) fn name(text: &str) -> Result<String, CliError> {
    let name = text.trim();
    if !redact::find(name).is_empty() {
        return Err(CliError::usage("a name must not hold what looks like a secret"));
    }
    let fits = !name.is_empty() && name.chars().count() <= MAX_NAME && !name.chars().any(char::is_control);
    if fits {
        return Ok(name.to_owned());
    }
    Err(CliError::usage(format!("{text:?} is no name: it has to be one line of 1 to {MAX_NAME} characters")))
}

/// Words of the user's, as they are stored: without secrets, and not endless.
pub(super) fn sentence(context: &Context, text: &str) -> Result<String, CliError> {
    let text = text.trim();
    if text.chars().count() > MAX_TEXT {
        return Err(CliError::usage(format!("the text is longer than {MAX_TEXT} characters"))
            .hint("keep the sentence that matters, and put the rest into a file"));
    }
    Ok(redact::redact_in(text, context.settings().redact.scope()))
}

/// A fault of the state database as the end of a command.
pub(super) fn state_fault(context: &Context) -> impl Fn(StoreError) -> CliError + '_ {
    |error| CliError::failed(format!("cannot use the state directory {}", context.state.display()), error)
}

/// Refuses to change anything while nidra is switched off.
pub(super) fn demand_on(context: &Context) -> Result<(), CliError> {
    context.demand_on()?;
    context.demand_settings()
}

/// The family of tokenizers that the settings name.
pub(super) fn family(context: &Context) -> Family {
    Family::of_model(&context.settings().working.tokenizer)
}

/// The folders in which the client keeps the sessions of this checkout.
pub(super) fn session_folders(context: &Context) -> Vec<PathBuf> {
    let folder = |path: &PathBuf| context.client.join("projects").join(claude::slug(path));
    let mut folders = vec![folder(&context.project.checkout)];
    if context.project.root != context.project.checkout {
        folders.push(folder(&context.project.root));
    }
    folders
}

/// The entries of memory with their files; a directory that is not there or cannot be read has none.
pub(super) fn memory_entries(context: &Context) -> Vec<(String, String)> {
    let Ok(memory) = MemoryDirectory::load(&context.memory) else { return Vec::new() };
    let topics = memory.view().topics;
    topics
        .into_iter()
        .flat_map(|topic| {
            let path = topic.path;
            topic.entries.into_iter().map(move |entry| (path.clone(), entry.text))
        })
        .collect()
}

/// What is being worked on.
pub(super) struct State {
    pub(super) tasks: Vec<TaskRecord>,
    pub(super) topics: Vec<TopicRecord>,
}

/// Reads what is being worked on, whole.
pub(super) fn state(context: &Context, store: &Store) -> Result<State, CliError> {
    let fault = state_fault(context);
    let tasks = store.tasks(&context.project.id, TaskSelection::Open).map_err(&fault)?;
    let topics = store.topics(&context.project.id, false).map_err(&fault)?;
    Ok(State { tasks, topics })
}

/// Judges how scattered the work is; `tokens` takes the place of what the newest session says.
pub(super) fn judgement(
    context: &Context,
    store: &Store,
    tokens: Option<u64>,
) -> Result<Fragmentation, CliError> {
    let fault = state_fault(context);
    let tasks = store.tasks_at_hand(&context.project.id).map_err(&fault)?;
    let topics = store.topics(&context.project.id, false).map_err(&fault)?;
    Ok(judge(context, &tasks, &topics, tokens))
}

fn judge(
    context: &Context,
    tasks: &[TaskRecord],
    topics: &[TopicRecord],
    tokens: Option<u64>,
) -> Fragmentation {
    let tokens = tokens.or_else(|| {
        let transcript = live::newest(&session_folders(context))?;
        Some(live::window_use(&transcript, family(context))?.tokens)
    });
    let facts = Facts { tasks, topics, tokens, turns: None, dullness: None };
    fragmentation::measure(&facts, &context.settings().working)
}

/// Writes the files for other programs where the settings ask for them. They follow from what the database holds, and
/// the change that they follow is made: where they cannot be written, that is a warning, for a failure would have the
/// change made once more.
pub(super) fn export(context: &Context, store: &Store) {
    if let Err(error) = export_cleaned(context, store) {
        let causes = error.render();
        let causes = causes.strip_prefix("error: ").unwrap_or(&causes);
        context.printer.warn(&format!(
            "warning: {causes}\n  hint: the change is made; the next one after that place is mended writes all files"
        ));
    }
}

/// The same after a purge, which has failed as long as a file says what was purged. The database is read under a lock, so
/// that of calls in parallel the last one to write has seen what all others did.
pub(super) fn export_cleaned(context: &Context, store: &Store) -> Result<(), CliError> {
    if !context.settings().working.export {
        return Ok(());
    }
    let fault = state_fault(context);
    let unwritten = |error: PathError| CliError::failed("cannot write the files of working.export", error);
    let now = context.now.timestamp();
    let (project, checkout) = (&context.project.id, &context.project.checkout);
    let lock = RealFileSystem
        .open_lock(&context.state.join("export.lock"))
        .and_then(|file| {
            let locked = file.lock();
            locked.map(|()| file).map_err(PathError::wrap("lock", checkout))
        })
        .map_err(unwritten)?;
    let tasks = store.tasks(project, TaskSelection::All).map_err(&fault)?;
    let topics = store.topics(project, true).map_err(&fault)?;
    let round = store.round(project).map_err(&fault)?.map_or(0, |(round, _)| round);
    let found = judge(context, &tasks, &topics, None);
    for (name, value) in [
        ("task-state.json", export::task_state(&tasks, round, now)),
        ("topic-state.json", export::topic_state(&topics, now)),
        ("metrics.json", export::metrics(&found, now)),
    ] {
        export::write(&RealFileSystem, checkout, name, &value).map_err(unwritten)?;
    }
    drop(lock);
    Ok(())
}

/// So much of a list is shown to a person who does not say how much; a program gets all of it.
pub(super) const SHOWN: usize = 20;

/// How much a limit lets through; none at all is no limit.
pub(super) fn shown_at_most(limit: usize) -> usize {
    if limit == 0 { usize::MAX } else { limit }
}

/// Says that a list is not whole, how much is left where that is known, and how to see it.
pub(super) fn say_more(context: &Context, left: Option<usize>, all: &str) {
    let left = left.map_or_else(|| "There are more".to_owned(), |left| format!("{left} more"));
    context.printer.say(&format!("{left}; `{all}` lists all."));
}

/// Ends a command: a value as JSON, else a sentence.
pub(super) fn answer(
    context: &Context,
    value: &impl serde::Serialize,
    sentence: &str,
) -> Result<ExitCode, CliError> {
    if context.printer.json {
        print_json(context, value)?;
    } else {
        context.printer.data(sentence);
    }
    Ok(ExitCode::SUCCESS)
}
