//! Answers for programs: JSON that parses and holds what the text says, and pipes that close early.

use crate::support::{Home, PNPM};
use crate::tree;
use serde_json::Value;
use std::process::{Command, Stdio};

/// A home with two runs, one of them taken back, and a proposal.
fn lived_in() -> Home {
    let mut home = Home::with_sessions(5);
    home.remember("MEMORY.md", "- [Gone](gone.md) — points to nothing\n");
    home.expect(0, &["dream"]);
    home.wait_minutes(1);
    home.expect(0, &["undo"]);
    home.wait_minutes(1);
    home.expect(0, &["dream"]);
    home
}

#[test]
fn every_answer_is_json_on_request_and_narration_stays_out_of_it() {
    let home = lived_in();
    for arguments in [
        ["status"].as_slice(),
        &["log"],
        &["show"],
        &["diff"],
        &["sessions"],
        &["check"],
        &["config"],
        &["review"],
        &["dream", "--dry-run"],
        &["dream"],
        &["config", "dream.min_hours"],
        &["init", "--dry-run"],
    ] {
        let said = home.expect(0, &[arguments, &["--json"]].concat());
        said.json();
        assert_eq!(said.err, "", "{arguments:?}");
    }
    for arguments in [["undo", "nothing"].as_slice(), &["apply", "ffff"], &["show", "nothing"]] {
        let error = home.expect(2, &[arguments, &["--json"]].concat()).json();
        assert_eq!(error["error"]["kind"], "usage");
        assert!(!error["error"]["hints"].as_array().unwrap().is_empty(), "{error}");
    }
}

#[test]
fn commands_that_change_something_answer_in_json_too() {
    let home = Home::with_sessions(3);
    home.configure("");
    let plan = home.expect(3, &["plan", "--json"]).json()["plan"].as_str().unwrap().to_owned();
    assert_eq!(home.json(&["review", "--drop", &plan])["dropped"], plan.as_str());
    let set = home.json(&["config", "dream.min_hours", "6"]);
    assert_eq!(set["key"], "dream.min_hours");
    assert!(home.json(&["dream"])["run"].is_string());
    assert!(home.json(&["undo"])["restored"].is_array());
    assert!(home.json(&["init"])["settings"].is_string());
    let preview = home.json(&["uninstall", "--dry-run"]);
    assert!(preview["difference"].as_str().unwrap().contains("SessionEnd"), "{preview}");
    assert!(home.json(&["uninstall"])["outcome"].is_string());
}

#[test]
fn json_and_text_of_the_runs_say_the_same() {
    let home = lived_in();
    let runs = home.json(&["log"]);
    let text = home.expect(0, &["log"]).out;
    let runs = runs.as_array().unwrap();
    assert_eq!(runs.len(), 3);
    assert_eq!(text.lines().count(), 3);
    // Newest first, in both.
    for (run, line) in runs.iter().zip(text.lines()) {
        assert!(line.starts_with(run["run"].as_str().unwrap()), "{line} {run}");
        if let Some(undone) = run["undoes"].as_str() {
            assert!(line.contains(undone), "{line}");
        } else {
            assert!(line.contains(run["state"].as_str().unwrap()), "{line} {run}");
        }
        // Every printed time shows its zone: +08:00 in Shanghai.
        assert!(line.contains("+08:00"), "{line}");
    }
    assert_eq!(home.json(&["log", "-n", "1"]).as_array().unwrap().len(), 1);
    let states: Vec<_> = runs.iter().map(|run| run["state"].as_str().unwrap()).collect();
    assert_eq!((states[0], states[2]), ("applied", "undone"), "{runs:?}");

    let show = home.json(&["show"]);
    let text = home.expect(0, &["show"]).out;
    assert_eq!(show["run"], runs[0]["run"]);
    let applied = show["report"]["applied"].as_array().unwrap();
    assert!(!applied.is_empty());
    for operation in applied {
        assert!(
            text.contains(operation["what"].as_str().unwrap())
                && text.contains(operation["reason"].as_str().unwrap()),
            "{text}"
        );
        assert!(!operation["evidence"].as_array().unwrap().is_empty());
    }
    let diff = home.json(&["diff"]);
    let text = home.expect(0, &["diff"]).out;
    for file in diff.as_array().unwrap() {
        assert!(text.contains(file["path"].as_str().unwrap()), "{text}");
        let added = file["diff"]
            .as_str()
            .unwrap()
            .lines()
            .filter(|line| line.starts_with('+') && !line.starts_with("+++"))
            .count();
        assert_eq!(file["lines_added"], added as u64);
    }
    assert!(text.contains(PNPM.1));
}

#[test]
fn the_report_is_what_really_changed_on_disk() {
    let home = Home::with_sessions(5);
    home.remember("MEMORY.md", "- mine\n");
    let before = tree::memory(&home.memory());
    let report = home.json(&["dream"]);
    let after = tree::memory(&home.memory());
    let mut changed: Vec<&str> = after
        .iter()
        .filter(|(name, bytes)| before.get(*name) != Some(*bytes))
        .map(|(name, _)| name.as_str())
        .collect();
    changed.sort_unstable();
    let mut told: Vec<&str> =
        report["files"].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap()).collect();
    told.sort_unstable();
    assert_eq!(told, changed);
    let index = String::from_utf8(after["MEMORY.md"].to_vec()).unwrap();
    assert_eq!(report["index"]["bytes"], index.len() as u64);
    assert_eq!(report["index"]["lines"], index.trim().lines().count() as u64);
    assert_eq!(report["index"]["units"], index.trim().encode_utf16().count() as u64);
}

#[test]
fn a_dry_run_tells_what_the_dream_then_does() {
    let home = Home::with_sessions(5);
    let dry = home.json(&["dream", "--dry-run"]);
    let wet = home.json(&["dream"]);
    assert_eq!((&dry["state"], &wet["state"]), (&Value::from("planned"), &Value::from("applied")));
    for part in ["applied", "proposed", "refused", "files", "index", "sessions"] {
        assert_eq!(dry[part], wet[part], "{part}");
    }
    assert_eq!(dry["run"], Value::Null);
}

#[test]
fn status_and_sessions_hold_what_the_text_says() {
    let home = lived_in();
    let status = home.json(&["status"]);
    let text = home.expect(0, &["status"]).out;
    for word in [&status["project"], &status["memory"], &status["memory_because"], &status["last_run"]["run"]]
    {
        assert!(text.contains(word.as_str().unwrap()), "{word} {text}");
    }
    for gate in status["gates"].as_array().unwrap() {
        for part in ["name", "value", "need"] {
            assert!(text.contains(gate[part].as_str().unwrap()), "{gate} {text}");
        }
    }
    assert_eq!(status["project"], home.work.to_str().unwrap());
    assert_eq!(status["memory"], home.memory().to_str().unwrap());
    let sessions = home.json(&["sessions"]);
    let text = home.expect(0, &["sessions"]).out;
    assert_eq!(sessions.as_array().unwrap().len(), 5);
    for session in sessions.as_array().unwrap() {
        let line = text.lines().find(|line| line.starts_with(session["session"].as_str().unwrap())).unwrap();
        assert!(line.contains(session["state"].as_str().unwrap()), "{line}");
    }
    let findings = home.json(&["check"])["findings"].clone();
    let text = home.expect(0, &["check"]).out;
    assert!(
        findings
            .as_array()
            .unwrap()
            .iter()
            .any(|finding| finding["message"].as_str().unwrap().contains("gone.md")),
        "{findings}"
    );
    for finding in findings.as_array().unwrap() {
        assert!(text.contains(finding["message"].as_str().unwrap()), "{finding}");
    }
}

#[test]
fn pub_idx_04_what_can_be_mended_is_a_plan_and_the_user_applies_it() {
    let home = Home::new();
    let prose =
        "# 我的记忆\r\n\r\n- [Gone](gone.md) — points to nothing\r\n\r\nA fact that stands nowhere else.\r\n";
    home.remember("MEMORY.md", prose);
    home.remember("orphan.md", "---\nname: orphan\ndescription: the API listens on port 8080\ntype: project\n---\n\nThe API listens on port 8080.\n");
    let before = tree::memory(&home.memory());
    let answer = home.json(&["check", "--fix"]);
    assert_eq!(tree::memory(&home.memory()), before);
    home.expect(0, &["apply", answer["plan"].as_str().unwrap()]);
    let index = std::fs::read_to_string(home.memory().join("MEMORY.md")).unwrap();
    assert!(index.contains("(orphan.md)"), "{index}");
    assert!(
        index.starts_with("# 我的记忆\r\n") && index.contains("A fact that stands nowhere else.\r\n"),
        "{index}"
    );
    assert_eq!(std::fs::read(home.memory().join("orphan.md")).unwrap(), before["orphan.md"].to_vec());
    home.expect(0, &["undo"]);
    assert_eq!(tree::memory(&home.memory()), before);
}

#[test]
fn every_setting_is_listed_with_its_value_and_origin() {
    let home = Home::new();
    let file = home.configure("[dream]\nmin_hours = 12\n");
    let settings = home.json(&["config"]);
    let text = home.expect(0, &["config"]).out;
    let mut keys = Vec::new();
    for setting in settings.as_array().unwrap() {
        let key = setting["key"].as_str().unwrap();
        assert!(text.contains(&format!("{key} = ")), "{key}");
        keys.push(key);
    }
    for key in
        ["dream.enabled", "dream.min_hours", "dream.min_sessions", "memory.directory", "sessions.exclude"]
    {
        assert!(keys.contains(&key), "{keys:?}");
    }
    assert!(text.contains(&format!("user ({}:2)", file.display())), "{text}");
}

#[test]
fn a_pipe_that_closes_early_is_no_failure() {
    let home = lived_in();
    for arguments in [
        "log",
        "log --json",
        "status",
        "show",
        "diff",
        "sessions",
        "config",
        "man",
        "completions bash",
        "--help",
        "help dream",
        "try",
    ] {
        let mut shell = Command::new("sh");
        home.environment(&mut shell);
        let program = env!("CARGO_BIN_EXE_nidra");
        let output = shell
            .args(["-c", &format!("{{ '{program}' {arguments}; echo \"code $?\" >&2; }} | head -c 0")])
            .current_dir(&home.work)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let words = String::from_utf8_lossy(&output.stderr);
        assert!(!words.contains("panicked") && !words.contains("error:"), "{arguments}: {words}");
        assert!(words.contains("code 0"), "{arguments}: {words}");
    }
}

#[test]
fn no_colour_reaches_a_pipe() {
    let home = lived_in();
    for arguments in ["status", "log", "show", "diff", "review"] {
        let said = home.expect(0, &[arguments]);
        assert!(!said.out.contains('\u{1b}') && !said.err.contains('\u{1b}'), "{said:?}");
    }
}

#[test]
fn pub_tim_01_and_03_days_are_the_users_and_times_show_their_zone() {
    let mut home = Home::new();
    // 19:53 UTC is already the next day in Shanghai.
    home.now = "2026-04-11T22:53:00Z".to_owned();
    crate::talk::Talk::new(1, &home.work)
        .at("2026-04-11T19:53:00Z")
        .human("Remember: the api freeze starts tomorrow, no deploys until next Friday.")
        .agent("ok")
        .write(&home);
    home.expect(0, &["dream"]);
    let words = tree::words(&home.memory());
    // Said on 12 April there, so tomorrow is the 13th.
    assert!(words.contains("2026-04-13") && !words.to_lowercase().contains("tomorrow"), "{words}");
    let log = home.expect(0, &["log"]).out;
    assert!(log.contains("2026-04-12 06:53 +08:00"), "{log}");
}

#[test]
fn quiet_says_nothing_but_the_answer() {
    let home = Home::with_sessions(5);
    let said = home.expect(0, &["dream", "--quiet"]);
    assert_eq!(said.err, "");
    assert!(tree::words(&home.memory()).contains(PNPM.1));
}

#[test]
fn the_samples_can_be_tried_without_touching_anything() {
    let home = Home::new();
    let before = tree::exact(&home.root);
    let said = home.expect(0, &["try"]);
    assert!(said.out.contains("MEMORY.md") && said.out.contains("━━"), "{said:?}");
    tree::assert_same(&home.root, &before);
    let kept = home.root.join("kept");
    home.expect(0, &["try", "--keep", kept.to_str().unwrap()]);
    assert!(tree::files(&kept).keys().any(|name| name.ends_with("MEMORY.md")));
    home.expect(2, &["try", "--keep", kept.to_str().unwrap()]).names(&["not empty"]);
}
