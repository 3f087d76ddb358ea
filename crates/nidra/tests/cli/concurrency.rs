//! Two dreams at once, and dreams that are killed at any moment.

use crate::support::{COMMITS, Home, PNPM, proof};
use crate::talk::Talk;
use crate::tree::{self, Bytes};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A home with a memory that the new sessions add to and correct.
fn scene() -> Home {
    let mut home = Home::with_sessions(2);
    home.remember(
        "MEMORY.md",
        "# 我的记忆\n\n- [Dev server](dev.md) — the API listens on port 8080\n\nHand-written prose stays.\n",
    );
    home.remember(
        "dev.md",
        "---\nname: dev\ndescription: d\ntype: project\n---\n\nThe API listens on port 8080.\n",
    );
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
    for round in 0..15 {
        let home = Home::with_sessions(30);
        let start =
            |_| home.command(&["dream"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let ends = [0, 1, 2].map(start).map(|child| child.wait_with_output().unwrap());
        let codes = ends.each_ref().map(|end| end.status.code());
        for end in &ends {
            let words = String::from_utf8_lossy(&end.stderr);
            assert!(matches!(end.status.code(), Some(0 | 4)), "round {round}: {:?} {words}", end.status);
        }
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
        let with = memory
            .iter()
            .filter(|(name, bytes)| *name != "MEMORY.md" && String::from_utf8_lossy(bytes).contains(PNPM.1));
        assert_eq!(with.count(), 1, "round {round}");
        home.expect(0, &["undo"]);
        assert!(tree::memory(&home.memory()).is_empty());
    }
    proof("race", 15);
    assert!(busy > 0, "no round had two dreams at once");
}

#[test]
fn looking_while_dreams_work_never_fails() {
    for round in 0..6 {
        let home = Home::with_sessions(30);
        let mut dream = home.command(&["dream"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let mut looks = 0;
        while dream.try_wait().unwrap().is_none() || looks < 5 {
            for arguments in [["status"].as_slice(), &["log"], &["sessions"], &["review"]] {
                let said = home.nidra(arguments);
                assert_eq!(said.status.code(), Some(0), "round {round}: {arguments:?} {said:?}");
            }
            looks += 1;
        }
        assert!(dream.wait().unwrap().success());
        assert!(tree::words(&home.memory()).contains(PNPM.1));
    }
}

/// A home that can be put back to where it was.
struct Golden {
    home: Home,
    copy: PathBuf,
    old: BTreeMap<String, Bytes>,
    new: BTreeMap<String, Bytes>,
    takes: Duration,
}

impl Golden {
    /// Dreams once undisturbed, to know what comes out and how long it takes.
    fn new(arguments: &[&str]) -> Self {
        let home = scene();
        let copy = home.root.join("golden");
        fs::create_dir(&copy).unwrap();
        copy_tree(&home.root.join("home"), &copy);
        copy_tree(&home.state, &copy);
        let old = memory(&home);
        let begin = Instant::now();
        home.expect(0, arguments);
        let takes = begin.elapsed();
        let new = memory(&home);
        assert!(old != new);
        let golden = Self { home, copy, old, new, takes };
        golden.put_back();
        golden
    }

    fn put_back(&self) {
        for name in ["home", "state"] {
            let place = self.home.root.join(name);
            fs::remove_dir_all(&place).unwrap();
            copy_tree(&self.copy.join(name), &self.home.root);
        }
        assert_eq!(memory(&self.home), self.old);
    }

    /// Starts a dream and kills it after a share of its time.
    fn kill(&self, arguments: &[&str], after: Duration) {
        let mut child =
            self.home.command(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(after);
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

/// Copies a folder into another, time stamps included.
fn copy_tree(from: &Path, into: &Path) {
    assert!(Command::new("cp").arg("-a").arg(from).arg(into).status().unwrap().success());
}

/// The memory, with the identifiers of runs made alike: they name the folder and how many runs there were.
fn memory(home: &Home) -> BTreeMap<String, Bytes> {
    tree::without_runs(&tree::memory(&home.memory()))
}

#[test]
fn a_dream_that_is_killed_leaves_old_or_new_files_and_the_next_one_works_at_once() {
    let golden = Golden::new(&["dream", "--yes"]);
    let Golden { home, old, new, takes, .. } = &golden;
    assert!(tree::words(&home.memory()).contains("8080"));
    let (mut early, mut late, mut between) = (0, 0, 0);
    for round in 0_u32..50 {
        golden.put_back();
        let transcripts = transcripts(home);
        // Spread over the whole run, the moments of a round never the same twice.
        golden.kill(
            &["dream", "--yes"],
            *takes * (round * 37 % 50) / 46 + Duration::from_micros(u64::from(round) * 13),
        );
        let found = memory(home);
        check_between(&found, old, new, round);
        if found == *old {
            early += 1;
        } else if found == *new {
            late += 1;
        } else {
            between += 1;
        }
        // The next dream puts it right without waiting, and comes to what an undisturbed one comes to.
        home.expect(0, &["dream", "--yes"]);
        assert_eq!(memory(home), *new, "round {round}");
        home.expect(0, &["undo"]);
        assert_eq!(memory(home), *old, "round {round}");
        assert_eq!(self::transcripts(home), transcripts);
    }
    eprintln!("killed before {early}, after {late}, between {between}");
    proof("kill", early + late + between);
    assert!(early > 0, "no kill came before the commit");
}

fn transcripts(home: &Home) -> tree::Exact {
    let all = tree::exact(&home.claude.join("projects"));
    all.into_iter().filter(|(path, _)| path.extension().is_some_and(|name| name == "jsonl")).collect()
}

/// Each file is wholly old or wholly new, and the index names no file that is not there.
fn check_between(
    found: &BTreeMap<String, Bytes>,
    old: &BTreeMap<String, Bytes>,
    new: &BTreeMap<String, Bytes>,
    round: u32,
) {
    for (name, bytes) in found {
        if name.contains(".nidra-tmp") {
            continue;
        }
        assert!(
            old.get(name) == Some(bytes) || new.get(name) == Some(bytes),
            "round {round}: {name} is neither old nor new"
        );
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
fn a_dream_that_was_killed_can_be_looked_at_and_undone_first() {
    let golden = Golden::new(&["dream"]);
    let Golden { home, old, takes, .. } = &golden;
    for round in 0_u32..10 {
        golden.put_back();
        golden.kill(&["dream"], *takes * (6 + round) / 15);
        for arguments in [["status"].as_slice(), &["log"], &["sessions"], &["check"]] {
            home.expect(0, arguments);
        }
        // What is left to do may be nothing but what waits for the user.
        let preview = home.nidra(&["dream", "--dry-run"]);
        assert!(matches!(preview.status.code(), Some(0 | 3)), "{preview:?}");
        // Undo takes back the last run that counts: the killed one, or the one before it.
        home.expect(0, &["undo"]);
        let before_all = !tree::words(&home.memory()).contains(COMMITS.1);
        assert!(memory(home) == *old || before_all, "round {round}: {:?}", memory(home).keys());
    }
}
