//! The values that the state database holds, and how they are put into columns.

use crate::objects::ObjectId;
use jiff::Timestamp;
use nidra_core::{Affect, EntryId, Evidence, PlanHash, ProjectId, RunId, SessionId, TrustRank};
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, Value, ValueRef};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;

/// A project that nidra knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectRecord {
    /// Its identifier.
    pub id: ProjectId,
    /// The root of its main checkout.
    pub root: PathBuf,
    /// Its memory directory.
    pub memory_directory: PathBuf,
    /// When nidra first met it.
    pub first_seen: Timestamp,
    /// What its repository is known by wherever it lies.
    pub repository: Option<String>,
    /// The project that took its memory over.
    pub adopted_by: Option<ProjectId>,
}

/// What the beginning of a transcript says; it never changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranscriptRecord {
    /// The transcript.
    pub path: PathBuf,
    /// The first working directory that its records name.
    pub directory: PathBuf,
    /// No person was at the keyboard; `None` where its records do not say.
    pub headless: Option<bool>,
    /// It is a run of nidra itself.
    pub own: bool,
}

/// How far a transcript was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CursorRecord {
    /// The transcript.
    pub path: PathBuf,
    /// Where reading goes on, in bytes.
    pub offset: u64,
    /// The lines before it, so that messages name true line numbers.
    pub line: u64,
    /// A hash over the part that was read, to notice that the file became another one.
    pub fingerprint: String,
}

/// What is known about a session's place in the queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRecord {
    /// The session.
    pub session: SessionId,
    /// Its state, in the dream layer's words: `pending`, `consumed`, `failed` …
    pub state: String,
    /// Why it is in that state.
    pub reason: Option<String>,
    /// Its transcript.
    pub path: Option<PathBuf>,
    /// Its last record of a user or the agent.
    pub last_activity: Option<Timestamp>,
    /// How often reading it failed.
    pub tries: u32,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunState {
    /// It began and has not ended, as far as the database knows.
    Running,
    /// It was committed.
    Applied,
    /// It ended well and had nothing to do.
    Nothing,
    /// It ended with proposals or a dry plan only; no memory file changed.
    Proposed,
    /// The guard refused its plan.
    Refused,
    /// It failed, and memory is as it was.
    Failed,
    /// The user stopped it, and memory is as it was.
    Stopped,
    /// It ended without a word, by a crash or a kill, and memory was put back.
    Interrupted,
    /// It was committed and undone later.
    Undone,
}

impl RunState {
    const ALL: [Self; 9] = [
        Self::Running,
        Self::Applied,
        Self::Nothing,
        Self::Proposed,
        Self::Refused,
        Self::Failed,
        Self::Stopped,
        Self::Interrupted,
        Self::Undone,
    ];

    /// The name used in reports and stored state.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Applied => "applied",
            Self::Nothing => "nothing",
            Self::Proposed => "proposed",
            Self::Refused => "refused",
            Self::Failed => "failed",
            Self::Stopped => "stopped",
            Self::Interrupted => "interrupted",
            Self::Undone => "undone",
        }
    }

    /// Reads the name; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == text)
    }
}

/// A run as it is told of in reports.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRecord {
    /// Its identifier.
    pub id: RunId,
    /// Its project.
    pub project: ProjectId,
    /// When it began.
    pub started: Timestamp,
    /// When it ended.
    pub finished: Option<Timestamp>,
    /// How it ended.
    pub state: RunState,
    /// The engine that judged.
    pub engine: String,
    /// What set it off: `manual`, `session-end` …
    pub trigger: String,
    /// The plan that it applied.
    pub plan_hash: Option<PlanHash>,
    /// Counts of found, accepted, refused …, as the report shows them.
    pub counts: serde_json::Value,
    /// The whole report.
    pub report: serde_json::Value,
    /// Why it failed.
    pub error: Option<String>,
    /// The manifest of the memory directory before its first write.
    pub snapshot: Option<ObjectId>,
    /// The run that it undid.
    pub undoes: Option<RunId>,
    /// The run that undid it.
    pub undone_by: Option<RunId>,
}

impl RunRecord {
    /// A run that begins.
    pub fn begin(
        id: RunId,
        project: ProjectId,
        started: Timestamp,
        engine: impl Into<String>,
        trigger: impl Into<String>,
    ) -> Self {
        Self {
            id,
            project,
            started,
            finished: None,
            state: RunState::Running,
            engine: engine.into(),
            trigger: trigger.into(),
            plan_hash: None,
            counts: serde_json::json!({}),
            report: serde_json::Value::Null,
            error: None,
            snapshot: None,
            undoes: None,
            undone_by: None,
        }
    }
}

/// A file that a run changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChangeRecord {
    /// The path relative to the memory directory.
    pub path: String,
    /// What it held before; `None` when there was no file.
    pub before: Option<ObjectId>,
    /// What it held after; `None` when it was gone.
    pub after: Option<ObjectId>,
}

/// What an entry rests on.
#[derive(Clone, Debug, PartialEq)]
pub struct EntrySource {
    /// The entry.
    pub entry: EntryId,
    /// Its topic file, relative to the memory directory.
    pub path: String,
    /// The words that it rests on.
    pub evidence: Vec<Evidence>,
    /// How far it can be trusted.
    pub rank: TrustRank,
    /// What the run did to the entry.
    pub relation: Relation,
    /// The entry that it was before.
    pub predecessor: Option<EntryId>,
    /// What the person's turns showed of their feeling.
    pub affect: Affect,
}

impl EntrySource {
    /// The source of a new entry.
    pub fn stating(entry: EntryId, path: String, evidence: Vec<Evidence>, rank: TrustRank) -> Self {
        Self {
            entry,
            path,
            evidence,
            rank,
            relation: Relation::States,
            predecessor: None,
            affect: Affect::default(),
        }
    }

    /// The sources of one entry from several runs, newest run first, as if one run had brought them all; `None` for none.
    pub fn united(sources: Vec<Self>) -> Option<Self> {
        let mut sources = sources.into_iter().rev();
        let mut united = sources.next()?;
        for later in sources {
            if later.relation != Relation::Repeats {
                (united.relation, united.predecessor) = (later.relation, later.predecessor);
            }
            united.path = later.path;
            united.rank = united.rank.max(later.rank);
            united.affect = united.affect.union(later.affect);
            united.evidence.extend(later.evidence);
        }
        Some(united)
    }
}

/// What a run did to an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// It brought the entry.
    States,
    /// It gave an older entry other words for the same; what that rested on still counts.
    Rewrites,
    /// It put the entry in the place of one that was no longer true.
    Replaces,
    /// It found the entry's words said again.
    Repeats,
}

impl Relation {
    const ALL: [Self; 4] = [Self::States, Self::Rewrites, Self::Replaces, Self::Repeats];

    /// The name used in reports and stored state.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::States => "states",
            Self::Rewrites => "rewrites",
            Self::Replaces => "replaces",
            Self::Repeats => "repeats",
        }
    }

    /// Reads the name; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|relation| relation.as_str() == text)
    }
}

/// What an entry rests on, with the run that brought it.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedSource {
    /// The run.
    pub run: RunId,
    /// When the run began.
    pub started: Timestamp,
    /// The source.
    pub source: EntrySource,
}

/// An entry that was archived. The words that it rested on do not bring it back; new ones do.
#[derive(Clone, Debug, PartialEq)]
pub struct Tombstone {
    /// The entry.
    pub entry: EntryId,
    /// The topic file that it stood in, relative to the memory directory.
    pub path: String,
    /// Its words, with secrets removed.
    pub text: String,
    /// The words that it rested on.
    pub evidence: Vec<Evidence>,
}

/// What became of a stored plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlanState {
    /// It waits for the user's word.
    Open,
    /// It was applied.
    Applied,
    /// The user rejected it.
    Rejected,
    /// Memory or a later plan made it pointless.
    Obsolete,
}

impl PlanState {
    const ALL: [Self; 4] = [Self::Open, Self::Applied, Self::Rejected, Self::Obsolete];

    /// The name used in reports and stored state.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Applied => "applied",
            Self::Rejected => "rejected",
            Self::Obsolete => "obsolete",
        }
    }

    /// Reads the name; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == text)
    }
}

/// A stored plan or proposal.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanRecord {
    /// The plan's hash.
    pub hash: PlanHash,
    /// The hash of the memory directory that it was made on.
    pub base: String,
    /// When it was made.
    pub created: Timestamp,
    /// What became of it.
    pub state: PlanState,
    /// The plan, or whatever the dream layer stores of it.
    pub body: serde_json::Value,
}

/// When runs were and may be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schedule {
    /// The last run that was committed.
    pub last_success: Option<Timestamp>,
    /// The last run that began.
    pub last_attempt: Option<Timestamp>,
    /// The last look at the session directories.
    pub last_scan: Option<Timestamp>,
    /// No automatic run before this.
    pub hold_until: Option<Timestamp>,
    /// The last run, when it was interrupted.
    pub interrupted_run: Option<RunId>,
}

impl Schedule {
    /// The last look at the sessions: a dream that was committed was one, too.
    pub fn last_look(&self) -> Option<Timestamp> {
        self.last_scan.max(self.last_success)
    }
}

/// What a run found in the tables that it changed, kept with it for an undo.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct BeforeRun {
    pub(super) cursors: Vec<CursorStep>,
    pub(super) sessions: Vec<SessionStep>,
    pub(super) plans: Vec<PlanStep>,
    /// Directories of the memory directory that the run created, outermost first.
    pub(super) directories: Vec<String>,
    pub(super) last_success: Option<Timestamp>,
    /// The value that the run set, to see whether a later run set another one.
    pub(super) last_success_after: Option<Timestamp>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CursorStep {
    /// In [`crate::journal::encode_path`]'s form.
    pub(super) path: String,
    /// Offset, line and fingerprint.
    pub(super) before: Option<(u64, u64, String)>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SessionStep {
    pub(super) session: SessionId,
    pub(super) before: Option<StoredSession>,
    pub(super) after: StoredSession,
}

/// A session's row without its key; the path in [`crate::journal::encode_path`]'s form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct StoredSession {
    pub(super) state: String,
    pub(super) reason: Option<String>,
    pub(super) path: Option<String>,
    pub(super) last_activity: Option<Timestamp>,
    pub(super) tries: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PlanStep {
    pub(super) hash: PlanHash,
    pub(super) before: Option<PlanState>,
    pub(super) after: PlanState,
}

/// A time as a column.
pub(super) struct Time(pub(super) Timestamp);

impl ToSql for Time {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Owned(Value::Integer(self.0.as_microsecond())))
    }
}

impl FromSql for Time {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let microseconds = value.as_i64()?;
        Timestamp::from_microsecond(microseconds)
            .map(Self)
            .map_err(|error| FromSqlError::Other(Box::new(error)))
    }
}

/// A path as a column: text where it is UTF-8, else a blob.
pub(super) struct FilePath(pub(super) PathBuf);

impl ToSql for FilePath {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self.0.to_str() {
            Some(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            None => ToSqlOutput::Borrowed(ValueRef::Blob(self.0.as_os_str().as_bytes())),
        })
    }
}

impl FromSql for FilePath {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value {
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
                Ok(Self(PathBuf::from(OsString::from_vec(bytes.to_vec()))))
            }
            ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) => Err(FromSqlError::InvalidType),
        }
    }
}

/// The timestamp as the database gives it back: cut to microseconds.
pub(super) fn stored_time(time: Timestamp) -> Timestamp {
    Timestamp::from_microsecond(time.as_microsecond()).unwrap_or(time)
}

/// A count or an offset as a column; SQLite's integers are signed.
pub(super) struct Count(pub(super) u64);

impl ToSql for Count {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let number = i64::try_from(self.0)
            .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
        Ok(ToSqlOutput::Owned(Value::Integer(number)))
    }
}

impl FromSql for Count {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let number = value.as_i64()?;
        u64::try_from(number).map(Self).map_err(|_| FromSqlError::OutOfRange(number))
    }
}
