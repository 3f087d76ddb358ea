//! Finds where a person's words put another value in the place of what a known statement says.
//!
//! `raise it to 750 MB` names no subject; the statement that gives the old value does. What is taken as replaced
//! needs a ground: the old value is named as over, it was shown right before, or both speak of one subject.

use crate::dialogue::Dialogue;
use crate::families;
use crate::hearsay;
use crate::lexicon::{self, Cue, Cues};
use crate::phrase;
use crate::sentence::{Act, Line};
use crate::terms;
use jiff::ZonedDateTime;
use nidra_core::text::date;
use nidra_core::text::language::is_han;
use std::collections::BTreeSet;
use std::ops::Range;

pub(crate) mod collect;
mod compose;
pub(crate) mod value;
mod word;

use value::{Form, Value};

/// A statement that may be revised.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    /// Its words without the reason, which belonged to the old value.
    text: String,
    /// All its words.
    whole: String,
    values: Vec<Value>,
    names: Vec<Range<usize>>,
    subject: BTreeSet<String>,
}

impl Known {
    /// Reads a statement.
    pub(crate) fn new(text: &str) -> Self {
        let whole = text.to_owned();
        let end =
            ["**Why:**", "**原因：**", "**Why**", "Why:"].iter().filter_map(|mark| text.find(mark)).min();
        let text = text[..end.unwrap_or(text.len())].trim_end().to_owned();
        let values = value::find(&text);
        let names = names(&text, &values);
        let subject = terms::terms(&value::blank(&text))
            .into_iter()
            .filter(|term| !term.chars().any(|c| c.is_ascii_digit()))
            .collect();
        Self { text, whole, values, names, subject }
    }

    /// How much of the subject stands in the line of the new value, or half as much in the lines beside it.
    fn beside(&self, said: &Said, at: usize) -> f64 {
        let lines: Vec<(usize, &str)> = said
            .text
            .match_indices('\n')
            .map(|(end, _)| end)
            .fold((Vec::new(), 0), |(mut lines, start): (Vec<(usize, &str)>, usize), end| {
                lines.push((start, &said.text[start..end]));
                (lines, end + 1)
            })
            .0;
        let Some(here) = lines.iter().rposition(|(start, _)| *start <= at) else { return 0.0 };
        let of = |index: Option<usize>| {
            index
                .and_then(|index| lines.get(index))
                .map(|(_, line)| terms::terms(&value::blank(line)))
                .unwrap_or_default()
        };
        let (own, mut near) = (of(Some(here)), of(here.checked_sub(1)));
        near.extend(of(here.checked_sub(2)));
        let held = |among: &BTreeSet<String>, term: &str| among.iter().any(|other| terms::same(term, other));
        let sum: f64 = self
            .subject
            .iter()
            .map(|term| {
                if held(&own, term) {
                    1.0
                } else if held(&near, term) {
                    0.7
                } else {
                    0.0
                }
            })
            .sum();
        sum / self.subject.len().max(1) as f64
    }

    /// How much of the subject the words of a person name, and how much with the words around them.
    fn coverage(&self, said: &Said, without: &str) -> (f64, f64) {
        let without = terms::terms(without);
        let subject: BTreeSet<&String> =
            self.subject.iter().filter(|term| !without.contains(*term)).collect();
        if subject.is_empty() {
            return (0.0, 0.0);
        }
        let held = |among: &BTreeSet<String>, term: &str| among.iter().any(|other| terms::same(term, other));
        let own = subject.iter().filter(|term| held(&said.terms, term)).count() as f64;
        let around =
            subject.iter().filter(|term| !held(&said.terms, term) && held(&said.around_terms, term)).count();
        let size = subject.len() as f64;
        (own / size, (own + 0.6 * around as f64) / size)
    }
}

/// What a person said in one go, as far as it may revise something.
#[derive(Clone, Debug)]
pub(crate) struct Said {
    /// The statements, one per line.
    text: String,
    values: Vec<Value>,
    terms: BTreeSet<String>,
    /// The agent's words and commands before, and the person's words before.
    around: String,
    around_values: Vec<Value>,
    around_terms: BTreeSet<String>,
    cues: Cues,
    /// When it was said.
    moment: ZonedDateTime,
}

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
    /// A name was put in another's place, rather than a value.
    pub(crate) renamed: bool,
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

/// How many names a statement has that may belong to each other; `JSON` belongs to nobody.
fn qualifiers(known: &Known) -> usize {
    known
        .names
        .iter()
        .filter(|range| known.text[(*range).clone()].chars().any(|c| !c.is_ascii_uppercase()))
        .count()
}

fn words(text: &str) -> usize {
    text.split(' ').count() - 1
}

/// Reads what a person said for revisions; `None` when nothing in it can revise anything.
pub(crate) fn said(dialogue: &Dialogue<'_>, index: usize, lines: &[Line]) -> Option<Said> {
    let utterance = dialogue.utterances.get(index)?;
    let mut text = String::new();
    let mut cues = Cues::default();
    for line in lines {
        let speaks = matches!(line.act, Act::Statement | Act::Task)
            || line.act == Act::Filler && !value::find(&line.text).is_empty();
        let passing = line.cues.has(Cue::Ephemeral)
            && !line.cues.any(&[Cue::Standing, Cue::Change, Cue::Explicit])
            || hearsay::is_foreign(&line.text)
            || line.cues.has(Cue::Speculation)
                && !line.cues.any(&[Cue::Change, Cue::Decision, Cue::Standing]);
        if !speaks || passing || crate::quoted::is_machine_text(&line.text) {
            continue;
        }
        cues = cues.union(line.cues).union(line.opening);
        text.push_str(line.text.trim());
        text.push('\n');
    }
    let turns = cues.any(&[
        Cue::Change,
        Cue::Removal,
        Cue::Denial,
        Cue::Decision,
        Cue::Owner,
        Cue::Place,
        Cue::Standing,
        Cue::Obligation,
        Cue::Prohibition,
    ]) || TURNS.iter().any(|mark| text.to_lowercase().contains(mark));
    if text.trim().is_empty() || !turns || text.chars().count() > 1200 {
        return None;
    }
    let around = around(dialogue, index);
    Some(Said {
        terms: terms::terms(&value::blank(&text)),
        values: value::find(&text),
        around_values: value::find(&around),
        around_terms: terms::terms(&around),
        around,
        cues,
        moment: utterance.said.clone(),
        text,
    })
}

/// Words that turn one value into another and are too short for a cue of their own.
const TURNS: &[&str] =
    &[" to ", "now", "not ", "instead", "改", "换", "提到", "降", "升", "调", "不用", "迁", "现在", "加到"];

/// The agent's words and commands since the person spoke before, and those words.
fn around(dialogue: &Dialogue<'_>, index: usize) -> String {
    let Some(utterance) = dialogue.utterances.get(index) else { return String::new() };
    let earlier = index.checked_sub(1).and_then(|at| dialogue.utterances.get(at));
    let mut text = String::new();
    if let Some(before) = &utterance.before {
        text.extend(before.text.chars().take(500));
        text.push('\n');
    }
    let from = earlier.map_or(0, |earlier| earlier.place);
    let calls: Vec<_> =
        dialogue.calls.iter().filter(|call| call.place > from && call.place < utterance.place).collect();
    for call in calls.iter().rev().take(3) {
        if let Some(command) = call.field("command").filter(|command| command.len() < 200) {
            text.push_str(&format!("`{}`\n", command.replace('`', "")));
        }
    }
    if let Some(earlier) = earlier.filter(|_| !utterance.opens) {
        text.extend(earlier.own.chars().take(240));
    }
    text
}

/// The places of names in a statement: tools, people, hosts without marks.
fn names(text: &str, values: &[Value]) -> Vec<Range<usize>> {
    let chinese = text.chars().any(is_han);
    let mut found = Vec::new();
    let mut start = None;
    let ends = text.char_indices().map(|(at, c)| (at, Some(c))).chain(std::iter::once((text.len(), None)));
    for (at, character) in ends {
        let inside =
            character.is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '+' | '#' | '-' | '\''));
        match (inside, start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                let word = text[from..at].trim_end_matches(['.', '-', '\'']).trim_end_matches("'s");
                let range = from..from + word.len();
                let taken =
                    values.iter().any(|value| value.range.start < range.end && range.start < value.range.end);
                if !taken && is_name(text, &range, chinese) {
                    found.push(range);
                }
                start = None;
            }
            _ => {}
        }
    }
    if let Some(pattern) = HAN_PERSON.as_ref() {
        found.extend(
            pattern.captures_iter(text).filter_map(|captures| captures.get(1)).map(|hit| hit.range()),
        );
    }
    found
}

static HAN_PERSON: std::sync::LazyLock<Option<regex::Regex>> = std::sync::LazyLock::new(|| {
    regex::Regex::new(
        r"((?:老|小|阿)\p{Han})|(?:找|归|由|问|联系)(\p{Han}{2,3}?)(?:确认|负责|管|审|维护|拍板|，|。|、|$)",
    )
    .ok()
});

/// Whether a Latin word in a statement is a name rather than a common word.
fn is_name(text: &str, range: &Range<usize>, chinese: bool) -> bool {
    let word = &text[range.clone()];
    let lower = word.to_lowercase();
    if word.len() < 2 || lexicon::is_stop_word(&lower) || word.chars().all(|c| c.is_ascii_digit()) {
        return false;
    }
    let before = text[..range.start].trim_end();
    if families::is_member(&lower) {
        return true;
    }
    if chinese {
        return word.starts_with(|c: char| c.is_ascii_uppercase())
            || ["用", "走", "是", "在", "叫", "换成", "选", "装", "找"]
                .iter()
                .any(|verb| before.ends_with(verb));
    }
    let starts = before.is_empty() || before.ends_with(['.', ':', '!', ';']);
    let capital = word.starts_with(|c: char| c.is_ascii_uppercase());
    if starts {
        // `Odalys signs the firmware`: a single name acts; a plural or a thing `is` or `are`.
        let verb = text[range.end..].split_whitespace().next().unwrap_or_default();
        return capital
            && !lower.ends_with('s')
            && verb.ends_with('s')
            && !matches!(
                verb,
                "is" | "was" | "has" | "does" | "across" | "tests" | "builds" | "logs" | "runs"
            );
    }
    let object =
        [" use", " with", " via", " by", " through", " using", " in", " on", " to", " is", "use", " from"]
            .iter()
            .any(|word| before.to_lowercase().ends_with(word));
    capital || object && word.len() >= 4 && !text[range.end..].trim_start().starts_with(char::is_alphabetic)
}

/// The statement with the person's new values in it; `None` when they do not revise it.
pub(crate) fn revision(known: &Known, said: &Said) -> Option<Revision> {
    // A day that meant something only when it was written down cannot be taken over.
    if date::has_relative(&known.text, &said.moment) {
        return None;
    }
    let mut swaps: Vec<Swap> = values(known, said);
    if swaps.is_empty() {
        swaps.extend(name(known, said));
    }
    let sureness = swaps.iter().map(|swap| swap.sureness).fold(0.0, f64::max);
    if swaps.is_empty() || sureness <= 0.0 {
        return None;
    }
    // What else an entry says of a tool or a person goes with it: then the person's own words say what is so.
    let alone = swaps
        .iter()
        .all(|swap| !swap.name || known.values.is_empty() && qualifiers(known) <= 1 + words(&swap.old));
    let (core, text) =
        if alone { compose::compose(known, said, &swaps)? } else { compose::restate(known, said, &swaps)? };
    let renamed = swaps.iter().any(|swap| swap.name);
    Some(Revision { text, core, renamed, fresh: swaps.into_iter().map(|swap| swap.said).collect(), sureness })
}

/// The new values in a statement that the person's words give too, beside the old ones or on the same subject: what is
/// said is known already.
pub(crate) fn known_values(known: &Known, said: &Said) -> Vec<String> {
    let (_, with) = known.coverage(said, "");
    let mut found: Vec<String> = known
        .values
        .iter()
        .filter_map(|held| {
            let own = said.values.iter().find(|new| new.key == held.key && value::comparable(held, new))?;
            let firm = word::strength(&said.text, &own.range);
            let rivals = |values: &&Value| values.key != held.key && value::comparable(held, values);
            let outdone = said.values.iter().filter(rivals).any(|other| {
                !word::is_gone(&said.text, &other.range)
                    && word::strength(&said.text, &other.range) >= firm.max(1)
            });
            let turned = said.values.iter().any(|other| rivals(&other))
                || said.around_values.iter().any(|other| rivals(&other))
                || with >= 0.5;
            (turned && firm > 0 && !outdone && !word::is_gone(&said.text, &own.range))
                .then(|| own.text.clone())
        })
        .collect();
    if let Some(next) = word::successor(&said.text, "-", &|_| false)
        && find_word(&known.text.to_lowercase(), &next.to_lowercase()).is_some()
    {
        found.push(next);
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
        let gone = own.is_some_and(|new| word::is_gone(&said.text, &new.range));
        let fresh: Vec<&Value> = told
            .iter()
            .copied()
            .filter(|new| {
                !known.values.iter().any(|other| other.key == new.key && value::comparable(other, new))
                    && !word::is_gone(&said.text, &new.range)
                    && !used.contains(&new.key)
                    && !in_date(said, new)
            })
            .collect();
        let best = fresh
            .iter()
            .max_by_key(|new| {
                (
                    new.form == old.form,
                    word::strength(&said.text, &new.range),
                    std::cmp::Reverse(new.range.start),
                )
            })
            .copied();
        let Some(new) = best else { continue };
        let stated = word::is_stated(&said.text, &new.range);
        if let Some(own) = own.filter(|_| !gone)
            && (word::strength(&said.text, &own.range) > word::strength(&said.text, &new.range)
                || own.range.start < new.range.start && word::strength(&said.text, &new.range) < 2
                || word::is_kept(&said.text, &own.range))
        {
            continue;
        }
        // Where a statement gives several values of one form, the words beside them tell which is meant.
        let several = known.values.iter().filter(|other| value::comparable(other, new)).count() > 1;
        if several && own.is_none() && !beside(known, old, said, new) {
            continue;
        }
        let unit = new.form == old.form && !matches!(new.form, Form::Number("") | Form::Code(_));
        let exact = unit
            || matches!((&old.form, &new.form), (Form::Code(left), Form::Code(right)) if left == right && left.contains('0'));
        if !exact && !stated && own.is_none() {
            continue;
        }
        let (covered, with) = known.coverage(said, "");
        let shown =
            said.around_values.iter().any(|value| value.key == old.key && value::comparable(value, old));
        let bare = matches!(old.form, Form::Number(""));
        let named = matches!(old.form, Form::Code(_) | Form::Host | Form::Url | Form::Path | Form::Command);
        let count = shared_count(known, said);
        let strength = word::strength(&said.text, &new.range);
        let here = known.beside(said, new.range.start);
        // Words with a subject of their own do not speak of what the agent said.
        let changes = changes || strength == 2 || said.text[new.range.end..].starts_with(" since");
        let alike = named && terms::alike(&old.key, &new.key);
        let stray = here < 0.15 && strange(known, said, new.range.start) > 4;
        let sure = strength == 2 || new.form == old.form && !bare;
        let sureness =
            if gone && (covered >= 0.1 || with >= 0.2 || old.key.len() >= 4) && (!bare || with >= 0.3) {
                1.6 + with
            } else if own.is_some() && sure && with >= if bare { 0.34 } else { 0.15 } {
                1.3 + with
            } else if shown
                && (stated || exact)
                && (sure || strength >= 1 && here >= 0.3 && new.form == old.form)
                && !stray
                && (with >= 0.25 && !bare
                    || here >= 0.3
                    || with >= 0.1 && exact && strength == 2
                    || named && exact && changes)
            {
                1.2 + with + if alike { 0.4 } else { 0.0 }
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
        used.insert(new.key.clone());
        found.push(Swap {
            range: old.range.clone(),
            old: old.text.clone(),
            new: value::spelled(old, new),
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

/// How many words of the line at a place are neither of the statement nor of what was said before.
fn strange(known: &Known, said: &Said, at: usize) -> usize {
    let start = said.text[..at].rfind('\n').map_or(0, |at| at + 1);
    let end = said.text[at..].find('\n').map_or(said.text.len(), |end| at + end);
    let held = |among: &BTreeSet<String>, term: &str| among.iter().any(|other| terms::same(term, other));
    let line = terms::terms(&value::blank(&said.text[start..end]));
    let weight = if said.text[start..end].chars().any(is_han) { 2 } else { 1 };
    line.iter().filter(|term| !held(&known.subject, term) && !held(&said.around_terms, term)).count() / weight
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
    date::find(&said.text, &said.moment)
        .iter()
        .any(|mention| mention.range.start <= value.range.start && value.range.end <= mention.range.end)
        || value.form == Form::Number("time") && said.text[value.range.end..].trim_start().starts_with("ago")
}

/// The name of a statement that another takes the place of.
fn name(known: &Known, said: &Said) -> Option<Swap> {
    let lower = said.text.to_lowercase();
    let around = said.around.to_lowercase();
    let text_of = known.text.to_lowercase();
    let holds = |name: &str| find_word(&text_of, name).is_some();
    let mut best: Option<Swap> = None;
    for range in &known.names {
        let old = &known.text[range.clone()];
        let key = old.to_lowercase();
        // Lower-casing may change lengths; then the places do not fit and nothing is taken.
        let place = (lower.len() == said.text.len()).then(|| find_word(&lower, &key)).flatten();
        let gone = place.as_ref().is_some_and(|place| word::is_gone(&said.text, place));
        let shown = find_word(&around, &key).is_some();
        let denied = said.cues.any(&[Cue::Change, Cue::Removal, Cue::Denial]);
        if !(gone || shown && denied && place.is_none()) {
            continue;
        }
        let (covered, with) = known.coverage(said, old);
        let Some(new) = word::successor(&said.text, old, &holds) else { continue };
        let family = families::rivals(old, &new, &BTreeSet::new()).is_some();
        let sureness = if gone {
            let proper = old.chars().any(|c| c.is_ascii_lowercase() || is_han(c)) && old.chars().count() >= 2;
            match (with >= 0.12 || family, proper) {
                (true, _) => 1.5 + with,
                (false, true) => 1.3,
                (false, false) => continue,
            }
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
fn find_word(text: &str, name: &str) -> Option<Range<usize>> {
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
fn told(text: &str, moment: &ZonedDateTime) -> String {
    let chinese = text.chars().any(is_han);
    crate::person::third_person(&phrase::absolute(text, moment), chinese)
}
