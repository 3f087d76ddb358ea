//! Relative dates in prose, English and Chinese, made absolute.

use jiff::{ZonedDateTime, civil::Date};
use std::ops::Range;

/// A date expression found in prose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DateMention {
    /// Where it stands in the text, in bytes.
    pub range: Range<usize>,
    /// The day that it means, or the first day of a span.
    pub start: Date,
    /// The last day of a span; `None` for a single day.
    pub end: Option<Date>,
    /// The reading is the only plausible one.
    pub certain: bool,
    /// The expression already is absolute (`2026-05-21`, `May 21`, `5月21日`).
    pub absolute: bool,
}

/// Finds the date expressions of a text, anchored at the moment when it was said, in the speaker's zone.
pub fn find(text: &str, said: &ZonedDateTime) -> Vec<DateMention> {
    let _ = (text, said);
    Vec::new()
}

/// The text with each relative date replaced by an absolute one; an ambiguous one keeps its words beside
/// the best reading.
pub fn absolute(text: &str, said: &ZonedDateTime) -> String {
    let _ = said;
    text.to_owned()
}
