//! One question asked: a slot, the ledger and the budget before each try, and tries again where that may help.

use crate::budget::{Budget, Money, Spent};
use crate::ledger::{Call, Ended, Ledger, LedgerError};
use crate::price::{Price, Usage};
use crate::provider::in_flight::Slots;
use crate::provider::{self, CallError, CallFault, Endpoint, Post, Question, Reply, Transport};
use jiff::{SignedDuration, Timestamp};
use nidra_core::text::token;
use nidra_core::{Progress, Watcher};
use std::cell::Cell;
use std::time::{Duration, Instant};

/// The first pause before a call is tried again; each further one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// The longest pause; a server that asks for more is asked another day.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// An estimate of tokens can be this much too low, in hundredths.
const MARGIN: u64 = 125;

/// Waits; tests count instead.
pub type Pause<'a> = &'a dyn Fn(Duration);

/// Asks a model.
pub(crate) struct Caller<'a> {
    pub(crate) endpoint: &'a Endpoint,
    pub(crate) transport: &'a dyn Transport,
    pub(crate) ledger: &'a dyn Ledger,
    pub(crate) slots: Option<&'a Slots>,
    pub(crate) budget: Budget,
    pub(crate) price: Price,
    pub(crate) timeout: Duration,
    pub(crate) retries: u32,
    pub(crate) pause: Pause<'a>,
    /// When the run began, by the clock of the run and by the machine's.
    pub(crate) began: (Timestamp, Instant),
    /// What the run spent so far.
    pub(crate) spent: Cell<Spent>,
}

/// A question that got no reply.
#[derive(Debug)]
pub(crate) enum Unanswered {
    /// The budget does not allow it.
    Budget(String),
    /// The ledger cannot be written.
    Ledger(String),
    /// The run was stopped.
    Stopped,
    /// The call failed.
    Call(CallError),
}

impl Caller<'_> {
    /// Asks, and asks again where a call failed in passing.
    pub(crate) fn ask(
        &self,
        question: &Question,
        items: usize,
        watcher: &dyn Watcher,
    ) -> Result<Reply, Unanswered> {
        let body = provider::body(self.endpoint, question).to_string();
        let mut pause = FIRST_PAUSE;
        for tries_left in (0..=self.retries).rev() {
            if watcher.stopped() {
                return Err(Unanswered::Stopped);
            }
            let error = match self.once(&body, question, items, watcher) {
                Ok(reply) => return Ok(reply),
                Err(Unanswered::Call(error)) if error.fault == CallFault::Stopped => {
                    return Err(Unanswered::Stopped);
                }
                Err(Unanswered::Call(error)) if error.fault.passes() && tries_left > 0 => error,
                Err(other) => return Err(other),
            };
            let wait = error.retry_after.unwrap_or(pause);
            if wait > LONGEST_PAUSE || self.left() < wait {
                return Err(Unanswered::Call(CallError {
                    message: format!("{}; it asks to wait {} s", error.message, wait.as_secs()),
                    ..error
                }));
            }
            (self.pause)(wait);
            self.wasted(wait);
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
        // Not reached: the last try returns whatever it came to.
        Err(Unanswered::Call(CallError::new(CallFault::Unreachable, "it was not asked")))
    }

    /// What a question costs at most, and the tokens of which.
    pub(crate) fn estimate(&self, question: &Question) -> (Spent, Usage) {
        let body = provider::body(self.endpoint, question).to_string();
        let usage = guessed(&body, question);
        (Spent { tokens: usage.total(), requests: 1, cost: self.cost(usage), milliseconds: 0 }, usage)
    }

    fn cost(&self, usage: Usage) -> Money {
        if self.endpoint.local { Money::default() } else { self.price.of(usage) }
    }

    /// How much of the run's time is left.
    fn left(&self) -> Duration {
        let limit = Duration::from_millis(self.budget.run.milliseconds);
        limit.saturating_sub(Duration::from_millis(self.spent.get().milliseconds))
    }

    fn wasted(&self, time: Duration) {
        let milliseconds = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        self.spent.set(self.spent.get().plus(Spent { milliseconds, ..Spent::default() }));
    }

    fn once(
        &self,
        body: &str,
        question: &Question,
        items: usize,
        watcher: &dyn Watcher,
    ) -> Result<Reply, Unanswered> {
        let waited = Instant::now();
        let slot = self.slots.map(|slots| slots.take(self.timeout.min(self.left()))).transpose();
        self.wasted(waited.elapsed());
        let busy = || {
            let message = "other runs on this machine use all slots; see `model.max_in_flight`";
            Unanswered::Call(CallError::new(CallFault::Unreachable, message))
        };
        let _slot = match slot {
            Ok(Some(None)) => return Err(busy()),
            Ok(slot) => slot,
            Err(error) => return Err(Unanswered::Ledger(error.to_string())),
        };
        let guess = guessed(body, question);
        let next = Spent { tokens: guess.total(), requests: 1, cost: self.cost(guess), milliseconds: 0 };
        let elapsed = SignedDuration::try_from(self.began.1.elapsed()).unwrap_or_default();
        let call = Call {
            at: self.began.0.checked_add(elapsed).unwrap_or(self.began.0),
            provider: self.endpoint.protocol.as_str(),
            model: self.endpoint.model.clone(),
            host: self.endpoint.host.clone(),
            local: self.endpoint.local,
            request_hash: provider::hash(body.as_bytes()),
            request_bytes: size(body.len()),
            items: size(items),
            estimate: next,
        };
        let spent = self.spent.get();
        let ticket = self.ledger.begin(&call, &|totals| self.budget.admit(&spent, totals, &next)).map_err(
            |error| match error {
                LedgerError::Refused(limit) => Unanswered::Budget(limit),
                LedgerError::Failed(_) => Unanswered::Ledger(error.to_string()),
            },
        )?;
        watcher.tell(&Progress::Asks { items: size(items), estimated_tokens: guess.question() });
        let headers = provider::headers(self.endpoint);
        let post = Post {
            url: &self.endpoint.url,
            headers: &headers,
            body,
            timeout: self.timeout.min(self.left()),
            watcher,
        };
        let begin = Instant::now();
        let answered = self.transport.post(&post);
        let milliseconds = size(usize::try_from(begin.elapsed().as_millis()).unwrap_or(usize::MAX));
        let (hash, bytes) = match &answered {
            Ok(answered) => (Some(provider::hash(&answered.body)), size(answered.body.len())),
            Err(_) => (None, 0),
        };
        let reply = answered.and_then(|answered| provider::read_reply(self.endpoint, &answered));
        let usage = match &reply {
            Ok(reply) => reply.usage.unwrap_or_else(|| Usage {
                input: guess.input,
                output: size(token::estimate(&reply.text)),
                ..Usage::default()
            }),
            // A reply that was on its way may be charged, one that was refused is not.
            Err(error)
                if matches!(error.fault, CallFault::TimedOut | CallFault::Shape | CallFault::Stopped) =>
            {
                guess
            }
            Err(_) => Usage::default(),
        };
        if reply.is_ok() {
            watcher.tell(&Progress::Answered {
                input_tokens: usage.input,
                cache_read_tokens: usage.cache_read,
                cache_write_tokens: usage.cache_write,
                output_tokens: usage.output,
                milliseconds,
            });
        }
        let cost = self.cost(usage);
        self.spent.set(spent.plus(Spent { tokens: usage.total(), requests: 1, cost, milliseconds }));
        let ended = Ended {
            outcome: reply.as_ref().map_or_else(|error| error.fault.as_str(), |_| "answered"),
            reply_hash: hash,
            reply_bytes: bytes,
            usage,
            cost,
            milliseconds,
        };
        self.ledger.end(ticket, &ended).map_err(|error| Unanswered::Ledger(error.to_string()))?;
        reply.map_err(Unanswered::Call)
    }
}

/// The tokens of a question and of its answer at most, as they are estimated.
fn guessed(body: &str, question: &Question) -> Usage {
    let estimate = size(token::estimate(body));
    Usage {
        input: estimate.saturating_mul(MARGIN) / 100,
        output: question.max_output.into(),
        ..Usage::default()
    }
}

fn size(size: usize) -> u64 {
    u64::try_from(size).unwrap_or(u64::MAX)
}
