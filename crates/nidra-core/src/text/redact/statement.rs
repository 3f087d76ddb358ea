//! Secrets that a sentence states: `the password is …`, `密码是…`, `the PIN is 1234`.

use super::Take;
use super::quality;
use super::value::{Value, is_pascal};
use crate::text::language::is_han;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// The name of the rule.
pub(super) const NAME: &str = "password-statement";

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
pub(super) fn stated(text: &str, line: Range<usize>, take: &mut Take<'_>) {
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
            // "compare the token to `main`": only a password is a plain word.
            let first = found.as_str().to_lowercase();
            let plain = text[value.range.clone()].bytes().all(|byte| byte.is_ascii_alphabetic());
            if plain && !chinese && !["pass", "pwd", "psk"].iter().any(|start| first.starts_with(start)) {
                continue;
            }
            if is_stated(text, &value, line.end, linked, chinese) {
                take(NAME, value.range);
            }
            if from > line.end {
                break;
            }
        }
    }
    if let Some(regex) = PIN.as_ref() {
        for digits in regex.captures_iter(&haystack[line.start..]).filter_map(|found| found.get(1)) {
            take(NAME, line.start + digits.start()..line.start + digits.end());
        }
    }
}

/// Whether a value in a sentence is a secret; `linked` says that a verb or a mark points at it.
fn is_stated(text: &str, value: &Value, line_end: usize, linked: bool, chinese: bool) -> bool {
    let mut words = &text[value.range.clone()];
    if let Some(han) = words.find(is_han) {
        words = &words[..han];
    }
    if han_cut(text, value) && words.is_empty() {
        return false;
    }
    let ascii = words.is_ascii() && !words.contains(char::is_whitespace);
    let barred = words.starts_with('-')
        || quality::is_placeholder(words)
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
    text[value.range.clone()].contains(is_han)
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
