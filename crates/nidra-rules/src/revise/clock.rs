//! Times of day, in figures and as people say them: `02:00`, `4 pm`, `half past four`, `凌晨两点`, `四点半`.

use nidra_core::text::expression;
use regex::{Captures, Regex};
use std::ops::Range;
use std::sync::LazyLock;

const NUMBERS: [&str; 12] =
    ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
const HAN: [&str; 12] = ["一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二"];

static PATTERNS: LazyLock<Vec<Option<Regex>>> = LazyLock::new(|| {
    const HOUR: &str = r"(?P<hour>\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)";
    const HALF: &str = r"(?:(?: ?(?P<half>am|pm|a\.m\.|p\.m\.)|,? (?:in the (?P<part>morning|afternoon|evening)|at (?P<night>night)))(?-u:\b))";
    [
        format!(r"(?i)(?-u:\b)(?P<hour>[0-2]?\d)[:：](?P<minute>[0-5]\d)(?-u:\b){HALF}?"),
        format!(
            r"(?i)(?-u:\b)(?P<shift>half|(?:a )?quarter|five|ten|twenty|twenty[- ]five) (?P<side>past|after|to|before) {HOUR}(?-u:\b){HALF}?"
        ),
        format!(r"(?i)(?-u:\b){HOUR}{HALF}"),
        format!(r"(?i)(?-u:\b){HOUR} o'?clock(?-u:\b){HALF}?"),
        r"(?i)(?-u:\b)(?P<named>noon|midday|midnight)(?-u:\b)".to_owned(),
        // `一点` and `两点` are more often a little and two matters: something has to tell that the clock is meant.
        r"(?P<part>凌晨|半夜|夜里|早上|清晨|上午|中午|下午|傍晚|晚上|今晚|明早|每天早|每晚) ?(?P<hour>\d{1,2}|十[一二]|[一二两三四五六七八九十]) ?点(?:(?P<shift>半|一刻|三刻)|(?P<minute>[0-5]?\d) ?分?|整|钟)?".to_owned(),
        r"(?P<hour>\d{1,2}|十[一二]|[一二两三四五六七八九十]) ?点(?:(?P<shift>半|一刻|三刻)|(?P<minute>[0-5]\d) ?分?|钟|整)".to_owned(),
        r"(?:每天|[从到]|改成|改在|改为|挪到|调到|提前到|推迟到) ?(?P<bare>(?P<hour>\d{1,2}|十[一二]|[二两三四五六七八九十]) ?点)".to_owned(),
        r"(?P<hour>\d{1,2}) ?点".to_owned(),
    ]
    .into_iter()
    .map(|pattern| expression::new(&pattern).ok())
    .collect()
});

/// The times of a text, in order of the patterns: their places, and the hour and minute.
pub(super) fn find(text: &str) -> Vec<(Range<usize>, String)> {
    let mut found: Vec<(Range<usize>, String)> = Vec::new();
    for pattern in PATTERNS.iter().flatten() {
        for captures in pattern.captures_iter(text) {
            let Some(range) = captures.name("bare").or_else(|| captures.get(0)).map(|hit| hit.range()) else {
                continue;
            };
            let free = found.iter().all(|(other, _)| other.end <= range.start || range.end <= other.start);
            if let Some(time) = time(&captures).filter(|_| free) {
                found.push((range, time));
            }
        }
    }
    found
}

/// The hour and the minute, as `04:30`; a later part of the day counts from noon.
fn time(captures: &Captures<'_>) -> Option<String> {
    let get = |name: &str| captures.name(name).map(|hit| hit.as_str().to_lowercase());
    if let Some(named) = get("named") {
        return Some(if named == "midnight" { "00:00" } else { "12:00" }.to_owned());
    }
    let said = get("hour")?;
    let mut hour = said
        .parse()
        .ok()
        .or_else(|| NUMBERS.iter().position(|word| *word == said).map(|at| at + 1))
        .or_else(|| HAN.iter().position(|word| *word == said).map(|at| at + 1))
        .or_else(|| (said == "两").then_some(2))
        .filter(|hour: &usize| *hour <= 24)?;
    let mut minute: usize = get("minute").and_then(|minute| minute.parse().ok()).unwrap_or(0);
    if let Some(shift) = get("shift") {
        let by = match shift.as_str() {
            "half" | "半" => 30,
            "三刻" => 45,
            "five" => 5,
            "ten" => 10,
            "twenty" => 20,
            "一刻" => 15,
            other if other.ends_with("quarter") => 15,
            _ => 25,
        };
        if matches!(get("side").as_deref(), Some("to" | "before")) {
            hour = (hour + 23) % 24;
            minute = 60 - by;
        } else {
            minute = by;
        }
    }
    let part = get("half").or_else(|| get("part")).or_else(|| get("night")).unwrap_or_default();
    let late = ["pm", "p.m.", "afternoon", "evening", "night", "下午", "傍晚", "晚上", "今晚", "每晚"];
    if hour < 12 && late.contains(&part.as_str()) {
        hour += 12;
    } else if hour == 12 && ["am", "a.m.", "凌晨", "半夜"].contains(&part.as_str()) {
        hour = 0;
    }
    Some(format!("{:02}:{minute:02}", hour % 24))
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn times_are_read_however_they_are_said() {
        for (text, time) in [
            ("runs at 02:00", "02:00"),
            ("runs at 4:15 pm", "16:15"),
            ("at half past four", "04:30"),
            ("a quarter to nine", "08:45"),
            ("ten past two in the afternoon", "14:10"),
            ("7 in the evening", "19:00"),
            ("by four o'clock", "04:00"),
            ("before noon", "12:00"),
            ("凌晨两点", "02:00"),
            ("归档挪到四点半", "04:30"),
            ("下午 3 点", "15:00"),
            ("晚上八点一刻", "20:15"),
            ("从两点开始", "02:00"),
            ("12am", "00:00"),
        ] {
            let found: Vec<String> = find(text).into_iter().map(|(_, time)| time).collect();
            assert_eq!(found, [time], "{text}");
        }
        for text in ["有一点慢", "我说两点", "half of it", "a quarter of the users", "build 4 to 9"] {
            assert!(find(text).is_empty(), "{text}");
        }
    }
}
