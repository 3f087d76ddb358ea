//! Secrets that only the name beside them gives away: `password=…`, `--token …`, `<secret>…`.

use super::name::{Strength, strength};
use super::value::{Context, Value};
use super::{Take, address, quality, statement};
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// Only lines with one of these, in any case, are read.
pub(super) const KEYWORDS: &[&str] = &[
    "pass",
    "pwd",
    "psk",
    "secret",
    "token",
    "key",
    "cred",
    "pin",
    "_sk",
    "_ak",
    "://",
    "密码",
    "口令",
    "密钥",
    "秘钥",
    "令牌",
    "私钥",
    "暗号",
    "验证码",
    "凭证",
    "凭据",
    "密碼",
    "密鑰",
];

/// Gives the secrets of a line.
pub(super) fn scan(text: &str, line: Range<usize>, take: &mut Take<'_>) {
    named(text, line.clone(), take);
    flags(text, line.clone(), take);
    elements(text, line.clone(), take);
    statement::stated(text, line.clone(), take);
    address::addresses(text, line, take);
}

/// A name and the mark of an assignment behind it.
static ASSIGNMENT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"([A-Za-z][A-Za-z0-9_.\-]{0,80})(\\?["'`]?\]?\*{0,2}[ \t]{0,12})(:=|=>|==?|: ?|：|＝)\*{0,2}[ \t]{0,12}"#).ok()
});

/// `NAME=value`, `name: value`, `"name": "value"`, `name := value`.
fn named(text: &str, line: Range<usize>, take: &mut Take<'_>) {
    let Some(regex) = ASSIGNMENT.as_ref() else { return };
    let haystack = &text[..line.end];
    let mut from = line.start;
    while let Some(found) = regex.captures_at(haystack, from) {
        let (Some(whole), Some(name), Some(mark)) = (found.get(0), found.get(1), found.get(3)) else {
            return;
        };
        from = whole.end();
        let Some(strength) = strength(name.as_str()) else { continue };
        let mut at = whole.end();
        // `Token::new`: a path of a program.
        if text[at..].starts_with(':') {
            continue;
        }
        if at == line.end {
            // `password:` and the value alone on the next line.
            if let Some(next) = next_line_value(text, line.end).filter(|_| strength == Strength::Password) {
                take(strength.rule(), next);
            }
            continue;
        }
        let spaced = whole.as_str().ends_with([' ', '\t']) || !found.get(2).is_some_and(|gap| gap.is_empty());
        let constant = name.as_str().bytes().all(|byte| !byte.is_ascii_lowercase());
        let query = haystack[..name.start()].ends_with(['?', '&']);
        while let Some(value) = Value::read(text, at..line.end, query) {
            let context = Context {
                strength,
                strict: constant && !spaced,
                colon: mark.as_str().starts_with([':', '：']),
            };
            if !value.is_secret(text, line.end, context) {
                break;
            }
            take(strength.rule(), value.range.clone());
            from = from.max(value.range.end);
            // A difference shows both values: `"old" -> "new"`.
            let rest = &text[value.range.end..line.end];
            let Some(arrow) = rest.find("-> ").filter(|&arrow| arrow <= 4) else { break };
            at = value.range.end + arrow + "-> ".len();
        }
    }
}

/// The value that stands alone on the line behind `end`.
fn next_line_value(text: &str, end: usize) -> Option<Range<usize>> {
    let rest = text[end..].trim_start_matches(['\r', '\n', ' ', '\t', '`']);
    let start = text.len() - rest.len();
    let length = rest.find(['\r', '\n', '`']).unwrap_or(rest.len());
    let value = rest[..length].trim_end();
    let token = value.len() >= 6 && !value.contains(char::is_whitespace) && value.is_ascii();
    let secret =
        token && quality::is_mixed(value) && !quality::is_placeholder(value) && !quality::is_path(value);
    secret.then(|| start..start + value.len()).filter(|_| !value.contains([':', '=', '(']))
}

/// A long option and the blank behind it.
static FLAG: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"--([A-Za-z][A-Za-z0-9\-]{1,40})[ \t]+").ok());

/// `--password value`, `--token value`.
fn flags(text: &str, line: Range<usize>, take: &mut Take<'_>) {
    let Some(regex) = FLAG.as_ref() else { return };
    let haystack = &text[..line.end];
    let mut from = line.start;
    while let Some(found) = regex.captures_at(haystack, from) {
        let (Some(whole), Some(name)) = (found.get(0), found.get(1)) else { return };
        from = whole.end();
        let strength = strength(name.as_str()).or((name.as_str() == "pass").then_some(Strength::Password));
        let (Some(strength), Some(value)) = (strength, Value::read(text, whole.end()..line.end, false))
        else {
            continue;
        };
        let words = &text[value.range.clone()];
        let command = haystack[..whole.start()].contains(char::is_alphabetic);
        let context = Context { strength, strict: false, colon: false };
        // "--password is read from …": prose about an option.
        let prose = words.len() < 5 && !quality::is_mixed(words) || COPULAS.contains(&words);
        if command && !words.starts_with('-') && !prose && value.is_secret(text, line.end, context) {
            take(strength.rule(), value.range);
        }
    }
}

/// Words that follow the name of an option in prose.
const COPULAS: &[&str] = &[
    "is", "was", "and", "flag", "option", "must", "should", "reads", "takes", "needs", "argument", "instead",
];

/// An element of a mark-up language with a plain value.
static ELEMENT: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"<([A-Za-z][A-Za-z0-9_.\-]{1,60})>([^<>\s]{4,400})</").ok());

/// `<password>value</password>`.
fn elements(text: &str, line: Range<usize>, take: &mut Take<'_>) {
    let Some(regex) = ELEMENT.as_ref() else { return };
    let haystack = &text[..line.end];
    let mut from = line.start;
    while let Some(found) = regex.captures_at(haystack, from) {
        let (Some(name), Some(value)) = (found.get(1), found.get(2)) else { return };
        from = value.end();
        let Some(strength) = strength(name.as_str()) else { continue };
        let context = Context { strength, strict: false, colon: false };
        if (Value { range: value.range(), quoted: true }).is_secret(text, line.end, context) {
            take(strength.rule(), value.range());
        }
    }
}
