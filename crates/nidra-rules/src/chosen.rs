//! Decisions that are taken by naming one of the agent's options: `the second one then, less to patch`.

use crate::candidate::Candidate;
use crate::dialogue::Dialogue;
use crate::human;
use crate::lexicon::{self, Cue, Cues};
use crate::numbered::{self, Numbered};
use crate::person;
use crate::phrase;
use crate::sentence::{self, Act, Line};
use crate::terms;
use nidra_core::text::expression;
use nidra_core::text::language::is_han;
use nidra_core::text::redact;
use nidra_core::{Kind, TrustRank};
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

static PICK: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?i)^(?:(?:ok|okay|yes|right|fine|then|so|well|hm+),? )*(?:(?:let'?s|we'?ll|we|i'?d|i'?ll|please) )*(?:(?:go|going|stick|stay) with |take |use |pick |choose |do |prefer |make it |have )?",
        r"(?:the )?(?P<choice>[\w.+#/@-]+(?: [\w.+#/@-]+){0,3}?)(?:,? (?:then|it is|please|wins|for now|of course|obviously|one))*$",
    ))
    .ok()
});
static PICK_HAN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(r"^(?:那|就|还是|嗯|行|好|，|,| )*(?:选|用|就用|就选|定|走|上|按|要|采用|换)? ?(?P<choice>[A-Za-z][\w.+#/@ -]*[\w+#]|[\p{Han}]{2,8}?|第[一二三]种|第[一二三]个|方案[一二三]) ?(?:吧|了|好了|就行|就好|算了)?$").ok()
});
static ORDINAL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(r"(?i)^(?:option |number |#)?(?P<n>1|2|3|4|one|two|three|a|b|c|first|second|third|last|第[一二三][种个]|方案[一二三])(?: one| option)?$").ok()
});
static OPTION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(
        r"(?m)^\s*(?:[-*]|(?:option )?(?:\d|[a-cA-C])[.):、])\s*\**(?P<head>[^:：\n,，—(（]{2,50})",
    )
    .ok()
});
static ASKS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(r"(?i)\b(?:which|what|how|where|or|should we|do we|vs)\b|什么|哪|还是|怎么|或者|选").ok()
});

/// The decision of an utterance, if it takes one by naming an option of the agent.
pub(crate) fn collect(dialogue: &Dialogue<'_>, index: usize, lines: &[Line]) -> Option<Candidate> {
    by_number(dialogue, index, lines).or_else(|| by_name(dialogue, index, lines))
}

/// The decision of an utterance, if it takes one by the name of an option.
fn by_name(dialogue: &Dialogue<'_>, index: usize, lines: &[Line]) -> Option<Candidate> {
    let utterance = dialogue.utterances.get(index)?;
    let offer = utterance.before.as_ref()?.text;
    let options = options(offer);
    if !(utterance.offered || options.len() >= 2) || offer.chars().count() > 4000 {
        return None;
    }
    // A remark may stand before the choice: `12 less. the second one then`.
    let names = |line: &&Line| {
        phrase::parts(&line.text).next().is_some_and(|clause| choice(clause, offer, &options).is_some())
    };
    let spoken = || lines.iter().filter(|line| line.act != Act::Filler || sentence::weight(&line.text) > 0);
    let line = spoken().take(3).find(names).or_else(|| spoken().next())?;
    if matches!(line.act, Act::Question | Act::Hypothesis | Act::Dismissal)
        || line.cues.has(Cue::Speculation)
        || line.opening.has(Cue::Denial)
    {
        return None;
    }
    let clause = phrase::parts(&line.text).next()?;
    if lexicon::cues(clause).has(Cue::Denial) {
        return None;
    }
    let chosen = choice(clause, offer, &options)?;
    let question = index
        .checked_sub(1)
        .and_then(|at| dialogue.utterances.get(at))
        .map_or("", |earlier| earlier.own.as_str());
    let rest: Vec<String> = std::iter::once(line.text[line.text.find(clause)? + clause.len()..].to_owned())
        .chain(
            lines
                .iter()
                .skip_while(|other| !std::ptr::eq(*other, line))
                .skip(1)
                .take_while(|other| matches!(other.act, Act::Statement | Act::Filler))
                .take(2)
                .map(|other| other.text.clone()),
        )
        .map(|part| {
            part.trim_matches(|c: char| {
                c.is_whitespace() || matches!(c, ',' | '，' | '.' | '。' | ';' | '；')
            })
            .to_owned()
        })
        .filter(|part| sentence::weight(part) >= 3 && redact::find(part).is_empty())
        .collect();
    let asked = ASKS.as_ref().is_some_and(|pattern| pattern.is_match(question));
    if rest.is_empty() && !(asked && options.len() >= 2) {
        return None;
    }
    let chinese = clause.chars().any(is_han) || question.chars().any(is_han);
    let mut text = match (subject(question), chinese) {
        (Some(subject), true) => format!("{subject}用 {chosen}。"),
        (None, true) => format!("选用 {chosen}。"),
        (Some(subject), false) => format!("{subject}: {chosen}."),
        (None, false) => format!("Use {chosen}."),
    };
    if !rest.is_empty() {
        let told = rest.join(if chinese { "，" } else { ". " });
        let told = person::third_person(
            &phrase::absolute(&phrase::without_fillers(&told), &utterance.said),
            chinese,
        );
        let told = told.trim_start_matches("because ").trim_start_matches("因为");
        text.push_str(if chinese { "**原因：**" } else { " **Why:** " });
        text.push_str(told);
        text.push_str(if chinese { "。" } else { "." });
    }
    let text = phrase::capitalised(&text);
    let score = if rest.is_empty() { 2.0 } else { 2.8 };
    let passing = line.cues.has(Cue::Ephemeral);
    decided(dialogue, index, text, lexicon::cues(clause).union(line.cues), score, passing)
}

/// The decision of an utterance, if it takes one by the number of an option.
fn by_number(dialogue: &Dialogue<'_>, index: usize, lines: &[Line]) -> Option<Candidate> {
    let Numbered { option, rest, subject } = numbered::decision(dialogue, index)?;
    let denied = lines.iter().any(|line| {
        matches!(line.act, Act::Hypothesis | Act::Dismissal) || line.act == Act::Question && lines.len() < 3
    });
    if denied || sentence::weight(&rest) > 40 {
        return None;
    }
    let about = terms::terms(&option);
    // Who says what the option is needs no other words for it.
    let told = sentence::weight(&rest) >= 3 && terms::shared(&about, &terms::terms(&rest)) * 2 >= about.len();
    let rest = rest.trim().trim_end_matches(['.', '。', ',', '，', ' ']);
    let chinese = option.chars().any(is_han) || rest.chars().any(is_han);
    let mut text = match (told, rest.is_empty(), chinese) {
        (true, ..) => rest.to_owned(),
        (_, true, _) => option,
        (.., true) => format!("{option}；{rest}"),
        (.., false) => format!("{option}; {rest}"),
    };
    if let Some(subject) =
        subject.filter(|subject| terms::shared(&terms::terms(subject), &terms::terms(&text)) == 0)
    {
        text = if chinese { format!("{subject}：{text}") } else { format!("{subject}: {text}") };
    }
    let text = format!("{}{}", phrase::capitalised(&text), if chinese { "。" } else { "." });
    if terms::terms(&text).len() < 3 {
        return None;
    }
    let cues = lines.iter().fold(Cues::default(), |sum, line| sum.union(line.cues));
    let passing = lines.first().is_some_and(|line| line.cues.has(Cue::Ephemeral));
    decided(dialogue, index, text, cues, 2.5, passing)
}

/// The candidate of a decision in these words.
fn decided(
    dialogue: &Dialogue<'_>,
    index: usize,
    text: String,
    cues: Cues,
    score: f64,
    provisional: bool,
) -> Option<Candidate> {
    let utterance = dialogue.utterances.get(index)?;
    redact::find(&text).is_empty().then(|| Candidate {
        utterance: index,
        kind: Kind::Project,
        rank: TrustRank::HumanVerbatim,
        terms: terms::terms(&text),
        negated: BTreeSet::new(),
        text,
        cues,
        score,
        reason: "an option of the agent was chosen".to_owned(),
        evidence: vec![human::quote(utterance)],
        context: human::surroundings(dialogue, index),
        said: utterance.said.clone(),
        provisional,
        revises: None,
    })
}

/// The heads of the options that the agent listed.
fn options(offer: &str) -> Vec<String> {
    let Some(pattern) = OPTION.as_ref() else { return Vec::new() };
    pattern
        .captures_iter(offer)
        .filter_map(|captures| captures.name("head"))
        .map(|head| head.as_str().trim().trim_end_matches('*').trim_matches('`').to_owned())
        .take(6)
        .collect()
}

/// Words with which no name of an option begins.
const NO_CHOICE: &[&str] = &[
    "not", "no", "but", "and", "only", "just", "also", "still", "never", "please", "same", "again", "there",
    "here", "what", "how",
];

/// The option that a short clause names, in the agent's words where it listed them.
fn choice(clause: &str, offer: &str, options: &[String]) -> Option<String> {
    let pattern = if clause.chars().any(is_han) { PICK_HAN.as_ref()? } else { PICK.as_ref()? };
    let named = pattern.captures(clause.trim())?.name("choice")?.as_str().trim().to_owned();
    let lower = named.to_lowercase();
    if let Some(number) =
        ORDINAL.as_ref().and_then(|pattern| pattern.captures(&lower)).and_then(|found| found.name("n"))
    {
        let place = match number.as_str() {
            "1" | "one" | "a" | "first" => 0,
            "2" | "two" | "b" | "second" => 1,
            "3" | "three" | "c" | "third" => 2,
            "4" => 3,
            "last" => options.len().checked_sub(1)?,
            other if other.contains('一') => 0,
            other if other.contains('二') => 1,
            _ => 2,
        };
        return options.get(place).cloned();
    }
    let first = lower.split(' ').next().unwrap_or_default();
    if terms::terms(&named).is_empty() || NO_CHOICE.contains(&first) {
        return None;
    }
    let told = offer.to_lowercase();
    if let Some(option) = options.iter().find(|option| option.to_lowercase().starts_with(&lower)) {
        return Some(if option.split_whitespace().count() <= 4 { option.clone() } else { named });
    }
    if named.starts_with(|c: char| c.is_ascii_digit()) || !is_alternative(&lower, &told, options) {
        return None;
    }
    let held = terms::terms(&named).iter().all(|term| told.contains(term.as_str()));
    held.then(|| {
        // The agent's spelling of the name.
        told.find(&lower).and_then(|at| offer.get(at..at + lower.len())).map_or(named, str::to_owned)
    })
}

/// Whether the agent offers a thing as one of several: in a list of options, or in a sentence that asks or parts them.
fn is_alternative(named: &str, offer: &str, options: &[String]) -> bool {
    const MARKS: &[&str] = &[" or ", " vs", " versus ", "还是", "或", "要么"];
    options.len() >= 2 && options.iter().any(|option| option.to_lowercase().contains(named))
        || offer
            .split(['\n', '.', '!', '。', '！', ';', '；'])
            .any(|part| part.contains(named) && MARKS.iter().any(|mark| part.contains(mark)))
}

static SUBJECT: LazyLock<Vec<Option<Regex>>> = LazyLock::new(|| {
    [
        r"(?i)^(?:next|now|ok|so)?[:,]? ?(?P<s>[\w /-]{3,40}): ",
        r"(?i)\b(?:which|what) (?:kind of |sort of )?(?P<s>[\w-]+(?: [\w-]+){0,2}?) (?:should|do|shall|would|can|could|to|is|are|for)\b",
        r"(?i)\b(?:use|take|pick|need|have) (?:here )?for (?:the |our )?(?P<s>[\w-]+(?: [\w-]+){0,3})",
        r"(?i)\bhow (?:do|should|shall|can|could|would) (?:we|i) (?P<s>[\w-]+(?: [\w-]+){1,5})",
        r"(?P<s>[\p{Han}A-Za-z0-9]{2,12}?)(?:这块|这边|到底|现在|应该|该)*(?:用|选|走|放|存|怎么选)(?:什么|哪|啥|谁)",
        r"(?P<s>[\p{Han}A-Za-z0-9]{2,12}?)(?:怎么(?:做|搞|弄|存|选)|用 ?[A-Za-z][\w.-]* ?还是)",
    ]
    .iter()
    .map(|pattern| expression::new(pattern).ok())
    .collect()
});

/// What a question asks a choice for.
fn subject(question: &str) -> Option<String> {
    let asked = question.lines().last()?.trim();
    for (at, pattern) in SUBJECT.iter().enumerate() {
        let Some(found) =
            pattern.as_ref().and_then(|pattern| pattern.captures(asked)).and_then(|found| found.name("s"))
        else {
            continue;
        };
        let subject = found.as_str().trim().trim_end_matches('?');
        if terms::terms(subject).is_empty() {
            continue;
        }
        return Some(phrase::capitalised(&if at == 3 {
            format!("To {subject}")
        } else {
            subject.to_owned()
        }));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_named_option_is_found() {
        let offer = "Options:\n\n1. Memcached: shared.\n2. lru in-process: no service.\n\nI'd take lru.";
        let options = options(offer);
        assert_eq!(choice("lru then", offer, &options).as_deref(), Some("lru in-process"));
        assert_eq!(choice("the first one", offer, &options).as_deref(), Some("Memcached"));
        assert_eq!(choice("looks weird to me honestly", offer, &options), None);
        assert_eq!(choice("那就 lru", offer, &options).as_deref(), Some("lru in-process"));
        assert_eq!(subject("caching: redis or in-process?").as_deref(), Some("Caching"));
        assert_eq!(subject("缓存用什么好").as_deref(), Some("缓存"));
        assert_eq!(subject("which queue should we take").as_deref(), Some("Queue"));
    }
}
