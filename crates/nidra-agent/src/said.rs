//! What people said in the sessions, sentence by sentence, and which of it a statement rests on.

use nidra_core::text::redact::Scope;
use nidra_core::text::similarity;
use nidra_core::{Conversation, EngineInput, Evidence};
use nidra_model::ground;
use nidra_model::spoken::Spoken;
use nidra_rules::worth;

/// What a sentence has to be worth by the rules' own weights to carry a statement. They take it from 1.5 on; a question,
/// a greeting or an order for the moment lies below nothing.
const WORTH: f64 = 0.5;
/// At or below this a sentence asks instead of saying.
const QUESTION: f64 = -2.5;
/// The share of a statement's terms that a sentence has to hold to be looked at.
const NEAR: f64 = 0.2;
/// Sentences that are looked at for one statement.
const MAX_NEAR: usize = 6;

const NOT_SAID: &str = "no person said it";
const IN_PASSING: &str = "it was only said as a guess, a question or an order of the moment";

/// The sentences of people.
#[derive(Debug)]
pub(crate) struct Said {
    /// Those that can carry a statement.
    sentences: Vec<Evidence>,
    /// Those by which something may end; an order to forget something carries no statement.
    ending: Vec<Evidence>,
    /// Those that carry nothing: guesses, questions, orders for the moment.
    passing: Vec<String>,
}

impl Said {
    /// The sentences of these conversations that can carry a statement.
    pub(crate) fn new(input: EngineInput<'_>, scope: Scope) -> Self {
        let all = input.conversations.iter().flat_map(|conversation| read(conversation, input, scope));
        let (mut sentences, mut ending, mut passing) = (Vec::new(), Vec::new(), Vec::new());
        for (worth, one) in all {
            if worth > QUESTION && ground::ends_something(&one.quote) {
                ending.push(one.clone());
            }
            if worth >= WORTH {
                sentences.push(one);
            } else {
                passing.push(one.quote);
            }
        }
        Self { sentences, ending, passing }
    }

    /// Whether anybody said anything that can.
    pub(crate) fn is_empty(&self) -> bool {
        self.sentences.is_empty() && self.ending.is_empty()
    }

    /// The sentences that a statement rests on, one or two. `base` are words that it may repeat besides, those of the
    /// entry that it rewrites; at least one sentence has to speak of it.
    pub(crate) fn ground(&self, text: &str, base: &str) -> Result<Vec<Evidence>, &'static str> {
        let near = self.near(text);
        if near.is_empty() {
            return Err(self.unsaid(text, NOT_SAID));
        }
        let words = |chosen: &[&Evidence]| {
            let quotes = chosen.iter().map(|one| one.quote.as_str());
            std::iter::once(base).filter(|base| !base.is_empty()).chain(quotes).collect::<Vec<_>>().join("\n")
        };
        let mut fault = None;
        for one in &near {
            match ground::fault(text, &words(&[one])) {
                None => return Ok(vec![(*one).clone()]),
                Some(found) => fault = fault.or(Some(found)),
            }
        }
        for (at, one) in near.iter().enumerate() {
            for other in near.iter().skip(at + 1) {
                if ground::fault(text, &words(&[one, other])).is_none() {
                    return Ok(vec![(*one).clone(), (*other).clone()]);
                }
            }
        }
        Err(self.unsaid(text, fault.unwrap_or(NOT_SAID)))
    }

    /// Why a statement rests on nothing: it was only said in passing, or else this.
    fn unsaid(&self, text: &str, otherwise: &'static str) -> &'static str {
        let in_passing = self.passing.iter().any(|words| ground::fault(text, words).is_none());
        if in_passing { IN_PASSING } else { otherwise }
    }

    /// All that people said.
    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        let quotes = self.sentences.iter().chain(&self.ending).map(|one| one.quote.as_str());
        quotes.chain(self.passing.iter().map(String::as_str))
    }

    /// The sentence by which a person said that what an entry states is over.
    pub(crate) fn ends(&self, text: &str) -> Option<Evidence> {
        self.ending.iter().find(|one| ground::same_thing(text, &one.quote)).cloned()
    }

    /// The sentences nearest to a statement, the nearest first; of equals the later one, which may correct the other.
    fn near(&self, text: &str) -> Vec<&Evidence> {
        let mut near: Vec<(f64, usize, &Evidence)> = self
            .sentences
            .iter()
            .enumerate()
            .map(|(place, one)| (similarity::containment(text, &one.quote), place, one))
            .filter(|(share, _, _)| *share >= NEAR)
            .collect();
        near.sort_by(|left, right| right.0.total_cmp(&left.0).then(right.1.cmp(&left.1)));
        near.into_iter().take(MAX_NEAR).map(|(_, _, one)| one).collect()
    }
}

/// The sentences of a conversation's people, each with what it is worth.
fn read(conversation: &Conversation, input: EngineInput<'_>, scope: Scope) -> Vec<(f64, Evidence)> {
    let alone = EngineInput { conversations: std::slice::from_ref(conversation), ..input };
    let spoken = Spoken::of(conversation, scope);
    worth::examples(&alone)
        .into_iter()
        .filter_map(|example| Some((example.by_hand, spoken.quote(&example.sentence)?)))
        .collect()
}
