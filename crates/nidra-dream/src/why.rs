//! Why an entry of memory is there: where it comes from, what it took the place of, how much speaks for it, and what
//! becomes of it. Reads and writes nothing.

use crate::drift::Drift;
use crate::forget;
use crate::lookup::Place;
use crate::offers::Offers;
use crate::standing::{self, Sources, Weighed, days_between, last_said, sources_of, standing, weigh};
use crate::usage::{self, Uses};
use jiff::{SignedDuration, Timestamp, ZonedDateTime};
use nidra_core::settings::ForgetSettings;
use nidra_core::{EntryId, MemoryView, PlanHash};
use nidra_memory::store::{RecordedSource, Relation};
use nidra_rules::drift::Verdict;
use nidra_rules::importance::ladder::{Keeps, Step, climb};
use nidra_rules::importance::{self, Facts};
use std::collections::BTreeSet;

/// What is needed to explain an entry.
#[derive(Clone, Copy, Debug)]
pub struct Knowledge<'a> {
    /// Memory as it is.
    pub memory: &'a MemoryView,
    /// All entries, those of the archive included.
    pub places: &'a [Place],
    /// Where entries come from.
    pub sources: &'a Sources,
    /// How often entries were used.
    pub uses: &'a Uses,
    /// What was decided before about archiving entries.
    pub offers: &'a Offers,
    /// Memory held against the checkout.
    pub drift: &'a Drift,
    /// What the user set about forgetting.
    pub settings: &'a ForgetSettings,
    /// The present moment in the user's zone.
    pub now: &'a ZonedDateTime,
}

/// Why an entry is there.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// What is known of it, and how much speaks for it.
    pub weighed: Weighed,
    /// What brought it and what said it again, newest first.
    pub sources: Vec<RecordedSource>,
    /// What it was before, the latest first.
    pub earlier: Vec<Earlier>,
    /// What becomes of it.
    pub outlook: Outlook,
}

/// An entry that another one took the place of.
#[derive(Clone, Debug, PartialEq)]
pub struct Earlier {
    /// The entry.
    pub entry: EntryId,
    /// Its words, as far as the archive has them.
    pub text: Option<String>,
    /// What the run did to it: rewrite or replace.
    pub relation: Relation,
    /// The run, as it recorded it.
    pub by: RecordedSource,
}

/// What becomes of an entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Outlook {
    /// A line of the index points to its topic, so that sessions hear of it.
    pub in_index: bool,
    /// What the ladder says of it now; `None` for one that is archived already or not stated as true.
    pub step: Option<Step>,
    /// Leaving memory needs the user's word on this very entry.
    pub needs_consent: bool,
    /// The plan in which a change of it waits for the user's word.
    pub waits: Option<PlanHash>,
    /// Archiving it was decided on before on the same grounds, so that it is not brought up again.
    pub decided: bool,
    /// When it would be archived for its score if nobody says it again; `None` for never.
    pub leaves: Option<Timestamp>,
    /// Active entries of memory.
    pub entries: usize,
}

/// Explains an entry.
pub fn explain(place: &Place, known: Knowledge<'_>) -> Explanation {
    let now = known.now.timestamp();
    let all = weigh(known.memory, known.sources, known.uses, known.drift, now);
    let standings: Vec<_> = all.iter().map(|weighed| weighed.standing.clone()).collect();
    let steps = climb(&standings, known.settings);
    let at = all.iter().position(|weighed| weighed.path == place.path && weighed.entry == place.entry);
    let weighed = match at.and_then(|at| all.get(at)) {
        Some(weighed) => weighed.clone(),
        None => out_of_use(place, known),
    };
    let step = at.and_then(|at| steps.get(at).copied());
    let days = step.and_then(|_| weighed.standing.days_left(known.settings));
    let reason = forget::reason(&weighed, known.now.time_zone());
    let outlook = Outlook {
        in_index: known.memory.index.iter().any(|line| line.targets.contains(&place.path)),
        step,
        needs_consent: weighed.standing.needs_consent(),
        waits: known.offers.waits(&place.entry).cloned(),
        decided: known.offers.holds(&place.entry, &reason),
        leaves: days.and_then(|days| now.checked_add(SignedDuration::from_secs_f64(days * DAY)).ok()),
        entries: all.len(),
    };
    Explanation {
        sources: sources_of(known.sources, &place.entry).into_iter().cloned().collect(),
        earlier: earlier(&place.entry, known),
        weighed,
        outlook,
    }
}

/// Seconds of a day.
const DAY: f64 = 86_400.0;

impl Outlook {
    /// Whether it leaves with the next dream that has something to read, as far as the policy lets it.
    pub fn leaves_next(&self) -> bool {
        matches!(self.step, Some(Step::Archive(_))) && !self.decided
    }

    /// What keeps it, if anything does.
    pub fn keeps(&self) -> Option<Keeps> {
        match self.step {
            Some(Step::Keep(keeps)) => Some(keeps),
            Some(Step::Archive(_)) | None => None,
        }
    }
}

/// An entry that is not in use is weighed by what is known of it; nobody looks for its anchors.
fn out_of_use(place: &Place, known: Knowledge<'_>) -> Weighed {
    let recorded = sources_of(known.sources, &place.entry);
    let said = last_said(&recorded);
    let topic = known.memory.topic(&place.topic);
    let facts = Facts {
        kind: place.kind,
        pinned: topic.is_some_and(|topic| topic.pinned),
        support: standing::support(&recorded),
        age_days: said.map(|said| days_between(said, known.now.timestamp())),
        exact_things: importance::exact_things(&place.text),
        verdict: Verdict::NotCheckable,
        links: 0,
        used: usage::used(known.uses, standing::names(&place.entry, &recorded), known.now.timestamp()),
    };
    Weighed {
        path: place.path.clone(),
        entry: place.entry.clone(),
        text: place.text.clone(),
        editable: false,
        last_said: said,
        standing: standing(&facts),
        facts,
    }
}

/// The entries whose place this one took, one after the other.
fn earlier(entry: &EntryId, known: Knowledge<'_>) -> Vec<Earlier> {
    let mut found: Vec<Earlier> = Vec::new();
    let mut seen = BTreeSet::from([entry.clone()]);
    let mut waiting = vec![entry.clone()];
    while let Some(entry) = waiting.pop() {
        for by in known.sources.get(&entry).into_iter().flatten() {
            let Some(before) = &by.source.predecessor else { continue };
            if seen.insert(before.clone()) {
                waiting.push(before.clone());
                found.push(Earlier {
                    entry: before.clone(),
                    text: known
                        .places
                        .iter()
                        .find(|place| place.entry == *before)
                        .map(|place| place.text.clone()),
                    relation: by.source.relation,
                    by: by.clone(),
                });
            }
        }
    }
    found
}
