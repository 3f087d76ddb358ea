//! Layers of settings on real files.

use nidra::config::{ConfigFiles, Environment, Flag, KEYS, load, set, unset};
use nidra_core::settings::ReviewPolicy;
use std::fs;
use std::path::{Path, PathBuf};

struct Scene {
    folder: tempfile::TempDir,
    files: ConfigFiles,
    variables: Vec<(&'static str, &'static str)>,
    flags: Vec<Flag>,
}

impl Scene {
    fn new(managed: &str, user: &str, project: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = folder.path().join(name);
            if !text.is_empty() {
                fs::write(&path, text).unwrap();
            }
            path
        };
        let files = ConfigFiles {
            managed: file("managed.toml", managed),
            user: file("user.toml", user),
            project: Some(file(".nidra.toml", project)),
        };
        Self { folder, files, variables: vec![("HOME", "/home/dev")], flags: Vec::new() }
    }

    fn load(&self) -> Result<nidra::config::Configuration, nidra::config::ConfigError> {
        load(&self.files, &Environment::from_variables(self.variables.iter().copied()), &self.flags)
    }

    /// The message of the fault, with the folder's name left out.
    fn fault(&self) -> String {
        let folder = format!("{}/", self.folder.path().display());
        self.load().unwrap_err().to_string().replace(&folder, "")
    }
}

#[test]
fn a_stronger_layer_wins_and_each_value_knows_its_origin() {
    let mut scene = Scene::new(
        "[dream]\nmin_hours = 1\nmin_sessions = 1\nmax_sessions = 11\n",
        "# mine\n[dream]\nmin_hours = 2\nmin_sessions = 2\n",
        "[dream]\nmin_hours = 3\nmin_sessions = 3\n",
    );
    scene.variables.push(("NIDRA_DREAM_MIN_SESSIONS", "4"));
    scene.variables.push(("CLAUDE_CODE_AUTO_DREAM_MIN_SESSIONS", "40"));
    let configuration = scene.load().unwrap();
    let dream = &configuration.settings.dream;
    assert_eq!((dream.min_hours, dream.min_sessions, dream.max_sessions), (3.0, 4, 11));

    let hours = configuration.explain("dream.min_hours").unwrap();
    assert_eq!(hours.value.as_deref(), Some("3.0"));
    assert_eq!(
        hours.origin.to_string(),
        format!("project ({}:2)", scene.files.project.as_ref().unwrap().display())
    );
    let overridden: Vec<String> =
        hours.overridden.iter().map(|(origin, value)| format!("{value} {origin}")).collect();
    let user = format!("2.0 user ({}:3)", scene.files.user.display());
    let managed = format!("1.0 managed ({}:2)", scene.files.managed.display());
    assert_eq!(overridden, [user, managed, "24.0 default".to_owned()]);

    let sessions = configuration.explain("dream.min_sessions").unwrap();
    assert_eq!(sessions.origin.to_string(), "environment (NIDRA_DREAM_MIN_SESSIONS)");
    assert_eq!(configuration.explain("dream.review").unwrap().origin.to_string(), "default");
    assert_eq!(configuration.get("memory.directory").unwrap(), None);
    assert_eq!(configuration.explain_all().len(), KEYS.len());

    scene.flags.push(Flag {
        name: "--min-sessions".to_owned(),
        key: "dream.min_sessions".to_owned(),
        value: "5".to_owned(),
    });
    let configuration = scene.load().unwrap();
    assert_eq!(configuration.settings.dream.min_sessions, 5);
    assert_eq!(
        configuration.explain("dream.min_sessions").unwrap().origin.to_string(),
        "flag (--min-sessions)"
    );
}

#[test]
fn the_client_s_variables_count_where_ours_do_not() {
    let mut scene = Scene::new("", "[dream]\nmin_hours = 2\n", "");
    scene.variables.push(("CLAUDE_CODE_AUTO_DREAM_MIN_HOURS", "6"));
    assert_eq!(scene.load().unwrap().settings.dream.min_hours.to_string(), "6");
}

#[test]
fn nothing_set_means_the_defaults() {
    let scene = Scene::new("", "", "");
    assert_eq!(scene.load().unwrap().settings, nidra_core::Settings::default());
}

#[test]
fn pub_trg_04_a_misspelt_key_is_an_error_with_a_near_match() {
    let scene = Scene::new("", "[dream]\nmin_hours = 2\nmin_session = 3\n", "");
    let message = "user.toml:3: there is no setting `dream.min_session`; did you mean `dream.min_sessions`?";
    assert_eq!(scene.fault(), message);
}

#[test]
fn pub_trg_04_the_right_key_in_the_wrong_table_is_an_error_that_names_the_right_one() {
    let wrong = "it belongs in the table [dream], as `dream.enabled`";
    let cases = [
        ("[memory]\nenabled = false\n", "user.toml:2: there is no setting `memory.enabled`; "),
        ("enabled = false\n", "user.toml:1: there is no setting `enabled`; "),
        (
            "[plugins.dreaming]\nenabled = false\n",
            "user.toml:2: there is no setting `plugins.dreaming.enabled`; ",
        ),
        ("x = {enabled = false}\n", "user.toml:1: there is no setting `x.enabled`; "),
    ];
    for (user, start) in cases {
        assert_eq!(Scene::new("", user, "").fault(), format!("{start}{wrong}"));
    }
}

#[test]
fn every_fault_is_named_at_once() {
    let mut scene = Scene::new(
        "",
        "dream = 1\n[memory]\nmax_index_lines = \"many\"\ndirectory = \"relative\"\n[sessions]\nexclude = [\"/a\", 1]\n",
        "",
    );
    scene.variables.push(("NIDRA_DREAM_MIN_HOUR", "1"));
    scene.variables.push(("NIDRA_DREAM_MAX_CHANGED_SHARE", "1.5"));
    let expected = [
        "user.toml:1: `dream` is a table of settings, not a setting",
        "user.toml:3: `memory.max_index_lines` has to be a whole number from 1 to 1000000",
        "user.toml:4: `memory.directory` has to be an absolute directory, or one that starts with ~/",
        "user.toml:6: `sessions.exclude` has to be a list of absolute directories, or ones that start with ~/",
        "variable NIDRA_DREAM_MAX_CHANGED_SHARE: `dream.max_changed_share` has to be a number from 0 to 1",
        "variable NIDRA_DREAM_MIN_HOUR: it sets nothing; did you mean NIDRA_DREAM_MIN_HOURS?",
    ];
    assert_eq!(scene.fault(), expected.join("\n"));
}

#[test]
fn a_message_about_a_stranger_s_file_cannot_steer_the_terminal() {
    let fault = Scene::new("", "", "\"\\u001b[2J\\nx\" = 1\n").fault();
    assert_eq!(fault, ".nidra.toml:1: there is no setting `\u{fffd}[2J\u{fffd}x`");
}

#[test]
fn text_that_is_no_toml_names_its_line() {
    let scene = Scene::new("", "[dream]\nmin_hours = \n", "");
    assert!(scene.fault().starts_with("user.toml:2: "), "{}", scene.fault());
    let twice = Scene::new("", "[dream]\nmin_hours = 1\nmin_hours = 2\n", "");
    assert!(twice.fault().starts_with("user.toml:3: "), "{}", twice.fault());
    let scene = Scene::new("", "", "");
    fs::write(&scene.files.user, b"[dream]\n# \xff\n").unwrap();
    let error = scene.load().unwrap_err();
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert_eq!(source, "line 2 is not valid UTF-8");
}

#[test]
fn a_project_may_ask_for_less_but_never_for_more() {
    let refused = [
        "[memory]\ndirectory = \"/tmp/elsewhere\"\n",
        "[memory]\nmax_index_lines = 1000\n",
        "[sessions]\nexclude = [\"/x\"]\n",
        "[sessions]\nidle_minutes = 0\n",
        "[dream]\nreview = \"auto\"\n",
        "[dream]\nscan_throttle_minutes = 0\n",
        "[dream]\nmax_changed_share = 1.0\n",
    ];
    for project in refused {
        let fault = Scene::new("", "", project).fault();
        assert!(
            fault.contains(".nidra.toml:2: ") && fault.contains("is refused here: a project may"),
            "{project}{fault}"
        );
    }
    let on = Scene::new("", "[dream]\nenabled = false\n", "[dream]\nenabled = true\n");
    assert!(on.fault().contains("only switch it off"), "{}", on.fault());

    let stricter = "[dream]\nenabled = false\nreview = \"all\"\nmax_sessions = 3\nmin_hours = 48\n[memory]\nmax_index_lines = 100\n";
    let settings = Scene::new("", "", stricter).load().unwrap().settings;
    assert_eq!((settings.dream.enabled, settings.dream.review), (false, ReviewPolicy::All));
    assert_eq!((settings.dream.max_sessions, settings.memory.max_index_lines), (3, 100));

    let same = "[dream]\nreview = \"risky\"\nenabled = true\n";
    assert!(Scene::new("", "", same).load().is_ok());
}

#[test]
fn paths_below_home_are_put_in_full() {
    let scene =
        Scene::new("", "[memory]\ndirectory = \"~/记忆\"\n[sessions]\nexclude = [\"~/a\", \"/b\"]\n", "");
    let settings = scene.load().unwrap().settings;
    assert_eq!(settings.memory.directory, Some(PathBuf::from("/home/dev/记忆")));
    assert_eq!(settings.sessions.exclude, [PathBuf::from("/home/dev/a"), PathBuf::from("/b")]);
}

#[test]
fn a_setting_is_changed_and_every_other_byte_stays() {
    let text = "# 我的设置\r\n[dream]   # dreams\r\nmin_hours =   2 # often\r\n\r\n[memory]\r\n  max_index_lines = 150\r\n";
    let scene = Scene::new("", text, "");
    let home = Some(Path::new("/home/dev"));
    let file = &scene.files.user;
    assert_eq!(set(file, "dream.min_hours", "12", home).unwrap().as_deref(), Some("2"));
    assert_eq!(fs::read_to_string(file).unwrap(), text.replace("=   2 #", "=   12.0 #"));
    assert_eq!(set(file, "dream.review", "all", home).unwrap(), None);
    let expected = text.replace("=   2 # often\r\n", "=   12.0 # often\r\nreview = \"all\"\r\n");
    assert_eq!(fs::read_to_string(file).unwrap(), expected);
    assert_eq!(set(file, "sessions.exclude", "~/a:/b", home).unwrap(), None);
    assert_eq!(scene.load().unwrap().settings.sessions.exclude.len(), 2);
    assert!(unset(file, "sessions.exclude", home).unwrap().is_some());
    assert_eq!(unset(file, "dream.review", home).unwrap().as_deref(), Some("\"all\""));
    assert_eq!(unset(file, "dream.review", home).unwrap(), None);
    let settings = scene.load().unwrap().settings;
    assert_eq!((settings.dream.min_hours, settings.memory.max_index_lines), (12.0, 150));
}

#[test]
fn a_missing_file_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a/b/config.toml");
    assert_eq!(set(&file, "dream.enabled", "false", None).unwrap(), None);
    assert_eq!(fs::read_to_string(&file).unwrap(), "[dream]\nenabled = false\n");
}

#[test]
fn a_bad_value_or_a_file_with_faults_is_not_written() {
    let scene = Scene::new("", "[dream]\nmin_hour = 2\n", "");
    let file = &scene.files.user;
    assert!(set(file, "dream.min_hours", "2", None).unwrap_err().to_string().contains("did you mean"));
    assert_eq!(fs::read_to_string(file).unwrap(), "[dream]\nmin_hour = 2\n");
    let other = scene.folder.path().join("other.toml");
    for (key, value) in [("dream.min_hours", "soon"), ("dream.minhours", "2"), ("memory.directory", "x")] {
        assert!(set(&other, key, value, None).is_err());
        assert!(!other.exists());
    }
}
