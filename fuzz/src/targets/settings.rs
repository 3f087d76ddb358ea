//! Settings: ours are understood or refused by name, the client's come back byte for byte.

use super::{parts, scratch, write};
use nidra::client::install::{ClientPaths, install, installed_state, preview, uninstall};
use nidra::config::{ConfigFiles, Environment, load, set, unset};
use std::fs;
use std::path::Path;

const PROGRAM: &str = "/opt/我的 tools/nidra";

/// The user's settings, the project's settings, the client's settings.
pub(super) fn run(data: &[u8]) {
    let [user, project, client] = parts::<3>(data);
    let folder = scratch();
    ours(folder.path(), user, project);
    clients(folder.path(), client);
}

fn ours(folder: &Path, user: &[u8], project: &[u8]) {
    let files = ConfigFiles {
        managed: folder.join("no-managed.toml"),
        user: folder.join("config.toml"),
        project: Some(folder.join("project/.nidra.toml")),
    };
    write(&files.user, user);
    if let Some(path) = &files.project {
        write(path, project);
    }
    let environment = Environment::from_variables([("HOME", folder.as_os_str())]);
    let loaded = load(&files, &environment, &[]);
    if let Ok(configuration) = &loaded {
        assert!(!configuration.explain_all().is_empty());
    }
    let alone = ConfigFiles { project: None, ..files };
    let before = load(&alone, &environment, &[]);
    let written = set(&alone.user, "dream.min_hours", "7", Some(folder));
    match (&before, &written) {
        // A file without faults takes a setting, and says it afterwards.
        (Ok(_), _) => {
            written.expect("settings without a fault can be changed");
            let after = load(&alone, &environment, &[]).expect("a written setting is one that can be read");
            let hours = after.settings.dream.min_hours;
            assert!((hours - 7.0).abs() < f64::EPSILON, "7 became {hours}");
            unset(&alone.user, "dream.min_hours", Some(folder)).expect("what was set can be taken out");
            load(&alone, &environment, &[]).expect("what is left can be read");
        }
        (Err(_), Err(_)) => {
            assert_eq!(
                fs::read(&alone.user).expect("the file is there"),
                user,
                "a refused change wrote something"
            );
        }
        (Err(error), Ok(_)) => panic!("a file with a fault was written: {error}"),
    }
}

fn clients(folder: &Path, bytes: &[u8]) {
    let paths = ClientPaths { config: folder.join("claude"), state: folder.join("state") };
    write(&paths.settings(), bytes);
    let now = || fs::read(paths.settings()).expect("the settings are there");
    let program = Path::new(PROGRAM);
    let shown = preview(&paths, program, true).is_ok();
    assert_eq!(now(), bytes, "a preview wrote something");
    let earlier = installed_state(&paths).map(|state| state.events).unwrap_or_default();
    let installed = install(&paths, program, true);
    assert_eq!(installed.is_ok(), shown, "the preview said something else");
    if installed.is_err() {
        assert_eq!(now(), bytes, "refused settings were changed");
        return;
    }
    let written = now();
    let state = installed_state(&paths).expect("what was written can be read");
    assert!(state.complete, "a hook is missing");
    install(&paths, program, true).expect("a second call works");
    assert_eq!(now(), written, "a second call changed something");
    uninstall(&paths).expect("what was put in can be taken out");
    if earlier.is_empty() {
        assert!(now() == bytes, "the settings did not come back byte for byte");
    } else {
        // Hooks of ours that an earlier program left without a record go too.
        assert!(
            installed_state(&paths).expect("what is left can be read").events.is_empty(),
            "a hook stayed"
        );
    }
}
