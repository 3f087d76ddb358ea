//! Assistant mode: daily logs that only grow, and a dream of their own that distils them. What an agent noted is the
//! agent's word, not the person's.

use crate::support::{Home, PNPM};
use crate::talk::Talk;
use crate::tree;
use std::fs;
use std::path::PathBuf;

fn log(home: &Home) -> PathBuf {
    home.memory().join("logs/2026/12/2026-12-01.md")
}

/// A home whose client works as an assistant, with this log of today.
fn assistant(text: &str) -> Home {
    let home = Home::with_sessions(1);
    home.client_settings(r#"{ "assistant": true }"#);
    home.remember("logs/2026/12/2026-12-01.md", text);
    home
}

const TODAY: &str = "# 2026-12-01\n\n\
    - 01:10 We decided that the staging database lives at db-stage.internal:5433, because 5432 is taken.\n\
    - 01:30 > From now on never deploy on Fridays, please.\n\
    - 02:00 我们决定预发网关用 8443 端口，因为 443 被占了。\n\
    - 03:00 ran the tests, all green\n\
    - 03:05 The user always wants commit messages in the imperative.\n";

#[test]
fn a_log_is_distilled_and_the_sessions_stay_out() {
    let home = assistant(TODAY);
    home.expect(0, &["dream", "--auto"]);
    let memory = tree::words(&home.memory());
    let (index, before) =
        (fs::read_to_string(home.memory().join("MEMORY.md")).unwrap(), fs::read(log(&home)).unwrap());
    assert!(index.contains("5433") && index.contains("8443") && index.contains("Friday"), "{index}");
    assert!(!memory.contains(PNPM.1), "the ordinary dream stays out");
    assert!(!index.contains("all green"), "{index}");
    assert_eq!(String::from_utf8(before).unwrap(), TODAY, "a log is never changed");
    assert_eq!(home.json(&["log"])[0]["engine"], "notes");
    // Who said it decides how far it goes: the person's line is a rule, the agent's word about the person waits.
    let why = home.json(&["why", "Friday"]);
    assert_eq!(why["rank"], "human-verbatim", "{why}");
    assert_eq!(why["last_said"], "2026-11-30T17:30:00Z");
    assert_eq!(home.json(&["why", "5433"])["rank"], "agent-inferred");
    assert!(!index.contains("imperative"), "{index}");
    // Nothing new, nothing done; a new line is read, and it alone.
    home.expect(0, &["dream"]);
    assert_eq!(fs::read_to_string(home.memory().join("MEMORY.md")).unwrap(), index);
    fs::write(log(&home), format!("{TODAY}- 03:30 We chose Postgres 16 for the archive.\n")).unwrap();
    home.expect(0, &["dream"]);
    assert!(fs::read_to_string(home.memory().join("MEMORY.md")).unwrap().contains("Postgres 16"));
    // It is undone like any other run.
    home.expect(0, &["undo"]);
    assert_eq!(fs::read_to_string(home.memory().join("MEMORY.md")).unwrap(), index);
}

#[test]
fn logs_of_two_days_are_distilled_together_although_their_lines_stand_at_the_same_places() {
    let home = assistant("- 10:00 > From now on never deploy on Fridays, please.\n");
    let other = "- 09:10 We decided that the staging database lives at db-stage.internal:5433, because 5432 is taken.\n";
    home.remember("logs/2026/11/2026-11-30.md", other);
    home.expect(0, &["dream"]);
    let index = fs::read_to_string(home.memory().join("MEMORY.md")).unwrap();
    assert!(index.contains("5433") && index.contains("Friday"), "{index}");
    assert_eq!(home.json(&["why", "Friday"])["rank"], "human-verbatim");
    assert_eq!(home.json(&["why", "5433"])["rank"], "agent-inferred");
}

#[test]
fn notes_are_appended_by_people_and_agents_alike() {
    let mut home = Home::with_sessions(1);
    home.expect(0, &["note", "staging", "moved", "to", "port", "4310"]);
    home.expect(0, &["note", "--agent", "the build takes 12 minutes"]);
    home.variables.push(("CLAUDECODE".to_owned(), "1".to_owned()));
    home.expect(0, &["note", "网关端口改成 8443"]);
    let text = fs::read_to_string(log(&home)).unwrap();
    assert_eq!(
        text,
        "- 04:00 > staging moved to port 4310\n- 04:00 the build takes 12 minutes\n- 04:00 网关端口改成 8443\n"
    );
    home.expect(2, &["note", "  "]);
    home.expect(2, &["note", "> >"]);
    // Assembled here, so that no scanner takes it for a real one.
    let secret = format!("ghp_{}", "aB3dE5fG7h".repeat(4).get(..36).unwrap());
    let said = home.expect(0, &["note", &format!("the token is {secret}")]);
    assert!(said.err.contains("looks like a secret"), "{said:?}");
    assert!(!tree::words(&home.root).contains(&secret));
    home.expect(2, &["task", "register", &secret, "goal", "step"]);
    assert!(!tree::words(&home.root).contains(&secret));
    fs::write(log(&home), &text).unwrap();
    // Without assistant mode the logs are read on request, and the ordinary dream leaves them alone.
    home.expect(0, &["dream"]);
    let memory = fs::read_to_string(home.memory().join("MEMORY.md")).unwrap();
    assert!(memory.contains(PNPM.1) && !memory.contains("4310"), "{memory}");
    home.expect(0, &["dream", "--logs"]);
    assert!(fs::read_to_string(home.memory().join("MEMORY.md")).unwrap().contains("4310"));
    assert_eq!(fs::read_to_string(log(&home)).unwrap(), text);
}

#[test]
fn a_note_never_overrules_what_the_person_said() {
    let home = Home::new();
    Talk::new(1, &home.work)
        .human("Remember: the API listens on port 8080 in development.")
        .agent("ok")
        .write(&home);
    home.expect(0, &["dream"]);
    home.remember("logs/2026/12/2026-12-01.md", "- 01:00 The API listens on port 9090 in development.\n");
    home.expect(0, &["dream", "--logs"]);
    let index = fs::read_to_string(home.memory().join("MEMORY.md")).unwrap();
    assert!(index.contains("8080"), "{index}");
}

#[test]
fn a_log_that_leads_elsewhere_is_neither_read_nor_written() {
    let home = Home::with_sessions(1);
    let outside = home.root.join("outside.md");
    fs::write(&outside, "- 01:00 We decided to use port 6666 for the relay.\n").unwrap();
    fs::create_dir_all(log(&home).parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(&outside, log(&home)).unwrap();
    home.expect(0, &["dream", "--logs"]);
    assert!(!tree::words(&home.memory()).contains("6666 for") || !home.memory().join("MEMORY.md").exists());
    home.expect(3, &["note", "x"]);
    assert!(!fs::read_to_string(&outside).unwrap().contains("- 20:00"));
}

#[test]
fn the_mark_of_a_persons_words_stands_once_and_no_agent_sets_it() {
    let home = Home::with_sessions(1);
    home.expect(0, &["note", "> staging moved to port 4310"]);
    home.expect(0, &["note", ">>", "the relay", ">", "the gateway"]);
    home.expect(0, &["note", "--agent", "> From now on never deploy on Fridays, please."]);
    assert_eq!(
        fs::read_to_string(log(&home)).unwrap(),
        "- 04:00 > staging moved to port 4310\n- 04:00 > the relay > the gateway\n\
         - 04:00 From now on never deploy on Fridays, please.\n"
    );
}

#[test]
fn a_dream_over_logs_speaks_of_logs() {
    let home = Home::new();
    let none = home.expect(0, &["dream", "--logs"]);
    assert!(none.err.contains("there are no daily logs") && !none.err.contains("session"), "{none:?}");
    home.remember("logs/2026/12/2026-12-01.md", TODAY);
    let said = home.expect(0, &["dream", "--logs"]);
    assert!(said.err.contains("1 daily log with new turns") && !said.err.contains("session"), "{said:?}");
    assert!(!said.out.contains("session"), "{said:?}");
    let again = home.expect(0, &["dream", "--logs"]);
    assert!(again.err.contains("all daily logs were read before"), "{again:?}");
    let shown = home.expect(0, &["show"]);
    assert!(shown.out.contains("log 2026/12/2026-12-01 used") && !shown.out.contains("session"), "{shown:?}");
}
