//! Which files are transcripts.

use crate::build::{Log, uuid};
use nidra_sessions::claude::{self, discover};
use serde_json::json;
use std::fs;
use std::path::Path;

#[test]
fn only_files_named_by_a_uuid_are_sessions() {
    let config = tempfile::tempdir().unwrap();
    let mut log = Log::new(1, "/w/p");
    log.human("x");
    let path = log.write(config.path(), "-w-p");
    let folder = path.parent().unwrap();
    let name = uuid(2);
    for other in [
        format!("{name}.jsonl.bak"),
        format!("{name}.jsonl.tmp"),
        format!(".{name}.jsonl"),
        format!("{name} (conflicted copy).jsonl"),
        format!("{name}.sync-conflict-20261130.jsonl"),
        format!("{name}.json"),
        format!("{name}~"),
        "notes.jsonl".to_owned(),
        "MEMORY.md".to_owned(),
    ] {
        fs::write(folder.join(other), &log.bytes).unwrap();
    }
    fs::create_dir_all(folder.join("memory")).unwrap();
    fs::write(folder.join("memory").join(format!("{name}.jsonl")), &log.bytes).unwrap();
    let results = folder.join(uuid(1)).join("tool-results");
    fs::create_dir_all(&results).unwrap();
    fs::write(results.join("a.txt"), "x").unwrap();
    fs::write(results.join("agent-a1.jsonl"), &log.bytes).unwrap();
    fs::create_dir(folder.join(format!("{}.jsonl", uuid(3)))).unwrap();
    let found = discover(config.path());
    assert_eq!(found.transcripts.len(), 1, "{:#?}", found.transcripts);
    assert_eq!(found.transcripts[0].length, log.bytes.len() as u64);
    assert!(found.diagnostics.is_empty(), "{:?}", found.diagnostics);
}

#[test]
fn pub_prj_05_a_folder_with_any_name_is_found_by_what_is_inside() {
    let config = tempfile::tempdir().unwrap();
    let directory = format!("/{}", "dir_é+/".repeat(30));
    assert!(directory.chars().count() > 200);
    let mut log = Log::new(1, &directory);
    log.human("x");
    log.write(config.path(), "-some-name-with-an-unknown-hash-zz9x");
    let found = discover(config.path());
    assert_eq!(found.transcripts[0].directory.as_deref(), Some(Path::new(&directory)));
    assert!(claude::slug(Path::new(&directory)).len() > 200);
}

#[test]
fn the_directory_is_found_behind_large_records() {
    let config = tempfile::tempdir().unwrap();
    let mut log = Log::new(1, "/w/p");
    log.line(r#"{"type":"mode","mode":"normal"}"#);
    log.line(&json!({"type": "file-history-snapshot", "snapshot": {"a": "x".repeat(40_000)}}).to_string());
    // In the first record with a directory the prompt stands before it.
    log.human(&"a long paste 长 ".repeat(5_000));
    log.write(config.path(), "-w-p");
    assert_eq!(discover(config.path()).transcripts[0].directory.as_deref(), Some(Path::new("/w/p")));
}

#[test]
fn a_missing_configuration_directory_is_normal() {
    let found = discover(Path::new("/does/not/exist"));
    assert!(found.transcripts.is_empty() && found.diagnostics.is_empty());
}

#[cfg(unix)]
#[test]
fn an_unreadable_folder_is_a_diagnostic_that_names_it() {
    use std::os::unix::fs::PermissionsExt;
    let config = tempfile::tempdir().unwrap();
    let mut log = Log::new(1, "/w/p");
    log.human("x");
    log.write(config.path(), "-w-p");
    let closed = config.path().join("projects/-w-closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    let found = discover(config.path());
    let readable = fs::read_dir(&closed).is_ok();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!(found.sessions().count(), 1);
    if readable {
        println!("skipped in part: this user may read everything");
    } else {
        assert!(found.diagnostics[0].message.contains("-w-closed"), "{:?}", found.diagnostics);
    }
}

#[cfg(unix)]
#[test]
fn a_dangling_link_in_a_folder_is_a_vanished_file() {
    let config = tempfile::tempdir().unwrap();
    let mut log = Log::new(1, "/w/p");
    log.human("x");
    let path = log.write(config.path(), "-w-p");
    std::os::unix::fs::symlink("/gone", path.with_file_name(format!("{}.jsonl", uuid(9)))).unwrap();
    let found = discover(config.path());
    assert_eq!(found.sessions().count(), 1);
    assert!(found.diagnostics.is_empty());
}
