//! What a run did, computed from the real difference and never from an engine's own story.

use crate::adopt::{self, Takeover};
use crate::apply::Application;
use crate::gate::Gate;
use crate::gather::{Failure, MAX_TRIES};
use crate::guard::{self, Refusal};
use crate::outside::OutsideReport;
use crate::pipeline::Dream;
use jiff::Timestamp;
use nidra_core::error::Diagnostic;
use nidra_core::text::wording::counted;
use nidra_core::text::{redact, width};
use nidra_core::{Dropped, EntryId, Evidence, Operation, OperationId, PlanHash, RunId, TrustRank};
use nidra_sessions::{Project, daily_log};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Dropped candidates that a report names.
const MAX_DROPPED: usize = 200;
/// UTF-16 units of a dropped candidate that a report shows.
const MAX_DROPPED_UNITS: usize = 300;

/// How a run ended. There is no "success" without effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "state")]
pub enum RunState {
    /// Memory changed.
    Applied,
    /// Memory would change; it was only asked what would happen.
    Planned,
    /// Nothing changed yet: everything waits for the user's word.
    Proposed,
    /// There was nothing to do; the reason says which input is missing.
    NothingToDo {
        /// Why.
        reason: String,
    },
    /// A gate is closed; nothing ran.
    Skipped {
        /// The gate.
        gate: Gate,
    },
    /// The guard stopped the run.
    Refused {
        /// Why.
        reason: String,
    },
}

/// What one run did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunReport {
    /// The run; none when nothing was recorded (a closed gate, a dry run).
    pub run: Option<RunId>,
    /// How it ended.
    #[serde(flatten)]
    pub state: RunState,
    /// When it started.
    pub started: Timestamp,
    /// The engine.
    pub engine: String,
    /// The memory directory.
    #[serde(serialize_with = "shown")]
    pub memory: PathBuf,
    /// The project's root.
    #[serde(serialize_with = "shown")]
    pub project: PathBuf,
    /// The gates that were evaluated, in order.
    pub gates: Vec<Gate>,
    /// The hash of the plan; `apply` is bound to it.
    pub plan: Option<PlanHash>,
    /// The plan under which waits what was not applied of this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<PlanHash>,
    /// Operations that were applied, or would be in a dry run.
    pub applied: Vec<OperationReport>,
    /// Operations that wait for the user's word, with the reason.
    pub proposed: Vec<ProposedReport>,
    /// What memory says twice in ways that exclude each other; the user says which holds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<QuestionReport>,
    /// Operations that the guard or the memory directory refused.
    pub refused: Vec<Refusal>,
    /// Candidates that were considered and not kept; the first of them, shortened.
    pub dropped: Vec<Dropped>,
    /// Candidates that were considered and not kept, all of them.
    pub dropped_total: u32,
    /// Entries of memory whose words were said again; no byte of memory changes for that.
    #[serde(default)]
    pub recurrences: Vec<RecurrenceReport>,
    /// Files that changed, or would in a dry run, with their difference.
    pub files: Vec<FileReport>,
    /// What the user accepted for files outside the memory directory.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outside: Vec<OutsideReport>,
    /// What left nidra's blocks in such files because the user asked to forget it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub taken_outside: Vec<OutsideReport>,
    /// Files whose text changed meanwhile and won.
    pub conflicts: Vec<String>,
    /// The sessions that were read.
    pub sessions: Vec<SessionReport>,
    /// Those of them on which the engine failed in this run; another run tries again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub set_aside: Vec<SessionReport>,
    /// Sessions that wait for the next run because this one was full or might do no more.
    pub waiting_sessions: u32,
    /// Why the engine might do no more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits_because: Option<String>,
    /// How full the index is afterwards.
    pub index: IndexReport,
    /// Entries of memory that the checkout does not bear out.
    #[serde(default)]
    pub drift: Vec<DriftReport>,
    /// What was odd while reading.
    pub diagnostics: Vec<Diagnostic>,
    /// Records read, by kind.
    pub records: BTreeMap<String, u64>,
    /// What a model was asked and what it cost, where the engine asks any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<serde_json::Value>,
}

/// A path as text, whatever bytes it holds.
fn shown<S: serde::Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&path.display())
}

/// An operation, for a person and for programs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OperationReport {
    /// Its name in the plan.
    pub id: OperationId,
    /// What it did, in a few words.
    pub what: String,
    /// Its kind of change.
    pub change: String,
    /// Why.
    pub reason: String,
    /// How far the statement can be trusted.
    pub rank: TrustRank,
    /// The existing entry that it changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<EntryId>,
    /// The words that it rests on.
    pub evidence: Vec<Evidence>,
}

impl From<&Operation> for OperationReport {
    fn from(operation: &Operation) -> Self {
        Self {
            id: operation.id.clone(),
            what: guard::shown(&operation.change),
            change: operation.change.name().to_owned(),
            reason: operation.reason.clone(),
            rank: operation.rank,
            entry: operation.change.target().map(|target| target.entry.clone()),
            evidence: operation.evidence.clone(),
        }
    }
}

/// An entry of memory whose words were said again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecurrenceReport {
    /// The entry.
    pub entry: EntryId,
    /// The file, relative to the memory directory.
    pub path: String,
    /// Its words, shortened.
    pub text: String,
    /// The words that say it again.
    pub evidence: Vec<Evidence>,
}

/// An operation that waits for the user's word.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProposedReport {
    /// The operation.
    #[serde(flatten)]
    pub operation: OperationReport,
    /// Why it waits.
    pub waits_because: String,
}

/// Two statements of memory of which at most one can hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QuestionReport {
    /// The plan under which it waits; none where nothing is kept.
    pub plan: Option<PlanHash>,
    /// What taking the first and the second out of memory would be.
    pub answers: Vec<OperationReport>,
}

/// An entry of memory that the checkout does not bear out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DriftReport {
    /// The file, relative to the memory directory.
    pub path: String,
    /// The line, from 1, where the entry starts.
    pub line: u64,
    /// Its words, shortened.
    pub text: String,
    /// `stale` or `moved`.
    pub verdict: String,
    /// What in it is not so, and what the checkout says.
    pub findings: Vec<String>,
}

/// A file that changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileReport {
    /// The path relative to the memory directory.
    pub path: String,
    /// `added`, `changed` or `removed`.
    pub change: String,
    /// Lines added.
    pub lines_added: u32,
    /// Lines removed.
    pub lines_removed: u32,
    /// The difference in unified form.
    pub diff: String,
}

/// A session and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionReport {
    /// The session.
    pub session: String,
    /// Its named state: `used`, `low-signal`, `running`, `own`, `excluded`, `unreadable`, `retry 1 of 3`, `failed` …
    pub state: String,
    /// Why, where the state alone does not say.
    pub reason: Option<String>,
    /// New turns read, the human's among them.
    pub turns: u32,
    /// New turns that a person typed.
    pub human_turns: u32,
    /// How often it could not be read or judged since that last worked.
    #[serde(default)]
    pub tries: u32,
}

/// How the state of a session begins that failed and is tried again.
pub const RETRY: &str = "retry";

impl SessionReport {
    /// Says that reading or judging it failed; another run tries again, but not for ever.
    pub fn fail(&mut self, failure: &Failure) {
        self.tries = failure.tries;
        self.reason = Some(failure.cause.clone());
        self.state = state_of(failure);
    }
}

/// The state of a session that failed.
pub(crate) fn state_of(failure: &Failure) -> String {
    if failure.tries < MAX_TRIES {
        format!("{RETRY} {} of {MAX_TRIES}", failure.tries)
    } else {
        "failed".to_owned()
    }
}

/// How full the index is, as the client counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexReport {
    /// Lines.
    pub lines: u32,
    /// UTF-16 units.
    pub units: u32,
    /// Bytes.
    pub bytes: u32,
}

impl From<nidra_memory::limits::IndexUse> for IndexReport {
    fn from(index: nidra_memory::limits::IndexUse) -> Self {
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Self { lines: count(index.lines), units: count(index.units), bytes: count(index.bytes) }
    }
}

impl RunReport {
    /// The report of a run that begins.
    pub(crate) fn begin(dream: &Dream<'_>) -> Self {
        Self::empty(dream.now.timestamp(), dream.engine.name(), dream.memory_root, dream.project)
    }

    /// The report of the application of a kept plan.
    pub(crate) fn of(application: &Application<'_>, engine: &str) -> Self {
        Self::empty(application.now.timestamp(), engine, application.memory_root, application.project)
    }

    /// The report of a run that takes another memory over.
    pub(crate) fn taking_over(takeover: &Takeover<'_>) -> Self {
        Self::empty(takeover.now.timestamp(), adopt::ENGINE, takeover.memory_root, takeover.project)
    }

    /// The report of something that the user asked of memory by a command of its own.
    pub(crate) fn commanded(started: Timestamp, engine: &str, memory: &Path, project: &Project) -> Self {
        Self::empty(started, engine, memory, project)
    }

    fn empty(started: Timestamp, engine: &str, memory: &Path, project: &Project) -> Self {
        Self {
            run: None,
            state: RunState::NothingToDo { reason: "nothing was worth keeping".to_owned() },
            started,
            engine: engine.to_owned(),
            memory: memory.to_owned(),
            project: project.root.clone(),
            gates: Vec::new(),
            plan: None,
            left: None,
            applied: Vec::new(),
            proposed: Vec::new(),
            questions: Vec::new(),
            refused: Vec::new(),
            dropped: Vec::new(),
            dropped_total: 0,
            recurrences: Vec::new(),
            files: Vec::new(),
            outside: Vec::new(),
            taken_outside: Vec::new(),
            conflicts: Vec::new(),
            sessions: Vec::new(),
            set_aside: Vec::new(),
            waiting_sessions: 0,
            waits_because: None,
            index: IndexReport::default(),
            drift: Vec::new(),
            diagnostics: Vec::new(),
            records: BTreeMap::new(),
            model: None,
        }
    }

    /// What the run read is called: sessions, or daily logs.
    pub fn noun(&self) -> &'static str {
        daily_log::noun_of(self.sessions.first().map_or("", |session| &session.session))
    }

    /// Notes the candidates that were not kept. A long talk has thousands; the report names the first and counts all.
    pub(crate) fn drop_candidates(&mut self, dropped: Vec<Dropped>) {
        self.dropped_total = u32::try_from(dropped.len()).unwrap_or(u32::MAX);
        self.dropped = dropped
            .into_iter()
            .take(MAX_DROPPED)
            .map(|mut candidate| {
                candidate.text = width::shorten(&candidate.text, MAX_DROPPED_UNITS);
                for evidence in &mut candidate.evidence {
                    evidence.quote = width::shorten(&redact::redact(&evidence.quote), MAX_DROPPED_UNITS);
                }
                candidate
            })
            .collect();
    }

    /// Notes what was said again. Where nothing else comes of a run, that is what it found.
    pub(crate) fn recur(&mut self, recurrences: Vec<RecurrenceReport>) {
        if !recurrences.is_empty() {
            let says =
                if recurrences.len() == 1 { "1 entry" } else { &format!("{} entries", recurrences.len()) };
            let reason = format!("nothing was new; the {}s say {says} of memory again", self.noun());
            self.state = RunState::NothingToDo { reason };
        }
        self.recurrences = recurrences;
    }

    /// Says of a run of which nothing came that it did not judge everything, where that is so.
    pub(crate) fn admit_unjudged(&mut self) {
        let noun = self.noun();
        let RunState::NothingToDo { reason } = &mut self.state else { return };
        if let Some(failed) = self.set_aside.first() {
            *reason = format!(
                "{} could not be judged ({}), and nothing came of the others",
                counted(self.set_aside.len(), noun),
                failed.reason.as_deref().unwrap_or("the engine failed")
            );
        } else if let Some(limit) = &self.waits_because {
            *reason = format!("nothing came of what could be judged before the engine had to stop ({limit})");
        }
    }

    /// Notes an operation that is not done.
    pub(crate) fn refuse(&mut self, operation: &Operation, reason: &str) {
        self.refused.push(Refusal::of(operation, reason.to_owned()));
    }

    /// What the run did, in one line for the next session's start; none when nothing changed.
    pub fn one_line(&self) -> Option<String> {
        if self.state != RunState::Applied {
            return None;
        }
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for operation in &self.applied {
            let verb = match operation.change.as_str() {
                "create" | "append" => "added",
                "supersede" => "replaced",
                "archive" => "archived",
                _ => "improved",
            };
            *counts.entry(verb).or_default() += 1;
        }
        if !self.recurrences.is_empty() {
            counts.insert("said again", self.recurrences.len());
        }
        let counts: Vec<String> = counts.into_iter().map(|(verb, count)| format!("{count} {verb}")).collect();
        let examples: Vec<String> = self
            .applied
            .iter()
            .take(2)
            .map(|operation| nidra_core::text::width::shorten(&operation.what, 70))
            .collect();
        let proposals = match self.proposed.first() {
            None => String::new(),
            Some(first) => format!(
                "; {} for your word, see `nidra review` ({})",
                match self.proposed.len() {
                    1 => "1 change waits".to_owned(),
                    count => format!("{count} changes wait"),
                },
                width::shorten(&first.operation.what, 80)
            ),
        };
        let undo =
            self.run.as_ref().map(|run| format!(" (`nidra undo {run}` takes it back)")).unwrap_or_default();
        Some(format!(
            "dreamt over {}: {}{proposals}. {}{undo}",
            counted(self.sessions.iter().filter(|session| session.state == "used").count(), self.noun()),
            counts.join(", "),
            examples.join("; "),
        ))
    }
}

/// Reports the difference of each file that changes.
pub(crate) fn file_reports(changes: &nidra_memory::ChangeSet) -> Vec<FileReport> {
    changes.files.iter().filter(|file| !file.is_noop()).map(file_report).collect()
}

/// Reports the difference of one file. A secret that stood there before is not shown.
pub fn file_report(file: &nidra_memory::FileChange) -> FileReport {
    let text = |bytes: &Option<Vec<u8>>| {
        bytes.as_ref().map(|bytes| String::from_utf8_lossy(bytes).into_owned()).unwrap_or_default()
    };
    let (before, after) = (text(&file.before), text(&file.after));
    let difference = similar::TextDiff::from_lines(before.as_str(), after.as_str());
    let (mut added, mut removed) = (0, 0);
    for change in difference.iter_all_changes() {
        match change.tag() {
            similar::ChangeTag::Insert => added += 1,
            similar::ChangeTag::Delete => removed += 1,
            similar::ChangeTag::Equal => {}
        }
    }
    let (old, new) = match (&file.before, &file.after) {
        (None, _) => ("/dev/null".to_owned(), file.path.clone()),
        (_, None) => (file.path.clone(), "/dev/null".to_owned()),
        _ => (file.path.clone(), file.path.clone()),
    };
    FileReport {
        path: file.path.clone(),
        change: match (&file.before, &file.after) {
            (None, _) => "added",
            (_, None) => "removed",
            _ => "changed",
        }
        .to_owned(),
        lines_added: added,
        lines_removed: removed,
        diff: redact::redact(&difference.unified_diff().context_radius(2).header(&old, &new).to_string()),
    }
}
