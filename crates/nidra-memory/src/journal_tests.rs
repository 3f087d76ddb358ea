use super::*;
use crate::atomic::RealFileSystem;
use std::fs;

fn entry(run: &str, root: &str, at: &str) -> JournalEntry {
    let mut entry = JournalEntry::new(
        RunId::new(run),
        ProjectId::new("p"),
        Path::new(root),
        7,
        at.parse().unwrap(),
        ObjectId::of(b"manifest"),
    );
    entry.files.push(JournalFile { path: "笔记.md".into(), before: None, after: Some(ObjectId::of(b"x")) });
    entry
}

#[test]
fn pending_entries_are_those_of_one_directory_oldest_first() {
    let home = tempfile::tempdir().unwrap();
    let journal = Journal::new(home.path(), &RealFileSystem);
    assert!(journal.pending(Path::new("/m")).unwrap().entries.is_empty());
    let (old, new) = (entry("z", "/m", "2026-11-29T00:00:00Z"), entry("a", "/m", "2026-11-30T00:00:00Z"));
    journal.prepare(&new).unwrap();
    journal.prepare(&old).unwrap();
    journal.prepare(&entry("other", "/n", "2026-11-28T00:00:00Z")).unwrap();
    let found: Vec<JournalEntry> =
        journal.pending(Path::new("/m")).unwrap().entries.into_iter().map(|(_, entry)| entry).collect();
    assert_eq!(found, [old, new]);
}

#[test]
fn settled_and_discarded_entries_are_no_longer_pending() {
    let home = tempfile::tempdir().unwrap();
    let journal = Journal::new(home.path(), &RealFileSystem);
    for run in ["a", "b"] {
        journal.prepare(&entry(run, "/m", "2026-11-30T00:00:00Z")).unwrap();
    }
    journal.settle(&RunId::new("a")).unwrap();
    journal.discard(&RunId::new("b")).unwrap();
    journal.discard(&RunId::new("b")).unwrap();
    assert!(journal.pending(Path::new("/m")).unwrap().entries.is_empty());
    assert!(home.path().join("journal/applied/a.json").exists());
}

#[test]
fn odd_journals_are_named_and_a_newer_one_is_not_guessed_at() {
    let home = tempfile::tempdir().unwrap();
    let journal = Journal::new(home.path(), &RealFileSystem);
    fs::create_dir_all(journal.directory()).unwrap();
    fs::write(journal.directory().join("a.json"), "{\"versi").unwrap();
    fs::write(journal.directory().join("b.json"), "{\"version\": 99}").unwrap();
    let pending = journal.pending(Path::new("/m")).unwrap();
    assert!(matches!(pending.unreadable[0], JournalError::Unreadable { .. }));
    assert!(matches!(pending.unreadable[1], JournalError::NewerFormat { found: 99, .. }));
    let aside = journal.set_aside(&journal.directory().join("a.json")).unwrap();
    assert!(aside.exists());
    assert_eq!(journal.pending(Path::new("/m")).unwrap().unreadable.len(), 1);
}

#[test]
fn a_copy_of_a_journal_does_not_stand_in_the_way() {
    let home = tempfile::tempdir().unwrap();
    let journal = Journal::new(home.path(), &RealFileSystem);
    journal.prepare(&entry("a", "/m", "2026-11-30T00:00:00Z")).unwrap();
    let copy = journal.directory().join("a (conflicted copy).json");
    fs::copy(journal.directory().join("a.json"), &copy).unwrap();
    let pending = journal.pending(Path::new("/m")).unwrap();
    assert_eq!(pending.entries.len(), 1);
    assert!(matches!(&pending.unreadable[..], [JournalError::Unreadable { path, .. }] if *path == copy));
    assert!(journal.pending(Path::new("/other")).unwrap().unreadable.is_empty());
}

#[test]
fn run_names_never_lead_out_of_the_directory() {
    for run in ["../../x", "/etc/x", "", ".hidden", "a/b", "跑", &"long".repeat(60)] {
        let name = file_name(&RunId::new(run));
        assert!(!name.contains('/') && !name.starts_with('.') && name.len() <= 105, "{name}");
    }
    assert_eq!(file_name(&RunId::new("20261130T120000Z-1a2b")), "20261130T120000Z-1a2b.json");
}

#[test]
fn paths_survive_whatever_their_bytes() {
    for bytes in [&b"/home/u/memory"[..], "/家/记忆".as_bytes(), b"/x/\xff\xfe", b"bytes:00"] {
        let path = Path::new(OsStr::from_bytes(bytes));
        assert_eq!(decode_path(&encode_path(path)), path);
    }
}
