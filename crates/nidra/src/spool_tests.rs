//! Tests of the spool.

use super::*;

fn note(session: &str) -> SpoolNote {
    SpoolNote::new(Timestamp::UNIX_EPOCH, "Stop", session)
        .transcript(Some(Path::new("/t/会话.jsonl")))
        .directory(Some(Path::new("/项目")))
}

fn sessions(drained: &Drained) -> Vec<&str> {
    drained.notes.iter().map(|note| note.session.as_str()).collect()
}

#[test]
fn what_was_left_comes_back_until_it_was_dealt_with() {
    let folder = tempfile::tempdir().unwrap();
    let spool = folder.path().join("state/spool");
    append(&spool, Some("p1"), &note("a")).unwrap();
    append(&spool, Some("p1"), &note("b")).unwrap();
    append(&spool, None, &note("c")).unwrap();
    assert_eq!(waiting(&spool).unwrap(), [Some("p1".to_owned()), None]);

    assert_eq!(peek(&spool, Some("p1")), [note("a"), note("b")]);
    let drained = drain(&spool, Some("p1")).unwrap();
    assert_eq!(drained.notes, [note("a"), note("b")]);
    drop(drained);
    append(&spool, Some("p1"), &note("d")).unwrap();
    assert_eq!(peek(&spool, Some("p1")), [note("a"), note("b"), note("d")]);
    let again = drain(&spool, Some("p1")).unwrap();
    assert_eq!(sessions(&again), ["a", "b", "d"]);
    again.finish().unwrap();
    assert_eq!(drain(&spool, Some("p1")).unwrap().notes, []);
    assert_eq!(sessions(&drain(&spool, None).unwrap()), ["c"]);
}

#[test]
fn a_torn_line_takes_no_other_with_it() {
    let folder = tempfile::tempdir().unwrap();
    append(folder.path(), Some("p"), &note("a")).unwrap();
    let path = folder.path().join("p.jsonl");
    let mut bytes = fs::read(&path).unwrap();
    bytes.extend_from_slice(b"{\"version\":1,\"at\":\"19");
    bytes.extend_from_slice(b"\xff\0");
    fs::write(&path, bytes).unwrap();
    append(folder.path(), Some("p"), &note("b")).unwrap();
    append(folder.path(), Some("p"), &SpoolNote { version: 2, ..note("newer") }).unwrap();
    let drained = drain(folder.path(), Some("p")).unwrap();
    assert_eq!(sessions(&drained), ["a", "b"]);
    assert_eq!(drained.diagnostics.len(), 2, "{:?}", drained.diagnostics);
}

#[test]
fn a_note_left_while_others_are_dealt_with_is_not_lost() {
    let folder = tempfile::tempdir().unwrap();
    append(folder.path(), Some("p"), &note("a")).unwrap();
    let path = folder.path().join("p.jsonl");
    let mut late = File::options().append(true).open(path).unwrap();
    let drained = drain(folder.path(), Some("p")).unwrap();
    late.write_all(&line(&note("late")).unwrap()).unwrap();
    drained.finish().unwrap();
    assert_eq!(sessions(&drain(folder.path(), Some("p")).unwrap()), ["a", "late"]);
}

#[test]
fn a_line_is_short_whatever_the_paths_are() {
    let long = "路".repeat(1500);
    let drained = |note: &SpoolNote| {
        let bytes = line(note).unwrap();
        assert!(bytes.len() <= MAX_LINE_BYTES);
        serde_json::from_slice::<SpoolNote>(&bytes).unwrap()
    };
    let one = drained(&note("a").directory(Some(Path::new(&long))));
    assert_eq!((one.cwd, one.transcript), (None, note("a").transcript));
    let both = drained(&note("a").directory(Some(Path::new(&long))).transcript(Some(Path::new(&long))));
    assert_eq!((both.cwd, both.transcript, both.session), (None, None, "a".to_owned()));
    assert!(matches!(line(&note(&"s".repeat(5000))), Err(SpoolError::TooLong { .. })));
}

#[test]
fn the_spool_does_not_grow_for_ever() {
    let folder = tempfile::tempdir().unwrap();
    let wide = note("a").directory(Some(Path::new(&"d".repeat(3000))));
    for _ in 0..1000 {
        append(folder.path(), Some("p"), &wide).unwrap();
    }
    append(folder.path(), Some("p"), &note("last")).unwrap();
    let total: u64 =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().metadata().unwrap().len()).sum();
    assert!(total <= 2 * MAX_FILE_BYTES, "{total}");
    assert_eq!(sessions(&drain(folder.path(), Some("p")).unwrap()).last(), Some(&"last"));
}

#[test]
fn a_project_s_name_never_leaves_the_directory() {
    for name in ["", "../x", "a/b", "a.b", "项目", &"x".repeat(200)] {
        assert_eq!(file_stem(Some(name)), UNKNOWN, "{name}");
    }
    assert_eq!(file_stem(Some("0a-B_9")), "0a-B_9");
}

#[test]
fn hooks_at_the_same_moment_do_not_mix_their_lines() {
    let folder = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let folder = folder.path();
            scope.spawn(move || {
                for number in 0..50 {
                    append(folder, Some("p"), &note(&format!("{writer}-{number}"))).unwrap();
                }
            });
        }
    });
    let drained = drain(folder.path(), Some("p")).unwrap();
    assert_eq!((drained.notes.len(), drained.diagnostics.len()), (400, 0));
}

#[test]
fn only_the_user_can_read_notes() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let spool = folder.path().join("spool");
    append(&spool, None, &note("a")).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&spool), mode(&spool.join("unknown.jsonl"))), (0o700, 0o600));
}
