//! What entries say of two entities: the words that stand between them, since when and until when.

use crate::Note;
use crate::entity::{Entity, EntityKind, Found};
use jiff::Timestamp;
use nidra_core::text::sentence::sentences;
use std::collections::HashMap;

/// Bytes between two entities at most; further apart they have less to do with each other.
const APART: usize = 72;

/// Two entities in one sentence of an entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Relation {
    /// The entity that stands first, by its place among the entities.
    pub from: usize,
    /// The one behind it.
    pub to: usize,
    /// The entry that says so.
    pub note: usize,
    /// The words from the first to the second.
    pub words: String,
    /// When it was last said.
    pub since: Option<Timestamp>,
    /// When the entry left memory; `None` while it holds.
    pub until: Option<Timestamp>,
}

/// The relations, in the order of the entries.
pub(crate) fn collect(notes: &[Note], found: &[Vec<Found>], entities: &[Entity]) -> Vec<Relation> {
    let places: HashMap<(EntityKind, &str), usize> = entities
        .iter()
        .enumerate()
        .map(|(place, entity)| ((entity.kind, entity.key.as_str()), place))
        .collect();
    let mut relations = Vec::new();
    for (number, (note, found)) in notes.iter().zip(found).enumerate() {
        let ranges: Vec<_> = sentences(&note.text).into_iter().map(|sentence| sentence.range).collect();
        let mut inside = found.iter().filter_map(|one| Some((one, one.range.clone()?))).peekable();
        while let Some((first, left)) = inside.next() {
            let Some((second, right)) = inside.peek() else { break };
            let together = ranges.iter().any(|range| range.start <= left.start && right.end <= range.end);
            let near = right.start.saturating_sub(left.end) <= APART;
            let ends = (
                places.get(&(first.kind, first.key.as_str())),
                places.get(&(second.kind, second.key.as_str())),
            );
            let (Some(&from), Some(&to)) = ends else { continue };
            if together && near && from != to {
                relations.push(Relation {
                    from,
                    to,
                    note: number,
                    words: note.text.get(left.start..right.end).unwrap_or_default().to_owned(),
                    since: note.said,
                    until: note.left,
                });
            }
        }
    }
    relations
}
