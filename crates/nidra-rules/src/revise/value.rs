//! The values of a text with their places: numbers with units, times, days, addresses, codes, commands.

use super::{address, clock, counted, unit};
use nidra_core::text::expression;
use nidra_core::text::language::is_han;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// What form a value has; only values of one form take each other's place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Code between backticks.
    Command,
    /// An address with its protocol.
    Url,
    /// A host, with or without a port.
    Host,
    /// A path.
    Path,
    /// A version or a number with decimals.
    Version,
    /// A hexadecimal number.
    Hex,
    /// A time of day.
    Time,
    /// A day of the week.
    Weekday,
    /// A name with dashes, underscores or digits, by its shape.
    Code(String),
    /// A number with the class of its unit; empty for a bare one.
    Number(&'static str),
    /// The port within an address.
    Port,
}

/// A value in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Value {
    /// Its form.
    pub(crate) form: Form,
    /// Where it stands, in bytes.
    pub(crate) range: Range<usize>,
    /// The words as they stand there.
    pub(crate) text: String,
    /// The words that count when two are compared.
    pub(crate) key: String,
    /// What a number counts, by the word right behind it.
    pub(super) noun: Option<counted::Noun>,
}

/// Tells the form of the words that a pattern found.
type FormOf = fn(&str) -> Form;

static PATTERNS: LazyLock<Vec<(FormOf, Option<Regex>)>> = LazyLock::new(|| {
    let shapes: [(FormOf, &str); 9] = [
        (|_| Form::Command, r"`[^`\n]{2,80}`"),
        (|_| Form::Url, r"(?i)\b[a-z][a-z0-9+]*://[^\s，。；）)」`]+"),
        (|_| Form::Hex, r"(?i)(?-u:\b)0x[0-9a-f]+"),
        (|_| Form::Version, r"(?i)(?-u:\b)v?\d+\.\d+(?:\.\d+)*(?-u:\b)"),
        (|_| Form::Path, r"(?:[A-Za-z0-9_.@-]+/|/|~/)[A-Za-z0-9_./<>*@-]*[A-Za-z0-9_*>-]"),
        (
            |_| Form::Host,
            r"(?i)(?-u:\b)[a-z0-9][a-z0-9-]*(?:\.[a-z0-9-]+)*\.[a-z][a-z0-9-]*[a-z0-9](?::\d{2,5})?(?-u:\b)|(?-u:\b)\d{1,3}(?:\.\d{1,3}){3}(?::\d{2,5})?(?-u:\b)",
        ),
        (
            |_| Form::Weekday,
            r"(?i)(?:周|星期|礼拜)[一二三四五六日天]|(?-u:\b)(?:mon|tues|wednes|thurs|fri|satur|sun)days?(?-u:\b)",
        ),
        (code, r"(?-u:\b)[A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]*)+|(?-u:\b)[A-Za-z]+\d+[A-Za-z0-9]*(?-u:\b)"),
        (|_| Form::Number(""), r"[€$£¥]? ?\d+(?:,\d{3})*"),
    ];
    shapes.into_iter().map(|(form, pattern)| (form, expression::new(pattern).ok())).collect()
});

static DATE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(r"(?i)(?-u:\b)(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* (?:\d{4}|\d{1,2}(?:st|nd|rd|th)?(?:,? \d{4})?)(?-u:\b)|(?-u:\b)\d{1,2}(?:st|nd|rd|th)? (?:of )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*(?:,? \d{4})?(?-u:\b)|\d{4}-\d\d(?:-\d\d)?|\d{1,2} ?月(?: ?\d{1,2} ?[日号])?|\d{4} ?年|(?-u:\b)\d{1,2}(?:st|nd|rd|th)(?-u:\b)|#\d+").ok()
});

/// The shape of a name: its letters' case and its marks, digits as one.
fn code(text: &str) -> Form {
    let mut shape = String::new();
    for character in text.chars() {
        let mark = if character.is_ascii_digit() {
            '0'
        } else if character.is_ascii_uppercase() {
            'A'
        } else if character.is_ascii_lowercase() {
            'a'
        } else {
            character
        };
        if !shape.ends_with(mark) {
            shape.push(mark);
        }
    }
    Form::Code(shape)
}

/// The values of a text, in order.
pub(crate) fn find(text: &str) -> Vec<Value> {
    let mut rest = text.to_owned();
    let blank =
        |range: Range<usize>, rest: &mut String| rest.replace_range(range.clone(), &" ".repeat(range.len()));
    if let Some(date) = DATE.as_ref() {
        let ranges: Vec<_> = date.find_iter(text).map(|hit| hit.range()).collect();
        for range in ranges {
            blank(range, &mut rest);
        }
    }
    let mut found = Vec::new();
    for (form, pattern) in PATTERNS.iter() {
        let Some(pattern) = pattern else { continue };
        // What stands in code, an address or a version is no time; what is left of a time is no path or number.
        if form("") == Form::Path {
            for (range, key) in clock::find(&rest) {
                found.push(Value {
                    key,
                    noun: None,
                    form: Form::Time,
                    text: text[range.clone()].to_owned(),
                    range: range.clone(),
                });
                blank(range, &mut rest);
            }
        }
        let ranges: Vec<_> = pattern.find_iter(&rest).map(|hit| hit.range()).collect();
        for mut range in ranges {
            // A number's blank before its currency sign belongs to the sentence.
            range.start += rest[range.clone()].len() - rest[range.clone()].trim_start().len();
            let words = text[range.clone()].trim_end_matches([',', '.']);
            range.end = range.start + words.len();
            let mut form = form(words);
            // Marks alone are no command.
            if form == Form::Command && !words.chars().any(|c| c.is_ascii_alphanumeric() || is_han(c)) {
                continue;
            }
            // `thirty-six` is a number in words.
            if matches!(form, Form::Code(_)) && super::spelled::is_number(words) {
                continue;
            }
            if form == Form::Host && address::is_file(words) {
                form = Form::Path;
            }
            if form == Form::Number("") {
                let (class, length) = unit::after(words, &text[range.end..]);
                // `NDCG@10` gives no number of its own.
                let attached = text[..range.start].ends_with(['@', '_']);
                if class.is_empty() && (attached || counted::identifies(text, &range)) {
                    continue;
                }
                form = Form::Number(class);
                range.end += length;
            }
            let words = &text[range.clone()];
            found.push(Value {
                key: key(&form, words),
                noun: matches!(form, Form::Number(_) | Form::Version)
                    .then(|| counted::noun(text, range.end))
                    .flatten(),
                form,
                text: words.to_owned(),
                range: range.clone(),
            });
            blank(range, &mut rest);
        }
    }
    for (range, number, needs_unit) in super::spelled::find(&rest) {
        let (class, length) = unit::after("", &text[range.end..]);
        // `one` and `一个` are articles far more often than numbers.
        if class.is_empty() && needs_unit || number == 1 {
            continue;
        }
        let range = range.start..range.end + length;
        let words = &text[range.clone()];
        found.push(Value {
            key: number.to_string(),
            noun: counted::noun(text, range.end),
            form: Form::Number(class),
            text: words.to_owned(),
            range,
        });
    }
    let ports: Vec<Value> = found.iter().filter_map(address::port).collect();
    found.extend(ports);
    found.sort_by_key(|value| value.range.start);
    found
}

/// A text without what its values name; days and commands keep their words.
pub(crate) fn blank(text: &str) -> String {
    without(text, |form| !matches!(form, Form::Weekday | Form::Command))
}

/// A text without its days of the week that hold every week; `next Friday` is one day.
pub(crate) fn without_weekdays(text: &str) -> String {
    const POINTS: [&str; 9] = ["next", "last", "this", "coming", "past", "上", "下", "本", "这"];
    let mut rest = text.to_owned();
    for value in find(text).iter().filter(|value| value.form == Form::Weekday) {
        let before = text[..value.range.start].trim_end().to_lowercase();
        if !POINTS.iter().any(|point| before.ends_with(point)) {
            rest.replace_range(value.range.clone(), &" ".repeat(value.range.len()));
        }
    }
    rest
}

/// A text with blanks in the place of the values of some forms.
fn without(text: &str, gone: impl Fn(&Form) -> bool) -> String {
    let mut rest = text.to_owned();
    for value in find(text).iter().filter(|value| gone(&value.form)) {
        rest.replace_range(value.range.clone(), &" ".repeat(value.range.len()));
    }
    rest
}

fn key(form: &Form, text: &str) -> String {
    match form {
        Form::Number(_) => text.chars().filter(char::is_ascii_digit).collect(),
        Form::Weekday => weekday(text).map_or_else(String::new, |day| day.to_string()),
        Form::Command => text.trim_matches('`').to_lowercase(),
        _ => text.trim_end_matches('/').to_lowercase(),
    }
}

const DAYS: &[(&str, char)] = &[
    ("mon", '一'),
    ("tue", '二'),
    ("wed", '三'),
    ("thu", '四'),
    ("fri", '五'),
    ("sat", '六'),
    ("sun", '日'),
];

fn weekday(text: &str) -> Option<usize> {
    let lower = text.to_lowercase();
    let last = lower.chars().last().map(|c| if c == '天' { '日' } else { c });
    DAYS.iter().position(|(name, han)| lower.starts_with(name) || last == Some(*han))
}

/// Whether one may take the other's place.
pub(crate) fn comparable(old: &Value, new: &Value) -> bool {
    let of_one_form = match (&old.form, &new.form) {
        (Form::Number(left), Form::Number(right)) => {
            left == right || right.is_empty() || left.is_empty() && *right == "count"
        }
        (Form::Version, Form::Number("")) => new.key.len() <= 2,
        (Form::Number(""), Form::Version) | (Form::Url, Form::Host) | (Form::Host, Form::Url) => true,
        // `it is on 8090 these days` of an address; a single digit is no port.
        (Form::Port, Form::Number("")) => (2..=5).contains(&new.key.len()),
        // `exp031` and `exp047` are of one kind, `fp16` and `nova2` are not.
        (Form::Code(left), Form::Code(right)) if !left.contains(['-', '_']) => {
            let letters =
                |value: &Value| value.key.trim_end_matches(|c: char| !c.is_ascii_alphabetic()).to_owned();
            left == right && letters(old) == letters(new)
        }
        (Form::Code(left), Form::Code(right)) => {
            left == right
                || left.ends_with('_') && right.ends_with('_')
                || left.ends_with('-') && right.ends_with('-')
        }
        (left, right) => left == right,
    };
    of_one_form && counted::agree(old, new)
}

/// Whether two values of one form are the same, however they are written: `336 hours` and `14 days`.
pub(crate) fn equal(left: &Value, right: &Value) -> bool {
    left.key == right.key || unit::equal((&left.key, &left.text), (&right.key, &right.text))
}

/// The name right before a number, in small letters: `JDK` of `JDK 17`, `python` of `python v3.11`.
pub(crate) fn label(text: &str, range: &Range<usize>) -> Option<String> {
    let head = text.get(..range.start)?.trim_end();
    let head = ["version", " v"].iter().find_map(|mark| head.strip_suffix(mark)).unwrap_or(head).trim_end();
    let start = head
        .char_indices()
        .rev()
        .take_while(|(_, c)| c.is_ascii_alphanumeric() || matches!(c, '+' | '#'))
        .last()
        .map(|(at, _)| at)?;
    let word = head[start..].to_lowercase();
    let name = word.len() >= 2
        && word.starts_with(|c: char| c.is_ascii_alphabetic())
        && !crate::lexicon::is_stop_word(&word)
        && ![
            "at", "by", "is", "are", "max", "min", "least", "most", "than", "about", "page", "step", "row",
            "line",
        ]
        .contains(&word.as_str());
    name.then_some(word)
}

/// Whether both give a quantity of one rare class: lengths of time and counts are told of everything.
pub(crate) fn is_telling(old: &Value, new: &Value) -> bool {
    matches!((&old.form, &new.form), (Form::Number(left), Form::Number(right)) if left == right && matches!(*left, "rate" | "size" | "share" | "money"))
}

/// How the new value is written in the old one's place.
pub(crate) fn spelled(old: &Value, new: &Value) -> String {
    match (&old.form, &new.form) {
        (Form::Number(class), Form::Number(other)) if !class.is_empty() && other.is_empty() => {
            let digits = old.text.find(|c: char| c.is_ascii_digit()).unwrap_or(0);
            let end = old.text.rfind(|c: char| c.is_ascii_digit()).map_or(old.text.len(), |at| at + 1);
            format!(
                "{}{}{}",
                &old.text[..digits],
                new.text.trim_start_matches(['$', '€', '£', '¥']),
                &old.text[end..]
            )
        }
        // A statement that gives its time in figures keeps them.
        (Form::Time, Form::Time) if old.text == old.key => new.key.clone(),
        // The protocol and the path of an address stay where only its host is told.
        (Form::Url, Form::Host) => {
            let old_host = address::host(&old.text);
            let with_port = format!("{old_host}:");
            let place = old.text.find(old_host).unwrap_or(0);
            let end = place + old_host.len();
            let port = old.text[place..].starts_with(&with_port) && new.text.contains(':');
            let rest = &old.text[end..];
            let rest = if port { rest.find('/').map_or("", |at| &rest[at..]) } else { rest };
            format!("{}{}{rest}", &old.text[..place], new.text)
        }
        (Form::Weekday, Form::Weekday) => {
            let Some(day) = weekday(&new.text).and_then(|at| DAYS.get(at)) else { return new.text.clone() };
            if let Some(last) = old.text.chars().last().filter(|c| is_han(*c)) {
                return format!("{}{}", old.text.trim_end_matches(last), day.1);
            }
            let full = match day.0 {
                "tue" => "Tuesday",
                "wed" => "Wednesday",
                "thu" => "Thursday",
                "sat" => "Saturday",
                "mon" => "Monday",
                "fri" => "Friday",
                _ => "Sunday",
            };
            if old.text.ends_with('s') { format!("{full}s") } else { full.to_owned() }
        }
        _ => new.text.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_keep_their_units_and_places() {
        let text = "Quota is 200 MB, kept 30 days, at box-1.example.test:81, code RX-4410, `make all`";
        let found = find(text);
        let texts: Vec<&str> = found.iter().map(|value| value.text.as_str()).collect();
        assert_eq!(texts, ["200 MB", "30 days", "box-1.example.test:81", "81", "RX-4410", "`make all`"]);
        assert!(found.iter().all(|value| text[value.range.clone()] == value.text));
        assert!(find("since 2026-05-04").is_empty());
    }

    #[test]
    fn only_days_of_every_week_are_left_out() {
        assert_eq!(without_weekdays("Backup Sunday 02:00").trim_end(), "Backup        02:00");
        assert_eq!(without_weekdays("Release is next Friday"), "Release is next Friday");
        assert_eq!(without_weekdays("下周五发布"), "下周五发布");
    }

    #[test]
    fn an_address_gives_its_host_and_its_port() {
        let old = find("The wiki is at https://wiki.example.test:7070/start");
        let new = find("it is on 7171 now");
        let port = old.iter().find(|value| value.form == Form::Port).expect("a port");
        assert!(comparable(port, &new[0]));
        assert_eq!(spelled(port, &new[0]), "7171");
        let (old, new) = (find("https://wiki.example.test/start"), find("现在走 docs.example.test 了"));
        assert_eq!(spelled(&old[0], &new[0]), "https://docs.example.test/start");
    }

    #[test]
    fn numbers_in_words_are_values() {
        assert!(comparable(&find("90 days")[0], &find("a hundred and twenty days")[0]));
        assert!(comparable(&find("48 hours before")[0], &find("it is thirty-six hours now")[0]));
        assert_eq!(spelled(&find("每组 8 台")[0], &find("给到十二台")[0]), "十二台");
        // A word of number without its unit is a common word.
        assert!(find("one of the two").is_empty());
    }

    #[test]
    fn a_bare_number_takes_the_unit_of_its_place() {
        let (old, new) = (find("30 秒"), find("降到 8"));
        assert!(comparable(&old[0], &new[0]));
        assert_eq!(spelled(&old[0], &new[0]), "8 秒");
        let (old, new) = (find("every Tuesday"), find("moved to thursday nights"));
        assert_eq!(spelled(&old[0], &new[0]), "Thursday");
        assert!(!comparable(&find("30 days")[0], &find("30 MB")[0]));
    }
}
