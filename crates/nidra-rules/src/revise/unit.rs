//! Units of quantities by class: only quantities of one class take each other's place.

/// Units by class, in lower case.
const UNITS: &[(&str, &[&str])] = &[
    (
        "time",
        &[
            "milliseconds",
            "millisecond",
            "seconds",
            "second",
            "minutes",
            "minute",
            "hours",
            "hour",
            "months",
            "month",
            "weeks",
            "week",
            "years",
            "year",
            "days",
            "day",
            "secs",
            "sec",
            "mins",
            "min",
            "hrs",
            "ms",
            "s",
            "h",
            "d",
            "毫秒",
            "分钟",
            "小时",
            "个月",
            "秒",
            "天",
            "周",
            "年",
        ],
    ),
    ("size", &["kib", "mib", "gib", "tib", "kb", "mb", "gb", "tb", "bytes", "byte", "兆"]),
    (
        "money",
        &[
            "eur", "euros", "euro", "usd", "dollars", "dollar", "chf", "gbp", "€", "$", "£", "¥", "万元",
            "元", "块", "万",
        ],
    ),
    (
        "length",
        &[
            "mm", "cm", "km", "µm", "metres", "metre", "meters", "meter", "inches", "inch", "毫米", "厘米",
            "公里", "米",
        ],
    ),
    ("weight", &["kg", "grams", "gram", "公斤", "克"]),
    ("temperature", &["°c", "°f", "degrees", "摄氏度", "度"]),
    ("amount", &["k", "mio", "m"]),
    ("rate", &["fps", "hertz", "hz", "khz", "mhz", "ghz", "rpm", "qps", "rps", "赫兹", "帧"]),
    ("share", &["%", "percent", "个点"]),
    ("count", &["本", "次", "条", "个", "人", "页", "张", "份", "台", "套", "层", "件", "位", "times"]),
];

/// The class of the unit of a number and how many bytes it takes behind the number.
pub(super) fn after(number: &str, after: &str) -> (&'static str, usize) {
    if number.starts_with(['€', '$', '£', '¥']) {
        return ("money", 0);
    }
    let trimmed = after.trim_start_matches([' ', '-']);
    let gap = after.len() - trimmed.len();
    if gap > 1 {
        return ("", 0);
    }
    for (class, units) in UNITS {
        for unit in *units {
            let Some(head) = trimmed.get(..unit.len()) else { continue };
            let border = !unit.is_ascii()
                || !unit.chars().all(char::is_alphabetic)
                || trimmed[unit.len()..].chars().next().is_none_or(|c| !c.is_ascii_alphanumeric());
            if head.eq_ignore_ascii_case(unit) && border {
                return (class, gap + unit.len());
            }
        }
    }
    ("", 0)
}

/// Seconds in units of time, the longer names before those that they hold.
const SECONDS: &[(&str, f64)] = &[
    ("毫秒", 0.001),
    ("millisecond", 0.001),
    ("ms", 0.001),
    ("分钟", 60.0),
    ("小时", 3600.0),
    ("个月", 2_592_000.0),
    ("秒", 1.0),
    ("天", 86_400.0),
    ("周", 604_800.0),
    ("年", 31_536_000.0),
    ("month", 2_592_000.0),
    ("min", 60.0),
    ("sec", 1.0),
    ("hour", 3600.0),
    ("hrs", 3600.0),
    ("week", 604_800.0),
    ("year", 31_536_000.0),
    ("day", 86_400.0),
    ("s", 1.0),
    ("h", 3600.0),
    ("d", 86_400.0),
];

/// Whether two quantities are the same in other units: 336 hours and 14 days. Each is a number and its words.
pub(crate) fn equal(left: (&str, &str), right: (&str, &str)) -> bool {
    let seconds = |(number, words): (&str, &str)| {
        let words = words.trim_start_matches(|c: char| c.is_ascii_digit() || c == ',').to_lowercase();
        let (_, factor) = SECONDS.iter().find(|(unit, _)| words.contains(unit))?;
        Some(number.parse::<f64>().ok()? * factor)
    };
    // `0x00010000` and `0x10000`.
    let hex = |(_, words): (&str, &str)| {
        u64::from_str_radix(words.strip_prefix("0x").or_else(|| words.strip_prefix("0X"))?, 16).ok()
    };
    if let (Some(left), Some(right)) = (hex(left), hex(right)) {
        return left == right;
    }
    matches!((seconds(left), seconds(right)), (Some(left), Some(right)) if (left - right).abs() < 1e-6 * left.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_time_in_other_units_is_equal() {
        assert!(equal(("336", "336 小时"), ("14", "十四天")));
        assert!(equal(("90", "90 s"), ("90000", "90,000 ms")));
        assert!(!equal(("14", "14 days"), ("14", "14 hours")));
        assert!(!equal(("14", "14 MB"), ("14", "14 MB")));
        assert!(equal(("", "0x00010000"), ("", "0x10000")));
    }
}
