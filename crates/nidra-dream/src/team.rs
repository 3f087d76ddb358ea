//! Memory that a team shares across projects: a Markdown file, or a directory of them, that a setting names.
//!
//! A rule that a person gave in the sessions of two projects is no habit of one of them, so it is proposed for the team.
//! Like every proposal it waits for the user's word, and nothing outside the place that the setting names is written.

use crate::kept::{self, KeptPlan};
use crate::promote::{self, SAME};
use crate::standing::{evidence, sources_of};
use nidra_core::text::similarity::similarity;
use nidra_core::{Evidence, Kind, Settings, Speaker, TrustRank};
use nidra_memory::atomic::RealFileSystem;
use nidra_memory::directory::MemoryDirectory;
use nidra_memory::lease;
use nidra_memory::owner::current_user;
use nidra_memory::shared_file::{self, SharedFileError};
use nidra_memory::store::{PlanRecord, ProjectRecord, Store, StoreError};
use nidra_rules::same::is_same_rule;
use nidra_sessions::Project;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The file of a directory that agents load by themselves, where there is one.
const INDEX: &str = "MEMORY.md";
/// The file for a directory without such a one.
const CONVENTIONS: &str = "conventions.md";
/// The folder of a memory directory that belongs to the team and not to that memory.
const TEAM_FOLDER: &str = "team";
/// Files of a directory that are read.
const MAX_FILES: usize = 200;

/// Why nothing can be proposed for the place that the setting names.
#[derive(Debug, thiserror::Error)]
pub enum TeamError {
    /// There is nothing of the kind.
    #[error("{} is neither a directory nor a Markdown file in one", .0.display())]
    Place(PathBuf),
    /// It is the memory of a project, in which only runs write.
    #[error("{} is the memory of a project, not that of a team", .0.display())]
    Memory(PathBuf),
    /// The file cannot be used.
    #[error(transparent)]
    File(#[from] SharedFileError),
}

/// The file for which rules are proposed, below the place that the setting names.
///
/// # Errors
/// When the setting names no such place, or one of another user.
pub fn file(setting: &Path) -> Result<PathBuf, TeamError> {
    let mut places = places(setting)?.into_iter();
    let first = places.next().ok_or_else(|| TeamError::Place(setting.to_owned()))?;
    // A link in the file's place counts as one that is there; where it leads is looked at before anything is read.
    let file = match places.next() {
        Some(other) if first.symlink_metadata().is_err() => other,
        _ => first,
    };
    demand_own(&file)?;
    Ok(file)
}

/// Whether the setting names this file, or the directory for which it is the file.
pub(crate) fn names(setting: &Path, file: &Path) -> bool {
    places(setting).is_ok_and(|places| places.iter().any(|place| place == file))
}

/// Refuses a file that is another user's, or that a link leads out of its directory.
pub(crate) fn demand_own(file: &Path) -> Result<(), SharedFileError> {
    let (root, name) = parts(file);
    shared_file::demand_owner(&RealFileSystem, root, name, current_user())
}

/// The directory and the name of a file that a team shares.
pub(crate) fn parts(file: &Path) -> (&Path, &str) {
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    (file.parent().unwrap_or(file), name)
}

/// The files that the setting can mean.
fn places(setting: &Path) -> Result<Vec<PathBuf>, TeamError> {
    let (directory, places) = if setting.is_dir() {
        (setting, vec![setting.join(INDEX), setting.join(CONVENTIONS)])
    } else if is_markdown(setting) && setting.parent().is_some_and(Path::is_dir) {
        (setting.parent().unwrap_or(setting), vec![setting.to_owned()])
    } else {
        return Err(TeamError::Place(setting.to_owned()));
    };
    // Through links: what counts is where the bytes would lie.
    let real = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
    let mut inside = None;
    for above in real.ancestors() {
        if above.join(lease::LOCK_NAME).exists() && inside != Some(TEAM_FOLDER) {
            return Err(TeamError::Memory(above.to_owned()));
        }
        inside = above.file_name().and_then(|name| name.to_str());
    }
    Ok(places)
}

fn is_markdown(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md"))
}

/// What the team's files say, what was proposed for them before, and what was told in other projects.
#[derive(Debug)]
pub(crate) struct Team {
    file: String,
    statements: Vec<String>,
    proposed: Vec<String>,
    told: Vec<Told>,
}

/// A rule that stands in the memory of another project, and where the person said it. No word of what was said there is
/// kept here, so that forgetting it there is enough.
#[derive(Debug)]
struct Told {
    project: String,
    text: String,
    places: BTreeSet<Said>,
}

/// A session and a record of it.
type Said = (String, String);

impl Team {
    /// Looks at the place that the settings name; `None` when they name none.
    ///
    /// # Errors
    /// When the database cannot be read. That the place cannot be used is the inner result.
    pub(crate) fn look(
        settings: &Settings,
        project: &Project,
        store: &Store,
        plans: &[(PlanRecord, KeptPlan)],
    ) -> Result<Option<Result<Self, TeamError>>, StoreError> {
        let Some(setting) = settings.propose.team.as_ref().filter(|_| settings.propose.enabled) else {
            return Ok(None);
        };
        if settings.model.local_only || is_kept_apart(&project.root, settings) {
            return Ok(None);
        }
        let file = match file(setting) {
            Ok(file) => file,
            Err(error) => return Ok(Some(Err(error))),
        };
        let Some(name) = file.to_str().map(str::to_owned) else {
            return Ok(Some(Err(TeamError::Place(file))));
        };
        let mut team = Self {
            statements: statements(setting),
            proposed: proposed(plans, setting).collect(),
            told: Vec::new(),
            file: name,
        };
        let projects = store.projects()?;
        let own = projects.iter().find(|known| known.id == project.id);
        for other in projects.iter().filter(|other| other.id != project.id) {
            team.proposed.extend(proposed(&kept::load(store, &other.id)?, setting));
            if counts(other, own, settings) {
                team.told.extend(told(other, store)?);
            }
        }
        Ok(Some(Ok(team)))
    }

    /// The file, as the destination of a proposal.
    pub(crate) fn file(&self) -> &str {
        &self.file
    }

    /// Whether the team's files say it, or it was proposed for them before.
    pub(crate) fn knows(&self, text: &str) -> bool {
        self.statements.iter().chain(&self.proposed).any(|known| similarity(known, text) >= SAME)
    }

    /// The names of the other projects in which a rule was told. The sessions that it rests on here count for nothing,
    /// wherever a copy of them lies.
    pub(crate) fn elsewhere(&self, text: &str, own: &[&Evidence]) -> BTreeSet<&str> {
        let own: Vec<Said> = own.iter().map(|evidence| said(evidence)).collect();
        let is_new = |place: &Said| !own.iter().any(|own| own.0 == place.0 || own.1 == place.1);
        let new = self.told.iter().filter(|told| told.places.iter().any(is_new));
        new.filter(|told| is_same_rule(&told.text, text)).map(|told| told.project.as_str()).collect()
    }
}

fn said(evidence: &Evidence) -> Said {
    (evidence.source.session.as_str().to_owned(), evidence.source.record.clone())
}

/// Whether another project is one: not a copy of this one, nor one that this or another took over, nor one that the user
/// keeps to itself.
fn counts(other: &ProjectRecord, own: Option<&ProjectRecord>, settings: &Settings) -> bool {
    let repository = own.and_then(|own| own.repository.as_ref());
    other.adopted_by.is_none()
        && (repository.is_none() || other.repository.as_ref() != repository)
        && !is_kept_apart(&other.root, settings)
}

/// Whether the user keeps a project to itself.
fn is_kept_apart(root: &Path, settings: &Settings) -> bool {
    let mut folders = settings.sessions.exclude.iter().chain(&settings.model.local_projects);
    folders.any(|folder| root.starts_with(folder))
}

/// The rules that stand in another project's memory and rest on what a person said in its sessions. A memory that cannot
/// be read says nothing; its own runs report why.
fn told(project: &ProjectRecord, store: &Store) -> Result<Vec<Told>, StoreError> {
    let sources = store.recorded_sources(&project.id)?;
    let Ok(memory) = MemoryDirectory::load(&project.memory_directory) else { return Ok(Vec::new()) };
    let view = memory.view();
    let name = project.root.file_name().unwrap_or(project.root.as_os_str()).to_string_lossy().into_owned();
    Ok(view
        .entries()
        .filter(|(topic, entry)| entry.active && topic.kind == Some(Kind::Feedback))
        .filter_map(|(_, entry)| {
            let recorded = sources_of(&sources, &entry.id);
            let verbatim: Vec<_> = recorded
                .into_iter()
                .filter(|recorded| recorded.source.rank >= TrustRank::HumanVerbatim)
                .collect();
            let words = evidence(&verbatim).into_iter().filter(|one| one.speaker == Speaker::Human);
            let places: BTreeSet<Said> = words.map(said).collect();
            (!places.is_empty()).then(|| Told { project: name.clone(), text: entry.text.clone(), places })
        })
        .collect())
}

/// What was proposed for the team in plans of whatever state.
fn proposed<'a>(
    plans: &'a [(PlanRecord, KeptPlan)],
    setting: &'a Path,
) -> impl Iterator<Item = String> + use<'a> {
    promote::proposed(plans)
        .filter(|(_, destination, _)| names(setting, Path::new(destination)))
        .map(|(.., text)| text.to_owned())
}

/// The lines of the file that the setting names, or of the Markdown files in its directory. Links are not followed.
fn statements(setting: &Path) -> Vec<String> {
    let mut files: Vec<PathBuf> = if setting.is_dir() {
        let found = fs::read_dir(setting).into_iter().flatten().flatten().map(|entry| entry.path());
        found.filter(|path| is_markdown(path)).collect()
    } else {
        vec![setting.to_owned()]
    };
    files.retain(|path| path.symlink_metadata().is_ok_and(|metadata| metadata.is_file()));
    files.sort_unstable();
    files
        .iter()
        .take(MAX_FILES)
        .filter_map(|path| promote::beginning(path))
        .flat_map(|text| promote::statements(&text).collect::<Vec<_>>())
        .collect()
}

/// The team's files in which statements of nidra's stand or stood, by the reports of all runs.
///
/// # Errors
/// When the database cannot be read.
pub fn written(store: &Store) -> Result<BTreeSet<PathBuf>, StoreError> {
    let mut found = BTreeSet::new();
    for project in store.projects()? {
        // A run that was cut off between the file and its record: its plan still waits.
        let plans = kept::load(store, &project.id)?;
        let asked = promote::proposed(&plans).map(|(_, destination, _)| PathBuf::from(destination));
        found.extend(asked.filter(|path| path.is_absolute() && is_markdown(path)));
        for run in store.runs(&project.id, u32::MAX)? {
            let statements = run.report.get("outside").and_then(serde_json::Value::as_array);
            let paths =
                statements.into_iter().flatten().filter_map(|statement| statement.get("path")?.as_str());
            found.extend(paths.map(PathBuf::from).filter(|path| path.is_absolute()));
        }
    }
    Ok(found)
}

/// Whether a statement speaks of the user, whose taste is no matter of the team's.
pub(crate) fn is_personal(kind: Kind, text: &str) -> bool {
    promote::is_personal(kind, text) || nidra_rules::told::kind(text) == Kind::User
}
