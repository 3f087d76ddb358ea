//! The ledger of calls in the state database, from which the budgets of the day and of the project are counted.

use crate::context::Context;
use crate::error::CliError;
use jiff::{SignedDuration, Timestamp};
use nidra_core::ProjectId;
use nidra_memory::store::{CallEnd, CallPeriods, CallTotals, ModelCall, Store};
use nidra_model::budget::{Money, Spent, Totals};
use nidra_model::ledger::{Admit, Call, Ended, Ledger, LedgerError, Ticket};
use std::cell::RefCell;

/// Days that the budget of a project is counted over.
const PROJECT_DAYS: i64 = 30;

/// The ledger in the state database.
pub(super) struct StoreLedger {
    store: RefCell<Store>,
    project: ProjectId,
    periods: CallPeriods,
}

impl StoreLedger {
    /// The ledger of a project.
    pub(super) fn open(context: &Context) -> Result<Self, CliError> {
        let store = RefCell::new(context.store()?);
        Ok(Self { store, project: context.project.id.clone(), periods: periods(context) })
    }
}

fn periods(context: &Context) -> CallPeriods {
    let now = context.now.timestamp();
    CallPeriods {
        day: context.now.start_of_day().map_or(now, |day| day.timestamp()),
        project: now.checked_sub(SignedDuration::from_hours(PROJECT_DAYS * 24)).unwrap_or(Timestamp::MIN),
    }
}

/// What was spent so far, for a preview; nothing where no database can be read.
pub(super) fn spent_before(context: &Context) -> Totals {
    let periods = periods(context);
    let Ok(store) = context.store_to_read() else { return Totals::default() };
    let since = |moment, project| store.call_totals(moment, project).map(spent).unwrap_or_default();
    Totals { day: since(periods.day, None), project: since(periods.project, Some(&context.project.id)) }
}

fn spent(totals: CallTotals) -> Spent {
    Spent {
        tokens: totals.tokens,
        requests: totals.requests,
        cost: Money(totals.cost),
        milliseconds: totals.milliseconds,
    }
}

impl Ledger for StoreLedger {
    fn begin(&self, call: &Call, admit: Admit<'_>) -> Result<Ticket, LedgerError> {
        let failed = |error: nidra_memory::store::StoreError| LedgerError::Failed(error.to_string());
        let mut store = self.store.borrow_mut();
        // The one that holds the lease; a plan is not recorded until it is applied.
        let run = store.running(&self.project).map_err(failed)?.pop();
        let row = ModelCall {
            project: self.project.clone(),
            run,
            at: call.at,
            provider: call.provider.to_owned(),
            model: call.model.clone(),
            host: call.host.clone(),
            local: call.local,
            request_hash: call.request_hash.clone(),
            request_bytes: call.request_bytes,
            items: call.items,
            end: CallEnd {
                outcome: "sent".to_owned(),
                reply_hash: None,
                reply_bytes: 0,
                input_tokens: call.estimate.tokens,
                cache_write_tokens: 0,
                cache_read_tokens: 0,
                output_tokens: 0,
                cost: call.estimate.cost.0,
                milliseconds: 0,
            },
        };
        let begun = store.begin_call(&row, self.periods, |day, project| {
            admit(&Totals { day: spent(day), project: spent(project) })
        });
        begun.map_err(failed)?.map(Ticket).map_err(LedgerError::Refused)
    }

    fn end(&self, ticket: Ticket, ended: &Ended) -> Result<(), LedgerError> {
        let end = CallEnd {
            outcome: ended.outcome.to_owned(),
            reply_hash: ended.reply_hash.clone(),
            reply_bytes: ended.reply_bytes,
            input_tokens: ended.usage.input,
            cache_write_tokens: ended.usage.cache_write,
            cache_read_tokens: ended.usage.cache_read,
            output_tokens: ended.usage.output,
            cost: ended.cost.0,
            milliseconds: ended.milliseconds,
        };
        let stored = self.store.borrow_mut().end_call(ticket.0, &end);
        stored.map_err(|error| LedgerError::Failed(error.to_string()))
    }
}
