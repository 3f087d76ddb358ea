//! English date expressions.

use super::calendar::{self, add_days};
use super::context::{Context, ends_here};
use super::weekday::{bare_weekday, next_weekday, prepared_weekday, weekday_week, which_weekday};
use super::{Form, Pattern, Reading, Shape, patterns};
use jiff::Span;
use jiff::civil::Weekday;
use regex::Captures;
use std::sync::LazyLock;

const NUMBER: &str = r"(?P<n>\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|a couple of|half a)";
const DAY: &str = r"(?P<w>mon|tues|wednes|thurs|fri|satur|sun)day";
const SHORT: &str = r"(?P<w>mon|tues?|wed|thur?s?|fri|sat|sun)(?:day|nesday|sday|rsday|urday)?";
const MONTH: &str = r"(?P<m>january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.?";
const PART: &str = r"(?: (?P<part>morning|afternoon|evening|night))?";

/// All English shapes.
pub(super) static PATTERNS: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
    let shapes: Vec<Shape> = vec![
        (format!(r"(?i)\b(?P<word>today|tomorrow|yesterday|(?:the )?day after tomorrow|(?:the )?day before yesterday){PART}\b"), &["today", "tomorrow", "yesterday"], named_day),
        (r"(?i)\b(?:tonight|last night|this (?:morning|afternoon|evening))\b".to_owned(), &["tonight", "last night", "this "], part_of_day),
        (r"(?i)\<(?:vorgestern|gestern|heute|übermorgen|позавчера|вчера|сегодня|послезавтра|завтра|anteayer|ayer|avant-hier|aujourd'hui)\>".to_owned(), &["gestern", "heute", "übermorgen", "вчера", "сегодня", "завтра", "ayer", "avant-hier", "aujourd'hui"], foreign_day),
        (format!(r"(?i)\b{NUMBER} (?P<u>hour|day|week|fortnight|month|year)s? ago(?: (?P<anchor>today|yesterday))?\b"), &[" ago"], ago),
        (format!(r"(?i)\b{NUMBER} (?P<u>day|week|fortnight|month|year)s? (?:from|after) (?P<anchor>today|now|tomorrow|yesterday)\b"), &["from", "after"], from_now),
        (format!(r"(?i)\b(?P<in>in|within) (?:the next )?{NUMBER} (?P<u>day|week|fortnight|month|year)s?(?:' time)?(?: from (?:now|today)|,? (?:counted|counting) from (?P<anchor>today|now|tomorrow|yesterday))?\b"), &["day", "week", "fortnight", "month", "year"], in_time),
        (format!(r"(?i)(?:\b(?:is|are)|'s) (?:still |only |just )?(?P<date>{NUMBER} (?P<u>day|week|month)s? away)\b"), &[" away"], away),
        (format!(r"(?i)\b(?:(?:a )?week (?:on|from) )(?:next )?{DAY}\b|\b{SHORT2} week\b", SHORT2 = r"(?P<v>mon|tues|wednes|thurs|fri|satur|sun)day"), &["day"], weekday_week),
        (format!(r"(?i)\bnext {SHORT}\b(?P<tail>[,;]? (?:\(|- )?not (?:this|the coming)(?: one| week| \w+day)?(?:[,;]? (?:but )?the (?:one after|following one|next one|week after))?\)?)?"), &["next "], next_weekday),
        (format!(r"(?i)\b(?P<which>last|this|this coming|coming|this past) {SHORT}\b"), &["last", "this", "coming"], which_weekday),
        (format!(r"(?i)\b(?P<prep>on|by|until|till|til|before|after|since|from|for|due|this side of|see you|as of|starting) (?P<date>{DAY})\b"), &["day"], prepared_weekday),
        (format!(r"(?i)\b(?P<date>{DAY})\b"), &["day"], bare_weekday),
        (r"(?i)\b(?P<which>last|next|this|current|coming) (?P<u>week|weekend|month|quarter|year)\b".to_owned(), &["week", "month", "quarter", "year"], which_span),
        (r"(?i)\bthe (?P<u>week|month|year) (?P<which>after next|before last)\b".to_owned(), &["after next", "before last"], far_span),
        (r"(?i)\b(?:the )?(?P<edge>end|start|beginning|middle) of (?:the |this |(?P<which>next|last) )?(?P<u>week|month|quarter|year)\b".to_owned(), &[" of "], edge),
        (r"\b(?:EOD|EOW|EOM|EOQ|EOY|eod|eow|eom|eoy)\b|\b(?i:end of (?:the )?(?:day|business))\b".to_owned(), &["eod", "eow", "eom", "eoq", "eoy", "end of "], short_edge),
        (format!(r"(?i)\b(?:the )?(?P<edge>end|start|beginning|middle) of {MONTH}\b(?: (?P<y>(?:19|20)\d\d)\b)?"), &[" of "], edge_of_month),
        (format!(r"(?i)\b(?P<edge>early|mid|late)[- ]{MONTH}\b(?: (?P<y>(?:19|20)\d\d)\b)?"), &["early", "mid", "late"], edge_of_month),
        (format!(r"(?i)\b(?:the )?(?P<d>\d{{1,2}})(?P<o>st|nd|rd|th)?(?: of)? {MONTH}\b(?:,? (?P<y>(?:19|20)\d\d)\b)?"), &MONTHS, month_day),
        (format!(r"(?i)\b{MONTH} (?:the )?(?P<d>\d{{1,2}})(?P<o>st|nd|rd|th)?\b(?:,? (?P<y>(?:19|20)\d\d)\b)?"), &MONTHS, month_day),
        (format!(r"(?i)\b{MONTH} (?P<y>(?:19|20)\d\d)\b"), &MONTHS, month_year),
        (r"(?i)\b(?:the )?(?:(?P<d>\d{1,2})(?:st|nd|rd|th)|first) of (?P<which>next|this|last|the) month\b".to_owned(), &[" month"], day_of_month),
        (r"(?i)\b(?:on|by|until|till|before|from|since|starting) (?P<date>the (?P<d>\d{1,2})(?:st|nd|rd|th))\b".to_owned(), &["the "], lone_day),
        (r"\bQ(?P<q>[1-4])\b(?:,? ?(?P<y>20\d\d)\b|(?i: of (?P<which>next|this|last) year)\b)?".to_owned(), &["q"], quarter),
        (r"\b(?P<y>(?:19|20)\d\d)-(?P<m>\d\d)-(?P<d>\d\d)\b".to_owned(), &["-"], numeric),
        (r"\b(?P<y>(?:19|20)\d\d)[/.](?P<m>\d{1,2})[/.](?P<d>\d{1,2})\b".to_owned(), &["/", "."], numeric),
        (r"\b(?P<a>\d{1,2})/(?P<b>\d{1,2})/(?P<y>(?:19|20)\d\d)\b".to_owned(), &["/"], slashed),
        (r"(?i)\b(?P<f>christmas(?: eve)?|new year's(?: eve| day)?|halloween)\b".to_owned(), &["christmas", "new year", "halloween"], feast),
    ];
    patterns(shapes)
});

/// The number that the shape holds, doubled for half-steps: `half a` is 1, `two` is 4.
fn number(captures: &Captures<'_>) -> Option<i64> {
    let text = captures.name("n")?.as_str().to_ascii_lowercase();
    let whole = match text.as_str() {
        "half a" => return Some(1),
        "a" | "an" | "one" => 1,
        "two" | "a couple of" => 2,
        "three" => 3,
        "four" => 4,
        "five" => 5,
        "six" => 6,
        "seven" => 7,
        "eight" => 8,
        "nine" => 9,
        "ten" => 10,
        "eleven" => 11,
        "twelve" => 12,
        "thirteen" => 13,
        "fourteen" => 14,
        "fifteen" => 15,
        "sixteen" => 16,
        "seventeen" => 17,
        "eighteen" => 18,
        "nineteen" => 19,
        "twenty" => 20,
        "thirty" => 30,
        digits => digits.parse().ok()?,
    };
    Some(whole * 2)
}

/// What a group of a shape matched, lower case; nothing where it did not.
pub(super) fn group(captures: &Captures<'_>, name: &str) -> String {
    captures.name(name).map_or_else(String::new, |found| found.as_str().to_lowercase())
}

/// The number of the month that a name begins with.
fn month(captures: &Captures<'_>) -> Option<i64> {
    let name = group(captures, "m");
    let index = MONTHS.iter().position(|start| name.starts_with(start))?;
    i64::try_from(index + 1).ok()
}

fn named_day(captures: &Captures<'_>, context: &Context<'_>) -> Option<Reading> {
    let word = group(captures, "word");
    let days = match word.as_str() {
        "today" => 0,
        "tomorrow" => 1,
        "yesterday" => -1,
        word if word.ends_with("tomorrow") => 2,
        _ => -2,
    };
    let part = captures.name("part").map(|part| part.as_str().to_lowercase());
    Some(Reading { part, ..Reading::day(add_days(context.today, days)?) })
}

fn foreign_day(captures: &Captures<'_>, context: &Context<'_>) -> Option<Reading> {
    let days = match captures.get(0)?.as_str().to_lowercase().as_str() {
        "heute" | "сегодня" | "aujourd'hui" => 0,
        "gestern" | "вчера" | "ayer" => -1,
        "vorgestern" | "позавчера" | "anteayer" | "avant-hier" => -2,
        "завтра" => 1,
        _ => 2,
    };
    Some(Reading::day(add_days(context.today, days)?))
}

fn part_of_day(captures: &Captures<'_>, context: &Context<'_>) -> Option<Reading> {
    let words = captures.get(0)?.as_str().to_lowercase();
    let (days, part) = match words.as_str() {
        "tonight" => (0, "evening"),
        "last night" => (-1, "night"),
        other => (0, other.rsplit(' ').next().unwrap_or_default()),
    };
    Some(Reading { part: Some(part.to_owned()), ..Reading::day(add_days(context.today, days)?) })
}

/// So many units from a day; whole months and years are spans, since nobody counts their days.
fn shifted(captures: &Captures<'_>, context: &Context<'_>, sign: i64, anchor: i64) -> Option<Reading> {
    let halves = number(captures)?;
    let from = add_days(context.today, anchor)?;
    let unit = group(captures, "u");
    let vague = group(captures, "n").contains("couple");
    let reading = match (unit.as_str(), halves) {
        ("hour", 1) => Reading::day(context.today).sure(false),
        ("hour", _) => {
            let then = context.said.checked_add(Span::new().try_hours(sign * halves / 2).ok()?).ok()?;
            Reading::day(then.date())
        }
        ("day", _) => Reading::day(add_days(from, sign * halves / 2)?).sure(halves > 1),
        ("week", 1) => return None,
        ("week", _) => Reading::day(add_days(from, sign * halves / 2 * 7)?),
        ("fortnight", _) => Reading::day(add_days(from, sign * halves * 7)?),
        ("month", 1) => Reading::day(add_days(from, sign * 15)?).sure(false),
        ("month", _) if anchor == 0 && context.after().is_empty() | !group(captures, "anchor").is_empty() => {
            Reading::day(calendar::add_months(from, sign * halves / 2)?)
        }
        ("month", _) => Reading::span(calendar::month(from, sign * halves / 2)?),
        ("year", 1) => Reading::span(calendar::month(from, sign * 6)?).sure(false),
        ("year", _) => Reading::span(calendar::year(i64::from(from.year()) + sign * halves / 2)?),
        _ => return None,
    };
    let certain = reading.certain && !vague;
    Some(reading.sure(certain))
}

fn ago(captures: &Captures<'_>, context: &Context<'_>) -> Option<Reading> {
    shifted(captures, context, -1, anchor(captures))
}

fn from_now(captures: &Captures<'_>, context: &Context<'_>) -> Option<Reading> {
    shifted(captures, context, 1, anchor(captures))
}

/// The day from which is counted, in days from today.
fn anchor(captures: &Captures<'_>) -> i64 {
    match group(captures, "anchor").as_str() {
        "tomorrow" => 1,
        "yesterday" => -1,
        _ => 0,
    }
}

fn away(captures: &Captures<'_>, context: &Context<'_>) -> Option<Reading> {
    // `3 days away by train` is how far.
    let after = context.after();
    let far = after.trim_start().to_lowercase();
    let goes_on = ["by ", "from ", "on ", "in "].iter().any(|word| far.starts_with(word));
    (ends_here(&after) && !goes_on).then(|| shifted(captures, context, 1, 0)).flatten()
}

fn in_time(captures: &Captures<'_>, context: &Context<'_>) -> Option<Reading> {
    let before = context.before();
    // "built in two weeks", "takes effect in 3 days after …": how long, not when.
    let lasting = context.is_past() == Some(true)
        || context.is_habit()
        || ["take", "done in", "twice", "times", "ttl", "keep", "retention", "rotat"]
            .iter()
            .any(|word| before.contains(word));
    if lasting || group(captures, "u") == "hour" {
        return None;
    }
    let reading = shifted(captures, context, 1, anchor(captures))?;
    if group(captures, "in") == "within" {
        return Some(Reading::span((context.today, reading.end.unwrap_or(reading.start))).sure(false));
    }
    let policy = ["expire", "if ", "when ", "must ", "should "].iter().any(|word| before.contains(word));
    let certain = reading.certain && !policy;
    Some(reading.sure(certain))
}

/// The beginnings of the names of the months.
pub(super) const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

fn which_span(captures: &Captures<'_>, context: &Context<'_>) -> Option<Reading> {
    // "the last week of June", "over the next month": a part, or a duration.
    let after = context.after();
    if context.word_before() == "the" && !after.starts_with("'s") || after.trim_start().starts_with("of ") {
        return None;
    }
    let offset = match group(captures, "which").as_str() {
        "last" => -1,
        "next" | "coming" => 1,
        _ => 0,
    };
    let today = context.today;
    Some(match group(captures, "u").as_str() {
        "week" => Reading::span(calendar::week(today, offset)?),
        "weekend" => {
            let saturday = calendar::weekday_of_week(today, Weekday::Saturday, offset)?;
            let certain = offset == 0 || today.weekday().to_monday_zero_offset() >= 5;
            Reading::span((saturday, add_days(saturday, 1)?)).sure(certain)
        }
        "month" => Reading::span(calendar::month(today, offset)?),
        "quarter" => Reading::span(calendar::quarter(today, offset)?).sure(false),
        _ => Reading::span(calendar::year(i64::from(today.year()) + offset)?),
    })
}

fn far_span(captures: &Captures<'_>, context: &Context<'_>) -> Option<Reading> {
    let offset = if group(captures, "which") == "after next" { 2 } else { -2 };
    let today = context.today;
    Some(Reading::span(match group(captures, "u").as_str() {
        "week" => calendar::week(today, offset)?,
        "month" => calendar::month(today, offset)?,
        _ => calendar::year(i64::from(today.year()) + offset)?,
    }))
}

/// Whether the expression is a limit: `by the end of the month`.
fn is_deadline(context: &Context<'_>) -> bool {
    let before = context.before();
    let before = before.trim_end().trim_end_matches("the").trim_end();
    matches!(
        before.rsplit(' ').next().unwrap_or_default(),
        "by" | "before" | "until" | "till" | "til" | "due" | "deadline"
    )
}

fn edge(captures: &Captures<'_>, context: &Context<'_>) -> Option<Reading> {
    if context.is_habit() {
        return None;
    }
    let offset = match group(captures, "which").as_str() {
        "next" => 1,
        "last" => -1,
        _ => 0,
    };
    let today = context.today;
    let unit = group(captures, "u");
    let (start, end) = match unit.as_str() {
        "week" => calendar::week(today, offset)?,
        "month" => calendar::month(today, offset)?,
        "quarter" => calendar::quarter(today, offset)?,
        _ => calendar::year(i64::from(today.year()) + offset)?,
    };
    Some(match (group(captures, "edge").as_str(), unit.as_str()) {
        // Working weeks end on Friday, calendar weeks on Sunday.
        ("end", "week") => Reading::day(add_days(start, 4)?).sure(false),
        ("end", "quarter") => Reading::day(end).sure(false),
        ("end", _) => Reading::day(end).sure(is_deadline(context)),
        ("middle", _) => Reading::day(add_days(start, calendar::days_between(start, end) / 2)?).sure(false),
        _ => Reading::day(start).sure(false),
    })
}

fn short_edge(captures: &Captures<'_>, context: &Context<'_>) -> Option<Reading> {
    let today = context.today;
    let (day, certain) = match captures.get(0)?.as_str().to_lowercase().as_str() {
        "eow" => (add_days(calendar::week(today, 0)?.0, 4)?, false),
        "eom" => (calendar::month(today, 0)?.1, true),
        "eoq" => (calendar::quarter(today, 0)?.1, false),
        "eoy" => (calendar::year(i64::from(today.year()))?.1, true),
        _ => (today, true),
    };
    if context.is_habit() {
        return None;
    }
    Some(Reading::day(day).sure(certain))
}

/// The year of a month without one: the nearest.
fn month_span(
    captures: &Captures<'_>,
    context: &Context<'_>,
) -> Option<((jiff::civil::Date, jiff::civil::Date), bool, bool)> {
    let month = month(captures)?;
    if let Some(year) = captures.name("y") {
        let start = calendar::date(year.as_str().parse().ok()?, month, 1)?;
        return Some(((start, start.last_of_month()), true, true));
    }
    let (middle, near) = calendar::nearest(context.today, month, 15)?;
    Some(((middle.first_of_month(), middle.last_of_month()), near, false))
}

fn edge_of_month(captures: &Captures<'_>, context: &Context<'_>) -> Option<Reading> {
    let ((start, end), near, _) = month_span(captures, context)?;
    if context.is_habit() {
        return None;
    }
    Some(match group(captures, "edge").as_str() {
        "end" => Reading::day(end).sure(near && is_deadline(context)),
        "early" | "start" | "beginning" => Reading::span((start, add_days(start, 9)?)).sure(false),
        "late" => Reading::span((add_days(start, 20)?, end)).sure(false),
        _ => Reading::span((add_days(start, 10)?, add_days(start, 19)?)).sure(false),
    })
}

fn month_day(captures: &Captures<'_>, context: &Context<'_>) -> Option<Reading> {
    let month_number = month(captures)?;
    let day: i64 = captures.name("d")?.as_str().parse().ok()?;
    let ordinal = captures.name("o").is_some();
    let name = captures.name("m")?.as_str();
    let lower = name.starts_with(|c: char| c.is_ascii_lowercase());
    let verb = lower && matches!(name, "may" | "march" | "mar" | "dec" | "sep" | "jan");
    let prepared = matches!(
        context.word_before().as_str(),
        "on" | "by" | "until" | "till" | "before" | "from" | "since" | "for" | "of"
    );
    let explicit = ordinal || captures.name("y").is_some();
    // "it may 4x the load", "3 may fail": the verb.
    if verb && !explicit && !prepared {
        return None;
    }
    if let Some(year) = captures.name("y") {
        return Some(
            Reading::day(calendar::date(year.as_str().parse().ok()?, month_number, day)?).form(Form::Dated),
        );
    }
    if context.is_habit() {
        return None;
    }
    let (date, near) = calendar::nearest(context.today, month_number, day)?;
    Some(Reading::day(date).sure(near).form(Form::Yearless))
}

fn month_year(captures: &Captures<'_>, context: &Context<'_>) -> Option<Reading> {
    let (span, _, dated) = month_span(captures, context)?;
    Some(Reading::span(span).form(if dated { Form::Dated } else { Form::Yearless }))
}

fn day_of_month(captures: &Captures<'_>, context: &Context<'_>) -> Option<Reading> {
    let offset = match group(captures, "which").as_str() {
        "next" => 1,
        "this" => 0,
        "last" => -1,
        // "the 1st of the month" is said of every month.
        _ => return None,
    };
    let start = calendar::month(context.today, offset)?.0;
    let day = captures.name("d").map_or(Some(1), |day| day.as_str().parse().ok())?;
    Some(Reading::day(calendar::date(start.year().into(), start.month().into(), day)?))
}

fn lone_day(captures: &Captures<'_>, context: &Context<'_>) -> Option<Reading> {
    if context.is_habit() || !ends_here(&context.after()) {
        return None;
    }
    let day: i64 = captures.name("d")?.as_str().parse().ok()?;
    let past = context.is_past() == Some(true);
    let (start, _) = calendar::month(context.today, 0)?;
    let this = calendar::date(start.year().into(), start.month().into(), day);
    let shift = match this {
        Some(date) if past && date > context.today => -1,
        Some(date) if !past && date < context.today => 1,
        _ => 0,
    };
    let (start, _) = calendar::month(context.today, shift)?;
    Some(Reading::day(calendar::date(start.year().into(), start.month().into(), day)?).sure(false))
}

fn quarter(captures: &Captures<'_>, context: &Context<'_>) -> Option<Reading> {
    let quarter: i64 = captures.name("q")?.as_str().parse().ok()?;
    let this = i64::from(context.today.year());
    let span = |year: i64| calendar::quarter(calendar::date(year, quarter * 3 - 2, 1)?, 0);
    if let Some(year) = captures.name("y") {
        return Some(Reading::span(span(year.as_str().parse().ok()?)?).form(Form::Dated));
    }
    let year = match group(captures, "which").as_str() {
        "next" => this + 1,
        "last" => this - 1,
        "this" => this,
        _ => {
            let over = span(this)?.1 < context.today;
            if over && context.is_past() != Some(true) { this + 1 } else { this }
        }
    };
    Some(Reading::span(span(year)?).sure(false))
}

fn numeric(captures: &Captures<'_>, _: &Context<'_>) -> Option<Reading> {
    let part = |name: &str| captures.name(name)?.as_str().parse().ok();
    Some(Reading::day(calendar::date(part("y")?, part("m")?, part("d")?)?).form(Form::Dated))
}

fn slashed(captures: &Captures<'_>, _: &Context<'_>) -> Option<Reading> {
    let part = |name: &str| captures.name(name)?.as_str().parse::<i64>().ok();
    let (a, b, year) = (part("a")?, part("b")?, part("y")?);
    // Month first, unless that cannot be; both orders are in use.
    let (month, day) = if a > 12 { (b, a) } else { (a, b) };
    let certain = a == b || a > 12 || b > 12;
    Some(Reading::day(calendar::date(year, month, day)?).sure(certain).form(Form::Dated))
}

fn feast(captures: &Captures<'_>, context: &Context<'_>) -> Option<Reading> {
    let (month, day) = match group(captures, "f").as_str() {
        "christmas" => (12, 25),
        "christmas eve" => (12, 24),
        "halloween" => (10, 31),
        "new year's eve" => (12, 31),
        _ => (1, 1),
    };
    Some(
        Reading::day(calendar::yearly(context.today, month, day, context.is_past() == Some(true))?)
            .sure(false),
    )
}
