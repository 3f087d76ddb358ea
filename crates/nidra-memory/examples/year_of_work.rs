//! Fills a state directory with a year of work, to measure how fast commands answer with it.
//!
//! `year_of_work STATE PROJECT` writes 10,000 tasks of a project (30 of them open), their decisions and notes, 200 topics and
//! 1,000 sessions into the database, in one transaction.

use jiff::Timestamp;
use nidra_core::ProjectId;
use nidra_memory::store::Store;
use std::error::Error;
use std::path::PathBuf;

/// Times are stored in microseconds.
const HOUR: i64 = 3_600_000_000;
const DAY: i64 = 24 * HOUR;
const YEAR: i64 = 365 * DAY;

/// 2026-12-01T00:00:00Z.
const END: i64 = 1_796_083_200_000_000;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(state), Some(project)) = (arguments.next(), arguments.next()) else {
        return Err("usage: year_of_work STATE PROJECT".into());
    };
    let (state, project) = (PathBuf::from(state), ProjectId::new(project));
    let mut store = Store::open(&state)?;
    store.put_project(&project, &state, &state, Timestamp::UNIX_EPOCH)?;
    let path = store.path().to_owned();
    drop(store);
    let mut connection = rusqlite::Connection::open(path)?;
    let transaction = connection.transaction()?;
    let project = project.as_str();
    for number in 0..10_000_i64 {
        // The year ends at the moment that the commands are told is now; a task lives for up to ten days.
        let begun = END - YEAR + number * (YEAR - 10 * DAY) / 10_000;
        let life = number * 7_919 % 240 * HOUR + HOUR;
        let (id, open) = (format!("task-{number}"), number % 333 == 0);
        let (state, ended) = if open { ("open", None) } else { ("closed", Some(begun + life)) };
        transaction.execute(
            "INSERT INTO task (project, id, goal, next_step, state, stale, created, changed, closed, since)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            (
                project,
                &id,
                "what is to be reached with it, in a sentence as people write them",
                "the next step that somebody takes, and where it begins",
                state,
                number % 5,
                begun,
                begun + life,
                ended,
                open.then_some(-(number % 5)),
            ),
        )?;
        transaction.execute(
            "INSERT INTO task_decision (project, task, number, question, asked, choice, reason, decided)
             VALUES (?1, ?2, 1, 'which of the two ways it goes', ?3, 'the first one', 'it is the shorter one', ?4)",
            (project, &id, begun, begun + life / 2),
        )?;
        for (number, at) in [(1, begun), (2, begun + life / 2), (3, begun + life)] {
            transaction.execute(
                "INSERT INTO task_event (project, task, number, at, kind, text)
                 VALUES (?1, ?2, ?3, ?4, 'note', 'what was found on the way')",
                (project, &id, number, at),
            )?;
        }
    }
    for number in 0..200_u32 {
        let state = if number == 0 { "active" } else { "done" };
        transaction.execute(
            "INSERT INTO topic (project, name, state, created, changed) VALUES (?1, ?2, ?3, 0, 0)",
            (project, format!("topic-{number}"), state),
        )?;
    }
    for number in 0..1_000_u32 {
        transaction.execute(
            "INSERT INTO session_state (project, session, state) VALUES (?1, ?2, 'used')",
            (project, format!("session-{number}")),
        )?;
    }
    Ok(transaction.commit()?)
}
