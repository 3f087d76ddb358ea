//! Working memory: tasks, topics, fragmentation, heartbeat and the line for the agent.

use crate::support::Home;
use serde_json::{Value, json};
use std::fs;
use std::process::Stdio;

fn json_of(home: &Home, arguments: &[&str]) -> Value {
    home.json(arguments)
}

/// What the client's hook says at the start of a session.
fn session_start(home: &Home) -> String {
    let payload = json!({
        "hook_event_name": "SessionStart", "source": "startup", "session_id": "33333333-3333-4333-8333-333333333333",
        "transcript_path": home.claude.join("projects/x/33333333-3333-4333-8333-333333333333.jsonl"),
        "cwd": home.work,
    });
    home.hook(payload.to_string().as_bytes()).out
}

/// The way that the skill describes, from the registration of tasks to the agent that is told.
#[test]
fn tasks_grow_stale_until_the_agent_is_told_to_rest() {
    let home = Home::new();
    for (id, goal, next) in [
        ("login", "sign in with a passkey", "write the handler"),
        ("支付回调", "支付回调要幂等", "加唯一索引"),
        ("docs", "describe the API", "outline"),
    ] {
        home.expect(0, &["task", "register", id, goal, next]);
    }
    home.expect(0, &["topic", "mark", "登录"]);
    home.expect(0, &["topic", "switch", "支付"]);
    let topics = json_of(&home, &["topic", "list"]);
    assert_eq!((&topics[0]["state"], &topics[1]["state"]), (&json!("active"), &json!("paused")));

    for round in 1..=2 {
        home.expect(0, &["heartbeat"]);
        let told = json_of(&home, &["heartbeat", "--no-round"]);
        assert_eq!(
            (&told["dream_trigger"], &told["trigger"]),
            (&json!(false), &json!("none")),
            "round {round}"
        );
    }
    let beat = json_of(&home, &["heartbeat"]);
    assert_eq!(beat["dream_trigger"], true);
    assert_eq!(beat["reasons"], json!(["backlog 3 of 3"]));
    let items = &beat["signals"][0]["items"];
    assert!(items.to_string().contains("支付回调 (stale 3): 加唯一索引"), "{items}");

    let first = session_start(&home);
    assert!(first.contains("nidra rest") && first.contains("backlog 3 of 3"), "{first}");
    assert_eq!(session_start(&home), "", "once");

    home.expect(0, &["task", "update", "login", "--advance", "write its tests"]);
    let beat = json_of(&home, &["heartbeat", "--no-round"]);
    assert_eq!(beat["dream_trigger"], false);
}

#[test]
fn the_hard_trigger_cannot_be_put_off_and_the_soft_one_can() {
    let home = Home::new();
    home.expect(3, &["heartbeat", "--tokens", "70001", "--put-off", "4"]);
    assert_eq!(json_of(&home, &["heartbeat", "--tokens", "70001"])["trigger"], "hard");
    for name in ["a", "b", "c"] {
        home.expect(0, &["topic", "mark", name]);
    }
    assert_eq!(json_of(&home, &["heartbeat", "--tokens", "1"])["trigger"], "soft");
    home.expect(0, &["heartbeat", "--tokens", "1", "--put-off", "4"]);
    assert_eq!(json_of(&home, &["heartbeat", "--tokens", "1"])["trigger"], "none");
    assert_eq!(json_of(&home, &["heartbeat", "--tokens", "70001"])["trigger"], "hard");
}

#[test]
fn decisions_wait_and_are_taken() {
    let home = Home::new();
    home.expect(0, &["task", "register", "cache", "faster pages", "measure"]);
    home.expect(0, &["task", "update", "cache", "--ask", "redis or in memory?"]);
    home.expect(0, &["task", "stale"]);
    let task = json_of(
        &home,
        &[
            "task",
            "update",
            "cache",
            "--decide",
            "in memory",
            "--reason",
            "one node",
            "--alternative",
            "redis",
        ],
    );
    let decision = &task["decisions"][0];
    assert_eq!((&decision["question"], &decision["rounds"]), (&json!("redis or in memory?"), &json!(1)));
    assert_eq!((&decision["choice"], &decision["alternatives"]), (&json!("in memory"), &json!(["redis"])));
    home.expect(2, &["task", "update", "cache", "--decide"]);
    home.expect(2, &["task", "update", "cash", "--advance"]).names(&["did you mean \"cache\"?"]);
    home.expect(2, &["task", "update", "cache"]);
    home.expect(0, &["task", "close", "cache", "done"]);
    home.expect(2, &["task", "update", "cache", "--advance"]).names(&["nidra task reopen cache"]);
    home.expect(3, &["task", "register", "cache", "again", "x"]);
    home.expect(0, &["task", "reopen", "cache"]);
    assert_eq!(json_of(&home, &["task", "show", "cache"])["events"].as_array().unwrap().len(), 5);
}

/// 200 calls at once, of which none may be lost and none may fail.
#[test]
fn two_hundred_calls_in_parallel_lose_nothing() {
    let home = Home::new();
    home.configure("[working]\nexport = true\n");
    home.expect(0, &["task", "register", "shared", "goal", "step"]);
    let children: Vec<_> = (0..200)
        .map(|number| {
            let id = format!("t{number}");
            let mut command = if number % 2 == 0 {
                home.command(&["task", "register", &id, "goal", "step"])
            } else {
                home.command(&["task", "update", "shared", "--note", &id])
            };
            command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    assert_eq!(json_of(&home, &["task", "list"]).as_array().unwrap().len(), 101);
    let events = json_of(&home, &["task", "show", "shared"])["events"].as_array().unwrap().len();
    assert_eq!(events, 101);
    let exported = fs::read_to_string(home.work.join(".dream/task-state.json")).unwrap();
    let exported: Value = serde_json::from_str(&exported).unwrap();
    assert_eq!(exported["tasks"].as_object().unwrap().len(), 101);
}

#[test]
fn files_for_other_programs_hold_tasks_topics_and_figures() {
    let home = Home::new();
    let trigger = home.root.join("apollo-trigger");
    let heartbeat = home.root.join("apollo-heartbeat.json");
    home.configure(&format!(
        "[working]\nexport = true\ntrigger_file = {trigger:?}\nheartbeat_file = {heartbeat:?}\n"
    ));
    home.expect(0, &["task", "register", "a", "goal", "step"]);
    home.expect(0, &["topic", "mark", "主题"]);
    home.expect(0, &["heartbeat", "--tokens", "1"]);
    let read = |path: &std::path::Path| -> Value {
        serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
    };
    let folder = home.work.join(".dream");
    assert_eq!(read(&folder.join("task-state.json"))["tasks"]["a"]["stale_rounds"], 1);
    assert_eq!(read(&folder.join("topic-state.json"))["current"], "主题");
    assert_eq!(read(&folder.join("metrics.json"))["signals"]["topics"]["value"], 1.0);
    assert_eq!(read(&heartbeat)["dream_trigger"], false);
    assert!(!trigger.exists());
    home.expect(0, &["heartbeat", "--tokens", "99999"]);
    assert_eq!(read(&trigger)["trigger"], "hard");

    fs::remove_file(&trigger).unwrap();
    std::os::unix::fs::symlink(home.root.join("elsewhere"), &trigger).unwrap();
    home.expect(1, &["heartbeat", "--tokens", "99999"]).names(&["a link"]);
    assert!(!home.root.join("elsewhere").exists());
}

#[test]
fn tokens_are_estimated_from_files_and_standard_input() {
    let home = Home::new();
    let file = home.work.join("a.txt");
    fs::write(&file, "hello world ".repeat(100)).unwrap();
    let tokens: usize = home.expect(0, &["tokens", "a.txt", "--model", "gpt-4o"]).out.trim().parse().unwrap();
    assert!((160..=240).contains(&tokens), "{tokens}");
    let answer = json_of(&home, &["tokens", "a.txt"]);
    assert_eq!((&answer[0]["family"], &answer[0]["bytes"]), (&json!("claude-4.7"), &json!(1200)));
    assert_eq!(answer[0]["families"].as_object().unwrap().len(), 5);
    home.expect(1, &["tokens", "none.txt"]).names(&["none.txt"]);
}

/// A file for other programs follows from a change; that it cannot be written must not have the change made twice.
#[test]
fn a_refused_export_is_a_warning_and_the_change_is_made() {
    let home = Home::new();
    home.configure("[working]\nexport = true\n");
    let elsewhere = home.root.join("elsewhere");
    std::os::unix::fs::symlink(&elsewhere, home.work.join(".dream")).unwrap();
    let calls: [&[&str]; 6] = [
        &["task", "register", "a", "goal", "step"],
        &["task", "update", "a", "--note", "x"],
        &["task", "stale"],
        &["topic", "mark", "主题"],
        &["heartbeat", "--tokens", "1"],
        &["task", "close", "a"],
    ];
    for arguments in calls {
        home.expect(0, arguments).names(&["warning", ".dream", "the change is made"]);
    }
    assert!(!elsewhere.exists());
    let task = json_of(&home, &["task", "show", "a"]);
    assert_eq!((&task["task"]["state"], &task["task"]["stale"]), (&json!("closed"), &json!(2)));

    fs::remove_file(home.work.join(".dream")).unwrap();
    home.expect(0, &["topic", "done"]);
    assert!(home.work.join(".dream/task-state.json").exists());
}

#[test]
fn a_heartbeat_whose_places_are_refused_is_no_round() {
    let home = Home::new();
    let trigger = home.root.join("trigger");
    home.configure(&format!("[working]\ntrigger_file = {trigger:?}\n"));
    home.expect(0, &["task", "register", "a", "goal", "step"]);
    std::os::unix::fs::symlink(home.root.join("elsewhere"), &trigger).unwrap();
    home.expect(1, &["heartbeat"]).names(&["a link"]);
    assert_eq!(json_of(&home, &["task", "list"])[0]["stale"], 0);
    fs::remove_file(&trigger).unwrap();
    assert_eq!(json_of(&home, &["heartbeat"])["round"], 1);
}

/// A person is shown what fits a screen and told of the rest; a program gets all of it.
#[test]
fn long_lists_are_cut_for_people_alone() {
    let home = Home::new();
    for number in 0..25 {
        let id = format!("t{number}");
        home.expect(0, &["task", "register", &id, "goal", "step"]);
        home.expect(0, &["task", "update", &id, "--decide", &format!("way {number}")]);
        home.expect(0, &["topic", "mark", &id]);
    }
    let lists: [(&[&str], usize, &str); 3] = [
        (&["task", "list"], 1, "5 more; `nidra task list --limit 0`"),
        (&["topic", "list"], 1, "5 more; `nidra topic list --limit 0`"),
        (&["decisions"], 2, "There are more; `nidra decisions --limit 0`"),
    ];
    for (arguments, lines, more) in lists {
        let with = |option: &[&'static str]| [arguments, option].concat();
        let shown = home.expect(0, arguments);
        assert_eq!(shown.out.lines().count(), 20 * lines, "{arguments:?}");
        assert!(shown.err.contains(more), "{}", shown.err);
        let all = home.expect(0, &with(&["--limit", "0"]));
        assert_eq!((all.out.lines().count(), all.err.contains("more")), (25 * lines, false), "{arguments:?}");
        assert_eq!(home.expect(0, &with(&["-n", "25"])).err, "", "{arguments:?}");
        assert_eq!(json_of(&home, arguments).as_array().unwrap().len(), 25);
        assert_eq!(json_of(&home, &with(&["-n", "3"])).as_array().unwrap().len(), 3);
    }
    for number in 0..23 {
        home.expect(0, &["task", "close", &format!("t{number}")]);
    }
    for (option, lines) in [("--closed", 20), ("--all", 20)] {
        let shown = home.expect(0, &["task", "list", option]);
        assert_eq!(shown.out.lines().count(), lines);
        assert!(shown.err.contains(&format!("`nidra task list {option} --limit 0`")), "{}", shown.err);
    }
    assert_eq!(home.expect(0, &["task", "list", "--all", "-n", "0"]).out.lines().count(), 25);
    assert_eq!(home.expect(0, &["task", "list", "--all", "-n", "1"]).out.lines().count(), 1);
}
