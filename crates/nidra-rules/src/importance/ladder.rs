//! The ladder by which entries leave memory: by score, by budget, and never without the user's word where it is needed.

use super::{HALF_LIFE_DAYS, Score, SignalName};
use nidra_core::Kind;
use nidra_core::settings::ForgetSettings;

/// An entry as the ladder sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// How much speaks for it.
    pub score: Score,
    /// Days since the last evidence; `None` where nobody knows.
    pub age_days: Option<f64>,
    /// What its topic is about.
    pub kind: Option<Kind>,
    /// The user pinned its topic.
    pub pinned: bool,
    /// nidra wrote it, so that it is known where it comes from.
    pub own: bool,
}

/// Why an entry leaves memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Too little speaks for it.
    Score,
    /// Memory holds more than its budget, and it is among the least important.
    Budget,
}

impl Cause {
    /// The name used in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Score => "score",
            Self::Budget => "budget",
        }
    }
}

/// What keeps an entry where it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Keeps {
    /// Forgetting is switched off.
    Off,
    /// Its topic is pinned.
    Pinned,
    /// Its last evidence is not old enough, or nobody knows how old it is.
    Young,
    /// Enough speaks for it, and memory is within its budget or holds less important entries.
    Important,
}

/// What the ladder says of an entry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// It stays.
    Keep(Keeps),
    /// It is archived, or offered to the user for that.
    Archive(Cause),
}

impl Standing {
    /// Whether it leaves memory only with the user's word: what the user pinned, the user's own matters and rules,
    /// and words that nidra did not write.
    pub fn needs_consent(&self) -> bool {
        self.pinned || !self.own || !matches!(self.kind, Some(Kind::Project | Kind::Reference))
    }

    fn keeps(&self, settings: &ForgetSettings) -> Option<Keeps> {
        if !settings.enabled {
            Some(Keeps::Off)
        } else if self.pinned {
            Some(Keeps::Pinned)
        } else if self.age_days.is_none_or(|days| days < settings.min_age_days) {
            Some(Keeps::Young)
        } else {
            None
        }
    }

    /// In how many days it would be archived for its score if nobody says it again; `None` for never.
    pub fn days_left(&self, settings: &ForgetSettings) -> Option<f64> {
        if !settings.enabled || self.pinned {
            return None;
        }
        let age = self.age_days?;
        let recency = self.score.signals.iter().find(|signal| signal.name == SignalName::Recency)?;
        let rest = self.score.total - recency.contribution();
        // Below this recency it falls: the age at which that is so.
        let needed = (settings.min_score - rest) / recency.weight;
        if needed <= 0.0 {
            return None;
        }
        let falls = if needed >= 1.0 { 0.0 } else { -needed.log2() * HALF_LIFE_DAYS };
        Some((falls.max(settings.min_age_days) - age).max(0.0))
    }
}

/// Says for each active entry of memory whether it stays, in the order given.
pub fn climb(entries: &[Standing], settings: &ForgetSettings) -> Vec<Step> {
    let mut steps: Vec<Step> = entries
        .iter()
        .map(|entry| match entry.keeps(settings) {
            Some(keeps) => Step::Keep(keeps),
            None if entry.score.total < settings.min_score => Step::Archive(Cause::Score),
            None => Step::Keep(Keeps::Important),
        })
        .collect();
    let leaving = steps.iter().filter(|step| matches!(step, Step::Archive(_))).count();
    let budget = usize::try_from(settings.max_entries).unwrap_or(usize::MAX);
    let excess = entries.len().saturating_sub(leaving).saturating_sub(budget);
    let may_go = |at: &usize| steps[*at] == Step::Keep(Keeps::Important);
    let mut least: Vec<usize> = (0..entries.len()).filter(may_go).collect();
    least.sort_by(|left, right| entries[*left].score.total.total_cmp(&entries[*right].score.total));
    for at in least.into_iter().take(excess) {
        steps[at] = Step::Archive(Cause::Budget);
    }
    steps
}

#[cfg(test)]
#[path = "ladder_tests.rs"]
mod tests;
