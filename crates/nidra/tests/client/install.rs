//! `init` and `uninstall` on real files.

use nidra::client::install::{
    ClientPaths, InstallError, UninstallAction, install, installed_state, preview, preview_uninstall,
    uninstall,
};
use nidra::client::plan::Action;
use proptest::prelude::*;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

const PROGRAM: &str = "/opt/我的 tools/nidra";

struct Scene {
    _folder: tempfile::TempDir,
    paths: ClientPaths,
}

impl Scene {
    fn new(settings: Option<&[u8]>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let paths = ClientPaths { config: folder.path().join(".claude"), state: folder.path().join("state") };
        if let Some(bytes) = settings {
            fs::create_dir(&paths.config).unwrap();
            fs::write(paths.settings(), bytes).unwrap();
        }
        Self { _folder: folder, paths }
    }

    fn bytes(&self) -> Vec<u8> {
        fs::read(self.paths.settings()).unwrap()
    }

    fn install(&self) -> Action {
        install(&self.paths, Path::new(PROGRAM), false).unwrap().action
    }

    fn uninstall(&self) -> UninstallAction {
        uninstall(&self.paths).unwrap().action
    }
}

/// Settings as they are met: written by the client, by people, by other tools, on other systems.
fn samples() -> Vec<Vec<u8>> {
    let texts = [
        "",
        "\n",
        "{}",
        "{}\r\n",
        "{ }",
        "{\n}\n",
        "\u{feff}{\r\n  \"model\": \"opus\",\r\n}\r\n",
        "// settings of 小王\n{\n\t\"env\": {\"A\": \"\\u00e9\\ud83d\"}, /* last */\n\t\"hooks\": { }\n}",
        "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"notify-send 完成\"}]}]},\"theme\":\"dark\"}",
        "{\n  \"hooks\": {\n    \"Stop\": [ {\"matcher\": \"\", \"hooks\": []} ], // keep\n    \"SessionStart\": []\n  }\n}\n",
        "{ \"a\": 1,\n  \"hooks\": {\"SessionEnd\": [\n  {\"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]} ]}}   \n\n",
    ];
    texts.map(|text| text.as_bytes().to_vec()).into()
}

#[test]
fn init_and_uninstall_give_back_every_byte() {
    for before in samples() {
        let scene = Scene::new(Some(&before));
        assert_eq!(scene.install(), Action::Added);
        let written = scene.bytes();
        assert_ne!(written, before);
        assert_eq!(scene.install(), Action::Unchanged);
        assert_eq!(scene.bytes(), written);
        assert_eq!(preview_uninstall(&scene.paths).unwrap().action, UninstallAction::Restored);
        assert_eq!(scene.bytes(), written);
        assert_eq!(scene.uninstall(), UninstallAction::Restored);
        assert!(!scene.paths.state.join("client").exists());
        assert_eq!(scene.bytes(), before, "{}", String::from_utf8_lossy(&before));
        assert_eq!(scene.uninstall(), UninstallAction::NotInstalled);
    }
}

#[test]
fn a_file_that_init_made_goes_again_with_its_directory() {
    let scene = Scene::new(None);
    assert_eq!(scene.install(), Action::Created);
    let mode = fs::metadata(scene.paths.settings()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(scene.uninstall(), UninstallAction::FileRemoved);
    assert!(!scene.paths.config.exists());
    assert_eq!(scene.uninstall(), UninstallAction::NotInstalled);
}

#[test]
fn a_directory_that_init_made_stays_when_something_else_is_in_it() {
    let scene = Scene::new(None);
    scene.install();
    fs::write(scene.paths.config.join("history.jsonl"), "x").unwrap();
    assert_eq!(scene.uninstall(), UninstallAction::FileRemoved);
    assert!(scene.paths.config.join("history.jsonl").exists());
}

#[test]
fn a_file_that_init_made_stays_when_the_user_put_something_in() {
    let scene = Scene::new(None);
    scene.install();
    let text = String::from_utf8(scene.bytes()).unwrap().replacen('{', "{\n  \"model\": \"opus\",", 1);
    fs::write(scene.paths.settings(), text).unwrap();
    assert_eq!(scene.uninstall(), UninstallAction::Removed);
    assert_eq!(scene.bytes(), b"{\n  \"model\": \"opus\"\n}\n");
}

#[test]
fn the_client_s_own_rewrite_in_between_is_kept() {
    let scene = Scene::new(Some(b"{ \"a\" : 1 }"));
    scene.install();
    let mut value: serde_json::Value = serde_json::from_slice(&scene.bytes()).unwrap();
    value["theme"] = "dark".into();
    fs::write(scene.paths.settings(), serde_json::to_vec_pretty(&value).unwrap()).unwrap();
    assert_eq!(scene.uninstall(), UninstallAction::Removed);
    let left: serde_json::Value = serde_json::from_slice(&scene.bytes()).unwrap();
    assert_eq!(left, serde_json::json!({"a": 1, "theme": "dark"}));
}

#[test]
fn a_moved_program_and_edits_in_between_still_give_back_the_user_s_text() {
    let scene = Scene::new(Some(b"{\n  \"a\": 1\n}\n"));
    scene.install();
    let text = String::from_utf8(scene.bytes()).unwrap().replace("\"a\": 1", "\"a\": 2");
    fs::write(scene.paths.settings(), text).unwrap();
    let report = install(&scene.paths, Path::new("/new/nidra"), false).unwrap();
    assert_eq!(report.action, Action::Updated);
    assert!(report.difference.contains('+') && report.difference.contains("/new/nidra"));
    assert_eq!(scene.uninstall(), UninstallAction::Restored);
    assert_eq!(scene.bytes(), b"{\n  \"a\": 2\n}\n");
}

#[test]
fn without_the_record_only_our_entries_go() {
    let before =
        b"{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": []\n      }\n    ]\n  }\n}\n";
    let scene = Scene::new(Some(before));
    scene.install();
    fs::remove_dir_all(&scene.paths.state).unwrap();
    assert_eq!(scene.uninstall(), UninstallAction::Removed);
    assert_eq!(scene.bytes(), before);
}

#[test]
fn an_interrupted_init_is_harmless() {
    // The record is written first, so this is what a crash in between leaves: a record, and the old settings.
    let before = b"{\"a\": 1}";
    let scene = Scene::new(Some(before));
    scene.install();
    fs::write(scene.paths.settings(), before).unwrap();
    assert_eq!(scene.uninstall(), UninstallAction::NotInstalled);
    assert_eq!(scene.bytes(), before);
    assert_eq!(scene.install(), Action::Added);
    assert_eq!(scene.uninstall(), UninstallAction::Restored);
    assert_eq!(scene.bytes(), before);
}

#[test]
fn a_fault_names_path_and_line_and_changes_nothing() {
    let before = b"{\n  \"hooks\": {\n    \"Stop\": \"x\"\n  }\n}\n";
    let scene = Scene::new(Some(before));
    let error = install(&scene.paths, Path::new(PROGRAM), false).unwrap_err();
    let message = error.to_string();
    assert!(matches!(error, InstallError::Settings { .. }));
    assert!(
        message.contains(&scene.paths.settings().display().to_string()) && message.contains("line 3"),
        "{message}"
    );
    assert_eq!(scene.bytes(), before);
    assert!(!scene.paths.state.exists());
}

#[test]
fn a_dry_run_shows_the_difference_and_writes_nothing() {
    let scene = Scene::new(Some(b"{}\n"));
    let report = preview(&scene.paths, Path::new(PROGRAM), false).unwrap();
    assert_eq!(report.action, Action::Added);
    assert!(report.difference.contains("+  \"hooks\": {"), "{}", report.difference);
    assert_eq!(scene.bytes(), b"{}\n");
    assert!(!scene.paths.state.exists());
    assert_eq!(preview(&Scene::new(None).paths, Path::new(PROGRAM), false).unwrap().action, Action::Created);
}

#[test]
fn a_link_is_written_through_and_the_mode_is_kept() {
    let scene = Scene::new(None);
    let dotfiles = scene.paths.state.with_file_name("dotfiles");
    fs::create_dir_all(&dotfiles).unwrap();
    fs::create_dir(&scene.paths.config).unwrap();
    let real = dotfiles.join("claude.json");
    fs::write(&real, "{}").unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("../dotfiles/claude.json", scene.paths.settings()).unwrap();
    scene.install();
    assert!(fs::symlink_metadata(scene.paths.settings()).unwrap().is_symlink());
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o7777, 0o640);
    assert_ne!(fs::read(&real).unwrap(), b"{}");
    scene.uninstall();
    assert!(fs::symlink_metadata(scene.paths.settings()).unwrap().is_symlink());
    assert_eq!(fs::read(&real).unwrap(), b"{}");
}

#[test]
fn a_link_that_leads_nowhere_is_filled_and_emptied_again() {
    let scene = Scene::new(None);
    fs::create_dir(&scene.paths.config).unwrap();
    symlink("later/settings.json", scene.paths.settings()).unwrap();
    assert_eq!(scene.install(), Action::Created);
    assert!(scene.paths.config.join("later/settings.json").is_file());
    assert_eq!(scene.uninstall(), UninstallAction::FileRemoved);
    assert!(fs::symlink_metadata(scene.paths.settings()).unwrap().is_symlink());
    assert!(!scene.paths.config.join("later").exists());
}

#[test]
fn links_in_a_circle_and_things_that_are_no_file_are_errors() {
    let circle = Scene::new(None);
    fs::create_dir(&circle.paths.config).unwrap();
    symlink("settings.json", circle.paths.settings()).unwrap();
    assert!(install(&circle.paths, Path::new(PROGRAM), false).is_err());

    let folder = Scene::new(None);
    fs::create_dir_all(folder.paths.settings()).unwrap();
    let message = install(&folder.paths, Path::new(PROGRAM), false).unwrap_err().to_string();
    assert!(message.contains(&folder.paths.settings().display().to_string()), "{message}");
}

#[test]
fn two_configurations_of_the_client_have_records_of_their_own() {
    let scene = Scene::new(Some(b"{\"a\": 1}"));
    let other =
        ClientPaths { config: scene.paths.config.with_file_name(".claude-work"), ..scene.paths.clone() };
    fs::create_dir(&other.config).unwrap();
    fs::write(other.settings(), b"{\"b\": 2}").unwrap();
    scene.install();
    install(&other, Path::new(PROGRAM), false).unwrap();
    assert_eq!(uninstall(&other).unwrap().action, UninstallAction::Restored);
    assert_eq!(scene.uninstall(), UninstallAction::Restored);
    assert_eq!(
        (scene.bytes(), fs::read(other.settings()).unwrap()),
        (b"{\"a\": 1}".to_vec(), b"{\"b\": 2}".to_vec())
    );
}

#[test]
fn the_state_is_known() {
    let scene = Scene::new(Some(b"{\"disableAllHooks\": true}"));
    let before = installed_state(&scene.paths).unwrap();
    assert_eq!(
        (before.complete, before.untouched, before.command, before.notices.len()),
        (false, false, None, 1)
    );
    scene.install();
    let after = installed_state(&scene.paths).unwrap();
    assert_eq!((after.complete, after.untouched), (true, true));
    assert_eq!(after.command.as_deref(), Some("\"/opt/我的 tools/nidra\" hook claude-code"));
    assert_eq!(after.events.into_iter().collect::<Vec<_>>(), ["SessionEnd", "SessionStart", "Stop"]);
    let nowhere = ClientPaths { config: PathBuf::from("/nonexistent"), state: PathBuf::from("/nonexistent") };
    assert!(!installed_state(&nowhere).unwrap().complete);
}

#[test]
fn a_record_of_a_newer_version_is_refused_by_name() {
    let scene = Scene::new(Some(b"{}"));
    scene.install();
    let record =
        fs::read_dir(scene.paths.state.join("client/claude-code")).unwrap().next().unwrap().unwrap().path();
    fs::write(record.join("installed.json"), "{\"version\": 2}").unwrap();
    let message = uninstall(&scene.paths).unwrap_err().to_string();
    assert!(message.contains("installed.json") && message.contains("format 2"), "{message}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn any_settings_come_back_byte_for_byte(
        members in prop::collection::vec(("[a-z]{1,4}", "[ \t\r\n]{0,3}", prop::sample::select(vec!["1", "[]", "{ }", "\"中\"", "[1,2 ]"])), 0..4),
        end in "[ \t\r\n]{0,3}",
    ) {
        let members: Vec<String> =
            members.into_iter().map(|(name, gap, value)| format!("{gap}\"{name}\"{gap}:{value}{gap}")).collect();
        let before = format!("{{{}}}{end}", members.join(","));
        let scene = Scene::new(Some(before.as_bytes()));
        prop_assert_eq!(scene.install(), Action::Added);
        prop_assert_eq!(scene.uninstall(), UninstallAction::Restored);
        prop_assert_eq!(scene.bytes(), before.into_bytes());
    }
}
