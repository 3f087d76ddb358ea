//! Forgetting what the user names: shown first, then archived like anything that leaves memory, and kept away for good.
//!
//! The command is consent to this very change, so neither policy nor pin nor ceiling holds it up; the guard still looks
//! whether each entry is there as it was seen, and a run records it that can be undone. With a purge the words leave
//! everything that nidra keeps ([`nidra_memory::purge`]), and nothing can be undone.

use super::purge;
use super::select::{Chosen, SelectError, Wanted, select};
use super::suppression;
use crate::guard;
use crate::kept::{self, KeptPlan};
use crate::lookup::{self, Place};
use crate::outside::{self, OutsideReport};
use crate::report::{OperationReport, RunReport, RunState, file_reports};
use crate::standing::{Sources, evidence, sources_of};
use crate::steps::{self, new_run};
use crate::tombstone;
use jiff::ZonedDateTime;
use nidra_core::text::fingerprint::{Fingerprint, FingerprintKey};
use nidra_core::{
    Change, EntryId, Evidence, Kind, Operation, OperationId, Plan, PlanHash, RunId, Settings, Target,
    TrustRank,
};
use nidra_memory::ChangeSet;
use nidra_memory::atomic::RealFileSystem;
use nidra_memory::commit::{CommitError, NewRun, commit};
use nidra_memory::directory::{MemoryDirectory, MemoryError};
use nidra_memory::lease::Lease;
use nidra_memory::purge::{Matcher, PurgeError, Purged, Work, finish};
use nidra_memory::store::{ForgottenRecord, PlanRecord, PlanState, Relation, RunRecord, Store, StoreError};
use nidra_sessions::Project;
use std::collections::BTreeSet;
use std::path::Path;

/// The name in the place of an engine's.
pub const ENGINE: &str = "forget";
/// Why an entry leaves.
const REASON: &str = "you asked to forget it";
/// Pieces of evidence that an operation shows, the newest first.
const MAX_EVIDENCE: usize = 3;
/// Runs that are looked through for statements outside the memory directory.
const REMEMBERED_RUNS: u32 = 1_000;

/// What forgetting needs.
pub struct Forget<'a> {
    /// The project.
    pub project: &'a Project,
    /// Its memory directory.
    pub memory_root: &'a Path,
    /// The settings.
    pub settings: &'a Settings,
    /// The moment, in the user's zone.
    pub now: &'a ZonedDateTime,
    /// Which entries.
    pub wanted: &'a Wanted,
    /// Their words leave everything that nidra keeps.
    pub purge: bool,
}

/// Nothing was forgotten; memory is as it was.
#[derive(Debug, thiserror::Error)]
pub enum ForgetError {
    /// The entries could not be told.
    #[error(transparent)]
    Select(#[from] SelectError),
    /// A file would hold a secret that it did not hold.
    #[error("{0}")]
    Refused(String),
    /// Memory could not be read.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The state directory could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Memory could not be written.
    #[error(transparent)]
    Commit(#[from] CommitError),
    /// It left memory, but its words are not all removed from what nidra keeps; the next command goes on.
    #[error("it left memory, but its words are not all removed yet; the next run goes on with that")]
    Purge(#[from] PurgeError),
}

/// What is forgotten, or would be.
#[derive(Debug)]
pub struct Forgetting {
    /// The entries, each with the reasons why it is meant.
    pub chosen: Vec<Chosen>,
    /// Those of them whose topic is pinned.
    pub pinned: BTreeSet<EntryId>,
    /// What leaves nidra's own blocks in files outside the memory directory.
    pub outside: Vec<OutsideReport>,
    /// Plans that waited for the user's word and would have said it again.
    pub withdrawn: Vec<PlanHash>,
    /// What was not done although the entry was meant, and the changes of files.
    pub report: RunReport,
    /// What a purge removed besides.
    pub purged: Option<Purged>,
}

/// An entry's words, and those that it rested on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Words {
    /// The entry.
    pub(super) entry: EntryId,
    /// Its words.
    pub(super) text: String,
    /// The words in which it was said.
    pub(super) quotes: Vec<String>,
}

/// Shows what would be forgotten, and writes nothing.
///
/// # Errors
/// When the entries cannot be told, or memory or state cannot be read.
pub fn look(request: &Forget<'_>, store: &Store) -> Result<Forgetting, ForgetError> {
    let prepared = Prepared::new(request, store, &RunId::new("dry-run"))?;
    let mut forgetting = prepared.forgetting;
    if !forgetting.chosen.is_empty() {
        forgetting.report.state = RunState::Planned;
    }
    Ok(forgetting)
}

/// Forgets. Returns a report without a run when nothing was meant.
///
/// # Errors
/// When nothing was forgotten; memory is as it was.
pub fn forget(request: &Forget<'_>, store: &mut Store, lease: &Lease) -> Result<Forgetting, ForgetError> {
    let run = new_run(store, &request.project.id, request.now)?;
    let Prepared { mut forgetting, changes, operations, plans, forgotten, sources, work } =
        Prepared::new(request, store, &run)?;
    if forgetting.chosen.is_empty() {
        return Ok(forgetting);
    }
    let scope = request.settings.redact.scope();
    guard::final_bytes(&changes, scope).map_err(ForgetError::Refused)?;
    let now = request.now.timestamp();
    forgetting.report.run = Some(run.clone());
    forgetting.report.state = RunState::Applied;
    let record = RunRecord::begin(run, request.project.id.clone(), now, ENGINE, "manual");
    let mut new = NewRun::new(record);
    if !request.purge {
        forgetting.report.taken_outside.clone_from(&forgetting.outside);
    }
    new.record.report = serde_json::to_value(&forgetting.report).unwrap_or_default();
    new.record.counts = serde_json::json!({
        "applied": forgetting.report.applied.len(), "files": forgetting.report.files.len(),
    });
    if !request.purge {
        new.tombstones = tombstone::of(&operations, &sources);
    }
    new.forgotten = forgotten;
    new.plans = plans;
    new.purge = work;
    let committed = commit(store, lease, &RealFileSystem, &new, &changes)?;
    forgetting.report.conflicts = committed.conflicts;
    // A block that cannot be changed is no reason to keep the rest: it is named.
    let left = outside::take_back(&request.project.checkout, &forgetting.outside);
    forgetting.report.diagnostics.extend(left.into_iter().map(|message| nidra_core::error::Diagnostic {
        path: request.project.checkout.clone(),
        line: None,
        offset: None,
        message,
    }));
    forgetting.purged = finish(store, lease, &RealFileSystem, &request.project.id)?;
    Ok(forgetting)
}

/// All that a forgetting comes to, before anything is written.
struct Prepared {
    forgetting: Forgetting,
    changes: ChangeSet,
    operations: Vec<Operation>,
    plans: Vec<PlanRecord>,
    forgotten: Vec<ForgottenRecord>,
    sources: Sources,
    work: Option<Work>,
}

impl Prepared {
    fn new(request: &Forget<'_>, store: &Store, run: &RunId) -> Result<Self, ForgetError> {
        let memory = MemoryDirectory::load(request.memory_root)?;
        let view = memory.view();
        let project = &request.project.id;
        let sources = store.recorded_sources(project)?;
        let key = store.forgetting_key()?;
        let places = lookup::places(&memory);
        let zone = request.now.time_zone();
        let mut chosen = select(request.wanted, &places, &memory, &sources, zone)?;
        chosen.extend(same_words(&chosen, &places, request.purge, &key));
        let words: Vec<Words> = chosen.iter().map(|chosen| words_of(&chosen.place, &sources)).collect();

        // The entries that are in a file of their own words; those of the archive are out of memory already.
        let asked = chosen.iter().filter(|chosen| chosen.place.archived.is_none());
        let operations: Vec<Operation> = asked
            .enumerate()
            .map(|(number, chosen)| operation(number, &chosen.place, &sources, request.purge))
            .collect();
        let guarded = guard::check_asked(operations, &view, scope_of(request));
        let (mut report, mut operations) = (
            RunReport::commanded(request.now.timestamp(), ENGINE, request.memory_root, request.project),
            guarded.accepted,
        );
        report.refused = guarded.refused;
        let staged = steps::stage_asked(request.now, request.settings, &memory, &operations, run);
        steps::leave_out_refused(&staged, &mut operations, &mut report);
        let refused: BTreeSet<EntryId> = chosen
            .iter()
            .filter(|chosen| chosen.place.archived.is_none())
            .map(|chosen| chosen.place.entry.clone())
            .filter(|entry| operations.iter().all(|operation| entry_of(operation) != Some(entry)))
            .collect();
        chosen.retain(|chosen| !refused.contains(&chosen.place.entry));
        let words: Vec<Words> = words.into_iter().filter(|words| !refused.contains(&words.entry)).collect();
        report.applied = operations.iter().map(OperationReport::from).collect();
        let work = request.purge.then(|| {
            let predecessors = predecessors(&chosen, &sources);
            let left = purge::left(&memory, &staged.changes);
            purge::work(&words, &places, &predecessors, &purge::gone(&staged.changes), &left)
        });
        let changes = match &work {
            Some(work) => purge::changes(&memory, &staged.changes, &Matcher::new(work, &key)),
            None => staged.changes,
        };
        report.files = file_reports(&changes);
        report.index = staged.index.into();

        let at = request.now.timestamp();
        let forgotten: Vec<ForgottenRecord> = chosen
            .iter()
            .flat_map(|chosen| {
                let recorded = sources_of(&sources, &chosen.place.entry);
                suppression::records(&chosen.place.text, &evidence(&recorded), at, request.purge, &key)
            })
            .collect();
        let tells = Tells::new(&words, &key);
        let (plans, withdrawn) = withdraw(&kept::load(store, project)?, &tells, at);
        let outside = outside_statements(store, request, &tells)?;
        let is_pinned = |path: &str| view.topic(path).is_some_and(|topic| topic.pinned);
        let pinned = chosen
            .iter()
            .filter(|chosen| is_pinned(&chosen.place.topic))
            .map(|chosen| chosen.place.entry.clone())
            .collect();
        let forgetting = Forgetting { chosen, pinned, outside, withdrawn, report, purged: None };
        Ok(Self { forgetting, changes, operations, plans, forgotten, sources, work })
    }
}

fn scope_of(request: &Forget<'_>) -> nidra_core::text::redact::Scope {
    request.settings.redact.scope()
}

fn entry_of(operation: &Operation) -> Option<&EntryId> {
    operation.change.target().map(|target| &target.entry)
}

/// Entries that say the same as one that is meant: they would go on saying it.
fn same_words(chosen: &[Chosen], places: &[Place], archived: bool, key: &FingerprintKey) -> Vec<Chosen> {
    let meant: BTreeSet<(&str, u64)> =
        chosen.iter().map(|one| (one.place.path.as_str(), one.place.line)).collect();
    let prints: Vec<(Fingerprint, &Place)> =
        chosen.iter().map(|one| (Fingerprint::new(&one.place.text, key), &one.place)).collect();
    places
        .iter()
        .filter(|place| archived || place.archived.is_none())
        .filter(|place| !meant.contains(&(place.path.as_str(), place.line)))
        .filter_map(|place| {
            let print = Fingerprint::new(&place.text, key);
            let (_, like) = prints.iter().find(|(asked, _)| asked.is_said_by(&print))?;
            let because = vec![format!("it says the same as {}:{}", like.path, like.line)];
            Some(Chosen { place: place.clone(), because })
        })
        .collect()
}

fn words_of(place: &Place, sources: &Sources) -> Words {
    let recorded = sources_of(sources, &place.entry);
    Words {
        entry: place.entry.clone(),
        text: place.text.clone(),
        quotes: evidence(&recorded).into_iter().map(|evidence| evidence.quote.clone()).collect(),
    }
}

/// What these entries were before in other words, the archive's among them.
fn predecessors(chosen: &[Chosen], sources: &Sources) -> Vec<EntryId> {
    let mut found = BTreeSet::new();
    let mut waiting: Vec<EntryId> = chosen.iter().map(|chosen| chosen.place.entry.clone()).collect();
    while let Some(entry) = waiting.pop() {
        for recorded in sources.get(&entry).into_iter().flatten() {
            if let (Relation::Rewrites, Some(before)) =
                (recorded.source.relation, &recorded.source.predecessor)
                && found.insert(before.clone())
            {
                waiting.push(before.clone());
            }
        }
    }
    found.into_iter().collect()
}

fn operation(number: usize, place: &Place, sources: &Sources, purge: bool) -> Operation {
    let recorded = sources_of(sources, &place.entry);
    let evidence: Vec<Evidence> = if purge {
        Vec::new()
    } else {
        evidence(&recorded).into_iter().take(MAX_EVIDENCE).cloned().collect()
    };
    let text = place.text.clone();
    Operation {
        id: OperationId::new(format!("asked-{}", number + 1)),
        change: Change::Archive {
            target: Target { path: place.topic.clone(), entry: place.entry.clone(), text },
        },
        kind: place.kind.unwrap_or(Kind::Project),
        rank: TrustRank::HumanVerbatim,
        reason: REASON.to_owned(),
        evidence,
    }
}

/// Whether words say something that is being forgotten.
struct Tells<'a> {
    prints: Vec<Fingerprint>,
    key: &'a FingerprintKey,
}

impl<'a> Tells<'a> {
    fn new(words: &[Words], key: &'a FingerprintKey) -> Self {
        Self { prints: words.iter().map(|words| Fingerprint::new(&words.text, key)).collect(), key }
    }

    fn says(&self, text: &str) -> bool {
        let print = Fingerprint::new(text, self.key);
        self.prints.iter().any(|forgotten| forgotten.is_said_by(&print))
    }

    fn operation(&self, operation: &Operation) -> bool {
        let change = &operation.change;
        let proposed = match change {
            Change::Propose { text, .. } => Some(text.as_str()),
            _ => None,
        };
        let old = change.target().map(|target| target.text.as_str());
        change.statements().into_iter().chain(proposed).chain(old).any(|text| self.says(text))
    }
}

/// The plans that wait and would say it again, without what would; and what they were called.
fn withdraw(
    plans: &[(PlanRecord, KeptPlan)],
    tells: &Tells<'_>,
    now: jiff::Timestamp,
) -> (Vec<PlanRecord>, Vec<PlanHash>) {
    let (mut changed, mut withdrawn) = (Vec::new(), Vec::new());
    for (record, kept) in plans.iter().filter(|(record, _)| record.state == PlanState::Open) {
        let reasons = kept.operations().iter().zip(&kept.waits_because);
        let (operations, waits_because): (Vec<_>, Vec<_>) = reasons
            .filter(|(operation, _)| !tells.operation(operation))
            .map(|(operation, because)| (operation.clone(), because.clone()))
            .unzip();
        if operations.len() == kept.operations().len() {
            continue;
        }
        changed.push(PlanRecord { state: PlanState::Obsolete, ..record.clone() });
        withdrawn.push(record.hash.clone());
        // A question has two answers or none.
        if !operations.is_empty() && kept.origin != kept::Origin::Question {
            let left = KeptPlan { plan: Plan { operations }, waits_because, ..kept.clone() };
            changed.push(left.opened(&record.base, now));
        }
    }
    (changed, withdrawn)
}

/// What the user accepted for files outside the memory directory and is forgotten now.
fn outside_statements(
    store: &Store,
    request: &Forget<'_>,
    tells: &Tells<'_>,
) -> Result<Vec<OutsideReport>, StoreError> {
    let mut found: Vec<OutsideReport> = Vec::new();
    for run in store.runs(&request.project.id, REMEMBERED_RUNS)? {
        let Ok(report) = serde_json::from_value::<RunReport>(run.report) else { continue };
        for statement in report.outside {
            let is_new = tells.says(&statement.text) && !found.contains(&statement);
            if is_new && outside::stands(&request.project.checkout, &statement) {
                found.push(statement);
            }
        }
    }
    Ok(found)
}
