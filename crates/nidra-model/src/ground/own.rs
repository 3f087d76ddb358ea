//! Whether a statement is the model's own: nothing here tells a synonym from a swapped thing, so a person has to.

use super::{exact, is_negative};
use nidra_core::text::expression;
use nidra_core::text::language::is_han;
use nidra_core::text::similarity;
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Words that put what was said as a statement or as a rule and say nothing more of the matter, as terms. Those that make
/// a rule of a case, `always` and `only`, are not among them.
const NEUTRAL: &[&str] = &[
    "add",
    "agent",
    "apply",
    "ask",
    "avoid",
    "call",
    "codebase",
    "convention",
    "developer",
    "do",
    "ensure",
    "expect",
    "follow",
    "get",
    "go",
    "keep",
    "like",
    "make",
    "must",
    "need",
    "now",
    "prefer",
    "project",
    "put",
    "repo",
    "repository",
    "rule",
    "run",
    "said",
    "say",
    "see",
    "set",
    "state",
    "take",
    "team",
    "told",
    "use",
    "user",
    "want",
    "when",
    "where",
    "without",
    "work",
    "write",
];
/// The same in Chinese, by character; denials are compared apart.
const NEUTRAL_HAN: &str = "用使需要应该须请将把被由为是在有和与及或的了着过们此该本项目库户说表示希望想写做进行保持当时者不别没无未勿";

/// Whether a statement says a word of the matter that its words do not have. It may say the same with a synonym, or it may
/// have put one thing in the place of another: `production` for `staging`. Nothing here can tell the two apart, so it is
/// for a person to say.
fn adds(text: &str, words: &str) -> bool {
    let shown: BTreeSet<String> = similarity::terms(words).into_iter().collect();
    let known = |term: &str| {
        let neutral =
            |word: &&str| **word == *term || similarity::terms(word).iter().any(|stem| stem == term);
        shown.contains(term) || NEUTRAL.iter().any(neutral)
    };
    let characters: BTreeSet<char> = shown.iter().flat_map(|term| term.chars()).collect();
    let said = similarity::terms(text);
    said.iter().any(|term| match term.chars().next() {
        Some(first) if is_han(first) => {
            term.chars().any(|letter| !characters.contains(&letter) && !NEUTRAL_HAN.contains(letter))
        }
        _ => !known(term),
    })
}

/// Whether a statement is the model's own: it has a word that was not said, or it puts what was said together in another
/// way. `Always npm, never pnpm` has no word more than `always pnpm, never npm`, and says the opposite.
pub fn is_own(text: &str, words: &str) -> bool {
    adds(text, words) || joins_anew(text, words)
}

/// Whether a clause puts together what no clause of the words has together, says it with another denial, or in another
/// order where the order tells which is which.
fn joins_anew(text: &str, words: &str) -> bool {
    let shown: Vec<(Vec<String>, bool)> =
        clauses(words).map(|clause| (matter(clause), is_negative(clause))).collect();
    let all = matter(words);
    let mut ordered = matches(&ASYMMETRIC, text);
    for clause in clauses(text) {
        let said: Vec<String> = matter(clause).into_iter().filter(|term| all.contains(term)).collect();
        // One thing alone is joined with nothing.
        let known = shown.iter().any(|(terms, denied)| {
            said.iter().all(|term| terms.contains(term)) && (said.len() < 2 || *denied == is_negative(clause))
        });
        if !known {
            return true;
        }
        ordered |= exact(clause).len() >= 2;
    }
    ordered && {
        let said: Vec<String> = matter(text).into_iter().filter(|term| all.contains(term)).collect();
        common_order(&said, &all) < said.len()
    }
}

/// Between what comes before them and what behind them is a difference.
static ASYMMETRIC: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?i)\b(?:before|after|then|first|until|over|than|rather|instead|replac\w+|supersed\w+|from|into|becomes?|becam\w+|",
        r"calls?|asks?|owns?|depends?|needs?|requires?|beats?|wins?|blocks?|prefers?)\b|",
        r"先|再|然后|之前|以前|之后|以后|代替|替换|取代|改成|改为|换成|比|从|依赖|归|负责|优先|而不是|不是",
    ))
    .ok()
});
/// Where a clause ends.
static BETWEEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(
        r"(?i)[,;!?，。；！？、\n]|[.:] |[.:]$|\b(?:and|but|or|while|whereas|because|so)\b|而|但|因为|所以",
    )
    .ok()
});

fn clauses(text: &str) -> impl Iterator<Item = &str> {
    let parts: Vec<&str> = match BETWEEN.as_ref() {
        Some(between) => between.split(text).collect(),
        None => vec![text],
    };
    parts.into_iter().filter(|part| !part.trim().is_empty())
}

fn matches(pattern: &LazyLock<Option<Regex>>, text: &str) -> bool {
    pattern.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

/// The terms of a text that tell what it is about, in order.
fn matter(text: &str) -> Vec<String> {
    let neutral = |term: &String| NEUTRAL.iter().any(|word| **word == **term);
    similarity::terms(text).into_iter().filter(|term| !neutral(term)).collect()
}

/// How many terms stand in both in the same order.
fn common_order(left: &[String], right: &[String]) -> usize {
    let mut longest = vec![0; right.len() + 1];
    for one in left {
        let mut corner = 0;
        for (at, other) in right.iter().enumerate() {
            let above = longest[at + 1];
            longest[at + 1] = if one == other { corner + 1 } else { above.max(longest[at]) };
            corner = above;
        }
    }
    longest.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_was_not_said_is_seen_and_plain_rewording_is_not() {
        for (text, words) in [
            ("The staging database listens on port 5544.", "staging's database now listens on port 5544"),
            ("The user wants commit messages without emoji.", "no emoji in commit messages please"),
            ("Run `make check` before pushing.", "you need to run `make check` before you push"),
            ("预发数据库使用端口 5544。", "预发的数据库现在在 5544 端口"),
            ("使用者希望提交信息不带表情。", "提交信息别带表情，使用的人不喜欢"),
        ] {
            assert!(!adds(text, words), "{text}");
        }
        for (text, words) in [
            ("The production database listens on port 5544.", "staging's database now listens on port 5544"),
            ("The staging cache listens on port 5544.", "staging's database now listens on port 5544"),
            ("Always run `make check` before pushing.", "run `make check` before you push"),
            ("生产数据库使用端口 5544。", "预发的数据库现在在 5544 端口"),
            ("每次提交信息都不带表情。", "提交信息别带表情"),
        ] {
            assert!(adds(text, words), "{text}");
        }
    }

    #[test]
    fn what_is_put_together_in_another_way_is_the_models_own() {
        let pnpm = "always use pnpm in this repository, never npm, the lockfile breaks otherwise";
        let ports = "the staging database runs on port 5544 and the production database runs on port 6655";
        let owners = "ask Maria about invoices and Tom about shipping";
        let steps = "first run the migration, then restart the workers";
        let pictures = "screenshots are stored as webp and icons are stored as svg";
        let chinese = "测试环境用 8080 端口，生产环境用 9090 端口";
        for (text, words) in [
            ("Always use npm in this repository, never pnpm, the lockfile breaks otherwise.", pnpm),
            ("Never use pnpm in this repository, always npm.", pnpm),
            ("The staging database runs on port 6655.", ports),
            ("Ask Tom about invoices.", owners),
            ("First restart the workers, then run the migration.", steps),
            ("Screenshots are stored as svg and icons are stored as webp.", pictures),
            ("Postgres replaces Redis.", "redis replaces postgres"),
            ("测试环境用 9090 端口。", chinese),
            ("生产环境用 8080 端口，测试环境用 9090 端口。", chinese),
        ] {
            assert!(is_own(text, words), "{text}");
        }
        for (text, words) in [
            ("Use pnpm in this repository, never npm.", pnpm),
            ("The production database runs on port 6655.", ports),
            ("Maria is asked about invoices.", owners),
            ("Icons are stored as svg.", pictures),
            ("Commit messages have no emoji.", "no emoji in commit messages please"),
            ("生产环境用 9090 端口。", chinese),
        ] {
            assert!(!is_own(text, words), "{text}");
        }
    }
}
