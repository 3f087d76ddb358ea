//! `nidra forget --purge`: a planted fact is found nowhere afterwards, whatever is searched.

use crate::support::{Home, proof};
use crate::talk::Talk;
use crate::tree;
use nidra_memory::atomic::RealFileSystem;
use nidra_memory::objects::{ObjectId, Objects};
use serde_json::json;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Instant;

/// What is planted, with the words that must be gone.
const PLANTED: [(&str, &[&str]); 2] = [
    (
        "Please remember that the staging vault hint is zebra-quartz-9913, Ottoline keeps it.",
        &["zebra-quartz-9913", "zebra", "vault hint", "Ottoline"],
    ),
    ("请记住：蓝鲸项目的机房门禁口令提示是银杏树下的石凳。", &["蓝鲸项目", "门禁口令", "银杏树下"]),
];
/// Moments at which a purge is killed.
const STEPS: u32 = 14;
/// What stays.
const STAYS: [&str; 2] = [
    "Never push to the release branch without asking Marisol first.",
    "所有金额一律用 int64 存分，不准用 float。",
];

/// A home in which the planted facts went everywhere that nidra keeps anything.
fn scene() -> Home {
    let mut home = Home::new();
    home.configure("[working]\nexport = true\n");
    let mut talk = Talk::new(1, &home.work);
    for words in PLANTED.iter().map(|(words, _)| *words).chain(STAYS) {
        talk = talk.human(words).agent("Understood.");
    }
    talk.write(&home);
    home.expect(0, &["dream"]);
    for (words, _) in PLANTED {
        let told = format!("note: {words}");
        home.expect(0, &["note", &told]);
        home.expect(
            0,
            &["task", "register", if words.is_ascii() { "t1" } else { "t2" }, words, "look at it"],
        );
    }
    home.expect(0, &["task", "update", "t1", "--ask", PLANTED[0].0, "--note", PLANTED[1].0]);
    home.expect(0, &["topic", "mark", PLANTED[0].0]);
    home.expect(0, &["snapshot", "take"]);
    home.expect(0, &["recall", "vault hint"]);
    home.expect(0, &["recall", "门禁口令", "--sessions"]);
    home.expect(0, &["heartbeat"]);
    home.wait_hours(30);
    // Said again, so that it is in a second run; and a plan waits that says it.
    Talk::new(2, &home.work).at("2026-12-01T09:00:00Z").human(PLANTED[0].0).agent("ok").write(&home);
    home.expect(0, &["plan"]);
    home.expect(0, &["dream"]);
    for (_, words) in PLANTED {
        let everywhere = found(&home, words[0]);
        assert!(everywhere.iter().any(|place| place.contains("harbour")), "no export: {everywhere:?}");
        assert!(everywhere.len() > 4, "it was not planted well: {everywhere:?}");
    }
    home
}

/// Where words stand in what nidra keeps: files as they are, stored contents unpacked, names of files.
fn found(home: &Home, words: &str) -> Vec<String> {
    let mut places = Vec::new();
    for root in [&home.state, &home.memory(), &home.work] {
        walk(root, &mut |path, bytes| {
            if holds(bytes, words) || path.to_string_lossy().contains(words) {
                places.push(path.display().to_string());
            }
        });
    }
    let objects = Objects::new(&home.state, &RealFileSystem);
    walk(objects.directory(), &mut |path, _| {
        let parts: Vec<_> =
            path.iter().rev().take(2).map(|part| part.to_string_lossy().into_owned()).collect();
        let Ok(id) = ObjectId::try_from(format!("{}{}", parts[1], parts[0])) else { return };
        if objects.get(&id).is_ok_and(|content| holds(&content, words)) {
            places.push(format!("object {id}"));
        }
    });
    places
}

fn holds(bytes: &[u8], words: &str) -> bool {
    let json = serde_json::to_string(words).unwrap();
    let escaped = json.trim_matches('"');
    [words, escaped].iter().any(|words| bytes.windows(words.len()).any(|window| window == words.as_bytes()))
}

fn walk(path: &Path, look: &mut dyn FnMut(&Path, &[u8])) {
    let Ok(metadata) = fs::symlink_metadata(path) else { return };
    if metadata.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            walk(&entry.unwrap().path(), look);
        }
    } else if metadata.is_file() {
        look(path, &fs::read(path).unwrap());
    }
}

#[track_caller]
fn assert_gone(home: &Home) {
    for (_, words) in PLANTED {
        for word in words {
            let places = found(home, word);
            assert!(places.is_empty(), "{word} stands in {places:#?}");
        }
    }
}

#[track_caller]
fn assert_rest_stays(home: &Home) {
    let entries = home.json(&["entries"]).to_string();
    for words in ["Marisol", "int64"] {
        assert!(entries.contains(words), "{words}: {entries}");
    }
}

fn purge(home: &Home) {
    home.expect(0, &["forget", "--match", "zebra-quartz-9913", "--purge", "--yes"]);
    home.expect(0, &["forget", "--match", "蓝鲸项目", "--purge", "--yes"]);
}

#[test]
fn purged_words_are_found_nowhere_and_no_later_dream_brings_them_back() {
    let mut home = scene();
    let transcripts = crate::tree::files(&home.claude);
    let shown = home.expect(3, &["forget", "--match", "zebra-quartz-9913", "--purge"]);
    assert!(shown.err.contains("cannot be undone") && shown.err.contains("transcripts"), "{shown:?}");
    purge(&home);
    assert_gone(&home);
    assert_rest_stays(&home);
    for _ in 0..3 {
        home.wait_hours(30);
        home.expect(0, &["dream", "--yes"]);
        assert_gone(&home);
    }
    // The transcripts read from their beginning, as if nothing had been consumed.
    for run in home.json(&["log"]).as_array().unwrap() {
        if run["state"] == "applied" && run["engine"] == "rules" {
            home.nidra(&["undo", run["run"].as_str().unwrap()]);
        }
    }
    home.wait_hours(30);
    home.expect(0, &["dream", "--yes"]);
    assert_gone(&home);
    assert_rest_stays(&home);
    // What is looked at may not write them down again.
    for arguments in
        [vec!["recall", "vault hint"], vec!["status"], vec!["entries"], vec!["log"], vec!["check"]]
    {
        let said = home.nidra(&arguments);
        assert!(!said.out.contains("zebra"), "{arguments:?}: {said:?}");
    }
    assert_gone(&home);
    let now = crate::tree::files(&home.claude);
    for (name, bytes) in transcripts.iter().filter(|(name, _)| name.contains(".jsonl")) {
        assert_eq!(&now[name], bytes, "{name} is the agent's own");
    }
}

#[test]
fn what_was_snapshotted_before_can_be_put_back_without_the_words() {
    let home = scene();
    let snapshots = home.json(&["snapshot", "list"]);
    purge(&home);
    let runs = home.json(&["log"]);
    let forget = runs.as_array().unwrap().iter().find(|run| run["engine"] == "forget").unwrap();
    let refused = home.nidra(&["undo", forget["run"].as_str().unwrap()]);
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    refused.names(&["purged"]);
    // The first run made the files; taking it back and doing it again brings the others.
    let first = runs.as_array().unwrap().iter().rfind(|run| run["engine"] == "rules").unwrap();
    home.expect(0, &["undo", first["run"].as_str().unwrap()]);
    assert_gone(&home);
    assert!(!snapshots.as_array().unwrap().is_empty());
    for snapshot in home.json(&["snapshot", "list"]).as_array().unwrap() {
        let object = snapshot["object"]
            .as_str()
            .or(snapshot["snapshot"].as_str())
            .or(snapshot["id"].as_str())
            .unwrap();
        let said = home.nidra(&["snapshot", "restore", object, "--yes"]);
        assert!(!said.err.contains("damaged") && !said.err.contains("cannot be read"), "{said:?}");
        assert_gone(&home);
    }
}

#[test]
fn a_purge_that_is_killed_at_any_moment_is_brought_to_its_end_by_the_next_command() {
    let arguments = ["forget", "--match", "zebra-quartz-9913", "--purge", "--yes"];
    let whole = {
        let home = scene();
        let begin = Instant::now();
        home.expect(0, &arguments);
        begin.elapsed()
    };
    let (mut cut_off, mut midst) = (0, 0);
    for step in 1..=STEPS {
        let home = scene();
        let mut child = home.command(&arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(whole * step / STEPS);
        let was_running = child.try_wait().unwrap().is_none();
        let _ = child.kill();
        child.wait().unwrap();
        cut_off += u64::from(was_running);
        let in_memory = home.json(&["entries"]).to_string().contains("zebra-quartz-9913");
        midst += u64::from(!in_memory && !found(&home, "zebra-quartz-9913").is_empty());
        // Before the commit nothing was done at all; after it the next command goes on.
        let next: &[&str] = match step % 2 {
            0 => &["dream"],
            _ => &["remember", "The cache lives in Redis on host nine."],
        };
        home.expect(0, next);
        let left = home.json(&["entries"]).to_string().contains("zebra-quartz-9913");
        if left {
            home.expect(0, &["forget", "--match", "zebra-quartz-9913", "--purge", "--yes"]);
        }
        for word in PLANTED[0].1 {
            let places = found(&home, word);
            assert!(places.is_empty(), "step {step}: {word} stands in {places:#?}");
        }
        assert!(
            home.json(&["entries"]).to_string().contains("蓝鲸项目"),
            "step {step}: the other fact stays"
        );
        assert_rest_stays(&home);
    }
    proof("kill", cut_off);
    eprintln!("{cut_off} of {STEPS} purges were cut off, {midst} of them with words still to be removed");
    assert!(cut_off > 0, "no purge was cut off");
}

#[test]
fn the_words_of_another_project_stay_its_own() {
    let home = Home::new();
    let other = home.root.join("work/island");
    crate::support::checkout(&other);
    let fact = PLANTED[0].0;
    home.expect(0, &["remember", fact]);
    let there = home.command(&["remember", fact, "--project", other.to_str().unwrap()]).output().unwrap();
    assert!(there.status.success());
    home.expect(0, &["forget", "--match", "zebra-quartz-9913", "--purge", "--yes"]);
    let entries = |project: &Path| {
        let output =
            home.command(&["entries", "--json", "--project", project.to_str().unwrap()]).output().unwrap();
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()
    };
    assert_eq!(entries(&home.work), json!([]));
    assert!(entries(&other).to_string().contains("zebra-quartz-9913"));
    let undone = home.command(&["undo", "--project", other.to_str().unwrap()]).output().unwrap();
    assert!(undone.status.success(), "{}", String::from_utf8_lossy(&undone.stderr));
}

#[test]
fn a_purge_takes_no_other_entry_along_that_names_the_same_thing() {
    let home = Home::new();
    for words in [
        "The billing-api is written in Go.",
        "Ask Rosa before changing billing-api schemas.",
        "Never deploy billing-api on Friday, the auditors meet then.",
    ] {
        home.expect(0, &["remember", words]);
    }
    home.remember("hand.md", "Notes by hand: the billing-api has a runbook in the wiki.\n");
    let before = home.json(&["entries"]).as_array().unwrap().len();
    home.expect(0, &["forget", "written in Go", "--purge", "--yes"]);
    let left = home.json(&["entries"]);
    assert_eq!(left.as_array().unwrap().len(), before - 1, "{left}");
    assert!(!left.to_string().contains("written in Go"));
    for stays in ["Ask Rosa", "auditors meet", "runbook in the wiki"] {
        assert!(tree::words(&home.memory()).contains(stays), "{stays}");
    }
    assert!(
        home.expect(0, &["check"]).out.is_empty() || !home.nidra(&["check"]).out.contains("there is no file")
    );
}
