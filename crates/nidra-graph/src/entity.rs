//! The things that entries name: people, services, files, tools, tickets, errors, decisions and names from code.

use crate::{Note, people, rules, tools};
use jiff::Timestamp;
use nidra_core::text::markup;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Quotations of an entry in which entities are looked for.
const QUOTES: usize = 3;
/// Bytes of each; a pasted log names a hundred things that the entry is not about.
const QUOTE_BYTES: usize = 400;
/// Bytes of the words of a decision that its name shows.
const DECISION_BYTES: usize = 120;

/// What kind of thing an entity is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntityKind {
    /// Somebody, by name or handle.
    Person,
    /// Something that runs: a service, a host, a queue, a database.
    Service,
    /// A file or folder.
    File,
    /// A program or library that people work with.
    Tool,
    /// A ticket, issue or pull request.
    Ticket,
    /// An error by its code, class or signal.
    Error,
    /// What was decided.
    Decision,
    /// A name from code or configuration.
    Name,
}

impl EntityKind {
    /// All kinds.
    pub const ALL: [Self; 8] = [
        Self::Person,
        Self::Service,
        Self::File,
        Self::Tool,
        Self::Ticket,
        Self::Error,
        Self::Decision,
        Self::Name,
    ];

    /// The name used in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Service => "service",
            Self::File => "file",
            Self::Tool => "tool",
            Self::Ticket => "ticket",
            Self::Error => "error",
            Self::Decision => "decision",
            Self::Name => "name",
        }
    }
}

/// A thing that entries name.
#[derive(Clone, Debug, PartialEq)]
pub struct Entity {
    /// What kind of thing it is.
    pub kind: EntityKind,
    /// What it is called, as the first entry writes it.
    pub name: String,
    /// The form by which two writings are known for one.
    pub key: String,
    /// The entries that name it, in their order, each once.
    pub mentions: Vec<Mention>,
    /// When it was first spoken of, as far as anybody knows.
    pub first: Option<Timestamp>,
    /// When it was last spoken of.
    pub last: Option<Timestamp>,
}

/// An entry that names an entity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// The entry.
    pub note: usize,
    /// How the entity is written there.
    pub words: String,
    /// Only the words that the entry rests on name it.
    pub beside: bool,
}

/// A thing found in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) kind: EntityKind,
    pub(crate) key: String,
    pub(crate) words: String,
    /// Where in the entry's own words; `None` in what it rests on.
    pub(crate) range: Option<Range<usize>>,
}

/// What an entry names, and what is named where it was said.
pub(crate) fn of_note(note: &Note) -> Vec<Found> {
    let mut found = find(&note.text);
    let known: BTreeSet<(EntityKind, String)> = found.iter().map(|one| (one.kind, one.key.clone())).collect();
    for quote in note.evidence.iter().take(QUOTES) {
        let quote = nidra_core::text::width::cut_bytes(quote, QUOTE_BYTES);
        found.extend(
            find(quote)
                .into_iter()
                .filter(|one| one.kind != EntityKind::Decision)
                .filter(|one| !known.contains(&(one.kind, one.key.clone())))
                .map(|one| Found { range: None, ..one }),
        );
    }
    found
}

/// What a text names, in the order of the text. Nothing overlaps.
pub(crate) fn find(text: &str) -> Vec<Found> {
    let mut places = Places { text, found: Vec::new() };
    // What has the surest shape comes first and takes its words away from the others.
    rules::addresses(&mut places);
    rules::errors(&mut places);
    rules::tickets(&mut places);
    rules::files(&mut places);
    rules::services(&mut places);
    tools::find(&mut places);
    people::find(&mut places);
    rules::names(&mut places);
    let mut found = places.found;
    found.sort_by_key(|one| one.range.as_ref().map(|range| range.start));
    if rules::is_decision(text) {
        let name = nidra_core::text::width::cut_bytes(text.trim(), DECISION_BYTES).to_owned();
        let key = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        found.push(Found { kind: EntityKind::Decision, key, words: name, range: None });
    }
    found
}

/// What was found in a text so far.
pub(crate) struct Places<'t> {
    pub(crate) text: &'t str,
    found: Vec<Found>,
}

impl<'t> Places<'t> {
    /// Takes words for an entity unless another one has them.
    pub(crate) fn take(&mut self, kind: EntityKind, range: Range<usize>, key: String) {
        let taken = self.found.iter().filter_map(|one| one.range.as_ref());
        let mut taken = taken.filter(|held| held.start < range.end && range.start < held.end);
        if key.is_empty() || taken.next().is_some() {
            return;
        }
        if let Some(words) = self.text.get(range.clone()) {
            self.found.push(Found { kind, key, words: words.to_owned(), range: Some(range) });
        }
    }

    /// The spans of code in the text, without their marks.
    pub(crate) fn code(&self) -> impl Iterator<Item = (Range<usize>, &'t str)> {
        let text = self.text;
        markup::inline_code(text).into_iter().filter_map(move |range| {
            let words = text.get(range.clone())?;
            let inside = words.trim_matches('`').trim();
            let start = range.start + words.find(inside)?;
            Some((start..start + inside.len(), inside))
        })
    }
}

/// The entities of all entries, the most mentioned first.
pub(crate) fn collect(notes: &[Note], found: &[Vec<Found>]) -> Vec<Entity> {
    let mut entities: BTreeMap<(EntityKind, &str), Entity> = BTreeMap::new();
    for (note, found) in found.iter().enumerate() {
        for one in found {
            let entity = entities.entry((one.kind, &one.key)).or_insert_with(|| Entity {
                kind: one.kind,
                name: one.words.clone(),
                key: one.key.clone(),
                mentions: Vec::new(),
                first: None,
                last: None,
            });
            if entity.mentions.last().is_none_or(|last| last.note != note) {
                let mention = Mention { note, words: one.words.clone(), beside: one.range.is_none() };
                entity.mentions.push(mention);
                let said = notes.get(note).and_then(|note| note.said);
                entity.first = [entity.first, said].into_iter().flatten().min();
                entity.last = entity.last.max(said);
            }
        }
    }
    // What only quotations name is about the talk, not about memory.
    let own = |entity: &Entity| entity.mentions.iter().any(|mention| !mention.beside);
    let mut entities: Vec<Entity> = entities.into_values().filter(own).collect();
    entities.sort_by(|left, right| {
        let order = right.mentions.len().cmp(&left.mentions.len());
        order.then_with(|| (left.kind, &left.key).cmp(&(right.kind, &right.key)))
    });
    entities
}

#[cfg(test)]
#[path = "entity_tests.rs"]
mod tests;
