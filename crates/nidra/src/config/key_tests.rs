//! Tests of the table of settings.

use super::*;
use nidra_core::Settings;

/// Settings with every optional field set.
fn filled() -> Settings {
    let mut settings = Settings::default();
    settings.memory.directory = Some(PathBuf::from("/m"));
    settings.propose.team = Some(PathBuf::from("/t"));
    settings.model.base_url = Some("http://127.0.0.1:8080".to_owned());
    settings.model.name = Some("m".to_owned());
    settings.model.key_file = Some(PathBuf::from("/k"));
    settings.model.prices = Some(PathBuf::from("/p"));
    settings.model.temperature = Some(0.0);
    settings.agent.prompts = Some(PathBuf::from("/a"));
    settings.working.trigger_file = Some(PathBuf::from("/t"));
    settings.working.heartbeat_file = Some(PathBuf::from("/h"));
    settings.map.after_dream = Some(PathBuf::from("/map"));
    settings
}

#[test]
fn the_table_has_the_keys_of_the_settings_and_no_others() {
    // Every optional field set, so that none hides.
    let settings = filled();
    let tables = toml::Table::try_from(&settings).unwrap();
    let mut expected: Vec<String> = Vec::new();
    for (table, keys) in &tables {
        expected.extend(keys.as_table().unwrap().keys().map(|name| format!("{table}.{name}")));
    }
    expected.sort_unstable();
    let mut found: Vec<&str> = KEYS.iter().map(|key| key.path).collect();
    found.sort_unstable();
    assert_eq!(found, expected);
}

#[test]
fn every_default_is_a_value_that_its_key_accepts() {
    let settings = filled();
    let tables = toml::Table::try_from(&settings).unwrap();
    for key in KEYS {
        let (table, name) = key.parts();
        let value = &tables[table][name];
        assert_eq!(key.form.accept(value, None).as_ref(), Some(value), "{}", key.path);
    }
}

#[test]
fn every_word_of_a_choice_is_one_of_the_settings() {
    for key in KEYS {
        let Form::Choice(words) = key.form else { continue };
        let (table, name) = key.parts();
        for word in words {
            let text = format!("[{table}]\n{name} = \"{word}\"\n");
            assert!(toml::from_str::<Settings>(&text).is_ok(), "{text}");
        }
    }
}

#[test]
fn a_near_match_is_found() {
    let cases = [
        ("dream.min_hour", Some(Suggestion::Near("dream.min_hours"))),
        ("dream.minHours", Some(Suggestion::Near("dream.min_hours"))),
        ("dream.min-sessions", Some(Suggestion::Near("dream.min_sessions"))),
        ("drem.min_hours", Some(Suggestion::Misplaced("dream.min_hours"))),
        ("memory.min_hours", Some(Suggestion::Misplaced("dream.min_hours"))),
        ("min_hours", Some(Suggestion::Misplaced("dream.min_hours"))),
        ("enable", Some(Suggestion::Near("dream.enabled"))),
        ("telemetry.endpoint", None),
        ("中文", None),
    ];
    for (path, expected) in cases {
        assert_eq!(suggest(path), expected, "{path}");
    }
}

#[test]
fn values_are_read_as_text() {
    let home = Some(Path::new("/home/dev"));
    let parse = |path: &str, text: &str| find(path).unwrap().form.parse(text, home);
    assert_eq!(parse("dream.min_hours", "12"), Some(Value::Float(12.0)));
    assert_eq!(parse("dream.min_hours", "0.5"), Some(Value::Float(0.5)));
    for text in ["", "x", "-1", "NaN", "inf", "1e99"] {
        assert_eq!(parse("dream.min_hours", text), None, "{text}");
    }
    assert_eq!(parse("dream.min_sessions", "3"), Some(Value::Integer(3)));
    assert_eq!(parse("dream.min_sessions", "3.5"), None);
    assert_eq!(parse("dream.enabled", "off"), Some(Value::Boolean(false)));
    assert_eq!(parse("dream.review", "all"), Some(Value::String("all".to_owned())));
    assert_eq!(parse("dream.review", "none"), None);
    assert_eq!(parse("memory.directory", "~/m"), Some(Value::String("/home/dev/m".to_owned())));
    assert_eq!(parse("memory.directory", "m"), None);
    let both = Value::Array(vec![Value::String("/a".to_owned()), Value::String("/home/dev/b".to_owned())]);
    assert_eq!(parse("sessions.exclude", "/a:~/b"), Some(both.clone()));
    assert_eq!(parse("sessions.exclude", "[\"/a\", \"~/b\"]"), Some(both));
}
