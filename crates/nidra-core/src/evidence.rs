//! What an entry rests on.

use crate::session::{Source, Speaker};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// How far a statement can be trusted; the order of the variants is the order of trust.
///
/// Memory of a rank below [`TrustRank::Observed`] never overrides one above it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrustRank {
    /// A document, a web page or a tool's text says so.
    Document,
    /// The agent concluded it.
    AgentInferred,
    /// A tool showed it, repeatedly or as the fix that worked.
    Observed,
    /// The agent said it and the human agreed.
    HumanConfirmed,
    /// The human said it.
    HumanVerbatim,
}

impl TrustRank {
    /// The name used in reports and stored state.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Document => "document",
            Self::AgentInferred => "agent-inferred",
            Self::Observed => "observed",
            Self::HumanConfirmed => "human-confirmed",
            Self::HumanVerbatim => "human-verbatim",
        }
    }
}

/// The words that a statement rests on, and where they stand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// Where the words stand.
    pub source: Source,
    /// Who produced them.
    pub speaker: Speaker,
    /// When they were said.
    pub at: Option<Timestamp>,
    /// The words themselves, verbatim but with secrets removed.
    pub quote: String,
}

/// What a person's turn shows of their feeling about what they say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct Affect {
    /// The person is annoyed: the agent did it wrong, or again.
    pub frustration: bool,
    /// The person praises what was done.
    pub praise: bool,
    /// The person stresses it: never ever, 千万.
    pub emphasis: bool,
}

impl Affect {
    /// Whether the turn shows nothing of the kind.
    pub fn is_none(self) -> bool {
        self == Self::default()
    }

    /// What either of two turns shows.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self {
            frustration: self.frustration || other.frustration,
            praise: self.praise || other.praise,
            emphasis: self.emphasis || other.emphasis,
        }
    }

    /// The names of what it shows, as they stand in reports and stored state.
    pub fn names(self) -> Vec<&'static str> {
        [(self.frustration, "frustration"), (self.praise, "praise"), (self.emphasis, "emphasis")]
            .into_iter()
            .filter_map(|(shows, name)| shows.then_some(name))
            .collect()
    }

    /// Reads names with blanks between them; others are passed over.
    pub fn parse(names: &str) -> Self {
        let shows = |name: &str| names.split_whitespace().any(|word| word == name);
        Self { frustration: shows("frustration"), praise: shows("praise"), emphasis: shows("emphasis") }
    }
}
