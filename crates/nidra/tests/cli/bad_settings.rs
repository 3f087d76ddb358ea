//! Settings that cannot be used: exit code 2, file and line, a near match, and nothing done.

use crate::support::{Home, PNPM};
use crate::tree;
use std::fs;

/// The commands that dream.
const DREAMS: [&[&str]; 4] = [&["dream"], &["dream", "--auto"], &["dream", "--dry-run"], &["plan"]];
/// The commands that look at memory or take something back.
const OTHERS: [&[&str]; 2] = [&["log"], &["undo"]];

/// Runs every command that needs the user's own settings, with a fault in them.
fn refused(home: &Home, words: &[&str]) {
    refused_by(home, &[DREAMS.as_slice(), &OTHERS].concat(), words);
}

/// Runs commands and expects each to refuse, to name these words and to change nothing.
fn refused_by(home: &Home, commands: &[&[&str]], words: &[&str]) {
    let before = tree::exact(&home.root);
    for arguments in commands {
        let said = home.expect(2, arguments);
        said.names(words);
        said.names(&["error:", "hint:"]);
        assert_eq!(said.out, "");
    }
    // `status` is where a person looks for the reason that nothing runs.
    let status = home.expect(2, &["status"]);
    assert!(words.iter().all(|word| format!("{}{}", status.out, status.err).contains(word)), "{status:?}");
    let error = home.expect(2, &["plan", "--json"]).json();
    assert_eq!(error["error"]["kind"], "usage");
    for word in words {
        assert!(error["error"]["message"].as_str().unwrap().contains(word), "{error}");
    }
    tree::assert_same(&home.root, &before);
}

#[test]
fn pub_trg_04_a_misspelt_key_is_named_with_its_line_and_a_near_match() {
    let home = Home::with_sessions(3);
    let file = home.configure("# 我的设置\n[dream]\nmin_hour = 3\n");
    refused(&home, &[&format!("{}:3", file.display()), "dream.min_hour`", "dream.min_hours"]);
}

#[test]
fn pub_trg_04_a_key_in_the_wrong_table_is_shown_its_place() {
    let home = Home::with_sessions(3);
    let file = home.configure("[memory]\nmin_sessions = 3\n");
    refused(
        &home,
        &[&format!("{}:2", file.display()), "memory.min_sessions", "[dream]", "dream.min_sessions"],
    );
    let file = home.configure("min_sessions = 3\n");
    refused(&home, &[&format!("{}:1", file.display()), "dream.min_sessions"]);
}

#[test]
fn a_value_of_the_wrong_type_or_out_of_bounds_is_named() {
    for (text, line, word) in [
        ("[dream]\nmin_hours = \"soon\"\n", 2, "dream.min_hours"),
        ("[dream]\nmin_hours = -1\n", 2, "dream.min_hours"),
        ("[dream]\n\nmin_sessions = 2.5\n", 3, "dream.min_sessions"),
        ("[dream]\nreview = \"never\"\n", 2, "dream.review"),
        ("[sessions]\nexclude = \"/x\"\n", 2, "sessions.exclude"),
        ("dream = 3\n", 1, "dream"),
        ("[dream]\nenabled = \"no\"\n", 2, "dream.enabled"),
    ] {
        let home = Home::with_sessions(1);
        let file = home.configure(text);
        refused(&home, &[&format!("{}:{line}", file.display()), word]);
    }
}

#[test]
fn text_that_is_no_toml_or_no_utf_8_is_named() {
    let home = Home::with_sessions(1);
    let file = home.configure("[dream\nmin_hours = 3\n");
    refused(&home, &[&format!("{}:1", file.display())]);
    fs::write(&file, b"[dream]\n# \xff\xfe\nmin_hours = 3\n").unwrap();
    refused(&home, &[file.to_str().unwrap(), "UTF-8"]);
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    refused(&home, &[file.to_str().unwrap()]);
}

#[test]
fn every_fault_is_named_and_not_just_the_first() {
    let home = Home::with_sessions(1);
    home.configure("[dream]\nmin_hour = 3\nmin_sesions = 4\n[memory]\nmax_index_line = 100\n");
    refused(&home, &["dream.min_hours", "dream.min_sessions", "memory.max_index_lines"]);
}

#[test]
fn a_variable_that_sets_nothing_or_nonsense_is_named() {
    for (name, value, word) in [
        ("NIDRA_DREAM_MIN_HOUR", "3", "NIDRA_DREAM_MIN_HOURS"),
        ("NIDRA_DREAM_MIN_HOURS", "soon", "dream.min_hours"),
        ("NIDRA_FORGET_MIN_SCOR", "0.1", "NIDRA_FORGET_MIN_SCORE"),
        ("NIDRA_HOME", "relative/state", "NIDRA_HOME"),
        ("NIDRA_NOW", "tomorrow", "NIDRA_NOW"),
        ("CLAUDE_CONFIG_DIR", "./x", "CLAUDE_CONFIG_DIR"),
    ] {
        let mut home = Home::with_sessions(1);
        home.variables = vec![(name.to_owned(), value.to_owned())];
        let before = tree::exact(&home.root);
        let said = home.expect(2, &["dream"]);
        said.names(&["error:", name, word]);
        tree::assert_same(&home.root, &before);
    }
}

#[test]
fn a_mistyped_variable_is_named_once_with_the_nearest_that_is_known() {
    for (name, near) in
        [("NIDRA_DISABLE", "NIDRA_DISABLED"), ("NIDRA_HOM", "NIDRA_HOME"), ("NIDRA_NWO", "NIDRA_NOW")]
    {
        let mut home = Home::with_sessions(1);
        home.variables = vec![(name.to_owned(), "1".to_owned())];
        let said = home.expect(0, &["status"]);
        assert_eq!(said.err.matches(name).count(), 1 + near.matches(name).count(), "{said:?}");
        said.names(&["sets nothing", near]);
        home.variables = vec![("NIDRA_TEST_TASK".to_owned(), "1".to_owned())];
        assert!(!home.expect(0, &["status"]).err.contains("warning"));
    }
}

#[test]
fn a_project_that_is_not_there_and_a_list_of_nothing_are_faults() {
    let home = Home::with_sessions(1);
    home.expect(2, &["--project", "/nope", "status"]).names(&["/nope", "--project"]);
    home.expect(2, &["log", "-n", "0"]).names(&["0"]);
    home.expect(2, &["--as-of", "9999-12-31T23:59:59Z", "status"]).names(&["up to 9999-12-30"]);
}

#[test]
fn a_checkouts_settings_are_checked_alike_and_may_not_loosen_what_the_user_decides() {
    let home = Home::with_sessions(3);
    let file = home.work.join(".nidra.toml");
    fs::write(&file, "[dream]\nmin_hour = 3\n").unwrap();
    refused_by(&home, &DREAMS, &[&format!("{}:2", file.display()), "dream.min_hours"]);
    let elsewhere = home.root.join("elsewhere");
    fs::write(&file, format!("[memory]\ndirectory = {elsewhere:?}\n")).unwrap();
    refused_by(&home, &DREAMS, &[&format!("{}:2", file.display()), "memory.directory", "your own settings"]);
    fs::write(&file, "[dream]\nreview = \"auto\"\n").unwrap();
    refused_by(&home, &DREAMS, &[&format!("{}:2", file.display()), "dream.review"]);
    // A stranger's file does not keep the user from looking at memory or taking something back.
    home.expect(0, &["log"]);
    home.expect(2, &["undo"]).names(&["no run"]);
    fs::write(&file, "[dream]\nenabled = false\n").unwrap();
    let said = home.expect(0, &["dream", "--auto"]);
    said.names(&["switch", "dream.enabled = false"]);
    assert!(!elsewhere.exists());
}

#[test]
fn hooks_survive_bad_settings_and_still_leave_their_note() {
    let home = Home::with_sessions(3);
    home.configure("[dream]\nmin_hour = 3\n");
    let payload = crate::hooks::payload(&home, "Stop", 1);
    let said = home.hook(payload.as_bytes());
    assert_eq!((said.status.code(), said.out.as_str(), said.err.as_str()), (Some(0), "", ""));
    assert!(tree::words(&home.state.join("spool")).contains("Stop"));
    assert!(!home.memory().exists());
}

#[test]
fn wrong_command_lines_are_usage_errors() {
    let home = Home::with_sessions(1);
    let before = tree::exact(&home.root);
    for arguments in [
        ["drem"].as_slice(),
        &["dream", "--dryrun"],
        &["dream", "--dry-run", "--yes"],
        &["dream", "--auto", "--yes"],
        &["dream", "--engine", "oracle"],
        &["dream", "--as-of", "soon"],
        &["config", "dream.min_hour"],
        &["apply"],
        &[],
    ] {
        let said = home.expect(2, arguments);
        assert!(!said.err.is_empty() && !said.err.contains("panicked"), "{said:?}");
    }
    for arguments in [["show", "nothing"].as_slice(), &["diff", "nothing"]] {
        home.expect(2, arguments).names(&["nothing", "nidra log"]);
    }
    tree::assert_same(&home.root, &before);
    assert!(!tree::words(&home.claude).contains("unused") && PNPM.0.contains(PNPM.1));
}

#[test]
fn a_setting_is_written_into_a_file_full_of_comments_without_touching_them() {
    let home = Home::new();
    let text = "\u{feff}# 小王的设置\r\n[dream] # when\r\nmin_hours = 12 # half a day\r\n";
    let file = home.configure(text);
    home.expect(0, &["config", "dream.min_hours", "6"]);
    let changed = fs::read_to_string(&file).unwrap();
    assert!([text.replace("= 12", "= 6"), text.replace("= 12", "= 6.0")].contains(&changed), "{changed:?}");
    let shown = home.json(&["config", "dream.min_hours"]);
    assert_eq!(shown[0]["key"], "dream.min_hours");
    assert!(shown[0]["value"].as_str().unwrap().starts_with('6'), "{shown}");
    assert!(shown[0]["origin"].as_str().unwrap().contains(&format!("{}:3", file.display())), "{shown}");
    let before = fs::read(&file).unwrap();
    home.expect(2, &["config", "dream.min_hours", "soon"]);
    home.expect(2, &["config", "dream.min_hour", "6"]);
    assert_eq!(fs::read(&file).unwrap(), before);
}
