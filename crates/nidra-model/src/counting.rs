//! The tokens of a call: what its reply counts, what can be of that, and what is taken for them where nobody counts.

use crate::map_words;
use crate::price::Usage;
use crate::provider::{self, CallFault, Endpoint, Reply, Stop, ToolCall, Turn};
use nidra_core::text::token;

/// An estimate of tokens can be this much too low, in hundredths.
const MARGIN: u64 = 125;
/// Tokens that a provider puts into a question of its own accord, at most.
const UNSEEN: u64 = 20_000;

/// What is common to all replies: their tokens, counted or written.
pub(crate) trait Counted {
    /// The tokens as the provider counts them.
    fn usage(&self) -> Option<Usage>;
    /// The tokens of what was written, at a guess.
    fn written(&self) -> usize;
    /// The reply without the caller's own key, which a server can repeat: it goes on to reports, logs and questions.
    fn without_key(self, endpoint: &Endpoint) -> Self;
}

impl Counted for Reply {
    /// The count that stands at the end of a stream never comes where nobody waits for its end.
    fn usage(&self) -> Option<Usage> {
        let counted = self.usage?;
        let left = self.stop == Stop::CutOff && provider::is_idle(&self.text);
        Some(if left {
            Usage { output: counted.output.max(size(self.written())), ..counted }
        } else {
            counted
        })
    }

    fn written(&self) -> usize {
        token::estimate(&self.text)
    }

    fn without_key(self, endpoint: &Endpoint) -> Self {
        Self { text: endpoint.hide_key(self.text), ..self }
    }
}

impl Counted for Turn {
    fn usage(&self) -> Option<Usage> {
        self.usage
    }

    fn written(&self) -> usize {
        let calls = self.calls.iter().map(|call| token::estimate(&call.input.to_string()) + 10);
        token::estimate(&self.text) + calls.sum::<usize>()
    }

    fn without_key(self, endpoint: &Endpoint) -> Self {
        let calls = self.calls.into_iter().map(|call| ToolCall {
            id: endpoint.hide_key(call.id),
            name: endpoint.hide_key(call.name),
            input: map_words(call.input, &|words| endpoint.hide_key(words.to_owned())),
        });
        Self { text: endpoint.hide_key(self.text), calls: calls.collect(), ..self }
    }
}

/// Whether a call without a usable reply may be charged: one that was on its way, not one that was refused, or that
/// something else than a model answered.
pub(crate) fn is_charged(fault: CallFault, streamed: bool) -> bool {
    match fault {
        CallFault::TimedOut | CallFault::Stopped | CallFault::Lost | CallFault::Oversized => true,
        CallFault::Shape => false,
        _ => streamed,
    }
}

/// What can be of the tokens that a provider counts: a token is a byte at least, and what passes that is no count and would
/// use up the budgets of the days to come.
pub(crate) fn credible(usage: Usage, question_bytes: u64, output: u64) -> Usage {
    let question = question_bytes.saturating_add(UNSEEN);
    Usage {
        input: usage.input.min(question),
        cache_write: usage.cache_write.min(question),
        cache_read: usage.cache_read.min(question),
        output: usage.output.min(output),
    }
}

/// The tokens of a question and of its answer at most, as they are estimated.
pub(crate) fn guessed(body: &str, max_output: u32) -> Usage {
    let estimate = size(token::estimate(body));
    Usage { input: estimate.saturating_mul(MARGIN) / 100, output: max_output.into(), ..Usage::default() }
}

/// A length as it is counted.
pub(crate) fn size(size: usize) -> u64 {
    u64::try_from(size).unwrap_or(u64::MAX)
}
