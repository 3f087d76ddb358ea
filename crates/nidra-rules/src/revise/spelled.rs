//! Numbers that are written in words: `thirty-six hours`, `三十二张`. A word of number alone may be an article or a part
//! of another word, so only a compound, or a word with its unit, is read.

use nidra_core::text::expression;
use nidra_core::text::numeral::{ONES, TENS};
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

static ENGLISH: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let (ones, tens) = (ONES.join("|"), TENS.join("|"));
    expression::new(&format!(
        r"(?i)(?-u:\b)(?:(?P<h>{ones}|a) hundred(?: and)?(?: (?P<ht>{tens}))?(?:[- ]?(?P<ho>{ones}))?|(?P<t>{tens})(?:[- ](?P<o>{ones}))?|(?P<s>{ones}))(?-u:\b)"
    ))
    .ok()
});
static CHINESE: LazyLock<Option<Regex>> =
    LazyLock::new(|| expression::new(r"[一二两三四五六七八九十百千零]{1,7}").ok());

/// Numbers in words with their places and their value; whether each needs a unit behind it to count.
pub(super) fn find(text: &str) -> Vec<(Range<usize>, u64, bool)> {
    let mut found = Vec::new();
    if let Some(pattern) = ENGLISH.as_ref() {
        for captures in pattern.captures_iter(text) {
            let Some(whole) = captures.get(0) else { continue };
            let of = |name: &str, list: &[&str]| -> u64 {
                captures.name(name).map_or(0, |word| {
                    let word = word.as_str().to_lowercase();
                    list.iter().position(|other| *other == word).map_or(0, |at| at as u64 + 1)
                })
            };
            let tens = |name: &str| match of(name, TENS) {
                0 => 0,
                at => (at + 1) * 10,
            };
            let hundreds = captures.name("h").map_or(0, |_| of("h", ONES).max(1) * 100);
            let value = hundreds + tens("ht") + of("ho", ONES) + tens("t") + of("o", ONES) + of("s", ONES);
            found.push((whole.range(), value, captures.name("s").is_some()));
        }
    }
    if let Some(pattern) = CHINESE.as_ref() {
        for hit in pattern.find_iter(text) {
            // A weekday or an ordinal is no number of things.
            let head = &text[..hit.start()];
            let named =
                ["周", "星期", "礼拜", "第", "每", "月", "号"].iter().any(|mark| head.ends_with(mark));
            if let Some(value) = chinese(hit.as_str()).filter(|_| !named) {
                found.push((hit.range(), value, hit.as_str().chars().count() < 2));
            }
        }
    }
    found
}

/// Whether a text is a number in words and nothing else.
pub(super) fn is_number(text: &str) -> bool {
    find(text).iter().any(|(range, _, _)| *range == (0..text.len()))
}

/// A Chinese number up to some thousands.
fn chinese(text: &str) -> Option<u64> {
    let mut total = 0;
    let mut digit: Option<u64> = None;
    for character in text.chars() {
        let scale = match character {
            '十' => 10,
            '百' => 100,
            '千' => 1000,
            '零' => continue,
            '两' => 0,
            _ => 1,
        };
        match scale {
            0 => digit = Some(2),
            1 => {
                // Two digits in a row are a list or a code.
                if digit.is_some() {
                    return None;
                }
                digit = "一二三四五六七八九".chars().position(|c| c == character).map(|at| at as u64 + 1);
            }
            scale => total += digit.take().unwrap_or(1) * scale,
        }
    }
    Some(total + digit.unwrap_or(0)).filter(|value| *value > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_number_are_read() {
        let values = |text: &str| find(text).into_iter().map(|(_, value, _)| value).collect::<Vec<_>>();
        assert_eq!(values("ninety-six plus a hundred and twenty"), [96, 120]);
        assert_eq!(values("eleven"), [11]);
        assert_eq!(values("配额四十八张，保留一百二十天"), [48, 120]);
        assert!(values("周三开会").is_empty());
        assert!(values("一二三四").is_empty());
    }
}
