//! Decisions that are taken by the number of one of the agent's options: `2. but at -7`, `second is enough, 4 seconds
//! each`, `我们用第一个，缓存十分钟`.

use crate::dialogue::Dialogue;
use crate::person;
use crate::phrase;
use crate::sentence;
use crate::terms;
use nidra_core::text::expression;
use nidra_core::text::language::is_han;
use nidra_core::text::width::shorten;
use regex::Regex;
use std::sync::LazyLock;

/// A number at the start of an answer.
static LEAD: LazyLock<Vec<Option<Regex>>> = LazyLock::new(|| {
    [
        concat!(
            r"(?i)^\W*(?:(?:ok(?:ay)?|fine|right|yes|yep|hm+|well|then|so|alright|good)[,.! ]+)*(?:(?:let'?s|we'?ll|we|i'?d|i'?ll|i) )?(?:(?:go (?:with|for)|going with|take|use|do|pick|choose|prefer|want) )?",
            r"(?:option |number |the )?(?P<n>[1-4]|one|two|three|four|first|second|third|fourth)(?: one| option)?(?:[.,:;)!] *|\s+(?:is (?:enough|fine|ok|okay|good|it)|it is|then|please|sounds? good)\b[,.! ]*|\s+(?P<rest>(?:but|and|with|only|for)\b)|\s*$)",
        ),
        r"(?i)^\W*(?:(?:ok(?:ay)?|fine|then|so)[,.! ]+)*(?:option )?\(?(?P<n>[a-d])[.):]\s+",
        r"^(?:嗯+|行吧?|好吧?|那|就|我们|咱们?|还是|我想一下|[，,。… ])*(?:就|选|用|走|按|上|要)*(?:方案|第) ?(?P<n>[一二三四1-4A-Da-d])(?:个|种|套)?(?:方案|办法)?(?:吧|好了)?(?:[，,。：:；]|$)",
        r"^(?:嗯+|行吧?|好吧?|那|就|我们|咱们?|还是|[，,。… ])*(?:就|选|用|走|按|上|要)+ ?(?P<n>[1-4A-D])(?:吧|好了)?(?:[，,。：:；]|$)",
    ]
    .into_iter()
    .map(|pattern| expression::new(pattern).ok())
    .collect()
});

/// The numbers before the options of a message.
static LABEL: LazyLock<Vec<Option<Regex>>> = LazyLock::new(|| {
    [
        r"(?m)^\s*(?:[-*] )?\**(?:option |方案 ?)?\(?(?P<n>[1-9a-dA-D一二三四])[.):：）、]\**\s*",
        r"(?m)^\s*\| *(?P<n>[1-9]) *\| *",
        r"\((?P<n>[a-d1-4])\) ",
        r"(?P<n>[1-4])[）)、]",
    ]
    .into_iter()
    .map(|pattern| expression::new(pattern).ok())
    .collect()
});

/// A decision by number.
pub(crate) struct Numbered {
    /// The option in the agent's words, shortened to what it is.
    pub(crate) option: String,
    /// What the person says besides.
    pub(crate) rest: String,
    /// The matter of the question, where the person named it in a word or two.
    pub(crate) subject: Option<String>,
}

/// An option is told in so many columns at most.
const COLUMNS: usize = 90;
/// So many messages of the agent are looked through for its options.
const MESSAGES: usize = 3;

/// The decision that an utterance takes by number.
pub(crate) fn decision(dialogue: &Dialogue<'_>, index: usize) -> Option<Numbered> {
    let utterance = dialogue.utterances.get(index)?;
    let own = utterance.own.trim();
    let (number, rest) = LEAD.iter().flatten().find_map(|pattern| {
        let found = pattern.captures(own)?;
        let end = found.name("rest").map_or(found.get(0)?.end(), |rest| rest.start());
        Some((place(found.name("n")?.as_str())?, own[end..].trim()))
    })?;
    let first = (index + 1).saturating_sub(MESSAGES);
    let (asked, options) = (first..=index).rev().find_map(|at| {
        let options = options(dialogue.utterances[at].before.as_ref()?.text);
        (options.len() >= 2).then_some((at, options))
    })?;
    let option = options.iter().find(|(label, _)| *label == number)?.1.clone();
    let chinese = option.chars().any(is_han) || own.chars().any(is_han);
    let rest = phrase::absolute(&phrase::without_fillers(rest), &utterance.said);
    let rest = person::third_person(&rest, chinese);
    Some(Numbered { option, rest, subject: subject(dialogue, asked) })
}

/// The options of a message: their numbers and what they are.
fn options(offer: &str) -> Vec<(usize, String)> {
    if offer.chars().count() > 4000 {
        return Vec::new();
    }
    for pattern in LABEL.iter().flatten() {
        let labels: Vec<_> = pattern
            .captures_iter(offer)
            .filter_map(|captures| Some((captures.get(0)?.range(), place(captures.name("n")?.as_str())?)))
            .collect();
        let ends = labels.iter().skip(1).map(|(label, _)| label.start).chain([offer.len()]);
        let found: Vec<(usize, String)> = labels
            .iter()
            .zip(ends)
            .map(|((label, number), end)| (*number, told(&offer[label.end..end])))
            .filter(|(_, text)| sentence::weight(text) >= 1)
            .collect();
        if found.len() >= 2 {
            return found;
        }
    }
    Vec::new()
}

/// What an option is, without what speaks for or against it.
fn told(text: &str) -> String {
    let plain = text.lines().next().unwrap_or_default().replace(['*', '`'], "");
    let end = plain
        .char_indices()
        .find(|(at, c)| matches!(c, '；' | ';' | '。' | '|') && *at >= 4)
        .map_or(plain.len(), |(at, _)| at);
    let sentence = plain[..end].split(". ").next().unwrap_or_default();
    shorten(sentence.trim().trim_end_matches(['.', ',', '，', ':', '：', ' ']), COLUMNS)
}

/// The place that a number names, from one.
fn place(number: &str) -> Option<usize> {
    Some(match number.to_lowercase().as_str() {
        "1" | "one" | "a" | "first" | "一" => 1,
        "2" | "two" | "b" | "second" | "二" => 2,
        "3" | "three" | "c" | "third" | "三" => 3,
        "4" | "four" | "d" | "fourth" | "四" => 4,
        "5" => 5,
        "6" => 6,
        "7" => 7,
        "8" => 8,
        "9" => 9,
        _ => return None,
    })
}

/// The matter of a question that opens with its name: `defrost. needs a trigger`, `late receipts: …`.
fn subject(dialogue: &Dialogue<'_>, asked: usize) -> Option<String> {
    let before = &dialogue.utterances.get(asked.checked_sub(1)?)?.own;
    let first = before.split(['.', ':', '!', '?', '。', '：', '，', '\n']).next()?.trim();
    let offer = dialogue.utterances[asked].before.as_ref()?.text.to_lowercase();
    let about = terms::terms(first);
    let spoken_of = |term: &String| {
        offer.contains(term.as_str()) || before[first.len()..].to_lowercase().contains(term.as_str())
    };
    (sentence::weight(first) <= 3 && !about.is_empty() && about.iter().any(spoken_of))
        .then(|| phrase::capitalised(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_begins_with_its_number() {
        let number = |text: &str| {
            LEAD.iter().flatten().find_map(|pattern| place(pattern.captures(text)?.name("n")?.as_str()))
        };
        for (text, wanted) in [
            ("2. but -7 and 20 min", 2),
            ("a. game servers on spot", 1),
            ("One. Rewrite the last three days", 1),
            ("second is enough, 4 seconds each", 2),
            ("ok, option 3", 3),
            ("行吧就 1，WebSocket 推", 1),
            ("嗯……我们用第一个，async 查", 1),
            ("方案二吧", 2),
        ] {
            assert_eq!(number(text), Some(wanted), "{text}");
        }
        for text in [
            "2 more tests fail",
            "a new rule for launch",
            "one of them breaks",
            "一个问题",
            "second thing: the cart",
        ] {
            assert_eq!(number(text), None, "{text}");
        }
    }

    #[test]
    fn options_are_read_from_lists_tables_and_sentences() {
        let table = "Three:\n\n| | what | effect |\n|---|---|---|\n| 1 | wait for all | nothing |\n| 2 | a deadline per insurer | predictable |\n";
        assert_eq!(options(table)[1], (2, "a deadline per insurer".to_owned()));
        let line = "Options: (a) all spot, (b) a base of 12 plus spot, (c) all on-demand.";
        assert_eq!(options(line)[1], (2, "a base of 12 plus spot".to_owned()));
        assert_eq!(options("可以：1）超时后给默认等级；2）加大队列；3）不再依赖 HBase。").len(), 3);
        assert_eq!(
            options("1. MERGE by key. Costs a join.\n2. Streaming with a watermark.")[0].1,
            "MERGE by key"
        );
    }
}
