//! Gather: which sessions belong to a dream, and their new turns.
//!
//! Sessions are told apart by the working directory that their records name, never by the name of a folder. The
//! running session is left alone, nidra's own runs are never input, and a record counts once however many
//! transcripts hold a copy of it.

use crate::report::SessionReport;
use jiff::{SignedDuration, Timestamp};
use nidra_core::error::Diagnostic;
use nidra_core::settings::SessionSettings;
use nidra_core::text::redact::{self, Scope};
use nidra_core::text::width;
use nidra_core::{Content, Conversation, SessionId, Speaker, Turn};
use nidra_sessions::project::{self, Project};
use nidra_sessions::{Cursor, Known, Reader, Transcript, daily_log};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

/// What is known about sessions from outside their transcripts.
#[derive(Clone, Debug, Default)]
pub struct SessionKnowledge {
    /// A hook said that they ended, and when.
    pub ended: BTreeMap<SessionId, Timestamp>,
    /// They are running now and busy.
    pub running: BTreeSet<SessionId>,
}

/// A session that failed this often is left alone until the user asks for it again.
pub const MAX_TRIES: u32 = 3;

/// What earlier runs could not read or judge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// How often in a row.
    pub tries: u32,
    /// The cause of the last time.
    pub cause: String,
}

/// How far each transcript was read, and what was already consumed.
pub trait Progress {
    /// What an earlier look found at the beginning of this transcript.
    fn known(&self, path: &Path) -> Option<Known>;
    /// How often this session failed since it last worked; `None` where it did not.
    fn failure(&self, session: &SessionId) -> Option<Failure>;
    /// The cursor of this transcript; the start where there is none.
    fn cursor(&self, path: &Path) -> Cursor;
    /// Which of these records were consumed by an earlier run.
    fn seen(&self, records: &[String]) -> HashSet<String>;
}

/// One session with its transcripts: the main thread first, then its sub-agents.
#[derive(Clone, Debug)]
pub struct SessionFiles {
    /// The session.
    pub session: SessionId,
    /// Its transcripts.
    pub transcripts: Vec<Transcript>,
    /// When the newest of them was last written.
    pub modified: Timestamp,
}

/// The sessions of one project, sorted by what a dream does with them.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// They have new bytes and are read, oldest first.
    pub read: Vec<SessionFiles>,
    /// They are not read, with the state and the reason.
    pub left: Vec<SessionReport>,
    /// Sessions touched since the last dream: what the session gate counts.
    pub touched: u32,
    /// Folders that hold transcripts of this project.
    pub folders: BTreeSet<PathBuf>,
    /// Transcripts of whatever project that were looked into for the first time, and what was found.
    pub learnt: Vec<(PathBuf, Known)>,
    /// What was odd while looking.
    pub diagnostics: Vec<Diagnostic>,
    /// Sessions found for this project, whatever became of them.
    pub found: u32,
    /// The folder below which the agent keeps its transcripts, when there is none.
    pub missing: Option<PathBuf>,
}

impl Selection {
    /// Sessions that may still be running, so that they are read another time.
    pub fn running(&self) -> u32 {
        self.left_as("running")
    }

    /// Sessions that are not tried any more until the user asks for it.
    pub fn failed(&self) -> u32 {
        self.left_as("failed")
    }

    fn left_as(&self, state: &str) -> u32 {
        count(self.left.iter().filter(|session| session.state == state).count())
    }
}

/// What decides about a session.
#[derive(Clone, Copy, Debug)]
pub struct Criteria<'a> {
    /// The project.
    pub project: &'a Project,
    /// All work trees of a repository are one project.
    pub share_worktrees: bool,
    /// The user's home directory, which is never the root of a project below it.
    pub home: Option<&'a Path>,
    /// Now.
    pub now: Timestamp,
    /// Which sessions are wanted.
    pub settings: &'a SessionSettings,
    /// What is removed from what was said.
    pub scope: Scope,
    /// What hooks and the agent's registry know.
    pub knowledge: &'a SessionKnowledge,
}

impl Criteria<'_> {
    /// Whether a working directory belongs to the project; asked once for each directory.
    fn accepts(&self, directory: &Path, known: &mut HashMap<PathBuf, bool>) -> bool {
        if let Some(known) = known.get(directory) {
            return *known;
        }
        let found = project::identify_with_home(directory, self.share_worktrees, self.home);
        let mine = found.id == self.project.id;
        known.insert(directory.to_owned(), mine);
        mine
    }
}

/// Finds the sessions of a project and decides about each.
pub fn select(reader: &dyn Reader, progress: &dyn Progress, criteria: Criteria<'_>) -> Selection {
    let discovery = reader.discover(&|path| progress.known(path));
    let mut selection =
        Selection { diagnostics: discovery.diagnostics, missing: discovery.missing, ..Selection::default() };
    let mut belongs: HashMap<PathBuf, bool> = HashMap::new();
    let mut sessions: BTreeMap<SessionId, Vec<Transcript>> = BTreeMap::new();
    for transcript in discovery.transcripts {
        let Some(directory) = transcript.directory.as_deref() else {
            continue;
        };
        // The first message, which tells a run of nidra's own, may still be missing from one that just began.
        let is_settled = idle_minutes(criteria.now, transcript.modified) >= criteria.settings.idle_minutes;
        if transcript.stream.is_none() && is_settled && progress.known(&transcript.path).is_none() {
            let Transcript { directory, headless, own, .. } = &transcript;
            let known = Known { directory: directory.clone(), headless: *headless, own: *own };
            selection.learnt.push((transcript.path.clone(), known));
        }
        if criteria.accepts(directory, &mut belongs) {
            if let Some(folder) = transcript.path.parent()
                && transcript.stream.is_none()
            {
                selection.folders.insert(folder.to_owned());
            }
            sessions.entry(transcript.session.clone()).or_default().push(transcript);
        }
    }
    selection.found = count(sessions.len());
    for (session, mut transcripts) in sessions {
        transcripts.sort_by(|left, right| (&left.stream, &left.path).cmp(&(&right.stream, &right.path)));
        let Some(modified) = transcripts.iter().map(|transcript| transcript.modified).max() else {
            continue;
        };
        let files = SessionFiles { session, transcripts, modified };
        match decide(&files, progress, criteria) {
            Decision::Read => {
                selection.touched += 1;
                selection.read.push(files);
            }
            Decision::Leave(state, reason) => {
                selection.left.push(SessionReport {
                    session: files.session.as_str().to_owned(),
                    state: state.to_owned(),
                    reason,
                    turns: 0,
                    human_turns: 0,
                    tries: progress.failure(&files.session).map_or(0, |failure| failure.tries),
                });
            }
        }
    }
    selection
        .read
        .sort_by(|left, right| (left.modified, &left.session).cmp(&(right.modified, &right.session)));
    selection
}

fn idle_minutes(now: Timestamp, modified: Timestamp) -> f64 {
    now.duration_since(modified).as_secs_f64() / 60.0
}

enum Decision {
    Read,
    Leave(&'static str, Option<String>),
}

fn decide(files: &SessionFiles, progress: &dyn Progress, criteria: Criteria<'_>) -> Decision {
    let main = files.transcripts.iter().find(|transcript| transcript.stream.is_none());
    if files.transcripts.iter().any(|transcript| transcript.own) {
        return Decision::Leave("own", Some("a run of nidra itself".to_owned()));
    }
    let directory = main.or(files.transcripts.first()).and_then(|transcript| transcript.directory.as_deref());
    if let Some(excluded) = directory
        .and_then(|directory| criteria.settings.exclude.iter().find(|path| directory.starts_with(path)))
    {
        return Decision::Leave("excluded", Some(format!("sessions.exclude holds {}", excluded.display())));
    }
    if !criteria.settings.include_headless && main.is_some_and(|transcript| transcript.headless == Some(true))
    {
        return Decision::Leave(
            "excluded",
            Some("headless, and sessions.include_headless is false".to_owned()),
        );
    }
    let unread = files
        .transcripts
        .iter()
        .any(|transcript| transcript.length != progress.cursor(&transcript.path).offset);
    if !unread {
        return Decision::Leave("used", Some("no new bytes".to_owned()));
    }
    if let Some(failure) = progress.failure(&files.session).filter(|failure| failure.tries >= MAX_TRIES) {
        return Decision::Leave("failed", Some(failure.cause));
    }
    if criteria.knowledge.running.contains(&files.session) {
        return Decision::Leave("running", Some("the agent says that it is busy".to_owned()));
    }
    // A hook's word that a session ended holds until the session goes on.
    let slack = SignedDuration::from_secs(5);
    let ended = criteria
        .knowledge
        .ended
        .get(&files.session)
        .is_some_and(|ended| files.modified <= ended.checked_add(slack).unwrap_or(Timestamp::MAX));
    let idle = idle_minutes(criteria.now, files.modified);
    // A time in the future is a clock that was set back; such a session is not running for that reason.
    // Each line of a log is whole as soon as it stands there.
    let is_log = files.session.as_str().starts_with(daily_log::SESSION);
    if !ended && !is_log && (0.0..criteria.settings.idle_minutes).contains(&idle) {
        return Decision::Leave(
            "running",
            Some(format!("last written {idle:.0} min ago and no end was seen")),
        );
    }
    Decision::Read
}

/// The new turns of the selected sessions, and what has to be stored once they are consumed.
#[derive(Clone, Debug, Default)]
pub struct Gathered {
    /// The conversations with something new, oldest first.
    pub conversations: Vec<Conversation>,
    /// What became of each session that was read.
    pub sessions: Vec<SessionReport>,
    /// What was consumed of each of these sessions.
    pub consumed: Vec<Consumed>,
    /// Records read, by kind.
    pub counts: BTreeMap<String, u64>,
    /// What was odd while reading.
    pub diagnostics: Vec<Diagnostic>,
}

/// What a run consumed of one session.
#[derive(Clone, Debug)]
pub struct Consumed {
    /// The session.
    pub session: SessionId,
    /// The cursors after this run, by transcript.
    pub cursors: Vec<(PathBuf, Cursor)>,
    /// The records.
    pub records: Vec<String>,
}

impl Gathered {
    /// The cursors after this run, by transcript.
    pub fn cursors(&self) -> impl Iterator<Item = &(PathBuf, Cursor)> {
        self.consumed.iter().flat_map(|consumed| &consumed.cursors)
    }

    /// The records consumed by this run.
    pub fn records(&self) -> impl Iterator<Item = &String> {
        self.consumed.iter().flat_map(|consumed| &consumed.records)
    }

    /// Takes a session out on which the engine failed: it counts as not read, so that it is tried again.
    pub fn set_aside(&mut self, session: &SessionId, failure: &Failure) {
        self.conversations.retain(|conversation| conversation.session.as_ref() != Some(session));
        self.consumed.retain(|consumed| consumed.session != *session);
        if let Some(report) = self.sessions.iter_mut().find(|report| report.session == session.as_str()) {
            report.fail(failure);
        }
    }

    /// Takes a session out to which the engine did not come: it counts as not read, and as nothing else.
    pub fn postpone(&mut self, session: &SessionId) {
        self.conversations.retain(|conversation| conversation.session.as_ref() != Some(session));
        self.consumed.retain(|consumed| consumed.session != *session);
        self.sessions.retain(|report| report.session != session.as_str());
    }

    /// Sessions that hold at least one new word of a person or an agent.
    pub fn with_speech(&self) -> u32 {
        count(self.sessions.iter().filter(|session| session.turns > 0).count())
    }
}

/// Reads the new turns of the selected sessions.
pub fn read(
    reader: &dyn Reader,
    progress: &dyn Progress,
    selected: &[SessionFiles],
    criteria: Criteria<'_>,
) -> Gathered {
    let mut gathered = Gathered::default();
    let mut budget = Budget { spent: 0, scope: criteria.scope };
    let belongs = RefCell::new(HashMap::new());
    let accept = |directory: &Path| criteria.accepts(directory, &mut belongs.borrow_mut());
    let mut taken: HashSet<String> = HashSet::new();
    for files in selected {
        let mut turns: Vec<Turn> = Vec::new();
        let mut unreadable = None;
        let mut consumed =
            Consumed { session: files.session.clone(), cursors: Vec::new(), records: Vec::new() };
        for transcript in &files.transcripts {
            let start = progress.cursor(&transcript.path);
            match reader.read(transcript, &start, &accept, &mut |turn| turns.push(budget.fit(turn))) {
                Ok(outcome) => {
                    consumed.cursors.push((transcript.path.clone(), outcome.cursor));
                    gathered.diagnostics.extend(outcome.diagnostics);
                    for (kind, number) in outcome.counts {
                        *gathered.counts.entry(kind).or_default() += number;
                    }
                }
                Err(error) => {
                    unreadable = Some(error.to_string());
                    gathered.diagnostics.push(Diagnostic {
                        path: transcript.path.clone(),
                        line: None,
                        offset: None,
                        message: error.to_string(),
                    });
                }
            }
        }
        let keys: Vec<String> = turns.iter().map(record_key).collect();
        let seen = progress.seen(&keys);
        let mut fresh = Vec::with_capacity(turns.len());
        for (turn, key) in turns.into_iter().zip(keys) {
            if !seen.contains(&key) && taken.insert(key.clone()) {
                consumed.records.push(key);
                fresh.push(turn);
            }
        }
        gathered.consumed.push(consumed);
        let failed = progress.failure(&files.session).map_or(0, |failure| failure.tries);
        gathered.sessions.push(report(files, &fresh, unreadable, failed));
        if !fresh.is_empty() {
            gathered.conversations.push(Conversation {
                session: Some(files.session.clone()),
                directory: files.transcripts.iter().find_map(|transcript| transcript.directory.clone()),
                turns: fresh,
                diagnostics: Vec::new(),
            });
        }
    }
    gathered
}

/// Keeps what tools took and gave within bounds, so that a run's memory does not grow with the size of a transcript.
/// What people and agents said is kept whole up to a length that nobody types, and without secrets.
#[derive(Debug)]
struct Budget {
    spent: usize,
    scope: Scope,
}

impl Budget {
    /// Bytes of tool text that are kept in full measure.
    const FULL: usize = 32 * 1024 * 1024;
    /// Bytes of one tool text within the budget, and behind it.
    const LONG: usize = 4 * 1024;
    const SHORT: usize = 256;
    /// Bytes of what a person or an agent said at once; more is something pasted.
    const SPOKEN: usize = 16 * 1024;

    fn fit(&mut self, mut turn: Turn) -> Turn {
        let limit = if self.spent < Self::FULL { Self::LONG } else { Self::SHORT };
        match &mut turn.content {
            Content::ToolResult { text, .. } => self.cut(text, limit),
            Content::ToolCall { input, .. } => self.cut_values(input, limit),
            Content::Text(text) => {
                // Before anything is split or quoted: a key that runs over many lines is no key any more in pieces.
                *text = redact::redact_in(text, self.scope);
                Self::cut_to(text, Self::SPOKEN);
            }
            Content::Interrupted => {}
        }
        turn
    }

    fn cut_values(&mut self, value: &mut serde_json::Value, limit: usize) {
        match value {
            serde_json::Value::String(text) => self.cut(text, limit),
            serde_json::Value::Array(values) => {
                for value in values {
                    self.cut_values(value, limit);
                }
            }
            serde_json::Value::Object(fields) => {
                for value in fields.values_mut() {
                    self.cut_values(value, limit);
                }
            }
            serde_json::Value::Null | serde_json::Value::Bool(_) | serde_json::Value::Number(_) => {}
        }
    }

    /// Keeps the beginning and, where the end of a log says how it ended, the end.
    fn cut(&mut self, text: &mut String, limit: usize) {
        Self::cut_to(text, limit);
        // Secrets are removed from what is quoted of it; whoever wants no personal data wants none of it kept.
        if self.scope == Scope::SecretsAndPersonal {
            *text = redact::redact_in(text, self.scope);
        }
        self.spent += text.len();
    }

    fn cut_to(text: &mut String, limit: usize) {
        if text.len() > limit {
            let head = width::cut_bytes(text, limit / 4 * 3);
            let mut from = text.len() - limit / 4;
            while !text.is_char_boundary(from) {
                from += 1;
            }
            let from = from.max(head.len());
            *text = format!("{head}…[{} bytes cut]{}", from - head.len(), &text[from..]);
            text.shrink_to_fit();
        }
    }
}

/// What makes a record the same record in every copy of a transcript. Records of sub-agents are told apart by their
/// stream: two children may hold the same identifiers.
fn record_key(turn: &Turn) -> String {
    match &turn.source.stream {
        Some(stream) => format!("{stream}/{}", turn.source.record),
        None => turn.source.record.clone(),
    }
}

fn report(files: &SessionFiles, turns: &[Turn], unreadable: Option<String>, failed: u32) -> SessionReport {
    let tries = if unreadable.is_some() { failed + 1 } else { 0 };
    let spoken = |turn: &&Turn| {
        matches!(turn.speaker, Speaker::Human | Speaker::Agent) && matches!(turn.content, Content::Text(_))
    };
    let human = turns.iter().filter(|turn| turn.speaker == Speaker::Human).count();
    let (state, reason) = match unreadable {
        Some(reason) => ("unreadable", Some(reason)),
        None if human == 0 => ("low-signal", Some("nothing new that a person typed".to_owned())),
        None => ("used", None),
    };
    SessionReport {
        session: files.session.as_str().to_owned(),
        state: state.to_owned(),
        reason,
        turns: count(turns.iter().filter(spoken).count()),
        human_turns: count(human),
        tries,
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
