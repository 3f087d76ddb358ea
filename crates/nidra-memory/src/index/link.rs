//! Pointers to topic files inside one line of the index: links, wiki links and bare file names.
//!
//! Link text may hold brackets, code, emphasis and emoji, so this scans letter by letter.

use std::ops::Range;

/// How a line points to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pointer {
    /// `[text](target)`.
    Link,
    /// `[[name]]`.
    Wiki,
    /// A file name in backticks.
    Bare,
}

/// One pointer in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// How it points.
    pub pointer: Pointer,
    /// The words that are shown.
    pub title: String,
    /// What it points to: a normalised path for links and bare names, the name for a wiki link.
    pub target: String,
    /// Its bytes in the line.
    pub range: Range<usize>,
}

/// Finds the pointers of a line, in order.
pub fn scan(line: &str) -> Vec<Link> {
    let mut found = Vec::new();
    let bytes = line.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'`' => at = code(line, at, &mut found),
            b'[' => at = bracket(line, at, &mut found),
            _ => at += 1,
        }
    }
    found
}

/// Reads a code span; a lone Markdown file name in it is a pointer.
fn code(line: &str, at: usize, found: &mut Vec<Link>) -> usize {
    let Some(end) = code_end(line, at) else {
        return at + line.as_bytes()[at..].iter().take_while(|byte| **byte == b'`').count();
    };
    let inner = line[at..end].trim_matches('`').trim();
    let is_name =
        !inner.contains(|letter: char| letter.is_whitespace() || matches!(letter, '*' | '<' | '>' | '{'));
    if is_name && let Some(target) = normalise(inner) {
        found.push(Link { pointer: Pointer::Bare, title: inner.to_owned(), target, range: at..end });
    }
    end
}

/// The byte behind a code span that opens here.
fn code_end(line: &str, at: usize) -> Option<usize> {
    let bytes = line.as_bytes();
    let ticks = bytes[at..].iter().take_while(|byte| **byte == b'`').count();
    let mut next = at + ticks;
    while next < bytes.len() {
        if bytes[next] == b'`' {
            let run = bytes[next..].iter().take_while(|byte| **byte == b'`').count();
            if run == ticks {
                return Some(next + run);
            }
            next += run;
        } else {
            next += 1;
        }
    }
    None
}

/// Reads what an opening bracket opens.
fn bracket(line: &str, at: usize, found: &mut Vec<Link>) -> usize {
    let bytes = line.as_bytes();
    if line[at..].starts_with("[[")
        && let Some(end) = line[at + 2..].find("]]")
        && !line[at + 2..at + 2 + end].contains(['[', '('])
        && bytes.get(at + 2 + end + 2) != Some(&b'(')
    {
        let inner = &line[at + 2..at + 2 + end];
        let (name, shown) = inner.split_once('|').unwrap_or((inner, inner));
        let name = name.split('#').next().unwrap_or_default().trim();
        if !name.is_empty() {
            found.push(Link {
                pointer: Pointer::Wiki,
                title: shown.trim().to_owned(),
                target: name.to_owned(),
                range: at..at + 2 + end + 2,
            });
        }
        return at + 2 + end + 2;
    }
    let Some(close) = closing(line, at, b'[', b']') else { return at + 1 };
    if bytes.get(close + 1) != Some(&b'(') {
        return at + 1;
    }
    let Some(end) = closing(line, close + 1, b'(', b')') else { return at + 1 };
    if let Some(target) = normalise(destination(&line[close + 2..end])) {
        found.push(Link {
            pointer: Pointer::Link,
            title: line[at + 1..close].to_owned(),
            target,
            range: at..end + 1,
        });
    }
    end + 1
}

/// The matching closing mark; escapes and code spans in between do not count.
fn closing(line: &str, at: usize, open: u8, close: u8) -> Option<usize> {
    let bytes = line.as_bytes();
    let mut depth = 0_usize;
    let mut next = at;
    while next < bytes.len() {
        match bytes[next] {
            b'\\' => next += 1,
            b'`' if open == b'[' => {
                next = code_end(line, next).unwrap_or(next + 1);
                continue;
            }
            byte if byte == open => depth += 1,
            byte if byte == close => {
                depth -= 1;
                if depth == 0 {
                    return Some(next);
                }
            }
            _ => {}
        }
        next += 1;
    }
    None
}

/// The destination of a link without its angle brackets and its title.
fn destination(inner: &str) -> &str {
    let inner = inner.trim();
    if let Some(rest) = inner.strip_prefix('<') {
        return rest.split('>').next().unwrap_or(rest);
    }
    // A title stands in quotes behind white space; a name with spaces stays whole.
    for quote in [" \"", " '"] {
        if let Some((before, _)) = inner.split_once(quote) {
            return before.trim_end();
        }
    }
    inner
}

/// Normalises the path of a Markdown file inside memory; `None` for addresses, other files and ways out.
pub fn normalise(target: &str) -> Option<String> {
    let target = target.split(['#', '?']).next().unwrap_or_default().trim();
    let decoded = percent_decode(target).replace('\\', "/");
    let is_markdown = decoded.len() > 3 && decoded.to_ascii_lowercase().ends_with(".md");
    if !is_markdown || decoded.contains("://") || decoded.starts_with(['/', '~']) || decoded.contains('\0') {
        return None;
    }
    if decoded.as_bytes().get(1) == Some(&b':') || decoded.starts_with("mailto:") {
        return None;
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in decoded.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Decodes `%20` and its like; anything that is not UTF-8 then stays as it was.
fn percent_decode(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = (bytes[at] == b'%').then(|| bytes.get(at + 1..at + 3)).flatten();
        let decoded = code
            .filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        if let Some(byte) = decoded {
            out.push(byte);
            at += 3;
        } else {
            out.push(bytes[at]);
            at += 1;
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}
