//! Heads as they were met in real memories.

use super::*;
use crate::document::lines::split;

fn head(text: &str) -> FrontMatter {
    read(text.as_bytes(), &split(text.as_bytes()), 0).unwrap()
}

#[test]
fn every_style_of_value_is_read() {
    let head = head(
        "---\nname: plain words\n\"quoted key\": \"a \\\"b\\\" \\u7528\" # comment\nsingle: 'it''s'\nfolded: >-\n  one\n  two\n\
         literal: |\n  one\n\n  two\nwrapped: one\n  two\nlist:\n  - a\n  - b\nflow: [a, b]\nempty:\nmetadata: \n  type: user\n  \
         deep:\n    deeper: x\n  pinned: \"yes\"\n---\n",
    );
    assert_eq!(head.problems, []);
    assert_eq!(head.get("name"), Some("plain words"));
    assert_eq!(head.get("single"), Some("it's"));
    assert_eq!(head.get("folded"), Some("one two"));
    assert_eq!(head.get("literal"), Some("one\n\ntwo"));
    assert_eq!(head.get("wrapped"), Some("one two"));
    assert_eq!(head.get("flow"), Some("[a, b]"));
    assert_eq!(head.get("empty"), None);
    assert_eq!(head.kind(), Some(Kind::User));
    assert!(head.pinned());
}

#[test]
fn what_a_strict_parser_refuses_is_a_problem_and_is_read_all_the_same() {
    let value = |line: &str| {
        let head = head(&format!("---\nname: n\n{line}\n---\n"));
        (head.get("description").map(str::to_owned), head.problems.len())
    };
    let read = |text: &str| Some(text.to_owned());
    assert_eq!(value("description: fix: it"), (read("fix: it"), 1));
    assert_eq!(value("description: \"a\" then b"), (read("\"a\" then b"), 1));
    assert_eq!(value("description: \"never closed"), (read("\"never closed"), 1));
    assert_eq!(value("description: \"a \"b\" c\""), (read("a \"b\" c"), 1));
    assert_eq!(value("description: `code` first"), (read("`code` first"), 1));
    assert_eq!(value("description: @handle"), (read("@handle"), 1));
    assert_eq!(value("description: - item"), (read("- item"), 1));
    assert_eq!(value("description: \"C:\\Dir\""), (read("C:\\Dir"), 1));
    assert_eq!(value("description: 端口: 4310"), (read("端口: 4310"), 1));
    assert_eq!(value("description: a\ndescription: b"), (read("a"), 1));
    assert_eq!(value("description: a\nstray line"), (read("a"), 1));
    assert_eq!(value("description: 看 https://x.test/a:b"), (read("看 https://x.test/a:b"), 0));
    assert_eq!(value("description: -1 is fine"), (read("-1 is fine"), 0));
}

#[test]
fn a_value_that_yaml_cuts_is_read_whole_and_noted() {
    let head = head("---\nname: n\ndescription: PR #52で確立した\ntype: project # ours\n---\n");
    assert_eq!(head.get("description"), Some("PR #52で確立した"));
    assert_eq!(head.kind(), Some(Kind::Project));
    assert_eq!(head.lossy.iter().map(|note| note.line).collect::<Vec<_>>(), [2, 3]);
    assert_eq!(head.problems, []);
}

#[test]
fn the_time_of_change_is_a_time_or_a_date() {
    let modified = |value: &str| head(&format!("---\nmetadata:\n  modified: {value}\n---\n")).modified();
    assert_eq!(modified("2026-11-30T17:44:19.232Z"), "2026-11-30T17:44:19.232Z".parse().ok());
    assert_eq!(modified("\"2026-11-30T17:44:19Z\""), "2026-11-30T17:44:19Z".parse().ok());
    assert_eq!(modified("2026-11-30"), "2026-11-30T00:00:00Z".parse().ok());
    assert_eq!(modified("yesterday"), None);
}

#[test]
fn only_what_others_would_read_differently_is_quoted() {
    // The right side is what the client's own writer does.
    let cases = [
        ("run cargo nextest", "run cargo nextest"),
        ("缩进用两个空格", "缩进用两个空格"),
        ("has: colon", "\"has: colon\""),
        ("", "\"\""),
        ("9056be29-c593-4f9a-b50e-d13a8e6bc454", "9056be29-c593-4f9a-b50e-d13a8e6bc454"),
        ("12345678-1234-4123-8123-123456789012", "12345678-1234-4123-8123-123456789012"),
        ("it's", "\"it's\""),
        ("a, b", "\"a, b\""),
        (".gitignore counts", ".gitignore counts"),
        ("see https://x.test/a", "see https://x.test/a"),
        ("and so on...", "\"and so on...\""),
        ("true", "\"true\""),
        ("4310", "\"4310\""),
        ("port 4310", "port 4310"),
        ("C# style", "\"C# style\""),
    ];
    for (text, written) in cases {
        assert_eq!(scalar::encode(text), written);
    }
}
