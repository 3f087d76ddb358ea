//! What a run with an agent came to, for a person and for `--json`.

use crate::difference::DeclinedChange;
use nidra_core::text::width;
use nidra_core::text::wording::{counted, ended};
use nidra_model::budget::{Money, Spent};
use nidra_model::provider::CallFault;
use nidra_model::{ENDED_EARLY, NOT_ASKED, in_all, overcount, price_note, tokens};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Files that are named with the reason why changes in them were declined.
const MAX_FILES: usize = 5;
/// Declined changes that are shown to a person with their words.
const SHOWN: usize = 5;
/// UTF-16 units of the words of each.
const ABOUT: usize = 80;
/// What is counted beside refused actions: turns that came to nothing …
const TURNS: [&str; 6] = ["no-tool", "cut-off", "refusal", "empty", "error-text", "malformed"];
/// … and calls that did. A file may be too long as well, so that fault is not among them.
const CALLS: [CallFault; 14] = [
    CallFault::Unreachable,
    CallFault::Stopped,
    CallFault::TimedOut,
    CallFault::Key,
    CallFault::NotFound,
    CallFault::Busy,
    CallFault::Server,
    CallFault::Request,
    CallFault::Redirected,
    CallFault::Shape,
    CallFault::Lost,
    CallFault::Oversized,
    CallFault::NotRecorded,
    CallFault::Recording,
];

/// What an agent would be shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Shown {
    /// Sessions.
    pub sessions: u64,
    /// Topic files.
    pub topics: u64,
    /// Tokens of all of it, each word once.
    pub tokens: u64,
    /// Tokens that the run is taken to come to, at a guess: what was said before is sent again with each turn.
    pub budgeted: u64,
    /// What these cost, about; `None` where another program pays.
    pub cost: Option<Money>,
    /// Whether the price of the model is known; where not, it counts as the dearest that is.
    pub price_known: bool,
    /// What the run may come to at most, by the budget; `None` for a program, whose calls nobody holds against it.
    pub at_most: Option<Spent>,
    /// What a program of the user's is told that it may cost.
    pub program_cost: Option<Money>,
    /// The limit of the budget that it would pass, and how.
    pub over_budget: Option<String>,
}

/// What a run with an agent came to, for a person and for `--json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct AgentSummary {
    /// Who the agent was.
    pub agent: String,
    /// The host and port that its questions go to; `None` where a program knows that alone.
    pub host: Option<String>,
    /// What it would be shown; for a dry run alone.
    pub estimate: Option<Shown>,
    /// Sessions that it was asked about.
    pub sessions: u64,
    /// Sessions that it was not asked about, because a limit or a fault came first.
    pub unasked: u64,
    /// Sessions that stayed on this machine and were judged by the rules alone.
    pub withheld: u64,
    /// Topic files that it was not shown.
    pub topics_withheld: u64,
    /// Turns of the model; none where nobody counts them.
    pub turns: u64,
    /// Uses of tools by their name.
    pub actions: BTreeMap<String, u64>,
    /// What was refused or came to nothing, by the reason.
    pub refused: BTreeMap<&'static str, u64>,
    /// What it spent.
    pub spent: Spent,
    /// Tokens of these that are an estimate, since no answer came that counts them.
    pub estimated_tokens: u64,
    /// Tokens that were counted beyond what can have been taken; they are not in what it spent.
    pub overcounted_tokens: u64,
    /// Money that a program reports beyond what the run may cost; it is not in what it spent.
    pub overcounted_cost: Money,
    /// Answers that came from a recording: nobody was asked and nothing was spent.
    pub replayed: u64,
    /// Changes that the plan took on, by the name of the operation.
    pub taken: BTreeMap<&'static str, u64>,
    /// Changes that the plan did not take on, by the reason.
    pub declined: BTreeMap<&'static str, u64>,
    /// The files of the copy in which these stand, by the reason.
    pub declined_in: BTreeMap<&'static str, BTreeSet<String>>,
    /// The first of these, each with its file and words.
    pub refusals: Vec<DeclinedChange>,
    /// What the user may want to do about how it went.
    pub advice: Option<&'static str>,
    /// Why it ended before it was done.
    pub stopped: Option<String>,
    /// It came to nothing, so that the rules alone judged (`model.on_failure = "rules"`).
    pub left_to_rules: bool,
    /// What it said at the end.
    pub said: String,
    /// It was asked and never came to an answer.
    #[serde(skip)]
    pub silent: bool,
}

/// Counts by their names, in words.
fn listed<'a>(counts: impl Iterator<Item = (&'a str, u64)>) -> String {
    counts.map(|(what, count)| format!("{count} × {what}")).collect::<Vec<_>>().join(", ")
}

impl AgentSummary {
    /// The summary in sentences for a person, one a line.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        lines.extend(self.estimate.iter().flat_map(|shown| self.outlook(shown)));
        if self.sessions > 0 {
            lines.push(self.work());
        }
        lines.extend(overcount(self.overcounted_tokens));
        if self.overcounted_cost > Money::default() {
            lines.push(format!(
                "It says that it cost {} more than a run may (`budget.run_cost`); that is left out.",
                self.overcounted_cost
            ));
        }
        if self.unasked > 0 {
            lines.push(format!("{} was not asked about {}.", self.agent, counted(self.unasked, "session")));
        }
        if !self.actions.is_empty() {
            let actions = listed(self.actions.iter().map(|(what, count)| (what.as_str(), *count)));
            lines.push(format!("Its tools: {actions}."));
        }
        if self.withheld > 0 {
            lines.push(format!(
                "{} stayed on this machine, judged by the rules alone.",
                counted(self.withheld, "session")
            ));
        }
        let of = |counts: &BTreeMap<&'static str, u64>| {
            let counts: Vec<(&'static str, u64)> =
                counts.iter().map(|(what, count)| (*what, *count)).collect();
            counts
        };
        let (idle, refused): (Vec<_>, Vec<_>) =
            of(&self.refused).into_iter().partition(|(what, _)| came_to_nothing(what));
        for (words, counts) in [
            ("Turns and calls that came to nothing", idle),
            ("It was refused", refused),
            ("Of its changes the plan took on", of(&self.taken)),
        ] {
            if !counts.is_empty() {
                lines.push(format!("{words}: {}.", listed(counts.into_iter())));
            }
        }
        for (reason, count) in &self.declined {
            let files = self.declined_in.get(reason).into_iter().flatten().take(MAX_FILES);
            let files: Vec<&str> = files.map(String::as_str).collect();
            let place = if files.is_empty() { String::new() } else { format!(" in {}", files.join(", ")) };
            lines.push(format!("The plan declined {}{place}: {reason}.", counted(*count, "change")));
        }
        lines.extend(
            self.refusals.iter().filter(|one| !one.about.is_empty()).take(SHOWN).map(|one| {
                format!("  {}, “{}”: {}", one.file, width::shorten(&one.about, ABOUT), one.reason)
            }),
        );
        if !self.said.is_empty() {
            lines.push(format!("Its last words: “{}”", self.said));
        }
        let why = if self.sessions == 0 { NOT_ASKED } else { ENDED_EARLY };
        lines.extend(self.stopped.iter().map(|reason| ended(&format!("{why}{reason}"))));
        lines.extend(self.advice.map(|advice| ended(&format!("A hint: {advice}"))));
        if self.left_to_rules {
            lines.push("So the rules alone judged (`model.on_failure = \"rules\"`).".to_owned());
        }
        lines
    }

    /// What a dry run says.
    fn outlook(&self, shown: &Shown) -> Vec<String> {
        let at = self.host.as_ref().map(|host| format!(" at {host}")).unwrap_or_default();
        let cost = shown.cost.map(|cost| format!(", {cost}")).unwrap_or_default();
        let bound = match (&shown.at_most, shown.program_cost) {
            (Some(most), _) => format!("at most {}, as the budget has it", in_all(most)),
            (None, Some(cost)) => {
                format!(
                    "what it really takes is bounded by {cost} (`budget.run_cost`) and its time (`agent.timeout_seconds`) alone"
                )
            }
            (None, None) => {
                "what it really takes is bounded by its time alone (`agent.timeout_seconds`)".to_owned()
            }
        };
        let mut lines = vec![format!(
            "{}{at} would be shown {} and {}, {}; it reads of that what it asks for, in several calls: at a guess {}{cost}{}; {bound}.",
            self.agent,
            counted(shown.sessions, "session"),
            counted(shown.topics, "topic file"),
            counted(shown.tokens, "token"),
            counted(shown.budgeted, "token"),
            price_note(shown.cost.unwrap_or_default(), shown.price_known)
        )];
        lines
            .extend(shown.over_budget.iter().map(|over| ended(&format!("The budget would stop it: {over}"))));
        lines
    }

    /// What it was asked and what that took.
    fn work(&self) -> String {
        let sessions = counted(self.sessions, "session");
        let did = if self.silent {
            format!("was asked about {sessions} and gave no answer")
        } else {
            format!("worked on {sessions}")
        };
        // A program of the user's may not say how many turns it took.
        let turns =
            if self.turns > 0 { format!(" in {}", counted(self.turns, "turn")) } else { String::new() };
        let took = if self.replayed > 0 {
            format!(
                "{} replayed from the recording; nothing was sent or spent",
                counted(self.replayed, "answer")
            )
        } else {
            format!(
                "{}, {}, {}",
                counted(self.spent.requests, "call"),
                tokens(self.spent.tokens, self.estimated_tokens),
                self.spent.cost
            )
        };
        format!("{} {did}{turns}: {took}.", self.agent)
    }
}

/// Whether a count is of turns or calls that came to nothing, and not of actions that were refused.
fn came_to_nothing(what: &str) -> bool {
    TURNS.contains(&what) || CALLS.iter().any(|fault| fault.as_str() == what)
}
