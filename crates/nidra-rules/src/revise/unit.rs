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
