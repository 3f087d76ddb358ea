//! What is known of each entry of memory, and how much speaks for it.

use crate::drift::Drift;
use jiff::Timestamp;
use nidra_core::{Affect, EntryId, Evidence, MemoryView, TopicView, TrustRank};
use nidra_memory::store::{RecordedSource, Relation};
use nidra_rules::drift::Verdict;
use nidra_rules::importance::ladder::Standing;
use nidra_rules::importance::{self, Facts, Support};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Where entries come from, by entry.
pub type Sources = BTreeMap<EntryId, Vec<RecordedSource>>;

/// Seconds of a day.
const DAY: f64 = 86_400.0;

/// What an entry rests on: its own sources, and those of the entries whose words it gives in another form. Newest first.
pub fn sources_of<'a>(sources: &'a Sources, entry: &'a EntryId) -> Vec<&'a RecordedSource> {
    let mut found = Vec::new();
    let mut known = BTreeSet::new();
    let mut waiting = vec![entry];
    while let Some(entry) = waiting.pop() {
        if !known.insert(entry) {
            continue;
        }
        for recorded in sources.get(entry).into_iter().flatten() {
            if recorded.source.relation == Relation::Rewrites {
                waiting.extend(&recorded.source.predecessor);
            }
            found.push(recorded);
        }
    }
    found
}

/// The words that sources consist of; each record once.
pub fn evidence<'a>(sources: &[&'a RecordedSource]) -> Vec<&'a Evidence> {
    let mut known = BTreeSet::new();
    sources
        .iter()
        .flat_map(|recorded| &recorded.source.evidence)
        .filter(|evidence| known.insert((evidence.source.session.as_str(), evidence.source.record.as_str())))
        .collect()
}

/// Where an entry comes from; `None` for one that nidra did not write, even if it was said again since.
pub fn support(sources: &[&RecordedSource]) -> Option<Support> {
    if !is_own(sources) {
        return None;
    }
    let sessions: BTreeSet<&str> =
        evidence(sources).into_iter().map(|evidence| evidence.source.session.as_str()).collect();
    Some(Support {
        rank: rank(sources)?,
        sessions: sessions.len().max(1),
        affect: sources.iter().fold(Affect::default(), |sum, one| sum.union(one.source.affect)),
    })
}

/// How far an entry can be trusted: the best of its sources. `None` for one that nidra did not write: that its words were
/// said again does not make them any less their writer's own.
pub fn rank(sources: &[&RecordedSource]) -> Option<TrustRank> {
    is_own(sources).then(|| sources.iter().map(|recorded| recorded.source.rank).max()).flatten()
}

fn is_own(sources: &[&RecordedSource]) -> bool {
    sources.iter().any(|recorded| recorded.source.relation != Relation::Repeats)
}

/// When an entry was last said: the time of its newest evidence, or of the run that brought it.
pub fn last_said(sources: &[&RecordedSource]) -> Option<Timestamp> {
    sources
        .iter()
        .map(|recorded| {
            recorded
                .source
                .evidence
                .iter()
                .filter_map(|evidence| evidence.at)
                .max()
                .unwrap_or(recorded.started)
        })
        .max()
}

/// An entry of memory with what is known of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Weighed {
    /// The topic file, relative to the memory directory.
    pub path: String,
    /// The entry.
    pub entry: EntryId,
    /// Its words.
    pub text: String,
    /// Its topic can be edited.
    pub editable: bool,
    /// What is known of it.
    pub facts: Facts,
    /// When it was last said, as far as anybody knows.
    pub last_said: Option<Timestamp>,
    /// How it stands.
    pub standing: Standing,
}

/// Weighs the active entries of memory, in the order of memory.
pub fn weigh(memory: &MemoryView, sources: &Sources, drift: &Drift, now: Timestamp) -> Vec<Weighed> {
    let verdicts: HashMap<&EntryId, Verdict> =
        drift.entries.iter().filter_map(|entry| Some((entry.entry.as_ref()?, entry.verdict))).collect();
    let linking: Vec<(&str, &str)> = memory
        .entries()
        .filter(|(_, entry)| entry.text.contains("](") || entry.text.contains("[["))
        .map(|(topic, entry)| (topic.path.as_str(), entry.text.as_str()))
        .collect();
    let links: HashMap<&str, usize> =
        memory.topics.iter().map(|topic| (topic.path.as_str(), links_to(topic, &linking))).collect();
    memory
        .entries()
        .map(|(topic, entry)| {
            let recorded = sources_of(sources, &entry.id);
            let last_said = match (last_said(&recorded), is_own(&recorded)) {
                (said, true) => said,
                (said, false) => said.max(topic.modified),
            };
            let facts = Facts {
                kind: topic.kind,
                pinned: topic.pinned,
                support: support(&recorded),
                age_days: last_said.map(|said| days_between(said, now)),
                exact_things: importance::exact_things(&entry.text),
                verdict: verdicts.get(&entry.id).copied().unwrap_or(Verdict::NotCheckable),
                links: links.get(topic.path.as_str()).copied().unwrap_or_default(),
            };
            Weighed {
                path: topic.path.clone(),
                entry: entry.id.clone(),
                text: entry.text.clone(),
                editable: topic.editable,
                last_said,
                standing: standing(&facts),
                facts,
            }
        })
        .collect()
}

/// How an entry stands of which this is known.
pub fn standing(facts: &Facts) -> Standing {
    Standing {
        score: importance::score(facts),
        age_days: facts.age_days,
        kind: facts.kind,
        pinned: facts.pinned,
        own: facts.support.is_some(),
    }
}

/// The days from one moment to another; none where the first lies ahead.
pub fn days_between(said: Timestamp, now: Timestamp) -> f64 {
    (now.duration_since(said).as_secs_f64() / DAY).max(0.0)
}

/// How many entries of other topics link to a topic, by its file or by its name in double brackets; the entries come
/// with their own topic.
fn links_to(topic: &TopicView, linking: &[(&str, &str)]) -> usize {
    let stem = topic.path.rsplit('/').next().unwrap_or(&topic.path).trim_end_matches(".md");
    let marks = [format!("]({})", topic.path), format!("[[{}]]", topic.name), format!("[[{stem}]]")];
    linking
        .iter()
        .filter(|(other, text)| *other != topic.path && marks.iter().any(|mark| text.contains(mark.as_str())))
        .count()
}
