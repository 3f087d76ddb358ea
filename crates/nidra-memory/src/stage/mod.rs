//! Operations turned into file changes, as values.
//!
//! Only bytes that an operation names change. An operation that does not fit memory as it is (its words are
//! gone, its path leaves the directory, its file cannot be edited, the index is full) is refused with a reason,
//! and the others go on. Nothing here writes a file.

mod archive;
mod create;
mod entry;
mod name;
mod told;
mod topic;

use crate::change::{ChangeSet, FileChange};
use crate::directory::MemoryDirectory;
use crate::directory::role::Role;
use crate::document::Document;
use crate::front_matter::write::{Edit, apply};
use crate::index::{Index, edit as index_edit};
use crate::limits::{IndexLimits, IndexUse, measure};
use jiff::ZonedDateTime;
use nidra_core::{Change, Operation, OperationId, RunId};
use std::collections::BTreeMap;

pub(crate) use name::fold;

/// The reason for refusing an operation after which everything would be as it is.
pub const NO_CHANGE: &str = "it changes nothing";

/// How the reason begins for which a line of the index is refused: the index has no room.
pub const INDEX_FULL: &str = "index full";

/// What becomes of an operation on a topic that the user pinned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pins {
    /// It is refused.
    #[default]
    Hold,
    /// It is done: the user asked for this very operation.
    Yield,
}

/// What staging needs to know besides memory and operations.
#[derive(Clone, Debug)]
pub struct StageContext {
    /// When the run is, in the user's zone.
    pub now: ZonedDateTime,
    /// The run.
    pub run: RunId,
    /// How full the index may get.
    pub limits: IndexLimits,
    /// What becomes of operations on pinned topics.
    pub pins: Pins,
}

/// Operations as file changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Staged {
    /// The files that change; additions first, then changes, then the index, then what goes.
    pub changes: ChangeSet,
    /// Operations that were refused, with the reason.
    pub refused: Vec<(OperationId, String)>,
    /// What was left out of an operation that was applied otherwise.
    pub notes: Vec<(OperationId, String)>,
    /// How full the index is then.
    pub index: IndexUse,
}

/// Turns operations into file changes, one after the other; each sees what the ones before it did.
pub fn stage(memory: &MemoryDirectory, operations: &[Operation], context: &StageContext) -> Staged {
    let mut work = Work { memory, context, files: BTreeMap::new(), notes: Vec::new() };
    let mut refused = Vec::new();
    for operation in operations {
        let notes = work.notes.len();
        match work.changes(operation) {
            Ok(changes) => work.files.extend(changes),
            Err(reason) => {
                work.notes.truncate(notes);
                refused.push((operation.id.clone(), reason));
            }
        }
    }
    let index = measure(work.bytes(memory.index_path()).unwrap_or_default());
    Staged { changes: work.change_set(), refused, notes: work.notes, index }
}

/// Files as an operation leaves them.
type Files = Vec<(String, Option<Vec<u8>>)>;

/// Memory as the operations so far leave it.
struct Work<'a> {
    memory: &'a MemoryDirectory,
    context: &'a StageContext,
    files: BTreeMap<String, Option<Vec<u8>>>,
    notes: Vec<(OperationId, String)>,
}

impl Work<'_> {
    fn changes(&mut self, operation: &Operation) -> Result<Files, String> {
        if let Some(mark) = &self.memory.merging
            && !matches!(operation.change, Change::Propose { .. })
        {
            return Err(format!("the repository is in the middle of a merge ({mark}); finish it first"));
        }
        match &operation.change {
            Change::Create { topic, entries, hook } => self.create(operation, topic, entries, hook),
            Change::Append { path, text, hook } => self.append(operation, path, text, hook.as_deref()),
            Change::Rewrite { target, text, hook } => self.rewrite(operation, target, text, hook.as_deref()),
            Change::Supersede { target, text, hook } => {
                self.supersede(operation, target, text, hook.as_deref())
            }
            Change::Archive { target } => self.archive(operation, target),
            Change::Retitle { path, description, hook } => {
                self.retitle(operation, path, description.as_deref(), hook.as_deref())
            }
            Change::Relink { path, title, hook } => self.relink(path, title, hook),
            Change::Unlink { line } => self.unlink(operation, line),
            Change::Propose { .. } => Ok(Vec::new()),
        }
    }

    /// The bytes of a file as the operations so far leave it.
    fn bytes(&self, path: &str) -> Option<&[u8]> {
        match self.files.get(path) {
            Some(changed) => changed.as_deref(),
            None => self.memory.files.get(path).map(|file| file.bytes.as_slice()),
        }
    }

    fn index(&self) -> Index {
        Index::parse(self.bytes(self.memory.index_path()).unwrap_or_default())
    }

    /// The index, if it may be edited.
    fn editable_index(&self) -> Result<Index, String> {
        let index = self.index();
        match index.obstacle() {
            Some(obstacle) => Err(obstacle),
            None => Ok(index),
        }
    }

    /// Whether a pointer's path means this file.
    fn points_to<'b>(&'b self, path: &'b str) -> impl Fn(&str) -> bool + 'b {
        let folded = name::fold(path);
        move |target: &str| {
            let resolved = self.memory.resolve(target);
            resolved == path || name::fold(resolved) == folded
        }
    }

    /// The index with a line more; refused when it would no longer be loaded whole.
    fn index_with(&self, line: &str) -> Result<(String, Option<Vec<u8>>), String> {
        let index = self.editable_index()?;
        let after = apply(&index.bytes, vec![index_edit::add(&index, line)]);
        let used = measure(&after);
        let limits = &self.context.limits;
        if !used.fits(limits) {
            return Err(format!(
                "{INDEX_FULL}: with this line it would have {} lines and {} units, and clients load {} lines and {} units",
                used.lines, used.units, limits.lines, limits.units
            ));
        }
        Ok((self.memory.index_path().to_owned(), Some(after)))
    }

    /// The index with another hook on the topic's own line; a note instead when that cannot be.
    fn index_with_hook(&mut self, operation: &Operation, path: &str, hook: Option<&str>) -> Files {
        let Some(hook) = hook else { return Vec::new() };
        match self.hook_edit(path, hook) {
            Ok(None) => Vec::new(),
            Ok(Some(after)) => vec![(self.memory.index_path().to_owned(), Some(after))],
            Err(note) => {
                self.notes.push((operation.id.clone(), note));
                Vec::new()
            }
        }
    }

    fn hook_edit(&self, path: &str, hook: &str) -> Result<Option<Vec<u8>>, String> {
        let index = self.editable_index()?;
        let number = index_edit::own_line(&index, self.points_to(path))
            .ok_or_else(|| format!("the index has no line of its own for {path}; its hook is left out"))?;
        let Some(edit) = index_edit::set_hook(&index, number, hook, self.context.limits.line_units) else {
            return Ok(None);
        };
        let after = apply(&index.bytes, vec![edit]);
        let (before_use, after_use) = (measure(&index.bytes), measure(&after));
        if after_use.fits(&self.context.limits) || after_use.units <= before_use.units {
            Ok(Some(after))
        } else {
            Err(format!("{INDEX_FULL}: the line of {path} is left as it is"))
        }
    }

    /// All changes, in an order in which nothing is missing at any instant.
    fn change_set(&self) -> ChangeSet {
        let index = self.memory.index_path();
        let mut files: Vec<FileChange> = self
            .files
            .iter()
            .map(|(path, after)| FileChange {
                path: path.clone(),
                before: self.memory.files.get(path).map(|file| file.bytes.clone()),
                after: after.clone(),
            })
            .filter(|change| !change.is_noop())
            .collect();
        files.sort_by_key(|change| match (&change.before, &change.after) {
            (_, None) => 3,
            _ if change.path == index => 2,
            (None, Some(_)) => 0,
            (Some(_), Some(_)) => {
                let archived =
                    self.memory.files.get(&change.path).is_some_and(|file| file.role == Role::Archive);
                u8::from(!archived)
            }
        });
        ChangeSet { files }
    }
}

/// A document with edits applied.
fn edited(document: &Document, edits: impl IntoIterator<Item = Option<Edit>>) -> Vec<u8> {
    apply(&document.bytes, edits.into_iter().flatten().collect())
}
