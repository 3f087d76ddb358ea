//! Lengths of a text as others count them, and safe shortening.
//!
//! Nothing here slices at an offset that was computed without looking at the text.

use super::language::is_han;
use super::markup::is_wide_punctuation;
use unicode_segmentation::UnicodeSegmentation;

/// The mark of a cut; one UTF-16 unit.
pub const ELLIPSIS: char = '…';

/// The number of UTF-16 code units: what the Claude Code client counts for its limits.
pub fn utf16_len(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// The number of terminal columns: a Han character takes two.
pub fn display_width(text: &str) -> usize {
    unicode_width::UnicodeWidthStr::width(text)
}

/// The longest start of the text with at most `limit` UTF-16 units, cut at a word where there is one, with `…`
/// where something was cut. Never splits a grapheme.
pub fn shorten(text: &str, limit: usize) -> String {
    shorten_by(text, limit, utf16_len)
}

/// The same as [`shorten`], with the limit in terminal columns.
pub fn shorten_columns(text: &str, limit: usize) -> String {
    shorten_by(text, limit, display_width)
}

/// Cuts a text to `limit` units of `measure`, the ellipsis included.
fn shorten_by(text: &str, limit: usize, measure: fn(&str) -> usize) -> String {
    if measure(text) <= limit {
        return text.to_owned();
    }
    if limit == 0 {
        return String::new();
    }
    let budget = limit - 1;
    let (mut used, mut end) = (0, 0);
    for (at, grapheme) in text.grapheme_indices(true) {
        let size = measure(grapheme);
        if used + size > budget {
            break;
        }
        used += size;
        end = at + grapheme.len();
    }
    let cut = tidy(&text[..word_end(text, end)]);
    let mut shortened = if cut.is_empty() { text[..end].trim_end().to_owned() } else { cut.to_owned() };
    shortened.push(ELLIPSIS);
    shortened
}

/// The last place at or before `end` where a reader would cut; `end` itself when that would lose over a third.
fn word_end(text: &str, end: usize) -> usize {
    let is_break = |at: usize| {
        let before = text[..at].chars().next_back();
        let after = text[at..].chars().next();
        let wide = |c: char| is_han(c) || is_wide_punctuation(c);
        after.is_none_or(|c| c.is_whitespace() || wide(c))
            || before.is_some_and(|c| c.is_whitespace() || wide(c))
    };
    let floor = end - end / 3;
    text[..end]
        .grapheme_indices(true)
        .map(|(at, _)| at)
        .chain([end])
        .rfind(|&at| at >= floor && is_break(at))
        .unwrap_or(end)
}

/// Takes away what looks torn at a cut: blanks, opening brackets, commas, half a code span.
fn tidy(cut: &str) -> &str {
    let torn = |c: char| {
        c.is_whitespace()
            || matches!(
                c,
                ',' | ';'
                    | ':'
                    | '('
                    | '['
                    | '-'
                    | '–'
                    | '—'
                    | '，'
                    | '、'
                    | '；'
                    | '：'
                    | '（'
                    | '「'
                    | '“'
                    | '《'
            )
    };
    let cut = cut.trim_end_matches(torn);
    match cut.rfind('`') {
        Some(tick) if cut.matches('`').count() % 2 == 1 && tick >= cut.len() / 2 => {
            cut[..tick].trim_end_matches(torn)
        }
        _ => cut,
    }
}

/// The longest start with at most `limit` bytes, cut behind a line end where there is one, else at a grapheme.
pub fn cut_bytes(text: &str, limit: usize) -> &str {
    cut_by(text, limit, str::len)
}

/// The longest start with at most `limit` UTF-16 units, cut behind a line end where there is one, else at a
/// grapheme.
pub fn cut_units(text: &str, limit: usize) -> &str {
    cut_by(text, limit, utf16_len)
}

/// Cuts a text at a line, then at a grapheme, to at most `limit` units of `measure`.
fn cut_by(text: &str, limit: usize, measure: fn(&str) -> usize) -> &str {
    let mut used = 0;
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        let size = measure(line);
        if used + size > limit {
            break;
        }
        used += size;
        end += line.len();
    }
    if end > 0 || text.is_empty() {
        return &text[..end];
    }
    for grapheme in text.graphemes(true) {
        used += measure(grapheme);
        if used > limit {
            break;
        }
        end += grapheme.len();
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn counts_as_others_do() {
        for (text, units, columns) in
            [("", 0, 0), ("abc", 3, 3), ("中文", 2, 4), ("𠮷", 2, 2), ("👍", 2, 2), ("e\u{301}", 2, 1)]
        {
            assert_eq!((utf16_len(text), display_width(text)), (units, columns), "{text}");
        }
    }

    #[test]
    fn shortens_at_words() {
        for (text, limit, expected) in [
            ("short", 5, "short"),
            ("a longer line of words", 12, "a longer…"),
            ("a longer line of words", 9, "a longer…"),
            ("用户偏好使用制表符缩进", 6, "用户偏好使…"),
            ("选择 pnpm，不要用 npm", 9, "选择 pnpm…"),
            ("abcdefghijklmnop", 8, "abcdefg…"),
            ("say hello to `some code span` now", 20, "say hello to…"),
            ("abc", 1, "…"),
            ("abc", 0, ""),
            ("👨‍👩‍👧 family", 5, "…"),
            ("one, two, three", 10, "one, two…"),
        ] {
            assert_eq!(shorten(text, limit), expected, "{text} to {limit}");
        }
    }

    #[test]
    fn pub_fmt_01_a_cut_at_the_cap_never_splits_a_character() {
        for shift in 0..3 {
            for newline in [false, true] {
                let mut text = "a".repeat(24_000 - 100 + shift);
                if newline {
                    text.push('\n');
                }
                text.push_str(&"界".repeat(2_000));
                let cut = cut_bytes(&text, 25_000);
                assert!(cut.len() <= 25_000 && text.starts_with(cut));
                assert_eq!(cut.ends_with('\n'), newline);
                assert!(utf16_len(cut_units(&text, 25_000)) <= 25_000);
                assert!(utf16_len(&shorten(&text, 25_000)) <= 25_000);
            }
        }
    }

    proptest! {
        #[test]
        fn any_text_at_any_limit(text in any::<String>(), limit in 0_usize..80) {
            prop_assert!(utf16_len(&shorten(&text, limit)) <= limit);
            prop_assert!(display_width(&shorten_columns(&text, limit)) <= limit.max(display_width("…") * usize::from(limit > 0)));
            prop_assert!(cut_bytes(&text, limit).len() <= limit);
            prop_assert!(utf16_len(cut_units(&text, limit)) <= limit);
        }
    }
}
