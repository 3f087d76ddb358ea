//! Says a fact well: sentences joined, dates absolute, the person in the third person, secrets out.
//!
//! Names, numbers, commands and the language stay as they were said. Nothing is added but the mark before a reason.

use crate::lexicon::{self, Cue, Cues};
use crate::once;
use crate::person;
use crate::polish;
use jiff::ZonedDateTime;
use nidra_core::text::expression;
use nidra_core::text::language::{self, Language, is_han};
use nidra_core::text::{date, redact};
use regex::Regex;
use std::sync::LazyLock;

/// A sentence to be said, with its cues.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// The words as they were said.
    pub(crate) text: String,
    /// The cues.
    pub(crate) cues: Cues,
}

/// Joins sentences into one entry. `None` when nothing is left that may be stored.
pub(crate) fn entry(parts: &[Part], said: &ZonedDateTime) -> Option<String> {
    let mut rule: Vec<String> = Vec::new();
    let mut reason: Vec<String> = Vec::new();
    let safe = without_secrets(parts);
    let several = safe.len() > 1;
    for (index, part) in safe.iter().enumerate() {
        let text = polish::polish(&without_fillers(part.text.trim()));
        if text.is_empty() || several && polish::is_hollow(&text) {
            continue;
        }
        let text = absolute(&text, said);
        let rules = part.cues.any(&[
            Cue::Standing,
            Cue::Owner,
            Cue::Decision,
            Cue::Obligation,
            Cue::Place,
            Cue::Explicit,
            Cue::Sequence,
        ]);
        // `clients can't tell them apart, that bit us`: a lesson may say what cannot be.
        let forbids = lexicon::opens(Cue::Prohibition, &part.text).is_some()
            || part.cues.any(&[Cue::Prohibition, Cue::Change]) && !part.cues.has(Cue::History);
        let explains = part.cues.any(&[Cue::Reason, Cue::History]) && !rules && !forbids;
        if several && index > 0 && explains && !rule.is_empty() {
            reason.push(text);
        } else {
            rule.push(text);
        }
    }
    if rule.is_empty() {
        return None;
    }
    let chinese = language::detect(&rule.join(" ")) == Language::Chinese;
    let rule: Vec<String> = rule.iter().map(|sentence| capitalised(sentence)).collect();
    let mut text = join(&rule, chinese);
    if !reason.is_empty() {
        text.push_str(if chinese { "**原因：**" } else { " **Why:** " });
        text.push_str(&join(&reason, chinese));
    }
    let text = once::once(&person::third_person(&text, chinese));
    let text = capitalised(text.trim());
    (!redact::has_placeholder(&text) && redact::find(&text).is_empty() && is_statement(&text)).then_some(text)
}

static FILLERS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(
        r"(?i)[,，]?\s*\b(?:by the way|btw|lol|lmao|haha+|tbh|imho|to be honest)\b|\s+[:;]-?[)(DP](?:\s|$)|[，,]?\s*(?:哈哈+|呵呵+|嘿嘿+)|(?:我靠|卧槽)[，,。!！]?",
    )
    .ok()
});

/// The words without those that say nothing of the matter. Code stays as it is.
pub(crate) fn without_fillers(text: &str) -> String {
    if text.contains('`') {
        return text.to_owned();
    }
    let clean = FILLERS
        .as_ref()
        .map_or_else(|| text.to_owned(), |pattern| pattern.replace_all(text, " ").into_owned());
    let clean = clean.replace("  ", " ").replace(" ,", ",").replace(" . ", ". ");
    // A full stop follows its word; a path such as `./...` does not.
    let clean = clean.strip_suffix(" .").map_or_else(|| clean.clone(), |words| format!("{words}."));
    if clean.trim().is_empty() { text.to_owned() } else { clean.trim().to_owned() }
}

/// A span longer than this, in days, keeps its words and gets its year beside them: `last year (2025)`.
const LONG_SPAN_DAYS: i32 = 40;

/// What begins now and is no date.
const ONWARDS: &str = "from now on";
/// A span of time that lies ahead, with the clause that begins right behind it.
static AHEAD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(r"(?is)^(?:.*[,.;] )?(?P<span>in (?:\w+|a couple of) (?:days?|weeks?|months?)) (?P<rest>(?:the|our|all|we|they|every|no|it|my|this|that|everything|everybody)\b.*\b(?:will|gets?|must|have to|has to|goes|expires?|ends?|starts?|is|are|move|switch|need)\b.*)$").ok()
});

/// Makes relative dates absolute.
pub(crate) fn absolute(text: &str, said: &ZonedDateTime) -> String {
    // `from now on` is no date, whatever stands before it.
    if let Some(at) = text.find(ONWARDS) {
        let (head, tail) = (&text[..at], &text[at + ONWARDS.len()..]);
        return format!("{}{ONWARDS}{}", absolute(head, said), absolute(tail, said));
    }
    // `In three weeks the api ends`: the span of time ends before the subject.
    if let Some(found) = AHEAD.as_ref().and_then(|pattern| pattern.captures(text))
        && let (Some(span), Some(rest)) = (found.name("span"), found.name("rest"))
    {
        let told = date::absolute(span.as_str(), said);
        if told != span.as_str() {
            return format!(
                "{}{told}, {}",
                absolute(&text[..span.start()], said),
                absolute(rest.as_str(), said)
            );
        }
    }
    let mut out = String::new();
    let mut from = 0;
    for mention in date::find(text, said) {
        let days =
            mention.end.filter(|_| !mention.absolute).map_or(0, |end| (end - mention.start).get_days());
        let words = &text[mention.range.clone()];
        let head = text[..mention.range.start].trim_end().to_lowercase();
        let bound = [
            "by", "until", "till", "before", "from", "since", "in", "on", "of", "the", "for", "during",
            "after",
        ]
        .iter()
        .any(|word| head.ends_with(word));
        let since = head.ends_with("since") || head.ends_with("from");
        let week = days == 6 && mention.certain && (!bound || since);
        if (days <= LONG_SPAN_DAYS && !week) || mention.range.start < from {
            continue;
        }
        out.push_str(&date::absolute(&text[from..mention.range.start], said));
        if week {
            let start = mention.start;
            let named = if since {
                start.to_string()
            } else if words.chars().any(is_han) {
                format!("{start} 那周")
            } else {
                format!("in the week of {start}")
            };
            out.push_str(&named);
            from = mention.range.end;
            continue;
        }
        let year = mention.start.year();
        out.push_str(words);
        if mention.certain {
            let beside =
                if words.chars().any(is_han) { format!("（{year} 年）") } else { format!(" ({year})") };
            out.push_str(&beside);
        }
        from = mention.range.end;
    }
    if from == 0 {
        return date::absolute(text, said);
    }
    out.push_str(&date::absolute(&text[from..], said));
    out
}

static SECRET_VALUE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(r"(?i)(?:\b(?:pin|passcode|password|passphrase|passwd|secret|token|api key|code)\b|密码|口令|验证码|密钥)\s*(?:is|was|=|:|：|是|为)\s*\S*\d\S*").ok()
});
static SECRET_NOUN: LazyLock<Option<Regex>> =
    LazyLock::new(|| expression::new(r"(?i)\b(?:pin|passcode|password|passphrase)\b|密码|口令|验证码").ok());
static BARE_VALUE: LazyLock<Option<Regex>> =
    LazyLock::new(|| expression::new(r"(?i)^(?:its|it's|it is|that's|是|就是)\s*\S*\d{3,}").ok());

/// The parts without those that tell a secret's value.
fn without_secrets(parts: &[Part]) -> Vec<&Part> {
    let matches =
        |pattern: &Option<Regex>, text: &str| pattern.as_ref().is_some_and(|pattern| pattern.is_match(text));
    let mut named = false;
    parts
        .iter()
        .filter(|part| {
            let told = matches(&SECRET_VALUE, &part.text)
                || (named && matches(&BARE_VALUE, part.text.trim()))
                || !redact::find(&part.text).is_empty();
            named |= matches(&SECRET_NOUN, &part.text);
            !told
        })
        .collect()
}

fn join(sentences: &[String], chinese: bool) -> String {
    let mut text = String::new();
    for sentence in sentences {
        let sentence = sentence.trim().trim_end_matches([',', '，', ';', '；']);
        if sentence.is_empty() {
            continue;
        }
        if !text.is_empty() && !text.ends_with(['。', '！', '；', '：']) {
            text.push(' ');
        }
        text.push_str(sentence);
        if !sentence.ends_with(['.', '!', '?', '。', '！', '？', '；', '…', ':', '：', ')', '）'])
            || sentence.ends_with(')')
        {
            text.push_str(if chinese && sentence.chars().any(is_han) { "。" } else { "." });
        }
    }
    text
}

/// Whether the words are a full statement rather than a bare command, a heading, a mark or a fragment.
pub(crate) fn is_statement(text: &str) -> bool {
    let plain = text.trim();
    let words = crate::sentence::weight(plain);
    let commands = [
        "make ", "cargo ", "npm ", "git ", "cd ", "sudo ", "kubectl ", "docker ", "./", "$ ", "curl ",
        "python ",
    ];
    let bare_command = commands.iter().any(|start| plain.starts_with(start))
        && !plain.contains(['.', '。', ',', '，', ':', '：'])
        && words < 8;
    !(words < 3 || plain.starts_with('#') || plain.starts_with("[score") || bare_command)
}

/// The text with a capital at its start, unless a name of the machine's world stands there.
pub(crate) fn capitalised(text: &str) -> String {
    let first =
        text.split(|c: char| c.is_whitespace() || matches!(c, ',' | ':' | ';')).next().unwrap_or_default();
    let bare = first.trim_end_matches(['.', '!', '?']);
    if !bare.starts_with(|c: char| c.is_ascii_lowercase()) || polish::stays_small(bare) {
        return text.to_owned();
    }
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |c| c.to_uppercase().chain(characters).collect())
}

/// The text with a small letter at its start, where it begins with a plain word.
pub(crate) fn lowered(text: &str) -> String {
    let first = text.split_whitespace().next().unwrap_or_default();
    let plain =
        first.chars().skip(1).all(|c| c.is_ascii_lowercase() || !c.is_alphabetic()) && first.len() > 1;
    if !plain {
        return text.to_owned();
    }
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |c| c.to_lowercase().chain(characters).collect())
}

/// The clauses of a text without the marks between them. Marks inside numbers and names part nothing.
pub(crate) fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(['，', '；', '。', '！', '\n'])
        .flat_map(|part| part.split(", "))
        .flat_map(|part| part.split("; "))
        .flat_map(|part| part.split(". "))
        .map(|part| part.trim().trim_end_matches(['.', '。', ',', ';']))
        .filter(|part| part.chars().any(char::is_alphanumeric))
}

/// The text without the marks that only a topic file needs.
pub(crate) fn plain(text: &str) -> String {
    text.replace(" **Why:** ", " ").replace("**原因：**", "").replace("**Why:**", "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_marked_in_the_language_of_the_talk() {
        let zone = "2026-03-02T10:00:00+00:00[UTC]".parse::<ZonedDateTime>().ok();
        let Some(said) = zone else { panic!("a valid time") };
        let part = |text: &str| Part { text: text.to_owned(), cues: lexicon::cues(text) };
        let english =
            entry(&[part("never touch the vendored parser"), part("it broke twice last year")], &said);
        assert_eq!(
            english.as_deref(),
            Some("Never touch the vendored parser. **Why:** it broke twice last year (2025).")
        );
        let chinese = entry(&[part("缓存一律走本地。"), part("上次跨机房丢了数据")], &said);
        assert_eq!(chinese.as_deref(), Some("缓存一律走本地。**原因：**上次跨机房丢了数据。"));
    }

    #[test]
    fn secrets_and_fragments_are_not_said() {
        let Ok(said) = "2026-03-02T10:00:00+00:00[UTC]".parse::<ZonedDateTime>() else {
            panic!("a valid time")
        };
        let part = |text: &str| Part { text: text.to_owned(), cues: lexicon::cues(text) };
        let text = entry(&[part("the PIN is typed by hand, always"), part("its 55871 this week")], &said)
            .unwrap_or_default();
        assert!(text.contains("typed by hand") && !text.contains("55871"), "{text}");
        assert!(!is_statement("make -C out all"));
        assert!(!is_statement("## Decision"));
        assert!(!is_statement("- "));
    }
}
