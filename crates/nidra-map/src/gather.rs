//! What is known of memory, put together.

use crate::waiting::{self, Places};
use crate::{Community, Contradiction, Drift, Entity, Entry, Left, Link, Map, Quote, Run, VERSION};
use jiff::Timestamp;
use nidra_core::text::redact::{Scope, redact_in};
use nidra_core::text::width;
use nidra_core::{EntryId, Evidence, MemoryView, ProjectId, Speaker};
use nidra_dream::drift;
use nidra_dream::kept::KeptPlan;
use nidra_dream::lookup::{self, Place};
use nidra_dream::standing::{self, Sources};
use nidra_dream::usage::Uses;
use nidra_graph::{EntityKind, Graph, Note, layout};
use nidra_memory::directory::MemoryDirectory;
use nidra_memory::store::{PlanRecord, Relation, RunRecord, RunState, TaskRecord};
use nidra_rules::drift::Verdict;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Quotations of an entry that the map holds.
const QUOTES: usize = 5;
/// UTF-16 units of a quotation.
const QUOTE_UNITS: usize = 360;
/// UTF-16 units of an entry.
const ENTRY_UNITS: usize = 1_200;
/// Dreams that the map can go back to.
const RUNS: usize = 400;
/// Entities that the map holds.
const ENTITIES: usize = 400;
/// Entries of an entity that the map holds.
const HOLDERS: usize = 200;
/// How little speaks for an entry that left memory.
const GONE: f64 = 0.1;

/// What is known of one project.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// The project.
    pub project: &'a ProjectId,
    /// What a person calls it.
    pub name: &'a str,
    /// Its memory.
    pub memory: &'a MemoryDirectory,
    /// Where entries come from.
    pub sources: &'a Sources,
    /// How often its entries were used.
    pub uses: &'a Uses,
    /// Memory held against the checkout.
    pub drift: &'a drift::Drift,
    /// Its runs.
    pub runs: &'a [RunRecord],
    /// Its plans in whatever state.
    pub plans: &'a [(PlanRecord, KeptPlan)],
    /// Its open tasks.
    pub tasks: &'a [TaskRecord],
    /// Entries that are left out.
    pub hidden: &'a BTreeSet<EntryId>,
    /// What is taken out of words.
    pub scope: Scope,
}

/// The map of projects at this moment.
pub fn gather(projects: &[Known<'_>], title: &str, now: Timestamp) -> Map {
    gather_with_graph(projects, title, now).0
}

/// The map of projects at this moment, and the graph that it was made of; both number entries alike.
pub fn gather_with_graph(projects: &[Known<'_>], title: &str, now: Timestamp) -> (Map, Graph) {
    let runs = runs(projects);
    let mut map = Map {
        version: VERSION,
        title: title.to_owned(),
        made: now,
        projects: projects.iter().map(|project| project.name.to_owned()).collect(),
        ..Map::default()
    };
    let mut notes = Vec::new();
    for (number, project) in projects.iter().enumerate() {
        let start = map.entries.len();
        let places: Vec<Place> = lookup::places(project.memory)
            .into_iter()
            .filter(|place| !project.hidden.contains(&place.entry))
            .collect();
        let at: HashMap<&EntryId, usize> =
            places.iter().enumerate().map(|(at, place)| (&place.entry, start + at)).collect();
        let view = project.memory.view();
        let modified: HashMap<&str, Option<Timestamp>> =
            view.topics.iter().map(|topic| (topic.path.as_str(), topic.modified)).collect();
        let weights = importances(project, &view, now);
        for place in &places {
            let (mut entry, note) =
                entry(project, number, place, modified.get(place.topic.as_str()).copied().flatten(), &runs);
            entry.importance =
                weights.get(&place.entry).copied().unwrap_or(if place.active { 0.3 } else { GONE });
            entry.took_the_place_of = predecessors(project, &place.entry, &at);
            map.entries.push(entry);
            notes.push(note);
        }
        for entry in &project.drift.entries {
            let Some(held) = entry.entry.as_ref().and_then(|entry| at.get(entry)) else { continue };
            if matches!(entry.verdict, Verdict::Stale | Verdict::Moved) {
                map.entries[*held].drift = Some(astray(entry, project.scope));
            }
        }
        let waiting = waiting::of(project, number, &Places { at: &at, scope: project.scope });
        for (left, right, plan) in waiting.contradictions {
            for (one, other) in [(left, right), (right, left)] {
                map.entries[one].contradicts.push(Contradiction { entry: other, plan: plan.clone() });
            }
        }
        for (entry, plan) in waiting.changes {
            map.entries[entry].waits = Some(plan);
        }
        map.loops.extend(waiting.loops);
    }
    map.runs = runs;
    let graph = Graph::of(&notes);
    connect(&mut map, &graph);
    (map, graph)
}

/// Links, communities, entities and places.
fn connect(map: &mut Map, graph: &Graph) {
    let weights: Vec<f64> = map.entries.iter().map(|entry| entry.importance).collect();
    let layout = layout::place(&graph.communities, &weights);
    for (number, (community, disc)) in graph.communities.iter().zip(&layout.discs).enumerate() {
        map.communities.push(Community {
            names: community.names.clone(),
            size: community.notes.len(),
            x: rounded(disc.at.x),
            y: rounded(disc.at.y),
            radius: rounded(disc.radius),
        });
        for note in &community.notes {
            if let (Some(entry), Some(point)) = (map.entries.get_mut(*note), layout.points.get(*note)) {
                (entry.community, entry.x, entry.y) = (number, rounded(point.x), rounded(point.y));
            }
        }
    }
    map.links = graph
        .links
        .iter()
        .map(|link| Link {
            from: link.from,
            to: link.to,
            strength: (link.strength * 100.0).round() / 100.0,
            reason: link.reason(),
            across_sessions: link.across_sessions,
            across_projects: link.across_projects,
        })
        .collect();
    map.entities = graph
        .entities
        .iter()
        .filter(|entity| entity.kind != EntityKind::Decision && entity.mentions.len() > 1)
        .take(ENTITIES)
        .map(|entity| Entity {
            kind: entity.kind.as_str(),
            name: entity.name.clone(),
            entries: entity.mentions.iter().map(|mention| mention.note).take(HOLDERS).collect(),
        })
        .collect();
}

/// A tenth of a unit is finer than any screen shows, and shorter to write.
fn rounded(value: f32) -> f32 {
    (value * 10.0).round() / 10.0
}

/// The dreams of all projects that changed memory and still count, the oldest first.
fn runs(projects: &[Known<'_>]) -> Vec<Run> {
    let mut runs: Vec<Run> = projects
        .iter()
        .enumerate()
        .flat_map(|(number, project)| project.runs.iter().map(move |run| (number, run)))
        .filter(|(_, run)| run.state == RunState::Applied && run.undone_by.is_none())
        .map(|(project, run)| Run { id: run.id.as_str().to_owned(), at: run.started, project })
        .collect();
    runs.sort_by(|left, right| (left.at, &left.id).cmp(&(right.at, &right.id)));
    let old = runs.len().saturating_sub(RUNS);
    runs.split_off(old)
}

/// How much speaks for each entry of memory.
fn importances(project: &Known<'_>, view: &MemoryView, now: Timestamp) -> BTreeMap<EntryId, f64> {
    standing::weigh(view, project.sources, project.uses, project.drift, now)
        .into_iter()
        .map(|weighed| (weighed.entry, (weighed.standing.score.total * 1_000.0).round() / 1_000.0))
        .collect()
}

fn entry(
    project: &Known<'_>,
    number: usize,
    place: &Place,
    modified: Option<Timestamp>,
    runs: &[Run],
) -> (Entry, Note) {
    let sources = standing::sources_of(project.sources, &place.entry);
    let mut evidence = standing::evidence(&sources);
    evidence.sort_by_key(|one| std::cmp::Reverse(one.at));
    let text = width::shorten(&redact_in(place.text.trim(), project.scope), ENTRY_UNITS);
    let quotes: Vec<Quote> =
        evidence.iter().take(QUOTES).map(|evidence| quote(evidence, project.scope)).collect();
    let said = standing::last_said(&sources).or(modified);
    let born =
        sources.iter().filter(|one| one.source.relation != Relation::Repeats).map(|one| &one.run).collect();
    let since = step_of(&born, runs).unwrap_or_default();
    let left = place.archived.as_ref().map(|archived| Left {
        verb: archived.verb.clone(),
        date: archived.date.clone(),
        reason: redact_in(&archived.reason, project.scope),
        replaced_by: archived.replaced_by.as_deref().map(|words| redact_in(words, project.scope)),
    });
    let until = place.archived.as_ref().map(|archived| {
        let of_run = archived.run.as_ref().and_then(|run| step_of(&BTreeSet::from([run]), runs));
        of_run.unwrap_or_else(|| step_at(&archived.date, runs)).max(since)
    });
    let gone = until.and_then(|step| runs.get(step.checked_sub(1)?)).map(|run| run.at);
    let note = Note {
        project: number,
        topic: place.topic.clone(),
        text: without_placeholders(&text),
        evidence: quotes.iter().map(|quote| without_placeholders(&quote.words)).collect(),
        sessions: quotes.iter().map(|quote| quote.session.clone()).collect(),
        said,
        left: gone,
        active: place.active,
    };
    let entry = Entry {
        id: place.entry.as_str().to_owned(),
        project: number,
        path: place.path.clone(),
        line: place.line,
        topic: place.topic.clone(),
        kind: place.kind.map(nidra_core::Kind::as_str),
        text,
        active: place.active,
        left,
        rank: standing::rank(&sources).map(nidra_core::TrustRank::as_str),
        said,
        since,
        until,
        more_evidence: evidence.len().saturating_sub(quotes.len()),
        evidence: quotes,
        ..Entry::default()
    };
    (entry, note)
}

/// The step after the first of these runs.
fn step_of(born: &BTreeSet<&nidra_core::RunId>, runs: &[Run]) -> Option<usize> {
    runs.iter().position(|run| born.iter().any(|id| id.as_str() == run.id)).map(|at| at + 1)
}

/// The step after the first dream on or after a day; the last step where there is none.
fn step_at(date: &str, runs: &[Run]) -> usize {
    let on = runs.iter().position(|run| run.at.to_string().get(..10).is_some_and(|day| day >= date));
    on.map_or(runs.len(), |at| at + 1)
}

/// Words without what stands for secrets: that two entries each held one is no link.
fn without_placeholders(text: &str) -> String {
    let mut rest = text;
    let mut clean = String::new();
    while let Some((before, after)) = rest.split_once("[redacted:") {
        clean.push_str(before);
        rest = after.split_once(']').map_or("", |(_, rest)| rest);
    }
    clean.push_str(rest);
    clean
}

fn quote(evidence: &Evidence, scope: Scope) -> Quote {
    let words = evidence.quote.split_whitespace().collect::<Vec<_>>().join(" ");
    Quote {
        speaker: match evidence.speaker {
            Speaker::Human => "you",
            Speaker::Agent => "agent",
            Speaker::Tool => "tool",
            Speaker::Subagent => "sub-agent",
            Speaker::Injected => "client",
            Speaker::Summary => "digest",
        },
        at: evidence.at,
        words: width::shorten(&redact_in(&words, scope), QUOTE_UNITS),
        session: evidence.source.session.as_str().to_owned(),
        record: evidence.source.record.clone(),
    }
}

/// The entries whose place this one took, as far as the archive has them.
fn predecessors(project: &Known<'_>, entry: &EntryId, at: &HashMap<&EntryId, usize>) -> Vec<usize> {
    let own = project.sources.get(entry).into_iter().flatten();
    let found: BTreeSet<usize> =
        own.filter_map(|recorded| at.get(recorded.source.predecessor.as_ref()?)).copied().collect();
    found.into_iter().collect()
}

fn astray(entry: &drift::EntryDrift, scope: Scope) -> Drift {
    let findings = entry
        .judgements
        .iter()
        .filter(|judgement| judgement.verdict == entry.verdict)
        .map(|judgement| {
            let hint = judgement.hint.as_ref().map(|hint| format!(": {hint}")).unwrap_or_default();
            redact_in(&format!("{} {}{hint}", judgement.kind.as_str(), judgement.anchor), scope)
        })
        .collect();
    Drift { verdict: entry.verdict.as_str(), findings }
}
