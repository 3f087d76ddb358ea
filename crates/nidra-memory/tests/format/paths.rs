//! Paths that must not be written, and names of new files.

use crate::support::{append, applied, create, memory, reasons, rewrite, staged};
use nidra_core::Change;

#[test]
fn pub_sec_06_no_operation_leaves_the_directory() {
    let long = "x".repeat(300);
    let wishes = [
        "../x",
        "/tmp/x",
        "~/x",
        "a/../../x",
        "C:\\x",
        "con.md",
        "MEMORY.md/x",
        "a\0b",
        long.as_str(),
        ".hidden",
        "logs/2026/05/2026-05-18",
        "MEMORY",
        "claude",
    ];
    let memory = memory(&[("MEMORY.md", "- [A](a.md)\n"), ("a.md", "- one\n"), ("archive/a.md", "- old\n")]);
    let mut changes: Vec<Change> =
        wishes.iter().map(|slug| create(slug, "T", "d", &["words"], "h")).collect();
    for path in
        wishes.iter().copied().chain(["MEMORY.md", "archive/a.md", "team/x.md", "logs/a.md", "gone.md"])
    {
        changes.push(append(path, "words"));
        changes.push(rewrite(path, "one", "two"));
        changes.push(Change::Relink { path: path.to_owned(), title: "T".to_owned(), hook: "h".to_owned() });
    }
    let total = changes.len();
    let staged = staged(&memory, changes);
    assert!(staged.changes.is_empty(), "{:?}", staged.changes);
    assert_eq!(staged.refused.len(), total, "each is listed");
    assert!(reasons(&staged).iter().all(|reason| !reason.is_empty()));
}

#[test]
fn pub_fmt_05_names_that_fold_to_one_get_a_suffix_and_lines_are_single() {
    let empty = memory(&[]);
    let staged = staged(
        &empty,
        [
            create("Zoë", "Zoë", "first\nline", &["one"], "first\nhook"),
            create("Zoe!", "Zoe!", "second\nline", &["two"], "second\nhook"),
        ],
    );
    assert_eq!(staged.refused, []);
    let files = applied(&empty, &staged);
    assert_eq!(files.keys().collect::<Vec<_>>(), ["MEMORY.md", "zoe-2.md", "zoe.md"]);
    assert_eq!(files["MEMORY.md"], "- [Zoë](zoe.md) — first hook\n- [Zoe!](zoe-2.md) — second hook\n");
    assert!(files["zoe-2.md"].starts_with("---\nname: zoe-2\ndescription: second line\n"));
}

#[test]
fn a_new_file_never_meets_an_existing_name_in_other_letters() {
    let memory = memory(&[("Tests.md", "x\n"), ("cafe\u{301}.md", "x\n"), ("notes.tmp", "x")]);
    let staged =
        staged(&memory, [create("tests", "T", "d", &["a"], "h"), create("café", "C", "d", &["b"], "h")]);
    let created: Vec<&str> = staged
        .changes
        .files
        .iter()
        .filter(|change| change.before.is_none())
        .map(|change| change.path.as_str())
        .collect();
    assert!(created.contains(&"tests-2.md"), "{created:?}");
    assert!(created.contains(&"cafe.md"), "{created:?}");
}

#[test]
fn a_name_without_ascii_is_short_and_stable() {
    let name = |title: &str| {
        let empty = memory(&[]);
        let staged = staged(&empty, [create("编码风格", title, "缩进", &["用两个空格"], "h")]);
        staged.changes.files[0].path.clone()
    };
    let first = name("编码");
    assert!(first.starts_with("feedback-") && first.len() == "feedback-".len() + 8 + 3, "{first}");
    assert_eq!(first, name("编码"));
    assert_ne!(first, name("风格"));
}

#[test]
fn a_long_name_ends_at_a_word_and_never_says_archive() {
    let name = |slug: &str| {
        let empty = memory(&[]);
        staged(&empty, [create(slug, "T", "d", &["w"], "h")]).changes.files[0].path.clone()
    };
    assert_eq!(name("never-rewrite-git-history"), "never-rewrite-git.md");
    assert_eq!(name(&"word-".repeat(20)), format!("{}.md", "word-".repeat(12).trim_end_matches('-')));
    assert_eq!(name(&"x".repeat(80)), format!("{}.md", "x".repeat(60)));
    assert_eq!(name("v1.2 notes"), "v1-2-notes.md");
}
