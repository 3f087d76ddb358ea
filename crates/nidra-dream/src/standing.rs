//! What is known of each entry of memory, and how much speaks for it.

use crate::drift::Drift;
use crate::usage::{self, Uses};
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
pub fn weigh(
    memory: &MemoryView,
    sources: &Sources,
    uses: &Uses,
    drift: &Drift,
    now: Timestamp,
) -> Vec<Weighed> {
    let verdicts: HashMap<&EntryId, Verdict> =
        drift.entries.iter().filter_map(|entry| Some((entry.entry.as_ref()?, entry.verdict))).collect();
    let links = Links::new(memory);
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
                links: links.to(topic),
                used: usage::used(uses, names(&entry.id, &recorded), now),
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

/// An entry, and what it was before in other words.
pub(crate) fn names<'a>(
    entry: &'a EntryId,
    recorded: &[&'a RecordedSource],
) -> impl Iterator<Item = &'a EntryId> {
    let before: BTreeSet<&EntryId> = recorded
        .iter()
        .filter(|recorded| recorded.source.relation == Relation::Rewrites)
        .filter_map(|recorded| recorded.source.predecessor.as_ref())
        .collect();
    std::iter::once(entry).chain(before)
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

/// What entries link to: for each target the entries, by their number and their topic.
struct Links<'a>(HashMap<&'a str, Vec<(usize, &'a str)>>);

impl<'a> Links<'a> {
    fn new(memory: &'a MemoryView) -> Self {
        let mut links: HashMap<&str, Vec<(usize, &str)>> = HashMap::new();
        for (number, (topic, entry)) in memory.entries().enumerate() {
            for (open, close) in [("](", ")"), ("[[", "]]")] {
                for rest in entry.text.split(open).skip(1) {
                    if let Some((target, _)) = rest.split_once(close) {
                        links.entry(target).or_default().push((number, topic.path.as_str()));
                    }
                }
            }
        }
        Self(links)
    }

    /// How many entries of other topics link to a topic, by its file or by its name in double brackets.
    fn to(&self, topic: &TopicView) -> usize {
        let stem = topic.path.rsplit('/').next().unwrap_or(&topic.path).trim_end_matches(".md");
        let found: BTreeSet<usize> = [topic.path.as_str(), topic.name.as_str(), stem]
            .into_iter()
            .filter_map(|target| self.0.get(target))
            .flatten()
            .filter(|(_, from)| *from != topic.path)
            .map(|(number, _)| *number)
            .collect();
        found.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nidra_core::{EntryView, Kind};

    #[test]
    fn links_of_other_topics_count_once_for_each_entry() {
        let topic = |path: &str, name: &str, texts: &[&str]| TopicView {
            path: path.to_owned(),
            name: name.to_owned(),
            description: String::new(),
            kind: Some(Kind::Project),
            pinned: false,
            editable: true,
            modified: None,
            entries: texts
                .iter()
                .map(|text| EntryView {
                    id: EntryId::of(path, text),
                    range: 0..text.len(),
                    text: (*text).to_owned(),
                    headings: Vec::new(),
                    bullet: true,
                    active: true,
                })
                .collect(),
        };
        let memory = MemoryView {
            topics: vec![
                topic("ports.md", "端口", &["Staging is on 3001, see [itself](ports.md)."]),
                topic(
                    "a.md",
                    "a",
                    &["See [ports](ports.md) and [[端口]].", "见 [[ports]]。", "See [b](b.md)."],
                ),
            ],
            index: Vec::new(),
        };
        let links = Links::new(&memory);
        assert_eq!((links.to(&memory.topics[0]), links.to(&memory.topics[1])), (2, 0));
    }
}
