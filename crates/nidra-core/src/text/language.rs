//! Which language a text is written in, as far as the engine needs to know.
//!
//! Code, addresses, paths and identifiers are no evidence of a language: a Chinese sentence about
//! twenty English function names is Chinese.

use super::markup::{code_spans, covers, urls};
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

/// Whether the character is Japanese kana.
fn is_kana(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{30fa}' | '\u{ff66}'..='\u{ff9d}')
}

/// Whether the character is a letter of the Latin script.
fn is_latin(c: char) -> bool {
    matches!(c, 'a'..='z' | 'A'..='Z' | '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' | 'Ａ'..='Ｚ' | 'ａ'..='ｚ')
}

/// The most frequent words of English prose; identifiers hardly ever are one of them.
const ENGLISH_GLUE: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "can", "do", "don't", "for", "from", "has",
    "have", "he", "how", "i", "if", "in", "is", "it", "its", "me", "my", "never", "not", "of", "on", "or",
    "our", "please", "she", "should", "so", "that", "the", "their", "them", "then", "there", "they", "this",
    "to", "was", "we", "were", "what", "when", "which", "will", "with", "would", "you", "your",
];

/// The most frequent characters of Chinese prose.
const CHINESE_GLUE: &str = "的了是在不我你他这那有和要就都也用把会到说没为请吗呢吧别";

/// What stands in a text, by script.
#[derive(Default)]
struct Census {
    words: f64,
    english: f64,
    han: f64,
    chinese: f64,
    kana: f64,
    other: f64,
}

impl Census {
    /// Counts one word: characters between blanks.
    fn take(&mut self, word: &str) {
        let mut latin = String::new();
        let mut identifier = false;
        for c in word.chars() {
            if is_latin(c) || (c == '\'' || c == '’') && !latin.is_empty() {
                // A capital inside a word is a name of code.
                identifier |=
                    c.is_ascii_uppercase() && latin.ends_with(|last: char| last.is_ascii_lowercase());
                latin.push(if c == '’' { '\'' } else { c.to_ascii_lowercase() });
                continue;
            }
            self.finish(&mut latin, &mut identifier);
            if is_han(c) {
                self.han += 1.0;
                self.chinese += f64::from(u8::from(CHINESE_GLUE.contains(c)));
            } else if is_kana(c) {
                self.kana += 1.0;
            } else if c.is_alphabetic() {
                self.other += 1.0;
            }
        }
        self.finish(&mut latin, &mut identifier);
    }

    /// Ends a run of Latin letters.
    fn finish(&mut self, latin: &mut String, identifier: &mut bool) {
        if !latin.is_empty() && !*identifier {
            self.words += 1.0;
            self.english += f64::from(u8::from(ENGLISH_GLUE.contains(&latin.as_str())));
        }
        latin.clear();
        *identifier = false;
    }

    /// The language that the counts speak for; `None` when there is nothing to go by.
    fn verdict(&self) -> Option<Language> {
        if self.words + self.han + self.kana + self.other == 0.0 {
            return None;
        }
        if self.kana > 0.1 * (self.han + self.kana) && self.kana > self.words {
            return Some(Language::Other);
        }
        // Two Han characters say about as much as one Latin word; glue words tell what the frame is.
        let english = 0.5 * self.words + self.english;
        let chinese = 0.5 * self.han + self.chinese;
        let other = 0.2 * self.other;
        Some(if other > english && other > chinese {
            Language::Other
        } else if self.han > 0.0 && (chinese > english || self.chinese > self.english) {
            Language::Chinese
        } else {
            Language::English
        })
    }
}

/// The language of a text, judged by its script outside of code spans, addresses, paths and identifiers.
/// A text of nothing but code is judged by its code; one without letters is [`Language::Other`].
pub fn detect(text: &str) -> Language {
    let mut hidden = code_spans(text);
    hidden.extend(urls(text));
    hidden.sort_by_key(|range| range.start);
    let mut prose = Census::default();
    let mut whole = Census::default();
    let base = text.as_ptr() as usize;
    for word in text.split_whitespace() {
        whole.take(word);
        let at = word.as_ptr() as usize - base;
        if covers(&hidden, at) || covers(&hidden, at + word.len() - 1) {
            // The words around a span without blanks, as Chinese writes them, still count.
            for (offset, c) in word.char_indices().filter(|(_, c)| is_han(*c)) {
                if !covers(&hidden, at + offset) {
                    prose.take(c.encode_utf8(&mut [0; 4]));
                }
            }
        } else if is_code_like(word) {
            for c in word.chars().filter(|c| is_han(*c) || is_kana(*c)) {
                prose.take(c.encode_utf8(&mut [0; 4]));
            }
        } else {
            prose.take(word);
        }
    }
    prose.verdict().or_else(|| whole.verdict()).unwrap_or(Language::Other)
}

/// Whether a word is a path, a file name, a flag or an identifier rather than prose.
fn is_code_like(word: &str) -> bool {
    let inner = word.trim_matches(|c: char| !c.is_alphanumeric());
    word.starts_with("--")
        || inner.contains(['/', '\\', '_', '=', '@', '<', '{', '('])
        || inner.contains("::")
        || inner.contains(|c: char| c.is_ascii_digit())
        || inner.split('.').filter(|part| !part.is_empty()).count() > 1
            && inner.is_ascii()
            && !inner.ends_with('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_languages_apart() {
        for (text, expected) in [
            ("Use pnpm, never npm.", Language::English),
            ("不要用 npm，用 pnpm。", Language::Chinese),
            ("把 `cargo build --release` 改成 `cargo nextest run`", Language::Chinese),
            ("deploy 用 kubectl apply -f k8s/prod.yaml 然后看 grafana dashboard", Language::Chinese),
            ("The user's name is 王小明 and he works in Shanghai", Language::English),
            ("https://example.com/a/b 这个链接", Language::Chinese),
            ("`用户`", Language::Chinese),
            ("getUserName setUserName 重命名", Language::Chinese),
            ("データベースを使います", Language::Other),
            ("Сделай это завтра", Language::Other),
            ("데이터베이스", Language::Other),
            ("gestern wurde das geändert", Language::English),
            ("12345", Language::Other),
            ("", Language::Other),
            ("好", Language::Chinese),
            ("ok", Language::English),
        ] {
            assert_eq!(detect(text), expected, "{text}");
        }
    }

    #[test]
    fn pub_lng_01_a_chinese_session_about_english_code_is_chinese() {
        let text = "请记住：`UserService` 调用 `src/auth/session.rs` 的 refresh_token()，然后 retry 三次再 fallback。";
        assert_eq!(detect(text), Language::Chinese);
    }
}
