use super::*;
use tempfile::TempDir;

fn checkout(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("harbour")).unwrap();
    for (path, text) in files {
        let path = folder.path().join("harbour").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn seen(folder: &TempDir, wanted: &Wanted) -> Snapshot {
    read(&folder.path().join("harbour"), wanted, &Bounds::default())
}

fn paths(paths: &[&str]) -> Wanted {
    Wanted { paths: paths.iter().map(|path| (*path).to_owned()).collect(), ..Wanted::default() }
}

#[test]
fn ignored_and_installed_files_are_not_in_the_tree_but_are_seen_when_asked_for() {
    let folder = checkout(&[
        (".gitignore", "out/\n*.local\n"),
        ("src/a.ts", ""),
        ("out/report/index.html", ""),
        ("node_modules/left/index.js", ""),
        (".env.local", "A=1\n"),
    ]);
    let wanted = paths(&[
        "out/report/index.html",
        "out/report",
        "node_modules/left/index.js",
        "out/gone.html",
        "src/gone.ts",
    ]);
    let snapshot = seen(&folder, &wanted);
    assert_eq!(snapshot.files, [".gitignore", "src/a.ts"]);
    for (path, expected) in [
        ("out/report/index.html", Presence::File(None)),
        ("out/report", Presence::Folder),
        ("node_modules/left/index.js", Presence::File(None)),
        ("out/gone.html", Presence::Ignored),
        ("src/gone.ts", Presence::Missing),
    ] {
        assert_eq!(snapshot.looked.get(path), Some(&expected), "{path}");
    }
    assert!(snapshot.reading.whole_tree);
}

#[cfg(unix)]
#[test]
fn links_are_not_followed_out_of_the_checkout() {
    let folder = checkout(&[("src/a.rs", ""), ("out/x.rs", ""), (".gitignore", "out/\n")]);
    let root = folder.path().join("harbour");
    fs::create_dir_all(folder.path().join("elsewhere")).unwrap();
    fs::write(folder.path().join("elsewhere/b.rs"), "fn secret() {}").unwrap();
    for (target, link) in [("../elsewhere", "away"), ("out", "inside"), ("nowhere", "dead"), ("..", "above")]
    {
        std::os::unix::fs::symlink(target, root.join(link)).unwrap();
    }
    let mut wanted =
        paths(&["away/b.rs", "inside/x.rs", "dead/x.rs", "above/elsewhere/b.rs", "src/../../elsewhere/b.rs"]);
    wanted.words.insert("secret".to_owned());
    let snapshot = seen(&folder, &wanted);
    for (path, expected) in [
        ("away/b.rs", Presence::Outside),
        ("above/elsewhere/b.rs", Presence::Outside),
        ("src/../../elsewhere/b.rs", Presence::Outside),
        // A link into an ignored folder that is there is not dead.
        ("inside/x.rs", Presence::File(None)),
        ("dead/x.rs", Presence::Missing),
    ] {
        assert_eq!(snapshot.looked.get(path), Some(&expected), "{path}");
    }
    assert!(snapshot.words.is_empty());
}

#[test]
fn names_are_searched_in_sources_and_not_in_prose() {
    let folder = checkout(&[
        ("src/a.rs", "fn settle() {}"),
        ("README.md", "settle and refund"),
        ("b.py", "refund_all = 1"),
    ]);
    let words = ["settle", "refund", "refund_all"].map(str::to_owned).into();
    let snapshot = seen(&folder, &Wanted { words, ..Wanted::default() });
    assert_eq!(snapshot.words.get("settle"), Some(&vec!["src/a.rs".to_owned()]));
    assert_eq!(snapshot.words.get("refund"), None);
    assert_eq!(snapshot.words.get("refund_all"), Some(&vec!["b.py".to_owned()]));
}

#[test]
fn what_a_bound_leaves_out_is_said() {
    let folder = checkout(&[("a.rs", "x"), ("b.rs", "y"), ("c.rs", "z")]);
    let root = folder.path().join("harbour");
    let words = ["x".to_owned()].into();
    let wanted = Wanted { words, ..Wanted::default() };
    let few = read(&root, &wanted, &Bounds { files: 2, ..Bounds::default() });
    assert_eq!((few.reading.files, few.reading.whole_tree, few.reading.whole_sources), (2, false, false));
    let short = read(&root, &wanted, &Bounds { source_bytes: 0, ..Bounds::default() });
    assert_eq!(
        (short.reading.whole_tree, short.reading.whole_sources, short.reading.bytes),
        (true, false, 0)
    );
}

#[test]
fn branches_are_read_from_loose_packed_and_linked_references() {
    let folder = checkout(&[
        (".git/HEAD", "ref: refs/heads/born\n"),
        (".git/refs/heads/fix/one", "0\n"),
        (".git/refs/remotes/origin/HEAD", "ref: x\n"),
        (".git/refs/remotes/origin/release/2.x", "0\n"),
        (".git/packed-refs", "# pack-refs\n0123 refs/heads/packed\n0123 refs/tags/v1\n^0456\n"),
        (".git/worktrees/w/commondir", "../..\n"),
        (".git/worktrees/w/HEAD", "ref: refs/heads/linked\n"),
        ("a.rs", ""),
    ]);
    let names = |snapshot: Snapshot| snapshot.branches.unwrap().into_iter().collect::<Vec<_>>();
    assert_eq!(names(seen(&folder, &Wanted::default())), ["born", "fix/one", "packed", "release/2.x"]);
    let linked = folder.path().join("linked");
    fs::create_dir(&linked).unwrap();
    fs::write(linked.join(".git"), "gitdir: ../harbour/.git/worktrees/w\n").unwrap();
    let snapshot = read(&linked, &Wanted::default(), &Bounds::default());
    assert_eq!(names(snapshot), ["fix/one", "linked", "packed", "release/2.x"]);
    assert_eq!(
        read(&folder.path().join("gone"), &Wanted::default(), &Bounds::default()),
        Snapshot::default()
    );
}
