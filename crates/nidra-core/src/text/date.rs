//! Relative dates in prose, English and Chinese, made absolute.
//!
//! A relative date means something only at the moment when it was said, in the zone of the speaker; a day later
//! it is false. This module finds such expressions and says what they mean, and how surely. It never guesses
//! silently: what has two readings keeps its words. Durations, habits, code and names are no dates.

use super::markup::{code_spans, covers, urls};
use jiff::{ZonedDateTime, civil::Date};
use memchr::memmem;
use regex::{Captures, Regex};
use std::ops::Range;
use std::sync::OnceLock;

mod calendar;
mod chained;
mod chinese;
mod context;
mod english;
mod nested;
mod weekday;
mod weekly;

pub use chained::{Anchor, chained, is_chained};
use context::Context;
pub use weekly::is_weekly_rule;

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

/// What reads an expression of one shape; `None` where it is no date after all.
type Read = fn(&Captures<'_>, &Context<'_>) -> Option<Reading>;

/// How an expression names its day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// By its distance from the moment when it was said.
    Relative,
    /// By the calendar, but without a year.
    Yearless,
    /// By the calendar, with its year: nothing has to be added.
    Dated,
}

/// What an expression means.
#[derive(Clone, Debug)]
struct Reading {
    start: Date,
    end: Option<Date>,
    certain: bool,
    form: Form,
    /// It is Chinese.
    chinese: bool,
    /// The part of the day, which stays beside the date.
    part: Option<String>,
    /// How many of the matched bytes belong to the expression, where not all do.
    length: Option<usize>,
}

impl Reading {
    /// A single day that is certain.
    fn day(start: Date) -> Self {
        Self {
            start,
            end: None,
            certain: true,
            form: Form::Relative,
            chinese: false,
            part: None,
            length: None,
        }
    }

    /// A span that is certain.
    fn span((start, end): (Date, Date)) -> Self {
        Self { end: Some(end), ..Self::day(start) }
    }

    /// The same, with the certainty as given.
    fn sure(self, certain: bool) -> Self {
        Self { certain, ..self }
    }

    /// The same, in another form.
    fn form(self, form: Form) -> Self {
        Self { form, ..self }
    }
}

/// A shape of date expressions, the words of which each of its matches holds one (in small letters), and what it means.
type Shape = (String, &'static [&'static str], Read);

/// A shape that is compiled for the first text that holds one of its words: most texts hold no date, and whoever asks one
/// question need not wait for fifty expressions.
struct Pattern {
    shape: String,
    words: &'static [&'static str],
    regex: OnceLock<Option<Regex>>,
    read: Read,
}

impl Pattern {
    /// The expression, if a text, given in small letters, may match it.
    fn for_text(&self, small: &str) -> Option<&Regex> {
        let may = self.words.iter().any(|word| memmem::find(small.as_bytes(), word.as_bytes()).is_some());
        // One that does not compile is left out, which a test excludes.
        if may { self.regex.get_or_init(|| super::expression::new(&self.shape).ok()).as_ref() } else { None }
    }
}

/// A mention with all that is needed to write it.
struct Found {
    range: Range<usize>,
    reading: Reading,
}

/// Finds the date expressions of a text, anchored at the moment when it was said, in the speaker's zone.
pub fn find(text: &str, said: &ZonedDateTime) -> Vec<DateMention> {
    scan(text, said)
        .into_iter()
        .map(|Found { range, reading }| DateMention {
            range,
            start: reading.start,
            end: reading.end,
            certain: reading.certain,
            absolute: reading.form != Form::Relative,
        })
        .collect()
}

/// The text with each relative date replaced by an absolute one; an ambiguous one keeps its words beside
/// the best reading.
///
/// Spans become `2026-06-01 to 2026-06-07`, whole months `2026-07`, whole years `2027` (in Chinese `2026年7月`, `2027年`); a part of the day stays
/// behind its date. A date without a year gets one. What already has a reading beside it is left alone, so the
/// result does not change when it is read again.
pub fn absolute(text: &str, said: &ZonedDateTime) -> String {
    let mut result = replace(text, said);
    // What stood beside a date and was no date because of it may be one now; a few rounds settle any text.
    for _ in 0..PASSES {
        let next = replace(&result, said);
        if next == result {
            break;
        }
        result = next;
    }
    result
}

/// More rounds than any text was seen to need.
const PASSES: usize = 8;

/// One round of [`absolute`].
fn replace(text: &str, said: &ZonedDateTime) -> String {
    let mut result = String::with_capacity(text.len() + 16);
    let mut from = 0;
    for Found { range, reading } in scan(text, said) {
        if reading.form == Form::Dated || context::is_settled(&text[range.end..]) {
            continue;
        }
        let words = &text[range.clone()];
        let date = write(&reading);
        result.push_str(&text[from..range.start]);
        if reading.certain {
            result.push_str(&date);
        } else if reading.chinese {
            result.extend([words, "（", &date, "？）"]);
        } else {
            result.extend([words, " (", &date, "?)"]);
        }
        from = range.end;
    }
    result.push_str(&text[from..]);
    result
}

/// Whether the text holds an expression whose meaning depends on when it was said.
pub fn has_relative(text: &str, said: &ZonedDateTime) -> bool {
    scan(text, said)
        .iter()
        .any(|found| found.reading.form == Form::Relative && !context::is_settled(&text[found.range.end..]))
}

/// The date as it is written into a sentence.
fn write(reading: &Reading) -> String {
    let start = reading.start;
    let mut date = match reading.end {
        None => start.to_string(),
        Some(end) if calendar::is_year(start, end) && reading.chinese => format!("{:04}年", start.year()),
        Some(end) if calendar::is_year(start, end) => format!("{:04}", start.year()),
        Some(end) if calendar::is_month(start, end) && reading.chinese => {
            format!("{:04}年{}月", start.year(), start.month())
        }
        Some(end) if calendar::is_month(start, end) => format!("{:04}-{:02}", start.year(), start.month()),
        Some(end) if reading.chinese => format!("{start} 至 {end}"),
        Some(end) => format!("{start} to {end}"),
    };
    if let Some(part) = &reading.part {
        date.push(' ');
        date.push_str(part);
    }
    date
}

/// All mentions in order, without overlap, the longest first where several start at one place.
fn scan(text: &str, said: &ZonedDateTime) -> Vec<Found> {
    let mut hidden = code_spans(text);
    hidden.extend(urls(text));
    hidden.sort_by_key(|range| range.start);
    let mut found: Vec<Found> = Vec::new();
    let small = text.to_lowercase();
    for patterns in [&nested::PATTERNS, &english::PATTERNS, &chinese::PATTERNS] {
        for pattern in patterns.iter() {
            let Some(regex) = pattern.for_text(&small) else { continue };
            for captures in regex.captures_iter(text) {
                let Some(whole) = captures.get(0) else { continue };
                let shape = captures.name("date").unwrap_or(whole);
                if covers(&hidden, shape.start()) || context::is_name(text, &shape.range()) {
                    continue;
                }
                let context = Context { text, range: shape.range(), said, today: said.date() };
                if let Some(reading) = (pattern.read)(&captures, &context) {
                    let length = reading.length.unwrap_or(shape.len()).min(shape.len());
                    found.push(Found { range: shape.start()..shape.start() + length, reading });
                }
            }
        }
    }
    found.sort_by_key(|found| (found.range.start, std::cmp::Reverse(found.range.end)));
    let mut last = 0;
    found.retain(|found| {
        let free = found.range.start >= last && !found.range.is_empty();
        if free {
            last = found.range.end;
        }
        free
    });
    found
}

/// Patterns of shapes.
fn patterns(shapes: Vec<Shape>) -> Vec<Pattern> {
    shapes
        .into_iter()
        .map(|(shape, words, read)| Pattern { shape, words, regex: OnceLock::new(), read })
        .collect()
}

#[cfg(test)]
#[path = "date/tests.rs"]
mod tests;
