//! What the client calls: always exit code 0, always at once, and a dream that outlives its starter.

use crate::support::{Home, PNPM, Said, said, wait_for};
use crate::talk::{Talk, session_id, slug};
use crate::tree;
use serde_json::{Value, json};
use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// A hook's input as the client gives it.
pub(crate) fn payload(home: &Home, event: &str, session: u32) -> String {
    let transcript =
        home.claude.join("projects").join(slug(&home.work)).join(format!("{}.jsonl", session_id(session)));
    let mut fields = json!({
        "session_id": session_id(session), "transcript_path": transcript, "cwd": home.work, "hook_event_name": event,
    });
    let own = match event {
        "SessionStart" => json!({ "source": "startup", "model": "claude-opus-5-5" }),
        "Stop" => json!({
            "prompt_id": "92c9ebc0-763a-4ded-8ba0-f65dfda561da", "permission_mode": "acceptEdits",
            "effort": { "level": "medium" }, "stop_hook_active": false,
            "last_assistant_message": "完成：把返回值改成 2。", "background_tasks": [], "session_crons": [],
        }),
        _ => json!({ "prompt_id": "92c9ebc0-763a-4ded-8ba0-f65dfda561da", "reason": "other" }),
    };
    for (name, value) in own.as_object().unwrap() {
        fields[name] = value.clone();
    }
    fields.to_string()
}

/// Waits until no dream that a hook started is at work any more: such a one has the state directory for its own.
fn quiet(home: &Home) {
    let works_here = |entry: std::fs::DirEntry| {
        std::fs::read_link(entry.path().join("cwd")).is_ok_and(|place| place == home.state)
    };
    assert!(wait_for(|| !std::fs::read_dir("/proc").into_iter().flatten().flatten().any(works_here)));
}

#[track_caller]
fn silent(said: &Said) {
    assert_eq!((said.status.code(), said.out.as_str(), said.err.as_str()), (Some(0), "", ""));
}

#[test]
fn any_input_at_all_ends_well_and_says_nothing() {
    let home = Home::with_sessions(5);
    let huge = format!("{{\"session_id\":\"{}\"}}", "x".repeat(6 << 20));
    let deep = "[".repeat(200_000);
    let inputs: [&[u8]; 12] = [
        b"", b"{}", b"null", b"[]", b"not json", b"\xff\xfe\x00", b"{\"session_id\":3}", huge.as_bytes(), deep.as_bytes(),
        b"{\"session_id\":\"\",\"transcript_path\":\"\",\"cwd\":\"\",\"hook_event_name\":\"\"}",
        b"{\"session_id\":\"../../x\",\"transcript_path\":\"../x\",\"cwd\":\"relative\",\"hook_event_name\":\"Stop\"}",
        b"{\"session_id\":\"a\\u0000b\",\"transcript_path\":\"/\\u0000\",\"cwd\":\"/nowhere/\\ud83d\",\"hook_event_name\":\"SessionEnd\"}",
    ];
    for input in inputs {
        silent(&home.hook(input));
    }
    silent(&said(&mut home.command(&["hook", "some-other-agent"]), payload(&home, "Stop", 1).as_bytes()));
    assert!(!home.memory().exists());
    let names: Vec<_> = tree::files(&home.root).into_keys().filter(|name| name.contains("..")).collect();
    assert!(names.is_empty(), "{names:?}");
}

#[test]
fn pub_trg_06_a_note_is_left_and_the_hook_returns_at_once() {
    let home = Home::with_sessions(2);
    for (event, session) in [("SessionStart", 1), ("Stop", 1), ("SessionEnd", 2)] {
        let begin = Instant::now();
        silent(&home.hook(payload(&home, event, session).as_bytes()));
        // The bound is the client's patience; a debug build on a busy machine stays far below it.
        assert!(begin.elapsed() < Duration::from_millis(300), "{:?}", begin.elapsed());
    }
    let notes = tree::files(&home.state.join("spool"));
    let notes: Vec<Value> = notes
        .values()
        .flat_map(|bytes| String::from_utf8_lossy(bytes).lines().map(str::to_owned).collect::<Vec<_>>())
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_str(&line).unwrap())
        .collect();
    let seen: Vec<_> = notes
        .iter()
        .map(|note| (note["event"].as_str().unwrap(), note["session"].as_str().unwrap().to_owned()))
        .collect();
    assert_eq!(
        seen,
        [("SessionStart", session_id(1)), ("Stop", session_id(1)), ("SessionEnd", session_id(2))]
    );
    assert!(!home.state.join("nidra.db").exists(), "a hook opens no database");
    assert!(!home.memory().exists());
}

#[test]
fn pub_trg_06_a_dream_starts_when_the_gates_are_open_and_outlives_the_group_of_its_starter() {
    for event in ["Stop", "SessionEnd"] {
        let home = Home::with_sessions(6);
        let mut child = home
            .command(&["hook", "claude-code"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(payload(&home, event, 1).as_bytes()).unwrap();
        let group = rustix::process::Pid::from_child(&child);
        // The output closes with the hook: no child of its holds the client up.
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success() && output.stdout.is_empty(), "{output:?}");
        // Whether anything is left in the group does not matter; the dream is not.
        let _gone = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        assert!(
            wait_for(|| tree::words(&home.memory()).contains(PNPM.1)),
            "{event}: {:?}",
            tree::words(&home.state.join("logs"))
        );
        assert!(wait_for(|| home.json(&["log"])[0]["state"] == "applied"));
        let run = home.json(&["log"]);
        assert_eq!(run[0]["trigger"], "auto", "{run}");
        quiet(&home);
    }
}

#[test]
fn closed_gates_start_nothing() {
    let home = Home::with_sessions(4);
    // The session that just ended its turn goes on, so it does not count: four are left of five.
    for event in ["Stop", "SessionEnd", "SessionStart"] {
        silent(&home.hook(payload(&home, event, 1).as_bytes()));
    }
    std::thread::sleep(Duration::from_millis(300));
    assert!(!home.state.join("nidra.db").exists() && !home.memory().exists());
}

#[test]
fn hundreds_of_hooks_at_once_lose_no_note() {
    let mut home = Home::with_sessions(1);
    home.configure("[dream]\nmin_sessions = 1000\n");
    home.variables = vec![("NIDRA_DREAM_MIN_SESSIONS".to_owned(), "1000".to_owned())];
    std::thread::scope(|scope| {
        for thread in 0..4_u32 {
            let home = &home;
            scope.spawn(move || {
                for number in 0..25 {
                    silent(&home.hook(payload(home, "Stop", thread * 100 + number).as_bytes()));
                }
            });
        }
    });
    let words = tree::words(&home.state.join("spool"));
    for thread in 0..4_u32 {
        for number in 0..25 {
            assert!(words.contains(&session_id(thread * 100 + number)));
        }
    }
}

#[test]
fn the_next_session_is_told_once_what_a_dream_did() {
    let mut home = Home::with_sessions(5);
    silent(&home.hook(payload(&home, "SessionStart", 9).as_bytes()));
    home.expect(0, &["dream"]);
    let run = home.last_run();
    // A compaction is no start of a session, and an end shows nothing.
    let compact = payload(&home, "SessionStart", 9).replace("startup", "compact");
    silent(&home.hook(compact.as_bytes()));
    silent(&home.hook(payload(&home, "Stop", 9).as_bytes()));
    let said = home.hook(payload(&home, "SessionStart", 9).as_bytes());
    assert_eq!((said.status.code(), said.err.as_str()), (Some(0), ""));
    let output = said.json();
    let line = output["systemMessage"].as_str().unwrap();
    assert!(!line.contains('\n') && line.contains("nidra") && line.contains(&run), "{line}");
    assert_eq!(output["hookSpecificOutput"]["hookEventName"], "SessionStart");
    // The client takes 10,000 UTF-16 units; a line is far below.
    assert!(line.encode_utf16().count() <= 300);
    silent(&home.hook(payload(&home, "SessionStart", 10).as_bytes()));
    // A dream without effect tells nothing.
    home.wait_hours(30);
    home.expect(0, &["dream"]);
    silent(&home.hook(payload(&home, "SessionStart", 11).as_bytes()));
}

#[test]
fn a_line_about_a_run_that_was_taken_back_is_not_shown() {
    let mut home = Home::with_sessions(5);
    home.expect(0, &["dream"]);
    home.wait_minutes(1);
    home.expect(0, &["undo"]);
    silent(&home.hook(payload(&home, "SessionStart", 9).as_bytes()));
}

#[test]
fn pub_slf_01_hooks_below_an_own_run_and_in_switched_off_projects_leave_no_trace() {
    for (variable, settings) in [
        (Some(("NIDRA_RUN", "1")), ""),
        (Some(("NIDRA_DISABLED", "1")), ""),
        (None, "[dream]\nenabled = false\n"),
    ] {
        let mut home = Home::with_sessions(6);
        home.configure(settings);
        home.variables =
            variable.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let before = tree::exact(&home.root);
        for event in ["SessionStart", "Stop", "SessionEnd"] {
            silent(&home.hook(payload(&home, event, 1).as_bytes()));
        }
        std::thread::sleep(Duration::from_millis(100));
        tree::assert_same(&home.root, &before);
    }
}

#[test]
fn the_client_s_session_is_not_handed_on_to_the_dream() {
    let mut home = Home::with_sessions(6);
    home.variables =
        [("CLAUDECODE", "1"), ("CLAUDE_CODE_MESSAGING_TOKEN", "t0ken"), ("ANTHROPIC_API_KEY", "k3y")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .to_vec();
    silent(&home.hook(payload(&home, "SessionEnd", 1).as_bytes()));
    assert!(wait_for(|| tree::words(&home.memory()).contains(PNPM.1)));
    assert!(wait_for(|| home.json(&["log"])[0]["state"] == "applied"));
    quiet(&home);
    let state = tree::words(&home.state);
    assert!(!state.contains("t0ken") && !state.contains("k3y"));
}

#[test]
fn a_session_that_a_hook_reported_is_read_by_the_next_dream_though_it_just_ended() {
    let home = Home::with_sessions(1);
    let talk = Talk::new(40, &home.work)
        .at("2026-11-30T19:59:00Z")
        .human("Never push to the release branch without asking Marisol first.");
    talk.agent("ok").write(&home);
    silent(&home.hook(payload(&home, "SessionEnd", 40).as_bytes()));
    home.expect(0, &["dream"]);
    assert!(tree::words(&home.memory()).contains("Marisol"));
}

#[test]
fn pub_prj_10_words_of_an_agent_that_is_not_known_are_no_input() {
    let home = Home::with_sessions(6);
    let said = crate::support::said(
        &mut home.command(&["hook", "some-agent"]),
        payload(&home, "SessionEnd", 1).as_bytes(),
    );
    silent(&said);
    assert!(!home.state.join("spool").exists(), "no note of it is taken");
    // Nor is a transcript beside the client's own that no record claims for it.
    let stray = home.claude.join("projects").join("stray.jsonl");
    std::fs::write(&stray, "{\"agent\":\"other\",\"text\":\"always use bazel here\"}\n").unwrap();
    home.expect(0, &["dream"]);
    assert!(!tree::words(&home.memory()).contains("bazel"));
    let run = home.json(&["show"]);
    let sources = run["report"]["applied"].as_array().unwrap();
    assert!(!sources.is_empty());
    for operation in sources {
        assert_eq!(operation["evidence"][0]["source"]["agent"], "claude-code", "{operation}");
    }
}

#[test]
fn sessions_that_a_full_run_left_start_the_next_dream_by_hook() {
    let mut home = Home::with_sessions(20);
    home.configure("[dream]\nmax_sessions = 5\n");
    home.expect(0, &["dream"]);
    let runs = home.json(&["log"]).as_array().unwrap().len();
    home.wait_hours(30);
    // Their files are older than that dream; status says open, and so the hook has to start one.
    assert_eq!(home.json(&["status"])["open"], true);
    silent(&home.hook(payload(&home, "Stop", 1).as_bytes()));
    assert!(wait_for(|| home.json(&["log"]).as_array().unwrap().len() > runs));
    quiet(&home);
}

/// What a hook of this event adds for the agent.
fn told(home: &Home, event: &str, session: u32, prompt: &str) -> Option<String> {
    let mut fields: Value = serde_json::from_str(&payload(home, event, session)).unwrap();
    fields["prompt"] = json!(prompt);
    let said = home.hook(fields.to_string().as_bytes());
    assert_eq!((said.status.code(), said.err.as_str()), (Some(0), ""));
    let output: Option<Value> = (!said.out.is_empty()).then(|| said.json());
    let output = output?;
    assert_eq!(output["hookSpecificOutput"]["hookEventName"], event);
    Some(output["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned())
}

#[test]
fn an_agent_is_told_at_its_first_prompt_what_memory_holds_of_it_beside_the_index() {
    const PROMPT: &str = "please add a second approval step for refunds in the admin page";
    let home = Home::with_sessions(1);
    home.remember("MEMORY.md", "- [Billing](billing.md) — invoices\n");
    home.remember(
        "billing.md",
        "---\nname: Billing\ndescription: invoices\ntype: project\n---\n\n- Refunds over 500 EUR need a second approval in the ledger tool.\n- 退款接口超时是 8 秒。\n",
    );
    assert_eq!(told(&home, "UserPromptSubmit", 7, PROMPT), None, "nothing is told unasked");
    assert!(!home.expect(0, &["init", "--dry-run"]).out.contains("UserPromptSubmit"));

    home.configure("[recall]\ndisclose_tokens = 300\n");
    assert!(home.expect(0, &["init", "--dry-run"]).out.contains("UserPromptSubmit"));
    assert_eq!(told(&home, "SessionStart", 7, ""), None, "the folder and the branch name nothing");
    assert_eq!(told(&home, "UserPromptSubmit", 7, "ok"), None);
    let first = told(&home, "UserPromptSubmit", 7, PROMPT).unwrap();
    assert!(first.contains("500 EUR") && first.contains("billing.md") && !first.contains("8 秒"), "{first}");
    assert_eq!(told(&home, "UserPromptSubmit", 7, PROMPT), None, "once in a session");
    // After a compaction the session starts again without what it was told.
    assert_eq!(told(&home, "SessionStart", 7, ""), None);
    assert!(told(&home, "UserPromptSubmit", 7, "退款接口的超时改短一点").unwrap().contains("8 秒"));
    assert_eq!(told(&home, "UserPromptSubmit", 8, "rename the logger class"), None);
}
