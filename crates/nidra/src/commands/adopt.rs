//! `nidra adopt`: brings over the memory of a project that moved, or that is not used any more.

use crate::cli::AdoptArgs;
use crate::commands::print_json;
use crate::commands::undo::lease_to_change;
use crate::context::{Context, client_environment};
use crate::error::{CliError, ErrorKind};
use crate::render;
use nidra_dream::adopt::{AdoptError, Takeover, adopt};
use nidra_memory::directory::MemoryDirectory;
use nidra_memory::store::{ProjectRecord, Store, StoreError};
use nidra_sessions::{Project, claude, project, repository};
use std::path::Path;
use std::process::ExitCode;

/// `nidra adopt`
pub fn run(context: &Context, args: &AdoptArgs) -> Result<ExitCode, CliError> {
    let Some(path) = &args.path else { return list(context) };
    context.demand_on()?;
    let mut store = context.store()?;
    let path = std::path::absolute(path)
        .map_err(|error| CliError::failed(format!("cannot resolve {}", path.display()), error))?;
    let path = project::canonical(&path);
    let known = store.projects().map_err(|error| unreadable(context, error))?;
    let other = known
        .into_iter()
        .chain([never_met(context, &path)])
        .filter(|other| other.id != context.project.id && project::is_same(&other.root, &path))
        .find(|other| has_memory(context, other))
        .ok_or_else(|| {
            CliError::usage(format!("no memory of a project at {} is known", path.display()))
                .hint("`nidra adopt` alone lists the memories of this repository that are not used here")
        })?;
    let lease = lease_to_change(context, &mut store, "adopt")?;
    let (root, now) = (&context.project.root, context.now.timestamp());
    store
        .put_project(&context.project.id, root, &context.memory, now)
        .map_err(|error| unreadable(context, error))?;
    let takeover = Takeover {
        project: &context.project,
        memory_root: &context.memory,
        settings: context.settings(),
        now: &context.now,
    };
    let report = adopt(&takeover, &mut store, &lease, &other).map_err(|error| match error {
        AdoptError::Nothing(_) => CliError::new(ErrorKind::Refused, error.to_string()),
        error => CliError::failed("nothing was taken over; both memories are as they were", error),
    })?;
    if context.printer.json {
        print_json(context, &report)?;
    } else {
        context.printer.data(render::report(&report, &context.zone(), false).trim_end());
        for diagnostic in &report.diagnostics {
            context.printer.warn(&render::diagnostic(diagnostic));
        }
        context.printer.say(&format!(
            "{} stays as it is. {}",
            other.memory_directory.display(),
            render::ending(&report)
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// A project that nidra never dreamt for: its memory is where the client would have it.
fn never_met(context: &Context, root: &Path) -> ProjectRecord {
    let project = Project { id: project::id(root), root: root.to_owned(), checkout: root.to_owned() };
    let location =
        claude::memory_directory(&project, &client_environment(&context.environment), &context.client);
    ProjectRecord {
        id: project.id,
        root: project.root,
        memory_directory: location.directory,
        first_seen: context.now.timestamp(),
        repository: None,
        adopted_by: None,
    }
}

fn list(context: &Context) -> Result<ExitCode, CliError> {
    let found = unused(context, &context.store_to_read()?).map_err(|error| unreadable(context, error))?;
    if context.printer.json {
        print_json(context, &as_json(&found))?;
        return Ok(ExitCode::SUCCESS);
    }
    if found.is_empty() {
        context.printer.say("No memory of this repository lies unused elsewhere.");
    }
    for other in found {
        context.printer.data(&format!("{}  {}", other.root.display(), other.memory_directory.display()));
    }
    Ok(ExitCode::SUCCESS)
}

/// Memories of the same repository that no session loads any more: their directory is gone, or by the present settings
/// belongs to this project.
///
/// # Errors
/// When the state database cannot be read.
pub fn unused(context: &Context, store: &Store) -> Result<Vec<ProjectRecord>, StoreError> {
    let Some(repository) = repository::identity(&context.project.root) else { return Ok(Vec::new()) };
    let home = context.environment.home();
    let share = context.settings().memory.share_worktrees;
    let is_unused = |root: &Path| {
        !root.exists() || project::identify_with_home(root, share, home.as_deref()).id == context.project.id
    };
    Ok(store
        .projects()?
        .into_iter()
        .filter(|other| other.id != context.project.id && other.adopted_by.is_none())
        .filter(|other| other.repository.as_ref() == Some(&repository))
        .filter(|other| is_unused(&other.root) && has_memory(context, other))
        .collect())
}

/// Whether a project's memory is another one than that of the context, and holds something.
fn has_memory(context: &Context, other: &ProjectRecord) -> bool {
    other.memory_directory != context.memory
        && MemoryDirectory::load(&other.memory_directory).is_ok_and(|memory| !memory.files.is_empty())
}

/// Unused memories for programs.
pub fn as_json(unused: &[ProjectRecord]) -> serde_json::Value {
    let one = |other: &ProjectRecord| {
        serde_json::json!({
            "root": other.root.display().to_string(), "memory": other.memory_directory.display().to_string(),
        })
    };
    unused.iter().map(one).collect()
}

fn unreadable(context: &Context, error: StoreError) -> CliError {
    CliError::failed(format!("cannot use the state directory {}", context.state.display()), error)
}
