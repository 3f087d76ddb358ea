//! Whether two rules are one, though they were given in different places and perhaps in other words.
//!
//! Only what both say in nearly the same words is one rule: a wrong yes would carry a rule to where nobody gave it.

use crate::recur::is_told;
use crate::settle::conflicting_value;
use crate::terms;
use nidra_core::text::expression;
use nidra_core::text::similarity::similarity;
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// How alike two texts are that give the same rule.
const SAME: f64 = 0.8;

/// Words for the place where a rule was given and for that it always holds, which say nothing of the rule.
static PLACE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?i)\b(?:in|for|on|across|throughout|within) (?:this|the|our|all our|all|every|each) (?:repo|repositor(?:y|ies)|projects?|codebase|code base|workspace)\b|",
        r"(?i)\b(?:from now on|around here|over here|here|always|please|each|every|we|you)\b|",
        r"(?:在|对)?(?:这个|本|该|此|我们的?|每个|所有)(?:仓库|项目|工程|代码库)(?:里面?|中|内)?|从现在起|今后|以后|这里|一律|总是|务必|必须|都要|请",
    ))
    .ok()
});

/// A word that is denied or not asked for.
static DENIED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?i)\b(?:no need|need not|needn['’]?t|not|never|no|don['’]?t|cannot|can['’]?t|without|avoid|stop|instead of|rather than)",
        r"(?: (?:ever|use|using|to|a|an|the|any|in|with))* ([a-z0-9][a-z0-9_./-]*)|",
        r"(?:不要|不准|不许|不得|不能|不必|不用|不再|无需|无须|禁止|而不是|别|勿)(?:再|使)?用? ?([A-Za-z0-9][A-Za-z0-9_./-]*|\p{Han}{2})",
    ))
    .ok()
});

/// Whether two statements give the same rule. Values that differ, and a word that one asks for and the other denies, make
/// two of them.
pub fn is_same_rule(left: &str, right: &str) -> bool {
    let (left, right) = (without_place(left), without_place(right));
    let (about_left, about_right) = (terms::terms(&left), terms::terms(&right));
    let alike = similarity(&left, &right) >= SAME
        || (is_told(&left, &about_left, &right, &about_right)
            && is_told(&right, &about_right, &left, &about_left));
    alike
        && conflicting_value(&left, &right, false).is_none()
        && conflicting_value(&right, &left, false).is_none()
        && !denies(&left, &right)
        && !denies(&right, &left)
}

fn without_place(text: &str) -> String {
    PLACE.as_ref().map_or_else(|| text.to_owned(), |place| place.replace_all(text, " ").into_owned())
}

/// Whether one text denies a word that the other asks for.
fn denies(denying: &str, asking: &str) -> bool {
    let (denied, also) = (denied(denying), denied(asking));
    let asking = asking.to_lowercase();
    denied.iter().filter(|word| !also.contains(*word)).any(|word| {
        if word.is_ascii() {
            let inner = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
            asking.split(|letter: char| !inner(letter)).any(|other| other == word)
        } else {
            asking.contains(word)
        }
    })
}

/// What a text denies or does not ask for.
pub(crate) fn denied(text: &str) -> BTreeSet<String> {
    let found = DENIED.as_ref().into_iter().flat_map(|pattern| pattern.captures_iter(text));
    found
        .filter_map(|found| Some(found.get(1).or_else(|| found.get(2))?.as_str()))
        .map(|word| word.trim_end_matches(['.', '/', '-']).to_lowercase())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::is_same_rule;

    #[test]
    fn the_same_rule_in_another_place_is_the_same_rule() {
        for (left, right) in [
            ("Always use pnpm in this repository, never npm or yarn.", "Always use pnpm, never npm or yarn."),
            ("Always use pnpm, never npm.", "Use pnpm always in our project, never npm."),
            ("Run the linter before every commit.", "Always run the linter before each commit here."),
            ("Squash commits before merging a branch.", "Squash the commits before merging a branch."),
            ("提交信息一律用中文写，不要用英文前缀。", "这个仓库的提交信息一律用中文写，不要用英文前缀。"),
            ("前端必须用 pnpm，不要用 npm。", "本项目前端必须用 pnpm，不要用 npm"),
            ("所有接口都要写单元测试。", "所有接口都要写单元测试，以后"),
        ] {
            assert!(is_same_rule(left, right), "{left} / {right}");
            assert!(is_same_rule(right, left), "{right} / {left}");
        }
    }

    #[test]
    fn a_turned_value_or_word_makes_another_rule() {
        for (left, right) in [
            ("Always use pnpm, never npm.", "Always use npm, never pnpm."),
            ("Always use tabs in Python files.", "Never use tabs in Python files."),
            ("Deploy on Fridays after the review.", "Don't deploy on Fridays after the review."),
            ("Deploy on Fridays after the review.", "Deploy on Mondays after the review."),
            ("Keep functions below 40 lines.", "Keep functions below 80 lines."),
            (
                "Write the changelog entry with every change.",
                "No need to write the changelog entry with every change.",
            ),
            ("Always run the linter before you commit.", "Always run the formatter before you commit."),
            ("Always use pnpm.", "Always use cargo nextest."),
            ("提交信息用英文写。", "提交信息不要用英文写。"),
            ("前端必须用 pnpm，不要用 npm。", "前端必须用 npm，不要用 pnpm。"),
            ("每次提交前都要跑测试。", "每次提交前不必跑测试。"),
            ("接口超时设为 30 秒。", "接口超时设为 60 秒。"),
        ] {
            assert!(!is_same_rule(left, right), "{left} / {right}");
            assert!(!is_same_rule(right, left), "{right} / {left}");
        }
    }
}
