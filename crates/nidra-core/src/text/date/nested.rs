//! A day named inside a span, in both languages: `thursday of next week`, `the last working day of this month`,
//! `三周后的周五`, `下个月最后一个工作日`. The span alone would be a wrong reading of the whole.

use super::calendar::{self, add_days};
use super::chinese::weekday_named;
use super::context::Context;
use super::{Pattern, Reading, Shape, patterns};
use jiff::civil::{Date, Weekday};
use regex::Captures;
use std::sync::LazyLock;

const DAY: &str = r"(?P<w>mon|tues|wednes|thurs|fri|satur|sun)day";
const HAN_WEEK: &str = r"(?:周|週|星期|礼拜|禮拜)";
const ORDER: &str = r"(?P<order>first|second|third|fourth|last|final|1st|2nd|3rd|4th)";
const COUNT: &str = r"(?P<n>\d{1,2}|an?|one|two|three|four|five|six|eight)";

/// All shapes.
pub(super) static PATTERNS: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
    let shapes: Vec<Shape> = vec![
        (
            format!(
                r"(?i)\b(?:on )?(?P<date>{DAY} (?:of |in )?(?:the )?(?P<which>next|this|the following|following|coming) week)\b"
            ),
            &[" week"],
            weekday_of_week,
        ),
        (
            format!(r"(?i)\b(?P<which>next|this|the following) week,? (?:on )?{DAY}\b"),
            &[" week"],
            weekday_of_week,
        ),
        (format!(r"(?i)\b(?:the )?{DAY} after next\b"), &["day after next"], after_next),
        (
            format!(
                r"(?i)\b{DAY} in {COUNT} weeks?(?:' time)?\b|\b{COUNT2} weeks? (?:on|from|after) (?:this |next )?(?:coming )?{DAY2}\b",
                COUNT2 = r"(?P<n2>\d{1,2}|two|three|four|five|six|eight)",
                DAY2 = r"(?P<w2>mon|tues|wednes|thurs|fri|satur|sun)day"
            ),
            &[" week"],
            weeks_on,
        ),
        (format!(r"(?i)\b{COUNT} weeks? (?P<from>today|tomorrow)\b"), &[" week"], weeks_from),
        (
            format!(r"(?i)\bnot this {DAY},? but the (?:one after|next one|following one|next)\b"),
            &["not this "],
            after_next,
        ),
        (
            format!(
                r"(?i)\b(?:the )?{ORDER} (?P<what>working day|work day|workday|business day|weekday|day|(?:mon|tues|wednes|thurs|fri|satur|sun)day) (?:of|in) (?:(?P<which>this|next|the coming) month|{MONTH})\b",
                MONTH = r"(?P<m>january|february|march|april|may|june|july|august|september|october|november|december)"
            ),
            &["day"],
            day_of_month,
        ),
        (
            format!(r"(?P<which>下下个?|下个?|这个?|本){HAN_WEEK}的?{HAN_WEEK}(?P<h>[一二三四五六日天])"),
            &["周", "週", "星期", "礼拜", "禮拜"],
            han_weekday_of_week,
        ),
        (
            format!(
                r"(?P<n>\d{{1,2}}|[一二两三四五六七八九十])个?{HAN_WEEK}(?:之后|以后|后)的?(?:今天|{HAN_WEEK}(?P<h>[一二三四五六日天]))"
            ),
            &["周", "週", "星期", "礼拜", "禮拜"],
            han_weeks_on,
        ),
        (
            format!(
                r"(?:(?P<which>下个?|这个?|本)月(?:份)?|(?P<m>\d{{1,2}}|十[一二]?|[一二三四五六七八九]) ?月(?:份)?)的?(?P<order>最后|第)(?P<k>[一二三四])?个?(?P<what>工作日|交易日|{HAN_WEEK}(?P<h>[一二三四五六日天])|天)"
            ),
            &["月"],
            han_day_of_month,
        ),
    ];
    patterns(shapes)
});

fn group<'t>(captures: &Captures<'t>, name: &str) -> &'t str {
    captures.name(name).map_or("", |found| found.as_str())
}

/// The weekday that a word names, in either language.
pub(super) fn weekday(name: &str) -> Option<Weekday> {
    super::weekday::weekday(&name.to_lowercase()).or_else(|| weekday_named(name))
}

pub(super) fn number(text: &str) -> Option<i64> {
    if let Ok(number) = text.parse() {
        return Some(number);
    }
    Some(match text.to_lowercase().as_str() {
        "a" | "an" | "one" | "一" => 1,
        "two" | "二" | "两" => 2,
        "three" | "三" => 3,
        "four" | "四" => 4,
        "five" | "五" => 5,
        "six" | "六" => 6,
        "seven" | "七" => 7,
        "eight" | "八" => 8,
        "nine" | "九" => 9,
        "ten" | "十" => 10,
        "十一" => 11,
        "十二" => 12,
        _ => return None,
    })
}

fn han(day: Date) -> Reading {
    Reading { chinese: true, ..Reading::day(day) }
}

fn weekday_of_week(captures: &Captures<'_>, context: &Context<'_>) -> Option<Reading> {
    let offset = i64::from(!group(captures, "which").eq_ignore_ascii_case("this"));
    Some(Reading::day(calendar::weekday_of_week(context.today, weekday(group(captures, "w"))?, offset)?))
}

fn after_next(captures: &Captures<'_>, context: &Context<'_>) -> Option<Reading> {
    // Counted from the coming one, which is `next` to most people.
    let coming = calendar::coming(context.today, weekday(group(captures, "w"))?)?;
    Some(Reading::day(add_days(coming, 7)?))
}

fn weeks_on(captures: &Captures<'_>, context: &Context<'_>) -> Option<Reading> {
    let either = |one: &str, other: &str| {
        captures.name(one).or_else(|| captures.name(other)).map(|found| found.as_str().to_owned())
    };
    let weeks = number(&either("n", "n2")?)?;
    let day = weekday(&either("w", "w2")?)?;
    if captures.name("w2").is_some() {
        // `two weeks from friday` counts from the coming friday.
        return Some(Reading::day(add_days(calendar::coming(context.today, day)?, weeks * 7)?));
    }
    Some(Reading::day(calendar::weekday_of_week(context.today, day, weeks)?))
}

/// `four weeks today` is British for four weeks from today.
fn weeks_from(captures: &Captures<'_>, context: &Context<'_>) -> Option<Reading> {
    let from = i64::from(group(captures, "from").eq_ignore_ascii_case("tomorrow"));
    Some(Reading::day(add_days(context.today, from + 7 * number(group(captures, "n"))?)?))
}

/// The day of a month that an order names: the last one, or the first to the fourth.
fn nth(month: Date, order: &str, fits: impl Fn(Date) -> bool) -> Option<Date> {
    let (start, end) = (month.first_of_month(), month.last_of_month());
    let length = calendar::days_between(start, end);
    let mut days = (0..=length).filter_map(|at| add_days(start, at)).filter(|day| fits(*day));
    match order {
        "last" | "final" => days.last(),
        "second" | "2nd" => days.nth(1),
        "third" | "3rd" => days.nth(2),
        "fourth" | "4th" => days.nth(3),
        _ => days.next(),
    }
}

fn works(day: Date) -> bool {
    day.weekday().to_monday_zero_offset() < 5
}

fn day_of_month(captures: &Captures<'_>, context: &Context<'_>) -> Option<Reading> {
    if context.is_habit() {
        return None;
    }
    let what = group(captures, "what").to_lowercase();
    let (month, near) = if let Some(name) = captures.name("m") {
        let name = name.as_str().to_lowercase();
        let at = super::english::MONTHS.iter().position(|start| name.starts_with(start))?;
        calendar::nearest(context.today, i64::try_from(at + 1).ok()?, 15)?
    } else {
        let offset = i64::from(!group(captures, "which").eq_ignore_ascii_case("this"));
        (calendar::month(context.today, offset)?.0, true)
    };
    let order = group(captures, "order").to_lowercase();
    let day = match what.as_str() {
        "day" => nth(month, &order, |_| true)?,
        "working day" | "work day" | "workday" | "business day" | "weekday" => nth(month, &order, works)?,
        name => {
            let wanted = weekday(name)?;
            nth(month, &order, |day| day.weekday() == wanted)?
        }
    };
    Some(Reading::day(day).sure(near))
}

fn han_weekday_of_week(captures: &Captures<'_>, context: &Context<'_>) -> Option<Reading> {
    let offset = match group(captures, "which").trim_end_matches('个') {
        "下下" => 2,
        "下" => 1,
        _ => 0,
    };
    Some(han(calendar::weekday_of_week(context.today, weekday(group(captures, "h"))?, offset)?))
}

fn han_weeks_on(captures: &Captures<'_>, context: &Context<'_>) -> Option<Reading> {
    let weeks = number(group(captures, "n"))?;
    Some(han(match captures.name("h") {
        Some(day) => calendar::weekday_of_week(context.today, weekday(day.as_str())?, weeks)?,
        None => add_days(context.today, weeks * 7)?,
    }))
}

fn han_day_of_month(captures: &Captures<'_>, context: &Context<'_>) -> Option<Reading> {
    if context.is_habit() {
        return None;
    }
    let month = if let Some(month) = captures.name("m") {
        calendar::nearest(context.today, number(month.as_str())?, 15)?.0
    } else {
        let offset = i64::from(group(captures, "which").starts_with('下'));
        calendar::month(context.today, offset)?.0
    };
    let order = match (group(captures, "order"), group(captures, "k")) {
        ("最后", _) => "last",
        (_, "二") => "second",
        (_, "三") => "third",
        (_, "四") => "fourth",
        (_, "一") => "first",
        _ => return None,
    };
    let wanted = captures.name("h").and_then(|day| weekday(day.as_str()));
    Some(han(match group(captures, "what") {
        "工作日" | "交易日" => nth(month, order, works)?,
        "天" => nth(month, order, |_| true)?,
        _ => nth(month, order, |day| Some(day.weekday()) == wanted)?,
    }))
}
