//! Phrases by which people say that something turned, binds, is let be or holds for this once.

use nidra_core::text::expression::{self, matches};
use regex::Regex;
use std::sync::LazyLock;

/// Since a day, these days, any more.
pub(super) static LATELY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?i)\b(?:now|nowadays|these days|any ?more|any longer|no longer|since|as of|from now|going forward|lately|meanwhile|",
        r"new|newly|moved|switched|went to|took over|takes over|instead|got fixed|is fixed|was fixed|already|last (?:week|month|sprint|friday|monday)|ever since)\b|",
        r"现在|如今|目前|已经|从.{0,8}起|起改|以来|这阵子|最近|上周|上个月|新的|新版|不再|接手|换成|改成|改到|改为|挪到|搬到|迁到|升到|降到|调到|早就",
    ))
    .ok()
});
/// What was forbidden or demanded is let be.
pub(super) static LIFTED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?i)\b(?:(?:is|are|it'?s|that'?s) (?:fine|ok|okay|allowed|safe|permitted|good)(?: (?:now|again|for|if|to|as))?|no (?:need|special|more)|not? needed|needn'?t|don'?t (?:need|have) to|",
        r"(?:can|may|could|should) (?:go|be (?:dropped|removed|skipped|lifted|left out)|stay|come back)|(?:may|can) (?:use|be used)|fixed|squashed|solved|resolved|drop (?:the|that|it)|leave .{1,24} alone|lifted|gone|ok(?:ay)? (?:if|when|to)|allowed)\b|",
        r"不用再|不必|可以了|没事了|修好|修了|已修|不需要|放开|允许|可以用|取消|解除|不限",
    ))
    .ok()
});
/// A thing goes somewhere or becomes another: its name stands before the verb.
pub(super) static TURNS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?i)^(?:the |our )?[\w/-]+(?: [\w/-]+){0,3}? (?:moves?|moved|goes|went|switch(?:es|ed)|chang(?:es|ed)|has moved|was moved|is moving)(?: over| now)* (?:to|into|onto|from)\b|",
        r"^[^，。；]{2,12}?(?:现在)?(?:改到|改成|改为|改用|挪到|换到|换成|搬到|迁到|移到|调到|升到|降到|推到|提前到)",
    ))
    .ok()
});
static BINDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?i)\b(?:only|never|no|not|don'?t|must|always|first|before|by hand|manually|because|so we|otherwise|bug|crash(?:es)?|broken|avoid|needs?|forbidden)\b|",
        r"只|不要|不准|不能|禁止|必须|先|手动|别|一律|因为|否则",
    ))
    .ok()
});
static ONCE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?i)\b(?:(?:for|only|just) (?:just |only )?this (?:one|run|time|round|batch|trial|once|occasion)|one[- ]off|one[- ]time|as an exception|exceptionally|",
        r"just this once|this once|for (?:the|this) demo)\b|就这一?(?:回|次|趟|单|把|批)|只这一次|这一回|这次|下不为例|破例|例外一次|临时|仅此一次",
    ))
    .ok()
});

/// The agent speaks from its memory.
pub(super) static RECALLED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?i)\b(?:(?:my|the|our) (?:notes?|memory|memories|records?)|from memory|as (?:i remember|i recall|noted|recorded|documented)|i (?:have|had) (?:it )?(?:noted|written down|recorded)|memory (?:says|has|lists|still)|notes? (?:say|list|mention)s?|remembered|last i knew|used to be)\b|",
        r"(?:我的)?(?:记忆|笔记|备忘|记录)(?:里|中|上)|记得|按(?:照)?(?:记忆|笔记|之前的)|之前记的|我记着",
    ))
    .ok()
});

/// Whether a statement forbids or demands.
pub(super) fn binds(text: &str) -> bool {
    matches(&BINDS, text)
}

/// Whether a sentence says that something holds for this once.
pub(super) fn holds_once(text: &str) -> bool {
    matches(&ONCE, text)
}
