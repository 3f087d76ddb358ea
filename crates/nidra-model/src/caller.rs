//! One question asked: a slot, the ledger and the budget before each try, and tries again where that may help.

use crate::budget::{Budget, Money, Spent};
use crate::counting::{Counted, credible, guessed, is_charged, size};
use crate::ledger::{Call, Ended, Ledger, LedgerError};
use crate::price::{Price, Usage};
use crate::provider::in_flight::Slots;
use crate::provider::{
    self, Answered, CallError, CallFault, Dialogue, Endpoint, Post, Question, Reply, Transport, Turn,
};
use jiff::{SignedDuration, Timestamp};
use nidra_core::settings::ModelSettings;
use nidra_core::text::{redact, steering};
use nidra_core::{Progress, Watcher};
use std::cell::Cell;
use std::time::{Duration, Instant};

/// The first pause before a call is tried again; each further one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// The longest pause; a server that asks for more is asked another day.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// A pause that is no longer told in seconds.
const A_DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Reads a reply of some kind.
type Read<'r, R> = &'r dyn Fn(&Answered) -> Result<R, CallError>;

/// Waits; tests count instead.
pub type Pause<'a> = &'a dyn Fn(Duration);

/// What calls need.
#[derive(Clone, Copy)]
pub struct CallOptions<'a> {
    /// Where the model is.
    pub endpoint: &'a Endpoint,
    /// The way to it.
    pub transport: &'a dyn Transport,
    /// Where calls are written down.
    pub ledger: &'a dyn Ledger,
    /// The slots of this machine; `None` for no limit.
    pub slots: Option<&'a Slots>,
    /// The settings of the model.
    pub settings: &'a ModelSettings,
    /// What may be spent.
    pub budget: Budget,
    /// What tokens cost.
    pub price: Price,
    /// The present moment.
    pub now: Timestamp,
    /// Waits.
    pub pause: Pause<'a>,
}

/// Asks a model, within the budget of a run.
pub struct Caller<'a> {
    options: CallOptions<'a>,
    /// When the run began, by the machine's clock.
    began: Instant,
    /// What the run spent so far, as the ledger has it.
    spent: Cell<Spent>,
    /// What the provider counts, which may be more than can be: the limits of the run are held against it.
    claimed: Cell<Spent>,
    /// Tokens of what was spent that nobody counted.
    estimated: Cell<u64>,
    /// Answers that came from a recording.
    replayed: Cell<u64>,
}

/// A question that got no reply.
#[derive(Debug)]
pub enum Unanswered {
    /// The budget does not allow it.
    Budget(String),
    /// The ledger cannot be written.
    Ledger(String),
    /// The run was stopped.
    Stopped,
    /// The call failed.
    Call(CallError),
}

/// A request: its body, and the tokens of its answer at most.
#[derive(Clone, Copy)]
struct Request<'r> {
    body: &'r str,
    max_output: u32,
    items: usize,
    one_object: bool,
    watcher: &'r dyn Watcher,
}

impl<'a> Caller<'a> {
    /// A caller for one run.
    pub fn new(options: CallOptions<'a>) -> Self {
        Self {
            options,
            began: Instant::now(),
            spent: Cell::default(),
            claimed: Cell::default(),
            estimated: Cell::default(),
            replayed: Cell::default(),
        }
    }

    /// What the run spent so far, as the ledger has it; answers from a recording cost nothing.
    pub fn spent(&self) -> Spent {
        self.spent.get()
    }

    /// Tokens that the provider counts beyond what the questions and answers can have.
    pub fn overcounted(&self) -> u64 {
        if self.replays() { 0 } else { self.claimed.get().tokens.saturating_sub(self.spent.get().tokens) }
    }

    /// Answers that came from a recording.
    pub fn replayed(&self) -> u64 {
        self.replayed.get()
    }

    fn replays(&self) -> bool {
        self.options.transport.replays()
    }

    /// Tokens of [`Self::spent`] that are an estimate, since the answer that would count them did not come.
    pub fn estimated(&self) -> u64 {
        self.estimated.get()
    }

    /// Asks a question of one answer.
    pub(crate) fn ask(
        &self,
        question: &Question,
        items: usize,
        watcher: &dyn Watcher,
    ) -> Result<Reply, Unanswered> {
        let body = provider::body(self.options.endpoint, question).to_string();
        let request =
            Request { body: &body, max_output: question.max_output, items, one_object: true, watcher };
        self.tried(request, &|answered| provider::read_reply(self.options.endpoint, answered))
    }

    /// Asks for the next turn of a talk in which the model has tools.
    ///
    /// # Errors
    /// When the budget does not allow it, or no reply comes.
    pub fn converse(&self, dialogue: &Dialogue<'_>, watcher: &dyn Watcher) -> Result<Turn, Unanswered> {
        let body = provider::dialogue_body(self.options.endpoint, dialogue).to_string();
        let request =
            Request { body: &body, max_output: dialogue.max_output, items: 0, one_object: false, watcher };
        self.tried(request, &|answered| provider::read_turn(self.options.endpoint, answered))
    }

    /// Asks, and asks again where a call failed in passing.
    fn tried<R: Counted>(&self, request: Request<'_>, read: Read<'_, R>) -> Result<R, Unanswered> {
        let mut pause = FIRST_PAUSE;
        for tries_left in (0..=self.options.settings.retries).rev() {
            if request.watcher.stopped() {
                return Err(Unanswered::Stopped);
            }
            let error = match self.once(request, read) {
                Ok(reply) => return Ok(reply),
                Err(Unanswered::Call(error)) if error.fault == CallFault::Stopped => {
                    return Err(Unanswered::Stopped);
                }
                Err(Unanswered::Call(error)) if error.fault.passes() && tries_left > 0 => error,
                Err(other) => return Err(other),
            };
            let wait = error.retry_after.unwrap_or(pause);
            if wait > LONGEST_PAUSE || self.left() < wait {
                let why = match error.retry_after {
                    Some(wait) if wait > A_DAY => "it asks to wait for more than a day".to_owned(),
                    Some(wait) => format!("it asks to wait {} s", wait.as_secs_f64().ceil()),
                    None => "no time is left to ask again (`budget.run_seconds`)".to_owned(),
                };
                let message = format!("{}; {why}", error.message);
                return Err(Unanswered::Call(CallError { message, ..error }));
            }
            request.watcher.tell(&Progress::Retries {
                // What a provider says of a fault may repeat anything.
                cause: redact::redact(&error.message),
                seconds: wait.as_secs().max(1),
                tries_left: u64::from(tries_left),
            });
            (self.options.pause)(wait);
            self.wasted(wait);
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
        // Not reached: the last try returns whatever it came to.
        Err(Unanswered::Call(CallError::new(CallFault::Unreachable, "it was not asked")))
    }

    /// The tokens of a talk as it would be sent for its next turn, as they are estimated.
    pub fn tokens(&self, dialogue: &Dialogue<'_>) -> u64 {
        guessed(&provider::dialogue_body(self.options.endpoint, dialogue).to_string(), 0).question()
    }

    /// What a question costs at most, and the tokens of which.
    pub(crate) fn estimate(&self, question: &Question) -> (Spent, Usage) {
        let body = provider::body(self.options.endpoint, question).to_string();
        let usage = guessed(&body, question.max_output);
        (Spent { tokens: usage.total(), requests: 1, cost: self.cost(usage), milliseconds: 0 }, usage)
    }

    fn cost(&self, usage: Usage) -> Money {
        if self.options.endpoint.local { Money::default() } else { self.options.price.of(usage) }
    }

    /// How much of the run's time is left.
    fn left(&self) -> Duration {
        let limit = Duration::from_millis(self.options.budget.run.milliseconds);
        limit.saturating_sub(Duration::from_millis(self.claimed.get().milliseconds))
    }

    fn guessed(&self, tokens: u64) {
        if !self.replays() {
            self.estimated.set(self.estimated.get().saturating_add(tokens));
        }
    }

    fn wasted(&self, time: Duration) {
        let milliseconds = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let more = Spent { milliseconds, ..Spent::default() };
        self.spend(more, more);
    }

    /// Adds what a call took: as it counts, and as the provider counts it.
    fn spend(&self, more: Spent, claimed: Spent) {
        self.claimed.set(self.claimed.get().plus(claimed));
        if !self.replays() {
            self.spent.set(self.spent.get().plus(more));
        }
    }

    fn once<R: Counted>(&self, request: Request<'_>, read: Read<'_, R>) -> Result<R, Unanswered> {
        let CallOptions { endpoint, transport, ledger, slots, settings, .. } = self.options;
        let Request { body, max_output, items, one_object, watcher } = request;
        let timeout = Duration::from_secs(settings.timeout_seconds.max(1).into());
        let waited = Instant::now();
        let slot = slots.map(|slots| slots.take(timeout.min(self.left()))).transpose();
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
        let guess = guessed(body, max_output);
        let next = Spent { tokens: guess.total(), requests: 1, cost: self.cost(guess), milliseconds: 0 };
        let elapsed = SignedDuration::try_from(self.began.elapsed()).unwrap_or_default();
        let call = Call {
            at: self.options.now.checked_add(elapsed).unwrap_or(self.options.now),
            provider: endpoint.protocol.as_str(),
            model: endpoint.model.clone(),
            host: endpoint.host.clone(),
            local: endpoint.local,
            request_hash: provider::hash(body.as_bytes()),
            request_bytes: size(body.len()),
            items: size(items),
            estimate: next,
        };
        let claimed = self.claimed.get();
        let ticket = ledger
            .begin(&call, &|totals| self.options.budget.admit(&claimed, totals, &next))
            .map_err(|error| match error {
                LedgerError::Refused(limit) => Unanswered::Budget(limit),
                LedgerError::Failed(_) => Unanswered::Ledger(error.to_string()),
            })?;
        watcher.tell(&Progress::Asks { items: size(items), estimated_tokens: guess.question() });
        let headers = provider::headers(endpoint);
        let (limit, timeout) = match self.left() {
            left if left < timeout => ("budget.run_seconds", left),
            _ => ("model.timeout_seconds", timeout),
        };
        let post =
            Post { url: &endpoint.url, headers: &headers, body, now: call.at, timeout, one_object, watcher };
        let begin = Instant::now();
        let answered = transport.post(&post);
        let milliseconds = size(usize::try_from(begin.elapsed().as_millis()).unwrap_or(usize::MAX));
        let (hash, bytes) = match &answered {
            Ok(answered) => (Some(provider::hash(&answered.body)), size(answered.body.len())),
            Err(_) => (None, 0),
        };
        // Who reports a fault in place of a stream wrote nothing.
        let streamed = answered.as_ref().is_ok_and(|answered| {
            (200..300).contains(&answered.status) && answered.content_type.contains("event-stream")
        });
        // A server that refuses a key likes to repeat it, and one that takes it can.
        let reply = answered
            .and_then(|answered| read(&answered))
            .map(|reply| reply.without_key(endpoint))
            .map_err(|error| CallError {
                message: steering::shown(&endpoint.without_key(&error.message)),
                ..error
            });
        let usage = match &reply {
            // No question is of no tokens, and no answer of a single one.
            Ok(reply) => {
                let (mut counted, mut guessed) = (reply.usage().unwrap_or_default(), 0);
                if counted.question() == 0 {
                    (counted.input, guessed) = (guess.input, guess.input);
                }
                if counted.output <= 1 {
                    counted.output = size(reply.written());
                    guessed = guessed.saturating_add(counted.output);
                }
                self.guessed(guessed);
                counted
            }
            // A reply that was on its way may be charged, one that was refused is not.
            Err(error) if is_charged(error.fault, streamed) => {
                self.guessed(guess.total());
                guess
            }
            Err(_) => Usage::default(),
        };
        let spent =
            |usage: Usage| Spent { tokens: usage.total(), requests: 1, cost: self.cost(usage), milliseconds };
        // What the provider counts ends this run.
        let claimed = spent(usage);
        let usage = credible(usage, size(body.len()), guess.output.max(bytes));
        let counts = spent(usage);
        self.spend(counts, claimed);
        self.tell(reply.is_ok(), usage, milliseconds, watcher);
        let ended = Ended {
            outcome: reply.as_ref().map_or_else(|error| error.fault.as_str(), |_| "answered"),
            reply_hash: hash,
            reply_bytes: bytes,
            usage,
            cost: counts.cost,
            milliseconds,
        };
        ledger.end(ticket, &ended).map_err(|error| Unanswered::Ledger(error.to_string()))?;
        reply.map_err(|error| match error.fault {
            CallFault::TimedOut => Unanswered::Call(CallError {
                message: format!(
                    "{} (`{limit}`); a faster model, or less at once (`model.max_input_tokens`, `model.max_output_tokens`), may do",
                    error.message
                ),
                ..error
            }),
            _ => Unanswered::Call(error),
        })
    }
}

impl Caller<'_> {
    /// Says what a call took, as it counts.
    fn tell(&self, answered: bool, usage: Usage, milliseconds: u64, watcher: &dyn Watcher) {
        if self.replays() {
            if answered {
                self.replayed.set(self.replayed.get() + 1);
                watcher.tell(&Progress::Replayed);
            }
        } else if answered {
            watcher.tell(&Progress::Answered {
                input_tokens: usage.input,
                cache_read_tokens: usage.cache_read,
                cache_write_tokens: usage.cache_write,
                output_tokens: usage.output,
                milliseconds,
            });
        } else if usage.total() > 0 {
            watcher.tell(&Progress::Uncounted { estimated_tokens: usage.total(), milliseconds });
        }
    }
}
