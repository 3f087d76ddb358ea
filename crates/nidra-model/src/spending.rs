//! What a run with a model came to, for a person and for `--json`.

use crate::budget::{Money, Spent};
use crate::merge::Declined;
use nidra_core::text::width;
use nidra_core::text::wording::{counted, ended};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// How the sentence begins that says why a run ended before all was asked.
pub const ENDED_EARLY: &str = "It ended early: ";

/// How the sentence begins that says why nothing was asked at all.
pub const NOT_ASKED: &str = "It was not asked: ";

/// Declined proposals that are shown to a person.
const SHOWN: usize = 5;
/// UTF-16 units of the words that each was about.
const ABOUT: usize = 80;

/// What a run would send and cost, before anything is sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Estimate {
    /// Calls, when none has to be made again.
    pub requests: u64,
    /// Tokens of the questions.
    pub input_tokens: u64,
    /// Tokens of the answers at most.
    pub output_tokens: u64,
    /// Money at most.
    pub cost: Money,
    /// Whether the price of the model is known; where not, it counts as the dearest that is.
    pub price_known: bool,
    /// What the run may come to at most, by the budget: calls that fail and answers that cannot be used make further ones.
    pub at_most: Spent,
    /// The limit of the budget that it would pass, and how.
    pub over_budget: Option<String>,
}

/// What is to be said of a sum whose price may not be known; nothing where nothing is paid.
pub fn price_note(cost: Money, known: bool) -> &'static str {
    if known || cost == Money::default() { "" } else { " (its price is not known and counts as the dearest)" }
}

/// A number of tokens, and how many of them nobody counted.
pub fn tokens(all: u64, estimated: u64) -> String {
    match estimated {
        0 => counted(all, "token"),
        estimated => {
            format!("{} ({estimated} of them at a guess, since nobody counted them)", counted(all, "token"))
        }
    }
}

/// Tokens and money in words; no money where none is paid.
pub fn in_all(spent: &Spent) -> String {
    let cost = if spent.cost == Money::default() { String::new() } else { format!(" and {}", spent.cost) };
    format!("{}{cost}", counted(spent.tokens, "token"))
}

/// What is said of tokens that a provider counts and that cannot be; nothing where there are none.
pub fn overcount(tokens: u64) -> Option<String> {
    (tokens > 0).then(|| {
        format!(
            "{} more were counted than can have been taken within the budget of the run; they are left out.",
            counted(tokens, "token")
        )
    })
}

/// What a run came to for its report: the fields, and under `in_words` the sentences for a person.
pub fn account(summary: &impl Serialize, lines: Vec<String>) -> Option<Value> {
    let mut value = serde_json::to_value(summary).ok()?;
    value.as_object_mut()?.insert("in_words".to_owned(), Value::from(lines));
    Some(value)
}

/// What a run with a model came to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// The protocol: `anthropic`, `openai`.
    pub provider: String,
    /// The model's identifier.
    pub model: String,
    /// The host and port that was asked.
    pub host: String,
    /// What it would send and cost; for a dry run alone.
    pub estimate: Option<Estimate>,
    /// What it spent.
    pub spent: Spent,
    /// Tokens of these that are an estimate, since no answer came that counts them.
    pub estimated_tokens: u64,
    /// Tokens that the provider counts beyond what the questions and answers can have; they are not in what was spent.
    pub overcounted_tokens: u64,
    /// Answers that came from a recording: nobody was asked and nothing was spent.
    pub replayed: u64,
    /// Items of evidence that the model judged.
    pub judged: u64,
    /// Items that it did not judge, so that the rules alone did (`model.on_failure = "rules"`).
    pub left_to_rules: u64,
    /// Items that were kept back because they may not leave this machine.
    pub withheld: u64,
    /// What the model proposed and the plan took on, by the name of the operation.
    pub taken: BTreeMap<&'static str, u64>,
    /// What the model proposed and the plan did not take on, by the reason.
    pub declined: BTreeMap<&'static str, u64>,
    /// The first of these, with the words that they were about.
    pub refusals: Vec<Declined>,
    /// Answers that could not be used, by the name of the fault.
    pub faults: BTreeMap<&'static str, u64>,
    /// Answers in a row that changed nothing, after which the rest was left to the rules; none where it did not come to that.
    pub unchanging: u64,
    /// Why it ended before everything was asked.
    pub stopped: Option<String>,
}

impl Summary {
    /// The summary in sentences for a person, one a line.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(estimate) = &self.estimate {
            lines.push(format!(
                "A run would ask {} at {} in {}: {} in, {} out at most, {} at most{}; where calls fail or answers cannot be used it asks again, up to {} in all, as the budget has it.",
                self.model,
                self.host,
                counted(estimate.requests, "call"),
                counted(estimate.input_tokens, "token"),
                counted(estimate.output_tokens, "token"),
                estimate.cost,
                price_note(estimate.cost, estimate.price_known),
                in_all(&estimate.at_most),
            ));
            lines.push("What follows is what the rules alone would do.".to_owned());
            lines.extend(
                estimate.over_budget.iter().map(|over| ended(&format!("The budget would stop it: {over}"))),
            );
        } else if self.spent.requests > 0 {
            lines.push(format!(
                "{} at {} judged {} in {}: {}, {}.",
                self.model,
                self.host,
                counted(self.judged, "item"),
                counted(self.spent.requests, "call"),
                tokens(self.spent.tokens, self.estimated_tokens),
                self.spent.cost
            ));
        }
        if self.replayed > 0 {
            lines.push(format!(
                "{} judged {} by {} replayed from the recording; nothing was sent or spent.",
                self.model,
                counted(self.judged, "item"),
                counted(self.replayed, "answer"),
            ));
        }
        lines.extend(overcount(self.overcounted_tokens));
        if self.withheld > 0 {
            lines.push(format!(
                "{} stayed on this machine, judged by the rules alone.",
                counted(self.withheld, "session")
            ));
        }
        let listed = |counts: &BTreeMap<&'static str, u64>| {
            counts.iter().map(|(what, count)| format!("{count} × {what}")).collect::<Vec<_>>().join(", ")
        };
        for (words, counts) in [
            ("Of its proposals the plan took on", &self.taken),
            ("The plan declined", &self.declined),
            ("Answers that could not be used", &self.faults),
        ] {
            if !counts.is_empty() {
                lines.push(format!("{words}: {}.", listed(counts)));
            }
        }
        lines.extend(self.refusals.iter().take(SHOWN).map(|declined| {
            let Declined { proposal, about, reason } = declined;
            format!("  {proposal} of “{}”: {reason}", width::shorten(about, ABOUT))
        }));
        if self.unchanging > 0 {
            lines.push(format!(
                "{} in a row changed nothing, so the rest was not asked about and the rules alone judged it.",
                counted(self.unchanging, "answer")
            ));
        }
        lines.extend(self.stopped.iter().map(|why| ended(&format!("{ENDED_EARLY}{why}"))));
        if self.left_to_rules > 0 {
            lines.push(format!(
                "{} it did not judge; the rules alone did (`model.on_failure = \"rules\"`).",
                counted(self.left_to_rules, "item")
            ));
        }
        lines
    }
}
