//! Candidates from what the agent found out, where a tool showed it or the person agreed.
//!
//! The agent's words alone are never enough: a guess that nobody confirmed is not kept, and one that
//! the person denied is dropped.

use crate::candidate::Candidate;
use crate::dialogue::{Call, Dialogue, Saying};
use crate::disown;
use crate::lexicon::{self, Cue, Cues};
use crate::phrase::{self, Part};
use crate::quoted;
use crate::revise::value;
use crate::sentence;
use crate::signals;
use crate::terms;
use jiff::ZonedDateTime;
use nidra_core::text::expression;
use nidra_core::text::redact;
use nidra_core::{Evidence, Kind, Speaker, TrustRank};
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Collects the findings of a session.
pub(crate) fn collect(dialogue: &Dialogue<'_>, now: &ZonedDateTime) -> Vec<Candidate> {
    dialogue.sayings.iter().filter_map(|saying| finding(dialogue, saying, now)).collect()
}

fn finding(dialogue: &Dialogue<'_>, saying: &Saying<'_>, now: &ZonedDateTime) -> Option<Candidate> {
    let next = dialogue.utterances.iter().position(|utterance| utterance.place > saying.place);
    let answer = next.and_then(|index| dialogue.utterances.get(index));
    // Other words of the agent between this and the answer: then the answer is about those.
    let direct = answer.is_some_and(|utterance| {
        utterance.before.as_ref().is_some_and(|before| before.place == saying.place) && !utterance.interrupted
    });
    let reply = answer.filter(|_| direct).map(|utterance| Reply::of(&utterance.own));
    if reply.is_some_and(|reply| reply.denies) {
        return None;
    }
    let taken_over = reply.is_some() && answer.is_some_and(|utterance| endorses(&utterance.own));
    let fixed = is_fix(dialogue, saying);
    let agreed = reply.is_some_and(|reply| reply.praises || reply.adopts) || taken_over;
    if !fixed && !agreed {
        return None;
    }
    let asked = next
        .and_then(|index| index.checked_sub(1))
        .and_then(|index| dialogue.utterances.get(index))
        .is_some_and(|utterance| {
            sentence::lines(&utterance.own)
                .iter()
                .any(|line| matches!(line.act, sentence::Act::Question | sentence::Act::Hypothesis))
        });
    if !fixed && asked && !taken_over {
        return None;
    }
    let mut parts = told(saying.text);
    let cues = parts.iter().fold(Cues::default(), |sum, part| sum.union(part.cues));
    let text_of = parts.iter().map(|part| part.text.as_str()).collect::<Vec<_>>().join(" ");
    let exact = signals::values(&text_of);
    let causal = cues.any(&[Cue::Cause, Cue::Reason])
        || parts.iter().any(|part| part.cues.any(&[Cue::Standing, Cue::Obligation]));
    let mut score = 0.45 * exact.min(4) as f64;
    score += if causal { 0.9 } else { 0.0 };
    score += if fixed { 0.8 } else { 0.0 };
    score += if agreed { 0.7 } else { 0.0 };
    let endorsed = taken_over
        && answer.is_some_and(|utterance| {
            let denied = disown::denied_values(&utterance.own);
            let mut proposal = proposed(saying.text, &terms::terms(&utterance.own));
            proposal.retain(|part| !value::find(&part.text).iter().any(|value| denied.contains(&value.key)));
            let named = proposal.iter().map(|part| terms::terms(&part.text).len()).sum::<usize>() >= 5;
            if named {
                parts = proposal;
            }
            named
        });
    if !endorsed && (!causal || exact < 2 || score < 2.2) {
        return None;
    }
    if agreed && let Some(utterance) = answer {
        // The person names the cause in own words: those belong to the fact.
        let named = sentence::lines(&utterance.own).into_iter().find(|line| {
            line.act == sentence::Act::Statement
                && line.cues.has(Cue::Cause)
                && !line.cues.any(&[Cue::Standing, Cue::Explicit])
                && terms::terms(&line.text).len() >= 2
        });
        parts.extend(named.map(|line| Part { text: line.text, cues: line.cues }));
    }
    let at = saying.at.map_or_else(|| now.clone(), |at| at.to_zoned_datetime(now.time_zone().clone()));
    let text = phrase::entry(&parts, &at)?;
    // One quotation per sentence: each stands in the record word for word.
    let mut evidence: Vec<Evidence> = if endorsed { parts } else { told(saying.text) }
        .into_iter()
        .filter(|part| saying.text.contains(&part.text))
        .map(|part| Evidence {
            source: saying.source.clone(),
            speaker: Speaker::Agent,
            at: saying.at,
            quote: redact::redact(&part.text),
        })
        .collect();
    if agreed && let Some(utterance) = answer {
        evidence.push(crate::human::quote(utterance));
    }
    let reason = match (fixed, agreed) {
        (true, true) => "the fix that worked, agreed to by the human",
        (true, false) => "the fix that worked",
        _ => "found by the agent and agreed to by the human",
    };
    Some(Candidate {
        utterance: next.map_or(dialogue.utterances.len(), |index| index.saturating_sub(1)),
        kind: Kind::Project,
        rank: if agreed { TrustRank::HumanConfirmed } else { TrustRank::Observed },
        terms: terms::terms(&text),
        text,
        cues,
        score,
        reason: reason.to_owned(),
        evidence,
        context: String::new(),
        negated: std::collections::BTreeSet::new(),
        said: at,
        provisional: cues.has(Cue::Ephemeral) && !fixed,
        revises: None,
    })
}

/// How a person answered.
#[derive(Clone, Copy, Debug, Default)]
struct Reply {
    denies: bool,
    praises: bool,
    adopts: bool,
}

/// Whether what the agent proposed is to be done so from now on, or in other places too.
fn endorses(own: &str) -> bool {
    let words = own.chars().take(400).collect::<String>();
    [&ENDORSED, &ONWARD]
        .iter()
        .all(|pattern| pattern.as_ref().is_some_and(|pattern| pattern.is_match(&words)))
}

/// Words that take over a proposal as it is.
static ENDORSED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?i)\b(?:do|keep|make|have|let'?s do|we do|we'?ll do) (?:it|that|this|them)? ?(?:exactly )?(?:like (?:that|this|you (?:say|said|suggest\w*|propos\w*))|(?:that|this|your) way|so|as you (?:say|said|suggest\w*|propos\w*))\b|\b(?:go with|adopt|i like|love) (?:that|your|this)(?: \w+)?\b|",
        r"(?:就|都)?(?:按|照|依)(?:着)?(?:你|您)(?:说|讲|写|提|建议)?的?(?:这么|这样|来|办|做|分|写|弄)|听你的|就这么(?:办|弄|分|来|做|写|定|走)",
    ))
    .ok()
});
/// Words that carry it on.
static ONWARD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?i)\b(?:for|in) (?:all|the others?|every|each|any|both|new|future|the rest)\b|\b(?:others?|rest|everywhere|from (?:now|here|today) on|always|as we come to|too|as well|next ones?)\b|",
        r"以后|后面|往后|将来|其他|其它|别的|所有|全部|都(?:照|按|这么|这样)|也(?:照|按|这么|这样)|碰到了?都|新(?:来|加|的|建)",
    ))
    .ok()
});

/// The sentences in which the agent proposed what the answer takes over.
fn proposed(text: &str, answer: &BTreeSet<String>) -> Vec<Part> {
    let mut found = Vec::new();
    for sentence in sentence::split(text) {
        let plain = PROPOSAL_HEAD.as_ref().map_or(sentence.as_str(), |pattern| {
            pattern.find(&sentence).map_or(sentence.as_str(), |head| &sentence[head.end()..])
        });
        let cues = lexicon::cues(plain);
        let offered = plain.len() < sentence.len() || lexicon::cues(&sentence).has(Cue::Offer);
        if sentence.ends_with(['?', '？'])
            || quoted::is_machine_text(&sentence)
            || sentence.contains("```")
            || !offered && terms::shared(&terms::terms(plain), answer) == 0
            || cues.has(Cue::Speculation)
            || sentence::weight(plain) < 5
        {
            continue;
        }
        found.push(Part { text: plain.trim().to_owned(), cues });
        if found.len() == 2 {
            break;
        }
    }
    found
}

static PROPOSAL_HEAD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(r"(?i)^(?:so |then |and )?(?:my (?:suggestion|proposal|recommendation)|proposal|suggestion|i(?:'d| would)? (?:suggest|propose|recommend)(?: that)?)[:,]? |^(?:另外|那么|所以|，|,)*(?:我)?(?:的)?建议(?:是|这样)?[：:，,]?").ok()
});

impl Reply {
    fn of(own: &str) -> Self {
        let lines = sentence::lines(own);
        let Some(first) = lines.first() else { return Self::default() };
        let cues = first.cues.union(first.opening);
        let asks = first.act == sentence::Act::Question
            || own.trim_end().ends_with(['?', '？']) && sentence::weight(own) < 8 && !cues.has(Cue::Praise);
        let denies = first.opening.has(Cue::Denial) || lexicon::opens(Cue::Denial, own.trim()).is_some();
        Self {
            denies,
            praises: !denies && !asks && cues.has(Cue::Praise),
            adopts: !denies
                && !asks
                && (first.opening.has(Cue::Agreement)
                    || lexicon::opens(Cue::Agreement, own.trim()).is_some()),
        }
    }
}

/// The sentences of the agent that tell what is so: no narration, no guess, no question, no plan, no code.
fn told(text: &str) -> Vec<Part> {
    let mut prose = String::new();
    let mut fence = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fence = !fence;
            continue;
        }
        let trimmed = line.trim();
        if fence
            || trimmed.starts_with('|')
            || trimmed.starts_with(['"', '\u{201c}', '>'])
            || (quoted::is_machine_text(trimmed) && !trimmed.contains(". "))
        {
            continue;
        }
        prose.push_str(trimmed);
        prose.push('\n');
    }
    let mut found: Vec<Part> = Vec::new();
    for sentence in sentence::split(&prose) {
        let plain = strip_head(&sentence);
        let cues = lexicon::cues(plain);
        let narrates = lexicon::opens(Cue::Narration, plain).is_some();
        let offers = cues.has(Cue::Offer) && lexicon::opens(Cue::Offer, plain).is_some();
        if plain.ends_with(['?', '？'])
            || narrates
            || offers
            || (cues.has(Cue::Speculation) && !cues.any(&[Cue::Cause]))
            || sentence::weight(plain) < 4
        {
            continue;
        }
        found.push(Part { text: plain.to_owned(), cues });
        if found.len() == 3 {
            break;
        }
    }
    found
}

fn strip_head(sentence: &str) -> &str {
    let mut rest = sentence.trim();
    for head in [
        "结论：",
        "结论:",
        "Works:",
        "Yes:",
        "Yes,",
        "Summary:",
        "Right,",
        "You're right:",
        "Done:",
        "Interesting:",
        "好了，",
        "对,",
        "对，",
        "So ",
    ] {
        rest = rest.strip_prefix(head).unwrap_or(rest).trim_start();
    }
    rest
}

/// Whether a command failed before these words and the same command passed right before them, after a change.
fn is_fix(dialogue: &Dialogue<'_>, saying: &Saying<'_>) -> bool {
    let before: Vec<&Call<'_>> = dialogue.calls.iter().filter(|call| call.place < saying.place).collect();
    let Some((last, earlier)) = before.split_last() else { return false };
    if last.failed || last.refused || last.place + 3 < saying.place {
        return false;
    }
    let Some(command) = last.field("command") else { return false };
    let key = terms::terms(command);
    let start = earlier.len().saturating_sub(8);
    earlier[start..].iter().any(|call| {
        call.failed
            && call.field("command").is_some_and(|other| {
                let other = terms::terms(other);
                let shared = terms::shared(&key, &other);
                shared >= 2 && shared * 2 >= other.len().min(key.len())
            })
    })
}
