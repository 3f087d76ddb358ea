//! Lines and entries; the whole of memory is tested from outside.

use super::entries::{bullet, heading};
use super::lines::{Ending, split};
use super::*;

#[test]
fn each_line_keeps_its_own_ending() {
    let endings = |bytes: &[u8]| split(bytes).iter().map(|line| line.ending).collect::<Vec<_>>();
    assert_eq!(endings(b""), []);
    assert_eq!(endings(b"\xef\xbb\xbf"), []);
    assert_eq!(
        endings(b"a\nb\r\n\r\n\nc"),
        [Ending::Lf, Ending::CrLf, Ending::CrLf, Ending::Lf, Ending::None]
    );
    assert_eq!(endings(b"a\rb\r"), [Ending::None], "a lone carriage return is no line end");
}

#[test]
fn bullets_and_headings_are_told_from_words() {
    assert_eq!(bullet("  - x"), Some(("  ", "-", " ")));
    assert_eq!(bullet("12)\tx"), Some(("", "12)", "\t")));
    for text in ["-x", "    - x", "1.x", "--- x", "**bold**", "", "-"] {
        assert_eq!(bullet(text), None, "{text}");
    }
    assert_eq!(heading("### 标题 "), Some((3, "标题")));
    for text in ["#tag", "####### x", " # x", "#"] {
        assert_eq!(heading(text), None, "{text}");
    }
}

#[test]
fn an_entry_knows_where_its_words_stand() {
    let text = "- 一\r\n\t 二  \r\n";
    let document = Document::parse(text.as_bytes(), false);
    let [entry] = document.entries.as_slice() else { panic!("one entry") };
    assert_eq!(entry.text, "一 二");
    let words: Vec<&str> = entry.pieces.iter().map(|piece| &text[piece.raw.clone()]).collect();
    assert_eq!(words, ["一", "二"]);
    let shown: Vec<&str> = entry.pieces.iter().map(|piece| &entry.text[piece.view.clone()]).collect();
    assert_eq!(shown, words);
}

#[test]
fn a_folder_that_says_archive_makes_everything_inactive() {
    assert!(!Document::parse(b"- a\n", true).entries[0].active);
}

#[test]
fn a_torn_fence_does_not_hide_a_conflict() {
    assert!(Document::parse(b"```\n<<<<<<< HEAD\n```\n", false).conflict.is_none());
    assert_eq!(Document::parse(b"```\n<<<<<<< HEAD\n", false).conflict, Some(1));
}
