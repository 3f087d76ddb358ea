//! Findings of `check`, each on the smallest memory that has it.

use super::*;

fn findings(files: &[(&str, &str)]) -> Vec<(String, Option<u64>, FindingKind)> {
    let memory = MemoryDirectory::from_files(files.iter().map(|(path, text)| (*path, text.as_bytes())));
    check(&memory, &IndexLimits::default())
        .into_iter()
        .map(|finding| (finding.path, finding.line, finding.kind))
        .collect()
}

#[test]
fn a_memory_in_step_has_no_findings() {
    let topic = "---\nname: a\ndescription: d\nmetadata:\n  type: user\n---\n\nWords.\n";
    assert_eq!(findings(&[("MEMORY.md", "- [A](a.md) — words\n"), ("a.md", topic)]), []);
    assert_eq!(findings(&[]), []);
}

#[test]
fn links_and_files_out_of_step_are_named() {
    let index =
        "- [A](a.md) — x\n- [A again](./a.md) — x\n- [Gone](gone.md) — x\n- [E](ephemeral/today.md) — x\n";
    assert_eq!(
        findings(&[("MEMORY.md", index), ("a.md", "A.\n"), ("孤儿.md", "没有人指向我。\n")]),
        [
            ("MEMORY.md".to_owned(), Some(2), FindingKind::DuplicateLink),
            ("MEMORY.md".to_owned(), Some(3), FindingKind::DanglingLink),
            ("MEMORY.md".to_owned(), Some(4), FindingKind::ForeignLink),
            ("孤儿.md".to_owned(), None, FindingKind::OrphanedTopic),
        ]
    );
}

#[test]
fn every_pointer_form_saves_a_topic_from_being_an_orphan() {
    let index = "See `plain.md` and [[finish-the-job]].\n\n| file | what |\n|---|---|\n| [T](t.md) | table |\n\n\
                 ```\n[X](fenced.md)\n```\n";
    let files = [
        ("MEMORY.md", index),
        ("plain.md", "plain\n"),
        ("feedback_finish_the_job.md", "finish\n"),
        ("t.md", "table\n"),
        ("fenced.md", "x\n"),
    ];
    assert_eq!(findings(&files), [("fenced.md".to_owned(), None, FindingKind::OrphanedTopic)]);
}

#[test]
fn bytes_and_heads_out_of_shape_are_named() {
    let files: [(&str, &[u8]); 6] = [
        (
            "MEMORY.md",
            "\u{feff}- [A](a.md)\r\n- [B](b.md)\n- [C](c.md)\n- [D](d.md)\n- [E](e.md)\n".as_bytes(),
        ),
        ("a.md", b"---\nname: a\ndescription: x: y\n---\nwords\n"),
        ("b.md", b"---\nname: b\n---\n---\nname: bb\n---\nother words\n"),
        ("c.md", b"text \xff\xfe\n"),
        ("d.md", b"one\0two\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n"),
        ("e.md", b"\n---\nname: late\n---\ndescription # not\n"),
    ];
    let memory = MemoryDirectory::from_files(files);
    let found: Vec<_> = check(&memory, &IndexLimits::default())
        .into_iter()
        .map(|finding| (finding.path, finding.line, finding.kind))
        .collect();
    let at = |path: &str, line: Option<u64>, kind| (path.to_owned(), line, kind);
    assert_eq!(
        found,
        [
            at("MEMORY.md", None, FindingKind::MixedEndings),
            at("MEMORY.md", Some(1), FindingKind::ByteOrderMark),
            at("a.md", Some(3), FindingKind::BrokenFrontMatter),
            at("b.md", Some(4), FindingKind::DoubleFrontMatter),
            at("c.md", Some(1), FindingKind::InvalidUtf8),
            at("d.md", Some(1), FindingKind::Nul),
            at("d.md", Some(2), FindingKind::ConflictMarker),
            at("e.md", Some(2), FindingKind::DisplacedFrontMatter),
        ]
    );
}
