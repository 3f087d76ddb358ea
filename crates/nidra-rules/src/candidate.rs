//! A fact that may be kept, with its grounds.

use crate::dialogue::Utterance;
use crate::human;
use crate::lexicon::Cues;
use crate::terms;
use jiff::ZonedDateTime;
use nidra_core::{EntryId, Evidence, Kind, TrustRank};
use std::collections::BTreeSet;

/// A fact that may be kept.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    /// Which utterance of its session it comes from.
    pub(crate) utterance: usize,
    /// Its kind.
    pub(crate) kind: Kind,
    /// How far it can be trusted.
    pub(crate) rank: TrustRank,
    /// The fact in words, ready to be stored.
    pub(crate) text: String,
    /// The cues of all its sentences.
    pub(crate) cues: Cues,
    /// What it weighs.
    pub(crate) score: f64,
    /// Why it was taken, in words.
    pub(crate) reason: String,
    /// The words that it rests on.
    pub(crate) evidence: Vec<Evidence>,
    /// The words around it, for telling its subject; never stored.
    pub(crate) context: String,
    /// What it is about.
    pub(crate) terms: BTreeSet<String>,
    /// What it says is over or not so.
    pub(crate) negated: BTreeSet<String>,
    /// When it was said.
    pub(crate) said: ZonedDateTime,
    /// It is stated as it holds for the time being.
    pub(crate) provisional: bool,
    /// It is an older statement with another value in it.
    pub(crate) revises: Option<Revised>,
}

impl Candidate {
    /// What a person's words say now in the place of an entry: its whole new text, and the new statement alone.
    pub(crate) fn revision(
        index: usize,
        utterance: &Utterance<'_>,
        kind: Kind,
        text: String,
        revised: Revised,
        reason: &str,
    ) -> Self {
        Self {
            utterance: index,
            kind,
            rank: TrustRank::HumanVerbatim,
            terms: terms::terms(&text),
            negated: BTreeSet::new(),
            text,
            cues: Cues::default(),
            score: REVISION,
            reason: reason.to_owned(),
            evidence: vec![human::quote(utterance)],
            context: String::new(),
            said: utterance.said.clone(),
            provisional: false,
            revises: Some(revised),
        }
    }
}

/// What a revision of memory weighs.
const REVISION: f64 = 3.0;

/// What a candidate revises.
#[derive(Clone, Debug)]
pub(crate) struct Revised {
    /// The entry of memory; `None` where the older statement is of the same run.
    pub(crate) entry: Option<EntryId>,
    /// The new statement alone, for the index line.
    pub(crate) core: String,
    /// How sure it is that the statement is meant: 1 and more where it is the old one with another value in it, below
    /// that where the person's own words stand in its place.
    pub(crate) sureness: f64,
}

/// Why a candidate is dropped that memory knows already.
pub(crate) const ALREADY_KNOWN: &str = "already known";

/// A candidate that was not kept, and why.
#[derive(Clone, Debug)]
pub(crate) struct Rejected {
    /// The words.
    pub(crate) text: String,
    /// Why it was not kept.
    pub(crate) reason: String,
    /// Where it came from.
    pub(crate) evidence: Vec<Evidence>,
}
