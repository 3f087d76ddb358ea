use super::*;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

fn root() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_file_is_created_replaced_and_removed() {
    let root = root();
    let place = root.path().join("a.md");
    replace(&RealFileSystem, &place, None, Some("你好\r\n".as_bytes())).unwrap();
    assert_eq!(fs::read(&place).unwrap(), "你好\r\n".as_bytes());
    replace(&RealFileSystem, &place, Some("你好\r\n".as_bytes()), Some(b"\xff\0")).unwrap();
    assert_eq!(fs::read(&place).unwrap(), b"\xff\0");
    replace(&RealFileSystem, &place, Some(b"\xff\0"), None).unwrap();
    assert_eq!(names(root.path()), [""; 0]);
}

#[test]
fn a_file_with_other_bytes_than_expected_is_left_alone() {
    let root = root();
    let place = root.path().join("a.md");
    fs::write(&place, "theirs").unwrap();
    for (before, after) in
        [(None, Some(&b"ours"[..])), (Some(&b"seen!!"[..]), Some(&b"ours"[..])), (Some(&b"seen!!"[..]), None)]
    {
        let error = replace(&RealFileSystem, &place, before, after).unwrap_err();
        assert!(matches!(error, AtomicError::Conflict { .. }), "{error}");
        assert_eq!(fs::read(&place).unwrap(), b"theirs");
        assert_eq!(names(root.path()), ["a.md"]);
    }
    let gone = root.path().join("b.md");
    let error = replace(&RealFileSystem, &gone, Some(b"seen"), Some(b"ours")).unwrap_err();
    assert!(matches!(error, AtomicError::Conflict { .. }), "{error}");
}

#[test]
fn mode_and_hard_facts_of_a_file_stay() {
    let root = root();
    let place = root.path().join("a.md");
    fs::write(&place, "old").unwrap();
    fs::set_permissions(&place, fs::Permissions::from_mode(0o640)).unwrap();
    let owner = fs::metadata(&place).unwrap().uid();
    replace(&RealFileSystem, &place, Some(b"old"), Some(b"new")).unwrap();
    let metadata = fs::metadata(&place).unwrap();
    assert_eq!(metadata.mode() & 0o7777, 0o640);
    assert_eq!(metadata.uid(), owner);
}

#[test]
fn pub_dur_03_what_is_marked_read_only_is_refused_by_name() {
    let root = root();
    let place = root.path().join("a.md");
    fs::write(&place, "old").unwrap();
    fs::set_permissions(&place, fs::Permissions::from_mode(0o444)).unwrap();
    for after in [Some(&b"new"[..]), None] {
        let error = replace(&RealFileSystem, &place, Some(b"old"), after).unwrap_err();
        let AtomicError::Io(error) = error else { panic!("{error}") };
        assert_eq!(error.path, place);
        assert_eq!(error.source.kind(), io::ErrorKind::PermissionDenied);
    }
    fs::set_permissions(&place, fs::Permissions::from_mode(0o644)).unwrap();
    fs::set_permissions(root.path(), fs::Permissions::from_mode(0o555)).unwrap();
    let result = replace(&RealFileSystem, &place, Some(b"old"), Some(b"new"));
    fs::set_permissions(root.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let Err(AtomicError::Io(error)) = result else { panic!("{result:?}") };
    assert!(
        error.source.to_string().contains("read-only") || error.source.raw_os_error().is_some(),
        "{error:?}"
    );
    assert_eq!(fs::read(&place).unwrap(), b"old");
    assert_eq!(names(root.path()), ["a.md"]);
}

#[test]
fn links_inside_are_written_through_and_links_outside_refused() {
    let outside = root();
    let root = root();
    fs::create_dir(root.path().join("real")).unwrap();
    fs::write(root.path().join("real/a.md"), "old").unwrap();
    symlink("real/a.md", root.path().join("a.md")).unwrap();
    symlink("real", root.path().join("folder")).unwrap();
    let real = root.path().canonicalize().unwrap().join("real/a.md");
    assert_eq!(resolve(&RealFileSystem, root.path(), "a.md").unwrap(), real);
    assert_eq!(resolve(&RealFileSystem, root.path(), "folder/a.md").unwrap(), real);
    let place = resolve(&RealFileSystem, root.path(), "a.md").unwrap();
    replace(&RealFileSystem, &place, Some(b"old"), Some(b"new")).unwrap();
    assert_eq!(fs::read(root.path().join("a.md")).unwrap(), b"new");
    assert!(fs::symlink_metadata(root.path().join("a.md")).unwrap().is_symlink());

    fs::write(outside.path().join("x.md"), "theirs").unwrap();
    symlink(outside.path().join("x.md"), root.path().join("x.md")).unwrap();
    symlink(outside.path(), root.path().join("out")).unwrap();
    for path in ["x.md", "out/x.md", "out/new.md"] {
        let error = resolve(&RealFileSystem, root.path(), path).unwrap_err();
        assert!(matches!(error, AtomicError::Refused { .. }), "{path}: {error}");
    }
}

#[test]
fn odd_paths_are_refused() {
    let root = root();
    fs::create_dir(root.path().join("folder.md")).unwrap();
    for path in [
        "",
        "/etc/passwd",
        "../x.md",
        "a/../../x.md",
        "./a.md",
        "a//b.md",
        "a\\b.md",
        "a\0.md",
        "folder.md",
        "a/",
    ] {
        let error = resolve(&RealFileSystem, root.path(), path).unwrap_err();
        assert!(matches!(error, AtomicError::Refused { .. }), "{path:?}: {error}");
    }
    assert!(resolve(&RealFileSystem, root.path(), "新/文件.md").is_ok());
}

#[test]
fn sweeping_removes_unfinished_files_only() {
    let root = root();
    fs::create_dir_all(root.path().join("sub")).unwrap();
    for name in [
        ".nidra-tmp-1-0",
        "sub/.nidra-tmp-77-3",
        "a.md",
        ".x.md.swp",
        "x.md~",
        "x.tmp",
        "#x.md#",
        ".DS_Store",
        "4913",
    ] {
        fs::write(root.path().join(name), "x").unwrap();
    }
    let swept = sweep(&RealFileSystem, root.path(), Sweep::Deep, &|_, _| true).unwrap();
    assert_eq!(swept.len(), 2);
    assert_eq!(
        names(root.path()),
        ["#x.md#", ".DS_Store", ".x.md.swp", "4913", "a.md", "sub", "x.md~", "x.tmp"]
    );
    assert_eq!(temporary_owner(".nidra-tmp-77-3"), Some(77));
    assert_eq!(temporary_owner("x.tmp"), None);
}

#[test]
fn every_fault_leaves_the_old_bytes_or_the_new() {
    for moment in [Moment::Before, Moment::Half, Moment::After] {
        for from in 0.. {
            let root = root();
            let place = root.path().join("a.md");
            fs::write(&place, "old old old").unwrap();
            let files = FaultFileSystem::new(from, u64::MAX, moment, || io::Error::from_raw_os_error(28));
            let result = replace(&files, &place, Some(b"old old old"), Some(b"new new"));
            let found = fs::read(&place).unwrap();
            assert!(found == b"old old old" || found == b"new new", "{moment:?} {from}: {found:?}");
            if result.is_ok() {
                assert_eq!(found, b"new new");
                assert_eq!(files.count(), from, "the fault was never reached");
                break;
            }
        }
    }
}

#[test]
fn what_is_made_anew_again_and_again_stands_there_old_or_new_and_leaves_nothing_behind() {
    let root = root();
    let place = root.path().join("heartbeat.json");
    for bytes in ["one", "two"] {
        write_soon(&RealFileSystem, &place, bytes.as_bytes()).unwrap();
        assert_eq!(fs::read_to_string(&place).unwrap(), bytes);
        assert_eq!(names(root.path()), ["heartbeat.json"]);
    }
    // A folder is not taken for a file, and stays where it is.
    let folder = root.path().join("folder");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("inside"), "x").unwrap();
    assert!(write_soon(&RealFileSystem, &folder, b"x").is_err());
    assert_eq!(fs::read_to_string(folder.join("inside")).unwrap(), "x");
    assert_eq!(names(root.path()), ["folder", "heartbeat.json"]);

    for moment in [Moment::Before, Moment::Half, Moment::After] {
        for from in 0.. {
            fs::write(&place, "old").unwrap();
            let files = FaultFileSystem::new(from, u64::MAX, moment, || io::Error::from_raw_os_error(28));
            let result = write_soon(&files, &place, b"new");
            let found = fs::read(&place).unwrap();
            assert!(found == b"old" || found == b"new", "{moment:?} {from}: {found:?}");
            if result.is_ok() {
                assert_eq!(found, b"new");
                assert_eq!(files.count(), from, "the fault was never reached");
                break;
            }
        }
    }
}
