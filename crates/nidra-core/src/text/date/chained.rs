//! Days that are told from another day of the same talk: `the friday before that`, `two days later`, `the Monday of that
//! week`, `那周的周一`, `前一天`. They mean nothing without the day before them, so they are written out first.

use super::calendar::{self, add_days};
use super::{DateMention, context, nested};
use crate::text::expression;
use jiff::ZonedDateTime;
use jiff::civil::{Date, Weekday};
use regex::{Captures, Regex};
use std::ops::Range;
use std::sync::LazyLock;

/// The first and the last day of what was named last.
pub type Anchor = (Date, Date);

/// What tells a day from another one.
type Tell = fn(&Captures<'_>, Anchor) -> Option<Date>;

const DAY: &str = r"(?P<w>mon|tues|wednes|thurs|fri|satur|sun)day";
const COUNT: &str = r"(?P<n>\d{1,2}|an?|one|two|three|four|five|six|seven|eight|nine|ten)";
const HAN_WEEK: &str = r"(?:周|週|星期|礼拜|禮拜)";

static PATTERNS: LazyLock<Vec<(Tell, Option<Regex>)>> = LazyLock::new(|| {
    let shapes: [(Tell, String); 6] = [
        (
            weekday_beside,
            format!(r"(?i)(?P<date>(?:the )?{DAY} (?P<side>before|after)(?: (?:that|it|this|then)\b)?)(?:[,.;:!?)]| until| till| and| so| at|$)"),
        ),
        (weekday_of_week, format!(r"(?i)(?P<date>(?:the )?{DAY} (?:of|in) (?:that|the same) week)\b")),
        (
            days_beside,
            format!(r"(?i)(?P<date>(?:(?:the|{COUNT}) (?P<unit>day|week)s? (?P<side>before|after) (?:that|it|this)|{COUNT2} (?P<unit2>day|week)s? (?P<side2>later|earlier)))\b",
                COUNT2 = COUNT.replace("<n>", "<n2>")),
        ),
        (weekday_of_week, format!(r"(?P<date>(?:那|同)(?:一)?个?{HAN_WEEK}的?{HAN_WEEK}(?P<h>[一二三四五六日天]))")),
        (
            weekday_beside,
            format!(r"(?P<date>(?:(?P<before>之前|前面|前一个?|再往前)|(?:那)?(?:之后|以后|后面|后一个?|再往后))的?(?:那个)?{HAN_WEEK}(?P<h>[一二三四五六日天]))"),
        ),
        (
            days_beside,
            // 最后一天 is the last of a span.
            r"(?:^|[^最之以])(?P<date>(?P<han>前一天|头一天|前两天|后一天|第二天|次日|隔天|再过一周|再过两周|一周后|两周后))".to_owned(),
        ),
    ];
    shapes.into_iter().map(|(tell, pattern)| (tell, expression::new(&pattern).ok())).collect()
});

/// Whether a text may hold a day that is told from another one; without such, nothing has to be written out.
pub fn is_chained(text: &str) -> bool {
    PATTERNS.iter().any(|(_, pattern)| pattern.as_ref().is_some_and(|pattern| pattern.is_match(text)))
}

/// The text with each day that is told from another one written out, and what was named last in it. `before` is what was
/// named last before the text; without it, and without a day in front of it in the text, such words stay as they are.
pub fn chained(text: &str, said: &ZonedDateTime, before: Option<Anchor>) -> (String, Option<Anchor>) {
    let mut written = text.to_owned();
    for (tell, pattern) in PATTERNS.iter() {
        let Some(pattern) = pattern else { continue };
        let mut from = 0;
        while let Some(captures) = pattern.captures_at(&written, from) {
            let Some(place) = captures.name("date").map(|date| date.range()) else { break };
            from = place.end;
            let day = anchor(&written, said, place.start, before)
                .filter(|_| !context::is_settled(&written[place.end..]))
                .and_then(|anchor| tell(&captures, anchor));
            if let Some(day) = day {
                let date = day.to_string();
                from = place.start + date.len();
                written.replace_range(place, &date);
            }
        }
    }
    let last = mentions(&written, said).last().map(named).or(before);
    (written, last)
}

/// What was named last in front of a place.
fn anchor(text: &str, said: &ZonedDateTime, place: usize, before: Option<Anchor>) -> Option<Anchor> {
    mentions(text, said).iter().rfind(|mention| mention.range.end <= place).map(named).or(before)
}

fn mentions(text: &str, said: &ZonedDateTime) -> Vec<DateMention> {
    super::find(text, said)
}

fn named(mention: &DateMention) -> Anchor {
    (mention.start, mention.end.unwrap_or(mention.start))
}

fn weekday(captures: &Captures<'_>) -> Option<Weekday> {
    nested::weekday(captures.name("w").or_else(|| captures.name("h"))?.as_str())
}

fn weekday_beside(captures: &Captures<'_>, (start, end): Anchor) -> Option<Date> {
    let wanted = weekday(captures)?;
    let earlier = captures.name("before").is_some()
        || captures.name("side").is_some_and(|side| side.as_str().eq_ignore_ascii_case("before"));
    let days: Range<i64> = 1..8;
    days.filter_map(|by| if earlier { add_days(start, -by) } else { add_days(end, by) })
        .find(|day| day.weekday() == wanted)
}

fn weekday_of_week(captures: &Captures<'_>, (start, _): Anchor) -> Option<Date> {
    calendar::weekday_of_week(start, weekday(captures)?, 0)
}

fn days_beside(captures: &Captures<'_>, (start, end): Anchor) -> Option<Date> {
    let get = |one: &str, other: &str| {
        captures.name(one).or_else(|| captures.name(other)).map(|found| found.as_str().to_lowercase())
    };
    if let Some(han) = captures.name("han") {
        return match han.as_str() {
            "前一天" | "头一天" => add_days(start, -1),
            "前两天" => add_days(start, -2),
            "再过一周" | "一周后" => add_days(end, 7),
            "再过两周" | "两周后" => add_days(end, 14),
            _ => add_days(end, 1),
        };
    }
    let count = get("n", "n2").map_or(Some(1), |count| nested::number(&count))?;
    let days = count * if get("unit", "unit2")? == "week" { 7 } else { 1 };
    match get("side", "side2")?.as_str() {
        "before" | "earlier" => add_days(start, -days),
        _ => add_days(end, days),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment() -> ZonedDateTime {
        // A Tuesday.
        "2026-05-26T10:00:00+02:00[Europe/Berlin]".parse().expect("a moment")
    }

    #[test]
    fn a_day_is_told_from_the_one_before_it() {
        for (text, written) in [
            (
                "the audit is on 2026-06-16. freeze on the friday before that, please",
                "the audit is on 2026-06-16. freeze on 2026-06-12, please",
            ),
            (
                "out on 2026-06-05, they get it the thursday after that",
                "out on 2026-06-05, they get it 2026-06-11",
            ),
            (
                "public on 2026-06-18. From the Monday of that week nothing",
                "public on 2026-06-18. From 2026-06-15 nothing",
            ),
            ("we freeze 2026-06-18, ship two days later", "we freeze 2026-06-18, ship 2026-06-20"),
            ("2026-06-18 发布，前一天封版", "2026-06-18 发布，2026-06-17封版"),
            ("2026-06-18 上线，那周的周一演练", "2026-06-18 上线，2026-06-15演练"),
            ("2026-06-18 上线，最后一天只留值班", "2026-06-18 上线，最后一天只留值班"),
        ] {
            assert_eq!(chained(text, &moment(), None).0, written);
        }
    }

    #[test]
    fn without_a_day_before_it_the_words_stay() {
        let text = "call me the friday before, or two days later";
        assert_eq!(chained(text, &moment(), None).0, text);
        let anchor = "2026-06-16".parse().ok().map(|day| (day, day));
        assert_eq!(chained("frozen on the friday before that", &moment(), anchor).0, "frozen on 2026-06-12");
    }
}
