//! Fills a state directory with a year of work, to measure how fast commands answer with it.
//!
//! `year_of_work STATE PROJECT` writes 10,000 tasks of a project (30 of them open), their decisions and notes, 200 topics and
//! 1,000 sessions into the database, in one transaction.

use jiff::Timestamp;
use nidra_core::ProjectId;
use nidra_memory::store::Store;
use std::error::Error;
use std::path::PathBuf;

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
    for number in 0..10_000_u32 {
        let (id, open) = (format!("task-{number}"), number % 333 == 0);
        let state = if open { "open" } else { "closed" };
        transaction.execute(
            "INSERT INTO task (project, id, goal, next_step, state, stale, created, changed) VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0, ?7)",
            (project, &id, "a goal of some words", "the next step of it", state, number % 5, number),
        )?;
        transaction.execute(
            "INSERT INTO task_decision (project, task, number, question, asked, choice, decided) VALUES (?1, ?2, 1, 'which way', 0, 'this one', 1)",
            (project, &id),
        )?;
        for note in 1..=3 {
            transaction.execute(
                "INSERT INTO task_event (project, task, number, at, kind, text) VALUES (?1, ?2, ?3, 0, 'note', 'a note')",
                (project, &id, note),
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
