//! The index: limits, one line per topic, and lines that are the user's.

use crate::support::{after, append, applied, context, create, memory, reasons, rewrite, staged, target};
use nidra_core::Change;
use nidra_memory::check::{FindingKind, Severity, check};
use nidra_memory::limits::{IndexLimits, measure};

fn lines(count: usize) -> String {
    let lines: Vec<String> =
        (1..=count).map(|number| format!("- [Topic {number}](t{number}.md) — hook {number}\n")).collect();
    lines.concat()
}

fn relink(path: &str, title: &str, hook: &str) -> Change {
    Change::Relink { path: path.to_owned(), title: title.to_owned(), hook: hook.to_owned() }
}

#[test]
fn pub_idx_01_a_full_index_refuses_and_cuts_nothing() {
    let text = lines(199);
    let memory = memory(&[("MEMORY.md", &text)]);
    let changes: Vec<Change> =
        (0..5).map(|number| create(&format!("new-{number}"), "New", "d", &["words"], "hook")).collect();
    let staged = staged(&memory, changes);
    assert_eq!(staged.refused.len(), 4);
    assert!(reasons(&staged).iter().all(|reason| reason.starts_with("index full")), "{:?}", staged.refused);
    assert_eq!(staged.index.lines, 200);
    let files = applied(&memory, &staged);
    assert_eq!(files["MEMORY.md"], format!("{text}- [New](new-0.md) — hook\n"));
    assert_eq!(files.keys().filter(|path| path.starts_with("new-")).count(), 1, "no file without its line");
}

#[test]
fn pub_idx_02_check_names_each_line_that_is_not_loaded() {
    let memory = memory(&[("MEMORY.md", &lines(210))]);
    let found = check(&memory, &IndexLimits::default());
    let cut: Vec<_> = found.iter().filter(|finding| finding.kind == FindingKind::CutLine).collect();
    assert_eq!(
        cut.iter().map(|finding| finding.line.unwrap()).collect::<Vec<_>>(),
        (201..=210).collect::<Vec<_>>()
    );
    assert!(cut[0].message.contains("Topic 201"), "{}", cut[0].message);
    assert!(cut.iter().all(|finding| finding.severity == Severity::Error));
}

#[test]
fn pub_idx_03_few_long_lines_are_over_the_limit_too() {
    let text = format!("{}\n", "x".repeat(359)).repeat(146);
    let used = measure(text.as_bytes());
    assert_eq!((used.lines, used.units, used.bytes), (146, 146 * 360 - 1, 146 * 360));
    assert!(!used.fits(&IndexLimits::default()));
    // The client counts UTF-16 units: this many Chinese characters pass with three times as many bytes.
    let used = measure("记".repeat(15_100).as_bytes());
    assert_eq!((used.lines, used.units, used.bytes), (1, 15_100, 45_300));
    assert!(used.fits(&IndexLimits::default()));
}

#[test]
fn pub_idx_04_an_orphan_gets_its_line_and_the_others_stay() {
    let index = "# Mine\n\n- [A](a.md) — a\nprose that stands nowhere else\n";
    let memory = memory(&[("MEMORY.md", index), ("a.md", "A.\n"), ("b.md", "B.\n")]);
    let staged = staged(
        &memory,
        [relink("b.md", "B [x]\ny", "hook\nhook"), relink("a.md", "A", "a"), relink("c.md", "C", "c")],
    );
    assert_eq!(
        applied(&memory, &staged)["MEMORY.md"],
        "# Mine\n\n- [A](a.md) — a\n- [B (x) y](b.md) — hook hook\nprose that stands nowhere else\n"
    );
    assert_eq!(reasons(&staged), ["the index has a line for a.md already", "there is no topic file c.md"]);
}

#[test]
fn pub_idx_05_a_nearly_full_index_is_a_warning() {
    let found = check(&memory(&[("MEMORY.md", &lines(175))]), &IndexLimits::default());
    let fill = found.iter().find(|finding| finding.kind == FindingKind::IndexFill).unwrap();
    assert_eq!(fill.severity, Severity::Warning);
    assert!(
        fill.message.contains("87 % full") && fill.message.contains("room for 25 lines"),
        "{}",
        fill.message
    );
}

#[test]
fn pub_idx_06_a_long_body_is_kept_whole() {
    let words = "word ".repeat(420).trim().to_owned();
    let empty = memory(&[]);
    let staged = staged(&empty, [create("long", "Long", "d", &[&words], &words)]);
    assert!(after(&empty, &staged, "long.md").ends_with(&format!("\n\n{words}\n")));
    let line = after(&empty, &staged, "MEMORY.md");
    assert!(line.trim_end().encode_utf16().count() <= 150, "{line}");
    assert!(line.trim_end().ends_with("word…") || line.trim_end().ends_with("word …"), "{line}");
}

#[test]
fn pub_idx_07_the_index_stays_within_its_limit_whatever_is_added() {
    let empty = memory(&[]);
    let hook = "很".repeat(300);
    let changes: Vec<Change> =
        (0..260).map(|number| create(&format!("t-{number}"), "标题", "描述", &["正文"], &hook)).collect();
    let staged = staged(&empty, changes);
    assert!(staged.index.fits(&context().limits));
    assert_eq!(measure(applied(&empty, &staged)["MEMORY.md"].as_bytes()), staged.index);
    assert_eq!(staged.changes.files.len() - 1 + staged.refused.len(), 260, "each is applied or named");
}

#[test]
fn a_hook_goes_to_the_topics_own_line_only() {
    let index = "\u{feff}| [A](a.md) | in a table |\n\nSee [A](a.md) and [B](b.md).\n* **[A](a.md)** - old *hook*  \n- [B](b.md)";
    let memory = memory(&[("MEMORY.md", index), ("a.md", "- one\n"), ("b.md", "- two\n")]);
    let hook = |path: &str, hook: &str| Change::Append {
        path: path.to_owned(),
        text: format!("more for {path}"),
        hook: Some(hook.to_owned()),
    };
    let staged = staged(&memory, [hook("a.md", "new"), hook("b.md", "二")]);
    assert_eq!(
        after(&memory, &staged, "MEMORY.md"),
        index.replace("old *hook*", "new").replace("- [B](b.md)", "- [B](b.md) — 二")
    );
}

#[test]
fn a_hook_without_a_line_of_its_own_is_noted_and_the_words_are_kept() {
    let memory = memory(&[("MEMORY.md", "| [A](a.md) | table |\n"), ("a.md", "- one\n")]);
    let staged = staged(
        &memory,
        [Change::Rewrite {
            target: target("a.md", "one"),
            text: "two".to_owned(),
            hook: Some("x".to_owned()),
        }],
    );
    assert_eq!(after(&memory, &staged, "a.md"), "- two\n");
    assert_eq!(after(&memory, &staged, "MEMORY.md"), "| [A](a.md) | table |\n");
    assert!(staged.notes[0].1.contains("no line of its own"));
}

#[test]
fn a_new_line_goes_behind_the_last_one_in_its_own_ending() {
    let new = |index: &str| {
        let memory = memory(&[("MEMORY.md", index)]);
        let staged = staged(&memory, [create("n", "N", "d", &["words"], "h")]);
        after(&memory, &staged, "MEMORY.md")
    };
    let line = "- [N](n.md) — h";
    assert_eq!(new(""), format!("{line}\n"));
    assert_eq!(new("\u{feff}"), format!("\u{feff}{line}\n"));
    assert_eq!(new("- [A](a.md)"), format!("- [A](a.md)\n{line}\n"));
    assert_eq!(
        new("- [A](a.md)\r\n  more\r\n\r\nend\r\n"),
        format!("- [A](a.md)\r\n  more\r\n{line}\r\n\r\nend\r\n")
    );
    assert_eq!(new("free prose"), format!("free prose\n\n{line}\n"));
    assert_eq!(
        new("- [A](a.md)\n\n## Archive\n- [B](b.md)\n"),
        format!("- [A](a.md)\n{line}\n\n## Archive\n- [B](b.md)\n")
    );
    assert_eq!(
        new("- [A](a.md)\n\n```\n- [B](b.md)\n```\n"),
        format!("- [A](a.md)\n{line}\n\n```\n- [B](b.md)\n```\n")
    );
    assert_eq!(
        new("- [A](a.md)\n<!--\n- [B](b.md)\n-->\n"),
        format!("- [A](a.md)\n{line}\n<!--\n- [B](b.md)\n-->\n")
    );
}

#[test]
fn a_hook_can_hide_nothing_and_link_to_nothing() {
    let empty = memory(&[("MEMORY.md", "- [A](a.md) — x\n<!-- mine -->\n"), ("a.md", "- one\n")]);
    let hook = "see [B](b.md) <!<!---- note";
    let staged = staged(&empty, [create("n", "N <!-- -->", "d", &["words"], hook)]);
    let index = after(&empty, &staged, "MEMORY.md");
    assert_eq!(index, "- [A](a.md) — x\n- [N](n.md) — see [B] (b.md) note\n<!-- mine -->\n");
}

#[test]
fn a_topic_that_a_wiki_link_points_to_stays_when_it_is_empty() {
    let memory = memory(&[("MEMORY.md", "- [A](a.md) — x\n- see [[a]]\n"), ("a.md", "- one\n")]);
    let staged = staged(&memory, [Change::Archive { target: target("a.md", "one") }]);
    assert_eq!(after(&memory, &staged, "a.md"), "");
    assert_eq!(after(&memory, &staged, "MEMORY.md"), "- [A](a.md) — x\n- see [[a]]\n");
}

#[test]
fn an_index_that_cannot_be_edited_stops_what_needs_it_and_nothing_else() {
    let index = "<<<<<<< HEAD\n- [A](a.md)\n=======\n>>>>>>> theirs\n";
    let memory = memory(&[("MEMORY.md", index), ("a.md", "- one\n")]);
    let staged = staged(
        &memory,
        [create("n", "N", "d", &["words"], "h"), rewrite("a.md", "one", "two"), append("a.md", "three")],
    );
    assert_eq!(reasons(&staged), ["MEMORY.md holds an unresolved merge conflict (line 1)"]);
    let files = applied(&memory, &staged);
    assert_eq!((files["MEMORY.md"].as_str(), files["a.md"].as_str()), (index, "- two\n- three\n"));
}

#[test]
fn pub_fmt_01_a_limit_inside_a_character_cuts_at_a_line() {
    for k in 0..3 {
        for newline in ["", "\n"] {
            let text = format!("{}{newline}{}\n- [最后](z.md)\n", "x".repeat(25_000 - k), "记".repeat(50));
            let memory = memory(&[("MEMORY.md", &text)]);
            let found = check(&memory, &IndexLimits::default());
            assert!(
                found
                    .iter()
                    .any(|finding| finding.kind == FindingKind::CutLine && finding.message.contains("最后"))
            );
        }
    }
}
