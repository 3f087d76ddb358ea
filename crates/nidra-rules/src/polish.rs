//! Takes out of a sentence what says nothing of its matter: fillers, interjections, feelings, turns of talk.

use crate::families;
use crate::lexicon::{self, Cue};
use crate::phrase;
use crate::sentence::is_identifier;
use crate::terms;
use nidra_core::text::expression::{self, matches};
use regex::Regex;
use std::sync::LazyLock;

static HEAD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?i)^(?:(?:while (?:you'?re|you are|we'?re|we are|i'?m) (?:in there|in it|at it|there|here|on it)|that'?s (?:the order|it|how|right|the one|the way|the thing)|(?:(?:ah|oh) (?:yes|right|and|no)|ah|oh|eh|argh|ugh|hm+|phew|jesus|god|damn|lol|haha|yeah|yes|yep|nope|ok|okay|right|well|so|and|but|also|btw|by the way|fyi|alright|anyway|listen|look)",
        r"|one (?:more |last |other )?thing|(?:just )?(?:for|as) (?:the record|next time|later|a note|a reminder)|so you know(?: it)?(?: for (?:the )?next time)?|(?:just )?(?:a )?(?:quick |small )?(?:note|reminder|heads[- ]up|correction|update)|remember(?: this| that)?|important|before i forget|i (?:almost |nearly )?forgot|(?:oh |and )?(?:yes|right) and|to be clear|careful)[,:;.!…-]+ +)+",
        r"|^(?:i (?:keep|always|have to keep) (?:telling|saying|repeating|reminding)[^:.,]{0,40}[:,] *)",
        r"|^(?:please )?(?:remember|note|keep in mind|bear in mind|be aware)(?: for (?:later|next time|the future))? that +",
        r"|^(?:first|second|next|edit|note): +|^(?:btw|by the way|also|and also|oh and|and|so|ok so|okay so|ah yes|oh yes|but) +",
    ))
    .ok()
});
static HEAD_HAN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(r"^(?:(?:哦对|哦|噢|嗯+|啊|哎|唉|诶|另外|对了|还有|还有一点|还有个事|顺便(?:说一?下|说一句|提一?下|一提)?|话说|补充(?:一?下|一句|一点)?|提醒(?:一?下|你一?下)?|记一?下|记住|记得|说一?下|跟你说(?:一?下|个事)?|我跟你说|你记(?:着|住|一下)|多说一句|再说一(?:下|遍|句)|好的?|行|那行|ok|OK|对|没错)[，,：:。！! ]+)+").ok()
});
static TAIL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(r"(?i)(?:[,，]? (?:please|pls|btw|by the way|ok|okay|thanks|thx|thank you|lol|haha|right|got it|clear)|[,，](?:谢谢|哈+|好吧|知道吗|懂吗|明白吗|ok|OK))+([.!。！?？]*)$").ok()
});
/// A clause that tells of the person's memory, patience or feelings and of nothing else.
static FEELING: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?i)^(?:(?:and|but|because|as|since|sorry),? )*(?:i (?:just )?(?:keep|kept|always|often|usually|constantly|tend to) (?:on )?(?:forget(?:ting)?|mixing|confusing|repeating|saying|telling)\b.*|i (?:almost |nearly |totally )?forgot\b.*|i (?:told|said|already told|already said)\b.{0,40}|as i said.*|how (?:often|many times)\b.*|(?:(?:and )?(?:this|that|it)(?: is|'?s) )?(?:now )?(?:already )?(?:for )?the (?:second|third|fourth|fifth|\w+th|nth|umpteenth|last) time(?: now| already| today)?(?: (?:that )?i (?:say|said|tell|told|ask|asked|write|repeat|have to say|have said|am saying|'m saying)\b.{0,20})?|i(?:'ve| have) (?:already )?(?:said|told you|asked for) (?:it|this|that) (?:\w+ times|twice|before|often enough)|",
        r"(?:argh|ugh|ffs|wtf|jesus|damn|sigh|come on|seriously|oh man|my god)[!.]*|i'?m (?:so )?(?:tired|sick) of\b.*|drives me (?:mad|crazy|nuts).*|don'?t ask(?: me)?(?: why)?|trust me|believe me|you know|as always|as usual|and so on|or so|in case you (?:wonder|ask)|i think that'?s all|that'?s all|that is all|that'?s it|end of story|period|full stop)[.!]*$|",
        r"^(?:(?:这|都|已经|我|今天|这都|这已经)*(?:是|说|说了|提|讲|提醒)?(?:第)[二三四五六七八九十几好多N\d]+(?:遍|次|回)(?:说|提|讲|提醒|强调)?(?:你|这个|这事)?了?|(?:我|这|都|已经|跟你|之前)*(?:说|提|讲|强调|提醒)(?:过|了)(?:很|好)?(?:多|几|两|三)?(?:遍|次|回)?了?|说了(?:多少|好几|无数)(?:遍|次)了?.*|我(?:老是?|总是?|又|一直)(?:忘|记不住|记错).*|无语|离谱|烦死了|受不了|真是的|拜托|哎+|唉+|我服了|你懂的|别问|信我)[！!。]*$",
    ))
    .ok()
});
/// What was meant once and is not any more.
static FORMER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(r"(?i)^(?:at first|initially|originally|earlier|first|before)?,? ?(?:i|we) (?:first |originally |initially )?(?:wanted|intended|planned|thought|meant|was going|were going|had planned)(?: of| to| about)?\b.*|^(?:本来|一开始|原本|起初|最开始|最早)(?:我|我们|是)?(?:想|打算|说|计划|以为|准备).*").ok()
});

/// The sentence without what says nothing of its matter; empty when nothing is left. Code stays as it is.
pub(crate) fn polish(text: &str) -> String {
    let mut rest = text.trim().to_owned();
    for pattern in [&*HEAD, &*HEAD_HAN] {
        if let Some(pattern) = pattern.as_ref() {
            let cut = pattern.replace(&rest, "").into_owned();
            if cut.chars().any(char::is_alphanumeric) {
                rest = cut;
            }
        }
    }
    if let Some(pattern) = TAIL.as_ref() {
        let cut = pattern.replace(&rest, "$1").into_owned();
        if cut.chars().any(char::is_alphanumeric) {
            rest = cut;
        }
    }
    for head in ["let's always ", "lets always ", "let's never ", "lets never "] {
        if rest.get(..head.len()).is_some_and(|start| start.eq_ignore_ascii_case(head)) {
            rest.drain(..head.find(' ').map_or(0, |at| at + 1));
        }
    }
    if matches(&FEELING, &rest) {
        return String::new();
    }
    // Clauses at the ends that only tell feelings or what was meant once.
    if !rest.contains('`') {
        let clauses: Vec<&str> = phrase::parts(&rest).collect();
        let idle = |clause: &&str| {
            (matches(&FEELING, clause) || matches(&FORMER, clause) && clauses.len() > 1)
                && !lexicon::cues(clause).any(&[Cue::Owner, Cue::Deadline])
        };
        if clauses.iter().any(idle) {
            let chinese = rest.contains('，');
            let kept: Vec<&str> = clauses.iter().copied().filter(|clause| !idle(clause)).collect();
            let kept: Vec<&str> =
                kept.iter().map(|clause| clause.strip_prefix("but ").unwrap_or(clause)).collect();
            rest = kept.join(if chinese { "，" } else { ", " });
        }
    }
    rest.replace("!!", "!").trim().to_owned()
}

/// Whether a sentence among others says nothing by itself: `we moved it.`
pub(crate) fn is_hollow(text: &str) -> bool {
    let cues = lexicon::cues(text);
    let cheers = cues.any(&[Cue::Praise, Cue::Frustration, Cue::Chat])
        && !cues.any(&[
            Cue::Standing,
            Cue::Obligation,
            Cue::Prohibition,
            Cue::Decision,
            Cue::Owner,
            Cue::Place,
            Cue::Change,
            Cue::OpenLoop,
            Cue::Preference,
            Cue::Reason,
            Cue::History,
            Cue::Habit,
            Cue::Sequence,
            Cue::Explicit,
        ])
        && crate::sentence::weight(text) <= 6
        && !crate::sentence::has_value(text);
    cheers
        || terms::terms(text).is_empty()
            && !text.chars().any(|c| c.is_ascii_digit())
            && !lexicon::cues(text).any(&[
                Cue::Reason,
                Cue::History,
                Cue::Prohibition,
                Cue::Standing,
                Cue::Preference,
            ])
}

/// Programs whose names are written in small letters.
const PROGRAMS: &[&str] = &[
    "git", "cargo", "npm", "make", "docker", "kubectl", "helm", "curl", "ssh", "psql", "redis", "nginx",
    "python", "pip", "go", "rustup", "rustfmt", "clippy", "node", "npx", "deno", "grep", "sed", "awk",
    "bash", "zsh", "tmux", "systemd", "rsync", "tar", "jq", "ffmpeg", "sqlite", "etcd", "kafka", "vim",
    "fvm", "adb", "gcc", "clang", "cmake", "ninja", "just", "tox", "ruff", "mypy",
];

/// Whether a word keeps its small first letter at the start of a sentence: a name of the machine's world.
pub(crate) fn stays_small(word: &str) -> bool {
    let lower = word.to_lowercase();
    is_identifier(word)
        || families::is_member(&lower)
        || PROGRAMS.contains(&lower.as_str())
        || word.chars().any(|c| {
            c.is_ascii_digit() || matches!(c, '_' | '/' | '@' | '=' | '`' | '.' | '-') && !word.ends_with(c)
        })
        || word.chars().skip(1).any(|c| c.is_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fillers_and_feelings_go() {
        let cases = [
            ("while you're in there: depths are metres", "depths are metres"),
            ("ah yes, the door code changed", "the door code changed"),
            ("that's the order: make a, then make b", "make a, then make b"),
            ("no merge commits please", "no merge commits"),
            ("remember that tokens live in vault", "tokens live in vault"),
            ("keep in mind that friday is a holiday", "friday is a holiday"),
            ("i keep forgetting it", ""),
            ("always tag releases, i keep forgetting it", "always tag releases"),
            ("i wanted json first, but we store csv", "we store csv"),
            ("哦对，导出用 csv", "导出用 csv"),
            ("另外，金额存分", "金额存分"),
            ("本来想用 json，现在用 csv", "现在用 csv"),
            ("no caching, ever", "no caching, ever"),
            ("first make up, then make seed", "first make up, then make seed"),
        ];
        for (text, left) in cases {
            assert_eq!(polish(text), left, "{text}");
        }
        assert!(is_hollow("we moved it."));
        assert!(!is_hollow("that bit us in march"));
    }
}
