//! `init` and `uninstall` through the program: bytes in, bytes back.

use crate::support::Home;
use crate::tree;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

/// Settings as they are met.
const ODD: [&str; 9] = [
    "",
    "{}",
    "{ }\r\n",
    "\u{feff}{\r\n  \"model\": \"opus\",\r\n}\r\n",
    "// settings of 小王\n{\n\t\"env\": {\"A\": \"\\u00e9\\ud83d\"}, /* last */\n\t\"hooks\": { }\n}",
    "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"notify-send 完成\"}]}]},\"theme\":\"dark\"}",
    "{\n    \"permissions\": { \"allow\": [ \"Bash(ls)\", ], },\n}\n\n\n",
    "{\"a\":1,\"a\":2,\"hooks\":{\"SessionStart\":[]}}",
    "{\n  \"hooks\": {\n    \"PreToolUse\": [ {\"matcher\": \"Bash\", \"hooks\": []} ] // keep\n  }\n}",
];

#[test]
fn hooks_go_in_and_out_and_leave_every_byte() {
    for text in ODD {
        let home = Home::new();
        let settings = home.client_settings(text);
        let said = home.expect(0, &["init"]);
        let inside = fs::read_to_string(&settings).unwrap();
        for event in ["SessionStart", "Stop", "SessionEnd"] {
            assert!(inside.contains(event), "{said:?} {inside}");
        }
        assert!(inside.contains("hook claude-code") || inside.contains("\"hook\""), "{inside}");
        // Again changes nothing.
        home.expect(0, &["init"]).names(&["already installed"]);
        assert_eq!(fs::read_to_string(&settings).unwrap(), inside);
        home.expect(0, &["uninstall"]).names(&[settings.to_str().unwrap()]);
        assert_eq!(fs::read_to_string(&settings).unwrap(), text);
        home.expect(0, &["uninstall"]).names(&["no hook of nidra"]);
        assert_eq!(fs::read_to_string(&settings).unwrap(), text);
    }
}

#[test]
fn settings_that_did_not_exist_do_not_exist_afterwards() {
    let home = Home::new();
    home.expect(0, &["init"]);
    assert!(home.claude.join("settings.json").exists());
    let status = home.expect(0, &["status"]).out;
    assert!(status.contains("settings.json") && !status.contains("not installed"), "{status}");
    home.expect(0, &["uninstall"]);
    assert!(!home.claude.join("settings.json").exists());
}

#[test]
fn what_the_user_changed_in_between_stays() {
    let home = Home::new();
    let settings = home.client_settings("{\n  \"theme\": \"dark\" // mine\n}\n");
    home.expect(0, &["init"]);
    let changed =
        fs::read_to_string(&settings).unwrap().replace("dark", "light").replace("// mine", "// 我的");
    fs::write(&settings, &changed).unwrap();
    home.expect(0, &["uninstall"]);
    let after = fs::read_to_string(&settings).unwrap();
    assert!(after.contains("\"light\"") && after.contains("// 我的") && !after.contains("hook"), "{after}");
}

#[test]
fn a_preview_changes_nothing_at_all() {
    for text in ODD {
        let home = Home::new();
        home.client_settings(text);
        let before = tree::exact(&home.root);
        let said = home.expect(0, &["init", "--dry-run"]);
        said.names(&["Nothing was written; ", "would be "]);
        assert!(said.out.contains("SessionEnd"), "{said:?}");
        home.expect(0, &["uninstall", "--dry-run"]);
        tree::assert_same(&home.root, &before);
    }
}

#[test]
fn settings_that_cannot_be_understood_are_named_with_the_line_and_stay() {
    for text in [
        "{\n  \"a\": 1\n  \"b\": 2\n}",
        "[1, 2]",
        "{\"hooks\": []}",
        "{\n\"hooks\": {\n\"Stop\": 3}}",
        "\u{0}\u{1}",
        "{\"a\": \"\u{1}",
    ] {
        let home = Home::new();
        let settings = home.client_settings(text);
        let before = tree::exact(&home.root);
        let said = home.expect(2, &["init"]);
        said.names(&["error:", settings.to_str().unwrap(), "no byte was changed"]);
        tree::assert_same(&home.root, &before);
    }
}

#[test]
fn places_that_are_no_file_are_named_and_stay() {
    let home = Home::new();
    fs::create_dir_all(home.claude.join("settings.json")).unwrap();
    let said = home.nidra(&["init"]);
    assert!(matches!(said.status.code(), Some(1 | 2)), "{said:?}");
    said.names(&["error:", home.claude.join("settings.json").to_str().unwrap()]);
    assert!(home.claude.join("settings.json").is_dir());
    let home = Home::new();
    fs::write(&home.claude, "a file").unwrap();
    let said = home.nidra(&["init"]);
    assert!(matches!(said.status.code(), Some(1 | 2)), "{said:?}");
    said.names(&["error:", home.claude.to_str().unwrap()]);
    assert_eq!(fs::read(&home.claude).unwrap(), b"a file");
}

#[test]
fn a_link_stays_a_link_and_modes_stay() {
    let home = Home::new();
    let real = home.folder.join("dotfiles/claude.json");
    fs::create_dir_all(real.parent().unwrap()).unwrap();
    fs::create_dir_all(&home.claude).unwrap();
    fs::write(&real, "{\"theme\": \"dark\"}").unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o600)).unwrap();
    symlink(&real, home.claude.join("settings.json")).unwrap();
    home.expect(0, &["init"]);
    assert_eq!(fs::read_link(home.claude.join("settings.json")).unwrap(), real);
    assert!(fs::read_to_string(&real).unwrap().contains("SessionEnd"));
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o600);
    home.expect(0, &["uninstall"]);
    assert_eq!(fs::read_to_string(&real).unwrap(), "{\"theme\": \"dark\"}");
    assert_eq!(fs::read_link(home.claude.join("settings.json")).unwrap(), real);
}

#[test]
fn the_command_that_init_writes_is_one_that_a_shell_can_run() {
    let home = Home::with_sessions(1);
    let settings = home.claude.join("settings.json");
    home.expect(0, &["init"]);
    let written: serde_json::Value = serde_json::from_str(&fs::read_to_string(settings).unwrap()).unwrap();
    let hook = &written["hooks"]["SessionEnd"][0]["hooks"][0];
    assert_eq!(hook["type"], "command");
    let mut command = if let Some(arguments) = hook["args"].as_array() {
        let mut command = std::process::Command::new(hook["command"].as_str().unwrap());
        command.args(arguments.iter().map(|argument| argument.as_str().unwrap()));
        command
    } else {
        let mut command = std::process::Command::new("sh");
        command.args(["-c", hook["command"].as_str().unwrap()]);
        command
    };
    home.environment(&mut command);
    let said = crate::support::said(
        command.current_dir(&home.work),
        crate::hooks::payload(&home, "SessionEnd", 1).as_bytes(),
    );
    assert_eq!((said.status.code(), said.out.as_str()), (Some(0), ""), "{said:?}");
    assert!(tree::words(&home.state.join("spool")).contains("SessionEnd"));
}
