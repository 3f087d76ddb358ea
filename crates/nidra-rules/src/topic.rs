//! What words are about that do not name it: the question before them, or the command that they correct.

use crate::dialogue::{Dialogue, Utterance};
use crate::hearsay;
use crate::lexicon::Cue;
use crate::moment;
use crate::person;
use crate::phrase;
use crate::sentence::{self, Act, Line};
use crate::terms;
use nidra_core::text::expression;
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Whether a text leaves open what it speaks of.
pub(crate) fn needs_topic(text: &str, own: &BTreeSet<String>) -> bool {
    let lower = text.to_lowercase();
    let starts = [
        "not any",
        "no longer",
        "he ",
        "she ",
        "it ",
        "it's ",
        "its ",
        "that ",
        "this ",
        "those ",
        "they ",
        "there ",
        "这",
        "那",
        "它",
    ]
    .iter()
    .any(|start| lower.starts_with(start));
    let inside = [" for it", " of it", " to it", " with it"].iter().any(|word| lower.contains(word));
    let named = own.iter().filter(|term| !term.chars().any(|c| c.is_ascii_digit())).count();
    starts && named < 6 || inside && named < 8
}

/// The opening of a question: behind it stands the subject.
static INTERROGATIVE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(r"(?i)^(?:(?:now|next|then)[:,]?\s+)?(?:who|what|where|when|which|how|why)(?:'s| is| are| was| owns?| does| do| did| runs?| about)?\s+|^(?:now|next|then)[:,]?\s+").ok()
});

/// What the talk was about: the first sentence of the person's words before, where it is short.
pub(crate) fn topic(dialogue: &Dialogue<'_>, index: usize) -> Option<String> {
    let utterance = dialogue.utterances.get(index)?;
    let earlier = dialogue.utterances.get(index.checked_sub(1)?)?;
    if utterance.opens {
        return None;
    }
    let first = sentence::lines(&earlier.own).into_iter().find(|line| line.act != Act::Filler)?;
    let text = first.text.trim_end_matches(['?', '？', '.', '!', '。']);
    let text = INTERROGATIVE
        .as_ref()
        .map_or_else(|| text.to_owned(), |pattern| pattern.replace(text, "").into_owned());
    (sentence::weight(&text) <= 9
        && terms::terms(&text).len() >= 2
        && !first.cues.any(&[Cue::Chat, Cue::Praise])
        && first.act != Act::Hypothesis)
        .then_some(text)
}

pub(crate) fn prefixed(topic: &str, text: &str, utterance: &Utterance<'_>) -> String {
    let chinese = topic.chars().any(nidra_core::text::language::is_han);
    let topic = person::third_person(&phrase::absolute(topic, &utterance.said), chinese);
    if chinese { format!("{topic}：{text}") } else { format!("{topic}: {text}") }
}

/// What a command of the agent makes, in English and Chinese, with the words that name it.
/// A command, its subject in English and Chinese, and the words that name the subject.
type Made = (Regex, (&'static str, &'static str), Regex);

static MADE: LazyLock<Vec<Made>> = LazyLock::new(|| {
    [
        (r"\bgit commit\b", ("Commit messages", "提交信息"), r"(?i)commit|message|提交|信息"),
        (r"\bgit (?:checkout -b|switch -c|branch [^-])", ("Branch names", "分支名"), r"(?i)branch|分支"),
        (
            r"\b(?:gh pr create|glab mr create)\b",
            ("Pull requests", "合并请求"),
            r"(?i)\bprs?\b|pull request|merge request|合并请求",
        ),
        (r"\bgit tag [^-]", ("Release tags", "版本标签"), r"(?i)\btags?\b|标签"),
    ]
    .into_iter()
    .filter_map(|(command, subject, named)| {
        Some((expression::new(command).ok()?, subject, expression::new(named).ok()?))
    })
    .collect()
});

/// What the agent made right before an utterance: a correction of it speaks of that.
pub(crate) fn done(
    dialogue: &Dialogue<'_>,
    index: usize,
) -> Option<((&'static str, &'static str), &'static Regex)> {
    let utterance = dialogue.utterances.get(index)?;
    let from =
        index.checked_sub(1).and_then(|at| dialogue.utterances.get(at)).map_or(0, |earlier| earlier.place);
    let last = dialogue.calls.iter().rfind(|call| call.place > from && call.place < utterance.place)?;
    let command = last.field("command")?;
    MADE.iter().find(|(pattern, _, _)| pattern.is_match(command)).map(|(_, subject, named)| (*subject, named))
}

/// The segment with the line before it, where it begins by pointing at what that line names.
pub(crate) fn with_antecedent(lines: &[Line], segment: &[usize]) -> Vec<usize> {
    let mut found = segment.to_vec();
    let Some(before) = segment.first().and_then(|first| first.checked_sub(1)) else { return found };
    let lower = lines[before + 1].text.to_lowercase();
    let points = [
        "they ", "it ", "it's ", "its ", "he ", "she ", "these ", "those ", "它", "他", "她", "这个", "这些",
    ]
    .iter()
    .any(|start| lower.starts_with(start));
    let told = matches!(lines[before].act, Act::Statement | Act::Task)
        && !hearsay::is_foreign(&lines[before].text)
        && !moment::is_private(&lines[before].text)
        && terms::terms(&lines[before].text).len() >= 2
        && sentence::weight(&lines[before].text) <= 24;
    if points && told {
        found.insert(0, before);
    }
    found
}
