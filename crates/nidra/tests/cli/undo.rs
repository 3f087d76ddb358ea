//! Undo: a run becomes as if it had not been, and what came after it stays.

use crate::hooks::payload;
use crate::support::{Home, PNPM};
use crate::talk::Talk;
use crate::tree;
use std::fs;

fn furnished(sessions: u32) -> Home {
    let home = Home::with_sessions(sessions);
    home.remember("MEMORY.md", "\u{feff}# 我的记忆\r\n\r\n- [Dev server](dev.md) — the API listens on port 8080\r\n\r\nHand-written prose.");
    home.remember(
        "dev.md",
        "---\nname: dev\ndescription: d\ntype: project\n---\n\nThe API listens on port 8080.\n",
    );
    home
}

#[test]
fn pub_del_05_undo_gives_back_every_byte() {
    let mut home = furnished(3);
    let before = tree::memory(&home.memory());
    let said = home.expect(0, &["dream"]);
    assert_ne!(tree::memory(&home.memory()), before, "{said:?}");
    // The line endings and the mark of the user's file survive the run as well.
    let index = fs::read(home.memory().join("MEMORY.md")).unwrap();
    assert!(index.starts_with("\u{feff}# 我的记忆\r\n".as_bytes()));
    assert!(!String::from_utf8(index).unwrap().replace("\r\n", "").contains('\n'));
    let run = home.last_run();
    home.wait_minutes(1);
    let said = home.expect(0, &["undo", &run]);
    assert!(said.out.contains("restored MEMORY.md"), "{said:?}");
    assert_eq!(tree::memory(&home.memory()), before);
    home.expect(2, &["undo", &run]).names(&["undone already"]);
    home.expect(2, &["undo"]).names(&["nidra log"]);
    assert_eq!(tree::memory(&home.memory()), before);
}

#[test]
fn pub_cur_04_run_undo_run_gives_the_same_memory() {
    let home = furnished(3);
    home.expect(0, &["dream"]);
    let first = tree::memory(&home.memory());
    for _ in 0..3 {
        home.expect(0, &["undo"]);
        let said = home.expect(0, &["dream"]);
        assert_eq!(tree::memory(&home.memory()), first, "{said:?}");
    }
}

#[test]
fn runs_are_undone_one_after_the_other_back_to_the_beginning() {
    let mut home = furnished(1);
    let mut states = vec![tree::memory(&home.memory())];
    for (number, rule) in (11..).zip([
        "Never push to the release branch without asking Marisol first.",
        "所有金额一律用 int64 存分，不准用 float。",
        PNPM.0,
    ]) {
        home.expect(0, &["dream"]);
        states.push(tree::memory(&home.memory()));
        home.wait_hours(30);
        Talk::new(number, &home.work).human(rule).agent("ok").write(&home);
    }
    while states.pop().is_some_and(|state| {
        assert_eq!(tree::memory(&home.memory()), state);
        !states.is_empty()
    }) {
        home.expect(0, &["undo"]);
    }
}

#[test]
fn what_the_user_wrote_after_the_run_survives_its_undo() {
    let mut home = furnished(3);
    home.expect(0, &["dream"]);
    let index = home.memory().join("MEMORY.md");
    let text = fs::read_to_string(&index).unwrap();
    fs::write(&index, text.replace("# 我的记忆", "# 我的记忆 (改过)")).unwrap();
    fs::write(home.memory().join("mine.md"), "Written afterwards.\n").unwrap();
    home.wait_minutes(1);
    let said = home.expect(0, &["undo"]);
    assert!(said.out.contains("MEMORY.md"), "{said:?}");
    let text = fs::read_to_string(&index).unwrap();
    assert!(
        text.contains("(改过)") && text.contains("Hand-written prose.") && !text.contains(PNPM.1),
        "{text}"
    );
    assert_eq!(fs::read(home.memory().join("mine.md")).unwrap(), b"Written afterwards.\n");
}

#[test]
fn a_conflict_leaves_the_users_words_and_is_named() {
    let mut home = Home::with_sessions(3);
    home.expect(0, &["dream"]);
    let learnt = tree::memory(&home.memory());
    let (name, _) = learnt
        .iter()
        .find(|(name, bytes)| *name != "MEMORY.md" && String::from_utf8_lossy(bytes).contains(PNPM.1))
        .unwrap();
    let mine = "---\nname: mine\n---\n\nI rewrote all of it: 用 bun。\n";
    fs::write(home.memory().join(name), mine).unwrap();
    home.wait_minutes(1);
    let said = home.expect(0, &["undo"]);
    said.names(&[name]);
    assert_eq!(fs::read_to_string(home.memory().join(name)).unwrap(), mine);
}

#[test]
fn automatic_dreams_are_held_after_an_undo_for_one_period() {
    let mut home = Home::with_sessions(5);
    home.expect(0, &["dream", "--auto"]);
    home.wait_minutes(30);
    home.expect(0, &["undo"]);
    home.wait_hours(1);
    let said = home.expect(0, &["dream", "--auto"]);
    said.names(&["time gate is closed", "undo"]);
    assert!(tree::memory(&home.memory()).is_empty());
    home.hook(payload(&home, "SessionEnd", 1).as_bytes());
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(tree::memory(&home.memory()).is_empty());
    home.wait_hours(24);
    // What the user took back does not come back by itself; it waits for the user's word.
    let said = home.expect(3, &["dream", "--auto"]);
    assert!(said.out.contains("you undid it before"), "{said:?}");
    assert!(tree::memory(&home.memory()).is_empty());
    let plan = home.json(&["review"])[0]["plan"].as_str().unwrap().to_owned();
    home.expect(0, &["apply", &plan]);
    assert!(tree::words(&home.memory()).contains(PNPM.1));
}

#[test]
fn a_dream_without_effect_cannot_be_undone_and_the_one_before_it_can() {
    let mut home = Home::with_sessions(2);
    home.expect(2, &["undo"]).names(&["no run", "nidra log"]);
    home.expect(0, &["dream"]);
    home.wait_hours(1);
    home.expect(0, &["dream"]);
    let runs = home.json(&["log"]);
    assert_eq!(runs[0]["state"], "nothing", "{runs}");
    home.expect(2, &["undo", runs[0]["run"].as_str().unwrap()]).names(&["nothing to undo"]);
    home.expect(0, &["undo"]);
    assert!(tree::memory(&home.memory()).is_empty());
}

#[test]
fn pub_con_01_what_a_live_session_writes_into_memory_survives_a_dream() {
    for round in 0..12 {
        let home = furnished(25);
        let mut child = home
            .command(&["dream"])
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(round * 4));
        // An agent adds a file and a line and corrects an entry, as the client's own tool does.
        fs::write(home.memory().join("live.md"), "A live note.\n").unwrap();
        let dev = home.memory().join("dev.md");
        let text = fs::read_to_string(&dev).unwrap().replace("8080", "9090");
        fs::write(&dev, &text).unwrap();
        assert!(child.wait().unwrap().success());
        assert_eq!(fs::read_to_string(home.memory().join("live.md")).unwrap(), "A live note.\n");
        assert_eq!(fs::read_to_string(&dev).unwrap(), text, "round {round}");
        let index = fs::read_to_string(home.memory().join("MEMORY.md")).unwrap();
        assert!(index.contains("Hand-written prose.") && index.contains(PNPM.1), "{index}");
    }
}
