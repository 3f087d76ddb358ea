//! Putting nidra's hooks into the client's user settings and taking them out again, without touching another byte.
//!
//! The order of writes makes every interruption harmless: the original bytes and the record go to the state
//! directory first, then the settings are replaced in one step. Whatever happens in between, `uninstall` finds
//! either the record that fits the file or works from the file alone.

use super::command::{CommandError, hook_command};
use super::notice::Notice;
use super::plan::{self, Action, Containers, EVENTS, PROMPTS, PlanError, plan_install};
use super::record::{self, Record, RecordError};
use super::replace::{self, ReplaceError};
use nidra_core::error::PathError;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Where the client and nidra keep their things.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientPaths {
    /// The client's configuration directory: `CLAUDE_CONFIG_DIR`, else `~/.claude`.
    pub config: PathBuf,
    /// nidra's state directory.
    pub state: PathBuf,
}

impl ClientPaths {
    /// The user settings as the client names them; a link is not resolved here.
    pub fn settings(&self) -> PathBuf {
        self.config.join("settings.json")
    }
}

/// Settings that were not changed, and why.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// The settings cannot be understood.
    #[error(
        "cannot edit {}: {source}; no byte was changed; mend that line, or move the file away, and run the command again",
        path.display()
    )]
    Settings {
        /// The settings file.
        path: PathBuf,
        /// What was wrong with it.
        #[source]
        source: PlanError,
    },
    /// No hook can name this program.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// The record in the state directory cannot be used.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A file could not be replaced.
    #[error(transparent)]
    Replace(#[from] ReplaceError),
    /// A file operation failed.
    #[error(transparent)]
    Path(#[from] PathError),
}

/// What `init` did, or would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstallReport {
    /// The settings file, links resolved.
    pub settings: PathBuf,
    /// What was done.
    pub action: Action,
    /// The change as a unified diff; empty when nothing changed.
    pub difference: String,
    /// Settings that keep the hooks or the memory from working.
    pub notices: Vec<Notice>,
}

/// What `uninstall` did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UninstallAction {
    /// No hook of nidra's was there.
    NotInstalled,
    /// The file is byte for byte what it was before `init`.
    Restored,
    /// The file was changed after `init`; only nidra's hooks were taken out.
    Removed,
    /// `init` had made the file, and nothing else stood in it; it is gone.
    FileRemoved,
}

/// What `uninstall` did and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UninstallReport {
    /// The settings file, links resolved.
    pub settings: PathBuf,
    /// What was done.
    pub action: UninstallAction,
    /// The change as a unified diff.
    pub difference: String,
}

/// How things stand, for `status` and `doctor`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstalledState {
    /// The settings file, links resolved.
    pub settings: PathBuf,
    /// The events for which a hook of nidra's stands there.
    pub events: BTreeSet<String>,
    /// The command of the first of them.
    pub command: Option<String>,
    /// All events that nidra listens to are among them.
    pub complete: bool,
    /// The file is byte for byte what `init` wrote.
    pub untouched: bool,
    /// Settings that keep the hooks or the memory from working.
    pub notices: Vec<Notice>,
}

impl InstalledState {
    /// Whether every hook is there that is needed; `prompts` needs the one that listens to prompts as well.
    pub fn is_complete(&self, prompts: bool) -> bool {
        self.complete && (!prompts || self.listens_to_prompts())
    }

    /// Whether a hook listens to the prompts of a session.
    pub fn listens_to_prompts(&self) -> bool {
        self.events.contains(PROMPTS.0)
    }
}

/// Adds nidra's hooks, or updates them when the program moved. A second call changes no byte. With `prompts` one listens to
/// the prompts of a session, without it none.
pub fn install(paths: &ClientPaths, program: &Path, prompts: bool) -> Result<InstallReport, InstallError> {
    let (before, bytes, report) = prepare(paths, program, prompts)?;
    if report.action == Action::Unchanged {
        return Ok(report);
    }
    let directory = record::directory(&paths.state, &report.settings);
    let earlier = Record::load(&directory)?;
    let original = original(before.as_deref(), earlier.as_ref());
    let parent = report.settings.parent().unwrap_or(Path::new("/"));
    let mut directories = earlier.map(|record| record.directories).unwrap_or_default();
    directories.extend(replace::create_directories(parent)?);
    Record::new(&report.settings, original.as_deref(), &bytes, directories).store(&directory)?;
    replace::replace(&report.settings, before.as_deref(), &bytes)?;
    Ok(report)
}

/// Says what [`install`] would do; writes nothing.
pub fn preview(paths: &ClientPaths, program: &Path, prompts: bool) -> Result<InstallReport, InstallError> {
    prepare(paths, program, prompts).map(|(_, _, report)| report)
}

/// Takes nidra's hooks out again. A file that is still as `init` wrote it becomes what it was before, byte for
/// byte; in one that was changed since then, only nidra's hooks go.
pub fn uninstall(paths: &ClientPaths) -> Result<UninstallReport, InstallError> {
    let removal = Removal::prepare(paths)?;
    let settings = &removal.report.settings;
    match (&removal.before, &removal.after) {
        (Some(before), Some(after)) if before != after => replace::replace(settings, Some(before), after)?,
        (Some(before), None) => {
            replace::remove(settings, before)?;
            // Only empty ones go; whatever else was put there is the user's.
            for made in removal.earlier.iter().flat_map(|record| &record.directories).rev() {
                let _still_in_use = fs::remove_dir(made);
            }
        }
        (Some(_) | None, _) => {}
    }
    Record::forget(&record::directory(&paths.state, settings))?;
    Ok(removal.report)
}

/// Says what [`uninstall`] would do; writes nothing.
pub fn preview_uninstall(paths: &ClientPaths) -> Result<UninstallReport, InstallError> {
    Removal::prepare(paths).map(|removal| removal.report)
}

/// What `uninstall` needs to know before it writes.
struct Removal {
    earlier: Option<Record>,
    before: Option<Vec<u8>>,
    /// `None`: the file goes.
    after: Option<Vec<u8>>,
    report: UninstallReport,
}

impl Removal {
    fn prepare(paths: &ClientPaths) -> Result<Self, InstallError> {
        let settings = replace::target(&paths.settings())?;
        let earlier = Record::load(&record::directory(&paths.state, &settings))?;
        let before = replace::read(&settings)?;
        let (action, after) = match &before {
            None => (UninstallAction::NotInstalled, None),
            Some(bytes) => plan_uninstall(&settings, bytes, earlier.as_ref())?,
        };
        let difference = difference(before.as_deref(), after.as_deref());
        Ok(Self { earlier, before, after, report: UninstallReport { settings, action, difference } })
    }
}

/// Says how things stand; writes nothing.
pub fn installed_state(paths: &ClientPaths) -> Result<InstalledState, InstallError> {
    let settings = replace::target(&paths.settings())?;
    let bytes = replace::read(&settings)?.unwrap_or_default();
    let wrap = |source| InstallError::Settings { path: settings.clone(), source };
    let (events, command) = plan::installed_events(&bytes).map_err(wrap)?;
    let notices = plan::notices_of(&bytes).map_err(wrap)?;
    let earlier = Record::load(&record::directory(&paths.state, &settings))?;
    let untouched = earlier.is_some_and(|record| record.written == record::hash(&bytes));
    let complete = EVENTS.iter().all(|(event, _)| events.contains(*event));
    Ok(InstalledState { settings, events, command, complete, untouched, notices })
}

/// The bytes before, the bytes after, and what they mean.
type Prepared = (Option<Vec<u8>>, Vec<u8>, InstallReport);

fn prepare(paths: &ClientPaths, program: &Path, prompts: bool) -> Result<Prepared, InstallError> {
    let command = hook_command(program)?;
    let settings = replace::target(&paths.settings())?;
    let before = replace::read(&settings)?;
    let edited = plan_install(before.as_deref(), &command, prompts)
        .map_err(|source| InstallError::Settings { path: settings.clone(), source })?;
    let difference = difference(before.as_deref(), Some(&edited.bytes));
    let report = InstallReport { settings, action: edited.action, difference, notices: edited.notices };
    Ok((before, edited.bytes, report))
}

/// What `uninstall` has to give back: the first original while the file is as we wrote it, else the user's present
/// text without our hooks.
fn original(before: Option<&[u8]>, earlier: Option<&Record>) -> Option<Vec<u8>> {
    let before = before?;
    match earlier {
        Some(record) if record.written == record::hash(before) => {
            record.existed.then(|| record.original.clone())
        }
        Some(_) | None => {
            let removed = plan::plan_removal(before, &kept(earlier)).ok()?.bytes;
            let made_by_us = earlier.is_some_and(|record| !record.existed);
            (!(made_by_us && plan::is_bare(&removed))).then_some(removed)
        }
    }
}

/// What a file becomes; `None` when it goes.
fn plan_uninstall(
    settings: &Path,
    bytes: &[u8],
    earlier: Option<&Record>,
) -> Result<(UninstallAction, Option<Vec<u8>>), InstallError> {
    if let Some(record) = earlier
        && record.written == record::hash(bytes)
    {
        return Ok(if record.existed {
            (UninstallAction::Restored, Some(record.original.clone()))
        } else {
            (UninstallAction::FileRemoved, None)
        });
    }
    let edited = plan::plan_removal(bytes, &kept(earlier))
        .map_err(|source| InstallError::Settings { path: settings.to_owned(), source })?;
    if edited.action == Action::Unchanged {
        return Ok((UninstallAction::NotInstalled, Some(edited.bytes)));
    }
    if earlier.is_some_and(|record| !record.existed) && plan::is_bare(&edited.bytes) {
        return Ok((UninstallAction::FileRemoved, None));
    }
    Ok((UninstallAction::Removed, Some(edited.bytes)))
}

fn kept(earlier: Option<&Record>) -> Containers {
    earlier.map(|record| plan::containers(&record.original)).unwrap_or_default()
}

fn difference(before: Option<&[u8]>, after: Option<&[u8]>) -> String {
    let before = String::from_utf8_lossy(before.unwrap_or_default());
    let after = String::from_utf8_lossy(after.unwrap_or_default());
    if before == after { String::new() } else { diffy::create_patch(&before, &after).to_string() }
}
