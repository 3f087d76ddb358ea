//! The engine: rules first, then the questions in batches, then the plan of both.

mod length;

use crate::answer::{self, AnswerFault, Proposal};
use crate::budget::Totals;
use crate::caller::{CallOptions, Caller, Unanswered};
use crate::ground;
use crate::material::{Bounds, Item, Material};
use crate::merge::{self, Other, Verdict};
use crate::privacy::LocalOnly;
use crate::prompt::Frame;
use crate::provider::CallFault;
use crate::spending::{Summary, account};
use length::halve;
use nidra_core::settings::{EngineChoice, FailureChoice};
use nidra_core::text::redact::{self, Scope};
use nidra_core::{Conversation, Engine, EngineError, EngineInput, EntryId, Outcome, Progress, Watcher};
use nidra_rules::RulesEngine;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};

/// Answers in a row that cannot be used, after which the model is not asked again in this run.
const HOPELESS: u32 = 4;
/// Answers in a row that change nothing, after which the rest is left to the rules.
const NO_OPS: u32 = 8;

/// Declined proposals that a report names; all are counted.
const MAX_REFUSALS: usize = 20;

/// Everything that the engine needs.
pub struct ModelOptions<'a> {
    /// What calls need.
    pub calls: CallOptions<'a>,
    /// Whether it is known what tokens of the model cost.
    pub price_known: bool,
    /// What stays on this machine.
    pub local_only: &'a LocalOnly,
    /// Entries of memory that rest on what stays on this machine.
    pub private_entries: BTreeSet<EntryId>,
    /// What is removed from all that is sent.
    pub scope: Scope,
    /// Only estimate, with what was spent before; nothing is sent and the rules alone judge.
    pub dry_run: Option<Totals>,
}

/// The engine of rules with a model that judges what they found.
pub struct ModelEngine<'a> {
    options: ModelOptions<'a>,
    caller: Caller<'a>,
    state: RefCell<State>,
}

/// What kind of reason there is to ask no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Halt {
    /// It cannot be asked; no session is to blame.
    Fault,
    /// The budget is spent.
    Spent,
    /// It cannot answer; that counts as a failure with each session.
    Hopeless,
}

/// What a run learnt so far; the engine is asked several times in one run when a session is at fault.
#[derive(Default)]
struct State {
    /// What the model said of an item; `None` where it said nothing.
    judged: BTreeMap<String, Option<Verdict>>,
    /// The items on which it failed alone.
    failed: BTreeMap<String, AnswerFault>,
    /// Why it is not asked any more.
    stopped: Option<(Halt, String)>,
    /// Questions that were asked, by their mark.
    asked: HashSet<String>,
    faults_in_a_row: u32,
    no_ops_in_a_row: u32,
    quiet: bool,
    /// The server does not take the form of the answer along.
    unenforced: bool,
    summary: Summary,
}

impl<'a> ModelEngine<'a> {
    /// An engine for one run.
    pub fn new(options: ModelOptions<'a>) -> Self {
        let caller = Caller::new(options.calls);
        let endpoint = options.calls.endpoint;
        let summary = Summary {
            provider: endpoint.protocol.as_str().to_owned(),
            model: endpoint.model.clone(),
            host: endpoint.host.clone(),
            ..Summary::default()
        };
        Self { options, caller, state: RefCell::new(State { summary, ..State::default() }) }
    }

    /// What the run came to so far.
    pub fn summary(&self) -> Summary {
        let state = self.state.borrow();
        let judged = u64::try_from(state.judged.len()).unwrap_or(u64::MAX);
        let stopped = state.stopped.as_ref().map(|(_, reason)| reason.clone());
        Summary {
            spent: self.caller.spent(),
            estimated_tokens: self.caller.estimated(),
            overcounted_tokens: self.caller.overcounted(),
            replayed: self.caller.replayed(),
            judged,
            stopped,
            ..state.summary.clone()
        }
    }

    /// What asks the model.
    pub(crate) fn caller(&self) -> &Caller<'a> {
        &self.caller
    }

    /// The rules' plan with what the model adds to it.
    fn judge(&self, input: EngineInput<'_>, rules: Outcome) -> Result<Outcome, EngineError> {
        let bounds = Bounds {
            scope: self.options.scope,
            memory_tokens: self.memory_tokens(),
            private: &self.options.private_entries,
        };
        let material = Material::collect(input, &rules, bounds);
        let frame = Frame {
            entries: &material.entries,
            settings: self.options.calls.settings,
            scope: self.options.scope,
        };
        if let Some(before) = &self.options.dry_run {
            self.estimate(&material, &frame, before);
            return Ok(rules);
        }
        self.ask_all(&material, &frame, input.watcher)?;
        let state = &mut *self.state.borrow_mut();
        match self.options.calls.settings.on_failure {
            FailureChoice::Wait => wait(&material, state)?,
            FailureChoice::Rules => {
                let open = material.items.iter().filter(|item| !state.judged.contains_key(&item.key)).count();
                state.summary.left_to_rules += u64::try_from(open).unwrap_or(u64::MAX);
            }
        }
        let verdicts = material.items.iter().filter_map(|item| {
            let verdict = state.judged.get(&item.key)?.clone()?;
            Some((item.key.clone(), verdict))
        });
        let merged =
            merge::merge(rules, &material, &verdicts.collect(), self.options.calls.settings.may_drop);
        for (counts, more) in
            [(&mut state.summary.taken, merged.taken), (&mut state.summary.declined, merged.declined)]
        {
            for (name, count) in more {
                *counts.entry(name).or_default() += count;
            }
        }
        let known = state.summary.refusals.len();
        state.summary.refusals.extend(merged.refusals.into_iter().take(MAX_REFUSALS.saturating_sub(known)));
        Ok(merged.outcome)
    }

    /// Asks about everything that is not known yet, until there is a reason to stop.
    fn ask_all(
        &self,
        material: &Material,
        frame: &Frame<'_>,
        watcher: &dyn Watcher,
    ) -> Result<(), EngineError> {
        let open: Vec<&Item> = {
            let state = self.state.borrow();
            let known =
                |item: &&Item| state.judged.contains_key(&item.key) || state.failed.contains_key(&item.key);
            material.items.iter().filter(|item| !known(item)).collect()
        };
        let mut batches: VecDeque<Vec<&Item>> = self.batches(&open, frame).into();
        while let Some(batch) = batches.pop_front() {
            if self.state.borrow().stopped.is_some() {
                return Ok(());
            }
            if self.state.borrow().quiet {
                self.settle(&batch, Vec::new(), material);
                continue;
            }
            match self.ask(&batch, material, frame, watcher) {
                Ok(proposals) => self.settle(&batch, proposals, material),
                Err(Trouble::Answer(fault)) => {
                    let state = &mut *self.state.borrow_mut();
                    *state.summary.faults.entry(fault.as_str()).or_default() += 1;
                    state.faults_in_a_row += 1;
                    if let [only] = batch.as_slice() {
                        state.failed.insert(only.key.clone(), fault);
                    } else {
                        // A smaller question is an easier one, and finds the item at fault.
                        halve(&batch, &mut batches);
                    }
                    if state.faults_in_a_row >= HOPELESS {
                        let reason =
                            format!("{HOPELESS} answers in a row cannot be used: {}", fault.meaning());
                        state.stopped = Some((Halt::Hopeless, reason));
                    }
                }
                Err(Trouble::TooLong) => match batch.as_slice() {
                    [only] => {
                        let state = &mut *self.state.borrow_mut();
                        *state.summary.faults.entry(AnswerFault::TooLong.as_str()).or_default() += 1;
                        state.failed.insert(only.key.clone(), AnswerFault::TooLong);
                    }
                    _ => halve(&batch, &mut batches),
                },
                Err(Trouble::Stop(halt, reason)) => self.state.borrow_mut().stopped = Some((halt, reason)),
                Err(Trouble::End(reason)) => return Err(EngineError::Stopped(reason)),
            }
        }
        Ok(())
    }

    fn ask(
        &self,
        batch: &[&Item],
        material: &Material,
        frame: &Frame<'_>,
        watcher: &dyn Watcher,
    ) -> Result<Vec<Proposal>, Trouble> {
        loop {
            let enforced = !self.state.borrow().unenforced;
            let (question, asked) = frame.question(batch, enforced);
            self.check_length(&question, frame)?;
            let mark = format!("{} {enforced}", asked.batch);
            if !self.state.borrow_mut().asked.insert(mark) {
                return Err(Trouble::Stop(
                    Halt::Fault,
                    "it goes round in circles: the same question came up twice".to_owned(),
                ));
            }
            let reply = match self.caller.ask(&question, batch.len(), watcher) {
                Ok(reply) => reply,
                Err(Unanswered::Budget(limit)) => return Err(Trouble::Stop(Halt::Spent, limit)),
                Err(Unanswered::Ledger(reason)) => return Err(Trouble::End(reason)),
                Err(Unanswered::Stopped) => return Err(Trouble::End("by the user".to_owned())),
                // Some servers take no schema or no tools; they are asked in words alone.
                Err(Unanswered::Call(error)) if error.fault == CallFault::Request && enforced => {
                    watcher.tell(&Progress::Retries {
                        cause: format!(
                            "{}; it is asked once more without a form for its answer",
                            redact::redact(&error.message)
                        ),
                        seconds: 0,
                        tries_left: 1,
                    });
                    self.state.borrow_mut().unenforced = true;
                    continue;
                }
                Err(Unanswered::Call(error)) if error.fault == CallFault::TooLong && batch.len() > 1 => {
                    return Err(Trouble::Answer(AnswerFault::TooLong));
                }
                Err(Unanswered::Call(error)) if error.fault == CallFault::TooLong => {
                    let fault = AnswerFault::TooLong.as_str();
                    *self.state.borrow_mut().summary.faults.entry(fault).or_default() += 1;
                    return Err(Trouble::Stop(
                        Halt::Fault,
                        "not even a single item fits: the model needs a longer context, or less of memory beside it (`model.max_input_tokens`)".to_owned(),
                    ));
                }
                Err(Unanswered::Call(error)) => return Err(Trouble::Stop(Halt::Fault, error.to_string())),
            };
            let proposals = answer::read(&reply, &asked).map_err(Trouble::Answer)?;
            return if in_other_language(&proposals, material) {
                Err(Trouble::Answer(AnswerFault::WrongLanguage))
            } else {
                Ok(proposals)
            };
        }
    }

    /// Keeps what was said of the items of a batch.
    fn settle(&self, batch: &[&Item], proposals: Vec<Proposal>, material: &Material) {
        let state = &mut *self.state.borrow_mut();
        state.faults_in_a_row = 0;
        let acts = proposals.iter().any(|proposal| proposal.verb != answer::Verb::Keep);
        state.no_ops_in_a_row = if acts { 0 } else { state.no_ops_in_a_row + 1 };
        if state.no_ops_in_a_row == NO_OPS && !state.quiet {
            state.quiet = true;
            state.summary.unchanging = NO_OPS.into();
        }
        for item in batch {
            state.judged.insert(item.key.clone(), None);
        }
        for proposal in proposals {
            let Some(item) = material.items.iter().find(|item| item.name == proposal.item) else { continue };
            let other = proposal.entry.as_ref().and_then(|name| {
                let entry = material.entries.iter().find(|known| known.name == *name);
                let item = || material.items.iter().find(|item| item.name == *name);
                entry
                    .map(|known| Other::Entry(known.entry.clone()))
                    .or_else(|| Some(Other::Item(item()?.key.clone())))
            });
            // The first word on an item counts.
            if let Some(place) = state.judged.get_mut(&item.key).filter(|place| place.is_none()) {
                *place = Some(Verdict { proposal, other });
            }
        }
    }
}

/// Why a batch has no answer.
enum Trouble {
    /// The answer cannot be used.
    Answer(AnswerFault),
    /// The question would be longer than the settings allow, so it is not asked.
    TooLong,
    /// Nothing more is asked in this run.
    Stop(Halt, String),
    /// The run ends: the user stopped it, or the ledger cannot be written.
    End(String),
}

/// Whether all the words of an answer are in another language than those that they rest on.
fn in_other_language(proposals: &[Proposal], material: &Material) -> bool {
    let texts = proposals.iter().filter_map(|proposal| {
        let item = material.items.iter().find(|item| item.name == proposal.item)?;
        Some(ground::other_language(proposal.text.as_deref()?, &item.words()))
    });
    let mut texts = texts.peekable();
    texts.peek().is_some() && texts.all(|other| other)
}

/// The error of a run whose model cannot be asked while the settings say to wait for it; it names what else they can say.
pub fn unavailable(reason: &str) -> EngineError {
    EngineError::Unavailable(format!(
        "{reason}; the sessions wait for it, and with `model.on_failure = \"rules\"` the rules alone would judge instead"
    ))
}

/// Says that the sessions wait of which something was not judged.
fn wait(material: &Material, state: &State) -> Result<(), EngineError> {
    let failed = material.items.iter().find_map(|item| state.failed.get(&item.key));
    let unasked = material
        .items
        .iter()
        .any(|item| !state.judged.contains_key(&item.key) && !state.failed.contains_key(&item.key));
    match (&state.stopped, failed) {
        // Sessions that are tried again for ever would never be judged at all.
        (Some((Halt::Hopeless, reason)), _) if unasked || failed.is_some() => {
            Err(EngineError::Failed(reason.clone()))
        }
        // Nothing was judged at all: the model is at fault, and no session.
        (Some((Halt::Fault, reason)), _) if state.judged.is_empty() && (unasked || failed.is_some()) => {
            Err(unavailable(reason))
        }
        (Some((_, reason)), _) if unasked => Err(EngineError::Exhausted(reason.clone())),
        (_, Some(fault)) => Err(EngineError::Failed(fault.meaning().to_owned())),
        _ => Ok(()),
    }
}

impl Engine for ModelEngine<'_> {
    fn name(&self) -> &'static str {
        EngineChoice::Model.as_str()
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
            !self.options.calls.endpoint.local && self.options.local_only.holds_conversation(conversation)
        };
        if !input.conversations.iter().any(stays) {
            return self.judge(input, RulesEngine.dream(input)?);
        }
        // What stays is judged apart, so that none of its words reaches a question by way of the rules' plan.
        let (local, open): (Vec<_>, Vec<_>) = input.conversations.iter().cloned().partition(stays);
        let kept = RulesEngine.dream(EngineInput { conversations: &local, ..input })?;
        let withheld = u64::try_from(local.len()).unwrap_or(u64::MAX);
        // The engine may be asked again about a part of the same sessions.
        {
            let counted = &mut self.state.borrow_mut().summary.withheld;
            *counted = withheld.max(*counted);
        }
        let open = EngineInput { conversations: &open, ..input };
        let mut outcome = self.judge(open, RulesEngine.dream(open)?)?;
        outcome.extend(kept);
        Ok(outcome)
    }
}
