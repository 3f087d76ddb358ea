use super::*;
use crate::atomic::{FaultFileSystem, Moment, RealFileSystem};
use std::fs;

fn count_files(directory: &Path) -> usize {
    let Ok(entries) = fs::read_dir(directory) else { return 0 };
    entries
        .map(|entry| entry.unwrap())
        .map(|entry| if entry.file_type().unwrap().is_dir() { count_files(&entry.path()) } else { 1 })
        .sum()
}

#[test]
fn contents_come_back_and_equal_ones_are_stored_once() {
    let home = tempfile::tempdir().unwrap();
    let objects = Objects::new(home.path(), &RealFileSystem);
    for content in [&b""[..], b"text\n", "中文 🙂\r\n".as_bytes(), b"\xff\xfe\0"] {
        let id = objects.put(content).unwrap();
        assert_eq!(objects.put(content).unwrap(), id);
        assert_eq!(objects.get(&id).unwrap(), content);
    }
    assert_eq!(count_files(objects.directory()), 4);
    // The published BLAKE3 hash of no input.
    assert_eq!(
        ObjectId::of(b"").as_str(),
        "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"
    );
}

#[test]
fn damage_is_noticed_and_mended_by_the_next_put() {
    let home = tempfile::tempdir().unwrap();
    let objects = Objects::new(home.path(), &RealFileSystem);
    let id = objects.put(b"precious").unwrap();
    let place = objects.place(&id);
    let packed = fs::read(&place).unwrap();
    for damaged in
        [&b""[..], &packed[..packed.len() - 1], b"garbage", &zstd::encode_all(&b"other"[..], 3).unwrap()]
    {
        fs::write(&place, damaged).unwrap();
        assert!(matches!(objects.get(&id), Err(ObjectError::Damaged { .. })));
        objects.put(b"precious").unwrap();
        assert_eq!(objects.get(&id).unwrap(), b"precious");
    }
}

#[test]
fn a_snapshot_holds_everything_but_our_own_files() {
    let home = tempfile::tempdir().unwrap();
    let memory = tempfile::tempdir().unwrap();
    let root = memory.path();
    fs::create_dir_all(root.join("archive")).unwrap();
    fs::create_dir_all(root.join(".git")).unwrap();
    let expected = BTreeMap::from([
        (".DS_Store", &b"mac"[..]),
        ("MEMORY.md", b"- [a](a.md)\n"),
        ("archive/old.md", b"old\n"),
        ("binary.md", b"\xff\0\xfe"),
        ("笔记.md", "用 pnpm\n".as_bytes()),
    ]);
    for (path, bytes) in &expected {
        fs::write(root.join(path), bytes).unwrap();
    }
    for own in [".nidra.lock", ".nidra.guard", ".consolidate-lock", ".nidra-tmp-1-1", ".git/HEAD"] {
        fs::write(root.join(own), "own").unwrap();
    }
    std::os::unix::fs::symlink("binary.md", root.join("link.md")).unwrap();
    let objects = Objects::new(home.path(), &RealFileSystem);
    let manifest = objects.manifest(&objects.snapshot(root).unwrap()).unwrap();
    let mut found: BTreeMap<&str, Vec<u8>> = BTreeMap::new();
    for file in manifest.files.iter().filter(|file| file.link.is_none()) {
        found.insert(&file.path, objects.get(&file.object).unwrap());
    }
    assert_eq!(found, expected.iter().map(|(path, bytes)| (*path, bytes.to_vec())).collect());
    let link = manifest.files.iter().find(|file| file.path == "link.md").unwrap();
    assert_eq!(link.link.as_deref(), Some("binary.md"));
    assert_eq!(manifest.skipped, []);
}

#[test]
fn what_cannot_be_taken_in_is_named() {
    use std::os::unix::ffi::OsStrExt as _;
    let home = tempfile::tempdir().unwrap();
    let memory = tempfile::tempdir().unwrap();
    fs::write(memory.path().join(std::ffi::OsStr::from_bytes(b"\xff.md")), "x").unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(memory.path().join("socket")).unwrap();
    let objects = Objects::new(home.path(), &RealFileSystem);
    let manifest = objects.manifest(&objects.snapshot(memory.path()).unwrap()).unwrap();
    assert_eq!(manifest.files, []);
    assert_eq!(manifest.skipped.len(), 2);
}

#[test]
fn a_newer_manifest_is_refused_by_name() {
    let home = tempfile::tempdir().unwrap();
    let objects = Objects::new(home.path(), &RealFileSystem);
    let id = objects.put(br#"{"version":2,"something":"else"}"#).unwrap();
    let error = objects.manifest(&id).unwrap_err();
    assert!(matches!(error, ObjectError::NewerFormat { found: 2, .. }), "{error}");
}

#[test]
fn a_fault_leaves_no_object_under_a_wrong_name() {
    for moment in [Moment::Before, Moment::Half, Moment::After] {
        for from in 0.. {
            let home = tempfile::tempdir().unwrap();
            let files = FaultFileSystem::new(from, u64::MAX, moment, || io::Error::from_raw_os_error(28));
            let result = Objects::new(home.path(), &files).put(b"content");
            let objects = Objects::new(home.path(), &RealFileSystem);
            let found = objects.get(&ObjectId::of(b"content"));
            assert!(!matches!(found, Err(ObjectError::Damaged { .. })), "{moment:?} {from}");
            if result.is_ok() {
                assert_eq!(found.unwrap(), b"content");
                break;
            }
        }
    }
}
