//! Names, judged by the name alone.

use super::role::{Verdict, file, folder, in_archive};
use super::*;

#[test]
fn names_say_what_a_file_is() {
    assert_eq!(file("MEMORY.md"), Verdict::Read(Role::Index));
    assert_eq!(file("a.md"), Verdict::Read(Role::Topic));
    assert_eq!(file("git-history.md"), Verdict::Read(Role::Topic), "only folders archive");
    assert_eq!(file("归档/a.md"), Verdict::Read(Role::Archive));
    assert_eq!(file("MEMORY_rules.md"), Verdict::Read(Role::Topic));
    for ignored in ["x/MEMORY.md", ".a.md", "a.MD~", "a.txt", "2026-05-18.md", ".md"] {
        assert!(matches!(file(ignored), Verdict::Ignore(_)), "{ignored}");
    }
    for copy in ["MEMORY-host.md", "MEMORY (1).md", "a (Conflicted copy 2026).md", "a (冲突副本).md"] {
        assert!(matches!(file(copy), Verdict::Report(_)), "{copy}");
    }
    assert!(in_archive("x/Superseded/a.md") && !in_archive("archive.md"));
    assert!(folder("team").is_some() && folder("x/team").is_none() && folder("topics").is_none());
}

#[test]
fn the_hash_depends_on_paths_and_bytes() {
    let hash = |files: [(&str, &[u8]); 2]| MemoryDirectory::from_files(files).tree_hash();
    let one = hash([("a.md", b"x"), ("b.md", b"y")]);
    assert_eq!(one, hash([("b.md", b"y"), ("a.md", b"x")]));
    assert_ne!(one, hash([("a.md", b"xb.md"), ("b.md", b"y")]));
    assert_ne!(one, hash([("a.md", b"y"), ("b.md", b"x")]));
}

#[test]
fn a_topic_without_head_is_described_by_its_first_line() {
    let text = format!("\n# {}\n\nmore\n", "字".repeat(200));
    let view = MemoryDirectory::from_files([("sub/端口.md", text.as_bytes())]).view();
    assert_eq!(view.topics[0].name, "端口");
    assert!(view.topics[0].description.encode_utf16().count() <= 120);
}
