//! The values of a YAML file with the keys above them, as far as settings use the language.
//!
//! Blocks by indentation, lists, flow mappings and quotes are read; anchors, tags and multi-line texts are not. What is
//! not understood is left out: a reader of settings needs no more, and memory is never written from it.

/// The keys above a value, and the value.
pub(super) type Pair = (Vec<String>, String);

/// Values of one file at most.
const MAX_LEAVES: usize = 5_000;
/// Mappings inside one another at most.
const MAX_DEPTH: usize = 16;

/// Reads the values of a file.
pub(super) fn leaves(text: &str) -> Vec<Pair> {
    let mut found: Vec<Pair> = Vec::new();
    let mut above: Vec<(usize, String)> = Vec::new();
    let mut literal: Option<usize> = None;
    for line in text.lines() {
        let body = without_comment(line);
        let indent = body.len() - body.trim_start().len();
        let mut rest = body.trim();
        if rest.is_empty() || matches!(rest, "---" | "...") {
            continue;
        }
        if literal.is_some_and(|least| indent > least) {
            continue;
        }
        literal = None;
        let mut column = indent;
        // The items of a list stand under its key, also when they are not indented.
        let item = rest.starts_with("- ") || rest == "-";
        above.retain(|(at, _)| *at < indent || (item && *at == indent));
        while let Some(inner) = rest.strip_prefix("- ") {
            column += rest.len() - inner.trim_start().len();
            rest = inner.trim_start();
            above.retain(|(at, _)| *at < column);
        }
        if rest == "-" {
            continue;
        }
        match key_and_value(rest) {
            Some((key, "")) => above.push((column, key)),
            Some((key, value)) if value.starts_with(['|', '>']) => {
                above.push((column, key));
                literal = Some(column);
            }
            Some((key, value)) => {
                above.push((column, key));
                value_of(value, &keys(&above), &mut found);
            }
            None => value_of(rest, &keys(&above), &mut found),
        }
        if found.len() > MAX_LEAVES {
            break;
        }
    }
    named(found)
}

fn keys(above: &[(usize, String)]) -> Vec<String> {
    above.iter().map(|(_, key)| key.clone()).collect()
}

/// `key: value` outside quotes and brackets.
fn key_and_value(text: &str) -> Option<(String, &str)> {
    if text.starts_with(['{', '[']) {
        return None;
    }
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''));
    let from = quote.map_or(Some(0), |quote| text[1..].find(quote).map(|at| at + 2))?;
    let at = from + text[from..].find(':')?;
    let (key, rest) = text.split_at(at);
    let rest = &rest[1..];
    let ends = rest.is_empty() || rest.starts_with([' ', '\t']);
    (ends && !key.trim().is_empty()).then(|| (bare(key), rest.trim()))
}

fn value_of(text: &str, above: &[String], found: &mut Vec<Pair>) {
    let text = text.trim();
    if text.starts_with(['{', '[']) {
        flow(text, above, 0, found);
    } else if !text.is_empty() && !above.is_empty() && !text.starts_with(['&', '*', '!']) {
        found.push((above.to_vec(), bare(text)));
    }
}

/// A mapping or list in brackets.
fn flow(text: &str, above: &[String], depth: usize, found: &mut Vec<Pair>) {
    let mapping = text.starts_with('{');
    let inner = text[1..].trim_end();
    let inner = inner.strip_suffix(['}', ']']).unwrap_or(inner);
    if depth > MAX_DEPTH {
        return;
    }
    for part in parts(inner) {
        let part = part.trim();
        match key_and_value(part).filter(|_| mapping) {
            Some((key, value)) => {
                let mut below = above.to_vec();
                below.push(key);
                if value.starts_with(['{', '[']) {
                    flow(value, &below, depth + 1, found);
                } else if !value.is_empty() {
                    found.push((below, bare(value)));
                }
            }
            None if part.starts_with(['{', '[']) => flow(part, above, depth + 1, found),
            None if !part.is_empty() && !mapping => found.push((above.to_vec(), bare(part))),
            None => {}
        }
    }
}

/// The parts between commas, outside quotes and inner brackets.
fn parts(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut depth, mut quote, mut start) = (0_usize, None, 0);
    for (at, character) in text.char_indices() {
        match (quote, character) {
            (Some(open), _) => quote = Some(open).filter(|open| *open != character),
            (None, '"' | '\'') => quote = Some(character),
            (None, '{' | '[') => depth += 1,
            (None, '}' | ']') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                found.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(&text[start..]);
    found
}

/// A text without the quotes around it.
fn bare(text: &str) -> String {
    let text = text.trim();
    for quote in ['"', '\''] {
        if let Some(inner) = text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote)) {
            return inner.to_owned();
        }
    }
    text.to_owned()
}

/// A line without its comment; a `#` inside quotes or a word is none.
fn without_comment(line: &str) -> &str {
    let mut quote = None;
    let mut before = ' ';
    for (at, character) in line.char_indices() {
        match (quote, character) {
            (Some(open), _) => quote = Some(open).filter(|open| *open != character),
            (None, '"' | '\'') if before.is_whitespace() || matches!(before, '[' | '{' | ',' | ':') => {
                quote = Some(character);
            }
            (None, '#') if before.is_whitespace() => return &line[..at],
            _ => {}
        }
        before = character;
    }
    line
}

/// Lists of `name` and `value` are mappings: variables of a container.
fn named(pairs: Vec<Pair>) -> Vec<Pair> {
    let mut found: Vec<Pair> = Vec::with_capacity(pairs.len());
    for (keys, value) in pairs {
        if keys.last().is_some_and(|key| key == "value")
            && let Some((earlier, name)) = found.last().cloned()
            && earlier.last().is_some_and(|key| key == "name")
            && earlier[..earlier.len() - 1] == keys[..keys.len() - 1]
        {
            let mut named = keys[..keys.len() - 1].to_vec();
            named.push(name);
            found.push((named, value));
        } else {
            found.push((keys, value));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        leaves(text).into_iter().map(|(keys, value)| format!("{}={value}", keys.join("."))).collect()
    }

    #[test]
    fn blocks_lists_and_flow_are_read() {
        let text = "services:\n  web:\n    image: \"nginx:1.27\" # the front\n    ports:\n    - \"8080:80\"\n  db: { image: postgres:16, ports: [\"5432:5432\", 9000] }\nlog: |\n  a: b\nlevel: info\n";
        assert_eq!(
            lines(text),
            [
                "services.web.image=nginx:1.27",
                "services.web.ports=8080:80",
                "services.db.image=postgres:16",
                "services.db.ports=5432:5432",
                "services.db.ports=9000",
                "level=info",
            ]
        );
    }

    #[test]
    fn names_with_values_become_keys() {
        assert_eq!(
            lines("env:\n  - {name: LIMIT, value: \"1800MiB\"}\n  - name: MODE\n    value: fast\n"),
            ["env.name=LIMIT", "env.LIMIT=1800MiB", "env.name=MODE", "env.MODE=fast",]
        );
    }

    #[test]
    fn damage_is_left_out() {
        assert_eq!(lines("a: {b: [1, {c: 2}\n: : :\n\t- x\n'open: 1\n"), ["a.b=1", "a.b.c=2"]);
        for text in ["{", "[", "[[", "{{", "- - -", "a: [", "-", "- {"] {
            leaves(text);
        }
    }
}
