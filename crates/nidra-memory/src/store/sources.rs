//! The rows about where entries come from, and about those that were archived.

use super::values::{EntrySource, RecordedSource, Relation, Time, Tombstone};
use super::{Store, StoreError};
use jiff::Timestamp;
use nidra_core::{Affect, EntryId, Evidence, ProjectId, RunId, TrustRank};
use rusqlite::{Connection, Row, params};
use std::collections::BTreeMap;

impl Store {
    /// What the entries of a project rest on: for each the sources of all runs, newest run first.
    pub fn sources(&self, project: &ProjectId) -> Result<BTreeMap<EntryId, Vec<EntrySource>>, StoreError> {
        let recorded = self.recorded_sources(project)?;
        Ok(recorded
            .into_iter()
            .map(|(entry, sources)| (entry, sources.into_iter().map(|recorded| recorded.source).collect()))
            .collect())
    }

    /// What one entry rests on, newest run first.
    pub fn sources_of(&self, project: &ProjectId, entry: &EntryId) -> Result<Vec<EntrySource>, StoreError> {
        let recorded = self.find_sources(project, Some(entry))?.remove(entry).unwrap_or_default();
        Ok(recorded.into_iter().map(|recorded| recorded.source).collect())
    }

    /// The same as [`Store::sources`], each with the run that brought it.
    pub fn recorded_sources(
        &self,
        project: &ProjectId,
    ) -> Result<BTreeMap<EntryId, Vec<RecordedSource>>, StoreError> {
        self.find_sources(project, None)
    }

    fn find_sources(
        &self,
        project: &ProjectId,
        entry: Option<&EntryId>,
    ) -> Result<BTreeMap<EntryId, Vec<RecordedSource>>, StoreError> {
        let rows: Vec<RawSource> = self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT s.entry, s.path, s.evidence, s.rank, s.relation, s.predecessor, s.affect, r.id, r.started
                 FROM entry_source AS s JOIN run AS r ON r.id = s.run
                 WHERE s.project = ?1 AND (?2 IS NULL OR s.entry = ?2)
                 ORDER BY s.entry, r.started DESC, r.rowid DESC",
            )?;
            statement
                .query_map(params![project.as_str(), entry.map(EntryId::as_str)], read_source)?
                .collect()
        })?;
        let mut sources: BTreeMap<EntryId, Vec<RecordedSource>> = BTreeMap::new();
        for row in rows {
            let recorded = self.understand_source(row)?;
            sources.entry(recorded.source.entry.clone()).or_default().push(recorded);
        }
        Ok(sources)
    }

    fn understand_source(&self, row: RawSource) -> Result<RecordedSource, StoreError> {
        let unknown = |what: &str| self.value_error(format!("{what} of entry {}", row.entry));
        let evidence: Vec<Evidence> =
            serde_json::from_str(&row.evidence).map_err(|_| unknown("a piece of evidence"))?;
        let rank: TrustRank =
            serde_json::from_value(row.rank.clone().into()).map_err(|_| unknown("a rank"))?;
        let relation = Relation::parse(&row.relation).ok_or_else(|| unknown("a relation"))?;
        Ok(RecordedSource {
            run: RunId::new(row.run),
            started: row.started,
            source: EntrySource {
                path: row.path,
                evidence,
                rank,
                relation,
                predecessor: row.predecessor.map(EntryId::new),
                affect: Affect::parse(&row.affect),
                entry: EntryId::new(row.entry),
            },
        })
    }

    /// What was archived, newest run first.
    pub fn tombstones(&self, project: &ProjectId) -> Result<Vec<Tombstone>, StoreError> {
        let rows: Vec<(String, String, String, String)> = self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT t.entry, t.path, t.text, t.evidence FROM tombstone AS t JOIN run AS r ON r.id = t.run
                 WHERE t.project = ?1 ORDER BY r.started DESC, r.rowid DESC, t.entry",
            )?;
            let rows = statement.query_map([project.as_str()], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
            })?;
            rows.collect()
        })?;
        rows.into_iter()
            .map(|(entry, path, text, evidence)| {
                let evidence = serde_json::from_str(&evidence)
                    .map_err(|_| self.value_error(format!("a piece of evidence of tombstone {entry}")))?;
                Ok(Tombstone { entry: EntryId::new(entry), path, text, evidence })
            })
            .collect()
    }
}

struct RawSource {
    entry: String,
    path: String,
    evidence: String,
    rank: String,
    relation: String,
    predecessor: Option<String>,
    affect: String,
    run: String,
    started: Timestamp,
}

fn read_source(row: &Row<'_>) -> rusqlite::Result<RawSource> {
    Ok(RawSource {
        entry: row.get(0)?,
        path: row.get(1)?,
        evidence: row.get(2)?,
        rank: row.get(3)?,
        relation: row.get(4)?,
        predecessor: row.get(5)?,
        affect: row.get(6)?,
        run: row.get(7)?,
        started: row.get::<_, Time>(8)?.0,
    })
}

pub(super) fn put_source(
    connection: &Connection,
    project: &ProjectId,
    run: &RunId,
    source: &EntrySource,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO entry_source (project, entry, path, evidence, rank, relation, predecessor, affect, run)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
             ON CONFLICT (project, entry, run) DO UPDATE
             SET path = ?3, evidence = ?4, rank = ?5, relation = ?6, predecessor = ?7, affect = ?8",
        )?
        .execute(params![
            project.as_str(),
            source.entry.as_str(),
            source.path,
            as_json(&source.evidence)?,
            source.rank.as_str(),
            source.relation.as_str(),
            source.predecessor.as_ref().map(EntryId::as_str),
            source.affect.names().join(" "),
            run.as_str(),
        ])?;
    Ok(())
}

pub(super) fn put_tombstone(
    connection: &Connection,
    project: &ProjectId,
    run: &RunId,
    tombstone: &Tombstone,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO tombstone (project, entry, path, text, evidence, run) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT (project, entry, run) DO UPDATE SET path = ?3, text = ?4, evidence = ?5",
        )?
        .execute(params![
            project.as_str(),
            tombstone.entry.as_str(),
            tombstone.path,
            tombstone.text,
            as_json(&tombstone.evidence)?,
            run.as_str(),
        ])?;
    Ok(())
}

fn as_json(evidence: &[Evidence]) -> rusqlite::Result<String> {
    serde_json::to_string(evidence).map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))
}
