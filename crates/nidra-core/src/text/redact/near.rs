//! Words in the neighbourhood of a secret's name that can be nothing else: people put the two into sentences of any
//! build, so this reader knows no grammar. It reads prose alone, and takes only what nobody would write for a word.

use super::statement;
use super::telling::{self, Name};
use super::{Take, floor, plain, quality, turned, value};
use std::ops::Range;

/// How far from the name a secret stands at most, in bytes.
const REACH: usize = 160;

/// Names beside those of [`statement::KEYWORDS`]: what is opened, and the keys that are spoken of.
pub(super) const KEYWORDS: &[&str] = &[
    "login",
    "log in",
    "logs in",
    "sudo",
    "basic auth",
    "unseal",
    "encryption key",
    "signing key",
    "hmac key",
    "private key",
    "the key",
    "a key",
    "new key",
    "account key",
    "wifi",
    "wi-fi",
    "wlan",
    "schlüssel",
    "登录",
    "登陆",
    "账号",
    "帳號",
    "密匙",
    "加密 key",
    "签名 key",
];

/// Gives the generated words around the name that stands here, when the line is prose.
pub(super) fn near(text: &str, name: &Range<usize>, line: &Range<usize>, take: &mut Take<'_>) {
    let start = floor(text, name.start.saturating_sub(REACH)).max(line.start);
    let end = floor(text, (name.end + REACH).min(line.end));
    let window = &text[start..end];
    if !turned::is_promising(window) || !is_prose(window) {
        return;
    }
    let kind = Name::of(&text[name.clone()]);
    for word in words(window) {
        let place = start + word.start..start + word.end;
        // A window may cut the first and the last word.
        let cut = place.start == start && start > line.start || place.end == end && end < line.end;
        if cut || place.start < name.end && name.start < place.end {
            continue;
        }
        let before = text[line.start..place.start].trim_end_matches([' ', ':', '：', '=']);
        let named = ["id", "Id", "ID"].iter().any(|end| before.ends_with(end));
        if named || text[place.clone()].starts_with("arn:") {
            continue;
        }
        let place = turned::second_of_pair(text, place);
        if is_generated(&text[place.clone()], kind) {
            take(statement::NAME, place);
        }
    }
}

/// The words of a text: what stands between blanks, quotes and Chinese letters, without the marks around it.
fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let parts = |c: char| c.is_whitespace() || !c.is_ascii() || turned::QUOTES.contains(&c);
    let mut at = 0;
    text.split(parts).filter_map(move |piece| {
        // The separators may be of several bytes, so the place is found from the piece itself.
        let start = at + text[at..].find(piece)?;
        at = start + piece.len();
        let inner = piece.trim_start_matches(['(', '[', '{', ',', ';', ':']);
        let start = start + piece.len() - inner.len();
        let length = inner.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '}']).len();
        (length > 0).then_some(start..start + length)
    })
}

/// The shortest word that is taken for a password by its looks alone, in bytes.
const LEAST: usize = 8;

/// Whether nobody writes the word for anything that can be read.
fn is_generated(word: &str, kind: Name) -> bool {
    // What is called is no value, whatever its name looks like.
    if word.len() < LEAST || word.contains(['(', ')']) || is_address(word) || is_numbered(word) {
        return false;
    }
    if kind == Name::Password
        && (is_seasoned(word) || word.len() >= 10 && plain::is_jumbled(word) || is_joined(word))
    {
        return true;
    }
    // `NIST800-63B`, `ERR_4012`: capitals and digits are how standards, errors and parts are named.
    if !word.bytes().any(|byte| byte.is_ascii_lowercase()) && !quality::is_scrambled(word) {
        return false;
    }
    let odd = quality::is_scrambled(word)
        || value::is_gibberish(word)
        || quality::classes(word) >= 3
        || word.len() >= 14 && quality::entropy(word) >= 3.2;
    // What holds all kinds of characters is no expression, unless it gives a name to something.
    let sealed = word.len() >= 12
        && quality::classes(word) == 4
        && word.split_once('=').is_none_or(|(name, _)| !quality::is_words(name));
    odd && !quality::is_words(word) && telling::is_telling(word, sealed, kind)
}

/// Whether the word is a passphrase of as many words as no compound has.
fn is_joined(word: &str) -> bool {
    word.matches('-').count() >= 3 && plain::is_passphrase(word)
}

/// Whether the word is what people make up when a password must have all kinds of characters: `Winter@2031`.
fn is_seasoned(word: &str) -> bool {
    let head = word.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '!' | '*' | '?'));
    let name = head.trim_end_matches(['!', '@', '#', '$', '%', '&', '*', '+', '?', '^', '~', '_']);
    let letters = name.bytes().all(|byte| byte.is_ascii_alphabetic());
    let capital = name.as_bytes().first().is_some_and(u8::is_ascii_uppercase)
        && name.bytes().any(|byte| byte.is_ascii_lowercase());
    name.len() >= 3
        && letters
        && capital
        && head.len() - name.len() == 1
        && (2..=6).contains(&(word.len() - head.len()))
}

/// Whether the word is the name of a file, a host, a mailbox or a resource.
fn is_address(word: &str) -> bool {
    let ending = word.rsplit_once('.').is_some_and(|(head, ending)| {
        let ending = ending.split([':', '/', '#', '?']).next().unwrap_or_default();
        head.len() > 1
            && (2..=5).contains(&ending.len())
            && ending.bytes().all(|byte| byte.is_ascii_lowercase())
    });
    ending || word.matches('/').count() >= 2
}

/// Whether the word is a number with what it counts: a ticket, a version, a part of a series.
fn is_numbered(word: &str) -> bool {
    let head = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = word.len() - head.len();
    let version = word.trim_start_matches(['v', 'V', '^', '~']).starts_with(|c: char| c.is_ascii_digit())
        && word.contains('.')
        && !quality::is_scrambled(word);
    let named = head.trim_end_matches(['-', '/', ':']);
    version || digits > 0 && digits < 7 && head.len() > named.len() && quality::is_words(named)
}

/// Whether a line is written for people: words with blanks between them, and nothing that only programs have.
fn is_prose(text: &str) -> bool {
    const CODE: &[&str] = &[
        "=>", "==", "!=", "&&", "||", "::", "();", ");", "};", "{\"", "\":", "</", "/>", "){", ") {", "[]",
        "let ", "const ", "return ", "import ", "func ", "def ", "http://", "https://", "--", "+=", "<-",
    ];
    let spoken =
        text.contains('→') || text.chars().filter(|c| !c.is_ascii() && c.is_alphabetic()).count() >= 2;
    let words = text
        .split([' ', '\t'])
        .filter(|word| {
            word.len() >= 2
                && word
                    .trim_end_matches([',', '.', ':', '?', '!', ';'])
                    .chars()
                    .all(|c| c.is_alphabetic() || c == '\'')
        })
        .count();
    (spoken || words >= 2) && !CODE.iter().any(|mark| text.contains(mark))
}
