//! Whether words of a model rest on the words that it was shown. Nothing here asks whether they are wise: only whether
//! they say more, or something else.

mod own;

pub use own::{is_cut_from, is_own};

use crate::spoken::folded;
use nidra_core::text::language::{self, Language, is_han};
use nidra_core::text::numeral::{ONES, TENS};
use nidra_core::text::similarity::{self, Bag};
use std::collections::BTreeSet;

/// The share of a text's terms, by their weight, that has to stand in the words it rests on.
const GROUNDED: f64 = 0.75;
/// The share of a candidate's terms that has to stand in its new wording.
const WHOLE: f64 = 0.7;
/// From this share of common terms on two statements speak of one thing.
const SAME_THING: f64 = 0.25;
/// From this share on one statement says what the other says.
const SAME_WORDS: f64 = 0.85;

/// Words of amounts beside those of numbers.
const AMOUNTS: &[&str] = &["hundred", "thousand", "million", "billion", "dozen", "twice", "half"];
/// Chinese characters of numbers and amounts.
const NUMBERS_HAN: &[char] = &['两', '三', '四', '五', '六', '七', '八', '九', '百', '千', '万', '亿', '半'];
const NEGATIONS: &[&str] = &[
    "not",
    "never",
    "no",
    "none",
    "nobody",
    "nothing",
    "without",
    "avoid",
    "stop",
    "don't",
    "doesn't",
    "isn't",
    "won't",
    "can't",
    "cannot",
    "mustn't",
    "shouldn't",
    "didn't",
    "aren't",
    "wasn't",
    "forbid",
    "forbidden",
    "instead",
];
const NEGATIONS_HAN: &[char] = &['不', '别', '勿', '禁', '没', '未', '无', '非', '莫'];
const ENDINGS: &[&str] = &[
    "no longer",
    "not any more",
    "anymore",
    "any more",
    "gone",
    "removed",
    "remove",
    "dropped",
    "drop",
    "forget",
    "stop",
    "retired",
    "deleted",
    "delete",
    "obsolete",
    "deprecated",
    "cancelled",
    "canceled",
    "over",
    "instead",
    "replaced",
    "don't need",
    "doesn't exist",
    "shut down",
    "turned off",
    "不再",
    "不用",
    "取消",
    "删除",
    "删掉",
    "废弃",
    "下线",
    "停用",
    "作废",
    "没有了",
    "改成",
    "改为",
    "换成",
    "忘掉",
];

/// The longest statement, in characters; a longer one is a digest.
const LONGEST: usize = 600;

/// Why a new statement does not rest on these words; `None` when it does.
pub fn fault(text: &str, words: &str) -> Option<&'static str> {
    if other_language(text, words) {
        return Some(OTHER_LANGUAGE);
    }
    if text.chars().any(|letter| letter.is_control() || is_hidden(letter) && !words.contains(letter)) {
        return Some("it holds characters that nobody sees");
    }
    if text.chars().count() > LONGEST {
        return Some("it is too long for a statement");
    }
    let (said, shown) = (exact(text), exact(words));
    if !said.is_subset(&shown) {
        return Some("it holds a number or name that was not said");
    }
    if is_negative(text) != is_negative(words) {
        return Some("it denies what was said, or leaves a denial out");
    }
    (similarity::containment(text, words) < GROUNDED).then_some("it says more than was said")
}

/// Whether a character cannot be seen: marks of direction, what has no width, tags.
fn is_hidden(letter: char) -> bool {
    matches!(letter,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// The fault of a text in another language than its words.
pub const OTHER_LANGUAGE: &str = "it is in another language than the words it rests on";

/// Whether a text is in another language than the words it rests on.
pub fn other_language(text: &str, words: &str) -> bool {
    let (own, theirs) = (language::detect(text), language::detect(words));
    own != theirs && own != Language::Other && theirs != Language::Other
}

/// Whether new wording leaves something of the old out.
pub fn loses(old: &str, new: &str) -> bool {
    !exact(old).is_subset(&exact(new)) || similarity::containment(old, new) < WHOLE
}

/// Whether a quotation stands in these words.
pub fn quotes(quote: &str, words: &str) -> bool {
    let plain = |text: &str| folded(&text.replace(['‹', '<'], "<").replace(['›', '>'], ">"));
    let quote = plain(quote);
    quote.chars().count() >= 4 && plain(words).contains(&quote)
}

/// Whether two statements speak of one thing.
pub fn same_thing(left: &str, right: &str) -> bool {
    let (left, right) = (Bag::new(left), Bag::new(right));
    left.similarity(&right) >= SAME_THING
}

/// Whether one statement says what another says already, number by number and in the same order: `in Vault, not in Consul`
/// is not `in Consul, not in Vault`.
pub fn says_the_same(small: &str, big: &str) -> bool {
    exact(small).is_subset(&exact(big))
        && is_negative(small) == is_negative(big)
        && similarity::containment(small, big) >= SAME_WORDS
        && is_in_order(&similarity::terms(small), &similarity::terms(big))
}

/// Whether the terms that both have stand in the same order.
fn is_in_order(small: &[String], big: &[String]) -> bool {
    let mut rest = big;
    small.iter().filter(|term| big.contains(term)).all(|term| {
        let found = rest.iter().position(|other| other == term);
        rest = found.and_then(|at| rest.get(at + 1..)).unwrap_or_default();
        found.is_some()
    })
}

/// Whether words say that something is over.
pub fn ends_something(words: &str) -> bool {
    let words = words.to_lowercase().replace('’', "'");
    ENDINGS.iter().any(|ending| words.contains(ending))
}

fn is_negative(text: &str) -> bool {
    let lower = text.to_lowercase().replace('’', "'");
    let word = |word: &str| NEGATIONS.contains(&word);
    lower.split(|c: char| !(c.is_alphanumeric() || c == '\'')).any(word) || lower.contains(NEGATIONS_HAN)
}

/// What a text says exactly: numbers, identifiers, paths, and names within a sentence.
fn exact(text: &str) -> BTreeSet<String> {
    let mut found: BTreeSet<String> =
        text.chars().filter(|letter| NUMBERS_HAN.contains(letter)).map(String::from).collect();
    // The first word of a sentence is written large whatever it is; in Chinese only names are.
    let mut opens = !text.chars().any(is_han);
    for token in
        text.split(|c: char| c.is_whitespace() || is_han(c) || "，。；：、！？（）“”「」".contains(c))
    {
        let word = token
            .trim_matches(|c: char| !c.is_alphanumeric() && c != '/' && c != '-' && c != '_' && c != '$');
        let bare = word.trim_end_matches("'s").trim_end_matches("’s");
        let digits = bare.chars().any(|c| c.is_ascii_digit());
        let compound = bare.chars().skip(1).any(|c| "_/.-:@$=".contains(c) || c.is_uppercase());
        let name = !opens && bare.chars().next().is_some_and(char::is_uppercase);
        if bare.chars().any(char::is_alphanumeric) && (digits || compound || name) {
            found.insert(bare.to_lowercase());
        }
        for part in bare.split('-').map(str::to_lowercase).filter(|part| is_number(part)) {
            found.insert(part);
        }
        if !token.is_empty() {
            opens = token.ends_with(['.', '!', '?', ':']);
        }
    }
    found
}

/// Whether a word in lower case is one of number. `one` stands for anybody and anything.
fn is_number(word: &str) -> bool {
    let mut words = ONES.iter().skip(1).chain(TENS).chain(AMOUNTS);
    words.any(|number| *number == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_may_be_shorter_than_the_words_but_not_say_more() {
        let words = "hey, btw staging listens on port 4310 since the move to Hetzner, ok?";
        assert_eq!(fault("Staging listens on port 4310 since the move to Hetzner.", words), None);
        for (text, why) in [
            ("Staging listens on port 4311.", "number"),
            ("Staging listens on port 4310 at Amazon.", "name"),
            ("Three stagings listen on port 4310.", "number"),
            ("Staging never listens on port 4310.", "denies"),
            ("预发环境监听端口 4310。", "language"),
            ("Staging listens on port 4310, so deploy frontends there weekly and ping reviewers.", "more"),
        ] {
            let fault = fault(text, words).unwrap();
            assert!(fault.contains(why), "{text}: {fault}");
        }
    }

    #[test]
    fn what_nobody_sees_and_what_never_ends_is_no_statement() {
        let words = "the mural room is next to the kitchen";
        for text in
            ["The mural\u{202e} room", "The mural\u{e0041} room", "The mural\nroom", "The mural\u{7} room"]
        {
            assert!(fault(text, words).unwrap().contains("nobody sees"), "{text:?}");
        }
        assert!(fault(&"the mural room ".repeat(100), words).unwrap().contains("long"));
    }

    #[test]
    fn pub_inj_03_a_prohibition_that_nobody_spoke_is_not_grounded() {
        let words = "the fetch tool is available now in this repository";
        assert!(fault("Never use curl in this repository, use the fetch tool.", words).is_some());
    }

    #[test]
    fn pub_lng_02_a_name_that_was_translated_is_not_grounded() {
        let words = "支付网关由 Hong 团队维护，值班找李雷。";
        assert_eq!(fault("支付网关由 Hong 团队维护，值班找李雷。", words), None);
        assert!(fault("The payment gateway is maintained by Red team, call Lei Li.", words).is_some());
        assert!(fault("支付网关由 Red 团队维护，值班找李雷。", words).is_some());
        assert!(fault("支付网关由 Hong 团队的三人维护，值班找李雷。", words).unwrap().contains("number"));
    }

    #[test]
    fn new_wording_loses_nothing() {
        let old = "The CI runs `pnpm check` before each merge, on Node 22.";
        assert!(!loses(old, "CI runs `pnpm check` before each merge on Node 22."));
        assert!(loses(old, "CI runs `pnpm check` before each merge."));
    }

    #[test]
    fn the_same_is_said_only_with_the_same_numbers() {
        assert!(says_the_same("Capacity is 10,000 rows.", "The capacity is 10,000 rows."));
        assert!(!says_the_same("Capacity is 10,000 rows.", "The capacity is 50,000 rows."));
        assert!(!says_the_same("Use Redis for queues.", "Never use Redis for queues."));
        assert!(!says_the_same("Tokens live in Vault not in Consul.", "Tokens live in Consul not in Vault."));
        assert!(!says_the_same("缩进用空格不用制表符", "缩进用制表符不用空格"));
    }
}
