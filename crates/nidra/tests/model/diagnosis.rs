//! Each fault that keeps a model from answering or a lock from being free, provoked and named with its remedy.

use crate::program::{home, set};
use crate::server::{Act, Server};
use crate::support::Home;
use jiff::Timestamp;
use serde_json::{Value, json};
use std::fs::{self, File};
use std::net::TcpListener;
use std::time::{Duration, SystemTime};

/// What `nidra doctor` says about one thing.
fn about(home: &Home, what: &str) -> Vec<Value> {
    let said = home.command(&["doctor", "--ask", "--json"]).output().unwrap();
    let all: Vec<Value> = serde_json::from_slice(&said.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&said.stderr)));
    all.into_iter().filter(|one| one["what"] == what).collect()
}

/// The last word about the model holds these in its message, and these in what to do.
fn names(home: &Home, state: &str, message: &[&str], advice: &[&str]) {
    let found = about(home, "model");
    let last = found.last().unwrap();
    assert_eq!(last["state"], state, "{found:?}");
    for word in message {
        assert!(last["message"].as_str().unwrap().contains(word), "{word}: {last}");
    }
    for word in advice {
        assert!(last["advice"].as_str().unwrap().contains(word), "{word}: {last}");
    }
}

fn answers(status: u16, kind: &'static str, body: &'static str) -> Server {
    Server::start(move |_, _| Act::plain(status, kind, body))
}

#[test]
fn a_model_that_answers_is_fine_and_the_question_stands_in_the_ledger() {
    let server = Server::start(|request, _| Act::answer(request, "{\"works\": true}"));
    let home = home(&server, 0);
    names(&home, "fine", &["claude-haiku-4-5", "answers"], &[]);
    let calls = home.json(&["ledger"]);
    assert_eq!((&calls[0]["outcome"], &calls[0]["items"]), (&json!("answered"), &json!(0)));
    // Without a word of the user's nobody is asked: the rules judge.
    home.expect(0, &["doctor"]);
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_key_that_is_refused() {
    let body = r#"{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}"#;
    let server = answers(401, "application/json", body);
    names(&home(&server, 0), "fault", &["401", "invalid x-api-key"], &["key that belongs to 127.0.0.1"]);
}

#[test]
fn nobody_at_the_address() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let server = answers(200, "text/plain", "");
    let mut home = home(&server, 0);
    set(&mut home, "ANTHROPIC_BASE_URL", &format!("http://{free}"));
    names(&home, "fault", &["cannot be reached"], &["start what should answer", "model.base_url"]);
}

#[test]
fn a_wrong_path_and_a_trailing_slash() {
    let server = Server::start(|request, _| {
        if request.path == "/v1/messages" {
            Act::answer(request, "{\"works\": true}")
        } else {
            Act::plain(404, "text/html", "<html>404</html>")
        }
    });
    let mut home = home(&server, 0);
    for right in ["", "/", "/v1", "/v1/", "/v1/messages", "/v1/messages/"] {
        set(&mut home, "ANTHROPIC_BASE_URL", &format!("{}{right}", server.url()));
        names(&home, "fine", &["answers"], &[]);
    }
    set(&mut home, "ANTHROPIC_BASE_URL", &format!("{}/v2/claude", server.url()));
    names(&home, "fault", &["404", "model.base_url"], &["model.base_url"]);
    set(&mut home, "ANTHROPIC_BASE_URL", &format!("{}/v1/v1", server.url()));
    assert!(about(&home, "model")[0]["message"].as_str().unwrap().contains("a part too many"));
}

#[test]
fn a_model_that_is_not_known_there() {
    let body = r#"{"type":"error","error":{"type":"not_found_error","message":"model: claude-haiku-4-5"}}"#;
    let server = answers(404, "application/json", body);
    names(&home(&server, 0), "fault", &["no such model"], &["model.name"]);
}

#[test]
fn a_reply_of_an_unexpected_shape() {
    for (kind, body) in [
        ("text/html", "<html>welcome to the proxy</html>"),
        ("application/json", "{\"hello\": \"world\"}"),
        ("text/event-stream", "data: {\"choices\": 3}\n\n"),
        ("application/json", "null"),
    ] {
        let server = answers(200, kind, body);
        names(&home(&server, 0), "fault", &["no reply of the protocol"], &["model.base_url"]);
    }
}

#[test]
fn a_key_and_a_token_that_are_mixed() {
    let server = Server::start(|request, _| Act::answer(request, "{\"works\": true}"));
    let mut home = home(&server, 0);
    set(&mut home, "ANTHROPIC_AUTH_TOKEN", "a-token");
    let found = about(&home, "model");
    assert_eq!(found[0]["state"], "note");
    assert!(found[0]["message"].as_str().unwrap().contains("both set"), "{found:?}");
    assert!(!format!("{found:?}").contains("the-key-of-the-tests"));
}

#[test]
fn what_is_missing_is_named_before_anything_is_sent() {
    let mut home = Home::with_sessions(0);
    names(&home, "fault", &["no model is named"], &["model"]);
    set(&mut home, "ANTHROPIC_MODEL", "claude-haiku-4-5");
    names(&home, "fault", &["no key for api.anthropic.com", "ANTHROPIC_API_KEY"], &[]);
}

#[test]
fn a_model_that_is_too_slow() {
    let server = Server::start(|_, _| Act::Hang(Duration::from_secs(30)));
    let mut home = home(&server, 1);
    set(&mut home, "NIDRA_MODEL_TIMEOUT_SECONDS", "1");
    names(
        &home,
        "fault",
        &["did not answer within 1 s", "model.timeout_seconds"],
        &["model.timeout_seconds", "model.on_failure"],
    );
    // A dream says the same, and what else helps; so does the record that others read later.
    let said = home.expect(1, &["dream", "--engine", "model"]);
    said.names(&["model.timeout_seconds", "model.on_failure = \"rules\"", "--engine rules"]);
    assert!(home.json(&["log"])[0].to_string().contains("model.on_failure"));
    home.configure("[model]\non_failure = \"rules\"\n");
    home.expect(0, &["dream", "--engine", "model"]);
    assert!(fs::read_to_string(home.memory().join("MEMORY.md")).unwrap().contains(crate::support::PNPM.1));
}

#[test]
fn an_address_that_leads_on() {
    let server = Server::start(|_, _| Act::Reply {
        status: 302,
        headers: vec![("location", "http://127.0.0.1:9/elsewhere?ticket=1".to_owned())],
        pieces: Vec::new(),
        pause: Duration::ZERO,
    });
    let home = home(&server, 0);
    names(
        &home,
        "fault",
        &["302", "it leads to http://127.0.0.1:9/elsewhere"],
        &["name the address that it leads to"],
    );
    assert!(!home.nidra(&["doctor", "--ask", "--json"]).out.contains("ticket"));
}

/// A home with a lock file of the client's, of this age.
fn locked(body: &str, modified: SystemTime) -> Home {
    let home = Home::with_sessions(1);
    home.remember("MEMORY.md", "");
    let path = home.memory().join(".consolidate-lock");
    fs::write(&path, body).unwrap();
    File::options().write(true).open(&path).unwrap().set_modified(modified).unwrap();
    home
}

fn present() -> SystemTime {
    let now: Timestamp = crate::support::NOW.parse().unwrap();
    SystemTime::UNIX_EPOCH + Duration::from_secs(now.as_second().unsigned_abs())
}

/// A process number that no process has.
fn dead() -> String {
    let mut child = std::process::Command::new("/bin/true").spawn().unwrap();
    let number = child.id();
    child.wait().unwrap();
    number.to_string()
}

#[test]
fn a_lock_of_a_dead_process_and_a_time_that_was_not_rolled_back() {
    let home = locked(&dead(), present() - Duration::from_secs(600));
    assert_eq!(about(&home, "lock")[0]["state"], "fine");
    let left = &about(&home, "lock file")[0];
    assert!(left["message"].as_str().unwrap().contains("without giving its time back"), "{left}");
    assert!(left["advice"].as_str().unwrap().contains("not rolled back"), "{left}");
    // Nobody has to do anything: the next dream runs, and nothing is left to say.
    home.expect(0, &["dream"]);
    assert!(about(&home, "lock file").is_empty(), "{:?}", about(&home, "lock file"));
}

#[test]
fn a_lock_that_is_held_for_ever() {
    // A living process, but taken hours ago: the client's own rule says that this is no lock.
    let home = locked(&std::process::id().to_string(), present() - Duration::from_secs(3 * 3600));
    assert_eq!(about(&home, "lock")[0]["state"], "fine");
    assert_eq!(about(&home, "lock file").len(), 1);
    home.expect(0, &["dream"]);
    let future = locked(&std::process::id().to_string(), present() + Duration::from_secs(30 * 24 * 3600));
    assert!(about(&future, "lock file")[0]["message"].as_str().unwrap().contains("in the future"));
    let garbage = locked("held", present());
    assert!(about(&garbage, "lock file")[0]["message"].as_str().unwrap().contains("names no process"));
}
