//! Names that are over and names that take their place: tools, people, hosts, in English and Chinese.

use crate::lexicon;
use nidra_core::text::expression;
use nidra_core::text::language::is_han;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// How far a word may stand from what says that it is over, in characters.
const REACH: usize = 34;

fn regex(pattern: &str) -> Option<Regex> {
    expression::new(pattern).ok()
}

static BEFORE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)(?:(?-u:\b)(?:not|no|no more|no longer|off|without|from|instead of|drop(?:ped|ping)?|ditch(?:ed|ing)?|",
        r"scrap(?:ped|ping)?|throw(?:ing|n|s)?|threw|toss(?:ed|ing)?|rip(?:ped|ping)? out|unlike|retir(?:e|ed|ing)|kill(?:ed|ing)?|remov(?:e|ed|ing)|replac(?:e|ed|es|ing)|old|forget|",
        r"left|leav(?:e|es|ing)|rather than|used to (?:use|be|have|run)|stop(?:ped)? using|done with|rid of)",
        r"(?: (?:the|our|any|on|in|using|port|version|old|to|at))*|",
        r"(?:不用|别用|別用|不再用|不走|不找|不要|停用|弃用|废弃|废了|不是|旧的|原来的|老的|从|把|替换|替掉|换掉|砍掉|抛弃|去掉|扔掉?|丢掉|删掉?|拆掉?|代替|取代)了?)",
        r"[\s`“「]*$",
    ))
});
static AFTER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)^[`”」]?(?: \w+){0,2}?(?: |,|'s )*(?:(?:is|are|was|were|has|have|had|got|gets?|will be|being|been|now|",
        r"finally|officially|just|all|completely|goes?|going|went)[ ]+)*",
        r"(?:history|dead|gone|out|off|away|retired|deprecated|obsolete|closed|removed|dropped|killed|shut|down|left|leaving|",
        r"quit|moved|no longer|replaced|over|unmaintained|void|buried|switched|taken down|eol|expired|decommissioned|",
        r"changed teams|not [^.;]{0,24}any ?more|isn'?t|doesn'?t exist|don'?t exist|any ?more)(?-u:\b)|",
        r"^[^，。；！\n]{0,8}(?:不用了|不要了|下线|下了|停了|停用|废了|废弃|没了|换了|换成|换到|换掉|改成|改用|改为|退役|调走|调去|离职|走了|不干了|不管了|",
        r"转岗|换组|休假|过期|到期|拆(?:了|掉|除)|删(?:了|掉|除|干净|光)|关了|撤了|扔了|迁走|迁到|挪到|搬到|切到|升到|降到|提到|不行|不维护|早就不|不让用|不给用|不许用|不能用|作废|不跑|不走|淘汰|不再)",
    ))
});
/// A thing that is named and then got rid of as `it`, in the same clause: `the old box is slow, i threw it out`.
static BY_PRONOUN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)^[^.;!?\n]{0,44}?(?-u:\b)(?:kick(?:ed)?|thr[eo]w|toss(?:ed)?|rip(?:ped)?|tore|drop(?:ped)?|remov(?:ed?)|replac(?:ed?)|retir(?:ed?)|",
        r"delet(?:ed?)|scrap(?:ped)?|ditch(?:ed)?|kill(?:ed)?|got rid of|g[eo]t) (?:it|them|that)(?-u:\b)(?: (?:out|away|off))?",
        r"|^[^。；！\n]{0,16}?(?:我|我们)?(?:把它|给它)?(?:扔了|删了|拆了|踢了|换掉了|下掉了|干掉了)",
    ))
});

fn tail(text: &str, end: usize) -> &str {
    let head = text.get(..end).unwrap_or_default();
    let start = head.char_indices().rev().nth(REACH - 1).map_or(0, |(at, _)| at);
    &head[start..]
}

fn head(text: &str, start: usize) -> &str {
    let rest = text.get(start..).unwrap_or_default();
    let end = rest.char_indices().nth(REACH).map_or(rest.len(), |(at, _)| at);
    &rest[..end]
}

/// Whether the words around a place say that what stands there is over or not so.
pub(crate) fn is_gone(text: &str, range: &Range<usize>) -> bool {
    let (before, after) = (tail(text, range.start), head(text, range.end));
    let from = before.trim_end().to_lowercase();
    // `from 4100 on` and `drawn from postgres` name a source, not an end.
    let source = from.ends_with("from") && !after.contains(" to ") && !after.contains('→');
    // What comes off a machine comes from it.
    let origin =
        ["come off", "comes off", "came off", "run off", "runs off", "boots off", "boot off", "feeds off"]
            .iter()
            .any(|verb| from.ends_with(verb));
    BEFORE.as_ref().is_some_and(|pattern| pattern.is_match(before)) && !source && !origin
        || AFTER.as_ref().is_some_and(|pattern| pattern.is_match(after))
        || BY_PRONOUN
            .as_ref()
            .is_some_and(|pattern| pattern.is_match(text.get(range.end..).unwrap_or_default()))
}

static WEAK: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(
        r"(?i)(?:(?-u:\b)(?:is|are|it'?s|at|on|be|=|goes|use|by|so|run|via|through)|为|是|用|在|给|走|：)[\s`“「]*(?:about |the |port |version )?$",
    )
});
static STRONG: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)(?:(?-u:\b)(?:to|now|now (?:is|are|on|at|in|it'?s|uses?|runs? (?:on|at))|(?:is|are) now|(?:is|are) already (?:on|at)|already (?:on|at)|since (?:then|today)|make (?:it|that|them)|go with|instead|->)|→|=>|",
        r"到|成|改为|改用|设为?|现在(?:是|用|在|走)?|就用)[\s`“「]*(?:about |the |port |version )?$",
    ))
});

/// How firmly the words around a place say that what stands there holds now: 2 where it took the place of something,
/// 1 where it is only said, 0 where neither.
pub(crate) fn strength(text: &str, range: &Range<usize>) -> u8 {
    let (before, after) = (tail(text, range.start), head(text, range.end).to_lowercase());
    let after = after.trim_start_matches('`');
    let turned = [
        " now",
        " from now",
        ", not ",
        " these days",
        " nowadays",
        " since ",
        " instead",
        " in development now",
        " a month",
        "了",
        "吧",
    ]
    .iter()
    .any(|mark| after.starts_with(mark));
    if turned || STRONG.as_ref().is_some_and(|pattern| pattern.is_match(before)) {
        return 2;
    }
    let opens = before.rsplit('\n').next().is_some_and(|line| line.trim().is_empty());
    if opens && (after.trim().is_empty() || after.starts_with(['.', ',', '，', '。', '\n'])) {
        return 2;
    }
    let weak =
        opens || after.starts_with(" since") || WEAK.as_ref().is_some_and(|pattern| pattern.is_match(before));
    u8::from(weak)
}

static KEPT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)(?:(?-u:\b)(?:still|stays?|remains?|keeps?|stayed)(?: (?:at|on|the|is|are))*|",
        r"还是|仍是|仍然是?|依旧|保持|照旧|不变的?是)[\s`]*$",
    ))
});

/// Whether the words before a place say that what stands there holds as before.
pub(crate) fn is_kept(text: &str, range: &Range<usize>) -> bool {
    KEPT.as_ref().is_some_and(|pattern| pattern.is_match(tail(text, range.start)))
}

const NAME: &str = r"(`[^`\n]{2,60}`|[A-Za-z][\w.+/#@:-]*[\w+#](?: [A-Z][\w.+#-]*)*)";
const HAN_NAME: &str = r"((?:老|小|阿)[\p{Han}]|[\p{Han}](?:工|哥|姐|总|老师|师傅)|[\p{Han}]{2,3}?)";

static SUCCESSOR: LazyLock<Vec<Option<Regex>>> = LazyLock::new(|| {
    [
        format!(r"(?i:(?-u:\b)(?:from|off) [^,;.]{{2,40}}? (?:to|onto|over to)) (?:the )?{NAME}"),
        format!(r"(?i:(?-u:\b)(?:replaced (?:it |that |them )?(?:by|with)|(?:moved|switched|migrated|changed|went|going|over|cut over)(?: \w+){{0,3}} (?:to|onto)|became|(?:is|are) (?:now )?called|renamed (?:it )?to)) (?:the )?{NAME}"),
        format!(r"(?i:(?-u:\b)(?:we'?re|we are|everything(?: is|'s)?|all of it is|it'?s all|things are)(?: is| are| lives| runs| sits| goes)?(?: all| now)? (?:on|in|at|with|through|to)) (?:the )?{NAME}"),
        format!(r"(?i:(?-u:\b)(?:it'?s|it is|that'?s|now (?:it'?s|we use|use|uses|is|we'?re on|on|with)|we (?:now )?use|use|take|go with|ask|ping|talk to|contact|write to|call|belongs to|owned by|(?:is|are) now)) (?:the )?{NAME}"),
        format!(r"{NAME} (?i:(?:instead|now|these days|owns|holds|handles|took over|takes over|does (?:it|that|them)|runs (?:it|that)|is in charge|has (?:it|them|the keys)|is the (?:one|new)|inherited|replaces|replaced))(?-u:\b)"),
        format!(r"{NAME}, (?i:not)(?-u:\b)"),
        format!(r"(?-u:\b)(?i:on|off|from|at|via|through|in|to|with|by|under|for (?:us|this|that|me) (?:it'?s|it is)) (?:the )?{NAME}(?: (?:box|machine|server|host|cluster))? (?i:since|now|these days|nowadays|as of)(?-u:\b)"),
        r"((?-u:\b)[A-Z][a-z]+(?: [A-Z][a-z]+)?) (?i:reviews?|signs?|approves?|handles?|owns?|maintains?|runs?|merges?|decides?|answers?|manages?|covers?)(?-u:\b)".to_owned(),
        format!(r"(?:->|→|=>) ?{NAME}"),
        format!(r"(?:换成|換成|改成|改用|改为|换到|迁到|切到|转到|搬到|挪到|升到|统一用?|都用|改走|换用|就用|取代的是|替换成)了?(?:现在的)? ?{NAME}"),
        format!(r"(?:现在|如今|目前|已经)[^，。；]{{0,12}}?(?:是|用|在|走|归|找|由|上) ?{NAME}"),
        format!(r"(?:归|找|由|问|交给|换成|改成|换)(?:了)?{HAN_NAME}(?:管|负责|确认|来|审|拍板|对接|接|签|处理|维护|了|，|。|$)"),
        format!(r"{HAN_NAME}(?:接手|负责|接了|接替|来管|顶上)"),
        format!(r"{NAME} ?(?:接手|负责|接了|接替|来管|顶上|管)"),
        format!(r"\A{NAME}(?:[.,;，。；]|$|\n)"),
    ]
    .iter()
    .map(|pattern| regex(pattern))
    .collect()
});

/// The name that a text puts in the place of an old one; `known` tells what the old statement names already.
pub(crate) fn successor(text: &str, old: &str, known: &dyn Fn(&str) -> bool) -> Option<String> {
    let mut first: Option<String> = None;
    for pattern in SUCCESSOR.iter().flatten() {
        for captures in pattern.captures_iter(text) {
            let Some(found) = captures.get(1) else { continue };
            let Some(name) = accepted(text, found.range(), old, known) else { continue };
            if crate::families::rivals(old, &name, &std::collections::BTreeSet::new()).is_some() {
                return Some(name);
            }
            first = first.or(Some(name));
        }
    }
    // A member of a family is followed by another of it, where the words name one.
    if crate::families::is_member(&old.to_lowercase()) && first.is_some() {
        return crate::families::member_in(text, old).or(first);
    }
    first
}

static SINCE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(&format!(
        r"(?-u:\b)(?i:on|off|from|at|via|through|in|to|with|by|under) (?:the )?{NAME}(?: (?:box|machine|server|host|cluster))? (?i:since|now|these days|nowadays|as of)(?-u:\b)|(?:现在|如今|早就)(?:都|全)?(?:在|用|走|从|由|上) ?{NAME}"
    ))
});

/// The name that is said to hold a place since a day or now.
pub(super) fn since(text: &str, old: &str) -> Option<String> {
    let captures = SINCE.as_ref()?.captures(text)?;
    let found = captures.get(1).or_else(|| captures.get(2))?;
    accepted(text, found.range(), old, &|_| false)
}

/// A found name, where it is one and may follow the old one.
fn accepted(text: &str, range: Range<usize>, old: &str, known: &dyn Fn(&str) -> bool) -> Option<String> {
    let mut start = range.start;
    let whole = &text[range.clone()];
    if !whole.starts_with('`') {
        for word in whole.split(' ') {
            let lower = word.to_lowercase();
            if !lexicon::is_stop_word(&lower) && !VAGUE.contains(&lower.as_str()) {
                break;
            }
            start += word.len() + 1;
        }
    }
    let name = text.get(start..range.end)?.trim_end_matches(['.', ':', '/', '-', '\'']);
    let lower = name.trim_matches('`').to_lowercase();
    let han = name.chars().any(is_han);
    let vague = lower.len() < 2
        || lexicon::is_stop_word(&lower)
        || VAGUE.contains(&lower.as_str())
        || lower.chars().next().is_some_and(|c| c.is_ascii_digit());
    let after = text.get(start + name.len()..).unwrap_or_default();
    let group =
        [" team", " group", " project", " department", " side"].iter().any(|word| after.starts_with(word));
    let ticket = name.contains('-')
        && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '-')
        && name.chars().any(|c| c.is_ascii_digit());
    let day = super::value::find(name).iter().any(|value| value.form == super::value::Form::Weekday);
    let place = start..start + name.len();
    if vague
        || day
        || ticket
        || group
        || lower == old.to_lowercase()
        || known(&lower)
        || is_gone(text, &place)
    {
        return None;
    }
    // A Chinese name stands only for a Chinese name or a Latin one of a person.
    let fits = han == old.chars().any(is_han) || han && old.chars().all(|c| c.is_ascii_alphabetic());
    fits.then(|| name.to_owned())
}

/// Words that the expressions may take for names.
const VAGUE: &[&str] = &[
    "both",
    "staging",
    "production",
    "prod",
    "main",
    "master",
    "default",
    "everyone",
    "friday",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "saturday",
    "sunday",
    "half",
    "two",
    "three",
    "four",
    "five",
    "ten",
    "closed",
    "fine",
    "broken",
    "slow",
    "fast",
    "better",
    "worse",
    "hell",
    "me",
    "him",
    "them",
    "her",
    "somebody",
    "someone",
    "people",
    "cheaper",
    "faster",
    "different",
    "production",
    "hold",
    "call",
    "vacation",
    "leave",
    "track",
    "board",
    "day",
    "week",
    "已经",
    "现在",
    "我们",
    "他们",
    "自己",
    "大家",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn gone(text: &str, word: &str) -> bool {
        text.find(word).is_some_and(|at| is_gone(text, &(at..at + word.len())))
    }

    #[test]
    fn what_is_over_is_told_from_what_holds() {
        assert!(gone("mocha is history, we use ava", "mocha"));
        assert!(gone("port 81 now, not 80", "80"));
        assert!(gone("we're off pivotal since may", "pivotal"));
        assert!(gone("老钱调走了", "老钱"));
        assert!(gone("Moment 不用了", "Moment"));
        assert!(!gone("we use mocha everywhere", "mocha"));
        assert!(!gone("exports are drawn from postgres nightly", "postgres"));
    }

    #[test]
    fn the_name_in_its_place_is_found() {
        let none = |_: &str| false;
        let next = |text: &str, old: &str| successor(text, old, &none);
        assert_eq!(next("mocha is history, we're on ava since may", "mocha").as_deref(), Some("ava"));
        assert_eq!(next("we moved the board from trello to Plane", "trello").as_deref(), Some("Plane"));
        assert_eq!(next("Ines left. ask Corentin, he has the keys", "Ines").as_deref(), Some("Corentin"));
        assert_eq!(next("Moment 不用了，换成 Day.js 了", "Moment").as_deref(), Some("Day.js"));
        assert_eq!(next("老钱调走了，现在账务归小梁管", "老钱").as_deref(), Some("小梁"));
    }
}
