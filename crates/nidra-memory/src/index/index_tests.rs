//! Lines of real indexes.

use super::link::{Pointer, normalise, scan};
use super::*;

fn pointers(line: &str) -> Vec<(Pointer, String, String)> {
    scan(line).into_iter().map(|link| (link.pointer, link.title, link.target)).collect()
}

#[test]
fn links_are_found_whatever_stands_in_their_text() {
    let link = |title: &str, target: &str| (Pointer::Link, title.to_owned(), target.to_owned());
    assert_eq!(pointers("- [Tests](a.md) — run them"), [link("Tests", "a.md")]);
    assert_eq!(pointers("- [a [nested] `]` **b** 🎉](x/y.md)"), [link("a [nested] `]` **b** 🎉", "x/y.md")]);
    assert_eq!(pointers("| [a](a.md) | [b](<b c.md> \"title\") |"), [link("a", "a.md"), link("b", "b c.md")]);
    assert_eq!(pointers("[a](a%20b.md#part) [c](./x/../c.md)"), [link("a", "a b.md"), link("c", "c.md")]);
    assert_eq!(pointers("[a](f(1).md)"), [link("a", "f(1).md")]);
    assert_eq!(pointers("[编码](编码风格.md)：两个空格"), [link("编码", "编码风格.md")]);
    assert_eq!(pointers("\\[no](a.md) `[no](a.md)` [no] (a.md) [no](a.txt) [no](https://x.test/a.md)"), []);
}

#[test]
fn wiki_links_and_bare_names_are_pointers_too() {
    assert_eq!(
        pointers("see [[finish-the-job]], [[a.md|A]] and `notes/b.md`, not `two words.md` or `*.md`"),
        [
            (Pointer::Wiki, "finish-the-job".to_owned(), "finish-the-job".to_owned()),
            (Pointer::Wiki, "A".to_owned(), "a.md".to_owned()),
            (Pointer::Bare, "notes/b.md".to_owned(), "notes/b.md".to_owned()),
        ]
    );
}

#[test]
fn a_target_outside_is_no_target() {
    for target in ["../a.md", "/a.md", "~/a.md", "C:\\a.md", "x/../../a.md", "mailto:a@b.md", ".md", "a"] {
        assert_eq!(normalise(target), None, "{target}");
    }
    assert_eq!(normalise("x\\a.md").as_deref(), Some("x/a.md"));
}

#[test]
fn fenced_code_and_comments_hold_no_pointers() {
    let index = Index::parse(
        b"- [A](a.md)\n```\n- [B](b.md)\n```\n<!-- [C](c.md)\n[D](d.md) -->\n- [E](e.md) <!-- why -->\n",
    );
    let found: Vec<usize> = index.entries.iter().map(|entry| entry.links.len()).collect();
    assert_eq!(found, [1, 0, 0, 0, 0, 0, 1]);
    assert!(index.entries[0].item && index.entries[6].item);
}

#[test]
fn an_item_starts_with_its_link() {
    let item = |line: &str| Index::parse(line.as_bytes()).entries[0].item;
    assert!(
        item("- [A](a.md)") && item("* **[A](a.md)**") && item("1. [A](a.md)") && item("- [ ] [A](a.md)")
    );
    assert!(item("- 🎉 [A](a.md)"));
    assert!(!item("- see [A](a.md)") && !item("[A](a.md)") && !item("| [A](a.md) |") && !item("- `a.md`"));
}

#[test]
fn lines_of_our_own_keep_their_words_within_the_limit() {
    assert_eq!(edit::line("a.md", "T", "h", 150), "- [T](a.md) — h");
    assert_eq!(edit::line("a.md", "", "", 150), "- [a](a.md)");
    assert_eq!(edit::line("a b.md", "x]y[z`", "h", 150), "- [x)y(z](<a b.md>) — h");
}
