//! What a person says of a matter that memory knows, without naming what memory says of it.

use crate::talk::{dream, memory, talk};
use nidra_core::{Change, Kind};

/// The entry that is replaced after a person said something in the middle of some work, and its new words.
fn after(entries: &[&str], said: &str) -> Option<(String, String)> {
    let topics: Vec<(String, [&str; 1])> =
        entries.iter().enumerate().map(|(number, entry)| (format!("note-{number}"), [*entry])).collect();
    let topics: Vec<(&str, Kind, &[&str])> =
        topics.iter().map(|(name, entry)| (name.as_str(), Kind::Project, entry.as_slice())).collect();
    let known = memory(&topics);
    let work =
        talk().human("have a look at the failing check").agent("Looking.").human(said).agent("OK.").done();
    dream(&[work], &known).operations.into_iter().find_map(|operation| match operation.change {
        Change::Supersede { target, text, .. } => Some((target.text, text)),
        Change::Archive { target } => Some((target.text, String::new())),
        _ => None,
    })
}

#[test]
fn a_new_value_finds_the_only_statement_of_its_matter() {
    for (entries, said, old, new) in [
        (
            &[
                "Thumbnails are kept for 90 days.",
                "The invoice worker retries 4 times.",
                "Trains run on track 9.",
            ][..],
            "we hold the thumbnails 45 days, storage got too dear",
            "90 days",
            "45 days",
        ),
        (
            &["The kiln controller answers on port 5020.", "The glaze database is on port 5433."],
            "the kiln controller sits on 5044 since the rewiring",
            "5020",
            "5044",
        ),
        (
            &["缩略图保留 90 天。", "开票任务重试 4 次。", "周报每周五发。"],
            "缩略图现在只存 45 天，存储太贵了",
            "90 天",
            "45 天",
        ),
        (
            &["Harvest demo is on 2026-09-04.", "The greenhouse sensors report every 30 s."],
            "the harvest demo slips to 18 september, the tent is not ready",
            "2026-09-04",
            "2026-09-18",
        ),
    ] {
        let found = after(entries, said).unwrap_or_else(|| panic!("nothing replaced by: {said}"));
        assert!(found.0.contains(old), "{said}: {found:?}");
        assert!(found.1.to_lowercase().contains(new), "{said}: {found:?}");
    }
}

#[test]
fn what_is_of_another_matter_replaces_nothing() {
    for (entries, said) in [
        (&["Thumbnails are kept for 90 days."][..], "the museum next door keeps its paintings 300 years"),
        (&["The kiln controller answers on port 5020."], "their demo kiosk answers on port 6000, not ours"),
        (&["Batches have 200 rows."], "for this one run take batches of 9000 rows"),
        (&["Batches have 200 rows."], "what if the batches had 9000 rows?"),
        (&["Batches have 200 rows."], "一批 200 行没问题"),
        (&["缩略图保留 90 天。"], "隔壁组的缩略图他们存 300 天，跟我们没关系"),
        (&["缩略图保留 90 天。"], "90 天就是 2160 小时嘛，缩略图照旧"),
    ] {
        assert_eq!(after(entries, said), None, "{said}");
    }
}

/// The statements that a session replaces or archives in which the person first says a known statement again.
fn after_saying_again(entry: &str, then: &str) -> Vec<String> {
    let known = memory(&[("notes", Kind::Project, &[entry])]);
    let work = talk().human(entry).agent("OK.").human(then).agent("OK.").done();
    dream(&[work], &known)
        .operations
        .into_iter()
        .filter_map(|operation| match operation.change {
            Change::Supersede { target, .. } | Change::Archive { target } => Some(target.text),
            _ => None,
        })
        .collect()
}

#[test]
fn what_is_said_again_is_not_replaced_by_the_next_thing_said() {
    for (entry, then) in [
        ("We use pnpm in this repo, never npm.", "Tomas owns the billing code now"),
        ("The orders service listens on port 7101.", "the mail queue is on host mq2 now"),
        ("Release notes are written in German.", "since monday the kiln room has a new lock"),
        ("Never push to the release branch on Fridays.", "Odalys took over the greenhouse sensors"),
        ("订单服务监听 7101 端口。", "账单代码现在归陈明负责"),
        ("本仓库一律用 pnpm，不用 npm。", "机房上周搬到三楼了"),
    ] {
        assert_eq!(after_saying_again(entry, then), Vec::<String>::new(), "{entry} / {then}");
    }
}

#[test]
fn what_is_said_again_and_then_turned_is_replaced() {
    for (entry, then) in [
        ("The orders service listens on port 7101.", "no wait, it's port 7202 since the move"),
        ("The orders service listens on port 7101.", "the orders service listens on 7202 now"),
        ("订单服务监听 7101 端口。", "不对，现在改到 7202 端口了"),
    ] {
        assert_eq!(after_saying_again(entry, then).len(), 1, "{entry} / {then}");
    }
}
