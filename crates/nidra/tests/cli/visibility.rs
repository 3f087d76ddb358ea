//! Whoever looks sees what is and what will be: hints that exist, reasons for doing nothing, one truth for status and
//! scheduler, and no session of nidra's own among those that count.

use crate::support::{Home, PNPM};
use crate::talk::Talk;
use crate::tree;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The commands that a text tells the reader to type: `nidra word`.
fn named_in(text: &str, found: &mut BTreeSet<String>) {
    for part in text.split("`nidra ").skip(1) {
        let word: String =
            part.chars().take_while(|letter| letter.is_ascii_lowercase() || *letter == '-').collect();
        if !word.is_empty() && !word.starts_with('-') {
            found.insert(word);
        }
    }
}

fn texts(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            if path.file_name().is_none_or(|name| name != "target" && name != "tests") {
                texts(&path, found);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs" || extension == "md") {
            named_in(&fs::read_to_string(&path).unwrap(), found);
        }
    }
}

#[test]
fn pub_obs_01_every_command_that_a_message_a_help_or_a_page_names_exists() {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut named = BTreeSet::new();
    texts(&workspace.join("crates"), &mut named);
    texts(&workspace.join("docs"), &mut named);
    for page in ["README.md", "README.zh-CN.md"] {
        named_in(&fs::read_to_string(workspace.join(page)).unwrap(), &mut named);
    }
    assert!(named.len() > 12, "{named:?}");
    let home = Home::new();
    for command in named {
        home.expect(0, &[&command, "--help"]);
    }
}

#[test]
fn pub_obs_02_a_run_that_does_nothing_says_what_is_missing() {
    let mut home = Home::new();
    home.variables = vec![("CLAUDE_CONFIG_DIR".to_owned(), home.root.join("nowhere").display().to_string())];
    let wrong_place = home.expect(0, &["dream"]);
    wrong_place.names(&["nowhere/projects does not exist"]);
    home.variables.clear();
    fs::create_dir_all(home.claude.join("projects")).unwrap();
    let empty = home.expect(0, &["dream"]);
    empty.names(&["no session of this project was found"]);
    home.sessions(2);
    home.expect(0, &["dream"]);
    let all_read = home.expect(0, &["dream"]);
    all_read.names(&["all sessions were read before"]);
}

#[test]
fn pub_obs_03_status_tells_what_the_scheduler_does() {
    for (settings, sessions) in [
        ("", 5),
        ("", 4),
        ("[dream]\nmin_sessions = 2\n", 2),
        ("[dream]\nenabled = false\n", 6),
        ("[dream]\nmin_hours = 1\n", 5),
        ("[sessions]\nidle_minutes = 100000\n", 6),
    ] {
        let mut home = Home::with_sessions(sessions);
        home.configure(settings);
        // A day, three hours at a time: what status says before is what the run then does.
        let mut fired = 0;
        for hour in 0..8 {
            let open = home.json(&["status"])["open"].as_bool().unwrap();
            let runs = home.json(&["log"]).as_array().unwrap().len();
            let said = home.nidra(&["dream", "--auto"]);
            let ran = home.json(&["log"]).as_array().unwrap().len() > runs;
            assert_eq!(ran, open, "{settings:?} with {sessions} sessions at hour {hour}: {said:?}");
            fired += u32::from(ran);
            home.wait_hours(3);
        }
        assert!(fired <= 1, "{settings:?}: {fired} runs over the same sessions");
    }
}

#[test]
fn pub_slf_03_the_session_of_a_dream_opens_no_gate() {
    let mut home = Home::with_sessions(1);
    home.configure("[dream]\nmin_sessions = 1\n");
    home.expect(0, &["dream", "--auto"]);
    assert!(tree::words(&home.memory()).contains(PNPM.1));
    home.wait_hours(30);
    let mark = "nidra:dream-run";
    Talk::new(2, &home.work)
        .at("2026-12-01T20:00:00Z")
        .human(&format!("<!-- {mark} --> Merge these."))
        .agent("Done.")
        .write(&home);
    home.expect(0, &["dream", "--auto"]).names(&["sessions gate is closed", "0 sessions"]);
    assert_eq!(home.json(&["status"])["open"], false);
}
