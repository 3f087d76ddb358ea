//! Tests of links: what is one, what is none, and what each says of itself.

use crate::{EntityKind, Graph, Note};
use proptest::prelude::*;

fn notes(texts: &[&str]) -> Vec<Note> {
    texts
        .iter()
        .enumerate()
        .map(|(number, text)| Note {
            topic: format!("t{number}.md"),
            text: (*text).to_owned(),
            sessions: vec![format!("s{number}")],
            active: true,
            ..Note::default()
        })
        .collect()
}

fn linked(texts: &[&str]) -> Vec<(usize, usize)> {
    Graph::of(&notes(texts)).links.iter().map(|link| (link.from, link.to)).collect()
}

#[test]
fn a_shared_ticket_or_service_links_across_sessions_and_languages() {
    let graph = Graph::of(&notes(&[
        "PAY-114: invoices were rounded twice.",
        "对账脚本的问题见 PAY-114。",
        "The cafeteria opens at noon.",
    ]));
    let [link] = graph.links.as_slice() else { panic!("{:?}", graph.links) };
    assert_eq!((link.from, link.to, link.across_sessions), (0, 1, true));
    assert_eq!(link.shared[0].kind, Some(EntityKind::Ticket));
    assert!(link.reason().starts_with("ticket PAY-114"), "{}", link.reason());
    assert_eq!(linked(&["退款服务超时是三秒。", "重启退款服务之前先停队列。"]), [(0, 1)]);
}

#[test]
fn a_shared_tool_alone_is_no_link() {
    assert_eq!(linked(&["The parser is written in Rust.", "Benchmarks need a Rust nightly."]), []);
    assert_eq!(linked(&["用 redis 存会话。", "报表缓存放 redis，过期一小时。"]), []);
}

#[test]
fn what_many_entries_share_is_no_link() {
    let texts: Vec<String> = (0..60).map(|number| format!("Rule {number}: mara owns it.")).collect();
    let mut texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    texts.push("Kitchen rota: Mara owns the plants.");
    let entry = texts.len() - 1;
    assert!(!linked(&texts).iter().any(|(_, to)| *to == entry));
}

#[test]
fn the_same_in_other_words_is_a_link_by_its_meaning() {
    let graph = Graph::of(&notes(&[
        "Rent is due on the fifth of every month.",
        "每月五号交房租。",
        "Unit tests run in parallel.",
    ]));
    let [link] = graph.links.as_slice() else { panic!("{:?}", graph.links) };
    assert_eq!((link.from, link.to), (0, 1));
    assert!(link.meaning.is_some_and(|meaning| meaning > 0.6) && link.reason().contains("alike in meaning"));
}

#[test]
fn what_is_shared_is_shown_in_whole_words_and_once() {
    let graph = Graph::of(&notes(&[
        "员工请假要提前两周申请。",
        "请假要提前两周。",
        "The backend uses TiDB.",
        "TiDB is the backend's database.",
    ]));
    let shared = |from: usize| -> Vec<&str> {
        let link = graph.links.iter().find(|link| link.from == from).unwrap();
        link.shared.iter().map(|shared| shared.words.as_str()).collect()
    };
    assert_eq!(shared(0), ["请假要提前两周"]);
    let graph = Graph::of(&notes(&[
        "Never cherry-pick into release branches.",
        "A cherry-pick needs a second look.",
    ]));
    assert!(graph.links.iter().all(|link| !link.reason().contains("cherry_pick")), "{:?}", graph.links);
    let words = shared(2);
    assert_eq!(words.iter().filter(|word| **word == "tidb").count(), 1, "{words:?}");
}

#[test]
fn relations_keep_the_words_between_and_their_time() {
    let mut notes = notes(&["Mara owns billing-api. Redis is elsewhere."]);
    notes[0].said = "2026-11-02T08:00:00Z".parse().ok();
    let graph = Graph::of(&notes);
    let [relation] = graph.relations.as_slice() else { panic!("{:?}", graph.relations) };
    assert_eq!(relation.words, "Mara owns billing-api");
    assert_eq!(graph.entities[relation.from].key, "mara");
    assert_eq!(graph.entities[relation.to].key, "billing api");
    assert_eq!(relation.since, notes[0].said);
}

proptest! {
    #[test]
    fn any_texts_give_a_whole_graph_and_the_same_again(texts in prop::collection::vec("\\PC{0,60}|(PAY-1|`a_b`|退款服务|mara owns ){1,4}", 0..20)) {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let notes = notes(&texts);
        let graph = Graph::of(&notes);
        prop_assert_eq!(&graph, &Graph::of(&notes));
        let mut members: Vec<usize> = graph.communities.iter().flat_map(|one| one.notes.clone()).collect();
        members.sort_unstable();
        prop_assert_eq!(members, (0..notes.len()).collect::<Vec<_>>());
        for link in &graph.links {
            prop_assert!(link.from < link.to && link.to < notes.len());
            prop_assert!(!link.reason().is_empty());
        }
    }
}
