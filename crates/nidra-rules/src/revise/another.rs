//! Whether words give a value of another thing than a statement: `the mail sender retries 8 times` says nothing of the
//! webhook sender, and `mobile's session cookie` is not the session cookie.

use super::{Known, Said, value};
use crate::lexicon;
use crate::terms;
use nidra_core::text::language::is_han;
use std::collections::BTreeSet;

/// Words that say what is told of a thing rather than which thing: verbs of state, measures, attributes.
const ATTRIBUTES: &[&str] = &[
    "live",
    "lives",
    "lived",
    "keep",
    "keeps",
    "kept",
    "hold",
    "holds",
    "held",
    "retry",
    "retries",
    "retried",
    "allow",
    "allows",
    "allowed",
    "return",
    "returns",
    "listen",
    "listens",
    "answer",
    "answers",
    "need",
    "needs",
    "stay",
    "stays",
    "last",
    "lasts",
    "expire",
    "expires",
    "start",
    "starts",
    "end",
    "ends",
    "ship",
    "ships",
    "send",
    "sends",
    "store",
    "stores",
    "stored",
    "sit",
    "sits",
    "bind",
    "binds",
    "serve",
    "serves",
    "call",
    "calls",
    "happen",
    "happens",
    "hour",
    "minute",
    "second",
    "day",
    "week",
    "month",
    "year",
    "time",
    "limit",
    "timeout",
    "port",
    "version",
    "size",
    "number",
    "count",
    "value",
    "default",
    "maximum",
    "minimum",
    "max",
    "min",
    "page",
    "item",
    "rate",
    "quota",
    "attempt",
    "retention",
    "ttl",
    "interval",
    "per",
    "about",
    "least",
    "most",
    "above",
    "below",
    "take",
    "takes",
    "get",
    "gets",
    "give",
    "gives",
    "set",
    "put",
    "raise",
    "raised",
    "lower",
    "bump",
    "bumped",
    "make",
    "move",
    "moved",
    "go",
    "goes",
    "超时",
    "保留",
    "端口",
    "有效",
    "效期",
    "有效期",
    "重试",
    "最大",
    "最小",
    "最多",
    "最少",
    "版本",
    "默认",
    "每页",
    "监听",
    "失败",
    "次数",
    "小时",
    "分钟",
    "返回",
    "大小",
    "上限",
    "下限",
    "一律",
    "必须",
    "统一",
];

pub(crate) fn is_attribute(term: &str) -> bool {
    ATTRIBUTES.contains(&term) || term.bytes().all(|byte| byte.is_ascii_digit())
}

/// A text without its code: the words of a command name nothing.
fn without_code(text: &str) -> String {
    text.split('`')
        .enumerate()
        .filter(|(at, _)| at % 2 == 0)
        .map(|(_, part)| part)
        .collect::<Vec<_>>()
        .join(" ")
}

/// Which things a text speaks of, without what is told of them.
pub(super) fn things(text: &str) -> BTreeSet<String> {
    terms::terms(&value::blank(text)).into_iter().filter(|term| !is_attribute(term)).collect()
}

/// The sentence or clause of a text in which a place stands.
fn clause(text: &str, at: usize) -> &str {
    let ends = |c: char| matches!(c, '，' | '。' | '；' | ';' | ',' | '\n' | '!' | '?' | '！' | '？');
    let start = text[..at]
        .rfind(ends)
        .map_or(0, |place| place + text[place..].chars().next().map_or(1, char::len_utf8));
    let end = text[at..].find(ends).map_or(text.len(), |end| at + end);
    &text[start..end]
}

/// Whether the words around a value at a place are about another thing than the statement, whose topic says what else it
/// may be called. Words that name no thing are about whatever was spoken of.
pub(crate) fn is_of_another(statement: &Known, topic: &BTreeSet<String>, said: &Said, at: usize) -> bool {
    let text = said.text.as_str();
    let clause = clause(text, at);
    let (known, told) = (&statement.things, &said.things);
    if told.is_empty() || known.is_empty() {
        return false;
    }
    // `svc1 keeps its logs …` is not about `svc0`.
    let fresh = said.values.iter().any(|value| {
        matches!(value.form, value::Form::Code(_))
            && value.range.end <= at
            && !statement.codes.contains(&value.key)
    });
    if fresh && !statement.codes.is_empty() && !statement.codes.iter().any(|code| said.lower.contains(code)) {
        return true;
    }
    let held = |term: &String| known.iter().any(|other| terms::same(term, other));
    let named = |term: &str| topic.iter().any(|other| terms::same(term, other));
    if !told.iter().any(held) {
        // An answer says no more than the value: the question named the thing.
        let asked = terms::shared(known, &said.around_terms) * 2 >= known.len();
        return !asked && !told.iter().any(|term| named(term));
    }
    let of_topic = |word: &str| {
        terms::terms(word).iter().all(|term| {
            is_attribute(term)
                || named(term)
                || terms::terms(&statement.text).iter().any(|other| terms::same(term, other))
        })
    };
    qualifiers(statement, &without_code(clause)).iter().any(|word| !of_topic(word))
}

/// What stands directly before a thing that both texts name, in the second one.
fn qualifiers(statement: &Known, said: &str) -> Vec<String> {
    let mut found = latin_qualifiers(&statement.things, said);
    found.extend(han_qualifiers(&statement.text, said));
    found
}

fn latin_qualifiers(shared: &BTreeSet<String>, said: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut before: Option<String> = None;
    for word in said.split_whitespace() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let bare = bare.strip_suffix("'s").or_else(|| bare.strip_suffix("’s")).unwrap_or(bare);
        let term = terms::terms(bare);
        let common =
            !bare.is_empty() && term.iter().any(|term| shared.iter().any(|other| terms::same(term, other)));
        if common && bare.is_ascii() {
            found.extend(before.take());
        }
        let lower = bare.to_lowercase();
        let content = bare.is_ascii()
            && bare.len() >= 2
            && !bare.bytes().any(|byte| byte.is_ascii_digit())
            && !lexicon::is_stop_word(&lower)
            && !is_attribute(&lower)
            && !is_verb(&lower);
        // A border of a clause ends a name.
        let ends = word.ends_with([':', ',', '.', ')', ';']);
        before = (content && !common && !ends).then_some(lower);
    }
    found
}

/// Verbs and other words that stand before a thing without saying which one it is.
fn is_verb(word: &str) -> bool {
    const WORDS: &[&str] = &[
        "hold", "use", "run", "raise", "lower", "change", "check", "see", "please", "until", "through",
        "via", "point", "cut", "write", "deploy", "build", "migrate", "rename", "drop", "pin", "upgrade",
        "again", "actually", "indeed", "whole", "entire", "current", "usual", "official", "real", "right",
        "correct", "own", "called", "named",
    ];
    WORDS.contains(&word) || word.ends_with("ing") || word.ends_with("ed") || word.ends_with("ly")
}

fn han_qualifiers(statement: &str, said: &str) -> Vec<String> {
    /// Characters that join a qualifier, or end what stands before a thing.
    const BORDERS: &str = "的把将给我们咱你他她它现在是到改成了就都也要得请让对从今已经跟和与及这那每";
    let (old, new): (Vec<char>, Vec<char>) = (statement.chars().collect(), said.chars().collect());
    let occurs = |part: &[char]| old.windows(part.len()).any(|window| window == part);
    let mut found = Vec::new();
    let mut at = 0;
    while at + 2 <= new.len() {
        let pair = &new[at..at + 2];
        let thing: String = pair.iter().collect();
        let han = is_han(pair[0]) && is_han(pair[1]);
        if !han || !occurs(pair) || is_attribute(&thing) || lexicon::is_stop_word(&thing) {
            at += 1;
            continue;
        }
        let mut start = at;
        if start > 0 && new[start - 1] == '的' {
            start -= 1;
        }
        let before: Vec<char> = new[..start]
            .iter()
            .rev()
            .take(2)
            .take_while(|c| is_han(**c) && !BORDERS.contains(**c))
            .copied()
            .collect();
        if before.len() == 2 {
            let word: Vec<char> = before.into_iter().rev().collect();
            if !occurs(&word) {
                found.push(word.into_iter().collect());
            }
        }
        // Behind the thing that both name.
        while at + 2 <= new.len() && occurs(&new[at..at + 2]) {
            at += 1;
        }
        at += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexicon::Cues;

    fn is_another(statement: &str, said: &str) -> bool {
        let moment = "2026-03-02T10:00:00+00:00[UTC]".parse().expect("a valid time");
        let said = Said::of(format!("{said}\n"), Cues::default(), String::new(), String::new(), &moment);
        let at = said.values.last().map_or(0, |value| value.range.start);
        is_of_another(&Known::new(statement), &BTreeSet::new(), &said, at)
    }

    #[test]
    fn a_qualifier_makes_another_thing() {
        for (statement, said) in [
            ("The webhook sender retries 3 times.", "the mail sender retries 8 times"),
            ("The session cookie lives for 12 hours.", "mobile's session cookie is 30 days"),
            ("The session cookie lives for 12 hours.", "the csrf token lives for 1 hour"),
            ("The public API allows 100 requests per minute.", "admin api gets 30 requests per minute"),
            ("List endpoints return 50 items per page.", "search endpoints return 20 items per page"),
            ("Backups are kept for 14 days.", "logs are kept for 90 days"),
            ("支付接口的超时是 5 秒。", "退款接口的超时是 20 秒"),
            ("测试环境的日志保留 30 天。", "生产环境的日志要留 180 天"),
            ("登录令牌有效期是 2 小时。", "刷新令牌有效期 30 天"),
            ("列表接口每页返回 20 条。", "导出接口每页 1000 条"),
        ] {
            assert!(is_another(statement, said), "{said}");
        }
    }

    #[test]
    fn the_same_thing_in_other_words_is_the_same() {
        for (statement, said) in [
            ("Thumbnails are kept for 90 days.", "we hold the thumbnails 45 days now"),
            ("The kiln controller answers on port 5020.", "the kiln controller sits on 5044"),
            ("The webhook sender retries 3 times.", "raise it to 8"),
            ("The webhook sender retries 3 times.", "please retry the webhook sender 8 times"),
            ("支付接口的超时是 5 秒。", "支付超时放到十秒"),
            ("缩略图保留 90 天。", "我们把缩略图改成存 45 天"),
        ] {
            assert!(!is_another(statement, said), "{said}");
        }
    }
}
