//! What says how much input was consumed: cursors, seen records and the sessions' states.
//!
//! Cursors and seen records are only read here; they change with a committed run.

use super::values::{Count, CursorRecord, FilePath, SessionRecord, StoredSession, Time, TranscriptRecord};
use super::{Store, StoreError};
use crate::journal::{decode_path, encode_path};
use nidra_core::{ProjectId, SessionId};
use rusqlite::{Connection, OptionalExtension as _, Row, params};
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

/// The bytes of a record's hash that are kept: enough that two of a billion never meet.
const KEY_LENGTH: usize = 16;

impl Store {
    /// How far each transcript of a project was read.
    pub fn cursors(&self, project: &ProjectId) -> Result<BTreeMap<PathBuf, CursorRecord>, StoreError> {
        let cursors: Vec<CursorRecord> = self.read(|connection| {
            let mut statement = connection
                .prepare_cached("SELECT path, offset, line, fingerprint FROM cursor WHERE project = ?1")?;
            let rows = statement.query_map([project.as_str()], |row| {
                Ok(CursorRecord {
                    path: row.get::<_, FilePath>(0)?.0,
                    offset: row.get::<_, Count>(1)?.0,
                    line: row.get::<_, Count>(2)?.0,
                    fingerprint: row.get(3)?,
                })
            })?;
            rows.collect()
        })?;
        Ok(cursors.into_iter().map(|cursor| (cursor.path.clone(), cursor)).collect())
    }

    /// How far one transcript was read.
    pub fn cursor(&self, project: &ProjectId, path: &Path) -> Result<Option<CursorRecord>, StoreError> {
        self.read(|connection| read_cursor(connection, project, path))
    }

    /// Which of these records a committed run consumed already, by their identifiers.
    pub fn seen_among<'a>(
        &self,
        project: &ProjectId,
        records: impl IntoIterator<Item = &'a str>,
    ) -> Result<HashSet<&'a str>, StoreError> {
        self.read(|connection| {
            let mut statement =
                connection.prepare_cached("SELECT 1 FROM seen_record WHERE project = ?1 AND record = ?2")?;
            let mut seen = HashSet::new();
            for record in records {
                if statement.exists(params![project.as_str(), record_key(record)])? {
                    seen.insert(record);
                }
            }
            Ok(seen)
        })
    }

    /// How many records of a project were consumed.
    pub fn seen_count(&self, project: &ProjectId) -> Result<u64, StoreError> {
        self.read(|connection| {
            connection.query_row(
                "SELECT count(*) FROM seen_record WHERE project = ?1",
                [project.as_str()],
                |row| Ok(row.get::<_, Count>(0)?.0),
            )
        })
    }

    /// The states of a project's sessions.
    pub fn sessions(&self, project: &ProjectId) -> Result<BTreeMap<SessionId, SessionRecord>, StoreError> {
        let sessions: Vec<SessionRecord> = self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT state, reason, path, last_activity, tries, session FROM session_state WHERE project = ?1",
            )?;
            let rows = statement.query_map([project.as_str()], |row| {
                Ok(read_stored(row)?.with_key(SessionId::new(row.get::<_, String>(5)?)))
            })?;
            rows.collect()
        })?;
        Ok(sessions.into_iter().map(|session| (session.session.clone(), session)).collect())
    }

    /// Records a session's state outside of a committed run: that it ended, or that reading it failed.
    pub fn put_session(&mut self, project: &ProjectId, session: &SessionRecord) -> Result<(), StoreError> {
        self.write(|transaction| put_session(transaction, project, session))
    }

    /// What is known of the beginnings of transcripts, of all projects.
    pub fn transcripts(&self) -> Result<Vec<TranscriptRecord>, StoreError> {
        self.read(|connection| {
            let mut statement =
                connection.prepare_cached("SELECT path, directory, headless, own FROM transcript")?;
            let rows = statement.query_map([], |row| {
                Ok(TranscriptRecord {
                    path: row.get::<_, FilePath>(0)?.0,
                    directory: row.get::<_, FilePath>(1)?.0,
                    headless: row.get(2)?,
                    own: row.get(3)?,
                })
            })?;
            rows.collect()
        })
    }

    /// Remembers the beginnings of transcripts.
    pub fn put_transcripts(&mut self, transcripts: &[TranscriptRecord]) -> Result<(), StoreError> {
        if transcripts.is_empty() {
            return Ok(());
        }
        self.write(|transaction| {
            let mut statement = transaction.prepare_cached(
                "INSERT OR REPLACE INTO transcript (path, directory, headless, own) VALUES (?1, ?2, ?3, ?4)",
            )?;
            for transcript in transcripts {
                statement.execute(params![
                    FilePath(transcript.path.clone()),
                    FilePath(transcript.directory.clone()),
                    transcript.headless,
                    transcript.own,
                ])?;
            }
            Ok(())
        })
    }

    /// Forgets how often reading or judging sessions failed, of one or of all; returns those of which it was known.
    pub fn retry_sessions(
        &mut self,
        project: &ProjectId,
        session: Option<&SessionId>,
    ) -> Result<Vec<SessionId>, StoreError> {
        self.write(|transaction| {
            let mut statement = transaction.prepare_cached(
                "UPDATE session_state SET tries = 0, state = 'waiting', reason = NULL
                 WHERE project = ?1 AND tries > 0 AND session = ifnull(?2, session) RETURNING session",
            )?;
            let rows = statement
                .query_map(params![project.as_str(), session.map(SessionId::as_str)], |row| {
                    row.get::<_, String>(0).map(SessionId::new)
                })?;
            rows.collect()
        })
    }
}

/// The key of a record: a hash of its identifier.
pub(super) fn record_key(record: &str) -> [u8; KEY_LENGTH] {
    let mut key = [0; KEY_LENGTH];
    key.copy_from_slice(&blake3::hash(record.as_bytes()).as_bytes()[..KEY_LENGTH]);
    key
}

pub(super) fn read_cursor(
    connection: &Connection,
    project: &ProjectId,
    path: &Path,
) -> rusqlite::Result<Option<CursorRecord>> {
    connection
        .prepare_cached("SELECT offset, line, fingerprint FROM cursor WHERE project = ?1 AND path = ?2")?
        .query_row(params![project.as_str(), FilePath(path.into())], |row| {
            Ok(CursorRecord {
                path: path.to_owned(),
                offset: row.get::<_, Count>(0)?.0,
                line: row.get::<_, Count>(1)?.0,
                fingerprint: row.get(2)?,
            })
        })
        .optional()
}

pub(super) fn put_cursor(
    connection: &Connection,
    project: &ProjectId,
    path: &Path,
    cursor: Option<(u64, u64, &str)>,
) -> rusqlite::Result<()> {
    match cursor {
        Some((offset, line, fingerprint)) => connection
            .prepare_cached(
                "INSERT INTO cursor (project, path, offset, line, fingerprint) VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT (project, path) DO UPDATE SET offset = ?3, line = ?4, fingerprint = ?5",
            )?
            .execute(params![
                project.as_str(),
                FilePath(path.into()),
                Count(offset),
                Count(line),
                fingerprint
            ])?,
        None => connection
            .prepare_cached("DELETE FROM cursor WHERE project = ?1 AND path = ?2")?
            .execute(params![project.as_str(), FilePath(path.into())])?,
    };
    Ok(())
}

pub(super) fn read_session(
    connection: &Connection,
    project: &ProjectId,
    session: &SessionId,
) -> rusqlite::Result<Option<StoredSession>> {
    connection
        .prepare_cached(
            "SELECT state, reason, path, last_activity, tries FROM session_state
             WHERE project = ?1 AND session = ?2",
        )?
        .query_row([project.as_str(), session.as_str()], read_stored)
        .optional()
}

pub(super) fn put_session(
    connection: &Connection,
    project: &ProjectId,
    session: &SessionRecord,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO session_state (project, session, state, reason, path, last_activity, tries)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
             ON CONFLICT (project, session) DO UPDATE
             SET state = ?3, reason = ?4, path = ?5, last_activity = ?6, tries = ?7",
        )?
        .execute(params![
            project.as_str(),
            session.session.as_str(),
            session.state,
            session.reason,
            session.path.clone().map(FilePath),
            session.last_activity.map(Time),
            session.tries,
        ])?;
    Ok(())
}

pub(super) fn remove_session(
    connection: &Connection,
    project: &ProjectId,
    session: &SessionId,
) -> rusqlite::Result<()> {
    connection.execute(
        "DELETE FROM session_state WHERE project = ?1 AND session = ?2",
        [project.as_str(), session.as_str()],
    )?;
    Ok(())
}

fn read_stored(row: &Row<'_>) -> rusqlite::Result<StoredSession> {
    Ok(StoredSession {
        state: row.get(0)?,
        reason: row.get(1)?,
        path: row.get::<_, Option<FilePath>>(2)?.map(|path| encode_path(&path.0)),
        last_activity: row.get::<_, Option<Time>>(3)?.map(|time| time.0),
        tries: row.get(4)?,
    })
}

impl StoredSession {
    pub(super) fn with_key(self, session: SessionId) -> SessionRecord {
        SessionRecord {
            session,
            state: self.state,
            reason: self.reason,
            path: self.path.as_deref().map(decode_path),
            last_activity: self.last_activity,
            tries: self.tries,
        }
    }
}
