//! What a memory is worth, held against what is known of its scenario.

use crate::Files;
use crate::gold::patterns;
use regex::Regex;
use serde_json::Value;
use std::error::Error;
use std::fmt;

/// Counts of what was found among what there was to find.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Score {
    /// Facts that stand in memory.
    keep: Share,
    /// Facts that stand in a line of the index, which clients load by themselves.
    loaded: Share,
    /// Entries of topics that state a known fact; all others count against it.
    precision: Share,
    /// Statements that must not stand there, and do not.
    never: Share,
    /// Old values that a new one has taken the place of.
    update: Share,
    /// Relative dates that became the day that was meant.
    dates: Share,
}

#[derive(Clone, Copy, Debug, Default)]
struct Share {
    found: usize,
    of: usize,
}

impl Share {
    fn count(&mut self, found: bool) {
        self.found += usize::from(found);
        self.of += 1;
    }
}

/// An entry: its words alone, and with the headings and the description under which it stands.
struct Entry {
    text: String,
    context: String,
    index: bool,
}

impl Score {
    /// The score of a memory.
    pub(crate) fn of(gold: &Value, files: &Files) -> Result<Self, Box<dyn Error>> {
        let entries = entries(files);
        let mut score = Self::default();
        let list = |name: &str| gold[name].as_array().cloned().unwrap_or_default();
        let mut known: Vec<Vec<Regex>> = Vec::new();
        for keep in list("keep") {
            let must = patterns(&keep["must"])?;
            score.keep.count(entries.iter().any(|entry| every(&must, &entry.context)));
            score.loaded.count(entries.iter().any(|entry| entry.index && every(&must, &entry.text)));
            known.push(must);
        }
        for ok in list("ok") {
            known.push(patterns(&ok["must"])?);
        }
        for never in list("never") {
            let bad = patterns(&never["bad"])?;
            score.never.count(!entries.iter().any(|entry| some(&bad, &entry.text)));
        }
        for update in list("update") {
            let (new, old) = (patterns(&update["new"])?, patterns(&update["old"])?);
            let stated = entries.iter().any(|entry| every(&new, &entry.context));
            let stale = entries.iter().any(|entry| some(&old, &entry.text) && !every(&new, &entry.context));
            score.update.count(stated && !stale);
            known.push(new);
        }
        for date in list("dates") {
            let (about, day) = (patterns(&date["about"])?, date["expect"].as_str().unwrap_or_default());
            let dated =
                entries.iter().any(|entry| every(&about, &entry.context) && entry.context.contains(day));
            score.dates.count(dated);
        }
        for entry in entries.iter().filter(|entry| !entry.index) {
            score.precision.count(known.iter().any(|must| every(must, &entry.context)));
        }
        Ok(score)
    }

    /// Adds the counts of another memory.
    pub(crate) fn add(&mut self, other: &Self) {
        let pairs = [
            (&mut self.keep, other.keep),
            (&mut self.loaded, other.loaded),
            (&mut self.precision, other.precision),
            (&mut self.never, other.never),
            (&mut self.update, other.update),
            (&mut self.dates, other.dates),
        ];
        for (sum, share) in pairs {
            sum.found += share.found;
            sum.of += share.of;
        }
    }
}

impl fmt::Display for Score {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shares = [
            ("keep", self.keep),
            ("loaded", self.loaded),
            ("precision", self.precision),
            ("never", self.never),
            ("update", self.update),
            ("dates", self.dates),
        ];
        for (name, share) in shares {
            write!(out, " {name} {:.3}", share.found as f64 / share.of.max(1) as f64)?;
        }
        Ok(())
    }
}

fn every(patterns: &[Regex], text: &str) -> bool {
    patterns.iter().all(|pattern| pattern.is_match(text))
}

fn some(patterns: &[Regex], text: &str) -> bool {
    patterns.iter().any(|pattern| pattern.is_match(text))
}

fn entries(files: &Files) -> Vec<Entry> {
    let memory = crate::view(files);
    let lines = memory.index.iter().filter(|line| !line.text.trim().is_empty()).map(|line| Entry {
        text: line.text.clone(),
        context: line.text.clone(),
        index: true,
    });
    let stated = memory.entries().map(|(topic, entry)| Entry {
        text: entry.text.clone(),
        context: format!("{} {} {}", topic.name, topic.description, entry.text),
        index: false,
    });
    lines.chain(stated).collect()
}
