//! What looks like a new value of a known matter and is none: another place, another party, once only, a default.

use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// What holds once, or is only thought of.
static PASSING: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)(?-u:\b)(?:for (?:this|that) (?:one|run|time|once)|just (?:this|for) (?:once|now|today|tonight)|this once|only (?:today|tonight|this time)|for now|temporar(?:y|ily)|for the (?:moment|time being)|",
        r"for today|until tomorrow|thinking out loud|what if|would it|should we|might as well)(?-u:\b)|",
        r"就这一回|就这一次|这一次|这回|这次|临时|暂时|先凑合|今晚先|只是问问|随便问问|假如|要是.{0,14}会",
    ))
    .ok()
});

/// What belongs to somebody or something else.
static ELSEWHERE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)(?-u:\b)(?:theirs|not ours|over there|nothing to do with us|their own|my own|on my (?:laptop|machine|box|notebook)|stock setting|(?:by|the|its|tool'?s|library'?s) default|defaults? to|other (?:team|group|department|project)s?|",
        r"used to be|where did you get|who told you|who said)(?-u:\b)|",
        r"他们的|他们那边的|她们的|不是我们的|跟我们没关系|跟我们无关|别的组|隔壁|我自己(?:笔记本|电脑|机器)|我本机|默认(?:值|是|的|就|超时)|自带|谁跟你说|谁说的|哪来的|别提|没批|不动",
    ))
    .ok()
});

/// Whether a line holds once only or is only thought of.
pub(super) fn is_passing(line: &str) -> bool {
    PASSING.as_ref().is_some_and(|pattern| pattern.is_match(line))
}

/// Whether a line speaks of what is not the project's own.
pub(super) fn is_elsewhere(line: &str) -> bool {
    ELSEWHERE.as_ref().is_some_and(|pattern| pattern.is_match(line)) || line.trim_end().ends_with(['?', '？'])
}

/// Places of a system that exclude each other, each with its names.
const PLACES: &[&[&str]] = &[
    &["staging", "stage", "预发", "预发布"],
    &["production", "prod", "live", "生产", "线上"],
    &["local", "locally", "localhost", "laptop", "laptops", "machines", "本地", "本机"],
    &["demo", "演示"],
    &["sandbox", "沙箱", "沙盒"],
    &["testbed", "test env", "test environment", "测试环境", "测试服", "压测"],
    &["canary", "灰度"],
    &["replica", "read-only", "从库", "只读"],
    &["archive", "归档库"],
    &["ios", "苹果端"],
    &["android", "安卓"],
    &["windows"],
    &["macos"],
];

fn places(text: &str) -> BTreeSet<usize> {
    let lower = text.to_lowercase();
    PLACES
        .iter()
        .enumerate()
        .filter(|(_, names)| names.iter().any(|name| super::super::find_word(&lower, name).is_some()))
        .map(|(place, _)| place)
        .collect()
}

/// Whether a line speaks of the same place of the system as a sentence of memory.
pub(super) fn agrees(line: &str, part: &str, title: &BTreeSet<String>) -> bool {
    let (new, old) = (places(line), places(part));
    if new.is_empty() || !new.is_disjoint(&old) {
        return true;
    }
    let title = places(&title.iter().cloned().collect::<Vec<_>>().join(" "));
    old.is_empty() && !new.is_disjoint(&title)
}
