//! What the proofs found once, each in its smallest form.

use crate::eventful::{Event, Eventful, When};
use crate::random::Random;
use crate::user::{Style, User};
use nidra_memory::atomic::{
    AtomicError, FileSystem as _, RealFileSystem, Settled, replace, rescue, settle, swap,
};
use nidra_memory::lease::{LOCK_NAME, Lease, LeaseError, LeaseOptions};
use nidra_memory::lock_file::CLIENT_LOCK_NAME;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

struct Place {
    _directory: tempfile::TempDir,
    root: PathBuf,
    file: PathBuf,
}

fn place() -> Place {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().to_owned();
    let file = root.join("old.md");
    fs::write(&file, "- one\n").unwrap();
    Place { _directory: directory, root, file }
}

fn options() -> LeaseOptions {
    LeaseOptions { client_settle: Duration::ZERO, ..LeaseOptions::new("regression") }
}

#[test]
fn an_edit_between_the_last_look_and_the_replacement_is_not_overwritten() {
    for style in [Style::Rename, Style::Truncate, Style::Append] {
        for after in [Some(&b"- two\n"[..]), None] {
            for at in 0..12 {
                let Place { _directory, root, file } = place();
                let user = Arc::new(Mutex::new(User::new(&root, Random::new(at))));
                let files =
                    Eventful::new(&user, vec![(When::At(at), Event::Edit(Some("old.md".into()), style))]);
                let result = replace(&files, &file, Some(b"- one\n"), after);
                assert!(matches!(result, Ok(()) | Err(AtomicError::Conflict { .. })), "{at}: {result:?}");
                assert!(user.lock().unwrap().missing().is_empty(), "{style:?} at {at}: {after:?}");
                let names = fs::read_dir(&root).unwrap().count();
                assert!(names <= 1, "{style:?} at {at}: something is left behind");
            }
        }
    }
}

#[test]
fn a_line_that_comes_late_to_the_replaced_file_is_brought_to_its_place() {
    let Place { _directory, root, file } = place();
    let mut opened = fs::OpenOptions::new().append(true).open(&file).unwrap();
    let displaced =
        swap(&RealFileSystem, &file, Some(b"- one\n"), Some(b"- zero\n- one\n")).unwrap().unwrap();
    opened.write_all("- late 晚\n".as_bytes()).unwrap();
    assert_eq!(settle(&RealFileSystem, &displaced).unwrap(), Settled::Merged);
    assert_eq!(fs::read_to_string(&file).unwrap(), "- zero\n- one\n- late 晚\n");
    assert_eq!(fs::read_dir(&root).unwrap().count(), 1);
}

#[test]
fn a_late_text_that_cannot_be_merged_wins_over_the_run() {
    let Place { _directory, root, file } = place();
    let mut opened = fs::OpenOptions::new().write(true).open(&file).unwrap();
    let displaced = swap(&RealFileSystem, &file, Some(b"- one\n"), Some(b"- by the run\n")).unwrap().unwrap();
    opened.write_all(b"- me\n").unwrap();
    opened.set_len(5).unwrap();
    assert_eq!(settle(&RealFileSystem, &displaced).unwrap(), Settled::PutBack);
    assert_eq!(fs::read_to_string(&file).unwrap(), "- me\n");
    assert_eq!(fs::read_dir(&root).unwrap().count(), 1);
}

#[test]
fn two_texts_that_cannot_be_brought_together_both_stay() {
    let Place { _directory, root, file } = place();
    let mut opened = fs::OpenOptions::new().write(true).open(&file).unwrap();
    let displaced = swap(&RealFileSystem, &file, Some(b"- one\n"), Some(b"- by the run\n")).unwrap().unwrap();
    opened.write_all(b"- my other text\n").unwrap();
    fs::write(&file, "- my text\n").unwrap();
    let Settled::Kept(kept) = settle(&RealFileSystem, &displaced).unwrap() else { panic!("not kept") };
    assert_eq!(fs::read_to_string(&file).unwrap(), "- my text\n");
    assert_eq!(fs::read_to_string(&kept).unwrap(), "- my other text\n");
    assert_eq!(kept, root.join("old.md.kept-1"));
}

#[test]
fn what_was_written_late_before_a_crash_is_put_back_by_recovery() {
    for after in [Some(&b"- two\n"[..]), None] {
        let Place { _directory, root, file } = place();
        let mut opened = fs::OpenOptions::new().append(true).open(&file).unwrap();
        swap(&RealFileSystem, &file, Some(b"- one\n"), after).unwrap();
        opened.write_all(b"- late\n").unwrap();
        rescue(&RealFileSystem, &file, Some(b"- one\n"), after).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "- one\n- late\n");
        assert_eq!(fs::read_dir(&root).unwrap().count(), 1);
    }
}

#[test]
fn a_lock_file_that_vanishes_under_its_holder_lets_nobody_in() {
    let Place { _directory, root, .. } = place();
    let lease = Lease::acquire(&root, &options()).unwrap();
    for planted in [None, Some(""), Some("garbage"), Some(r#"{"version":1,"tok"#)] {
        fs::remove_file(root.join(LOCK_NAME)).unwrap();
        if let Some(text) = planted {
            fs::write(root.join(LOCK_NAME), text).unwrap();
        }
        let error = Lease::acquire(&root, &options()).unwrap_err();
        assert!(matches!(error, LeaseError::Busy { .. }), "{planted:?}: {error}");
    }
    // The holder itself may no longer write either: it cannot know who else believes what.
    assert!(matches!(lease.fence().unwrap_err(), LeaseError::Lost { .. }));
    drop(lease);
    Lease::acquire(&root, &options()).unwrap();
}

#[test]
fn a_torn_record_does_not_let_anybody_in_while_its_writer_lives() {
    let Place { _directory, root, .. } = place();
    let lease = Lease::acquire(&root, &options()).unwrap();
    fs::write(root.join(LOCK_NAME), "{\"version\":1,\"tok").unwrap();
    assert!(matches!(Lease::acquire(&root, &options()).unwrap_err(), LeaseError::Busy { .. }));
    drop(lease);
    Lease::acquire(&root, &options()).unwrap();
}

#[test]
fn a_client_that_writes_late_stops_the_run_before_its_first_write() {
    let Place { _directory, root, .. } = place();
    let lease = Lease::acquire(&root, &options()).unwrap();
    drop(lease.fence().unwrap());
    // A living process: the parent of this one.
    let parent = std::os::unix::process::parent_id();
    fs::write(root.join(CLIENT_LOCK_NAME), parent.to_string()).unwrap();
    assert!(matches!(lease.fence().unwrap_err(), LeaseError::Busy { .. }));
    assert!(matches!(lease.beat().unwrap_err(), LeaseError::Busy { .. }));
    drop(lease);
    assert_eq!(fs::read_to_string(root.join(CLIENT_LOCK_NAME)).unwrap(), parent.to_string());
}

#[test]
fn a_beat_keeps_the_clients_lock_from_going_stale() {
    let Place { _directory, root, .. } = place();
    let lease = Lease::acquire(&root, &options()).unwrap();
    let path = root.join(CLIENT_LOCK_NAME);
    let old = "2026-11-29T00:00:00Z".parse().unwrap();
    RealFileSystem.set_modified(&path, old).unwrap();
    lease.beat().unwrap();
    assert!(RealFileSystem.status(&path).unwrap().unwrap().modified > old);
}
