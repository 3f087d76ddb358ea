//! Blocks whose text is encoded as a whole: a PEM key in base64, the body of an SSH key without its marks, a vault file.

use super::{Take, fold, private_key, quality};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use base64::{Engine as _, alphabet};
use std::ops::RangeInclusive;

/// The names of the rules.
pub(super) const RULES: [&str; 3] = [private_key::NAME, VAULT, HIDDEN];

const VAULT: &str = "vault-file";

/// What a block begins with.
pub(super) const KEYWORDS: &[&str] = &[PEM, SSH, ANSIBLE];

/// A secret in base64.
const HIDDEN: &str = "encoded-secret";

/// What tokens, names of secrets and logins begin with, in base64: `ghp_`, `gho_`, `ghs_`, `github_pat_`, `glpat-`, `sk-`,
/// `sk_live_`, `rk_live_`, `xoxb-`, `xoxp-`, `AKIA`, `AIza`, `npm_`, `pypi-`, `hf_`, `token=`, `token:`, `password`,
/// `Password`, `PASSWORD`, `secret`, `SECRET`, `api_key`, `API_KEY`, `apikey`, `DB_`, `admin:`, `root:`, `user:`, `Bearer `.
pub(super) const BEGINNINGS: &[&str] = &[
    "Z2hwX",
    "Z2hvX",
    "Z2hzX",
    "Z2l0aHViX3BhdF",
    "Z2xwYXQt",
    "c2st",
    "c2tfbGl2ZV",
    "cmtfbGl2ZV",
    "eG94Yi",
    "eG94cC",
    "QUtJQ",
    "QUl6Y",
    "bnBtX",
    "cHlwaS",
    "aGZf",
    "dG9rZW49",
    "dG9rZW46",
    "cGFzc3dvcm",
    "UGFzc3dvcm",
    "UEFTU1dPUk",
    "c2VjcmV0",
    "U0VDUkVU",
    "YXBpX2tle",
    "QVBJX0tFW",
    "YXBpa2V5",
    "REJf",
    "YWRtaW46",
    "cm9vdD",
    "dXNlcj",
    "QmVhcmVyI",
];

/// The shortest secret in base64, in characters.
const LEAST_HIDDEN: usize = 20;
/// The longest.
const MOST_HIDDEN: usize = 8 * 1_024;

/// `-----BEGIN ` in base64.
const PEM: &str = "LS0tLS1CRUdJTi";

/// What an SSH key begins with in base64.
const SSH: &str = "b3BlbnNzaC1rZXktdjEAAAA";

const ANSIBLE: &str = "$ANSIBLE_VAULT;";

/// The words behind `BEGIN ` in base64 that make a key private: `RSA P`, `PRIVAT`, `EC PRI`, `OPENSS`, `ENCRYP`, `DSA P`,
/// `PGP PRI`.
const PRIVATE: &[&str] =
    &["BSU0EgU", "BQUklWQV", "BFQyBQUkl", "BPUEVOU1", "BFTkNSWV", "BEU0EgU", "BQR1AgUFJJ"];

/// A certificate in base64; it is taken only where it is one half of a login.
const CERTIFICATE: &str = "BDRVJUSU";

/// The head of a vault file is never longer than this, in bytes.
const HEAD: usize = 120;

/// A block has at most this many lines.
const MOST_LINES: usize = 400;

/// The shortest block, in characters.
const LEAST: usize = 40;

/// A line of this length is a full one: the block goes on behind it. A longer one was not folded, and is the whole.
const FULL_LINE: RangeInclusive<usize> = 60..=80;

/// Gives the block that begins here, and returns where it ends.
pub(super) fn encoded(text: &str, at: usize, take: &mut Take<'_>) -> usize {
    let rest = &text[at..];
    if rest.starts_with(ANSIBLE) {
        let Some(line) = rest[..super::floor(rest, HEAD)].find('\n') else { return at };
        let head = at + line;
        let start = fold::next_words(text, head);
        let end = block_end(text, start, |byte| byte.is_ascii_hexdigit());
        if end >= start + LEAST {
            take(VAULT, start..end);
        }
        return end;
    }
    let private = rest.strip_prefix(PEM).is_some_and(|label| {
        PRIVATE.iter().any(|private| label.starts_with(private))
            || label.starts_with(CERTIFICATE)
                && is_login(&text[super::floor(text, at.saturating_sub(40))..at])
    });
    if !private && !rest.starts_with(SSH) {
        return hidden(text, at, take);
    }
    let end = block_end(text, at, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='));
    if end >= at + LEAST {
        take(private_key::NAME, at..end);
    }
    end
}

/// Gives a run of base64 whose text is a secret, or holds one.
fn hidden(text: &str, at: usize, take: &mut Take<'_>) -> usize {
    let inside = text.as_bytes()[..at].last().copied().is_some_and(is_part);
    if inside || !BEGINNINGS.iter().any(|start| text[at..].starts_with(start)) {
        return at;
    }
    let end = block_end(text, at, is_part);
    if !(LEAST_HIDDEN..=MOST_HIDDEN).contains(&(end - at)) {
        return at;
    }
    // The margins of a folded block are no part of it.
    let letters: Vec<u8> = text.as_bytes()[at..end]
        .iter()
        .filter(|byte| is_part(**byte) && **byte != b'=')
        .map(|byte| match byte {
            b'-' => b'+',
            b'_' => b'/',
            byte => *byte,
        })
        .collect();
    let Some(words) = DECODER.decode(&letters).ok().and_then(|bytes| String::from_utf8(bytes).ok()) else {
        return at;
    };
    let login = words.trim().split_once(':').is_some_and(|(user, word)| {
        !user.is_empty()
            && word.len() >= 6
            && !words.trim().contains(char::is_whitespace)
            && !word.starts_with("//")
    });
    if login || !super::find(&words).is_empty() {
        take(HIDDEN, at..end);
        return end;
    }
    at
}

/// Whether a byte may stand in base64, in either alphabet.
fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_')
}

/// Reads base64 with and without its padding.
const DECODER: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Whether the name in front of a certificate says that it lets its owner in.
fn is_login(before: &str) -> bool {
    before.contains("client-certificate-data")
}

/// Where the lines of a block end that begins here: each line is nothing but characters of the block.
fn block_end(text: &str, start: usize, part: fn(u8) -> bool) -> usize {
    let run = |at: usize| text.as_bytes()[at..].iter().take_while(|byte| part(**byte)).count();
    let mut length = run(start);
    let mut end = start + length;
    for _ in 0..MOST_LINES {
        let full = FULL_LINE.contains(&length);
        let Some(next) = fold::next_line(text, end).filter(|_| full) else { break };
        length = run(next);
        let closed =
            text[next + length..].chars().next().is_none_or(|c| matches!(c, '\n' | '\r' | '"' | '\'' | '\\'));
        let word = &text[next..next + length];
        // The last line is short; a word of the text behind the block is none.
        let readable = length < *FULL_LINE.start() && !word.ends_with('=') && quality::is_words(word);
        if length < 2 || !closed || readable && !quality::is_hex(word) {
            break;
        }
        end = next + length;
    }
    end
}
