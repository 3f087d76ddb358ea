//! Input that cannot be used: the message names the path and the way out, and no byte is lost.

use crate::support::{COMMITS, Home, NOW, PNPM, Said, is_root, not_tested, said};
use crate::talk::{Talk, session_id, slug, touch};
use crate::tree;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;

/// Runs the program without any privilege; `None`, said loudly, where that is not possible.
pub(crate) fn as_nobody(home: &Home, arguments: &[&str]) -> Option<Said> {
    if !is_root() {
        return Some(home.nidra(arguments));
    }
    let program = home.root.join("nidra");
    if !program.exists() && fs::hard_link(env!("CARGO_BIN_EXE_nidra"), &program).is_err() {
        fs::copy(env!("CARGO_BIN_EXE_nidra"), &program).unwrap();
    }
    // The link must not lead to a change of the owner of the program itself.
    let mut give = Command::new("chown");
    give.args(["-R", "65534:65534"])
        .args([&home.folder, &home.state, &home.work].iter().filter(|path| path.exists()));
    assert!(give.status().unwrap().success());
    fs::set_permissions(&home.root, fs::Permissions::from_mode(0o755)).unwrap();
    if !home.state.exists() {
        fs::create_dir(&home.state).unwrap();
        assert!(give.arg(&home.state).status().unwrap().success());
    }
    let mut command = Command::new("setpriv");
    home.environment(&mut command);
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&program).args(arguments);
    command.current_dir(&home.work);
    let outcome = said(&mut command, b"");
    if outcome.err.contains("setpriv:") {
        not_tested(&format!("a program without privileges ({})", outcome.err.trim()));
        return None;
    }
    Some(outcome)
}

/// Everything of the user's that a failing command must leave as it was.
fn belongings(home: &Home) -> [tree::Exact; 2] {
    [tree::exact(&home.claude), tree::exact(&home.work)]
}

#[track_caller]
fn untouched(home: &Home, before: &[tree::Exact; 2]) {
    tree::assert_same(&home.claude, &before[0]);
    tree::assert_same(&home.work, &before[1]);
}

#[test]
fn a_file_in_the_place_of_the_transcript_folder_is_named() {
    let home = Home::new();
    let projects = home.claude.join("projects");
    fs::create_dir_all(&home.claude).unwrap();
    fs::write(&projects, "not a folder").unwrap();
    home.configure(&format!("[memory]\ndirectory = {:?}\n", home.root.join("memory")));
    let before = belongings(&home);
    for arguments in [["dream", "--dry-run"].as_slice(), &["dream"], &["sessions"]] {
        let said = home.expect(0, arguments);
        said.names(&[projects.to_str().unwrap()]);
    }
    untouched(&home, &before);
}

#[test]
fn pub_trx_06_an_unreadable_transcript_has_its_own_error_and_the_others_are_read() {
    let home = Home::with_sessions(3);
    let hidden = Talk::new(7, &home.work).human("secret words").write(&home);
    fs::set_permissions(&hidden, fs::Permissions::from_mode(0o000)).unwrap();
    let Some(said) = as_nobody(&home, &["dream"]) else { return };
    assert_eq!(said.status.code(), Some(0), "{said:?}");
    said.names(&[hidden.to_str().unwrap(), "ermission denied"]);
    assert!(tree::words(&home.memory()).contains(PNPM.1), "{said:?}");
    // Once it can be read, it is.
    fs::set_permissions(&hidden, fs::Permissions::from_mode(0o600)).unwrap();
    fs::write(
        &hidden,
        Talk::new(7, &home.work)
            .human("We always deploy with `make ship`, never by hand.")
            .agent("ok")
            .text(),
    )
    .unwrap();
    touch(&hidden, "2026-11-29T09:00:00Z".parse().unwrap());
    let said = as_nobody(&home, &["dream"]).unwrap();
    assert!(tree::words(&home.memory()).contains("make ship"), "{said:?}");
}

#[test]
fn an_unreadable_transcript_folder_is_named_and_the_others_are_read() {
    let home = Home::with_sessions(3);
    let locked = home.claude.join("projects/-locked-folder");
    fs::create_dir_all(&locked).unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o000)).unwrap();
    let said = as_nobody(&home, &["dream"]);
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o700)).unwrap();
    let Some(said) = said else { return };
    assert_eq!(said.status.code(), Some(0), "{said:?}");
    said.names(&[locked.to_str().unwrap()]);
    assert!(tree::words(&home.memory()).contains(PNPM.1), "{said:?}");
}

#[test]
fn names_of_transcripts_without_a_transcript_behind_them_do_no_harm() {
    let home = Home::with_sessions(2);
    let folder = home.claude.join("projects").join(slug(&home.work));
    symlink("/nowhere/at/all.jsonl", folder.join(format!("{}.jsonl", session_id(70)))).unwrap();
    fs::create_dir(folder.join(format!("{}.jsonl", session_id(71)))).unwrap();
    fs::write(folder.join(format!("{}.jsonl", session_id(72))), "").unwrap();
    fs::write(folder.join(format!("{}.jsonl", session_id(73))), [0_u8, 255, 254, 10, 0, 10]).unwrap();
    let before = tree::exact(&folder);
    home.expect(0, &["dream"]);
    assert!(tree::words(&home.memory()).contains(PNPM.1));
    for (path, state) in before.iter().filter(|(path, _)| **path != folder) {
        assert_eq!(tree::exact(path).get(path), Some(state));
    }
}

#[test]
fn pub_trx_02_a_record_cut_in_the_middle_of_a_character_waits_for_its_rest() {
    let home = Home::new();
    let talk = Talk::new(1, &home.work).human(PNPM.0).agent("Understood.").human(COMMITS.0);
    // The last line but one is the prompt; its Chinese words are cut inside of a character.
    let whole = talk.lines[..talk.lines.len() - 1].join("\n");
    let cut = whole.rfind("信息").unwrap() + 1;
    let path = talk.path(&home);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, &whole.as_bytes()[..cut]).unwrap();
    touch(&path, talk.end());
    home.expect(0, &["dream"]);
    let words = tree::words(&home.memory());
    assert!(words.contains(PNPM.1) && !words.contains("提交"), "{words}");
    talk.write(&home);
    home.expect(0, &["dream"]);
    let words = tree::words(&home.memory());
    assert!(words.contains(PNPM.1) && words.contains(COMMITS.1), "{words}");
    let topics = tree::memory(&home.memory());
    let with = topics
        .iter()
        .filter(|(name, bytes)| *name != "MEMORY.md" && String::from_utf8_lossy(bytes).contains(PNPM.1));
    assert_eq!(with.count(), 1);
}

#[test]
fn pub_trx_01_a_damaged_line_costs_itself_and_is_named() {
    let home = Home::new();
    let talk = Talk::new(1, &home.work)
        .human("hello there")
        .agent("hello")
        .human("soon broken 中文")
        .agent("hm")
        .human(PNPM.0);
    let position = talk
        .lines
        .iter()
        .position(|line| line.contains("soon broken") && line.contains("parentUuid"))
        .unwrap();
    let mut bytes = Vec::new();
    for (number, line) in talk.lines.iter().enumerate() {
        let line = line.as_bytes();
        let cut = line.windows(3).position(|window| window == "中".as_bytes()).unwrap_or(line.len() - 2) + 2;
        bytes.extend_from_slice(if number == position { &line[..cut] } else { line });
        bytes.push(b'\n');
    }
    let path = talk.path(&home);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, &bytes).unwrap();
    touch(&path, talk.end());
    let said = home.expect(0, &["dream"]);
    said.names(&[&format!("{}:{}", path.display(), position + 1)]);
    assert!(tree::words(&home.memory()).contains(PNPM.1), "{said:?}");
    assert_eq!(fs::read(&path).unwrap(), bytes);
}

#[test]
fn a_file_in_the_place_of_the_memory_directory_stays_and_is_named() {
    let home = Home::with_sessions(3);
    let memory = home.memory();
    fs::write(&memory, "我的笔记").unwrap();
    let before = belongings(&home);
    for arguments in
        [["dream"].as_slice(), &["dream", "--dry-run"], &["dream", "--yes"], &["plan"], &["check"]]
    {
        let said = home.expect(1, arguments);
        said.names(&["error:", memory.to_str().unwrap(), "hint:"]);
        let json = home.expect(1, &[arguments, &["--json"]].concat()).json();
        assert_eq!(json["error"]["kind"], "failed");
    }
    home.expect(0, &["status"]);
    untouched(&home, &before);
    fs::remove_file(&memory).unwrap();
    home.expect(0, &["dream"]);
    assert!(tree::words(&memory).contains(PNPM.1));
}

#[test]
fn a_file_in_the_place_of_the_state_directory_stays_and_is_named() {
    let home = Home::with_sessions(3);
    fs::write(&home.state, "mine").unwrap();
    let before = belongings(&home);
    for arguments in [["dream"].as_slice(), &["dream", "--auto"], &["plan"], &["undo"]] {
        let said = home.expect(1, arguments);
        said.names(&["error:", home.state.to_str().unwrap(), "hint:", "NIDRA_HOME"]);
    }
    untouched(&home, &before);
    assert_eq!(fs::read(&home.state).unwrap(), b"mine");
    assert_eq!(
        home.hook(br#"{"session_id":"x","transcript_path":"/x","cwd":"/","hook_event_name":"Stop"}"#)
            .status
            .code(),
        Some(0)
    );
    assert_eq!(fs::read(&home.state).unwrap(), b"mine");
}

#[test]
fn a_damaged_database_is_named_and_kept() {
    for garbage in [b"short".to_vec(), b"not a database at all. ".repeat(400), vec![0xff; 70_000]] {
        let home = Home::with_sessions(3);
        home.remember("MEMORY.md", "- mine\n");
        fs::create_dir_all(&home.state).unwrap();
        let database = home.state.join("nidra.db");
        fs::write(&database, &garbage).unwrap();
        let before = belongings(&home);
        for arguments in [["dream"].as_slice(), &["dream", "--dry-run"], &["status"], &["log"], &["undo"]] {
            let said = home.expect(1, arguments);
            said.names(&["error:", database.to_str().unwrap(), "move it away"]);
            assert_eq!(fs::read(&database).unwrap(), garbage, "{arguments:?}");
        }
        untouched(&home, &before);
        // The way out that the message names works.
        fs::rename(&database, home.root.join("away.db")).unwrap();
        home.expect(0, &["dream"]);
        assert!(tree::words(&home.memory()).contains(PNPM.1));
    }
}

#[test]
fn a_database_that_is_damaged_inside_is_an_error_and_no_panic() {
    let home = Home::with_sessions(3);
    home.expect(0, &["dream"]);
    let database = home.state.join("nidra.db");
    let good = fs::read(&database).unwrap();
    for page in 1..good.len() / 4096 {
        let mut bad = good.clone();
        bad[page * 4096..(page + 1) * 4096].fill(0x5a);
        fs::write(&database, &bad).unwrap();
        let memory = tree::memory(&home.memory());
        for arguments in [["dream"].as_slice(), &["status"], &["log"]] {
            let said = home.nidra(arguments);
            assert!(matches!(said.status.code(), Some(0 | 1)), "page {page} {said:?}");
            assert!(!said.err.contains("panicked"), "{said:?}");
            if said.status.code() == Some(1) {
                said.names(&[database.to_str().unwrap()]);
            }
        }
        // Whatever was still known, what was learnt is not learnt a second time into other words.
        assert_eq!(tree::memory(&home.memory()).len(), memory.len(), "page {page}");
        fs::write(&database, &good).unwrap();
        for name in ["nidra.db-wal", "nidra.db-shm"] {
            drop(fs::remove_file(home.state.join(name)));
        }
    }
}

#[test]
fn a_database_of_a_newer_format_is_refused_by_name() {
    let home = Home::with_sessions(3);
    home.expect(0, &["dream"]);
    Talk::new(8, &home.work).human(PNPM.0).write(&home);
    let database = home.state.join("nidra.db");
    let mut bytes = fs::read(&database).unwrap();
    // The format's number stands in the header of every SQLite file, at offset 60.
    bytes[60..64].copy_from_slice(&99_u32.to_be_bytes());
    fs::write(&database, &bytes).unwrap();
    let before = belongings(&home);
    for arguments in
        [["dream"].as_slice(), &["dream", "--dry-run"], &["status"], &["log"], &["undo"], &["plan"]]
    {
        let said = home.expect(1, arguments);
        said.names(&["error:", database.to_str().unwrap(), "format 99", "newer nidra"]);
        assert_eq!(fs::read(&database).unwrap(), bytes);
    }
    untouched(&home, &before);
}

#[test]
fn pub_sec_05_a_checkout_cannot_lead_memory_out_of_itself() {
    let mut home = Home::with_sessions(3);
    let global = home.root.join("global");
    fs::create_dir(&global).unwrap();
    fs::write(global.join("MEMORY.md"), "- the user's own\n").unwrap();
    for link in [".mem", "deep/.agent"] {
        let place = home.work.join(link);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        symlink(&global, &place).unwrap();
        for inside in ["", "memory"] {
            let memory = place.join(inside);
            home.variables = vec![("NIDRA_MEMORY_DIRECTORY".to_owned(), memory.to_str().unwrap().to_owned())];
            let before = [tree::exact(&global), tree::exact(&home.work)];
            for arguments in [["dream"].as_slice(), &["dream", "--yes"], &["dream", "--dry-run"], &["plan"]] {
                let said = home.expect(3, arguments);
                said.names(&[link, global.to_str().unwrap(), "hint:"]);
            }
            tree::assert_same(&global, &before[0]);
            tree::assert_same(&home.work, &before[1]);
        }
    }
}

#[test]
fn pub_sec_05_the_clients_own_setting_in_a_checkout_leads_nowhere_else_either() {
    let home = Home::with_sessions(3);
    let global = home.root.join("global");
    fs::create_dir(&global).unwrap();
    fs::write(global.join("MEMORY.md"), "- the user's own\n").unwrap();
    symlink(&global, home.work.join(".mem")).unwrap();
    fs::create_dir_all(home.work.join(".claude")).unwrap();
    let settings = serde_json::json!({ "autoMemoryDirectory": home.work.join(".mem") });
    fs::write(home.work.join(".claude/settings.json"), settings.to_string()).unwrap();
    let before = tree::exact(&global);
    let said = home.nidra(&["dream"]);
    assert_eq!(tree::exact(&global), before, "{said:?}");
}

#[test]
fn pub_sec_07_a_link_inside_memory_stays_a_link_and_one_that_leaves_is_named() {
    let home = Home::with_sessions(3);
    let outside = home.root.join("outside.md");
    fs::write(&outside, "pnpm is what the stranger uses.\n").unwrap();
    home.remember(
        "topics/a.md",
        "---\nname: a\ndescription: d\ntype: project\n---\n\nThe API listens on port 8080.\n",
    );
    symlink("topics/a.md", home.memory().join("a.md")).unwrap();
    symlink(&outside, home.memory().join("b.md")).unwrap();
    let said = home.expect(0, &["dream"]);
    said.names(&["b.md", outside.to_str().unwrap()]);
    assert_eq!(fs::read_link(home.memory().join("a.md")).unwrap(), Path::new("topics/a.md"));
    assert_eq!(fs::read_to_string(&outside).unwrap(), "pnpm is what the stranger uses.\n");
    assert!(fs::symlink_metadata(home.memory().join("b.md")).unwrap().is_symlink());
}

#[test]
fn pub_dur_03_what_is_read_only_is_named_and_nothing_is_half_done() {
    for part in ["memory directory", "memory file", "state directory"] {
        let mut home = Home::with_sessions(3);
        home.remember("MEMORY.md", "- [Dev server](dev.md) — port 8080\n");
        home.remember(
            "dev.md",
            "---\nname: dev\ndescription: d\ntype: project\n---\n\nThe API listens on port 8080.\n",
        );
        fs::create_dir_all(&home.state).unwrap();
        let before = tree::memory(&home.memory());
        let mode =
            |path: &Path, mode: u32| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        let place = match part {
            "state directory" => home.state.clone(),
            _ => home.memory(),
        };
        // Ownership first, so that the modes are the last word.
        if as_nobody(&home, &["status"]).is_none() {
            return;
        }
        if part == "memory file" {
            mode(&home.memory().join("MEMORY.md"), 0o444);
        }
        mode(&place, 0o555);
        let said = as_nobody(&home, &["dream"]).unwrap();
        mode(&place, 0o755);
        assert_eq!(said.status.code(), Some(1), "{part} {said:?}");
        said.names(&["error:", place.to_str().unwrap(), "hint:"]);
        assert_eq!(tree::memory(&home.memory()), before, "{part}");
        assert!(!home.memory().join(".nidra-tmp").exists());
        // With the cause mended it works at once: nothing is held, nothing is counted as read.
        if part == "memory file" {
            mode(&home.memory().join("MEMORY.md"), 0o644);
        }
        home.now = NOW.to_owned();
        let said = as_nobody(&home, &["dream"]).unwrap();
        assert_eq!(said.status.code(), Some(0), "{part} {said:?}");
        assert!(tree::words(&home.memory()).contains(PNPM.1), "{part} {said:?}");
    }
}
