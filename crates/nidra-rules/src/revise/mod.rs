//! Finds where a person's words put another value in the place of what a known statement says.
//!
//! `raise it to 750 MB` names no subject; the statement that gives the old value does. What is taken as replaced
//! needs a ground: the old value is named as over, it was shown right before, or both speak of one subject.

use crate::families;
use crate::lexicon::Cue;
use crate::phrase;
use crate::terms;
use jiff::ZonedDateTime;
use nidra_core::text::language::is_han;
use std::collections::BTreeSet;
use std::ops::Range;

mod address;
mod another;
mod clock;
pub(crate) mod collect;
mod compose;
pub(crate) mod counted;
mod draft;
mod ended;
mod known;
mod nearby;
mod said;
mod spelled;
mod swapped;
mod unit;
pub(crate) mod used;
pub(crate) mod value;
mod word;

pub(crate) use another::{is_attribute, is_of_another};
pub(crate) use draft::{Draft, draft};
pub(crate) use ended::ended;
pub(crate) use known::Known;
pub(crate) use said::{Said, own_before, said, sentence, sets_nothing};
pub(crate) use swapped::swapped;
use value::{Form, Value};

/// A statement with another value in it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Revision {
    /// The new statement with what else was said of it.
    pub(crate) text: String,
    /// The new statement alone.
    pub(crate) core: String,
    /// The new values.
    pub(crate) fresh: Vec<String>,
    /// How sure it is; 1 is the least for what rests on the subject alone.
    pub(crate) sureness: f64,
}

/// One old piece of a statement with what takes its place.
struct Swap {
    range: Range<usize>,
    old: String,
    new: String,
    /// The new value as it was said.
    said: String,
    sureness: f64,
    /// It is a name rather than a value.
    name: bool,
}

/// The new values in a statement that the person's words give too, beside the old ones or on the same subject: what is
/// said is known already.
pub(crate) fn known_values(known: &Known, said: &Said) -> Vec<String> {
    let mut found: Vec<String> = known
        .values
        .iter()
        .filter_map(|held| {
            let own = said.values.iter().find(|new| new.key == held.key && value::comparable(held, new))?;
            let firm = said.mark(own).strength;
            let rivals = |values: &&Value| values.key != held.key && value::comparable(held, values);
            let outdone = said
                .values
                .iter()
                .filter(rivals)
                .any(|other| !said.mark(other).gone && said.mark(other).strength >= firm.max(1));
            let turned = said.values.iter().any(|other| rivals(&other))
                || said.around_values.iter().any(|other| rivals(&other))
                || known.coverage(said, "").1 >= 0.5;
            let ended = said.values.iter().any(|other| rivals(&other) && said.mark(other).gone);
            (turned && (firm > 0 || ended) && !outdone && !said.mark(own).gone).then(|| own.text.clone())
        })
        .collect();
    if said.cues.any(&[Cue::Change, Cue::Removal, Cue::Denial]) {
        let named = |next: &&String| {
            known.names.iter().any(|range| known.text[range.clone()].eq_ignore_ascii_case(next))
                || next.contains(' ') && find_word(&known.lower, &next.to_lowercase()).is_some()
        };
        found.extend(said.successors.iter().filter(named).cloned());
    }
    found
}

/// The values of a statement that others take the place of.
fn values(known: &Known, said: &Said) -> Vec<Swap> {
    let mut found: Vec<Swap> = Vec::new();
    let changes = said.cues.any(&[Cue::Change, Cue::Removal, Cue::Denial]);
    let mut used: BTreeSet<String> = BTreeSet::new();
    for old in &known.values {
        let rivals = |new: &&Value| value::comparable(old, new) && !new.key.is_empty();
        let told: Vec<&Value> = said.values.iter().filter(rivals).collect();
        let own = told.iter().find(|new| new.key == old.key);
        let gone = own.is_some_and(|new| said.mark(new).gone);
        let fresh: Vec<&Value> = told
            .iter()
            .copied()
            .filter(|new| {
                !known.values.iter().any(|other| value::comparable(other, new) && value::equal(other, new))
                    && !said.mark(new).gone
                    && !used.contains(&new.key)
                    && !in_date(said, new)
            })
            .collect();
        let best = fresh
            .iter()
            .max_by_key(|new| {
                (new.form == old.form, said.mark(new).strength, std::cmp::Reverse(new.range.start))
            })
            .copied();
        let Some(new) = best else { continue };
        // The port of an address goes with the address.
        if found.iter().any(|swap| swap.range.start <= old.range.start && old.range.end <= swap.range.end) {
            continue;
        }
        // The same name stands before both numbers, or before the one that the agent gave and the person denied.
        let label = value::label(&known.text, &old.range);
        let of_label =
            |text: &str, value: &Value| label.is_some() && value::label(text, &value.range) == label;
        let labelled = of_label(&said.text, new)
            || said.cues.any(&[Cue::Change, Cue::Removal, Cue::Denial])
                && said
                    .around_values
                    .iter()
                    .any(|value| value.form == new.form && of_label(&said.around, value));
        let stated = said.mark(new).strength > 0 || labelled;
        if let Some(own) = own.filter(|_| !gone)
            && (said.mark(own).strength > said.mark(new).strength
                || own.range.start < new.range.start && said.mark(new).strength < 2
                || said.mark(own).kept)
        {
            continue;
        }
        // Where a statement gives several values of one form, the words beside them tell which is meant.
        let several = known.values.iter().filter(|other| value::comparable(other, new)).count() > 1;
        if several && own.is_none() && !beside(known, old, said, new) {
            continue;
        }
        let same = new.form == old.form
            || matches!((&old.form, &new.form), (Form::Url, Form::Host) | (Form::Host, Form::Url));
        let unit = same && !matches!(new.form, Form::Number("") | Form::Code(_));
        let exact = unit
            || matches!((&old.form, &new.form), (Form::Code(left), Form::Code(right)) if left == right && left.contains('0'));
        if !exact && !stated && own.is_none() {
            continue;
        }
        let (covered, with) = known.coverage(said, "");
        let shown = said.around_values.iter().any(|value| {
            (value.key == old.key
                || matches!(old.form, Form::Command | Form::Url | Form::Host | Form::Path)
                    && value.key.starts_with(&old.key))
                && (value::comparable(value, old) || value::comparable(old, value))
        });
        let bare = matches!(old.form, Form::Number(""));
        let named = matches!(old.form, Form::Code(_) | Form::Host | Form::Url | Form::Path | Form::Command);
        let count = shared_count(known, said);
        let strength = said.mark(new).strength;
        // What neither was named nor shown needs the subject; nothing dearer is looked at without.
        let label_told = value::label(&known.text, &old.range).is_some_and(|label| {
            [&said.lower, &said.around_lower].iter().any(|text| find_word(text, &label).is_some())
        });
        if !gone && own.is_none() && !shown && covered < 0.25 && !label_told {
            continue;
        }
        let here = known.beside(said, new.range.start);
        // Words with a subject of their own do not speak of what the agent said.
        let changes = changes || strength == 2 || said.text[new.range.end..].starts_with(" since");
        let alike = named && terms::alike(&old.key, &new.key);
        let stray = here < 0.15 && strange(known, said, new.range.start, "") > 4;
        let sure = strength == 2 || same && !bare;
        // What ran right before was the old command; how the new one is told needs no word of the statement.
        let stray = stray && !(shown && changes && old.form == Form::Command);
        // The agent gave the new value with the subject, and the person says it too.
        let confirmed = said.around_values.iter().any(|value| {
            value.key == new.key && (value::comparable(old, value) || value::comparable(value, new))
        });
        let sureness =
            if gone && (covered >= 0.1 || with >= 0.2 || old.key.len() >= 4) && (!bare || with >= 0.3) {
                1.6 + with
            } else if own.is_some() && sure && with >= if bare { 0.34 } else { 0.15 } {
                1.3 + with
            } else if shown
                && (stated || exact)
                && (sure || strength >= 1 && here >= 0.3 && same)
                && !stray
                && (with >= 0.25 && !bare
                    || here >= 0.3
                    || exact && !named && strength == 2 && !bare
                    || named && exact && changes)
            {
                1.2 + with + if alike { 0.4 } else { 0.0 }
            } else if labelled && (strength >= 1 || said.cues.has(Cue::Change)) && changes {
                1.5 + with
            } else if here >= 0.2 && with >= 0.35 && said.cues.has(Cue::Change) && value::is_telling(old, new)
            {
                // A rate or a size is told of few things; one named here and one named right before are enough.
                1.2 + with
            } else if confirmed && strength == 2 && changes && with >= 0.5 && !bare && !named {
                1.2 + with
            } else if here >= 0.5
                && stated
                && sure
                && (changes || said.cues.any(&[Cue::Decision, Cue::Standing, Cue::Obligation]))
                && (!named || alike || here >= 0.6 && (count >= 2 || known.subject.len() == 1))
                || alike && changes && here >= 0.25
                || here >= 0.75 && count >= 2 && stated && exact
                || here >= 0.34 && exact && !named && said.cues.has(Cue::Change) && count >= 2
            {
                0.8 + here + if alike { 0.4 } else { 0.0 }
            } else {
                continue;
            };
        // Who names neither the old value nor what was just shown has to speak of the same thing.
        if !gone
            && own.is_none()
            && !said.around_values.iter().any(|value| value.key == old.key && value::comparable(value, old))
            && is_of_another(known, &BTreeSet::new(), said, new.range.start)
        {
            continue;
        }
        used.insert(new.key.clone());
        found.push(Swap {
            range: old.range.clone(),
            old: old.text.clone(),
            new: value::spelled(old, &address::with_port(old, new, &said.text)),
            said: new.text.clone(),
            sureness,
            name: false,
        });
    }
    // Several values of one form in a statement: only those that were named are surely meant.
    let best = found.iter().map(|swap| swap.sureness).fold(0.0, f64::max);
    found.retain(|swap| swap.sureness >= best - 0.45);
    found
}

/// Whether the words around the old and the new value share what no other value of the statement has beside it.
fn beside(known: &Known, old: &Value, said: &Said, new: &Value) -> bool {
    let near = |text: &str, at: usize| -> BTreeSet<String> {
        let head = text.get(..at).unwrap_or_default();
        let clause = head.rsplit(['，', '。', '；', ';', ',', '\n', '、']).next().unwrap_or(head);
        terms::terms(&value::blank(clause))
    };
    let told = near(&said.text, new.range.start);
    let best = terms::shared(&near(&known.text, old.range.start), &told);
    let unlike = known
        .values
        .iter()
        .filter(|other| other.range != old.range && value::comparable(other, new))
        .all(|other| terms::shared(&near(&known.text, other.range.start), &told) < best.max(1));
    best >= 1 && unlike
}

/// How many words of the line at a place, without those of a name, are neither of the statement nor of what was said
/// before.
fn strange(known: &Known, said: &Said, at: usize, name: &str) -> usize {
    let start = said.text[..at].rfind('\n').map_or(0, |at| at + 1);
    let end = said.text[at..].find('\n').map_or(said.text.len(), |end| at + end);
    let held = |among: &BTreeSet<String>, term: &str| among.iter().any(|other| terms::same(term, other));
    let line = terms::terms(&value::blank(&said.text[start..end]));
    let weight = if said.text[start..end].chars().any(is_han) { 2 } else { 1 };
    let name = terms::terms(name);
    let told =
        |term: &&String| held(&known.subject, term) || held(&said.around_terms, term) || held(&name, term);
    line.iter().filter(|term| !told(term)).count() / weight
}

fn shared_count(known: &Known, said: &Said) -> usize {
    terms::shared(&known.subject, &said.terms)
}

/// Whether a value is part of a date: `since friday`, `in 3 weeks`.
fn in_date(said: &Said, value: &Value) -> bool {
    let before = said.text[..value.range.start].trim_end().to_lowercase();
    let bound =
        ["since", "by", "until", "till", "last", "next", "before", "after", "下", "上", "本", "从", "到"]
            .iter()
            .any(|word| before.ends_with(word));
    if value.form == Form::Weekday {
        return bound && !before.ends_with("改到") && !before.ends_with("挪到") && !before.ends_with("换到");
    }
    said.dates.iter().any(|date| date.start <= value.range.start && value.range.end <= date.end)
        || value.form == Form::Number("time") && said.text[value.range.end..].trim_start().starts_with("ago")
}

/// From more words than these on, beside a new name, that nothing before knows, a sentence has a matter of its own.
const OWN_MATTER: usize = 2;

/// The name of a statement that another takes the place of.
fn name(known: &Known, said: &Said) -> Option<Swap> {
    let holds = |name: &str| find_word(&known.lower, name).is_some();
    let mut best: Option<Swap> = None;
    for range in &known.names {
        let old = &known.text[range.clone()];
        let key = old.to_lowercase();
        // Lower-casing may change lengths; then the places do not fit and nothing is taken.
        let place = (said.lower.len() == said.text.len()).then(|| find_word(&said.lower, &key)).flatten();
        let gone = place.as_ref().is_some_and(|place| word::is_gone(&said.text, place));
        let shown = find_word(&said.around_lower, &key).is_some();
        let denied = said.cues.any(&[Cue::Change, Cue::Removal, Cue::Denial]);
        // A sentence begins with a capital: `Reminder texts …` names nobody.
        let common = range.start == 0
            && key != old
            && [&said.text, &said.around].iter().any(|text| find_word(text, &key).is_some());
        // The old name is denied its place, and another holds it since a day: `that box is scrap, it's on elm since may`.
        let since = place.as_ref().filter(|_| shown && denied).and_then(|_| word::since(&said.text, old));
        if common || !(gone || since.is_some() || shown && denied && place.is_none()) {
            continue;
        }
        let (covered, with) = known.coverage(said, old);
        let Some(new) = since.clone().filter(|_| !gone).or_else(|| word::successor(&said.text, old, &holds))
        else {
            continue;
        };
        let family = families::rivals(old, &new, &BTreeSet::new()).is_some();
        // Only the words before name the statement, and these words have a matter of their own.
        let place = find_word(&said.text, &new).map_or(0, |range| range.start);
        if !gone && covered == 0.0 && !family && strange(known, said, place, &new) > OWN_MATTER {
            continue;
        }
        let sureness = if gone {
            let proper = old.chars().any(|c| c.is_ascii_lowercase() || is_han(c)) && old.chars().count() >= 2;
            match (with >= 0.12 || family, proper) {
                (true, _) => 1.5 + with,
                (false, true) => 1.3,
                (false, false) => continue,
            }
        } else if since.is_some() && with >= 0.2 {
            1.3 + with
        } else if shown && (covered >= 0.25 || family || with >= 0.5) {
            1.1 + with
        } else {
            continue;
        };
        if best.as_ref().is_none_or(|best| sureness > best.sureness) {
            let capital = old.starts_with(|c: char| c.is_ascii_uppercase())
                && new.chars().all(|c| c.is_ascii_lowercase());
            let spelled = if capital { capitalised(&new) } else { new.clone() };
            best = Some(Swap {
                range: range.clone(),
                old: old.to_owned(),
                new: spelled,
                said: new,
                sureness,
                name: true,
            });
        }
    }
    best
}

fn capitalised(word: &str) -> String {
    let mut characters = word.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

/// Where a name stands in a text, not inside a longer word.
pub(crate) fn find_word(text: &str, name: &str) -> Option<Range<usize>> {
    let mut from = 0;
    while let Some(at) = text.get(from..)?.find(name).map(|at| at + from) {
        let end = at + name.len();
        let edge = |c: Option<char>| c.is_none_or(|c| !(c.is_ascii_alphanumeric() || c == '_'));
        let han = name.chars().any(is_han);
        if han || edge(text[..at].chars().next_back()) && edge(text[end..].chars().next()) {
            return Some(at..end);
        }
        from = end;
    }
    None
}

/// The words of a person with dates absolute, in the third person.
pub(crate) fn told(text: &str, moment: &ZonedDateTime) -> String {
    let chinese = text.chars().any(is_han);
    crate::person::third_person(&phrase::absolute(text, moment), chinese)
}
