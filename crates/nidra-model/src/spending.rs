//! What a run with a model came to, for a person and for `--json`.

use crate::budget::{Money, Spent};
use nidra_core::text::wording::{counted, ended};
use serde::Serialize;
use std::collections::BTreeMap;

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
    /// The limit of the budget that it would pass, and how.
    pub over_budget: Option<String>,
}

/// What is to be said of a sum whose price may not be known; nothing where nothing is paid.
pub fn price_note(cost: Money, known: bool) -> &'static str {
    if known || cost == Money::default() { "" } else { " (its price is not known and counts as the dearest)" }
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
    /// Answers that could not be used, by the name of the fault.
    pub faults: BTreeMap<&'static str, u64>,
    /// Why it ended before everything was asked.
    pub stopped: Option<String>,
}

impl Summary {
    /// The summary in sentences for a person, one a line.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(estimate) = &self.estimate {
            lines.push(format!(
                "A run would ask {} at {} in {}: {} in, {} out at most, {} at most{}.",
                self.model,
                self.host,
                counted(estimate.requests, "call"),
                counted(estimate.input_tokens, "token"),
                counted(estimate.output_tokens, "token"),
                estimate.cost,
                price_note(estimate.cost, estimate.price_known)
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
                counted(self.spent.tokens, "token"),
                self.spent.cost
            ));
        }
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
        lines.extend(self.stopped.iter().map(|why| ended(&format!("It ended early: {why}"))));
        if self.left_to_rules > 0 {
            lines.push(format!(
                "{} it did not judge; the rules alone did (`model.on_failure = \"rules\"`).",
                counted(self.left_to_rules, "item")
            ));
        }
        lines
    }
}
