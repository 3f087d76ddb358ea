//! Remembering what the user says in so many words: judged by the rules like talk, kept whatever they think it worth.
//!
//! The words are a person's own, so they have the highest rank and need nobody's consent. What memory says already is
//! strengthened, a new value takes the place of the old one, and what was forgotten before may come back. Words that an
//! agent gives are its inference: they never make a rule, and the policy judges them as it would in a dream.

use super::suppression::Suppression;
use crate::guard;
use crate::provenance;
use crate::recurrence;
use crate::report::{OperationReport, RunReport, RunState, file_reports};
use crate::review::{self, Verdict};
use crate::steps::{self, new_run};
use crate::turns::Turns;
use jiff::ZonedDateTime;
use nidra_core::error::Diagnostic;
use nidra_core::text::date;
use nidra_core::text::language::is_han;
use nidra_core::text::redact;
use nidra_core::text::similarity::{containment, similarity, terms};
use nidra_core::{
    AgentKind, Change, Content, Conversation, Engine as _, EngineError, EngineInput, Evidence, Kind,
    MemoryView, Operation, OperationId, Outcome, Recurrence, RunId, SessionId, Settings, Source, Speaker,
    TrustRank, Turn, Unwatched,
};
use nidra_memory::atomic::RealFileSystem;
use nidra_memory::commit::{CommitError, NewRun, commit};
use nidra_memory::directory::{MemoryDirectory, MemoryError};
use nidra_memory::lease::Lease;
use nidra_memory::store::{RunRecord, Store, StoreError};
use nidra_rules::notes::NotesEngine;
use nidra_rules::told;
use nidra_sessions::Project;
use std::path::Path;
use std::sync::Arc;

/// The name in the place of an engine's.
pub const ENGINE: &str = "remember";
/// Why the words are in memory.
const REASON: &str = "you told nidra to remember it";
/// How much of the words the statements hold that the rules made of them.
const WHOLE: f64 = 0.8;

/// What remembering needs.
pub struct Remember<'a> {
    /// The project.
    pub project: &'a Project,
    /// Its memory directory.
    pub memory_root: &'a Path,
    /// The settings.
    pub settings: &'a Settings,
    /// The moment, in the user's zone.
    pub now: &'a ZonedDateTime,
    /// The words.
    pub words: &'a str,
    /// Who says them: a person or an agent.
    pub speaker: Speaker,
    /// What they are about; the rules tell where it is `None`.
    pub kind: Option<Kind>,
    /// The topic where they belong.
    pub topic: Option<&'a str>,
}

/// Nothing was remembered; memory is as it was.
#[derive(Debug, thiserror::Error)]
pub enum RememberError {
    /// There are no words.
    #[error("there is nothing to remember")]
    Empty,
    /// The words hold a secret; the rules are named that found it.
    #[error("the words hold a secret ({}), which memory never does", .0.join(", "))]
    Secret(Vec<&'static str>),
    /// The rules failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// Memory could not be read.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The state directory could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Memory could not be written.
    #[error(transparent)]
    Commit(#[from] CommitError),
}

/// Remembers the words. What could not be done stands in the report as refused.
///
/// # Errors
/// When nothing was remembered; memory is as it was.
pub fn remember(
    request: &Remember<'_>,
    store: &mut Store,
    lease: &Lease,
) -> Result<RunReport, RememberError> {
    let scope = request.settings.redact.scope();
    let words = request.words.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.is_empty() {
        return Err(RememberError::Empty);
    }
    let mut secrets: Vec<&'static str> =
        redact::find_in(&words, scope).into_iter().map(|finding| finding.rule).collect();
    secrets.dedup();
    if !secrets.is_empty() {
        return Err(RememberError::Secret(secrets));
    }
    let memory = MemoryDirectory::load(request.memory_root)?;
    let view = memory.view();
    let run = new_run(store, &request.project.id, request.now)?;
    let spoken = [spoken(request, &words, &run)];
    let Outcome { operations, recurrences, .. } = judged(request, &words, &view, &spoken)?;

    let mut guarded = guard::check_told(operations, &view, &spoken, scope);
    let mut report =
        RunReport::commanded(request.now.timestamp(), ENGINE, request.memory_root, request.project);
    report.refused = std::mem::take(&mut guarded.refused);
    let sources = store.recorded_sources(&request.project.id)?;
    let mut accepted = Vec::new();
    for operation in guarded.accepted {
        match verdict(request, &operation, &view, &sources) {
            None => accepted.push(operation),
            Some(reason) => report.refuse(&operation, &reason),
        }
    }
    let staged = steps::stage_asked(request.now, request.settings, &memory, &accepted, &run);
    steps::leave_out_refused(&staged, &mut accepted, &mut report);
    let repeated: Vec<Recurrence> = recurrences.into_iter().chain(guarded.recurrences).collect();
    // Said again is no refusal.
    report.refused.retain(|refusal| refusal.reason != guard::REPEATS);
    report.recur(recurrence::report(&repeated, &view));
    report.applied = accepted.iter().map(OperationReport::from).collect();
    report.files = file_reports(&staged.changes);
    report.index = staged.index.into();
    if let Err(reason) = guard::final_bytes(&staged.changes, scope) {
        report.state = RunState::Refused { reason };
        report.applied.clear();
        report.files.clear();
        return Ok(report);
    }
    if report.files.is_empty() && repeated.is_empty() {
        return Ok(report);
    }
    if !report.files.is_empty() {
        report.state = RunState::Applied;
    }
    report.run = Some(run.clone());
    let record = RunRecord::begin(run, request.project.id.clone(), request.now.timestamp(), ENGINE, "manual");
    let mut new = NewRun::new(record);
    new.record.report = serde_json::to_value(&report).unwrap_or_default();
    new.record.counts = serde_json::json!({
        "applied": report.applied.len(), "files": report.files.len(), "recurrences": report.recurrences.len(),
    });
    let turns = Turns::new(&spoken, scope);
    new.provenance = provenance::of(&memory, &staged.changes, &accepted, Some(&turns));
    new.provenance.extend(recurrence::sources(&repeated, Some(&turns)));
    if request.speaker == Speaker::Human {
        let suppression = Suppression::load(store, &request.project.id)?;
        new.lifted = suppression.said_by(&words).into_iter().map(|row| row.number).collect();
    }
    let committed = commit(store, lease, &RealFileSystem, &new, &staged.changes)?;
    report.conflicts = committed.conflicts;
    report.diagnostics.extend(committed.warnings.into_iter().map(|message| Diagnostic {
        path: request.memory_root.to_owned(),
        line: None,
        offset: None,
        message,
    }));
    Ok(report)
}

/// The words as a turn, and the answer of somebody who takes note: what was said to nobody is no statement.
fn spoken(request: &Remember<'_>, words: &str, run: &RunId) -> Conversation {
    let session = SessionId::new(format!("remember-{run}"));
    let turn = Turn {
        source: Source {
            agent: AgentKind::CommandLine,
            session: session.clone(),
            stream: None,
            record: format!("remember-{run}"),
            path: Arc::from(Path::new("")),
            offset: 0,
            length: u64::try_from(words.len()).unwrap_or_default(),
        },
        at: Some(request.now.timestamp()),
        speaker: request.speaker,
        content: Content::Text(words.to_owned()),
    };
    Conversation {
        session: Some(session),
        directory: Some(request.project.root.clone()),
        turns: vec![turn],
        diagnostics: Vec::new(),
    }
}

/// What becomes of the words: what the rules make of them, if that is all of them, else the words as they are.
fn judged(
    request: &Remember<'_>,
    words: &str,
    view: &MemoryView,
    spoken: &[Conversation],
) -> Result<Outcome, EngineError> {
    let input = EngineInput { conversations: spoken, memory: view, now: request.now, watcher: &Unwatched };
    let mut outcome = NotesEngine.dream(input)?;
    let is_of_words = own_words(&mut outcome.operations, &date::absolute(words, request.now));
    let stated: Vec<&str> =
        outcome.operations.iter().flat_map(|operation| operation.change.statements()).collect();
    let is_whole = is_of_words && !stated.is_empty() && containment(words, &stated.join(" ")) >= WHOLE;
    if !is_whole && (outcome.recurrences.is_empty() || !stated.is_empty()) {
        outcome = as_it_is(request, words, view, spoken);
    }
    for (number, operation) in outcome.operations.iter_mut().enumerate() {
        operation.id = OperationId::new(format!("op-{}", number + 1));
        REASON.clone_into(&mut operation.reason);
        put_in_place(request, operation, view);
    }
    Ok(outcome)
}

/// Lets what takes a statement's place say the words and nothing of what the statement said besides; whether each of
/// those statements speaks of what the words speak of.
fn own_words(operations: &mut [Operation], words: &str) -> bool {
    let about = terms(words);
    let alone = operations.len() == 1;
    operations.iter_mut().all(|operation| {
        let Change::Supersede { target, text, hook } = &mut operation.change else { return true };
        if alone {
            *text = closed(words);
            *hook = Some(words.trim_end_matches(['.', '。']).to_owned());
        }
        terms(&target.text).iter().any(|term| about.contains(term))
    })
}

/// Words with the mark that ends a sentence.
fn closed(words: &str) -> String {
    let ended = words.ends_with(|letter: char| letter.is_ascii_punctuation() || "。！？；…".contains(letter));
    match (ended, words.chars().any(is_han)) {
        (true, _) => words.to_owned(),
        (false, true) => format!("{words}。"),
        (false, false) => format!("{words}."),
    }
}

/// The words as an entry, unless memory says them already.
fn as_it_is(request: &Remember<'_>, words: &str, view: &MemoryView, spoken: &[Conversation]) -> Outcome {
    let evidence: Vec<Evidence> = spoken
        .iter()
        .flat_map(|conversation| &conversation.turns)
        .map(|turn| Evidence {
            source: turn.source.clone(),
            speaker: turn.speaker,
            at: turn.at,
            quote: words.to_owned(),
        })
        .collect();
    let rank =
        if request.speaker == Speaker::Human { TrustRank::HumanVerbatim } else { TrustRank::AgentInferred };
    let numbers = |text: &str| -> Vec<String> {
        let digits = text.split(|letter: char| !letter.is_ascii_digit()).filter(|digits| !digits.is_empty());
        digits.map(str::to_owned).collect()
    };
    let known = view
        .entries()
        .filter(|(_, entry)| numbers(&entry.text) == numbers(words))
        .map(|(topic, entry)| (similarity(&entry.text, words), topic, entry))
        .filter(|(alike, ..)| *alike >= 1.0 - f64::EPSILON)
        .max_by(|left, right| left.0.total_cmp(&right.0));
    if let Some((_, topic, entry)) = known {
        let recurrence = Recurrence { path: topic.path.clone(), entry: entry.id.clone(), rank, evidence };
        return Outcome { recurrences: vec![recurrence], ..Outcome::default() };
    }
    let kind = request.kind.unwrap_or_else(|| told::kind(words));
    let operation = Operation {
        id: OperationId::new("op-1"),
        change: told::create(&closed(&date::absolute(words, request.now)), kind, request.topic, view),
        kind,
        rank,
        reason: REASON.to_owned(),
        evidence,
    };
    Outcome { operations: vec![operation], ..Outcome::default() }
}

/// Puts a new statement where the user wants it.
fn put_in_place(request: &Remember<'_>, operation: &mut Operation, view: &MemoryView) {
    let text = match &operation.change {
        Change::Create { entries, .. } => entries.join(" "),
        Change::Append { text, .. } => text.clone(),
        _ => return,
    };
    let known = request.topic.and_then(|asked| {
        let file = asked.trim_start_matches("./").trim_end_matches(".md");
        view.topics.iter().find(|topic| topic.path.trim_end_matches(".md") == file || topic.name == asked)
    });
    if let Some(topic) = known {
        operation.kind = request.kind.or(topic.kind).unwrap_or(operation.kind);
        operation.change = Change::Append { path: topic.path.clone(), text, hook: None };
        return;
    }
    let of_another_kind =
        |path: &str| request.kind.is_some() && view.topic(path).and_then(|topic| topic.kind) != request.kind;
    let elsewhere = match &operation.change {
        Change::Append { path, .. } => request.topic.is_some() || of_another_kind(path),
        _ => request.topic.is_some(),
    };
    let kind = request.kind.unwrap_or(operation.kind);
    if elsewhere {
        operation.change = told::create(&text, kind, request.topic, view);
    } else if let Change::Create { topic, .. } = &mut operation.change {
        topic.kind = kind;
    }
    operation.kind = kind;
}

/// Why the words of an agent are not done; a person's own always are.
fn verdict(
    request: &Remember<'_>,
    operation: &Operation,
    view: &MemoryView,
    sources: &crate::standing::Sources,
) -> Option<String> {
    if request.speaker == Speaker::Human {
        return None;
    }
    if told::is_rule(request.words) {
        return Some("an agent's word is no rule and no preference; the person has to say it".to_owned());
    }
    let rank =
        |entry: &nidra_core::EntryId| crate::standing::rank(&crate::standing::sources_of(sources, entry));
    match review::judge(operation, view, request.settings.dream.review, false, &rank) {
        Verdict::Apply => None,
        Verdict::Propose(reason) => Some(reason.to_owned()),
        Verdict::Refuse(reason) => Some(reason.into_owned()),
    }
}
