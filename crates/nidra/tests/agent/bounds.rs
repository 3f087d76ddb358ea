//! What an agent takes of the machine, and what is left of it afterwards.

use crate::confined::running;
use crate::support::Home;
use serde_json::json;
use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

/// Fills ten files of 60 MB, by which no single one passes what a file may be.
const FILL: &str = "for at in 0 1 2 3 4 5 6 7 8 9; do fallocate -l 60M big-$at 2>/dev/null || head -c 60000000 /dev/zero > big-$at; done";

fn home(script: &str) -> Home {
    let home = Home::with_sessions(2);
    let command = json!(["/bin/bash", "-c", script, "agent", "{prompt}"]);
    home.configure(&format!(
        "[agent]\ncommand = {command}\nprograms = [\"/usr/bin\", \"/bin\"]\ntimeout_seconds = 60\n"
    ));
    home
}

fn ends_for_its_size(script: &str) {
    let home = home(script);
    home.expect(1, &["dream", "--engine", "agent"]).names(&["it wrote more than 512 MB"]);
    assert_eq!(home.state.join("agent").read_dir().unwrap().count(), 0, "the staging copy is gone");
}

#[test]
fn files_in_plain_sight_are_counted() {
    ends_for_its_size(&format!("cd $TMPDIR; {FILL}; sleep 50"));
}

#[test]
fn files_deeper_than_a_path_can_name_are_counted_and_removed() {
    ends_for_its_size(&format!(
        "cd $TMPDIR; name=$(printf 'deep%.0s' {{1..50}}); for at in {{1..60}}; do mkdir $name && cd -P $name || exit 3; done; {FILL}; sleep 50"
    ));
}

#[test]
fn files_without_a_name_are_counted_while_they_are_held_open() {
    ends_for_its_size(
        "cd $TMPDIR; for at in 10 11 12 13 14 15 16 17 18 19; do eval \"exec $at<>gone\"; rm gone; \
         fallocate -l 60M /proc/self/fd/$at 2>/dev/null || head -c 60000000 /dev/zero >&$at; done; sleep 50",
    );
}

#[test]
fn folders_without_end_are_removed() {
    let home = home("cd $TMPDIR; perl -e 'for (1..2500) { mkdir \"d\" and chdir \"d\" or exit 3 }'");
    home.json(&["dream", "--engine", "agent"]);
    assert_eq!(home.state.join("agent").read_dir().unwrap().count(), 0, "the staging copy is gone");
}

/// The supervisor is killed alone, so that it can end nothing.
#[test]
fn what_an_agent_started_ends_when_its_supervisor_is_killed() {
    let mark = 36_000 + u64::from(std::process::id() % 10_000);
    let words = format!("sleep {mark}");
    let home = home(&format!("(setsid {words} &); {words}"));
    let mut dream = home.command(&["dream", "--engine", "agent"]).spawn().unwrap();
    let end = Instant::now() + Duration::from_secs(30);
    while !running(&words).iter().any(|line| line.starts_with("sleep")) && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(20));
    }
    let children = format!("/proc/{0}/task/{0}/children", dream.id());
    let supervisor = fs::read_to_string(children).unwrap().trim().to_owned();
    assert!(Command::new("kill").args(["-KILL", &supervisor]).status().unwrap().success());
    assert!(!dream.wait().unwrap().success());
    assert!(running(&words).is_empty(), "{:?}", running(&words));
}

/// A limit of the size of files is a fault of the disk as any other, told in words, and no signal that ends all.
#[test]
fn a_limit_of_the_size_of_files_is_told() {
    let home = home("true");
    let limited = format!(
        "ulimit -f 8; exec {} remember 'Production listens on port 443.'",
        env!("CARGO_BIN_EXE_nidra")
    );
    let mut command = Command::new("/bin/bash");
    command.args(["-c", &limited]).env("NIDRA_HOME", home.root.join("small")).current_dir(&home.work);
    let output = command.output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("small") && told.contains("hint:"), "{told}");
}
