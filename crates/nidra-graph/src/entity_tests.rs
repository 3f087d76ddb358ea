//! Tests of what is found in texts.

use super::*;

fn keys(text: &str) -> Vec<(EntityKind, String)> {
    find(text).into_iter().map(|one| (one.kind, one.key)).collect()
}

#[track_caller]
fn finds(text: &str, expected: &[(EntityKind, &str)]) {
    let expected: Vec<(EntityKind, String)> =
        expected.iter().map(|(kind, key)| (*kind, (*key).to_owned())).collect();
    assert_eq!(keys(text), expected, "{text}");
}

use EntityKind::{Decision, Error, File, Name, Person, Service, Ticket, Tool};

#[test]
fn people_are_known_by_what_is_said_of_them() {
    finds("Mara owns the release checklist.", &[(Person, "mara")]);
    finds("Ask Jonas Weber before touching invoices.", &[(Person, "jonas weber")]);
    finds("@lena reviews migrations", &[(Person, "lena")]);
    finds("reports go to ops@harbour.example on Fridays", &[(Person, "ops@harbour.example")]);
    finds("退款由陈静负责。", &[(Person, "陈静")]);
    finds("发布之前先问老王", &[(Person, "老王")]);
    finds("李总要求周五前上线。", &[(Person, "李总")]);
    for nobody in [
        "The team owns it.",
        "Staging is on call.",
        "方案负责落地",
        "Vault answers on port 8200.",
        "Never ask Docker for that?",
        "高级负责",
    ] {
        assert!(keys(nobody).iter().all(|(kind, _)| *kind != Person), "{nobody}: {:?}", keys(nobody));
    }
}

#[test]
fn files_have_folders_or_endings() {
    finds("Edit src/pay/mod.rs first.", &[(File, "src/pay/mod.rs")]);
    finds("配置在config/app.yaml里。", &[(File, "config/app.yaml")]);
    finds("see ./docs/ for more", &[(File, "docs")]);
    for none in
        ["yes and/or no", "24/7 support", "client/server split", "version 1.2.3", "e.g. this", "TCP/IP"]
    {
        assert!(keys(none).iter().all(|(kind, _)| *kind != File), "{none}: {:?}", keys(none));
    }
}

#[test]
fn tickets_errors_and_names_have_their_shapes() {
    finds("PAY-114 is about E0502.", &[(Ticket, "PAY-114"), (Error, "E0502")]);
    finds("see PR 88 and #91", &[(Ticket, "#88"), (Ticket, "#91")]);
    finds("工单 2231 没关", &[(Ticket, "#2231")]);
    finds("the proxy answers HTTP 502", &[(Error, "http 502")]);
    finds("网关偶尔502错误", &[(Error, "http 502")]);
    finds("set MAX_RETRIES and retryLimit", &[(Name, "MAX_RETRIES"), (Name, "retryLimit")]);
    finds("the colour is #336699, WebSocket frames", &[]);
    finds("SHA-256 over UTF-8, as RFC-3339 says", &[]);
}

#[test]
fn services_and_tools_in_both_languages() {
    finds("billing-api talks to redis", &[(Service, "billing api"), (Tool, "redis")]);
    finds("billing service is down", &[(Service, "billing service")]);
    finds("the service is down", &[]);
    finds("先停止服务再迁移", &[]);
    finds("退款服务依赖kafka", &[(Service, "退款服务"), (Tool, "kafka")]);
    finds("db.harbour.internal:5432 is the replica", &[(Service, "db.harbour.internal:5432")]);
    finds("dashboards: https://grafana.harbour.dev/d/abc", &[(Service, "grafana.harbour.dev")]);
    finds("run `just deploy staging`", &[(Tool, "just")]);
    finds("PostgreSQL 16", &[(Tool, "postgres")]);
}

#[test]
fn decisions_are_named_by_their_words() {
    finds("We decided against sharding.", &[(Decision, "we decided against sharding.")]);
    finds("决定不用分库。", &[(Decision, "决定不用分库。")]);
    finds("Undecided so far.", &[]);
}

#[test]
fn quotations_add_what_they_name_and_never_make_an_entity_alone() {
    let note = |text: &str, quote: &str| Note {
        text: text.to_owned(),
        evidence: vec![quote.to_owned()],
        ..Note::default()
    };
    let notes = [
        note("Retries are capped at 5.", "cap retries at 5, PAY-114 was caused by that"),
        note("PAY-114 is closed.", "that one is closed, ask Kim Vance"),
    ];
    let found: Vec<Vec<Found>> = notes.iter().map(of_note).collect();
    let entities = collect(&notes, &found);
    let mentions =
        |key: &str| entities.iter().find(|entity| entity.key == key).map(|entity| &entity.mentions);
    let ticket = mentions("PAY-114").unwrap();
    assert_eq!(ticket.iter().map(|one| (one.note, one.beside)).collect::<Vec<_>>(), [(0, true), (1, false)]);
    assert_eq!(mentions("kim vance"), None);
}

#[test]
fn who_is_known_for_a_person_in_one_entry_is_one_in_all() {
    let texts = [
        "Jonas owns deploys.",
        "Deploys wait for Jonas in December.",
        "陈静负责对账",
        "差额先给陈静看",
        "Jonasson is a brand.",
    ];
    let notes: Vec<Note> =
        texts.iter().map(|text| Note { text: (*text).to_owned(), ..Note::default() }).collect();
    let graph = crate::Graph::of(&notes);
    let mentions = |key: &str| {
        let entity = graph.entities.iter().find(|entity| entity.key == key).unwrap();
        entity.mentions.iter().map(|mention| mention.note).collect::<Vec<_>>()
    };
    assert_eq!(mentions("jonas"), [0, 1]);
    assert_eq!(mentions("陈静"), [2, 3]);
}
