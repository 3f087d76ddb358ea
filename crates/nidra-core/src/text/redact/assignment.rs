//! Secrets that only the name beside them gives away: `password=…`, `--token …`, `<secret>…`, `ENV DB_PASSWORD …`.

use super::name::{Strength, strength};
use super::telling::{self, Name};
use super::value::{Context, VALUE_LIMIT, Value};
use super::{Take, fold, literal, plain, quality, structure, turned};
use std::ops::Range;

/// What the names of secrets have in them, in any case.
pub(super) const KEYWORDS: &[&str] = &[
    "pass", "pwd", "pw", "psk", "secret", "token", "key", "cred", "pin", "_sk", "_ak", "_pat", "wort",
    "senha", "contrase", "parol", "salasana", "losenord", "haslo", "heslo", "jelszo", "sifre", "lozinka",
    "mima",
];

/// A name is never longer than this, in bytes.
const NAME_LIMIT: usize = 80;

/// The name around a keyword, when it can be one.
pub(super) fn name_around(text: &str, keyword: &Range<usize>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    let before = bytes[..keyword.start].iter().rev().take(NAME_LIMIT).take_while(|byte| part(byte)).count();
    let behind = bytes[keyword.end..].iter().take(NAME_LIMIT).take_while(|byte| part(byte)).count();
    let run = keyword.start - before..keyword.end + behind;
    let head = bytes[run.clone()].iter().position(u8::is_ascii_alphabetic)?;
    Some(run.start + head..run.end)
}

/// Gives the secrets that a name announces. Returns the place up to which names belong to a value that was read.
pub(super) fn named(text: &str, name: Range<usize>, line: Range<usize>, take: &mut Take<'_>) -> usize {
    let Some(strength) = strength(&text[name.clone()]) else { return name.end };
    let before = &text[line.start..name.start];
    let behind = &text[name.end..line.end];
    if let Some(end) = structure::nested(text, name.end, strength, take) {
        return end;
    }
    if literal::literal(text, &name, &line, strength, take) {
        return name.end;
    }
    if let Some(mark) = Mark::read(behind) {
        return assigned(text, &name, &mark, line, strength, take);
    }
    if behind.starts_with('>') && before.ends_with('<') {
        element(text, name.end + 1..line.end, strength, take);
    } else if behind.starts_with(['"', '\'']) && behind[1..].starts_with('>') && in_tag(before) {
        element(text, name.end + 2..line.end, strength, take);
    } else if behind.starts_with([' ', '\t']) {
        if before.ends_with("--") || before.ends_with(" -") {
            flag(text, name.end..line.end, before, strength, take);
        } else {
            command(text, name.end..line.end, before, strength, take);
        }
    }
    name.end
}

/// The mark of an assignment behind a name.
struct Mark {
    /// The mark and the blanks around it, in bytes.
    length: usize,
    /// Blanks or a quote stand before it.
    gap: bool,
    /// Blanks stand behind it.
    blank: bool,
    kind: MarkKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum MarkKind {
    Equals,
    Colon,
    /// Between the arguments of a call or the items of a list.
    Comma,
}

impl Mark {
    fn read(behind: &str) -> Option<Self> {
        let skip = |text: &str, at: usize, byte: u8, most: usize| {
            at + text.as_bytes()[at..].iter().take(most).take_while(|found| **found == byte).count()
        };
        let mut at = skip(behind, 0, b'\\', 8);
        // `'input[name=password]', 'X'`: the name is the end of a quoted expression.
        at += usize::from(behind[at..].starts_with(']'));
        let quoted = behind[at..].starts_with(['"', '\'', '`']);
        at += usize::from(quoted);
        at += usize::from(behind[at..].starts_with(']'));
        at = skip(behind, at, b'*', 2);
        at += blanks(&behind[at..]);
        let gap = at > 0;
        let marks = [":=", "=>", "===", "!==", "==", "!=", "=", "<<<", ": ", ":", "：", "＝"];
        let found = marks.iter().find(|mark| behind[at..].starts_with(**mark)).copied();
        // A comparison names a variable as often as a value; only a literal tells.
        if let Some(mark) = found.filter(|mark| matches!(*mark, "===" | "!==" | "!="))
            && !behind[at + mark.len()..].trim_start().starts_with(['"', '\'', '`', '\\'])
        {
            return None;
        }
        let (mark, kind) = match found {
            Some(mark) if mark.starts_with([':', '：']) => (mark, MarkKind::Colon),
            Some(mark) => (mark, MarkKind::Equals),
            None if quoted && behind[at..].starts_with(',') => (",", MarkKind::Comma),
            None => return None,
        };
        at += mark.len();
        at = skip(behind, at, b'*', 2);
        let length = at + blanks(&behind[at..]);
        Some(Self { length, gap, blank: length > at || mark.ends_with(' '), kind })
    }
}

/// Whether the attribute of a tag stands behind this: `<property name="`.
fn in_tag(before: &str) -> bool {
    let names = ["name=", "key=", "Name=", "Key="];
    let tag = before.rfind('<').map_or("", |open| &before[open..]);
    tag.len() < NAME_LIMIT
        && tag.ends_with(['"', '\''])
        && !tag.contains('>')
        && names.iter().any(|name| tag.contains(name))
}

/// How many blanks a text begins with, up to a dozen.
fn blanks(text: &str) -> usize {
    text.bytes().take(12).take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// `NAME=value`, `name: value`, `"name": "value"`, `name := value`.
fn assigned(
    text: &str,
    name: &Range<usize>,
    mark: &Mark,
    line: Range<usize>,
    strength: Strength,
    take: &mut Take<'_>,
) -> usize {
    let mut at = name.end + mark.length;
    // `Token::new`: a path of a program; `arn:…:secret:name`: a part of an address.
    if text[at..].starts_with(':') || mark.kind == MarkKind::Colon && text[..name.start].ends_with(':') {
        return at;
    }
    let block = text[at..line.end].trim_end();
    if block.len() <= 3
        && matches!(block.trim_end_matches(['-', '+']), "" | ">" | "|" | "\\" | "\"" | "'" | "(")
    {
        // The value stands on the next line: a folded block of YAML, a line that goes on, a text in brackets.
        // A base64 text ends with `=`, too, and its last letters may look like a name; an item of a list has no value.
        let equals = mark.kind == MarkKind::Equals && strength != Strength::Password;
        let open = mark.kind == MarkKind::Comma || equals && matches!(block, "" | "\"" | "'");
        if let Some(next) = next_line_value(text, line.end, strength).filter(|_| !open) {
            take(strength.rule(), next);
        }
        return at;
    }
    let constant = text[name.clone()].bytes().all(|byte| !byte.is_ascii_lowercase());
    let query = text[..name.start].ends_with(['?', '&']);
    let strict = constant && !mark.gap && !mark.blank && mark.kind == MarkKind::Equals;
    let context = Context { strength, strict, colon: mark.kind == MarkKind::Colon };
    let mut read = at;
    while let Some(value) = Value::read(text, at..line.end, query) {
        let words = &text[value.range.clone()];
        // In a list, a name may stand beside anything; only a literal that looks generated is its value.
        let generated = value.quoted
            && (quality::is_mixed(words) && !quality::is_words(words) && !quality::is_named(words)
                || strength == Strength::Password && telling::is_telling(words, false, Name::Password));
        let listed = mark.kind == MarkKind::Comma && !generated;
        if listed || !value.is_secret(text, line.end, context) {
            break;
        }
        let ends = value.range.end >= line.end || text[value.range.end..].starts_with('\\');
        // A longer value than one is read by: its rest is a part of it.
        let cut = value.range.len() + "...".len() >= VALUE_LIMIT;
        let end = if cut { value.range.end + fold::run(&text[value.range.end..]) } else { value.range.end };
        let end = if ends { whole_end(text, end) } else { end };
        take(strength.rule(), value.range.start..end);
        read = end;
        // A difference shows both values: `"old" -> "new"`.
        let rest = &text[value.range.end..line.end];
        let Some(arrow) = rest.find("-> ").filter(|&arrow| arrow <= 4) else { break };
        at = value.range.end + arrow + "-> ".len();
    }
    read
}

/// The value that stands alone on the line behind `end`.
pub(super) fn next_line_value(text: &str, end: usize, strength: Strength) -> Option<Range<usize>> {
    let rest = text[fold::next_words(text, end)..].trim_start_matches(turned::QUOTES);
    let start = text.len() - rest.len();
    let rest = &rest[..super::floor(rest, 1_024)];
    let ends = |c: char| matches!(c, '\r' | '\n') || c != '*' && turned::QUOTES.contains(&c);
    let length = rest.find(ends).unwrap_or(rest.len());
    let value = rest[..length].trim_end_matches([' ', '\t', ',', ';', '\\', ')', '*']);
    let token = value.len() >= 6 && !value.contains(char::is_whitespace) && value.is_ascii();
    if !token
        || !(quality::is_mixed(value) || strength == Strength::Password && plain::is_jumbled(value))
        || value.contains([':', '=', '(']) && strength == Strength::Password
    {
        return None;
    }
    let range = start..start + value.len();
    let context = Context { strength, strict: false, colon: false };
    let secret = Value { range: range.clone(), quoted: true }.is_secret(text, range.end, context)
        && !quality::is_expression(value);
    secret.then(|| range.start..whole_end(text, range.end))
}

/// Where a value ends that goes on over the next lines.
fn whole_end(text: &str, end: usize) -> usize {
    fold::continuation(text, end).last().map_or(end, |piece| piece.end)
}

/// `--password value`, `--token value`; the range is what stands behind the name.
fn flag(text: &str, range: Range<usize>, before: &str, strength: Strength, take: &mut Take<'_>) {
    let start = range.start + blanks(&text[range.clone()]);
    let Some(value) = Value::read(text, start..range.end, false) else { return };
    let words = &text[value.range.clone()];
    let context = Context { strength, strict: false, colon: false };
    // `-pass pass:X` of OpenSSL: the word before the colon says where the password comes from.
    if words.starts_with("pass:") {
        return;
    }
    let command = before.contains(char::is_alphabetic);
    // "--password is read from …": prose about an option.
    let prose = words.len() < 5 && !quality::is_mixed(words) || COPULAS.contains(&words);
    if command && !words.starts_with('-') && !prose && value.is_secret(text, range.end, context) {
        take(strength.rule(), value.range);
    }
}

/// Words that follow the name of an option in prose.
const COPULAS: &[&str] = &[
    "is", "was", "and", "flag", "option", "must", "should", "reads", "takes", "needs", "argument", "instead",
];

/// Commands that set a name to a value without a mark between them.
const SETTERS: &[&str] = &[
    "ENV",
    "ARG",
    "setx",
    "setenv",
    "set -gx",
    "set -Ux",
    "configure set",
    "config set",
    "secret set",
    "secrets set",
    "variable set",
    "env add",
    "ngrok config",
    "git config",
    "git config --global",
];

/// `ENV DB_PASSWORD value`, `aws configure set aws_secret_access_key value`, `password value` below `login name`.
fn command(text: &str, range: Range<usize>, before: &str, strength: Strength, take: &mut Take<'_>) {
    // `npm config set //registry.test/:_authToken`: the name is the end of a longer word.
    let head = before.rfind([' ', '\t']).map_or("", |blank| &before[..blank]).trim_end();
    let sets = head.len() < before.len() && SETTERS.iter().any(|setter| head.ends_with(setter));
    let below =
        head.is_empty() && strength == Strength::Password && follows_login(text, range.start - "x".len());
    if !sets && !below {
        return;
    }
    let mut start = range.start + blanks(&text[range.clone()]);
    for option in ["--body ", "--body=", "-b "] {
        start += text[start..range.end].strip_prefix(option).map_or(0, |_| option.len());
    }
    let Some(value) = Value::read(text, start..range.end, false) else { return };
    let words = &text[value.range.clone()];
    let alone = text[value.range.end..range.end].trim().is_empty();
    let context = Context { strength, strict: below, colon: false };
    if (quality::is_mixed(words) || value.quoted || below && alone)
        && value.is_secret(text, range.end, context)
    {
        take(strength.rule(), value.range);
    }
}

/// Whether the line above the one at this place names a user, as in `.netrc`.
fn follows_login(text: &str, at: usize) -> bool {
    let start = text[..at].rfind('\n').unwrap_or_default();
    let above = text[super::floor(text, start.saturating_sub(200))..start].trim_end();
    let above = above.rsplit('\n').next().unwrap_or_default().trim_start();
    ["login ", "machine ", "user ", "account "].iter().any(|word| above.starts_with(word))
}

/// `<password>value</password>`; the range is what stands behind the first tag.
fn element(text: &str, range: Range<usize>, strength: Strength, take: &mut Take<'_>) {
    let most = super::floor(text, range.end.min(range.start + 400));
    let inner = &text[range.start..most];
    let cdata = inner.strip_prefix("<![CDATA[").and_then(|inner| inner.find("]]>"));
    let opening = cdata.map_or(0, |_| "<![CDATA[".len());
    let (range, inner) = (range.start + opening..range.end, &inner[opening..]);
    let plain = || inner.find(['<', '>']).filter(|&at| at >= 4 && inner[at..].starts_with("</"));
    let Some(length) = cdata.or_else(plain) else {
        return;
    };
    let context = Context { strength, strict: false, colon: false };
    let value = Value { range: range.start..range.start + length, quoted: true };
    if !inner[..length].contains(char::is_whitespace) && value.is_secret(text, range.end, context) {
        take(strength.rule(), value.range);
    }
}
