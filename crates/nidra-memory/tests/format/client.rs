//! The shape that the real client writes, taken from its own transcripts.

use crate::support::{after, append, context, create, memory, staged};
use nidra_core::Change;

/// What the client (2.1.332) made of a file on its own rewrite, with the names and words of this test.
const CLIENTS_OWN: &str = "---\nname: run-tests\ndescription: \"has: colon\"\nmetadata:\n  node_type: memory\n  type: feedback\n  \
     originSessionId: 9056be29-c593-4f9a-b50e-d13a8e6bc454\n  modified: 2026-05-18T07:00:00.000Z\n---\n\nbody\n";

#[test]
fn a_new_file_has_the_clients_own_shape() {
    let empty = memory(&[]);
    let staged = staged(&empty, [create("run-tests", "Tests", "has: colon", &["body"], "run them")]);
    assert_eq!(after(&empty, &staged, "run-tests.md"), CLIENTS_OWN);
    assert_eq!(after(&empty, &staged, "MEMORY.md"), "- [Tests](run-tests.md) — run them\n");
    let order: Vec<&str> = staged.changes.files.iter().map(|change| change.path.as_str()).collect();
    assert_eq!(order, ["run-tests.md", "MEMORY.md"], "a line never stands before its file");
}

#[test]
fn only_the_time_of_change_moves_in_the_clients_head() {
    let before =
        CLIENTS_OWN.replace("modified: 2026-05-18T07:00:00.000Z", "modified: 2025-01-02T03:04:05.678Z");
    let before = before.replace("metadata:\n", "metadata: \n");
    let memory = memory(&[("a.md", &before)]);
    let staged = staged(&memory, [append("a.md", "second")]);
    let expected = CLIENTS_OWN.replace("metadata:\n", "metadata: \n") + "\nsecond\n";
    assert_eq!(after(&memory, &staged, "a.md"), expected);
}

#[test]
fn a_head_without_the_clients_block_is_left_alone() {
    let text = "---\nname: 编码\ntype: feedback # ours\n---\n- 用两个空格\n";
    let memory = memory(&[("a.md", text)]);
    let staged = staged(&memory, [append("a.md", "不用制表符")]);
    assert_eq!(after(&memory, &staged, "a.md"), format!("{text}- 不用制表符\n"));
}

#[test]
fn a_missing_time_of_change_is_added_behind_the_other_metadata() {
    let memory = memory(&[(
        "a.md",
        "---\nname: a\nmetadata:\n    node_type: memory\n    extra: 1\nlast: x\n---\nbody\n",
    )]);
    let staged = staged(&memory, [append("a.md", "more")]);
    assert_eq!(
        after(&memory, &staged, "a.md"),
        "---\nname: a\nmetadata:\n    node_type: memory\n    extra: 1\n    modified: 2026-05-18T07:00:00.000Z\nlast: x\n---\n\
         body\n\nmore\n"
    );
}

#[test]
fn a_description_changes_and_nothing_else_does() {
    let text = "---\r\n# mine\r\nname: 'a'\r\ndescription: 'old'  # why\r\nmetadata: \r\n  type: user\r\n---\r\nbody\r\n";
    let memory = memory(&[("MEMORY.md", "- [A](a.md): old\r\nprose\r\n"), ("a.md", text)]);
    let change = Change::Retitle {
        path: "a.md".to_owned(),
        description: Some("it's\nnew".to_owned()),
        hook: Some("new hook".to_owned()),
    };
    let staged = staged(&memory, [change]);
    assert_eq!(after(&memory, &staged, "a.md"), text.replace("'old'", "'it''s new'"));
    assert_eq!(after(&memory, &staged, "MEMORY.md"), "- [A](a.md): new hook\r\nprose\r\n");
}

#[test]
fn pub_fmt_03_what_is_written_a_strict_parser_reads_back() {
    let texts = [
        "fix: a # b",
        "@x",
        "- y",
        "\"q\"",
        "yes",
        "2026-01-01",
        "2026-08-14 #1131 closed",
        "'",
        "a: ",
        "b:",
        "~",
        "",
        "null",
        "0x1F",
        "1_000",
        "12:30",
        "1e3",
        ".5",
        "[a, b]",
        "{a: b}",
        "* x",
        "&x",
        "!x",
        "%x",
        "`x`",
        "? x",
        "| x",
        "> x",
        "\\d \\ \"",
        "tab\tin",
        "a\nb",
        "用 pnpm：不用 npm",
        "#52 で",
        "emoji 🎉",
        "…",
        "---",
        "x ---",
        "etc...",
        "=",
        "a, b",
        "\u{a0}x",
        "\u{2028}",
        "no\u{7}bell",
        "true",
        "False",
        "C:\\Users\\x",
        "a #b",
        "x\u{feff}y",
        "-",
        "---x",
    ];
    for text in texts {
        let empty = memory(&[]);
        let staged = staged(&empty, [create("a", "A", text, &["body"], "hook")]);
        let file = after(&empty, &staged, "a.md");
        let head = file.strip_prefix("---\n").unwrap().split("\n---\n").next().unwrap();
        let parsed: yaml_edit::Document =
            head.parse().unwrap_or_else(|error| panic!("{text:?}: {error}\n{head}"));
        let expected: String = text
            .split(|letter: char| {
                letter.is_whitespace()
                    || letter.is_control()
                    || matches!(letter, '\u{2028}' | '\u{2029}' | '\u{feff}')
            })
            .filter(|word| !word.is_empty())
            .collect::<Vec<_>>()
            .join(" ");
        assert_eq!(parsed.get_string("description").as_deref(), Some(expected.as_str()), "{head}");
        let kind = parsed.get("description").unwrap();
        let plain = !head.contains("description: \"");
        if plain {
            let scalar = kind.as_scalar().unwrap().as_string();
            assert_eq!(
                yaml_edit::ScalarValue::parse(scalar.as_str()).scalar_type(),
                yaml_edit::ScalarType::String
            );
        }
        // Our own reader agrees, and a second run has nothing to do.
        let again = memory(&[("a.md", &file), ("MEMORY.md", "- [A](a.md) — hook\n")]);
        assert_eq!(
            again.view().topics[0].description,
            if expected.is_empty() { "body" } else { expected.as_str() }
        );
        assert!(again.view().topics[0].editable);
        let retitle =
            Change::Retitle { path: "a.md".to_owned(), description: Some(text.to_owned()), hook: None };
        let twice = crate::support::staged(&again, [retitle]);
        assert!(twice.changes.is_empty(), "{text:?}");
    }
}

#[test]
fn a_new_file_names_no_session_where_none_is_known() {
    let empty = memory(&[]);
    let mut operations = crate::support::operations([create("a", "A", "d", &["body"], "hook")]);
    operations[0].evidence.clear();
    let staged = nidra_memory::stage::stage(&empty, &operations, &context());
    assert!(!after(&empty, &staged, "a.md").contains("originSessionId"));
}
