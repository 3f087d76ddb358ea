//! What a person's words leave behind: `moved from A to B`, `A is gone`, `we gave up on A`, `A 拆了`, `不跟 A 较劲了`.

use super::slot::stems;
use nidra_core::text::expression;
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Words after which, or before which, stands what is over; the group is what is over.
static LEFT: LazyLock<Vec<Option<Regex>>> = LazyLock::new(|| {
    [
        r"(?i)\bfrom (?P<over>[^,.;!?]{2,50}?) (?:(?:over |back |on )?(?:to|into|onto)|and)\b",
        r"(?i)\b(?:instead of|rather than|in place of|in lieu of|no longer|no more|not any ?more|anything but|rid of|done with|done|tired of|fed up with|away from|goodbye to|farewell to|off|without|replaces?|replaced|replacing|succeeds|supersedes|superseded|took over from|takes over from|(?:gave|give|given|giving) up(?: on)?|(?:rip|ripped|ripping|threw|throw|throwing|kick|kicked|chuck|chucked|toss|tossed|tear|tore)(?: out)?|drop(?:ped|ping)?|ditch(?:ed|ing)?|abandon(?:ed|ing)?|retir(?:ed|ing)|remov(?:ed|ing)|delet(?:ed|ing)|kill(?:ed|ing)?|scrap(?:ped|ping)?|axed|binned|left|quit|stopp?(?:ed|ing)?|use[ds]? to|never|don'?t|doesn'?t|isn'?t|not)(?: (?:the|that|this|our|any|all|using|to|with|on|by|in|of|have|be|a))* (?P<over>[^,.;!?]{2,40})",
        r"(?i)\b(?P<over>[\w./'-]+(?: [\w./'-]+){0,3}?)(?:'s|'re| is| are| was| were| has| have| had| got| goes?| went)? (?:been )?(?:all )?(?:gone|dead|over|history|out|obsolete|retired|dropped|removed|deleted|abandoned|useless|broken beyond|drowned|shut down|switched off|turned off|decommissioned|away|leaves|leaving|left us|left the)\b",
        r"从(?P<over>[^，。；]{1,16}?)(?:换|改|搬|迁|挪|升|降|切|移|转|变|调|提|推|放宽|拉|加|减|缩)",
        r"(?:不用|不再用|不再|弃用|放弃|替掉|替换掉|换掉|去掉|撤掉|拆掉|删掉|干掉|停掉|不走|不跟|不是|没用|别用|取代|代替|告别|抛弃)了?(?P<over>[^，。；]{1,16})",
        r"(?P<over>[^，。；]{1,20}?)(?:就|都|已经|早就|早|全|也|我们|咱们?|这套|那套|这一套|那一坨|这事)*(?:拿|卸|踢|埋|弃|丢|关|清|拆|撤|删|废|停|砍|换|下线|退役|放弃|没|不要|不用|扔|干净)(?:了|掉|没啦|没了|干净)",
    ]
    .into_iter()
    .map(|pattern| expression::new(pattern).ok())
    .collect()
});

/// The stems of what a text says to be over.
pub(super) fn left(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for pattern in LEFT.iter().flatten() {
        for captures in pattern.captures_iter(text) {
            found.extend(captures.name("over").map(|over| stems(over.as_str())).unwrap_or_default());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{left, stems};

    #[test]
    fn what_is_over_is_named_on_either_side() {
        for (text, over) in [
            ("the images moved from imgvault to pixelbarn", "imgvault"),
            ("loki drowned in the july outage", "loki"),
            ("you know what, let's rip koin out and use Hilt", "koin"),
            ("we gave up on overwriting after the double run", "overwriting"),
            ("Oliwia instead of Marek", "Marek"),
            ("设计稿上礼拜从蓝湖搬到 Figma 了", "蓝湖"),
            ("store 那一坨年前就拆没啦", "store"),
            ("算了不跟原生模块较劲了", "原生"),
            ("webpack 我们去年就卸掉了", "webpack"),
        ] {
            let found = left(text);
            assert!(stems(over).is_subset(&found), "{text}: {found:?}");
        }
    }
}
