//! Secrets that were broken over several lines: by a terminal, a mail, a backslash or a folded block.

use super::quality;
use std::ops::Range;

/// A broken secret has at most this many further lines.
const MAX_PIECES: usize = 40;

/// A piece that stands alone on its line has at least this many characters.
const LEAST_PIECE: usize = 8;

/// A piece with words behind it has at least this many characters.
const LEAST_WRAPPED: usize = 16;

/// How far characters of a token reach.
pub(super) fn run(text: &str) -> usize {
    text.bytes().take_while(|&byte| is_token_byte(byte)).count()
}

fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'_' | b'-' | b'.' | b'/' | b'+' | b'=' | b'~' | b'%' | b':')
}

/// The pieces of a token on the lines behind `end`, when the token goes on there: each line holds nothing but a piece,
/// and the piece looks generated.
pub(super) fn continuation(text: &str, end: usize) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut at = end;
    while pieces.len() < MAX_PIECES {
        let Some(start) = next_line(text, at) else { break };
        let length = run(&text[start..super::floor(text, start + 1_024)]);
        let piece = &text[start..start + length];
        let rest = &text[start + length..];
        let alone = rest.is_empty() || rest.starts_with(['\n', '\r', '"', '\'', '`', '\\', ',']);
        let whole = length >= LEAST_PIECE && !piece.contains(':') && is_generated(piece);
        // Prose may go on behind the last piece, as in a message that was wrapped.
        let wrapped = length >= LEAST_WRAPPED && !piece.contains('.');
        if !whole || !(alone || wrapped) {
            break;
        }
        at = start + length;
        pieces.push(start..at);
        if !rest.starts_with(['\n', '\r', '\\']) {
            break;
        }
    }
    pieces
}

/// Whether a piece has nothing of a word or of a thing with a name of its own.
fn is_generated(piece: &str) -> bool {
    let mixed = quality::is_mixed(piece);
    // Sixteen letters of a token hold no digit now and then; then their case changes as in no word.
    let letters = piece.len() >= 16 && quality::classes(piece) >= 2 && quality::entropy(piece) >= 3.4;
    let assigns =
        piece.trim_end_matches('=').split_once('=').is_some_and(|(name, _)| !quality::is_scrambled(name));
    (mixed || letters)
        && !quality::is_words(piece)
        && !quality::is_identifier(piece)
        && (quality::is_scrambled(piece) || !quality::is_path(piece))
        && !assigns
        // A commit, a checksum or an identifier on a line of its own is none of it.
        && !(quality::is_hex(piece) && matches!(piece.len(), 40 | 64 | 128))
        && !quality::is_uuid(piece)
        && quality::entropy(piece) >= 2.5
}

/// Where the words of the next line start, behind its margin, when the token ends its line, perhaps with a backslash.
pub(super) fn next_line(text: &str, end: usize) -> Option<usize> {
    let rest = text.get(end..)?;
    let rest = rest.strip_prefix('\\').unwrap_or(rest);
    let rest = rest.strip_prefix('\r').unwrap_or(rest).strip_prefix('\n')?;
    let rest = rest.trim_start_matches([' ', '\t']);
    let start = text.len() - rest.len();
    Some(start + margin(rest))
}

/// A margin is never wider than this, in bytes.
const MARGIN: usize = 32;

/// How far the margin of a line reaches: blanks, and the marks of a quotation, a difference or a numbered listing.
pub(super) fn margin(line: &str) -> usize {
    let bytes = &line.as_bytes()[..line.len().min(MARGIN)];
    let mut at = 0;
    loop {
        let rest = &bytes[at..];
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let arrow = line.get(at + digits..).is_some_and(|rest| rest.starts_with('→'));
        match rest.first() {
            Some(b' ' | b'\t' | b'>' | b'+' | b'|') => at += 1,
            Some(_) if digits > 0 && rest.get(digits) == Some(&b'\t') => at += digits + 1,
            Some(_) if digits > 0 && arrow => at += digits + '→'.len_utf8(),
            _ => return at,
        }
    }
}

/// Where the words of the next line start that has any, behind its margin.
pub(super) fn next_words(text: &str, end: usize) -> usize {
    let mut at = end;
    // A mail has some empty lines, not many.
    for _ in 0..4 {
        let rest = &text[at..];
        at += rest.len() - rest.trim_start_matches(['\r', '\n']).len();
        at += margin(&text[at..]);
        if !text[at..].starts_with(['\r', '\n']) {
            break;
        }
    }
    at
}

/// The place in the text of a place in the joined token: `run` characters up to `end`, then the pieces.
pub(super) fn place(end: usize, run: usize, pieces: &[Range<usize>], joined: usize) -> usize {
    if joined <= run {
        return end - (run - joined);
    }
    let mut left = joined - run;
    for piece in pieces {
        if left <= piece.len() {
            return piece.start + left;
        }
        left -= piece.len();
    }
    pieces.last().map_or(end, |piece| piece.end)
}
