//! Corrections that a person had to give again and again: a taste that was never stated as a rule.

use crate::candidate::Candidate;
use crate::dialogue::Dialogue;
use crate::human;
use crate::lexicon::{self, Cue};
use crate::phrase::{self, Part};
use crate::sentence::{self, Line};
use crate::terms;
use nidra_core::{Kind, TrustRank};
use std::collections::{BTreeMap, BTreeSet};

struct Mention<'a> {
    session: usize,
    utterance: usize,
    line: &'a Line,
    removes: bool,
    complains: bool,
}

/// Collects the corrections that were given at least three times, or twice with a complaint.
pub(crate) fn collect(dialogues: &[Dialogue<'_>], lines: &[Vec<Vec<Line>>]) -> Vec<Candidate> {
    let mut by_noun: BTreeMap<String, Vec<Mention<'_>>> = BTreeMap::new();
    for (session, spoken) in lines.iter().enumerate() {
        for (utterance, sentences) in spoken.iter().enumerate() {
            let whole = dialogues
                .get(session)
                .and_then(|dialogue| dialogue.utterances.get(utterance))
                .map_or("", |utterance| utterance.text);
            let short = sentence::weight(whole) <= 25;
            for line in sentences {
                let removes = lexicon::opens(Cue::Removal, &line.text).is_some()
                    || lexicon::opens(Cue::Prohibition, &line.text).is_some();
                let complains = lexicon::cues(whole).has(Cue::Repeat);
                if !(short && (removes || complains)) || sentence::weight(&line.text) > 14 {
                    continue;
                }
                for noun in terms::terms(&line.text) {
                    if noun.chars().any(|c| c.is_ascii_digit()) || noun.len() < 3 {
                        continue;
                    }
                    by_noun.entry(noun).or_default().push(Mention {
                        session,
                        utterance,
                        line,
                        removes,
                        complains,
                    });
                }
            }
        }
    }
    let mut taken: BTreeSet<(usize, usize)> = BTreeSet::new();
    let mut found = Vec::new();
    for (_, mentions) in by_noun {
        let places: BTreeSet<(usize, usize)> =
            mentions.iter().map(|mention| (mention.session, mention.utterance)).collect();
        let complaint = mentions.iter().any(|mention| mention.complains);
        let removals = mentions.iter().filter(|mention| mention.removes).count();
        if places.len() < 2
            || !complaint
            || removals == 0
            || (places.len() < 3 && removals < 2)
            || places.iter().any(|place| taken.contains(place))
        {
            continue;
        }
        let Some(first) = mentions.iter().find(|mention| mention.removes) else { continue };
        let Some(utterance) =
            dialogues.get(first.session).and_then(|dialogue| dialogue.utterances.get(first.utterance))
        else {
            continue;
        };
        let parts = [Part { text: first.line.text.clone(), cues: first.line.cues }];
        let Some(text) = phrase::entry(&parts, &utterance.said) else { continue };
        taken.extend(&places);
        let evidence = places
            .iter()
            .filter_map(|(session, index)| {
                dialogues.get(*session).and_then(|dialogue| dialogue.utterances.get(*index))
            })
            .map(human::quote)
            .collect();
        found.push(Candidate {
            utterance: first.utterance,
            kind: Kind::Feedback,
            rank: TrustRank::HumanVerbatim,
            terms: terms::terms(&text),
            negated: BTreeSet::new(),
            text,
            cues: first.line.cues,
            score: 2.5,
            reason: format!("asked for {} times", places.len()),
            evidence,
            context: String::new(),
            said: utterance.said.clone(),
            provisional: false,
            revises: None,
        });
    }
    found
}
