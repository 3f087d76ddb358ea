//! The engine: rules first, then the agent in its staging copy, then the plan of both.

use crate::difference::{self, Difference};
use crate::driver::{Driver, End, Task, Worked};
use crate::prompt::Prompts;
use crate::said::Said;
use crate::staging::{Bounds, Staging, StagingError};
use crate::summary::{AgentSummary, Shown};
use nidra_core::error::chain;
use nidra_core::settings::{EngineChoice, FailureChoice};
use nidra_core::text::redact::{self, Scope};
use nidra_core::text::{steering, width};
use nidra_core::{Conversation, Engine, EngineError, EngineInput, EntryId, Outcome};
use nidra_memory::directory::MemoryDirectory;
use nidra_model::budget::{Budget, Money, Spent, Totals};
use nidra_model::price::{Price, Usage};
use nidra_model::privacy::LocalOnly;
use nidra_model::{account, unavailable};
use nidra_rules::RulesEngine;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Characters of the agent's last words that are kept.
const MAX_SAID: usize = 300;

/// What an agent's talk comes to beyond the words that it is shown, at a guess, in multiples of these.
pub(crate) const ROUNDS: u64 = 3;
/// Tokens of the descriptions of tools, at a guess; programs have their own, which are longer.
const TOOLS: u64 = 1_200;
/// Declined changes that a report names; all are counted.
const MAX_REFUSALS: usize = 20;
/// Bytes of a prompt for each token, at a guess.
const BYTES_OF_A_TOKEN: usize = 4;

/// What is said of an agent whose work is lost.
const ASTRAY: &str = "wrote what a person said only where memory is never read";

/// Everything that the engine needs.
#[derive(Clone, Copy)]
pub struct AgentOptions<'a> {
    /// Lets the agent work.
    pub driver: &'a dyn Driver,
    /// Who the agent is, for reports: a model, or the program of a command line.
    pub name: &'a str,
    /// The host and port that its questions go to; `None` where a program knows that alone.
    pub host: Option<&'a str>,
    /// The agent's model is on this machine.
    pub local: bool,
    /// What its tokens cost, and whether that is known; `None` where another program pays.
    pub price: Option<(Price, bool)>,
    /// What that program is told that it may cost; `None` where it is told nothing.
    pub program_cost: Option<Money>,
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

/// The engine of rules with an agent that works on what they leave.
pub struct AgentEngine<'a> {
    options: AgentOptions<'a>,
    summary: RefCell<AgentSummary>,
    /// The sessions of the run by their names, and whether it was asked about them.
    sessions: RefCell<BTreeMap<String, bool>>,
}

impl<'a> AgentEngine<'a> {
    /// An engine for one run.
    pub fn new(options: AgentOptions<'a>) -> Self {
        let (agent, host) = (options.name.to_owned(), options.host.map(str::to_owned));
        let summary = AgentSummary { agent, host, ..AgentSummary::default() };
        Self { options, summary: RefCell::new(summary), sessions: RefCell::default() }
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
            self.need_not_ask(input.conversations);
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
            self.foresee(before, Staging::measure(&memory, input.conversations, &rules, bounds), input);
            return Ok(rules);
        }
        let staging = Staging::make(self.options.scratch, &memory, input.conversations, &rules, bounds)
            .map_err(stopped)?;
        // The parts may be the user's own.
        let told = |text: String| redact::redact_in(&text, self.options.scope);
        let prompts = self.options.prompts;
        let task = Task { system: told(prompts.system()), work: told(prompts.task()) };
        let worked = self.options.driver.drive(&staging, &task, input.watcher);
        let end = self.note(&worked, input.conversations, staging.withheld);
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
        let mut difference = match staging.after() {
            Ok(left) => difference::operations(&staging.before, &left, &said, &rules, self.options.scope),
            Err(error) => {
                self.summary.borrow_mut().stopped = Some(chain(&error));
                Difference::default()
            }
        };
        let came_to_nothing = difference.taken.is_empty();
        let astray = std::mem::take(&mut difference.astray);
        self.keep(&mut difference);
        match &end {
            End::Failed(reason) if came_to_nothing => return unasked(reason, rules),
            _ if came_to_nothing && !astray.is_empty() => {
                let places = astray.into_iter().collect::<Vec<_>>().join(", ");
                let reason = format!("{} {ASTRAY} ({places})", self.options.name);
                return unasked(&reason, rules);
            }
            _ => {}
        }
        rules.operations.extend(difference.operations);
        Ok(rules)
    }

    /// Takes sessions out of the count of those that it was not asked about: there is nothing to ask.
    fn need_not_ask(&self, conversations: &[Conversation]) {
        let sessions = &mut *self.sessions.borrow_mut();
        for (at, conversation) in conversations.iter().enumerate() {
            let name = name(at, conversation);
            if sessions.get(&name) == Some(&false) {
                sessions.remove(&name);
            }
        }
        let summary = &mut *self.summary.borrow_mut();
        summary.unasked = count(sessions.values().filter(|asked| !**asked).count());
    }

    /// What a dry run says of the run that would be.
    fn foresee(&self, before: &Totals, (topics, tokens): (usize, usize), input: EngineInput<'_>) {
        let options = &self.options;
        let tokens = count(tokens);
        let told = options.prompts.system().len() + options.prompts.task().len();
        let budgeted = (tokens + count(told / BYTES_OF_A_TOKEN) + TOOLS).saturating_mul(ROUNDS);
        let usage = Usage { input: budgeted, ..Usage::default() };
        let of = |price: Price| if options.local { Money::default() } else { price.of(usage) };
        let cost = options.price.map(|(price, _)| of(price));
        let next =
            Spent { tokens: budgeted, requests: 1, cost: cost.unwrap_or_default(), ..Spent::default() };
        // Each call of our own loop is held against the budget; a program's are its own affair.
        let most = options.budget.left(before);
        let most = if options.local { Spent { cost: Money::default(), ..most } } else { most };
        let shown = Shown {
            sessions: count(input.conversations.len()),
            topics: count(topics),
            tokens,
            budgeted,
            cost,
            price_known: options.price.is_some_and(|(_, known)| known),
            at_most: options.price.map(|_| most),
            program_cost: options.program_cost,
            over_budget: options.budget.admit(&Spent::default(), before, &next).err(),
        };
        self.summary.borrow_mut().estimate = Some(shown);
    }

    /// Keeps what became of the changes of one work; those of another about other sessions stay.
    fn keep(&self, difference: &mut Difference) {
        let summary = &mut *self.summary.borrow_mut();
        for (name, count) in std::mem::take(&mut difference.taken) {
            *summary.taken.entry(name).or_default() += count;
        }
        for (reason, count) in std::mem::take(&mut difference.declined) {
            *summary.declined.entry(reason).or_default() += count;
        }
        for (reason, files) in std::mem::take(&mut difference.declined_in) {
            summary.declined_in.entry(reason).or_default().extend(files);
        }
        let room = MAX_REFUSALS.saturating_sub(summary.refusals.len());
        summary.refusals.extend(std::mem::take(&mut difference.refusals).into_iter().take(room));
    }

    /// Notes how one work went. The engine is asked anew about a part of the sessions where a limit kept it from all of
    /// them, and about all where memory changed meanwhile.
    fn note(&self, worked: &Worked, conversations: &[Conversation], topics: usize) -> End {
        let summary = &mut *self.summary.borrow_mut();
        let sessions = &mut *self.sessions.borrow_mut();
        let asked = worked.spent.requests > 0 || worked.turns > 0;
        let mut again = false;
        for (at, conversation) in conversations.iter().enumerate() {
            let known = sessions.entry(name(at, conversation)).or_default();
            again |= *known;
            *known |= asked;
        }
        if again {
            // What came of these before is not taken on.
            (summary.taken, summary.declined) = Default::default();
            (summary.declined_in, summary.refusals) = Default::default();
        }
        summary.sessions = count(sessions.values().filter(|asked| **asked).count());
        summary.unasked = count(sessions.len()) - summary.sessions;
        summary.topics_withheld = count(topics);
        summary.turns += worked.turns;
        for (tool, uses) in &worked.actions {
            *summary.actions.entry(tool.clone()).or_default() += uses;
        }
        for (reason, times) in &worked.refused {
            *summary.refused.entry(reason).or_default() += times;
        }
        summary.spent = summary.spent.plus(worked.spent);
        summary.estimated_tokens = summary.estimated_tokens.saturating_add(worked.estimated_tokens);
        summary.overcounted_tokens = summary.overcounted_tokens.saturating_add(worked.overcounted_tokens);
        let cost = summary.overcounted_cost.0.saturating_add(worked.overcounted_cost.0);
        summary.overcounted_cost = Money(cost);
        summary.replayed += worked.replayed;
        summary.silent = worked.turns == 0 && matches!(worked.end, End::Unavailable(_));
        summary.advice = worked.advice.or(summary.advice);
        let said = worked.said.split_whitespace().collect::<Vec<_>>().join(" ");
        if !said.is_empty() {
            summary.said =
                width::shorten(&steering::shown(&redact::redact_in(&said, self.options.scope)), MAX_SAID);
        }
        // What a provider or a program says of a fault may repeat anything.
        let clean = |reason: &String| steering::shown(&redact::redact_in(reason, self.options.scope));
        let end = match &worked.end {
            End::Done => End::Done,
            End::Stopped(reason) => End::Stopped(clean(reason)),
            End::Failed(reason) => End::Failed(clean(reason)),
            End::CalledOff(reason) => End::CalledOff(clean(reason)),
            End::Unavailable(reason) => End::Unavailable(clean(reason)),
            End::Spent(limit) => End::Spent(limit.clone()),
        };
        summary.stopped = match &end {
            // A limit that kept it from other sessions is still one.
            End::Done => summary.stopped.take().filter(|_| summary.unasked > 0),
            End::Stopped(reason)
            | End::Failed(reason)
            | End::CalledOff(reason)
            | End::Unavailable(reason)
            | End::Spent(reason) => Some(reason.clone()),
        };
        end
    }
}

/// The name of a session, or its place where it has none.
fn name(at: usize, conversation: &Conversation) -> String {
    conversation.session.as_ref().map_or_else(|| at.to_string(), ToString::to_string)
}

fn count(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
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
