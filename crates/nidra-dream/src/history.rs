//! What earlier runs left in the state database, as a dream needs it.

use crate::gather::{Failure, Progress};
use crate::guard::Refusal;
use crate::hand::suppression::{Suppression, UNNAMED};
use crate::report::RunReport;
use crate::standing::{self, Sources};
use crate::tombstone;
use crate::usage::Uses;
use nidra_core::{Conversation, EntryId, Operation, ProjectId, RunId, SessionId, TrustRank};
use nidra_memory::archived::{ArchivedEntry, archived};
use nidra_memory::directory::MemoryDirectory;
use nidra_memory::store::{CursorRecord, Schedule, Store, StoreError, Tombstone, TranscriptRecord};
use nidra_sessions::{Cursor, Known};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

/// Undone runs that are remembered, the newest first.
const REMEMBERED_RUNS: u32 = 1_000;

/// The history of one project, apart from the records that were consumed.
#[derive(Debug, Default)]
pub struct History {
    cursors: BTreeMap<PathBuf, CursorRecord>,
    sources: Sources,
    tombstones: Vec<Tombstone>,
    suppression: Suppression,
    uses: Uses,
    runs: HashSet<RunId>,
    undone: HashSet<(String, String)>,
    failures: HashMap<SessionId, Failure>,
    known: HashMap<PathBuf, Known>,
    /// When runs were and may be.
    pub schedule: Schedule,
}

impl History {
    /// Reads the history of a project.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn load(store: &Store, project: &ProjectId) -> Result<Self, StoreError> {
        let (sources, tombstones) = (store.recorded_sources(project)?, store.tombstones(project)?);
        let undone = store
            .undone_runs(project, REMEMBERED_RUNS)?
            .into_iter()
            .filter_map(|run| serde_json::from_value::<RunReport>(run.report).ok())
            .flat_map(|report| report.applied)
            .flat_map(|operation| operation.evidence)
            .map(|evidence| (evidence.source.record, evidence.quote))
            .collect();
        let failures = store
            .sessions(project)?
            .into_values()
            .filter(|session| session.tries > 0)
            .map(|session| {
                let cause = session.reason.unwrap_or_default();
                (session.session, Failure { tries: session.tries, cause })
            })
            .collect();
        let known = store
            .transcripts()?
            .into_iter()
            .map(|TranscriptRecord { path, directory, headless, own }| {
                (path, Known { directory: Some(directory), headless, own })
            })
            .collect();
        let (cursors, schedule) = (store.cursors(project)?, store.schedule(project)?);
        let runs = store.known_runs()?;
        let (suppression, uses) = (Suppression::load(store, project)?, store.uses(project)?);
        Ok(Self { cursors, sources, tombstones, suppression, uses, runs, undone, failures, known, schedule })
    }

    /// The failure of a session after one more try that ended with this cause.
    pub fn failed_again(&self, session: &SessionId, cause: String) -> Failure {
        let before = self.failures.get(session).map_or(0, |failure| failure.tries);
        Failure { tries: before + 1, cause }
    }

    /// Whether the user took back what these words led to, in an earlier run.
    pub fn was_undone(&self, operation: &Operation) -> bool {
        operation
            .evidence
            .iter()
            .any(|evidence| self.undone.contains(&(evidence.source.record.clone(), evidence.quote.clone())))
    }

    /// The stored trust rank of an entry; `None` for one that nidra did not write.
    pub fn rank(&self, entry: &EntryId) -> Option<TrustRank> {
        standing::rank(&standing::sources_of(&self.sources, entry))
    }

    /// Where entries come from.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// How often entries were used.
    pub fn uses(&self) -> &Uses {
        &self.uses
    }

    /// What the archive holds of runs that the database does not know: it was lost, and with it what it knew of them.
    pub fn lost(&self, memory: &MemoryDirectory) -> Vec<ArchivedEntry> {
        let is_lost = |entry: &ArchivedEntry| entry.run.as_ref().is_some_and(|run| !self.runs.contains(run));
        archived(memory).into_iter().filter(is_lost).collect()
    }

    /// Takes what the user asked to be forgotten out of what was said, so that no engine is shown it.
    pub fn take_out_forgotten(&self, conversations: &mut [Conversation]) {
        self.suppression.take_out(conversations);
    }

    /// Separates the operations that state what the user asked to be forgotten. Their words are not said again anywhere.
    pub fn split_forgotten(&self, operations: Vec<Operation>) -> (Vec<Operation>, Vec<Refusal>) {
        let mut refused = Vec::new();
        let kept = operations.into_iter().filter(|operation| match self.suppression.fault(operation) {
            None => true,
            Some(reason) => {
                refused.push(Refusal { operation: operation.id.clone(), what: UNNAMED.to_owned(), reason });
                false
            }
        });
        let kept = kept.collect();
        (kept, refused)
    }

    /// Why an operation would only bring back what was archived.
    pub fn buries(&self, operation: &Operation) -> Option<String> {
        tombstone::fault(operation, &self.tombstones)
    }
}

/// A look at the history while sessions are read.
#[derive(Debug)]
pub struct Look<'a> {
    history: &'a History,
    store: &'a Store,
    project: &'a ProjectId,
    failure: RefCell<Option<StoreError>>,
}

impl<'a> Look<'a> {
    /// Looks at this history; records are looked up in the store.
    pub fn new(history: &'a History, store: &'a Store, project: &'a ProjectId) -> Self {
        Self { history, store, project, failure: RefCell::new(None) }
    }

    /// Ends with the failure that was met while looking, if there was one.
    ///
    /// # Errors
    /// When the database could not be read.
    pub fn finish(self) -> Result<(), StoreError> {
        self.failure.into_inner().map_or(Ok(()), Err)
    }
}

impl Progress for Look<'_> {
    fn cursor(&self, path: &Path) -> Cursor {
        self.history.cursors.get(path).map_or_else(Cursor::default, |record| Cursor {
            offset: record.offset,
            line: record.line,
            fingerprint: record.fingerprint.clone(),
        })
    }

    fn known(&self, path: &Path) -> Option<Known> {
        self.history.known.get(path).cloned()
    }

    fn failure(&self, session: &SessionId) -> Option<Failure> {
        self.history.failures.get(session).cloned()
    }

    fn seen(&self, records: &[String]) -> HashSet<String> {
        match self.store.seen_among(self.project, records.iter().map(String::as_str)) {
            Ok(seen) => seen.into_iter().map(str::to_owned).collect(),
            Err(error) => {
                self.failure.borrow_mut().get_or_insert(error);
                HashSet::new()
            }
        }
    }
}

/// A cursor in the form in which it is stored.
pub fn stored(path: &Path, cursor: &Cursor) -> CursorRecord {
    CursorRecord {
        path: path.to_owned(),
        offset: cursor.offset,
        line: cursor.line,
        fingerprint: cursor.fingerprint.clone(),
    }
}
