//! What the words of an entry must look like: a full statement in its own words, not a fragment of a log.

use super::language;
use super::redact::{self, Scope};

/// Longest entry in characters; longer text is a digest, not a fact.
const MAX_CHARACTERS: usize = 1_500;

/// The rule that a text breaks, or `None` when it may become an entry.
pub fn fault(text: &str, scope: Scope) -> Option<&'static str> {
    let fragment = || {
        (!is_statement(text.trim().trim_start_matches(['-', '*', '+', ' '])))
            .then_some("it is a fragment or a bare command, not a statement")
    };
    told_fault(text, scope).or_else(fragment)
}

/// The same for words that the user told nidra to remember: how much of a statement they are is theirs to say.
pub fn told_fault(text: &str, scope: Scope) -> Option<&'static str> {
    let words = text.trim().trim_start_matches(['-', '*', '+', ' ']);
    if words.is_empty() {
        return Some("it is empty");
    }
    if text.contains('\0') {
        return Some("it holds a NUL character");
    }
    if words.starts_with('#') {
        return Some("it is a heading, not a statement");
    }
    if words.chars().count() > MAX_CHARACTERS {
        return Some("it is too long for an entry; digests are not stored");
    }
    if redact::has_placeholder(words) {
        return Some("it holds the placeholder of a removed secret");
    }
    if let Some(fault) = secret(words, scope) {
        return Some(fault);
    }
    if has_internal_mark(words) {
        return Some("it holds internal marks of an engine");
    }
    None
}

/// What a text holds that is never stored.
pub fn secret(text: &str, scope: Scope) -> Option<&'static str> {
    if !redact::find(text).is_empty() {
        return Some("it holds a secret");
    }
    let personal = scope == Scope::SecretsAndPersonal && !redact::find_in(text, scope).is_empty();
    personal.then_some("it holds personal data, and redact.personal is true")
}

/// Marks such as `[score=0.85]` or `confidence: 0.7` that engines attach and users never wrote.
fn has_internal_mark(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    ["[score=", "[score:", "score=0.", "[confidence", "confidence=0.", "[importance"]
        .iter()
        .any(|mark| lower.contains(mark))
}

/// A statement has at least four words, or two words and six Han characters' worth of text, outside of code spans;
/// code spans count as one word each.
fn is_statement(text: &str) -> bool {
    let mut outside = String::new();
    let mut spans = 0_usize;
    for (position, part) in text.split('`').enumerate() {
        if position % 2 == 0 {
            outside.push_str(part);
            outside.push(' ');
        } else {
            spans += 1;
        }
    }
    let han = outside.chars().filter(|c| language::is_han(*c)).count();
    let words = outside
        .split(|c: char| c.is_whitespace() || language::is_han(c))
        .filter(|word| word.chars().any(char::is_alphanumeric))
        .count();
    // A command line has no word that is not a flag, a path or a program; a statement has a verb or a relation.
    han >= 4 || words + spans >= 4 || (han >= 2 && words + spans >= 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pub_out_05_raw_shell_lines_headings_and_marks_are_no_entries() {
        for text in [
            "[score=0.85] Use the green cluster for staging.",
            "make -C out",
            "## Decision",
            "- ",
            "only three words",
        ] {
            assert!(fault(text, Scope::Secrets).is_some(), "{text}");
        }
    }

    #[test]
    fn statements_in_both_languages_pass() {
        for text in [
            "Use pnpm in every package, never npm or yarn.",
            "金额全链路用 long，单位分。",
            "提交信息写中文。",
            "Build with `cargo nextest run` in CI.",
        ] {
            assert_eq!(fault(text, Scope::Secrets), None, "{text}");
        }
    }

    #[test]
    fn digests_and_placeholders_are_refused() {
        assert!(fault(&"word ".repeat(1_000), Scope::Secrets).is_some());
        assert!(
            fault("The deploy key is [redacted:password-assignment] in staging.", Scope::Secrets).is_some()
        );
        assert!(fault("zero \0 bytes in the middle of it", Scope::Secrets).is_some());
    }
}
