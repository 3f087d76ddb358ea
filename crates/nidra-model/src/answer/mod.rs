//! What a model answered: read strictly, repaired where that is harmless, else refused under a name.
//!
//! A fault never holds words of the answer: they may be anything, and reports and logs are kept.

mod extract;
mod strict;

use crate::provider::{Reply, Stop, is_idle};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeSet;

/// Why an answer cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AnswerFault {
    /// There is nothing in it.
    Empty,
    /// It ends before its end.
    CutOff,
    /// The model refused.
    Refusal,
    /// It is the text of an error.
    ErrorText,
    /// It is talk without the form that was asked for.
    NoForm,
    /// It holds several answers.
    Several,
    /// It has the outline of the form and breaks it.
    Malformed,
    /// A key stands twice in one object.
    DuplicateKeys,
    /// It names an operation that there is not.
    UnknownOperation,
    /// It names an item or entry that was not shown.
    UnknownIdentifier,
    /// It belongs to another question.
    AnotherQuestion,
    /// It is written in another language than the words that it rests on.
    WrongLanguage,
    /// There is none: the model takes no question of this length.
    TooLong,
}

impl AnswerFault {
    /// The name used in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::CutOff => "cut-off",
            Self::Refusal => "refusal",
            Self::ErrorText => "error-text",
            Self::NoForm => "no-form",
            Self::Several => "several-answers",
            Self::Malformed => "malformed",
            Self::DuplicateKeys => "duplicate-keys",
            Self::UnknownOperation => "unknown-operation",
            Self::UnknownIdentifier => "unknown-identifier",
            Self::AnotherQuestion => "another-question",
            Self::WrongLanguage => "wrong-language",
            Self::TooLong => "too-long",
        }
    }

    /// What words are that hold no answer.
    pub fn of_talk(text: &str) -> Self {
        let text = text.trim_start_matches('\u{feff}').trim();
        if text.is_empty() { Self::Empty } else { extract::without_answer(text) }
    }

    /// The fault in words, for a message.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Empty => {
                "the answer is empty; a model that thinks first may need a greater `model.max_output_tokens`"
            }
            Self::CutOff => "the answer was cut off; `model.max_output_tokens` may be too small",
            Self::Refusal => "the model refused to answer",
            Self::ErrorText => "the answer is the text of an error",
            Self::NoForm => "the answer is talk and not in the form that was asked for",
            Self::Several => "there are several answers in one",
            Self::Malformed => "the answer does not keep to its form",
            Self::DuplicateKeys => "a key stands twice in the answer",
            Self::UnknownOperation => "the answer names an operation that there is not",
            Self::UnknownIdentifier => "the answer names an item or entry that was not shown",
            Self::AnotherQuestion => "the answer belongs to another question",
            Self::TooLong => {
                "the question about a single statement is longer than `model.max_input_tokens` or the model allows"
            }
            Self::WrongLanguage => "the answer is in another language than the words that it rests on",
        }
    }
}

/// What a model wants with an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verb {
    Create,
    Append,
    Supersede,
    Archive,
    Keep,
    Drop,
}

impl Verb {
    pub(crate) const ALL: [(Self, &'static str); 6] = [
        (Self::Create, "create"),
        (Self::Append, "append"),
        (Self::Supersede, "supersede"),
        (Self::Archive, "archive"),
        (Self::Keep, "keep"),
        (Self::Drop, "drop"),
    ];

    pub(crate) fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(verb, _)| *verb == self).map_or("keep", |(_, name)| name)
    }
}

/// An operation as a model proposes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Proposal {
    pub(crate) verb: Verb,
    pub(crate) item: String,
    pub(crate) entry: Option<String>,
    pub(crate) text: Option<String>,
    pub(crate) title: Option<String>,
    pub(crate) kind: Option<nidra_core::Kind>,
    pub(crate) quote: Option<String>,
}

/// What a question showed; an answer may name nothing else.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    /// What the answer has to repeat, so that it is known to be one to this question.
    pub(crate) batch: String,
    pub(crate) items: BTreeSet<String>,
    pub(crate) entries: BTreeSet<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawAnswer {
    batch: String,
    operations: Vec<RawOperation>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawOperation {
    op: String,
    item: String,
    #[serde(default)]
    entry: Option<String>,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    kind: Option<String>,
    #[serde(default)]
    quote: Option<String>,
    /// What the model says of its reasons; read by nobody, as it is the model's own story.
    #[serde(default, rename = "reason")]
    _reason: Option<String>,
}

/// Whether a reply keeps to the form of a small question that has one field to fill in.
pub(crate) fn demand_field(reply: &Reply, field: &str) -> Result<(), AnswerFault> {
    let text = reply.text.trim();
    if reply.stop == Stop::Refused {
        return Err(AnswerFault::Refusal);
    }
    if text.is_empty() {
        return Err(AnswerFault::Empty);
    }
    if extract::holds_field(text, field) {
        return Ok(());
    }
    Err(if reply.stop == Stop::CutOff { AnswerFault::CutOff } else { extract::without_answer(text) })
}

/// Reads a reply as the answer to a question.
pub(crate) fn read(reply: &Reply, asked: &Asked) -> Result<Vec<Proposal>, AnswerFault> {
    let text = reply.text.trim();
    match reply.stop {
        Stop::Refused => return Err(AnswerFault::Refusal),
        _ if text.is_empty() => return Err(AnswerFault::Empty),
        // Whatever it holds so far, the rest is missing.
        Stop::CutOff if !is_idle(&reply.text) => return Err(AnswerFault::CutOff),
        Stop::CutOff | Stop::Done => {}
    }
    let value = extract::answer(text)?;
    let raw: RawAnswer = serde_json::from_value(value).map_err(|_| AnswerFault::Malformed)?;
    if raw.batch.trim() != asked.batch {
        return Err(AnswerFault::AnotherQuestion);
    }
    // One operation for each item, and some entries to archive; more is a loop.
    if raw.operations.len() > asked.items.len() + asked.entries.len() {
        return Err(AnswerFault::Malformed);
    }
    raw.operations.into_iter().map(|operation| proposal(operation, asked)).collect()
}

fn proposal(raw: RawOperation, asked: &Asked) -> Result<Proposal, AnswerFault> {
    let filled =
        |text: Option<String>| text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    let verb = Verb::ALL.iter().find(|(_, name)| *name == raw.op).ok_or(AnswerFault::UnknownOperation)?.0;
    let entry = filled(raw.entry);
    let known = asked.items.contains(&raw.item)
        && entry.as_ref().is_none_or(|entry| asked.entries.contains(entry) || asked.items.contains(entry));
    if !known {
        return Err(AnswerFault::UnknownIdentifier);
    }
    let kind = match filled(raw.kind) {
        Some(kind) => Some(nidra_core::Kind::parse(&kind).ok_or(AnswerFault::Malformed)?),
        None => None,
    };
    Ok(Proposal {
        verb,
        item: raw.item,
        entry,
        text: filled(raw.text),
        title: filled(raw.title),
        kind,
        quote: filled(raw.quote),
    })
}

/// Whether talk reads as a refusal.
fn is_refusal(text: &str) -> bool {
    let start = text.to_lowercase().replace('’', "'");
    let marks = [
        "i can't",
        "i cannot",
        "i can not",
        "i'm sorry",
        "i am sorry",
        "sorry, ",
        "i won't",
        "i'm unable",
        "i am unable",
        "as an ai",
        "i'm not able",
        "抱歉",
        "对不起",
        "我无法",
        "我不能",
        "很抱歉",
    ];
    marks.iter().any(|mark| start.starts_with(mark))
}

/// Whether talk reads as the text of an error that came in place of an answer.
fn is_error(text: &str) -> bool {
    let start = text.to_lowercase();
    let marks = [
        "error",
        "api error",
        "internal server error",
        "{\"error\"",
        "rate limit",
        "overloaded",
        "<html",
        "<!doctype",
        "upstream",
        "bad gateway",
        "service unavailable",
    ];
    marks.iter().any(|mark| start.starts_with(mark))
}

/// The answer's outline as a value, when it is one.
fn is_outline(value: &Value) -> bool {
    value.as_object().is_some_and(|fields| fields.contains_key("operations") || fields.contains_key("batch"))
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
