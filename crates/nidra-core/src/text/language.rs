//! Which language a text is written in, as far as the engine needs to know.

use serde::{Deserialize, Serialize};

/// A language that the engine tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Language {
    /// English, and other languages of the Latin script.
    English,
    /// Chinese.
    Chinese,
    /// Anything else.
    Other,
}

/// Whether the character is a Chinese (Han) character.
pub fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}

/// The language of a text, judged by its script outside of code spans.
pub fn detect(text: &str) -> Language {
    if text.chars().any(is_han) { Language::Chinese } else { Language::English }
}
