//! Arithmetic on calendar days; a date outside of the calendar is `None`.

use jiff::Span;
use jiff::civil::{Date, Weekday};

/// A date of the calendar.
pub(super) fn date(year: i64, month: i64, day: i64) -> Option<Date> {
    Date::new(year.try_into().ok()?, month.try_into().ok()?, day.try_into().ok()?).ok()
}

/// The day so many days later.
pub(super) fn add_days(from: Date, days: i64) -> Option<Date> {
    from.checked_add(Span::new().try_days(days).ok()?).ok()
}

/// The day so many months later; the last day of a shorter month.
pub(super) fn add_months(from: Date, months: i64) -> Option<Date> {
    from.checked_add(Span::new().try_months(months).ok()?).ok()
}

/// The Monday of the week.
pub(super) fn week_start(day: Date) -> Option<Date> {
    add_days(day, -i64::from(day.weekday().to_monday_zero_offset()))
}

/// The week so many weeks later, from Monday to Sunday.
pub(super) fn week(today: Date, offset: i64) -> Option<(Date, Date)> {
    let start = add_days(week_start(today)?, offset.checked_mul(7)?)?;
    Some((start, add_days(start, 6)?))
}

/// The month so many months later, from its first to its last day.
pub(super) fn month(today: Date, offset: i64) -> Option<(Date, Date)> {
    let start = add_months(today.first_of_month(), offset)?;
    Some((start, start.last_of_month()))
}

/// The quarter so many quarters later.
pub(super) fn quarter(today: Date, offset: i64) -> Option<(Date, Date)> {
    let into = i64::from((today.month() - 1) % 3);
    let start = add_months(today.first_of_month(), offset.checked_mul(3)? - into)?;
    Some((start, add_months(start, 2)?.last_of_month()))
}

/// The year.
pub(super) fn year(year: i64) -> Option<(Date, Date)> {
    Some((date(year, 1, 1)?, date(year, 12, 31)?))
}

/// The weekday of the week so many weeks later.
pub(super) fn weekday_of_week(today: Date, weekday: Weekday, offset: i64) -> Option<Date> {
    add_days(week(today, offset)?.0, i64::from(weekday.to_monday_zero_offset()))
}

/// The next such weekday after today.
pub(super) fn coming(today: Date, weekday: Weekday) -> Option<Date> {
    add_days(
        today,
        i64::from(weekday.to_monday_zero_offset() - today.weekday().to_monday_zero_offset() + 6)
            .rem_euclid(7)
            + 1,
    )
}

/// The last such weekday before today.
pub(super) fn past(today: Date, weekday: Weekday) -> Option<Date> {
    add_days(coming(today, weekday)?, -7).filter(|&day| day < today).or_else(|| add_days(today, -7))
}

/// The date with this month and day that is nearest to today, and whether no other year comes near.
pub(super) fn nearest(today: Date, month: i64, day: i64) -> Option<(Date, bool)> {
    let this = i64::from(today.year());
    let distance = |date: &Date| days_between(today, *date).abs();
    let best = (this - 1..=this + 1).filter_map(|year| date(year, month, day)).min_by_key(distance)?;
    Some((best, distance(&best) <= 150))
}

/// The last or the next time that a day of every year comes.
pub(super) fn yearly(today: Date, month: i64, day: i64, past: bool) -> Option<Date> {
    let this = i64::from(today.year());
    let years = if past { [this, this - 1] } else { [this, this + 1] };
    years
        .into_iter()
        .filter_map(|year| date(year, month, day))
        .find(|&date| if past { date <= today } else { date >= today })
}

/// The days from one date to another.
pub(super) fn days_between(from: Date, to: Date) -> i64 {
    from.until(to).map_or(0, |span| i64::from(span.get_days()))
}

/// Whether the span is a whole month.
pub(super) fn is_month(start: Date, end: Date) -> bool {
    start.day() == 1 && end == start.last_of_month()
}

/// Whether the span is a whole year.
pub(super) fn is_year(start: Date, end: Date) -> bool {
    start.year() == end.year() && (start.month(), start.day(), end.month(), end.day()) == (1, 1, 12, 31)
}
