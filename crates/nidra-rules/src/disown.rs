//! What the person repeats only to deny it: a value that the agent made up, a number that is mocked.

use crate::dialogue::Utterance;
use crate::lexicon::Cue;
use crate::revise::value::{self, Value};
use crate::sentence::{Act, Line};
use crate::terms;
use nidra_core::text::expression;
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Words that say of a thing that nobody stands by it.
static INVENTED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?i)\b(?:not sure|no idea|don'?t know|can'?t see|wonder|curious|unsure)[^.;!?]{0,20} where[^.;!?]{0,60}(?:comes?|came|got|have|had|took)(?: (?:it|that|this))?(?: from)?\b|",
        r"\b(?:is|are|was|were|that'?s|it'?s|you|simply|just) (?:made[- ]up|making (?:it|that|this|things) up|invent(?:ed|ing)|hallucinat\w+|imagin(?:ed|ing)|pulled out of)\b|\byou(?:'ve| have)? (?:just )?made (?:it|that|this|them) up\b|",
        r"\b(?:nobody|no one|none of us|we|i) (?:have |has |had )?(?:ever|never) (?:said|agreed|decided|promised|asked|charged|wanted|used|had|heard|set|wrote)\b[^.;!?]{0,60}$|",
        r"瞎(?:写|编|猜|填|定|说|扯)|乱(?:写|编|填|猜)|(?:你|自己)?(?:编|猜|捏造|臆想)(?:出来)?的|不作数|不算数|哪来的|从哪(?:儿|里)?来的|没这回事|没有的事|凭空",
    ))
    .ok()
});

/// The values that these words say nobody stands by.
pub(crate) fn denied_values(text: &str) -> BTreeSet<String> {
    crate::sentence::split(text)
        .iter()
        .filter(|sentence| INVENTED.as_ref().is_some_and(|pattern| pattern.is_match(sentence)))
        .flat_map(|sentence| value::find(sentence))
        .map(|value| value.key)
        .collect()
}

/// The lines whose words or value the person does not stand by.
pub(crate) fn disowned(lines: &[Line], utterance: &Utterance<'_>) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let Some(before) = utterance.before.as_ref() else { return found };
    let mut told: Option<Vec<Value>> = None;
    for (at, line) in lines.iter().enumerate() {
        if !matches!(line.act, Act::Statement | Act::Task | Act::Filler) {
            continue;
        }
        let shared = terms::shared(&terms::terms(&line.text), &utterance.offer_terms);
        // `we have never charged for it` denies; any other standing word rules.
        let settles = line.cues.has(Cue::Explicit)
            || line.cues.has(Cue::Standing) && !line.text.to_lowercase().contains("never");
        if shared > 0 && !settles && INVENTED.as_ref().is_some_and(|pattern| pattern.is_match(&line.text)) {
            found.insert(at);
            continue;
        }
        let values = value::find(&line.text);
        if values.is_empty() || line.cues.any(&[Cue::Change, Cue::Standing, Cue::Decision, Cue::Obligation]) {
            continue;
        }
        let told = told.get_or_insert_with(|| value::find(before.text));
        let of_one_kind =
            |one: &Value, other: &Value| value::comparable(one, other) || value::comparable(other, one);
        let echoes =
            values.iter().all(|own| told.iter().any(|other| own.key == other.key && of_one_kind(own, other)));
        // `fifty? it has a mode of 25`: another value of the same kind follows, and that one holds.
        let corrected = echoes
            && lines[at + 1..]
                .iter()
                .filter(|later| later.cues.any(&[Cue::Change, Cue::Decision, Cue::Standing]))
                .any(|later| {
                    value::find(&later.text)
                        .iter()
                        .any(|new| values.iter().any(|own| own.key != new.key && of_one_kind(own, new)))
                });
        if corrected {
            found.insert(at);
        }
    }
    found
}
