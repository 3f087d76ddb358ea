//! `nidra map`: memory as one page, as Markdown, or as lines for the terminal. Memory is not changed.

use crate::cli::{Global, MapArgs};
use crate::commands::model::private_entries_of;
use crate::commands::print_json;
use crate::context::Context;
use crate::error::{CliError, ErrorKind};
use crate::printer::style::{self, paint};
use jiff::Timestamp;
use nidra_core::text::redact::Scope;
use nidra_core::text::width;
use nidra_core::text::wording::counted;
use nidra_core::{EntryId, ProjectId};
use nidra_dream::checkout::Bounds;
use nidra_dream::drift::{self, Drift};
use nidra_dream::kept::{self, KeptPlan};
use nidra_dream::standing::Sources;
use nidra_dream::usage::Uses;
use nidra_map::gather::{self, Known};
use nidra_map::{Entry, Map, markdown, page};
use nidra_memory::atomic::{self, RealFileSystem};
use nidra_memory::directory::MemoryDirectory;
use nidra_memory::store::{PlanRecord, RunRecord, Store, StoreError, TaskRecord, TaskSelection};
use nidra_model::privacy::LocalOnly;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Dreams that the map can go back to, before those that changed nothing are left out.
const RUNS: u32 = 2_000;
/// Columns of an entry in the terminal.
const SHOWN_COLUMNS: usize = 96;
/// Entries of a community that the terminal shows.
const SHOWN_ENTRIES: usize = 4;

/// `nidra map`
pub fn run(context: &Context, args: &MapArgs) -> Result<ExitCode, CliError> {
    if args.markdown && context.printer.json && args.output.is_none() {
        return Err(CliError::usage("--markdown and --json exclude each other").hint("leave one of them out"));
    }
    let projects = load(context, args.all_projects)?;
    let map = gather::gather(&known(&projects), &title(&projects), context.now.timestamp());
    if let Some(output) = &args.output {
        let form = if args.markdown { Form::Markdown } else { Form::of(output, context.printer.json) };
        let output = std::path::absolute(output)
            .map_err(|error| CliError::failed(format!("cannot resolve {}", output.display()), error))?;
        write(context, &map, form, &output)?;
        if context.printer.json {
            print_json(context, &serde_json::json!({ "output": output.display().to_string() }))?;
        } else {
            context.printer.data(&output.display().to_string());
        }
        return Ok(ExitCode::SUCCESS);
    }
    if context.printer.json {
        print_json(context, &map)?;
    } else if args.markdown {
        context.printer.data(markdown::markdown(&map).trim_end());
    } else {
        show(context, &map);
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes the map where the settings want it after each dream. That it cannot be written is told and fails nothing: the
/// dream is done.
pub(super) fn after_dream(context: &Context) {
    let Some(wanted) = &context.settings().map.after_dream else { return };
    let written = load(context, false).and_then(|projects| {
        let map = gather::gather(&known(&projects), &title(&projects), context.now.timestamp());
        let folder = wanted.is_dir() || wanted.to_string_lossy().ends_with('/');
        let name = || {
            let id = context.project.id.as_str();
            format!("{}-{}.html", file_name(&map.title), id.get(..8).unwrap_or(id))
        };
        let place = if folder { wanted.join(name()) } else { wanted.clone() };
        if let Some(above) = place.parent() {
            std::fs::create_dir_all(above)
                .map_err(|error| CliError::failed(format!("cannot make {}", above.display()), error))?;
        }
        write(context, &map, Form::of(&place, false), &place)
    });
    if let Err(error) = written {
        context.printer.warn(&format!(
            "warning: the map was not written to {} (map.after_dream): {}",
            wanted.display(),
            error.message
        ));
    }
}

/// The forms of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Page,
    Markdown,
    Json,
}

impl Form {
    fn of(path: &Path, json: bool) -> Self {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("md" | "markdown") => Self::Markdown,
            Some("json") => Self::Json,
            _ if json => Self::Json,
            _ => Self::Page,
        }
    }
}

fn write(context: &Context, map: &Map, form: Form, place: &Path) -> Result<(), CliError> {
    let folder = place.parent().unwrap_or(place);
    let folder = folder.canonicalize().map_err(|error| {
        CliError::failed(format!("cannot write into {}", folder.display()), error)
            .hint("make the folder first")
    })?;
    // Only a dream writes there, and what stands there would be read as memory.
    let memory = context.memory.canonicalize().unwrap_or_else(|_| context.memory.clone());
    if folder.starts_with(&memory) {
        let message = format!("{} lies in the memory directory", place.display());
        return Err(CliError::new(ErrorKind::Refused, message).hint("name another place for the map"));
    }
    let unwritable = |error| CliError::failed("cannot write the map as JSON", error);
    let text = match form {
        Form::Page => page::page(map).map_err(unwritable)?,
        Form::Markdown => markdown::markdown(map),
        Form::Json => serde_json::to_string_pretty(map).map_err(unwritable)?,
    };
    // A device, a pipe or a folder is not replaced by a file, and a link keeps what it points to.
    if std::fs::symlink_metadata(place).is_ok_and(|status| !status.is_file()) {
        return Err(CliError::usage(format!("{} is no ordinary file", place.display()))
            .hint("name a file; without -o the map is printed"));
    }
    atomic::write(&RealFileSystem, place, text.as_bytes())
        .map_err(|error| CliError::failed(format!("cannot write {}", place.display()), error))
}

/// A title as the name of a file.
fn file_name(title: &str) -> String {
    title.chars().map(|c| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '-' }).collect()
}

/// What is known of a project, in hand.
pub(super) struct Loaded {
    id: ProjectId,
    name: String,
    memory: MemoryDirectory,
    sources: Sources,
    uses: Uses,
    drift: Drift,
    runs: Vec<RunRecord>,
    plans: Vec<(PlanRecord, KeptPlan)>,
    tasks: Vec<TaskRecord>,
    hidden: BTreeSet<EntryId>,
    scope: Scope,
}

/// The projects as the map takes them.
pub(super) fn known(projects: &[Loaded]) -> Vec<Known<'_>> {
    projects
        .iter()
        .map(|project| Known {
            project: &project.id,
            name: &project.name,
            memory: &project.memory,
            sources: &project.sources,
            uses: &project.uses,
            drift: &project.drift,
            runs: &project.runs,
            plans: &project.plans,
            tasks: &project.tasks,
            hidden: &project.hidden,
            scope: project.scope,
        })
        .collect()
}

/// What stands above a map.
pub(super) fn title(projects: &[Loaded]) -> String {
    match projects {
        [one] => one.name.clone(),
        several => format!("{} projects", several.len()),
    }
}

/// The memory of this project, or of all that may be shown together.
pub(super) fn load(context: &Context, all: bool) -> Result<Vec<Loaded>, CliError> {
    let store = context.store_to_read()?;
    let own = &context.project;
    let alone = LocalOnly::of(&context.settings().model, &own.root);
    if !all || alone.is_everything() {
        if all {
            context
                .printer
                .say("This project stays by itself (model.local_only), so the map is of it alone.");
        }
        let hidden = BTreeSet::new();
        return Ok(vec![load_one(context, &store, &own.id, name_of(&own.root), &context.memory, hidden)?]);
    }
    let mut places: Vec<(ProjectId, PathBuf, PathBuf)> = store
        .projects()
        .map_err(|error| unreadable(context, error))?
        .into_iter()
        .filter(|project| project.adopted_by.is_none() && project.id != own.id)
        .map(|project| (project.id, project.root, project.memory_directory))
        .collect();
    places.push((own.id.clone(), own.root.clone(), context.memory.clone()));
    places.sort_by(|left, right| left.1.cmp(&right.1));
    let (mut loaded, mut left_out) = (Vec::new(), 0_usize);
    for (id, root, memory) in places.into_iter().filter(|(_, _, memory)| memory.is_dir()) {
        let global = Global {
            project: None,
            json: context.printer.json,
            quiet: context.printer.quiet,
            as_of: Some(context.now.timestamp().to_string()),
        };
        let of = Context::of(&global, context.environment.clone(), &root)?;
        let local = LocalOnly::of(&of.settings().model, &root);
        // Settings that cannot be read might have said that the project stays by itself.
        if local.is_everything() || of.project_settings_fault.is_some() {
            left_out += 1;
            continue;
        }
        let hidden = private_entries_of(&id, &store, &local)?;
        loaded.push(load_one(&of, &store, &id, name_of(&root), &memory, hidden)?);
    }
    if left_out > 0 {
        context.printer.say(&format!(
            "{left_out} of the projects stay by themselves (model.local_only, model.local_projects) and are left out."
        ));
    }
    Ok(loaded)
}

fn unreadable(context: &Context, error: StoreError) -> CliError {
    CliError::failed(format!("cannot read the state directory {}", context.state.display()), error)
}

fn name_of(root: &Path) -> String {
    root.file_name().map_or_else(|| root.display().to_string(), |name| name.to_string_lossy().into_owned())
}

fn load_one(
    context: &Context,
    store: &Store,
    id: &ProjectId,
    name: String,
    directory: &Path,
    hidden: BTreeSet<EntryId>,
) -> Result<Loaded, CliError> {
    let memory = if directory.is_dir() {
        MemoryDirectory::load(directory).map_err(|error| {
            CliError::failed(format!("cannot read the memory directory {}", directory.display()), error)
                .hint("mend the cause, or name another directory with memory.directory")
        })?
    } else {
        MemoryDirectory::from_files([])
    };
    let drift = drift::look(&memory, &context.project.checkout, &Bounds::default());
    Ok(Loaded {
        id: id.clone(),
        name,
        sources: store.recorded_sources(id).map_err(|error| unreadable(context, error))?,
        uses: store.uses(id).map_err(|error| unreadable(context, error))?,
        drift,
        runs: store.runs(id, RUNS).map_err(|error| unreadable(context, error))?,
        plans: kept::load(store, id).map_err(|error| unreadable(context, error))?,
        tasks: store.tasks(id, TaskSelection::Open).map_err(|error| unreadable(context, error))?,
        hidden,
        scope: context.settings().redact.scope(),
        memory,
    })
}

/// The map in a terminal: communities with their most important entries, then what needs a look.
fn show(context: &Context, map: &Map) {
    let printer = context.printer;
    let active = map.active().count();
    if active == 0 {
        printer.say(&format!("Memory in {} has no entries.", context.memory.display()));
    }
    for (number, _) in map.communities.iter().enumerate() {
        let mut held: Vec<&Entry> =
            map.active().map(|(_, entry)| entry).filter(|entry| entry.community == number).collect();
        if held.is_empty() {
            continue;
        }
        held.sort_by(|left, right| right.importance.total_cmp(&left.importance));
        printer.data(&format!("{}  {}", paint(style::HEAD, &map.title_of(number)), held.len()));
        for entry in held.iter().take(SHOWN_ENTRIES) {
            let words = width::shorten_columns(&one_line(&entry.text), SHOWN_COLUMNS);
            let age = paint(style::DIM, &age(entry, context.now.timestamp()));
            printer.data(&format!("  {} {words}  {age}{}", markdown::bar(entry.importance), signs(entry)));
        }
        if held.len() > SHOWN_ENTRIES {
            printer.data(&paint(style::DIM, &format!("  and {} more", held.len() - SHOWN_ENTRIES)));
        }
    }
    if !map.loops.is_empty() {
        printer.data(&paint(style::HEAD, "Open"));
    }
    for open in &map.loops {
        let words = width::shorten_columns(&one_line(&open.text), SHOWN_COLUMNS);
        printer.data(&format!("  {:<8} {words}  {}", open.kind, paint(style::DIM, &one_line(&open.detail))));
    }
    let entries = if active == 1 { "1 entry".to_owned() } else { format!("{active} entries") };
    printer.say(&format!(
        "{entries}, {} left memory, {}, {}. `nidra map --output map.html` draws them.",
        map.entries.len() - active,
        counted(map.links.len(), "link"),
        counted(map.runs.len(), "dream")
    ));
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// How long ago an entry was last said.
fn age(entry: &Entry, now: Timestamp) -> String {
    match entry.said.map(|said| now.duration_since(said).as_hours() / 24) {
        None => String::new(),
        Some(days) if days <= 0 => "today".to_owned(),
        Some(1) => "yesterday".to_owned(),
        Some(days) => format!("{days} days ago"),
    }
}

/// What a person should know of an entry before believing it.
fn signs(entry: &Entry) -> String {
    let mut signs = String::new();
    let mut add = |style, words: &str| {
        let _ = write!(signs, "  {}", paint(style, words));
    };
    if let Some(drift) = &entry.drift {
        add(style::WARN, drift.verdict);
    }
    if !entry.contradicts.is_empty() {
        add(style::BAD, "contradicts another");
    }
    if entry.waits.is_some() {
        add(style::WARN, "waits for your word");
    }
    signs
}
