//! Weekdays of a rule: 周五不准发布, 周末别上线, `no releases on fridays`. They come every week and are no date.

use super::super::expression::{self, matches};
use regex::Regex;
use std::sync::LazyLock;

/// A weekday with a ban right behind it, or a rule for good right before it. `这周五` and `下周五` are days.
static HAN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let day = concat!(
        r"(?:周|週|星期|礼拜|禮拜)(?:[一二三四五六日天]|末)(?:早上|早晨|上午|中午|下午|傍晚|晚上|夜里|凌晨)?",
        r"(?:[一二三四五六七八九十\d:：]+点?半?(?:以后|之后|后|起))?(?:的?时候)?",
    );
    let who = r"[，, ]?(?:我们|咱们?|大家|谁|任何人|所有人|你)?(?:都|也|就|一律|统一|绝对|千万|坚决|一概)*";
    let work = r"(?:发|上线|上|合|部署|推|动|改|提交|升|做|跑|碰|接|排|布|切|迁|重启|打包)";
    expression::new(&format!(
        concat!(
            r"(?:^|[^这這那本下上每个個一二三四五六七八九十两几天日\d]){day}{who}",
            r"(?:不准|不许|不許|不得|不要|不能|不可以?|不允许|不允許|禁止|严禁|嚴禁|别|別|勿|(?:从不|绝不|不){work})|",
            r"(?:以后|今后|往后|永远|从今|从现在起)(?:的|每到|到了|逢)?[，, ]?{day}{who}(?:不|别|別|只|要|必须|得)|",
            r"(?:不要|不准|不许|不能|禁止|严禁|别|千万别)(?:在|赶在|挑|放在|放)?{day}{work}",
        ),
        day = day,
        who = who,
        work = work,
    ))
    .ok()
});

/// What tells that only the coming day is meant: something happens then, or the work moves to another day.
static ONCE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(
        r"推到|推迟|推遲|顺延|延期|延到|改到|挪到|下周|这周|這周|本周|停电|停電|放假|请假|請假|出差|参观|參觀|来访|演示|面试|大促|了[。！!]?$|吗|嗎|？|\?",
    )
    .ok()
});

static ENGLISH: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let day = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day";
    let weekly = format!(
        r"(?:(?:an? |any )?{day}s|an? {day}|any {day}|(?:an? |any |the )?weekends?|(?:an? |any )?{day} (?:mornings?|afternoons?|evenings?|nights?))"
    );
    expression::new(&format!(
        concat!(
            r"(?i)\b(?:no|never|don['’]?t|do not|must not|mustn['’]?t|avoid|not allowed to|nobody|nothing)\b[^.;!?]{{2,60}}?\b(?:on|over|at|during) {weekly}(?:\b|$)|",
            r"^(?:please |so |and )?(?:on|over|at|during) {weekly},? (?:we |you |please )*(?:don['’]?t|do not|never|must not|no|nothing|nobody)\b",
        ),
        weekly = weekly,
    ))
    .ok()
});

/// What was so, or is asked.
static TOLD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(r"(?i)\b(?:had|was|were|did|didn['’]?t|last|this|next|coming)\b|\?").ok()
});

/// Whether a sentence rules what is not to be done on a day of each week.
pub fn is_weekly_rule(sentence: &str) -> bool {
    // Most sentences name no weekday, and every sentence is asked.
    if !sentence.contains(['周', '週', '期', '拜'])
        && !["day", "weekend"].iter().any(|mark| sentence.contains(mark))
    {
        return false;
    }
    matches(&HAN, sentence) && !matches(&ONCE, sentence)
        || matches(&ENGLISH, sentence) && !matches(&TOLD, sentence)
}

#[cfg(test)]
mod tests {
    use super::is_weekly_rule;

    #[test]
    fn a_ban_on_a_day_of_each_week_is_told_from_one_on_the_coming_day() {
        for text in [
            "周四不准重启网关",
            "以后周一不合并",
            "星期五下午别动配置",
            "周末不要上线",
            "周五三点以后禁止推镜像",
            "别在周五部署",
            "不要周五晚上发版",
            "no schema changes on Thursdays",
            "don't restart the proxy on a monday",
            "on weekends, nobody touches the cluster",
            "never publish on friday afternoons",
        ] {
            assert!(is_weekly_rule(text), "{text}");
        }
        for text in [
            "这周五别发版",
            "下周一不要重启",
            "周五之前必须上线",
            "周四不能重启，机房停电",
            "周三不发版，推到下周",
            "周五不发了",
            "周五能不能上线？",
            "周二三点评审",
            "don't deploy on friday, the customer visits",
            "there was no build on sundays",
            "no meeting this friday",
        ] {
            assert!(!is_weekly_rule(text), "{text}");
        }
    }
}
