//! Candidates from a person's own words.

use crate::candidate::Candidate;
use crate::dialogue::{Dialogue, Utterance};
use crate::disown;
use crate::hearsay;
use crate::lexicon::{self, Cue, Cues};
use crate::moment;
use crate::once;
use crate::phrase::{self, Part};
use crate::sentence::{self, Act, Line};
use crate::signals::{self, Score, THRESHOLD};
use crate::terms;
use crate::topic;
use crate::withdraw;
use nidra_core::text::{date, redact};
use nidra_core::{Evidence, Kind, Speaker, TrustRank};
use std::collections::BTreeSet;

/// The lines of each utterance, read once.
pub(crate) fn read(utterance: &Utterance<'_>) -> Vec<Line> {
    let mut lines = sentence::lines(&utterance.own);
    // `the friday before that`: the day is named in a sentence before, and each is kept by itself. Few talk so, and
    // looking for dates in every sentence takes long.
    if lines.iter().any(|line| date::is_chained(&line.text)) {
        let mut named = None;
        for line in &mut lines {
            (line.text, named) = date::chained(&line.text, &utterance.said, named);
        }
    }
    for at in 0..lines.len() {
        let taken = lines[at..].iter().any(|line| hearsay::adopts(&line.text));
        let words = if taken { hearsay::adopted(&lines[at].text) } else { lines[at].text.clone() };
        if words != lines[at].text {
            let line = &mut lines[at];
            line.cues = lexicon::cues(&words);
            line.cues.insert(Cue::Decision);
            line.cues.insert(Cue::Explicit);
            line.act = Act::Statement;
            line.text = words;
        }
    }
    for at in disown::disowned(&lines, utterance) {
        lines[at].act = Act::Disowned;
    }
    lines
}

/// Collects the candidates of one utterance.
pub(crate) fn collect(dialogue: &Dialogue<'_>, index: usize, lines: &[Line]) -> Vec<Candidate> {
    let Some(utterance) = dialogue.utterances.get(index) else { return Vec::new() };
    let mut scores: Vec<Score> =
        lines.iter().map(|line| signals::sentence(line, lines.len(), utterance)).collect();
    for at in 0..lines.len() {
        if lines[at].cues.has(Cue::Reported) && lines[at + 1..].iter().any(refuses) {
            scores[at].value -= REFUSED;
        }
    }
    for at in 1..lines.len() {
        if moment::limits(&lines[at].text) {
            scores[at - 1].value -= LIMITED;
        }
        if hearsay::disclaims(&lines[at].text) {
            scores[at - 1].value -= REFUSED;
        }
    }
    for at in withdraw::within(lines) {
        scores[at].value -= TAKEN_BACK;
    }
    for (at, line) in lines.iter().enumerate() {
        if withdraw::only_dismisses(line) || withdraw::only_skips(line, lines) {
            scores[at].value -= TAKEN_BACK;
        }
    }
    let opening = lines.first().map_or_else(Cues::default, |line| line.opening);
    let feeling = lines.iter().any(|line| line.cues.union(line.opening).has(Cue::Frustration));
    let around = signals::surroundings(utterance, opening, feeling);
    segments(lines, &scores)
        .into_iter()
        .filter_map(|segment| candidate(dialogue, index, lines, &scores, &around, &segment))
        .collect()
}

/// What it costs a sentence to be taken back.
const TAKEN_BACK: f64 = 20.0;

/// What it costs a sentence to be limited to this once by the next one.
const LIMITED: f64 = 5.0;

/// What it costs a sentence with another's words when the person refuses them right after.
const REFUSED: f64 = 4.0;

/// Whether a sentence is no more than a refusal: `no.`, `we do not`, `没门`.
fn refuses(line: &Line) -> bool {
    let denies = line.opening.has(Cue::Denial) || line.cues.any(&[Cue::Denial, Cue::Prohibition]);
    denies && sentence::weight(&line.text) <= 5
}

/// Groups the lines that belong to one fact: neighbours without a question, an order or a new subject between them.
fn segments(lines: &[Line], scores: &[Score]) -> Vec<Vec<usize>> {
    let mut found: Vec<Vec<usize>> = Vec::new();
    let mut current: Vec<usize> = Vec::new();
    let open = lines.iter().any(|line| line.cues.has(Cue::OpenLoop));
    for (index, (line, score)) in lines.iter().zip(scores).enumerate() {
        let strong = score.value >= 1.2;
        let breaks = match line.act {
            Act::Question | Act::Hypothesis => true,
            Act::Task => {
                let belongs = (open || has_core(&current, scores)) && sentence::has_value(&line.text);
                score.value < 0.3 && !belongs && !line.cues.has(Cue::OpenLoop)
            }
            Act::Dismissal | Act::Filler | Act::Disowned | Act::Statement => false,
        };
        if breaks {
            found.push(std::mem::take(&mut current));
            continue;
        }
        let fragment = line.act == Act::Statement
            && sentence::weight(&line.text) <= 3
            && !terms::terms(&line.text).is_empty()
            && !line.cues.any(&[Cue::Chat, Cue::Ephemeral, Cue::Praise, Cue::Speculation, Cue::Frustration]);
        let moment = line.cues.has(Cue::Ephemeral)
            && !line.cues.any(&[Cue::Standing, Cue::Explicit, Cue::Owner, Cue::OpenLoop, Cue::Deadline])
            && score.value < 0.9;
        let loose =
            line.act == Act::Task && (open || has_core(&current, scores) && sentence::has_value(&line.text));
        let idle = line.cues.has(Cue::Chat)
            && score.value < 0.9
            && !line.cues.any(&[
                Cue::Standing,
                Cue::Explicit,
                Cue::Owner,
                Cue::OpenLoop,
                Cue::Deadline,
                Cue::Obligation,
                Cue::Prohibition,
                Cue::Preference,
                Cue::Reason,
                Cue::History,
                Cue::Removal,
                Cue::Change,
                Cue::Decision,
                Cue::Habit,
                Cue::Place,
            ]);
        if matches!(line.act, Act::Filler | Act::Dismissal | Act::Disowned)
            || idle
            || moment::is_private(&line.text) && score.value < 0.9
            || score.value <= -TAKEN_BACK / 2.0
            || moment && !loose
            || (score.value < -0.9 && !fragment && !loose)
        {
            continue;
        }
        let full = current.iter().map(|at| sentence::weight(&lines[*at].text)).sum::<usize>()
            + sentence::weight(&line.text)
            > 70;
        if full || (line.shift && strong && has_core(&current, scores)) {
            found.push(std::mem::take(&mut current));
        }
        current.push(index);
    }
    found.push(current);
    found.retain(|segment| !segment.is_empty());
    found
}

fn has_core(segment: &[usize], scores: &[Score]) -> bool {
    segment.iter().any(|at| scores[*at].value >= 1.2)
}

fn candidate(
    dialogue: &Dialogue<'_>,
    index: usize,
    lines: &[Line],
    scores: &[Score],
    around: &Score,
    segment: &[usize],
) -> Option<Candidate> {
    let utterance = dialogue.utterances.get(index)?;
    let best = segment
        .iter()
        .copied()
        .max_by(|left, right| scores[*left].value.total_cmp(&scores[*right].value).then(right.cmp(left)))?;
    let others: f64 =
        segment.iter().filter(|at| **at != best).map(|at| scores[*at].value.clamp(0.0, 1.5) * 0.4).sum();
    let value = scores[best].value + others + around.value;
    if value < THRESHOLD || scores[best].value < 0.9 {
        return None;
    }
    let segment = &topic::with_antecedent(lines, segment);
    let parts: Vec<Part> =
        segment.iter().map(|at| Part { text: lines[*at].text.clone(), cues: lines[*at].cues }).collect();
    let cues = parts.iter().fold(Cues::default(), |sum, part| sum.union(part.cues));
    let mut text = phrase::entry(&parts, &utterance.said)?;
    let own_terms = terms::terms(&text);
    // A rule can be short and name little (`never deploy on Fridays`, `before you delete anything ask me`); what only
    // states something says nothing then.
    let rules = cues.any(&[Cue::Standing, Cue::Universal])
        && cues.any(&[Cue::Prohibition, Cue::Obligation, Cue::Conduct])
        && (sentence::weight(&text) >= 4 || date::is_weekly_rule(&text));
    if !rules && (own_terms.len() < 2 || (own_terms.len() < 3 && sentence::weight(&text) < 5)) {
        return None;
    }
    let topic = topic::topic(dialogue, index);
    // `no, that flickers. forget it`: why a thing was taken back says nothing without the thing.
    let dismissed = lines.iter().any(|line| line.act == Act::Dismissal);
    if dismissed && signals::points_back(&text) && topic::needs_topic(&text, &own_terms) {
        return None;
    }
    if topic::needs_topic(&text, &own_terms)
        && let Some(topic) = &topic
        && redact::find(topic).is_empty()
    {
        text = topic::prefixed(topic, &text, utterance);
    }
    if let Some(subject) = topic::done(dialogue, index)
        && !subject.1.is_match(&text)
        && segment.first() == Some(&0)
        && (lines[0].opening.has(Cue::Denial)
            || lexicon::opens(Cue::Prohibition, &lines[0].text).is_some()
            || lines[0].cues.any(&[Cue::Standing, Cue::Preference]))
        && !cues.any(&[Cue::Owner, Cue::Chat])
    {
        let chinese = text.chars().any(nidra_core::text::language::is_han);
        text = if chinese {
            format!("{}：{text}", subject.0.1)
        } else {
            format!("{}: {}", subject.0.0, phrase::lowered(&text))
        };
    }
    let mut score = scores[best].clone();
    score.grounds.extend(around.grounds.iter().copied());
    let context = surroundings(dialogue, index);
    let mut found = Candidate {
        utterance: index,
        kind: kind(cues, &text),
        rank: TrustRank::HumanVerbatim,
        terms: terms::terms(&text),
        negated: negated(&parts),
        text,
        cues,
        score: value,
        reason: score.explain(),
        evidence: vec![quote(utterance)],
        context,
        said: utterance.said.clone(),
        provisional: passing(&lines[best], utterance),
        revises: None,
    };
    if let Some(explained) = explanation(dialogue, index, &found) {
        let joined = if found.text.ends_with(['。', '！', '？']) {
            format!("{}{explained}", found.text)
        } else {
            format!("{} {explained}", found.text)
        };
        found.text = once::once(&joined);
        found.terms = terms::terms(&found.text);
    }
    Some(found)
}

/// Whether the main sentence holds for the moment only.
fn passing(line: &Line, utterance: &Utterance<'_>) -> bool {
    line.cues.has(Cue::Ephemeral)
        && !line.cues.any(&[Cue::Standing, Cue::Explicit, Cue::OpenLoop, Cue::Owner])
        && !signals::covered(&line.text, &date::find(&line.text, &utterance.said))
}

/// The quotation of an utterance, without secrets.
pub(crate) fn quote(utterance: &Utterance<'_>) -> Evidence {
    Evidence {
        source: utterance.source.clone(),
        speaker: Speaker::Human,
        at: utterance.at,
        quote: redact::redact(utterance.text.trim()),
    }
}

/// The kind of a statement, by its cues.
fn kind(cues: Cues, text: &str) -> Kind {
    let addresses = text.contains("://");
    if cues.has(Cue::Preference)
        && !cues.any(&[Cue::Owner, Cue::Deadline, Cue::Change])
        && text.to_lowercase().contains("the user")
        && !cues.any(&[Cue::Prohibition, Cue::Standing])
    {
        return Kind::User;
    }
    if addresses || cues.has(Cue::Owner) && !cues.any(&[Cue::Standing, Cue::Preference]) {
        return Kind::Reference;
    }
    if cues.any(&[Cue::Standing, Cue::Preference])
        || cues.has(Cue::Prohibition) && cues.any(&[Cue::Obligation, Cue::Universal, Cue::Habit])
    {
        return Kind::Feedback;
    }
    Kind::Project
}

/// The terms that a statement says are over: those beside a word of removal or change, clause by clause.
fn negated(parts: &[Part]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for part in parts {
        let mut before = BTreeSet::new();
        for clause in clauses(&part.text) {
            let cues = lexicon::cues(clause);
            let about = terms::terms(clause);
            if cues.has(Cue::Removal) {
                // `the numbers of May, not to be cited any more`: the removal speaks of the clause before.
                let mut gone = if about.iter().any(|term| term.is_ascii()) || about.len() > 3 {
                    about.clone()
                } else {
                    about.union(&before).cloned().collect()
                };
                // `moved from A to B`, `A 换成 B`: what comes after the turning word is the new value.
                let turns = ["move", "migrat", "switch", "chang", "from", "renam"]
                    .iter()
                    .any(|verb| clause.to_lowercase().contains(verb));
                for mark in [
                    if turns { " to " } else { "换成" },
                    "换成",
                    "改成",
                    "改为",
                    "改用",
                    "换到",
                    "instead we",
                    " by ",
                ] {
                    if let Some(at) = clause.find(mark) {
                        let kept = terms::terms(&clause[at + mark.len()..]);
                        gone.retain(|term| !kept.contains(term));
                    }
                }
                if let Some(at) = clause.find("instead of") {
                    gone = terms::terms(&clause[at..]);
                }
                found.extend(gone);
            }
            before = about;
        }
    }
    found
}

/// The clauses of a sentence.
pub(crate) fn clauses(text: &str) -> impl Iterator<Item = &str> {
    text.split([',', '，', ';', '；', '。', '、', ':', '：'])
        .flat_map(|part| part.split(". "))
        .map(str::trim)
        .filter(|part| !part.is_empty())
}

/// The words around an utterance, for telling what it is about: the agent's before, the person's before, and the edits after.
pub(crate) fn surroundings(dialogue: &Dialogue<'_>, index: usize) -> String {
    let Some(utterance) = dialogue.utterances.get(index) else { return String::new() };
    let mut text = String::new();
    if let Some(before) = &utterance.before {
        text.extend(before.text.chars().take(300));
    }
    if let Some(earlier) = index.checked_sub(1).and_then(|at| dialogue.utterances.get(at)) {
        text.push(' ');
        text.extend(earlier.own.chars().take(200));
    }
    let until = dialogue.utterances.get(index + 1).map_or(usize::MAX, |next| next.place);
    for call in dialogue
        .calls
        .iter()
        .filter(|call| call.place > utterance.place && call.place < until && !call.failed)
        .take(2)
    {
        for key in ["file_path", "old_string", "new_string"] {
            if let Some(value) = call.field(key) {
                text.push(' ');
                text.extend(value.chars().take(200));
            }
        }
    }
    text
}

/// What the agent found right before, where the person draws a rule from it and both name the same thing.
fn explanation(dialogue: &Dialogue<'_>, index: usize, candidate: &Candidate) -> Option<String> {
    let utterance = dialogue.utterances.get(index)?;
    let before = utterance.before.as_ref()?;
    let opening = sentence::lines(&utterance.own).first().map(|line| line.opening).unwrap_or_default();
    if opening.has(Cue::Denial)
        || utterance.interrupted
        || !candidate.cues.any(&[Cue::Standing, Cue::Explicit])
        || candidate.terms.len() > 12
    {
        return None;
    }
    let parts: Vec<Part> = sentence::split(before.text)
        .into_iter()
        .filter(|text| !crate::quoted::is_machine_text(text) && !text.contains("```"))
        .map(|text| Part { cues: lexicon::cues(&text), text })
        .filter(|part| {
            let names = crate::signals::values(&part.text) > 0;
            let found = part.cues.any(&[Cue::Cause, Cue::Reason, Cue::Standing, Cue::Obligation]);
            names
                && found
                && !part.cues.any(&[Cue::Speculation, Cue::Narration, Cue::Offer])
                && !part.text.ends_with(['?', '？'])
        })
        .take(2)
        .collect();
    let told = terms::terms(&parts.iter().map(|part| part.text.as_str()).collect::<Vec<_>>().join(" "));
    if parts.is_empty() || terms::shared(&candidate.terms, &told) == 0 {
        return None;
    }
    phrase::entry(&parts, &utterance.said)
}
