//! The two transactions that move cursors: a committed run and its undo.

use super::forgotten::{ForgottenRecord, lift, put_forgotten, undo_forgotten};
use super::plans::{put_plan, read_plan_state, reset_plan};
use super::purging::put_purge;
use super::reading::{put_cursor, put_session, read_cursor, read_session, record_key, remove_session};
use super::runs::put_run;
use super::sources::{put_source, put_tombstone};
use super::uses::{EntryUse, put_use};
use super::values::{
    BeforeRun, CursorRecord, CursorStep, EntrySource, FileChangeRecord, PlanRecord, PlanState, PlanStep,
    RunRecord, RunState, SessionRecord, SessionStep, StoredSession, Tombstone, stored_time,
};
use super::{Store, StoreError, read_schedule, set_schedule};
use crate::journal::{decode_path, encode_path};
use crate::objects::ObjectId;
use crate::purge::Work;
use jiff::Timestamp;
use nidra_core::{ProjectId, RunId};
use rusqlite::{Transaction, params};

/// Everything that becomes true with a committed run.
#[derive(Debug, Default)]
pub struct RunEffects<'a> {
    /// How far the transcripts are read now.
    pub cursors: &'a [CursorRecord],
    /// The identifiers of the records that were consumed.
    pub seen_records: &'a [String],
    /// The sessions whose states changed.
    pub sessions: &'a [SessionRecord],
    /// What the new entries rest on, and what those rest on besides whose words were said again.
    pub provenance: Vec<&'a EntrySource>,
    /// What was archived.
    pub tombstones: Vec<&'a Tombstone>,
    /// How often entries were used in the sessions that were read.
    pub uses: &'a [EntryUse],
    /// What is to stay away from now on.
    pub forgotten: &'a [ForgottenRecord],
    /// What is to be removed from everything that is kept, once the run counts.
    pub purge: Option<&'a Work>,
    /// What may come back, by its number.
    pub lifted: &'a [i64],
    /// Plans and proposals that are new or have a new state.
    pub plans: &'a [PlanRecord],
    /// Directories of the memory directory that the run created, outermost first.
    pub directories: &'a [String],
    /// The time of the last success from now on; `None` leaves it.
    pub last_success: Option<Timestamp>,
}

/// Everything that becomes true with an undo.
#[derive(Debug, Default)]
pub struct UndoEffects {
    /// No automatic run before this; `None` leaves it.
    pub hold_until: Option<Timestamp>,
}

impl Store {
    /// Records a run as committed together with all its effects, or nothing of it.
    pub(crate) fn record_commit(
        &mut self,
        run: &RunRecord,
        changes: &[FileChangeRecord],
        effects: &RunEffects<'_>,
    ) -> Result<(), StoreError> {
        self.write(|transaction| {
            put_run(transaction, run)?;
            put_changes(transaction, &run.id, changes)?;
            let project = &run.project;
            let mut before = BeforeRun { directories: effects.directories.to_vec(), ..BeforeRun::default() };
            for cursor in effects.cursors {
                let earlier = read_cursor(transaction, project, &cursor.path)?;
                before.cursors.push(CursorStep {
                    path: encode_path(&cursor.path),
                    before: earlier.map(|cursor| (cursor.offset, cursor.line, cursor.fingerprint)),
                });
                put_cursor(
                    transaction,
                    project,
                    &cursor.path,
                    Some((cursor.offset, cursor.line, &cursor.fingerprint)),
                )?;
            }
            let mut seen = transaction.prepare_cached(
                "INSERT OR IGNORE INTO seen_record (project, record, run) VALUES (?1, ?2, ?3)",
            )?;
            for record in effects.seen_records {
                seen.execute(params![project.as_str(), record_key(record), run.id.as_str()])?;
            }
            for session in effects.sessions {
                let earlier = read_session(transaction, project, &session.session)?;
                before.sessions.push(SessionStep {
                    session: session.session.clone(),
                    before: earlier,
                    after: stored_session(session),
                });
                put_session(transaction, project, session)?;
            }
            for source in &effects.provenance {
                put_source(transaction, project, &run.id, source)?;
            }
            for tombstone in &effects.tombstones {
                put_tombstone(transaction, project, &run.id, tombstone)?;
            }
            for used in effects.uses {
                put_use(transaction, project, &run.id, used)?;
            }
            for record in effects.forgotten {
                put_forgotten(transaction, project, &run.id, record)?;
            }
            if let Some(work) = effects.purge {
                put_purge(transaction, project, &run.id, run.started, work)?;
            }
            for number in effects.lifted {
                lift(transaction, &run.id, *number)?;
            }
            for plan in effects.plans {
                let earlier = read_plan_state(transaction, project, &plan.hash)?;
                before.plans.push(PlanStep {
                    hash: plan.hash.clone(),
                    before: earlier.as_deref().and_then(PlanState::parse),
                    after: plan.state,
                });
                put_plan(transaction, project, plan, Some(&run.id))?;
            }
            if let Some(time) = effects.last_success {
                before.last_success = read_schedule(transaction, project)?.last_success;
                before.last_success_after = Some(stored_time(time));
                set_schedule(transaction, project, "last_success", Some(time))?;
                transaction.execute(
                    "UPDATE schedule SET interrupted_run = NULL WHERE project = ?1",
                    [project.as_str()],
                )?;
            }
            let before = serde_json::to_string(&before)
                .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
            transaction.execute("UPDATE run SET before = ?2 WHERE id = ?1", [run.id.as_str(), &before])?;
            Ok(())
        })
    }

    /// Records the undo of a run together with all its effects, or nothing of it.
    pub(crate) fn record_undo(
        &mut self,
        run: &RunRecord,
        target: &RunId,
        changes: &[FileChangeRecord],
        effects: &UndoEffects,
    ) -> Result<(), StoreError> {
        let before = self.before_run(target)?;
        self.write(|transaction| {
            put_run(transaction, run)?;
            put_changes(transaction, &run.id, changes)?;
            let project = &run.project;
            for step in &before.cursors {
                undo_cursor(transaction, project, step)?;
            }
            transaction.execute("DELETE FROM seen_record WHERE run = ?1", [target.as_str()])?;
            transaction.execute("DELETE FROM entry_source WHERE run = ?1", [target.as_str()])?;
            transaction.execute("DELETE FROM tombstone WHERE run = ?1", [target.as_str()])?;
            undo_forgotten(transaction, target)?;
            transaction.execute("DELETE FROM entry_use WHERE run = ?1", [target.as_str()])?;
            for step in &before.sessions {
                // A state that was set since is newer knowledge.
                if read_session(transaction, project, &step.session)?.as_ref() != Some(&step.after) {
                    continue;
                }
                match step.before.clone() {
                    Some(session) => {
                        put_session(transaction, project, &session.with_key(step.session.clone()))?;
                    }
                    None => remove_session(transaction, project, &step.session)?,
                }
            }
            for step in &before.plans {
                let state = read_plan_state(transaction, project, &step.hash)?;
                if state.as_deref() == Some(step.after.as_str()) {
                    reset_plan(transaction, project, &step.hash, step.before)?;
                }
            }
            if before.last_success_after.is_some()
                && read_schedule(transaction, project)?.last_success == before.last_success_after
            {
                set_schedule(transaction, project, "last_success", before.last_success)?;
            }
            if effects.hold_until.is_some() {
                set_schedule(transaction, project, "hold_until", effects.hold_until)?;
            }
            transaction.execute(
                "UPDATE run SET state = ?2, undone_by = ?3 WHERE id = ?1",
                [target.as_str(), RunState::Undone.as_str(), run.id.as_str()],
            )?;
            Ok(())
        })
    }
}

/// Turns a cursor back to where the run found it, but never forward: another undo may have turned it back
/// further. Records that later runs consumed are known by themselves, so they are not consumed again.
fn undo_cursor(
    transaction: &Transaction<'_>,
    project: &ProjectId,
    step: &CursorStep,
) -> rusqlite::Result<()> {
    let path = decode_path(&step.path);
    let Some(present) = read_cursor(transaction, project, &path)? else { return Ok(()) };
    match &step.before {
        Some((offset, ..)) if present.offset < *offset => Ok(()),
        Some((offset, line, fingerprint)) => {
            put_cursor(transaction, project, &path, Some((*offset, *line, fingerprint)))
        }
        None => put_cursor(transaction, project, &path, None),
    }
}

fn put_changes(
    transaction: &Transaction<'_>,
    run: &RunId,
    changes: &[FileChangeRecord],
) -> rusqlite::Result<()> {
    let mut statement = transaction.prepare_cached(
        "INSERT INTO file_change (run, position, path, before, after) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    for (position, change) in changes.iter().enumerate() {
        statement.execute(params![
            run.as_str(),
            i64::try_from(position).unwrap_or(i64::MAX),
            change.path,
            change.before.as_ref().map(ObjectId::as_str),
            change.after.as_ref().map(ObjectId::as_str),
        ])?;
    }
    Ok(())
}

fn stored_session(session: &SessionRecord) -> StoredSession {
    StoredSession {
        state: session.state.clone(),
        reason: session.reason.clone(),
        path: session.path.as_deref().map(encode_path),
        last_activity: session.last_activity.map(stored_time),
        tries: session.tries,
    }
}
