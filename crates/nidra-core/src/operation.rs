//! What an engine wants changed: typed operations, never files.

use crate::evidence::{Evidence, TrustRank};
use crate::id::{EntryId, OperationId, PlanHash};
use crate::memory::Kind;
use serde::{Deserialize, Serialize};

/// An existing entry that an operation names. It holds the entry's words, so that an operation on
/// a text that changed meanwhile is noticed and refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// The topic file, relative to the memory directory.
    pub path: String,
    /// The entry.
    pub entry: EntryId,
    /// The entry's words as the engine saw them ([`crate::EntryView::text`]).
    pub text: String,
}

/// A topic file that does not exist yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewTopic {
    /// The wish for its name: ASCII, `kebab-case`, without extension. A clash gets a suffix.
    pub slug: String,
    /// The title in the index, in the language of the talk.
    pub title: String,
    /// The `description` of the front matter: one line that says the fact.
    pub description: String,
    /// Its kind.
    pub kind: Kind,
}

/// One change of memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "type")]
pub enum Change {
    /// A new topic file with these paragraphs, and its line in the index:
    /// `- [title](slug.md) — hook`.
    Create {
        /// The file.
        topic: NewTopic,
        /// The body: one or more paragraphs or bullets in Markdown, each one entry.
        entries: Vec<String>,
        /// What the index line says behind the link: enough to be useful alone.
        hook: String,
    },
    /// A new entry at the end of an existing topic file.
    Append {
        /// The topic file, relative to the memory directory.
        path: String,
        /// The entry's words, without bullet mark.
        text: String,
        /// The new text behind the link of the topic's index line; `None` leaves the line alone.
        hook: Option<String>,
    },
    /// An entry's words become these; nothing that it said is lost (`redate`, `merge`).
    Rewrite {
        /// The entry.
        target: Target,
        /// The new words, without bullet mark.
        text: String,
        /// The new text behind the link of the topic's index line; `None` leaves the line alone.
        hook: Option<String>,
    },
    /// An entry is no longer true; its old words go to the archive with date and reason.
    Supersede {
        /// The entry.
        target: Target,
        /// What is true now, without bullet mark.
        text: String,
        /// The new text behind the link of the topic's index line; `None` leaves the line alone.
        hook: Option<String>,
    },
    /// An entry leaves active memory; its words go to the archive with date and reason.
    Archive {
        /// The entry.
        target: Target,
    },
    /// The `description` of a topic's front matter and its index line say this now.
    Retitle {
        /// The topic file, relative to the memory directory.
        path: String,
        /// The new description; `None` leaves it alone.
        description: Option<String>,
        /// The new text behind the link of the index line; `None` leaves it alone.
        hook: Option<String>,
    },
    /// The index gets a line for a topic file that has none.
    Relink {
        /// The topic file, relative to the memory directory.
        path: String,
        /// The title in the index.
        title: String,
        /// What the index line says behind the link.
        hook: String,
    },
    /// A line of the index that points to nothing, or that stands twice, leaves it; its words go to the archive.
    Unlink {
        /// The line as it is, without its line end.
        line: String,
    },
    /// Words for a place that only the user changes (`CLAUDE.md`, team memory); never applied by a run.
    Propose {
        /// The place.
        destination: String,
        /// The words.
        text: String,
    },
}

impl Change {
    /// The name used in reports and stored state.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Create { .. } => "create",
            Self::Append { .. } => "append",
            Self::Rewrite { .. } => "rewrite",
            Self::Supersede { .. } => "supersede",
            Self::Archive { .. } => "archive",
            Self::Retitle { .. } => "retitle",
            Self::Relink { .. } => "relink",
            Self::Unlink { .. } => "unlink",
            Self::Propose { .. } => "propose",
        }
    }

    /// What it states in memory: the words of the entries that it makes or puts in another's place.
    pub fn statements(&self) -> Vec<&str> {
        match self {
            Self::Create { entries, .. } => entries.iter().map(String::as_str).collect(),
            Self::Append { text, .. } | Self::Rewrite { text, .. } | Self::Supersede { text, .. } => {
                vec![text]
            }
            Self::Archive { .. }
            | Self::Retitle { .. }
            | Self::Relink { .. }
            | Self::Unlink { .. }
            | Self::Propose { .. } => Vec::new(),
        }
    }

    /// The existing entry that it names.
    pub fn target(&self) -> Option<&Target> {
        match self {
            Self::Rewrite { target, .. } | Self::Supersede { target, .. } | Self::Archive { target } => {
                Some(target)
            }
            Self::Create { .. }
            | Self::Append { .. }
            | Self::Retitle { .. }
            | Self::Relink { .. }
            | Self::Unlink { .. }
            | Self::Propose { .. } => None,
        }
    }

    /// The existing topic file that it changes.
    pub fn path(&self) -> Option<&str> {
        match self {
            Self::Append { path, .. } | Self::Retitle { path, .. } | Self::Relink { path, .. } => Some(path),
            Self::Rewrite { .. } | Self::Supersede { .. } | Self::Archive { .. } => {
                self.target().map(|target| target.path.as_str())
            }
            Self::Create { .. } | Self::Unlink { .. } | Self::Propose { .. } => None,
        }
    }
}

/// A change with its grounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Operation {
    /// Its name inside the plan.
    pub id: OperationId,
    /// What changes.
    pub change: Change,
    /// The kind of what is stated, for the review policy.
    pub kind: Kind,
    /// How far the statement can be trusted.
    pub rank: TrustRank,
    /// Why, in one sentence that a user reads.
    pub reason: String,
    /// The words that it rests on; never empty for anything that states a fact.
    pub evidence: Vec<Evidence>,
}

/// Everything that one run wants changed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The operations in the order in which they apply.
    pub operations: Vec<Operation>,
}

impl Plan {
    /// The hash of the plan in its canonical form (its JSON, whose field order is fixed by the types).
    pub fn hash(&self) -> PlanHash {
        let bytes = serde_json::to_vec(self).unwrap_or_default();
        PlanHash::new(&blake3::hash(&bytes).to_hex()[..16])
    }
}
