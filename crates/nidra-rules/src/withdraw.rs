//! Takes back what a person takes back: in the same breath, later in the session, or of what memory holds.

use crate::candidate::Candidate;
use crate::dialogue::{Dialogue, Utterance};
use crate::human;
use crate::lexicon::{self, Cue};
use crate::phrase;
use crate::sentence::{Act, Line};
use crate::settle::{Settled, Withdrawn, recent, remove, spoken_terms};
use crate::terms;
use crate::undone;
use nidra_core::text::expression::{self, matches};
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// An utterance in its talk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    /// Its place among the person's.
    pub(crate) index: usize,
    /// What was typed.
    pub(crate) utterance: &'a Utterance<'a>,
    /// Its sentences.
    pub(crate) sentences: &'a [Line],
    /// The sentences of all utterances.
    pub(crate) lines: &'a [Vec<Line>],
    /// The session.
    pub(crate) dialogue: &'a Dialogue<'a>,
}

/// A dismissal that names its object: then it is not about the words right before.
static OBJECT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(r"(?i)\b(?:forget|scrap|drop|ignore|cancel|undo)(?: about)? (?:the|my|our|all) \w+|\bthe \w+(?: \w+)?,? (?:forget|drop|scrap|ignore|abandon)|\S+ ?(?:不要了|不搞了|不做了)|那个.{1,8}(?:算了|不要|不做|不搞)").ok()
});

static KEEPS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(r"(?i)\b(?:stays?|remains?|keep(?:ing)?|still|as before)\b|还是(?:用|走|按|老|原)|還是|继续|保持|照旧|不变").ok()
});

/// What is spoken of as something that was said before: then nobody orders a piece of work.
static SPOKEN_OF: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(r"(?i)\b(?:rules?|ideas?|plans?|things?|bits?|stuff|requirements?|conventions?|polic(?:y|ies)|suggestions?)\b|那条|这条|那句|规则|要求|规定|说法|说的|定的|提的").ok()
});

/// The object of a dismissal, in its words.
static NAMED: LazyLock<Vec<Option<Regex>>> = LazyLock::new(|| {
    [
        concat!(
            r"(?i)\b(?:forget|scrap|drop|undo|cancel|revoke|kill|lose|skip|withdraw|reverse|retract|never mind|nix|scratch|ditch|no more)(?: about)? ",
            r"(?:the|that|my|our|this|all|those|these)(?: (?:rule|idea|plan|thing|bit|part|requirement|convention|policy)(?: (?:about|with|on|of|for|that|to))?)? ([^,.;!?]{3,70}?)",
            r"(?: (?:rule|rules|idea|plan|thing|things|bit|stuff|part|requirement|convention|policy|one|request|line|point|suggestion)\b|[,.;!?]|$| - | — )",
        ),
        r"(?i)\bon second thoughts?,? ([^.;!?]{3,80})",
        concat!(
            r"(?:收回|撤回|取消|作废|忘掉|别管|撤掉|废掉)(?:之前|刚才|上次|昨天|前面|那天|上面)?(?:我)?(?:说的|定的|提的|讲的)?(?:那个|那条|关于)?",
            r"([^，。；,]{2,18}?)(?:那条|那个|的规则|的要求|的说法|规定|规则|要求|这条|那句|这事|吧|，|。|,|$)",
        ),
        r"([^，。；,]{2,18}?)(?:那条|这条|那个|那句|的规则|的要求|规定|规则|这事|的事)?(?:还是|就|就先|先)?(?:算了|作废|不算数?|取消|收回|撤回|撤销|不要了|免了|别搞了|不搞了)(?:吧|，|。|,|$)",
    ]
    .iter()
    .map(|pattern| expression::new(pattern).ok())
    .collect()
});

/// Words that take back for sure what was said in the same breath.
static BACK: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?i)\b(?:never ?mind|nvm|scratch that|strike that|forget (?:about )?(?:it|that|this|what i said|i said (?:it|that|so))|take (?:that|it) back|ignore that|on second thought|scrap (?:that|it)|",
        r"drop (?:that|it)|undo that|belay that|changed my mind|no wait|wait,? no|actually,? no)\b|当我没说|當我沒說|算了|收回|撤回|作废|说错了|口误|别当真|还是别|不算数",
    ))
    .ok()
});

/// Words before a verb of dismissal after which it tells of somebody or forbids.
const ACTORS: &[&str] = &[
    "i", "we", "you", "they", "he", "she", "people", "to", "not", "don't", "dont", "never", "always", "keep",
    "can", "could", "would", "might", "must", "users", "didn't",
];

/// Whether a sentence only tells that somebody gives something up: `they end its support, so we drop it`.
fn tells(line: &Line) -> bool {
    const SUBJECTS: &[&str] =
        &["we", "they", "he", "she", "people", "users", "customers", "it", "which", "who", "that"];
    !line.opening.has(Cue::Dismissal)
        && lexicon::locate(Cue::Dismissal, &line.text).is_some_and(|place| {
            let before =
                line.text[..place.start].split_whitespace().next_back().unwrap_or_default().to_lowercase();
            SUBJECTS.contains(&before.as_str())
        })
}

/// Words that say when the object was said.
static SAID_BEFORE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(r"^(?:那|就|哦|对了|，|,| )*(?:上次|之前|刚才|刚刚|昨天|前面|前几天|那天|上周|早上)?(?:我|咱们|我们)?(?:说|定|提|讲)?(?:过)?的?(?:那个|那条|关于)?").ok()
});

/// What a text is about, a day of the week too: `scrap the monday rule`.
pub(crate) fn named_terms(text: &str) -> BTreeSet<String> {
    const DAYS: [&str; 8] =
        ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "weekend"];
    let lower = text.to_lowercase();
    let days = DAYS.iter().filter(|day| lower.contains(**day)).map(|day| (*day).to_owned());
    terms::terms(text).into_iter().chain(days).collect()
}

/// What a dismissal names as its object.
fn object(text: &str) -> BTreeSet<String> {
    NAMED
        .iter()
        .flatten()
        .filter_map(|pattern| {
            let captures = pattern.captures(text)?;
            let start = captures.get(0)?.start();
            // `I forget the name of it` takes nothing back.
            let before = text[..start].split_whitespace().next_back().unwrap_or_default().to_lowercase();
            if ACTORS.contains(&before.as_str()) { None } else { captures.get(1) }
        })
        .map(|hit| {
            let words = hit.as_str();
            named_terms(
                SAID_BEFORE
                    .as_ref()
                    .map_or(words, |pattern| pattern.find(words).map_or(words, |said| &words[said.end()..])),
            )
        })
        .find(|about| !about.is_empty())
        .unwrap_or_default()
}

/// The sentences of an utterance that are taken back by a later one of the same utterance.
pub(crate) fn within(lines: &[Line]) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    for (at, line) in lines.iter().enumerate() {
        if !matches(&BACK, &line.text) && !line.opening.has(Cue::Dismissal) || tells(line) {
            continue;
        }
        let imagined = at
            .checked_sub(1)
            .and_then(|before| lines.get(before))
            .is_some_and(|before| matches!(before.act, Act::Question | Act::Hypothesis));
        if at == 0 || imagined {
            continue;
        }
        let about = object(&line.text);
        let named: Vec<usize> = (0..at)
            .filter(|before| {
                let other = terms::terms(&lines[*before].text);
                let shared = terms::shared(&about, &other);
                shared > 0 && shared * 2 >= about.len()
            })
            .collect();
        if named.is_empty() && about.len() <= 2 {
            let before = &lines[at - 1];
            let earlier = line.text.to_lowercase().contains("i said")
                || line.text.contains("刚才")
                || line.text.contains("之前");
            let rules = before.cues.any(&[
                Cue::Standing,
                Cue::Prohibition,
                Cue::Obligation,
                Cue::Decision,
                Cue::Explicit,
                Cue::Preference,
                Cue::Habit,
                Cue::Universal,
            ]) || before.act == Act::Task;
            // `one reviewer stays. forget it`: what holds as before is not what is taken back.
            let holds = matches(&KEEPS, &before.text);
            if rules && !earlier && !holds && !before.cues.has(Cue::Frustration) {
                found.insert(at - 1);
            }
        } else {
            found.extend(named);
        }
    }
    found
}

/// An order to leave a thing out, which is named without an article: `skip the formatter`, `no benchmarks then`.
static SKIP: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?i)(?:^|[,;.] )(?:so |then |let'?s )?(?:skip|drop|leave out|without|don'?t (?:bother with|do)|no need for|forget about) (?:the |that |any )?([\w-]+(?: [\w-]+)?)",
        r"|(?:^|[，；])(?:那|就)*(?:别|不|不用|不必|甭)(?:再)?(?:跑|做|搞|弄|加|用)了?([^，。；]{0,10})",
    ))
    .ok()
});

/// Drops the choices of earlier words that these words end.
pub(crate) fn end_choices(
    said: &crate::revise::Said,
    index: usize,
    live: &mut Vec<Candidate>,
    settled: &mut Settled,
) {
    let over: Vec<usize> = (0..live.len())
        .filter(|at| {
            let older = &live[*at];
            older.utterance < index
                && older.revises.is_none()
                && older.rank >= nidra_core::TrustRank::HumanConfirmed
                && !older.cues.has(Cue::Standing)
                && crate::revise::ended(&older.text, said)
        })
        .collect();
    remove(live, &over, "another choice was made later", settled);
}

/// Whether a sentence does no more than leave a thing out, in an answer that opens with a denial.
pub(crate) fn only_skips(line: &Line, lines: &[Line]) -> bool {
    let denied = lines
        .iter()
        .take(3)
        .any(|line| line.opening.has(Cue::Denial) || lexicon::opens(Cue::Denial, &line.text).is_some());
    denied
        && crate::sentence::weight(&line.text) <= 4
        && matches(&SKIP, &line.text)
        && !line.cues.any(&[Cue::Standing, Cue::Explicit, Cue::Reason])
}

/// Whether a sentence leaves out what was ordered a moment ago, after the agent told what it would cost.
fn skips(
    order: &Line,
    utterance: &Utterance<'_>,
    index: usize,
    live: &mut Vec<Candidate>,
    settled: &mut Settled,
) -> bool {
    let denied = crate::sentence::lines(&utterance.own)
        .iter()
        .take(3)
        .any(|line| line.opening.has(Cue::Denial) || lexicon::opens(Cue::Denial, &line.text).is_some());
    let Some(object) = SKIP.as_ref().and_then(|pattern| pattern.captures(&order.text)) else { return false };
    let about = object.get(1).or_else(|| object.get(2)).map(|hit| terms::terms(hit.as_str()));
    let about = about.unwrap_or_default();
    if !denied || about.is_empty() {
        return false;
    }
    let meant: Vec<usize> = recent(live, index, 2)
        .into_iter()
        .filter(|at| {
            terms::shared(&about, &live[*at].terms) > 0
                && !live[*at].negated.iter().any(|term| about.contains(term))
        })
        .collect();
    if meant.is_empty() {
        return false;
    }
    remove(live, &meant, "taken back by the human", settled);
    true
}

/// Takes back what an utterance dismisses.
pub(crate) fn withdraw(place: &Place<'_>, live: &mut Vec<Candidate>, settled: &mut Settled) {
    let Place { index, utterance, sentences, lines, dialogue } = *place;
    if let Some((first, last)) = undone::undone(dialogue, index) {
        let meant: Vec<usize> =
            (0..live.len()).filter(|at| (first..=last).contains(&live[*at].utterance)).collect();
        remove(live, &meant, "what was done on these words was undone on the next", settled);
    }
    let inside = within(sentences);
    for (at, line) in sentences.iter().enumerate() {
        let cues = line.cues.union(line.opening);
        let named = object(&line.text);
        // What was said in the same breath is what is taken back; and who only muses takes nothing back.
        let proposed = |line: &Line| {
            line.act == Act::Task
                || line.cues.any(&[
                    Cue::Standing,
                    Cue::Explicit,
                    Cue::Decision,
                    Cue::Obligation,
                    Cue::Prohibition,
                ])
        };
        if inside.iter().any(|before| *before < at && proposed(&sentences[*before])) && named.is_empty()
            || line.act == Act::Hypothesis
            || line.act == Act::Question && named.is_empty() && !matches(&BACK, &line.text)
        {
            continue;
        }
        if skips(line, utterance, index, live, settled) || tells(line) {
            continue;
        }
        if !cues.has(Cue::Dismissal) && named.is_empty() {
            continue;
        }
        // What is named is meant wherever it was said; what an earlier session kept stands in memory.
        if !named.is_empty() && line.act != Act::Question && line.act != Act::Hypothesis {
            let meant = by_name(&named, index, live);
            if !meant.is_empty() {
                remove(live, &meant, "taken back by the human", settled);
                continue;
            }
        }
        if !cues.has(Cue::Dismissal) {
            if matches(&SPOKEN_OF, &line.text) && line.act != Act::Hypothesis {
                settled.withdrawn.push(withdrawn(named, true, utterance));
            }
            continue;
        }
        let about = terms::terms(&line.text);
        let spoken = terms::terms(&utterance.own);
        let reaffirms = matches(&KEEPS, &line.text);
        // `there is a copy of that in … never mind`: the words take back themselves.
        let itself = lexicon::locate(Cue::Dismissal, &line.text).is_some_and(|at| {
            terms::terms(&line.text[..at.start]).len() >= 3 && !line.cues.has(Cue::Removal)
        });
        // What was said a little earlier about the same thing; the nearest and closest match is meant.
        // `somebody praises DuckDB, shall we try it some day? never mind`: the idea of the same breath is meant.
        let idea = sentences.iter().take_while(|other| !std::ptr::eq(*other, line)).any(|other| {
            matches!(other.act, Act::Question | Act::Hypothesis) && crate::sentence::weight(&other.text) > 4
                || crate::hearsay::is_foreign(&other.text)
        });
        let reach = if idea { 0 } else { 6 };
        let nearest = recent(live, index, reach)
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
        let imagined = sentences.iter().take_while(|other| !std::ptr::eq(*other, line)).any(|other| {
            // `15 minutes?` only echoes what the agent told; it imagines nothing.
            other.act == Act::Hypothesis
                || other.act == Act::Question && crate::sentence::weight(&other.text) > 4
        }) || index
            .checked_sub(1)
            .and_then(|at| lines.get(at))
            .is_some_and(|before| before.iter().any(|line| line.act == Act::Hypothesis));
        let named_object = matches(&OBJECT, &line.text);
        if !imagined && !idea && !named_object && !itself {
            let previous = recent(live, index, 1);
            if !previous.is_empty() {
                remove(live, &previous, "taken back by the human right after", settled);
                continue;
            }
        }
        if reaffirms || imagined || about.is_empty() {
            continue;
        }
        let found: Vec<usize> = (0..live.len())
            .filter(|at| live[*at].utterance < index)
            .filter(|at| {
                let shared = terms::shared(&about, &live[*at].terms);
                shared >= 1
                    && shared * 3 >= about.len()
                    && live[*at].terms.len() <= 14
                    && live[*at].cues.any(&[Cue::Standing, Cue::Explicit, Cue::Decision, Cue::Hypothetical])
            })
            .collect();
        if found.is_empty() {
            let is_named = !named.is_empty();
            let terms = if is_named { named } else { about };
            settled.withdrawn.push(withdrawn(terms, is_named, utterance));
        } else {
            remove(live, &found, "taken back by the human later", settled);
        }
    }
}

/// What these words take back.
fn withdrawn(terms: BTreeSet<String>, named: bool, utterance: &Utterance<'_>) -> Withdrawn {
    Withdrawn { terms, named, evidence: human::quote(utterance), day: utterance.said.date() }
}

/// The candidates from before that an object names, the closest ones.
fn by_name(named: &BTreeSet<String>, index: usize, live: &[Candidate]) -> Vec<usize> {
    let scored: Vec<(usize, usize)> = live
        .iter()
        .enumerate()
        .filter(|(_, candidate)| candidate.utterance < index)
        .map(|(at, candidate)| (terms::shared(named, &named_terms(&candidate.text)), at))
        .filter(|(shared, _)| *shared > 0 && shared * 2 >= named.len())
        .collect();
    let best = scored.iter().map(|(shared, _)| *shared).max().unwrap_or(0);
    let closest: Vec<usize> =
        scored.into_iter().filter(|(shared, _)| *shared == best).map(|(_, at)| at).collect();
    // One word names a thing of its own only where few statements have it.
    if best == 1 && closest.len() > 2 { closest.last().copied().into_iter().collect() } else { closest }
}

/// Whether a statement says no more than that something is taken back.
pub(crate) fn only_dismisses(line: &Line) -> bool {
    let named = object(&line.text);
    if named.is_empty()
        || !(line.cues.any(&[Cue::Dismissal, Cue::Removal]) || line.opening.has(Cue::Dismissal))
    {
        return false;
    }
    phrase::parts(&line.text).all(|part| {
        terms::shared(&named, &terms::terms(part)) > 0 && lexicon::opens(Cue::Dismissal, part).is_some()
            || matches(&BACK, part)
            || object(part) == named
            || !lexicon::cues(part).any(&[
                Cue::Habit,
                Cue::Change,
                Cue::Decision,
                Cue::Standing,
                Cue::Prohibition,
                Cue::Obligation,
                Cue::Place,
            ])
    })
}
