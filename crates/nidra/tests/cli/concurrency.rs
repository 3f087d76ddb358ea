//! Two dreams at once, and dreams that are killed at any moment.

use crate::support::{COMMITS, Home, PNPM};
use crate::talk::Talk;
use crate::tree::{self, Bytes};
use std::collections::BTreeMap;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// A home with a memory that the new sessions add to and correct.
fn scene() -> Home {
    let mut home = Home::with_sessions(2);
    home.remember("MEMORY.md", "# 我的记忆\n\n- [Dev server](dev.md) — the API listens on port 8080\n\nHand-written prose stays.\n");
    home.remember("dev.md", "---\nname: dev\ndescription: d\ntype: project\n---\n\nThe API listens on port 8080.\n");
    home.expect(0, &["dream"]);
    home.wait_hours(30);
    for (number, rule) in (11..).zip([
        "The staging database listens on port 5544, please remember that.",
        "Never push to the release branch without asking Marisol first.",
        "所有金额一律用 int64 存分，不准用 float。",
        "We always write integration tests with testcontainers, never with mocks.",
        "部署前必须先跑 make backup，顺序不能反。",
        "We moved it: the API listens on port 8480 now, not 8080.",
    ]) {
        Talk::new(number, &home.work).human(rule).agent("ok").write(&home);
    }
    home
}

#[test]
fn pub_lck_07_of_two_dreams_at_once_one_works_and_the_other_is_told_so() {
    let mut busy = 0;
    for round in 0..25 {
        let home = Home::with_sessions(30);
        let start = |_| home.command(&["dream"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let ends = [0, 1, 2].map(start).map(|child| child.wait_with_output().unwrap());
        let codes = ends.each_ref().map(|end| end.status.code());
        assert!(codes.iter().all(|code| matches!(code, Some(0 | 4))), "round {round}: {ends:?}");
        assert!(codes.contains(&Some(0)), "round {round}: {ends:?}");
        for end in ends.iter().filter(|end| end.status.code() == Some(4)) {
            busy += 1;
            let words = String::from_utf8_lossy(&end.stderr);
            assert!(words.contains(home.memory().to_str().unwrap()) && words.contains("hint:"), "{words}");
        }
        let runs = home.json(&["log"]);
        let applied = runs.as_array().unwrap().iter().filter(|run| run["state"] == "applied").count();
        assert_eq!(applied, 1, "round {round}: {runs}");
        let memory = tree::memory(&home.memory());
        let with = memory.iter().filter(|(name, bytes)| *name != "MEMORY.md" && String::from_utf8_lossy(bytes).contains(PNPM.1));
        assert_eq!(with.count(), 1, "round {round}");
        home.expect(0, &["undo"]);
        assert!(tree::memory(&home.memory()).is_empty());
    }
    assert!(busy > 0, "no round had two dreams at once");
}

/// The memory, with the identifiers of runs made alike: they name the folder and how many runs there were.
fn memory(home: &Home) -> BTreeMap<String, Bytes> {
    tree::without_runs(&tree::memory(&home.memory()))
}

#[test]
fn a_dream_that_is_killed_leaves_old_or_new_files_and_the_next_one_works_at_once() {
    // What the memory is before and after, and how long a dream takes.
    let reference = scene();
    let old = memory(&reference);
    let begin = Instant::now();
    reference.expect(0, &["dream", "--yes"]);
    let takes = begin.elapsed();
    let new = memory(&reference);
    assert!(old != new && tree::words(&reference.memory()).contains("8480"));

    let (mut early, mut late, mut between) = (0, 0, 0);
    for round in 0_u32..50 {
        let home = scene();
        assert_eq!(memory(&home), old);
        let transcripts = tree::exact(&home.claude.join("projects").join(crate::talk::slug(&home.work)));
        let mut child = home.command(&["dream", "--yes"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // Spread over the whole run, the moments of a round never the same twice.
        std::thread::sleep(takes * (round * 37 % 50) / 46 + Duration::from_micros(u64::from(round) * 13));
        child.kill().unwrap();
        child.wait().unwrap();

        let found = memory(&home);
        check_between(&found, &old, &new, round);
        if found == old {
            early += 1;
        } else if found == new {
            late += 1;
        } else {
            between += 1;
        }
        // The next dream puts it right without waiting, and comes to what an undisturbed one comes to.
        home.expect(0, &["dream", "--yes"]);
        assert_eq!(memory(&home), new, "round {round}");
        home.expect(0, &["undo"]);
        assert_eq!(memory(&home), old, "round {round}");
        for (path, state) in transcripts.iter().filter(|(path, _)| path.extension().is_some_and(|name| name == "jsonl")) {
            assert_eq!(tree::exact(path).get(path), Some(state));
        }
    }
    eprintln!("killed before {early}, after {late}, between {between}");
    assert!(early > 0, "no kill came before the commit");
}

/// Each file is wholly old or wholly new, and the index names no file that is not there.
fn check_between(found: &BTreeMap<String, Bytes>, old: &BTreeMap<String, Bytes>, new: &BTreeMap<String, Bytes>, round: u32) {
    for (name, bytes) in found {
        if name.contains(".nidra-tmp") {
            continue;
        }
        assert!(old.get(name) == Some(bytes) || new.get(name) == Some(bytes), "round {round}: {name} is neither old nor new");
    }
    for name in old.keys().filter(|name| new.contains_key(*name)) {
        assert!(found.contains_key(name), "round {round}: {name} is gone");
    }
    let index = String::from_utf8_lossy(&found["MEMORY.md"]).into_owned();
    for target in index.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
        assert!(found.contains_key(target), "round {round}: {target} is named and not there");
    }
}

#[test]
fn a_dream_that_was_killed_can_be_undone_or_looked_at_first() {
    let reference = scene();
    let old = memory(&reference);
    let begin = Instant::now();
    reference.expect(0, &["dream"]);
    let takes = begin.elapsed();
    for round in 0_u32..12 {
        let home = scene();
        let mut child = home.command(&["dream"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(takes * (6 + round) / 17);
        child.kill().unwrap();
        child.wait().unwrap();
        for arguments in [["status"].as_slice(), &["log"], &["sessions"], &["check"], &["dream", "--dry-run"]] {
            home.expect(0, arguments);
        }
        // Undo takes back the last run that counts: the killed one, or the one before it.
        home.expect(0, &["undo"]);
        let memory = memory(&home);
        let before_all = !tree::words(&home.memory()).contains(COMMITS.1);
        assert!(memory == old || before_all, "round {round}: {:?}", memory.keys());
    }
}
