//! Tools that memory names and that another has the place of: the sessions run only the other.
//!
//! What was run and passed is observed. Nothing is taken from a tool that is only named, or where both are in use.

use super::find_word;
use crate::candidate::{Candidate, Revised};
use crate::dialogue::Dialogue;
use crate::families;
use crate::human;
use crate::lexicon::{self, Cue, Cues};
use crate::sentence;
use crate::terms;
use jiff::ZonedDateTime;
use nidra_core::text::redact;
use nidra_core::{Evidence, Kind, MemoryView, Speaker, TrustRank};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// How often another tool must have been run; at least one run must have passed.
const RUNS: usize = 2;

/// How the tools of families were run.
#[derive(Debug, Default)]
struct Runs {
    /// How often each word stood in a command.
    all: BTreeMap<String, usize>,
    /// The words of commands that passed.
    passed: BTreeSet<String>,
}

/// Adds a candidate for each entry that names a tool of which only a rival was run.
pub(crate) fn collect(memory: &MemoryView, dialogues: &[Dialogue<'_>], candidates: &mut Vec<Candidate>) {
    let mut runs = Runs::default();
    for call in dialogues.iter().flat_map(|dialogue| &dialogue.calls) {
        let Some(command) = call.field("command") else { continue };
        let words: BTreeSet<String> = command
            .split(|c: char| c.is_whitespace() || matches!(c, '&' | '|' | ';' | '(' | ')' | '\'' | '"'))
            .map(str::to_lowercase)
            .filter(|word| families::is_tool(word))
            .collect();
        for word in words {
            if !call.failed && !call.refused {
                runs.passed.insert(word.clone());
            }
            *runs.all.entry(word).or_default() += 1;
        }
    }
    if runs.passed.is_empty() {
        return;
    }
    for (topic, entry) in memory.entries().filter(|(topic, _)| topic.editable) {
        let revised = candidates.iter().any(|candidate| {
            candidate.revises.as_ref().is_some_and(|revised| revised.entry.as_ref() == Some(&entry.id))
        });
        if revised {
            continue;
        }
        let mut swaps: Vec<(Range<usize>, String)> = Vec::new();
        let mut grounds: Vec<Ground> = Vec::new();
        for (old, places) in families::tools_in(&entry.text) {
            let places: Vec<_> = places.into_iter().filter(|place| is_run(&entry.text, place)).collect();
            let Some(rival) = runs.rival(&old).filter(|_| !places.is_empty()) else { continue };
            let Some(ground) = ground(dialogues, &old, &rival) else { continue };
            swaps.extend(places.into_iter().map(|place| (place, rival.clone())));
            grounds.push(ground);
        }
        let Some(last) = grounds.iter().max_by_key(|ground| (ground.session, ground.utterance)) else {
            continue;
        };
        let (utterance, said) = (last.utterance, last.said.clone());
        // From the back, so that the places of the others stay.
        swaps.sort_by_key(|(place, _)| std::cmp::Reverse(place.start));
        let mut text = entry.text.clone();
        for (place, rival) in swaps {
            text.replace_range(place, &rival);
        }
        if !redact::find(&text).is_empty() {
            continue;
        }
        candidates.push(Candidate {
            utterance,
            kind: topic.kind.unwrap_or(Kind::Project),
            rank: TrustRank::Observed,
            terms: terms::terms(&text),
            negated: BTreeSet::new(),
            cues: Cues::default(),
            score: 2.0,
            reason: "only another tool of its kind was run".to_owned(),
            evidence: grounds.into_iter().map(|ground| ground.evidence).collect(),
            context: String::new(),
            said,
            provisional: false,
            revises: Some(Revised { entry: Some(entry.id.clone()), core: text.clone(), sureness: 1.0 }),
            text,
        });
    }
}

impl Runs {
    /// The rival of a tool that was run often enough, by far the most, where the tool itself was not.
    fn rival(&self, old: &str) -> Option<String> {
        if self.all.contains_key(old) {
            return None;
        }
        let rivals = || self.all.iter().filter(|(word, _)| families::are_rivals(old, word));
        let (rival, count) = rivals().max_by_key(|(_, count)| **count)?;
        let others: usize = rivals().map(|(_, count)| *count).sum::<usize>() - count;
        (*count >= RUNS && others * 3 < *count && self.passed.contains(rival)).then(|| rival.clone())
    }
}

/// Whether the tool at a place is one that is run: within code, or behind a word of use.
fn is_run(text: &str, place: &Range<usize>) -> bool {
    let before = text.get(..place.start).unwrap_or_default();
    before.ends_with('`')
        || ["with ", "using ", "use ", "uses ", "via ", "run ", "through ", "by ", "用 ", "用", "走 "]
            .iter()
            .any(|word| before.to_lowercase().ends_with(word))
}

/// The words that a swap rests on.
struct Ground {
    session: usize,
    utterance: usize,
    said: ZonedDateTime,
    evidence: Evidence,
}

/// Words of the talk that name the tool in use; none where the person speaks well of the old one.
fn ground(dialogues: &[Dialogue<'_>], old: &str, rival: &str) -> Option<Ground> {
    let names = |text: &str, word: &str| find_word(&text.to_lowercase(), word).is_some();
    let mut found = None;
    for (session, dialogue) in dialogues.iter().enumerate() {
        for (index, utterance) in dialogue.utterances.iter().enumerate() {
            let turned = lexicon::cues(&utterance.own).any(&[Cue::Denial, Cue::Change, Cue::Removal]);
            if names(&utterance.own, old) && !(turned && names(&utterance.own, rival)) {
                return None;
            }
            if names(&utterance.own, rival) {
                found = Some(Ground {
                    session,
                    utterance: index,
                    said: utterance.said.clone(),
                    evidence: human::quote(utterance),
                });
            }
            let told = utterance.after.as_ref().filter(|_| found.is_none());
            let sentence = told.and_then(|saying| {
                sentence::split(saying.text).into_iter().find(|text| names(text, rival) && !names(text, old))
            });
            if let (Some(saying), Some(sentence)) = (told, sentence) {
                found = Some(Ground {
                    session,
                    utterance: index,
                    said: utterance.said.clone(),
                    evidence: Evidence {
                        source: saying.source.clone(),
                        speaker: Speaker::Agent,
                        at: saying.at,
                        quote: redact::redact(&sentence),
                    },
                });
            }
        }
    }
    found
}
