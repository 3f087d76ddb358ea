//! Orders that hold whenever something is so: `when you touch the grammar, regenerate the parser`, 改了表结构要写回滚脚本.
//!
//! The same form gives an order for once: `if it fails, restart it`. What tells is the condition. One that names a kind of
//! event – an activity of the work, `a` or `any` thing – comes again; one that points at a thing of the moment does not.
//! What a condition supposes is never a fact.

use nidra_core::text::expression::{self, matches};
use nidra_core::text::language::is_han;
use regex::Regex;
use std::sync::LazyLock;

fn regex(pattern: &str) -> Option<Regex> {
    expression::new(pattern).ok()
}

/// What a person does again and again in the work.
const DOES: &str = r"(?:commit|push|merge|release|deploy|rebase|tag|publish|ship|open|create|add|edit|change|touch|modify|write|rename|delete|remove|move|refactor|introduce|upgrade|update|review|generate|design|extend|reformat|document|migrate|bump|copy|import|log|report|propose|draft|estimate|cherry-pick|squash|fork|patch|vendor|revert|drop|rotate|install|split|translate|test|fix|archive|send|share|answer|reply|explain|summari[sz]e|restart|reset|paste|quote|name|link)";

/// A condition at the start, with its order behind a comma.
static BEFORE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(&format!(
        concat!(
            r"(?i)^(?:and |also,? |so )?(?:",
            // An activity, whatever it is done with.
            r"(?:when(?:ever)?|each time|every time|any ?time|before|after) (?:you|we|someone|somebody|anyone|anybody)(?:'re| are)? {does}(?:ing|s)?(?-u:\b)[^,:]{{0,60}}|",
            r"(?:before|after|when) (?:committing|pushing|merging|releasing|deploying|publishing|tagging|rebasing|renaming|refactoring|editing|changing|touching|adding|creating|deleting|removing|upgrading|opening)(?-u:\b)[^,:]{{0,60}}|",
            // One with any thing of a kind.
            r"(?:if|as soon as|once) (?:you|we|someone|somebody|anyone|anybody) {does}s? (?:an?|any|another|some|new|more than|something)(?-u:\b)[^,:]{{0,60}}|",
            // Any thing of a kind to which something happens.
            r"(?:when(?:ever)?|if|as soon as|each time|every time) (?:an?|any|some|another) [^,:]{{4,70}}|",
            r"(?:if|when(?:ever)?|in case) (?:you(?:'re| are)? |ever )?(?:unsure|uncertain|not (?:sure|certain)|in (?:any )?doubt|do(?: not|n'?t) know)(?-u:\b)[^,:]{{0,50}}",
            r"), (?:then |please |always |just |you (?:must|should|have to|need to) )*(?P<order>[a-z][^?？]{{5,}})$"
        ),
        does = DOES
    ))
});

/// An order that is bound to a permission or to a case: `only use sudo if I told you so`, `use mocks only when …`.
static ONLY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)^(?:please )?(?:only (?P<first>[a-z-]+) (?P<rest>[^,.;]{2,50}?) (?:if|when|once|after|where)(?-u:\b) |(?P<head>[a-z-]+) (?P<tail>[^,.;]{2,50}?) only (?:if|when|once|after|where|with)(?-u:\b) )",
        r"(?P<case>[^,;?？]{4,})$"
    ))
});

/// An order with its activity behind it: `run the linter first whenever you commit`.
static BEHIND: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(&format!(
        r"(?i)^(?:please |always )?(?P<order>[a-z][^,.;?？]{{5,70}}?) (?:when(?:ever)?|each time|every time) (?:you|we) {DOES}(?-u:\b)(?P<case>[^,;?？]{{0,40}})$"
    ))
});

/// Verbs with which a rule orders.
static ORDER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)^(?:also |first |always |never |please |do not |don'?t )*",
        r"(?:use|run|keep|put|write|prefer|avoid|call|ask|leave|stop|answer|store|name|start|build|rebuild|log|tag|commit|follow|add|set|make|check|read|treat|wait|skip|pin|wrap|format|test|explain|rotate|restart|export|import|quote|order|mock|document|validate|return|sort|merge|squash|push|pull|open|close|update|bump|regenerate|generate|split|quarantine|note|mention|register|notify|inform|prefix|link|attach|include|exclude|record|lint|sign|sync|refresh|escape|cover|copy|move|rename|remove|delete|drop|list|create|cite|mark|describe|adapt|adjust|raise|lower|revert|back up|file|fill|state|say|tell|warn|give|show|limit|extract|rebase|verify|ensure|disable|enable|review|request|get|touch|deploy|release|announce|force-push|install|upload|publish|translate|switch|archive|approve|fork|clean|flag|assign|reserve|spell|comment|restart|start|stop|point)(?-u:\b)",
    ))
});

/// Words that point at a thing or time of the moment.
static AT_HAND: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(
        r"(?i)(?-u:\b)(?:this|that|these|those|here|there|now|again|today|tonight|tomorrow|done|ready|finished|the (?:first|second|third|last|next|other) (?:one|ten|two|three|few)|for me|this one|that one|it (?:once )?more|have a look|let me know)(?-u:\b)",
    )
});
/// A thing at hand for what the condition is about.
static IT: LazyLock<Option<Regex>> = LazyLock::new(|| regex(r"(?i)(?-u:\b)(?:it|them|him|her)(?-u:\b)"));

/// Orders that look into something of the moment rather than rule how it is done.
static LOOKS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(
        r"(?i)^(?:just |please |then )*(?:look|see|show me|try|fix|go on|continue|retry|rerun|restart|kill|tell me what|skip it|ignore it)(?-u:\b)",
    )
});

static HAN: LazyLock<Vec<Option<Regex>>> = LazyLock::new(|| {
    [
        // A moment that comes with every piece of work.
        r"^(?:每次|以后|在)?(?:提交|推送|合并|合代码|发布|发版|上线|部署|打标签|打包|提测|提 ?PR|发 ?PR|push|commit|merge)(?:代码|改动|分支|新?版本|镜像)?(?:之前|以前|前|时候?|的时候|之后|以后|后)[，, ]?.{0,24}?(?:先|要|得|必须|务必|记得|都|再|顺便|同步|别忘|跑|更新|检查|通知)",
        // A kind of work, with what goes with it.
        r"^(?:每次|凡是|只要)?(?:新增|新建|添加|新加|增加|引入|修改|改动|改|动|碰|写|删除?|升级|重命名|迁移|拆分|加)(?:了|到)?[^，,。？?]{1,16}?(?:的时候|时|的话|之前|前|之后|后)[，, ]?(?:就|也|都)*(?:要|得|必须|务必|记得|先|顺便|同步|一定|不要|别|不准|不能)",
        r"^(?:改|写|加|删|动|升|建|拆|迁)完[^，,。？?]{1,16}?(?:之后|以后|后)?[，, ]?(?:就|也|都)*(?:要|得|必须|务必|记得|都|顺便|同步)",
        // A supposed case with a duty.
        r"^(?:如果|若是?|要是|一旦|凡是|只要|但凡)[^？?。]{2,30}?(?:就|则|[，,])?(?:也|都|还)?(?:要|必须|务必|得|记得|应当|同步|一律|一定|不要|别|不准|不许|不能)",
        // What is met now and then.
        r"^(?:碰到|遇到|遇上|每当|当)[^，,。？?了]{2,20}?(?:[，,]|的时候|时)?(?:就|要|先|必须|一律|都|别|不要)",
        // What the person alone allows.
        r"^(?:我没(?:有)?(?:说|让|叫|同意|点头|确认|批准)|没(?:有)?我的?(?:同意|允许|许可|确认|批准|点头)).{0,14}?(?:就|都)?(?:不要|别|不准|不能|不许|不得)",
        r"^只有(?:在)?我(?:说|让|叫|同意|点头|确认|要求|明确).{0,12}?(?:才|再)",
        r"^(?:如果|要是)?(?:拿不准|不确定|不清楚|没把握|说不准|吃不准).{0,12}?(?:就|先|要|都|得|请)+(?:来)?(?:问|找|跟我)",
    ]
    .into_iter()
    .map(regex)
    .collect()
});
/// What points at the moment, softens an order to one piece of work, tells what happened, or supposes a value.
static HAN_AT_HAND: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(concat!(
        r"这|那[个次张条份台]|它|刚|今天|今晚|明天|现在|一下|一眼|看看|试试|告诉我|给我看|上次|下次|帮我|我(?:点|改|写|加|删|动|提交|推|跑)|会不会|能不能|是不是|怎么|什么|吗|呢|",
        r"(?:是|在) ?[0-9A-Za-z][\w.:-]* ?(?:端口|上|里|的话|，|,|就)|就(?:会|能|报|挂|崩|卡|白|行|好)|的时候(?:会|就(?:会|报|挂|崩|卡|白))"
    ))
});

/// A sentence without the mark at its end; `None` for a question.
fn told(text: &str) -> Option<&str> {
    let text = text.trim().trim_end_matches(['.', '。', '!', '！', ' ']);
    (!text.ends_with(['?', '？'])).then_some(text)
}

/// Whether a sentence orders what is to be done whenever something is so.
pub(crate) fn is_standing(text: &str) -> bool {
    let Some(text) = told(text) else { return false };
    if text.chars().any(is_han) {
        return HAN.iter().flatten().any(|pattern| pattern.is_match(text)) && !matches(&HAN_AT_HAND, text);
    }
    let pattern = |pattern: &LazyLock<Option<Regex>>| {
        let captures = pattern.as_ref()?.captures(text)?;
        let named = |name: &str| captures.name(name).map(|found| found.as_str().to_owned());
        Some((
            named("order").or_else(|| named("first")).or_else(|| named("head")).unwrap_or_default(),
            named("rest").or_else(|| named("tail")),
        ))
    };
    if let Some((order, _)) = pattern(&BEFORE) {
        let condition = text.find(", ").map_or(text, |at| &text[..at]);
        return orders(&order) && !matches(&AT_HAND, text) && !matches(&IT, condition);
    }
    if let Some((order, object)) = pattern(&ONLY) {
        let object = object.unwrap_or_default();
        return matches(&ORDER, &order) && !matches(&IT, &object) && !matches(&AT_HAND, &object);
    }
    pattern(&BEHIND)
        .is_some_and(|(order, _)| orders(&order) && !matches(&AT_HAND, text) && !matches(&IT, text))
}

/// An order that is said to hold always, at its start or its end.
static ALWAYS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let frame = r"(?:always|never|from (?:now|here|today) on(?:wards?)?|going forward|henceforth|as a rule|at all times|without exception|in general)";
    regex(&format!(
        r"(?i)^(?:please )?(?:{frame},? (?:please )?)+(?P<order>[a-z].{{6,}})$|^(?:please )?(?P<first>[a-z].{{6,}}?),? (?:{frame}|every time|ever)$"
    ))
});
static ALWAYS_HAN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(concat!(
        r"^[^，,。？?]{0,14}?(?:一律|统一|永远|始终|以后|今后|往后|从现在起|从今往后|每次都?)(?:都|也|就|请|要|必须|得|直接|全|只)*",
        r"(?:用|写|放|走|跑|加|带|存|叫|按|先|不|别|打|归|返回|使用|采用|保持|避免|禁止|[^，,。？?]{1,12}?(?:用|写|放|走|跑|加|带|存|叫|按|先|不|别))"
    ))
});

/// Whether a sentence is an order that is said to hold always: `always tag releases`, 缩进一律用制表符.
pub(crate) fn is_always(text: &str) -> bool {
    let Some(text) = told(text) else { return false };
    if text.chars().any(is_han) {
        return matches(&ALWAYS_HAN, text) && !matches(&HAN_AT_HAND, text) && !matches(&HAN_LATER, text);
    }
    let Some(captures) = ALWAYS.as_ref().and_then(|pattern| pattern.captures(text)) else { return false };
    let order = captures.name("order").or_else(|| captures.name("first")).map_or("", |order| order.as_str());
    orders(order) && !matches(&AT_HAND, order) && !matches(&IT, order)
}

/// What is put off rather than ruled.
static HAN_LATER: LazyLock<Option<Regex>> =
    LazyLock::new(|| regex(r"(?:以后|今后|往后)(?:再|有(?:空|时间|机会)|慢慢|考虑)|再说"));

/// An order for a case that is only supposed, about a thing at hand: `if the cache is on port 7000, restart it`.
static SUPPOSED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)^(?:and |but |so |ok,? )?(?:if|in case|should|when|once) [^,?]{3,70}, (?:then |please |just )*(?P<order>[a-z][^?]{3,})$|",
        r"^(?:如果|要是|若|假如|万一)[^？?。，,]{2,24}(?:[，,]|就)(?:那)?(?:就|先|再|请|帮我)?(?P<han>[^，,。？?]{2,16})$|",
        r"^等[^，,。]{1,16}?(?:了|好|完|后)[，,]?(?:就|再|你)?(?P<wait>[^，,。]{0,3}一下[^，,。]{0,10})$"
    ))
});
/// An order about a thing at hand.
static DOES_IT: LazyLock<Option<Regex>> = LazyLock::new(|| regex(r"(?i)^[a-z]+ (?:it|them)(?-u:\b)"));
/// What a supposed case in Chinese gives for a value of something.
static HAN_VALUE: LazyLock<Option<Regex>> =
    LazyLock::new(|| regex(r"^[^，,就]{0,14}(?:是|在|用|跑在|监听|装了?) ?[0-9A-Za-z]"));

/// Whether a sentence orders one thing for a case that may not be so.
pub(crate) fn is_supposed(text: &str) -> bool {
    let text = text.trim().trim_end_matches(['.', '。', '!', '！', ' ']);
    let Some(captures) = SUPPOSED.as_ref().and_then(|pattern| pattern.captures(text)) else { return false };
    if is_standing(text) {
        return false;
    }
    if let Some(order) = captures.name("order") {
        let order = order.as_str();
        return matches(&DOES_IT, order) || matches(&IT, order) && (orders(order) || matches(&LOOKS, order));
    }
    captures.name("wait").is_some() || matches(&HAN_VALUE, text)
}

fn orders(words: &str) -> bool {
    matches(&ORDER, words) && !matches(&LOOKS, words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_for_every_case_of_a_kind_stands() {
        for text in [
            "when you rename a column, adapt the seed data",
            "whenever we upgrade a crate, note it in the changelog",
            "before deploying, announce it in the channel",
            "if a fixture grows beyond a megabyte, move it to the bucket",
            "if you add an environment variable, list it in the sample file",
            "in case you're unsure about a licence, ask me",
            "only force-push branches when I allow it",
            "use the admin account only after the owner agreed",
            "cite the ticket whenever you revert a commit",
            "合并之前要先在沙箱跑一轮",
            "修改枚举的时候同步改字典表",
            "加完权限点之后要刷新缓存",
            "一旦协议字段变了，必须通知客户端组",
            "遇到慢查询先加索引，不要改超时",
            "我没同意之前不要动生产库",
            "没把握的地方就先问我",
        ] {
            assert!(is_standing(text), "{text}");
        }
    }

    #[test]
    fn an_order_for_always_is_told_from_what_is_always_so() {
        for text in [
            "always squash fixups before a review",
            "from now on, name fixtures after the ticket",
            "going forward please keep the changelog in order",
            "never add a dependency without a note",
            "wrap the handlers in a span, always",
            "表名一律用小写",
            "以后接口都先写契约",
            "今后不准跳过评审",
            "时间统一按 UTC 存",
        ] {
            assert!(is_always(text), "{text}");
        }
        for text in [
            "always when I click, it hangs",
            "never mind that",
            "the build always fails",
            "always fix this one first",
            "you always forget the tests",
            "should we always tag releases?",
            "以后再说吧",
            "以后有空把文档写一下",
            "统一登录又挂了",
            "这次一律先跳过",
        ] {
            assert!(!is_always(text), "{text}");
        }
    }

    #[test]
    fn what_a_condition_supposes_is_told_from_a_rule() {
        for text in [
            "if the proxy is on box-3, move it to box-4",
            "if the queue lives in Redis, flush it",
            "once the import is through, archive it",
            "如果网关在 box-3 就迁到 box-4",
            "要是端口是 9300 就改掉",
            "等集群起来了跑一下冒烟",
        ] {
            assert!(is_supposed(text), "{text}");
        }
        for text in [
            "if a fixture grows beyond a megabyte, move it to the bucket",
            "if the flag is off, the cache is bypassed",
            "when we deploy a hotfix, tag it",
            "如果改了协议，必须升版本号",
            "等老周审完再合并",
        ] {
            assert!(!is_supposed(text), "{text}");
        }
    }

    #[test]
    fn an_order_for_a_case_at_hand_does_not() {
        for text in [
            "if it crashes, restart it",
            "when you're done, ping me",
            "when the import finishes, drop the table",
            "if you find the leak, fix it",
            "after you change this, run the suite",
            "when you open the page, it stays white",
            "if an alarm is on, look at the panel",
            "only run the third case",
            "only restart it when the queue is empty",
            "when you delete a row, does the audit log notice?",
            "whenever a user logs in, the counter jumps",
            "如果服务在 9000 端口就重启",
            "要是失败了就重跑",
            "改完这个再跑测试",
            "提交前帮我看一下改动",
            "我点提交的时候页面会卡住",
            "遇到这个报错就跳过",
        ] {
            assert!(!is_standing(text), "{text}");
        }
    }
}
