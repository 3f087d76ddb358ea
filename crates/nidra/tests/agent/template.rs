//! An agent of one's own by a template: here a shell, which does what a script says.

use crate::confined::running;
use crate::support::{Home, PNPM};
use crate::talk::Talk;
use serde_json::json;
use std::fs::{File, FileTimes};
use std::process::Command;
use std::time::{Duration, Instant, SystemTime};

/// A sentence that the rules nearly take, and its words as a statement.
const PRINTER: (&str, &str) =
    ("oh and the label printer sits in the mural room", "The label printer sits in the mural room.");

fn home(script: &str) -> Home {
    let home = Home::with_sessions(2);
    Talk::new(7, &home.work).human(PRINTER.0).agent("Good to know.").write(&home);
    let command = json!(["/bin/bash", "-c", script, "agent", "{prompt}"]);
    home.configure(&format!(
        "[agent]\ncommand = {command}\nprograms = [\"/usr/bin\", \"/bin\"]\ntimeout_seconds = 60\n"
    ));
    home
}

fn memory(home: &Home) -> String {
    crate::tree::words(&home.memory())
}

#[test]
fn an_agent_of_ones_own_gets_the_prompt_and_its_changes_pass_the_guard() {
    let script = format!(
        "printf '%s' \"$1\" | grep -q 'Prune and index' || exit 9; \
         grep -q mural sessions/*.txt && grep -q pnpm kept.md || exit 8; \
         printf -- '- {}\\n- Deploys happen on Fridays.\\n' > memory/printer.md; echo The printer is noted.",
        PRINTER.1
    );
    let home = home(&script);
    let report = home.json(&["dream", "--engine", "agent"]);
    assert_eq!(report["model"]["stopped"], serde_json::Value::Null, "{report:#}");
    assert_eq!(report["model"]["said"], "The printer is noted.");
    assert_eq!(report["model"]["taken"]["create"], 1, "{report:#}");
    let memory = memory(&home);
    assert!(
        memory.contains("mural room") && memory.contains(PNPM.1) && !memory.contains("Friday"),
        "{memory}"
    );
}

#[test]
fn the_doctor_says_whether_an_agent_can_be_called_and_held() {
    let home = home("true");
    let found = |home: &Home| {
        let answer = home.nidra(&["doctor", "--json"]).json();
        answer.as_array().unwrap().iter().find(|one| one["what"] == "agent").cloned()
    };
    assert_eq!(found(&home).unwrap()["state"], "fine");
    home.configure("[agent]\ncommand = [\"no-such-agent\", \"{prompt}\"]\n");
    let fault = found(&home).unwrap();
    assert_eq!(fault["state"], "fault");
    assert!(fault["message"].as_str().unwrap().contains("no-such-agent"), "{fault}");
    home.configure("");
    assert_eq!(found(&home), None);
}

#[test]
fn an_agent_that_fails_at_once_leaves_the_sessions_and_says_how() {
    let home = home("echo out of cheese >&2; exit 3");
    home.expect(1, &["dream", "--engine", "agent"]).names(&["code 3", "out of cheese"]);
    assert!(!memory(&home).contains(PNPM.1));
    assert!(home.json(&["sessions"]).as_array().unwrap().iter().all(|session| session["state"] == "waiting"));
    // By setting, the rules alone judge instead.
    let mut said = home.command(&["dream", "--engine", "agent"]);
    assert!(said.env("NIDRA_MODEL_ON_FAILURE", "rules").output().unwrap().status.success());
    assert!(memory(&home).contains(PNPM.1));
}

#[test]
fn what_an_agent_changed_before_it_failed_counts() {
    let home = home("echo '- Whatever it is, nobody said it.' > memory/x.md; echo out of cheese >&2; exit 3");
    let report = home.json(&["dream", "--engine", "agent"]);
    let stopped = report["model"]["stopped"].as_str().unwrap();
    assert!(stopped.contains("code 3") && stopped.contains("out of cheese"), "{stopped}");
    assert!(memory(&home).contains(PNPM.1));
}

#[test]
fn an_agent_that_wrecks_its_copy_wrecks_nothing_else() {
    let home = home(
        "rm -rf memory/* sessions kept.md; ln -s /etc/passwd memory/x.md; mkfifo memory/y.md; head -c 9000000 /dev/zero > memory/z.md; chmod 0 memory; true",
    );
    home.remember("MEMORY.md", "- [ports](ports.md) — where things listen\n");
    home.remember("ports.md", "Production listens on port 443.\n");
    home.json(&["dream", "--engine", "agent"]);
    let memory = memory(&home);
    assert!(memory.contains("Production listens on port 443.") && memory.contains(PNPM.1), "{memory}");
    assert!(!home.state.join("agent").read_dir().unwrap().any(|_| true), "the staging copy is gone");
}

#[test]
fn a_run_that_is_stopped_ends_the_agent_and_leaves_memory_as_it_was() {
    let mark = 16_000 + u64::from(std::process::id() % 10_000);
    let words = format!("sleep {mark}");
    let home = home(&format!("trap '' TERM INT HUP; (setsid {words} &); {words}; {words}"));
    let mut dream = home.command(&["dream", "--engine", "agent"]).spawn().unwrap();
    let end = Instant::now() + Duration::from_secs(30);
    while !running(&words).iter().any(|line| line.starts_with("sleep")) && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(20));
    }
    let process = dream.id().to_string();
    assert!(Command::new("kill").args(["-INT", &process]).status().unwrap().success());
    let status = dream.wait().unwrap();
    assert!(!status.success(), "{status:?}");
    assert!(running(&words).is_empty(), "{:?}", running(&words));
    assert!(!memory(&home).contains(PNPM.1));
    assert_eq!(home.state.join("agent").read_dir().unwrap().count(), 0, "the staging copy is gone");
}

#[test]
fn when_nidra_is_killed_the_agent_ends_and_the_next_dream_is_as_if_nothing_had_been() {
    let mark = 26_000 + u64::from(std::process::id() % 10_000);
    let words = format!("sleep {mark}");
    let home = home(&format!("trap '' TERM INT HUP; (setsid {words} &); {words}; {words}"));
    let mut dream = home.command(&["dream", "--engine", "agent"]).spawn().unwrap();
    let end = Instant::now() + Duration::from_secs(30);
    let sleeping = || running(&words).iter().any(|line| line.starts_with("sleep"));
    while !sleeping() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(sleeping(), "the agent works");
    dream.kill().unwrap();
    dream.wait().unwrap();
    let end = Instant::now() + Duration::from_secs(20);
    while !running(&words).is_empty() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(running(&words).is_empty(), "{:?}", running(&words));
    assert!(!memory(&home).contains(PNPM.1));
    assert_eq!(home.state.join("agent").read_dir().unwrap().count(), 1, "a killed run leaves its copy");
    // The tests' clock is not the machine's, so what was left is put two days before it.
    let left = home.state.join("agent").read_dir().unwrap().next().unwrap().unwrap().path();
    let now: jiff::Timestamp = home.now.parse().unwrap();
    let then = SystemTime::try_from(now).unwrap() - Duration::from_secs(48 * 60 * 60);
    File::open(left).unwrap().set_times(FileTimes::new().set_modified(then)).unwrap();
    home.configure(
        "[agent]\ncommand = [\"/bin/bash\", \"-c\", \"true\", \"{prompt}\"]\nprograms = [\"/usr/bin\"]\n",
    );
    home.expect(0, &["dream", "--engine", "agent"]);
    assert!(memory(&home).contains(PNPM.1));
    assert_eq!(home.state.join("agent").read_dir().unwrap().count(), 0, "and the next day's run removes it");
}
