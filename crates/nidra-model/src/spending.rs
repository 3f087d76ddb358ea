//! What a run with a model came to, for a person and for `--json`.

use crate::budget::{Money, Spent};
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
                "A run would ask {} at {} in {} calls: {} tokens in, {} out at most, {} at most{}.",
                self.model,
                self.host,
                estimate.requests,
                estimate.input_tokens,
                estimate.output_tokens,
                estimate.cost,
                if estimate.price_known { "" } else { " (its price is not known and counts as the dearest)" }
            ));
            lines
                .extend(estimate.over_budget.iter().map(|over| format!("The budget would stop it: {over}.")));
        } else if self.spent.requests > 0 {
            lines.push(format!(
                "{} at {} judged {} items in {} calls: {} tokens, {}.",
                self.model, self.host, self.judged, self.spent.requests, self.spent.tokens, self.spent.cost
            ));
        }
        if self.withheld > 0 {
            lines.push(format!(
                "{} sessions stayed on this machine and were judged by the rules alone.",
                self.withheld
            ));
        }
        let counted = |counts: &BTreeMap<&'static str, u64>| {
            counts.iter().map(|(what, count)| format!("{count} × {what}")).collect::<Vec<_>>().join(", ")
        };
        for (words, counts) in [
            ("Of its proposals the plan took on", &self.taken),
            ("and declined", &self.declined),
            ("Answers that could not be used", &self.faults),
        ] {
            if !counts.is_empty() {
                lines.push(format!("{words}: {}.", counted(counts)));
            }
        }
        lines.extend(self.stopped.iter().map(|why| format!("It ended early: {why}.")));
        lines
    }
}
