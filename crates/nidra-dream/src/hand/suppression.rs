//! The suppression list: statements that the user asked to be forgotten, and what keeps them away.
//!
//! They are kept away twice. Before an engine judges, the sentences that say one are taken out of what it is given, so that
//! no engine quotes, rewords or sends them. After it, an operation that states one all the same is refused. A person's own
//! words from after the forgetting pass both: who says it anew wants it.

use jiff::Timestamp;
use nidra_core::text::fingerprint::{Fingerprint, FingerprintKey, FingerprintSet};
use nidra_core::text::{markup, sentence};
use nidra_core::{Change, Content, Conversation, Evidence, Operation, ProjectId, Speaker, Turn};
use nidra_memory::store::{ForgottenRecord, ForgottenRow, Store, StoreError, record_hash};
use std::ops::Range;

/// What stands in the place of a sentence that is kept away.
const TAKEN_OUT: &str = "…";
/// How much of a forgotten statement the old words for it hold at least.
const OLD_WORDS: f64 = 0.5;
/// How operations that are refused for this are named in reports, which must not say the words again.
pub(crate) const UNNAMED: &str = "something that you asked to be forgotten";

/// The statements that stay away.
#[derive(Clone, Debug, Default)]
pub struct Suppression {
    key: Option<FingerprintKey>,
    rows: Vec<ForgottenRow>,
    set: FingerprintSet,
}

impl Suppression {
    /// Reads what the user asked to be forgotten.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn load(store: &Store, project: &ProjectId) -> Result<Self, StoreError> {
        let rows = store.forgotten(project)?;
        let key = if rows.is_empty() { None } else { Some(store.forgetting_key()?) };
        let mut suppression = Self { key, rows, set: FingerprintSet::default() };
        suppression.prepare();
        Ok(suppression)
    }

    fn prepare(&mut self) {
        self.set = self.rows.iter().map(|row| row.record.fingerprint.clone()).collect();
    }

    /// The statements that some words say, as they stand.
    fn said<'a>(&'a self, words: &str, key: &FingerprintKey) -> impl Iterator<Item = &'a ForgottenRow> {
        self.set.said_by(&Fingerprint::new(words, key)).into_iter().filter_map(|number| self.rows.get(number))
    }

    /// Whether nothing is to stay away.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The forgotten statements that a text says.
    pub fn said_by(&self, text: &str) -> Vec<&ForgottenRow> {
        let Some(key) = &self.key else { return Vec::new() };
        let mut found: Vec<&ForgottenRow> = self.said(text, key).collect();
        if let several @ [_, _, ..] = segments(text).as_slice() {
            found.extend(several.iter().flat_map(|range| self.said(&text[range.clone()], key)));
        }
        found.sort_by_key(|row| row.number);
        found.dedup_by_key(|row| row.number);
        found
    }

    /// Why an operation is not done: it states what the user asked to be forgotten, and rests on no later words of theirs.
    pub fn fault(&self, operation: &Operation) -> Option<String> {
        if self.is_empty() {
            return None;
        }
        let row = stated(&operation.change)
            .into_iter()
            .flat_map(|text| self.said_by(text))
            .find(|row| !operation.evidence.iter().any(|evidence| self.is_said_anew(row, evidence)))?;
        Some(format!(
            "you asked to forget it on {}, and have not said it again since",
            row.record.at.strftime("%Y-%m-%d")
        ))
    }

    /// Whether a person said the statement after it was forgotten.
    fn is_said_anew(&self, row: &ForgottenRow, evidence: &Evidence) -> bool {
        let Some(key) = &self.key else { return false };
        is_new(&row.record, evidence.speaker, evidence.at, &evidence.source.record)
            && row.record.fingerprint.containment(&Fingerprint::new(&evidence.quote, key)) >= OLD_WORDS
    }

    /// Takes the sentences that say something forgotten out of what was said, unless a person said it anew.
    pub(crate) fn take_out(&self, conversations: &mut [Conversation]) {
        if self.is_empty() {
            return;
        }
        for turn in conversations.iter_mut().flat_map(|conversation| &mut conversation.turns) {
            self.take_out_of(turn);
        }
    }

    /// Lets those statements in that a person says anew in this talk.
    pub fn let_in_what_is_said_anew(&mut self, conversation: &Conversation) {
        let mut anew = Vec::new();
        for turn in &conversation.turns {
            let Some(text) = turn.text() else { continue };
            let said = self.said_by(text).into_iter();
            anew.extend(
                said.filter(|row| is_new(&row.record, turn.speaker, turn.at, &turn.source.record))
                    .map(|row| row.number),
            );
        }
        self.rows.retain(|row| !anew.contains(&row.number));
        self.prepare();
    }

    /// The same as taking it out of conversations, for one turn.
    pub fn take_out_of(&self, turn: &mut Turn) {
        let (speaker, at, record) = (turn.speaker, turn.at, turn.source.record.clone());
        let mut clean = |text: &mut String| {
            if let Some(cleaned) = self.without(text, |row| !is_new(&row.record, speaker, at, &record)) {
                *text = cleaned;
            }
        };
        match &mut turn.content {
            Content::Text(text) | Content::ToolResult { text, .. } => clean(text),
            Content::ToolCall { input, .. } => strings(input, &mut clean),
            Content::Interrupted => {}
        }
    }

    /// A text without the sentences that say one of these statements; `None` when it says none.
    pub fn without(&self, text: &str, applies: impl Fn(&ForgottenRow) -> bool) -> Option<String> {
        let key = self.key.as_ref()?;
        let tells = |words: &str| self.said(words, key).any(&applies);
        let mut kept = String::with_capacity(text.len());
        let mut from = 0;
        for range in segments(text) {
            if range.start >= from && tells(&text[range.clone()]) {
                kept.push_str(&text[from..range.start]);
                kept.push_str(TAKEN_OUT);
                from = range.end;
            }
        }
        if from > 0 {
            kept.push_str(&text[from..]);
            return Some(kept);
        }
        // A statement of several sentences that only all of them say.
        tells(text).then(|| TAKEN_OUT.to_owned())
    }
}

/// Whether words are a person's own and younger than the forgetting.
fn is_new(forgotten: &ForgottenRecord, speaker: Speaker, at: Option<Timestamp>, record: &str) -> bool {
    speaker == Speaker::Human
        && at.is_some_and(|at| at > forgotten.at)
        && !forgotten.records.contains(&record_hash(record))
}

/// The sentences of a text and its lines of code, in order.
pub(crate) fn segments(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> =
        sentence::sentences(text).into_iter().map(|sentence| sentence.range).collect();
    found.extend(markup::lines(text).iter().filter(|line| line.fenced).map(|line| line.start..line.end()));
    found.sort_by_key(|range| range.start);
    found
}

/// What an operation would put into memory or elsewhere.
fn stated(change: &Change) -> Vec<&str> {
    match change {
        Change::Create { topic, entries, hook } => {
            let mut texts: Vec<&str> = entries.iter().map(String::as_str).collect();
            texts.extend([topic.description.as_str(), hook]);
            texts
        }
        Change::Append { text, hook, .. }
        | Change::Rewrite { text, hook, .. }
        | Change::Supersede { text, hook, .. } => {
            std::iter::once(text.as_str()).chain(hook.as_deref()).collect()
        }
        Change::Propose { text, .. } => vec![text],
        Change::Retitle { description, hook, .. } => {
            description.iter().chain(hook).map(String::as_str).collect()
        }
        Change::Relink { hook, .. } => vec![hook],
        Change::Archive { .. } | Change::Unlink { .. } => Vec::new(),
    }
}

/// Applies a change to each string of a value.
fn strings(value: &mut serde_json::Value, change: &mut impl FnMut(&mut String)) {
    match value {
        serde_json::Value::String(text) => change(text),
        serde_json::Value::Array(values) => values.iter_mut().for_each(|value| strings(value, change)),
        serde_json::Value::Object(fields) => fields.values_mut().for_each(|value| strings(value, change)),
        serde_json::Value::Null | serde_json::Value::Bool(_) | serde_json::Value::Number(_) => {}
    }
}

/// The records by which a statement is kept away: its own words, each sentence of them where there are several, and the
/// words in which it was said.
pub(crate) fn records(
    text: &str,
    evidence: &[&Evidence],
    at: Timestamp,
    purged: bool,
    key: &FingerprintKey,
) -> Vec<ForgottenRecord> {
    let whole = Fingerprint::new(text, key);
    let mut fingerprints = vec![whole.clone()];
    let mut add = |words: &str| {
        let print = Fingerprint::new(words, key);
        if !print.is_empty() && !fingerprints.contains(&print) {
            fingerprints.push(print);
        }
    };
    for range in segments(text) {
        add(&text[range]);
    }
    for quote in evidence.iter().map(|evidence| evidence.quote.as_str()) {
        for range in segments(quote) {
            let words = &quote[range];
            let print = Fingerprint::new(words, key);
            if whole.containment(&print) >= OLD_WORDS {
                add(words);
            }
        }
    }
    let mut hashes: Vec<String> =
        evidence.iter().map(|evidence| record_hash(&evidence.source.record)).collect();
    hashes.sort();
    hashes.dedup();
    fingerprints
        .into_iter()
        .filter(|print| !print.is_empty())
        .map(|fingerprint| ForgottenRecord { fingerprint, records: hashes.clone(), at, purged })
        .collect()
}
