//! What belongs to the moment: work on one ticket, private life.

use nidra_core::text::expression;
use regex::Regex;
use std::sync::LazyLock;

fn regex(pattern: &str) -> Option<Regex> {
    expression::new(pattern).ok()
}

static TICKET: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(
        r"^(?:(?i:small|quick|little|tiny|one|next|first|a|then|and|now|also|another)[ ,]+|(?i:thing|task|one|things)[:,]? |然后|还有|另外|顺便|小事|，|,| |:|：)*(?:(?i:ticket|issue|bug|工单|单子|单号) ?)?#?(?:[A-Z][A-Z0-9]{1,7}-\d+|\d{3,6}(?-u:\b)[:：])",
    )
});

/// Whether a sentence is about one ticket: that is where it begins.
pub(crate) fn is_ticket_work(text: &str) -> bool {
    TICKET.as_ref().is_some_and(|pattern| pattern.is_match(text.trim_start()))
}

/// One occasion: it is undone afterwards, or it is for one showing.
static ONCE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)(?-u:\b)for (?:today|tonight|tomorrow|this (?:morning|afternoon|evening|weekend))(?:'s|’s) |",
        r"(?-u:\b)i(?:'ll|’ll| will|ll) (?:change|put|set|turn|switch|move|flip|revert) (?:it|them|that|this|everything)? ?back(?-u:\b)|",
        r"(?-u:\b)(?:put|change|set|turn|switch) (?:it|them|that) back (?:after|once|when|tomorrow|tonight|later)|",
        r"(?:just|only) (?:for|during) (?:this|the) (?:one|run|merge|photo|video|shoot|screenshot|demo|visit|tour|test|call|meeting|afternoon|morning|evening)(?-u:\b)|",
        r"就这一?(?:会儿?|回|次|趟|单|把|批|阵)|只这一次|仅此一次|",
        r"(?:拍|弄|用|测|看|演示|参观|跑|录|搞|展示)完(?:了)?(?:再|就|给我|给|帮我)*(?:改|弄|调|换|设|切)?(?:回|恢复|还原)|",
        r"(?:明天|后天|明早|回头|完了|下午|晚上)(?:再|就|给我|给)*(?:撤|改回|换回|恢复|还原|删|拆)(?:掉|了|回来|来|下来)?$",
    ))
});

/// Whether a sentence is for one occasion.
pub(crate) fn is_for_once(text: &str) -> bool {
    ONCE.as_ref().is_some_and(|pattern| pattern.is_match(text.trim_end_matches(['.', '。', '!', '！', ' '])))
}

/// A word that says no more than that what was said before it is for this once.
static LIMIT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)^(?:but |and |so )?(?:just|only)(?: for)? (?:this|today|tonight|now|once|here)(?: (?:one|once|time|run|merge|build|release|commit|batch|file|ticket|pr|thing|letter|chart|afternoon|morning|evening|week))?(?:,? (?:ok|please|though))?$|",
        r"(?i)^(?:this (?:one|time) only|one[- ]off|one time only|this once|as an exception|not (?:for good|in general|forever|always))$|",
        r"^(?:就|只|仅)(?:限)?(?:这|今天|此)(?:一?(?:次|回|趟|单|批|个|版|把))?(?:而已|啊|哈|吧)?$|^(?:下不为例|例外一次|仅此一次|只此一次|就一次|特例)(?:啊|哈)?$|^(?:不是|别当)(?:以后|长期|惯例|规矩|规则).{0,6}$",
    ))
});

/// Whether a sentence only limits the one before it to this once.
pub(crate) fn limits(text: &str) -> bool {
    LIMIT
        .as_ref()
        .is_some_and(|pattern| pattern.is_match(text.trim().trim_end_matches(['.', '。', '!', '！', ' '])))
}

/// A fault or a closure that ends at a time of the same day, an absence of a day or two.
static PASSING: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)(?-u:\b)(?:down|unavailable|offline|out|closed|unreachable|read-only|frozen|maintenance|patching|swapping|rebooting|busy|away|migrat\w+)(?-u:\b)[^.;!?]{0,40}(?-u:\b)(?:until|till|til|from \w+ (?:to|till|until)) (?:about |around |half past |quarter (?:past|to) )?(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|noon|midnight|\d{1,2}(?::\d\d)?)(?: ?o'?clock| ?[ap]m)?(?: tonight| today)?(?: ?[,;.]| so | and | because | bc |$)|",
        r"(?:在|正)(?:换|修|扩容|重启|割接|升级|维护|调|抢修|搬)[^。；]{0,16}(?:[一二三四五六七八九十两\d]+点(?:半|[一二三四五\d]+分?)?|[\d]+:\d\d|一会儿?|马上|待会|等会)(?:左右|前|之前|钟)?(?:能|就|可以|会)?(?:恢复|好|修好|回来|搞定|结束|可用)|",
        r"(?:打不开|连不上|挂了|用不了|登不上|进不去|502|503)[^。；]{0,24}(?:[一二三四五六七八九十两\d]+点(?:半)?|\d+:\d\d|一会儿?|下午|晚上)(?:左右|前)?(?:能|就|可以|会)?(?:恢复|好|修好|回来|搞定)|",
        r"(?:今天|明天|后天|明后天|今明两天|这两天|今晚)[^，。；]{0,4}(?:调休|请假|休假|不在|串休|病假|补休)",
    ))
});

/// Whether a sentence tells of a state that is over on the same day or the next.
pub(crate) fn is_passing(text: &str) -> bool {
    PASSING.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

static PRIVATE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)^(?:anyway,? |and |so |well,? |sorry,? |also,? )*(?:my|our) (?:cat|dog|kids?|son|daughter|baby|wife|husband|partner|boyfriend|girlfriend|mother|mom|mum|father|dad|sister|brother|uncle|aunt|",
        r"grand\w+|neighbou?rs?|landlord|back|knee|head|neck|wrist|tooth|teeth|stomach|flight|train|bus|car|bike|coffee|lunch|dinner)(?-u:\b)",
        r"|^i (?:hope|trust) (?:you|i find|everyone|all is|the)(?-u:\b)|^(?:i brought|i slept|i had (?:a|no|some) (?:coffee|tea|sleep|cake|lunch))(?-u:\b)",
        r"|^(?:我|咱)?(?:今天|昨天|昨晚|今早|最近|这两天)?(?:我|咱)?家?(?:的)?(?:猫|狗|孩子|娃|老婆|老公|媳妇|爸|妈|房东|腰|膝盖|手腕|头|牙|胃)(?:[^\p{Han}]|又|今天|昨|刚|在|把|都|还|要|疼|有点|贴)",
    ))
});

/// Whether a sentence tells of private life or is a politeness.
pub(crate) fn is_private(text: &str) -> bool {
    PRIVATE.as_ref().is_some_and(|pattern| pattern.is_match(text.trim_start()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_on_a_ticket_begins_with_it() {
        assert!(is_ticket_work("small thing: QX-120, the footer says 2024"));
        assert!(is_ticket_work("QX-77 的按钮先换成蓝的"));
        assert!(is_ticket_work("ticket 5120: the list is upside down"));
        assert!(!is_ticket_work("we wait for QX-120"));
        assert!(!is_ticket_work("commit titles begin with the number, like QX-1"));
    }

    #[test]
    fn private_life() {
        assert!(is_private("my dog ate the cable"));
        assert!(is_private("i hope you slept well"));
        assert!(is_private("我家猫又踩键盘"));
        assert!(!is_private("my team reviews on Mondays"));
    }
}
