//! What holds for any talk: no panic, the same answer twice, nothing new from what is known.

use crate::talk::{Talk, apply, dream, talk};
use nidra_core::{Change, Conversation, MemoryView};
use proptest::prelude::*;

fn usual_talks() -> Vec<Conversation> {
    vec![
        Talk::at("s1", "2026-05-04T09:00:00Z")
            .human("the report page is slow")
            .agent("I would cache it for a day.")
            .human("no caching, ever. auditors must see live numbers, that is in the contract")
            .agent("Understood.")
            .human("also: exports go to https://files.example.com/out, the folder belongs to Wendeline")
            .agent("Noted.")
            .human("what if we used parquet? nah, forget it")
            .done(),
        Talk::at("s2", "2026-05-06T09:00:00Z")
            .human("接口文档")
            .agent("好的。")
            .human("接口返回统一用 snake_case，不要驼峰，老客户端解析不了")
            .agent("明白。")
            .human("下周三上线，上线前必须冻结表结构")
            .done(),
    ]
}

#[test]
fn the_same_talk_gives_the_same_answer() {
    let talks = usual_talks();
    assert_eq!(dream(&talks, &MemoryView::default()), dream(&talks, &MemoryView::default()));
}

#[test]
fn what_is_known_is_not_said_again() {
    let talks = usual_talks();
    let first = dream(&talks, &MemoryView::default());
    assert!(first.operations.len() >= 4, "{:?}", first.operations);
    let memory = apply(&MemoryView::default(), &first);
    let again = dream(&talks, &memory);
    assert!(again.operations.is_empty(), "{:?}", again.operations);
}

#[test]
fn no_new_talk_no_operations() {
    let memory = apply(&MemoryView::default(), &dream(&usual_talks(), &MemoryView::default()));
    assert!(dream(&[], &memory).operations.is_empty());
}

#[test]
fn index_lines_fit_their_limit() {
    let outcome = dream(&usual_talks(), &MemoryView::default());
    for operation in &outcome.operations {
        if let Change::Create { topic, hook, .. } = &operation.change {
            let line = format!("- [{}]({}.md) — {hook}", topic.title, topic.slug);
            assert!(line.encode_utf16().count() <= 150, "{line}");
            assert!(topic.slug.is_ascii() && !topic.slug.is_empty());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_text_is_read_without_a_panic(texts in proptest::collection::vec(any::<String>(), 0..6)) {
        let mut session = talk();
        for (number, text) in texts.iter().enumerate() {
            session = if number % 2 == 0 { session.human(text) } else { session.agent(text) };
        }
        let talks = [session.done()];
        let first = dream(&talks, &MemoryView::default());
        let memory = apply(&MemoryView::default(), &first);
        prop_assert!(dream(&talks, &memory).operations.is_empty());
    }

    #[test]
    fn sentences_of_any_mixture_are_read_without_a_panic(
        words in proptest::collection::vec(
            prop_oneof![
                Just("always"), Just("never"), Just("必须"), Just("以后"), Just("scrap that"), Just("`a.rs`"), Just("8080"), Just("。"), Just(", "),
                Just("算了"), Just("next friday"), Just("🙂"), Just("\u{feff}"), Just("\r\n"), Just("> "), Just("\""), Just("「"), Just("é"), Just("İ"), Just("no."),
                Just("下周三"), Just("moved to"), Just("我"), Just("I"), Just(" "), Just("because"), Just("https://x.example.com/a"),
            ],
            0..40,
        )
    ) {
        let text = words.join(" ");
        let glued = words.concat();
        let talks = [talk().human("hi").human(&text).agent("Understood.").human(&glued).done()];
        let first = dream(&talks, &MemoryView::default());
        prop_assert_eq!(&first, &dream(&talks, &MemoryView::default()));
    }
}
