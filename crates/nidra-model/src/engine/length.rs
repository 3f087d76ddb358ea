//! How long questions are: items in batches that keep to the settings, and what asking about them would cost.

use super::{Halt, ModelEngine, Trouble};
use crate::budget::{Money, Spent, Totals};
use crate::material::{Item, Material};
use crate::prompt::Frame;
use crate::provider::Question;
use crate::spending::Estimate;
use nidra_core::text::token;
use std::collections::VecDeque;

/// Items of one question at most.
const MAX_ITEMS: usize = 40;
/// Tokens that the answer to one item takes, at a guess.
const TOKENS_OF_AN_ANSWER: u32 = 160;

impl ModelEngine<'_> {
    /// The tokens of a question at most.
    fn limit(&self) -> u64 {
        self.options.calls.settings.max_input_tokens.into()
    }

    /// The tokens of a question, as they are estimated.
    fn tokens(&self, question: &Question) -> u64 {
        self.caller.estimate(question).1.question()
    }

    /// Whether a question may be asked by its length.
    pub(super) fn check_length(&self, question: &Question, frame: &Frame<'_>) -> Result<(), Trouble> {
        if self.tokens(question) <= self.limit() {
            return Ok(());
        }
        let least = self.tokens(&frame.question(&[], question.enforced).0);
        if least < self.limit() {
            return Err(Trouble::TooLong);
        }
        let reason = format!(
            "a question comes to {least} tokens before anything is asked; set `model.max_input_tokens` higher than that"
        );
        Err(Trouble::Stop(Halt::Fault, reason))
    }

    /// The tokens of entries of memory that are shown: a third of a question, and of a small one half of what is left beside
    /// what the model is told.
    pub(super) fn memory_tokens(&self) -> usize {
        let calls = &self.options.calls;
        let frame = Frame { entries: &[], settings: calls.settings, scope: self.options.scope };
        let left = self.limit().saturating_sub(self.tokens(&frame.question(&[], true).0));
        usize::try_from((self.limit() / 3).min(left / 2)).unwrap_or(usize::MAX)
    }

    /// The items in questions of bounded size, in order.
    pub(super) fn batches<'i>(&self, items: &[&'i Item], frame: &Frame<'_>) -> Vec<Vec<&'i Item>> {
        let settings = self.options.calls.settings;
        let most = (settings.max_output_tokens / TOKENS_OF_AN_ANSWER) as usize;
        let most = most.clamp(1, MAX_ITEMS);
        let empty = self.tokens(&frame.question(&[], true).0);
        let room = usize::try_from(self.limit().saturating_sub(empty)).unwrap_or(usize::MAX);
        let mut batches: Vec<Vec<&'i Item>> = Vec::new();
        let mut used = 0;
        for item in items {
            // The names of the outline stand around the words, and the schema names each item twice.
            let tokens = token::estimate(&item.words()) * 13 / 10 + 60;
            let full = |batch: &Vec<&Item>| batch.len() >= most || used + tokens > room;
            if let Some(batch) = batches.last_mut().filter(|batch| !full(batch)) {
                batch.push(item);
                used += tokens;
            } else {
                batches.push(vec![item]);
                used = tokens;
            }
        }
        // That was a guess; what counts is the question as it would be sent.
        let mut open: VecDeque<Vec<&'i Item>> = batches.into();
        let mut batches = Vec::new();
        while let Some(batch) = open.pop_front() {
            if batch.len() > 1 && self.tokens(&frame.question(&batch, true).0) > self.limit() {
                halve(&batch, &mut open);
            } else {
                batches.push(batch);
            }
        }
        batches
    }

    /// What asking about all of this would cost.
    pub(super) fn estimate(&self, material: &Material, frame: &Frame<'_>, before: &Totals) {
        let items: Vec<&Item> = material.items.iter().collect();
        let mut estimate = Estimate { price_known: self.options.price_known, ..Estimate::default() };
        let mut sum = Spent::default();
        for batch in self.batches(&items, frame) {
            let question = frame.question(&batch, true).0;
            match self.check_length(&question, frame) {
                Err(Trouble::Stop(halt, reason)) => {
                    self.state.borrow_mut().stopped = Some((halt, reason));
                    break;
                }
                Err(_) => continue,
                Ok(()) => {}
            }
            let (spent, usage) = self.caller.estimate(&question);
            estimate.input_tokens = estimate.input_tokens.saturating_add(usage.question());
            estimate.output_tokens = estimate.output_tokens.saturating_add(usage.output);
            sum = sum.plus(spent);
        }
        estimate.requests = sum.requests;
        estimate.cost = sum.cost;
        estimate.at_most = self.options.calls.budget.left(before);
        if self.options.calls.endpoint.local {
            estimate.at_most.cost = Money::default();
        }
        if sum.requests > 0 {
            let admitted = self.options.calls.budget.admit(&Spent::default(), before, &sum);
            estimate.over_budget = admitted.err();
        }
        let state = &mut *self.state.borrow_mut();
        state.summary.estimate = Some(estimate);
    }
}

/// Puts the halves of a batch in front of the others.
pub(super) fn halve<'i>(batch: &[&'i Item], batches: &mut VecDeque<Vec<&'i Item>>) {
    let (first, second) = batch.split_at(batch.len() / 2);
    batches.push_front(second.to_vec());
    batches.push_front(first.to_vec());
}
