//! Weighs how much a sentence is worth keeping, from its cues and from what stood before and after it.
//!
//! The weights are data. Each sum can be explained by the names of the signals that went into it.

use crate::dialogue::Utterance;
use crate::lexicon::{self, Cue, Cues};
use crate::moment;
use crate::occasion;
use crate::procedure;
use crate::request;
use crate::revise::value::{self, Form};
use crate::sentence::{Act, Line, has_value, is_identifier, weight};
use crate::terms;
use crate::worth;
use nidra_core::text::expression;
use nidra_core::text::{date, language};
use regex::Regex;
use std::sync::LazyLock;

/// The signal of an agent that says that it has taken note.
pub(crate) const TOOK_NOTE: &str = "the agent took note";

/// What a candidate needs to be kept.
pub(crate) const THRESHOLD: f64 = 1.5;

/// A sum of signals with their names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Score {
    /// The sum.
    pub(crate) value: f64,
    /// The names of the signals that spoke for it, strongest first.
    pub(crate) grounds: Vec<(&'static str, f64)>,
}

impl Score {
    fn add(&mut self, name: &'static str, value: f64) {
        self.value += value;
        self.grounds.push((name, value));
    }

    /// The strongest signals in words.
    pub(crate) fn explain(&self) -> String {
        let mut grounds: Vec<_> = self.grounds.iter().filter(|(_, value)| *value > 0.0).collect();
        grounds.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(right.0)));
        let names: Vec<_> = grounds.iter().take(3).map(|(name, _)| *name).collect();
        if names.is_empty() { "stated by the human".to_owned() } else { names.join(", ") }
    }
}

/// Signals of one cue.
const WEIGHTS: &[(Cue, &str, f64)] = &[
    (Cue::Standing, "holds in general", 1.7),
    (Cue::Universal, "holds for many cases", 0.6),
    (Cue::Prohibition, "forbids", 0.9),
    (Cue::Obligation, "demands", 0.8),
    (Cue::Explicit, "is called a rule or to be remembered", 1.3),
    (Cue::Owner, "says who owns it", 1.5),
    (Cue::Change, "something is different now", 1.2),
    (Cue::Decision, "a choice is settled", 0.9),
    (Cue::Reason, "a reason is given", 0.6),
    (Cue::History, "a lesson from before", 0.4),
    (Cue::Habit, "how it is done here", 0.9),
    (Cue::Preference, "a taste of the person", 1.1),
    (Cue::Cause, "a cause is named", 0.5),
    (Cue::Place, "where it is", 0.8),
    (Cue::Conduct, "how the agent should work", 0.7),
];

/// Weighs a sentence of an utterance with so many of them: by hand, and by what other talks have taught.
pub(crate) fn sentence(line: &Line, beside: usize, utterance: &Utterance<'_>) -> Score {
    let mut score = by_hand(line, utterance);
    let learnt = worth::of(line, beside, utterance);
    // What rules a sentence out does so whatever it is like.
    let vetoes: f64 = score.grounds.iter().map(|(_, value)| *value).filter(|value| *value <= VETO).sum();
    score.add("like what others wanted kept", LEARNT * (learnt - (score.value - vetoes)));
    score
}

/// How much what was learnt counts beside what was set by hand.
const LEARNT: f64 = 0.4;
/// From here down a signal rules a sentence out.
const VETO: f64 = -1.8;

/// Weighs a sentence by the weights that were set by hand.
pub(crate) fn by_hand(line: &Line, utterance: &Utterance<'_>) -> Score {
    let mut score = Score::default();
    let text = line.text.as_str();
    for (cue, name, value) in WEIGHTS {
        if line.cues.has(*cue) {
            score.add(name, *value);
        }
    }
    let values = values(text);
    if values > 0 {
        score.add("names exact things", 0.35 * values.min(3) as f64);
    }
    if text.contains("://") {
        score.add("gives an address", 1.0);
    }
    let mentions = date::find(text, &utterance.said);
    let dated = mentions
        .iter()
        .any(|mention| mention.certain && mention.end.unwrap_or(mention.start) > utterance.said.date());
    if dated && line.cues.has(Cue::Deadline) {
        score.add("a date that binds", 2.2);
    } else if line.cues.has(Cue::Deadline) && line.cues.has(Cue::Obligation) {
        score.add("a deadline", 0.6);
    } else if dated && value::find(text).iter().any(|value| value.form == Form::Time) {
        score.add("a day with its time", 1.6);
    } else if dated {
        score.add("a date to come", 0.6);
    }
    if steps(text) >= 2 && (has_value(text) || weight(text) >= 8) {
        score.add("an order of steps", 1.6);
    }
    if line.cues.has(Cue::Standing) && date::is_weekly_rule(text) {
        score.add("a ban on a day of each week", 1.6);
    }
    if line.cues.has(Cue::Standing) && occasion::is_standing(text) {
        score.add("an order with its occasion", 1.1);
    } else if line.cues.has(Cue::Standing) && occasion::is_always(text) {
        score.add("an order for always", 0.8);
    } else if occasion::is_supposed(text)
        && !line.cues.any(&[Cue::Standing, Cue::Explicit, Cue::Obligation, Cue::Prohibition, Cue::Owner])
    {
        score.add("a case that is only supposed", -2.5);
    }
    if line.cues.has(Cue::Sequence) && procedure::is_told(text) {
        score.add("the steps of a procedure", 1.2);
    } else if line.cues.has(Cue::Sequence) && procedure::is_of_another_kind(text) {
        score.add("steps of a fault, a plan or a task", -2.5);
    }
    if line.cues.has(Cue::Removal) && line.cues.any(&[Cue::Decision, Cue::Habit, Cue::Change]) {
        score.add("one thing takes the place of another", 0.6);
    }
    if line.cues.has(Cue::Cause) && !utterance.opens && lexicon::opens(Cue::Cause, text).is_some() {
        score.add("names what it was", 0.8);
    }
    let named = terms::terms(text).iter().filter(|term| !term.chars().any(|c| c.is_ascii_digit())).count();
    if values > 0 && named < 2 && line.cues.has(Cue::Change) && !text.chars().any(language::is_han) {
        score.add("a number of the moment", -1.8);
    } else if values > 0 && line.cues.has(Cue::Change) {
        score.add("a new value", 0.5);
    }
    if line.act == Act::Statement {
        let about = terms::terms(text).len();
        if about >= 5 {
            score.add("says much", if about >= 8 { 0.5 } else { 0.3 });
        }
    }
    let ruled = line.cues.any(&[
        Cue::Standing,
        Cue::Owner,
        Cue::Explicit,
        Cue::Reason,
        Cue::OpenLoop,
        Cue::Place,
        Cue::Obligation,
        Cue::Universal,
        Cue::Habit,
    ]) || text.contains("://")
        || values > 0 && line.cues.has(Cue::Change);
    let named_topic = text.find([':', '：']).is_some_and(|at| {
        (1..=3).contains(&weight(&text[..at])) && !text[at..].starts_with("://") && weight(&text[at..]) >= 4
    });
    if named_topic && line.act == Act::Statement {
        score.add("a named subject with what is so", 0.5);
    }
    let plain = line.act == Act::Statement
        && !utterance.opens
        && (ruled || !line.cues.has(Cue::Problem))
        && terms::terms(text).len() >= 3
        && !line.cues.any(&[
            Cue::Intent,
            Cue::Chat,
            Cue::Ephemeral,
            Cue::Speculation,
            Cue::Praise,
            Cue::Reported,
            Cue::Narration,
            Cue::Question,
            Cue::Hypothetical,
            Cue::Frustration,
        ]);
    if plain {
        score.add("a plain statement", 0.6);
    }
    if forbids_at_hand(text)
        && !line.cues.any(&[Cue::Standing, Cue::Universal, Cue::Explicit, Cue::Reason, Cue::Owner])
    {
        score.add("forbids something at hand", -1.2);
    }
    if lexicon::count(Cue::Prohibition, text) >= 2 {
        score.add("forbids more than once", 0.4);
    }
    if utterance.opens
        && !line.cues.any(&[
            Cue::Standing,
            Cue::Explicit,
            Cue::Owner,
            Cue::Change,
            Cue::Conduct,
            Cue::Decision,
            Cue::Deadline,
        ])
    {
        score.add("opens a piece of work", -0.5);
    }
    if line.cues.has(Cue::Problem) && !ruled {
        score.add("tells a fault or a wish", if utterance.opens { -1.4 } else { -0.7 });
    }
    if !utterance.foreign.is_empty() && (points_back(text) || text.contains('…')) {
        score.add("about somebody else's words", -1.8);
    }
    if line.cues.has(Cue::OpenLoop) {
        score.add("left open", if utterance.position > 0.6 { 1.5 } else { 0.7 });
        if lexicon::count(Cue::OpenLoop, text) >= 2 {
            score.add("left open for a named reason", 0.5);
        }
    }
    if line.opening.has(Cue::Denial)
        || line.cues.has(Cue::Denial) && lexicon::opens(Cue::Denial, text).is_some()
    {
        score.add("corrects", 0.5);
    }
    if line.cues.has(Cue::Ephemeral) && !dated && !covered(text, &mentions) {
        score.add("holds for the moment only", -1.4);
    }
    if line.cues.has(Cue::Speculation)
        && !line.cues.any(&[Cue::Standing, Cue::Owner, Cue::Decision, Cue::Preference, Cue::Conduct])
    {
        score.add("a guess", -1.0);
    }
    if line.cues.has(Cue::Intent)
        && !line.cues.any(&[Cue::Standing, Cue::Owner, Cue::Explicit, Cue::OpenLoop, Cue::Conduct])
    {
        score.add("tells what the person is about to do", -1.3);
    }
    if line.cues.has(Cue::Chat) && weight(text) < 10 && !line.cues.has(Cue::Standing) {
        score.add("small talk", -1.0);
    }
    if lexicon::count(Cue::Chat, text) >= 2
        && !line.cues.any(&[Cue::Standing, Cue::Prohibition, Cue::Obligation, Cue::Owner, Cue::Explicit])
    {
        score.add("talk of the day", -2.0);
    }
    if crate::hearsay::is_foreign(text) {
        score.add("somebody else's words", if dated && line.cues.has(Cue::Deadline) { -0.5 } else { -5.0 });
    } else if line.cues.has(Cue::Reported)
        // `Ana does it, she said in May`: the person tells, and names a source behind it.
        && lexicon::locate(Cue::Reported, text).is_none_or(|place| {
            !text[..place.start].contains([',', '，']) || weight(&text[place.end..]) > 4
        })
        && !line.cues.any(&[Cue::Owner, Cue::Standing, Cue::Prohibition, Cue::OpenLoop])
    {
        score.add("somebody else's words", -1.0);
    }
    if crate::hearsay::is_unlike_ours(text) {
        score.add("others' things", -3.5);
    }
    let concerns = [Cue::Owner, Cue::Change, Cue::Obligation, Cue::Prohibition, Cue::Deadline, Cue::Explicit];
    if crate::hearsay::is_of_others(text) && !line.cues.any(&concerns) {
        score.add("others' things", -2.0);
    }
    let bound = line.cues.any(&[Cue::Standing, Cue::Explicit, Cue::OpenLoop, Cue::Owner, Cue::Prohibition]);
    if moment::is_for_once(text) && !line.cues.any(&[Cue::Standing, Cue::Explicit]) {
        score.add("for one occasion", -3.5);
    }
    if moment::is_passing(text) && !line.cues.any(&[Cue::Standing, Cue::Explicit]) {
        score.add("over on the same day", -3.5);
    }
    if request::ends_in_order(text) && !bound {
        score.add("one piece of work", -2.0);
    }
    if moment::is_ticket_work(text) && !bound {
        score.add("one piece of work", -2.0);
    }
    if line.act == Act::Task && request::ends_in_request(text) {
        score.add("one piece of work", -2.5);
    }
    if moment::is_private(text) {
        score.add("talk of the day", -2.5);
    }
    match line.act {
        Act::Task if is_general_order(text) => score.add("an order in general form", 0.9),
        Act::Task => {
            let general = line.cues.any(&[Cue::Standing, Cue::Explicit, Cue::OpenLoop]) || steps(text) >= 2;
            let chosen = utterance.offered && terms::shared(&terms::terms(text), &utterance.offer_terms) > 0;
            if chosen && !general {
                score.add("chooses among what the agent offered", 0.7);
            } else {
                score.add("one piece of work", if general { -0.4 } else { -1.2 });
                if !general && request::handles_one(text) {
                    score.add("something done with one thing", -1.2);
                }
            }
        }
        Act::Question => score.add("a question", -3.0),
        Act::Hypothesis => score.add("imagined", -4.0),
        Act::Filler | Act::Dismissal | Act::Disowned => score.add("says nothing to keep", -3.0),
        Act::Statement => {}
    }
    if weight(text) < 3 && !has_value(text) {
        score.add("too short", -1.0);
    }
    score
}

/// How many steps a text orders: its words of order, and a list of short clauses counts as one more.
pub(crate) fn steps(text: &str) -> usize {
    let clauses = crate::human::clauses(text).filter(|clause| weight(clause) <= 8).count();
    lexicon::count(Cue::Sequence, text)
        + usize::from(clauses >= 4 && lexicon::count(Cue::Sequence, text) >= 1)
}

static GENERAL_VERB: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(r"(?i)^(?:please )?(?:use|keep|prefer|avoid|write|put|name|call|follow|limit|wrap|document|log|store|quote|sort|mock|format|treat|assume|address|spell|pin|validate)\b").ok()
});
static POINTING: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(r"(?i)\b(?:this|that|it|these|those|here|there|now|again|today|tonight|first|second|third|last|other|next|one|above|below|mine|for now|instead)\b").ok()
});

/// Whether an order names no single thing at hand: `keep functions short` rather than `keep that one`.
fn is_general_order(text: &str) -> bool {
    let matches = |pattern: &Option<Regex>| pattern.as_ref().is_some_and(|pattern| pattern.is_match(text));
    matches(&GENERAL_VERB) && !matches(&POINTING) && weight(text) >= 5
}

static AT_HAND: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?i)^(?:please |so |just )?(?:don'?t|do not|no need to|never mind) \w+(?: to| about| with| at)? (?:that|this|it|him|her|them|those|these|there|one)\b|",
        r"^(?:先|就)?(?:别|不要|不用)(?:去)?(?:管|动|回|理|碰|改|弄|删|看)(?:它|他|她|这个|那个|了)",
    ))
    .ok()
});

/// Whether a prohibition speaks of a thing at hand: `don't answer that`, `别管它`.
fn forbids_at_hand(text: &str) -> bool {
    AT_HAND.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

/// Whether a text points back to something just shown.
pub(crate) fn points_back(text: &str) -> bool {
    let lower = text.to_lowercase();
    [
        "this ",
        "that ",
        "he ",
        "she ",
        "they ",
        "these ",
        "i disagree",
        "not how",
        "这",
        "那",
        "他",
        "她",
        "ignore",
    ]
    .iter()
    .any(|start| lower.starts_with(start))
}

/// Weighs what stands around an utterance: the agent's choice offered before, its note taken after, an interruption.
pub(crate) fn surroundings(utterance: &Utterance<'_>, opening: Cues, feeling: bool) -> Score {
    let mut score = Score::default();
    if utterance.interrupted {
        score.add("the agent was stopped", 0.8);
    }
    if let Some(after) = &utterance.after {
        let head: String = after.text.chars().take(160).collect();
        if lexicon::opens(Cue::TakesNote, &head).is_some()
            || lexicon::cues(&head.chars().take(40).collect::<String>()).has(Cue::TakesNote)
        {
            score.add(TOOK_NOTE, 0.5);
        }
    }
    if utterance.before.is_some() {
        if utterance.offered {
            score.add("answers an offer of the agent", 0.5);
        }
        if opening.has(Cue::Denial) {
            score.add("corrects the agent", 0.4);
        }
    }
    if feeling {
        score.add("said with feeling", 0.3);
    }
    score
}

/// How many exact things a text names.
pub(crate) fn values(text: &str) -> usize {
    let code = text.matches('`').count() / 2;
    let words = text
        .split(|c: char| {
            c.is_whitespace()
                || language::is_han(c)
                || matches!(c, '，' | '。' | '、' | '(' | ')' | '（' | '）' | '；' | '：' | '「' | '」')
        })
        .map(|word| word.trim_matches(|c: char| matches!(c, ',' | '.' | ';' | ':' | '!' | '?' | '"' | '\'')))
        .filter(|word| !word.is_empty() && (is_identifier(word) || word.chars().any(|c| c.is_ascii_digit())))
        .count();
    code + words
}

/// Whether the passing word of a text is part of a date that was understood.
pub(crate) fn covered(text: &str, mentions: &[date::DateMention]) -> bool {
    lexicon::locate(Cue::Ephemeral, text).is_some_and(|passing| {
        mentions.iter().any(|mention| {
            mention.range.len() > passing.len()
                && mention.range.start <= passing.start
                && passing.end <= mention.range.end
        })
    })
}
