//! Requests that do not look like one: a question that orders, a report that ends in an order.

use crate::lexicon::{self, Cue};
use crate::sentence::weight;
use nidra_core::text::expression;
use nidra_core::text::language::is_han;
use regex::Regex;
use std::sync::LazyLock;

/// The order in a polite question, where it orders more than one piece of work: `would you mind using tabs instead?`.
pub(crate) fn polite(text: &str) -> Option<&str> {
    let found = POLITE.as_ref()?.find(text)?;
    let order = text[found.end()..].trim().trim_end_matches(['?', '？', ' ']);
    // `do you think we should …?` asks for an opinion.
    let first = order.split_whitespace().next().unwrap_or_default().to_lowercase();
    if ["think", "know", "have", "see", "mean", "remember", "agree", "believe", "reckon", "want"]
        .contains(&first.as_str())
    {
        return None;
    }
    // 可以合并了 permits; only who asks requests.
    if found.as_str().ends_with("可以")
        && !found.as_str().ends_with("可不可以")
        && !text.contains(['吗', '嗎', '？', '?', '么'])
    {
        return None;
    }
    let general = lexicon::cues(order).any(&[Cue::Standing, Cue::Change, Cue::Prohibition, Cue::Explicit]);
    (general && weight(order) >= 2).then_some(order)
}

static POLITE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(r"(?i)(?:^|[,;] (?:but |so |and )?)(?:would|could|can|will|do|might) (?:you|i ask you to|we ask you to)(?: (?:please|kindly|mind|maybe|perhaps|be so (?:kind|good) (?:as )?(?:to|and)))* |(?:^|[，；])(?:麻烦你?|能不能|可不可以|可以)(?:请|帮我)?").ok()
});

static REQUEST: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"^(?:那|然后|所以|麻烦|请|要不)*(?:你|您)?(?:就|再|先|帮我|帮忙|给我|去|来|拿它|拿这个|用它)*(?:看看|看(?:一)?下|看(?:一)?眼|查(?:一)?(?:下|查)|试(?:试|一下|跑)|跑(?:一)?下|弄(?:一)?下|搞(?:一)?下|改(?:一)?下|",
        r"处理(?:一)?下|说说|分析(?:一)?下|瞧瞧|拿它试|帮我(?:\p{Han}|[A-Za-z]))",
    ))
    .ok()
});

/// Whether a Chinese sentence ends in a request: what stands before it then only tells what the request is about.
pub(crate) fn ends_in_request(text: &str) -> bool {
    if !text.chars().any(is_han) {
        return false;
    }
    let last = text
        .rsplit([',', '，'])
        .map(|clause| clause.trim_matches(|c: char| !c.is_alphanumeric()))
        .find(|clause| !clause.is_empty());
    last.is_some_and(|clause| REQUEST.as_ref().is_some_and(|pattern| pattern.is_match(clause)))
}

/// Whether a report ends in an order to see to it: `the footer is cut off, fix`.
pub(crate) fn ends_in_order(text: &str) -> bool {
    ORDERED.as_ref().is_some_and(|pattern| pattern.is_match(text.trim_end_matches(['.', '!', ' '])))
}

static ORDERED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(
        r"(?i)[,;:] (?:please |pls |can you |just )?(?:fix|check|look|look into|have a look at|see to|sort|debug|investigate|repair|clean up)(?: (?:it|that|this|them|those))?(?: please| pls| up)?$",
    )
    .ok()
});

static HANDLED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(r"^(?:那|然后|所以|麻烦|请|你|再|先|就|去|顺便|帮我|帮忙|给我)*(?:把|將|将)[^，。]{1,40}")
        .ok()
});
/// What tells that the thing is done, holds from now on or is a rule.
static SETTLED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(r"[了过過](?:$|[，。,. ])|已经|已經|上次|之前|以后|以後|今后|从.{0,8}起|每次|每天|每周|一律|统一|統一|都要|必须|不要|别|決定|决定|的话|之后再|才能").ok()
});

/// Nouns that look like the verb of an order, with what is demanded of them.
static NOUN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(r"(?i)^(?:commit|test|build|release|review|report|import|export|merge|patch|tag|deploy|log|plan|draft|change|update|print|search|list|show|restore|install|upgrade)s? (?:\w+ ){0,2}?(?:must|should|shall|(?:has|have|needs?) to)\b").ok()
});

/// Whether a sentence demands something of a thing whose name looks like an order: `commit messages must be short`.
pub(crate) fn names_a_thing(text: &str) -> bool {
    NOUN.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

/// Whether a Chinese sentence orders something to be done with one thing: `把批次调到 8 再跑一次`.
pub(crate) fn handles_one(text: &str) -> bool {
    let matches = |pattern: &Option<Regex>| pattern.as_ref().is_some_and(|pattern| pattern.is_match(text));
    matches(&HANDLED) && !matches(&SETTLED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_about_one_thing_is_told_from_what_was_done_and_what_holds() {
        for text in ["把批次调到 8 再跑一次", "把负数改成括号", "麻烦把图全部转成 CMYK"]
        {
            assert!(handles_one(text), "{text}");
        }
        for text in
            ["把端口改成 9081 了", "以后把日志写到 /var/log", "把超时调到 8 秒，上次太长了", "端口是 9081"]
        {
            assert!(!handles_one(text), "{text}");
        }
    }

    #[test]
    fn a_thing_that_is_named_like_an_order_is_told_from_an_order() {
        assert!(names_a_thing("test fixtures must live beside the test"));
        assert!(names_a_thing("release notes should name the author"));
        assert!(!names_a_thing("test the importer, it must be fast"));
        assert!(!names_a_thing("release it"));
    }

    #[test]
    fn questions_that_order_and_reports_that_ask() {
        assert_eq!(polite("would you mind using tabs instead?"), Some("using tabs instead"));
        assert_eq!(polite("could you look at the log?"), None);
        assert_eq!(polite("do you think we should always replace it?"), None);
        assert!(ends_in_request("昨晚那台机器又重启了，你先看一下日志"));
        assert!(!ends_in_request("看板在 board.example.test，别改"));
    }
}
