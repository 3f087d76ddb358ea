//! Secrets of every kind that is known, planted in the talk, in memory, in names of files and in what the model writes:
//! none is ever sent, planned or told.

use crate::server::{Play, Server};
use crate::setup::Setup;
use crate::talk::talk;
use nidra_core::Progress;
use nidra_core::text::redact::{self, sample::Generator};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// A sentence that only the agent keeps, so that there is a plan to look at.
const MURAL: &str = "oh and the label printer sits in the mural room";
/// Secrets that are planted in one world; so many are listed at once, and so many files are named at once.
const AT_ONCE: usize = 8;

/// A sample of each kind: the text with it, and the secrets in it.
fn samples() -> Vec<(&'static str, String, Vec<String>)> {
    let mut generator = Generator::new(20_261_202);
    let mut found = Vec::new();
    for rule in redact::samples() {
        for template in rule.positive {
            let sample = generator.sample(template);
            let secrets = sample.secrets.iter().map(|range| sample.text[range.clone()].to_owned()).collect();
            found.push((rule.rule, sample.text, secrets));
        }
    }
    found
}

/// Whether a text can be the name of a file.
fn is_name(text: &str) -> bool {
    text.len() <= 90 && !text.starts_with(['.', '-']) && !text.contains(['/', '\0', '\n', '\r', '\\'])
}

/// Every string of a value, as it reads without escapes, and what strings of JSON within it hold.
fn strings(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => {
            if let Ok(inner @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(text) {
                strings(&inner, found);
            }
            found.push(text.clone());
        }
        Value::Array(values) => values.iter().for_each(|value| strings(value, found)),
        Value::Object(fields) => {
            for (key, value) in fields {
                found.push(key.clone());
                strings(value, found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The calls by which a model looks at all that there is, and writes what it was never shown.
fn turns(echoes: &[String]) -> Vec<Vec<(&'static str, Value)>> {
    let mut turns = vec![
        vec![
            ("list", json!({})),
            ("shell", json!({ "line": "cat kept.md memory/MEMORY.md sessions/s1.txt" })),
            ("shell", json!({ "line": "find . -type f" })),
            ("shell", json!({ "line": "grep -rn . memory sessions kept.md" })),
            ("shell", json!({ "line": "head -n 3 memory/*.md" })),
            ("read", json!({ "path": "sessions/s1.txt" })),
            ("search", json!({ "words": "deploy" })),
            ("read", json!({ "path": "kept.md" })),
        ],
        vec![(
            "write",
            json!({ "path": "memory/printer.md", "text": "- The label printer sits in the mural room.\n" }),
        )],
    ];
    for echo in echoes {
        turns.push(vec![
            ("search", json!({ "words": echo })),
            ("shell", json!({ "line": format!("echo '{}'", echo.replace('\'', "'\"'\"'")) })),
            ("write", json!({ "path": "memory/echo.md", "text": format!("- {echo}\n- The label printer: {echo}\n") })),
            ("edit", json!({ "path": "memory/printer.md", "old": "mural", "new": echo })),
            ("write", json!({ "path": format!("memory/{echo}.md"), "text": format!("---\nname: {echo}\ndescription: {echo}\n---\n\n- The label printer sits in the mural room now.\n") })),
            ("shell", json!({ "line": "cat memory/echo.md" })),
            (Box::leak(echo.clone().into_boxed_str()), json!({ echo: echo, "password": echo })),
        ]);
    }
    turns
}

fn leaks(texts: &[String], secrets: &[(&'static str, String)]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (rule, secret) in secrets {
        let small = secret.to_lowercase();
        for text in texts {
            // A file's name is made of small letters.
            if text.contains(secret.as_str()) || (secret.len() >= 16 && text.to_lowercase().contains(&small))
            {
                let (before, after) = text.split_once(secret.as_str()).unwrap_or_default();
                let before: Vec<char> = before.chars().collect();
                let before: String = before[before.len().saturating_sub(60)..].iter().collect();
                let after: String = after.chars().take(60).collect();
                found.insert(format!("{rule}: {before:?} {secret:?} {after:?}"));
            }
        }
    }
    found
}

#[test]
fn pub_sec_01_no_planted_secret_is_sent_or_kept_by_way_of_an_agent() {
    let all = samples();
    let mut planted = 0;
    let mut leaked = BTreeSet::new();
    for (number, batch) in all.chunks(AT_ONCE).enumerate() {
        let secrets: Vec<(&'static str, String)> = batch
            .iter()
            .flat_map(|(rule, _, secrets)| secrets.iter().map(|secret| (*rule, secret.clone())))
            .collect();
        planted += secrets.len();
        let mut files = vec![
            ("MEMORY.md".to_owned(), String::new()),
            ("ports.md".to_owned(), "Production listens on port 443.\n".to_owned()),
        ];
        for (at, (_, text, _)) in batch.iter().enumerate() {
            files.push((format!("deploy-{at}.md"), format!("- Deploying needs this: {text}\n")));
            let line = text.replace('\n', " ");
            writeln!(files[0].1, "- [deploy {at}](deploy-{at}.md) — {line}").unwrap();
            if is_name(text) {
                files.push((format!("{text}.md"), "- Deploying happens on Mondays.\n".to_owned()));
                writeln!(files[0].1, "- [on mondays]({text}.md) — Deploying happens on Mondays.").unwrap();
            }
        }
        let files: Vec<(&str, &str)> =
            files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        // As a dream hands the talk to an engine.
        let said: Vec<String> = batch
            .iter()
            .map(|(_, text, _)| {
                redact::redact(&format!(
                    "From now on always deploy with this in our repository, remember: {text}"
                ))
            })
            .collect();
        let said: Vec<&str> = said.iter().map(String::as_str).chain([MURAL]).collect();
        let echoes: Vec<String> = batch.iter().map(|(_, text, _)| text.clone()).collect();
        for openai in [false, true] {
            let mut setup = Setup::new(&files);
            setup.openai = openai;
            setup.limits.input_tokens = 1_000_000;
            setup.limits.turns = 60;
            setup.budget.run_tokens = u32::MAX;
            setup.budget.run_requests = 1_000;
            let before = setup.tree();
            let script = turns(&echoes);
            let last = echoes.join("\n");
            let server = Server::start(move |at, _| match script.get(at) {
                // The last turn of those that act says them all.
                Some(calls) => Play::Say(Box::leak(last.clone().into_boxed_str()), calls.clone()),
                None => Play::Say("", vec![("done", json!({ "summary": last }))]),
            });
            let ran = setup.run(&server, &[talk("a", &said)]);
            let mut texts = Vec::new();
            for body in server.bodies() {
                texts.push(body.to_string());
                strings(&body, &mut texts);
            }
            leaked.extend(leaks(&texts, &secrets).into_iter().map(|leak| format!("sent: {leak}")));
            // The rules' own plan is looked at with theirs; what the agent adds to it holds none.
            let (outcome, rules) = (ran.outcome.as_ref().unwrap(), ran.rules.operations.len());
            let mut kept: Vec<String> = ran.summary.lines();
            strings(&serde_json::to_value(&outcome.operations[rules..]).unwrap(), &mut kept);
            strings(&serde_json::to_value(&ran.summary).unwrap(), &mut kept);
            for told in &ran.told {
                match told {
                    Progress::Says { text } => kept.push(text.clone()),
                    Progress::Uses { tool, path, .. } => {
                        kept.extend([tool.clone(), path.clone().unwrap_or_default()]);
                    }
                    other => kept.push(format!("{other:?}")),
                }
            }
            leaked.extend(leaks(&kept, &secrets).into_iter().map(|leak| format!("kept: {leak}")));
            assert_eq!(setup.tree(), before, "the live memory is as it was");
            assert!(server.bodies().len() > 3, "batch {number}: {:?}", ran.summary);
            assert!(texts.iter().any(|text| text.contains("mural room")), "the talk itself was shown");
        }
    }
    assert!(planted > 100, "{planted}");
    assert!(
        leaked.is_empty(),
        "{} leaks:\n{}",
        leaked.len(),
        leaked.into_iter().collect::<Vec<_>>().join("\n")
    );
}

#[test]
fn what_a_provider_or_a_users_prompt_says_is_redacted_too() {
    let key = format!("ghp_{}", "a1B2c3D4e5".repeat(4).get(..36).unwrap());
    let mut setup = Setup::new(&[("MEMORY.md", "")]);
    setup.prompts.replace("gather", format!("Look at the mirror with {key}."));
    let server = Server::playing(vec![Play::Fails(
        400,
        Box::leak(format!("no such thing as {key}").into_boxed_str()),
    )]);
    let ran = setup.run(&server, &[talk("a", &[MURAL])]);
    let fault = format!("{:?} {:?}", ran.outcome.as_ref().err(), ran.summary);
    assert!(fault.contains("no such thing") && !fault.contains(&key), "{fault}");
    let sent: String = server.bodies().iter().map(ToString::to_string).collect();
    assert!(sent.contains("Look at the mirror with") && !sent.contains(&key), "{sent}");
}
