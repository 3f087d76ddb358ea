//! How a sentence is worded: which words and neighbouring words speak for a thing that lasts, and which for one of the
//! moment.
//!
//! Cues name what was thought of; people say the same in a thousand other ways. The weights were learnt from utterances of
//! which it is known whether they were worth keeping (see `examples/wording`). Numbers, names and paths count as such and
//! not for what they are, so that the way of speaking is learnt and not the subject.

use nidra_core::text::language::is_han;
use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

/// Letters of a sentence that are looked at; what is longer is no utterance.
const MAX_LETTERS: usize = 600;
/// How far a sentence can be pulled either way.
const LIMIT: f64 = 4.0;

/// The weights in hundredths, by feature; the first row is what a sentence weighs without any.
static WEIGHTS: LazyLock<(f64, HashMap<&'static str, f64>)> = LazyLock::new(|| {
    let mut rows = include_str!("wording.tsv").lines().filter_map(|row| {
        let (feature, weight) = row.rsplit_once('\t')?;
        Some((feature, weight.parse::<f64>().ok()? / 100.0))
    });
    let bias = rows.next().map_or(0.0, |(_, bias)| bias);
    (bias, rows.collect())
});

/// How much the wording of a sentence speaks for keeping it: the logarithm of the odds, from -4 to 4.
pub fn of(text: &str) -> f64 {
    let (bias, weights) = &*WEIGHTS;
    let sum: f64 = features(text).iter().filter_map(|feature| weights.get(feature.as_str())).sum();
    (bias + sum).clamp(-LIMIT, LIMIT)
}

/// The features of a sentence: words, pairs of neighbours, how it begins and ends, what it holds.
pub fn features(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let tokens = tokens(text);
    for (at, token) in tokens.iter().enumerate() {
        found.insert(format!("w {token}"));
        if let Some(next) = tokens.get(at + 1) {
            found.insert(format!("p {token} {next}"));
            if let Some(third) = tokens.get(at + 2).filter(|_| is_letter(token) && is_letter(next)) {
                found.insert(format!("t {token} {next} {third}"));
            }
        }
    }
    if let [first, rest @ ..] = tokens.as_slice() {
        found.insert(format!("f {first}"));
        if let [second, ..] = rest {
            found.insert(format!("f {first} {second}"));
        }
    }
    if let [.., last] = tokens.as_slice() {
        found.insert(format!("l {last}"));
        if let [.., before, last] = tokens.as_slice() {
            found.insert(format!("l {before} {last}"));
        }
    }
    let size = match tokens.len() {
        0..=3 => "few",
        4..=8 => "some",
        9..=16 => "many",
        _ => "very many",
    };
    found.insert(format!("n {size}"));
    found
}

/// Whether a token is a Chinese character.
fn is_letter(token: &str) -> bool {
    token.chars().all(is_han)
}

/// Words in lower case, Chinese characters one by one, marks that change the sense, and classes for all that is exact.
fn tokens(text: &str) -> Vec<String> {
    let text: String = text.chars().take(MAX_LETTERS).collect();
    let mut found = Vec::new();
    for part in text.split_whitespace() {
        if part.contains("://") {
            found.push("<address>".to_owned());
            continue;
        }
        split(part, &mut found);
    }
    found
}

fn split(part: &str, found: &mut Vec<String>) {
    let mut word = String::new();
    let mut letters = part.chars().peekable();
    while let Some(letter) = letters.next() {
        let joins = matches!(letter, '.' | '_' | '/' | '-' | '@' | '\'' | '’' | ':' | '\\' | '+' | '#' | '*')
            && !word.is_empty()
            && letters.peek().is_some_and(|next| next.is_ascii_alphanumeric());
        if is_han(letter) {
            flush(&mut word, found);
            found.push(letter.to_string());
        } else if letter.is_alphanumeric() || joins || (word.is_empty() && matches!(letter, '/' | '~' | '.'))
        {
            word.push(if letter == '’' { '\'' } else { letter });
        } else {
            flush(&mut word, found);
            let mark = match letter {
                '?' | '？' => "?",
                '!' | '！' => "!",
                ':' | '：' => ":",
                ',' | '，' | '、' => ",",
                ';' | '；' => ";",
                '.' | '。' => ".",
                '`' => "`",
                '"' | '“' | '”' | '「' | '」' => "\"",
                '(' | '（' => "(",
                '=' => "=",
                '→' | '>' => ">",
                '%' | '$' | '€' | '£' => "<unit>",
                '…' => "…",
                _ => continue,
            };
            found.push(mark.to_owned());
        }
    }
    flush(&mut word, found);
}

/// Ends a word: numbers, names and paths become their class.
fn flush(word: &mut String, found: &mut Vec<String>) {
    if word.is_empty() {
        return;
    }
    let taken = std::mem::take(word);
    let digits = taken.chars().filter(char::is_ascii_digit).count();
    let inner_upper = taken.chars().skip(1).any(char::is_uppercase) && taken.chars().any(char::is_lowercase);
    let shouted = taken.len() > 1 && taken.chars().all(|letter| letter.is_ascii_uppercase());
    found.push(if digits == taken.len() {
        "<number>".to_owned()
    } else if digits > 0
        && taken.chars().all(|letter| letter.is_ascii_digit() || matches!(letter, '.' | ':' | '-' | '/'))
    {
        "<figure>".to_owned()
    } else if taken.contains(['/', '\\', '~', '_', '@'])
        || inner_upper
        || taken.trim_matches('.').contains('.')
    {
        "<name>".to_owned()
    } else if digits > 0 {
        "<code>".to_owned()
    } else if shouted {
        format!("<capitals> {}", taken.len().min(4))
    } else {
        taken.to_lowercase()
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_exact_counts_as_such_and_not_for_what_it_is() {
        let same = |left: &str, right: &str| assert_eq!(tokens(left), tokens(right), "{left} / {right}");
        same("the api is on 8443", "the api is on 9000");
        same("see https://a.example/x", "see https://b.example");
        same("look in src/main.rs", "look in lib/other.py");
        same("端口是 8443", "端口是 1");
        assert_eq!(tokens("don’t push!"), ["don't", "push", "!"]);
        assert_eq!(tokens("用pnpm装"), ["用", "pnpm", "装"]);
    }

    #[test]
    fn any_text_has_a_bounded_weight() {
        for text in ["", " ", "\u{0}", "。。。", &"很长".repeat(100_000), "🦀 e\u{301}"] {
            assert!(of(text).abs() <= LIMIT, "{text:.20}");
        }
    }
}
