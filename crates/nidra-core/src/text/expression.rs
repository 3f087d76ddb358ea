//! Regular expressions over English and Chinese text.

use regex::{Error, Regex};
use std::sync::LazyLock;

/// Compiles an expression in which `\b` is the edge of an ASCII word.
///
/// Latin words stand right beside Han characters in mixed text, so a border of Unicode words is not what is meant; and
/// only ASCII borders can be searched by the fast automata, the others take twenty times as long where a text holds a
/// single character beyond ASCII.
///
/// # Errors
/// When the expression is none.
pub fn new(text: &str) -> Result<Regex, Error> {
    Regex::new(&text.replace(r"(?-u:\b)", r"\b").replace(r"\b", r"(?-u:\b)"))
}

/// Whether a text has words of an expression; none of one that does not compile.
pub fn matches(expression: &LazyLock<Option<Regex>>, text: &str) -> bool {
    expression.as_ref().is_some_and(|expression| expression.is_match(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_ends_beside_a_han_character() {
        let found = new(r"(?i)\bpnpm\b").expect("an expression");
        assert!(found.is_match("都用pnpm吧"));
        assert!(!found.is_match("pnpms"));
    }
}
