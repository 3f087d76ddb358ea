//! What a name says about the value beside it.

const PASSWORD: &str = "password-assignment";
const SECRET: &str = "secret-assignment";

/// The names of the rules for assignments.
pub(super) const RULES: [&str; 2] = [PASSWORD, SECRET];

/// How strongly a name says that its value is a secret.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Strength {
    /// A password: any value but a stand-in is one.
    Password,
    /// A key or token: the value must look generated.
    Secret,
    /// A number to type: four to eight digits.
    Pin,
}

impl Strength {
    /// The rule that a value of this strength is found by.
    pub(super) fn rule(self) -> &'static str {
        match self {
            Self::Password | Self::Pin => PASSWORD,
            Self::Secret => SECRET,
        }
    }
}

/// What a name says about its value; `None` for names that name no secret.
pub(super) fn strength(name: &str) -> Option<Strength> {
    let parts = parts(name);
    let last = parts.last()?.as_str();
    let has = |word: &str| parts.iter().any(|part| part == word);
    let blocked = parts.iter().any(|part| NEUTRAL.contains(&part.as_str())) || NEUTRAL_LAST.contains(&last);
    if blocked {
        return None;
    }
    let ends = |word: &str| last.ends_with(word);
    if FOREIGN.iter().any(|word| ends(word)) {
        return Some(Strength::Password);
    }
    if ends("password")
        || ends("passwd")
        || ends("passphrase")
        || ends("pwd")
        || ends("passcode")
        || has("password")
        || last == "psk"
        || has("psk")
        || last == "pass"
        || last == "pw"
        || last == "requirepass"
        || last == "masterauth"
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

/// Words for passwords of other languages, as they end names in ASCII letters.
const FOREIGN: &[&str] = &[
    "passwort",
    "kennwort",
    "wachtwoord",
    "senha",
    "contrasena",
    "motdepasse",
    "salasana",
    "losenord",
    "haslo",
    "heslo",
    "jelszo",
    "lozinka",
    "sifre",
    "mima",
    "parol",
];

/// Words for passwords as people write them, small.
pub(super) const WORDS: &[&str] = &[
    "password",
    "passwd",
    "pass",
    "pw",
    "pwd",
    "passphrase",
    "passcode",
    "passwort",
    "kennwort",
    "wachtwoord",
    "senha",
    "contraseña",
    "contrasena",
    "clave",
    "mot de passe",
    "parola",
    "parola d'ordine",
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
    "パスワード",
    "비밀번호",
    "암호",
    "密码",
    "密碼",
    "口令",
    "登录密码",
    "登陆密码",
    "初始密码",
    "默认密码",
    "管理员密码",
    "数据库密码",
    "كلمة المرور",
    "סיסמה",
];

/// Whether a phrase that stands alone is a word for a password.
pub(super) fn names_password(phrase: &str) -> bool {
    let lower = phrase.to_lowercase();
    WORDS.contains(&lower.as_str()) || lower.ends_with("密码") && lower.chars().count() <= 8
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
    "stdin",
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
    "preshared",
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
