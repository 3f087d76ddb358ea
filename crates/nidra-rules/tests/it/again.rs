//! A rule told again in other words is one rule; one that chooses otherwise for the same matter takes its place.

use crate::talk::{Talk, apply, dream, memory, stated, talk};
use nidra_core::{Change, Conversation, Kind, Outcome};

fn session(name: &str, day: u8, words: &str) -> Conversation {
    Talk::at(name, &format!("2026-05-{day:02}T09:00:00Z"))
        .human("hi")
        .agent("Hello.")
        .human(words)
        .agent("OK.")
        .done()
}

/// The old words that a talk replaces in a memory with one rule, and the new ones.
fn turned(rule: &str, words: &str) -> (Outcome, Option<(String, String)>) {
    let known = memory(&[("rules", Kind::Feedback, &[rule, "The wiki is read-only."])]);
    let outcome = dream(&[session("s1", 4, words)], &known);
    let found = outcome.operations.iter().find_map(|operation| match &operation.change {
        Change::Supersede { target, text, .. } => Some((target.text.clone(), text.clone())),
        _ => None,
    });
    (outcome, found)
}

#[test]
fn a_rule_told_twice_with_another_frame_is_one_entry() {
    for (first, second) in [
        ("表名一律用小写，不要大写", "以后表名用小写，不要大写"),
        ("永远别改历史迁移", "今后不要改历史迁移"),
        ("注释一律用英文", "注释一律用英文写，这是第三遍了"),
        ("never store raw card numbers", "never store raw card numbers, this is the third time i say it"),
        ("always sort the fixtures by name", "from now on sort the fixtures by name please"),
        ("never store raw card numbers", "going forward, never store raw card numbers"),
    ] {
        // In two sessions of one dream: one entry with both as its evidence.
        let outcome = dream(&[session("s1", 4, first), session("s2", 5, second)], &memory(&[]));
        assert_eq!(stated(&outcome).len(), 1, "{first}: {:?}", stated(&outcome));
        assert_eq!(outcome.operations[0].evidence.len(), 2, "{first}");
        // In one session.
        let both =
            talk().human("hi").agent("Hello.").human(first).agent("OK.").human(second).agent("OK.").done();
        assert_eq!(stated(&dream(&[both], &memory(&[]))).len(), 1, "{first}");
        // In two dreams: nothing is written, and the entry is said again.
        let known = apply(&memory(&[]), &dream(&[session("s1", 4, first)], &memory(&[])));
        let later = dream(&[session("s2", 5, second)], &known);
        assert!(later.operations.is_empty(), "{second}: {:?}", stated(&later));
        assert_eq!(later.recurrences.len(), 1, "{second}");
    }
}

#[test]
fn a_rule_of_another_matter_is_an_entry_of_its_own() {
    for (first, second) in [
        ("表名一律用小写", "列名一律用小写"),
        ("always sort the fixtures by name", "always sort the fixtures by size"),
        ("never store raw card numbers", "never log raw card numbers"),
        ("以后提测前先跑冒烟", "以后合并前先跑冒烟"),
    ] {
        let outcome = dream(&[session("s1", 4, first), session("s2", 5, second)], &memory(&[]));
        assert_eq!(stated(&outcome).len(), 2, "{first}: {:?}", stated(&outcome));
    }
}

#[test]
fn a_contrary_rule_takes_the_place_of_the_old_one() {
    for (rule, words) in [
        ("Use tabs for alignment.", "use spaces for alignment"),
        ("Write release notes in German.", "from now on write release notes in English"),
        ("Always name queues in snake_case.", "name queues in kebab-case, always"),
        ("Prefer structs over maps in handlers.", "prefer maps over structs in handlers"),
        ("Always squash before the merge.", "never squash before the merge"),
        ("对齐一律用制表符。", "以后对齐用空格"),
        ("发布说明一律写德文。", "发布说明以后写英文，不要德文"),
        ("队列名统一用下划线。", "队列名以后统一用短横线"),
        ("永远不要改历史迁移。", "以后可以改历史迁移"),
    ] {
        let (outcome, found) = turned(rule, words);
        let (old, new) = found.unwrap_or_default();
        assert_eq!(old, rule, "{words}: {:?}", stated(&outcome));
        assert!(!new.contains(rule.trim_end_matches(['.', '。'])), "{new}");
    }
}

#[test]
fn a_rule_stays_beside_one_of_another_matter_an_exception_and_an_order_for_now() {
    for (rule, words) in [
        ("Use tabs for alignment.", "use spaces for indentation"),
        ("Use tabs for alignment.", "use spaces for alignment in yaml"),
        ("Use tabs for alignment.", "use spaces for alignment this time"),
        ("Use tabs for alignment.", "should we use spaces for alignment?"),
        ("Use tabs for alignment.", "maybe use spaces for alignment"),
        ("Write release notes in German.", "write the readme in English"),
        ("Write commit messages in German.", "write the commit message in English"),
        ("Always name queues in snake_case.", "from now on name classes in PascalCase"),
        ("Never deploy on fridays.", "always deploy on mondays"),
        ("对齐一律用制表符。", "以后缩进用空格"),
        ("发布说明一律写德文。", "用户手册以后写英文"),
        ("前端统一用单引号。", "后端以后统一用双引号"),
        ("对齐一律用制表符。", "这次对齐用空格"),
        ("对齐一律用制表符。", "要不要对齐用空格？"),
    ] {
        let (_, found) = turned(rule, words);
        assert_eq!(found, None, "{words}");
    }
}

#[test]
fn of_two_contrary_rules_of_one_session_the_later_holds() {
    for (first, second, left) in [
        ("always use tabs for alignment", "from now on use spaces for alignment", "spaces"),
        ("对齐一律用制表符", "以后对齐统一用空格", "空格"),
    ] {
        let talk =
            talk().human("hi").agent("Hello.").human(first).agent("OK.").human(second).agent("OK.").done();
        let kept = stated(&dream(&[talk], &memory(&[])));
        assert!(matches!(kept.as_slice(), [only] if only.contains(left)), "{kept:?}");
    }
}

#[test]
fn a_cause_that_is_told_three_times_stands_once() {
    for (words, cause) in [
        (
            "never run two imports at once because the lock table overflows. Really, never run two imports at once, the \
             lock table overflows. we lost a day because the lock table overflows.",
            "lock table overflows",
        ),
        (
            "导入一律串行跑，因为锁表会溢出。不要并行跑导入，因为锁表会溢出。锁表会溢出，上次丢了一天数据",
            "锁表会溢出",
        ),
    ] {
        let talk = talk().human("hi").agent("Hello.").human(words).agent("OK.").done();
        let kept = stated(&dream(&[talk], &memory(&[])));
        assert_eq!(kept.iter().map(|entry| entry.matches(cause).count()).sum::<usize>(), 1, "{kept:?}");
    }
}
