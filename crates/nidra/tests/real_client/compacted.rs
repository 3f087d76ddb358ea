//! A compacted transcript is one that the client resumes: it reads it, sends what was kept, and goes on.

use crate::{
    client::{Client, Session},
    scene::Scene,
    script::{Script, bash, say},
};
use std::{fmt::Write as _, fs};

const FIRST: &str = "Look at the list twice.";
const RULE: &str = "From now on always deploy with `just ship`, never by hand.";
const THANKS: &str = "Thanks, that is all for now.";
const LAST: &str = "Tell me the size of the list.";
const NEXT: &str = "Go on from here.";

/// Each level in a session of its own.
pub(crate) fn compacted_sessions_resume(client: &Client) {
    for level in ["micro", "session", "deep"] {
        let scene = Scene::new();
        let mut list = String::new();
        for number in 0..300 {
            let _ = writeln!(list, "order {number} of the long list was shipped from the northern depot");
        }
        scene.write("list.txt", &list);
        let turns =
            vec![bash("I look.", "cat list.txt"), bash("Once more.", "cat list.txt"), say("Seen twice.")];
        scene.model.play(Script::new(FIRST, turns));
        scene.model.play(Script::reply(RULE, "Understood."));
        scene.model.play(Script::reply(THANKS, "You are welcome."));
        scene.model.play(Script::reply(LAST, "Three hundred lines."));
        scene.model.play(Script::reply(NEXT, "Going on."));

        let id = "00000000-0000-4000-8000-000000000007";
        let directory = scene.repository();
        let say = |prompt, resume| {
            scene
                .with_stage(|stage| client.run(stage, &Session { directory: &directory, id, resume, prompt }))
        };
        for (number, prompt) in [FIRST, RULE, THANKS, LAST].into_iter().enumerate() {
            say(prompt, number > 0);
        }
        let size =
            |scene: &Scene| scene.model.bodies().last().map_or(0, |body| body["messages"].to_string().len());
        let before = size(&scene);
        let transcript = scene.project_folder().join(format!("{id}.jsonl"));
        let shorter = scene.home().join("shorter.jsonl");
        let (from, to) = (transcript.to_str().expect("text"), shorter.to_str().expect("text"));
        let answer = scene.nidra_json(&["compact", from, "--level", level, "-o", to]);
        assert!(answer["after"].as_u64() < answer["before"].as_u64(), "{level}: {answer}");
        fs::copy(&shorter, &transcript).expect("putting the compacted transcript in its place");

        let result = say(NEXT, true);
        assert_eq!(result["result"], "Going on.", "client {}, {level}", client.version);
        let body = scene.model.bodies().last().map(ToString::to_string).unwrap_or_default();
        assert!(body.contains("just ship"), "client {}, {level}: the rule reaches the model", client.version);
        assert!(body.contains(LAST), "client {}, {level}: the last turn reaches the model", client.version);
        let after = size(&scene);
        assert!(after < before, "client {}, {level}: {after} of {before} bytes", client.version);
    }
}
