//! Single values of front matter: reading them leniently, and quoting them so that every parser agrees.

use super::Style;

/// What stands in a value, and what a strict parser would say about it.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) value: String,
    pub(super) style: Style,
    /// The bytes that the value takes, without a comment behind a closed quote.
    pub(super) length: usize,
    pub(super) problems: Vec<String>,
    pub(super) lossy: Option<String>,
}

/// The head of a block value: `|`, `>`, with indicators and a comment, and nothing else.
pub(super) fn is_block_header(raw: &str) -> bool {
    let rest =
        raw[1..].trim_start_matches(|letter: char| letter.is_ascii_digit() || matches!(letter, '+' | '-'));
    rest.is_empty() || rest.starts_with([' ', '\t']) && rest.trim_start().starts_with('#')
}

/// A plain value up to its comment.
pub(super) fn without_comment(value: &str) -> &str {
    let mut before = None;
    for (at, letter) in value.char_indices() {
        if letter == '#' && before.is_none_or(|previous: char| previous == ' ' || previous == '\t') {
            return value[..at].trim_end();
        }
        before = Some(letter);
    }
    value
}

/// Reads a value that stands on one line (or was joined into one).
pub(super) fn read(raw: &str) -> Read {
    let mut read = Read {
        value: String::new(),
        style: Style::Plain,
        length: raw.len(),
        problems: Vec::new(),
        lossy: None,
    };
    match raw.chars().next() {
        Some('"') => quoted(raw, '"', &mut read),
        Some('\'') => quoted(raw, '\'', &mut read),
        Some(open @ ('[' | '{')) => {
            read.style = Style::Other;
            raw.clone_into(&mut read.value);
            let close = if open == '[' { ']' } else { '}' };
            if !without_comment(raw).ends_with(close) {
                read.problems.push(format!("`{open}` is not closed at the end of the value"));
            }
        }
        _ => plain(raw, &mut read),
    }
    read
}

fn plain(raw: &str, read: &mut Read) {
    raw.clone_into(&mut read.value);
    let strict = without_comment(raw);
    if strict.len() < raw.len() {
        read.lossy = Some(format!("a strict parser takes everything behind `{strict}` for a comment"));
    }
    if strict.contains(": ") || strict.contains(":\t") || strict.ends_with(':') {
        read.problems.push("an unquoted colon followed by a space".to_owned());
    }
    let mut letters = strict.chars();
    let first = letters.next();
    let second_is_space = letters.next().is_none_or(|letter| letter == ' ' || letter == '\t');
    match first {
        Some(letter @ ('`' | '@' | '%' | '&' | '*' | '!' | '|' | '>' | ',' | ']' | '}')) => {
            read.problems.push(format!("the value starts with `{letter}` and is not quoted"));
        }
        Some(letter @ ('-' | '?')) if second_is_space => {
            read.problems.push(format!("the value starts with `{letter} ` and is not quoted"));
        }
        _ => {}
    }
}

fn quoted(raw: &str, quote: char, read: &mut Read) {
    read.style = if quote == '"' { Style::Double } else { Style::Single };
    let mut value = String::new();
    let mut letters = raw.char_indices().skip(1).peekable();
    let mut closed = None;
    while let Some((at, letter)) = letters.next() {
        if letter == quote {
            if quote == '\'' && letters.peek().is_some_and(|(_, next)| *next == '\'') {
                letters.next();
                value.push('\'');
                continue;
            }
            closed = Some(at + 1);
            break;
        }
        if letter == '\\' && quote == '"' {
            unescape(&mut letters, &mut value, read);
            continue;
        }
        value.push(letter);
    }
    let rest = closed.map(|at| raw[at..].trim());
    match (closed, rest) {
        (Some(at), Some(rest))
            if rest.is_empty() || rest.starts_with('#') && raw[at..].starts_with([' ', '\t']) =>
        {
            read.value = value;
            read.length = at;
        }
        _ => {
            read.problems.push(if closed.is_some() {
                "text stands behind the closing quote".to_owned()
            } else {
                "the quote is never closed".to_owned()
            });
            let inner = raw.strip_prefix(quote).unwrap_or(raw);
            inner.strip_suffix(quote).filter(|_| closed.is_some()).unwrap_or(raw).clone_into(&mut read.value);
            if closed.is_some() && !raw.ends_with(quote) {
                raw.clone_into(&mut read.value);
            }
            read.style = Style::Plain;
        }
    }
}

fn unescape(
    letters: &mut std::iter::Peekable<std::iter::Skip<std::str::CharIndices<'_>>>,
    value: &mut String,
    read: &mut Read,
) {
    let Some((_, letter)) = letters.next() else { return };
    let digits = match letter {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        _ => 0,
    };
    if digits > 0 {
        let code: String = letters.clone().map(|(_, digit)| digit).take(digits).collect();
        if let Some(decoded) = u32::from_str_radix(&code, 16)
            .ok()
            .filter(|_| code.chars().count() == digits)
            .and_then(char::from_u32)
        {
            value.push(decoded);
            letters.nth(digits - 1);
        } else {
            read.problems.push(format!("`\\{letter}` is not followed by a character's number"));
            value.push('\\');
            value.push(letter);
        }
        return;
    }
    let decoded = match letter {
        '0' => '\0',
        'a' => '\u{7}',
        'b' => '\u{8}',
        't' | '\t' => '\t',
        'n' => '\n',
        'v' => '\u{b}',
        'f' => '\u{c}',
        'r' => '\r',
        'e' => '\u{1b}',
        ' ' => ' ',
        '"' => '"',
        '/' => '/',
        '\\' => '\\',
        'N' => '\u{85}',
        '_' => '\u{a0}',
        'L' => '\u{2028}',
        'P' => '\u{2029}',
        other => {
            read.problems.push(format!("`\\{other}` means nothing inside double quotes"));
            value.push('\\');
            other
        }
    };
    value.push(decoded);
}

/// Writes a text as a value: plain where every parser reads it back as this text, else in double quotes.
pub(super) fn encode(text: &str) -> String {
    if needs_quotes(text) { double_quoted(text) } else { text.to_owned() }
}

pub(super) fn double_quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\0' => out.push_str("\\0"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{b}' => out.push_str("\\v"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            '\u{1b}' => out.push_str("\\e"),
            '\u{85}' => out.push_str("\\N"),
            '\u{a0}' => out.push_str("\\_"),
            '\u{2028}' => out.push_str("\\L"),
            '\u{2029}' => out.push_str("\\P"),
            '\u{feff}' => out.push_str("\\uFEFF"),
            '\u{fffe}' => out.push_str("\\uFFFE"),
            '\u{ffff}' => out.push_str("\\uFFFF"),
            control if control.is_control() => {
                let code = format!("\\x{:02x}", u32::from(control));
                out.push_str(&code);
            }
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

/// The client quotes what its own YAML writer finds ambiguous; this asks for the same and for what older
/// parsers read as a date, a number or the end of a key.
fn needs_quotes(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "true", "false", "yes", "no", "on", "off", "y", "n", "null", "~", ".inf", ".nan", "+.inf", "-.inf",
        "=",
    ];
    let Some(first) = text.chars().next() else { return true };
    let surrounded = text.starts_with(char::is_whitespace) || text.ends_with(char::is_whitespace);
    surrounded
        || matches!(
            first,
            '&' | '*' | '?' | '|' | '-' | '<' | '>' | '!' | '%' | '@' | ':' | ',' | '#' | '\'' | '"' | '`'
        )
        || WORDS.contains(&text.to_ascii_lowercase().as_str())
        || text.ends_with(':')
        || text.contains(": ")
        || text.contains(":\t")
        || ["---", "..."].iter().any(|mark| {
            text.ends_with(mark)
                || text.match_indices(mark).any(|(at, _)| text[at + 3..].starts_with([' ', '\t']))
        })
        || text.contains(|letter: char| {
            matches!(
                letter,
                '{' | '}'
                    | '['
                    | ']'
                    | ','
                    | '#'
                    | '`'
                    | '\''
                    | '"'
                    | '\u{a0}'
                    | '\u{a8}'
                    | '\u{a9}'
                    | '\u{85}'
                    | '\u{2028}'
                    | '\u{2029}'
                    | '\u{feff}'
                    | '\u{fffe}'
                    | '\u{ffff}'
            ) || letter.is_control()
        })
        || looks_numeric(text)
}

/// A number, a date or a time in some version of YAML.
fn looks_numeric(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let lower = unsigned.to_ascii_lowercase();
    let based = ["0x", "0o", "0b"].iter().any(|prefix| {
        lower
            .strip_prefix(prefix)
            .is_some_and(|rest| rest.chars().all(|digit| digit.is_ascii_hexdigit() || digit == '_'))
    });
    let mut before = ' ';
    let decimal = lower.starts_with(|first: char| first.is_ascii_digit() || first == '.')
        && lower.matches('e').count() <= 1
        && lower.chars().all(|letter| {
            let signs_exponent = matches!(letter, '+' | '-') && before == 'e';
            before = letter;
            letter.is_ascii_digit() || matches!(letter, '.' | '_' | ':' | 'e') || signs_exponent
        });
    let dated = text.len() >= 6
        && text.bytes().take(4).all(|byte| byte.is_ascii_digit())
        && text.as_bytes()[4] == b'-'
        && text.chars().all(|letter| {
            letter.is_ascii_digit() || matches!(letter, '-' | ':' | '.' | 'T' | 't' | 'Z' | 'z' | '+' | ' ')
        });
    based || decimal || dated
}
