//! What stands in the place of a secret: variables, templates, masks, types, expressions, paths.

use super::{classes, is_hex, is_mixed, is_scrambled, is_words};

/// Whether the text is a number or a type of a program: `8u32`, `0x10`, `[u16`, `Error>`.
pub(in crate::text::redact) fn is_typed(text: &str) -> bool {
    let digits = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '_');
    let number = digits.len() < text.len()
        && matches!(
            digits,
            "u8" | "u16"
                | "u32"
                | "u64"
                | "u128"
                | "usize"
                | "i8"
                | "i16"
                | "i32"
                | "i64"
                | "i128"
                | "isize"
                | "f32"
                | "f64"
                | "L"
                | "UL"
                | "ULL"
                | "px"
                | "ms"
                | "s"
                | "h"
                | "d"
        );
    let hex = text.strip_prefix("0x").is_some_and(|digits| digits.len() <= 16 && is_hex(digits));
    let color =
        text.strip_prefix('#').is_some_and(|digits| matches!(digits.len(), 3 | 6 | 8) && is_hex(digits));
    // `1*tchar` of a grammar.
    let grammar = digits.starts_with('*') && digits[1..].bytes().all(|byte| byte.is_ascii_alphabetic());
    number
        || hex
        || color
        || grammar && digits.len() < text.len()
        || text.starts_with('[')
        || text.ends_with('>') && !text.starts_with('<')
}

/// Words that stand where a secret would, and are none.
const WORDS: &[&str] = &[
    "any",
    "argon2",
    "asterisks",
    "await",
    "base64",
    "bcrypt",
    "blank",
    "bool",
    "boolean",
    "bytes",
    "changeit",
    "changeme",
    "change-me",
    "change_me",
    "char",
    "credentials",
    "default",
    "disabled",
    "empty",
    "enabled",
    "encrypted",
    "env",
    "expired",
    "false",
    "hashed",
    "hidden",
    "id_ecdsa",
    "id_ed25519",
    "id_rsa",
    "incorrect",
    "invalid",
    "jwt",
    "key",
    "masked",
    "missing",
    "never",
    "nil",
    "none",
    "null",
    "number",
    "oauth",
    "oauth2",
    "object",
    "optional",
    "options",
    "pass",
    "password",
    "passphrase",
    "passwd",
    "pbkdf2",
    "plaintext",
    "private",
    "prompt",
    "pwd",
    "redacted",
    "removed",
    "required",
    "rotated",
    "scrypt",
    "secret",
    "secretstring",
    "self",
    "sha1",
    "sha256",
    "sha512",
    "str",
    "string",
    "text",
    "todo",
    "token",
    "true",
    "type",
    "undefined",
    "unknown",
    "unset",
    "user",
    "utf-8",
    "utf8",
    "value",
    "varchar",
    "void",
    "wrong",
    "1password",
    "bitwarden",
    "vault",
    "keychain",
];

/// Whether the string stands for a secret instead of being one: a variable, a template, a mask, a type.
pub(in crate::text::redact) fn is_placeholder(value: &str) -> bool {
    let mut characters = value.chars();
    let first = characters.next().unwrap_or_default();
    let lower = value.to_ascii_lowercase();
    let second = characters.next().unwrap_or_default();
    let tag = first == '!'
        && value.len() > 1
        && value[1..].bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    let variable = tag || first == '$' && (second.is_ascii_alphabetic() || matches!(second, '_' | '{' | '('));
    let template = matches!(first, '<' | '[' | '{' | '(' | '&' | '@') && !is_mixed(value)
        || first == '<' && value.ends_with('>')
        || value.contains("${")
        || value.contains("%s")
            && value.replace("%s", "").bytes().filter(u8::is_ascii_alphanumeric).count() < 4
        || value.starts_with("&#")
        || value.starts_with("&lt;")
        || value.contains("{{")
        || first == '{' && value.ends_with('}')
        || first == '%' && value.ends_with('%');
    let mask =
        value.chars().all(|c| matches!(c, '*' | 'x' | 'X' | '.' | '-' | '_' | '•' | '#' | '0' | '…' | '?'))
            || value.contains("***")
            || lower.contains("xxxx")
            || value.contains("•••")
            || value.contains('…')
            || value.ends_with("...");
    let named = [
        "your",
        "example",
        "placeholder",
        "insert",
        "replace",
        "redacted",
        "dummy",
        "enter-",
        "enter_",
        "my-",
        "my_",
    ]
    .iter()
    .any(|start| lower.starts_with(start))
        && classes(value) <= 3
        && !is_scrambled(value);
    let named = named || is_stand_in(&lower);
    let same = value.chars().all(|c| c == first);
    variable || template || mask || named || same || WORDS.contains(&lower.as_str())
}

/// Whether a text in small letters only says what stands in its place: `mypassword`, `test_password`, `db_passwd`.
fn is_stand_in(lower: &str) -> bool {
    const HEADS: &[&str] = &[
        "a",
        "any",
        "bad",
        "confirm",
        "current",
        "good",
        "hashed",
        "invalid",
        "my",
        "mysecret",
        "new",
        "old",
        "plain",
        "secure",
        "some",
        "strong",
        "super",
        "supersecret",
        "temp",
        "test",
        "the",
        "user",
        "valid",
        "weak",
        "wrong",
        "yoursecret",
    ];
    ["password", "passwd", "passphrase", "pass", "secret", "token", "apikey"].iter().any(|tail| {
        lower.strip_suffix(tail).is_some_and(|head| {
            HEADS.contains(&head)
                || head.ends_with('_') && head.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
        })
    })
}

/// Whether the string is an expression of a program: `args.password`, `getToken()`, `os.environ["X"]`.
pub(in crate::text::redact) fn is_expression(value: &str) -> bool {
    let call = value.contains('(') && value.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let dotted = value.contains('.')
        && value.split('.').all(|part| {
            part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                && part.bytes().all(|byte| {
                    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'[' | b']' | b'?' | b'!')
                })
        })
        && !is_scrambled(value);
    let plain = value.trim_start_matches(['!', '&', '*', '-', '(', '+']);
    let call = call
        || plain.len() < value.len()
            && plain.contains(['(', ')'])
            && is_words(plain.trim_end_matches(['(', ')']));
    let subscript = value.split_once('[').is_some_and(|(head, _)| {
        !head.is_empty() && head.bytes().all(|b| b.is_ascii_alphabetic() || matches!(b, b'_' | b'.' | b'{'))
    });
    let arrow = value.contains("->")
        || value.starts_with('(') && value.contains(')')
        || value.contains('+') && value.split('+').all(is_words);
    let index = subscript
        || arrow
        || value.contains("[\"")
        || value.contains("['")
        || value.contains("::")
        || value.contains("=>")
        || value.contains("![");
    call || dotted || index || is_variable_name(value) || is_cmdlet(value)
}

/// Whether the string is a command of `PowerShell`: `ConvertTo-SecureString`.
fn is_cmdlet(value: &str) -> bool {
    const VERBS: &[&str] = &[
        "Add",
        "ConvertFrom",
        "ConvertTo",
        "Export",
        "Get",
        "Import",
        "Invoke",
        "New",
        "Read",
        "Select",
        "Set",
        "Unprotect",
    ];
    value.split_once('-').is_some_and(|(verb, noun)| {
        VERBS.contains(&verb)
            && noun.starts_with(|c: char| c.is_ascii_uppercase())
            && noun.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// Whether the string is the name of an environment variable: `GITHUB_TOKEN`.
pub(in crate::text::redact) fn is_variable_name(value: &str) -> bool {
    value.contains('_')
        && value.starts_with(|c: char| c.is_ascii_uppercase())
        && value.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
        && !is_scrambled(value)
}

/// Whether the string is a path, an address without a password, or a file name.
pub(in crate::text::redact) fn is_path(value: &str) -> bool {
    let rooted = ["/", "./", "../", "~/", "~\\"].iter().any(|start| value.starts_with(start))
        || value.as_bytes().get(1..3).is_some_and(|mark| mark == b":\\" || mark == b":/");
    let encoded = value.ends_with('=') && value.len().is_multiple_of(4) && is_mixed(value);
    if encoded && !value.contains(['.', '-', '_']) {
        return false;
    }
    if rooted || value.contains("://") {
        return !is_scrambled(value) || value.matches('/').count() >= 3;
    }
    value.contains('/')
        && value.split('/').all(|part| part.len() < 20 && !is_scrambled(part))
        && is_words(value)
}
