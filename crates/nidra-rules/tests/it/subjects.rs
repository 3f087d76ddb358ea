//! Plain words about a known subject take the place of what memory says of it; what only looks alike does not.

use crate::talk::{Talk, apply, dream, memory, talk};
use nidra_core::Kind;

fn after(old: &str, talk: Talk) -> Vec<String> {
    let before = memory(&[("notes", Kind::Project, &[old])]);
    let outcome = dream(&[talk.done()], &before);
    apply(&before, &outcome)
        .topics
        .into_iter()
        .flat_map(|topic| topic.entries)
        .map(|entry| entry.text)
        .collect()
}

#[test]
fn another_value_of_the_same_subject_takes_its_place() {
    for (old, said, new, gone) in [
        (
            "The thumbnail indexer runs 6 workers.",
            "thumbnail indexer has 8 workers, the rack takes that",
            "8 workers",
            "6 workers",
        ),
        ("缩略图任务的并发是 6 个。", "缩略图任务并发 8 个，机器扛得住", "8 个", "6 个"),
    ] {
        let entries = after(old, talk().human("hello").agent("Hello.").human(said).agent("Noted."));
        assert!(entries.iter().any(|entry| entry.contains(new)), "{said}: {entries:?}");
        assert!(!entries.iter().any(|entry| entry.contains(gone)), "{said}: {entries:?}");
    }
}

#[test]
fn what_only_looks_alike_takes_no_place() {
    for (old, said) in [
        ("The thumbnail indexer runs 6 workers.", "for this one run the thumbnail indexer with 20 workers"),
        ("The thumbnail indexer runs 6 workers.", "the mail sender has 12 workers"),
        ("The thumbnail indexer runs 6 workers.", "what if the thumbnail indexer had 9 workers?"),
        ("The staging gateway listens on 7443.", "the demo gateway listens on 7555"),
        ("The thumbnail indexer runs 6 workers.", "their thumbnail indexer has 3 workers, not ours though"),
        ("缩略图任务的并发是 6 个。", "这次缩略图任务并发开 20 个"),
        ("缩略图任务的并发是 6 个。", "要是缩略图任务并发开到 9 个会怎样？"),
        ("预发网关监听 7443。", "演示网关监听 7555"),
    ] {
        let entries = after(old, talk().human("hello").agent("Hello.").human(said).agent("Noted."));
        assert!(entries.iter().any(|entry| entry == old), "{said}: {entries:?}");
    }
}
