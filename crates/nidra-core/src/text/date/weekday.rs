//! English weekdays: which week they mean, and whether they name a day at all.

use super::Reading;
use super::calendar::{self, add_days};
use super::context::{Context, ends_here};
use super::english::{MONTHS, group};
use jiff::civil::Weekday;
use regex::Captures;

/// The weekday that a name begins with.
pub(super) fn weekday(name: &str) -> Option<Weekday> {
    Some(match name.get(..2)? {
        "mo" => Weekday::Monday,
        "tu" => Weekday::Tuesday,
        "we" => Weekday::Wednesday,
        "th" => Weekday::Thursday,
        "fr" => Weekday::Friday,
        "sa" => Weekday::Saturday,
        "su" => Weekday::Sunday,
        _ => return None,
    })
}

pub(super) fn weekday_week(captures: &Captures<'_>, context: &Context<'_>) -> Option<Reading> {
    let name = captures.name("w").or_else(|| captures.name("v"))?.as_str().to_lowercase();
    if captures.name("v").is_some() && context.is_habit() {
        return None;
    }
    Some(Reading::day(add_days(calendar::coming(context.today, weekday(&name)?)?, 7)?))
}

pub(super) fn next_weekday(captures: &Captures<'_>, context: &Context<'_>) -> Option<Reading> {
    let weekday = weekday(&group(captures, "w"))?;
    let coming = calendar::coming(context.today, weekday)?;
    if captures.name("tail").is_some() {
        // "next friday, not this one, the one after": said in full.
        return Some(Reading::day(add_days(coming, 7)?));
    }
    let following = calendar::weekday_of_week(context.today, weekday, 1)?;
    let plain =
        captures.name("tail").map_or(captures.get(0)?.len(), |tail| tail.start() - context.range.start);
    let stated = context.after().contains("not this one") || context.after().contains("the one after");
    Some(Reading { length: Some(plain), ..Reading::day(following) }.sure(coming == following && !stated))
}

pub(super) fn which_weekday(captures: &Captures<'_>, context: &Context<'_>) -> Option<Reading> {
    let weekday = weekday(&group(captures, "w"))?;
    let today = context.today;
    match group(captures, "which").as_str() {
        "last" | "this past" => {
            let past = calendar::past(today, weekday)?;
            // Of a day of this very week, `last` may also mean the week before.
            let certain = calendar::week_start(past) != calendar::week_start(today);
            Some(Reading::day(past).sure(certain))
        }
        "this" => {
            let day = calendar::weekday_of_week(today, weekday, 0)?;
            if day >= today {
                return Some(Reading::day(day));
            }
            let past = context.is_past() == Some(true);
            let best = if past { day } else { calendar::coming(today, weekday)? };
            Some(Reading::day(best).sure(past))
        }
        _ => Some(Reading::day(calendar::coming(today, weekday)?)),
    }
}

/// Whether a weekday stands in a range or list of weekdays (`Monday to Friday`), or names something else.
fn is_other_weekday(context: &Context<'_>) -> bool {
    let after = context.after();
    let next = after.trim_start();
    let ranged = ["to ", "through ", "thru ", "- ", "– "].iter().any(|mark| {
        next.strip_prefix(mark).is_some_and(|rest| weekday(rest.trim_start()).is_some() && is_weekday(rest))
    });
    let word = context.word_before();
    let end_of_range = matches!(word.as_str(), "to" | "through" | "thru")
        && DAYS.iter().any(|day| context.before().contains(day));
    ranged
        || end_of_range
        || dated(next)
        || matches!(word.as_str(), "a" | "black" | "good" | "cyber" | "casual" | "the")
}

/// Whether a date of the calendar follows a weekday: `Friday, June 12`, `Friday 12 June`, `Friday, 2026-06-12`.
fn dated(after: &str) -> bool {
    let rest = after.trim_start_matches([',', ' ', '(']);
    let rest = rest.strip_prefix("the ").unwrap_or(rest);
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let behind = rest[digits..]
        .trim_start_matches("st")
        .trim_start_matches("nd")
        .trim_start_matches("rd")
        .trim_start_matches("th");
    let behind = behind.trim_start().trim_start_matches("of ");
    let month = |text: &str| MONTHS.iter().any(|month| text.starts_with(month));
    match digits {
        0 => month(rest) && rest.contains(|c: char| c.is_ascii_digit()),
        1 | 2 => month(behind),
        4 => behind.starts_with('-'),
        _ => false,
    }
}

const DAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

fn is_weekday(text: &str) -> bool {
    DAYS.iter().any(|day| text.starts_with(day))
}

pub(super) fn prepared_weekday(captures: &Captures<'_>, context: &Context<'_>) -> Option<Reading> {
    let weekday = weekday(&group(captures, "w"))?;
    if context.is_habit() || is_other_weekday(context) {
        return None;
    }
    let coming = calendar::coming(context.today, weekday)?;
    let past = calendar::past(context.today, weekday)?;
    let today = context.today.weekday() == weekday;
    let tense = context.is_past();
    Some(match group(captures, "prep").as_str() {
        "since" | "as of" => Reading::day(past).sure(!today),
        "by" | "until" | "till" | "til" | "due" | "see you" | "starting" => Reading::day(coming).sure(!today),
        "from" | "before" | "after" if tense == Some(true) => Reading::day(past).sure(false),
        "on" => {
            // "no deploys on Friday": a rule, not a date.
            let rule = context
                .before()
                .split_whitespace()
                .any(|word| matches!(word, "no" | "don't" | "dont" | "avoid"));
            if rule {
                return None;
            }
            match tense {
                Some(true) => Reading::day(past).sure(!today),
                Some(false) => Reading::day(coming).sure(!today),
                None => Reading::day(coming).sure(false),
            }
        }
        _ => Reading::day(coming).sure(false),
    })
}

pub(super) fn bare_weekday(captures: &Captures<'_>, context: &Context<'_>) -> Option<Reading> {
    let weekday = weekday(&group(captures, "w"))?;
    let after = context.after();
    let lone = context.before().trim().is_empty();
    // What stands behind a preposition was judged there.
    let judged = matches!(
        context.word_before().as_str(),
        "on" | "by"
            | "until"
            | "till"
            | "til"
            | "before"
            | "after"
            | "since"
            | "from"
            | "for"
            | "due"
            | "you"
            | "of"
            | "starting"
    );
    if judged {
        return None;
    }
    if context.is_habit()
        || is_other_weekday(context)
        || !ends_here(&after)
        || lone && after.trim().is_empty()
    {
        return None;
    }
    // A list of weekdays, or a weekday behind a word that cannot carry a date.
    let listed = DAYS.iter().any(|day| after.contains(day) || context.before().contains(day));
    if listed || after.starts_with(':') {
        return None;
    }
    let past = context.is_past() == Some(true);
    let best = if past {
        calendar::past(context.today, weekday)?
    } else {
        calendar::coming(context.today, weekday)?
    };
    Some(Reading::day(best).sure(false))
}
