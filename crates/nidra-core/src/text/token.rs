//! Estimates tokens without a tokenizer.

/// An estimate of the number of tokens of a text.
pub fn estimate(text: &str) -> usize {
    text.len().div_ceil(4)
}
