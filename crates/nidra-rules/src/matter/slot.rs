//! What memory holds, statement by statement, with how much each of its words tells.

use super::phrases;
use crate::lexicon::{self, Cue};
use crate::phrase;
use crate::revise::Known;
use crate::revise::value::{self, Form, Value};
use crate::sentence;
use crate::terms;
use jiff::{ZonedDateTime, civil::Date};
use nidra_core::text::{date, expression, language::is_han};
use nidra_core::{EntryId, Kind, MemoryView};
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// A statement of memory.
#[derive(Debug)]
pub struct Slot {
    /// The entry that it stands in.
    pub entry: EntryId,
    /// Its words.
    pub text: String,
    /// The words of the whole entry.
    pub whole: String,
    /// The name and the description of its topic, and the headings above it.
    pub(super) title: String,
    pub(crate) kind: Kind,
    pub(crate) known: Known,
    /// The stems of its words without its values, each with what it counts: less behind the first clause.
    pub(super) subject: BTreeMap<String, f64>,
    /// It or its topic says who owns something.
    pub(super) owns: bool,
    /// It forbids or demands.
    pub(super) binds: bool,
    /// The words of the whole entry without marks.
    pub(super) plain: String,
    /// Its Chinese characters, without its values.
    characters: BTreeSet<char>,
    /// The stem of its first word.
    pub(super) head: Option<String>,
    /// The names in it that are no words of the language.
    pub(super) names: BTreeSet<String>,
    /// With, by, in, on or to what something is done, by the class of the preposition.
    pub(super) means: BTreeSet<(Relation, String)>,
    /// The days that it gives.
    pub(super) days: BTreeSet<Date>,
    /// How many sentences stand beside it in its entry.
    pub(super) beside: usize,
    /// The stems of the other words of its entry, and of its topic's name and description.
    pub(super) topic: BTreeSet<String>,
}

/// The statements of memory.
#[derive(Debug)]
pub struct Slots {
    pub(super) statements: Vec<Slot>,
    /// In how many statements or their topics each stem stands.
    frequency: BTreeMap<String, usize>,
    /// The statements whose words or topic have a stem.
    pub(super) places: BTreeMap<String, Vec<usize>>,
    /// The statements that have a Chinese character.
    written: BTreeMap<char, Vec<usize>>,
}

impl Slot {
    /// Whether words name what the statement is about: what it begins with, or most of its subject.
    pub(super) fn is_named_by(&self, text: &str) -> bool {
        let stems = stems(text);
        let shared = self.subject.keys().filter(|stem| stems.contains(*stem)).count();
        shared > 0
            && (shared * 3 >= self.subject.len() * 2
                || self.head.as_ref().is_none_or(|head| stems.contains(head)))
    }
}

impl Slots {
    /// Reads memory.
    pub fn new(memory: &MemoryView, now: &ZonedDateTime) -> Self {
        let mut statements = Vec::new();
        for (topic, entry) in
            memory.entries().filter(|(topic, entry)| topic.editable && is_prose(&entry.text))
        {
            let title = format!("{} {} {}", topic.name, topic.description, entry.headings.join(" "));
            let parts = parts(&entry.text);
            let beside = parts.len().saturating_sub(1);
            for text in parts {
                let known = Known::new(&text);
                let blank = value::blank(&text);
                let first = stems(&value::blank(main_clause(&text)));
                let mut subject: BTreeMap<String, f64> = known
                    .subject
                    .iter()
                    .filter(|term| tells(term))
                    .map(|term| stem(term))
                    .map(|stem| (stem.clone(), if first.contains(&stem) { 1.0 } else { BEHIND }))
                    .collect();
                // An identifier is a value where it is told, and the subject where it is told of.
                let opens = known.values.iter().find(|value| is_code(value) && value.range.start <= ARTICLE);
                subject.extend(opens.map(|value| (value.key.clone(), 1.0)));
                let mut context = stems(&title);
                context.extend(stems(&entry.text));
                context.retain(|term| !subject.contains_key(term));
                statements.push(Slot {
                    entry: entry.id.clone(),
                    whole: entry.text.clone(),
                    plain: phrase::plain(&entry.text).to_lowercase(),
                    owns: lexicon::cues(&text).has(Cue::Owner) || lexicon::cues(&title).has(Cue::Owner),
                    binds: phrases::binds(&text),
                    characters: characters(&blank),
                    head: head(&blank),
                    names: names(&text),
                    means: means(&text),
                    beside,
                    days: days(&text, now),
                    kind: topic.kind.unwrap_or(Kind::Project),
                    known,
                    subject,
                    topic: context,
                    title: title.clone(),
                    text,
                });
            }
        }
        let mut places: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, slot) in statements.iter().enumerate() {
            for term in slot.subject.keys().chain(&slot.topic) {
                places.entry(term.clone()).or_default().push(at);
            }
        }
        let frequency = places.iter().map(|(term, places)| (term.clone(), places.len())).collect();
        let mut written: BTreeMap<char, Vec<usize>> = BTreeMap::new();
        for (at, slot) in statements.iter().enumerate() {
            for character in &slot.characters {
                written.entry(*character).or_default().push(at);
            }
        }
        Self { statements, frequency, places, written }
    }

    /// The words of memory that a word shortens: `production` for `prod`.
    pub(super) fn longer<'s>(&'s self, stem: &'s str) -> impl Iterator<Item = String> + 's {
        let short = stem.len() >= SHORTEST && stem.is_ascii() && !self.places.contains_key(stem);
        self.places
            .range(stem.to_owned()..)
            .map(|(word, _)| word)
            .take_while(move |word| short && word.starts_with(stem))
            .filter(move |word| word.len() >= stem.len() + SHORTENED)
            .cloned()
    }

    /// How much of a Chinese statement's characters, by weight, is among some; from 0 to 1.
    pub(super) fn characters(&self, slot: &Slot, among: &BTreeSet<char>) -> f64 {
        let all = (self.statements.len().max(2) as f64 + 1.0).ln();
        let weight = |character: &char| {
            let found = self.written.get(character).map_or(1, Vec::len) as f64;
            (1.0 - found.ln() / all).max(0.05)
        };
        let sum = |characters: &mut dyn Iterator<Item = &char>| characters.map(weight).sum::<f64>();
        (sum(&mut slot.characters.intersection(among)) / sum(&mut slot.characters.iter()).max(LEAST)).min(1.0)
    }

    /// The statements of whose Chinese characters at least a share, by weight, is among some.
    pub(super) fn of_characters(&self, characters: &BTreeSet<char>, share: f64) -> Vec<usize> {
        let places = characters.iter().filter_map(|character| self.written.get(character));
        let met: BTreeSet<usize> = places.flatten().copied().collect();
        met.into_iter().filter(|at| self.characters(&self.statements[*at], characters) >= share).collect()
    }

    /// The statements.
    pub fn slots(&self) -> &[Slot] {
        &self.statements
    }

    /// How much a stem tells of which statement is meant: 1 for what stands in one of them, less for what stands in more.
    pub(super) fn weight(&self, stem: &str) -> f64 {
        let all = self.statements.len().max(2) as f64;
        let found = self.frequency.get(stem).copied().unwrap_or(1) as f64;
        (1.0 - found.ln() / (all + 1.0).ln()).max(0.05)
    }

    /// How much of a statement's subject, by weight, is among some stems; from 0 to 1.
    pub(super) fn share(&self, slot: &Slot, among: impl Fn(&String) -> bool) -> f64 {
        let sum = |only: &dyn Fn(&String) -> bool| -> f64 {
            slot.subject
                .iter()
                .filter(|(stem, _)| only(stem))
                .map(|(stem, counts)| counts * self.weight(stem))
                .sum()
        };
        (sum(&among) / sum(&|_| true).max(LEAST)).min(1.0)
    }

    /// The weight of some stems.
    pub(super) fn sum<'a>(&self, stems: impl Iterator<Item = &'a String>) -> f64 {
        stems.map(|stem| self.weight(stem)).sum()
    }
}

/// The bytes that an article takes before the subject.
const ARTICLE: usize = "the ".len();

/// Whether a value is an identifier.
pub(super) fn is_code(value: &Value) -> bool {
    matches!(value.form, Form::Code(_))
}

/// Whether an entry is a statement in words: no row of a table, comment or footnote.
pub(crate) fn is_prose(text: &str) -> bool {
    !text.trim_start().starts_with(['|', '<']) && !text.trim_start().starts_with("[^")
}

/// The statements of an entry: its sentences, the reasons left where they are.
fn parts(text: &str) -> Vec<String> {
    let end = ["**Why:**", "**原因：**", "**Why**", "Why:"].iter().filter_map(|mark| text.find(mark)).min();
    let found = sentence::split(&text[..end.unwrap_or(text.len())]);
    // A word alone says nothing that something else could take the place of.
    found.into_iter().filter(|text| terms::terms(text).len() >= 2).collect()
}

/// What a subject weighs at least: a single word in common is never all of it.
const LEAST: f64 = 1.5;
/// A word is shortened to so many letters at least, and by so many.
const SHORTEST: usize = 4;
/// See `SHORTEST`.
const SHORTENED: usize = 2;
/// What a word behind the first clause of a statement counts.
const BEHIND: f64 = 0.4;

/// The first clause of a statement that says something.
fn main_clause(text: &str) -> &str {
    text.char_indices()
        .filter(|(_, c)| matches!(c, '，' | ',' | '；' | ';' | '（' | '(' | '—'))
        .map(|(at, _)| &text[..at])
        .find(|clause| terms::terms(clause).len() >= 3)
        .unwrap_or(text)
}

/// Chinese characters that join words and say nothing by themselves.
const FUNCTION: &str = "的了是在有和就都也不要把被给我你他她它们这那个一上下里到从去来说会能可以用为与及或但而吧呢吗啊呀哦嗯没还再很太";

/// The Chinese characters of a text that may tell what it is about.
pub(super) fn characters(text: &str) -> BTreeSet<char> {
    text.chars().filter(|c| is_han(*c) && !FUNCTION.contains(*c)).collect()
}

/// The stem of the first word that a text is about, which is without its values.
pub(super) fn head(blank: &str) -> Option<String> {
    blank.split(|c: char| c.is_whitespace() || terms::is_separator(c) && !is_han(c)).find_map(|word| {
        // Two Han characters are a word as a rule, and the first ones are what is spoken of.
        let start: String =
            if word.starts_with(is_han) { word.chars().take(2).collect() } else { word.to_owned() };
        terms::terms(&start).first().map(|term| stem(term))
    })
}

/// The names in a text that are no words of its language: Latin ones in Chinese, capitals within English, what stands
/// in code or has the shape of an identifier.
pub(super) fn names(text: &str) -> BTreeSet<String> {
    let chinese = text.chars().any(is_han);
    let mut found = BTreeSet::new();
    let mut opens = true;
    for word in
        text.split(|c: char| c.is_whitespace() || is_han(c) || ",;()\"`「」“”，。、：；（）!?".contains(c))
    {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let lower = bare.to_lowercase();
        let name = bare.len() >= 2
            && bare.is_ascii()
            && !bare.bytes().all(|byte| byte.is_ascii_digit())
            && !lexicon::is_stop_word(&lower)
            && (chinese
                || !opens && bare.starts_with(|c: char| c.is_ascii_uppercase())
                || bare.chars().skip(1).any(|c| c.is_ascii_uppercase() || matches!(c, '_' | '.' | '/')));
        if name {
            found.insert(lower);
        }
        if !word.is_empty() {
            opens = word.ends_with('.');
        }
    }
    found
}

/// How a thing serves what a sentence is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Relation {
    /// What it is done with.
    Tool,
    /// Where it is or goes.
    Place,
}

static MEANS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?i)(?-u:\b)(?:(?P<tool>with|using|uses?|via|by|through|thru)|(?P<place>in|on|at|to|into|onto|from|under))",
        r" (?:the |a |an |our |my )?(?P<what>[A-Za-z][A-Za-z0-9_.+#-]*[A-Za-z0-9+#])|",
        r"(?:(?P<han_tool>用|靠|走)|(?P<han_place>在|发到|发|进|存到|存|上|从|去|到))(?:的是|了)? ?(?P<han_what>[A-Za-z#][A-Za-z0-9_.+-]*[A-Za-z0-9+]|[\p{Han}]{2})",
    ))
    .ok()
});

/// With, by, in, on or to what something is done.
pub(super) fn means(text: &str) -> BTreeSet<(Relation, String)> {
    let Some(pattern) = MEANS.as_ref() else { return BTreeSet::new() };
    pattern
        .captures_iter(text)
        .filter_map(|found| {
            let what = found.name("what").or_else(|| found.name("han_what"))?.as_str().to_lowercase();
            let tool = found.name("tool").or_else(|| found.name("han_tool")).is_some();
            let relation = if tool { Relation::Tool } else { Relation::Place };
            (!lexicon::is_stop_word(&what)).then_some((relation, what))
        })
        .collect()
}

/// The days that a text gives.
pub(super) fn days(text: &str, moment: &ZonedDateTime) -> BTreeSet<Date> {
    date::find(text, moment).into_iter().map(|mention| mention.start).collect()
}

/// The stems of the words that a text is about.
pub(super) fn stems(text: &str) -> BTreeSet<String> {
    terms::terms(text).iter().filter(|term| tells(term)).map(|term| stem(term)).collect()
}

/// Whether a word may tell what a text is about: a unit or a number does not.
pub(super) fn tells(term: &str) -> bool {
    !term.is_ascii()
        || term.len() >= 3 && !term.bytes().all(|byte| byte.is_ascii_digit())
        || term == "ci"
        || term == "ui"
}

/// What the forms of a word have in common: `cooking`, `cooked` and `cooks` are one.
pub(super) fn stem(term: &str) -> String {
    if term.len() < 5 || !term.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return term.to_owned();
    }
    let cut = ["ations", "ation", "ings", "ing", "ers", "ed", "er", "es", "ly", "s", "e"]
        .iter()
        .find_map(|end| term.strip_suffix(end).filter(|rest| rest.len() >= 4))
        .unwrap_or(term);
    let bytes = cut.as_bytes();
    // `planning` and `plan`.
    let doubled = cut.len() >= 4 && bytes[cut.len() - 1] == bytes[cut.len() - 2] && cut.len() < term.len();
    let cut = if doubled { &cut[..cut.len() - 1] } else { cut };
    cut[..cut.len().min(7)].to_owned()
}
