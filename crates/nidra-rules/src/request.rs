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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_that_order_and_reports_that_ask() {
        assert_eq!(polite("would you mind using tabs instead?"), Some("using tabs instead"));
        assert_eq!(polite("could you look at the log?"), None);
        assert_eq!(polite("do you think we should always replace it?"), None);
        assert!(ends_in_request("昨晚那台机器又重启了，你先看一下日志"));
        assert!(!ends_in_request("看板在 board.example.test，别改"));
    }
}
