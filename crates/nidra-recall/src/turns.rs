//! Past turns as answers: candidates are read again in their transcripts, weighed by their words, and explained.

use crate::analyze::{Analyzer, Term};
use crate::index::{Index, owners};
use crate::material;
use crate::newest::{self, Replaced, Statement};
use crate::question::Question;
use crate::rank::{Candidate, READ_AGAIN, Rarity, Weights, by_terms};
use crate::segment::{SegmentError, Voice};
use crate::signs;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use nidra_core::text::redact::{self, Scope};
use nidra_sessions::{Reader, Transcript};
use nidra_vectors::Vector;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// What turns are searched with.
#[derive(Clone, Copy)]
pub struct Searching<'a> {
    /// The index.
    pub index: &'a Index,
    /// Reads transcripts.
    pub reader: &'a dyn Reader,
    /// The transcripts of the index.
    pub transcripts: &'a [Transcript],
    /// What is removed from what is shown.
    pub scope: Scope,
    /// How much each sign counts.
    pub weights: Weights,
    /// The zone in which days are meant.
    pub zone: &'a TimeZone,
    /// Only what was said from here on.
    pub since: Option<Timestamp>,
    /// Only what was said before.
    pub until: Option<Timestamp>,
}

impl std::fmt::Debug for Searching<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Searching").field("weights", &self.weights).finish_non_exhaustive()
    }
}

/// A past turn that may answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// How well, without a unit.
    pub score: f32,
    /// The share of the question that it covers, by the rarity of its terms.
    pub coverage: f32,
    /// Its record.
    pub record: String,
    /// Its session.
    pub session: String,
    /// When it was said.
    pub at: Option<Timestamp>,
    /// Who spoke.
    pub voice: Voice,
    /// Its words, without secrets.
    pub text: String,
    /// The terms of the question that it holds, as the question has them.
    pub shared: Vec<String>,
    /// Why it stands where it stands.
    pub reasons: Vec<&'static str>,
    /// The record of a newer turn that says something else about the same.
    pub replaced_by: Option<String>,
    /// It was the first that was said, so surely it is over.
    pub superseded: bool,
}

/// Finds the past turns that answer a question, the best first; beyond the limit only those that are over.
///
/// # Errors
/// When the index is damaged. A transcript that is gone costs its turns only.
pub fn find(
    mut searching: Searching<'_>,
    question: &Question,
    analyzer: &mut Analyzer,
    limit: usize,
) -> Result<Vec<Found>, SegmentError> {
    if question.wants.agent {
        searching.weights.human = WHERE_THE_AGENT_IS_MEANT;
    }
    let first: HashMap<u32, u32> = searching
        .index
        .manifest
        .files
        .values()
        .flat_map(|row| row.stretches.iter().filter_map(|stretch| Some((*stretch, *row.stretches.first()?))))
        .collect();
    let owner = |stretch: u32| first.get(&stretch).copied().unwrap_or(stretch);
    let (candidates, rarity) = by_terms(&searching.index.segments, question, &searching.weights, &owner)?;
    let owners = owners(&searching.index.manifest, searching.transcripts);
    let asked = nidra_vectors::embed(&question.text);
    let mut weighing = Weighing { searching, question, rarity: &rarity, analyzer, asked };
    let mut found: Vec<Found> = Vec::new();
    let mut seen: HashSet<(String, u64)> = HashSet::new();
    let mut read = 0;
    for candidate in &candidates {
        if !weighing.is_in_time(candidate) {
            continue;
        }
        if read == READ_AGAIN.max(limit) {
            break;
        }
        let Some(transcript) = owners.get(&candidate.row.file) else { continue };
        let Some(one) = weighing.read(candidate, transcript) else { continue };
        read += 1;
        // A session that was resumed holds copies of its earlier records; the same words twice are one answer.
        let words = Term::of(&one.text).0;
        if seen.insert((one.record.clone(), 0)) && seen.insert((String::new(), words)) {
            found.push(one);
        }
    }
    // Where no hit shares more than a word of asking, nothing is known; advice has its standing instructions.
    if !question.wants.advice && !found.iter().any(|one| question.is_about(&one.shared)) {
        return Ok(Vec::new());
    }
    found.sort_by(|left, right| right.score.total_cmp(&left.score));
    if question.wants.value {
        favour_recent(&mut found, searching.weights.recent);
    }
    settle(&mut found, question, &rarity, analyzer);
    // What is over stands last, and is told all the same: an entry of memory may rest on it.
    let mut place = 0;
    found.retain(|one| {
        place += 1;
        place <= limit || one.superseded
    });
    for one in &mut found {
        one.text = redact::redact_in(&one.text, searching.scope);
    }
    Ok(found)
}

/// Favours what was said late, where a value as it is now is asked for.
fn favour_recent(found: &mut [Found], weight: f32) {
    let times: BTreeSet<Timestamp> = found.iter().filter_map(|one| one.at).collect();
    let last = times.len().saturating_sub(1).max(1) as f32;
    let order: BTreeMap<Timestamp, f32> =
        times.into_iter().enumerate().map(|(number, at)| (at, number as f32 / last)).collect();
    for one in found.iter_mut() {
        let share = one.at.and_then(|at| order.get(&at)).copied().unwrap_or_default();
        one.score *= 1.0 + weight * share;
    }
    found.sort_by(|left, right| right.score.total_cmp(&left.score));
}

/// Puts the newer of two statements first where they exclude each other, and what was replaced behind all that holds.
fn settle(found: &mut [Found], question: &Question, rarity: &Rarity, analyzer: &mut Analyzer) {
    let statements: Vec<Statement<'_>> = found
        .iter()
        .map(|one| Statement { text: &one.text, at: one.at, states: one.voice == Voice::Human })
        .collect();
    let replaced = newest::replaced(&statements, question, &rarity.of, analyzer);
    // The newest takes the best place that one of those had which it replaced.
    for (older, place) in replaced.iter().enumerate() {
        let Some(Replaced { by, between }) = *place else { continue };
        let record = found[by].record.clone();
        found[by].score = found[older].score.max(found[by].score) * (1.0 + f32::EPSILON);
        found[older].replaced_by = Some(record);
        found[older].superseded = !between;
        if !found[by].reasons.contains(&"newer") {
            found[by].reasons.push("newer");
        }
    }
    // What stands between the first and the newest is not sure to be over: it only goes behind the newest.
    for at in 0..found.len() {
        let newest = found[at].replaced_by.clone();
        if let Some(newest) = newest.and_then(|record| found.iter().find(|one| one.record == record)) {
            let below = newest.score * BETWEEN;
            found[at].score = found[at].score.min(below);
        }
    }
    found.sort_by(|left, right| {
        let order = left.superseded.cmp(&right.superseded);
        order.then(right.score.total_cmp(&left.score))
    });
}

/// How much a person's words count beside the agent's where the agent's are asked for.
const WHERE_THE_AGENT_IS_MEANT: f32 = 0.6;
/// The share of the newest statement's score that one between the first and the newest has at most.
const BETWEEN: f32 = 0.9;

struct Weighing<'a, 'q> {
    searching: Searching<'a>,
    question: &'q Question,
    rarity: &'q Rarity,
    analyzer: &'q mut Analyzer,
    /// What the question is about.
    asked: Vector,
}

impl Weighing<'_, '_> {
    fn is_in_time(&self, candidate: &Candidate) -> bool {
        let at = i64::try_from(candidate.row.at).unwrap_or(i64::MAX);
        let after = self.searching.since.is_none_or(|since| at >= since.as_second());
        after && self.searching.until.is_none_or(|until| at < until.as_second() && at > 0)
    }

    /// Reads a candidate in its transcript; `None` if it is not there any more.
    fn read(&mut self, candidate: &Candidate, transcript: &Transcript) -> Option<Found> {
        let row = candidate.row;
        let (mut words, mut record) = (String::new(), None);
        let mut sink = |turn: nidra_core::Turn| {
            if let Some((voice, text)) = material::words(&turn)
                && voice == row.voice
            {
                if !words.is_empty() {
                    words.push('\n');
                }
                words.push_str(&text);
                record.get_or_insert((turn.source.record, turn.source.session));
            }
        };
        self.searching.reader.read_record(transcript, row.offset, row.length.into(), &mut sink).ok()?;
        let (record, session) = record?;
        let at = i64::try_from(row.at).ok().filter(|at| *at > 0);
        let mut found = Found {
            score: candidate.score,
            coverage: 0.0,
            record,
            session: session.as_str().to_owned(),
            at: at.and_then(|at| Timestamp::from_second(at).ok()),
            voice: row.voice,
            text: words,
            shared: Vec::new(),
            reasons: Vec::new(),
            replaced_by: None,
            superseded: false,
        };
        self.weigh(&mut found, candidate);
        Some(found)
    }

    /// Weighs a turn by its words.
    fn weigh(&mut self, found: &mut Found, candidate: &Candidate) {
        let weights = self.searching.weights;
        let mut terms = Vec::new();
        self.analyzer.terms(&found.text, &mut |term| terms.push(term));
        let held: BTreeSet<Term> = terms.iter().copied().collect();
        let all: f32 = self.rarity.of.values().sum();
        let shared = self.question.terms.iter().filter(|asked| held.contains(&asked.term));
        let mut covered = 0.0;
        for asked in shared {
            covered += self.rarity.of.get(&asked.term).copied().unwrap_or_default();
            found.shared.push(asked.normal.clone());
        }
        let coverage = if all > 0.0 { covered / all } else { 0.0 };
        found.coverage = coverage;
        let pairs: BTreeSet<(Term, Term)> = terms
            .windows(2)
            .map(|pair| (pair[0], pair[1]))
            .filter(|pair| self.question.pairs.contains(pair))
            .collect();
        let together = pairs.len() as f32 / self.question.pairs.len().max(1) as f32;
        let mut factor = 1.0 + weights.coverage * coverage + weights.pairs * together;
        let reasons = &mut found.reasons;
        if !found.shared.is_empty() {
            reasons.push("words");
        }
        if !pairs.is_empty() {
            reasons.push("words together");
        }
        if candidate.from_neighbours > candidate.own {
            reasons.push("next to a match");
        }
        if found.voice == Voice::Human {
            reasons.push("a person's words");
        }
        if signs::speaker(&found.text).is_some_and(|name| self.question.names.contains(&name)) {
            factor += weights.speaker;
            reasons.push("who speaks");
        }
        if let (Some((first, last)), Some(at)) = (self.question.days, found.at) {
            let day = at.to_zoned_datetime(self.searching.zone.clone()).date();
            if (first..=last).contains(&day) {
                factor += weights.days;
                reasons.push("the time asked for");
            }
        }
        let wants = self.question.wants;
        if (wants.time && signs::has_time(&found.text)) || (wants.number && signs::has_number(&found.text)) {
            factor += weights.answer;
            reasons.push("an answer of the kind asked for");
        }
        if found.voice == Voice::Human && signs::is_standing(&found.text) {
            factor += weights.standing;
            reasons.push("a standing instruction");
        }
        if wants.value && found.voice == Voice::Human && signs::is_change(&found.text) {
            factor += weights.change;
        }
        let meant = nidra_vectors::embed(&found.text);
        factor += weights.meaning * nidra_vectors::similarity(&self.asked, &meant).max(0.0);
        found.score = candidate.score * factor;
    }
}
