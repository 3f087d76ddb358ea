//! Patterns of file names, expanded by us: only below the root, without following a link out of it.

use super::syntax::Word;
use super::{Refused, Root};
use std::fs;

/// Names that one pattern may give.
const MAX_NAMES: usize = 500;

/// Appends a word, or the names that it fits when it is a pattern. A pattern that fits nothing stays as it is.
pub(super) fn expand(word: &Word, root: &Root, into: &mut Vec<String>) -> Result<(), Refused> {
    if !word.is_pattern() {
        into.push(word.text());
        return Ok(());
    }
    let mut found = vec![String::new()];
    let parts: Vec<&[(char, bool)]> = word.0.split(|(letter, _)| *letter == '/').collect();
    for (at, part) in parts.iter().enumerate() {
        let last = at + 1 == parts.len();
        let open = part.iter().any(|(letter, open)| *open && matches!(letter, '*' | '?' | '['));
        let mut next = Vec::new();
        for base in &found {
            let prefix = if at == 0 { String::new() } else { format!("{base}/") };
            if !open {
                let name: String = part.iter().map(|(letter, _)| letter).collect();
                next.push(format!("{prefix}{name}"));
                continue;
            }
            let folder = if prefix.is_empty() { "." } else { prefix.as_str() };
            let folder = root.resolve(folder)?;
            let mut names: Vec<String> = fs::read_dir(folder)
                .into_iter()
                .flatten()
                .flatten()
                .filter(|entry| last || entry.file_type().is_ok_and(|kind| kind.is_dir()))
                .filter_map(|entry| entry.file_name().into_string().ok())
                .filter(|name| fits(part, name))
                .collect();
            names.sort_unstable();
            next.extend(names.into_iter().map(|name| format!("{prefix}{name}")));
            if next.len() > MAX_NAMES {
                return Err(Refused::new(format!(
                    "the pattern {} fits more than {MAX_NAMES} names",
                    word.text()
                )));
            }
        }
        found = next;
    }
    if found.is_empty() {
        into.push(word.text());
        return Ok(());
    }
    // A file whose name looks like a flag must not become one.
    into.extend(found.into_iter().map(|name| if name.starts_with('-') { format!("./{name}") } else { name }));
    Ok(())
}

/// Whether a name fits the part of a pattern between two slashes. Hidden names need their dot said.
fn fits(pattern: &[(char, bool)], name: &str) -> bool {
    let letters: Vec<char> = name.chars().collect();
    let hidden = letters.first() == Some(&'.');
    if hidden && pattern.first().is_none_or(|(letter, _)| *letter != '.') {
        return false;
    }
    matches(pattern, &letters)
}

fn matches(pattern: &[(char, bool)], name: &[char]) -> bool {
    // The places in the pattern that the name so far may have reached; this stays linear where backtracking would not.
    let tokens = tokens(pattern);
    let mut reached = vec![false; tokens.len() + 1];
    if let Some(start) = reached.first_mut() {
        *start = true;
    }
    spread(&tokens, &mut reached);
    for letter in name {
        let mut next = vec![false; tokens.len() + 1];
        for (at, token) in tokens.iter().enumerate() {
            if !reached.get(at).copied().unwrap_or_default() {
                continue;
            }
            let to = match token {
                Token::Many => at,
                token if token.takes(*letter) => at + 1,
                _ => continue,
            };
            if let Some(place) = next.get_mut(to) {
                *place = true;
            }
        }
        spread(&tokens, &mut next);
        reached = next;
    }
    reached.last().copied().unwrap_or_default()
}

/// A star takes nothing as well.
fn spread(tokens: &[Token], reached: &mut [bool]) {
    for (at, token) in tokens.iter().enumerate() {
        if matches!(token, Token::Many)
            && reached.get(at).copied().unwrap_or_default()
            && let Some(place) = reached.get_mut(at + 1)
        {
            *place = true;
        }
    }
}

enum Token {
    Letter(char),
    One,
    Many,
    Set { negated: bool, ranges: Vec<(char, char)> },
}

impl Token {
    fn takes(&self, letter: char) -> bool {
        match self {
            Self::Letter(own) => *own == letter,
            Self::One => true,
            Self::Many => false,
            Self::Set { negated, ranges } => {
                ranges.iter().any(|(low, high)| (*low..=*high).contains(&letter)) != *negated
            }
        }
    }
}

fn tokens(pattern: &[(char, bool)]) -> Vec<Token> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some((letter, open)) = pattern.get(at) {
        at += 1;
        found.push(match letter {
            '*' if *open => Token::Many,
            '?' if *open => Token::One,
            '[' if *open => match set(pattern, at) {
                Some((token, behind)) => {
                    at = behind;
                    token
                }
                None => Token::Letter('['),
            },
            letter => Token::Letter(*letter),
        });
    }
    found
}

/// The set that begins behind a bracket, and the place behind it; `None` when it is never closed.
fn set(pattern: &[(char, bool)], mut at: usize) -> Option<(Token, usize)> {
    let negated = matches!(pattern.get(at), Some(('!' | '^', true)));
    at += usize::from(negated);
    let mut ranges = Vec::new();
    loop {
        let (letter, open) = *pattern.get(at)?;
        if letter == ']' && open && !ranges.is_empty() {
            return Some((Token::Set { negated, ranges }, at + 1));
        }
        let spans = matches!(pattern.get(at + 1), Some(('-', true)));
        let end = pattern.get(at + 2).filter(|(end, open)| spans && !(*end == ']' && *open));
        if let Some((end, _)) = end {
            ranges.push((letter, *end));
            at += 3;
        } else {
            ranges.push((letter, letter));
            at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_as_the_shell_s_do() {
        let open = |pattern: &str| pattern.chars().map(|letter| (letter, true)).collect::<Vec<_>>();
        for (pattern, name, expected) in [
            ("*.md", "a.md", true),
            ("*.md", ".a.md", false),
            (".*", ".a.md", true),
            ("?.md", "端.md", true),
            ("[a-c]x", "bx", true),
            ("[!a-c]x", "bx", false),
            ("[]x]", "]", true),
            ("[x", "[x", true),
            ("a*b*c", "aXbYc", true),
            ("a*b*c", "aXcYb", false),
            ("*", "", true),
        ] {
            assert_eq!(fits(&open(pattern), name), expected, "{pattern} {name}");
        }
        let star = [('*', false)];
        assert!(fits(&star, "*") && !fits(&star, "a"), "a quoted star is a letter");
    }
}
