//! Whether a rule is told again with other words around it: 一律用英文 and 以后都用英文, `always sort imports` and `from now
//! on, sort imports please`.
//!
//! What only frames a rule – that it holds from now on, always, for everybody – is taken out; what is left has to be the
//! same, word for word and in its order.

use nidra_core::text::expression;
use nidra_core::text::language::is_han;
use regex::Regex;
use std::sync::LazyLock;

/// Words that deny, in English.
static DENIES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(r"(?i)\b(?:(?:must|should|shall|may|can|do|does|will) ?(?:not|n['’]t)|(?:mustn|shouldn|can|don|doesn|won)['’]?t|cannot|dont|never(?: ever)?|under no circumstances?)\b").ok()
});
/// Words that frame a rule, in English.
static FRAME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?i)\b(?:from (?:now|here|today|this point) on(?:wards?)?|going forward|henceforth|in (?:the )?future|as a rule|at all times|in general|",
        r"always|ever|please|pls|kindly|(?:please )?(?:make sure|be sure|remember) (?:to|that (?:you|we))|(?:you|we) (?:must|should|shall|have to|need to)|i(?:'d| would)? (?:want|like|expect|prefer) you to|",
        r"(?:the user|the human) (?:wants|expects) (?:the agent|you) to|must|should|shall|has to|have to|needs? to|may|can|just|really|again|the|an?|also|too)\b"
    ))
    .ok()
});
/// Words that deny, in Chinese.
static DENIES_HAN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(
        r"(?:千万|绝对|一定|绝)?(?:不要|不准|不许|不得|不能|不可以|禁止|严禁|别|別|勿)(?:再|去)?|绝不",
    )
    .ok()
});
/// Words that frame a rule, in Chinese.
static FRAME_HAN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?:从|自)(?:现在|今天|今|此)(?:起|开始|以后)?|以后|以後|今后|今後|往后|将来|从此|從此|永远|永遠|一律|统一|統一|始终|始終|总是|總是|一直|每次|",
        r"务必|務必|必须|必須|一定要?|应该|應該|应当|需要|记得|記得|记住|請|请|麻烦|都|要|得|就|也|可以|吧|哦|啊|呀|了$"
    ))
    .ok()
});
/// Words of one meaning for using something.
static USES_HAN: LazyLock<Option<Regex>> = LazyLock::new(|| expression::new("使用|采用|採用").ok());

/// The verb behind the language in which something is written: 用中文写 says no more than 用中文.
static WRITES_HAN: LazyLock<Option<Regex>> =
    LazyLock::new(|| expression::new(r"(用\p{Han}{0,2}[\p{Han}](?:文|语|語))(?:来|來)?(?:写|寫)").ok());

/// Stands for a word that denies.
pub(crate) const DENIAL: &str = "\u{1}";

/// What a rule says without its frame, in order; and whether it forbids it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Core {
    /// Latin words in lower case and single Han characters.
    pub(crate) words: Vec<String>,
    /// It is denied.
    pub(crate) denies: bool,
}

/// The core of a sentence.
pub(crate) fn core(text: &str) -> Core {
    let replace = |pattern: &LazyLock<Option<Regex>>, text: &str, with: &str| {
        pattern
            .as_ref()
            .map_or_else(|| text.to_owned(), |pattern| pattern.replace_all(text, with).into_owned())
    };
    let text = replace(&DENIES, text, " \u{1} ");
    let text = replace(&FRAME, &text, " ");
    let text = replace(&DENIES_HAN, &text, "\u{1}");
    let text = replace(&FRAME_HAN, text.trim_end_matches(['.', '。', '!', '！']), "");
    let text = replace(&USES_HAN, &text, "用");
    let text = replace(&WRITES_HAN, &text, "$1").to_lowercase();
    let mut words = Vec::new();
    let mut word = String::new();
    let flush = |word: &mut String, words: &mut Vec<String>| {
        let bare = word.trim_matches(|c: char| matches!(c, '.' | '-' | '\'' | '/' | ':')).to_owned();
        word.clear();
        if !bare.is_empty() {
            words.push(bare);
        }
    };
    let mut denies = false;
    for character in text.chars() {
        if is_han(character) {
            flush(&mut word, &mut words);
            words.push(character.to_string());
        } else if character == '\u{1}' {
            flush(&mut word, &mut words);
            // The first word that denies tells what the rule does; one behind it (`X, not Y`) is part of what it says.
            if words.is_empty() {
                denies = true;
            }
            words.push(DENIAL.to_owned());
        } else if character.is_alphanumeric()
            || matches!(character, '.' | '-' | '_' | '/' | ':' | '#' | '+' | '@' | '%' | '\'')
        {
            word.push(character);
        } else {
            flush(&mut word, &mut words);
        }
    }
    flush(&mut word, &mut words);
    Core { words, denies }
}

/// What says less than this is no rule of its own: a Latin word counts two, a Han character one.
const LEAST: usize = 4;

fn weight(words: &[String]) -> usize {
    words.iter().filter(|word| *word != DENIAL).map(|word| if word.is_ascii() { 2 } else { 1 }).sum()
}

/// Whether all sentences of a text stand in another one, but for what frames them.
pub(crate) fn is_restated(text: &str, known: &str) -> bool {
    let held: Vec<Core> = sentences(known).map(core).collect();
    let mut told = 0;
    for sentence in sentences(text) {
        let core = core(sentence);
        if core.words.is_empty() {
            continue;
        }
        if !held.contains(&core) {
            return false;
        }
        told += weight(&core.words);
    }
    told >= LEAST
}

/// Whether one sentence forbids what the other one asks for, in the same words.
pub(crate) fn is_reversed(left: &str, right: &str) -> bool {
    let (left, right) = (core(left), core(right));
    let bare = |core: &Core| core.words.iter().filter(|word| *word != DENIAL).cloned().collect::<Vec<_>>();
    let denials = |core: &Core| core.words.iter().filter(|word| *word == DENIAL).count();
    let (one, other) = (bare(&left), bare(&right));
    denials(&left) + denials(&right) == 1 && weight(&one) >= LEAST && one == other
}

/// The sentences of an entry.
pub(crate) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split(['。', '！', '；', '!', '\n'])
        .flat_map(|part| part.split(". "))
        .flat_map(|part| part.split("**Why:**"))
        .flat_map(|part| part.split("**原因：**"))
        .map(str::trim)
        .filter(|part| part.chars().any(char::is_alphanumeric))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_with_another_frame_is_the_same_rule() {
        for (left, right) in [
            ("Always sort the imports.", "From now on, sort imports please."),
            ("Never store raw card numbers.", "Don't store raw card numbers, ever."),
            ("Tables must have a primary key.", "Going forward tables should have a primary key."),
            ("Please use yarn here, not npm.", "From here on always use yarn here, not npm."),
            ("表名一律用小写。", "以后表名都用小写。"),
            ("永远不要改历史迁移。", "今后别改历史迁移"),
            ("文案统一使用敬语。", "从现在起文案必须用敬语。"),
        ] {
            assert!(is_restated(left, right) && is_restated(right, left), "{left} / {right}");
        }
    }

    #[test]
    fn another_matter_value_order_or_denial_is_not() {
        for (left, right) in [
            ("Always sort the imports.", "Always sort the exports."),
            ("Use yarn, not npm.", "Use npm, not yarn."),
            ("Never store raw card numbers.", "Always store raw card numbers."),
            ("Keep lines below 80 columns.", "Keep lines below 100 columns."),
            ("Run the linter before you push.", "Run the formatter before you push."),
            ("表名一律用小写。", "列名一律用小写。"),
            ("永远不要改历史迁移。", "以后可以改历史迁移。"),
            ("提交前必须跑测试。", "合并前必须跑测试。"),
            ("Always.", "Please."),
        ] {
            assert!(!is_restated(left, right) && !is_restated(right, left), "{left} / {right}");
        }
    }

    #[test]
    fn what_was_forbidden_and_is_asked_for_is_reversed() {
        assert!(is_reversed("Always squash before the merge.", "never squash before the merge"));
        assert!(is_reversed("永远不要改历史迁移。", "以后可以改历史迁移"));
        assert!(is_reversed("合并前不要跑冒烟。", "合并前必须跑冒烟"));
        assert!(!is_reversed("Use yarn, not npm.", "Use npm, not yarn."));
        assert!(!is_reversed("Never push on fridays.", "Always push on mondays."));
    }
}
