//! Choices of this run that later words end: the chosen thing is thrown out, or another is chosen where both were named.

use super::said::Said;
use super::{find_word, word};
use nidra_core::text::expression;
use regex::Regex;
use std::sync::LazyLock;

const NAME: &str = r"`?([A-Za-z][\w.+#-]*[\w+#])`?";

static CHOSEN: LazyLock<Vec<Option<Regex>>> = LazyLock::new(|| {
    [
        format!(r"(?i)(?-u:\b)(?:go(?:ing)? with|us(?:e|ing)|take|pick|choose|chose|settled? (?:on|for)|switch(?:ed)? to|stick(?:ing)? with|stay(?:ing)? with|try|start with) (?:the |a )?{NAME}"),
        format!(r"(?i)(?-u:\b){NAME}(?: \w+)? is the (?:easy|easiest|best|simplest|right|obvious|cheapest|safest) (?:way|choice|option|one)"),
        format!(r"(?i)(?:^|[.:;] ){NAME}(?:,? (?:it is|then)(?-u:\b)| for (?:this|that|the)(?-u:\b))"),
        // A bare name opens an answer: `JsonStore, one file each`.
        r"^([A-Za-z]+(?:[a-z][A-Z]|\d|\.)[\w.]*\w)[,.]".to_owned(),
        format!(r"(?:先用|就用|用|选用?|上|换成|改用|采用|走)了? ?{NAME}"),
    ]
    .iter()
    .map(|pattern| expression::new(pattern).ok())
    .collect()
});

/// A choice that is told as one that takes another's place.
static INSTEAD: LazyLock<Vec<Option<Regex>>> = LazyLock::new(|| {
    [
        format!(r"(?im)(?:^|[,.:;] (?:so |then |ok(?:ay)? )?){NAME},? (?:it is|then)(?-u:\b)"),
        format!(r"(?i)(?-u:\b)(?:go(?:ing)? with|us(?:e|ing)|take|switch(?:ed|ing)? to|mov(?:e|ed|ing) to|chang(?:e|ed|ing) to) (?:the )?{NAME}[^.;,]{{0,24}}?(?-u:\b)(?:after all|instead|then|now)(?-u:\b)"),
        format!(r"(?i)(?-u:\b)(?:so|then|therefore) (?:it'?s|it is|we(?:'ll)? (?:go with|use|take)|let'?s (?:go with|use|take)) (?:the )?{NAME}"),
        format!(r"(?:换成?|改用|改成|换用|改上|还是用|那就用|拍板了?用?) ?了? ?{NAME}"),
    ]
    .iter()
    .map(|pattern| expression::new(pattern).ok())
    .collect()
});

fn names<'t>(patterns: &[Option<Regex>], text: &'t str) -> Vec<&'t str> {
    patterns
        .iter()
        .flatten()
        .flat_map(|pattern| pattern.captures_iter(text))
        .filter_map(|captures| captures.get(1))
        .map(|hit| hit.as_str())
        .filter(|name| name.len() >= 3 && !crate::lexicon::is_stop_word(&name.to_lowercase()))
        .collect()
}

/// Whether a statement makes a choice that these words end.
pub(crate) fn ended(older: &str, said: &Said) -> bool {
    let chosen = names(&CHOSEN, older);
    if chosen.is_empty() || said.lower.len() != said.text.len() {
        return false;
    }
    let lower = older.to_lowercase();
    let fresh = names(&INSTEAD, &said.text);
    chosen.iter().any(|name| {
        let name = name.to_lowercase();
        // `mobile-kit` is also called `mobile`; a shorter head is a common word.
        let short = name.split(['-', '.']).next().filter(|head| head.len() >= 4 && *head != name);
        let places: Vec<_> = std::iter::once(name.as_str())
            .chain(short)
            .filter_map(|name| find_word(&said.lower, name))
            .collect();
        let gone = places.iter().any(|place| word::is_gone(&said.text, place));
        let shown = !places.is_empty() || find_word(&said.around_lower, &name).is_some();
        let other = fresh.iter().any(|new| {
            let new = new.to_lowercase();
            new != name && short.is_none_or(|short| short != new) && find_word(&lower, &new).is_none()
        });
        gone || shown && other
    })
}
