//! Sentences that name a secret first and its value in a later clause: `the password changed, it's … now`,
//! `口令换了，现在是 …`.

use super::statement::{self, Tongue};
use super::telling::{self, Name};
use super::value::{self, Value};
use super::{Take, floor, fold, turned};
use crate::text::language::is_han;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// How far behind its name a value begins at most, in bytes.
const REACH: usize = 180;

/// How a clause goes on behind a name when it tells of a change, or ends.
static ENGLISH_TURN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"^(?i-u)s?(?:[,.;:!?]| -|(?: (?:was|were|has|have|had|got|is|are|been|being|just|also|since|already|again|then|now|today|yesterday|only|recently)){0,4} (?:chang(?:ed|es)|rotat(?:ed|es)|reset|updated|expired|replaced|different|new|old|leaked|lost|forgotten|regenerated|revoked|renewed|set|from|was|you|i|we|they|he|she|that|which)\b)",
    )
    .ok()
});

/// What points at a value in a later clause.
static ENGLISH_JOINT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i-u)(?:^s?\?|\b(?:it(?:'s|\x{2019}s| is| was| became)(?: now| currently| just| set to| still)?|(?:the )?new (?:one|value)(?: is|'s)?|(?:the )?current one(?: is)?|now(?: it'?s| it is| is)|(?:chang|switch|rotat)ed (?:it )?(?:in)?to|set (?:it )?to|this one|here you go|here it is|from|to|now|is|was)) ?[:,\-=]? *[(]?",
    )
    .ok()
});

/// The same in Chinese: a change or the end of a clause.
static CHINESE_TURN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"^(?:[，。；,;！!]|(?:又|刚刚?|已经?|昨天|今天|早上|上周|再次|全部?|都|被|还是|我们?|他们?|运维|要|给|后来|临时|统一|重新|的话?){0,4}(?:换|改|变|重置|更新|过期|轮换|设|忘|定|泄露|失效|老的|旧的|原来|以前|之前|发|给|告诉|写|放|从|由|在))",
    )
    .ok()
});

/// What points at a value in a later clause, in Chinese.
static CHINESE_JOINT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?:(?:现在|目前|如今|当前|新的?|新密码|新口令|最新的?|那边|这边)(?:就|都|统一)?(?:是|用的?是?|为|叫|改成了?|换成了?)?|(?:改|换|变|设置?|重置|更新|定|写)(?:成|为|到|回)了?|那个|原来的|以前的|之前的|老的|旧的|(?:发|给|告诉)(?:你们?|您|大家)了?|(?:以后|今后|往后|之后)(?:都|就)?用|就(?:用|填|是)|用的是|还是|是|从|由|发一下|[:：])[ ]?[:：]?[ ]?[(（]?",
    )
    .ok()
});

/// Joints that stand in any sentence.
const WEAK: &[&str] = &["from", "to", "now", "is", "was", "set to", "从", "由", "是", "那个", ":", "："];

/// Gives the value that a later clause states for the name that stands here.
pub(super) fn later(text: &str, name: Range<usize>, line: Range<usize>, tongue: Tongue, take: &mut Take<'_>) {
    let (turn, joint) = match tongue {
        Tongue::English => (&*ENGLISH_TURN, &*ENGLISH_JOINT),
        Tongue::Chinese => (&*CHINESE_TURN, &*CHINESE_JOINT),
        Tongue::Other => return,
    };
    let (Some(turn), Some(joint)) = (turn.as_ref(), joint.as_ref()) else { return };
    let slice = &text[name.end..floor(text, line.end.min(name.end + REACH))];
    // What is generated has digits; anything else must be quoted.
    if !turned::is_promising(slice) || !turn.is_match(slice) {
        return;
    }
    let mut taken = false;
    let kind = Name::of(&text[name.clone()]);
    for found in joint.find_iter(slice) {
        // "reset the password, then go to …": such a word points only in the clause of the name, or from an old value
        // to the new one.
        let weak = WEAK.contains(&found.as_str().trim().to_ascii_lowercase().as_str());
        let same = !slice[..found.start()]
            .contains([',', '.', ';', ':', '!', '?', '，', '。', '；', '：', '！', '？']);
        if weak && !same && !taken || !value::can_begin(&slice[found.end()..]) {
            continue;
        }
        let Some(value) = Value::read(text, name.end + found.end()..line.end, false) else { continue };
        let whole = &text[value.range.clone()];
        // Chinese words may follow the value without a blank.
        let words = whole.find(is_han).map_or(whole, |han| &whole[..han]);
        let rest = &text[value.range.start + words.len()..line.end];
        let rest = rest.trim_start_matches(['`', '"', '\'', '”', '’', '」', '』', '】', '»', '*', ')', '）']);
        let closed = tongue == Tongue::Chinese || value.quoted || telling::ends_clause(rest);
        if closed && telling::is_telling(words, value.quoted, kind) {
            take(statement::NAME, value.range.start..value.range.start + words.len());
            taken = true;
        }
    }
}

/// A question for a password, up to the end of its line.
static QUESTION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^(?:(?i-u)s? ?(?:for [\w ./-]{1,40})?(?:again|please)?|(?:是|的)?(?:多少|什么|啥|几|有吗|呢|发我|给我|发一下|发下)?(?:来着|啊|呀|吗|呢)?)[ ]?[?？][ ]*$").ok()
});

/// Gives the answer to a question for a password: it stands alone on the next line, perhaps behind the name of who says
/// it.
pub(super) fn answer(text: &str, name: Range<usize>, line: Range<usize>, take: &mut Take<'_>) {
    let asked = &text[name.end..line.end];
    if asked.len() > 80
        || !asked.contains(['?', '？'])
        || !QUESTION.as_ref().is_some_and(|question| question.is_match(asked.trim_end()))
    {
        return;
    }
    let start = fold::next_words(text, line.end);
    let rest = &text[start..floor(text, start + 160)];
    let reply = &rest[..rest.find('\n').unwrap_or(rest.len())];
    let speaker =
        reply.find([':', '：']).filter(|&mark| mark <= 30 && !reply[..mark].contains(char::is_whitespace));
    let skipped = speaker.map_or(0, |mark| {
        let behind = &reply[mark..];
        mark + (behind.len() - behind.trim_start_matches([':', '：', ' ', '\t']).len())
    });
    let Some(value) = Value::read(text, start + skipped..start + reply.len(), false) else { return };
    // A quotation may end behind it.
    let rest =
        text[value.range.end..start + reply.len()].trim_start_matches(['.', '。', '!', '！', ' ', '\r']);
    let alone = rest.chars().next().is_none_or(|next| turned::QUOTES.contains(&next) || next == '\\');
    let kind = Name::of(&text[name]);
    if alone && telling::is_telling(&text[value.range.clone()], value.quoted, kind) {
        take(statement::NAME, value.range);
    }
}
