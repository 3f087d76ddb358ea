//! What was sent where: one row for each call, written before it and completed after it, without a word of the text.

use crate::budget::{Money, Spent, Totals};
use crate::price::Usage;
use jiff::Timestamp;
use std::cell::RefCell;

/// What stands for a host that only the program knows which asks there.
pub const UNKNOWN_HOST: &str = "unknown";

/// A call that is about to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// When.
    pub at: Timestamp,
    /// The protocol: `anthropic`, `openai`.
    pub provider: &'static str,
    /// The model's identifier.
    pub model: String,
    /// The host and port that it goes to, or [`UNKNOWN_HOST`].
    pub host: String,
    /// The host is this machine.
    pub local: bool,
    /// The BLAKE3 hash of the request's body, in hexadecimal digits.
    pub request_hash: String,
    /// The size of the request's body in bytes.
    pub request_bytes: u64,
    /// How many items of evidence it holds.
    pub items: u64,
    /// What it costs at most, as it is estimated.
    pub estimate: Spent,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// `answered`, or the name of what went wrong; `ended` for a program of the user's that was not done when it ended.
    pub outcome: &'static str,
    /// The hash of the reply's body, where there was one.
    pub reply_hash: Option<String>,
    /// The size of the reply's body in bytes.
    pub reply_bytes: u64,
    /// Its tokens, as the provider counts them; as they were estimated where it does not.
    pub usage: Usage,
    /// What it cost.
    pub cost: Money,
    /// How long it took, in milliseconds.
    pub milliseconds: u64,
}

/// A row that was begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket(pub i64);

/// A call that cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// The budget does not allow it.
    #[error("{0}")]
    Refused(String),
    /// The ledger cannot be written; without it nothing is sent.
    #[error("the ledger cannot be written: {0}")]
    Failed(String),
}

/// Decides on a call by what was spent before.
pub type Admit<'a> = &'a dyn Fn(&Totals) -> Result<(), String>;

/// Where calls are written down. The budgets of the day and of the project are counted from it.
pub trait Ledger {
    /// Writes a call down with its estimate, if `admit` allows it. Reading the totals and writing the row is one step, so
    /// that two runs do not both take the last of a budget.
    ///
    /// # Errors
    /// When it is not allowed or cannot be written; the call is not made then.
    fn begin(&self, call: &Call, admit: Admit<'_>) -> Result<Ticket, LedgerError>;

    /// Writes down how it ended. A row that is never ended keeps its estimate.
    ///
    /// # Errors
    /// When it cannot be written.
    fn end(&self, ticket: Ticket, ended: &Ended) -> Result<(), LedgerError>;
}

/// A ledger in memory, for those who keep none. Its totals are those of its own rows.
#[derive(Debug, Default)]
pub struct MemoryLedger {
    rows: RefCell<Vec<(Call, Option<Ended>)>>,
}

impl MemoryLedger {
    /// The rows so far.
    pub fn rows(&self) -> Vec<(Call, Option<Ended>)> {
        self.rows.borrow().clone()
    }

    /// What its rows come to.
    pub fn spent(&self) -> Spent {
        let rows = self.rows.borrow();
        rows.iter().fold(Spent::default(), |sum, (call, ended)| sum.plus(cost(call, ended.as_ref())))
    }
}

/// What a row counts: what it came to, or its estimate while nobody knows.
fn cost(call: &Call, ended: Option<&Ended>) -> Spent {
    ended.map_or(call.estimate, |ended| Spent {
        tokens: ended.usage.total(),
        requests: 1,
        cost: ended.cost,
        milliseconds: ended.milliseconds,
    })
}

impl Ledger for MemoryLedger {
    fn begin(&self, call: &Call, admit: Admit<'_>) -> Result<Ticket, LedgerError> {
        let spent = self.spent();
        admit(&Totals { day: spent, project: spent }).map_err(LedgerError::Refused)?;
        let mut rows = self.rows.borrow_mut();
        rows.push((call.clone(), None));
        Ok(Ticket(i64::try_from(rows.len()).unwrap_or(i64::MAX) - 1))
    }

    fn end(&self, ticket: Ticket, ended: &Ended) -> Result<(), LedgerError> {
        let place = usize::try_from(ticket.0).unwrap_or(usize::MAX);
        match self.rows.borrow_mut().get_mut(place) {
            Some(row) => row.1 = Some(ended.clone()),
            None => return Err(LedgerError::Failed(format!("there is no row {}", ticket.0))),
        }
        Ok(())
    }
}
