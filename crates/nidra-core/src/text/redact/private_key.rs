//! Private keys, which span lines: PEM in all its writings, and that of `PuTTY`.

use super::Take;
use memchr::memmem;

/// The name of the rule.
pub(super) const NAME: &str = "private-key";

/// How many bytes a key without its last line may have.
const OPEN_KEY_LIMIT: usize = 8_192;

/// A key has at least this many letters and digits; less is a sample that says `...`.
const LEAST_BODY: usize = 16;

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";

/// What stands before the private part of a `PuTTY` key.
const PUTTY: &str = "Private-Lines:";

/// Gives the private keys of a text, from their first mark to their last one. A key whose end is missing ends with
/// the last characters that can belong to it.
pub(super) fn private_keys(text: &str, take: &mut Take<'_>) {
    let places = |mark: &str| memmem::find_iter(text.as_bytes(), mark).collect::<Vec<usize>>();
    let starts = places(BEGIN);
    let ends = if starts.is_empty() { Vec::new() } else { places(END) };
    for (index, &start) in starts.iter().enumerate() {
        let Some((label, body)) = label(text, start + BEGIN.len()) else { continue };
        if !label.contains("PRIVATE KEY") {
            continue;
        }
        let limit = starts.get(index + 1).copied().unwrap_or(text.len());
        let end = ends.get(ends.partition_point(|&end| end < body)).copied().filter(|&end| end < limit);
        match end {
            Some(end) if holds_key(&text[body..end]) => take(NAME, start..label_end(text, end)),
            Some(_) => {}
            None => {
                let stop = open_end(text, body);
                if holds_key(&text[body..stop]) {
                    take(NAME, start..stop);
                }
            }
        }
    }
    for at in places(PUTTY) {
        let body = at + PUTTY.len();
        let stop = open_end(text, body);
        if holds_key(&text[body..stop]) {
            take(NAME, body..stop);
        }
    }
}

/// Whether enough stands between the marks.
fn holds_key(body: &str) -> bool {
    body.bytes().filter(u8::is_ascii_alphanumeric).take(LEAST_BODY).count() == LEAST_BODY
}

/// The words of a mark and the place behind it, given the place behind its first word.
fn label(text: &str, from: usize) -> Option<(&str, usize)> {
    let rest = &text[from..];
    let length = rest
        .bytes()
        .take(48)
        .take_while(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b' ')
        .count();
    rest[length..].starts_with("-----").then(|| (&rest[..length], from + length + "-----".len()))
}

/// The place behind the mark that ends a key.
fn label_end(text: &str, end: usize) -> usize {
    label(text, end + END.len()).map_or(end, |(_, behind)| behind)
}

/// Where a key without its last line ends: behind the last run that looks like a line of it.
fn open_end(text: &str, body: usize) -> usize {
    let limit = super::floor(text, body + OPEN_KEY_LIMIT);
    let (mut at, mut stop) = (body, body);
    while at < limit {
        let rest = &text[at..limit];
        let gap = gap(rest);
        at += gap;
        let run = rest[gap..]
            .bytes()
            .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='))
            .count();
        let word = &text[at..at + run];
        let header = HEADERS.iter().find(|header| text[at..limit].starts_with(**header));
        if let Some(header) = header {
            let line = &text[at + header.len()..limit];
            at += header.len() + line.find(['\n', '\\', ' ']).unwrap_or(line.len());
        } else if run >= LEAST_BODY || run > 0 && (stop > body || word.ends_with('=')) && is_end(word) {
            at += run;
            stop = at;
        } else if run > 0 && word.bytes().all(|byte| byte.is_ascii_digit()) && stop == body {
            // The number of lines in a key of `PuTTY`.
            at += run;
        } else {
            break;
        }
    }
    stop
}

/// Lines of a key that are none of its body.
const HEADERS: &[&str] = &["Proc-Type: ", "DEK-Info: ", "Version: ", "Comment: "];

/// Whether a short run can be the last line of a key: readable words cannot.
fn is_end(word: &str) -> bool {
    word.ends_with('=') || super::quality::is_mixed(word) && word.len() >= 8
}

/// How far white space, escapes of it, quotes and marks of quotations reach.
fn gap(text: &str) -> usize {
    let mut at = 0;
    loop {
        let rest = &text[at..];
        let number = line_number(rest);
        if rest.starts_with("\\n") || rest.starts_with("\\r") {
            at += 2;
        } else if number > 0 {
            at += number;
        } else if rest.starts_with([' ', '\t', '\r', '\n', '>', '|', '"', '\'', '\\', '+', ',', '#', '*']) {
            at += 1;
        } else {
            return at;
        }
    }
}

/// How far the number of a line reaches that a tool put in front of it, with the mark behind.
fn line_number(text: &str) -> usize {
    let digits = text.bytes().take(7).take_while(u8::is_ascii_digit).count();
    let mark = ["\t", "→", "|", ": "].iter().find(|mark| text[digits..].starts_with(**mark));
    if digits == 0 { 0 } else { mark.map_or(0, |mark| digits + mark.len()) }
}
