//! How alike two texts are.

/// The index terms of a text: lower-case words and identifier parts, and pairs of neighbouring Han characters.
pub fn terms(text: &str) -> Vec<String> {
    let _ = text;
    Vec::new()
}

/// How alike two texts are, from 0 to 1: the weighted overlap of their terms.
pub fn similarity(left: &str, right: &str) -> f64 {
    let _ = (left, right);
    0.0
}
