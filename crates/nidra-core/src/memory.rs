//! A memory directory as engines see it: topics, entries and the index, without bytes or files.

use crate::id::EntryId;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// What a topic is about; the agents' own four kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The person: role, knowledge, taste, language.
    User,
    /// How the person wants the agent to work: rules, corrections, preferences.
    Feedback,
    /// The project: facts, decisions, procedures, gotchas, open loops.
    Project,
    /// Where things are: dashboards, tickets, owners, environments.
    Reference,
}

impl Kind {
    /// The name used in front matter.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Feedback => "feedback",
            Self::Project => "project",
            Self::Reference => "reference",
        }
    }

    /// Reads the name used in front matter; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        match text.trim() {
            "user" => Some(Self::User),
            "feedback" => Some(Self::Feedback),
            "project" => Some(Self::Project),
            "reference" => Some(Self::Reference),
            _ => None,
        }
    }
}

/// What a memory directory holds, as a value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MemoryView {
    /// The topic files, ordered by path. Logs, archives and hidden files are not among them.
    pub topics: Vec<TopicView>,
    /// The lines of `MEMORY.md`, in order, without their line ends.
    pub index: Vec<IndexLine>,
}

/// One topic file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TopicView {
    /// The path relative to the memory directory, with `/` between its parts.
    pub path: String,
    /// The `name` of the front matter, else the file's stem.
    pub name: String,
    /// The `description` of the front matter, else the first line of the body.
    pub description: String,
    /// The kind, where the front matter names one of the four.
    pub kind: Option<Kind>,
    /// The user pinned it: it stays as it is in every case.
    pub pinned: bool,
    /// It can be edited: valid UTF-8, front matter that parses, no conflict markers.
    pub editable: bool,
    /// When the front matter says that it was last modified.
    pub modified: Option<Timestamp>,
    /// Its entries in order: bullets with their continuation lines, paragraphs, table rows.
    pub entries: Vec<EntryView>,
}

/// One entry of a topic file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EntryView {
    /// The entry's identifier: a hash of path and text.
    pub id: EntryId,
    /// Where it stands in the file, in bytes, without the line end behind it.
    pub range: Range<usize>,
    /// The words, without bullet mark and with continuation lines joined by a space.
    pub text: String,
    /// The headings above it, outermost first.
    pub headings: Vec<String>,
    /// It is a bullet or a numbered item.
    pub bullet: bool,
    /// It is stated as true: not struck through and not below a heading that says archive or history.
    pub active: bool,
}

/// One line of the index.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IndexLine {
    /// The line as it is, without its line end.
    pub text: String,
    /// The topic files that it links to, relative to the memory directory, normalised.
    pub targets: Vec<String>,
}

impl MemoryView {
    /// The topic with this path.
    pub fn topic(&self, path: &str) -> Option<&TopicView> {
        self.topics.iter().find(|topic| topic.path == path)
    }

    /// All active entries with the topic that each stands in.
    pub fn entries(&self) -> impl Iterator<Item = (&TopicView, &EntryView)> {
        self.topics.iter().flat_map(|topic| {
            topic.entries.iter().filter(|entry| entry.active).map(move |entry| (topic, entry))
        })
    }
}
