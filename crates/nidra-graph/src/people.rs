//! People, by handles and by what is said of them. A name alone is too often a product or a place.

use crate::entity::{EntityKind, Found, Places};
use crate::rules::{Pattern, captures, pattern};
use nidra_core::text::expression;
use nidra_core::text::language::is_han;
use regex::Regex;
use std::collections::BTreeMap;
use std::sync::LazyLock;

pattern!(HANDLE, r"(?:^|[\s(（，,、：:])(@[A-Za-z][A-Za-z0-9_-]{1,38})\b");
pattern!(
    TOLD,
    r"\b(?:[Aa]sk|[Pp]ing|[Cc]ontact|[Cc]all|owned by|maintained by|reviewed by|written by|approved by|assigned to|reports? to|according to|belongs to|[Oo]wner(?: is|:)|contact is|reviewer is|lead is|talk to|speak to|on[- ]call is)\s+([A-Z][a-z]+(?: [A-Z][a-z]+)?)\b"
);
pattern!(
    DOES,
    r"\b([A-Z][a-z]+(?: [A-Z][a-z]+)?)(?:'s team|'s review| owns| maintains| is responsible| is on[- ]call| is the (?:owner|lead|contact|maintainer)| leads| looks after| takes care| said| decided| asked| approves| approved| reviews)\b"
);
/// A name behind a word that asks for somebody, before a word that says what somebody does, or with a form of address.
const CHINESE: &str = concat!(
    r"(?:负责人|联系人|对接人|值班人|联系|请示|请|找|问|由|归)(?:是|为|：|:)?\s?([SURNAME]\p{Han}{1,2}?)(?:负责|确认|审批|审核|处理|维护|值班|看|要|管|说|[，。；、！？\s]|$)",
    r"|([SURNAME]\p{Han}{1,2}?)(?:负责|维护|审批|审核|批准|值班|同意|决定|提出|要求|确认|管着|说过?)",
    r"|([老小][SURNAME]|[SURNAME](?:总|工|哥|姐|老师|经理|博士))"
);

/// The most common surnames, that is those of nine people of ten.
const SURNAMES: &str = "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文";

/// Words with a capital that stand where a name could.
const NO_NAMES: &[&str] = &[
    "The",
    "This",
    "That",
    "These",
    "Those",
    "It",
    "We",
    "They",
    "He",
    "She",
    "You",
    "Who",
    "What",
    "Which",
    "Nobody",
    "Everybody",
    "Everyone",
    "Someone",
    "Somebody",
    "Staging",
    "Production",
    "Legal",
    "Security",
    "Finance",
    "Support",
    "Marketing",
    "Sales",
    "Design",
    "Management",
    "Engineering",
    "Operations",
    "Platform",
    "Docker",
    "Kubernetes",
    "Postgres",
    "Python",
    "Rust",
    "Java",
    "Node",
    "Claude",
    "Google",
    "Apple",
    "Amazon",
    "Microsoft",
    "English",
    "Chinese",
    "German",
    "French",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
    "User",
    "Users",
    "Team",
    "Only",
    "If",
    "When",
    "For",
    "And",
    "Then",
    "Never",
    "Always",
    "Please",
    "Customer",
    "Customers",
    "Client",
    "Server",
    "Nothing",
    "Each",
    "Every",
    "No",
    "Yes",
    "There",
    "Here",
];
/// Chinese words that begin like a surname.
const NO_NAMES_HAN: &[&str] = &[
    "高级", "高优", "高可", "马上", "方案", "方便", "方法", "方式", "金额", "白名", "常用", "常见", "文档",
    "文件", "文案", "万一", "任务", "任何", "余额", "史上", "石头", "钟表", "江湖", "于是", "何时", "何人",
    "谢谢", "周一", "周二", "周三", "周四", "周五", "周六", "周日", "周末", "周期", "周报", "程序", "许可",
    "易用", "田间", "龙头", "段落", "雷同", "汪洋", "曾经", "黄金", "林业", "叶子", "方面", "高峰", "白天",
    "文字", "文本", "单独", "马甲", "任意", "安全", "康复", "万能", "钱包", "金融", "石油",
];

static CHINESE_NAMES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let text = CHINESE.replace("SURNAME", SURNAMES);
    expression::new(&text).ok()
});

/// People in a text.
pub(crate) fn find(places: &mut Places<'_>) {
    let text = places.text;
    for (_, handle) in captures(&HANDLE, text) {
        // `@scope/package` is a package.
        if !text.get(handle.end()..).is_some_and(|rest| rest.starts_with('/')) {
            places.take(
                EntityKind::Person,
                handle.range(),
                handle.as_str().trim_start_matches('@').to_lowercase(),
            );
        }
    }
    for pattern in [&TOLD, &DOES] {
        for (_, name) in captures(pattern, text) {
            let first = name.as_str().split(' ').next().unwrap_or_default();
            if !NO_NAMES.contains(&first) {
                // “Ask Mara Every Monday” names Mara.
                let second = name.as_str().split(' ').nth(1).is_some_and(|second| NO_NAMES.contains(&second));
                let end = if second { name.start() + first.len() } else { name.end() };
                let words = text.get(name.start()..end).unwrap_or_default();
                places.take(EntityKind::Person, name.start()..end, words.to_lowercase());
            }
        }
    }
    for (_, name) in captures(&CHINESE_NAMES, text) {
        if !NO_NAMES_HAN.iter().any(|word| name.as_str().starts_with(word)) {
            places.take(EntityKind::Person, name.range(), name.as_str().to_owned());
        }
    }
}

/// Names of people that any entry shows to be such, with their form for comparing: whoever owns something in one entry is
/// the same person where another entry only names them. Handles and addresses are known by their shape anyway.
pub(crate) fn known<'f>(found: impl Iterator<Item = &'f Found>) -> BTreeMap<String, String> {
    found
        .filter(|one| one.kind == EntityKind::Person && one.range.is_some())
        .filter(|one| !one.words.contains('@') && one.words.chars().count() > 1)
        .filter(|one| one.words.chars().all(|c| c.is_alphabetic() || c == ' '))
        .filter(|one| one.words.chars().next().is_some_and(|c| c.is_uppercase() || is_han(c)))
        .map(|one| (one.words.clone(), one.key.clone()))
        .collect()
}

/// Adds the places of a text where people are named of whom that is known.
pub(crate) fn find_known(text: &str, known: &BTreeMap<String, String>, found: &mut Vec<Found>) {
    // The longer name first: “Jonas Weber” is not “Jonas”.
    let mut names: Vec<(&String, &String)> = known.iter().collect();
    names.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    for (name, key) in names {
        for (start, words) in text.match_indices(name.as_str()) {
            let range = start..start + words.len();
            let letter =
                |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
            let before = text.get(..range.start).and_then(|before| before.chars().next_back());
            let after = text.get(range.end..).and_then(|after| after.chars().next());
            let latin = name.is_ascii();
            let inside = latin && (letter(before) || letter(after));
            let taken = found.iter().filter_map(|one| one.range.as_ref());
            let mut taken = taken.filter(|held| held.start < range.end && range.start < held.end);
            if !inside && taken.next().is_none() {
                found.push(Found {
                    kind: EntityKind::Person,
                    key: key.clone(),
                    words: words.to_owned(),
                    range: Some(range),
                });
            }
        }
    }
    found.sort_by_key(|one| one.range.as_ref().map_or(usize::MAX, |range| range.start));
}
