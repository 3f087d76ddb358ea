//! How the words around an anchor mean it: stated, denied, planned, or said of another place.

use nidra_core::text::expression::{self, matches};
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// How something is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mood {
    /// It is said to be so.
    Stated,
    /// It is said not to be so, or not any more.
    Denied,
    /// It is to come, or a program makes it: that it is not there says nothing.
    Open,
    /// It is said of another repository or machine.
    Elsewhere,
}

/// Turns a pattern into a regular expression; `\b` means the edge of an ASCII word, as Chinese has no blanks.
pub(super) fn pattern(text: &str) -> Option<Regex> {
    expression::new(text).ok()
}

/// What denies the words behind it.
static DENIES_WHAT_FOLLOWS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)\b(?:not|never|no|no longer|without|avoid(?:s|ing)?|instead of|rather than|unlike|cannot|formerly|previously|",
        r"stop(?:ped)? using|replac(?:es|ed|ing)|(?:moved|migrated|switched|changed|renamed|ported)(?: away)? from)\b|n['’]t\b|",
        r"不要|不用|不再|不能|不使用|不是|别用|勿|禁止|没有|无需|避免|而非|代替|替代|取代|弃用|废弃|以前|之前|原来|曾经|不走|从"
    ))
});
/// What ends a denial in front of it: what follows is meant.
static STATES_AGAIN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:but|now|in favou?r of|because|since)\b|而是|改用|改成|换成|换到|迁到|迁移到|现在|只用|统一",
    )
});
/// What stands between the old and the new: `from jest to vitest`.
static BECOMES: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"(?i)\b(?:to|with|by)\b|到|为|成"));
/// What denies the words in front of it.
static DENIES_WHAT_PRECEDES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)\b(?:(?:is|are|was|were|has been|have been|got|been|being) (?:\w+ )?",
        r"(?:removed|deleted|dropped|gone|deprecated|retired|replaced|renamed|superseded|obsolete|dead|forbidden|banned)|",
        r"(?:does|do|did|is|are|was|were) (?:not|no longer)|doesn['’]t|isn['’]t|aren['’]t|no longer)\b|",
        r"已删|已移除|已被|被移除|被删|删掉了|已废弃|不存在|不再|已下线|换成|改成|改名|替换为|替换成|迁到|迁移到"
    ))
});
/// What is to come, what programs write, and what only shows how names are made.
static OPEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)\b(?:will|plan(?:s|ned)?|todo|to-do|generates?|generating|writes?|written to|outputs?|produces?|dumps?|exports?|",
        r"saves?|saved|emits?|idea|maybe|might|could|consider|going to|wants?|should become|if (?:it|there|missing|present)|",
        r"optional(?:ly)?|not committed|git-?ignored|untracked|naming|named|pattern|convention)\b|",
        r"计划|打算|准备|将会|将要|生成|输出|写入|写到|导出|保存|可能|考虑|想法|待办|命名|格式|不提交"
    ))
});
/// What makes the very next thing one that is to come.
static MAKES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)(?:\b(?:creat(?:e|es|ing)|add(?:s|ing)?|mak(?:e|es|ing)|new)(?: (?:a|an|the|new|file|folder|called))*|新建|创建|新增|添加)[ `:：一个]*$",
    )
});
/// What makes a path one of this project.
static OWN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)(?:\b(?:project|solution|workspace|build|entry) (?:file|point)(?: is| lives| at| in|:)*|(?:工程|项目|解决方案|构建|入口)文件(?:是|为|在|放在|：|:)*)[ `“]*$",
    )
});
/// Another repository, by its kind.
static OTHER_PLACE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)\b(?:other|another|different|separate|external|upstream|sibling|their|old|legacy)(?: \w+)? ",
        r"(?:repo|repos|repository|repositories|project|codebase|checkout|fork)\b|\bupstream\b|",
        r"\b(?:on|inside) the (?:server|host|cluster|container|box|vm|machine|runner)\b|",
        r"(?:另一个|另外一个|另外的|其他|其它|别的|上游|外部|隔壁|旧)的?(?:仓库|项目|代码库|工程)|服务器上|容器里|容器内|机器上"
    ))
});
/// Another repository, by its name.
static NAMED_PLACE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)\b(?:repo|repository) [`'”“\u{22}]([a-z0-9][a-z0-9_./-]*)|",
        r"(?:\b(?:in|of|from|see|at|inside) (?:the )?|[`'”“\u{22}])([a-z0-9][a-z0-9_./-]*)[`'”“\u{22}]? (?:repo|repository|codebase)\b|",
        r"\b([a-z0-9]+[_/-][a-z0-9_./-]+|[a-z0-9_-]+['’]s) (?:repo|repository|codebase)\b|",
        r"([a-z0-9][a-z0-9_./-]*)[`”“\u{22}]? ?(?:这个|那个)?(?:仓库|代码库|工程)"
    ))
});
/// Words in front of or behind `repo` that name no other one; some are stores of packages.
const THIS: &[&str] = &[
    "this", "the", "our", "my", "your", "same", "whole", "entire", "main", "current", "git", "mono", "a",
    "an", "project", "local", "each", "every", "one", "single", "team", "root", "maven", "npm", "docker",
    "image", "nexus", "helm", "artifact", "package", "apt", "github", "gitlab",
];

/// A stretch between commas.
struct Clause {
    range: Range<usize>,
    /// Where a denial starts and ends that holds for what follows it.
    denied: Vec<Range<usize>>,
}

/// A text cut into sentences and clauses.
pub(super) struct Clauses<'t> {
    text: &'t str,
    sentences: Vec<Range<usize>>,
    parts: Vec<Clause>,
    project: String,
}

impl<'t> Clauses<'t> {
    /// Cuts a text. `project` is the name of the checkout's folder: its own name is no other repository.
    pub(super) fn of(text: &'t str, project: &str) -> Self {
        let sentences = cut(text, |character, next| match character {
            '。' | '！' | '？' | '；' | ';' | '\n' => true,
            '.' | '!' | '?' => next.is_none_or(char::is_whitespace),
            _ => false,
        });
        let parts = sentences
            .iter()
            .flat_map(|sentence| {
                let inner = cut(&text[sentence.clone()], |character, next| match character {
                    '，' | '：' | '—' | '（' | '）' => true,
                    ',' | ':' | '(' | ')' => next.is_none_or(char::is_whitespace),
                    _ => false,
                });
                inner.into_iter().map(|clause| clause.start + sentence.start..clause.end + sentence.start)
            })
            .map(|range| Clause { denied: denied(&text[range.clone()], range.start), range })
            .collect();
        Self { text, sentences, parts, project: project.to_lowercase() }
    }

    /// The sentence around a place.
    pub(super) fn sentence(&self, at: usize) -> Range<usize> {
        self.sentences.iter().find(|range| range.contains(&at)).cloned().unwrap_or(0..self.text.len())
    }

    /// How the words mean what stands at a place.
    pub(super) fn mood(&self, at: usize) -> Mood {
        let sentence = self.sentence(at);
        let words = &self.text[sentence];
        if self.is_elsewhere(words) {
            return Mood::Elsewhere;
        }
        let clause = self.parts.iter().find(|clause| clause.range.contains(&at));
        if clause.is_some_and(|clause| clause.denied.iter().any(|range| range.contains(&at))) {
            return Mood::Denied;
        }
        let open = matches(&OPEN, words) || matches(&MAKES, &self.text[..at]);
        if open { Mood::Open } else { Mood::Stated }
    }

    /// Whether it is said to be so, here and now.
    pub(super) fn is_stated(&self, at: usize) -> bool {
        !matches!(self.mood(at), Mood::Denied | Mood::Elsewhere)
    }

    /// Whether the words right before a path say that it is a file by which this project is built or set up.
    pub(super) fn says_own(&self, at: usize) -> bool {
        matches(&OWN, &self.text[..at])
    }

    fn is_elsewhere(&self, sentence: &str) -> bool {
        if matches(&OTHER_PLACE, sentence) {
            return true;
        }
        let Some(named) = NAMED_PLACE.as_ref() else { return false };
        named.captures_iter(sentence).any(|found| {
            let name = found.iter().skip(1).flatten().next().map_or("", |name| name.as_str());
            let name = name.trim_end_matches(['.', '/']).to_lowercase();
            let name = name.trim_end_matches("'s").trim_end_matches("’s");
            let file = super::files::is_file_name(super::files::base(name), false);
            !name.is_empty() && name != self.project && !THIS.contains(&name) && !file
        })
    }
}

/// Cuts a text behind the characters that end a stretch; code in backticks is never cut.
fn cut(text: &str, ends: impl Fn(char, Option<char>) -> bool) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let (mut start, mut code) = (0, false);
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        if character == '`' {
            code = !code;
        }
        let next = characters.peek().map(|(_, next)| *next);
        if !code && ends(character, next) {
            let end = at + character.len_utf8();
            found.push(start..end);
            start = end;
        }
    }
    if start < text.len() {
        found.push(start..text.len());
    }
    found
}

/// The stretches of a clause that it denies.
fn denied(clause: &str, offset: usize) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    if let Some(denies) = DENIES_WHAT_FOLLOWS.as_ref() {
        for cue in denies.find_iter(clause) {
            let rest = &clause[cue.end()..];
            let mut ends = vec![&STATES_AGAIN];
            let word = cue.as_str().to_ascii_lowercase();
            if word.ends_with("from") || word.starts_with("replac") || word == "从" {
                ends.push(&BECOMES);
            }
            let end = ends
                .into_iter()
                .filter_map(|again| {
                    again.as_ref()?.find_iter(rest).find(|again| !rest[..again.start()].trim().is_empty())
                })
                .map(|again| cue.end() + again.start())
                .min()
                .unwrap_or(clause.len());
            found.push(offset + cue.end()..offset + end);
        }
    }
    if let Some(denies) = DENIES_WHAT_PRECEDES.as_ref()
        && let Some(cue) = denies.find(clause)
    {
        found.push(offset..offset + cue.start());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mood(text: &str, word: &str) -> Mood {
        Clauses::of(text, "harbour").mood(text.find(word).unwrap())
    }

    #[test]
    fn a_denial_holds_up_to_what_is_stated_again() {
        for (text, stated, denied) in [
            ("Use vitest, never jest.", "vitest", "jest"),
            ("Use vitest instead of jest.", "vitest", "jest"),
            ("We migrated from jest to vitest.", "vitest", "jest"),
            ("Jest was removed in March. Vitest runs everything.", "Vitest", "Jest"),
            ("测试不要用 jest，统一用 vitest。", "vitest", "jest"),
            ("从 jest 迁到 vitest 了。", "vitest", "jest"),
            ("不是 jest 而是 vitest。", "vitest", "jest"),
        ] {
            assert_eq!(mood(text, denied), Mood::Denied, "{text}");
            assert_eq!(mood(text, stated), Mood::Stated, "{text}");
        }
    }

    #[test]
    fn another_place_is_known_by_kind_and_by_name() {
        for text in [
            "See src/lib.rs in the lantern repo.",
            "Another repository has it in src/lib.rs.",
            "见 lantern 仓库的 src/lib.rs。",
            "另一个项目里的 src/lib.rs 才是入口。",
        ] {
            assert_eq!(mood(text, "src/lib.rs"), Mood::Elsewhere, "{text}");
        }
        for text in [
            "See src/lib.rs in this repo.",
            "The harbour repo keeps it in src/lib.rs.",
            "本仓库的入口是 src/lib.rs。",
        ] {
            assert_eq!(mood(text, "src/lib.rs"), Mood::Stated, "{text}");
        }
    }

    #[test]
    fn plans_and_products_are_open() {
        assert_eq!(mood("The run writes out.csv at the end.", "out.csv"), Mood::Open);
        assert_eq!(mood("计划新建 src/queue.rs。", "src/queue.rs"), Mood::Open);
    }
}
