//! Values that take more than one word to tell: how long, how often, how many of how many, which day of the week.

use super::{Sort, Unit, ahead, backwards, forwards, number_word, plain, plain_number};

/// "Twice a week", "three times per month", 每天: a count and the stretch in which it happens.
pub(super) fn often(units: &[Unit<'_>], at: usize) -> Option<(Sort, String, usize)> {
    let word = |more: usize| ahead(units, at, more);
    let lower = |more: usize| word(more).map(|unit| unit.text.to_lowercase());
    let (times, used) = match lower(0)?.as_str() {
        "once" => (1, 1),
        "twice" => (2, 1),
        "每天" => return Some((Sort::Often, "1d".to_owned(), 0)),
        "每周" => return Some((Sort::Often, "1w".to_owned(), 0)),
        count => {
            let count =
                plain(count).or_else(|| number_word(count).and_then(|count| u32::try_from(count).ok()));
            (
                count.filter(|_| {
                    lower(1).is_some_and(|next| matches!(next.as_str(), "times" | "days" | "nights"))
                })?,
                2,
            )
        }
    };
    let joint = matches!(lower(used)?.as_str(), "a" | "an" | "per" | "every" | "each");
    let stretch = time_unit(&lower(used + 1)?).filter(|_| joint)?;
    Some((Sort::Often, format!("{times}{stretch}"), used + 1))
}

/// "6 months", "an hour", "5-7 days", "250ms": a number and a unit of time, however they are joined.
pub(super) fn span(units: &[Unit<'_>], at: usize) -> Option<(Sort, String, usize)> {
    let word = |more: usize| ahead(units, at, more);
    let lower = units[at].text.to_lowercase();
    if lower.starts_with(|c: char| c.is_ascii_digit()) {
        let digits = lower.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '-');
        let unit = lower[digits.len()..].trim_start_matches('-');
        // "The 1980s" are no seconds.
        let decade = unit == "s" && digits.len() == 4;
        if !unit.is_empty() && !decade {
            return time_unit(unit).map(|unit| (Sort::Span, format!("{}{unit}", plain_number(digits)), 0));
        }
        let mut more = 1;
        // "2 full days", "3 more weeks".
        if word(1).is_some_and(|unit| {
            matches!(unit.text, "full" | "whole" | "more" | "business" | "working" | "到" | "至")
        }) {
            more = 2;
        }
        let unit = time_unit(&word(more)?.text.to_lowercase())?;
        return Some((Sort::Span, format!("{}{unit}", plain_number(digits)), more));
    }
    if let Some((count, unit)) = lower.split_once('-') {
        let unit = time_unit(unit)?;
        return Some((Sort::Span, format!("{}{unit}", counted(count)?), 0));
    }
    let count = counted(&lower)?;
    let unit = time_unit(&word(1)?.text.to_lowercase())?;
    // "Twice a week" is no week.
    let rate = at.checked_sub(1).is_some_and(|before| {
        !units[before].ends
            && matches!(
                units[before].text.to_lowercase().as_str(),
                "once" | "twice" | "times" | "days" | "hours"
            )
    });
    (!(rate && matches!(lower.as_str(), "a" | "an"))).then_some((Sort::Span, format!("{count}{unit}"), 1))
}

/// How many units of time a word stands for: "a" month is one.
fn counted(word: &str) -> Option<usize> {
    if matches!(word, "a" | "an" | "one") { Some(1) } else { number_word(word) }
}

/// A unit of time by one sign.
fn time_unit(word: &str) -> Option<&'static str> {
    const UNITS: &[(&str, &[&str])] = &[
        ("ms", &["ms", "msec", "millisecond", "milliseconds", "毫秒"]),
        ("s", &["s", "sec", "secs", "second", "seconds", "秒", "秒钟"]),
        ("min", &["min", "mins", "minute", "minutes", "分钟"]),
        ("h", &["h", "hr", "hrs", "hour", "hours", "小时", "个小时"]),
        ("d", &["day", "days", "天"]),
        ("w", &["week", "weeks", "周", "星期", "个星期"]),
        ("m", &["month", "months", "个月"]),
        ("y", &["year", "years", "年"]),
    ];
    UNITS.iter().find(|(_, words)| words.contains(&word)).map(|(sign, _)| *sign)
}

/// Whether `4/5` or `5-2` is a result and no day: somebody scores, or so many are right.
pub(super) fn is_score(units: &[Unit<'_>], at: usize) -> bool {
    let two = units[at].text.split_once(['/', '-']);
    let numbers = two.is_some_and(|(left, right)| plain(left).is_some() && plain(right).is_some());
    let near = |near: usize| {
        let lower = units[near].text.to_lowercase();
        ["scor", "correct", "right", "record", "won", "points"].iter().any(|cue| lower.starts_with(cue))
    };
    numbers && (backwards(units, at).take(3).any(near) || forwards(units, at).take(3).any(near))
}

/// The number of a day of the week.
pub(super) fn weekday(text: &str) -> Option<usize> {
    const DAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
    let lower = text.to_lowercase();
    let lower = lower.strip_suffix('s').unwrap_or(&lower);
    DAYS.iter().position(|day| *day == lower)
}

#[cfg(test)]
mod tests {
    use crate::analyze::Analyzer;
    use crate::values::{Sort, values};

    fn all(text: &str) -> Vec<(Sort, String)> {
        values(text, &mut Analyzer::default()).into_iter().map(|value| (value.sort, value.normal)).collect()
    }

    #[test]
    fn stretches_of_time_are_told_from_counts_and_from_how_often() {
        for (text, sort, normal) in [
            ("the build takes 6 minutes", Sort::Span, "6min"),
            ("it took an hour", Sort::Span, "1h"),
            ("for nine months now", Sort::Span, "9m"),
            ("a two-week sprint", Sort::Span, "2w"),
            ("the timeout is 250ms", Sort::Span, "250ms"),
            ("超时是 8 秒", Sort::Span, "8s"),
            ("I go there twice a week", Sort::Often, "2w"),
            ("it runs three times per day", Sort::Often, "3d"),
            ("we have three workers", Sort::Count, "3"),
            ("in the 1980s already", Sort::Count, "1980"),
        ] {
            assert_eq!(all(text), [(sort, normal.to_owned())], "{text}");
        }
    }

    #[test]
    fn results_are_told_from_days() {
        assert_eq!(all("scored 4/5 correct"), [(Sort::Score, "4/5".to_owned())]);
        assert_eq!(all("due on 4/5 at the latest"), [(Sort::Day, "4-5".to_owned())]);
        assert_eq!(all("the class is on Fridays"), [(Sort::Weekday, "4".to_owned())]);
    }
}
