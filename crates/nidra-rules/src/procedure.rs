//! A procedure that a person tells as steps: `releases go like this: …`, 发布流程是这样的：…
//!
//! It is no order for now, although each step reads like one, and its last step (`then push`) does not end the talk.

use crate::lexicon::{self, Cue};
use nidra_core::text::expression;
use nidra_core::text::language::is_han;
use regex::Regex;
use std::sync::LazyLock;

/// How a procedure is announced, up to its colon.
static HEAD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?i)^(?:",
        r"(?:the |our |a |an |my )?(?P<thing>[a-z][\w -]{2,40}?) (?:always |usually )?(?:go(?:es)?|works?|happens?|runs?|(?:is|are) (?:done|made|cut|rolled out|shipped|handled))(?: always)? (?:like (?:this|so)|as follows|this way|in (?:this|that) order|in \w+ steps)|",
        r"(?:the |our |a |an )?(?:[\w-]+ ){0,4}(?:procedure|process|routine|recipe|workflow|steps|sequence|ritual|checklist|drill)(?: (?:for|to|when|of) [^:]{2,40}?)?(?: (?:is|are|goes|go))?(?: as follows| like this| always)*|",
        r"(?:here(?:'s| is) |this is )?how (?:we|to|i) [^:,]{3,40}|",
        r"when(?:ever)? we [^:,]{3,40}? (?:it|that) goes(?: like this)?|",
        r"to (?:cut|make|do|ship|publish|roll out|rotate|restore|onboard|provision) [^:,]{3,40}",
        r") ?[:：]",
    ))
    .ok()
});
static HEAD_HAN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"^(?:我们|咱们|这边|这里)?(?P<thing>[^，,。:：？?]{1,16}?)(?:",
        r"的?(?:流程|步骤|顺序|做法|套路|规程|过程)(?:就?是|为)?(?:这样|如下|这么)?(?:的|走的|做的|来的)?|",
        r"(?:都|就)?是?这(?:样|么)(?:做|走|弄|来|操作|搞)?的?|",
        r"分(?:成)?(?:[两二三四五六七]|\d)步(?:走|做)?",
        r") ?[:：]",
    ))
    .ok()
});
/// What is told in steps and is no procedure: a fault, a plan, something at hand, another's words.
static OTHER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?i)^(?:do|it|this|that|next|my|the next|today|now|to reproduce|the (?:bug|crash|error|problem|issue|failure|plan|request|flow of)|reproduc\w*|repro)(?-u:\b)|",
        r"(?-u:\b)(?:plan|repro\w*|bug|crash|error|failure|readme|docs? says?|manual)(?-u:\b)[^:]*:|",
        r"^[^:：]{0,16}(?:复现|重现|计划|打算|思路|想法|你按|按这个|bug|问题|故障|报错|今天|这次|刚才|(?:文档|手册|说明)(?:里|上|中)?(?:写|说)|下一步|接下来|事情|经过)",
    ))
    .ok()
});
/// Where one step ends and the next begins.
static STEP: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(
        r"(?i)[,，;；、→]|->| then | and then |(?:^|[^，,；;、])(?:然后|再|最后|接着)|[^，,；;、]之后再",
    )
    .ok()
});

/// Whether a sentence tells steps that are no procedure: those of a fault, of a plan, of a piece of work.
pub(crate) fn is_of_another_kind(text: &str) -> bool {
    is_other(text.trim()) && text.contains([':', '：'])
        || SHOWS.as_ref().is_some_and(|pattern| pattern.is_match(text.trim()))
}

/// Whether a text announces steps of something else; `this is how we …` announces a procedure.
fn is_other(text: &str) -> bool {
    OTHER.as_ref().is_some_and(|pattern| pattern.is_match(text))
        && !text.to_lowercase().starts_with("this is how ")
}

/// Work in steps that ends with a look at it.
static SHOWS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(r"(?i)^first[, ].*(?:then|finally|and) (?:show|tell|send|ping) me(?-u:\b)|^(?:你)?先.{2,30}(?:再|然后|最后)(?:给我|让我|发我|告诉我)").ok()
});

/// Whether a sentence tells the steps of a procedure.
pub(crate) fn is_told(text: &str) -> bool {
    let text = text.trim();
    let head = if text.chars().any(is_han) { &HEAD_HAN } else { &HEAD };
    let Some(found) = head.as_ref().and_then(|pattern| pattern.find(text)) else { return false };
    let steps = text[found.end()..].trim();
    let borders = STEP.as_ref().map_or(0, |pattern| pattern.find_iter(steps).count());
    let cues = lexicon::cues(text);
    borders >= 2
        && !text.ends_with(['?', '？'])
        && !is_other(text)
        && !lexicon::cues(steps).has(Cue::Problem)
        && !lexicon::cues(found.as_str()).any(&[
            Cue::Speculation,
            Cue::Hypothetical,
            Cue::Ephemeral,
            Cue::Reported,
        ])
        && !cues.any(&[Cue::Hypothetical, Cue::Dismissal])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_of_a_procedure_are_told_from_orders_faults_and_plans() {
        for text in [
            "backups go like this: stop the writer, take the snapshot, then start the writer, then push",
            "our rollback routine: drain the node, swap the image, then refill",
            "how we rotate the signing keys: create one, publish it, then revoke the old one",
            "when we close a sprint it goes: tag the board, export it, then open the next",
            "交付步骤：先打包，再签名，最后上传",
            "我们升级固件是这样做的：先刷一台，观察一晚，再刷其余的",
            "this is how we test a driver: flash the board, run the loop, then check the counters",
            "扩容分三步：加节点，迁分片，最后下旧节点",
        ] {
            assert!(is_told(text), "{text}");
        }
        for text in [
            "do it like this: rename it, then rebuild, then push",
            "the crash happens like this: open the map, zoom in, then it dies",
            "my plan is: read the trace, then bisect, then patch",
            "it went like this: I merged, it broke, then I reverted",
            "how do rollbacks go: drain first, then swap, then refill?",
            "next steps: add the column, backfill, then drop the old one",
            "复现步骤：先登录，再切换语言，然后退出",
            "我的计划是这样：先看日志，再改配置，最后重启",
            "思路是这样：先解析，再匹配，最后输出",
            "今天是这样：先合并，再打标签，然后下班",
            "this works like this: nothing",
        ] {
            assert!(!is_told(text), "{text}");
        }
        for text in [
            "my plan is: read, then patch, then test",
            "first trim it, then sort it, then show me",
            "复现步骤：先登录，再退出",
        ] {
            assert!(is_of_another_kind(text), "{text}");
        }
        assert!(!is_of_another_kind("更新文档的流程：先改源文件，再构建，最后发布"));
        assert!(!is_of_another_kind("first drain the node, then swap the image"));
    }
}
