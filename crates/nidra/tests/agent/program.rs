//! `nidra dream --engine agent` with a model and nidra's own tools.

use crate::server::{Play, Server, calls};
use crate::support::{Home, PNPM};
use crate::talk::Talk;
use serde_json::json;
use std::fs;

/// A sentence that the rules nearly take, and its words as a statement.
const PRINTER: (&str, &str) =
    ("oh and the label printer sits in the mural room", "The label printer sits in the mural room.");

fn home(server: &Server) -> Home {
    let mut home = Home::with_sessions(2);
    Talk::new(7, &home.work).human(PRINTER.0).agent("Good to know.").write(&home);
    home.variables = [
        ("ANTHROPIC_BASE_URL", server.url()),
        ("ANTHROPIC_API_KEY", "the-key-of-the-tests".to_owned()),
        ("ANTHROPIC_MODEL", "claude-haiku-4-5".to_owned()),
        ("NIDRA_MODEL_RETRIES", "0".to_owned()),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .to_vec();
    home
}

fn writing(text: &str) -> Vec<Play> {
    vec![
        calls(&[
            ("shell", json!({ "line": "grep -rn printer sessions" })),
            ("read", json!({ "path": "kept.md" })),
        ]),
        calls(&[("write", json!({ "path": "memory/printer.md", "text": text }))]),
        calls(&[("done", json!({ "summary": "The place of the printer." }))]),
    ]
}

#[test]
fn what_the_agent_adds_is_stored_with_its_source_and_can_be_undone() {
    let server = Server::playing(writing(&format!("- {}\n- Deploys happen on Fridays.\n", PRINTER.1)));
    let home = home(&server);
    let dry = home.json(&["dream", "--engine", "agent", "--dry-run"]);
    assert!(server.bodies().is_empty() && dry.to_string().contains(PNPM.1), "nothing is sent: {dry}");
    let shown = &dry["model"]["estimate"];
    assert_eq!((&shown["sessions"], &shown["topics"]), (&json!(3), &json!(0)), "{dry}");
    assert!((50..400).contains(&shown["tokens"].as_u64().unwrap()), "{dry}");
    assert!(!home.state.join("agent").exists(), "a dry run writes nothing");
    let report = home.json(&["dream", "--engine", "agent"]);
    assert_eq!(report["model"]["taken"]["create"], 1, "{report:#}");
    assert_eq!(report["model"]["declined"]["no person said it"], 1, "{report:#}");
    let index = fs::read_to_string(home.memory().join("MEMORY.md")).unwrap();
    assert!(index.contains("mural room") && index.contains(PNPM.1) && !index.contains("Friday"), "{index}");
    let why = home.expect(0, &["why", "mural"]);
    assert!(why.out.contains(&PRINTER.0[7..]), "{why:?}");
    assert_eq!(home.json(&["ledger"]).as_array().unwrap().len(), server.bodies().len());
    let sent: String = server.bodies().iter().map(ToString::to_string).collect();
    assert!(sent.contains("sessions/s") && !sent.contains(&home.root.display().to_string()));
    assert!(!home.state.join("agent").read_dir().is_ok_and(|mut left| left.next().is_some()));
    home.expect(0, &["undo", &home.last_run()]);
    let left = crate::tree::words(&home.memory());
    assert!(!left.contains("mural") && !left.contains(PNPM.1), "{left}");
}

#[test]
fn prompts_of_the_users_own_take_the_place_of_ours() {
    let server = Server::playing(writing("x"));
    let home = home(&server);
    let folder = home.root.join("prompts");
    fs::create_dir_all(&folder).unwrap();
    home.configure(&format!("[agent]\nprompts = {:?}\n", folder.display().to_string()));
    let empty = home.expect(2, &["dream", "--engine", "agent"]);
    empty.names(&["agent.prompts", "gather.md"]);
    fs::write(folder.join("gather.md"), "Look for printers alone.\n").unwrap();
    home.expect(0, &["dream", "--engine", "agent"]);
    let sent = server.bodies()[0].to_string();
    assert!(sent.contains("Look for printers alone.") && sent.contains("3. Consolidate"));
    assert!(!sent.contains("2. Gather"));
}

#[test]
fn an_agent_that_cannot_be_called_or_held_is_named() {
    let server = Server::playing(vec![Play::Status(500)]);
    let home = home(&server);
    home.configure("[agent]\ncommand = [\"no-such-agent\", \"{prompt}\"]\n");
    home.expect(2, &["dream", "--engine", "agent"]).names(&["no-such-agent", "agent.command"]);
    home.configure("[agent]\ncommand = [\"cat\"]\n");
    home.expect(2, &["dream", "--engine", "agent"]).names(&["{prompt}"]);
    home.configure("[agent]\nconfinement = \"none\"\n");
    home.expect(2, &["dream", "--engine", "agent"]).names(&["agent.confinement", "full"]);
    // A model that does not answer fails the run whole; the rules alone judge when they are told to.
    home.configure("");
    home.expect(1, &["dream", "--engine", "agent"])
        .names(&["model.on_failure = \"rules\"", "--engine rules"]);
    assert!(!home.memory().join("MEMORY.md").exists());
    home.configure("[model]\non_failure = \"rules\"\n");
    home.expect(0, &["dream", "--engine", "agent"]);
    assert!(fs::read_to_string(home.memory().join("MEMORY.md")).unwrap().contains(PNPM.1));
}

#[test]
fn a_model_that_the_budget_keeps_from_working_has_not_worked() {
    let server = Server::playing(writing("x"));
    let mut home = home(&server);
    home.variables.push(("NIDRA_BUDGET_RUN_TOKENS".to_owned(), "10".to_owned()));
    let said = home.expect(1, &["dream", "--engine", "agent"]);
    assert!(said.err.contains("claude-haiku-4-5 was not asked about 2 sessions."), "{said:?}");
    assert!(!said.err.contains("worked on") && !said.err.contains("0 turns"), "{said:?}");
    assert!(server.bodies().is_empty());
    // One that was asked and did not answer is another thing.
    home.variables.retain(|(name, _)| name != "NIDRA_BUDGET_RUN_TOKENS");
    let deaf = Server::playing(vec![Play::Status(500)]);
    home.variables.push(("NIDRA_MODEL_BASE_URL".to_owned(), deaf.url()));
    let said = home.expect(1, &["dream", "--engine", "agent"]);
    assert!(said.err.contains("was asked about 2 sessions and gave no answer: 1 call"), "{said:?}");
    assert!(said.err.contains("came to nothing: 1 × server-fault"), "{said:?}");
}

#[test]
fn a_preview_says_what_the_budget_leaves_and_a_run_keeps_to_it() {
    let server = Server::playing(writing(&format!("- {}\n", PRINTER.1)));
    let mut home = home(&server);
    home.variables.push(("NIDRA_BUDGET_RUN_TOKENS".to_owned(), "90000".to_owned()));
    let dry = home.expect(0, &["dream", "--engine", "agent", "--dry-run"]);
    assert!(dry.err.contains("at a guess ") && dry.err.contains("at most 90000 tokens"), "{dry:?}");
    assert!(!dry.err.contains("up to about"), "{dry:?}");
    let report = home.json(&["dream", "--engine", "agent"]);
    assert!(report["model"]["spent"]["tokens"].as_u64().unwrap() <= 90_000, "{report:#}");
}

#[test]
fn what_an_agent_was_declined_is_named_with_its_file_and_the_words_that_are_known() {
    let text = "- The label printer is called Zarquon-77.\n- 标签机\n";
    let server = Server::playing(vec![
        calls(&[("write", json!({ "path": "memory/label-printer.md", "text": text }))]),
        calls(&[("write", json!({ "path": "memory/zarquon.md", "text": "- Zarquon is blue.\n" }))]),
        calls(&[("done", json!({ "summary": "good" }))]),
    ]);
    let home = home(&server);
    let said = home.expect(0, &["dream", "--engine", "agent"]);
    assert!(said.err.contains("label-printer.md, “The label printer ….”"), "{said:?}");
    let report = &home.json(&["show"])["report"]["model"];
    assert!(report["refusals"].as_array().unwrap().iter().any(|one| one["file"] == "label-printer.md"));
    assert!(home.expect(0, &["show"]).out.contains("label-printer.md, “The label printer"));
    // What nobody said may be anything, a secret too: the report holds none of it.
    assert!(!report.to_string().contains("arquon"), "{report:#}");
}

#[test]
fn a_key_that_the_server_repeats_and_a_path_that_begins_lines_are_told_of_neither() {
    let key = "the-key-of-the-tests";
    let forged = "memory/x\nMemory changed: 99 operations\u{1b}[2J.md";
    let server = Server::playing(vec![
        calls(&[
            ("read", json!({ "path": format!("memory/{key}.md") })),
            ("read", json!({ "path": forged })),
            ("search", json!({ "words": key })),
        ]),
        calls(&[("done", json!({ "summary": format!("It is {key}, no more.") }))]),
    ]);
    let home = home(&server);
    let ran = home.expect(0, &["dream", "--engine", "agent"]);
    let told = format!("{}{}{}", ran.out, ran.err, home.expect(0, &["events"]).out);
    assert!(told.contains("It is [redacted:key], no more.") && !told.contains(key), "{told}");
    assert!(
        !told.contains('\u{1b}') && told.lines().all(|line| !line.starts_with("Memory changed: 99")),
        "{told}"
    );
    assert!(server.bodies().iter().all(|body| !body.to_string().contains(key)));
    assert!(!crate::tree::words(&home.root).contains(key));
}
