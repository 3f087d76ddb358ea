//! A rest from end to end, and what it is made of: snapshots, decisions, density, compaction, the checklist.

use crate::support::Home;
use crate::talk::Talk;
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;

/// What the client's hook tells at the start of a session.
fn session_start(home: &Home) -> String {
    let payload = json!({
        "hook_event_name": "SessionStart", "source": "startup", "session_id": "33333333-3333-4333-8333-333333333333",
        "transcript_path": home.claude.join("projects/x/33333333-3333-4333-8333-333333333333.jsonl"),
        "cwd": home.work,
    });
    home.hook(payload.to_string().as_bytes()).out
}

fn trigger(home: &Home) -> bool {
    let projects = fs::read_dir(home.state.join("projects")).unwrap().flatten();
    projects.into_iter().any(|project| project.path().join("trigger.json").exists())
}

/// A session in which a person says that a task is done, with a rule among the talk.
fn session(home: &Home) -> PathBuf {
    Talk::new(9, &home.work)
        .human("let's bring the login task to its end")
        .agent("The handler is written and its tests pass.")
        .human("From now on always deploy with `just ship`, never by hand.")
        .agent("Understood.")
        .human("the login task is finished, thanks")
        .agent("Next step: write the release notes. Should they go into the wiki or the repository?")
        .write(home);
    let folder = home.memory().parent().unwrap().to_owned();
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    files.sort_by_key(|path| fs::metadata(path).unwrap().modified().unwrap());
    files.pop().unwrap()
}

#[test]
fn a_rest_concludes_keeps_decides_and_tells_the_agent() {
    let mut home = Home::with_sessions(6);
    home.configure("[working]\ndecide = \"apply\"\n");
    session(&home);
    home.wait_hours(30);
    for (id, goal, next) in [
        ("login", "sign in with a passkey", "tests"),
        ("docs", "describe the API", "outline"),
        ("ci", "CI", "cache"),
    ] {
        home.expect(0, &["task", "register", id, goal, next]);
    }
    for _ in 0..3 {
        home.expect(0, &["heartbeat"]);
    }
    assert!(trigger(&home));
    let rest = home.json(&["rest"]);
    assert_eq!(rest["steps"], json!(["scan", "extract", "settle", "keep", "decide", "replace", "tell"]));
    assert!(!trigger(&home));
    let told = session_start(&home);
    assert!(told.contains("a rest was taken") && told.contains("context.md"), "{told}");
    assert_eq!(session_start(&home), "");

    let folder = PathBuf::from(rest["folder"].as_str().unwrap());
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    assert!(read("tasks.md").contains("docs: describe the API"));
    assert!(read("tasks.md").contains("release notes"));
    assert!(read("context.md").contains("just ship") && read("context.md").contains("outline"));
    assert!(read("entities.md").contains("| name | turns |"));
    let index = fs::read_to_string(home.memory().join("MEMORY.md")).unwrap();
    assert!(index.contains("just ship") || index.contains("pnpm"), "{index}");

    let states = |home: &Home| -> Vec<String> {
        let tasks = home.json(&["task", "list"]);
        tasks.as_array().unwrap().iter().map(|task| task["id"].as_str().unwrap().to_owned()).collect()
    };
    assert!(!states(&home).contains(&"login".to_owned()), "{rest}");
    home.expect(0, &["rest", "--undo"]);
    assert!(states(&home).contains(&"login".to_owned()));
}

#[test]
fn a_rest_that_was_stopped_goes_on_where_it_was() {
    let home = Home::new();
    home.expect(0, &["task", "register", "a", "goal", "step"]);
    home.expect(0, &["heartbeat", "--tokens", "99999"]);
    let project = fs::read_dir(home.state.join("projects")).unwrap().flatten().next().unwrap().path();
    fs::create_dir_all(project.join("rest")).unwrap();
    let progress = json!({ "begun": "2026-11-30T19:00:00Z", "done": ["scan", "extract", "settle", "keep"] });
    fs::write(project.join("rest/progress.json"), progress.to_string()).unwrap();
    let rest = home.json(&["rest"]);
    assert_eq!(rest["begun"], "2026-11-30T19:00:00Z");
    let folder = PathBuf::from(rest["folder"].as_str().unwrap());
    assert!(folder.join("context.md").exists() && !folder.join("tasks.md").exists());
    assert!(!project.join("rest/progress.json").exists() && !trigger(&home));
}

#[test]
fn nothing_is_decided_unasked() {
    let home = Home::new();
    session(&home);
    home.expect(0, &["task", "register", "login", "sign in", "tests"]);
    let rest = home.json(&["rest"]);
    let verdict = &rest["verdicts"][0];
    assert_eq!((&verdict["verdict"], &verdict["name"]), (&json!("close"), &json!("login")));
    assert_eq!(rest["applied"], json!([]));
    assert_eq!(home.json(&["task", "list"]).as_array().unwrap().len(), 1);
}

#[test]
fn the_checklist_and_the_suggestions_come_from_the_newest_session() {
    let home = Home::new();
    session(&home);
    let list = home.json(&["check", "--now"]);
    let answers = list["answers"].as_array().unwrap();
    assert_eq!(answers.len(), 5);
    assert_eq!(answers[0]["value"], 3.0);
    assert!(answers[2]["yes"].as_bool().unwrap() || answers[2]["evidence"] == json!([]));
    let found = home.json(&["task", "list", "--suggested"]);
    let of = |matter: &str| -> Vec<String> {
        let all = found["suggestions"].as_array().unwrap().iter();
        all.filter(|one| one["matter"] == matter)
            .map(|one| one["text"].as_str().unwrap().to_owned())
            .collect()
    };
    assert!(of("step").iter().any(|text| text.contains("release notes")), "{found}");
    assert!(of("decision").iter().any(|text| text.contains("wiki or the repository")), "{found}");
    assert_eq!(home.json(&["task", "list"]), json!([]), "nothing is registered unasked");
}

#[test]
fn snapshots_are_taken_daily_compared_and_put_back() {
    let mut home = Home::new();
    home.remember("MEMORY.md", "- [A](a.md) — one\n");
    home.remember("a.md", "one\n");
    home.expect(0, &["heartbeat"]);
    home.expect(0, &["heartbeat"]);
    assert_eq!(home.json(&["snapshot", "list"]).as_array().unwrap().len(), 1, "one a day");
    home.remember("a.md", "two\n");
    home.remember("b.md", "new\n");
    let changes = home.json(&["snapshot", "diff", "last"]);
    let of: Vec<_> = changes.as_array().unwrap().iter().map(|one| (&one["path"], &one["change"])).collect();
    assert_eq!(of, [(&json!("a.md"), &json!("changed")), (&json!("b.md"), &json!("added"))]);

    let put_back = home.json(&["snapshot", "restore", "last", "--file", "a.md"]);
    assert_eq!(put_back["files"], json!(["a.md"]));
    let read = |home: &Home, name: &str| fs::read_to_string(home.memory().join(name)).ok();
    assert_eq!(
        (read(&home, "a.md"), read(&home, "b.md")),
        (Some("one\n".to_owned()), Some("new\n".to_owned()))
    );
    home.expect(0, &["undo", put_back["run"].as_str().unwrap()]);
    assert_eq!(read(&home, "a.md").as_deref(), Some("two\n"));

    let all = home.json(&["snapshot", "list"]);
    let first =
        all.as_array().unwrap().iter().find(|one| one["cause"] == "daily").unwrap()["snapshot"].clone();
    home.expect(0, &["snapshot", "restore", first.as_str().unwrap()]);
    assert_eq!((read(&home, "a.md").as_deref(), read(&home, "b.md")), (Some("one\n"), None));
    home.expect(0, &["snapshot", "verify"]);
    home.expect(2, &["snapshot", "show", "nothing"]);
    home.wait_hours(24 * 9);
    home.expect(0, &["heartbeat"]);
    let causes: Vec<Value> =
        home.json(&["snapshot", "list"]).as_array().unwrap().iter().map(|one| one["cause"].clone()).collect();
    assert_eq!(causes.iter().filter(|cause| **cause == "daily").count(), 1, "{causes:?}");
}

#[test]
fn decisions_of_tasks_and_memory_name_reason_and_alternatives() {
    let home = Home::new();
    home.remember("MEMORY.md", "- [Store](store.md) — Postgres\n");
    home.remember(
        "store.md",
        "---\nname: Store\ndescription: d\ntype: project\n---\n\n- 存储决定用 Postgres，而不是 MySQL，因为需要部分索引。\n- The staging host is 10.0.0.7.\n",
    );
    home.expect(0, &["task", "register", "cache", "fast pages", "measure"]);
    let decide = [
        "task",
        "update",
        "cache",
        "--decide",
        "in memory",
        "--reason",
        "one node",
        "--alternative",
        "redis",
    ];
    home.expect(0, &decide);
    let found = home.json(&["decisions"]);
    let found = found.as_array().unwrap();
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!((&found[0]["id"], &found[0]["reason"]), (&json!("cache#1"), &json!("one node")));
    assert_eq!(found[1]["alternatives"], json!(["MySQL"]));
    assert_eq!(found[1]["reason"], "需要部分索引");
    assert_eq!(home.json(&["decisions", "postgres"]).as_array().unwrap().len(), 1);
}

#[test]
fn passages_are_ranked_and_a_session_is_compacted_beside_itself() {
    let home = Home::new();
    let path = session(&home);
    let found = home.json(&["density"]);
    let passages = found["passages"].as_array().unwrap();
    let best = passages
        .iter()
        .max_by(|a, b| a["value"].as_f64().partial_cmp(&b["value"].as_f64()).unwrap())
        .unwrap();
    assert!(best["text"].as_str().unwrap().contains("just ship"), "{best}");
    let before = fs::read(&path).unwrap();
    let out = home.root.join("out.jsonl");
    let compacted = home.json(&["compact", "--level", "session", "-o", out.to_str().unwrap()]);
    assert!(compacted["after"].as_u64().unwrap() <= compacted["before"].as_u64().unwrap());
    assert!(fs::read_to_string(&out).unwrap().contains("just ship"));
    let own = path.to_str().unwrap();
    home.expect(3, &["compact", own, "-o", own]);
    assert_eq!(fs::read(&path).unwrap(), before);
}
