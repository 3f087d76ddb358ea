//! Whether a statement is the model's own: nothing here tells a synonym from a swapped thing, so a person has to.
//!
//! Words are compared as they are written, not by their meaning: a measure that forgives much when it looks for what is
//! alike would forgive here what turns a statement round.

use super::{NEGATIONS, NEGATIONS_HAN, exact, is_negative};
use nidra_core::text::expression;
use nidra_core::text::language::is_han;
use nidra_core::text::similarity;
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Words that hold a sentence together and say nothing of the matter. What tells one state, person or direction from
/// another (`on`, `off`, `us`, `may`, `from`) is not among them.
const BINDING: &[&str] = &[
    "a",
    "an",
    "the",
    "is",
    "are",
    "was",
    "were",
    "be",
    "been",
    "has",
    "have",
    "had",
    "do",
    "does",
    "it",
    "its",
    "this",
    "that",
    "these",
    "those",
    "they",
    "their",
    "there",
    "which",
    "who",
    "of",
    "for",
    "and",
    "with",
    "as",
    "in",
    "at",
    "to",
    "so",
    "then",
    "use",
    "uses",
    "used",
    "using",
    "project",
    "repository",
];
/// The same in Chinese, by character and by word.
const BINDING_HAN: &str = "的了着是在有和与及也还这那此该其之个";
const BINDING_WORDS_HAN: &[&str] = &["使用", "采用", "项目", "需要", "应该", "位于", "目前", "现在"];
/// The longest word in Chinese that is looked for in one piece.
const LONGEST_HAN: usize = 12;
/// Signs that tell one amount or direction from another.
const SIGNS: &str = "<>≤≥=≠±+%‰$€£¥￥°~^!&|*→←";

/// Who a statement speaks of, at its beginning; the person is known to have said it.
static SPEAKER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?i)^(?:the )?(?:user|person) (?:wants?|prefers?|likes?|asks? for|expects?|said|says|requires?)(?: that| to)? |",
        r"^(?:用户|使用者)(?:希望|要求|喜欢|偏好|说过?|想要?|表示)?",
    ))
    .ok()
});
/// What is so.
static PRESENT: LazyLock<Option<Regex>> =
    LazyLock::new(|| expression::new(r"(?i)\b(?:is|are|has|have)\b").ok());
/// What was so.
static PAST: LazyLock<Option<Regex>> =
    LazyLock::new(|| expression::new(r"(?i)\b(?:was|were|had|used to)\b").ok());
/// What leaves a statement open.
static HEDGED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(r"(?i)\b(?:may|might|maybe|perhaps|probably|possibly|could|would|likely|planned?|plans? to|if|unless|until|when)\b|可能|也许|大概|或许|打算|计划|如果|要是|万一|除非|假如").ok()
});

/// Whether a statement is the model's own: it has a word that was not said, or it puts what was said together in another
/// way. `Always npm, never pnpm` has no word more than `always pnpm, never npm`, and says the opposite.
pub fn is_own(text: &str, words: &str) -> bool {
    let text = match SPEAKER.as_ref() {
        Some(speaker) => speaker.replace(text, ""),
        None => text.into(),
    };
    let signs =
        |text: &str| -> BTreeSet<char> { text.chars().filter(|sign| SIGNS.contains(*sign)).collect() };
    adds(&text, words)
        || !signs(&text).is_subset(&signs(words))
        || matches(&HEDGED, &text) != matches(&HEDGED, words)
        || (matches(&PRESENT, &text) && matches(&PAST, words) && !matches(&PRESENT, words))
        || joins_anew(&text, words)
}

/// Whether a statement has a word of the matter that its words do not have.
fn adds(text: &str, words: &str) -> bool {
    let shown: BTreeSet<String> = spelt(words).collect();
    let known = |word: &str| {
        shown.contains(word)
            || BINDING.contains(&word)
            // Which denial it is says nothing of the matter; whether there is one is compared clause by clause.
            || (NEGATIONS.contains(&word) && is_negative(words))
            || forms(word).any(|form| {
                shown.iter().any(|other| *other == form || forms(other).any(|other| other == form))
            })
    };
    if spelt(text).any(|word| !known(&word)) {
        return true;
    }
    let words: String = words.chars().filter(|letter| !letter.is_whitespace()).collect();
    text.split(|letter: char| !is_han(letter)).any(|run| !is_made_of(run, &words))
}

/// The words of a text that are written in letters, in small ones.
fn spelt(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|letter: char| !letter.is_alphanumeric() || is_han(letter))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

/// A word without the endings that its grammar alone asks for.
fn forms(word: &str) -> impl Iterator<Item = String> + '_ {
    const ENDINGS: &[(&str, usize)] = &[("s", 3), ("es", 4), ("ed", 4), ("d", 4), ("ing", 4)];
    // `planes` are no `plans`: `es` is an ending behind a hiss only.
    let hisses = |bare: &str| ["s", "x", "z", "ch", "sh"].iter().any(|end| bare.ends_with(end));
    let bare = ENDINGS.iter().filter_map(move |(ending, least)| {
        let bare = word.strip_suffix(ending)?;
        (bare.len() >= *least && (*ending != "es" || hisses(bare))).then(|| bare.to_owned())
    });
    std::iter::once(word.to_owned()).chain(bare)
}

/// Whether a run of Chinese is made of pieces that were said, of two characters at least, and of what holds them together.
fn is_made_of(run: &str, words: &str) -> bool {
    let letters: Vec<char> = run.chars().collect();
    let mut reached = vec![false; letters.len() + 1];
    reached[0] = true;
    for start in 0..letters.len() {
        if !reached[start] {
            continue;
        }
        for end in start + 1..=(start + LONGEST_HAN).min(letters.len()) {
            let piece: String = letters[start..end].iter().collect();
            let binds = match end - start {
                1 => BINDING_HAN.contains(letters[start]) || NEGATIONS_HAN.contains(&letters[start]),
                _ => BINDING_WORDS_HAN.contains(&piece.as_str()) || words.contains(&piece),
            };
            if binds {
                reached[end] = true;
            }
        }
    }
    reached.last().copied().unwrap_or(true)
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
        let known = shown.iter().any(|(terms, denied)| {
            said.iter().all(|term| terms.contains(term)) && *denied == is_negative(clause)
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
    similarity::terms(text).into_iter().filter(|term| !BINDING.contains(&term.as_str())).collect()
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
            assert!(!is_own(text, words), "{text}");
        }
        for (text, words) in [
            ("The production database listens on port 5544.", "staging's database now listens on port 5544"),
            ("The staging cache listens on port 5544.", "staging's database now listens on port 5544"),
            ("Always run `make check` before pushing.", "run `make check` before you push"),
            ("生产数据库使用端口 5544。", "预发的数据库现在在 5544 端口"),
            ("每次提交信息都不带表情。", "提交信息别带表情"),
        ] {
            assert!(is_own(text, words), "{text}");
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
            ("Use npm, never pnpm.", "use pnpm, never npm"),
            ("Run `terraform apply` on each pull request.", "run `terraform plan` on each pull request"),
            ("The cluster sits in us.", "the cluster sits in eu"),
            ("The cache is on for tests.", "the cache is off for tests"),
            ("Invoices are written by him.", "invoices are written by hand"),
            ("Staging of the worker needs 4 GB.", "the first stage of the worker needs 4 GB"),
            ("Only users can open the vault.", "only developers can open the vault"),
            ("The canned mails go out at night.", "the mails can go out at night"),
            ("Answers take > 200 ms.", "answers take < 200 ms"),
            ("A refund of £500 is approved.", "a refund of €500 is approved"),
            ("We move to Hetzner.", "we may move to Hetzner"),
            ("Staging is on Heroku.", "staging was on Heroku until the release"),
            ("The plans land in the hall.", "the planes land in the hall"),
            ("生产数据库是只读的。", "预发环境的产品数据库会生成报表，是只读的"),
            ("智能体可以写账单数据库。", "智能体可以读账单数据库，写日志另说"),
            ("日志只写不读。", "日志只读不写"),
            ("测试环境用 9090 端口。", chinese),
            ("生产环境用 8080 端口，测试环境用 9090 端口。", chinese),
        ] {
            assert!(is_own(text, words), "{text}");
        }
        for (text, words) in [
            ("Use pnpm in this repository, never npm.", pnpm),
            ("The production database runs on port 6655.", ports),
            ("Icons are stored as svg.", pictures),
            ("Commit messages have no emoji.", "no emoji in commit messages please"),
            ("生产环境用 9090 端口。", chinese),
        ] {
            assert!(!is_own(text, words), "{text}");
        }
    }
}
