//! What the agent proposed and a person agreed to: `Should I move the report to 04:30?`, `yes, do that`.
//!
//! It may give a statement of memory another value and no more: neither a rule nor a new statement comes of it.

use crate::dialogue::{Dialogue, Saying};
use crate::lexicon::{self, Cue};
use crate::revise::{self, Said, value};
use crate::sentence::{self, Act, Line};
use nidra_core::text::{expression, redact};
use nidra_core::{Evidence, Speaker};
use regex::Regex;
use std::sync::LazyLock;

static AGREES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?i)^(?:hm+,? |ah,? |well,? )?(?:yes|yeah|yep|yup|ya|aye|ok(?:ay)?|sure|go ahead|go for it|do (?:it|that|so)|fine|agreed|sounds (?:good|fine|right)|please do|good|works for me|perfect|great|nice|make it so|lgtm|let'?s (?:do|move|switch|go))(?-u:\b)|",
        r"^(?:嗯|哦|啊|，|,| )*(?:行|好|可以|同意|没问题|就这么|就这样|就按|改吧|来吧|换吧|按你|照你|听你的|那就|OK|ok)",
    ))
    .ok()
});
/// A condition or an exception behind the consent.
static BUT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(r"(?i)\b(?:but|except|unless|only if|rather|instead|not|don'?t|first|later|try)\b|不过|但是?|除了|先|试|别|不要|等").ok()
});
static PROPOSES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?i)^(?:[^,;]{3,60}[,;] )?(?:so |then |and |ok(?:ay)?,? )*(?:(?:i|we)(?:'d| would| could| can| should)? (?:like to )?(?:suggest|propose|recommend)(?: (?:to|that we|we|moving|raising|to be))?|i(?:'d| would) (?:rather )?|should (?:i|we)|shall (?:i|we)|(?:do you )?want me to|we (?:could|should)|let'?s|how about(?: we)?|what about|i (?:can|could)|(?:my )?(?:proposal|suggestion)(?::| is(?: to)?)) ?(?P<what>.+)$|",
        r"^(?P<before>.{0,40}?)(?:我?建议|提议|要不要|要不|是否|我看可以|可以考虑|不如)(?:咱们?|我们|就)?[，,：:]? ?(?P<han>.+)$|^(?P<asked>.*(?:改|放|换|调|提|降|挪|迁|升|加|减)(?:到|成|为).*)[？?]$",
    ))
    .ok()
});

/// Words that the agent said and a person agreed to.
pub(super) struct Agreed<'a> {
    /// The words as a person would say them.
    pub(super) said: Said,
    /// The agent's saying.
    saying: Saying<'a>,
    /// The sentence in it.
    sentence: String,
}

impl Agreed<'_> {
    /// The agent's own sentence.
    pub(super) fn evidence(&self) -> Evidence {
        Evidence {
            source: self.saying.source.clone(),
            speaker: Speaker::Agent,
            at: self.saying.at,
            quote: redact::redact(&self.sentence),
        }
    }
}

/// The one proposal that an utterance agrees to without more ado; `None` where there are several or none.
pub(super) fn agreed<'a>(dialogue: &Dialogue<'a>, index: usize, lines: &[Line]) -> Option<Agreed<'a>> {
    let utterance = dialogue.utterances.get(index)?;
    let saying = utterance.before?;
    let own = utterance.own.trim();
    let plain =
        lines.iter().all(|line| !matches!(line.act, Act::Question | Act::Hypothesis | Act::Dismissal));
    let consent = plain
        && sentence::weight(own) <= LONGEST
        && AGREES.as_ref()?.is_match(own)
        && !BUT.as_ref()?.is_match(own)
        && !lexicon::cues(own).any(&[Cue::Denial, Cue::Ephemeral]);
    if !consent {
        return None;
    }
    let mut proposals = sentence::split(saying.text).into_iter().filter_map(|sentence| {
        let found = PROPOSES.as_ref()?.captures(sentence.trim())?;
        let part = |name| found.name(name).map_or("", |part: regex::Match<'_>| part.as_str());
        let what =
            [part("what"), last_clause(part("before")), part("han"), last_clause(part("asked"))].concat();
        Some((sentence.clone(), what.trim_end_matches(['?', '？', '.', '。', ' ']).to_owned()))
    });
    let (sentence, what) = proposals.next().filter(|_| proposals.next().is_none())?;
    // One of several values, or a value of the person's own, is another matter.
    let values = value::find(&what);
    let own_values = value::find(own);
    let rivals = values.iter().enumerate().any(|(at, value)| {
        values[..at].iter().any(|other| value::comparable(value, other) && !value::equal(value, other))
    });
    let strange = own_values.iter().any(|own| !values.iter().any(|value| value::equal(own, value)));
    let passing =
        lexicon::cues(&what).any(&[Cue::Ephemeral, Cue::Question]) || super::phrases::holds_once(&what);
    if values.is_empty() || strange || rivals && own_values.is_empty() || passing {
        return None;
    }
    let mut cues = lexicon::cues(&what);
    cues.insert(Cue::Decision);
    cues.insert(Cue::Change);
    let before = revise::own_before(dialogue, index);
    let around = format!("{}\n{before}", saying.text.replace(&sentence, ""));
    let mut said = Said::of(format!("{what}\n"), cues, around, before, &utterance.said);
    said.worth = WORTH;
    Some(Agreed { said, saying, sentence })
}

/// The clause in which the proposal begins: what stands before it tells how things are.
fn last_clause(text: &str) -> &str {
    text.rsplit(['，', ',', '；', '。']).next().unwrap_or(text)
}

/// What agrees and says no more has at most so many words.
const LONGEST: usize = 8;
/// What words are worth that were agreed to.
const WORTH: f64 = 2.0;
