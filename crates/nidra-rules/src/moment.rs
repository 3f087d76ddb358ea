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
