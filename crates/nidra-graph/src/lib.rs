//! What entries of memory have to do with each other.
//!
//! [`Graph::of`] takes entries as values and finds the entities that they name, the relations between those, the links
//! between entries with what each rests on, and the communities that the links form; [`layout::place`] puts them on a
//! plane. No model, no clock and no chance: the same entries give the same graph.
//!
//! A link is made only where two entries share something rare, or say something alike, and it shows what that is. That
//! two entries speak of one programming language is no link.

pub mod community;
pub mod entity;
pub mod layout;
pub mod link;
mod people;
pub mod relation;
mod rules;
mod terms;
mod tools;

pub use community::Community;
pub use entity::{Entity, EntityKind, Mention};
pub use link::{Link, Shared};
pub use relation::Relation;

use jiff::Timestamp;

/// An entry of memory as the graph takes it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Note {
    /// Which project it belongs to, by a number of the caller's.
    pub project: usize,
    /// The topic that it stands in, relative to the memory directory.
    pub topic: String,
    /// Its words.
    pub text: String,
    /// The words that it rests on, a few of them.
    pub evidence: Vec<String>,
    /// The sessions that those are from.
    pub sessions: Vec<String>,
    /// When it was last said.
    pub said: Option<Timestamp>,
    /// When it left memory, or `None` while it holds.
    pub left: Option<Timestamp>,
    /// It is stated as true.
    pub active: bool,
}

/// All that was found. Entries are named by their place in the list that was given.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    /// The entities, the most mentioned first.
    pub entities: Vec<Entity>,
    /// What entries say of two entities, in the order of the entries.
    pub relations: Vec<Relation>,
    /// The links, the strongest first.
    pub links: Vec<Link>,
    /// The communities, the largest first. Every entry is in exactly one.
    pub communities: Vec<Community>,
}

impl Graph {
    /// Finds what the entries have to do with each other.
    pub fn of(notes: &[Note]) -> Self {
        let mut found: Vec<Vec<entity::Found>> = notes.iter().map(entity::of_note).collect();
        let people = people::known(found.iter().flatten());
        for (note, found) in notes.iter().zip(&mut found) {
            people::find_known(&note.text, &people, found);
        }
        let entities = entity::collect(notes, &found);
        let relations = relation::collect(notes, &found, &entities);
        let terms = terms::Terms::of(notes, &found);
        let (links, near) = link::collect(notes, &entities, &terms);
        let communities = community::collect(notes, &entities, &terms, &links, &near);
        Self { entities, relations, links, communities }
    }

    /// The links of an entry with the other end of each, the strongest first.
    pub fn links_of(&self, note: usize) -> impl Iterator<Item = (usize, &Link)> {
        self.links.iter().filter_map(move |link| Some((link.other(note)?, link)))
    }

    /// The entities that an entry names, or that are named where it was said.
    pub fn entities_of(&self, note: usize) -> impl Iterator<Item = (&Entity, &Mention)> {
        self.entities.iter().filter_map(move |entity| {
            let mention = entity.mentions.iter().find(|mention| mention.note == note)?;
            Some((entity, mention))
        })
    }
}
