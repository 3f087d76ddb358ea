//! The part that a commit and an undo share: files go from their live bytes to the wanted ones, all or none.

use super::error::{CommitError, Step, StepError};
use crate::atomic::{self, AtomicError, Displaced, FileKind, FileSystem, Prepared, Settled};
use crate::journal::{Journal, JournalEntry, JournalFile};
use crate::lease::Lease;
use crate::objects::{ObjectId, Objects};
use crate::store::{FileChangeRecord, Store};
use nidra_core::error::chain;
use nidra_core::{ProjectId, RunId};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The index of a memory directory: it must never link to a file that is not there yet or no longer.
pub(crate) const INDEX_NAME: &str = "MEMORY.md";

/// The folder that archived entries stand in.
pub(super) const ARCHIVE_PREFIX: &str = "archive/";

/// The folder of daily logs: input that no run writes.
const LOGS_PREFIX: &str = "logs/";

/// A file that goes from its live bytes to others.
#[derive(Clone, Debug)]
pub(crate) struct FileStep {
    pub(crate) path: String,
    pub(crate) live: Option<Vec<u8>>,
    pub(crate) after: Option<Vec<u8>>,
}

/// Files that were written and wait for the database to say that they count.
#[derive(Debug)]
pub(crate) struct Written<'a> {
    files: &'a dyn FileSystem,
    lease: &'a Lease,
    home: PathBuf,
    entry: JournalEntry,
    steps: Vec<FileStep>,
    done: usize,
    /// The files that were replaced, by the number of their step, until nobody can write to them any more.
    displaced: BTreeMap<usize, Displaced>,
}

/// Why files could not be written.
pub(crate) enum ApplyError {
    /// A file changed between the look at it and its replacement; everything was put back.
    Changed,
    /// Anything else.
    Failed(CommitError),
}

/// Says why a run may not write this path.
pub(crate) fn refusal(path: &str) -> Option<&'static str> {
    let extension = Path::new(path).extension();
    if path.split('/').any(|part| part.is_empty() || part.starts_with('.')) || path.contains(['\0', '\\']) {
        Some("it is hidden or leaves the memory directory")
    } else if path.to_ascii_lowercase().starts_with(LOGS_PREFIX) {
        Some("daily logs are only read")
    } else if extension.is_none_or(|extension| extension != "md") {
        Some("it is no Markdown file")
    } else {
        None
    }
}

/// The order in which files are written: what is added first, then the index, then what is removed.
fn rank(step: &FileStep) -> u8 {
    match (step.path.as_str(), &step.live, &step.after) {
        (INDEX_NAME, ..) => 3,
        (_, _, None) => 4,
        (_, None, _) => 0,
        (path, ..) if path.starts_with(ARCHIVE_PREFIX) => 1,
        _ => 2,
    }
}

/// Files of one group may become durable in any order.
fn group(step: &FileStep) -> u8 {
    rank(step).max(2)
}

fn sync(files: &dyn FileSystem, directories: &mut BTreeSet<PathBuf>) -> Result<(), StepError> {
    Ok(atomic::sync_directories(files, &std::mem::take(directories))?)
}

/// Stores the snapshot and the journal and writes the files. On failure everything is put back.
pub(crate) fn apply<'a>(
    store: &Store,
    lease: &'a Lease,
    files: &'a dyn FileSystem,
    run: &RunId,
    project: &ProjectId,
    mut steps: Vec<FileStep>,
) -> Result<Written<'a>, ApplyError> {
    let home = store.home().to_owned();
    let root = lease.memory_root();
    let objects = Objects::new(&home, files);
    let failed = |step: Step| {
        move |source: StepError| ApplyError::Failed(CommitError::Failed { step, source: Box::new(source) })
    };

    steps.retain(|step| step.live != step.after);
    steps.sort_by(|a, b| (rank(a), &a.path).cmp(&(rank(b), &b.path)));
    let snapshot = objects.snapshot(root).map_err(|error| failed(Step::Snapshot)(error.into()))?;
    let mut entry =
        JournalEntry::new(run.clone(), project.clone(), root, lease.token(), lease.now(), snapshot);
    let contents = steps.iter().flat_map(|step| [&step.live, &step.after]).flatten();
    let contents: Vec<&[u8]> = contents.map(Vec::as_slice).collect();
    objects.put_all(&contents).map_err(|error| failed(Step::Snapshot)(error.into()))?;
    let id = |bytes: &Option<Vec<u8>>| bytes.as_deref().map(ObjectId::of);
    entry.files.extend(steps.iter().map(|step| JournalFile {
        path: step.path.clone(),
        before: id(&step.live),
        after: id(&step.after),
    }));
    entry.directories =
        missing_directories(files, root, &steps).map_err(|error| failed(Step::Read)(error))?;

    let mut written = Written { files, lease, home, entry, steps, done: 0, displaced: BTreeMap::new() };
    if let Err(error) = written.journal().prepare(&written.entry) {
        return Err(written.fail(Step::Journal, error.into()));
    }
    for directory in &written.entry.directories {
        let path = root.join(directory);
        let created = lease
            .verify()
            .map_err(StepError::from)
            .and_then(|()| Ok(atomic::create_directories(files, &path, false)?));
        if let Err(error) = created {
            let step = Step::Write(directory.clone());
            return Err(written.fail(step, error));
        }
    }
    if let Err((index, error)) = written.write() {
        let step = Step::Write(written.steps[index].path.clone());
        return Err(written.fail(step, error));
    }
    if let Err((index, error)) = written.look_again() {
        let step = Step::Write(written.steps[index].path.clone());
        return Err(written.fail(step, error));
    }
    Ok(written)
}

impl<'a> Written<'a> {
    fn journal(&self) -> Journal<'a> {
        Journal::new(&self.home, self.files)
    }

    /// The manifest of the directory before the first write.
    pub(crate) fn snapshot(&self) -> &ObjectId {
        &self.entry.snapshot
    }

    /// The directories that were created, outermost first.
    pub(crate) fn directories(&self) -> &[String] {
        &self.entry.directories
    }

    /// The files in the order in which they were written.
    pub(crate) fn changes(&self) -> Vec<FileChangeRecord> {
        let record = |file: &JournalFile| FileChangeRecord {
            path: file.path.clone(),
            before: file.before.clone(),
            after: file.after.clone(),
        };
        self.entry.files.iter().map(record).collect()
    }

    /// Writes all files: first the new bytes beside their places, then one swap after the other.
    fn write(&mut self) -> Result<(), (usize, StepError)> {
        let mut prepared = BTreeMap::new();
        let result = self.prepare(&mut prepared).and_then(|()| self.swap(&mut prepared));
        for left in prepared.values() {
            left.abandon(self.files);
        }
        result
    }

    fn prepare(&self, prepared: &mut BTreeMap<usize, Prepared>) -> Result<(), (usize, StepError)> {
        let answers = atomic::together(&self.steps, |step| -> Result<Prepared, StepError> {
            self.lease.verify()?;
            let place = atomic::resolve(self.files, self.lease.memory_root(), &step.path)?;
            Ok(atomic::prepare(self.files, &place, step.live.as_deref(), step.after.as_deref())?)
        });
        let mut result = Ok(());
        for (index, answer) in answers.into_iter().enumerate() {
            match answer {
                Ok(ready) => {
                    prepared.insert(index, ready);
                }
                Err(error) if result.is_ok() => result = Err((index, error)),
                Err(_) => {}
            }
        }
        result
    }

    fn swap(&mut self, prepared: &mut BTreeMap<usize, Prepared>) -> Result<(), (usize, StepError)> {
        let mut changed = BTreeSet::new();
        while let Some((index, prepared)) = prepared.pop_first() {
            let first_of_rank = index > 0 && group(&self.steps[index]) != group(&self.steps[index - 1]);
            let place = prepared.place().to_owned();
            let swap = || -> Result<(), StepError> {
                if first_of_rank {
                    // What the index names is durable before it, and what it no longer names goes after it.
                    sync(self.files, &mut changed)?;
                }
                self.lease.verify()?;
                self.done = index + 1;
                let displaced = prepared.swap(self.files)?;
                self.displaced.extend(displaced.map(|displaced| (index, displaced)));
                Ok(())
            };
            swap().map_err(|error| (index, error))?;
            changed.extend(place.parent().map(Path::to_owned));
        }
        let last = self.steps.len().saturating_sub(1);
        sync(self.files, &mut changed).map_err(|error| (last, error))
    }

    /// Fails when someone wrote to a file that was replaced, as whoever had opened it before still can.
    fn look_again(&self) -> Result<(), (usize, StepError)> {
        for (index, displaced) in &self.displaced {
            let late = displaced.late_text(self.files).map_err(|error| (*index, error.into()))?;
            if late.is_some() {
                let path = displaced.place.clone();
                return Err((*index, AtomicError::Conflict { path }.into()));
            }
        }
        Ok(())
    }

    /// Removes the files that were replaced. What someone wrote to one of them until now comes to its place;
    /// says so for each.
    pub(crate) fn clear(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        for displaced in self.displaced.values() {
            let place = displaced.place.display();
            match atomic::settle(self.files, displaced) {
                Ok(Settled::Unchanged) => {}
                Ok(Settled::Merged | Settled::PutBack) => {
                    warnings.push(format!("{place} was written by someone else at the same moment"));
                }
                Ok(Settled::Kept(kept)) => warnings.push(format!(
                    "{place} was written by someone else at the same moment; that text stands in {}",
                    kept.display()
                )),
                Err(error) => warnings.push(format!("the file before {place} was not removed: {error}")),
            }
        }
        warnings
    }

    /// Says that the database recorded the run: the journal is no longer pending.
    pub(crate) fn settle(&self) -> Result<(), StepError> {
        Ok(self.journal().settle(&self.entry.run)?)
    }

    /// Puts everything back and gives the error that says so.
    pub(crate) fn fail(&self, step: Step, source: StepError) -> ApplyError {
        let changed = matches!(&source, StepError::Atomic(AtomicError::Conflict { .. }));
        match self.put_back() {
            Ok(()) if changed => ApplyError::Changed,
            Ok(()) => ApplyError::Failed(CommitError::Failed { step, source: Box::new(source) }),
            Err(error) => {
                let left = chain(&error);
                ApplyError::Failed(CommitError::Stuck { step, left, source: Box::new(source) })
            }
        }
    }

    fn put_back(&self) -> Result<(), StepError> {
        // A file that someone changed after this run wrote it is theirs now.
        for step in self.steps[..self.done].iter().rev() {
            restore(self.files, self.lease, &step.path, step.after.as_deref(), step.live.as_deref())?;
        }
        for displaced in self.displaced.values() {
            atomic::settle(self.files, displaced)?;
        }
        remove_directories(self.files, self.lease.memory_root(), &self.entry.directories)?;
        Ok(self.journal().discard(&self.entry.run)?)
    }
}

/// What putting a file back came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Restored {
    /// It holds its earlier bytes again.
    Done,
    /// It held them all the time.
    Untouched,
    /// It holds something else by now, and keeps it.
    Kept,
}

/// Makes a file hold `before` again if it still holds `after`.
pub(crate) fn restore(
    files: &dyn FileSystem,
    lease: &Lease,
    path: &str,
    after: Option<&[u8]>,
    before: Option<&[u8]>,
) -> Result<Restored, StepError> {
    lease.verify()?;
    let place = match atomic::resolve(files, lease.memory_root(), path) {
        Ok(place) => place,
        // Something else stands there by now, so it is not what this run wrote.
        Err(AtomicError::Refused { .. }) => return Ok(Restored::Kept),
        Err(error) => return Err(error.into()),
    };
    // What was replaced may still stand aside, and whoever had opened it may have written to it.
    if atomic::rescue(files, &place, before, after)? {
        return Ok(Restored::Done);
    }
    let live = atomic::read_if_present(files, &place)?;
    if live.as_deref() == before {
        return Ok(Restored::Untouched);
    }
    if live.as_deref() != after {
        return Ok(Restored::Kept);
    }
    match atomic::replace(files, &place, after, before) {
        Ok(()) => Ok(Restored::Done),
        Err(AtomicError::Conflict { .. }) => Ok(Restored::Kept),
        Err(error) => Err(error.into()),
    }
}

/// Removes directories that a run created, unless someone put something into them. What a damaged journal
/// names outside of the memory directory is left alone.
pub(crate) fn remove_directories(
    files: &dyn FileSystem,
    root: &Path,
    directories: &[String],
) -> Result<(), StepError> {
    for directory in directories.iter().rev() {
        let path = root.join(directory);
        let is_directory = files.status(&path)?.is_some_and(|status| status.kind == FileKind::Directory);
        if !is_directory {
            continue;
        }
        match atomic::resolve(files, root, &format!("{directory}/{}", atomic::TEMPORARY_PREFIX)) {
            Ok(place) if place.parent() == Some(&path) => {}
            Ok(_) | Err(AtomicError::Refused { .. }) => continue,
            Err(error) => return Err(error.into()),
        }
        for name in files.list(&path)? {
            let leftover = name.to_str().is_some_and(|name| name.starts_with(atomic::TEMPORARY_PREFIX));
            if leftover {
                files.remove(&path.join(name))?;
            }
        }
        if files.list(&path)?.is_empty() {
            files.remove_directory(&path)?;
        }
    }
    Ok(())
}

/// The directories that the steps need and that do not exist, outermost first.
fn missing_directories(
    files: &dyn FileSystem,
    root: &Path,
    steps: &[FileStep],
) -> Result<Vec<String>, StepError> {
    let mut missing = Vec::new();
    for step in steps.iter().filter(|step| step.after.is_some()) {
        for (end, _) in step.path.match_indices('/') {
            let directory = step.path[..end].to_owned();
            if !missing.contains(&directory) && files.status(&root.join(&directory))?.is_none() {
                missing.push(directory);
            }
        }
    }
    Ok(missing)
}
