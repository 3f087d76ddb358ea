//! Sentences in which the value stands before its name: `use … as the password`, `… is the new password`, `… 当密码`.

use super::statement::{self, Tongue};
use super::telling::{self, Name};
use super::{Take, quality};
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// How far in front of its name a value begins at most, in bytes.
const REACH: usize = 160;

/// How many words stand between a value and its name at most.
const MOST_WORDS: usize = 7;

/// Gives the value in front of a name that stands here.
pub(super) fn turned(
    text: &str,
    name: Range<usize>,
    line: Range<usize>,
    tongue: Tongue,
    take: &mut Take<'_>,
) {
    let start = super::floor(text, name.start.saturating_sub(REACH)).max(line.start);
    let before = &text[start..name.start];
    // What is generated has digits, and nearly nothing else in front of a name has them; the rest must be quoted.
    if !is_promising(before) {
        return;
    }
    let value = match tongue {
        Tongue::English => english(text, start, &name),
        Tongue::Chinese => chinese(text, start, &name),
        Tongue::Other => None,
    };
    if let Some(value) = value {
        take(statement::NAME, value);
    }
}

/// Whether a value without a mark of its own can stand in a text: it has a digit, a capital inside, several
/// hyphens, or quotes around it.
pub(super) fn is_promising(text: &str) -> bool {
    text.contains(|c: char| {
        !c.is_ascii_alphabetic() && c != ' ' && (c.is_ascii_digit() || QUOTES.contains(&c))
    }) || quality::has_hump(text)
        || text.bytes().filter(|&byte| byte == b'-').count() >= 3
}

/// What people put around a value.
pub(super) const QUOTES: &[char] =
    &['`', '"', '\'', '“', '”', '‘', '’', '「', '」', '『', '』', '【', '】', '«', '»', '*'];

/// The range without the quotes around it, and whether there were any.
fn unquoted(text: &str, range: Range<usize>) -> (Range<usize>, bool) {
    // `{"stdout":"X is the password`: a quotation may begin inside the word, and a line may end there.
    let word = &text[range.clone()];
    let inner = word.trim_end_matches(QUOTES);
    let head = inner.rfind(QUOTES).map_or(0, |at| at + inner[at..].chars().next().map_or(1, char::len_utf8));
    let head = head.max(inner.rfind("\\n").map_or(0, |at| at + "\\n".len()));
    let range =
        if head < inner.len() && !word.starts_with(QUOTES) { range.start + head..range.end } else { range };
    let word = &text[range.clone()];
    let start = range.start + (word.len() - word.trim_start_matches(QUOTES).len());
    let end = range.start + word.trim_end_matches(QUOTES).len();
    (start..end.max(start), start > range.start && end < range.end)
}

/// `use X as the db password`, `try X for the password`, `X is our new password`, `admin/X are the credentials`.
fn english(text: &str, start: usize, name: &Range<usize>) -> Option<Range<usize>> {
    let rest = text[name.end..].strip_prefix('s').unwrap_or(&text[name.end..]);
    if !text[..name.start].ends_with(' ') || !telling::ends_clause(rest) {
        return None;
    }
    let words = telling::words_before(text, start..name.start);
    for (index, word) in words.iter().enumerate().take(MOST_WORDS) {
        let joint = &text[word.clone()];
        // A clause ends here; its words belong to something else.
        if index > 0 && joint.ends_with([',', '.', ';', ':', '!', '?']) {
            return None;
        }
        let after = index.checked_sub(1).and_then(|next| words.get(next)).map(|next| &text[next.clone()]);
        let owned = after.is_some_and(|word| OWNERS.contains(&word));
        // `X (the root password)`.
        if let Some(inner) = joint.strip_prefix('(') {
            let close = OWNERS.contains(&inner) || index == 0;
            let (value, quoted) = unquoted(text, words.get(index + 1)?.clone());
            let kind = Name::of(&text[name.clone()]);
            return (close && telling::is_telling(&text[value.clone()], quoted, kind)).then_some(value);
        }
        let mut back = index + 1;
        while words.get(back).is_some_and(|word| matches!(&text[word.clone()], "in" | "now" | "it")) {
            back += 1;
        }
        let value = words.get(back).cloned()?;
        let verb = words.get(back + 1).map(|verb| text[verb.clone()].to_ascii_lowercase());
        let points = match joint {
            "as" => owned || index == 0 || verb.as_deref().is_some_and(|verb| VERBS.contains(&verb)),
            "for" => owned && verb.as_deref().is_some_and(|verb| VERBS.contains(&verb)),
            "is" | "are" | "was" | "becomes" | "—" | "–" | "-" => owned,
            _ => false,
        };
        if points {
            let (value, quoted) = unquoted(text, value);
            let value = second_of_pair(text, value);
            let kind = Name::of(&text[name.clone()]);
            return telling::is_telling(&text[value.clone()], quoted, kind).then_some(value);
        }
    }
    None
}

/// What a pair of a name and a password has behind its mark; anything else is itself.
pub(super) fn second_of_pair(text: &str, value: Range<usize>) -> Range<usize> {
    let word = &text[value.clone()];
    match word.find(['/', ':']) {
        Some(mark) if word[..mark].bytes().all(|byte| byte.is_ascii_alphabetic()) && mark > 1 => {
            value.start + mark + 1..value.end
        }
        _ => value,
    }
}

/// Words behind a joint that make what follows a thing of someone.
const OWNERS: &[&str] = &[
    "the", "a", "an", "my", "our", "your", "its", "his", "her", "their", "this", "that", "new", "now",
    "still",
];

/// What one does with a password.
const VERBS: &[&str] = &[
    "use", "uses", "used", "using", "try", "tried", "enter", "type", "set", "put", "with", "take", "took",
    "chose", "choose", "pick", "picked", "gave", "give", "got", "made", "make", "have", "keep", "kept",
];

/// A value and what joins it to a name behind it, in Chinese.
static CHINESE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"([!-~]{4,80})[”’」』】»]?[ ]{0,2}(?:当作|当做|当成|当|做|作为|作|设置为|设置成|设为|设成|定为|定成|改为|改成|换成|就是|还是|才是|是|为|為|这个|那个)了?[ ]?[^，。；,;!！？?：:、\n]{0,14}$",
    )
    .ok()
});

/// What follows a Chinese name that is only the beginning of a longer word.
const LONGER: &[&str] = &[
    "哈希",
    "摘要",
    "加密",
    "算法",
    "字段",
    "格式",
    "校验",
    "策略",
    "长度",
    "库",
    "认证",
    "登录",
    "模式",
    "管理",
    "规则",
    "框",
    "输入",
    "机制",
    "生成",
    "强度",
    "学",
    "本",
    "重置",
    "错误",
    "盐",
    "存储",
    "验证",
    "哈希值",
];

/// `X 当密码`, `把 X 设为 root 的密码`, `X 是新的口令`.
fn chinese(text: &str, start: usize, name: &Range<usize>) -> Option<Range<usize>> {
    let rest = &text[name.end..];
    if LONGER.iter().any(|word| rest.starts_with(word)) {
        return None;
    }
    let found = CHINESE.as_ref()?.captures(&text[start..name.start])?;
    let value = found.get(1)?;
    let place = start + value.start()..start + value.end();
    let open = text[..place.start].ends_with(QUOTES);
    let (value, quoted) = unquoted(text, place);
    let kind = Name::of(&text[name.clone()]);
    telling::is_telling(&text[value.clone()], quoted || open, kind).then_some(value)
}
