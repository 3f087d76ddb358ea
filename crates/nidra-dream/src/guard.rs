//! The guard: what an engine asks for is checked here before anything is turned into bytes, whatever the engine is.
//!
//! An operation that breaks a rule is refused with its reason; the others go on. The guard never repairs a statement,
//! it only removes secrets from quotations.

use crate::turns::Turns;
use nidra_core::Settings;
use nidra_core::settings::DreamSettings;
use nidra_core::text::form;
use nidra_core::text::redact::{self, Scope};
use nidra_core::{
    AgentKind, Change, Conversation, EntryId, Kind, MemoryView, Operation, OperationId, Recurrence, Speaker,
    TrustRank,
};
use nidra_memory::stage::NO_CHANGE;
use serde::{Deserialize, Serialize};
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

/// Why a rule of an engine's own making is refused.
const NEEDS_WORDS: &str = "a rule or preference needs the human's own words";
/// Why a rule that an agent noted waits.
const NOTED: &str = "an agent noted it, and only your word makes a rule of that";

/// An operation that is not done, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// The operation.
    pub operation: OperationId,
    /// What it would have done, for a person.
    pub what: String,
    /// The rule that it breaks.
    pub reason: String,
}

impl Refusal {
    /// The refusal of this operation.
    pub(crate) fn of(operation: &Operation, reason: String) -> Self {
        Self { operation: operation.id.clone(), what: shown(&operation.change), reason }
    }
}

/// What the guard let through and what it refused.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Guarded {
    /// Operations that may go on, in order, with secrets removed from their quotations.
    pub accepted: Vec<Operation>,
    /// Operations that may not.
    pub refused: Vec<Refusal>,
    /// Operations that are one too many for a run, and why. What they state would be lost if they were refused, because
    /// its session counts as read.
    pub deferred: Vec<(Operation, String)>,
    /// What those of them said again that would only have repeated memory.
    pub recurrences: Vec<Recurrence>,
}

/// Checks the operations of an engine against memory and against the conversations that they cite.
pub fn check(
    operations: Vec<Operation>,
    memory: &MemoryView,
    conversations: &[Conversation],
    settings: &Settings,
) -> Guarded {
    let scope = settings.redact.scope();
    let turns = Turns::new(conversations, scope);
    let mut ceilings = Ceilings::new(memory, &settings.dream);
    let mut said = Said::new(memory);
    let mut guarded = Guarded::default();
    for mut operation in operations {
        let mut ungrounded = grounds(&mut operation, &turns);
        let noted = ungrounded.take_if(|fault| *fault == NEEDS_WORDS && is_note(&operation)).is_some();
        let fault = ungrounded
            .or_else(|| words(&operation.change, scope).map(str::to_owned))
            .or_else(|| target(&operation.change, memory))
            .or_else(|| {
                let repeated = said.repeats(&operation.change)?;
                guarded.recurrences.extend(repeated.into_iter().map(|(path, entry)| Recurrence {
                    path,
                    entry,
                    rank: operation.rank,
                    evidence: operation.evidence.clone(),
                }));
                Some(REPEATS.to_owned())
            });
        let excess = fault.is_none().then(|| ceilings.admit(&operation.change)).flatten();
        match excess.or_else(|| (noted && fault.is_none()).then(|| NOTED.to_owned())) {
            Some(reason) if states_a_fact(&operation.change) => guarded.deferred.push((operation, reason)),
            excess => guarded.sort(operation, fault.or(excess), scope),
        }
    }
    guarded
}

/// Whether an operation rests on notes of an agent alone: the agent says what a person wanted, and the person can tell
/// whether that is so.
fn is_note(operation: &Operation) -> bool {
    let mut evidence = operation.evidence.iter().peekable();
    evidence.peek().is_some() && evidence.all(|one| one.source.agent == AgentKind::DailyLog)
}

fn states_a_fact(change: &Change) -> bool {
    matches!(
        change,
        Change::Create { .. } | Change::Append { .. } | Change::Rewrite { .. } | Change::Supersede { .. }
    )
}

/// Checks operations of a plan that was checked before, against memory as it is now. Their grounds were checked when
/// the plan was made; the conversations may be gone since.
pub fn recheck(operations: Vec<Operation>, memory: &MemoryView, settings: &Settings) -> Guarded {
    let scope = settings.redact.scope();
    let mut ceilings = Ceilings::new(memory, &settings.dream);
    let mut said = Said::new(memory);
    let mut guarded = Guarded::default();
    for operation in operations {
        let fault = words(&operation.change, scope)
            .map(str::to_owned)
            .or_else(|| target(&operation.change, memory))
            .or_else(|| said.repeats(&operation.change).map(|_| REPEATS.to_owned()))
            .or_else(|| ceilings.admit(&operation.change));
        guarded.sort(operation, fault, scope);
    }
    guarded
}

/// Checks the operations of words that the user told nidra to remember: as [`check`] does, but without ceilings, and how
/// much of a statement the words are is theirs to say.
pub(crate) fn check_told(
    operations: Vec<Operation>,
    memory: &MemoryView,
    conversations: &[Conversation],
    scope: Scope,
) -> Guarded {
    let turns = Turns::new(conversations, scope);
    let mut said = Said::new(memory);
    let mut guarded = Guarded::default();
    for mut operation in operations {
        let statements = operation.change.statements();
        let form = statements.into_iter().find_map(|text| form::told_fault(text, scope)).map(str::to_owned);
        let fault = form
            .or_else(|| grounds(&mut operation, &turns))
            .or_else(|| target(&operation.change, memory))
            .or_else(|| {
                let repeated = said.repeats(&operation.change)?;
                guarded.recurrences.extend(repeated.into_iter().map(|(path, entry)| Recurrence {
                    path,
                    entry,
                    rank: operation.rank,
                    evidence: operation.evidence.clone(),
                }));
                Some(REPEATS.to_owned())
            });
        guarded.sort(operation, fault, scope);
    }
    guarded
}

/// Checks what the user themself asked for: each entry must be there as it was seen, and nothing may hold a secret. No
/// ceiling: they were shown all of it.
pub(crate) fn check_asked(operations: Vec<Operation>, memory: &MemoryView, scope: Scope) -> Guarded {
    let mut guarded = Guarded::default();
    for operation in operations {
        let fault =
            words(&operation.change, scope).map(str::to_owned).or_else(|| target(&operation.change, memory));
        guarded.sort(operation, fault, scope);
    }
    guarded
}

/// How many more entries a run may archive beside these operations.
pub(crate) fn archive_room(memory: &MemoryView, settings: &Settings, accepted: &[Operation]) -> usize {
    let archiving =
        accepted.iter().filter(|operation| matches!(operation.change, Change::Archive { .. })).count();
    Ceilings::new(memory, &settings.dream).max_archived.saturating_sub(archiving)
}

impl Guarded {
    fn sort(&mut self, operation: Operation, fault: Option<String>, scope: Scope) {
        match fault {
            None => self.accepted.push(operation),
            Some(reason) => {
                let mut refusal = Refusal::of(&operation, reason);
                refusal.what = redact::redact_in(&refusal.what, scope);
                self.refused.push(refusal);
            }
        }
    }
}

/// What a change does, in a few words for a person, without secrets.
pub(crate) fn shown(change: &Change) -> String {
    redact::redact(&describe(change))
}

/// What a change does, in a few words for a person.
pub fn describe(change: &Change) -> String {
    match change {
        Change::Create { topic, entries, .. } => format!("add \"{}\": {}", topic.title, entries.join(" ")),
        Change::Append { path, text, .. } => format!("add to {path}: {text}"),
        Change::Rewrite { target, text, .. } => {
            format!("rewrite in {}: {} → {text}", target.path, target.text)
        }
        Change::Supersede { target, text, .. } => {
            format!("replace in {}: {} → {text}", target.path, target.text)
        }
        Change::Archive { target } => format!("archive from {}: {}", target.path, target.text),
        Change::Retitle { path, .. } => format!("say in the index what {path} holds"),
        Change::Relink { path, .. } => format!("link {path} in the index"),
        Change::Unlink { line } => format!("take out of the index: {line}"),
        Change::Propose { destination, text } => format!("propose for {destination}: {text}"),
    }
}

/// Every statement rests on words that were really said, by whom the evidence says; rules and preferences rest on the
/// human's own.
fn grounds(operation: &mut Operation, turns: &Turns<'_>) -> Option<String> {
    let fault = turns.fault(&mut operation.evidence);
    if matches!(operation.change, Change::Relink { .. } | Change::Retitle { .. } | Change::Unlink { .. }) {
        return None;
    }
    if operation.evidence.is_empty() {
        return Some("it names no evidence".to_owned());
    }
    if let Some(fault) = fault {
        return Some(fault.to_owned());
    }
    let human = operation
        .evidence
        .iter()
        .any(|one| one.speaker == Speaker::Human && turns.text(&one.source.record).is_some());
    let needs_human = operation.rank >= TrustRank::HumanConfirmed
        || matches!(operation.kind, Kind::User | Kind::Feedback)
        || created_kind(&operation.change).is_some_and(|kind| matches!(kind, Kind::User | Kind::Feedback));
    if needs_human && !human {
        return Some(NEEDS_WORDS.to_owned());
    }
    None
}

fn created_kind(change: &Change) -> Option<Kind> {
    match change {
        Change::Create { topic, .. } => Some(topic.kind),
        Change::Append { .. }
        | Change::Rewrite { .. }
        | Change::Supersede { .. }
        | Change::Archive { .. }
        | Change::Retitle { .. }
        | Change::Relink { .. }
        | Change::Unlink { .. }
        | Change::Propose { .. } => None,
    }
}

fn words(change: &Change, scope: Scope) -> Option<&'static str> {
    let secret = |text: &str| form::secret(text, scope);
    match change {
        Change::Create { topic, entries, hook } => {
            if entries.is_empty() {
                return Some("it has no entry");
            }
            entries.iter().find_map(|entry| form::fault(entry, scope)).or_else(|| {
                [&topic.title, &topic.description, hook].into_iter().find_map(|text| secret(text))
            })
        }
        Change::Append { text, hook, .. }
        | Change::Rewrite { text, hook, .. }
        | Change::Supersede { text, hook, .. } => {
            form::fault(text, scope).or_else(|| hook.as_deref().and_then(secret))
        }
        Change::Retitle { description, hook, .. } => {
            [description, hook].into_iter().flatten().find_map(|text| secret(text))
        }
        Change::Relink { title, hook, .. } => [title, hook].into_iter().find_map(|text| secret(text)),
        Change::Propose { text, .. } => secret(text),
        Change::Archive { .. } | Change::Unlink { .. } => None,
    }
}

/// What a run did not see it cannot change: the entry must be there, with exactly these words.
fn target(change: &Change, memory: &MemoryView) -> Option<String> {
    let path = change.path()?;
    let Some(topic) = memory.topic(path) else {
        return Some(format!("there is no topic file {path}"));
    };
    if !topic.editable {
        return Some(format!("{path} cannot be edited safely; see `nidra check`"));
    }
    let target = change.target()?;
    let found = topic.entries.iter().any(|entry| entry.id == target.entry && entry.text == target.text);
    if !found {
        return Some(format!("{path} holds no such entry"));
    }
    let new = match change {
        Change::Rewrite { text, .. } | Change::Supersede { text, .. } => text.trim(),
        _ => return None,
    };
    (new == target.text.trim()).then(|| NO_CHANGE.to_owned())
}

/// Why an addition is refused that says nothing new.
pub(crate) const REPEATS: &str = "memory says so already, word for word";

/// What is said already, with the entry where memory says it: the same words are stored once, however often they are
/// offered.
struct Said(HashMap<String, Option<(String, EntryId)>>);

impl Said {
    fn new(memory: &MemoryView) -> Self {
        let said = memory
            .entries()
            .map(|(topic, entry)| (Self::words(&entry.text), Some((topic.path.clone(), entry.id.clone()))));
        Self(said.collect())
    }

    /// The words alone, without white space, letter case and the full stop.
    fn words(text: &str) -> String {
        let text = text.trim().trim_end_matches(['.', '。']);
        text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
    }

    /// The entries that an addition repeats when it says nothing new; what it says counts as said from here on otherwise.
    fn repeats(&mut self, change: &Change) -> Option<Vec<(String, EntryId)>> {
        let added: Vec<String> = match change {
            Change::Create { entries, .. } => entries.iter().map(|entry| Self::words(entry)).collect(),
            Change::Append { text, .. } => vec![Self::words(text)],
            Change::Rewrite { .. }
            | Change::Supersede { .. }
            | Change::Archive { .. }
            | Change::Retitle { .. }
            | Change::Relink { .. }
            | Change::Unlink { .. }
            | Change::Propose { .. } => return None,
        };
        let mut new = false;
        let mut repeated = Vec::new();
        for words in added {
            match self.0.entry(words) {
                Entry::Occupied(known) => repeated.extend(known.get().clone()),
                Entry::Vacant(place) => {
                    place.insert(None);
                    new = true;
                }
            }
        }
        (!new).then_some(repeated)
    }
}

/// How much one run may change; what goes beyond waits or is refused by name, never silently.
struct Ceilings {
    /// How many entries each topic has.
    entries: BTreeMap<String, usize>,
    /// The topics changed so far, each by the share of its entries.
    changed: f64,
    max_changed: f64,
    archived: usize,
    max_archived: usize,
    created: usize,
    max_created: usize,
}

impl Ceilings {
    /// A few changes are always possible, so that a small memory can be corrected at all.
    const SMALL: f64 = 5.0;
    const FEW: usize = 3;

    fn new(memory: &MemoryView, settings: &DreamSettings) -> Self {
        let share = |share: f64, of: usize| {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a share of a small count"
            )]
            let part = (share.clamp(0.0, 1.0) * of as f64).floor() as usize;
            part
        };
        let entries = memory.entries().count();
        Self {
            entries: memory.topics.iter().map(|topic| (topic.path.clone(), topic.entries.len())).collect(),
            changed: 0.0,
            max_changed: (settings.max_changed_share.clamp(0.0, 1.0) * memory.topics.len() as f64)
                .max(Self::SMALL),
            archived: 0,
            max_archived: share(settings.max_archived_share, entries).max(Self::FEW),
            created: 0,
            max_created: settings.max_new_topics as usize,
        }
    }

    fn admit(&mut self, change: &Change) -> Option<String> {
        match change {
            Change::Create { .. } => {
                if self.created >= self.max_created {
                    return Some(format!(
                        "ceiling reached: {} new topics in one run (`dream.max_new_topics`)",
                        self.max_created
                    ));
                }
                self.created += 1;
            }
            Change::Archive { .. } => {
                if self.archived >= self.max_archived {
                    return Some(format!(
                        "ceiling reached: {} entries archived in one run (`dream.max_archived_share`)",
                        self.max_archived
                    ));
                }
                self.archived += 1;
            }
            Change::Rewrite { target, .. } | Change::Supersede { target, .. } => {
                // One entry of ten is a tenth of the file.
                let entries = self.entries.get(&target.path).copied().unwrap_or(1).max(1);
                let changed = self.changed + 1.0 / entries as f64;
                if changed > self.max_changed + f64::EPSILON * entries as f64 {
                    return Some(format!(
                        "ceiling reached: {:.1} files' worth of entries changed in one run (`dream.max_changed_share`)",
                        self.max_changed
                    ));
                }
                self.changed = changed;
            }
            Change::Append { .. }
            | Change::Retitle { .. }
            | Change::Relink { .. }
            | Change::Unlink { .. }
            | Change::Propose { .. } => {}
        }
        None
    }
}

/// The form of a run's name: `d` stands for a digit, `x` for one of sixteen.
const RUN_NAME: &[u8] = b"dddddddd-dddddd-xxxx";

/// A text without the names of runs, each of which is another. Behind a word such as `token` one in several would pass for a
/// secret, so that whether a statement is refused hung on the second in which it was judged.
fn without_runs(text: &str) -> String {
    let fits = |(form, byte): (&u8, &u8)| match form {
        b'd' => byte.is_ascii_digit(),
        b'x' => byte.is_ascii_hexdigit(),
        form => form == byte,
    };
    let mut left = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let is_run = rest.len() >= RUN_NAME.len() && RUN_NAME.iter().zip(rest.as_bytes()).all(fits);
        let taken = if is_run { RUN_NAME.len() } else { letter.len_utf8() };
        left.push_str(if is_run { "run" } else { rest.get(..taken).unwrap_or_default() });
        rest = rest.get(taken..).unwrap_or_default();
    }
    left
}

/// The last look, on the final bytes: no file may hold a secret that it did not hold before.
///
/// # Errors
/// The path of the first file that would, as a message for the user.
pub fn final_bytes(changes: &nidra_memory::ChangeSet, scope: Scope) -> Result<(), String> {
    let secrets = |bytes: &Option<Vec<u8>>| {
        bytes
            .as_ref()
            .map_or(0, |bytes| redact::find_in(&without_runs(&String::from_utf8_lossy(bytes)), scope).len())
    };
    for file in &changes.files {
        // Words that move to the archive were in memory before; they may take their secret along, but only that one.
        let before: usize = secrets(&file.before)
            + if file.path.starts_with("archive/") {
                changes.files.iter().map(|file| secrets(&file.before)).sum()
            } else {
                0
            };
        if secrets(&file.after) > before {
            return Err(format!("{} would hold a secret; nothing was written", file.path));
        }
    }
    Ok(())
}

#[cfg(test)]
#[path = "guard_tests.rs"]
mod tests;
