//! Asking the engine, so that one session that it cannot cope with does not hold up the others.

use nidra_core::{Conversation, Engine, EngineError, EngineInput, Outcome, SessionId};

/// What the engine said about the sessions that it could cope with, on which it failed, and to which it did not come.
#[derive(Debug, Default)]
pub(crate) struct Consulted {
    /// The answers together.
    pub(crate) outcome: Outcome,
    /// The sessions on which it failed, each with the cause.
    pub(crate) failed: Vec<(SessionId, String)>,
    /// The sessions to which it did not come in this run, each with the reason; nothing is wrong with them.
    pub(crate) postponed: Vec<(SessionId, String)>,
}

/// Asks the engine about all conversations at once. Where it fails, it is asked about either half, down to the
/// sessions that are at fault alone: with one such session among n this takes some 2 log n further calls. Where it may
/// do no more, the same way finds the sessions to which it came before that.
///
/// # Errors
/// When it was stopped or cannot be reached, which is no session's fault, and when it may do nothing at all.
pub(crate) fn consult(engine: &dyn Engine, input: EngineInput<'_>) -> Result<Consulted, EngineError> {
    let mut consulted = Consulted::default();
    ask(engine, input, &mut consulted)?;
    match consulted.postponed.first() {
        Some((_, reason)) if consulted.postponed.len() == input.conversations.len() => {
            Err(EngineError::Exhausted(reason.clone()))
        }
        _ => Ok(consulted),
    }
}

fn ask(engine: &dyn Engine, input: EngineInput<'_>, consulted: &mut Consulted) -> Result<(), EngineError> {
    let error = match engine.dream(input) {
        Ok(outcome) => {
            consulted.outcome.extend(outcome);
            return Ok(());
        }
        Err(error @ (EngineError::Stopped(_) | EngineError::Unavailable(_))) => return Err(error),
        Err(error) => error,
    };
    match input.conversations {
        // An input without a session has nobody to blame.
        [] | [Conversation { session: None, .. }] => Err(error),
        [Conversation { session: Some(session), .. }] => {
            match error {
                EngineError::Exhausted(reason) => consulted.postponed.push((session.clone(), reason)),
                EngineError::Failed(cause)
                | EngineError::Stopped(cause)
                | EngineError::Unavailable(cause) => consulted.failed.push((session.clone(), cause)),
            }
            Ok(())
        }
        conversations => {
            let (earlier, later) = conversations.split_at(conversations.len() / 2);
            ask(engine, EngineInput { conversations: earlier, ..input }, consulted)?;
            ask(engine, EngineInput { conversations: later, ..input }, consulted)
        }
    }
}
