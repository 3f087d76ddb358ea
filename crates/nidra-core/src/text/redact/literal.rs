//! Literals right behind a name, without a mark between: `setPassword("…")`, `(setq smtp-password "…")`,
//! `<input type="password" value="…">`.

use super::Take;
use super::name::Strength;
use super::telling::{self, Name};
use super::value::{Context, Value};
use std::ops::Range;

/// What the name of a function begins with when its argument is no secret of its own.
const READERS: &[&str] = &[
    "get", "has", "find", "read", "load", "fetch", "is", "check", "valid", "verify", "hash", "encrypt",
    "forgot", "reset", "generate", "create", "parse", "test", "request",
];

/// What sets a name to the literal behind it.
const SETTERS: &[&str] = &["(setq ", "(setf ", "(def ", "(defvar ", "(let ((", "(set! ", ":"];

/// Gives the literal behind a name, and says whether one was there.
pub(super) fn literal(
    text: &str,
    name: &Range<usize>,
    line: &Range<usize>,
    strength: Strength,
    take: &mut Take<'_>,
) -> bool {
    let behind = &text[name.end..line.end];
    let before = &text[line.start..name.start];
    let blanks = behind.len() - behind.trim_start_matches([' ', '\t', '\\', '"', '\'']).len();
    let at = if behind.starts_with('(') {
        let lower = text[name.clone()].to_ascii_lowercase();
        if READERS.iter().any(|reader| lower.starts_with(reader)) {
            return false;
        }
        name.end + 1
    } else if blanks >= 2 && behind[blanks..].starts_with("value=") {
        name.end + blanks + "value=".len()
    } else if behind.starts_with(' ') && SETTERS.iter().any(|setter| before.ends_with(setter)) {
        name.end + 1
    } else {
        return false;
    };
    let Some(value) = Value::read(text, at..line.end, false).filter(|value| value.quoted) else {
        return false;
    };
    let words = &text[value.range.clone()];
    let context = Context { strength, strict: false, colon: true };
    let fits = match strength {
        Strength::Password => telling::is_telling(words, false, Name::Password),
        Strength::Secret | Strength::Pin => value.is_secret(text, line.end, context),
    };
    if fits {
        take(strength.rule(), value.range);
    }
    fits
}
