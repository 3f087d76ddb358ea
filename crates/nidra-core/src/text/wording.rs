//! Small turns of phrase that messages have in common.

use std::fmt::Display;

/// A number of things in words: `1 session`, `2 sessions`.
pub fn counted<N: Display + From<u8> + PartialEq + Copy>(number: N, noun: &str) -> String {
    let plural = if number == N::from(1) { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// A number of entries in words.
pub fn counted_entries(number: usize) -> String {
    if number == 1 { "1 entry".to_owned() } else { format!("{number} entries") }
}

/// Words as a sentence, with a full stop where they have no end of their own.
pub fn ended(words: &str) -> String {
    let words = words.trim_end();
    let over = words.ends_with(['.', '!', '?', '…', '。', '！', '？']);
    if over { words.to_owned() } else { format!("{words}.") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_ends_once() {
        assert_eq!(ended("It is over"), "It is over.");
        for whole in ["Is it running?", "It is over.", "是的。"] {
            assert_eq!(ended(whole), whole);
        }
        assert_eq!(
            (counted(1_u64, "item"), counted(2_usize, "item")),
            ("1 item".to_owned(), "2 items".to_owned())
        );
    }
}
