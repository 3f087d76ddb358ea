//! What a statement is about: the words before its verb.

use nidra_core::text::expression;
use nidra_core::text::language::is_han;
use regex::Regex;
use std::sync::LazyLock;

static ENGLISH: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?i) (?:(?:is|are|was|were|must|should|shall|may|can|can't|cannot|will|won't|has|have|had|needs?|goes?|go|runs?|lives?|sits?|stays?|remains?|",
        r"belongs?|uses?|listens?|starts?|ends?|expires?|gets?|comes?|takes?|works?|requires?|wants?|returns?|never|always|only|do|does|don't|doesn't|",
        r"moved?|moves|switched|changed|became|follows?|keeps?|holds?|owns?|reports?|happens?|fails?|breaks?|breaks|means|counts?|points?|retries|stores?|ships?)(?-u:\b)|(?:=|->|→) )",
    ))
    .ok()
});
static CHINESE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(r"一律|必须|統一|统一|只能|只用|只走|不准|不许|不能|不要|不得|禁止|改成|改为|改用|改到|换成|换到|迁到|搬到|挪到|升到|提到|降到|全部|都(?:要|得|走|用|是|放|存)|要先|需要|应该|得先|默认|是|用|在|归|由|走|放|存|找|叫|每|有|没|按|监听|现在|已经|不|先|，|：|:").ok()
});
const PRONOUNS: &[&str] = &[
    "we",
    "it",
    "they",
    "i",
    "you",
    "that",
    "this",
    "he",
    "she",
    "these",
    "those",
    "there",
    "everything",
    "nobody",
    "the user",
    "everyone",
    "nothing",
    "one",
    "what",
    "who",
    "and",
    "so",
    "but",
    "if",
    "when",
    "here",
    "that one",
    "somebody",
    "people",
    "all",
    "anything",
    "not",
    "same",
    "next",
    "then",
    "now",
    "important",
    "total",
    "first",
    "second",
    "last",
    "yes",
    "no",
    "it's",
    "that's",
    "there's",
    "how",
    "why",
    "where",
    "which",
    "the",
    "another",
    "let's",
    "lets",
    "other",
    "every",
    "a",
    "in",
    "on",
    "for",
    "until",
    "before",
    "after",
    "since",
    "because",
    "while",
    "whenever",
    "once",
    "always",
    "only",
    "just",
    "still",
    "please",
    "nice",
    "good",
    "works",
    "thats",
    "its",
    "as",
];

/// The subject of a statement in its own words: `The api of the shop listens on …` is about `api of the shop`.
pub(crate) fn of(text: &str) -> Option<String> {
    let first = text.split(['。', '；', '\n']).next().unwrap_or(text).trim();
    if first.chars().any(is_han) {
        let at = CHINESE.as_ref()?.find_iter(first).find(|hit| hit.start() > 0)?.start();
        let subject = first[..at].trim().trim_end_matches(['的', '就', '也', '都']);
        let count = subject.chars().count();
        return ((2..=14).contains(&count) && !subject.contains(['我', '你', '他', '她', '这', '那']))
            .then(|| subject.to_owned());
    }
    let at = ENGLISH.as_ref()?.find(first)?.start();
    let subject = first[..at].trim();
    let bare = subject
        .strip_prefix("The ")
        .or_else(|| subject.strip_prefix("the "))
        .or_else(|| subject.strip_prefix("Our "))
        .or_else(|| subject.strip_prefix("our "))
        .or_else(|| subject.strip_prefix("A "))
        .or_else(|| subject.strip_prefix("a "))
        .unwrap_or(subject);
    let lower = bare.to_lowercase();
    let words = bare.split_whitespace().count();
    let head = lower.split_whitespace().next().unwrap_or_default();
    ((1..=6).contains(&words)
        && !bare.contains([',', ';'])
        && !PRONOUNS.contains(&lower.as_str())
        && !PRONOUNS.contains(&head))
    .then(|| bare.to_owned())
}

/// The heading of a statement: `Tickets: project SHOP` is about `Tickets`.
pub(crate) fn head(text: &str) -> Option<String> {
    let at = text.find([':', '：'])?;
    let head = text[..at].trim();
    let first = head.split_whitespace().next().unwrap_or_default().to_lowercase();
    (!PRONOUNS.contains(&first.as_str())
        && (1..=4).contains(&head.split_whitespace().count())
        && !text[at..].starts_with("://"))
    .then(|| head.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_before_the_verb() {
        assert_eq!(of("The preview server runs on port 4100.").as_deref(), Some("preview server"));
        assert_eq!(
            of("Firmware signing questions go to Odalys.").as_deref(),
            Some("Firmware signing questions")
        );
        assert_eq!(of("we use nats for jobs"), None);
        assert_eq!(of("扫码枪接口的超时是 30 秒。").as_deref(), Some("扫码枪接口的超时"));
        assert_eq!(of("编目规则找老葛确认。").as_deref(), Some("编目规则"));
    }
}
