//! Topic files: what an edit touches, and which files are never edited.

use crate::support::{after, append, applied, memory, reasons, rewrite, staged, target};
use nidra_core::{Change, Kind};
use nidra_memory::check::{FindingKind, check};
use nidra_memory::directory::MemoryDirectory;
use nidra_memory::limits::IndexLimits;

fn archive(path: &str, text: &str) -> Change {
    Change::Archive { target: target(path, text) }
}

fn supersede(path: &str, old: &str, new: &str) -> Change {
    Change::Supersede { target: target(path, old), text: new.to_owned(), hook: None }
}

fn entries(text: &str) -> Vec<(String, bool)> {
    let view = memory(&[("a.md", text)]).view();
    view.topics[0].entries.iter().map(|entry| (entry.text.clone(), entry.active)).collect()
}

#[test]
fn entries_are_bullets_paragraphs_and_rows() {
    let text = "---\nname: n\n---\n# Head\nfirst line\nsecond line\n\n- one\n  continued\n- two\n```sh\n# no heading\n\nrun\n```\n\
                1) three\n---\n| a | b |\n|---|:-:|\n| c | d |\n## History\nold\n# Now\n- ~~gone~~ since May\n";
    let expected = [
        ("first line second line", true),
        ("one continued", true),
        ("two ```sh # no heading run ```", true),
        ("three", true),
        ("| a | b |", true),
        ("| c | d |", true),
        ("old", false),
        ("~~gone~~ since May", false),
    ];
    assert_eq!(entries(text), expected.map(|(text, active)| (text.to_owned(), active)));
    let view = memory(&[("a.md", text)]).view();
    let old = &view.topics[0].entries[6];
    assert_eq!(old.headings, ["Head", "History"]);
    assert_eq!(&text[old.range.clone()], "old");
    assert!(view.topics[0].entries[3].bullet && !view.topics[0].entries[0].bullet);
}

#[test]
fn chinese_entries_read_like_english_ones() {
    let text = "# 约定\n\n- 用 pnpm，\n  不用 npm\n- 端口是 4310\n\n## 归档\n\n- 端口是 3000\n";
    let expected = [("用 pnpm， 不用 npm", true), ("端口是 4310", true), ("端口是 3000", false)];
    assert_eq!(entries(text), expected.map(|(text, active)| (text.to_owned(), active)));
}

#[test]
fn pub_fmt_02_a_head_that_does_not_parse_is_never_rewritten() {
    for head in ["description: \"says \"hello\" often\"", "description: “x” said: no", "description: 'it's'"]
    {
        let text = format!("---\nname: n\n{head}\ntype: user\nmetadata:\n  node_type: memory\n---\n- one\n");
        let memory = memory(&[("a.md", &text)]);
        let retitle =
            Change::Retitle { path: "a.md".to_owned(), description: Some("new".to_owned()), hook: None };
        let staged = staged(&memory, [append("a.md", "two"), rewrite("a.md", "one", "x"), retitle]);
        assert!(staged.changes.is_empty());
        assert!(
            reasons(&staged).iter().all(|reason| reason.contains("needs repair")),
            "{:?}",
            staged.refused
        );
        let view = memory.view();
        assert!(!view.topics[0].editable);
        assert_eq!((view.topics[0].name.as_str(), view.topics[0].kind), ("n", Some(Kind::User)));
    }
}

#[test]
fn pub_fmt_04_fields_are_recovered_line_by_line() {
    let text =
        "---\nname: Deploys\ndescription: how: we deploy\nmetadata: \n  type: project\n---\nOn Thursdays.\n";
    let memory = memory(&[("a.md", text)]);
    let topic = &memory.view().topics[0];
    assert_eq!((topic.name.as_str(), topic.description.as_str()), ("Deploys", "how: we deploy"));
    assert_eq!(topic.kind, Some(Kind::Project));
    assert_eq!(topic.entries.len(), 1, "the head is no part of the body");
    assert!(!topic.editable);
    let found = check(&memory, &IndexLimits::default());
    assert!(found.iter().any(|finding| finding.message.contains("needs repair") && finding.line == Some(3)));
}

#[test]
fn text_behind_a_hash_is_not_lost_and_is_reported() {
    let text = "---\nname: n\ndescription: 2026-08-14 #1131 closed for good\ntype: feedback # mine\npinned: true\n---\nx\n";
    let memory = memory(&[("a.md", text)]);
    let topic = &memory.view().topics[0];
    assert_eq!(topic.description, "2026-08-14 #1131 closed for good");
    assert_eq!((topic.kind, topic.pinned, topic.editable), (Some(Kind::Feedback), true, true));
    let found = check(&memory, &IndexLimits::default());
    assert!(found.iter().any(|finding| finding.kind == FindingKind::LossyValue && finding.line == Some(3)));
}

#[test]
fn pub_fmt_06_a_file_with_two_heads_gets_no_third() {
    let text = "---\ntitle: stub\n---\n\n---\nname: real\ndescription: old\n---\n- one\n";
    let memory = memory(&[("a.md", text)]);
    assert_eq!(memory.view().topics[0].name, "real");
    let retitle =
        Change::Retitle { path: "a.md".to_owned(), description: Some("new".to_owned()), hook: None };
    let staged = staged(&memory, [retitle, rewrite("a.md", "one", "two")]);
    assert_eq!(after(&memory, &staged, "a.md"), text.replace("old", "new").replace("one", "two"));
}

#[test]
fn pub_fmt_07_line_endings_stay_as_they_are() {
    let text = "- 一\r\n- two\r\n- three\r\n- four\r\n- five";
    let memory = memory(&[("a.md", text)]);
    let staged = staged(&memory, [rewrite("a.md", "three", "3\nthree"), append("a.md", "six")]);
    assert_eq!(
        after(&memory, &staged, "a.md"),
        "- 一\r\n- two\r\n- 3 three\r\n- four\r\n- five\r\n- six\r\n"
    );
}

#[test]
fn pub_fmt_08_a_free_form_index_is_kept_and_named() {
    let index = "# About me\n\nI like tea.\n";
    let memory = memory(&[("MEMORY.md", index)]);
    assert!(staged(&memory, []).changes.is_empty());
    let found = check(&memory, &IndexLimits::default());
    assert!(found.iter().any(|finding| finding.kind == FindingKind::FreeFormIndex));
}

#[test]
fn pub_fmt_09_a_byte_order_mark_is_read_and_kept_once() {
    let text = "\u{feff}---\nname: 名\ndescription: d\n---\n- one\n";
    let memory = memory(&[("a.md", text)]);
    assert_eq!(memory.view().topics[0].name, "名");
    let staged = staged(&memory, [rewrite("a.md", "one", "two"), append("a.md", "three")]);
    assert_eq!(after(&memory, &staged, "a.md"), text.replace("one", "two") + "- three\n");
}

#[test]
fn pub_syn_01_conflict_markers_close_a_file_and_quoted_ones_do_not() {
    let conflict = "- one\n<<<<<<< HEAD\n- a\n=======\n- b\n>>>>>>> theirs\n";
    let quoted = "- one\n\n```\n<<<<<<< HEAD\n=======\n>>>>>>> theirs\n```\n\nHeading\n=======\n";
    let memory = memory(&[("a.md", conflict), ("b.md", quoted)]);
    let view = memory.view();
    assert_eq!(view.topics.iter().map(|topic| topic.editable).collect::<Vec<_>>(), [false, true]);
    let staged = staged(&memory, [append("a.md", "two"), append("b.md", "two")]);
    assert_eq!(reasons(&staged), ["a.md cannot be edited: it holds an unresolved merge conflict (line 2)"]);
    assert_eq!(staged.changes.files.len(), 1);
}

#[test]
fn invalid_utf8_is_readable_and_never_edited() {
    let memory = MemoryDirectory::from_files([("a.md", b"- caf\xe9 at noon\n- tea\n".as_slice())]);
    let view = memory.view();
    assert_eq!(view.topics[0].entries[0].text, "caf\u{fffd} at noon");
    assert!(!view.topics[0].editable);
    let staged = staged(&memory, [rewrite("a.md", "tea", "coffee")]);
    assert_eq!(reasons(&staged), ["a.md cannot be edited: it is not valid UTF-8 (byte 5)"]);
}

#[test]
fn nul_bytes_are_kept() {
    let text = "- a\0b\n- tea\n";
    let memory = memory(&[("a.md", text)]);
    let staged = staged(&memory, [rewrite("a.md", "tea", "coffee")]);
    assert_eq!(after(&memory, &staged, "a.md"), "- a\0b\n- coffee\n");
}

#[test]
fn a_rule_at_the_top_is_no_head() {
    for text in ["---\nprose goes on\n---\nmore\n", "---\n\n- bullet\n\n---\n", "---\nname: never closed\n"] {
        let memory = memory(&[("a.md", text)]);
        assert_eq!(memory.view().topics[0].name, "a", "{text}");
        assert!(memory.view().topics[0].editable);
    }
}

#[test]
fn a_rewrite_touches_only_what_differs() {
    let text = "* We met yesterday\n  and   agreed\n\n  ```sh\n  make  all\n  ```\n* other\n";
    let memory = memory(&[("a.md", text)]);
    let old = memory.view().topics[0].entries[0].text.clone();
    assert_eq!(old, "We met yesterday and   agreed");
    let staged = staged(&memory, [rewrite("a.md", &old, &old.replace("yesterday", "on 2026-05-17"))]);
    assert_eq!(after(&memory, &staged, "a.md"), text.replace("yesterday", "on 2026-05-17"));
}

#[test]
fn a_code_block_is_kept_or_the_rewrite_is_refused() {
    let text = "- Run this\n```sh\nmake  all\n```\n- other\n";
    let memory = memory(&[("a.md", text)]);
    let old = memory.view().topics[0].entries[0].text.clone();
    let kept = staged(&memory, [rewrite("a.md", &old, &old.replace("this", "that"))]);
    assert_eq!(after(&memory, &kept, "a.md"), text.replace("this", "that"));
    let flattened = staged(&memory, [rewrite("a.md", &old, "Run it")]);
    assert_eq!(reasons(&flattened), ["it would flatten a code block"]);
    // The old words go to the archive byte for byte, so they may be replaced as a whole.
    let replaced = staged(&memory, [supersede("a.md", &old, "Run it")]);
    assert_eq!(after(&memory, &replaced, "a.md"), "- Run it\n- other\n");
    assert!(
        after(&memory, &replaced, "archive/a.md")
            .contains("````text\n- Run this\n```sh\nmake  all\n```\n````\n")
    );
}

#[test]
fn words_that_would_read_as_something_else_are_refused_or_become_a_bullet() {
    let memory = memory(&[("a.md", "A paragraph.\n\n| a | b |\n|---|---|\n| c | d |\n")]);
    let staged = staged(
        &memory,
        [
            rewrite("a.md", "A paragraph.", "# heading"),
            rewrite("a.md", "| c | d |", "c is d"),
            rewrite("a.md", "| c | d |", "| c | d | e |"),
            rewrite("a.md", "| c | d |", "| c | e |"),
            append("a.md", "# not a heading"),
            append("a.md", "one\n\n- two\n# three"),
        ],
    );
    assert_eq!(staged.refused.len(), 3, "{:?}", staged.refused);
    assert_eq!(
        applied(&memory, &staged)["a.md"],
        "A paragraph.\n\n| a | b |\n|---|---|\n| c | e |\n\n- # not a heading\n- one - two # three\n"
    );
}

#[test]
fn an_entry_goes_where_it_is_in_use_and_in_the_files_style() {
    let add = |text: &str, words: &str| {
        let memory = memory(&[("a.md", text)]);
        after(&memory, &staged(&memory, [append("a.md", words)]), "a.md")
    };
    assert_eq!(add("- a\n\n\n", "b"), "- a\n- b\n\n\n");
    assert_eq!(add("* a\n\n* b\n", "- c"), "* a\n\n* b\n\n* c\n");
    assert_eq!(add("1. a\n2. b\n", "c"), "1. a\n2. b\n3. c\n");
    assert_eq!(add("Text.", "More."), "Text.\n\nMore.\n");
    assert_eq!(add("- a\n\n## History\n\n- old\n", "b"), "- a\n- b\n\n## History\n\n- old\n");
    assert_eq!(add("# T\n\n## Archive\n- old\n", "b"), "# T\n\nb\n\n## Archive\n- old\n");
    assert_eq!(add("# T\n", "b"), "# T\n\nb\n");
    assert_eq!(add("", "b"), "b\n");
    assert_eq!(add("---\nname: n\n---\n", "b"), "---\nname: n\n---\n\nb\n");
    let memory = memory(&[("a.md", "- a\n```\nnever closed\n")]);
    assert_eq!(
        reasons(&staged(&memory, [append("a.md", "b")])),
        ["a code block of the file is never closed"]
    );
}

#[test]
fn what_changes_nothing_or_is_gone_or_pinned_is_refused_and_the_rest_goes_on() {
    let memory = memory(&[
        ("a.md", "- one\n- twin\n- twin\n"),
        ("p.md", "---\nname: p\nmetadata:\n  pinned: true\n---\n- kept\n"),
    ]);
    let retitle = Change::Retitle { path: "a.md".to_owned(), description: Some("d".to_owned()), hook: None };
    let propose = Change::Propose { destination: "CLAUDE.md".to_owned(), text: "x".to_owned() };
    let staged = staged(
        &memory,
        [
            rewrite("a.md", "one", "one"),
            append("a.md", "one"),
            append("a.md", "  \n "),
            rewrite("a.md", "gone", "x"),
            rewrite("a.md", "twin", "x"),
            append("p.md", "x"),
            archive("p.md", "kept"),
            retitle,
            propose,
            rewrite("a.md", "one", "1"),
        ],
    );
    assert_eq!(
        reasons(&staged),
        [
            "it changes nothing",
            "a.md says so already",
            "it says nothing",
            "its words are no longer there",
            "its words stand there more than once",
            "p.md is pinned",
            "p.md is pinned",
            "a.md has no front matter; its description is left out",
        ]
    );
    assert_eq!(applied(&memory, &staged)["a.md"], "- 1\n- twin\n- twin\n");
}

#[test]
fn superseded_words_stand_in_the_archive_with_date_reason_and_successor() {
    let memory = memory(&[
        ("sub/端口.md", "- 端口是 3000\r\n- other\r\n"),
        ("archive/sub/端口.md", "# Mine\r\n\r\nkept"),
    ]);
    let staged = staged(&memory, [supersede("sub/端口.md", "端口是 3000", "端口是 4310")]);
    assert_eq!(after(&memory, &staged, "sub/端口.md"), "- 端口是 4310\r\n- other\r\n");
    assert_eq!(
        after(&memory, &staged, "archive/sub/端口.md"),
        "# Mine\r\n\r\nkept\r\n\r\n## 2026-05-18: superseded\r\n\r\nReason: the human said so (run run-7, op-1)\r\n\r\n\
         ```text\r\n- 端口是 3000\r\n```\r\n\r\nReplaced by: 端口是 4310\r\n"
    );
    assert_eq!(
        staged.changes.files[0].path, "archive/sub/端口.md",
        "the archive has it before the topic loses it"
    );
}

#[test]
fn an_archived_entry_goes_with_its_line_end_and_the_last_one_takes_the_file_along() {
    let index = "- [A](a.md) — a\n- [B](b.md) — b\n";
    let text = "---\nname: a\n---\n- one\n- two";
    let memory = memory(&[("MEMORY.md", index), ("a.md", text), ("b.md", "- b\n")]);
    let one = staged(&memory, [archive("a.md", "two")]);
    assert_eq!(after(&memory, &one, "a.md"), "---\nname: a\n---\n- one\n");
    assert_eq!(after(&memory, &one, "MEMORY.md"), index);
    let both = staged(&memory, [archive("a.md", "one"), archive("a.md", "two")]);
    assert_eq!(both.refused, []);
    let files = applied(&memory, &both);
    assert!(!files.contains_key("a.md"));
    assert_eq!(files["MEMORY.md"], "- [B](b.md) — b\n");
    assert!(files["archive/a.md"].contains("```text\n- one\n```\n"));
    assert!(files["archive/a.md"].contains("```text\n---\nname: a\n---\n- two\n```\n"));
    let last = both.changes.files.last().unwrap();
    assert_eq!((last.path.as_str(), &last.after), ("a.md", &None), "what goes comes last");
}

#[test]
fn a_topic_that_prose_points_to_stays_when_it_is_empty() {
    let memory =
        memory(&[("MEMORY.md", "See [A](a.md) and [B](b.md).\n"), ("a.md", "# A\n- one\n"), ("b.md", "b\n")]);
    let staged = staged(&memory, [archive("a.md", "one")]);
    assert_eq!(after(&memory, &staged, "a.md"), "# A\n");
    assert!(staged.notes[0].1.contains("stays without entries"));
}

#[test]
fn control_characters_of_new_words_are_left_out() {
    let memory = memory(&[("a.md", "- a\0b\n- tea\n")]);
    let staged =
        staged(&memory, [append("a.md", "red \u{1b}[31mtext\u{7}"), rewrite("a.md", "a\0b", "a\0c\u{7}")]);
    assert_eq!(after(&memory, &staged, "a.md"), "- a\0c\n- tea\n- red [31mtext\n");
}

#[test]
fn one_of_two_equal_entries_can_be_archived() {
    let memory = memory(&[("a.md", "- twin\n- other\n- twin\n")]);
    let staged = staged(&memory, [archive("a.md", "twin")]);
    assert_eq!(after(&memory, &staged, "a.md"), "- twin\n- other\n");
}

#[test]
fn entries_of_a_new_file_stay_one_entry_each_whatever_they_hold() {
    let words = [
        "- a bullet",
        "two\n\nparagraphs",
        "```\nopen fence",
        "# heading",
        "<<<<<<< HEAD",
        "a\r\nb",
        "| a | b |",
        "fine ```code``` here",
        "- nested\n    - child",
        "--- not a head",
        "\u{feff}marked",
        "1. first",
        "用 pnpm\n不用 npm",
    ];
    let empty = memory(&[]);
    let file = after(&empty, &staged(&empty, [crate::support::create("n", "N", "d", &words, "h")]), "n.md");
    let view = memory(&[("n.md", &file)]).view();
    let read: Vec<&str> = view.topics[0].entries.iter().map(|entry| entry.text.as_str()).collect();
    assert!(view.topics[0].editable);
    assert_eq!(read.len(), words.len(), "{file}");
    assert_eq!(
        reasons(&staged(&empty, [crate::support::create("n", "N", "d", &["---", " ", "***"], "h")])),
        ["it says nothing"]
    );
    let struck = staged(&empty, [crate::support::create("n", "N", "d", &["~~struck~~ out"], "h")]);
    assert_eq!(reasons(&struck), ["its words would read as something else in a file"]);
}
