//! Sessions are judged one after the other: one dream over all and one dream over each end alike.

use crate::talk::{Talk, apply, dream, kept, memory, stated, talk};
use nidra_core::{Change, Conversation, Kind, MemoryView};
use std::collections::BTreeSet;

/// Every statement of a memory.
fn statements(memory: &MemoryView) -> BTreeSet<String> {
    memory.entries().map(|(_, entry)| entry.text.clone()).collect()
}

/// The statements after one dream over all sessions, and after one dream over each.
fn both_ways(sessions: &[Conversation], before: &MemoryView) -> (BTreeSet<String>, BTreeSet<String>) {
    let whole = apply(before, &dream(sessions, before));
    let mut each = before.clone();
    for session in sessions {
        each = apply(&each, &dream(std::slice::from_ref(session), &each));
    }
    (statements(&whole), statements(&each))
}

fn english() -> Vec<Conversation> {
    vec![
        Talk::at("s1", "2026-05-04T09:00:00Z")
            .human("hi")
            .human("from now on always run the linter before you push")
            .agent("OK.")
            .human("the billing service listens on port 4310 and belongs to Ines")
            .agent("Noted.")
            .done(),
        Talk::at("s2", "2026-05-06T09:00:00Z")
            .human("hi")
            .human("the billing service listens on port 4455 now, Ines moved it")
            .agent("Noted.")
            .human("rule: every merge request needs two screenshots")
            .agent("OK.")
            .done(),
        Talk::at("s3", "2026-05-08T09:00:00Z")
            .human("hi")
            .human("forget the screenshots rule, nobody looks at them")
            .agent("OK.")
            .done(),
    ]
}

fn chinese() -> Vec<Conversation> {
    vec![
        Talk::at("s1", "2026-05-04T09:00:00Z")
            .human("你好")
            .human("以后提交信息一律用中文写")
            .agent("好的。")
            .human("网关的超时是 30 秒，老王负责")
            .agent("记下了。")
            .done(),
        Talk::at("s2", "2026-05-06T09:00:00Z")
            .human("你好")
            .human("网关的超时改成 45 秒了")
            .agent("好的。")
            .done(),
    ]
}

#[test]
fn one_dream_and_one_for_each_session_end_alike() {
    for sessions in [english(), chinese()] {
        for before in
            [memory(&[]), memory(&[("notes", Kind::Project, &["The wiki is at wiki.example.test."])])]
        {
            let (whole, each) = both_ways(&sessions, &before);
            assert_eq!(whole, each);
        }
    }
}

#[test]
fn what_a_later_session_turns_never_reaches_memory_with_its_old_words() {
    let outcome = dream(&english(), &memory(&[]));
    let entries = stated(&outcome).join("\n");
    assert!(entries.contains("4455") && !entries.contains("4310"), "{entries}");
    assert!(!entries.contains("screenshots"), "{entries}");
    assert!(entries.contains("linter"), "{entries}");
    // Nothing was there before, so nothing is replaced there, and titles name what holds.
    for operation in &outcome.operations {
        let Change::Create { topic, hook, .. } = &operation.change else {
            panic!("{:?}", operation.change);
        };
        assert!(!format!("{} {} {hook}", topic.title, topic.description).contains("4310"));
    }
    assert!(outcome.dropped.iter().any(|dropped| dropped.text.contains("4310")));
}

#[test]
fn a_choice_by_number_says_what_was_chosen() {
    let entries = kept(
        talk()
            .human("hi")
            .human("defrost. the unit needs a trigger, what do people do?")
            .agent("1. A fixed timer.\n2. Evaporator temperature below -5 °C for 30 minutes.\n3. Air minus evaporator.")
            .human("2. but at -7, and 20 minutes")
            .agent("OK."),
    );
    let entry = entries.iter().find(|entry| entry.contains("-7")).expect("the choice");
    assert!(entry.contains("Evaporator temperature"), "{entries:?}");
    let entries = kept(
        talk()
            .human("你好")
            .human("客户等级怎么取？")
            .agent("可以：1）异步查 HBase；2）做成广播状态；3）每天导出。")
            .human("我们用第二个，topic 叫 dim_level")
            .agent("好。"),
    );
    assert!(
        entries.iter().any(|entry| entry.contains("广播状态") && entry.contains("dim_level")),
        "{entries:?}"
    );
}

#[test]
fn what_the_agent_did_and_undid_is_taken_back() {
    let talk = |back: &str| {
        talk()
            .human("hi")
            .human("let's have the formatter over the whole tree from now on, before every diff")
            .run("fmt-all && git diff --shortstat", "94 files changed", false)
            .agent("Done.")
            .human(back)
            .run("git checkout -- .", "", false)
            .agent("All files are as before.")
    };
    let entries = kept(talk("six thousand lines! put it back please, I prefer crooked code"));
    assert!(!entries.iter().any(|entry| entry.contains("formatter")), "{entries:?}");
    let entries = kept(talk("thanks, now show me the log of last night"));
    assert!(entries.iter().any(|entry| entry.contains("formatter")), "{entries:?}");
}

#[test]
fn two_rules_of_one_form_are_two() {
    let entries = kept(
        talk()
            .human("hi")
            .human("always pin numpy in requirements.txt")
            .agent("OK.")
            .human("always pin pandas in requirements.txt")
            .agent("OK."),
    );
    let all = entries.join("\n");
    assert!(all.contains("numpy") && all.contains("pandas"), "{entries:?}");
}
