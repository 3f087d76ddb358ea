//! The rows about calls of models. They are a record of what left, so nothing takes them back, not even an undo.

use super::values::Time;
use super::{Store, StoreError};
use jiff::Timestamp;
use nidra_core::{ProjectId, RunId};
use rusqlite::{Connection, Row, params};

/// A call of a model, without a word of its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelCall {
    /// The project.
    pub project: ProjectId,
    /// The run, where there is one.
    pub run: Option<RunId>,
    /// When it was sent.
    pub at: Timestamp,
    /// The protocol.
    pub provider: String,
    /// The model's identifier.
    pub model: String,
    /// The host and port that it went to.
    pub host: String,
    /// The host is this machine.
    pub local: bool,
    /// The hash of the request's body.
    pub request_hash: String,
    /// The size of the request's body in bytes.
    pub request_bytes: u64,
    /// How many items of evidence it held.
    pub items: u64,
    /// How it ended.
    pub end: CallEnd,
}

/// How a call ended; before that, what it may cost at most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallEnd {
    /// `sent` until it has ended, then `answered` or the name of what went wrong.
    pub outcome: String,
    /// The hash of the reply's body, where there was one.
    pub reply_hash: Option<String>,
    /// The size of the reply's body in bytes.
    pub reply_bytes: u64,
    /// Tokens of the question that were neither kept by the provider nor had been.
    pub input_tokens: u64,
    /// Tokens of the question that the provider kept for the next one.
    pub cache_write_tokens: u64,
    /// Tokens of the question that the provider had kept.
    pub cache_read_tokens: u64,
    /// Tokens of the answer.
    pub output_tokens: u64,
    /// What it cost, in millionths of a US dollar.
    pub cost: u64,
    /// How long it took, in milliseconds.
    pub milliseconds: u64,
}

/// What calls come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallTotals {
    /// Tokens of questions and answers.
    pub tokens: u64,
    /// How many there were.
    pub requests: u64,
    /// What they cost, in millionths of a US dollar.
    pub cost: u64,
    /// How long they took, in milliseconds.
    pub milliseconds: u64,
}

/// From when on calls are counted: those of all projects, and those of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallPeriods {
    /// The beginning of the day, for all projects.
    pub day: Timestamp,
    /// The beginning of the period of a project.
    pub project: Timestamp,
}

const COLUMNS: &str = "project, run, at, provider, model, host, local, request_hash, request_bytes, items, outcome, \
                       reply_hash, reply_bytes, input_tokens, cache_write_tokens, cache_read_tokens, output_tokens, \
                       cost, milliseconds";

impl Store {
    /// Writes down a call that is about to be made, if `admit` allows it with what the day and the project came to so
    /// far. Both are one step: no other process comes in between. Returns the row's number, or why it was not allowed.
    ///
    /// # Errors
    /// When the database cannot be written; the call must not be made then.
    pub fn begin_call(
        &mut self,
        call: &ModelCall,
        periods: CallPeriods,
        admit: impl FnOnce(CallTotals, CallTotals) -> Result<(), String>,
    ) -> Result<Result<i64, String>, StoreError> {
        self.write(|transaction| {
            let day = totals(transaction, periods.day, None)?;
            let project = totals(transaction, periods.project, Some(&call.project))?;
            if let Err(reason) = admit(day, project) {
                return Ok(Err(reason));
            }
            let end = &call.end;
            transaction.execute(
                &format!(
                    "INSERT INTO model_call ({COLUMNS})
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)"
                ),
                params![
                    call.project.as_str(),
                    call.run.as_ref().map(RunId::as_str),
                    Time(call.at),
                    call.provider,
                    call.model,
                    call.host,
                    call.local,
                    call.request_hash,
                    stored(call.request_bytes),
                    stored(call.items),
                    end.outcome,
                    end.reply_hash,
                    stored(end.reply_bytes),
                    stored(end.input_tokens),
                    stored(end.cache_write_tokens),
                    stored(end.cache_read_tokens),
                    stored(end.output_tokens),
                    stored(end.cost),
                    stored(end.milliseconds),
                ],
            )?;
            Ok(Ok(transaction.last_insert_rowid()))
        })
    }

    /// Writes down how a call ended.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn end_call(&mut self, row: i64, end: &CallEnd) -> Result<(), StoreError> {
        self.write(|transaction| {
            transaction.execute(
                "UPDATE model_call SET outcome = ?2, reply_hash = ?3, reply_bytes = ?4, input_tokens = ?5,
                     cache_write_tokens = ?6, cache_read_tokens = ?7, output_tokens = ?8, cost = ?9, milliseconds = ?10
                 WHERE id = ?1",
                params![
                    row,
                    end.outcome,
                    end.reply_hash,
                    stored(end.reply_bytes),
                    stored(end.input_tokens),
                    stored(end.cache_write_tokens),
                    stored(end.cache_read_tokens),
                    stored(end.output_tokens),
                    stored(end.cost),
                    stored(end.milliseconds),
                ],
            )?;
            Ok(())
        })
    }

    /// The newest calls, newest first; those of one project where one is named.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn calls(&self, project: Option<&ProjectId>, at_most: u32) -> Result<Vec<ModelCall>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(&format!(
                "SELECT {COLUMNS} FROM model_call WHERE ?1 IS NULL OR project = ?1 ORDER BY at DESC, id DESC LIMIT ?2"
            ))?;
            statement.query_map(params![project.map(ProjectId::as_str), at_most], read_call)?.collect()
        })
    }

    /// What the calls since a moment come to; those of one project where one is named.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn call_totals(
        &self,
        since: Timestamp,
        project: Option<&ProjectId>,
    ) -> Result<CallTotals, StoreError> {
        self.read(|connection| totals(connection, since, project))
    }
}

/// A number as the database holds it; what is beyond counts as the most.
fn stored(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn number(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    Ok(u64::try_from(row.get::<_, i64>(column)?).unwrap_or_default())
}

fn totals(
    connection: &Connection,
    since: Timestamp,
    project: Option<&ProjectId>,
) -> rusqlite::Result<CallTotals> {
    // Summed here: a sum of the database's own is an error when it overflows.
    let mut statement = connection.prepare_cached(
        "SELECT input_tokens, cache_write_tokens, cache_read_tokens, output_tokens, cost, milliseconds
         FROM model_call WHERE at >= ?1 AND (?2 IS NULL OR project = ?2)",
    )?;
    let mut rows = statement.query(params![Time(since), project.map(ProjectId::as_str)])?;
    let mut sum = CallTotals::default();
    while let Some(row) = rows.next()? {
        for column in 0..4 {
            sum.tokens = sum.tokens.saturating_add(number(row, column)?);
        }
        sum.requests = sum.requests.saturating_add(1);
        sum.cost = sum.cost.saturating_add(number(row, 4)?);
        sum.milliseconds = sum.milliseconds.saturating_add(number(row, 5)?);
    }
    Ok(sum)
}

fn read_call(row: &Row<'_>) -> rusqlite::Result<ModelCall> {
    Ok(ModelCall {
        project: ProjectId::new(row.get::<_, String>(0)?),
        run: row.get::<_, Option<String>>(1)?.map(RunId::new),
        at: row.get::<_, Time>(2)?.0,
        provider: row.get(3)?,
        model: row.get(4)?,
        host: row.get(5)?,
        local: row.get(6)?,
        request_hash: row.get(7)?,
        request_bytes: number(row, 8)?,
        items: number(row, 9)?,
        end: CallEnd {
            outcome: row.get(10)?,
            reply_hash: row.get(11)?,
            reply_bytes: number(row, 12)?,
            input_tokens: number(row, 13)?,
            cache_write_tokens: number(row, 14)?,
            cache_read_tokens: number(row, 15)?,
            output_tokens: number(row, 16)?,
            cost: number(row, 17)?,
            milliseconds: number(row, 18)?,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(project: &str, at: &str, tokens: u64) -> ModelCall {
        ModelCall {
            project: ProjectId::new(project),
            run: None,
            at: at.parse().unwrap(),
            provider: "anthropic".to_owned(),
            model: "m".to_owned(),
            host: "h".to_owned(),
            local: false,
            request_hash: "r".to_owned(),
            request_bytes: 7,
            items: 1,
            end: CallEnd {
                outcome: "sent".to_owned(),
                reply_hash: None,
                reply_bytes: 0,
                input_tokens: tokens,
                cache_write_tokens: 0,
                cache_read_tokens: 0,
                output_tokens: 0,
                cost: 3,
                milliseconds: 0,
            },
        }
    }

    #[test]
    fn a_call_counts_from_before_it_was_made_and_by_its_day_and_project() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(folder.path()).unwrap();
        let periods = CallPeriods {
            day: "2026-12-01T00:00:00Z".parse().unwrap(),
            project: "2026-11-01T00:00:00Z".parse().unwrap(),
        };
        let mut seen = Vec::new();
        for (project, at, tokens) in [
            ("a", "2026-11-20T10:00:00Z", 5),
            ("a", "2026-12-01T10:00:00Z", 7),
            ("b", "2026-12-01T11:00:00Z", u64::MAX),
        ] {
            let row = store.begin_call(&call(project, at, tokens), periods, |day, project| {
                seen.push((day.tokens, project.tokens));
                Ok(())
            });
            assert!(row.unwrap().is_ok());
        }
        assert_eq!(seen, [(0, 0), (0, 5), (7, 0)]);
        let refused = store.begin_call(&call("a", "2026-12-01T12:00:00Z", 1), periods, |day, project| {
            assert!(
                day.tokens >= i64::MAX as u64
                    && project == CallTotals { tokens: 12, requests: 2, cost: 6, milliseconds: 0 }
            );
            Err("enough".to_owned())
        });
        assert_eq!(refused.unwrap(), Err("enough".to_owned()));
        assert_eq!(store.calls(None, 9).unwrap().len(), 3);
        let end = CallEnd {
            outcome: "answered".to_owned(),
            input_tokens: 6,
            ..call("a", "2026-12-01T10:00:00Z", 0).end
        };
        store.end_call(2, &end).unwrap();
        assert_eq!(store.calls(Some(&ProjectId::new("a")), 1).unwrap()[0].end, end);
        assert_eq!(store.call_totals(periods.project, Some(&ProjectId::new("a"))).unwrap().tokens, 11);
    }
}
