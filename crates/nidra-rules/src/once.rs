//! Says within one entry once what its sentences say several times: `… because the table locks. It fails because the
//! table locks.`
//!
//! Entries grow out of several sentences and of what the agent explained, and people repeat a cause. Only what stands there
//! word for word goes; a clause that says anything more stays.

use crate::restated::{Core, DENIAL, core};
use crate::terms;
use nidra_core::text::expression;
use nidra_core::text::language::is_han;
use regex::Regex;
use std::sync::LazyLock;

/// What stands before a reason in an entry.
const MARKS: [&str; 2] = [" **Why:** ", "**原因：**"];

/// A repetition has at least this weight: three Latin words or five Han characters.
const LEAST: usize = 5;

/// Where a cause begins inside a sentence.
static CAUSE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(
        r"(?i),? (?:because|since|as|due to the fact that|on account of) |[，,]? ?(?:因为|由于|毕竟)",
    )
    .ok()
});
/// What only points at something said and adds no matter of its own: `it fails`, `that is`.
static POINTS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(r"(?i)^(?:and |so )?(?:it|this|that|which|they|we|you|i)(?:'s)?(?: \w+){0,2}$|^(?:这|那|它)\p{Han}{0,4}$").ok()
});

/// The entry with each thing said once; as it is where nothing is said again.
pub(crate) fn once(text: &str) -> String {
    let (rule, mark, reason) = MARKS
        .iter()
        .find_map(|mark| text.split_once(mark).map(|(rule, reason)| (rule, *mark, reason)))
        .unwrap_or((text, "", ""));
    let mut told: Vec<Core> = Vec::new();
    let (rule, rule_cut) = part(rule, &mut told, false);
    let (reason, reason_cut) = part(reason, &mut told, true);
    if !rule_cut && !reason_cut || rule.is_empty() {
        return text.to_owned();
    }
    if reason.is_empty() { rule } else { format!("{rule}{mark}{reason}") }
}

/// A part of an entry without what was told before, and whether anything was cut.
fn part(text: &str, told: &mut Vec<Core>, explains: bool) -> (String, bool) {
    let mut out = String::new();
    let mut cut = false;
    for (at, sentence) in sentences(text).into_iter().enumerate() {
        let first = at == 0 && told.is_empty();
        let kept = if first { Some(sentence.to_owned()) } else { fresh(sentence, told, explains) };
        told.extend(clauses(sentence).map(core));
        told.push(core(sentence));
        match kept {
            Some(words) => {
                cut |= words != sentence;
                out.push_str(&words);
            }
            None => cut = true,
        }
    }
    (out.trim_end().to_owned(), cut)
}

/// What a sentence says that was not told before, with its mark; `None` where that is nothing.
fn fresh(sentence: &str, told: &[Core], explains: bool) -> Option<String> {
    if sentence.contains('`') && sentence.matches('`').count() % 2 == 1 {
        return Some(sentence.to_owned());
    }
    let all = clauses(sentence).all(|clause| is_told(clause, told) || core(clause).words.is_empty());
    if all && clauses(sentence).any(|clause| is_told(clause, told)) {
        return None;
    }
    let words = sentence.trim_end();
    let bare = words.trim_end_matches(['.', '。', '!', '！', '；']);
    let end = &words[bare.len()..];
    if let Some(cause) = CAUSE.as_ref().and_then(|pattern| pattern.find(bare))
        && is_told(&bare[cause.end()..], told)
    {
        let head = bare[..cause.start()].trim();
        let points = POINTS.as_ref().is_some_and(|pattern| pattern.is_match(head));
        if head.is_empty() || points || terms::terms(head).is_empty() {
            return None;
        }
        return Some(format!("{head}{end}{}", &sentence[words.len()..]));
    }
    // A reason may begin with the cause that the rule gave and go on with what came of it.
    if explains
        && let Some(at) = bare.find(['，', ','])
        && is_told(&bare[..at], told)
    {
        let rest = bare[at..].trim_start_matches(['，', ',', ' ']);
        if terms::terms(rest).len() >= 2 {
            return Some(format!("{rest}{end}{}", &sentence[words.len()..]));
        }
    }
    Some(sentence.to_owned())
}

/// Whether a clause stands, word for word, in what was told, and is not denied there.
fn is_told(clause: &str, told: &[Core]) -> bool {
    let clause = core(clause.trim().trim_start_matches("so ").trim_start_matches("所以")).words;
    let weight: usize = clause.iter().map(|word| if word.is_ascii() { 2 } else { 1 }).sum();
    weight >= LEAST
        && told.iter().any(|held| {
            held.words.windows(clause.len()).enumerate().any(|(at, window)| {
                window == clause.as_slice()
                    && at.checked_sub(1).is_none_or(|before| held.words[before] != DENIAL)
            })
        })
}

/// The clauses of a sentence, a cause as one of its own.
fn clauses(sentence: &str) -> impl Iterator<Item = &str> {
    sentence
        .trim_end_matches(['.', '。', ' '])
        .split(['，', '；', ';'])
        .flat_map(|part| part.split(", "))
        .flat_map(|part| part.split(" because "))
        .flat_map(|part| part.split("因为"))
        .filter(|part| part.chars().any(char::is_alphanumeric))
}

/// The sentences of a text, each with its mark and the space behind it. Dots inside names end none.
fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let next = characters.peek().map(|(_, next)| *next);
        let ends = match character {
            '。' | '！' | '；' => true,
            '.' | '!' => next.is_some_and(|next| next.is_whitespace() || is_han(next)),
            _ => false,
        };
        if ends {
            let mut end = at + character.len_utf8();
            while let Some((at, space)) = characters.peek().copied().filter(|(_, next)| next.is_whitespace())
            {
                end = at + space.len_utf8();
                characters.next();
            }
            found.push(&text[start..end]);
            start = end;
        }
    }
    if start < text.len() {
        found.push(&text[start..]);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::once;

    #[test]
    fn a_cause_that_is_told_again_is_said_once() {
        for (text, left) in [
            (
                "Fit the wide belt, the narrow belt slips under load. It stops because the narrow belt slips under load.",
                "Fit the wide belt, the narrow belt slips under load.",
            ),
            (
                "Always stop the mixer first because the valve jams. **Why:** That is because the valve jams.",
                "Always stop the mixer first because the valve jams. **Why:** That is because the valve jams.",
            ),
            (
                "Always stop the mixer first because the old valve jams. **Why:** That is because the old valve jams.",
                "Always stop the mixer first because the old valve jams.",
            ),
            (
                "Batch the mails because the relay drops bursts. Keep a pause between them because the relay drops bursts.",
                "Batch the mails because the relay drops bursts. Keep a pause between them.",
            ),
            (
                "报表夜里跑，因为白天库被占满。不要手动触发报表，因为白天库被占满。**原因：**白天库被占满，上周拖垮了下单。",
                "报表夜里跑，因为白天库被占满。不要手动触发报表。**原因：**上周拖垮了下单。",
            ),
        ] {
            assert_eq!(once(text), left);
        }
    }

    #[test]
    fn what_says_more_or_the_opposite_stays() {
        for text in [
            "Use the wide belt. The narrow belt slips under load. The narrow belt slips when cold.",
            "Never run two imports at once. The nightly job may run two imports at once.",
            "The limit is 20 MB because of the proxy. The limit is 30 MB on staging because of the proxy.",
            "Open src/a.rs. Open src/b.rs. Ask Ines.",
            "报表夜里跑。白天只跑小报表。",
            "",
        ] {
            assert_eq!(once(text), text);
        }
    }
}
