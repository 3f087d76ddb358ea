//! More new topics than memory has room for: which of them come first.
//!
//! A first dream over a long past finds more than the index holds. In the order in which things were said the beginning of
//! the past would fill it and nothing else would be known, so what tells most for its line goes first: rules and what is
//! about the user, then what says much that the others do not.

use nidra_core::text::similarity::{terms, weight};
use nidra_core::text::width::utf16_len;
use nidra_core::{Change, Kind, MemoryView, Operation, Settings};
use nidra_memory::index::edit;
use nidra_memory::limits::{IndexLimits, IndexUse};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Puts the new topics that tell most in front where there is no room for all; all else keeps its place and its order.
pub(crate) fn most_telling_first(
    operations: Vec<Operation>,
    memory: &MemoryView,
    settings: &Settings,
) -> Vec<Operation> {
    let news: Vec<usize> =
        (0..operations.len()).filter(|at| matches!(operations[*at].change, Change::Create { .. })).collect();
    let limits = IndexLimits::from(&settings.memory);
    let lines: Vec<usize> = news.iter().map(|at| line(&operations[*at].change, &limits)).collect();
    if !is_crowded(&lines, memory, settings, &limits) {
        return operations;
    }
    let held: Vec<BTreeSet<String>> = news.iter().map(|at| held(&operations[*at].change)).collect();
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    for term in held.iter().flatten() {
        *known.entry(term).or_default() += 1;
    }
    let told = |number: usize| -> f64 {
        let told = held[number].iter().map(|term| {
            let among = known.get(term.as_str()).copied().unwrap_or(1) as f64;
            weight(term) * (1.0 + news.len() as f64 / among).ln()
        });
        told.sum::<f64>() / lines[number].max(1) as f64
    };
    let about_user = |number: usize| matches!(operations[news[number]].kind, Kind::User | Kind::Feedback);
    let mut order: Vec<(bool, f64, usize)> =
        (0..news.len()).map(|number| (about_user(number), told(number), number)).collect();
    // Among equals what was said first stays first.
    order.sort_by(|left, right| {
        Reverse(left.0).cmp(&Reverse(right.0)).then(right.1.total_cmp(&left.1)).then(left.2.cmp(&right.2))
    });
    let from: BTreeMap<usize, usize> =
        news.iter().zip(order).map(|(place, (_, _, number))| (*place, news[number])).collect();
    let mut left: Vec<Option<Operation>> = operations.into_iter().map(Some).collect();
    (0..left.len()).filter_map(|place| left[from.get(&place).copied().unwrap_or(place)].take()).collect()
}

/// Whether so many new lines are more than a run or the index takes.
fn is_crowded(lines: &[usize], memory: &MemoryView, settings: &Settings, limits: &IndexLimits) -> bool {
    let held: usize = memory.index.iter().map(|line| utf16_len(&line.text) + 1).sum();
    let index = IndexUse {
        lines: memory.index.len() + lines.len(),
        units: held + lines.iter().sum::<usize>(),
        ..IndexUse::default()
    };
    lines.len() > usize::try_from(settings.dream.max_new_topics).unwrap_or(usize::MAX) || !index.fits(limits)
}

/// How much of the index the line of a new topic takes, with its end.
fn line(change: &Change, limits: &IndexLimits) -> usize {
    let Change::Create { topic, hook, .. } = change else { return 0 };
    let line = edit::line(&format!("{}.md", topic.slug), &topic.title, hook, limits.line_units);
    utf16_len(&line) + 1
}

/// The terms that a new topic states.
fn held(change: &Change) -> BTreeSet<String> {
    change.statements().into_iter().flat_map(terms).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use nidra_core::{NewTopic, OperationId, TrustRank};

    fn add(number: usize, kind: Kind, text: &str) -> Operation {
        let topic = NewTopic {
            slug: format!("topic-{number}"),
            title: format!("Topic {number}"),
            description: text.to_owned(),
            kind,
        };
        Operation {
            id: OperationId::new(format!("op-{number}")),
            change: Change::Create { topic, entries: vec![text.to_owned()], hook: text.to_owned() },
            kind,
            rank: TrustRank::HumanVerbatim,
            reason: String::new(),
            evidence: Vec::new(),
        }
    }

    fn order(ceiling: u32) -> Vec<String> {
        let operations = vec![
            add(1, Kind::Project, "That sounds great and it is really good."),
            add(2, Kind::Project, "That is really good and it sounds great."),
            add(3, Kind::Project, "The staging queue moved to port 7443 on 2026-05-04."),
            add(4, Kind::Feedback, "Always answer in short sentences."),
        ];
        let mut settings = Settings::default();
        settings.dream.max_new_topics = ceiling;
        let memory = MemoryView { topics: Vec::new(), index: Vec::new() };
        let ordered = most_telling_first(operations, &memory, &settings);
        ordered.iter().map(|operation| operation.id.as_str().to_owned()).collect()
    }

    #[test]
    fn where_all_find_room_nothing_moves() {
        assert_eq!(order(4), ["op-1", "op-2", "op-3", "op-4"]);
    }

    #[test]
    fn where_they_do_not_rules_come_first_and_then_what_says_most() {
        assert_eq!(order(3), ["op-4", "op-3", "op-1", "op-2"]);
    }
}
