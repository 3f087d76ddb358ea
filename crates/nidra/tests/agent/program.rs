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
