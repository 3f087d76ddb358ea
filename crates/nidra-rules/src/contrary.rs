//! Whether two rules of one matter exclude each other: `indent with tabs` and `indent with spaces`, 注释写法语 and 注释写英文.
//!
//! Of some things one is chosen and the others are not: a language, a way to indent, to quote, to spell names. Two rules
//! that choose differently for the same thing cannot both hold, and the later one does. Whether it is the same thing is
//! judged strictly: `spaces in yaml` says nothing against `tabs in makefiles`, and an exception is no change of mind.

use crate::candidate::{Candidate, Revised};
use crate::dialogue::Dialogue;
use crate::lexicon::Cue;
use crate::matter;
use crate::occasion;
use crate::phrase::{self, Part};
use crate::restated::{self, core};
use crate::sentence::Line;
use crate::terms;
use nidra_core::text::expression;
use nidra_core::{Kind, MemoryView};
use regex::Regex;
use std::sync::LazyLock;

/// What is chosen once for a thing: per family, its members with their spellings.
const CHOICES: &[&[&[&str]]] = &[
    &[&["tabs", "tab", "制表符", "tab 键"], &["spaces", "空格"]],
    &[
        &["english", "英文", "英语", "英語"],
        &["german", "德文", "德语"],
        &["french", "法文", "法语"],
        &["spanish", "西班牙文", "西班牙语"],
        &["italian", "意大利语"],
        &["portuguese", "葡萄牙语"],
        &["dutch", "荷兰语"],
        &["polish", "波兰语"],
        &["russian", "俄文", "俄语"],
        &["japanese", "日文", "日语"],
        &["korean", "韩文", "韩语"],
        &["chinese", "mandarin", "中文", "汉语", "简体中文"],
    ],
    &[
        &["single quotes", "single-quoted", "单引号"],
        &["double quotes", "double-quoted", "双引号"],
        &["backticks", "反引号"],
    ],
    &[
        &["camelcase", "camel case", "小驼峰", "驼峰命名", "驼峰"],
        &["snake_case", "snake case", "snakecase", "下划线命名", "下划线", "蛇形"],
        &["kebab-case", "kebab case", "短横线", "中划线", "连字符"],
        &["pascalcase", "pascal case", "大驼峰"],
    ],
    &[&["utc", "gmt"], &["local time", "localtime", "本地时间", "当地时间", "北京时间"]],
    &[&["uppercase", "upper case", "大写"], &["lowercase", "lower case", "小写"]],
    &[&["ascending", "升序"], &["descending", "降序", "倒序"]],
    &[&["newest first"], &["oldest first"]],
    &[&["british", "英式"], &["american", "美式"]],
    &[&["imperative", "祈使句"], &["past tense", "过去式", "过去时"]],
    &[&["metric", "公制"], &["imperial", "英制"]],
    &[&["celsius", "摄氏度", "摄氏"], &["fahrenheit", "华氏度", "华氏"]],
    &[&["crlf"], &["lf"]],
    &[&["squash", "squash merges"], &["rebase"], &["merge commits"]],
    &[
        &["short", "brief", "terse", "concise", "简短", "简洁"],
        &["long", "detailed", "verbose", "thorough", "详细", "详尽"],
    ],
    &[&["formal", "正式"], &["informal", "casual", "口语化", "口语"]],
    &[&["singular", "单数"], &["plural", "复数"]],
    &[&["relative imports", "相对路径"], &["absolute imports", "绝对路径"]],
];

/// A rule that chooses one thing for a matter.
struct Choice {
    family: usize,
    member: usize,
    /// What it is chosen for, without frames and verbs that only choose.
    matter: Vec<String>,
}

/// Verbs that only choose, alone or with the word that joins the choice to its matter.
const CHOOSES: &[&str] = &[
    "use", "prefer", "with", "for", "in", "as", "be", "is", "are", "keep", "write", "go", "choose", "take",
    "stick", "to", "when", "by", "of", "on", "用", "写", "成", "为", "以", "是", "选", "按", "的", "来",
    "改", "换", "保", "持", "说", "讲",
];

/// The member of a choice that a clause denies beside the one that it takes: `…, not tabs`, 不要制表符.
static DENIED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(
        r"(?i)[,;，；]? ?(?:(?:and |but )?(?:not|never|no|rather than|instead of|over)(?-u:\b) ?(?:in |with |the |use )*|(?:而)?(?:不要|不用|不再用|不是|别用|别|不写)(?:再)?(?:用|写)?)",
    )
    .ok()
});

/// Whether the newer rule chooses otherwise than the older one for the same matter, or turns it round.
pub(crate) fn is_contrary(older: &str, newer: &str) -> bool {
    let (older, newer) = (ruling(older), ruling(newer));
    let (Some(older), Some(newer)) = (older, newer) else { return false };
    if restated::is_reversed(older, newer) || is_swapped(older, newer) {
        return true;
    }
    let (Some(old), Some(new)) = (choice(older), choice(newer)) else { return false };
    old.family == new.family && old.member != new.member && old.matter == new.matter
}

/// Whether two rules choose of one kind, each for a thing of its own: `name queues in snake_case` and `name classes in
/// PascalCase` hold beside each other.
pub(crate) fn are_apart(older: &str, newer: &str) -> bool {
    let read = |text| ruling(text).and_then(choice);
    let (Some(old), Some(new)) = (read(older), read(newer)) else { return false };
    let beside = |one: &Choice, other: &Choice| one.matter.iter().any(|word| !other.matter.contains(word));
    old.family == new.family && beside(&old, &new) && beside(&new, &old)
}

/// Whether one rule forbids and the other asks, for always: a value of the one has no place in the other. `never deploy on
/// fridays` and `always deploy on mondays` both hold.
pub(crate) fn are_opposed(older: &str, newer: &str) -> bool {
    let denies = |text: &str| {
        let clause = text.split([',', '，']).next().unwrap_or(text);
        core(clause).words.iter().any(|word| word == restated::DENIAL)
    };
    occasion::is_always(newer) && denies(older) != denies(newer)
}

/// Adds a candidate for each rule of memory against which a person orders something else in general form, though the
/// words alone would weigh too little to be kept: `use spaces for indentation`.
pub(crate) fn collect(
    memory: &MemoryView,
    dialogue: &Dialogue<'_>,
    lines: &[Vec<Line>],
    candidates: &mut Vec<Candidate>,
) {
    for (index, (utterance, lines)) in dialogue.utterances.iter().zip(lines).enumerate() {
        for at in 0..lines.len() {
            let line = &lines[at];
            let chooses = ruling(&line.text).is_some_and(|rule| choice(rule).is_some() || is_ranked(rule));
            if !chooses || points(line) || matter::words(dialogue, index, lines, at).is_none() {
                continue;
            }
            let kept = |candidate: &Candidate| {
                candidate.utterance == index && terms::says_less(&terms::terms(&line.text), &candidate.terms)
            };
            if candidates.iter().any(kept) {
                continue;
            }
            let part = Part { text: line.text.clone(), cues: line.cues };
            let Some(text) = phrase::entry(&[part], &utterance.said) else { continue };
            let about = terms::terms(&text);
            let turned = memory.entries().find(|(topic, entry)| {
                topic.editable
                    && entry.active
                    && terms::shared(&about, &terms::terms(&entry.text)) > 0
                    && articles(&text) <= articles(&entry.text)
                    && is_contrary(&entry.text, &text)
            });
            if let Some((topic, entry)) = turned {
                let kind = topic.kind.unwrap_or(Kind::Feedback);
                let revised =
                    Revised { entry: Some(entry.id.clone()), core: phrase::plain(&text), sureness: 1.0 };
                let reason = "another choice for the same matter";
                candidates.push(Candidate::revision(index, utterance, kind, text, revised, reason));
            }
        }
    }
}

/// Whether a sentence speaks of a thing or a time at hand rather than in general.
fn points(line: &Line) -> bool {
    let pointing = POINTS.as_ref().is_some_and(|pattern| pattern.is_match(&line.text));
    pointing
        || line.cues.any(&[Cue::Ephemeral, Cue::Speculation, Cue::Reported, Cue::Hypothetical, Cue::Problem])
}

static POINTS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(
        r"(?i)(?-u:\b)(?:this|that|these|those|it|here|there|first|last|next|one)(?-u:\b)|这|那|它|下次|先|试试|一下",
    )
    .ok()
});

/// How many single things a text names: `the commit message` is one, `commit messages` are all.
fn articles(text: &str) -> usize {
    text.split_whitespace()
        .filter(|word| ["the", "a", "an"].iter().any(|article| word.eq_ignore_ascii_case(article)))
        .count()
}

fn is_ranked(rule: &str) -> bool {
    BEFORE.as_ref().is_some_and(|pattern| pattern.is_match(rule))
}

/// The one sentence of an entry that rules, without its reasons; `None` where several do.
fn ruling(text: &str) -> Option<&str> {
    let rule = text.split("**Why:**").next().unwrap_or(text);
    let rule = rule.split("**原因：**").next().unwrap_or(rule);
    let mut sentences = restated::sentences(rule);
    let first = sentences.next()?;
    if sentences.next().is_some() {
        return None;
    }
    let end = [" because ", " since ", " so that ", "，因为", "，不然", "，否则", ", otherwise"]
        .iter()
        .filter_map(|mark| first.find(mark))
        .min()
        .unwrap_or(first.len());
    Some(first[..end].trim_end_matches(['.', ',', '，', ' ']))
}

/// The choice that a rule makes, where it makes one and denies nothing else.
fn choice(rule: &str) -> Option<Choice> {
    let lower = rule.to_lowercase();
    let rest = without_denied(&lower);
    let mut found: Option<(usize, usize, usize, usize)> = None;
    for (family, members) in CHOICES.iter().enumerate() {
        for (member, spellings) in members.iter().enumerate() {
            for spelling in *spellings {
                let Some(range) = crate::revise::find_word(&rest, spelling) else { continue };
                let longer = found.is_none_or(|(_, _, start, end)| {
                    range.start <= start && end <= range.end && range.len() > end - start
                });
                let inside = found.is_some_and(|(_, _, start, end)| start <= range.start && range.end <= end);
                if longer {
                    found = Some((family, member, range.start, range.end));
                } else if !inside {
                    // Two choices in one rule: which is meant for what cannot be told.
                    return None;
                }
            }
        }
    }
    let (family, member, start, end) = found?;
    let matter = core(&format!("{} {}", &rest[..start], &rest[end..]));
    if matter.denies || matter.words.iter().any(|word| word == restated::DENIAL) {
        return None;
    }
    let matter: Vec<String> = matter
        .words
        .into_iter()
        .filter(|word| !CHOOSES.contains(&word.as_str()))
        .map(|word| singular(&word))
        .collect();
    Some(Choice { family, member, matter })
}

/// The rule without the member of a choice that it denies.
fn without_denied(rule: &str) -> String {
    let Some(pattern) = DENIED.as_ref() else { return rule.to_owned() };
    let Some(found) = pattern.find_iter(rule).find(|found| {
        let behind = &rule[found.end()..];
        found.start() > 0 && spellings().any(|spelling| behind.starts_with(spelling))
    }) else {
        return rule.to_owned();
    };
    let behind = &rule[found.end()..];
    let length =
        spellings().filter(|spelling| behind.starts_with(*spelling)).map(str::len).max().unwrap_or_default();
    format!("{}{}", &rule[..found.start()], &behind[length..])
}

fn spellings() -> impl Iterator<Item = &'static str> {
    CHOICES.iter().flat_map(|members| members.iter()).flat_map(|spellings| spellings.iter().copied())
}

fn singular(word: &str) -> String {
    let plural = word.len() > 3 && word.is_ascii() && word.ends_with('s') && !word.ends_with("ss");
    if plural { word[..word.len() - 1].to_owned() } else { word.to_owned() }
}

/// One thing before another: `prefer A over B`, `use A, not B`, 用 A 不用 B.
static BEFORE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?i)^(?P<head>.{0,40}?)(?-u:\b)(?:use|prefer|take|choose|pick) (?P<one>[\w.-]+(?: [\w.-]+)?),? (?:over|not|and not|never|rather than|instead of|before) (?P<other>[\w.-]+(?: [\w.-]+)??)(?P<tail>(?: (?:in|for|on|when|with|inside|at) .*)?)$|",
        r"^(?P<han_head>.{0,24}?)用 ?(?P<han_one>[^，,、 ]{1,12}?) ?[，,、]? ?(?:而)?(?:不要用|不用|别用|不要|别) ?(?P<han_other>[^，,、]{1,12})$",
    ))
    .ok()
});

/// Whether two rules put the same two things before each other in turn.
fn is_swapped(older: &str, newer: &str) -> bool {
    let read = |text: &str| {
        let found = BEFORE.as_ref()?.captures(text)?;
        let part = |names: [&str; 2]| {
            let words = names.iter().find_map(|name| found.name(name)).map_or("", |words| words.as_str());
            core(words).words
        };
        Some((
            part(["head", "han_head"]),
            part(["one", "han_one"]),
            part(["other", "han_other"]),
            part(["tail", "tail"]),
        ))
    };
    let (Some(old), Some(new)) = (read(older), read(newer)) else { return false };
    old.0 == new.0 && old.3 == new.3 && old.1 == new.2 && old.2 == new.1 && !old.1.is_empty()
}

#[cfg(test)]
mod tests {
    use super::{are_apart, are_opposed, is_contrary};

    #[test]
    fn another_choice_for_the_same_matter_is_contrary() {
        for (older, newer) in [
            ("Indent with tabs.", "indent with spaces from now on"),
            ("Write error messages in French.", "please write error messages in English"),
            ("Always use double quotes in the lua code.", "use single quotes in the lua code"),
            ("Name the tables in snake_case.", "Always name tables in camelCase."),
            ("Use spaces for indentation, not tabs.", "use tabs for indentation, not spaces"),
            ("Always rebase before the merge.", "never rebase before the merge"),
            ("Prefer structs over maps in handlers.", "prefer maps over structs in handlers"),
            ("Changelog entries should be detailed.", "Keep changelog entries short."),
            ("文案一律用英文。", "文案以后用中文，不要英文"),
            ("表名用大写。", "以后表名都用小写"),
            ("时间戳用本地时间。", "时间戳一律用 UTC"),
            ("永远不要改历史迁移。", "以后可以改历史迁移"),
            ("列表用升序排。", "列表以后用降序排。"),
        ] {
            assert!(is_contrary(older, newer), "{older} / {newer}");
        }
    }

    #[test]
    fn choices_for_two_things_stand_beside_each_other() {
        assert!(are_apart("Name queues in snake_case.", "name classes in PascalCase"));
        assert!(are_apart("用户手册写英文。", "发布说明写德文"));
        assert!(!are_apart("Indent with tabs.", "indent with spaces"));
        assert!(!are_apart("Indent with tabs.", "indent with spaces in yaml"));
        assert!(are_opposed("Never deploy on fridays.", "always deploy on mondays"));
        assert!(are_opposed("周五不要发版。", "以后一律在周一先发版"));
        assert!(!are_opposed("Never deploy on fridays.", "never deploy on mondays"));
        assert!(!are_opposed("Never deploy on fridays.", "deploy it"));
    }

    #[test]
    fn a_choice_for_something_else_is_not() {
        for (older, newer) in [
            ("Indent with tabs.", "align with spaces"),
            ("Use tabs in makefiles.", "use spaces in yaml"),
            ("Write error messages in French.", "write release notes in English"),
            ("Indent with tabs.", "indent with spaces in yaml"),
            ("Name the tables in snake_case.", "name classes in PascalCase"),
            ("Use tabs for indentation.", "don't use spaces for indentation"),
            ("Use tabs for indentation.", "use tabs for indentation everywhere"),
            ("Keep answers short.", "keep a long timeout"),
            ("Prefer structs over maps in handlers.", "prefer maps over lists in handlers"),
            ("Never push on fridays.", "always push on mondays"),
            ("文案一律用英文。", "注释一律用中文"),
            ("前端用单引号。", "后端用双引号"),
            ("表名用大写。", "列名用小写"),
            ("日志用 UTC。", "界面用本地时间"),
        ] {
            assert!(!is_contrary(older, newer), "{older} / {newer}");
        }
    }
}
