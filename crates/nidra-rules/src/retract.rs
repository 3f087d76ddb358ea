//! Takes back within one sentence: `凡是…，唉不对，…，这条不要了，还是…`, `we tag on mondays, no wait, on thursdays`.

use crate::lexicon::{self, Cue};
use crate::moment;
use crate::sentence::weight;
use nidra_core::text::expression;
use nidra_core::text::language::is_han;
use regex::Regex;
use std::sync::LazyLock;

/// A clause of its own that takes back the clauses before it.
static CLAUSE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"^(?:唉|哎|诶|欸|啊|哦|嗯|呃|不|哈|那|就)*(?:不对|说错了?|讲错了?|记错了?|口误|算了|还是算了|当我没说|收回|撤回|",
        r"(?:刚|刚才|上面|前面)?(?:这|那)(?:条|个|句|点|事)?(?:规定|规则|要求|话|说法)?(?:就|也)?(?:不要了|算了|作废|不算数?|取消|当我没说|免了|不提了))(?:吧|啊|哈|了|啦)*$",
        r"|(?i)^(?:(?:oh|hm+|ah|no|wait|actually|sorry|but)[, ]*)*(?:no,? wait|wait,? no|actually,? no|scratch that|strike that|never ?mind|nvm|forget (?:it|that)|let me correct that|i mean|i meant|correction)$",
    ))
    .ok()
});

/// What a sentence must say before it takes something back; a bare topic (`the blue thing, forget it`) is what is meant.
const SAYS: &[Cue] = &[
    Cue::Standing,
    Cue::Obligation,
    Cue::Prohibition,
    Cue::Decision,
    Cue::Habit,
    Cue::Change,
    Cue::Place,
    Cue::Explicit,
    Cue::Owner,
    Cue::Task,
];

/// The sentence without what it takes back itself.
pub(crate) fn spoken(sentence: &str) -> &str {
    let mut start = 0;
    let mut first: Option<usize> = None;
    let mut tail = None;
    let ends = sentence
        .char_indices()
        .filter(|(_, c)| matches!(c, ',' | '，' | ';' | '…' | '—'))
        .map(|(at, c)| (at, at + c.len_utf8()))
        .chain(std::iter::once((sentence.len(), sentence.len())));
    for (end, next) in ends {
        let clause = sentence[start..end].trim();
        if CLAUSE.as_ref().is_some_and(|pattern| pattern.is_match(clause)) {
            first.get_or_insert(start);
            tail = Some(next);
        }
        start = next;
    }
    let (Some(first), Some(tail)) = (first, tail) else { return sentence };
    let rest = sentence[tail..].trim();
    // Words that only take back are about what was said before, and a bare new value needs its head.
    let least = if rest.chars().any(is_han) { 2 } else { 3 };
    let head = &sentence[..first];
    let says = weight(head) >= 3 && lexicon::cues(head).any(SAYS);
    if !says || weight(rest) < least { sentence } else { rest }
}

/// A spoken sentence with this many clauses is a whole speech.
const SPEECH_CLAUSES: usize = 6;

/// A long Chinese speech without the clauses that are small talk, of the moment or a request, where the rest says more.
pub(crate) fn condensed(sentence: &str) -> String {
    let clauses: Vec<&str> = sentence.split_inclusive(['，', ',']).collect();
    if clauses.len() < SPEECH_CLAUSES || !sentence.chars().any(is_han) {
        return sentence.to_owned();
    }
    let idle = |clause: &str| {
        let cues = lexicon::cues(clause);
        let rules = cues.any(&[
            Cue::Standing,
            Cue::Obligation,
            Cue::Prohibition,
            Cue::Decision,
            Cue::Explicit,
            Cue::Owner,
            Cue::Reason,
            Cue::OpenLoop,
            Cue::Deadline,
            Cue::Change,
        ]);
        let passing = cues.any(&[Cue::Chat, Cue::Ephemeral]);
        let spoken = clause.trim_matches(|c: char| !c.is_alphanumeric());
        !rules && passing || moment::is_private(spoken) || crate::request::ends_in_request(spoken)
    };
    let kept: String = clauses.iter().filter(|clause| !idle(clause)).copied().collect();
    if weight(&kept) * 3 < weight(sentence) { sentence.to_owned() } else { kept }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clauses_before_a_retraction_are_not_spoken() {
        assert_eq!(
            spoken("以后发版都要三个人签字，哎不对，人不够，这条不要了，还是两个人签"),
            "还是两个人签"
        );
        assert_eq!(
            spoken("we always squash on merge, no wait, we keep merge commits"),
            "we keep merge commits"
        );
        // What only takes back speaks of earlier words.
        assert_eq!(spoken("那算了，刚才那条当我没说，照旧"), "那算了，刚才那条当我没说，照旧");
        assert_eq!(spoken("不对，端口是 81"), "不对，端口是 81");
        assert_eq!(
            spoken("the map view, forget it, too heavy for us"),
            "the map view, forget it, too heavy for us"
        );
    }
}
