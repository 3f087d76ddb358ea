//! Tests of communities and their names.

use super::*;
use crate::Graph;

fn note(topic: &str, text: &str) -> Note {
    Note { topic: topic.to_owned(), text: text.to_owned(), active: true, ..Note::default() }
}

#[test]
fn two_cliques_with_one_bridge_are_two_communities() {
    let mut weights = BTreeMap::new();
    for base in [0, 4] {
        for left in base..base + 4 {
            for right in left + 1..base + 4 {
                weights.insert((left, right), 1.0);
            }
        }
    }
    weights.insert((3, 4), 1.0);
    let of = louvain(8, &weights);
    assert!(of[..4].iter().all(|group| *group == of[0]) && of[4..].iter().all(|group| *group == of[4]));
    assert_ne!(of[0], of[4]);
    assert_eq!(louvain(3, &BTreeMap::new()).into_iter().collect::<BTreeSet<_>>().len(), 3);
}

#[test]
fn communities_are_named_by_what_they_hold_in_both_languages() {
    let notes = [
        note("a.md", "billing-api rounds invoices down."),
        note("b.md", "billing-api retries invoices five times."),
        note("c.md", "Invoices of billing-api go out on Mondays."),
        note("d.md", "退款服务的超时是三秒。"),
        note("e.md", "退款服务先停队列再重启。"),
        note("f.md", "退款服务的日志保留三十天。"),
        note("g.md", "Lunch is at noon."),
    ];
    let graph = Graph::of(&notes);
    let names: Vec<String> = graph.communities.iter().map(|one| one.names.join(" ")).collect();
    assert_eq!(graph.communities.iter().map(|one| one.notes.len()).collect::<Vec<_>>(), [3, 3, 1]);
    assert!(names[0].contains("billing-api") && names[0].contains("invoices"), "{names:?}");
    assert!(names[1].contains("退款服务"), "{names:?}");
    assert_eq!(graph.communities[2].notes, [6]);
    assert!(names[2].is_empty());
}

#[test]
fn entries_of_one_topic_stand_together() {
    let notes = [note("plants.md", "The fern needs shade."), note("plants.md", "Cactus: twice a year.")];
    let graph = Graph::of(&notes);
    assert_eq!(graph.communities.len(), 1);
    assert_eq!(graph.communities[0].notes, [0, 1]);
}

#[test]
fn names_are_whole_words_and_no_two_say_the_same() {
    let notes = [
        note("a.md", "员工请假要提前两周。"),
        note("b.md", "请假要提前两周申请。"),
        note("c.md", "Lunch is at noon."),
    ];
    let names = &Graph::of(&notes).communities[0].names;
    // `要` may be a word of its own, so a name ends there.
    assert!(names.iter().any(|name| name == "提前两周"), "{names:?}");
    for (at, name) in names.iter().enumerate() {
        assert!(!names[at + 1..].iter().any(|other| is_part_of(name, other)), "{names:?}");
    }
}
