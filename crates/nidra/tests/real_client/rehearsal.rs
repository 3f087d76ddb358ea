//! The harness on its own: the client plays the scripts, runs hooks and reads memory. When this fails, the story's
//! failure says nothing about nidra.

use crate::{
    client::{Client, Session},
    scene::Scene,
    script::{Script, bash, say, tool},
};
use serde_json::json;
use std::fs;

const FIRST: &str = "Show the last commits.";
const DELEGATE: &str = "Let a helper look for the release script.";
const HELPER: &str = "Find the release script.";

/// A session with a tool, a resumed turn, a sub-agent, shell hooks at both ends and an index to load.
pub(crate) fn client_plays_its_scripts(client: &Client) {
    let scene = Scene::new();
    let log = scene.home().join("hooks.log");
    let note = |event: &str| json!([{ "hooks": [{ "type": "command", "command": format!("cat >> '{}'; echo >> '{}'; echo heard {event}", log.display(), log.display()) }] }]);
    let settings = json!({ "hooks": { "SessionStart": note("start"), "SessionEnd": note("end") } });
    fs::write(scene.settings(), settings.to_string()).expect("writing the client's settings");
    fs::create_dir_all(scene.memory()).expect("the memory directory");
    fs::write(scene.memory().join("MEMORY.md"), "- [发布](release.md) — 周四发布\n")
        .expect("writing an index");

    scene.model.play(Script::new(FIRST, vec![bash("I look.", "git log --oneline"), say("One commit.")]));
    let call = json!({
        "description": "Find the release script", "subagent_type": "general-purpose", "prompt": HELPER,
        "run_in_background": false,
    });
    scene.model.play(Script::new(DELEGATE, vec![tool("Agent", call), say("There is none.")]));
    scene.model.play(Script::new(HELPER, vec![bash("I list.", "ls"), say("No release script here.")]));

    let id = "00000000-0000-4000-8000-000000000001";
    let directory = scene.repository();
    let session = |prompt, resume| Session { directory: &directory, id, resume, prompt };
    let first = scene.with_stage(|stage| client.run(stage, &session(FIRST, false)));
    assert_eq!(first["result"], "One commit.");
    let second = scene.with_stage(|stage| client.run(stage, &session(DELEGATE, true)));
    assert_eq!(second["result"], "There is none.");

    let bodies = scene.model.bodies();
    let sent = |words: &str| bodies.iter().any(|body| body.to_string().contains(words));
    assert!(sent("Start the order service"), "the shell's output reaches the model");
    assert!(sent("No release script here."), "the sub-agent's answer reaches the agent");
    assert!(sent("heard start"), "what a hook prints at the start reaches the model");
    assert!(sent("周四发布"), "the index of the memory directory reaches the model");
    let heard = fs::read_to_string(&log).expect("the hooks' log");
    assert_eq!(heard.matches("\"SessionStart\"").count(), 2, "{heard}");
    assert_eq!(heard.matches("\"SessionEnd\"").count(), 2, "{heard}");
    let transcript = scene.project_folder().join(format!("{id}.jsonl"));
    assert!(transcript.is_file(), "{} holds the session", transcript.display());
    assert!(
        scene.project_folder().join(id).join("subagents").is_dir(),
        "the sub-agent has its own transcript"
    );
}
