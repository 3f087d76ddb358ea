//! Runs that are watched and stopped while a model thinks.

use crate::program::{home, set};
use crate::server::{Act, Server};
use crate::support::{Home, PNPM};
use crate::tree;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// A model that says nothing for longer than any test lasts.
fn silent() -> Server {
    Server::start(|_, _| Act::Hang(Duration::from_secs(600)))
}

/// A dream that waits for the model.
fn dreaming(home: &Home, server: &Server) -> Child {
    let child = home
        .command(&["dream", "--engine", "model"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let limit = Instant::now() + Duration::from_secs(60);
    while server.requests().is_empty() {
        assert!(Instant::now() < limit, "the model was never asked");
        std::thread::sleep(Duration::from_millis(10));
    }
    child
}

fn events(home: &Home) -> Vec<Value> {
    let said = home.expect(0, &["events", "--json", "-n", "1000"]);
    said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_run_that_is_stopped_leaves_memory_cursors_and_a_true_record() {
    let server = silent();
    let home = home(&server, 2);
    let before = tree::words(&home.memory());
    let mut child = dreaming(&home, &server);

    let running = &home.json(&["status"])["running"];
    assert_eq!(
        (&running["process"], &running["phase"]),
        (&json!(child.id()), &json!("consolidate")),
        "{running}"
    );
    assert!(home.expect(0, &["status"]).out.contains("judging what is worth keeping"));

    let began = Instant::now();
    let stopped = home.json(&["stop"]);
    assert_eq!((&stopped["stopped"], &stopped["process"]), (&json!(true), &json!(child.id())));
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    assert_eq!(child.wait().unwrap().code(), Some(1));

    assert_eq!(tree::words(&home.memory()), before);
    assert_eq!(home.json(&["log"])[0]["state"], "stopped");
    assert!(home.json(&["sessions"]).as_array().unwrap().iter().all(|one| one["state"] == "waiting"));
    assert_eq!(home.json(&["ledger"])[0]["outcome"], "stopped");
    let last = events(&home).pop().unwrap();
    assert_eq!((&last["event"], &last["phase"]), (&json!("stopped"), &json!("consolidate")), "{last}");
    assert!(home.json(&["status"])["running"].is_null());
    // A run that was stopped is no fault, and the next one does its work.
    home.expect(0, &["doctor"]);
    home.expect(0, &["dream", "--engine", "rules"]);
    assert!(tree::words(&home.memory()).contains(PNPM.1));
}

#[test]
fn a_run_is_followed_while_it_goes_on_and_to_its_end() {
    let server = silent();
    let home = home(&server, 2);
    let mut child = dreaming(&home, &server);
    let follow = |arguments: &[&str]| {
        home.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let (words, lines) = (follow(&["status", "--follow"]), follow(&["status", "--follow", "--json"]));
    std::thread::sleep(Duration::from_secs(1));
    home.expect(0, &["stop"]);
    assert_eq!(child.wait().unwrap().code(), Some(1));
    // Both end by themselves when the run has.
    let (words, lines) = (words.wait_with_output().unwrap(), lines.wait_with_output().unwrap());
    assert!(words.status.success() && lines.status.success());
    let lines: Vec<Value> = String::from_utf8(lines.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let of = |event: &str| lines.iter().filter(|line| line["event"] == event).count();
    assert!(lines.iter().any(|line| line["phase"] == "consolidate"), "{lines:?}");
    assert_eq!((of("fired"), of("stopped")), (1, 1), "{lines:?}");
    assert!(lines.iter().any(|line| line.to_string().contains("asks")), "{lines:?}");
    let words = String::from_utf8(words.stdout).unwrap();
    assert!(words.lines().count() == lines.len(), "a line for each event: {words}");
}

#[test]
fn the_first_signal_stops_and_the_second_ends_at_once() {
    for (signal, code) in [(Signal::INT, 1), (Signal::TERM, 1), (Signal::HUP, 1)] {
        let server = silent();
        let home = home(&server, 1);
        let child = dreaming(&home, &server);
        kill_process(Pid::from_child(&child), signal).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{signal:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("stopped by the user"), "{signal:?}");
    }
    // Two signals of one kind can melt into one, so these are of two.
    let server = silent();
    let home = home(&server, 1);
    let mut child = dreaming(&home, &server);
    kill_process(Pid::from_child(&child), Signal::STOP).unwrap();
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    kill_process(Pid::from_child(&child), Signal::CONT).unwrap();
    assert!(matches!(child.wait().unwrap().code(), Some(1 | 130)));
    home.expect(0, &["dream", "--engine", "rules"]);
    assert!(tree::words(&home.memory()).contains(PNPM.1));
}

#[test]
fn a_pause_between_two_tries_is_cut_short() {
    let server = Server::start(|_, _| Act::Reply {
        status: 429,
        headers: vec![("retry-after", "50".to_owned())],
        pieces: Vec::new(),
        pause: Duration::ZERO,
    });
    let mut home = home(&server, 1);
    set(&mut home, "NIDRA_MODEL_RETRIES", "3");
    let child = dreaming(&home, &server);
    std::thread::sleep(Duration::from_millis(300));
    let began = Instant::now();
    home.expect(0, &["stop"]);
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(1));
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn events_hold_what_the_seeds_name() {
    let server = Server::saying(r#"{"batch":"BATCH","operations":[]}"#);
    let home = home(&server, 2);
    assert!(home.expect(0, &["stop"]).err.contains("No dream is running"));
    assert!(home.expect(0, &["status", "--follow"]).err.contains("No dream is running"));
    home.expect(0, &["dream", "--engine", "model"]);
    home.expect(0, &["dream", "--auto"]);
    let events = events(&home);
    let of = |name: &str| {
        events.iter().find(|event| event["event"] == name).unwrap_or_else(|| panic!("no {name}"))
    };
    assert_eq!((&of("fired")["hours_since_last"], &of("fired")["sessions"]), (&Value::Null, &json!(2)));
    let completed = of("completed");
    assert!(completed["files"].as_u64() > Some(0), "{completed}");
    let tokens = &completed["tokens"];
    let expected =
        [("input_tokens", 90), ("cache_read_tokens", 10), ("cache_write_tokens", 0), ("output_tokens", 50)];
    for (kind, count) in expected {
        assert_eq!(tokens[kind], count, "{completed}");
    }
    let skipped = of("skipped");
    assert_eq!(skipped["name"], "time");
    assert!(skipped["value"].is_string() && skipped["need"].is_string(), "{skipped}");
    let progress: Vec<_> = events.iter().filter(|event| event["event"] == "progress").collect();
    assert_eq!(
        (&progress[0]["does"], &progress[1]["does"]),
        (&json!("asks"), &json!("answered")),
        "{progress:?}"
    );
    assert!(home.expect(0, &["events"]).out.contains("completed: "));

    let metrics = home.expect(0, &["events", "--prometheus"]).out;
    let work = home.work.display();
    for line in [
        format!("nidra_runs_total{{project=\"{work}\",state=\"applied\",trigger=\"manual\"}} 1"),
        format!("nidra_skipped_total{{project=\"{work}\",gate=\"time\"}} 1"),
        format!("nidra_model_tokens_total{{project=\"{work}\",kind=\"output\"}} 50"),
        format!("nidra_run_active{{project=\"{work}\"}} 0"),
    ] {
        assert!(metrics.lines().any(|known| known == line), "{line}\n{metrics}");
    }
    // Each metric is described before its values, once.
    for name in metrics
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE "))
        .map(|rest| rest.split(' ').next().unwrap())
    {
        assert_eq!(metrics.matches(&format!("# TYPE {name} ")).count(), 1, "{name}");
    }
}

#[test]
fn a_failed_run_says_where_and_why_in_its_event() {
    let server = Server::start(|_, _| Act::plain(401, "application/json", "{}"));
    let home = home(&server, 1);
    home.expect(1, &["dream", "--engine", "model"]);
    let last = events(&home).pop().unwrap();
    assert_eq!((&last["event"], &last["phase"]), (&json!("failed"), &json!("consolidate")), "{last}");
    assert!(last["reason"].as_str().unwrap().contains("401"), "{last}");
}
