//! Judges whether a string can be a secret: its randomness, and what it is instead.

/// Shannon entropy in bits per character.
pub(super) fn entropy(text: &str) -> f64 {
    let mut counts = [0_u32; 128];
    let mut total = 0_u32;
    for byte in text.bytes().filter(u8::is_ascii) {
        if let Some(count) = counts.get_mut(usize::from(byte)) {
            *count += 1;
        }
        total += 1;
    }
    let total = f64::from(total.max(1));
    counts
        .iter()
        .filter(|&&count| count > 0)
        .map(|&count| {
            let share = f64::from(count) / total;
            -share * share.log2()
        })
        .sum()
}

/// Whether the text holds both a letter and a digit.
pub(super) fn is_mixed(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit()) && text.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// How many of the four classes of characters the text uses: lower case, upper case, digits, marks.
pub(super) fn classes(text: &str) -> usize {
    let class = |test: fn(&u8) -> bool| usize::from(text.bytes().any(|byte| test(&byte)));
    class(u8::is_ascii_lowercase)
        + class(u8::is_ascii_uppercase)
        + class(u8::is_ascii_digit)
        + class(u8::is_ascii_punctuation)
}

/// Whether letters and digits alternate as only generated strings do.
pub(super) fn is_scrambled(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let turns = text
        .as_bytes()
        .windows(2)
        .filter(|pair| matches!(pair, [a, b] if a.is_ascii_digit() != b.is_ascii_digit()))
        .count();
    digits >= 3 && turns >= 4 && entropy(text) >= 3.4
}

/// Whether the text is made of hexadecimal digits only.
pub(super) fn is_hex(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether the text is a UUID.
pub(super) fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Whether the text is the name of something in a program: words of some length in one case or another, joined
/// without much change between letters and digits, unlike what is generated.
pub(super) fn is_identifier(text: &str) -> bool {
    let bytes = text.as_bytes();
    if !bytes.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_')
        || !bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
    {
        return false;
    }
    let joined = text.contains('_');
    let humps = bytes
        .windows(2)
        .any(|pair| matches!(pair, [a, b] if a.is_ascii_lowercase() && b.is_ascii_uppercase()));
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    // What is generated changes its kind of letter every second character; a name every few.
    let least = if joined && bytes.len() < 14 { 2 } else { 3 };
    (joined || humps) && bytes.len() >= segments(bytes) * least && digits * 4 <= bytes.len()
}

/// How many words an identifier falls into: `X509RequestOptions` into four, `MAX_u64` into three.
fn segments(bytes: &[u8]) -> usize {
    let mut count = 0;
    let mut before = b'_';
    let mut capitals = 0;
    for &byte in bytes {
        let same = before.is_ascii_lowercase() && byte.is_ascii_lowercase()
            || before.is_ascii_digit() && byte.is_ascii_digit()
            || before.is_ascii_uppercase() && byte.is_ascii_uppercase()
            || before.is_ascii_uppercase() && byte.is_ascii_lowercase() && capitals == 1;
        count += usize::from(!same && byte != b'_');
        capitals = if byte.is_ascii_uppercase() { capitals + 1 } else { 0 };
        before = byte;
    }
    count
}

/// Whether the text is a number or a type of a program: `8u32`, `0x10`, `[u16`, `Error>`.
pub(super) fn is_typed(text: &str) -> bool {
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
    number || hex || text.starts_with('[') || text.ends_with('>') && !text.starts_with('<')
}

/// Words that stand where a secret would, and are none.
const WORDS: &[&str] = &[
    "any",
    "argon2",
    "asterisks",
    "base64",
    "bcrypt",
    "blank",
    "bool",
    "boolean",
    "bytes",
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
pub(super) fn is_placeholder(value: &str) -> bool {
    let mut characters = value.chars();
    let first = characters.next().unwrap_or_default();
    let lower = value.to_ascii_lowercase();
    let second = characters.next().unwrap_or_default();
    let variable = first == '$' && (second.is_ascii_alphabetic() || matches!(second, '_' | '{' | '('));
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
    let same = value.chars().all(|c| c == first);
    variable || template || mask || named || same || WORDS.contains(&lower.as_str())
}

/// Whether the string is an expression of a program: `args.password`, `getToken()`, `os.environ["X"]`.
pub(super) fn is_expression(value: &str) -> bool {
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
        !head.is_empty() && head.bytes().all(|b| b.is_ascii_alphabetic() || b == b'_' || b == b'.')
    });
    let arrow = value.contains("->")
        || value.starts_with('(') && value.contains(')')
        || value.contains('+') && value.split('+').all(is_words);
    let index = subscript
        || arrow
        || value.contains("[\"")
        || value.contains("['")
        || value.contains("::")
        || value.contains("=>");
    call || dotted || index || is_variable_name(value)
}

/// Whether the string is the name of an environment variable: `GITHUB_TOKEN`.
pub(super) fn is_variable_name(value: &str) -> bool {
    value.contains('_')
        && value.starts_with(|c: char| c.is_ascii_uppercase())
        && value.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
        && !is_scrambled(value)
}

/// Whether the string is a path, an address without a password, or a file name.
pub(super) fn is_path(value: &str) -> bool {
    let rooted = ["/", "./", "../", "~/", "~\\"].iter().any(|start| value.starts_with(start))
        || value.as_bytes().get(1..3).is_some_and(|mark| mark == b":\\" || mark == b":/");
    if rooted || value.contains("://") {
        return !is_scrambled(value) || value.matches('/').count() >= 3;
    }
    value.contains('/')
        && value.split('/').all(|part| part.len() < 20 && !is_scrambled(part))
        && is_words(value)
}

/// Whether the string is made of readable words joined by marks: `my-service-v2`, `kube-system/tls`.
pub(super) fn is_words(value: &str) -> bool {
    value.split(['-', '_', '.', '/', ':', '@']).all(|part| {
        let letters = part.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = part.len() - letters.len();
        digits <= 4
            && letters.len() <= 16
            && letters.bytes().all(|byte| byte.is_ascii_alphabetic())
            && (letters.len() <= 4 || letters.to_ascii_lowercase().contains(['a', 'e', 'i', 'o', 'u', 'y']))
            && !has_odd_case(letters)
    })
}

/// Whether capitals stand where neither a word nor a name of code has them.
fn has_odd_case(word: &str) -> bool {
    let humps = word.bytes().skip(1).filter(u8::is_ascii_uppercase).count();
    let lower = word.bytes().filter(u8::is_ascii_lowercase).count();
    lower > 0 && humps * 3 > lower
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_secrets_from_what_stands_for_them() {
        for value in [
            "$TOKEN",
            "${X}",
            "<token>",
            "xxxx-xxxx",
            "****",
            "{{ x }}",
            "%PW%",
            "your-key",
            "string",
            "sk-…",
        ] {
            assert!(is_placeholder(value), "{value}");
        }
        for value in ["hunter2", "$2b$12$abc", "Tr0ub4dor&3", "swordfish", "P@ss!"] {
            assert!(!is_placeholder(value), "{value}");
        }
        for value in ["args.password", "getToken()", "GITHUB_TOKEN", "os.environ[\"X\"]", "Secret::new"] {
            assert!(is_expression(value), "{value}");
        }
        for value in ["/etc/ssl/key.pem", "./a/b.rs", "C:\\keys\\a", "config/prod/db"] {
            assert!(is_path(value), "{value}");
        }
        assert!(is_words("my-service-v2") && !is_words("q8Zr2LmVt0Xy"));
        assert!(entropy("aaaa") < 0.1 && entropy("abcdefgh") > 2.9);
    }
}
