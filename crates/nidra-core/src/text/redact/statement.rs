//! Secrets that a sentence states: `the password is …`, `密码是…`, `das Passwort lautet …`, `the PIN is 1234`.

use super::quality;
use super::telling::{self, Name};
use super::value::{self, Value, is_pascal};
use super::{Take, below, floor, plain, turned};
use crate::text::language::is_han;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// The name of the rule.
pub(super) const NAME: &str = "password-statement";

/// The languages whose sentences are read, by how they join a name and a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tongue {
    /// English.
    English,
    /// Chinese.
    Chinese,
    /// Other languages.
    Other,
}

/// The words of each language, in any case; one of them begins a statement.
pub(super) const KEYWORDS: &[(Tongue, &[&str])] = &[
    (
        Tongue::English,
        &[
            "password",
            "passphrase",
            "passcode",
            "passwd",
            "pwd",
            "psk",
            "secret",
            "token",
            "credential",
            "passw ",
            "passw:",
            "passw0rd",
            "pa$$w",
            "keyphrase",
            "key phrase",
            "unlock phrase",
            "secret word",
            "magic word",
            "code word",
            "otp seed",
            "pass ",
            "pw ",
            "pass\n",
            "pass\r",
            "pw\n",
            "pw\r",
            "api key",
            "api-key",
            "apikey",
            "access key",
            "access-key",
            "secret key",
            "wifi key",
            "app key",
            "license key",
        ],
    ),
    (
        Tongue::Chinese,
        &[
            "密码",
            "密碼",
            "口令",
            "密钥",
            "密鑰",
            "秘钥",
            "秘鑰",
            "令牌",
            "权杖",
            "權杖",
            "私钥",
            "私鑰",
            "暗号",
            "暗语",
            "密语",
            "解锁短语",
            "验证码",
            "驗證碼",
            "授权码",
            "激活码",
            "凭证",
            "凭据",
            "憑證",
        ],
    ),
    (
        Tongue::Other,
        &[
            "passwort",
            "kennwort",
            "zugangsschlüssel",
            "wachtwoord",
            "senha",
            "contraseña",
            "contrasena",
            "clave",
            "mot de passe",
            "mdp",
            "clé secrète",
            "parola",
            "salasana",
            "lösenord",
            "hasło",
            "heslo",
            "jelszó",
            "lozinka",
            "şifre",
            "kata sandi",
            "mật khẩu",
            "пароль",
            "токен",
            "секрет",
            "ключ",
            "パスワード",
            "暗証番号",
            "トークン",
            "비밀번호",
            "암호",
            "토큰",
            "كلمة المرور",
            "סיסמה",
        ],
    ),
];

/// What announces a PIN.
pub(super) const PIN_KEYWORDS: &[&str] = &["pin"];

/// A name and what joins it to its value, in English. Groups that are not captured keep it quick.
static ENGLISH: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"^(?i-u)(?:password|passw0rd|pa[$]{2}w(?:or)?d|pass[ -]?phrase|pass[ -]?code|passwd|passw|(?:key|unlock|secret|magic|code|lock)[ -]?(?:phrase|word)|pwd|psk|(?:api|access|secret|wifi|app|license)[ -]?key|t?otp seed|secret|token|credentials?|pass|pw)\b(?:'s\b)?(?: ?(?:\[[\w @./'-]{1,30}\]|\([a-z @./'-]{1,30}\)))?(?:(?: +(?:for|of|to|on|at|in|from)(?: +(?:'[\w./@:~\-]{1,80}'|[\w./@\-]+)){1,5}?)?(?: +(?:is|was|are|will be|would be|reads|changed to|set to|to|as)(?: +(?:now|still|just|also|currently|set to|called|simply))? *:?| *(?:[:=]|->|→))|,)?(?:[ \t]+[(]?|$)",
    )
    .ok()
});

/// The same in Chinese.
static CHINESE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"^(?:密码|密碼|口令|密钥|密鑰|秘钥|秘鑰|令牌|权杖|權杖|私钥|私鑰|暗号|暗语|密语|解锁短语|验证码|驗證碼|授权码|激活码|凭证|凭据|憑證)(?:短语|詞組|词组)?[】」』”]?(?:（[^）\n]{1,20}）|[(][^)\n0-9]{1,20}[)])?(?:现在|目前|暂时|先|还|就|都|已经|统一|默认|我|给你|這裡|这里|如下)*(?:是|为|為|用|叫|填|写|寫|改成了?|改为|改為|换成了?|設成了?|设成了?|设为|设置为|设置成)?[ 　]*(?:：|:|=|＝|，|,)?[ 　]*[(（]?",
    )
    .ok()
});

/// The same in other languages; the groups are what joins.
static OTHER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"^(?i)(?:passwort|kennwort|zugangsschlüssel|wachtwoord|senha|contrase(?:ñ|n)a|clave(?: secreta| de acceso)?|mot de passe|mdp|clé secrète|parola(?: d'ordine)?|salasana|lösenord|hasło|heslo|jelszó|lozinka|şifre|kata sandi|mật khẩu|пароль|токен|секрет|ключ|パスワード|暗証番号|トークン|비밀번호|암호|토큰|كلمة المرور|סיסמה)(?:[ ]+(?:nueva|actual|temporal|nova|atual|nouveau|provisoire|nuova|neu))?(?:(?:[ ]+(?:für|von|vom|zum|zur|de la|del|de|du|pour|para|do|da|di|per|till|för|для|от|к)(?:[ ]+[\p{L}0-9./@\-]+){1,4}?)([ ]*(?:[:：=]|(?:lautet|ist|war|is|est|es|é|è|on|är|to|jest|je|adalah|là|это|равен)[ ]+)[ ]*(?:(?:jetzt|nun|aktuell|ahora|maintenant|désormais|agora|adesso|nu|nyt|teraz|теперь)[ ]+)?)|([ ]*(?:は|が|은|는|을|이|가)?[ ]*(?:(?:lautet|ist|war|is|est|es|é|è|on|är|to|jest|je|adalah|là|это|равен)[ ]+)?(?:(?:jetzt|nun|aktuell|ahora|maintenant|désormais|agora|adesso|nu|nyt|teraz|теперь)[ ]+)?[:：=]?[ ]*))",
    )
    .ok()
});

/// A number that is a PIN.
static PIN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^(?:(?:PIN(?-u:\b)|(?i:pin code)(?-u:\b)|PIN ?码)[^\n]{0,80}?(?:(?i:(?-u:\b)(?:is|it's|its|was|now)(?-u:\b))|[:=：是为])\s*|(?i:pin) (?:is|was|stays) )([0-9]{4,8})(?-u:\b)").ok()
});

/// How far a name and what joins it reach at most, in bytes.
const REACH: usize = 240;

/// Gives the secret that a sentence states, whose name begins here.
pub(super) fn stated(
    text: &str,
    name: Range<usize>,
    line: Range<usize>,
    tongue: Tongue,
    take: &mut Take<'_>,
) {
    let start = name.start;
    let regex = match tongue {
        Tongue::English => &*ENGLISH,
        Tongue::Chinese => &*CHINESE,
        Tongue::Other => &*OTHER,
    };
    let Some(regex) = regex.as_ref() else { return };
    let slice = text[start..floor(text, line.end.min(start + REACH))].trim_end_matches('\r');
    let Some(found) = regex.find(slice) else { return };
    if let Some(points) = below::pointing(&text[name.end..line.end]) {
        // `password = self.password` ends with a name, too.
        if points || !text[..start].ends_with(['.', '_', '$', '/', '-', ',', ';', '|', '\t']) {
            below::below(text, line.end, points, take);
        }
        return;
    }
    if !value::can_begin(&text[start + found.end()..]) {
        return;
    }
    let Some(value) = Value::read(text, start + found.end()..line.end, false) else { return };
    let words = &text[value.range.clone()];
    // `-pass pass:X` of OpenSSL: what stands before the colon says where the password comes from.
    if words.starts_with("pass:") {
        return;
    }
    let joint = found.as_str().trim_end();
    let linked = match tongue {
        Tongue::English => {
            let open = joint.ends_with('(');
            !open
                && (!joint.ends_with(|c: char| c.is_alphabetic() || c == ',')
                    || joint.contains(' ')
                    || joint.ends_with("'s"))
        }
        Tongue::Chinese => !joint.ends_with([
            '码', '碼', '令', '钥', '鑰', '牌', '号', '证', '據', '据', '證', '杖', '语', '(', '（', '】',
            '」', '』', '”',
        ]),
        Tongue::Other => regex
            .captures(slice)
            .and_then(|found| found.get(1).or_else(|| found.get(2)))
            .is_some_and(|joint| !joint.as_str().trim().is_empty()),
    };
    let weak = !linked && tongue == Tongue::English && is_placed(&text[line.start..start], found.as_str());
    let alone = telling::ends_clause(&text[value.range.end..line.end]);
    if weak && alone && telling::is_telling(words, value.quoted, Name::of(joint)) {
        take(NAME, value.range);
        return;
    }
    // "compare the token to `main`": only a password is a plain word.
    let word = words.bytes().all(|byte| byte.is_ascii_alphabetic()) && !plain::is_jumbled(words);
    let made_up = tongue != Tongue::English || is_made_up(joint);
    if !made_up
        && (word || words.len() < LEAST_GENERATED || quality::is_words(words) && !quality::is_mixed(words))
    {
        return;
    }
    // "pass to `open`": there the word is a verb.
    if tongue == Tongue::English && is_verb(found.as_str()) {
        return;
    }
    // Without a joint or a blank, the value of an ASCII name is the rest of a longer word.
    if tongue == Tongue::Other && !linked && !found.as_str().ends_with(' ') {
        return;
    }
    if linked
        && made_up
        && !(tongue == Tongue::English && joint.ends_with(" to"))
        && let Some(range) = plain::spelled(text, value.range.start..line.end)
    {
        take(NAME, range);
        return;
    }
    if is_stated(text, &value, line.end, joint, linked, tongue) {
        let length = words.find(is_han).unwrap_or(words.len());
        let range = value.range.start..value.range.start + length;
        // `用户名/密码：admin/X` announces a pair.
        let paired = text[line.start..start].trim_end().ends_with(['/', '和', '与', '及', '、', '&']);
        take(NAME, if paired { turned::second_of_pair(text, range) } else { range });
    }
}

/// The shortest key or token that a sentence states, in bytes.
const LEAST_GENERATED: usize = 6;

/// Whether an English statement begins with the name of something that people make up: a password of any kind, a
/// phrase, a word, the key of a network.
fn is_made_up(statement: &str) -> bool {
    let statement = statement.to_ascii_lowercase();
    statement.starts_with('p') || ["phrase", "word", "wifi"].iter().any(|part| statement.contains(part))
}

/// Whether `pass` is what one does with an argument.
fn is_verb(found: &str) -> bool {
    let rest = found
        .get(.."pass".len())
        .filter(|word| word.eq_ignore_ascii_case("pass"))
        .map(|word| &found[word.len()..]);
    rest.is_some_and(|rest| [" to ", " as ", " in ", " on "].iter().any(|joint| rest.starts_with(joint)))
}

/// Whether a name and the value behind it stand as in a listing: after `and the`, or on a line of their own with a gap.
fn is_placed(before: &str, name: &str) -> bool {
    let gap = name.ends_with("  ") || name.ends_with('\t');
    gap && before.trim_matches([' ', '\t', '>', '-', '*']).is_empty()
        || [" and the ", " and ", " with ", " with the ", " using ", ", ", " / "]
            .iter()
            .any(|head| before.ends_with(head))
}

/// Gives the PIN that is announced here.
pub(super) fn pin(text: &str, start: usize, line: Range<usize>, take: &mut Take<'_>) {
    let Some(regex) = PIN.as_ref() else { return };
    let slice = &text[start..floor(text, line.end.min(start + REACH))];
    if !slice.bytes().any(|byte| byte.is_ascii_digit()) {
        return;
    }
    if let Some(digits) = regex.captures(slice).and_then(|found| found.get(1)) {
        take(NAME, start + digits.start()..start + digits.end());
    }
}

/// Whether a value in a sentence is a secret; `linked` says that a verb or a mark points at it.
fn is_stated(text: &str, value: &Value, line_end: usize, joint: &str, linked: bool, tongue: Tongue) -> bool {
    let whole = &text[value.range.clone()];
    // "a word to reject": there a verb follows.
    let points_away = joint.ends_with(" to") && !joint.contains("set to") && !joint.contains("changed to");
    // Chinese words may follow the value without a blank.
    let words = whole.find(is_han).map_or(whole, |han| &whole[..han]);
    let rest = text[value.range.end..line_end].trim_start();
    let alone = rest.is_empty() || rest.starts_with(['.', ',', ';', '。', '，', '；', '！', ')', '）', '!']);
    if plain::is_passphrase(words) || plain::is_jumbled(words) {
        return linked || alone && tongue == Tongue::Chinese;
    }
    let ascii = words.is_ascii() && !words.contains(char::is_whitespace);
    let barred = words.starts_with(['-', '*', '&'])
        || words.ends_with("**")
        || words.contains("://") && !words.contains('@')
        || words.contains('{') && words.contains('}')
        || quality::is_placeholder(words)
        || quality::is_path(words)
        || quality::is_variable_name(words)
        || quality::is_named(words)
        || quality::is_typed(words)
        || !value.quoted && (quality::is_expression(words) || words.contains(['=', '(', '>']) && !linked);
    if !ascii || barred || words.len() < 4 || words.len() != whole.len() && words.len() < 6 {
        return false;
    }
    let mixed = quality::is_mixed(words);
    let marked = quality::classes(words) >= 3;
    let technical = telling::is_technique(&words.to_ascii_lowercase()) && !marked;
    if technical {
        return false;
    }
    if value.quoted {
        return linked && (mixed || marked || words.len() >= 6 && !is_pascal(words));
    }
    let digits = words.bytes().all(|byte| byte.is_ascii_digit());
    if linked {
        mixed && (!quality::is_words(words) || words.len() <= 24 && !words.contains(['/', ':']))
            || marked && mixed
            || marked && !words.ends_with([':', '!', '?'])
            || digits && words.len() >= 6 && alone
            || tongue == Tongue::English && alone && !points_away && plain::is_word(words)
            || tongue == Tongue::Chinese
                && alone
                && words.len() >= 6
                && !digits
                && words.bytes().all(|byte| byte.is_ascii_lowercase())
    } else {
        digits && words.len() >= 6 && alone && tongue == Tongue::Chinese
            || mixed && words.len() >= 6 && (marked || words.len() >= 8) && !quality::is_words(words)
            || tongue == Tongue::Chinese && mixed && words.len() >= 8 && !words.contains(['/', ':', '-'])
    }
}

/// What sentences name beside a password without giving one.
pub(super) const TECHNICAL: &[&str] = &[
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
