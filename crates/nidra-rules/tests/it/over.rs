//! States of a while that a person says to be over, and what is said beside them.

use crate::talk::{Talk, dream, memory, stated, talk};
use nidra_core::{Change, Kind, MemoryView, Outcome};

/// The entries that are replaced, each with its new words.
fn replaced(outcome: &Outcome) -> Vec<(String, String)> {
    outcome
        .operations
        .iter()
        .filter_map(|operation| match &operation.change {
            Change::Supersede { target, text, .. } => Some((target.text.clone(), text.clone())),
            _ => None,
        })
        .collect()
}

fn after(entries: &[&str], said: &[&str]) -> Vec<(String, String)> {
    let topics: Vec<(String, [&str; 1])> =
        entries.iter().enumerate().map(|(number, entry)| (format!("note-{number}"), [*entry])).collect();
    let topics: Vec<(&str, Kind, &[&str])> =
        topics.iter().map(|(name, entry)| (name.as_str(), Kind::Project, entry.as_slice())).collect();
    let work = talk().human("have a look at the failing check").agent("Looking.");
    let work = said.iter().fold(work, |work, words| work.human(words).agent("OK."));
    replaced(&dream(&[work.done()], &memory(&topics)))
}

#[test]
fn an_entry_whose_state_is_over_says_so_in_the_persons_words_with_their_day() {
    for (entry, said, words) in [
        ("Release freeze: nothing goes into trunk.", "the freeze is over", "freeze is over (2026-05-12)"),
        (
            "The billing schema is being migrated; do not write to it.",
            "the migration is done, you can write to it again",
            "Billing schema: the migration is done, you can write to it again (2026-05-12)",
        ),
        ("The lab cluster is down for maintenance.", "the lab cluster is back up", "back up (2026-05-12)"),
        ("冻结期间不要改表结构。", "冻结结束了，可以改表结构了", "冻结结束了，可以改表结构了（2026-05-12）"),
        ("账单库正在迁移，先别写。", "迁移完成了，可以写了", "账单库：迁移完成了，可以写了（2026-05-12）"),
    ] {
        let found = after(&[entry, "Thumbnails are kept for 90 days."], &[said]);
        assert_eq!(found.len(), 1, "{said}: {found:?}");
        assert!(found[0].0 == entry && found[0].1.contains(words), "{found:?}");
    }
}

#[test]
fn what_is_said_next_is_of_its_own_matter() {
    for (entry, said) in [
        ("冻结期间不要往 trunk 推代码。", &["冻结结束了，可以往 trunk 推代码了", "backup 改到五点"][..]),
        ("冻结期间不要往 trunk 推代码。", &["冻结结束了，可以往 trunk 推代码了，另外 backup 改到五点"]),
        ("Release freeze: nothing goes into trunk.", &["the freeze is over", "the backup moves to five"]),
        (
            "Release freeze: nothing goes into trunk.",
            &["the freeze is over, by the way the backup moves to five"],
        ),
    ] {
        let found = after(&[entry], said);
        assert_eq!(found.len(), 1, "{said:?}: {found:?}");
        let words = &found[0].1;
        assert!(!words.contains("backup") && !words.contains("五点") && !words.contains("five"), "{words}");
    }
    // Nobody said that the state is over.
    assert_eq!(after(&["冻结期间不要往 trunk 推代码。"], &["冻结的事老梁在盯", "backup 改到五点"]), []);
}

#[test]
fn a_state_that_lasts_and_a_rule_for_every_such_state_stay() {
    for (entry, said) in [
        ("Release freeze: nothing goes into trunk.", "once the freeze is over, merge the branch"),
        ("Release freeze: nothing goes into trunk.", "the review is done"),
        ("Never deploy during a freeze.", "the freeze is over"),
        ("冻结期间不要改表结构。", "等冻结结束了再合"),
        ("每次冻结期间都不要改表结构。", "冻结结束了"),
        ("账单库正在迁移，先别写。", "评审完成了"),
    ] {
        assert_eq!(after(&[entry], &[said]), [], "{said}");
    }
}

#[test]
fn a_state_of_the_same_dream_ends_too() {
    let session = |name: &str, day: u8, words: &str| {
        Talk::at(name, &format!("2026-05-{day:02}T09:00:00Z"))
            .human("hi")
            .agent("Hello.")
            .human(words)
            .agent("OK.")
            .done()
    };
    for (begins, ends) in [
        (
            "heads up, we're in a release freeze, nothing goes into trunk until further notice",
            "the freeze is over",
        ),
        ("现在冻结，别往 trunk 合任何东西，等测试组放行", "冻结结束了，正常合"),
    ] {
        let sessions = [session("s1", 12, begins), session("s2", 14, ends)];
        let found = stated(&dream(&sessions, &MemoryView::default()));
        assert!(found.len() == 1 && found[0].contains("2026-05-14"), "{found:?}");
        let both =
            talk().human("hi").agent("Hello.").human(begins).agent("OK.").human(ends).agent("OK.").done();
        let found = stated(&dream(&[both], &MemoryView::default()));
        assert!(found.iter().all(|text| !text.contains("trunk")), "{found:?}");
    }
}

#[test]
fn a_ban_on_a_day_of_each_week_is_a_rule_without_a_date() {
    for words in [
        "周四不准重启网关",
        "以后周一不合并",
        "星期五下午别动配置",
        "周末不要上线",
        "no schema changes on Thursdays",
        "don't restart the proxy on monday mornings",
    ] {
        let work = talk().human("hi").agent("Hello.").human(words).agent("OK.").done();
        let found = stated(&dream(&[work], &MemoryView::default()));
        assert!(found.len() == 1 && !found[0].contains("2026"), "{words}: {found:?}");
    }
    let work = talk().human("你好").agent("好。").human("这周四别重启网关，客户来参观").agent("好。").done();
    let found = stated(&dream(&[work], &MemoryView::default()));
    assert!(found.iter().all(|text| text.contains("2026-05-14")), "{found:?}");
}
