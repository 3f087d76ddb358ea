//! Secrets that only the name beside them gives away: `password=…`, `--token …`, `密码是 …`,
//! `scheme://user:password@host`.

use super::quality;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// Only lines with one of these, in any case, are read.
pub(super) const KEYWORDS: &[&str] = &[
    "pass",
    "pwd",
    "psk",
    "secret",
    "token",
    "key",
    "cred",
    "pin",
    "_sk",
    "_ak",
    "://",
    "密码",
    "口令",
    "密钥",
    "秘钥",
    "令牌",
    "私钥",
    "暗号",
    "验证码",
    "凭证",
    "凭据",
    "密碼",
    "密鑰",
];

const PASSWORD: &str = "password-assignment";
const SECRET: &str = "secret-assignment";
const STATED: &str = "password-statement";
const URL: &str = "url-password";

/// The names of the rules here.
pub(super) const NAMES: [&str; 4] = [PASSWORD, SECRET, STATED, URL];

/// How strongly a name says that its value is a secret.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Strength {
    /// A password: any value but a stand-in is one.
    Password,
    /// A key or token: the value must look generated.
    Secret,
    /// A number to type: four to eight digits.
    Pin,
}

impl Strength {
    fn rule(self) -> &'static str {
        match self {
            Self::Password | Self::Pin => PASSWORD,
            Self::Secret => SECRET,
        }
    }
}

/// A receiver of findings.
type Take<'a> = dyn FnMut(&'static str, Range<usize>) + 'a;

/// Gives the secrets of a line.
pub(super) fn scan(text: &str, line: Range<usize>, take: &mut Take<'_>) {
    named(text, line.clone(), take);
    flags(text, line.clone(), take);
    elements(text, line.clone(), take);
    stated(text, line.clone(), take);
    addresses(text, line, take);
}

/// A name and the mark of an assignment behind it.
static ASSIGNMENT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"([A-Za-z][A-Za-z0-9_.\-]{0,80})(\\?["'`]?\]?\*{0,2}[ \t]{0,12})(:=|=>|==?|: ?|：|＝)\*{0,2}[ \t]{0,12}"#).ok()
});

/// `NAME=value`, `name: value`, `"name": "value"`, `name := value`.
fn named(text: &str, line: Range<usize>, take: &mut Take<'_>) {
    let Some(regex) = ASSIGNMENT.as_ref() else { return };
    let haystack = &text[..line.end];
    let mut from = line.start;
    while let Some(found) = regex.captures_at(haystack, from) {
        let (Some(whole), Some(name), Some(mark)) = (found.get(0), found.get(1), found.get(3)) else {
            return;
        };
        from = whole.end();
        let Some(strength) = strength(name.as_str()) else { continue };
        let mut at = whole.end();
        if at == line.end {
            // `password:` and the value alone on the next line.
            if let Some(next) = next_line_value(text, line.end).filter(|_| strength == Strength::Password) {
                take(strength.rule(), next);
            }
            continue;
        }
        let spaced = whole.as_str().ends_with([' ', '\t']) || !found.get(2).is_some_and(|gap| gap.is_empty());
        let constant = name.as_str().bytes().all(|byte| !byte.is_ascii_lowercase());
        let query = haystack[..name.start()].ends_with(['?', '&']);
        while let Some(value) = Value::read(text, at..line.end, query) {
            let context = Context {
                strength,
                strict: constant && !spaced,
                colon: mark.as_str().starts_with([':', '：']),
            };
            if !value.is_secret(text, line.end, context) {
                break;
            }
            take(strength.rule(), value.range.clone());
            from = from.max(value.range.end);
            // A difference shows both values: `"old" -> "new"`.
            let rest = &text[value.range.end..line.end];
            let Some(arrow) = rest.find("-> ").filter(|&arrow| arrow <= 4) else { break };
            at = value.range.end + arrow + "-> ".len();
        }
    }
}

/// The value that stands alone on the line behind `end`.
fn next_line_value(text: &str, end: usize) -> Option<Range<usize>> {
    let rest = text[end..].trim_start_matches(['\r', '\n', ' ', '\t', '`']);
    let start = text.len() - rest.len();
    let length = rest.find(['\r', '\n', '`']).unwrap_or(rest.len());
    let value = rest[..length].trim_end();
    let token = value.len() >= 6 && !value.contains(char::is_whitespace) && value.is_ascii();
    let secret =
        token && quality::is_mixed(value) && !quality::is_placeholder(value) && !quality::is_path(value);
    secret.then(|| start..start + value.len()).filter(|_| !value.contains([':', '=', '(']))
}

/// What is known about a value before it is looked at.
#[derive(Clone, Copy)]
struct Context {
    strength: Strength,
    /// `NAME=value` as in a shell: what follows is a literal.
    strict: bool,
    /// The mark was a colon, which prose and types use too.
    colon: bool,
}

/// A value behind a name.
struct Value {
    range: Range<usize>,
    quoted: bool,
}

impl Value {
    /// Reads the value at the start of a range; in an address, `&` ends it.
    fn read(text: &str, range: Range<usize>, query: bool) -> Option<Self> {
        let rest = &text[range.start..range.end.min(capped(text, range.start))];
        let escaped = rest.starts_with("\\\"") || rest.starts_with("\\'");
        let opening = &rest[usize::from(escaped)..];
        let quote = opening.chars().next()?;
        let closing = match quote {
            '"' | '\'' | '`' => quote,
            '“' => '”',
            '「' => '」',
            _ => {
                let stop = |c: char| {
                    c.is_whitespace()
                        || matches!(
                            c,
                            '"' | '\'' | '`' | '<' | '，' | '。' | '；' | '、' | '）' | '」' | '”' | '|'
                        )
                        || query && c == '&'
                };
                let length = rest.find(stop).unwrap_or(rest.len());
                let mut value = &rest[..length];
                if value.starts_with('<') || length == 0 {
                    return None;
                }
                if let Some(next) = value.find('&').filter(|&at| value[at..].contains('=')) {
                    value = &value[..next];
                }
                let value = value.trim_end_matches(['.', ',', ';', ':', ')', ']', '}', '\\']);
                let value = value.strip_suffix("\\n").unwrap_or(value);
                let value = value.split("\\n").next().unwrap_or(value);
                let start = range.start;
                return Some(Self { range: start..start + value.len(), quoted: false })
                    .filter(|v| !v.range.is_empty());
            }
        };
        let start = range.start + usize::from(escaped) + quote.len_utf8();
        let inner = &text[start..(range.start + rest.len()).max(start)];
        let end = if escaped { inner.find('\\') } else { inner.find(closing) };
        let length = end.unwrap_or_else(|| inner.find(char::is_whitespace).unwrap_or(inner.len()));
        (length > 0).then(|| Self { range: start..start + length, quoted: true })
    }

    /// Whether the value can be what its name says.
    fn is_secret(&self, text: &str, line_end: usize, context: Context) -> bool {
        let value = &text[self.range.clone()];
        if quality::is_placeholder(value) {
            return false;
        }
        let expression = !context.strict && quality::is_expression(value) || value.contains("$(");
        match context.strength {
            Strength::Pin => {
                (4..=8).contains(&value.len()) && value.bytes().all(|byte| byte.is_ascii_digit())
            }
            Strength::Password => {
                if value.chars().count() < 4 || expression && !self.quoted || quality::is_path(value) {
                    return false;
                }
                if context.strict {
                    return true;
                }
                if value.contains(char::is_whitespace) {
                    return quality::classes(value) >= 3 && quality::is_mixed(value) && value.len() < 80;
                }
                let letters = value.chars().all(char::is_alphabetic);
                if !letters || self.quoted && !is_pascal(value) {
                    return !(context.colon && !self.quoted && is_type(value));
                }
                // A bare word is a value only where nothing follows it.
                let rest =
                    text[self.range.end..line_end].trim_start_matches(['.', ',', ';', '。', '，', ' ']);
                let alone = rest.is_empty() || rest.starts_with(['"', '\'', '#']) && rest.len() < 2;
                value.is_ascii() && !is_pascal(value) && (alone || !context.colon) && value.len() >= 5
            }
            Strength::Secret => {
                let generated = quality::is_mixed(value) && quality::entropy(value) >= 2.5
                    || value.len() >= 20 && quality::entropy(value) >= 3.5;
                value.len() >= 8
                    && value.is_ascii()
                    && !value.contains(char::is_whitespace)
                    && generated
                    && !expression
                    && !quality::is_variable_name(value)
                    && !quality::is_path(value)
                    && (!quality::is_words(value) || quality::is_hex(value) && value.len() >= 16)
            }
        }
    }
}

/// Whether the word is written like a type: `String`, `SecretKey`.
fn is_pascal(word: &str) -> bool {
    let first = word.starts_with(|c: char| c.is_ascii_uppercase());
    first
        && word.bytes().skip(1).any(|byte| byte.is_ascii_lowercase())
        && word.bytes().all(|b| b.is_ascii_alphabetic())
}

/// Whether the string is a type of a program: `&str`, `Option<String>`, `string[]`.
fn is_type(value: &str) -> bool {
    value.starts_with('&') && value[1..].bytes().all(|b| b.is_ascii_alphabetic())
        || value.ends_with("[]")
        || value.contains('<')
        || value.contains('[')
            && value.bytes().all(|b| b.is_ascii_alphabetic() || matches!(b, b'[' | b']' | b',' | b'?'))
        || value.ends_with('?') && value.bytes().all(|b| b.is_ascii_alphabetic() || b == b'?')
}

/// A value is never longer than this, in bytes; a longer one is cut and its rest read as a value of its own kind.
const VALUE_LIMIT: usize = 1_024;

/// The place at most [`VALUE_LIMIT`] bytes behind another, on a character boundary.
fn capped(text: &str, from: usize) -> usize {
    let mut end = (from + VALUE_LIMIT).min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    end
}

/// What a name says about its value; `None` for names that name no secret.
fn strength(name: &str) -> Option<Strength> {
    let parts = parts(name);
    let last = parts.last()?.as_str();
    let has = |word: &str| parts.iter().any(|part| part == word);
    let blocked = parts.iter().any(|part| NEUTRAL.contains(&part.as_str())) || NEUTRAL_LAST.contains(&last);
    if blocked {
        return None;
    }
    let ends = |word: &str| last.ends_with(word);
    if ends("password")
        || ends("passwd")
        || ends("passphrase")
        || ends("pwd")
        || ends("passcode")
        || has("password")
        || last == "psk"
        || has("psk")
        || last == "pass"
        || last == "storepass"
        || last == "keypass"
        || ends("pass") && last.len() <= 8 && PASS_HEADS.iter().any(|head| last.starts_with(head))
    {
        return Some(Strength::Password);
    }
    if last == "pin" || last == "pincode" {
        return Some(Strength::Pin);
    }
    let exact_key = name == "KEY";
    let key = (ends("key") || last == "keys")
        && (last.len() > 3 && KEY_HEADS.iter().any(|head| last.starts_with(head))
            || parts.iter().any(|part| KEY_HEADS.contains(&part.as_str())));
    let short = parts.len() > 1 && matches!(last, "sk" | "ak" | "pat");
    let secret = has("secret")
        || ends("secret")
        || has("secrets")
        || has("credential")
        || has("credentials")
        || ends("token")
        || has("token")
        || last == "apikey"
        || last == "authkey"
        || last == "cred"
        || last == "creds";
    (exact_key || key || short || secret).then_some(Strength::Secret)
}

/// Words that make a name neutral wherever they stand.
const NEUTRAL: &[&str] = &[
    "algorithm",
    "budget",
    "checksum",
    "commit",
    "completion",
    "count",
    "digest",
    "estimate",
    "etag",
    "fingerprint",
    "hash",
    "integrity",
    "limit",
    "max",
    "min",
    "num",
    "policy",
    "public",
    "pub",
    "regex",
    "reset",
    "sha",
    "sha1",
    "sha256",
    "sha512",
    "total",
    "usage",
    "tokens",
    "tokenizer",
    "rev",
    "revision",
];

/// Words that make a name neutral at its end.
const NEUTRAL_LAST: &[&str] = &[
    "alg",
    "arn",
    "at",
    "class",
    "created",
    "dir",
    "enabled",
    "endpoint",
    "env",
    "expiration",
    "expires",
    "expiry",
    "field",
    "file",
    "format",
    "header",
    "hint",
    "id",
    "index",
    "kind",
    "label",
    "len",
    "length",
    "manager",
    "name",
    "names",
    "param",
    "path",
    "pattern",
    "placeholder",
    "prefix",
    "prompt",
    "provider",
    "ref",
    "required",
    "rule",
    "rules",
    "size",
    "store",
    "ttl",
    "type",
    "uri",
    "url",
    "used",
    "valid",
    "validator",
    "var",
    "version",
    "ring",
    "board",
    "word",
    "words",
    "map",
];

/// What stands before `key` where it opens something.
const KEY_HEADS: &[&str] = &[
    "access",
    "account",
    "admin",
    "aes",
    "api",
    "app",
    "auth",
    "client",
    "consumer",
    "deploy",
    "encryption",
    "hmac",
    "jwt",
    "license",
    "master",
    "nwk",
    "private",
    "secret",
    "security",
    "service",
    "shared",
    "signing",
    "ssh",
    "storage",
    "symmetric",
    "webhook",
];

/// What stands before `pass` in one word.
const PASS_HEADS: &[&str] =
    &["db", "ftp", "key", "ldap", "mail", "my", "pg", "root", "smtp", "ssh", "store", "user"];

/// The words of a name: `dbPassword`, `DB_PASSWORD` and `db.password` are `db`, `password`.
fn parts(name: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut part = String::new();
    let bytes = name.as_bytes();
    for (at, &byte) in bytes.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|before| bytes.get(before)).copied().unwrap_or(b'_');
        let after = bytes.get(at + 1).copied().unwrap_or(b'_');
        let hump = byte.is_ascii_uppercase()
            && (before.is_ascii_lowercase() || before.is_ascii_uppercase() && after.is_ascii_lowercase());
        if (hump || !byte.is_ascii_alphanumeric()) && !part.is_empty() {
            parts.push(std::mem::take(&mut part));
        }
        if byte.is_ascii_alphanumeric() {
            part.push(char::from(byte.to_ascii_lowercase()));
        }
    }
    if !part.is_empty() {
        parts.push(part);
    }
    parts
}

/// A long option and the blank behind it.
static FLAG: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"--([A-Za-z][A-Za-z0-9\-]{1,40})[ \t]+").ok());

/// `--password value`, `--token value`.
fn flags(text: &str, line: Range<usize>, take: &mut Take<'_>) {
    let Some(regex) = FLAG.as_ref() else { return };
    let haystack = &text[..line.end];
    let mut from = line.start;
    while let Some(found) = regex.captures_at(haystack, from) {
        let (Some(whole), Some(name)) = (found.get(0), found.get(1)) else { return };
        from = whole.end();
        let strength = strength(name.as_str()).or((name.as_str() == "pass").then_some(Strength::Password));
        let (Some(strength), Some(value)) = (strength, Value::read(text, whole.end()..line.end, false))
        else {
            continue;
        };
        let words = &text[value.range.clone()];
        let command = haystack[..whole.start()].contains(char::is_alphabetic);
        let context = Context { strength, strict: false, colon: false };
        // "--password is read from …": prose about an option.
        let prose = words.len() < 5 && !quality::is_mixed(words) || COPULAS.contains(&words);
        if command && !words.starts_with('-') && !prose && value.is_secret(text, line.end, context) {
            take(strength.rule(), value.range);
        }
    }
}

/// Words that follow the name of an option in prose.
const COPULAS: &[&str] = &[
    "is", "was", "and", "flag", "option", "must", "should", "reads", "takes", "needs", "argument", "instead",
];

/// An element of a mark-up language with a plain value.
static ELEMENT: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"<([A-Za-z][A-Za-z0-9_.\-]{1,60})>([^<>\s]{4,400})</").ok());

/// `<password>value</password>`.
fn elements(text: &str, line: Range<usize>, take: &mut Take<'_>) {
    let Some(regex) = ELEMENT.as_ref() else { return };
    let haystack = &text[..line.end];
    let mut from = line.start;
    while let Some(found) = regex.captures_at(haystack, from) {
        let (Some(name), Some(value)) = (found.get(1), found.get(2)) else { return };
        from = value.end();
        let Some(strength) = strength(name.as_str()) else { continue };
        let context = Context { strength, strict: false, colon: false };
        if (Value { range: value.range(), quoted: true }).is_secret(text, line.end, context) {
            take(strength.rule(), value.range());
        }
    }
}

/// A sentence that states a secret, in English.
static ENGLISH: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)(?-u:\b)(?:password|passphrase|passcode|passwd|pwd|psk|secret|(?:api|access|secret|wifi|app|license)[ -]?key|token|credentials?|pass)(?-u:\b)(?:(?:[ ]+(?:for|of|to|on|at|in|from)(?:[ ]+[\w./@\-]+){1,5}?)?(?:[ ]+(?:is|was|are|will be|changed to|set to|to|as)(?:[ ]+(?:now|still|just|also|currently|set to|called|simply))?[ ]*:?|[ ]*[:=])|,)?[ ]+",
    )
    .ok()
});

/// A sentence that states a secret, in Chinese.
static CHINESE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?:密码|密碼|口令|密钥|密鑰|秘钥|令牌|私钥|暗号|验证码|凭证|凭据)(?:现在|目前|暂时|先|还|就|都|已经|统一|默认|我|给你)*(?:是|为|用|叫|填|写|改成了?|改为|换成了?|设成了?|设为|设置为|设置成)?[ ]*(?:：|:|=|＝|，|,)?[ ]*",
    )
    .ok()
});

/// A number that is a PIN.
static PIN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?:(?-u:\b)PIN(?-u:\b)|(?i:(?-u:\b)pin code(?-u:\b))|PIN ?码)[^\n]{0,80}?(?:(?i:(?-u:\b)(?:is|it's|its|was|now)(?-u:\b))|[:=：是为])\s*([0-9]{4,8})(?-u:\b)").ok()
});

/// `the password is …`, `密码是…`, `the PIN … is 1234`.
fn stated(text: &str, line: Range<usize>, take: &mut Take<'_>) {
    let haystack = &text[..line.end];
    for (regex, chinese) in [(&*ENGLISH, false), (&*CHINESE, true)] {
        let Some(regex) = regex.as_ref() else { continue };
        let mut from = line.start;
        while let Some(found) = regex.find_at(haystack, from) {
            from = found.end().max(from + 1);
            while !haystack.is_char_boundary(from.min(haystack.len())) {
                from += 1;
            }
            let Some(value) = Value::read(text, found.end()..line.end, false) else { continue };
            let linked = !found.as_str().trim_end().ends_with(char::is_alphabetic)
                || found.as_str().trim_end().contains(' ')
                || chinese
                    && !found.as_str().ends_with(['码', '碼', '令', '钥', '鑰', '牌', '号', '证', '据']);
            if is_stated(text, &value, line.end, linked, chinese) {
                take(STATED, value.range);
            }
            if from > line.end {
                break;
            }
        }
    }
    if let Some(regex) = PIN.as_ref() {
        for digits in regex.captures_iter(&haystack[line.start..]).filter_map(|found| found.get(1)) {
            take(STATED, line.start + digits.start()..line.start + digits.end());
        }
    }
}

/// Whether a value in a sentence is a secret; `linked` says that a verb or a mark points at it.
fn is_stated(text: &str, value: &Value, line_end: usize, linked: bool, chinese: bool) -> bool {
    let mut words = &text[value.range.clone()];
    if let Some(han) = words.find(super::super::language::is_han) {
        words = &words[..han];
    }
    if han_cut(text, value) && words.is_empty() {
        return false;
    }
    let ascii = words.is_ascii() && !words.contains(char::is_whitespace);
    let barred = quality::is_placeholder(words)
        || quality::is_path(words)
        || quality::is_variable_name(words)
        || !value.quoted && quality::is_expression(words);
    if !ascii || barred || words.len() < 4 || words.len() != value.range.len() && words.len() < 6 {
        return false;
    }
    let mixed = quality::is_mixed(words);
    let marked = quality::classes(words) >= 3;
    let technical = TECHNICAL.iter().any(|term| words.to_ascii_lowercase().starts_with(term)) && !marked;
    if technical {
        return false;
    }
    if value.quoted {
        return linked && (mixed || marked || words.len() >= 6 && !is_pascal(words));
    }
    let rest = text[value.range.end..line_end].trim_start();
    let alone = rest.is_empty() || rest.starts_with(['.', ',', ';', '。', '，', '；', '！', ')', '）', '!']);
    let digits = words.bytes().all(|byte| byte.is_ascii_digit());
    if linked {
        mixed && (!quality::is_words(words) || words.len() <= 24 && !words.contains(['/', ':']))
            || marked
            || digits && words.len() >= 6 && alone
            || chinese
                && alone
                && words.len() >= 6
                && !digits
                && words.bytes().all(|b| b.is_ascii_lowercase())
    } else {
        mixed && words.len() >= 6 && (marked || words.len() >= 8) && !quality::is_words(words)
    }
}

/// Whether Chinese words follow the value without a blank.
fn han_cut(text: &str, value: &Value) -> bool {
    text[value.range.clone()].contains(super::super::language::is_han)
}

/// What sentences name beside a password without giving one.
const TECHNICAL: &[&str] = &[
    "sha",
    "md5",
    "bcrypt",
    "argon",
    "scrypt",
    "pbkdf",
    "base64",
    "aes",
    "rsa",
    "hs256",
    "rs256",
    "es256",
    "oauth",
    "utf",
    "1password",
    "http",
    "ascii",
    "hmac",
    "ed25519",
    "x509",
    "sso",
    "2fa",
    "mfa",
    "jwt",
    "ldap",
    "v1",
    "v2",
    "s3",
    "k8s",
];

/// Passwords in addresses: `scheme://user:password@host`.
fn addresses(text: &str, line: Range<usize>, take: &mut Take<'_>) {
    let words = &text[line.clone()];
    for (at, mark) in words.match_indices("://") {
        if !words[..at].ends_with(|c: char| c.is_ascii_alphanumeric()) {
            continue;
        }
        let start = at + mark.len();
        let rest = &words[start..];
        let stop = |c: char| {
            c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<' | '>' | '\\' | '，' | '。' | '）')
        };
        let length = rest
            .char_indices()
            .take(512)
            .find(|&(_, c)| stop(c))
            .map_or_else(|| rest.char_indices().nth(512).map_or(rest.len(), |(end, _)| end), |(end, _)| end);
        let token = &rest[..length];
        let Some(colon) =
            token.find([':', '/', '?', '#', '@']).filter(|&colon| token[colon..].starts_with(':'))
        else {
            continue;
        };
        let authority = token.find(['/', '?', '#']).unwrap_or(token.len());
        let inner = token[..authority].rfind('@').or_else(|| {
            // A password with `/`, `?` or `#` in it: what follows the colon is no port, and a host comes later.
            let port = token[colon + 1..authority].bytes().all(|byte| byte.is_ascii_digit());
            if port { None } else { token.find('@') }
        });
        // The same with an `@` before the mark: what follows that one is no host.
        let inner = inner.map(|end| {
            let host = &token[end + 1..authority.max(end + 1)];
            let named = host.contains(['.', ':', '[']) || host == "localhost";
            let later = token.rfind('@').filter(|&later| later > end && !named);
            later
                .filter(|&later| token[later + 1..].starts_with(|c: char| c.is_ascii_alphanumeric()))
                .unwrap_or(end)
        });
        let Some(end) = inner.filter(|&end| end > colon + 1 && end + 1 < token.len()) else { continue };
        if !quality::is_placeholder(&token[colon + 1..end]) {
            take(URL, line.start + start + colon + 1..line.start + start + end);
        }
    }
}
