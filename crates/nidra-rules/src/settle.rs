//! Settles the candidates among themselves, in the order in which they were said: what is taken back goes,
//! the last word on a subject wins, the same said twice is one.

use crate::candidate::{Candidate, Rejected};
use crate::dialogue::Dialogue;
use crate::families;
use crate::lexicon::{self, Cue};
use crate::sentence::{Act, Line};
use crate::terms::{self, ValueKind};
use nidra_core::text::width::display_width;
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Something that a person took back, by its words.
#[derive(Clone, Debug)]
pub(crate) struct Withdrawn {
    /// What it is about.
    pub(crate) terms: BTreeSet<String>,
    /// The session.
    pub(crate) session: usize,
    /// The utterance.
    pub(crate) utterance: usize,
}

/// What is left, what was dropped, and what was taken back without a candidate of this run.
#[derive(Debug, Default)]
pub(crate) struct Settled {
    /// The candidates that stand, in order.
    pub(crate) kept: Vec<Candidate>,
    /// The others.
    pub(crate) dropped: Vec<Rejected>,
    /// Ideas and rules of earlier times that the person took back.
    pub(crate) withdrawn: Vec<Withdrawn>,
}

/// Settles all candidates.
pub(crate) fn settle(
    mut candidates: Vec<Candidate>,
    dialogues: &[Dialogue<'_>],
    lines: &[Vec<Vec<Line>>],
) -> Settled {
    candidates.sort_by_key(|candidate| (candidate.session, candidate.utterance));
    let mut settled = Settled::default();
    let mut live: Vec<Candidate> = Vec::new();
    let mut waiting = candidates.into_iter().peekable();
    for (session, spoken) in lines.iter().enumerate() {
        for (index, sentences) in spoken.iter().enumerate() {
            withdraw(session, index, sentences, lines, dialogues, &mut live, &mut settled);
            while let Some(candidate) =
                waiting.next_if(|candidate| (candidate.session, candidate.utterance) <= (session, index))
            {
                admit(candidate, &mut live, &mut settled);
            }
        }
    }
    for candidate in waiting {
        admit(candidate, &mut live, &mut settled);
    }
    for candidate in std::mem::take(&mut live) {
        if candidate.provisional {
            settled.dropped.push(rejected(candidate, "holds for the moment only"));
        } else {
            live.push(candidate);
        }
    }
    settled.kept = live;
    settled
}

fn rejected(candidate: Candidate, reason: impl Into<String>) -> Rejected {
    Rejected { text: candidate.text, reason: reason.into(), evidence: candidate.evidence }
}

/// A dismissal that names its object: then it is not about the words right before.
static OBJECT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:forget|scrap|drop|ignore|cancel|undo)(?: about)? (?:the|my|our|all) \w+|\bthe \w+(?: \w+)?,? (?:forget|drop|scrap|ignore|abandon)|\S+ ?(?:不要了|不搞了|不做了)|那个.{1,8}(?:算了|不要|不做|不搞)").ok()
});

static KEEPS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:stays?|remains?|keep(?:ing)?|still|as before)\b|还是|還是|继续|保持|照旧|不变").ok()
});

/// Takes back what an utterance dismisses.
fn withdraw(
    session: usize,
    index: usize,
    sentences: &[Line],
    lines: &[Vec<Vec<Line>>],
    dialogues: &[Dialogue<'_>],
    live: &mut Vec<Candidate>,
    settled: &mut Settled,
) {
    let Some(utterance) = dialogues.get(session).and_then(|dialogue| dialogue.utterances.get(index)) else {
        return;
    };
    for line in sentences {
        let cues = line.cues.union(line.opening);
        if !cues.has(Cue::Dismissal) {
            continue;
        }
        let about = terms::terms(&line.text);
        let spoken = terms::terms(&utterance.own);
        let reaffirms = KEEPS.as_ref().is_some_and(|pattern| pattern.is_match(&line.text));
        // `there is a copy of that in … never mind`: the words take back themselves.
        let itself = lexicon::locate(Cue::Dismissal, &line.text).is_some_and(|at| {
            terms::terms(&line.text[..at.start]).len() >= 3 && !line.cues.has(Cue::Removal)
        });
        // What was said a little earlier about the same thing; the nearest and closest match is meant.
        let nearest = recent(live, session, index, 6)
            .into_iter()
            .map(|at| {
                (
                    terms::shared(&spoken_terms(&live[at]), &about),
                    terms::shared(&spoken_terms(&live[at]), &spoken),
                    at,
                )
            })
            .filter(|(_, shared, _)| *shared > 0)
            .max();
        if let Some((_, _, at)) = nearest {
            remove(live, &[at], "taken back by the human", settled);
            continue;
        }
        let imagined = sentences
            .iter()
            .take_while(|other| !std::ptr::eq(*other, line))
            .any(|other| matches!(other.act, Act::Hypothesis | Act::Question))
            || index
                .checked_sub(1)
                .and_then(|at| lines.get(session).and_then(|spoken| spoken.get(at)))
                .is_some_and(|before| before.iter().any(|line| line.act == Act::Hypothesis));
        let named_object = OBJECT.as_ref().is_some_and(|pattern| pattern.is_match(&line.text));
        if !imagined && !named_object && !itself {
            let previous = recent(live, session, index, 1);
            if !previous.is_empty() {
                remove(live, &previous, "taken back by the human right after", settled);
                continue;
            }
        }
        if reaffirms || imagined || about.is_empty() {
            continue;
        }
        let named: Vec<usize> = (0..live.len())
            .filter(|at| live[*at].session < session || live[*at].utterance < index)
            .filter(|at| {
                let shared = terms::shared(&about, &live[*at].terms);
                shared >= 1
                    && shared * 3 >= about.len()
                    && live[*at].terms.len() <= 14
                    && live[*at].cues.any(&[Cue::Standing, Cue::Explicit, Cue::Decision, Cue::Hypothetical])
            })
            .collect();
        if named.is_empty() {
            settled.withdrawn.push(Withdrawn { terms: about, session, utterance: index });
        } else {
            remove(live, &named, "taken back by the human later", settled);
        }
    }
}

/// What the person's words behind a candidate are about, its quotations included.
fn spoken_terms(candidate: &Candidate) -> BTreeSet<String> {
    candidate
        .evidence
        .iter()
        .flat_map(|evidence| terms::terms(&evidence.quote))
        .chain(candidate.terms.iter().cloned())
        .collect()
}

/// The live candidates of the last few utterances of a session.
fn recent(live: &[Candidate], session: usize, index: usize, reach: usize) -> Vec<usize> {
    (0..live.len())
        .filter(|at| {
            live[*at].session == session
                && live[*at].utterance < index
                && live[*at].utterance + reach >= index
        })
        .collect()
}

fn remove(live: &mut Vec<Candidate>, places: &[usize], reason: &str, settled: &mut Settled) {
    for at in places.iter().rev() {
        if *at < live.len() {
            let candidate = live.remove(*at);
            settled.dropped.push(rejected(candidate, reason));
        }
    }
}

/// Lets a candidate in; older ones that it replaces or repeats go.
fn admit(candidate: Candidate, live: &mut Vec<Candidate>, settled: &mut Settled) {
    let mut candidate = candidate;
    if let Some(older) = live.iter_mut().rev().find(|older| elaborates(older, &candidate)) {
        let gap = if older.text.ends_with(['。', '！', '；']) { "" } else { " " };
        older.text = format!("{}{gap}{}", older.text, candidate.text);
        older.terms.extend(candidate.terms);
        older.evidence.extend(candidate.evidence);
        return;
    }
    let mut place = 0;
    while place < live.len() {
        let older = &live[place];
        if repeats(older, &candidate) {
            let older = live.remove(place);
            let (mut richer, other) =
                if older.terms.len() > candidate.terms.len() + 3 && !candidate.cues.has(Cue::Change) {
                    (older, candidate)
                } else {
                    (candidate, older)
                };
            richer.evidence.splice(0..0, other.evidence.clone());
            settled.dropped.push(rejected(other, "said again"));
            candidate = richer;
            continue;
        }
        if let Some(reason) = replaces(&candidate, older) {
            let older = live.remove(place);
            settled.dropped.push(rejected(older, reason));
            continue;
        }
        place += 1;
    }
    live.push(candidate);
}

/// Whether the later words only say more about what was named right before: they begin by pointing at it.
fn elaborates(older: &Candidate, newer: &Candidate) -> bool {
    let near = older.session == newer.session
        && older.utterance < newer.utterance
        && older.utterance + 2 >= newer.utterance;
    let lower = newer.text.to_lowercase();
    let points = ["this ", "that ", "these ", "those ", "it ", "the same ", "这", "那个", "它", "同样"]
        .iter()
        .any(|start| lower.starts_with(start));
    near && points
        && newer.terms.len() < 8
        && terms::shared(&older.terms, &newer.terms) >= 1
        && conflicting_value(&older.text, &newer.text, false).is_none()
}

/// Whether two candidates say the same.
fn repeats(older: &Candidate, newer: &Candidate) -> bool {
    let shared = terms::shared(&older.terms, &newer.terms);
    let small = older.terms.len().min(newer.terms.len()).max(1);
    shared >= 3 && shared * 10 >= small * 8 && values_agree(&older.text, &newer.text)
}

fn values_agree(left: &str, right: &str) -> bool {
    let (left, right) = (terms::values(left), terms::values(right));
    left.is_subset(&right) || right.is_subset(&left)
}

/// Why a later statement takes the place of an older one.
fn replaces(newer: &Candidate, older: &Candidate) -> Option<String> {
    let date = newer.said.date();
    let negates = newer.negated.iter().any(|term| {
        is_specific(term)
            && older.terms.iter().any(|other| terms::same(term, other))
            && !older.negated.iter().any(|other| terms::same(term, other))
    });
    if negates && older.score < 6.0 && newer.terms.len() >= 2 && central(older, &newer.negated) {
        return Some(format!("replaced by a later statement of {date}"));
    }
    if newer.cues.any(&[Cue::Change, Cue::Removal, Cue::Decision])
        && families::rivals(&older.text, &newer.text, &newer.negated).is_some()
        && older.cues.any(&[Cue::Decision, Cue::Habit, Cue::Change, Cue::Standing])
    {
        return Some(format!("another choice since {date}"));
    }
    let shared = terms::shared(&older.terms, &newer.terms);
    let small = older.terms.len().min(newer.terms.len()).max(1);
    if shared >= 2
        && shared * 2 >= small
        && conflicting_value(&older.text, &newer.text, newer.cues.has(Cue::Change)).is_some()
        && newer.cues.any(&[Cue::Change, Cue::Decision, Cue::Denial, Cue::Removal, Cue::Standing])
    {
        return Some(format!("another value since {date}"));
    }
    let forbids = |candidate: &Candidate| candidate.cues.has(Cue::Prohibition);
    if shared >= 2
        && shared * 10 >= older.terms.len() * 6
        && forbids(newer) != forbids(older)
        && older.session == newer.session
    {
        return Some(format!("the opposite was said on {date}"));
    }
    None
}

/// Whether the older statement is mainly about the terms that are over: they stand among few others, and one of them
/// stands near its start, where a statement names its subject.
fn central(older: &Candidate, negated: &BTreeSet<String>) -> bool {
    let hits: Vec<&String> =
        older.terms.iter().filter(|term| negated.iter().any(|other| terms::same(term, other))).collect();
    let lower = older.text.to_lowercase();
    let start = display_width(&lower) * 35 / 100;
    let early = hits.iter().any(|term| {
        lower.find(term.as_str()).is_some_and(|at| display_width(&lower[..at]) <= start.max(SUBJECT_COLUMNS))
    });
    early && hits.len() * 8 >= older.terms.len()
}

/// A subject stands within this many columns of the start of a short statement.
const SUBJECT_COLUMNS: usize = 22;

/// A term that names one thing: a Latin name or number rather than a general word.
pub(crate) fn is_specific(term: &str) -> bool {
    (term.is_ascii() && term.len() >= 3) || term.chars().count() >= 2 && !term.is_ascii()
}

/// Whether two texts give values of the same form that differ: hosts of one network, ports of one service.
pub(crate) fn same_form(older: &str, newer: &str) -> bool {
    let (old, new) = (terms::values(older), terms::values(newer));
    old.iter().any(|(kind, value)| {
        new.iter().any(|(other, fresh)| kind == other && value != fresh && terms::alike(value, fresh))
            && !new.contains(&(*kind, value.clone()))
    })
}

/// Whether two texts give different numbers of one shape: `4` and `5`, `2.3` and `3.1`, but not a version and an address.
pub(crate) fn same_shape(older: &str, newer: &str) -> bool {
    let shape =
        |value: &str| -> String { value.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect() };
    let (old, new) = (terms::values(older), terms::values(newer));
    old.iter().any(|(kind, value)| {
        new.iter().any(|(other, fresh)| {
            let bare = |text: &str| shape(text).replace("00", "0").replace("00", "0");
            kind == other && value != fresh && bare(value) == bare(fresh)
        })
    })
}

/// The kind of value that two texts both give, but differently. Where the newer one tells of a change, it may
/// name the old value too.
pub(crate) fn conflicting_value(older: &str, newer: &str, change: bool) -> Option<ValueKind> {
    let (old, new) = (terms::values(older), terms::values(newer));
    for kind in [
        ValueKind::Url,
        ValueKind::Time,
        ValueKind::Weekday,
        ValueKind::Quantity,
        ValueKind::Location,
        ValueKind::Name,
        ValueKind::Number,
    ] {
        let of = |values: &BTreeSet<(ValueKind, String)>| -> BTreeSet<String> {
            values.iter().filter(|(other, _)| *other == kind).map(|(_, value)| value.clone()).collect()
        };
        let (before, after) = (of(&old), of(&new));
        let turned = !before.is_subset(&after) || change;
        if !before.is_empty() && !after.is_empty() && turned && !after.is_subset(&before) {
            return Some(kind);
        }
    }
    None
}
