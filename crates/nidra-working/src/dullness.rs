//! How dull a talk has become: answers that were given before, commands that fail again, length without anything new, and
//! statements that contradict earlier ones. Only the last turns count: what was dull an hour ago may be over.

use nidra_core::text::sentence;
use nidra_core::text::similarity::terms;
use nidra_core::{Content, Conversation, Speaker};
use serde::Serialize;
use std::collections::{BTreeSet, HashMap};

/// Answers of the agent at the end that are looked at.
const ANSWERS: usize = 10;
/// Calls at the end that are looked at.
const CALLS: usize = 12;
/// Terms that two texts share, of all that they have, from which they say the same.
const SAME: f64 = 0.8;
/// Terms of a text at least; shorter ones are alike by chance.
const FEW: usize = 5;

/// Dullness, from 0 to 1, and its parts.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Dullness {
    /// All parts together.
    pub value: f64,
    /// The share of the last answers that were given before.
    pub repetition: f64,
    /// The share of the last calls that failed as an equal call had before.
    pub failing: f64,
    /// How much longer answers became while they said less that is new.
    pub padding: f64,
    /// The share of the last answers that contradict an earlier one.
    pub contradiction: f64,
    /// What it rests on.
    pub evidence: Vec<String>,
}

/// Measures a conversation.
pub fn measure(conversation: &Conversation) -> Dullness {
    let answers: Vec<&str> = conversation
        .turns
        .iter()
        .filter(|turn| turn.speaker == Speaker::Agent)
        .filter_map(|turn| turn.text())
        .collect();
    let last = answers.get(answers.len().saturating_sub(ANSWERS)..).unwrap_or_default();
    let mut dullness = Dullness::default();
    let sets: Vec<BTreeSet<String>> = last.iter().map(|text| terms(text).into_iter().collect()).collect();
    let (mut repeated, mut contradicted) = (0, 0);
    for at in 1..sets.len() {
        let Some(own) = sets.get(at).filter(|own| own.len() >= FEW) else { continue };
        let earlier = sets.get(..at).unwrap_or_default();
        if earlier.iter().any(|other| alike(own, other) >= SAME) {
            repeated += 1;
            dullness
                .evidence
                .push(format!("said again: {}", head(last.get(at).copied().unwrap_or_default())));
        }
        let texts = last.get(..at).unwrap_or_default();
        if let Some(words) = contradiction(last.get(at).copied().unwrap_or_default(), texts) {
            contradicted += 1;
            dullness.evidence.push(format!("contradicts itself: {words}"));
        }
    }
    let of_answers = |count: u32| f64::from(count) / (sets.len().saturating_sub(1).max(3)) as f64;
    dullness.repetition = of_answers(repeated).min(1.0);
    dullness.contradiction = of_answers(contradicted).min(1.0);
    dullness.failing = failing(conversation, &mut dullness.evidence);
    dullness.padding = padding(&answers, &mut dullness.evidence);
    let sound = [dullness.repetition, dullness.failing, dullness.padding, dullness.contradiction]
        .iter()
        .map(|part| 1.0 - part)
        .product::<f64>();
    dullness.value = 1.0 - sound;
    dullness
}

/// The terms that two texts share, of all that they have.
fn alike(one: &BTreeSet<String>, two: &BTreeSet<String>) -> f64 {
    one.intersection(two).count() as f64 / one.union(two).count().max(1) as f64
}

/// The share of the last calls that failed as an equal one had before.
fn failing(conversation: &Conversation, evidence: &mut Vec<String>) -> f64 {
    let mut inputs: HashMap<&str, String> = HashMap::new();
    let mut outcomes: Vec<(String, bool)> = Vec::new();
    for turn in conversation.turns.iter().filter(|turn| turn.source.stream.is_none()) {
        match &turn.content {
            Content::ToolCall { id, name, input } => {
                inputs.insert(id, format!("{name} {input}"));
            }
            Content::ToolResult { id, error, refused: false, .. } => {
                if let Some(input) = inputs.get(id.as_str()) {
                    outcomes.push((input.clone(), *error));
                }
            }
            _ => {}
        }
    }
    let last = outcomes.get(outcomes.len().saturating_sub(CALLS)..).unwrap_or_default();
    let mut again = 0;
    for (at, (input, failed)) in last.iter().enumerate() {
        let before = last.get(..at).unwrap_or_default();
        if *failed && before.iter().any(|(other, failed)| *failed && other == input) {
            again += 1;
            evidence.push(format!("failed again: {}", head(input)));
        }
    }
    f64::from(again) / last.len().max(4) as f64
}

/// How much longer the last answers are than the first, while fewer of their terms are new.
fn padding(answers: &[&str], evidence: &mut Vec<String>) -> f64 {
    if answers.len() < 6 {
        return 0.0;
    }
    let third = answers.len() / 3;
    let mut known: BTreeSet<String> = BTreeSet::new();
    let mut news: Vec<(usize, f64)> = Vec::new();
    for answer in answers {
        let own = terms(answer);
        let new = own.iter().filter(|term| !known.contains(*term)).count();
        news.push((answer.chars().count(), new as f64 / own.len().max(1) as f64));
        known.extend(own);
    }
    let mean = |part: &[(usize, f64)]| {
        let count = part.len().max(1) as f64;
        let length: f64 = part.iter().map(|(length, _)| *length as f64).sum();
        (length / count, part.iter().map(|(_, new)| new).sum::<f64>() / count)
    };
    let (length_before, _) = mean(news.get(..third).unwrap_or_default());
    let (length_after, new_after) = mean(news.get(news.len() - third..).unwrap_or_default());
    let longer = length_after / length_before.max(1.0);
    if longer < 1.5 || new_after > 0.25 {
        return 0.0;
    }
    evidence.push(format!(
        "answers are {longer:.1} times as long as at first, and {:.0} % of their words are new",
        new_after * 100.0
    ));
    ((longer - 1.0) / 3.0).min(1.0) * (1.0 - new_after * 2.0)
}

/// Words that turn a statement into its opposite.
const DENIALS: &[&str] = &[
    "not",
    "never",
    "cannot",
    "can't",
    "isn't",
    "doesn't",
    "don't",
    "won't",
    "no longer",
    "不",
    "没",
    "无法",
    "别",
];

/// A sentence that says the opposite, or another number, of an earlier one about the same.
fn contradiction(text: &str, earlier: &[&str]) -> Option<String> {
    let old: Vec<String> = earlier.iter().flat_map(|text| statements(text)).collect();
    statements(text).into_iter().find_map(|own| {
        let own_terms: BTreeSet<String> = words(&own);
        let same = |other: &&String| {
            let other_terms = words(other);
            own_terms.len() >= FEW
                && own_terms.intersection(&other_terms).count() as f64
                    >= SAME * own_terms.len().max(other_terms.len()) as f64
        };
        let other = old.iter().filter(same).find(|other| {
            denies(&own) != denies(other)
                || !numbers(&own).is_empty()
                    && numbers(&own) != numbers(other)
                    && numbers(&own).len() == numbers(other).len()
        })?;
        Some(format!("“{}”, before “{}”", head(&own), head(other)))
    })
}

/// The sentences of a text that state something.
fn statements(text: &str) -> Vec<String> {
    sentence::sentences(text)
        .into_iter()
        .map(|sentence| sentence.text.trim().to_owned())
        .filter(|sentence| !sentence.ends_with(['?', '？']))
        .collect()
}

/// The terms of a sentence without its numbers and denials.
fn words(text: &str) -> BTreeSet<String> {
    terms(text)
        .into_iter()
        .filter(|term| {
            !term.chars().any(|letter| letter.is_ascii_digit()) && !DENIALS.contains(&term.as_str())
        })
        .collect()
}

fn numbers(text: &str) -> Vec<&str> {
    text.split(|letter: char| !letter.is_ascii_digit() && letter != '.')
        .map(|number| number.trim_matches('.'))
        .filter(|number| !number.is_empty())
        .collect()
}

fn denies(text: &str) -> bool {
    let text = text.to_lowercase();
    let padded = format!(" {text} ");
    DENIALS.iter().any(|denial| {
        if denial.is_ascii() { padded.contains(&format!(" {denial} ")) } else { text.contains(denial) }
    })
}

fn head(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(80).collect()
}

#[cfg(test)]
#[path = "dullness_tests.rs"]
mod tests;
