//! The engine: rules first, then the agent in its staging copy, then the plan of both.

use crate::difference::{self, Difference};
use crate::driver::{Driver, End, Task, Worked};
use crate::prompt::Prompts;
use crate::said::Said;
use crate::staging::{Bounds, Staging, StagingError};
use nidra_core::error::chain;
use nidra_core::settings::{EngineChoice, FailureChoice};
use nidra_core::text::redact::{self, Scope};
use nidra_core::text::width;
use nidra_core::text::wording::{counted, ended};
use nidra_core::{Conversation, Engine, EngineError, EngineInput, EntryId, Outcome};
use nidra_memory::directory::MemoryDirectory;
use nidra_model::budget::{Budget, Money, Spent, Totals};
use nidra_model::price::{Price, Usage};
use nidra_model::privacy::LocalOnly;
use nidra_model::{ENDED_EARLY, account, price_note, tokens, unavailable};
use nidra_rules::RulesEngine;
use serde::Serialize;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Characters of the agent's last words that are kept.
const MAX_SAID: usize = 300;

/// Files that are named with the reason why changes in them were declined.
const MAX_FILES: usize = 5;

/// What an agent's talk comes to beyond the words that it is shown, at a guess, in multiples of these.
pub(crate) const ROUNDS: u64 = 3;
/// Tokens of the descriptions of tools, at a guess; programs have their own, which are longer.
const TOOLS: u64 = 1_200;
/// Bytes of a prompt for each token, at a guess.
const BYTES_OF_A_TOKEN: usize = 4;

/// Everything that the engine needs.
#[derive(Clone, Copy)]
pub struct AgentOptions<'a> {
    /// Lets the agent work.
    pub driver: &'a dyn Driver,
    /// Who the agent is, for reports: a model, or the program of a command line.
    pub name: &'a str,
    /// The host and port that its questions go to.
    pub host: &'a str,
    /// The agent's model is on this machine.
    pub local: bool,
    /// What its tokens cost, and whether that is known; `None` where another program pays.
    pub price: Option<(Price, bool)>,
    /// The memory directory; it is read alone.
    pub memory: &'a Path,
    /// Where staging copies are made.
    pub scratch: &'a Path,
    /// What the agent is told.
    pub prompts: &'a Prompts,
    /// What becomes of sessions when the agent cannot be asked.
    pub on_failure: FailureChoice,
    /// What stays on this machine.
    pub local_only: &'a LocalOnly,
    /// Entries of memory that rest on what stays on this machine.
    pub private_entries: &'a BTreeSet<EntryId>,
    /// What is removed from all that is shown.
    pub scope: Scope,
    /// What may be spent; the driver keeps to it, and a dry run says what it would stop.
    pub budget: Budget,
    /// The agent is not asked, and the rules alone judge; with what was spent before.
    pub dry_run: Option<Totals>,
}

/// What an agent would be shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Shown {
    /// Sessions.
    pub sessions: u64,
    /// Topic files.
    pub topics: u64,
    /// Tokens of all of it, each word once.
    pub tokens: u64,
    /// Tokens that the run is taken to come to: what was said before is sent again with each turn.
    pub budgeted: u64,
    /// What these cost, about; `None` where another program pays.
    pub cost: Option<Money>,
    /// Whether the price of the model is known; where not, it counts as the dearest that is.
    pub price_known: bool,
    /// The limit of the budget that it would pass, and how.
    pub over_budget: Option<String>,
}

/// What a run with an agent came to, for a person and for `--json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct AgentSummary {
    /// Who the agent was.
    pub agent: String,
    /// The host and port that its questions go to.
    pub host: String,
    /// What it would be shown; for a dry run alone.
    pub estimate: Option<Shown>,
    /// Sessions that it was shown.
    pub sessions: u64,
    /// Sessions that stayed on this machine and were judged by the rules alone.
    pub withheld: u64,
    /// Topic files that it was not shown.
    pub topics_withheld: u64,
    /// Turns of the model.
    pub turns: u64,
    /// Uses of tools by their name.
    pub actions: BTreeMap<String, u64>,
    /// What was refused, by the reason.
    pub refused: BTreeMap<&'static str, u64>,
    /// What it spent.
    pub spent: Spent,
    /// Tokens of these that are an estimate, since no answer came that counts them.
    pub estimated_tokens: u64,
    /// Changes that the plan took on, by the name of the operation.
    pub taken: BTreeMap<&'static str, u64>,
    /// Changes that the plan did not take on, by the reason.
    pub declined: BTreeMap<&'static str, u64>,
    /// The files of the copy in which these stand, by the reason.
    pub declined_in: BTreeMap<&'static str, BTreeSet<String>>,
    /// What the user may want to do about how it went.
    pub advice: Option<&'static str>,
    /// Why it ended before it was done.
    pub stopped: Option<String>,
    /// It came to nothing, so that the rules alone judged (`model.on_failure = "rules"`).
    pub left_to_rules: bool,
    /// What it said at the end.
    pub said: String,
}

impl AgentSummary {
    /// The summary in sentences for a person, one a line.
    pub fn lines(&self) -> Vec<String> {
        let listed = |counts: &mut dyn Iterator<Item = (&str, u64)>| {
            counts.map(|(what, count)| format!("{count} × {what}")).collect::<Vec<_>>().join(", ")
        };
        let of = |counts: &BTreeMap<&'static str, u64>| {
            listed(&mut counts.iter().map(|(what, count)| (*what, *count)))
        };
        let mut lines = Vec::new();
        if let Some(shown) = &self.estimate {
            let cost = shown.cost.map(|cost| format!(", {cost}")).unwrap_or_default();
            lines.push(format!(
                "{} at {} would be shown {} and {}, {}; it reads of that what it asks for, in several calls, up to about {}{cost}{}.",
                self.agent,
                self.host,
                counted(shown.sessions, "session"),
                counted(shown.topics, "topic file"),
                counted(shown.tokens, "token"),
                counted(shown.budgeted, "token"),
                price_note(shown.cost.unwrap_or_default(), shown.price_known)
            ));
            lines.extend(
                shown.over_budget.iter().map(|over| ended(&format!("The budget would stop it: {over}"))),
            );
        }
        if self.sessions > 0 {
            lines.push(format!(
                "{} worked on {} in {}: {}, {}, {}.",
                self.agent,
                counted(self.sessions, "session"),
                counted(self.turns, "turn"),
                counted(self.spent.requests, "call"),
                tokens(self.spent.tokens, self.estimated_tokens),
                self.spent.cost
            ));
        }
        if !self.actions.is_empty() {
            let actions = listed(&mut self.actions.iter().map(|(what, count)| (what.as_str(), *count)));
            lines.push(format!("Its tools: {actions}."));
        }
        if self.withheld > 0 {
            lines.push(format!(
                "{} stayed on this machine, judged by the rules alone.",
                counted(self.withheld, "session")
            ));
        }
        for (words, counts) in
            [("It was refused", &self.refused), ("Of its changes the plan took on", &self.taken)]
        {
            if !counts.is_empty() {
                lines.push(format!("{words}: {}.", of(counts)));
            }
        }
        for (reason, count) in &self.declined {
            let files: Vec<&str> = self
                .declined_in
                .get(reason)
                .into_iter()
                .flatten()
                .map(String::as_str)
                .take(MAX_FILES)
                .collect();
            let place = if files.is_empty() { String::new() } else { format!(" in {}", files.join(", ")) };
            lines.push(format!("The plan declined {}{place}: {reason}.", counted(*count, "change")));
        }
        if !self.said.is_empty() {
            lines.push(format!("Its last words: “{}”", self.said));
        }
        lines.extend(self.stopped.iter().map(|why| ended(&format!("{ENDED_EARLY}{why}"))));
        lines.extend(self.advice.map(|advice| ended(&format!("A hint: {advice}"))));
        if self.left_to_rules {
            lines.push("So the rules alone judged (`model.on_failure = \"rules\"`).".to_owned());
        }
        lines
    }
}

/// The engine of rules with an agent that works on what they leave.
pub struct AgentEngine<'a> {
    options: AgentOptions<'a>,
    summary: RefCell<AgentSummary>,
}

impl<'a> AgentEngine<'a> {
    /// An engine for one run.
    pub fn new(options: AgentOptions<'a>) -> Self {
        let (agent, host) = (options.name.to_owned(), options.host.to_owned());
        let summary = AgentSummary { agent, host, ..AgentSummary::default() };
        Self { options, summary: RefCell::new(summary) }
    }

    /// What the run came to so far.
    pub fn summary(&self) -> AgentSummary {
        self.summary.borrow().clone()
    }

    /// The rules' plan with what the agent adds to it.
    fn work(&self, input: EngineInput<'_>, mut rules: Outcome) -> Result<Outcome, EngineError> {
        let said = Said::new(input, self.options.scope);
        // Where no person said anything, nothing that the agent could write would rest on it.
        if said.is_empty() {
            return Ok(rules);
        }
        let stopped = |error: StagingError| EngineError::Stopped(chain(&error));
        let memory = MemoryDirectory::load(self.options.memory).map_err(|error| stopped(error.into()))?;
        if memory.view() != *input.memory {
            return Err(EngineError::Stopped("the memory directory changed while it was read".to_owned()));
        }
        let bounds = Bounds {
            scope: self.options.scope,
            private: self.options.private_entries,
            local: self.options.local,
        };
        if let Some(before) = &self.options.dry_run {
            let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
            let (topics, tokens) = Staging::measure(&memory, input.conversations, &rules, bounds);
            let sessions = count(input.conversations.len());
            let tokens = count(tokens);
            let told = self.options.prompts.system().len() + self.options.prompts.task().len();
            let budgeted = (tokens + count(told / BYTES_OF_A_TOKEN) + TOOLS).saturating_mul(ROUNDS);
            let usage = Usage { input: budgeted, ..Usage::default() };
            let of = |price: Price| if self.options.local { Money::default() } else { price.of(usage) };
            let cost = self.options.price.map(|(price, _)| of(price));
            let next =
                Spent { tokens: budgeted, requests: 1, cost: cost.unwrap_or_default(), ..Spent::default() };
            let shown = Shown {
                sessions,
                topics: count(topics),
                tokens,
                budgeted,
                cost,
                price_known: self.options.price.is_some_and(|(_, known)| known),
                over_budget: self.options.budget.admit(&Spent::default(), before, &next).err(),
            };
            self.summary.borrow_mut().estimate = Some(shown);
            return Ok(rules);
        }
        let staging = Staging::make(self.options.scratch, &memory, input.conversations, &rules, bounds)
            .map_err(stopped)?;
        // The parts may be the user's own.
        let told = |text: String| redact::redact_in(&text, self.options.scope);
        let prompts = self.options.prompts;
        let task = Task { system: told(prompts.system()), work: told(prompts.task()) };
        let worked = self.options.driver.drive(&staging, &task, input.watcher);
        let end = self.note(&worked, input.conversations.len(), staging.withheld);
        if let End::CalledOff(reason) = end {
            return Err(EngineError::Stopped(reason));
        }
        let unasked = |reason: &str, rules: Outcome| match self.options.on_failure {
            FailureChoice::Wait => Err(unavailable(reason)),
            FailureChoice::Rules => {
                self.summary.borrow_mut().left_to_rules = true;
                Ok(rules)
            }
        };
        match end {
            End::Unavailable(reason) => return unasked(&reason, rules),
            End::Spent(limit) if self.options.on_failure == FailureChoice::Wait => {
                return Err(EngineError::Exhausted(limit));
            }
            End::Spent(limit) => return unasked(&limit, rules),
            _ => {}
        }
        let difference = match staging.after() {
            Ok(after) => difference::operations(&staging.before, &after, &said, &rules, self.options.scope),
            Err(error) => {
                self.summary.borrow_mut().stopped = Some(chain(&error));
                Difference::default()
            }
        };
        if let End::Failed(reason) = &end
            && difference.taken.is_empty()
            && difference.declined.is_empty()
        {
            return unasked(reason, rules);
        }
        let summary = &mut *self.summary.borrow_mut();
        summary.taken = difference.taken;
        summary.declined = difference.declined;
        summary.declined_in = difference.declined_in;
        rules.operations.extend(difference.operations);
        Ok(rules)
    }

    fn note(&self, worked: &Worked, sessions: usize, topics: usize) -> End {
        let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        let summary = &mut *self.summary.borrow_mut();
        summary.sessions = count(sessions);
        summary.topics_withheld = count(topics);
        summary.turns = worked.turns;
        summary.actions.clone_from(&worked.actions);
        summary.refused.clone_from(&worked.refused);
        summary.spent = worked.spent;
        summary.estimated_tokens = worked.estimated_tokens;
        summary.advice = worked.advice;
        let said = worked.said.split_whitespace().collect::<Vec<_>>().join(" ");
        summary.said = width::shorten(&redact::redact_in(&said, self.options.scope), MAX_SAID);
        // What a provider or a program says of a fault may repeat anything.
        let clean = |reason: &String| redact::redact_in(reason, self.options.scope);
        let end = match &worked.end {
            End::Done => End::Done,
            End::Stopped(reason) => End::Stopped(clean(reason)),
            End::Failed(reason) => End::Failed(clean(reason)),
            End::CalledOff(reason) => End::CalledOff(clean(reason)),
            End::Unavailable(reason) => End::Unavailable(clean(reason)),
            End::Spent(limit) => End::Spent(limit.clone()),
        };
        summary.stopped = match &end {
            End::Done => None,
            End::Stopped(reason)
            | End::Failed(reason)
            | End::CalledOff(reason)
            | End::Unavailable(reason)
            | End::Spent(reason) => Some(reason.clone()),
        };
        end
    }
}

impl Engine for AgentEngine<'_> {
    fn name(&self) -> &'static str {
        EngineChoice::Agent.as_str()
    }

    fn dream_alone(&self, input: EngineInput<'_>) -> Option<Result<Outcome, EngineError>> {
        Some(RulesEngine.dream(input))
    }

    fn account(&self) -> Option<serde_json::Value> {
        let summary = self.summary();
        account(&summary, summary.lines())
    }

    fn dream(&self, input: EngineInput<'_>) -> Result<Outcome, EngineError> {
        let stays = |conversation: &Conversation| {
            !self.options.local && self.options.local_only.holds_conversation(conversation)
        };
        // What stays is judged apart, so that none of its words is shown by way of the rules' plan.
        let (local, open): (Vec<_>, Vec<_>) = input.conversations.iter().cloned().partition(stays);
        self.summary.borrow_mut().withheld = u64::try_from(local.len()).unwrap_or(u64::MAX);
        let kept = RulesEngine.dream(EngineInput { conversations: &local, ..input })?;
        let open = EngineInput { conversations: &open, ..input };
        let mut outcome = self.work(open, RulesEngine.dream(open)?)?;
        outcome.extend(kept);
        Ok(outcome)
    }
}
