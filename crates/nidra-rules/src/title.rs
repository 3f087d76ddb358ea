//! Names a fact as a person would in an index: its subject, or the order that it gives, in the language of the talk.

use crate::lexicon::{self, Cue};
use crate::phrase;
use crate::sentence::weight;
use crate::subject;
use nidra_core::text::expression;
use nidra_core::text::language::is_han;
use nidra_core::text::width::{shorten, utf16_len};
use regex::Regex;
use std::sync::LazyLock;

/// A title is no longer than this, in UTF-16 units.
const LIMIT: usize = 36;
/// A Chinese title is no longer than this, in characters.
const HAN_LIMIT: usize = 15;
/// An order is no longer than this, in words.
const WORDS: usize = 6;

/// The title of a fact; `None` where its words give none.
pub fn of(text: &str) -> Option<String> {
    let text = unframed(text.trim());
    let title = if text.chars().filter(|c| is_han(*c)).count() >= 4 { chinese(text) } else { english(text) }?;
    let title = title.replace(['[', ']', '\n', '`', '(', ')', '*', '"'], "");
    let title = title.trim_matches(|c: char| {
        c.is_whitespace() || matches!(c, ',' | '.' | ':' | ';' | '，' | '。' | '：' | '；' | '、' | '-')
    });
    let title: String = title
        .split(' ')
        .map(|word| {
            let plural = word.len() > 3 && word.ends_with('s') && CAPITALS.contains(&word);
            match CAPITALS.contains(&word) {
                true if plural => format!("{}s", word[..word.len() - 1].to_uppercase()),
                true => word.to_uppercase(),
                false => word.to_owned(),
            }
        })
        .collect::<Vec<_>>()
        .join(" ");
    let title = title.as_str();
    let said = title.chars().filter(|c| c.is_alphanumeric()).count();
    (said >= 2).then(|| phrase::capitalised(title))
}

/// What says that a rule holds from now on, before the rule.
static FRAME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(r"(?i)^(?:(?:from (?:now|here) on(?:wards?)?|going forward|henceforth|please),? )+").ok()
});

/// A statement without the words that only frame it.
fn unframed(text: &str) -> &str {
    let rest =
        FRAME.as_ref().and_then(|pattern| pattern.find(text)).map_or(text, |frame| &text[frame.end()..]);
    if weight(rest) >= 3 { rest } else { text }
}

static ORDER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(
        r"(?i)^(?:please |always |only )?(?:never|no|not|don'?t|do not|use|run|keep|put|write|prefer|avoid|call|ask|leave|stop|answer|reply|store|name|start|build|log|tag|commit|follow|add|set|make|check|read|treat|send|wait|go|take|skip|pin|wrap|format|test|deploy|release|show|give|explain|rotate|restart|export|import|quote|order|mock|document|validate|return|sort|merge|squash|push|open|close)\b",
    )
    .ok()
});
static PRONOUN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(
        r"(?i)^(?:(?:so|and|but|then|now|here|in general|by the way|actually),? )*(?:we|the user|you|they|it|this|that|he|she|i)(?:'re|'s|'ll|'ve| are| is| have| has| will| should| must)? (?:(?:never|always|only|all|now|just|really) )*",
    )
    .ok()
});
/// Where an order ends for a title: what follows tells more of it.
static BREAK: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(r"(?i)[,;:.!?—]( |$)| (?:because|since|so that|which|that|until|unless|when|while|if|as|before|after|otherwise|but|then|where|whose)\b").ok()
});
/// The day with which a statement opens: its title is what follows.
static DAY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(r"(?i)^(?:(?:since|from|as of|on|by|until|till|before|after|in the week of) )?\d{4}-\d{2}(?:-\d{2})?(?: on(?:wards?)?)?,? ").ok()
});
/// A day inside a Chinese statement, which has no place in its title.
static DAY_HAN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(
        r"(?:从|自|在|到)? ?\d{4}-\d{2}(?:-\d{2})? ?(?:那周|那天|那个月|之?前|之?后|以后|以前|起|开始)?",
    )
    .ok()
});

static STEP: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(r"(?i)^\s*(?:and )?(?:then|finally|last(?:ly)?|only then|after that)\s+(?:you )?(?:run )?(?P<goal>.+)$").ok()
});
static STEP_HAN: LazyLock<Option<Regex>> =
    LazyLock::new(|| expression::new(r"^(?:然后|最后|接着|再|才能|才|能|就|可以|跑|执行|运行| )+").ok());
static WISH: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(r"(?i)^[^,;:]{3,40}? (?:wants?|asks? for|needs?|requires?|insists? on) (?:us to |the |a |an |that |to )?(?P<wish>.+?)(?: (?:from|until|till|by|on|in|at)\b.*)?$").ok()
});
/// Short forms that are written in capitals.
const CAPITALS: &[&str] = &[
    "api", "apis", "url", "urls", "ui", "ci", "db", "sql", "http", "https", "json", "yaml", "csv", "pdf",
    "cpu", "gpu", "ssh", "tls", "dns", "vpn", "pr", "prs", "html", "css", "utc", "sdk", "cli", "sla", "gps",
    "ram", "dto", "orm", "jwt",
];

/// Whether a word is a general short form such as `JSON`, not a name of its own.
pub(crate) fn is_short_form(word: &str) -> bool {
    CAPITALS.contains(&word.to_lowercase().as_str())
}

/// Words that end no title.
const LOOSE: &[&str] = &[
    "a", "an", "the", "to", "in", "on", "of", "for", "and", "or", "with", "at", "by", "from", "here",
    "always", "please", "not", "is", "are", "be", "it", "its", "this", "that", "into", "as", "any", "we",
    "only", "ever", "anymore", "now", "there", "every", "each", "never", "your", "our", "my", "their", "via",
    "per", "than",
];

fn english(text: &str) -> Option<String> {
    let told: Vec<&str> = sentences(text).filter(|sentence| weight(sentence) >= 2).take(4).collect();
    let first = told.iter().enumerate().fold((told.first().copied()?, f64::MIN), |best, (at, sentence)| {
        let counts = sentence.starts_with(|c: char| c.is_ascii_digit()) && !sentence.starts_with("20");
        let cheers = lexicon::cues(sentence).any(&[Cue::Praise, Cue::Frustration]);
        let worth = worth(sentence) as f64 + if at == 0 { 1.2 } else { 0.0 }
            - if counts || cheers { 1.6 } else { 0.0 }
            - if POINTS.as_ref().is_some_and(|pattern| pattern.is_match(sentence)) { 1.0 } else { 0.0 }
            - if weight(sentence) < 3 { 0.8 } else { 0.0 };
        if worth > best.1 { (sentence, worth) } else { best }
    });
    let first = behind_condition(behind_day(first.0));
    if lexicon::count(Cue::Sequence, text) >= 2
        && told.len() <= 2
        && let Some(goal) =
            text.rsplit([',', '.']).find_map(|part| STEP.as_ref()?.captures(part)?.name("goal"))
        && weight(goal.as_str()) <= 5
    {
        return Some(format!("Steps before {}", cut(goal.as_str().trim_end_matches('.'), 4)));
    }
    if let Some(wish) =
        WISH.as_ref().and_then(|pattern| pattern.captures(first)).and_then(|found| found.name("wish"))
    {
        return Some(cut(until_break(wish.as_str()), 4));
    }
    if let Some(head) = subject::head(first)
        && weight(&head) <= 4
        && !first.contains("://")
    {
        return Some(cut(&head, WORDS));
    }
    let matches = |pattern: &Option<Regex>| pattern.as_ref().is_some_and(|pattern| pattern.is_match(first));
    if matches(&ORDER) {
        let first = first.strip_prefix("Please ").or_else(|| first.strip_prefix("please ")).unwrap_or(first);
        return Some(cut(until_break(first), WORDS));
    }
    if let Some(subject) = subject::of(first) {
        return Some(cut(&subject, WORDS));
    }
    let rest = PRONOUN
        .as_ref()
        .map_or(first, |pattern| pattern.find(first).map_or(first, |hit| &first[hit.end()..]));
    let order = cut(until_break(rest), WORDS);
    (weight(&order) >= 1 && utf16_len(&order) >= 3).then_some(order)
}

/// Words that leave open what they speak of.
static POINTS: LazyLock<Option<Regex>> =
    LazyLock::new(|| expression::new(r"(?i)^\w+ (?:\w+ )?(?:it|this|that|them|there)\b").ok());
static CONDITION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(r"(?i)^(?:when(?:ever)?|if|before|after|since|while|because|once|until|unless|as|for|in|on|at|from|by|during|next time)\b[^,]{3,70}, (?:then |please )?(?P<rest>.+)$").ok()
});

/// The main clause of a sentence that opens with a condition.
fn behind_condition(sentence: &str) -> &str {
    CONDITION
        .as_ref()
        .and_then(|pattern| pattern.captures(sentence))
        .and_then(|found| found.name("rest"))
        .map(|rest| rest.as_str())
        .filter(|rest| weight(rest) >= 3)
        .unwrap_or(sentence)
}

/// A sentence without the day with which it opens.
fn behind_day(sentence: &str) -> &str {
    let rest = DAY
        .as_ref()
        .and_then(|pattern| pattern.find(sentence))
        .map_or(sentence, |day| &sentence[day.end()..]);
    if weight(rest) >= 2 { rest } else { sentence }
}

/// How many ways a sentence rules, states or names something.
fn worth(sentence: &str) -> usize {
    let cues = lexicon::cues(sentence);
    [
        Cue::Standing,
        Cue::Obligation,
        Cue::Owner,
        Cue::Decision,
        Cue::Place,
        Cue::Habit,
        Cue::Sequence,
        Cue::OpenLoop,
        Cue::Change,
        Cue::Prohibition,
    ]
    .iter()
    .filter(|cue| cues.has(**cue))
    .count()
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split("**Why:**").next().unwrap_or(text).split(". ").map(|part| part.trim().trim_end_matches('.'))
}

fn until_break(text: &str) -> &str {
    let end = BREAK
        .as_ref()
        .and_then(|pattern| pattern.find_iter(text).find(|hit| weight(&text[..hit.start()]) >= 2))
        .map_or(text.len(), |hit| hit.start());
    &text[..end]
}

/// The first words of a text, as many as a title holds, without loose ends.
fn cut(text: &str, words: usize) -> String {
    let mut chosen: Vec<&str> = Vec::new();
    for word in text.split_whitespace().take(words) {
        let length = chosen.iter().map(|word| utf16_len(word) + 1).sum::<usize>() + utf16_len(word);
        if length > LIMIT && !chosen.is_empty() {
            break;
        }
        chosen.push(word);
    }
    let whole = chosen.len() == text.split_whitespace().count();
    while chosen.len() > 1
        && chosen.last().is_some_and(|word| {
            let bare = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
            LOOSE.contains(&bare.as_str()) && !(whole && bare == "now")
        })
    {
        chosen.pop();
    }
    let joined = chosen.join(" ");
    if utf16_len(&joined) > LIMIT { shorten(&joined, LIMIT) } else { joined }
}

static HAN_HEAD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(r"^(?:(?:以后|今后|往后|从现在起|所有的?|我们|咱们|那就|那个|这个|那|就是|就|所以|这个|这里|注意|记住|用户|要先|另外|还有|因为|不对|不是|一律|统一|必须|只能|请|都)[，,：: ]?)").ok()
});
/// Words that begin like an opening and are none.
const HAN_COMPOUNDS: &[&str] = &[
    "请求",
    "请假",
    "请示",
    "请柬",
    "用户名",
    "用户组",
    "用户量",
    "用户端",
    "用户表",
    "用户库",
    "所有权",
    "所有者",
    "都市",
    "统一码",
];

/// A clause without what only opens it.
fn without_head(clause: &str) -> &str {
    let mut rest = clause;
    while !HAN_COMPOUNDS.iter().any(|compound| rest.starts_with(compound)) {
        match HAN_HEAD.as_ref().and_then(|pattern| pattern.find(rest)) {
            Some(head) if head.end() > 0 => rest = &rest[head.end()..],
            Some(_) | None => break,
        }
    }
    rest
}

static HAN_MODAL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(r"必须|务必|一律|统一|一定要?|都要|的时候|的话|应该|需要|已经|全部|正在").ok()
});

fn chinese(text: &str) -> Option<String> {
    let text = text.split("**原因：**").next().unwrap_or(text);
    let mut quoted = false;
    let clauses: Vec<&str> = text
        .split(|c: char| {
            quoted = matches!(c, '「' | '“') || quoted && !matches!(c, '」' | '”');
            !quoted && matches!(c, '，' | '。' | '；' | '：' | '！' | '？' | '\n')
        })
        .flat_map(|part| part.split(", "))
        .flat_map(|part| part.split(". "))
        .map(str::trim)
        .filter(|part| part.chars().filter(|c| c.is_alphanumeric()).count() >= 2)
        .collect();
    // The clause that rules, states or names; an opening that only denies something says nothing of it.
    let first = *clauses.first()?;
    let commands = clauses
        .iter()
        .filter(|clause| {
            ["要先", "先", "再", "然后", "最后", "接着"].iter().any(|word| clause.starts_with(word))
        })
        .count();
    if lexicon::count(Cue::Sequence, text) >= 2 && clauses.len() >= 3 && commands >= 2 {
        let last = clauses.iter().rev().find(|clause| {
            lexicon::cues(clause).has(Cue::Sequence) && clause.contains(|c: char| c.is_ascii_alphabetic())
        });
        let goal =
            last.and_then(|clause| STEP_HAN.as_ref().map(|pattern| pattern.replace(clause, "").into_owned()));
        if let Some(goal) = goal.filter(|goal| goal.starts_with(|c: char| c.is_ascii_alphanumeric())) {
            let goal: String = if goal.is_ascii() { cut(&goal, 3) } else { han_cut(&goal) };
            let gap = if goal.ends_with(|c: char| c.is_ascii()) { " " } else { "" };
            return Some(format!("{goal}{gap}前的步骤"));
        }
    }
    let brief = crate::terms::terms(first).len() < 3 && !first.chars().any(|c| c.is_ascii_alphanumeric())
        || first.chars().count() <= 4
        || ["这块", "这边", "这里"].iter().any(|end| first.ends_with(end));
    let idle = brief || DENIES.iter().any(|word| first.contains(word));
    let from = usize::from(idle && clauses.len() > 1);
    let main = if idle {
        clauses.iter().skip(from).take(3).copied().max_by_key(|clause| {
            (worth(clause), std::cmp::Reverse(clauses.iter().position(|other| other == clause)))
        })?
    } else {
        first
    };
    // `会员积分这块，…` names its subject first.
    let topic = first
        .strip_suffix("这块")
        .or_else(|| first.strip_suffix("这边"))
        .or_else(|| first.strip_suffix("这里"));
    let strip = |clause: &str| -> String {
        let bare = without_head(clause);
        if bare.chars().filter(|c| c.is_alphanumeric()).count() >= 2 {
            bare.to_owned()
        } else {
            clause.to_owned()
        }
    };
    let mut title = strip(main);
    if let Some(topic) = topic.filter(|_| main != first) {
        title = format!("{topic}{title}");
    }
    if let Some(day) = DAY_HAN.as_ref() {
        let rest = day.replace_all(&title, "");
        if rest.chars().filter(|c| is_han(*c)).count() >= 4 {
            title = rest.into_owned();
        }
    }
    // A title names the thing; what holds of it stands behind the link and changes.
    if title.contains(|c: char| c.is_ascii_digit())
        && let Some(subject) = subject::of(&title).filter(|subject| subject.chars().count() >= 3)
    {
        title = subject;
    }
    let long = |title: &str| title.chars().count() > HAN_LIMIT && utf16_len(title) > 26;
    let too_long = title.chars().count() > HAN_LIMIT;
    if too_long && let Some(modal) = HAN_MODAL.as_ref() {
        title = modal.replace_all(&title, "").into_owned();
    }
    if long(&title) || title.chars().filter(|c| is_han(*c)).count() > HAN_LIMIT {
        let whole = title.clone();
        title = subject::of(&title)
            .filter(|subject| subject.chars().count() >= 3)
            .unwrap_or_else(|| han_cut(&whole));
    }
    Some(title)
}

/// Openings that deny what was done rather than say what is so.
const DENIES: &[&str] =
    &["不解决", "不对", "没用", "不是这", "不行", "错了", "确认了", "查过", "给你", "你看", "你说"];

/// The first characters of a title, cut where a Latin word does not break.
fn han_cut(text: &str) -> String {
    let mut out = String::new();
    let mut width = 0;
    for word in text.split_inclusive(|c: char| is_han(c) || c.is_whitespace()) {
        width += utf16_len(word);
        if width > HAN_LIMIT + 4 && !out.is_empty() {
            break;
        }
        out.push_str(word);
    }
    out.trim_end_matches(|c: char| {
        c.is_whitespace() || matches!(c, '的' | '和' | '在' | '先' | '再' | '就' | '要' | '把' | '用' | '、')
    })
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openings_go_and_words_that_begin_like_them_stay() {
        assert_eq!(without_head("以后请统一用 pnpm"), "用 pnpm");
        assert_eq!(without_head("请求超时是 30 秒"), "请求超时是 30 秒");
        assert_eq!(without_head("所有用户名都小写"), "用户名都小写");
    }

    #[test]
    fn subjects_and_orders_name_a_fact() {
        let cases = [
            ("A missing tile must be a 410 with a body.", "Missing tile"),
            ("Since 2026-05-11 the kiln room has a new lock.", "Kiln room"),
            ("The orders service listens on port 7101.", "Orders service"),
            ("订单服务监听 7101 端口。", "订单服务"),
            ("支付回调的超时是 30 秒。", "支付回调的超时"),
            ("Use dprint here, always. prettier breaks the tables.", "Use dprint"),
            ("The vault module is Ines's. ask her before anything changes.", "Vault module"),
            ("We use nats for the jobs.", "Use nats for the jobs"),
            ("Commit messages: imperative subject.", "Commit messages"),
            ("Never touch the vendored parser because it is generated.", "Never touch the vendored parser"),
            ("打印机离线时必须先落库再重试，不能让收银员等着。", "打印机离线时必须先落库再重试"),
            ("以后回答先说结论，别写客套话。", "回答先说结论"),
            ("库存模块是小顾负责的，改之前先问他。", "库存模块是小顾负责的"),
        ];
        for (text, title) in cases {
            assert_eq!(of(text).as_deref(), Some(title), "{text}");
        }
    }
}
