//! Signs in the words of a turn that tell what it can answer.

use crate::analyze::Term;
use aho_corasick::{AhoCorasick, MatchKind};
use std::sync::LazyLock;

/// Cues, each of which begins a word; Chinese has no such limits.
struct Cues(Option<AhoCorasick>);

impl Cues {
    fn new(cues: &[&str]) -> Self {
        let mut builder = AhoCorasick::builder();
        // The tables are constant, so building cannot fail; if it did, nothing would be a sign.
        Self(builder.ascii_case_insensitive(true).match_kind(MatchKind::Standard).build(cues).ok())
    }

    fn stand_in(&self, text: &str) -> bool {
        self.places(text).next().is_some()
    }

    /// Where the cues begin.
    fn places<'t>(&'t self, text: &'t str) -> impl Iterator<Item = usize> + 't {
        self.0.iter().flat_map(move |cues| cues.find_overlapping_iter(text)).filter_map(move |found| {
            let begins = !text[..found.start()].chars().next_back().is_some_and(char::is_alphanumeric);
            (begins || !text[found.range()].is_ascii()).then_some(found.start())
        })
    }
}

/// The name in front of what somebody said, in lower case: `Ann: I moved to Oslo`.
pub fn speaker(text: &str) -> Option<String> {
    let (name, rest) = text.split_once(':')?;
    let words = name.split_whitespace().count();
    let is_name = name.len() <= 40
        && (1..=3).contains(&words)
        && name.chars().all(|c| c.is_alphabetic() || c == ' ' || c == '.');
    let first = name.split_whitespace().next()?;
    (is_name
        && rest.starts_with(' ')
        && first.chars().next().is_some_and(|c| c.is_uppercase() || !c.is_ascii()))
    .then(|| first.to_lowercase())
}

const TIMES: &[&str] = &[
    "today",
    "yesterday",
    "tomorrow",
    "tonight",
    "last week",
    "last month",
    "last year",
    "next week",
    "next month",
    "next year",
    "this week",
    "this month",
    "weekend",
    "ago",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "january",
    "february",
    "march",
    "april",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "last night",
    "recently",
    "deadline",
    "今天",
    "昨天",
    "明天",
    "上周",
    "下周",
    "上个月",
    "下个月",
    "去年",
    "今年",
    "周一",
    "周二",
    "周三",
    "周四",
    "周五",
    "周末",
    "月底",
];

/// Whether a time is named.
pub fn has_time(text: &str) -> bool {
    static CUES: LazyLock<Cues> = LazyLock::new(|| Cues::new(TIMES));
    CUES.stand_in(text)
}

/// Whether a number is named, in digits or in words.
pub fn has_number(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "dozen", "once", "twice",
        "两", "三", "四", "五", "六", "七", "八", "九", "十",
    ];
    static CUES: LazyLock<Cues> = LazyLock::new(|| Cues::new(WORDS));
    if text.bytes().any(|byte| byte.is_ascii_digit()) {
        return true;
    }
    CUES.stand_in(text)
}

const STANDING: &[&str] = &[
    "from now on",
    "whenever",
    "every time",
    "i prefer",
    "i'd prefer",
    "i would prefer",
    "i'd rather",
    "i like to",
    "make sure to",
    "please remember",
    "remember that",
    "when i ask",
    "if i ask",
    "going forward",
    "by default",
    "don't ever",
    "do not ever",
    "my preference",
    "以后",
    "总是",
    "永远",
    "始终",
    "一律",
    "每次",
    "我喜欢",
    "我更喜欢",
    "我偏好",
    "记住",
    "不要再",
    "默认",
];

/// The term that a person's standing instructions have in the index beside their own. No word has it.
pub const STANDING_TERM: Term = Term(1);

/// Words that order something when a sentence begins with them or they follow one of [`ORDERING`]; "I have never …" and
/// "it always …" tell how it was.
const EVER: &[&str] = &["always", "never"];
/// Words before "always" and "never" that make an order of them.
const ORDERING: &[&str] =
    &["please", "should", "must", "to", "and", "but", "will", "you", "just", "rule", "so"];

/// Whether a person says how things are to be done from now on.
pub fn is_standing(text: &str) -> bool {
    static CUES: LazyLock<Cues> = LazyLock::new(|| Cues::new(STANDING));
    static ORDERS: LazyLock<Cues> = LazyLock::new(|| Cues::new(EVER));
    CUES.stand_in(text) || ORDERS.places(text).any(|at| orders(&text[..at]))
}

/// The term of a person's turn that is one order for all that follows. No word has it.
pub const ORDER_TERM: Term = Term(2);
/// Words of a turn that is an order and nothing else, at most.
const ORDER_WORDS: usize = 30;

/// Whether a turn [that is standing](is_standing) is an order and nothing else.
pub fn is_order(standing: &str) -> bool {
    let words = standing.split_whitespace().count()
        + standing.chars().filter(|c| !c.is_ascii() && c.is_alphabetic()).count() / 2;
    words <= ORDER_WORDS
}

/// Whether what stands before "always" or "never" makes an order of it.
fn orders(before: &str) -> bool {
    let before = before.trim_end_matches([' ', '"', '*', '_', '-', '\u{201c}', '(']);
    let Some(last) = before.chars().next_back() else { return true };
    if !last.is_alphanumeric() && !matches!(last, ',' | '\'' | '\u{2019}') {
        return true;
    }
    let word = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_ascii_lowercase();
    ORDERING.contains(&word.as_str())
}

const CHANGE: &[&str] = &[
    "now",
    "recent",
    "currently",
    "increas",
    "decreas",
    "extend",
    "reschedul",
    "postpone",
    "updated",
    "update the",
    "chang",
    "moved",
    "switch",
    "adjust",
    "reach",
    "improv",
    "instead",
    "shorten",
    "reduc",
    "raise",
    "lower",
    "grew",
    "grow",
    "no longer",
    "new",
    "latest",
    "revis",
    "expand",
    "just",
    "added",
    "push",
    "bump",
    "went up",
    "went down",
    "boost",
    "现在",
    "目前",
    "改为",
    "改成",
    "换成",
    "改用",
    "不再",
    "推迟",
    "提前",
    "延到",
    "更新",
    "增加",
    "减少",
    "升到",
    "降到",
    "最新",
    "刚",
];

/// Whether something is told as having changed.
pub fn is_change(text: &str) -> bool {
    static CUES: LazyLock<Cues> = LazyLock::new(|| Cues::new(CHANGE));
    CUES.stand_in(text)
}
