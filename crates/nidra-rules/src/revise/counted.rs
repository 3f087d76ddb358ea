//! What a number counts, as far as the words right beside it tell: `9 classes` is no `0.41`, and `32 gigs` are no workers.

use super::another;
use super::value::{self, Form, Value};
use crate::lexicon;
use crate::terms;
use nidra_core::text::language::is_han;
use std::ops::Range;

/// Words with the ending of a plural that a number does not count.
const NO_NOUNS: &[&str] = &[
    "across", "always", "as", "becomes", "breaks", "comes", "counts", "does", "exists", "fails", "fits",
    "gets", "gives", "goes", "happens", "has", "helps", "hits", "holds", "is", "its", "less", "lets",
    "likes", "looks", "makes", "means", "needs", "nowadays", "onwards", "perhaps", "plus", "remains", "runs",
    "seems", "serves", "sits", "sounds", "stands", "starts", "stays", "takes", "this", "thus", "towards",
    "unless", "us", "wants", "was", "wins", "works",
];
/// Plurals without their ending.
const PLURALS: &[&str] = &["people", "men", "women", "children", "feet", "staff"];

/// The word right behind a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Noun {
    /// In small letters.
    word: String,
    /// The number surely counts it; else it may only stand there.
    counted: bool,
}

/// The word right behind a number at a place that it may count; `None` where none stands there. What is written in one
/// with the number is a unit, whatever it is: `40G`, `4x`.
pub(super) fn noun(text: &str, end: usize) -> Option<Noun> {
    let rest = text.get(end..)?;
    let apart = rest.strip_prefix([' ', '-']);
    let letters = |text: &str| -> String {
        text.chars().take_while(|c| c.is_alphabetic() && !is_han(*c) || *c == '\'').collect()
    };
    let word = letters(apart.unwrap_or(rest)).to_lowercase();
    if word.is_empty() || lexicon::is_stop_word(&word) || NO_NOUNS.contains(&word.as_str()) {
        return None;
    }
    let plural = word.len() > 2 && word.ends_with('s') && !word.ends_with("ss") && !word.contains('\'');
    let counted =
        apart.is_none() || text[..end].ends_with(is_han) || plural || PLURALS.contains(&word.as_str());
    Some(Noun { word, counted })
}

/// Whether a bare number tells which one of several things a sentence is about: `Board 2 sits on the shelf`, `3 号机柜`.
pub(super) fn identifies(text: &str, range: &Range<usize>) -> bool {
    let after = &text[range.end..];
    if after.trim_start_matches(' ').starts_with('号') {
        return true;
    }
    // `Konstrukta 2026` is a version by its year.
    let year = text[range.clone()].len() == 4 && text[range.clone()].starts_with(['1', '2']);
    let Some(label) =
        value::label(text, range).filter(|_| !year).filter(|label| !another::is_attribute(label))
    else {
        return false;
    };
    let before = text[..range.start].trim_end();
    let before = before.get(..before.len().saturating_sub(label.len())).unwrap_or_default().trim_end();
    let lower = before.to_lowercase();
    let opens = before.is_empty()
        || before.ends_with(['.', '!', '?', '\n', ';', ':', '-', '*'])
        || lower == "the"
        || lower.ends_with(". the")
        || lower.ends_with("\nthe");
    let goes_on = after.starts_with(' ') && after[1..].starts_with(|c: char| c.is_ascii_lowercase());
    opens && goes_on
}

/// Whether two numbers may count the same. A number that only follows a name or a verb may take the place of a counted
/// one; the other way round it would get a noun that is not its own.
pub(super) fn agree(old: &Value, new: &Value) -> bool {
    let bare = |value: &Value| {
        matches!(value.form, Form::Number("" | "count" | "amount") | Form::Port)
            || value.form == Form::Version && !value.text.starts_with(['v', 'V'])
    };
    // A bare number takes over a unit only where it stands for itself: `it's a 60 title` gives no milliseconds.
    if !bare(old) && new.form == Form::Number("") {
        return new.noun.is_none();
    }
    if !bare(old) || !bare(new) {
        return true;
    }
    let counted =
        |value: &Value| value.noun.as_ref().filter(|noun| noun.counted).map(|noun| noun.word.clone());
    match (counted(old), counted(new)) {
        (Some(old), Some(new)) => terms::same(&old, &new) || stem(&old) == stem(&new),
        (None, Some(_)) => false,
        // `9 classes` and a share of `0.41`.
        (Some(_), None) => (old.form == Form::Version) == (new.form == Form::Version),
        (None, None) => true,
    }
}

/// Whether two numbers surely count the same.
pub(crate) fn count_alike(old: &Value, new: &Value) -> bool {
    matches!((&old.noun, &new.noun), (Some(old), Some(new)) if old.counted && new.counted && stem(&old.word) == stem(&new.word))
}

fn stem(noun: &str) -> &str {
    noun.strip_suffix("es").or_else(|| noun.strip_suffix('s')).unwrap_or(noun)
}

#[cfg(test)]
mod tests {
    use super::super::value::{comparable, find};

    fn may_replace(old: &str, new: &str) -> bool {
        find(old).iter().any(|old| find(new).iter().any(|new| comparable(old, new)))
    }

    #[test]
    fn only_what_counts_the_same_is_replaced() {
        assert!(may_replace("up to 10 holds per reader", "let it be 15 holds"));
        assert!(may_replace("at most 10 holds", "make it 15"));
        assert!(may_replace("the port is 8085", "it is on 8090 these days"));
        assert!(may_replace("Python 3.10", "we are on 3.12 everywhere"));
        assert!(!may_replace("the schema has 9 classes", "its recall is 0.41"));
        assert!(!may_replace("pytest -n 4", "the box got 32 gigs"));
        assert!(!may_replace("Python 3.10", "RSS 涨到 40G"));
        assert!(!may_replace("frame budget 16 ms", "it's a 60 title"));
        assert!(may_replace("frame budget 16 ms", "the budget is 12 now"));
        assert!(!may_replace("seed 42", "NDCG@10 has to rise"));
        assert!(!may_replace("每组 24 张卡", "起来六个 pod"));
    }

    #[test]
    fn a_number_that_names_a_thing_is_no_value_of_it() {
        assert!(find("Board 2 sits on the shelf").is_empty());
        assert!(find("3 号机柜是我们的").is_empty());
        assert!(!find("Port 8085 is ours").is_empty());
        assert!(!find("The limit is 40").is_empty());
    }
}
