//! Where two sentences cannot both hold: other values of one form, another filler of one role, a rule that is lifted.

use super::super::value::{self, Form, Value};
use super::super::{Known, Said, find_word, in_date, known, word};
use super::comparable;
use crate::terms;
use nidra_core::text::date;
use nidra_core::text::language::is_han;
use regex::Regex;
use std::sync::LazyLock;

/// What kind of conflict there is, which tells how much of the subject must be named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The old value was shown right before, or stands in the line as the former one.
    Shown,
    /// Both give a value of one class.
    Typed,
    /// Both give a number.
    Bare,
    /// The old name is said to be over.
    Gone,
    /// Another name fills the role.
    Filler,
    /// A rule is said to hold no longer.
    Lifted,
}

/// Why two sentences cannot both hold.
#[derive(Clone, Debug)]
pub(super) struct Conflict {
    pub(super) kind: Kind,
    /// The new values or names.
    pub(super) fresh: Vec<String>,
    /// The one value that may be put in the old one's place.
    pub(super) swap: Option<(Value, Value)>,
}

impl Conflict {
    fn of(kind: Kind, fresh: Vec<String>) -> Self {
        Self { kind, fresh, swap: None }
    }

    /// What the conflict itself says for one subject.
    pub(super) fn bonus(&self) -> f64 {
        match self.kind {
            Kind::Shown | Kind::Gone => 0.9,
            Kind::Typed | Kind::Lifted => 0.5,
            Kind::Filler => 0.4,
            Kind::Bare => 0.2,
        }
    }
}

/// The conflict between a sentence of memory and a line; `None` where both may hold.
pub(super) fn between(part: &Known, whole: &Known, line: &str, said: &Said) -> Option<Conflict> {
    let by_value = of_values(part, whole, line, said);
    let by_name = || of_names(part, whole, line);
    let by_rule = || lifted(part, line);
    by_value.or_else(by_rule).or_else(by_name)
}

fn of_values(part: &Known, whole: &Known, line: &str, said: &Said) -> Option<Conflict> {
    if let Some(dates) = of_dates(part, line, said) {
        return Some(dates);
    }
    let told = value::find(line);
    let mut best: Option<(u8, Kind, Value, Value)> = None;
    let mut clashes = 0;
    for old in &part.values {
        let own = told.iter().find(|new| new.key == old.key && value::comparable(old, new));
        if own.is_some_and(|own| word::is_kept(line, &own.range)) {
            continue;
        }
        let shown = said.around_values.iter().any(|value| value.key == old.key)
            || matches!(old.form, Form::Command)
                && old.key.len() >= 4
                && said.around_lower.contains(old.key.as_str());
        let fresh: Vec<&Value> = told
            .iter()
            .filter(|new| {
                let fits = value::comparable(old, new)
                    || shown && old.form == Form::Command && matches!(new.form, Form::Command | Form::Path);
                fits && !new.key.is_empty()
                    && !whole.values.iter().any(|other| other.key == new.key)
                    && !word::is_gone(line, &new.range)
                    && !in_date_of(said, line, new)
            })
            .collect();
        let Some(new) = fresh.iter().find(|new| new.form == old.form).or(fresh.first()).copied() else {
            continue;
        };
        if let Some(own) = own
            && !word::is_gone(line, &own.range)
            && own.range.start > new.range.start
        {
            continue;
        }
        clashes += 1;
        let bare = matches!(old.form, Form::Number("")) || matches!(new.form, Form::Number(""));
        let nouns = bare && same_noun(&part.text, old, line, new);
        let kind = match (shown || own.is_some(), bare && !nouns) {
            (true, false) => Kind::Shown,
            (true, true) | (false, false) => Kind::Typed,
            (false, true) => Kind::Bare,
        };
        let rank = match kind {
            Kind::Shown => 3,
            Kind::Typed => 2,
            _ => 1,
        };
        if best.as_ref().is_none_or(|best| rank > best.0) {
            best = Some((rank, kind, old.clone(), new.clone()));
        }
    }
    let (_, kind, old, new) = best?;
    let single = clashes == 1
        && comparable(&old, &told).len() == 1
        && comparable(&new, &part.values).len() == 1
        && value::comparable(&old, &new)
        && told.iter().filter(|other| other.key != new.key && other.form != Form::Port).count() == 0;
    Some(Conflict { kind, fresh: vec![new.text.clone()], swap: single.then_some((old, new)) })
}

/// Whether a value of a line is part of a date there.
fn in_date_of(said: &Said, line: &str, value: &Value) -> bool {
    let base = line.as_ptr() as usize - said.text.as_ptr() as usize;
    let moved = Value { range: value.range.start + base..value.range.end + base, ..value.clone() };
    said.text.get(moved.range.clone()).is_some() && in_date(said, &moved)
}

/// Whether the same word stands behind both numbers: `10 holds`, `15 holds each`.
fn same_noun(older: &str, old: &Value, newer: &str, new: &Value) -> bool {
    let next = |text: &str, value: &Value| {
        let rest = text.get(value.range.end..).unwrap_or_default().trim_start();
        if rest.starts_with(is_han) {
            return rest.chars().next().map(String::from).unwrap_or_default();
        }
        terms::terms(rest.split([' ', ',', '.', ';']).next().unwrap_or_default())
            .into_iter()
            .next()
            .unwrap_or_default()
    };
    let (left, right) = (next(older, old), next(newer, new));
    !left.is_empty() && terms::same(&left, &right)
}

/// Both give a day, and not the same one.
fn of_dates(part: &Known, line: &str, said: &Said) -> Option<Conflict> {
    let old = date::find(&part.text, &said.moment);
    let old = old.iter().find(|mention| mention.absolute)?;
    let told = date::find(line, &said.moment);
    let new = told.iter().find(|mention| {
        mention.certain && mention.start > said.moment.date() && mention.start != old.start
    })?;
    if told.iter().any(|mention| mention.start == old.start) {
        return None;
    }
    // A day since which or before which something holds is no day of the matter.
    let head = line.get(..new.range.start)?.trim_end().to_lowercase();
    if ["since", "from", "until", "till", "从", "自"].iter().any(|word| head.ends_with(word)) {
        return None;
    }
    Some(Conflict::of(Kind::Typed, vec![line.get(new.range.clone())?.to_owned()]))
}

/// Another name stands in the role of a name of the sentence.
fn of_names(part: &Known, whole: &Known, line: &str) -> Option<Conflict> {
    let fillers: Vec<&str> = part
        .names
        .iter()
        .map(|range| &part.text[range.clone()])
        .chain(
            part.values
                .iter()
                .filter(|value| matches!(value.form, Form::Command | Form::Code(_) | Form::Path | Form::Host))
                .map(|value| value.text.as_str()),
        )
        .collect();
    let lower = line.to_lowercase();
    if fillers.is_empty() || lower.len() != line.len() {
        return None;
    }
    let place = |name: &str| {
        let name = name.trim_matches('`').to_lowercase();
        let first = name.split(' ').next().unwrap_or_default().to_owned();
        find_word(&lower, &name).or_else(|| (first.len() >= 3).then(|| find_word(&lower, &first)).flatten())
    };
    let gone = fillers.iter().any(|name| {
        place(name).is_some_and(|range| {
            word::is_gone(line, &range) || LEFT.as_ref().is_some_and(|left| left.is_match(&line[range.end..]))
        })
    });
    let fresh = fresh_names(line, whole, &fillers);
    if fresh.is_empty() {
        return None;
    }
    if gone {
        return Some(Conflict::of(Kind::Gone, fresh));
    }
    // What still stands in the line is not replaced by what stands beside it.
    if fillers.iter().any(|name| place(name).is_some()) {
        return None;
    }
    let role = ROLE.as_ref().is_some_and(|role| role.is_match(line));
    role.then(|| Conflict::of(Kind::Filler, fresh))
}

/// The names in a line that the entry does not have.
fn fresh_names(line: &str, whole: &Known, fillers: &[&str]) -> Vec<String> {
    let values = value::find(line);
    let mut found: Vec<String> =
        known::names(line, &values).into_iter().map(|range| line[range].to_owned()).collect();
    found.extend(
        values
            .iter()
            .filter(|value| matches!(value.form, Form::Command | Form::Code(_) | Form::Path | Form::Host))
            .map(|value| value.text.clone()),
    );
    let latin = fillers.iter().any(|name| name.chars().any(|c| c.is_ascii_alphabetic()));
    found.retain(|name| {
        let key = name.trim_matches('`').to_lowercase();
        find_word(&whole.lower, &key).is_none()
            && (latin == key.chars().any(|c| c.is_ascii_alphabetic()) || key.chars().any(is_han))
            && !crate::title::is_short_form(name)
    });
    found
}

/// Someone who went elsewhere, right behind the name.
static LEFT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)^(?:'s| is| has| have|'ve)? ?(?:with (?:the )?[^,.;]{2,24}(?: these days| now)|gone to|on (?:\w+ )?leave|retired|",
        r"moved to|joined|switched to|left|works (?:for|in|on))|^ ?(?:上个?[月周]|去年|已经)?(?:走了|离职|转去|转到|调去|调到|去了|休产假|退休)",
    ))
    .ok()
});

/// Words by which a role is filled.
static ROLE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)(?-u:\b)(?:by|with|in|on|over|through|using|use|uses|via|to|from|ping|ask|is|are|sits? on|runs? on|handled by|customers? of|for)(?-u:\b)|",
        r"用|走|找|归|上|换|收|接|从|在|是|问|要|按",
    ))
    .ok()
});

/// A rule is lifted or turned round.
static LIFTED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)(?-u:\b)(?:(?:is|are|was) (?:\w+ )?(?:fine|ok|okay|allowed|permitted|welcome|not needed|unnecessary|obsolete)(?-u:\b)|(?:that |the |this )?rule can go|",
        r"(?:can|may|could) be (?:dropped|skipped|retired|forgotten)|no (?:need|longer|more)|any ?more|too strict|no [\w ]{3,30} any ?more|drop the|lifted)(?-u:\b)|",
        r"不用再|不必再|不再|没必要|无需|可以不|不需要再|用不着|不用了|取消了|放开了|随便用|可以用了|删掉|废除|不限制了|毙了",
    ))
    .ok()
});
/// Memory forbids or demands.
static RULE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)(?-u:\b)(?:never|only|no|not|don'?t|must|always|before|first|every|otherwise|so we|needs?|have to|because|until)(?-u:\b)|",
        r"必须|别|不许|不要|不能|禁止|只能|一律|不准|要|先|不然|否则|都得",
    ))
    .ok()
});

fn lifted(part: &Known, line: &str) -> Option<Conflict> {
    let lifts = LIFTED.as_ref()?.is_match(line) && RULE.as_ref()?.is_match(&part.text);
    lifts.then(|| Conflict::of(Kind::Lifted, Vec::new()))
}
