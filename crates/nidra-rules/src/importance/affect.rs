//! What a person's turn shows of their feeling: frustration, praise, emphasis. English and Chinese are equals.
//!
//! Only the person's own words count: code, logs, quotations and pasted messages are taken out first. Politeness is no
//! feeling.

use crate::quoted;
use nidra_core::Affect;
use regex::{Regex, RegexBuilder};
use std::sync::LazyLock;

/// The wordings, as data files beside this one.
const ENGLISH: &str = include_str!("english.affect");
const CHINESE: &str = include_str!("chinese.affect");

/// How large an automaton may get, in bytes.
const AUTOMATON_BYTES: usize = 4 << 20;

/// Reads the feeling of a turn that a person typed.
pub fn of(text: &str) -> Affect {
    let own = without_code(&quoted::part(text).own).replace(['\u{2019}', '\u{02bc}'], "'");
    let own =
        COURTESY.as_ref().map_or_else(|| own.clone(), |pattern| pattern.replace_all(&own, " ").into_owned());
    Affect {
        frustration: shows(&FRUSTRATION, &own),
        praise: shows(&PRAISE, &own),
        emphasis: shows(&EMPHASIS, &own),
    }
}

static COURTESY: LazyLock<Option<Regex>> = LazyLock::new(|| pattern("[Courtesy]"));
static FRUSTRATION: LazyLock<Option<Regex>> = LazyLock::new(|| pattern("[Frustration]"));
static PRAISE: LazyLock<Option<Regex>> = LazyLock::new(|| pattern("[Praise]"));
static EMPHASIS: LazyLock<Option<Regex>> = LazyLock::new(|| pattern("[Emphasis]"));

fn shows(pattern: &LazyLock<Option<Regex>>, text: &str) -> bool {
    pattern.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

/// The words outside of code spans. A lone backtick opens none.
fn without_code(text: &str) -> String {
    text.lines()
        .map(|line| {
            let parts: Vec<&str> = line.split('`').collect();
            let closed = parts.len() % 2 == 1;
            let outside = |(position, part): (usize, &&str)| {
                if position % 2 == 0 || !closed { (*part).to_owned() } else { " ".to_owned() }
            };
            parts.iter().enumerate().map(outside).collect::<String>()
        })
        .collect::<Vec<_>>()
        .join("\n")
}

/// The wordings of a section of a data file, one a line.
fn wordings(data: &str, heading: &str) -> String {
    data.lines()
        .skip_while(|line| *line != heading)
        .skip(1)
        .take_while(|line| !is_heading(line))
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect::<Vec<_>>()
        .join("|")
}

fn is_heading(line: &str) -> bool {
    line.strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
        .is_some_and(|name| !name.is_empty() && name.bytes().all(|letter| letter.is_ascii_alphabetic()))
}

/// One expression over both languages. Borders are ASCII ones: Latin words stand right beside Han characters.
fn pattern(heading: &str) -> Option<Regex> {
    let english = wordings(ENGLISH, heading).replace(r"\b", r"(?-u:\b)");
    let source = format!("(?im)(?:{english}|{})", wordings(CHINESE, heading));
    RegexBuilder::new(&source).dfa_size_limit(AUTOMATON_BYTES).build().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECTIONS: [&str; 4] = ["[Courtesy]", "[Frustration]", "[Praise]", "[Emphasis]"];

    #[test]
    fn every_section_has_wordings_in_both_languages() {
        for heading in SECTIONS {
            assert!(pattern(heading).is_some(), "{heading}");
            assert!(!wordings(ENGLISH, heading).is_empty() && !wordings(CHINESE, heading).is_empty());
        }
    }

    fn names(text: &str) -> Vec<&'static str> {
        of(text).names()
    }

    #[test]
    fn frustration_praise_and_emphasis_are_told_apart_in_both_languages() {
        for (text, expected) in [
            ("ugh, you broke the build again", vec!["frustration"]),
            ("npm again?! I told you, use pnpm", vec!["frustration"]),
            ("How many times do I have to say it: use pnpm.", vec!["frustration"]),
            ("Why do you keep adding comments? Use none.", vec!["frustration"]),
            ("怎么又用 npm？说了多少遍了，用 pnpm。", vec!["frustration"]),
            ("无语，谁让你改 main 的", vec!["frustration"]),
            ("Perfect! Keep doing it like this.", vec!["praise"]),
            ("great catch, the retry belongs into the client", vec!["praise"]),
            ("太好了，以后都这样写提交信息。", vec!["praise"]),
            ("这才对嘛，干得漂亮", vec!["praise"]),
            ("NEVER push to main.", vec!["emphasis"]),
            ("This is really important: run the linter first!!", vec!["emphasis"]),
            ("千万别动 billing 目录", vec!["emphasis"]),
            ("切记：金额用分。", vec!["emphasis"]),
            ("I told you already, NEVER push to main!!", vec!["frustration", "emphasis"]),
        ] {
            assert_eq!(names(text), expected, "{text}");
        }
    }

    #[test]
    fn politeness_and_plain_statements_show_no_feeling() {
        for text in [
            "thanks, please run the tests",
            "Thank you very much. Could you also look at the parser?",
            "thanks again!! that was all",
            "谢谢，辛苦了，麻烦再跑一遍测试",
            "太谢谢了！！辛苦辛苦",
            "好的，可以",
            "ok good, go on",
            "We use pnpm in every package.",
            "The hook runs again after a retry; stop the server before that.",
            "It builds a perfect hash over the keys.",
            "The critical section is in src/lock.rs.",
            "The column is NOT NULL and the index UNIQUE.",
            "完美哈希表在 src/hash.rs 里",
            "这个接口一天跑两次",
            "为什么这里返回 404？",
        ] {
            assert!(of(text).is_none(), "{text}: {:?}", names(text));
        }
    }

    #[test]
    fn code_logs_and_quotations_show_no_feeling_of_the_person() {
        for text in [
            "look at this:\n```\n// ugh, wtf!! NEVER touch this\nassert!(perfect);\n```",
            "rename `NEVER_AGAIN` and `wtf!!` in the parser",
            "> this is so annoying!!\nwhat does he mean by that?",
            "tomasz wrote in slack:\n\"you broke the build again, wtf\"",
            "[ERROR] NEVER reached this state!! wtf\n[WARN] damn",
            "产品群里刚发的：\n“怎么又挂了！！无语”",
            "if (!!value) { return a != b; }",
        ] {
            assert!(of(text).is_none(), "{text}: {:?}", names(text));
        }
    }
}
