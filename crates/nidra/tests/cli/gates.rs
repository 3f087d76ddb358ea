//! When a dream runs by itself, when it does not, and that it says why.

use crate::hooks::payload;
use crate::support::{Home, PNPM, wait_for};
use crate::talk::Talk;
use crate::tree;

fn learnt(home: &Home) -> bool {
    tree::words(&home.memory()).contains(PNPM.1)
}

#[test]
fn pub_trg_01_a_closed_gate_is_named_with_what_is_missing() {
    let mut home = Home::with_sessions(5);
    home.expect(0, &["dream"]);
    home.wait_hours(13);
    for number in 11..=13 {
        Talk::new(number, &home.work)
            .at("2026-11-30T22:00:00Z")
            .human("and now?")
            .agent("now this")
            .write(&home);
    }
    let said = home.expect(0, &["status"]);
    for words in ["13 h since the last dream", "24 h (11 h left)", "3 sessions", "5 (2 missing)"] {
        assert!(said.out.contains(words), "{words} {said:?}");
    }
    let status = home.json(&["status"]);
    assert_eq!(status["open"], false);
    let gate = |name: &str| {
        status["gates"].as_array().unwrap().iter().find(|gate| gate["name"] == name).unwrap().clone()
    };
    assert_eq!(
        (gate("time")["open"].as_bool(), gate("sessions")["open"].as_bool()),
        (Some(false), Some(false))
    );
    // 24 hours after the last dream, which was at 20:00.
    assert_eq!(gate("time")["next"], "2026-12-01T20:00:00Z");
    assert_eq!((gate("switch")["open"].as_bool(), gate("lock")["open"].as_bool()), (Some(true), Some(true)));
}

#[test]
fn five_sessions_and_a_day_open_the_gates_and_less_does_not() {
    let mut home = Home::with_sessions(4);
    let said = home.expect(0, &["dream", "--auto"]);
    said.names(&["sessions gate is closed", "5 (1 missing)"]);
    assert!(!home.memory().exists());
    Talk::new(5, &home.work).human("one more").agent("yes").write(&home);
    // The folders were looked at just now; they are looked at again after ten minutes.
    home.wait_minutes(9);
    home.expect(0, &["dream", "--auto"]).names(&["throttle gate is closed"]);
    assert!(!learnt(&home));
    home.wait_minutes(1);
    home.expect(0, &["dream", "--auto"]);
    assert!(learnt(&home));
    for number in 11..=15 {
        Talk::new(number, &home.work)
            .at("2026-11-30T20:30:00Z")
            .human("always run `make lint` before a commit")
            .agent("ok")
            .write(&home);
    }
    home.wait_hours(23);
    home.expect(0, &["dream", "--auto"]).names(&["time gate is closed"]);
    assert!(!tree::words(&home.memory()).contains("make lint"));
    home.wait_hours(1);
    home.expect(0, &["dream", "--auto"]);
    assert!(tree::words(&home.memory()).contains("make lint"));
}

#[test]
fn the_users_own_numbers_count_from_file_and_variable() {
    for by_file in [true, false] {
        let mut home = Home::with_sessions(1);
        if by_file {
            home.configure("[dream]\nmin_sessions = 1\nmin_hours = 2\n");
        } else {
            home.variables = vec![("NIDRA_DREAM_MIN_SESSIONS".to_owned(), "1".to_owned())];
            home.variables.push(("CLAUDE_CODE_AUTO_DREAM_MIN_HOURS".to_owned(), "2".to_owned()));
        }
        home.expect(0, &["dream", "--auto"]);
        assert!(learnt(&home));
        Talk::new(2, &home.work)
            .at("2026-11-30T20:10:00Z")
            .human("always run `make lint` before a commit")
            .agent("ok")
            .write(&home);
        home.wait_minutes(119);
        home.expect(0, &["dream", "--auto"]).names(&["time gate"]);
        home.wait_minutes(1);
        home.expect(0, &["dream", "--auto"]);
        assert!(tree::words(&home.memory()).contains("make lint"));
    }
}

#[test]
fn pub_trg_07_off_means_off_for_every_entry() {
    let mut home = Home::with_sessions(5);
    home.variables =
        vec![("NIDRA_DISABLED".to_owned(), "1".to_owned()), ("CI".to_owned(), "true".to_owned())];
    let before = tree::exact(&home.root);
    for arguments in
        [["dream"].as_slice(), &["dream", "--auto"], &["dream", "--yes"], &["dream", "--dry-run"], &["plan"]]
    {
        home.expect(5, arguments).names(&["NIDRA_DISABLED"]);
    }
    for event in ["SessionStart", "Stop", "SessionEnd"] {
        let said = home.hook(payload(&home, event, 1).as_bytes());
        assert_eq!((said.status.code(), said.out.as_str(), said.err.as_str()), (Some(0), "", ""));
    }
    let said = home.expect(0, &["status"]);
    assert!(said.out.contains("off by NIDRA_DISABLED"), "{said:?}");
    tree::assert_same(&home.root, &before);
    home.variables = vec![("NIDRA_DISABLED".to_owned(), "0".to_owned())];
    home.expect(0, &["dream", "--auto"]);
    assert!(learnt(&home));
}

#[test]
fn dreaming_by_itself_can_be_switched_off_and_a_dream_that_is_asked_for_runs() {
    for (settings, client, words) in [
        ("[dream]\nenabled = false\n", "{}", "off by dream.enabled = false"),
        ("", "{\"autoMemoryEnabled\": false}", "auto memory is off"),
    ] {
        let home = Home::with_sessions(5);
        home.configure(settings);
        home.client_settings(client);
        let said = home.expect(0, &["dream", "--auto"]);
        said.names(&["switch gate is closed", words]);
        assert!(!home.memory().exists());
        home.expect(0, &["dream"]);
        assert!(learnt(&home));
    }
}

#[test]
fn an_excluded_project_is_neither_read_nor_counted() {
    let home = Home::with_sessions(5);
    home.configure(&format!("[sessions]\nexclude = [{:?}]\n", home.work.parent().unwrap()));
    let said = home.expect(0, &["dream", "--auto"]);
    said.names(&["sessions gate is closed", "0 sessions"]);
    home.expect(0, &["dream"]);
    assert!(!learnt(&home));
    let sessions = home.json(&["sessions"]);
    assert_eq!(sessions.as_array().unwrap().len(), 5);
    assert!(sessions.as_array().unwrap().iter().all(|session| session["state"] == "excluded"), "{sessions}");
    let said = home.hook(payload(&home, "SessionEnd", 1).as_bytes());
    assert_eq!(said.status.code(), Some(0));
    assert!(!home.state.join("spool").exists());
}

#[test]
fn pub_trg_07_sessions_without_a_person_can_be_left_out_of_the_gate() {
    let home = Home::new();
    for number in 1..=6 {
        Talk::new(number, &home.work).headless().human(PNPM.0).agent("ok").write(&home);
    }
    let counted = home.json(&["status"]);
    assert_eq!(counted["sessions"]["waiting"], 6);
    home.configure("[sessions]\ninclude_headless = false\n");
    let left = home.json(&["status"]);
    assert_eq!(left["sessions"]["waiting"], 0);
    home.expect(0, &["dream", "--auto"]).names(&["sessions gate is closed"]);
    home.expect(0, &["dream"]);
    assert!(!learnt(&home));
}

#[test]
fn pub_slf_01_to_03_own_runs_are_never_read_nor_counted() {
    let home = Home::new();
    home.configure("[dream]\nmin_sessions = 1\n");
    // The mark in the first message, and the place: each is enough.
    let mark = "nidra:dream-run";
    Talk::new(1, &home.work)
        .human(&format!("<!-- {mark} --> Merge these. {}", PNPM.0))
        .agent("done")
        .write(&home);
    std::fs::create_dir_all(home.state.join("stage")).unwrap();
    Talk::new(2, &home.state.join("stage")).human(PNPM.0).agent("done").write(&home);
    home.expect(0, &["dream", "--auto"]).names(&["sessions gate is closed", "0 sessions"]);
    home.expect(0, &["dream"]);
    assert!(!learnt(&home));
    home.expect(0, &["dream", "--project", home.state.join("stage").to_str().unwrap()]);
    home.expect(0, &["dream", "--all"]);
    let everything = tree::files(&home.claude);
    assert!(!everything.keys().any(|name| name.ends_with("MEMORY.md")), "{:?}", everything.keys());
    let sessions = home.json(&["sessions"]);
    assert_eq!(sessions[0]["state"], "own", "{sessions}");
}

#[test]
fn pub_lck_02_an_interrupted_run_does_not_put_the_next_one_off() {
    let mut home = Home::with_sessions(5);
    home.expect(0, &["dream"]);
    home.wait_hours(30);
    for number in 11..=16 {
        Talk::new(number, &home.work)
            .at("2026-12-01T20:00:00Z")
            .human("always run `make lint` before a commit")
            .agent("ok")
            .write(&home);
    }
    // The kill comes as early as may be; whatever was reached, five minutes later the gates stand open or all is done.
    let mut child = home.command(&["dream", "--auto"]).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(8));
    child.kill().unwrap();
    child.wait().unwrap();
    home.wait_minutes(15);
    home.expect(0, &["dream", "--auto"]);
    assert!(tree::words(&home.memory()).contains("make lint"));
}

#[test]
fn a_clock_that_ran_ahead_for_a_dream_puts_the_next_one_off_for_one_period_only() {
    for by_hook in [true, false] {
        let mut home = Home::with_sessions(5);
        home.wait_hours(240);
        home.expect(0, &["dream"]);
        // The clock is set right: the last dream seems to come in ten days.
        home.wait_hours(-240);
        for number in 11..=16 {
            Talk::new(number, &home.work)
                .at("2026-12-01T10:00:00Z")
                .human("always run `make lint` before a commit")
                .agent("ok")
                .write(&home);
        }
        if by_hook {
            let ahead = || home.expect(0, &["status"]).out.contains("lies in the future");
            assert!(ahead());
            let said = home.hook(payload(&home, "Stop", 11).as_bytes());
            assert_eq!((said.status.code(), said.out.as_str(), said.err.as_str()), (Some(0), "", ""));
            assert!(wait_for(|| !ahead()), "{:?}", home.expect(0, &["status"]));
        } else {
            home.expect(0, &["dream", "--auto"]).names(&["clock was set back", "time gate is closed"]);
            home.wait_hours(12);
            home.expect(0, &["dream", "--auto"]).names(&["time gate is closed", "12 h left"]);
            home.wait_hours(-12);
        }
        home.wait_hours(23);
        home.expect(0, &["dream", "--auto"]).names(&["time gate is closed"]);
        assert!(!tree::words(&home.memory()).contains("make lint"));
        home.wait_hours(1);
        home.expect(0, &["dream", "--auto"]);
        assert!(tree::words(&home.memory()).contains("make lint"));
    }
}

#[test]
fn a_dream_is_a_look_at_the_sessions() {
    let mut home = Home::with_sessions(3);
    home.expect(0, &["dream"]);
    home.wait_minutes(4);
    let throttle = |home: &Home| {
        let status = home.json(&["status"]);
        status["gates"].as_array().unwrap().iter().find(|gate| gate["name"] == "throttle").unwrap().clone()
    };
    let gate = throttle(&home);
    assert_eq!(
        (&gate["value"], &gate["open"]),
        (&"4 min since the last scan".into(), &false.into()),
        "{gate}"
    );
    home.wait_minutes(7);
    assert_eq!(throttle(&home)["open"], true);
}
