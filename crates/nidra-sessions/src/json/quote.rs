//! Finding the quote that ends a string literal.
//!
//! Nearly all bytes of a transcript stand in string literals, and those of code and logs are full of
//! escaped quotes. So a long string is judged block by block: whether one of its quotes may end it is
//! asked of all its bytes at once, and only the block with that quote is looked at more closely.

use crate::json::word::{WORD, position_in_word};
use memchr::memchr_iter;

/// Bytes at the start of a string in which most strings end.
const NEAR: usize = 8 * WORD;
/// Bytes of a long string that are judged together.
const BLOCK: usize = 128;
/// Bytes before a block that say whether a quote at its start is escaped.
const BEFORE: usize = 2;

/// The end of a short string without escaped quotes; `None` where only [`end_of_string`] can tell.
#[inline]
pub(crate) fn end_of_short_string(text: &[u8]) -> Option<usize> {
    for (number, word) in text[..text.len().min(NEAR)].as_chunks::<WORD>().0.iter().enumerate() {
        if let Some(at) = position_in_word(*word, b'"') {
            let quote = number * WORD + at;
            return (quote == 0 || text[quote - 1] != b'\\').then_some(quote);
        }
    }
    None
}

/// The position of the quote that ends a string literal. `escaped` says that a backslash before the
/// text escapes its first byte.
pub(crate) fn end_of_string(text: &[u8], escaped: bool) -> Option<usize> {
    let mut from = 0;
    while from < text.len() {
        let end = (from + BLOCK).min(text.len());
        let block = from.checked_sub(BEFORE).and_then(|before| text[before..end].first_chunk());
        if block.is_none_or(may_end)
            && let Some(quote) =
                memchr_iter(b'"', &text[from..end]).find(|at| !is_escaped(&text[..from + at], escaped))
        {
            return Some(from + quote);
        }
        from = end;
    }
    None
}

/// Whether a block may hold the end of a string: a quote behind no backslash, or behind more than one.
#[expect(clippy::needless_bitwise_bool, reason = "without branches it becomes a few vector instructions")]
fn may_end(block: &[u8; BEFORE + BLOCK]) -> bool {
    let mut found = false;
    for at in BEFORE..BEFORE + BLOCK {
        found |= (block[at] == b'"') & ((block[at - 1] != b'\\') | (block[at - 2] == b'\\'));
    }
    found
}

/// Whether what follows the text is escaped: the text ends in an odd run of backslashes, given that
/// what came before it did or did not.
pub(crate) fn is_escaped(text: &[u8], before: bool) -> bool {
    let run = text.iter().rev().take_while(|&&byte| byte == b'\\').count();
    let carried = before && run == text.len();
    (run % 2 == 1) != carried
}

#[cfg(test)]
#[path = "quote_tests.rs"]
mod tests;
