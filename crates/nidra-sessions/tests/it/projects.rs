//! Project identity on real directories.

use nidra_sessions::project::{self, identify, identify_with_home};
use std::fs;
use std::path::{Path, PathBuf};

/// A repository with a linked work tree beside it, laid out as git does.
fn repository(base: &Path) -> (PathBuf, PathBuf) {
    let main = base.join("main");
    let linked = base.join("linked");
    let entry = main.join(".git/worktrees/linked");
    fs::create_dir_all(&entry).unwrap();
    fs::create_dir_all(main.join("agents/a")).unwrap();
    fs::create_dir_all(linked.join("agents/a")).unwrap();
    fs::write(main.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(entry.join("commondir"), "../..\n").unwrap();
    fs::write(entry.join("gitdir"), format!("{}\n", linked.join(".git").display())).unwrap();
    fs::write(linked.join(".git"), format!("gitdir: {}\n", entry.display())).unwrap();
    (main.canonicalize().unwrap(), linked.canonicalize().unwrap())
}

#[test]
fn pub_prj_01_a_linked_work_tree_is_the_project_of_its_repository() {
    let base = tempfile::tempdir().unwrap();
    let (main, linked) = repository(base.path());
    let one = identify(&main, true);
    let two = identify(&linked.join("agents/a"), true);
    assert_eq!(one.id, two.id);
    assert_eq!((one.root.as_path(), one.checkout.as_path()), (main.as_path(), main.as_path()));
    assert_eq!((two.root.as_path(), two.checkout.as_path()), (main.as_path(), linked.as_path()));
    assert_eq!(one.id.as_str().len(), 16);
    assert!(one.id.as_str().bytes().all(|byte| byte.is_ascii_hexdigit()));
}

#[test]
fn pub_prj_02_each_work_tree_is_its_own_project_when_the_rule_says_so() {
    let base = tempfile::tempdir().unwrap();
    let (main, linked) = repository(base.path());
    let one = identify(&main.join("agents"), false);
    let two = identify(&linked, false);
    assert_ne!(one.id, two.id);
    assert_eq!(one.root, main);
    assert_eq!(two.root, linked);
    assert_eq!(one.id, identify(&main, true).id, "the main checkout keeps its identity under both rules");
}

#[test]
fn pub_prj_03_a_subdirectory_is_the_project_of_its_root() {
    let base = tempfile::tempdir().unwrap();
    let (main, _) = repository(base.path());
    assert_eq!(identify(&main, true), identify(&main.join("agents/a"), true));
    assert_eq!(identify(&main, true), identify(&main.join("agents/./a/../.."), true));
}

#[test]
fn pub_prj_04_names_that_look_alike_to_the_client_are_different_projects() {
    let ids: Vec<_> = ["/w/東京", "/w/大阪", "/w/a-b", "/w/a.b", "/w/A-b"]
        .map(|path| identify(Path::new(path), true).id)
        .into_iter()
        .collect();
    for (index, id) in ids.iter().enumerate() {
        assert!(!ids[..index].contains(id));
    }
}

#[test]
fn pub_prj_06_the_root_and_home_are_never_shared() {
    let base = tempfile::tempdir().unwrap();
    let one = identify(Path::new("/data-that-is-not/p1"), true);
    let two = identify(Path::new("/data-that-is-not/p2"), true);
    assert_ne!(one.id, two.id);
    assert_eq!(identify(Path::new("/"), true).root, Path::new("/"));

    // A home directory that is a repository itself.
    let home = base.path().canonicalize().unwrap();
    fs::create_dir_all(home.join(".git")).unwrap();
    fs::write(home.join(".git/HEAD"), "").unwrap();
    fs::create_dir_all(home.join("p1")).unwrap();
    fs::create_dir_all(home.join("p2")).unwrap();
    let at_home = |path: &Path| identify_with_home(path, true, Some(&home));
    assert_ne!(at_home(&home.join("p1")).id, at_home(&home.join("p2")).id);
    assert_eq!(at_home(&home.join("p1")).root, home.join("p1"));
    assert_eq!(at_home(&home).root, home, "home itself is a project of its own when one works there");
    assert_eq!(identify_with_home(&home.join("p1"), true, None).root, home, "elsewhere it is a repository");
}

#[test]
fn pub_prj_07_drives_are_the_same_from_both_sides() {
    let same = [
        r"C:\Users\x\My Stuff",
        r"c:\Users\x\My Stuff",
        "C:/Users/x/My Stuff",
        "/mnt/c/Users/x/My Stuff",
        r"\\?\C:\Users\x\My Stuff",
        "/mnt/C/Users/x/My Stuff/",
    ];
    for path in same {
        assert!(project::is_same(Path::new(path), Path::new(same[0])), "{path}");
        assert_eq!(identify(Path::new(path), true).id, identify(Path::new(same[0]), true).id, "{path}");
    }
    assert!(!project::is_same(Path::new("/mnt/d/Users/x"), Path::new(r"C:\Users\x")));
    assert!(!project::is_same(Path::new("/mnt/data/x"), Path::new("/mnt/d/ata/x")));
    assert!(project::is_within(Path::new(r"C:\w\p\src"), Path::new("/mnt/c/w/p")));
    assert!(!project::is_within(Path::new("/w/project"), Path::new("/w/p")), "whole components only");
    assert!(project::is_within(Path::new("/w/p"), Path::new("/")));
}

#[test]
fn pub_prj_09_equal_names_share_nothing() {
    let base = tempfile::tempdir().unwrap();
    let sites: Vec<PathBuf> = ["a/site", "b/site"].iter().map(|path| base.path().join(path)).collect();
    for site in &sites {
        fs::create_dir_all(site.join(".git")).unwrap();
        fs::write(site.join(".git/HEAD"), "").unwrap();
    }
    assert_ne!(identify(&sites[0], true).id, identify(&sites[1], true).id);
}

#[test]
fn directories_that_are_gone_keep_their_project() {
    let base = tempfile::tempdir().unwrap();
    let (main, _) = repository(base.path());
    let gone = main.join("agents/b/c");
    assert_eq!(identify(&gone, true), identify(&main, true), "below a repository that is still there");

    let plain = base.path().join("plain");
    fs::create_dir(&plain).unwrap();
    let before = identify(&plain, true);
    fs::remove_dir(&plain).unwrap();
    assert_eq!(identify(&plain, true), before);
    assert_eq!(identify(Path::new("/never/was/../there"), true).root, Path::new("/never/there"));
    assert_eq!(identify(Path::new("no/such/place"), true).root, Path::new("no/such/place"));
}

#[cfg(unix)]
#[test]
fn links_lead_to_one_project() {
    let base = tempfile::tempdir().unwrap();
    let (main, _) = repository(base.path());
    let link = base.path().join("link");
    std::os::unix::fs::symlink(&main, &link).unwrap();
    assert_eq!(identify(&link.join("agents"), true), identify(&main, true));
}

#[test]
fn a_checkout_cannot_claim_someone_elses_repository() {
    let base = tempfile::tempdir().unwrap();
    let (main, linked) = repository(base.path());
    let evil = base.path().join("evil");
    fs::create_dir(&evil).unwrap();
    fs::copy(linked.join(".git"), evil.join(".git")).unwrap();
    let project = identify(&evil, true);
    assert_ne!(project.root, main);
    assert_eq!(project.root, evil.canonicalize().unwrap());
}

#[test]
fn submodules_and_bare_repositories() {
    let base = tempfile::tempdir().unwrap();
    let (main, _) = repository(base.path());
    // A submodule has no common directory: it is a project of its own.
    let module = main.join("vendor/lib");
    fs::create_dir_all(&module).unwrap();
    fs::create_dir_all(main.join(".git/modules/lib")).unwrap();
    fs::write(module.join(".git"), "gitdir: ../../.git/modules/lib\n").unwrap();
    assert_eq!(identify(&module, true).root, module);

    // All work trees of a bare repository are one project.
    let store = base.path().join("repo.git");
    let mut ids = Vec::new();
    for name in ["one", "two"] {
        let entry = store.join("worktrees").join(name);
        let tree = base.path().join(name);
        fs::create_dir_all(&entry).unwrap();
        fs::create_dir_all(&tree).unwrap();
        fs::write(entry.join("commondir"), "../..\n").unwrap();
        fs::write(entry.join("gitdir"), format!("{}\n", tree.join(".git").display())).unwrap();
        fs::write(tree.join(".git"), format!("gitdir: {}\n", entry.display())).unwrap();
        ids.push(identify(&tree, true).id);
    }
    assert_eq!(ids[0], ids[1]);

    // Neither an empty `.git` nor a broken pointer makes a repository of what lies above.
    let empty = base.path().join("empty/.git");
    fs::create_dir_all(&empty).unwrap();
    assert_eq!(
        identify(&base.path().join("empty/x"), true).root,
        base.path().canonicalize().unwrap().join("empty/x")
    );
}
