//! Room in a full index: the lines of the least important topics make way for news that is more important. The topics stay.

use crate::recurrence::feeling;
use crate::standing::{Weighed, standing};
use jiff::Timestamp;
use nidra_core::{Change, Kind, MemoryView, Operation, OperationId, TrustRank};
use nidra_memory::stage::INDEX_FULL;
use nidra_rules::drift::Verdict;
use nidra_rules::importance::{self, Facts, Support, Used};
use std::collections::{BTreeMap, BTreeSet};

/// Whether an operation was refused because the index has no room.
pub(crate) fn is_full(reason: &str) -> bool {
    reason.starts_with(INDEX_FULL)
}

/// The lines that leave the index so that these new topics find room: for each a less important topic that nidra wrote
/// itself. What is pinned, what is about the user and the user's rules, and what others wrote keeps its line.
pub(crate) fn lines(wanting: &[&Operation], memory: &MemoryView, weighed: &[Weighed]) -> Vec<Operation> {
    let mut news: Vec<f64> = wanting.iter().filter_map(|operation| newcomer(operation)).collect();
    news.sort_by(|left, right| right.total_cmp(left));
    let topics = topics(weighed);
    let mut least: Vec<(&str, &str, Topic)> = memory
        .index
        .iter()
        .filter_map(|line| {
            let [target] = line.targets.as_slice() else { return None };
            let topic = topics.get(target.as_str())?.as_ref()?;
            Some((line.text.as_str(), target.as_str(), *topic))
        })
        .collect();
    // Among equals the one goes of which nobody has spoken for longest.
    least.sort_by(|(_, _, left), (_, _, right)| {
        left.total.total_cmp(&right.total).then_with(|| left.last_said.cmp(&right.last_said))
    });
    least
        .into_iter()
        .zip(news)
        .take_while(|((_, _, topic), new)| topic.total < *new)
        .enumerate()
        .map(|(number, ((line, path, Topic { total, .. }), _))| Operation {
            id: OperationId::new(format!("demote-{}", number + 1)),
            change: Change::Unlink { line: line.to_owned() },
            kind: Kind::Project,
            rank: TrustRank::Observed,
            reason: format!(
                "the index is full, and {path} is the least important topic in it ({total:.2} of 1); the file stays"
            ),
            evidence: Vec::new(),
        })
        .collect()
}

/// The topics that made way for others and stay without a line until there is room.
pub(crate) fn own_topics(weighed: &[Weighed]) -> BTreeSet<&str> {
    topics(weighed).into_iter().filter_map(|(path, topic)| topic.map(|_| path)).collect()
}

/// How a topic stands.
#[derive(Clone, Copy, Debug, Default)]
struct Topic {
    /// As important as the most important of its entries.
    total: f64,
    /// When one of its entries was last said.
    last_said: Option<Timestamp>,
}

/// How each topic stands. `None` for those that keep their line.
fn topics(weighed: &[Weighed]) -> BTreeMap<&str, Option<Topic>> {
    let mut topics: BTreeMap<&str, Option<Topic>> = BTreeMap::new();
    for entry in weighed {
        let may_go = entry.editable && !entry.standing.needs_consent();
        let topic = topics.entry(entry.path.as_str()).or_insert_with(|| Some(Topic::default()));
        *topic = topic.filter(|_| may_go).map(|topic| Topic {
            total: topic.total.max(entry.standing.score.total),
            last_said: topic.last_said.max(entry.last_said),
        });
    }
    topics
}

/// How important a new topic is on the day on which it is said.
fn newcomer(operation: &Operation) -> Option<f64> {
    let Change::Create { topic, entries, .. } = &operation.change else { return None };
    let sessions: BTreeSet<&str> =
        operation.evidence.iter().map(|evidence| evidence.source.session.as_str()).collect();
    let facts = Facts {
        kind: Some(topic.kind),
        pinned: false,
        support: Some(Support {
            rank: operation.rank,
            sessions: sessions.len().max(1),
            affect: feeling(&operation.evidence, None),
        }),
        age_days: Some(0.0),
        exact_things: entries.iter().map(|entry| importance::exact_things(entry)).max().unwrap_or_default(),
        verdict: Verdict::NotCheckable,
        links: 0,
        used: Used::default(),
    };
    Some(standing(&facts).score.total)
}
