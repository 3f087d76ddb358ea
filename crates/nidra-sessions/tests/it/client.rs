//! Hooks, running sessions and the client's memory directory.

use nidra_core::ProjectId;
use nidra_sessions::Project;
use nidra_sessions::claude::{
    ClaudeEnvironment, ClaudePaths, HookError, live_sessions_at, memory_directory, parse_hook,
    retention_days, slug,
};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn hook_input_of_both_versions_is_understood() {
    for (folder, name, source, reason) in [
        ("2.1.197", "SessionStart", Some("startup"), None),
        ("2.1.197", "SessionEnd", None, Some("other")),
        ("2.1.332", "SessionStart", Some("startup"), None),
        ("2.1.332", "SessionEnd", None, Some("other")),
        ("2.1.332", "Stop", None, None),
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/claude-code");
        let json = fs::read(path.join(folder).join("hooks").join(format!("{name}.json"))).unwrap();
        let payload = parse_hook(&json).unwrap();
        assert_eq!(payload.hook_event_name, name);
        assert_eq!(payload.source.as_deref(), source);
        assert_eq!(payload.reason.as_deref(), reason);
        assert_eq!(payload.session_id.len(), 36);
        assert!(payload.transcript_path.starts_with("/home/dev/.claude/projects"));
        assert!(payload.cwd.starts_with("/home/dev"));
        assert!(!payload.stop_hook_active);
    }
}

#[test]
fn hook_input_may_hold_whatever_was_typed() {
    let half = br#"{"session_id":"s","transcript_path":"/t/\u4e2d.jsonl","cwd":"/c","prompt":"bad \ud83d end","hook_event_name":"UserPromptSubmit","x":{"y":[1,"\udc00"]}}"#;
    let payload = parse_hook(half).unwrap();
    assert_eq!(payload.prompt.as_deref(), Some("bad \u{fffd} end"));
    assert_eq!(payload.transcript_path, Path::new("/t/中.jsonl"));
    let bytes = b"\xef\xbb\xbf {\"session_id\":\"s\",\"transcript_path\":\"/t\",\"cwd\":\"/c\",\"prompt\":\"\xff\x01\",\"hook_event_name\":\"Stop\"}\r\n";
    assert_eq!(parse_hook(bytes).unwrap().prompt.as_deref(), Some("\u{fffd}\u{1}"));
}

#[test]
fn hook_input_that_lacks_a_field_names_it() {
    let whole = json!({"session_id": "s", "transcript_path": "/t", "cwd": "/c", "hook_event_name": "Stop", "new": [1]});
    assert!(parse_hook(whole.to_string().as_bytes()).is_ok());
    for field in ["session_id", "transcript_path", "cwd", "hook_event_name"] {
        for wrong in [json!(null), json!(7), json!("")] {
            let mut payload = whole.clone();
            payload[field] = wrong;
            let error = parse_hook(payload.to_string().as_bytes()).unwrap_err();
            assert!(matches!(error, HookError::Missing(name) if name == field));
            assert!(error.to_string().contains(field));
        }
    }
    for broken in ["", "[]", "{", "\u{0}"] {
        assert!(matches!(parse_hook(broken.as_bytes()), Err(HookError::NotAnObject { .. })));
    }
}

#[test]
fn running_sessions_are_told_from_remains() {
    let base = tempfile::tempdir().unwrap();
    let (config, processes) = (base.path().join("config"), base.path().join("proc"));
    fs::create_dir_all(config.join("sessions")).unwrap();
    fs::create_dir_all(processes.join("self")).unwrap();
    let record = |pid: u32, start: serde_json::Value, status: Option<&str>| {
        let mut record =
            json!({"pid": pid, "sessionId": format!("s{pid}"), "cwd": "/w/p", "procStart": start});
        if let Some(status) = status {
            record["status"] = json!(status);
        }
        fs::write(config.join(format!("sessions/{pid}.json")), record.to_string()).unwrap();
    };
    let process = |pid: u32, start: u64| {
        fs::create_dir_all(processes.join(pid.to_string())).unwrap();
        let fields = "S 1 1 1 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0";
        fs::write(processes.join(format!("{pid}/stat")), format!("{pid} (a) b (c) {fields} {start} 0 0\n"))
            .unwrap();
    };
    record(1, json!(500), Some("busy"));
    process(1, 500);
    record(2, json!("600"), Some("idle"));
    process(2, 600);
    record(3, json!(700), None);
    process(3, 701);
    record(4, json!(800), None);
    fs::write(config.join("sessions/5.key"), "secret").unwrap();
    fs::write(config.join("sessions/6.json"), "{").unwrap();

    let sessions: Vec<_> = live_sessions_at(&config, &processes)
        .into_iter()
        .map(|session| (session.pid, session.session.to_string(), session.busy, session.alive))
        .collect();
    assert_eq!(
        sessions,
        [
            (1, "s1".to_owned(), Some(true), true),
            (2, "s2".to_owned(), Some(false), true),
            (3, "s3".to_owned(), None, false),
            (4, "s4".to_owned(), None, false),
        ],
        "a reused process number and a dead process are remains"
    );
    assert!(live_sessions_at(Path::new("/does/not/exist"), &processes).is_empty());
    assert!(live_sessions_at(&config, Path::new("/no-such-place")).iter().all(|session| session.alive));
}

/// A project with settings in every layer.
struct Place {
    base: tempfile::TempDir,
    project: Project,
}

impl Place {
    fn new() -> Self {
        let base = tempfile::tempdir().unwrap();
        let root = base.path().join("main");
        let checkout = base.path().join("tree");
        fs::create_dir_all(checkout.join(".claude")).unwrap();
        fs::create_dir_all(base.path().join("config")).unwrap();
        Self { project: Project { id: ProjectId::new("0"), root, checkout }, base }
    }

    fn config(&self) -> PathBuf {
        self.base.path().join("config")
    }

    fn layer(&self, layer: &str) -> PathBuf {
        match layer {
            "managed" => self.base.path().join("managed.json"),
            "local" => self.project.checkout.join(".claude/settings.local.json"),
            "project" => self.project.checkout.join(".claude/settings.json"),
            _ => self.config().join("settings.json"),
        }
    }

    fn set(&self, layer: &str, text: &str) {
        fs::write(self.layer(layer), text).unwrap();
    }

    fn environment(&self) -> ClaudeEnvironment {
        ClaudeEnvironment {
            home: Some(PathBuf::from("/home/x")),
            managed_settings: Some(self.layer("managed")),
            ..ClaudeEnvironment::default()
        }
    }

    fn locate(&self, environment: &ClaudeEnvironment) -> nidra_sessions::claude::MemoryLocation {
        memory_directory(&self.project, environment, &self.config())
    }
}

#[test]
fn memory_lies_by_default_in_the_folder_of_the_main_checkout() {
    let place = Place::new();
    let location = place.locate(&place.environment());
    let expected = place.config().join("projects").join(slug(&place.project.root)).join("memory");
    assert_eq!(location.directory, expected);
    assert!(location.enabled && !location.remote && !location.assistant);
    assert!(location.diagnostics.is_empty());

    let environment =
        ClaudeEnvironment { remote_memory_directory: Some("/remote".to_owned()), ..place.environment() };
    let expected = Path::new("/remote/projects").join(slug(&place.project.root)).join("memory");
    assert_eq!(place.locate(&environment).directory, expected);
}

#[test]
fn the_strongest_memory_setting_wins() {
    let place = Place::new();
    let environment = place.environment();
    for (layer, setting, expected) in [
        ("user", "~/memories", "/home/x/memories"),
        ("project", "/srv/project", "/srv/project"),
        ("local", "/srv/local", "/srv/local"),
        ("managed", "/srv/managed", "/srv/managed"),
    ] {
        place.set(layer, &json!({"autoMemoryDirectory": setting}).to_string());
        let location = place.locate(&environment);
        assert_eq!(location.directory, Path::new(expected));
        assert!(location.because.contains("autoMemoryDirectory"), "{}", location.because);
    }
    let forced =
        ClaudeEnvironment { memory_path_override: Some("/forced".to_owned()), ..environment.clone() };
    assert_eq!(place.locate(&forced).directory, Path::new("/forced"));

    // Relative settings are ignored, and said so.
    place.set("managed", r#"{"autoMemoryDirectory": "memories"}"#);
    let location = place.locate(&environment);
    assert_eq!(location.directory, Path::new("/srv/local"));
    assert!(location.diagnostics[0].message.contains("memories"));
    let relative = ClaudeEnvironment { memory_path_override: Some("~/x".to_owned()), ..environment };
    let location = place.locate(&relative);
    assert_eq!(location.directory, Path::new("/srv/local"));
    assert_eq!(location.diagnostics.len(), 2);
}

#[test]
fn settings_with_comments_and_broken_settings() {
    let place = Place::new();
    place.set(
        "user",
        "\u{feff}{\n // a comment with \"quotes\"\n \"autoMemoryDirectory\": \"/a//b\", /* , */\n}\n",
    );
    assert_eq!(place.locate(&place.environment()).directory, Path::new("/a//b"));
    place.set("local", "{ broken");
    let location = place.locate(&place.environment());
    assert_eq!(location.directory, Path::new("/a//b"));
    assert_eq!(location.diagnostics[0].path, place.layer("local"));
}

#[test]
fn memory_is_switched_by_variable_then_setting() {
    let place = Place::new();
    let with = |value: Option<&str>| ClaudeEnvironment {
        disable_auto_memory: value.map(str::to_owned),
        ..place.environment()
    };
    place.set("user", r#"{"autoMemoryEnabled": false, "cleanupPeriodDays": 90}"#);
    let off = place.locate(&with(None));
    assert!(!off.enabled && off.enabled_because.contains("settings.json"), "{}", off.enabled_because);
    assert!(place.locate(&with(Some("0"))).enabled, "the variable forces it on");
    assert!(!place.locate(&with(Some("1"))).enabled);
    place.set("local", r#"{"autoMemoryEnabled": true, "cleanupPeriodDays": 7}"#);
    assert!(place.locate(&with(None)).enabled, "the stronger layer wins");

    let remote = ClaudeEnvironment { remote: Some("1".to_owned()), ..place.environment() };
    let location = place.locate(&remote);
    assert!(location.remote && !location.enabled, "remote without a directory has no memory");

    assert_eq!(retention_days(Some(&place.project), &place.environment(), &place.config()), 7);
    assert_eq!(retention_days(None, &place.environment(), &place.config()), 90);
    assert_eq!(retention_days(None, &ClaudeEnvironment::default(), Path::new("/does/not/exist")), 30);
}

#[test]
fn the_configuration_directory_is_the_variable_or_below_home() {
    let home = Path::new("/home/x");
    assert_eq!(ClaudePaths::resolve(None, home).config, Path::new("/home/x/.claude"));
    assert_eq!(ClaudePaths::resolve(Some(Path::new("")), home).config, Path::new("/home/x/.claude"));
    assert_eq!(ClaudePaths::resolve(Some(Path::new("/c")), home).projects(), Path::new("/c/projects"));
}
