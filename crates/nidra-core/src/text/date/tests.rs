//! Cases for the dates. The expected days were taken from a calendar; the anchor is Wednesday, 2026-06-10, 14:00 in
//! Shanghai, unless a case says otherwise.

use super::*;
use proptest::prelude::*;
use regex_syntax::hir::{Class, ClassUnicodeRange, Hir, HirKind};

fn said(stamp: &str) -> ZonedDateTime {
    stamp.parse().unwrap()
}

fn wednesday() -> ZonedDateTime {
    said("2026-06-10T14:00[Asia/Shanghai]")
}

fn check(anchor: &ZonedDateTime, cases: &[(&str, &str)]) {
    let wrong: Vec<String> = cases
        .iter()
        .map(|(text, expected)| (text, absolute(text, anchor), expected))
        .filter(|(_, result, expected)| result != *expected)
        .map(|(text, result, expected)| format!("{text}\n   gave     {result}\n   expected {expected}"))
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn english_days() {
    check(
        &wednesday(),
        &[
            ("klaxon is off since yesterday", "klaxon is off since 2026-06-09"),
            ("Today we shipped, tomorrow we rest", "2026-06-10 we shipped, 2026-06-11 we rest"),
            ("the day after tomorrow", "2026-06-12"),
            ("broken since the day before yesterday", "broken since 2026-06-08"),
            ("back to 8 at 22:00 tonight", "back to 8 at 22:00 2026-06-10 evening"),
            ("it failed this morning", "it failed 2026-06-10 morning"),
            ("last night's build", "2026-06-09 night's build"),
            ("today's build", "2026-06-10's build"),
            ("we met 3 days ago", "we met 2026-06-07"),
            ("two weeks ago", "2026-05-27"),
            ("a fortnight ago", "2026-05-27"),
            ("renamed three months ago in a hurry", "renamed 2026-03 in a hurry"),
            ("a year ago we used yarn", "2025 we used yarn"),
            ("20 hours ago", "2026-06-09"),
            ("release in 5 days", "release 2026-06-15"),
            ("*.pay expires three weeks from today and more", "*.pay expires 2026-07-01 and more"),
            ("two weeks from tomorrow", "2026-06-25"),
            ("due in eight days from now", "due 2026-06-18"),
            ("the freeze starts in three weeks, counted from yesterday", "the freeze starts 2026-06-30"),
            ("the review is seventeen days away.", "the review is 2026-06-27."),
            ("the new office is 3 days away by train", "the new office is 3 days away by train"),
            ("dearer from the first of next month", "dearer from 2026-07-01"),
            ("2026-06-10 it is", "2026-06-10 it is"),
        ],
    );
}

#[test]
fn english_weekdays() {
    check(
        &wednesday(),
        &[
            // Thursday is tomorrow: "next Thursday" may be that one or the one of the following week.
            ("demo next Thursday", "demo next Thursday (2026-06-18?)"),
            ("demo next Tuesday", "demo 2026-06-16"),
            ("last Thursday", "2026-06-04"),
            ("last Monday it broke", "last Monday (2026-06-08?) it broke"),
            ("this Friday", "2026-06-12"),
            ("done by Friday", "done by 2026-06-12"),
            ("ines is out till monday, ok", "ines is out till 2026-06-15, ok"),
            ("new lab pi since friday by the way", "new lab pi since 2026-06-05 by the way"),
            ("so sunday week, 02:00", "so 2026-06-21, 02:00"),
            ("we will ship on Monday", "we will ship on 2026-06-15"),
            ("it was merged on Monday", "it was merged on 2026-06-08"),
            ("see you monday", "see you 2026-06-15"),
            ("we ship on Friday, June 12 at noon", "we ship on Friday, 2026-06-12 at noon"),
            (
                "it wasn't run for a branch opened before monday.",
                "it wasn't run for a branch opened before monday (2026-06-08?).",
            ),
            ("the slot is next friday, not this one, the one after. ok", "the slot is 2026-06-19. ok"),
            ("we cut over saturday.", "we cut over saturday (2026-06-13?)."),
        ],
    );
    let thursday = said("2026-05-14T09:00[Europe/Berlin]");
    check(
        &thursday,
        &[
            ("freeze starts next Thursday", "freeze starts 2026-05-21"),
            ("next fri", "next fri (2026-05-22?)"),
        ],
    );
}

#[test]
fn english_spans_and_months() {
    check(
        &wednesday(),
        &[
            (
                "moved to linear last week, team key LRK",
                "moved to linear 2026-06-01 to 2026-06-07, team key LRK",
            ),
            ("next week", "2026-06-15 to 2026-06-21"),
            ("next month we move", "2026-07 we move"),
            ("last year", "2025"),
            ("by the end of the month", "by 2026-06-30"),
            ("by end of next month", "by 2026-07-31"),
            ("at the end of the quarter", "at the end of the quarter (2026-06-30?)"),
            ("fixed by the end of the week", "fixed by the end of the week (2026-06-12?)"),
            ("on the 1st of next month", "on 2026-07-01"),
            ("until the 4th of may", "until 2026-05-04"),
            ("since May 4th", "since 2026-05-04"),
            ("due 4 July", "due 2026-07-04"),
            ("May 4, 2026 was it", "May 4, 2026 was it"),
            ("in June 2026", "in June 2026"),
            ("ship in Q3", "ship in Q3 (2026-07-01 to 2026-09-30?)"),
            ("by mid-July", "by mid-July (2026-07-11 to 2026-07-20?)"),
            ("on January 5", "on January 5 (2026-01-05?)"),
            ("the office is closed over christmas", "the office is closed over christmas (2026-12-25?)"),
            ("it was new before christmas", "it was new before christmas (2025-12-25?)"),
        ],
    );
    let anchor = said("2026-04-20T10:00[Europe/Stockholm]");
    check(
        &anchor,
        &[(
            "checkout is frozen from exactly two weeks from today until the 4th of may",
            "checkout is frozen from exactly 2026-05-04 until 2026-05-04",
        )],
    );
}

#[test]
fn chinese_days_and_weeks() {
    check(
        &wednesday(),
        &[
            ("离开幕还有十七天", "离开幕还有十七天（2026-06-27？）"),
            ("还有三天的数据没跑", "还有三天的数据没跑"),
            ("昨天又有两笔重复扣款", "2026-06-09又有两笔重复扣款"),
            ("今天先这样，明天再说", "2026-06-10先这样，2026-06-11再说"),
            ("前天和大前天", "2026-06-08和2026-06-07"),
            ("后天上线，大后天复盘", "2026-06-12上线，2026-06-13复盘"),
            ("昨晚银桥渠道超时", "2026-06-09 晚上银桥渠道超时"),
            ("明天下午发版", "2026-06-11 下午发版"),
            ("银桥 v2 下周三晚上十点正式切换", "银桥 v2 2026-06-17 晚上十点正式切换"),
            ("上周三定的", "2026-06-03定的"),
            ("这周五交", "2026-06-12交"),
            ("本周五交", "2026-06-12交"),
            ("下下周五", "2026-06-26"),
            ("下周四给 client 做 demo", "2026-06-18给 client 做 demo"),
            ("今天周三不发", "2026-06-10周三不发"),
            ("周四要评审", "周四（2026-06-11？）要评审"),
            ("下星期天", "2026-06-21"),
            ("我下周自己删", "我2026-06-15 至 2026-06-21自己删"),
            ("三天前改的", "2026-06-07改的"),
            ("两周后上线", "2026-06-24上线"),
            ("3 天前不算，3天前算", "3 天前不算，2026-06-07算"),
            ("十天之内完成", "十天之内（2026-06-10 至 2026-06-20？）完成"),
            ("半个月后", "半个月后（2026-06-25？）"),
            ("三个月前", "2026年3月"),
            ("昨天.log 和 2026-06-01", "昨天.log 和 2026-06-01"),
        ],
    );
}

#[test]
fn chinese_months_and_years() {
    check(
        &wednesday(),
        &[
            ("月底前完成", "2026-06-30前完成"),
            ("汇达通费率下个月 1 号起降", "汇达通费率2026-07-01起降"),
            ("下个月1号", "2026-07-01"),
            ("本月15号", "2026-06-15"),
            ("6月8日开会", "2026-06-08开会"),
            ("2026年6月8日开会", "2026年6月8日开会"),
            ("明年3月", "2027年3月"),
            ("国庆后迁移", "国庆（2026-10-01？）后迁移"),
            ("年底前上线", "2026-12-31前上线"),
            ("季度末前", "2026-06-30前"),
            ("元旦", "元旦（2027-01-01？）"),
            ("上个月", "2026年5月"),
            ("去年用 yarn", "2025年用 yarn"),
        ],
    );
}

#[test]
fn what_is_no_date_stays() {
    let texts = [
        "it takes 3 days",
        "every Friday we deploy",
        "keeps 7 days of logs",
        "once a week",
        "never deploy on a friday",
        "no deploys on Friday",
        "scrap the friday rule, fridays before 15:00 is fine",
        "a missing sensor is a Tuesday, not an emergency",
        "for all clusters, black friday is 3x",
        "Monday to Friday",
        "day to day work, these days",
        "edit today.ts and `yesterday`",
        "call today() and get_today",
        "the \"Today\" tab",
        "it may 4x the load",
        "over the last week it was slow",
        "next time we copy",
        "built in two weeks",
        "the 1st of the month",
        "every month on the 15th, they pay",
        "https://a.test/today/tomorrow",
        "```\ntoday\n```",
        "每周二发版",
        "每周三次",
        "一周三次",
        "保留7天",
        "提前三天通知",
        "每个月底对账",
        "从这以后天天如此",
        "周一到周五上班",
        "周日志格式",
        "从周一开始是周二、周三 14:00–17:00，周四留给数据组",
        "2026年6月12日（周五）",
        "周末愉快",
        "`昨天`",
        "version 2026.6 and 10/12 done",
    ];
    let wednesday = wednesday();
    let wrong: Vec<String> = texts
        .iter()
        .filter(|text| absolute(text, &wednesday) != **text)
        .map(|text| absolute(text, &wednesday))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn pub_tim_01_the_day_is_the_speakers() {
    let shanghai =
        said("2026-04-11T19:53:00Z[UTC]").with_time_zone(jiff::tz::TimeZone::get("Asia/Shanghai").unwrap());
    assert_eq!(absolute("today", &shanghai), "2026-04-12");
    assert_eq!(absolute("今天", &shanghai), "2026-04-12");
    assert_eq!(absolute("today", &said("2026-04-11T19:53:00Z[UTC]")), "2026-04-11");
}

#[test]
fn pub_tim_05_yesterday_is_counted_from_the_entry() {
    assert_eq!(absolute("yesterday", &said("2026-03-01T10:00[UTC]")), "2026-02-28");
}

#[test]
fn pub_tim_06_tomorrow_in_other_languages() {
    let anchor = said("2025-11-19T10:00[Asia/Shanghai]");
    check(
        &anchor,
        &[
            ("明天", "2025-11-20"),
            ("昨天", "2025-11-18"),
            ("上周五", "2025-11-14"),
            ("gestern", "2025-11-18"),
            ("вчера", "2025-11-18"),
        ],
    );
}

#[test]
fn find_tells_spans_and_certainty() {
    let text = "上周 and next Thursday and 2026-05-21";
    let found = find(text, &wednesday());
    let seen: Vec<_> = found
        .iter()
        .map(|m| {
            (&text[m.range.clone()], m.start.to_string(), m.end.map(|e| e.to_string()), m.certain, m.absolute)
        })
        .collect();
    assert_eq!(
        seen,
        [
            ("上周", "2026-06-01".to_owned(), Some("2026-06-07".to_owned()), true, false),
            ("next Thursday", "2026-06-18".to_owned(), None, false, false),
            ("2026-05-21", "2026-05-21".to_owned(), None, true, true),
        ]
    );
}

/// Whether each match of an expression holds one of the words.
fn needs_one(hir: &Hir, words: &[&str]) -> bool {
    let held = |text: &str| words.iter().any(|word| text.to_lowercase().contains(word));
    match hir.kind() {
        HirKind::Literal(literal) => held(&String::from_utf8_lossy(&literal.0)),
        HirKind::Class(Class::Unicode(class)) => {
            let letters = class.ranges().iter().flat_map(|range| range.start()..=range.end());
            class.ranges().iter().map(ClassUnicodeRange::len).sum::<usize>() < 8
                && letters.into_iter().all(|letter| held(&letter.to_string()))
        }
        HirKind::Repetition(repeated) => repeated.min > 0 && needs_one(&repeated.sub, words),
        HirKind::Capture(group) => needs_one(&group.sub, words),
        // Literals beside each other may be cut apart by what groups them.
        HirKind::Concat(parts) => parts.iter().any(|part| needs_one(part, words)),
        HirKind::Alternation(ways) => ways.iter().all(|way| needs_one(way, words)),
        HirKind::Empty | HirKind::Look(_) | HirKind::Class(_) => false,
    }
}

#[test]
fn all_patterns_compile_and_match_nothing_without_one_of_their_words() {
    let tables = [&english::PATTERNS, &chinese::PATTERNS, &nested::PATTERNS];
    assert_eq!(tables.map(|table| table.len()), [28, 16, 10]);
    for pattern in tables.into_iter().flat_map(|table| table.iter()) {
        assert!(super::super::expression::new(&pattern.shape).is_ok(), "{}", pattern.shape);
        assert!(pattern.words.iter().all(|word| word.to_lowercase() == *word), "{}", pattern.shape);
        let small = pattern.shape.replace("(?i)", "").replace("(?i:", "(?:").replace(r"\b", "");
        let hir = regex_syntax::parse(&small).unwrap();
        assert!(needs_one(&hir, pattern.words), "{}: {:?}", pattern.shape, pattern.words);
    }
}

proptest! {
    #[test]
    fn any_text_is_safe(text in any::<String>()) {
        let anchor = wednesday();
        let once = absolute(&text, &anchor);
        prop_assert_eq!(absolute(&once, &anchor), once);
    }

    #[test]
    fn dense_text_is_stable(text in "((next|last|this|in|on|the|of|end|by|a|not|one|after|week|weeks|month|monday|Friday|today|tomorrow|ago|from|may|4th|3|10|day|days|Q3|year|morning|night|2026)[ ,.]|上|下|个|月|周|星期|三|五|天|日|前|后|明年|今|昨天|底|号|6|\\(|半|年|季度|国庆| ){0,14}") {
        let anchor = wednesday();
        for mention in find(&text, &anchor) {
            prop_assert!(text.is_char_boundary(mention.range.start) && text.is_char_boundary(mention.range.end));
            prop_assert!(mention.end.is_none_or(|end| end >= mention.start));
        }
        let once = absolute(&text, &anchor);
        prop_assert_eq!(absolute(&once, &anchor), once);
    }
}

#[test]
fn a_day_inside_a_span() {
    check(
        &wednesday(),
        &[
            ("the visit is on Monday of next week", "the visit is on 2026-06-15"),
            ("ready by Friday of this week", "ready by 2026-06-12"),
            ("next week on Tuesday we cut", "2026-06-16 we cut"),
            ("due on the last working day of this month", "due on 2026-06-30"),
            ("due on the last business day of August", "due on 2026-08-31"),
            ("the first Monday of next month", "2026-07-06"),
            ("demo on Friday in two weeks", "demo on 2026-06-26"),
            ("two weeks from Friday", "2026-06-26"),
            ("下周的周一交接", "2026-06-15交接"),
            ("本月最后一个工作日前交", "2026-06-30前交"),
            ("下个月第一个周一开会", "2026-07-06开会"),
            ("两周后的周五验收", "2026-06-26验收"),
            ("三周后的今天续约", "2026-07-01续约"),
            // How long somebody has worked in a trade is no date.
            ("做了六年前端", "做了六年前端"),
            ("写了三年后台", "写了三年后台"),
        ],
    );
}
