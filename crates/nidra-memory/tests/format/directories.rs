//! Loading real directories: what is read, what is left alone, and where links lead.

use crate::support::{append, staged};
use nidra_memory::check::{FindingKind, check};
use nidra_memory::directory::{MAX_FILE_BYTES, MemoryDirectory, MemoryError, resolve_within};
use nidra_memory::limits::IndexLimits;
use std::fs;
use std::path::Path;

fn write(root: &Path, name: &str, text: impl AsRef<[u8]>) {
    let path = root.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn topics(memory: &MemoryDirectory) -> Vec<String> {
    memory.view().topics.into_iter().map(|topic| topic.path).collect()
}

#[test]
fn a_missing_directory_is_empty_and_a_file_in_its_place_is_an_error() {
    let home = tempfile::tempdir().unwrap();
    let memory = MemoryDirectory::load(&home.path().join("memory")).unwrap();
    assert!(memory.files.is_empty() && memory.diagnostics.is_empty());
    write(home.path(), "file", "x");
    let error = MemoryDirectory::load(&home.path().join("file")).unwrap_err();
    assert!(matches!(error, MemoryError::NotADirectory { .. }));
    assert!(error.to_string().contains("file") && error.to_string().contains("move it away"), "{error}");
}

#[test]
fn pub_dur_04_litter_is_ignored_and_left_alone() {
    let home = tempfile::tempdir().unwrap();
    let litter = [
        ".x.md.swp",
        "x.md~",
        "x.tmp",
        "#x.md#",
        ".DS_Store",
        "4913",
        ".#x.md",
        "~$x.md",
        ".dreams/state.md",
        "node_modules/p/readme.md",
        "data.json",
        ".consolidate-lock",
        ".nidra.lock",
    ];
    for name in litter {
        write(home.path(), name, "x");
    }
    write(home.path(), "x.md", "- kept\n");
    let memory = MemoryDirectory::load(home.path()).unwrap();
    assert_eq!(topics(&memory), ["x.md"]);
    assert!(memory.diagnostics.is_empty(), "{:?}", memory.diagnostics);
    assert!(staged(&memory, []).changes.is_empty());
}

#[test]
fn only_topics_are_topics() {
    let home = tempfile::tempdir().unwrap();
    for name in [
        "MEMORY.md",
        "a.md",
        "topics/b.md",
        "logs/2026/05/2026-05-18.md",
        "2026-05-18.md",
        "archive/c.md",
        "old/History/d.md",
        "team/e.md",
        "templates/MEMORY.md",
        "项目/端口 说明.md",
        "归档/f.md",
    ] {
        write(home.path(), name, "- words\n");
    }
    let memory = MemoryDirectory::load(home.path()).unwrap();
    assert_eq!(topics(&memory), ["a.md", "topics/b.md", "项目/端口 说明.md"]);
    assert!(memory.files.contains_key("archive/c.md"), "the archive is kept to append to");
    assert!(!memory.files.contains_key("logs/2026/05/2026-05-18.md"));
    let found = check(&memory, &IndexLimits::default());
    assert_eq!(found.iter().filter(|finding| finding.kind == FindingKind::OrphanedTopic).count(), 3);
}

#[test]
fn pub_syn_03_conflict_copies_are_left_out_and_named() {
    let home = tempfile::tempdir().unwrap();
    for name in
        ["MEMORY.md", "MEMORY (conflicted copy).md", "MEMORY-HOST.md", "a.sync-conflict-20260518-1.md"]
    {
        write(home.path(), name, "words\n");
    }
    let memory = MemoryDirectory::load(home.path()).unwrap();
    assert!(topics(&memory).is_empty());
    let found = check(&memory, &IndexLimits::default());
    let copies: Vec<&str> = found
        .iter()
        .filter(|finding| finding.kind == FindingKind::ConflictCopy)
        .map(|finding| finding.path.as_str())
        .collect();
    assert_eq!(copies, ["MEMORY (conflicted copy).md", "MEMORY-HOST.md", "a.sync-conflict-20260518-1.md"]);
}

#[test]
fn a_file_larger_than_the_bound_is_not_read() {
    let home = tempfile::tempdir().unwrap();
    write(home.path(), "big.md", "");
    fs::File::options()
        .write(true)
        .open(home.path().join("big.md"))
        .unwrap()
        .set_len(MAX_FILE_BYTES + 1)
        .unwrap();
    write(home.path(), "MEMORY.md", "- [Big](big.md)\n");
    let memory = MemoryDirectory::load(home.path()).unwrap();
    assert!(topics(&memory).is_empty());
    assert!(memory.diagnostics[0].message.contains("too large"), "{:?}", memory.diagnostics);
    let staged = staged(&memory, [append("big.md", "x")]);
    assert!(staged.refused[0].1.contains("left alone"), "{:?}", staged.refused);
    let found = check(&memory, &IndexLimits::default());
    assert!(found.iter().all(|finding| finding.kind != FindingKind::DanglingLink), "{found:?}");
}

#[test]
fn pub_syn_02_nothing_depends_on_the_order_of_creation() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let names = ["b.md", "a.md", "İ.md", "sub/é.md", "sub/e\u{301}2.md", "MEMORY.md"];
    for name in names {
        write(one.path(), name, name);
    }
    for name in names.iter().rev() {
        write(two.path(), name, name);
    }
    let (one, two) = (MemoryDirectory::load(one.path()).unwrap(), MemoryDirectory::load(two.path()).unwrap());
    assert_eq!(one.files, two.files);
    assert_eq!(one.tree_hash(), two.tree_hash());
    assert_eq!(one.view(), two.view());
}

#[test]
fn an_nfc_link_finds_an_nfd_name() {
    let memory = crate::support::memory(&[("MEMORY.md", "- [É](caf\u{e9}.md)\n"), ("cafe\u{301}.md", "x\n")]);
    assert_eq!(memory.view().index[0].targets, ["cafe\u{301}.md"]);
    assert_eq!(check(&memory, &IndexLimits::default()), []);
}

#[test]
fn a_repository_in_mid_merge_is_not_edited() {
    let home = tempfile::tempdir().unwrap();
    write(home.path(), "a.md", "- one\n");
    write(home.path(), ".git/MERGE_HEAD", "0000\n");
    let memory = MemoryDirectory::load(home.path()).unwrap();
    assert!(!memory.view().topics[0].editable);
    let staged = staged(&memory, [append("a.md", "two"), crate::support::create("n", "N", "d", &["x"], "h")]);
    assert_eq!(staged.refused.len(), 2);
}

#[cfg(unix)]
mod links {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn pub_sec_07_a_link_inside_is_followed_and_stays_a_link() {
        let home = tempfile::tempdir().unwrap();
        write(home.path(), "topics/a.md", "- one\n");
        write(home.path(), "MEMORY.md", "- [A](a.md) — one\n");
        symlink("topics/a.md", home.path().join("a.md")).unwrap();
        let memory = MemoryDirectory::load(home.path()).unwrap();
        assert_eq!(topics(&memory), ["topics/a.md"], "one topic, not two");
        assert_eq!(memory.view().index[0].targets, ["topics/a.md"]);
        assert_eq!(check(&memory, &IndexLimits::default()), []);
        let staged = staged(&memory, [append("a.md", "two")]);
        assert_eq!(staged.changes.files[0].path, "topics/a.md", "the file is written, not the link");
    }

    #[test]
    fn a_linked_index_is_edited_where_it_is() {
        let home = tempfile::tempdir().unwrap();
        write(home.path(), "index/MEMORY.md", "- [A](a.md) — one\n");
        write(home.path(), "a.md", "- one\n");
        symlink("index/MEMORY.md", home.path().join("MEMORY.md")).unwrap();
        let memory = MemoryDirectory::load(home.path()).unwrap();
        assert_eq!(memory.view().index[0].text, "- [A](a.md) — one");
        let staged = staged(&memory, [crate::support::create("n", "N", "d", &["x"], "h")]);
        let changed: Vec<&str> = staged.changes.files.iter().map(|change| change.path.as_str()).collect();
        assert_eq!(changed, ["n.md", "index/MEMORY.md"]);
    }

    #[test]
    fn a_link_that_leaves_is_neither_read_nor_written() {
        let (home, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        write(other.path(), "global.md", "- private\n");
        write(home.path(), "b.md", "- one\n");
        symlink(other.path().join("global.md"), home.path().join("a.md")).unwrap();
        symlink(other.path(), home.path().join("folder")).unwrap();
        symlink("nowhere.md", home.path().join("broken.md")).unwrap();
        symlink("loop.md", home.path().join("loop.md")).unwrap();
        let memory = MemoryDirectory::load(home.path()).unwrap();
        assert_eq!(topics(&memory), ["b.md"]);
        let message = &memory.diagnostics.iter().find(|found| found.path.ends_with("a.md")).unwrap().message;
        assert!(
            message.contains("a.md")
                && message.contains("global.md")
                && message.contains("put the real file")
        );
        let staged =
            staged(&memory, [append("a.md", "x"), append("folder/global.md", "x"), append("broken.md", "x")]);
        assert_eq!(staged.refused.len(), 3);
        fs::remove_file(home.path().join("a.md")).unwrap();
        symlink(other.path().join("global.md"), home.path().join("MEMORY.md")).unwrap();
        assert!(matches!(MemoryDirectory::load(home.path()), Err(MemoryError::LinkLeaves { .. })));
    }

    #[test]
    fn an_archive_folder_that_leads_elsewhere_is_not_written_through() {
        let (home, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        write(home.path(), "a.md", "- one\n- two\n");
        symlink(other.path(), home.path().join("archive")).unwrap();
        let memory = MemoryDirectory::load(home.path()).unwrap();
        let change = nidra_core::Change::Archive { target: crate::support::target("a.md", "one") };
        let staged = staged(&memory, [change]);
        let changed: Vec<&str> = staged.changes.files.iter().map(|change| change.path.as_str()).collect();
        assert_eq!(changed, ["archive-2/a.md", "a.md"]);
    }

    #[test]
    fn pub_sec_05_a_project_whose_memory_folder_is_a_link_out_is_refused() {
        let (project, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        symlink(other.path(), project.path().join(".mem")).unwrap();
        let error =
            resolve_within(&project.path().join(".mem/memory"), project.path()).unwrap_err().to_string();
        let real = fs::canonicalize(other.path()).unwrap();
        assert!(error.contains(".mem") && error.contains(&real.display().to_string()), "{error}");
        fs::create_dir(project.path().join("real")).unwrap();
        assert!(resolve_within(&project.path().join("real/memory"), project.path()).is_ok());
    }

    #[test]
    fn a_pipe_with_a_topics_name_is_not_opened() {
        let home = tempfile::tempdir().unwrap();
        let pipe = home.path().join("pipe.md");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        if !made.is_ok_and(|status| status.success()) {
            println!("skipped: no mkfifo on this system");
            return;
        }
        let memory = MemoryDirectory::load(home.path()).unwrap();
        assert!(memory.diagnostics[0].message.contains("not a regular file"));
    }
}
