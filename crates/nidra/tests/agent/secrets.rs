//! Secrets of every kind that is known, in the talk, in memory, in names of files and on the agent's lips: after whole
//! dreams none stands in a request, in memory where it did not stand before, in the state directory, or on the screen.

use crate::server::{Play, Server, calls};
use crate::support::Home;
use crate::talk::Talk;
use nidra_core::text::redact::{self, sample::Generator};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// A sentence that the rules nearly take, and its words as a statement.
const PRINTER: (&str, &str) =
    ("oh and the label printer sits in the mural room", "The label printer sits in the mural room.");
/// Samples that are planted in one home.
const AT_ONCE: usize = 60;

/// A text with a secret of some kind.
struct Planted {
    text: String,
    secrets: Vec<String>,
}

fn planted() -> Vec<Planted> {
    let mut generator = Generator::new(20_261_203);
    let templates = redact::samples().flat_map(|rule| rule.positive.iter());
    templates
        .map(|template| {
            let sample = generator.sample(template);
            let secrets = sample.secrets.iter().map(|range| sample.text[range.clone()].to_owned()).collect();
            Planted { text: sample.text, secrets }
        })
        .collect()
}

/// A home whose sessions and memory hold all of these.
fn home(planted: &[Planted]) -> Home {
    let home = Home::with_sessions(2);
    let mut talk = Talk::new(7, &home.work).human(PRINTER.0).agent("Good to know.");
    let mut index = String::new();
    for (at, one) in planted.iter().enumerate() {
        talk = talk
            .human(&format!("From now on always deploy with this in our repository, remember: {}", one.text))
            .agent(&format!("I use {} then.", one.text));
        home.remember(&format!("deploy-{at}.md"), &format!("- Deploying needs this: {}\n", one.text));
        writeln!(index, "- [deploy {at}](deploy-{at}.md) — {}", one.text.replace('\n', " ")).unwrap();
        if let Some(name) = one.secrets.first().filter(|name| is_name(name)) {
            home.remember(&format!("{name}.md"), "- Deploying happens on Mondays.\n");
            writeln!(index, "- [on mondays]({name}.md) — Deploying happens on Mondays.").unwrap();
        }
    }
    talk.write(&home);
    home.remember("MEMORY.md", &index);
    home
}

/// Whether a secret can be a file's name that memory takes, and is one by itself.
fn is_name(text: &str) -> bool {
    let tells = !redact::find(text).is_empty()
        || (text.len() > 30 && text.bytes().any(|byte| byte.is_ascii_uppercase()));
    text.len() <= 100
        && tells
        && text.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_".contains(letter))
}

/// How often each secret stands below a folder, in names and bytes.
fn standing(folder: &Path, secrets: &[&String]) -> Vec<usize> {
    let mut counts = vec![0; secrets.len()];
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            // Snapshots hold memory as it was.
            if path.is_dir() && entry.file_name() != "objects" {
                folders.push(path.clone());
            }
            let bytes = fs::read(&path).unwrap_or_default();
            let text =
                format!("{}\n{}", entry.file_name().to_string_lossy(), String::from_utf8_lossy(&bytes));
            for (count, secret) in counts.iter_mut().zip(secrets) {
                *count += text.matches(secret.as_str()).count();
            }
        }
    }
    counts
}

/// All strings of a value as they read without escapes.
fn strings(value: &Value, found: &mut String) {
    match value {
        Value::String(text) => {
            if let Ok(inner @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(text) {
                strings(&inner, found);
            }
            found.push_str(text);
            found.push('\n');
        }
        Value::Array(values) => values.iter().for_each(|value| strings(value, found)),
        Value::Object(fields) => fields.iter().for_each(|(key, value)| {
            found.push_str(key);
            found.push('\n');
            strings(value, found);
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Dreams with the agent, and looks everywhere; what the dream says of the agent.
fn dream_and_look(home: &Home, planted: &[Planted], sent: impl Fn() -> Vec<Value>) -> Value {
    let secrets: Vec<&String> = planted.iter().flat_map(|one| &one.secrets).collect();
    let before = standing(&home.memory(), &secrets);
    let mut seen = String::new();
    let mut model = Value::Null;
    for arguments in [
        vec!["dream", "--engine", "agent", "--json"],
        vec!["status", "--json"],
        vec!["status"],
        vec!["log", "--json"],
        vec!["show", "--json"],
        vec!["show"],
        vec!["events", "--json", "-n", "5000"],
        vec!["ledger", "--json"],
        vec!["sessions", "--json"],
    ] {
        let said = home.nidra(&arguments);
        assert!(matches!(said.status.code(), Some(0 | 3)), "{arguments:?}: {said:?}");
        if arguments[0] == "dream" {
            model = said.json()["model"].clone();
        }
        for line in [said.out.as_str()].into_iter().chain(said.out.lines()) {
            if let Ok(value) = serde_json::from_str(line) {
                strings(&value, &mut seen);
            }
        }
        seen.push_str(&said.out);
        seen.push_str(&said.err);
    }
    let mut requests = String::new();
    for body in sent() {
        requests.push_str(&body.to_string());
        strings(&body, &mut requests);
    }
    let memory = standing(&home.memory(), &secrets);
    let state = standing(&home.state, &secrets);
    let mut leaks = Vec::new();
    let around = |text: &str, secret: &str| -> String {
        let Some((before, after)) = text.split_once(secret) else { return String::new() };
        let before: Vec<char> = before.chars().collect();
        let before: String = before[before.len().saturating_sub(100)..].iter().collect();
        format!("{before}{secret}{}", after.chars().take(40).collect::<String>())
    };
    for (at, secret) in secrets.iter().enumerate() {
        for (place, leaked) in [
            ("sent", requests.contains(secret.as_str())),
            ("on the screen", seen.contains(secret.as_str())),
            ("in memory", memory[at] > before[at]),
            ("in the state directory", state[at] > 0),
        ] {
            if leaked {
                let words = format!("{}{}", around(&requests, secret), around(&seen, secret));
                leaks.push(format!("{place}: {secret:?} in {words:?}"));
            }
        }
    }
    assert!(leaks.is_empty(), "{} leaks\n{}", leaks.len(), leaks.join("\n"));
    assert!(
        crate::tree::words(&home.memory()).contains("mural room"),
        "the agent's work itself was not kept: {model}"
    );
    model
}

#[test]
fn pub_sec_01_a_dream_with_an_agent_leaves_no_planted_secret_anywhere() {
    let all = planted();
    assert!(all.len() > 100, "{}", all.len());
    for (number, batch) in all.chunks(AT_ONCE).enumerate() {
        let mut home = home(batch);
        let all = batch.iter().map(|one| one.text.clone()).collect::<Vec<_>>().join("\n");
        let echo: &'static str = Box::leak(all.into_boxed_str());
        let server = Server::playing(vec![
            calls(&[
                ("list", json!({})),
                ("shell", json!({ "line": "grep -rn . memory sessions kept.md" })),
                ("shell", json!({ "line": "cat memory/MEMORY.md kept.md" })),
                ("shell", json!({ "line": "find . -type f" })),
                ("read", json!({ "path": "sessions/s3.txt" })),
            ]),
            Play::Say(
                echo,
                vec![
                    ("write", json!({ "path": "memory/printer.md", "text": format!("- {}\n", PRINTER.1) })),
                    ("write", json!({ "path": "memory/echo.md", "text": format!("- {echo}\n") })),
                    ("search", json!({ "words": echo })),
                    (echo, json!({ echo: echo })),
                ],
            ),
            calls(&[("done", json!({ "summary": echo }))]),
        ]);
        let url = server.url();
        home.variables = if number % 2 == 0 {
            vec![
                ("ANTHROPIC_BASE_URL", url),
                ("ANTHROPIC_API_KEY", "k".to_owned()),
                ("ANTHROPIC_MODEL", "m".to_owned()),
            ]
        } else {
            vec![
                ("OPENAI_BASE_URL", format!("{url}/v1")),
                ("OPENAI_API_KEY", "k".to_owned()),
                ("OPENAI_MODEL", "m".to_owned()),
            ]
        }
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
        dream_and_look(&home, batch, || server.bodies());
        assert!(server.bodies().len() >= 3, "the agent was asked to the end");
    }
}

/// A secret as `printf` of a shell writes it, so that its words stand nowhere.
fn octal(text: &str) -> String {
    text.bytes().fold(String::new(), |mut all, byte| {
        write!(all, "\\0{byte:03o}").unwrap();
        all
    })
}

#[test]
fn pub_sec_01_an_agent_of_ones_own_is_handed_no_planted_secret_and_what_it_says_is_not_kept() {
    let all = planted();
    for batch in all.chunks(AT_ONCE / 2) {
        let home = home(batch);
        let lines: Vec<&String> = batch
            .iter()
            .flat_map(|one| &one.secrets)
            .filter(|secret| secret.len() >= 8 && !secret.contains('\n'))
            .collect();
        let patterns: String = lines.iter().map(|secret| octal(secret) + "\\n").collect();
        let texts: String = batch.iter().map(|one| octal(&one.text) + "\\n").collect();
        // It looks for each in all that it was handed, then says and writes all of them.
        let script = format!(
            "printf '%b' '{patterns}' > \"$TMPDIR/all\"; printf '%b' '{texts}' > \"$TMPDIR/said\"; \
             {{ find . -type f; cat memory/* sessions/* kept.md; printf '%s' \"$1\"; env; }} > \"$TMPDIR/handed\"; \
             grep -qFf \"$TMPDIR/all\" \"$TMPDIR/handed\" && exit 7; grep -q mural \"$TMPDIR/handed\" || exit 8; \
             printf -- '- {}\\n' > memory/printer.md; cp \"$TMPDIR/said\" memory/all.md; \
             while IFS= read -r one; do printf -- '- The label printer is %s.\\n' \"$one\" > \"memory/$one.md\"; done < \"$TMPDIR/all\" 2>/dev/null; \
             cat \"$TMPDIR/said\"; cat \"$TMPDIR/said\" >&2; exit 3",
            PRINTER.1
        );
        let command = json!(["/bin/bash", "-c", script, "agent", "{prompt}"]);
        home.configure(&format!(
            "[agent]\ncommand = {command}\nprograms = [\"/usr/bin\", \"/bin\"]\ntimeout_seconds = 60\n"
        ));
        let model = dream_and_look(&home, batch, Vec::new);
        assert!(model["stopped"].as_str().unwrap_or_default().contains("code 3"), "{model}");
    }
}
