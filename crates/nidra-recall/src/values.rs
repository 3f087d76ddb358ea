//! The values that a text states: numbers, shares, sums of money, days, times of day, versions; each with the words
//! around it.

mod lasting;

use crate::analyze::{Analyzer, Term};
use crate::signs::is_change;
use lasting::{is_score, often, span, weekday};
use nidra_core::text::language::is_han;
use std::collections::BTreeSet;

/// Words to each side of a value that say what it is the value of.
const REACH: usize = 24;

/// What kind of value it is; values of two kinds never contradict each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sort {
    /// A number of things.
    Count,
    /// A share in percent.
    Percent,
    /// A sum of money.
    Money,
    /// A day of the year.
    Day,
    /// A time of day.
    Clock,
    /// A version.
    Version,
    /// How long something takes or has gone on.
    Span,
    /// So many of so many: `4/5`, `3-2`.
    Score,
    /// How often: twice a week.
    Often,
    /// A day of the week.
    Weekday,
}

/// A value and what stands around it.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// Its kind.
    pub sort: Sort,
    /// Its normal form; two equal ones mean the same.
    pub normal: String,
    /// The terms around it, with their distance in words.
    pub around: Vec<(Term, usize)>,
    /// Its sentence tells of a change.
    pub changed: bool,
}

/// A word, a number with its sign, or a run of Chinese characters.
struct Unit<'t> {
    text: &'t str,
    /// The mark before it: `$`.
    before: Option<char>,
    /// What follows directly: `%`, or the end of a sentence.
    after: Option<char>,
    ends: bool,
}

/// The values of a text.
pub fn values(text: &str, analyzer: &mut Analyzer) -> Vec<Value> {
    let units = units(text);
    let terms: Vec<Vec<Term>> = units
        .iter()
        .map(|unit| {
            let mut terms = Vec::new();
            analyzer.terms(unit.text, &mut |term| terms.push(term));
            terms
        })
        .collect();
    let mut found = Vec::new();
    let mut taken = BTreeSet::new();
    for at in 0..units.len() {
        if taken.contains(&at) {
            continue;
        }
        let Some((sort, normal, more)) = read(&units, at) else { continue };
        taken.extend(at..=at + more);
        // "By 5" is a difference, and "from 5" is how it was.
        let word = at.checked_sub(1).filter(|before| !units[*before].ends).map(|before| units[before].text);
        let amount = !matches!(sort, Sort::Day | Sort::Clock | Sort::Version | Sort::Weekday | Sort::Often);
        if amount
            && word
                .is_some_and(|word| matches!(word, "by" | "from" | "从" | "extra" | "additional" | "another"))
        {
            continue;
        }
        let mut around = Vec::new();
        for (distance, near) in (1..=REACH).zip(backwards(&units, at)) {
            around.extend(terms[near].iter().map(|term| (*term, distance)));
        }
        for (distance, near) in (1..=REACH).zip(forwards(&units, at + more)) {
            around.extend(terms[near].iter().map(|term| (*term, distance)));
        }
        let first = backwards(&units, at).last().unwrap_or(at);
        let last = forwards(&units, at + more).last().unwrap_or(at + more);
        let sentence: Vec<&str> = units[first..=last].iter().map(|unit| unit.text).collect();
        found.push(Value { sort, normal, around, changed: is_change(&sentence.join(" ")) });
    }
    found
}

/// The unit so many behind one, in the same sentence.
fn ahead<'u, 't>(units: &'u [Unit<'t>], at: usize, more: usize) -> Option<&'u Unit<'t>> {
    units.get(at + more).filter(|_| (0..more).all(|step| !units[at + step].ends))
}

/// The units before one, up to the start of its sentence.
fn backwards(units: &[Unit<'_>], at: usize) -> impl Iterator<Item = usize> {
    let mut open = true;
    (0..at).rev().take_while(move |near| {
        open = open && !units[*near].ends;
        open
    })
}

/// The units behind one, up to the end of its sentence.
fn forwards(units: &[Unit<'_>], at: usize) -> impl Iterator<Item = usize> {
    let mut open = units.get(at).is_some_and(|unit| !unit.ends);
    (at + 1..units.len()).take_while(move |near| {
        let now = open;
        open = open && !units[*near].ends;
        now
    })
}

fn units(text: &str) -> Vec<Unit<'_>> {
    let mut units: Vec<Unit<'_>> = Vec::new();
    let mut characters = text.char_indices().peekable();
    let mut before = None;
    while let Some((start, c)) = characters.next() {
        if c.is_alphanumeric() || c == '_' {
            let han = is_han(c);
            let mut end = start + c.len_utf8();
            while let Some(&(at, next)) = characters.peek() {
                let behind = at + next.len_utf8();
                let joint = !han
                    && matches!(next, '.' | ',' | ':' | '-' | '/' | '\'' | '\u{2019}')
                    && text[behind..].chars().next().is_some_and(|c| c.is_ascii_alphanumeric());
                if (next.is_alphanumeric() && is_han(next) == han) || joint || next == '_' {
                    end = behind;
                    characters.next();
                } else {
                    break;
                }
            }
            let after = characters.peek().map(|(_, next)| *next);
            units.push(Unit { text: &text[start..end], before, after, ends: false });
        } else if matches!(c, '.' | '!' | '?' | '\n' | '。' | '！' | '？' | '；' | ';')
            && let Some(last) = units.last_mut()
        {
            last.ends = true;
        }
        before = Some(c);
    }
    units
}

/// Reads the value that begins at a unit, and how many further units belong to it.
fn read(units: &[Unit<'_>], at: usize) -> Option<(Sort, String, usize)> {
    let unit = &units[at];
    let next = |more: usize| ahead(units, at, more);
    if let Some(often) = often(units, at) {
        return Some(often);
    }
    if let Some(weekday) = weekday(unit.text) {
        return Some((Sort::Weekday, weekday.to_string(), 0));
    }
    if let Some(span) = span(units, at) {
        return Some(span);
    }
    if let Some(month) = month(unit.text) {
        let day = next(1).and_then(|unit| day(unit.text))?;
        let year =
            next(2).is_some_and(|unit| plain(unit.text).is_some_and(|year| (1900..2200).contains(&year)));
        return Some((Sort::Day, format!("{month}-{day}"), 1 + usize::from(year)));
    }
    if !unit.text.starts_with(|c: char| c.is_ascii_digit()) {
        if let Some(number) = number_word(unit.text) {
            return Some((Sort::Count, number.to_string(), 0));
        }
        let version = unit.text.strip_prefix(['v', 'V']).filter(|rest| is_version(rest))?;
        return Some((Sort::Version, version.to_owned(), 0));
    }
    if is_score(units, at) {
        return Some((Sort::Score, unit.text.to_owned(), 0));
    }
    if let Some((month, day)) = written_day(unit.text) {
        return Some((Sort::Day, format!("{month}-{day}"), 0));
    }
    if let Some(month) = next(1).and_then(|unit| month(unit.text))
        && let Some(day) = day(unit.text)
    {
        return Some((Sort::Day, format!("{month}-{day}"), 1));
    }
    if let (Some(month), Some(han), Some(day)) = (plain(unit.text), next(1), next(2))
        && han.text == "月"
        && next(3).is_some_and(|unit| unit.text.starts_with(['日', '号']))
    {
        return Some((Sort::Day, format!("{month}-{}", plain(day.text)?), 3));
    }
    let follower = next(1).map(|unit| unit.text.to_lowercase()).unwrap_or_default();
    let lower = unit.text.to_lowercase();
    let glued = lower.strip_suffix("am").or_else(|| lower.strip_suffix("pm"));
    if matches!(follower.as_str(), "am" | "pm") || glued.is_some() || unit.text.contains(':') {
        let digits: String = glued.unwrap_or(&lower).to_owned();
        let half = if lower.ends_with("pm") || follower == "pm" { "p" } else { "a" };
        let digits = if digits.contains(':') { digits } else { format!("{digits}:00") };
        return Some((
            Sort::Clock,
            format!("{digits}{half}"),
            usize::from(matches!(follower.as_str(), "am" | "pm")),
        ));
    }
    if unit.before.is_some_and(|c| matches!(c, '$' | '€' | '£' | '¥' | '￥'))
        || matches!(follower.as_str(), "dollars" | "euros" | "usd" | "eur")
        || follower.starts_with('元')
    {
        return Some((Sort::Money, plain_number(unit.text), 0));
    }
    if unit.after == Some('%') || follower == "percent" {
        return Some((Sort::Percent, plain_number(unit.text), 0));
    }
    if is_version(unit.text) && unit.text.matches('.').count() >= 2 {
        return Some((Sort::Version, unit.text.to_owned(), 0));
    }
    unit.text
        .chars()
        .all(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | '-' | '/') || c.is_ascii_lowercase())
        .then(|| (Sort::Count, plain_number(unit.text), 0))
}

fn plain(text: &str) -> Option<u32> {
    text.parse().ok()
}

/// A number without the marks between thousands and without its unit: `4,700`, `250ms`.
fn plain_number(text: &str) -> String {
    text.replace(',', "").trim_end_matches(|c: char| c.is_ascii_lowercase()).trim_end_matches(".0").to_owned()
}

fn is_version(text: &str) -> bool {
    text.split('.').count() > 1
        && text.split('.').all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The day in `2024-04-05`, `04/28`, `04/28/2024`.
fn written_day(text: &str) -> Option<(u32, u32)> {
    let parts: Vec<u32> = text.split(['-', '/']).map(str::parse).collect::<Result<_, _>>().ok()?;
    let (month, day) = match (parts.as_slice(), text.contains('/')) {
        ([year, month, day], _) if *year > 1900 => (*month, *day),
        ([month, day, _] | [month, day], true) => (*month, *day),
        _ => return None,
    };
    ((1..=12).contains(&month) && (1..=31).contains(&day)).then_some((month, day))
}

fn day(text: &str) -> Option<u32> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_lowercase());
    let digits = digits.split([',', '-']).next()?;
    digits.parse().ok().filter(|day| (1..=31).contains(day))
}

fn month(text: &str) -> Option<usize> {
    const MONTHS: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    if !text.starts_with(|c: char| c.is_ascii_uppercase()) {
        return None;
    }
    let lower = text.to_lowercase();
    let is = |month: &str| {
        month == lower
            || (lower.len() == 3 && month.starts_with(&lower))
            || (lower == "sept" && month == "september")
    };
    MONTHS.iter().position(|month| is(month)).map(|month| month + 1)
}

fn number_word(text: &str) -> Option<usize> {
    const WORDS: [&str; 13] = [
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve",
    ];
    // "One" is a pronoun more often than a number.
    WORDS.iter().position(|word| *word == text).filter(|number| *number != 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(text: &str) -> Vec<(Sort, String)> {
        values(text, &mut Analyzer::default()).into_iter().map(|value| (value.sort, value.normal)).collect()
    }

    fn one(text: &str) -> (Sort, String) {
        let all = read_all(text);
        assert_eq!(all.len(), 1, "{text}: {all:?}");
        all[0].clone()
    }

    #[test]
    fn values_are_told_apart() {
        for (text, sort, normal) in [
            ("the budget is $6,200 now", Sort::Money, "6200"),
            ("accuracy went to 90% at last", Sort::Percent, "90"),
            ("due April 5, 2024", Sort::Day, "4-5"),
            ("on the 5 April we ship", Sort::Day, "4-5"),
            ("until 2024-04-05", Sort::Day, "4-5"),
            ("截止日期是4月5日", Sort::Day, "4-5"),
            ("at 3 PM in the lobby", Sort::Clock, "3:00p"),
            ("at 4:30pm", Sort::Clock, "4:30p"),
            ("it takes 250 attempts per call", Sort::Count, "250"),
            ("we have three workers", Sort::Count, "3"),
            ("pinned to v1.4.2", Sort::Version, "1.4.2"),
            ("端口是 8080", Sort::Count, "8080"),
        ] {
            assert_eq!(one(text), (sort, normal.to_owned()), "{text}");
        }
    }

    #[test]
    fn a_value_knows_the_words_of_its_sentence_only() {
        let mut analyzer = Analyzer::default();
        let found = values("The queue is slow. We run 12 workers today. Staging is green.", &mut analyzer);
        let near: BTreeSet<Term> = found[0].around.iter().map(|(term, _)| *term).collect();
        for (word, stands) in [("worker", true), ("run", true), ("queue", false), ("green", false)] {
            assert_eq!(near.contains(&Term::of(word)), stands, "{word}");
        }
    }
}
