//! The words from which a wallet is restored.

use super::Take;
use std::ops::Range;

/// The name of the rule.
pub(super) const NAME: &str = "seed-phrase";

/// What announces the words, in any case.
pub(super) const KEYWORDS: &[&str] = &[
    "mnemonic",
    "seed phrase",
    "seed word",
    "seed_phrase",
    "seedphrase",
    "recovery phrase",
    "recovery word",
    "recovery_phrase",
    "backup phrase",
    "secret phrase",
    "助记词",
    "助記詞",
    "恢复短语",
    "种子短语",
    "ニーモニック",
    "wiederherstellungsphrase",
    "frase semilla",
    "frase de recuperación",
    "phrase de récupération",
];

/// The numbers of words that wallets use, the greatest first.
const COUNTS: [usize; 5] = [24, 21, 18, 15, 12];

/// How far behind its announcement a phrase begins at most, in words of any kind.
const MOST_BETWEEN: usize = 8;

/// Gives the phrase that is announced up to here.
pub(super) fn phrase(text: &str, from: usize, take: &mut Take<'_>) {
    let words = words(text, from..super::floor(text, from + 640));
    for start in 0..words.len().min(MOST_BETWEEN) {
        let run = words[start..].iter().take_while(|word| is_seed(&text[(*word).clone()])).count();
        let Some(&count) = COUNTS.iter().find(|&&count| count <= run) else { continue };
        if let (Some(first), Some(last)) = (words.get(start), words.get(start + count - 1)) {
            take(NAME, first.start..last.end);
            return;
        }
    }
}

/// The words of a text; numbers, marks and blanks between them are left out.
fn words(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let mut start = None;
    for (at, character) in text[range.clone()].char_indices() {
        let at = range.start + at;
        if character.is_alphabetic() {
            start.get_or_insert(at);
        } else if let Some(start) = start.take() {
            words.push(start..at);
        }
        // Code has words, too; a phrase has nothing but blanks, numbers and commas between them.
        if matches!(character, '_' | '=' | '(' | '{' | '<' | '$' | ';') {
            return words;
        }
        if words.len() > 40 {
            return words;
        }
    }
    words.extend(start.map(|start| start..range.end));
    words
}

/// Whether a word can be one of a list for wallets: those have three to eight small letters and are no helpers.
fn is_seed(word: &str) -> bool {
    (3..=8).contains(&word.len())
        && word.bytes().all(|byte| byte.is_ascii_lowercase())
        && !HELPERS.contains(&word)
}

/// Short words of prose that no list for wallets has.
const HELPERS: &[&str] = &[
    "and", "are", "but", "for", "from", "had", "has", "her", "his", "how", "its", "may", "not", "our",
    "phrase", "should", "than", "the", "their", "them", "these", "they", "was", "were", "which", "who",
    "with", "words", "would", "you", "your",
];
