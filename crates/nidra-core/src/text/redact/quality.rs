//! Judges whether a string can be a secret: its randomness, and what it is instead.

mod stand_in;

pub(super) use stand_in::{is_expression, is_path, is_placeholder, is_typed, is_variable_name};

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

/// Whether a capital follows a small letter somewhere.
pub(super) fn has_hump(text: &str) -> bool {
    text.as_bytes()
        .windows(2)
        .any(|pair| matches!(pair, [a, b] if a.is_ascii_lowercase() && b.is_ascii_uppercase()))
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
    let humps = has_hump(text);
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    // What is generated changes its kind of letter every second character; a name every few.
    let least = if joined && bytes.len() < 14 { 2 } else { 3 };
    (joined || humps) && bytes.len() >= segments(bytes) * least && digits * 4 <= bytes.len()
}

/// Whether the text is the name of something in a program that can be read aloud; [`is_identifier`] also takes some
/// of what is generated for one.
pub(super) fn is_named(text: &str) -> bool {
    is_identifier(text)
        && (text.contains('_') || !is_unreadable(text) || !text.bytes().any(|byte| byte.is_ascii_digit()))
}

/// Whether the letters of the text are none of words: there are too few vowels, or too many consonants in a row.
pub(super) fn is_unreadable(text: &str) -> bool {
    let vowel = |byte: &u8| matches!(byte.to_ascii_lowercase(), b'a' | b'e' | b'i' | b'o' | b'u');
    let letters = text.bytes().filter(u8::is_ascii_alphabetic).count();
    let vowels = text.bytes().filter(vowel).count();
    // A name of code has no five consonants in a row, unless they are an abbreviation.
    let crowded = text
        .as_bytes()
        .split(|byte| !byte.is_ascii_alphabetic() || vowel(byte) || *byte == b'y')
        .any(|run| run.len() >= 5 && run.iter().any(u8::is_ascii_lowercase));
    crowded || vowels * 100 < letters * 28
}

/// Whether the text is the name of a version or a model: many short words and numbers, joined by hyphens.
pub(super) fn is_hyphenated(text: &str) -> bool {
    let parts = text.split('-').count();
    parts >= 3 && text.len() < parts * 8
}

/// How many words an identifier falls into: `X509RequestOptions` into four, `MAX_u64` into three.
pub(super) fn segments(bytes: &[u8]) -> usize {
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
