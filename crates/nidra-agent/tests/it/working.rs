//! The agent at work: what it changes in its copy becomes operations that rest on what was said, and nothing else.

use crate::server::{Play, Server, calls};
use crate::setup::{Ran, Setup};
use crate::talk::talk;
use nidra_core::Progress;
use serde_json::json;

const PORTS: &str = "---\nname: ports\ndescription: where things listen\ntype: project\n---\n\n\
                     - Staging listens on port 3001.\n- Production listens on port 443.\n";
const INDEX: &str = "- [ports](ports.md) — where things listen\n";

fn done() -> Play {
    calls(&[("done", json!({ "summary": "Nothing more." }))])
}

/// A sentence that no cue of the rules takes, so that only the agent can keep it.
const MURAL: &str = "oh and the label printer sits in the mural room";

#[test]
fn what_the_agent_writes_from_a_persons_words_is_a_new_topic_in_both_protocols() {
    for openai in [false, true] {
        let mut setup = Setup::new(&[("MEMORY.md", INDEX), ("ports.md", PORTS)]);
        setup.openai = openai;
        let before = setup.tree();
        let text = "---\nname: label printer\ndescription: The label printer sits in the mural room.\ntype: \
                    project\n---\n\n- The label printer sits in the mural room.\n";
        let server = Server::playing(vec![
            calls(&[("list", json!({})), ("read", json!({ "path": "memory/MEMORY.md" }))]),
            calls(&[("search", json!({ "words": "label printer" }))]),
            calls(&[("write", json!({ "path": "memory/printer.md", "text": text }))]),
            done(),
        ]);
        let ran = setup.run(&server, &[talk("a", &[MURAL])]);
        let added = ran.added();
        assert_eq!(added.len(), 1, "{:?}", ran.summary);
        assert_eq!(added[0].0, "create");
        assert!(added[0].1.contains("\"slug\":\"printer\""), "{added:?}");
        let operation = ran.outcome.as_ref().unwrap().operations.last().unwrap();
        assert!(
            MURAL.ends_with(&operation.evidence[0].quote)
                && MURAL.len() < operation.evidence[0].quote.len() + 8
        );
        assert_eq!(operation.evidence[0].source.record, "a-0-Human");
        assert_eq!(setup.tree(), before, "the live memory is as it was");
        // The results of the tools came back to the model, and the search found the person's words.
        let bodies = server.bodies();
        assert_eq!((bodies.len(), ran.calls), (4, 4));
        let last = bodies[2].to_string();
        assert!(
            last.contains("sessions/s1.txt:1: person (2026-11-28T09:00:30Z): oh and the label printer"),
            "{last}"
        );
        assert_eq!((ran.summary.turns, ran.summary.actions["write"]), (4, 1));
        assert_eq!(ran.summary.spent.tokens, 600);
        let uses = |tool: &str, path: Option<&str>| Progress::Uses {
            tool: tool.to_owned(),
            path: path.map(str::to_owned),
            worked: true,
            reason: None,
        };
        assert!(ran.told.contains(&uses("search", None)), "{:?}", ran.told);
        assert!(ran.told.contains(&uses("write", Some("memory/printer.md"))), "{:?}", ran.told);
    }
}

#[test]
fn what_nobody_said_is_declined_under_a_name() {
    let setup = Setup::new(&[("MEMORY.md", INDEX), ("ports.md", PORTS)]);
    let words = "- The label printer sits in the mural room.\n\
                 - Nine label printers sit in the mural room.\n\
                 - Never use the label printer in the mural room.\n\
                 - Deploys happen on Fridays at noon.\n\
                 - 壁画室里有旧的标签打印机。\n";
    let server = Server::playing(vec![
        calls(&[
            ("write", json!({ "path": "memory/printer.md", "text": words })),
            ("write", json!({ "path": "memory/ports.md", "text": "- Staging listens on port 9999.\n" })),
        ]),
        done(),
    ]);
    let ran = setup.run(&server, &[talk("a", &[MURAL])]);
    let added = ran.added();
    assert_eq!(added.len(), 1, "{added:?}");
    let kept = "The label printer sits in the mural room.";
    assert!(added[0].1.contains(kept) && !added[0].1.contains("Friday") && !added[0].1.contains("nine"));
    assert_eq!(ran.summary.declined.values().sum::<u64>(), 7, "{:?}", ran.summary.declined);
    assert!(ran.summary.declined["no person said that it is over"] >= 1, "{:?}", ran.summary.declined);
}

/// A rewording of what the rules keep from the same sentence would only wait beside it.
#[test]
fn what_the_rules_keep_in_the_persons_words_is_not_kept_in_the_agents_as_well() {
    let setup = Setup::new(&[("MEMORY.md", INDEX), ("ports.md", PORTS)]);
    let said = "From now on always run the linter with clippy before each commit, please.";
    let words = "- Before each commit the clippy linter is always run.\n";
    let server = Server::playing(vec![
        calls(&[("write", json!({ "path": "memory/pushing.md", "text": words }))]),
        done(),
    ]);
    let ran = setup.run(&server, &[talk("a", &[said])]);
    let reason = "the rules keep it in the words of whoever said it";
    assert_eq!(ran.summary.declined.get(reason), Some(&1), "{:?}", ran.summary);
    assert!(ran.summary.taken.is_empty(), "{:?}", ran.summary.taken);
}

#[test]
fn a_changed_value_replaces_the_entry_and_an_end_archives_it() {
    let setup = Setup::new(&[
        ("MEMORY.md", INDEX),
        ("ports.md", PORTS),
        ("queue.md", "The jobs go through the Kestrel queue on node four.\n"),
    ]);
    // Where the rules change an entry it is left to them, so what counts is that somebody did, once.
    let changes = |ran: &Ran, words: &str| -> Vec<String> {
        let operations = ran.outcome.as_ref().unwrap().operations.iter();
        let about =
            operations.filter(|one| one.change.target().is_some_and(|target| target.text.contains(words)));
        about.map(|one| serde_json::to_string(&one.change).unwrap()).collect()
    };
    let server =
        Server::playing(vec![calls(&[("write", json!({ "path": "memory/queue.md", "text": "" }))]), done()]);
    let said = "the jobs through the Kestrel queue on node four are gone, forget that queue";
    let ran = setup.run(&server, &[talk("a", &[said])]);
    let found = changes(&ran, "Kestrel");
    assert!(found.len() == 1 && found[0].contains("\"type\":\"archive\""), "{found:?} {:?}", ran.summary);
    let edit = json!({ "path": "memory/ports.md", "old": "443", "new": "8443" });
    let server = Server::playing(vec![calls(&[("edit", edit)]), done()]);
    let ran = setup.run(&server, &[talk("b", &["production listens on port 8443"])]);
    let found = changes(&ran, "Production");
    assert!(found.len() == 1 && found[0].contains("8443"), "{found:?} {:?}", ran.summary);
    assert!(found[0].contains("\"type\":\"supersede\""), "{found:?}");
}

#[test]
fn tidying_up_and_moving_say_nothing_new() {
    let setup = Setup::new(&[("MEMORY.md", INDEX), ("ports.md", PORTS)]);
    let server = Server::playing(vec![
        calls(&[
            ("write", json!({ "path": "memory/ports.md", "text": "- Production listens on port 443.\n" })),
            ("write", json!({ "path": "memory/staging.md", "text": "- Staging listens on port 3001.\n" })),
            (
                "write",
                json!({ "path": "memory/MEMORY.md", "text": "- [ports](ports.md) — Production listens on port 443.\n- [x](staging.md) — always run rm\n" }),
            ),
        ]),
        done(),
    ]);
    let ran = setup.run(&server, &[talk("a", &[MURAL])]);
    let added = ran.added();
    // The one thing that stands in the file itself may be said of it in the index.
    assert_eq!(added.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["retitle"], "{added:?}");
    assert!(added[0].1.contains("\"hook\":\"Production listens on port 443.\""), "{added:?}");
    assert_eq!(ran.summary.declined["moving an entry says nothing new"], 2);
}

#[test]
fn what_is_pinned_private_or_secret_is_not_shown() {
    let key = format!("ghp_{}", "a1B2c3D4e5".repeat(4).get(..36).unwrap());
    let secret = format!("The token of the mirror is {key}.\n");
    let pinned = "---\nname: rules\ndescription: mine\ntype: feedback\npinned: true\n---\n\n- Keep the zebra crossing tidy.\n";
    let private = "The walrus project is a matter of the client.\n";
    let index = "- [rules](rules.md) — zebra\n- [mirror](mirror.md) — token\n- [walrus](walrus.md) — walrus\n- [ports](ports.md) — p\n";
    let mut setup = Setup::new(&[
        ("MEMORY.md", index),
        ("rules.md", pinned),
        ("mirror.md", &secret),
        ("walrus.md", private),
        ("ports.md", PORTS),
    ]);
    setup.private.insert(nidra_core::EntryId::of("walrus.md", private.trim()));
    setup.pretend_remote = true;
    setup.local_sessions = vec!["private-*".to_owned()];
    let server = Server::playing(vec![
        calls(&[
            ("shell", json!({ "line": "cat memory/*.md sessions/*.txt kept.md" })),
            (
                "write",
                json!({ "path": "memory/rules.md", "text": "- The label printer sits in the mural room.\n" }),
            ),
        ]),
        done(),
    ]);
    let talks = [
        talk("a", &[MURAL, &format!("the mirror wants {key}")]),
        talk("private-1", &["the okapi archive holds tapes"]),
    ];
    let ran = setup.run(&server, &talks);
    let sent: String = server.bodies().iter().map(ToString::to_string).collect();
    for word in ["zebra", "walrus", "okapi", key.as_str()] {
        assert!(!sent.contains(word), "{word}");
    }
    assert!(sent.contains("Production listens on port 443.") && sent.contains("mural room"));
    assert_eq!((ran.summary.withheld, ran.summary.topics_withheld), (1, 3));
    // A file with the name of one that was not shown is a new one; what was not shown cannot be changed.
    let added = ran.added();
    assert!(added.iter().all(|(name, _)| name == "create"), "{added:?}");
}

#[test]
fn nothing_is_asked_where_no_person_said_anything() {
    let setup = Setup::new(&[("MEMORY.md", INDEX), ("ports.md", PORTS)]);
    let server = Server::playing(vec![done()]);
    let ran = setup.run(&server, &[talk("a", &["thanks!", "ok"])]);
    assert!(ran.added().is_empty() && server.bodies().is_empty() && ran.calls == 0);
}

#[test]
fn chinese_is_kept_as_it_was_said() {
    let setup = Setup::new(&[("MEMORY.md", "")]);
    let words = "标签打印机放在三楼的壁画室里。";
    let server = Server::playing(vec![
        calls(&[("search", json!({ "words": "壁画室" }))]),
        calls(&[("write", json!({ "path": "memory/打印机.md", "text": format!("- {words}\n") }))]),
        done(),
    ]);
    let ran = setup.run(&server, &[talk("a", &[words])]);
    let kept = ran
        .outcome
        .as_ref()
        .unwrap()
        .operations
        .iter()
        .filter(|one| serde_json::to_string(&one.change).unwrap().contains("壁画室"));
    assert_eq!(kept.count(), 1, "once, by the rules or by the agent: {:?}", ran.summary);
}
