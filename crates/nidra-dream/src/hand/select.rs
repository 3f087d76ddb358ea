//! Which entries the user means: by name, by words, by session, by time, by file, or all of them.

use crate::lookup::{Found, Place, find};
use crate::standing::{Sources, last_said, sources_of};
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use nidra_core::text::similarity::terms;
use nidra_memory::directory::MemoryDirectory;
use std::collections::BTreeSet;

/// What an entry must be to be meant; of several conditions all hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// It is this entry, named as `nidra why` takes it.
    pub entry: Option<String>,
    /// It says these words.
    pub words: Option<String>,
    /// It rests on words of a session whose identifier begins so.
    pub session: Option<String>,
    /// It was said at this moment or later.
    pub since: Option<Timestamp>,
    /// It was said before this moment.
    pub until: Option<Timestamp>,
    /// It stands in a file of this name or pattern.
    pub path: Option<String>,
    /// Whatever it is.
    pub all: bool,
    /// Entries of the archive are meant as well.
    pub archived: bool,
}

/// An entry that is meant, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// The entry.
    pub place: Place,
    /// Why it is meant, one reason for each condition.
    pub because: Vec<String>,
}

/// The entries could not be told.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SelectError {
    /// The name fits several entries.
    #[error("{} entries match {asked:?}; name one by its identifier", several.len())]
    Several {
        /// What was asked for.
        asked: String,
        /// The entries.
        several: Vec<Place>,
    },
    /// The name fits none.
    #[error("no entry matches {asked:?}")]
    None {
        /// What was asked for.
        asked: String,
        /// The entries that come nearest.
        nearest: Vec<Place>,
    },
    /// The pattern is none.
    #[error("{pattern:?} is no pattern for files")]
    Pattern {
        /// The pattern.
        pattern: String,
    },
}

/// Finds the entries that are meant, in the order of memory.
///
/// # Errors
/// When a name or a pattern cannot be understood; an empty list is no error.
pub fn select(
    wanted: &Wanted,
    places: &[Place],
    memory: &MemoryDirectory,
    sources: &Sources,
    zone: &TimeZone,
) -> Result<Vec<Chosen>, SelectError> {
    if let Some(asked) = &wanted.entry {
        let place = match find(asked, places, memory) {
            Found::One(place) => *place,
            Found::Several(several) => return Err(SelectError::Several { asked: asked.clone(), several }),
            Found::None(nearest) => return Err(SelectError::None { asked: asked.clone(), nearest }),
        };
        return Ok(vec![Chosen { place, because: vec!["you named it".to_owned()] }]);
    }
    let pattern = wanted.path.as_deref().map(|path| pattern(path, memory)).transpose()?;
    let test = Test { wanted, pattern, sources, zone };
    Ok(places
        .iter()
        .filter(|place| wanted.archived || place.archived.is_none())
        .filter_map(|place| Some(Chosen { place: place.clone(), because: test.reasons(place)? }))
        .collect())
}

/// A file of the memory directory, by its name, or a pattern as ignore files have it.
fn pattern(path: &str, memory: &MemoryDirectory) -> Result<Gitignore, SelectError> {
    let root = memory.root.to_string_lossy();
    let inside = path.strip_prefix(root.as_ref()).unwrap_or(path).trim_start_matches("./");
    let fault = |_| SelectError::Pattern { pattern: path.to_owned() };
    let mut builder = GitignoreBuilder::new("");
    // A name that is there is meant as it is, whatever marks it holds.
    let line = if memory.files.contains_key(inside.trim_start_matches('/')) {
        let literal: String = inside
            .trim_start_matches('/')
            .chars()
            .flat_map(|letter| {
                ['\\'].into_iter().filter(move |_| "*?[]{}!#\\ ".contains(letter)).chain([letter])
            })
            .collect();
        format!("/{literal}")
    } else {
        inside.to_owned()
    };
    builder.add_line(None, &line).map_err(fault)?;
    builder.build().map_err(fault)
}

struct Test<'a> {
    wanted: &'a Wanted,
    pattern: Option<Gitignore>,
    sources: &'a Sources,
    zone: &'a TimeZone,
}

impl Test<'_> {
    /// Why an entry is meant; `None` when it is not.
    fn reasons(&self, place: &Place) -> Option<Vec<String>> {
        let mut reasons = Vec::new();
        if let Some(words) = &self.wanted.words {
            if !says(&place.text, words) {
                return None;
            }
            reasons.push(format!("it says {words:?}"));
        }
        if let Some(pattern) = &self.pattern {
            let is_in = |path: &str| pattern.matched(path, false).is_ignore();
            if !is_in(&place.path) && !is_in(&place.topic) {
                return None;
            }
            reasons.push(format!("it stands in {}", place.topic));
        }
        let recorded = sources_of(self.sources, &place.entry);
        if let Some(session) = &self.wanted.session {
            let sessions: BTreeSet<&str> = recorded
                .iter()
                .flat_map(|recorded| &recorded.source.evidence)
                .map(|evidence| evidence.source.session.as_str())
                .collect();
            if !sessions.iter().any(|known| known.starts_with(session.as_str())) {
                return None;
            }
            let others = sessions.iter().filter(|known| !known.starts_with(session.as_str())).count();
            reasons.push(match others {
                0 => "it comes from that session".to_owned(),
                1 => "it comes from that session, and another one said it too".to_owned(),
                others => format!("it comes from that session, and {others} others said it too"),
            });
        }
        if self.wanted.since.is_some() || self.wanted.until.is_some() {
            let mut said: Vec<Timestamp> = recorded
                .iter()
                .flat_map(|recorded| &recorded.source.evidence)
                .filter_map(|evidence| evidence.at)
                .collect();
            if said.is_empty() {
                said.extend(last_said(&recorded));
            }
            let within = |at: &&Timestamp| {
                self.wanted.since.is_none_or(|since| **at >= since)
                    && self.wanted.until.is_none_or(|until| **at < until)
            };
            let at = said.iter().find(within)?;
            reasons.push(format!("it was said on {}", at.to_zoned_datetime(self.zone.clone()).date()));
        }
        if self.wanted.all {
            reasons.push("you named all of memory".to_owned());
        }
        (!reasons.is_empty()).then_some(reasons)
    }
}

/// Whether an entry says these words: as they stand, or each of them.
fn says(text: &str, words: &str) -> bool {
    let fold = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let (folded, wanted) = (fold(text), fold(words));
    if wanted.is_empty() {
        return false;
    }
    let terms_of = |text: &str| terms(text).into_iter().collect::<BTreeSet<_>>();
    let asked = terms_of(words);
    folded.contains(&wanted) || !asked.is_empty() && asked.is_subset(&terms_of(text))
}
