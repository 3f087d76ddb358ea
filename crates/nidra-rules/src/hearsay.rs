//! Whose words a sentence gives: another's wish is no rule until the person takes it over.

use crate::phrase;
use crate::revise::value;
use crate::sentence::has_value;
use nidra_core::text::expression;
use regex::Regex;
use std::sync::LazyLock;

static ENGLISH: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?i)^(?:so |btw,? |and |well,? |apparently |also )*(?P<who>(?:some|one|a|an|the|our|my|this|that|his|her)? ?(?:[\w'-]+\.? ){0,5}?[\w'-]+)(?:, (?:who|which|an?|the|our) [^,.;]{3,60},)? ",
        r"(?:(?:just|also|always|really|still|again|keeps?|kept|even|now) )*",
        r"(?:says?|said|saying|suggest(?:s|ed|ing)?|wants?|wanted|complain(?:s|ed)?|whin(?:es|ed)|grumbl(?:es|ed)|begs|begged|nags|nagged|demands|demanded|thinks?|thought|reckons?|propos(?:es|ed)|insists?|claims?|claimed|recommend(?:s|ed)?|",
        r"would (?:like|love|prefer)|wishes|swears?|argues?|argued|asked (?:for|if|us|me|that)|is asking for|is pushing for|told (?:(?:me|us) (?:that|to)|(?:his|her|their) (?:\w+ )?(?:lot|team|people|folks|guys|crew|group|staff|devs|students|colleagues))|",
        r"wrote|writes?|posted|posts|commented|comments|read somewhere)(?-u:\b)",
        r"|(?-u:\b)(?:according to|i (?:read|heard|saw) (?:somewhere |online |on \w+ )?(?:that|people|a)|people (?:online|on \w+) (?:say|claim)|the internet says|word is)(?-u:\b)",
    ))
    .ok()
});
static CHINESE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"^(?:对了|另外|刚|刚才|昨天|今天|上午|下午|，|,| )*(?:",
        r"(?:网上|群里|有人|别人|人家|论坛|知乎|博客|文章|同事|产品|运营|市场|测试|前端|后端|设计|商务|销售|实习生|新来的)(?:经理|同学|那边|部|组|的人|的同事|们|里|上)?",
        r"(?:(?:小|老|阿)\p{Han})?|[A-Za-z]* ?\p{Han}{0,4}(?:组|部|部门|团队|那边)(?:的|那个|那位|那帮|里|有)*(?:个)?\p{Han}{0,4}?",
        r"|(?:老|小|阿)\p{Han}|\p{Han}{1,2}(?:哥|姐|总|工|老师)|隔壁(?:组|的)?\p{Han}{0,3}|[A-Z][a-z]+",
        r")(?:在?(?:群里|会上|评论里|微信上))?(?:又|还|老|一直|总|都|就)?(?:说|說|觉得|覺得|建议|想(?:把|要|让|用|搞|做|加|改)|要求|提议|认为|希望|非要|主张|推荐|嚷嚷|提了|写|非让|让我们?)",
        r"|^[^，。]{0,8}(?:(?:老|小|阿)\p{Han}|\p{Han}(?:哥|姐|总|工))[^，。]{0,8}[，, ](?:说|說|讲|嚷嚷|非说|建议|觉得)(?:他|她|我|咱|要|应|可以|不如|以后|都)",
        r"|^(?:据说|听说|網上|网传)",
    ))
    .ok()
});
/// Those whose word binds: laws, payers, owners of a platform.
static BINDING: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(
        r"(?i)\b(?:legal|compliance|security|audit(?:ors?)?|regulators?|the (?:law|contract|licen[cs]e|vendor|customer|client|board|bank|office)|gdpr|customers?|clients?|office|management|finance|ops|infra|platform|policy|docs?|documentation|spec|rfc|i|we|you|it|that|this|which|who|code|log|error|readme|output)\b|法务|合规|审计|监管|安全|财务|运维|平台|网络|机房|客户|甲方|合同|总部|领导|老板",
    )
    .ok()
});
static ADOPTED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?i)\b(?:(?:he|she|they)(?:'s|'re| is| are) (?:right|correct|not wrong)|i (?:agree|fully agree)|(?:do|let'?s do|we do|we'll do) (?:it|that|so|exactly that)\b|",
        r"(?:do|make) it (?:that|his|her|their) way|good (?:point|idea|call)|fair (?:point|enough)|makes? sense|agreed|so be it|let'?s adopt|adopt (?:it|that)|",
        r"(?:and )?so (?:do that|we|let'?s|from now)|take (?:it|that) as a rule|i'?m with (?:him|her|them))\b|",
        r"说得对|說得對|说的对|有道理|我同意|同意他|同意她|听他的|听她的|照(?:他|她|着)|就按(?:他|她|这个|那个|这)|按(?:他|她)说的|采纳|那就(?:这么|按|照)|以后就(?:这么|按|照)",
    ))
    .ok()
});

/// Things of other teams, of the maker, of a show.
static OTHERS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?i)\b(?:theirs?|(?:other|next|neighbou?r\w*) (?:team|group|project|repo|company|office)|next door|nothing to do with us|not (?:ours?|us|here)|",
        r"(?-i:[Tt]he) (?:colleagues|people|folks|guys|team|group) (?:of|in|at|from|over at) (?-i:[A-Z])\w+|for their own \w+|someone else'?s?|(?:his|her|their) own|stock (?:setting|default)|(?:demo|sandbox|trade fair|showroom) (?:box|kiosk|machine|server|instance|account|system|unit)|upstream'?s?)\b|",
        r"他们那边|她们那边|人家那边|隔壁|\p{Han}服那边|别的(?:组|团队|项目)|其他(?:组|团队|项目)|跟我们(?:没关系|无关)|不是我们|不归我们|演示|默认值|官方默认",
    ))
    .ok()
});

/// Whether a sentence speaks of others' things: what holds there says nothing of what holds here.
pub(crate) fn is_of_others(text: &str) -> bool {
    let Some(pattern) = OTHERS.as_ref() else { return false };
    if !pattern.is_match(text) {
        return false;
    }
    // `prod is on 15 now, their boss knows` gives a value of ours and mentions others behind it.
    let gives = |part: &str| has_value(part) || !value::find(part).is_empty();
    let ours = phrase::parts(text).take_while(|part| !pattern.is_match(part)).any(gives);
    !ours || phrase::parts(text).any(|part| pattern.is_match(part) && gives(part))
}

/// What does not hold: forbidden, past, nearly so.
static HOLDS_NOT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?i)^(?:please |and |but |so )*(?:don'?t|do not|never) (?:\w+ ){0,3}?(?:set|raise|lower|change|move|bump|increase|decrease|make|put|use|go|switch)\b|",
        r"\b(?:should|must|may|can|shall) (?:never|not)\b|\b(?:almost|nearly|not sure|no idea)\b|",
        r"\b(?:was|were|had|used to|timed out|took|deployed|failed|ran)\b[^.;]*\b(?:before|previously|earlier|back then|last (?:week|month|year|run|time|night)|in my last|in the last|yesterday|ago|once)\b|",
        r"\bthe (?:old|former|previous) [^.;,]* (?:was|were|had)\b|",
        r"^(?:请|麻烦|但|那)?(?:别|不要|千万别|不准)(?:再)?(?:把|改|调|设|升|降|用)|差点|险些|不确定|以前是|原来是|之前是|曾经",
    ))
    .ok()
});

/// Whether a sentence tells of a value that does not hold: one forbidden, one of the past, one that nearly was.
pub(crate) fn holds_not(text: &str) -> bool {
    HOLDS_NOT.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

/// The person turns another's wish down in the same breath.
static REBUFFED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?i)\b(?:he|she|they|him|her|them|boss|client|customer|marketing|sales|somebody|someone|everybody)\b.*(?:\blol,? no\b|\b(?:i|we) (?:said|say|told (?:him|her|them)) no\b|\bdream on\b|\bnice try\b|\bturned (?:it|him|her|them) down\b|\bi (?:just )?(?:smiled|nodded)\b)",
        r"|怼回去|驳回去|顶回去|给拒了|我(?:没|不)(?:答应|理|同意)|没理他|没理她|想什么呢|想得美|做梦吧",
    ))
    .ok()
});

/// What stands in quotation marks behind a note, a mail or a review of another's.
static NOTED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r#"(?i)(?-u:\b)(?:comment|note|mail|e-mail|message|review|report|post|thread|tweet|feedback|suggestion|sticky)s?(?-u:\b)[^:"“.]{0,30}[:,]? ?["“](?:we|you|they|please|all|always|never|just|should|must|let)(?-u:\b)|"#,
        r#"(?:评论|意见|报告|邮件|留言|帖子|review|report|comment|反馈|建议书|弹幕)[^：:。"“]{0,8}[:：话說说]? ?["“「](?:[^"”」]{0,10}(?:建议|应该|要|全部|必须|可以|不要|should|must|always|never)|you|we)"#,
    ))
    .ok()
});

/// Another's wish behind a clause of the person's own: `…, the intern thinks we should stream it`.
static BEHIND: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(
        r"(?i)[,;] (?:and |but |so )?(?P<who>(?:(?:some|one|a|an|the|our|my|his|her|their) )?(?:[\w'’-]+ ){0,3}?[\w'’-]+) (?:thinks|says|said|wants|suggests|suggested|insists|claims|reckons|believes|keeps saying) (?:that )?(?:we|you|us|everything|everyone|all of) (?:should|must|ought|to|have|need|had better|could)(?-u:\b)",
    )
    .ok()
});

/// The sentence before is said to be about others.
static DISCLAIMED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?i)^(?:but |and )?(?:that|this|it|those|these|they)(?:'s|’s|'re| is| are| was)? (?:only |just )?(?:for )?(?:theirs?|them|him|her|(?:his|her|their) [^.,;]{2,40})(?:,? (?:and )?(?:not|nothing|never) [^.;]{0,12}(?:us|ours?|here))?$|",
        r"^(?:but |and )?(?:not|nothing|none) (?:for |of |to do with )?(?:us|ours?|our (?:thing|business|problem|rule))$|^(?:let|leave) (?:him|her|them) (?:dream|talk|hope|be|rave)$|^(?:just |please )?(?:ignore|forget) (?:him|her|them)$|",
        r"^(?:这|那)?(?:是)?(?:他们|她们|人家|他|她)(?:自己|那边)?的(?:事|规矩|规定|习惯)|^(?:跟|和)?(?:我们|咱们?)(?:没|不)(?:这套|关系|这么干|用管|管)|^(?:不关|跟)(?:我们|咱们?)(?:的)?(?:事|没关系)|^别(?:理|管|听)(?:他|她|他们|她们)$",
    ))
    .ok()
});

/// Whether a sentence says of the one before it that it is others' matter or not to be taken seriously.
pub(crate) fn disclaims(text: &str) -> bool {
    let text = text.trim().trim_end_matches(['.', '。', '!', '！', ' ']);
    DISCLAIMED.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

/// Others' things from which ours are told apart.
static UNLIKE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?i)(?-u:\b)for their own \w+|(?-u:\b)(?:forget|ignore) (?:him|her|them)$|(?-u:\b)(?:unlike|other than|different from) (?:us|ours)(?-u:\b)|(?-u:\b)not for (?:us|ours)(?-u:\b)|",
        r"(?:跟|和|与)(?:我们|咱们?)(?:的)?(?:不一样|不同|没关系|无关|两码事)|别(?:去)?(?:看|学|管|照|抄|参考)(?:他们|人家|她们)"
    ))
    .ok()
});

/// Whether a sentence tells of others' things to say that ours are not so.
pub(crate) fn is_unlike_ours(text: &str) -> bool {
    UNLIKE
        .as_ref()
        .is_some_and(|pattern| pattern.is_match(text.trim_end_matches(['.', '。', '!', '！', ' '])))
}

/// Where in a sentence another's words are announced: the length of `Ludmila says that`, in bytes.
fn announced(text: &str) -> Option<usize> {
    let plain = text.trim_start();
    let cut = text.len() - plain.len();
    if let Some(hit) = CHINESE.as_ref().and_then(|pattern| pattern.find(plain)) {
        let who = hit.as_str();
        let binding = BINDING.as_ref().is_some_and(|pattern| pattern.is_match(who));
        return (!binding).then_some(cut + hit.end());
    }
    let captures = ENGLISH.as_ref()?.captures(plain)?;
    let hit = captures.get(0)?;
    if let Some(who) = captures.name("who") {
        let who = who.as_str();
        let binding = BINDING.as_ref().is_some_and(|pattern| pattern.is_match(who));
        let words = who.split_whitespace().count();
        let indefinite = ["some ", "a ", "an ", "one ", "the ", "this ", "my ", "our "]
            .iter()
            .any(|word| who.to_lowercase().starts_with(word));
        let named = words <= 4 || indefinite && words <= 6;
        if binding || !named || crate::lexicon::opens(crate::lexicon::Cue::Standing, who).is_some() {
            return None;
        }
    }
    Some(cut + hit.end())
}

/// Whether a sentence gives another's words or wish.
pub(crate) fn is_foreign(text: &str) -> bool {
    (announced(text).is_some()
        || is_noted(text)
        || is_behind(text)
        || REBUFFED.as_ref().is_some_and(|pattern| pattern.is_match(text)))
        && !adopts(text)
        && !concludes(text)
}

/// Whether a sentence quotes what another noted or demands.
fn is_noted(text: &str) -> bool {
    !binds(text) && NOTED.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

/// Whether another's wish stands behind words of the person's own.
fn is_behind(text: &str) -> bool {
    let who = BEHIND.as_ref().and_then(|pattern| pattern.captures(text)?.name("who"));
    who.is_some_and(|who| !BINDING.as_ref().is_some_and(|pattern| pattern.is_match(who.as_str())))
}

/// What a person orders after another's words.
static CONCLUDED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?i)[,;] (?:please |and |so |then |just )*(?:set|make|put|raise|lower|bump|change|switch|move|cut|keep|turn) (?:it|that|them|this|the \w+) (?:down |up |back |over )?(?:to|at|into|onto)\b|",
        r"[,;] (?:and )?so (?:please )?(?:use|set|make|put|raise|lower|export|change|move|switch|cut|keep|send|store|write|call|name|run|it'?s|it has to|it must|it goes|this|from)\b|",
        r"[，,；]\s*(?:所以|因此|那就|那么就|咱就|我们就)|[，,；]\s*(?:就|都|先|把它?)?(?:改|换|调|设|放|降|升|提|压|加|减)(?:到|成|为|回)",
    ))
    .ok()
});

/// Whether a person concludes from what another said how it is to be: then the word is the person's.
fn concludes(text: &str) -> bool {
    CONCLUDED.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

/// Whether a sentence names one whose word binds: the law, the contract, the customer.
pub(crate) fn binds(text: &str) -> bool {
    let head = text.split(['"', '\u{201c}', '\u{300c}', ':', '：']).next().unwrap_or(text);
    BINDING_SOURCE.as_ref().is_some_and(|pattern| pattern.is_match(head))
}

static BINDING_SOURCE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(
        r"(?i)\b(?:legal|compliance|auditors?|regulators?|law|contract|licen[cs]e|customers?|clients?|board|bank|gdpr|spec|rfc|policy)\b|法务|合规|审计|监管|客户|甲方|合同|总部|领导|老板",
    )
    .ok()
});

/// Whether a sentence takes over what another said.
pub(crate) fn adopts(text: &str) -> bool {
    ADOPTED.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

/// The words that were taken over, without who said them and without the consent.
pub(crate) fn adopted(text: &str) -> String {
    let Some(start) = announced(text) else { return text.to_owned() };
    let rest =
        text[start..].trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ':' | '：' | ',' | '，'));
    let rest = rest.strip_prefix("that ").or_else(|| rest.strip_prefix("to ")).unwrap_or(rest);
    let parts: Vec<&str> = phrase::parts(rest).filter(|part| !adopts(part)).collect();
    let joined = parts.join(if rest.contains('，') { "，" } else { ", " });
    if joined.trim().is_empty() { rest.to_owned() } else { joined }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anothers_wish_is_told_from_a_binding_word_and_the_persons_own() {
        for text in [
            "sales guy says we should always ship on fridays",
            "a contractor suggested to never use views",
            "growth wants a banner on every page",
            "网上说索引越多越好",
            "老钱说以后一律用 XML",
            "运营想把按钮都改成红的",
        ] {
            assert!(is_foreign(text), "{text}");
        }
        for text in [
            "legal says names must never leave the EU",
            "the contract says 30 days",
            "we want short answers",
            "i think we always tag releases",
            "法务说身份证号不能落库",
            "先跟我说再改",
            "never say never",
        ] {
            assert!(!is_foreign(text), "{text}");
        }
    }

    #[test]
    fn what_the_person_takes_over_is_the_persons() {
        let text = "Ines says that we never log names, and she's right, do it that way";
        assert!(!is_foreign(text));
        assert_eq!(adopted(text), "we never log names");
        assert_eq!(adopted("老钱说卡号不能打印，他说得对，以后就按这个来"), "卡号不能打印");
        for text in [
            "warehouse people say 40 is too few, set it to 60",
            "运营说要早点看到，所以报表六点之前出",
            "Leni wants it darker, so use #222 there",
        ] {
            assert!(!is_foreign(text), "{text}");
        }
    }

    #[test]
    fn others_behind_our_own_value_do_not_take_it_along() {
        assert!(!is_of_others("the cache goes to 900 s, i told their lead"));
        assert!(is_of_others("theirs stays at 900 s"));
        assert!(is_of_others("ours is at 60 s, theirs at 900 s"));
        assert!(is_of_others("their shop never opens on sundays"));
    }
}
