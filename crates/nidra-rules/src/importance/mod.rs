//! How much speaks for an entry of memory: a sum of named signals with readable weights, and what follows from it.
//!
//! Everything here is pure. [`score`] weighs what is known of an entry; [`ladder`] says which entries leave memory and
//! when the others would; [`affect`] reads a person's feeling from what they typed. What nidra does not know of an entry
//! counts in full: words that others wrote are never judged low because nobody told where they come from.

pub mod affect;
pub mod ladder;

use crate::drift::Verdict;
use crate::sentence::is_identifier;
use crate::terms;
use nidra_core::text::wording::counted;
use nidra_core::{Affect, Kind, TrustRank};
use std::fmt::Write as _;

/// After so many days without new evidence an entry's recency counts half.
pub const HALF_LIFE_DAYS: f64 = 180.0;

/// What is known of an entry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Facts {
    /// What its topic is about; `None` where the front matter does not say.
    pub kind: Option<Kind>,
    /// The user pinned its topic.
    pub pinned: bool,
    /// Where it comes from; `None` for words that nidra did not write.
    pub support: Option<Support>,
    /// Days since the last evidence; of words that nidra did not write since their file was changed. `None` where
    /// nobody knows.
    pub age_days: Option<f64>,
    /// How many exact things it names ([`exact_things`]).
    pub exact_things: usize,
    /// Whether the checkout bears it out.
    pub verdict: Verdict,
    /// How many other entries link to its topic.
    pub links: usize,
    /// How often agents used it.
    pub used: Used,
}

/// How often agents used an entry. That says nothing of whether it is true: only that somebody had use for it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Used {
    /// In how many sessions it was loaded.
    pub loaded: usize,
    /// In how many sessions a question found it.
    pub recalled: usize,
    /// Days since that was last; `None` where it never was.
    pub last_days: Option<f64>,
}

/// Where an entry comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Support {
    /// The best of its sources.
    pub rank: TrustRank,
    /// The sessions that say it; each counts once.
    pub sessions: usize,
    /// What the person's turns showed of their feeling.
    pub affect: Affect,
}

/// A signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SignalName {
    /// How far the words can be trusted.
    Trust,
    /// How many sessions say it.
    Recurrence,
    /// How long ago it was said last.
    Recency,
    /// Whether the checkout bears it out.
    Checkout,
    /// What it is about.
    Kind,
    /// The person's frustration, praise or emphasis.
    Affect,
    /// Whether it names exact things.
    Concreteness,
    /// Whether other entries link to it.
    Links,
    /// Whether agents used it.
    Use,
    /// Whether nidra wrote it.
    Origin,
    /// Whether the user pinned it.
    Pinned,
}

/// The weights of the signals; they sum up to 1. A pinned topic needs none: it counts in full whatever the others say.
pub const WEIGHTS: [(SignalName, f64); 10] = [
    (SignalName::Trust, 0.20),
    (SignalName::Recurrence, 0.20),
    (SignalName::Recency, 0.20),
    (SignalName::Checkout, 0.10),
    (SignalName::Kind, 0.08),
    (SignalName::Affect, 0.08),
    (SignalName::Concreteness, 0.07),
    (SignalName::Links, 0.02),
    (SignalName::Use, 0.02),
    (SignalName::Origin, 0.03),
];

impl SignalName {
    /// The name used in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Trust => "trust",
            Self::Recurrence => "recurrence",
            Self::Recency => "recency",
            Self::Checkout => "checkout",
            Self::Kind => "kind",
            Self::Affect => "affect",
            Self::Concreteness => "concreteness",
            Self::Links => "links",
            Self::Use => "use",
            Self::Origin => "origin",
            Self::Pinned => "pinned",
        }
    }
}

/// A signal of an entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Signal {
    /// Which one.
    pub name: SignalName,
    /// How strong it is, from 0 to 1.
    pub value: f64,
    /// How much it counts, from 0 to 1.
    pub weight: f64,
    /// What it says, in one sentence.
    pub sentence: String,
}

impl Signal {
    /// What it adds to the total.
    pub fn contribution(&self) -> f64 {
        self.value * self.weight
    }
}

/// How much speaks for an entry, from 0 to 1, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    /// The sum; 1 for what the user pinned.
    pub total: f64,
    /// The signals in the order of [`WEIGHTS`].
    pub signals: Vec<Signal>,
}

/// Weighs an entry.
pub fn score(facts: &Facts) -> Score {
    if facts.pinned {
        let sentence = "The topic is pinned, so nothing else counts.".to_owned();
        return Score {
            total: 1.0,
            signals: vec![Signal { name: SignalName::Pinned, value: 1.0, weight: 1.0, sentence }],
        };
    }
    let signals: Vec<Signal> = WEIGHTS
        .into_iter()
        .map(|(name, weight)| {
            let (value, sentence) = signal(name, facts);
            Signal { name, value, weight, sentence }
        })
        .collect();
    Score { total: signals.iter().map(Signal::contribution).sum::<f64>().clamp(0.0, 1.0), signals }
}

/// How strong a signal is, and what it says.
fn signal(name: SignalName, facts: &Facts) -> (f64, String) {
    match name {
        SignalName::Trust => trust(facts.support),
        SignalName::Recurrence => recurrence(facts.support),
        SignalName::Recency => recency(facts.age_days),
        SignalName::Checkout => checkout(facts.verdict),
        SignalName::Kind => kind(facts.kind),
        SignalName::Affect => feeling(facts.support),
        SignalName::Concreteness => {
            (growing(facts.exact_things), format!("It names {}.", counted(facts.exact_things, "exact thing")))
        }
        SignalName::Links => (growing(facts.links), format!("{} to its topic.", links(facts.links))),
        SignalName::Use => used(facts.used),
        SignalName::Origin => match facts.support {
            None => (1.0, "nidra did not write it; it is the user's or another tool's.".to_owned()),
            Some(_) => (0.5, "nidra wrote it.".to_owned()),
        },
        SignalName::Pinned => (f64::from(u8::from(facts.pinned)), "Whether its topic is pinned.".to_owned()),
    }
}

const UNKNOWN: &str = "Nothing is known about where it comes from, which counts in full.";

fn trust(support: Option<Support>) -> (f64, String) {
    let Some(Support { rank, .. }) = support else { return (1.0, UNKNOWN.to_owned()) };
    let (value, sentence) = match rank {
        TrustRank::HumanVerbatim => (1.0, "A person said it."),
        TrustRank::HumanConfirmed => (0.85, "The agent said it and a person agreed."),
        TrustRank::Observed => (0.6, "A tool showed it."),
        TrustRank::AgentInferred => (0.25, "The agent concluded it."),
        TrustRank::Document => (0.15, "A document says so."),
    };
    (value, sentence.to_owned())
}

fn recurrence(support: Option<Support>) -> (f64, String) {
    match support {
        None => (1.0, UNKNOWN.to_owned()),
        Some(Support { sessions, .. }) => {
            let says = if sessions == 1 { "says" } else { "say" };
            (growing(sessions), format!("{} {says} it.", counted(sessions, "session")))
        }
    }
}

fn recency(age_days: Option<f64>) -> (f64, String) {
    match age_days {
        None => (1.0, "Nobody knows when it was written, which counts in full.".to_owned()),
        Some(days) => {
            let days = days.max(0.0);
            let sentence = format!(
                "The last evidence is {} old; every {HALF_LIFE_DAYS:.0} days it counts half.",
                whole_days(days)
            );
            (decay(days), sentence)
        }
    }
}

fn checkout(verdict: Verdict) -> (f64, String) {
    let (value, sentence) = match verdict {
        Verdict::Fresh => (1.0, "The checkout bears it out."),
        Verdict::NotCheckable => (0.6, "The checkout cannot tell."),
        Verdict::Ambiguous => (0.6, "The checkout does not say which of several things is meant."),
        Verdict::Moved => (0.5, "What it names has moved."),
        Verdict::Stale => (0.0, "The checkout does not bear it out."),
    };
    (value, sentence.to_owned())
}

fn kind(kind: Option<Kind>) -> (f64, String) {
    match kind {
        Some(Kind::User) => (1.0, "It is about the user.".to_owned()),
        Some(Kind::Feedback) => (1.0, "It is a rule or preference of the user.".to_owned()),
        Some(Kind::Project) => (0.5, "It is about the project.".to_owned()),
        Some(Kind::Reference) => (0.5, "It says where something is.".to_owned()),
        None => (0.5, "Its topic has no kind.".to_owned()),
    }
}

fn feeling(support: Option<Support>) -> (f64, String) {
    let Some(Support { affect, .. }) = support else { return (1.0, UNKNOWN.to_owned()) };
    let value = [(affect.frustration, 1.0), (affect.emphasis, 0.7), (affect.praise, 0.5)]
        .into_iter()
        .filter(|(shows, _)| *shows)
        .map(|(_, value)| value)
        .fold(0.0, f64::max);
    let sentence = match affect.names().as_slice() {
        [] => "The person was matter-of-fact about it.".to_owned(),
        names => format!("The person showed {} where they said it.", names.join(" and ")),
    };
    (value, sentence)
}

fn used(used: Used) -> (f64, String) {
    let Used { loaded, recalled, last_days: Some(days) } = used else {
        return (0.0, "No session is known that loaded or recalled it.".to_owned());
    };
    let times = |count: usize| if count == 1 { "once".to_owned() } else { format!("{count} times") };
    let sentence =
        format!("Loaded {}, recalled {}, last {} ago.", times(loaded), times(recalled), whole_days(days));
    (growing(loaded.saturating_add(recalled)) * decay(days), sentence)
}

fn links(count: usize) -> String {
    match count {
        0 => "No other entry links".to_owned(),
        1 => "1 other entry links".to_owned(),
        count => format!("{count} other entries link"),
    }
}

/// Each further one counts half of the one before: 0, 1/2, 3/4 …
fn growing(count: usize) -> f64 {
    1.0 - 0.5_f64.powi(i32::try_from(count).unwrap_or(i32::MAX))
}

/// What is left of recency after so many days.
fn decay(days: f64) -> f64 {
    0.5_f64.powf(days.max(0.0) / HALF_LIFE_DAYS)
}

/// A span in whole days: `1 day`, `40 days`.
pub fn whole_days(days: f64) -> String {
    let mut text = format!("{:.0}", days.max(0.0).floor());
    let _ = write!(text, " {}", if text == "1" { "day" } else { "days" });
    text
}

/// How many exact things a text names: code, commands, paths, identifiers, addresses, numbers and other values.
pub fn exact_things(text: &str) -> usize {
    let mut spans = 0;
    let mut outside = String::new();
    for (position, part) in text.split('`').enumerate() {
        if position % 2 == 1 {
            spans += usize::from(!part.trim().is_empty());
            outside.push(' ');
        } else {
            outside.push_str(part);
        }
    }
    // A Han character beside a Latin word is no part of it.
    let words = outside
        .split(terms::is_separator)
        .filter(|word| is_identifier(word) || word.chars().any(|character| character.is_ascii_digit()))
        .count();
    spans + words
}

#[cfg(test)]
#[path = "importance_tests.rs"]
mod tests;
