//! Reads the value beside a name and judges whether it can be a secret.

use super::name::Strength;
use super::{plain, quality};
use std::ops::Range;

/// What is known about a value before it is looked at.
#[derive(Clone, Copy)]
pub(super) struct Context {
    pub(super) strength: Strength,
    /// `NAME=value` as in a shell: what follows is a literal.
    pub(super) strict: bool,
    /// The mark was a colon, which prose and types use too.
    pub(super) colon: bool,
}

/// A value behind a name.
pub(super) struct Value {
    pub(super) range: Range<usize>,
    pub(super) quoted: bool,
}

impl Value {
    /// Reads the value at the start of a range; in an address, `&` ends it.
    pub(super) fn read(text: &str, range: Range<usize>, query: bool) -> Option<Self> {
        let rest = &text[range.start..range.end.min(capped(text, range.start))];
        let escaped = rest.starts_with("\\\"") || rest.starts_with("\\'");
        let opening = &rest[usize::from(escaped)..];
        let quote = opening.chars().next()?;
        let Some(closing) = closing(quote) else {
            return Self::bare(rest, range.start, query);
        };
        let start = range.start + usize::from(escaped) + quote.len_utf8();
        let inner = &text[start..(range.start + rest.len()).max(start)];
        // French puts blanks inside its quotes.
        let blank = if quote == '«' { inner.len() - inner.trim_start_matches(THIN).len() } else { 0 };
        let (start, inner) = (start + blank, &inner[blank..]);
        // A control character stands for a placeholder.
        let end = inner.find([if escaped { '\\' } else { closing }, '\u{1}']);
        let length = end.unwrap_or_else(|| inner.find(char::is_whitespace).unwrap_or(inner.len()));
        let length = if quote == '«' { inner[..length].trim_end_matches(THIN).len() } else { length };
        (length > 0).then(|| Self { range: start..start + length, quoted: true })
    }

    /// Reads a value without quotes, up to what ends it.
    fn bare(rest: &str, start: usize, query: bool) -> Option<Self> {
        // Letters and digits are most of a text; the long list is for the rest.
        let stop = |c: char| {
            !c.is_ascii_alphanumeric()
                && (c.is_whitespace() || c.is_control() || ENDS.contains(&c) || query && c == '&')
        };
        let length = rest.find(stop).unwrap_or(rest.len());
        let mut value = &rest[..length];
        if value.starts_with('<') || length == 0 {
            return None;
        }
        // In an address or a connection string, the next field follows.
        for mark in ['&', ';'] {
            if let Some(next) = value.find(mark).filter(|&at| names_field(&value[at + 1..])) {
                value = &value[..next];
            }
        }
        let value = value.split("\\n").next().unwrap_or(value);
        let value = value.trim_end_matches(['.', ',', ';', ':', ')', ']', '}', '\\']);
        (!value.is_empty()).then(|| Self { range: start..start + value.len(), quoted: false })
    }

    /// Whether the value can be what its name says.
    pub(super) fn is_secret(&self, text: &str, line_end: usize, context: Context) -> bool {
        let value = &text[self.range.clone()];
        if quality::is_placeholder(value) {
            return false;
        }
        let expression = !context.strict && quality::is_expression(value) || value.contains("$(");
        match context.strength {
            Strength::Pin => {
                (4..=8).contains(&value.len()) && value.bytes().all(|byte| byte.is_ascii_digit())
            }
            Strength::Password => {
                if plain::is_jumbled(value) || plain::is_passphrase(value) {
                    return true;
                }
                if value.chars().count() < 4
                    || expression && !self.quoted
                    || quality::is_path(value)
                    || quality::is_typed(value) && !self.quoted
                {
                    return false;
                }
                if context.strict {
                    return true;
                }
                if value.contains(char::is_whitespace) {
                    let prose = value.split(' ').any(|word| PROSE.contains(&word));
                    return quality::classes(value) >= 3
                        && quality::is_mixed(value)
                        && value.len() < 80
                        && !prose;
                }
                // `self.password = password_manager`: a name of a program, where a literal would have quotes.
                let named = value.chars().all(|c| c.is_alphabetic() || c == '_') && value.contains('_');
                if !self.quoted && (named || quality::is_named(value) && context.colon) {
                    return false;
                }
                let letters = value.chars().all(char::is_alphabetic);
                if !letters || self.quoted && !is_pascal(value) {
                    return !(context.colon && !self.quoted && is_type(value));
                }
                // A bare word is a value only where nothing follows it.
                let rest =
                    text[self.range.end..line_end].trim_start_matches(['.', ',', ';', '。', '，', ' ']);
                let alone = rest.is_empty() || rest.starts_with(['"', '\'', '#']) && rest.len() < 2;
                value.is_ascii() && !is_pascal(value) && (alone || !context.colon) && value.len() >= 5
            }
            Strength::Secret => {
                let generated = quality::is_mixed(value) && quality::entropy(value) >= 2.5
                    || value.len() >= 20 && quality::entropy(value) >= 3.5;
                // What an issuer gives has no brackets; code has.
                let code = value.contains(['(', ')', '{', '}', '|']);
                value.len() >= 8
                    && !code
                    && value.is_ascii()
                    && !value.contains(char::is_whitespace)
                    && generated
                    && !expression
                    && !quality::is_variable_name(value)
                    && !quality::is_named(value)
                    && !quality::is_typed(value)
                    && !quality::is_path(value)
                    && (!quality::is_words(value)
                        || is_gibberish(value)
                        || quality::is_hex(value) && value.len() >= 16)
            }
        }
    }
}

/// Words that make a message of what stands in quotes: `Password must have 8 characters`.
const PROSE: &[&str] = &[
    "must",
    "cannot",
    "should",
    "is",
    "are",
    "the",
    "be",
    "at",
    "least",
    "not",
    "please",
    "characters",
    "required",
    "invalid",
    "incorrect",
    "has",
    "than",
    "match",
];

/// Whether the string is one word that nobody can read, with digits behind it.
pub(super) fn is_gibberish(value: &str) -> bool {
    value.len() >= 10
        && quality::is_mixed(value)
        && quality::is_unreadable(value)
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// What ends a value without quotes.
const ENDS: &[char] =
    &['"', '\'', '`', '<', '|', '，', '。', '；', '、', '（', '）', '」', '』', '】', '”', '’', '»'];

/// Blanks inside of French quotes.
const THIN: [char; 3] = [' ', '\u{a0}', '\u{202f}'];

/// Whether a value of a sentence can begin here: those are of ASCII letters, perhaps in quotes.
pub(super) fn can_begin(text: &str) -> bool {
    text.chars().next().is_some_and(|first| first.is_ascii_graphic() || closing(first).is_some())
}

/// The quote that ends what this one begins; `None` for what begins no quotation.
fn closing(quote: char) -> Option<char> {
    Some(match quote {
        '"' | '\'' | '`' => quote,
        '“' | '„' => '”',
        '‘' => '’',
        '「' => '」',
        '『' => '』',
        '【' => '】',
        '《' => '》',
        '«' => '»',
        _ => return None,
    })
}

/// Whether a text begins with the name of a field and its mark.
fn names_field(text: &str) -> bool {
    text.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
    })
}

/// Whether the word is written like a type: `String`, `SecretKey`.
pub(super) fn is_pascal(word: &str) -> bool {
    let first = word.starts_with(|c: char| c.is_ascii_uppercase());
    first
        && word.bytes().skip(1).any(|byte| byte.is_ascii_lowercase())
        && word.bytes().all(|b| b.is_ascii_alphabetic())
}

/// Whether the string is a type of a program: `&str`, `Option<String>`, `string[]`.
fn is_type(value: &str) -> bool {
    value.starts_with('&') && value[1..].bytes().all(|b| b.is_ascii_alphabetic())
        || value.ends_with("[]")
        || value.contains('<')
        || value.contains('[')
            && value.bytes().all(|b| b.is_ascii_alphabetic() || matches!(b, b'[' | b']' | b',' | b'?'))
        || value.ends_with('?') && value.bytes().all(|b| b.is_ascii_alphabetic() || b == b'?')
}

/// A value is never longer than this, in bytes; a longer one is cut, and whoever takes it takes its rest too.
pub(super) const VALUE_LIMIT: usize = 1_024;

/// The place at most [`VALUE_LIMIT`] bytes behind another, on a character boundary.
fn capped(text: &str, from: usize) -> usize {
    let mut end = (from + VALUE_LIMIT).min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    end
}
