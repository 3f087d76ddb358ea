//! Secrets whose name stands in another place: in the cell of a table, in front of a pair, in a list of cookies, in an
//! object with a name and a value.

use super::name::{Strength, names_password, strength};
use super::value::{Context, Value};
use super::{Take, plain, quality, statement};
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// What announces a pair of a name and a password.
pub(super) const PAIR_KEYWORDS: &[&str] = &[
    "credential",
    "creds",
    "auth:",
    "login",
    "log-in",
    "log in",
    "sign in",
    "sign-in",
    "signin",
    "user/pass",
    "user / pass",
    "username/pass",
    "username and pass",
    "username & pass",
    "账号",
    "帐号",
    "账户",
    "账密",
    "用户名",
    "登录",
    "登陆",
    "凭据",
    "管理员",
    "zugangsdaten",
    "anmeldung",
    "identifiants",
    "credenciales",
    "usuario",
    "acceso",
    "логин",
];

/// What announces cookies.
pub(super) const COOKIE_KEYWORDS: &[&str] = &["cookie:", "cookie\"", "cookie'", "cookie=", "cookie\\"];

/// What stands between a name and a value that are fields of one object.
pub(super) const OBJECT_KEYWORDS: &[&str] =
    &["name:", "name\"", "name'", "name=", "key:", "key\"", "key=", "name\\"];

/// The name of the rule for cookies.
pub(super) const COOKIE: &str = "cookie";

/// What a word that stands alone says about the value in the next place.
pub(super) fn meaning(word: &str) -> Option<Strength> {
    let word = word.trim().trim_matches(['*', '`', '"', '\'', '_', ':', '：', ' ']);
    if word.is_empty() || word.len() > 60 {
        return None;
    }
    if names_password(word) {
        return Some(Strength::Password);
    }
    let blanks = word.bytes().filter(|&byte| byte == b' ').count();
    (word.is_ascii() && blanks <= 3).then(|| strength(&word.replace(' ', "_"))).flatten()
}

/// Whether a value in a place of its own is what the place is for.
fn is_value(text: &str, range: Range<usize>, strength: Strength) -> bool {
    let value = &text[range.clone()];
    let word = value.bytes().all(|byte| byte.is_ascii_alphabetic());
    if value.contains(char::is_whitespace) || !value.is_ascii() || word && value.len() < 12 {
        return false;
    }
    let end = range.end;
    let context = Context { strength, strict: false, colon: false };
    // `A_TOKEN | B_TOKEN,` of code is no table.
    let code = quality::is_expression(value.trim_end_matches([',', ';', ')', '}']));
    !code && !quality::is_expression(value) && Value { range, quoted: true }.is_secret(text, end, context)
}

/// The range without the blanks and the marks of emphasis around it.
fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let marks = [' ', '\t', '\r', '*', '`', '"', '\''];
    let cell = &text[range.clone()];
    let start = range.start + (cell.len() - cell.trim_start_matches(marks).len());
    let end = range.start + cell.trim_end_matches(marks).len();
    start..end.max(start)
}

/// The cells of the row of a table.
fn row(text: &str, line: Range<usize>) -> Vec<Range<usize>> {
    let mut cells = Vec::new();
    let mut start = line.start;
    for (at, _) in text[line.clone()].match_indices('|') {
        cells.push(start..line.start + at);
        start = line.start + at + 1;
    }
    cells.push(start..line.end);
    cells.into_iter().map(|cell| trimmed(text, cell)).collect()
}

/// Whether a word at this place is alone in the cell of a table.
pub(super) fn in_cell(text: &str, end: usize) -> bool {
    let rest = &text.as_bytes()[end..];
    let gap =
        rest.iter().take(40).take_while(|byte| matches!(byte, b' ' | b'*' | b'`' | b'"' | b':')).count();
    rest.get(gap) == Some(&b'|')
}

/// Gives the secrets of a row of a table that names one, and of the rows below it.
pub(super) fn table(text: &str, line: Range<usize>, take: &mut Take<'_>) {
    cells(text, line.clone(), take);
    columns(text, line, take);
}

/// `| password | X |`.
fn cells(text: &str, line: Range<usize>, take: &mut Take<'_>) {
    let cells = row(text, line);
    for pair in cells.windows(2) {
        let [name, value] = pair else { continue };
        let Some(strength) = meaning(&text[name.clone()]).filter(|_| !value.is_empty()) else { continue };
        if is_value(text, value.clone(), strength) {
            take(strength.rule(), value.clone());
        }
    }
}

/// How many rows of a table are read.
const MAX_ROWS: usize = 64;

/// `| user | password |`, with the values in the rows below.
fn columns(text: &str, line: Range<usize>, take: &mut Take<'_>) {
    let Some(below) = following(text, line.end) else { return };
    // A quotation, a difference or a tool may have put something in front of each line.
    let ruler = text[below.clone()]
        .trim_start_matches(|c: char| matches!(c, ' ' | '\t' | '>' | '+' | '→') || c.is_ascii_digit());
    if !ruler.contains("--")
        || !ruler.bytes().all(|byte| matches!(byte, b'|' | b'-' | b':' | b'+' | b' ' | b'\r'))
    {
        return;
    }
    let head = row(text, line);
    let wanted: Vec<(usize, Strength)> = head
        .iter()
        .enumerate()
        .filter_map(|(index, name)| Some((index, meaning(&text[name.clone()])?)))
        .collect();
    let mut at = below.end;
    for _ in 0..MAX_ROWS {
        let Some(line) = following(text, at).filter(|line| text[line.clone()].contains('|')) else { return };
        at = line.end;
        let cells = row(text, line);
        for (index, strength) in &wanted {
            let value = cells.get(*index).filter(|value| !value.is_empty());
            if let Some(value) = value.filter(|value| is_value(text, (*value).clone(), *strength)) {
                take(strength.rule(), value.clone());
            }
        }
    }
}

/// The line behind the one that ends here; no longer than a row of a table is.
pub(super) fn following(text: &str, end: usize) -> Option<Range<usize>> {
    let start = end + text.get(end..)?.strip_prefix('\n').map(|_| 1)?;
    let most = super::floor(text, start + 2_048);
    let length = text[start..most].find('\n').or((most == text.len()).then_some(most - start))?;
    (length > 0).then(|| start..start + length)
}

/// Words in front of a name and a password, and the pair.
static PAIR: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"^(?i)(?:credentials?|creds|auth|log[ -]?in(?:s| data)?(?-u:\b)|sign[ -]?in(?-u:\b)|user(?:name)?[ ]?(?:/|and|&)[ ]?pass(?:word|wd)?|账号|帐号|账户|账密|用户名|登录|登陆|凭据|管理员|zugangsdaten|anmeldung|identifiants|credenciales|usuario|acceso|логин)(?:[ ]?(?:和|与|及|/|、|信息)?[ ]?(?:密码|口令))?(?:[ ]+(?:for|to|of|on|für|zu|pour|para)(?:[ ]+[\p{L}0-9.\-]+){1,3})?[ ]{0,2}(?:[ ](?:changed|updated|rotated|reset|now))?(?:[:：=]|is|are|as|是|为|用)?[ ]{0,2}[`"'(（]{0,2}([A-Za-z0-9_.+\-]{2,40}(?:@[A-Za-z0-9.\-]+)?)[`"']?[ ]{0,2}(?:/|:|：|、|，|,|and|with|using|和)[ ]{0,2}(?:(?:the |its )?(?:password|passwd|pass|pw|密码|口令)[ ]{0,2}[:：=是]?[ ]{0,2})?[`"']?([^\s`"',，。；;）)、\\]{4,64})"#,
    )
    .ok()
});

/// How far a pair and what announces it reach at most, in bytes.
const PAIR_LIMIT: usize = 240;

/// `login: admin / hunter2`, `账号密码 admin/hunter2`.
pub(super) fn pair(text: &str, start: usize, line: Range<usize>, take: &mut Take<'_>) {
    let Some(regex) = PAIR.as_ref() else { return };
    let slice = &text[start..super::floor(text, line.end.min(start + PAIR_LIMIT))];
    if !regex.is_match(slice) {
        return;
    }
    let Some(found) = regex.captures(slice) else { return };
    let (Some(user), Some(value)) = (found.get(1), found.get(2)) else { return };
    let word = value.as_str();
    // The arguments of a call are names where they are not in quotes.
    if found.get(0).is_some_and(|whole| whole.as_str().contains('('))
        && !text[..start + value.start()].ends_with(['"', '\'', '`'])
    {
        return;
    }
    let path = word.contains('/') && !quality::is_scrambled(word) || user.as_str().contains("..");
    let marked = quality::is_mixed(word) && word.is_ascii() && !quality::is_expression(word);
    // Port numbers, versions and dates stand behind names, too.
    let short = quality::is_words(word) && (word.len() < 6 || word.contains(['/', '.', ':']));
    let other = quality::is_placeholder(word)
        || word.contains("://")
        || quality::is_hex(word)
        || quality::is_uuid(word)
        || quality::is_named(word)
        || quality::is_typed(word)
        || word.contains(['=', '(', '[', '{']) && !quality::is_scrambled(word);
    let generated = marked && !path && !short && !other;
    if generated || plain::is_jumbled(word) || plain::is_passphrase(word) {
        take(statement::NAME, start + value.start()..start + value.end());
    }
}

/// A name as the value of a field, and the field of its value.
static OBJECT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"^(?i-u)(?:name|key)\\*["']?[ ]{0,4}[:=][ ]{0,4}\\*["']?([a-z][a-z0-9_.\-]{2,60})\\*["']?[ ]{0,2},?(?:\s|[>+|]|[0-9]+\t){0,40}\\*["']?(?:value|val)\\*["']?[ ]{0,4}[:=][ ]{0,4}"#,
    )
    .ok()
});

/// `name: DB_PASSWORD` and `value: hunter2`, on one line or two.
pub(super) fn object(text: &str, start: usize, line: Range<usize>, take: &mut Take<'_>) {
    let Some(regex) = OBJECT.as_ref() else { return };
    let next = following(text, line.end).map_or(line.end, |next| next.end);
    let slice = &text[start..super::floor(text, next.min(start + PAIR_LIMIT))];
    if !regex.is_match(slice) {
        return;
    }
    let Some(found) = regex.captures(slice) else { return };
    let (Some(whole), Some(name)) = (found.get(0), found.get(1)) else { return };
    let Some(strength) = strength(name.as_str()) else { return };
    let at = start + whole.end();
    let end = if at > line.end { next } else { line.end };
    let Some(value) = Value::read(text, at..end, false) else { return };
    let context = Context { strength, strict: false, colon: true };
    if value.is_secret(text, end, context) {
        take(strength.rule(), value.range);
    }
}

/// The field of a value in an object that bears the name of the secret, or in a block of a configuration.
static NESTED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"^\\{0,3}["']?[ ]?[:=]?[ ]?\{(?:\s|\\n|[+>|]|[0-9]+\t){0,40}(?:\\{0,3}["']?(?:type|sensitive|description)\\{0,3}["']?[ ]{0,4}[:=][^,\n{}]{1,80}(?:,|\n|\\n)\s{0,20}){0,3}\\{0,3}["']?(?:value|val|default|secret|data|text)\\{0,3}["']?[ ]{0,8}[:=][ ]{0,4}"#,
    )
    .ok()
});

/// `"db_password": { "value": "X" }`, `variable "db_password" { default = "X" }`; the place is the one behind the name.
/// Returns the end of the value.
pub(super) fn nested(text: &str, behind: usize, strength: Strength, take: &mut Take<'_>) -> Option<usize> {
    let slice = &text[behind..super::floor(text, behind + PAIR_LIMIT)];
    if !slice.bytes().take(8).any(|byte| byte == b'{') {
        return None;
    }
    let found = NESTED.as_ref()?.find(slice)?;
    let at = behind + found.end();
    let most = super::floor(text, at + LIST_LIMIT);
    let end = text[at..most].find('\n').map_or(most, |length| at + length);
    let value = Value::read(text, at..end, false).filter(|value| value.quoted)?;
    let context = Context { strength, strict: false, colon: true };
    if !value.is_secret(text, end, context) {
        return None;
    }
    let stop = value.range.end;
    take(strength.rule(), value.range);
    Some(stop)
}

/// A header that brings or sets cookies.
static COOKIES: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"^(?i-u)cookie\\*["']?[ ]{0,3}[:=,][ ]{0,3}\\*["']?"#).ok());

/// How long a list of cookies may be, in bytes.
const LIST_LIMIT: usize = 4_096;

/// `Cookie: sid=…; theme=dark`: the values that open something.
pub(super) fn cookies(text: &str, start: usize, line: Range<usize>, take: &mut Take<'_>) {
    let Some(head) = COOKIES.as_ref().and_then(|regex| regex.find(&text[start..line.end])) else { return };
    let mut at = start + head.end();
    let list = &text[at..super::floor(text, line.end.min(at + LIST_LIMIT))];
    let list = &list[..list.find(['"', '\'']).unwrap_or(list.len())];
    for cookie in list.split(';') {
        let start = at;
        at += cookie.len() + 1;
        let Some((name, value)) = cookie.split_once('=') else { continue };
        let value = value.split([' ', '\\', ',', ')']).next().unwrap_or_default();
        let telling = SESSIONS.iter().any(|word| name.to_ascii_lowercase().contains(word));
        let least = if telling { 8 } else { 20 };
        let random = quality::entropy(value) >= 2.5 && quality::is_mixed(value) && !quality::is_words(value)
            || quality::entropy(value) >= 3.8;
        let other =
            quality::is_placeholder(value) || quality::is_expression(value) || quality::is_named(value);
        if value.len() >= least && random && !other {
            let place = start + name.len() + 1;
            take(COOKIE, place..place + value.len());
        }
    }
}

/// Parts of the names of cookies that keep a person signed in.
const SESSIONS: &[&str] =
    &["sess", "sid", "auth", "token", "csrf", "xsrf", "jwt", "remember", "login", "key", "sso"];
