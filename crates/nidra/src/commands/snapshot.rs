//! `nidra snapshot`: what memory was on other days, and putting it back.

use crate::cli::{SnapshotArgs, SnapshotVerb};
use crate::commands::print_json;
use crate::commands::undo::lease_to_change;
use crate::commands::working::{answer, demand_on, state_fault};
use crate::context::Context;
use crate::error::{CliError, ErrorKind};
use crate::printer::style::{self, paint};
use crate::render;
use nidra_core::error::PathError;
use nidra_core::text::wording::counted;
use nidra_memory::atomic::RealFileSystem;
use nidra_memory::commit::{NewRun, commit};
use nidra_memory::objects::Objects;
use nidra_memory::store::{RunRecord, SnapshotRecord, Store};
use nidra_memory::{ChangeSet, FileChange};
use nidra_working::snapshots::{self, SnapshotError};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::process::ExitCode;

/// The name under which a restoring run is recorded.
const ENGINE: &str = "restore";

/// `nidra snapshot`
pub fn run(context: &Context, args: &SnapshotArgs) -> Result<ExitCode, CliError> {
    match &args.verb {
        SnapshotVerb::Take => take(context),
        SnapshotVerb::List => list(context),
        SnapshotVerb::Show { snapshot, file } => show(context, snapshot, file.as_deref()),
        SnapshotVerb::Diff { snapshot, other } => diff(context, snapshot, other.as_deref()),
        SnapshotVerb::Restore { snapshot, file, dry_run } => {
            restore(context, snapshot, file.as_deref(), *dry_run)
        }
        SnapshotVerb::Verify { snapshot } => verify(context, snapshot.as_deref()),
        SnapshotVerb::Prune => prune(context),
    }
}

/// Takes the daily snapshot where it is due, and drops those that are too old.
pub(super) fn daily(context: &Context, store: &mut Store) -> Result<(), CliError> {
    if !context.memory.is_dir() {
        return Ok(());
    }
    let (project, now) = (&context.project.id, context.now.timestamp());
    let known = store.snapshots(project).map_err(state_fault(context))?;
    if !snapshots::is_due(&known, now) {
        return Ok(());
    }
    snapshots::take(store, &RealFileSystem, project, &context.memory, "daily", now).map_err(fault)?;
    let days = context.settings().working.snapshot_days;
    snapshots::prune(store, &RealFileSystem, project, days, now).map_err(fault)?;
    Ok(())
}

fn take(context: &Context) -> Result<ExitCode, CliError> {
    demand_on(context)?;
    let mut store = context.store()?;
    let now = context.now.timestamp();
    let taken =
        snapshots::take(&mut store, &RealFileSystem, &context.project.id, &context.memory, "asked", now)
            .map_err(fault)?;
    answer(context, &as_json(&taken), &format!("Took the snapshot {}.", short(&taken)))
}

fn list(context: &Context) -> Result<ExitCode, CliError> {
    let store = context.store_to_read()?;
    let known = store.snapshots(&context.project.id).map_err(state_fault(context))?;
    store.leave();
    if context.printer.json {
        print_json(context, &known.iter().map(as_json).collect::<Vec<_>>())?;
        return Ok(ExitCode::SUCCESS);
    }
    if known.is_empty() {
        context
            .printer
            .say("No snapshots yet. `nidra snapshot take` takes one; a dream takes one before it writes.");
    }
    for snapshot in &known {
        let at = render::moment(snapshot.at, &context.zone());
        let run = snapshot.run.as_ref().map(|run| format!("  before run {run}")).unwrap_or_default();
        context.printer.data(&format!(
            "{}  {at}  {}{run}",
            paint(style::HEAD, short(snapshot)),
            snapshot.cause
        ));
    }
    Ok(ExitCode::SUCCESS)
}

fn show(context: &Context, wanted: &str, file: Option<&str>) -> Result<ExitCode, CliError> {
    let store = context.store_to_read()?;
    let snapshot = find(context, &store, wanted)?;
    let contents = contents(context, &snapshot)?;
    if let Some(file) = file {
        let bytes = contents.get(file).ok_or_else(|| fault(SnapshotError::NoFile(file.to_owned())))?;
        let text = String::from_utf8_lossy(bytes);
        return answer(context, &json!({ "path": file, "text": text }), text.trim_end());
    }
    let files: Vec<Value> =
        contents.iter().map(|(path, bytes)| json!({ "path": path, "bytes": bytes.len() })).collect();
    if context.printer.json {
        let mut value = as_json(&snapshot);
        value["files"] = files.into();
        print_json(context, &value)?;
        return Ok(ExitCode::SUCCESS);
    }
    for (path, bytes) in &contents {
        context.printer.data(&format!("{:>8}  {path}", bytes.len()));
    }
    Ok(ExitCode::SUCCESS)
}

fn diff(context: &Context, wanted: &str, other: Option<&str>) -> Result<ExitCode, CliError> {
    let store = context.store_to_read()?;
    let then = contents(context, &find(context, &store, wanted)?)?;
    let later = match other {
        Some(other) => contents(context, &find(context, &store, other)?)?,
        None => live(context)?,
    };
    let changes = snapshots::changes(&then, &later, None).map_err(fault)?;
    print_changes(context, &changes)
}

fn restore(context: &Context, wanted: &str, file: Option<&str>, dry_run: bool) -> Result<ExitCode, CliError> {
    demand_on(context)?;
    if dry_run {
        let store = context.store_to_read()?;
        let then = contents(context, &find(context, &store, wanted)?)?;
        return print_changes(context, &snapshots::changes(&live(context)?, &then, file).map_err(fault)?);
    }
    let mut store = context.store()?;
    let snapshot = find(context, &store, wanted)?;
    let then = contents(context, &snapshot)?;
    let lease = lease_to_change(context, &mut store, ENGINE)?;
    let changes = snapshots::changes(&live(context)?, &then, file).map_err(fault)?;
    if changes.is_empty() {
        return answer(
            context,
            &json!({ "run": null, "files": [] }),
            "Memory is as it was then; nothing changed.",
        );
    }
    let (project, now) = (&context.project.id, context.now.timestamp());
    let fault_of_state = state_fault(context);
    store.put_project(project, &context.project.root, &context.memory, now).map_err(&fault_of_state)?;
    let run = nidra_dream::new_run(&store, project, &context.now).map_err(&fault_of_state)?;
    let mut new = NewRun::new(RunRecord::begin(run.clone(), project.clone(), now, ENGINE, "manual"));
    new.record.counts = json!({ "files": changes.files.len() });
    let committed = commit(&mut store, &lease, &RealFileSystem, &new, &changes)
        .map_err(|error| CliError::failed("nothing was put back; memory is as it was", error))?;
    for warning in &committed.warnings {
        context.printer.warn(&format!("warning: {warning}"));
    }
    let words = format!(
        "Put back {} from {}. `nidra undo {run}` takes that back.",
        counted(committed.written.len(), "file"),
        short(&snapshot)
    );
    answer(context, &json!({ "run": run, "files": committed.written }), &words)
}

fn verify(context: &Context, wanted: Option<&str>) -> Result<ExitCode, CliError> {
    let store = context.store_to_read()?;
    let known = match wanted {
        Some(wanted) => vec![find(context, &store, wanted)?],
        None => store.snapshots(&context.project.id).map_err(state_fault(context))?,
    };
    let files = RealFileSystem;
    let objects = Objects::new(&context.state, &files);
    let mut bad = 0;
    let mut answers = Vec::new();
    for snapshot in &known {
        let problems = snapshots::verify(&objects, &snapshot.object);
        bad += usize::from(!problems.is_empty());
        if context.printer.json {
            let mut value = as_json(snapshot);
            value["problems"] = problems.into();
            answers.push(value);
        } else {
            let verdict =
                if problems.is_empty() { paint(style::GOOD, "good") } else { paint(style::BAD, "damaged") };
            context.printer.data(&format!("{}  {verdict}", short(snapshot)));
            for problem in problems {
                context.printer.data(&format!("    {problem}"));
            }
        }
    }
    if context.printer.json {
        print_json(context, &answers)?;
    }
    Ok(if bad == 0 { ExitCode::SUCCESS } else { ExitCode::from(ErrorKind::Failed.exit_code()) })
}

fn prune(context: &Context) -> Result<ExitCode, CliError> {
    demand_on(context)?;
    let mut store = context.store()?;
    let days = context.settings().working.snapshot_days;
    let pruned =
        snapshots::prune(&mut store, &RealFileSystem, &context.project.id, days, context.now.timestamp())
            .map_err(fault)?;
    let kept =
        pruned.kept_because.as_deref().map(|why| format!(" Contents stay: {why}.")).unwrap_or_default();
    let words = format!(
        "Dropped {} older than {days} days, and {} that nothing needs any more.{kept}",
        counted(pruned.dropped.len(), "snapshot"),
        counted(pruned.objects, "content")
    );
    let value = json!({
        "dropped": pruned.dropped.iter().map(as_json).collect::<Vec<_>>(), "objects": pruned.objects,
        "kept_because": pruned.kept_because,
    });
    answer(context, &value, &words)
}

fn find(context: &Context, store: &Store, wanted: &str) -> Result<SnapshotRecord, CliError> {
    let known = store.snapshots(&context.project.id).map_err(state_fault(context))?;
    snapshots::find(&known, wanted).cloned().ok_or_else(|| {
        CliError::usage(format!("no snapshot is called {wanted}")).hint("`nidra snapshot list` lists them")
    })
}

fn contents(context: &Context, snapshot: &SnapshotRecord) -> Result<BTreeMap<String, Vec<u8>>, CliError> {
    let files = RealFileSystem;
    let objects = Objects::new(&context.state, &files);
    let manifest = objects.manifest(&snapshot.object).map_err(|error| fault(error.into()))?;
    snapshots::contents(&objects, &manifest).map_err(fault)
}

/// What memory holds now, as a snapshot would take it.
fn live(context: &Context) -> Result<BTreeMap<String, Vec<u8>>, CliError> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![(context.memory.clone(), String::new())];
    while let Some((folder, prefix)) = waiting.pop() {
        let unreadable =
            |error| CliError::failed("cannot read memory", PathError::wrap("read", &folder)(error));
        let entries = match std::fs::read_dir(&folder) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            entries => entries.map_err(unreadable)?,
        };
        for entry in entries {
            let entry = entry.map_err(unreadable)?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            if nidra_memory::objects::is_own_file(&name) || name == ".git" {
                continue;
            }
            let kind = entry.file_type().map_err(unreadable)?;
            let path = format!("{prefix}{name}");
            if kind.is_dir() {
                waiting.push((entry.path(), format!("{path}/")));
            } else if kind.is_file() {
                found.insert(path, std::fs::read(entry.path()).map_err(unreadable)?);
            }
        }
    }
    Ok(found)
}

fn print_changes(context: &Context, changes: &ChangeSet) -> Result<ExitCode, CliError> {
    let text =
        |bytes: &Option<Vec<u8>>| String::from_utf8_lossy(bytes.as_deref().unwrap_or_default()).into_owned();
    let what = |change: &FileChange| match (&change.before, &change.after) {
        (None, _) => "added",
        (_, None) => "removed",
        _ => "changed",
    };
    if context.printer.json {
        let files: Vec<Value> = changes
            .files
            .iter()
            .map(|change| {
                json!({ "path": change.path, "change": what(change),
                        "before": change.before.as_ref().map(|_| text(&change.before)),
                        "after": change.after.as_ref().map(|_| text(&change.after)) })
            })
            .collect();
        print_json(context, &files)?;
        return Ok(ExitCode::SUCCESS);
    }
    if changes.is_empty() {
        context.printer.say("No difference.");
    }
    for change in &changes.files {
        context.printer.data(&paint(style::HEAD, &format!("{} {}", what(change), change.path)));
        let (before, after) = (text(&change.before), text(&change.after));
        context.printer.data(diffy::create_patch(&before, &after).to_string().trim_end());
    }
    Ok(ExitCode::SUCCESS)
}

fn short(snapshot: &SnapshotRecord) -> &str {
    snapshot.object.as_str().get(..12).unwrap_or_default()
}

fn as_json(snapshot: &SnapshotRecord) -> Value {
    json!({
        "snapshot": snapshot.object.as_str(), "at": snapshot.at, "cause": snapshot.cause, "run": snapshot.run,
    })
}

fn fault(error: SnapshotError) -> CliError {
    match error {
        SnapshotError::NoFile(_) => {
            CliError::usage(error.to_string()).hint("`nidra snapshot show SNAPSHOT` lists its files")
        }
        error => CliError::failed("the snapshot cannot be used", error),
    }
}
