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
        self.0.as_ref().is_some_and(|cues| {
            cues.find_overlapping_iter(text).any(|found| {
                let begins = !text[..found.start()].chars().next_back().is_some_and(char::is_alphanumeric);
                begins || !text[found.range()].is_ascii()
            })
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
    "always",
    "never",
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

/// Whether a person says how things are to be done from now on.
pub fn is_standing(text: &str) -> bool {
    static CUES: LazyLock<Cues> = LazyLock::new(|| Cues::new(STANDING));
    CUES.stand_in(text)
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
