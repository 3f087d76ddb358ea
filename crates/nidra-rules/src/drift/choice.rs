//! Settings with a handful of values that people name by the value itself: `thin LTO`.

use super::checkout::Checkout;
use super::clause::{Clauses, Mood, pattern};
use super::{AnchorKind, Judgement, Verdict};
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Keys, and the values between which they choose.
const CHOICES: &[(&str, &[&str])] = &[
    ("lto", &["thin", "fat", "off"]),
    ("moduleResolution", &["bundler", "node", "node16", "nodenext", "classic"]),
    ("imagePullPolicy", &["always", "ifnotpresent", "never"]),
    ("line-ending", &["lf", "cr-lf", "auto"]),
];

/// A key with one of its values in front of it, or behind it.
static SAID: LazyLock<Vec<(&'static str, Option<Regex>)>> = LazyLock::new(|| {
    CHOICES
        .iter()
        .map(|(key, values)| {
            let values = values.join("|");
            let is = r"(?: is| =|:| set to|是|为|用)?\s?";
            (*key, pattern(&format!(r"(?i)\b(?:({values})[ -]{key}|{key}{is}[`'\x22]?({values}))\b")))
        })
        .collect()
});

/// Judges the choices that a text names.
pub(super) fn judge(text: &str, clauses: &Clauses<'_>, checkout: &Checkout) -> Vec<(usize, Judgement)> {
    let mut found = Vec::new();
    for (key, said) in SAID.iter() {
        let Some(captures) = said.as_ref().and_then(|said| said.captures(text)) else { continue };
        let (Some(whole), Some(claim)) = (captures.get(0), captures.get(1).or(captures.get(2))) else {
            continue;
        };
        if clauses.mood(whole.start()) != Mood::Stated {
            continue;
        }
        let sentence = super::facts_words(&text[clauses.sentence(whole.start())]);
        let leaves = checkout.facts().values().filter(|(name, _)| name == key).flat_map(|(_, leaves)| leaves);
        let named = |keys: &[String]| {
            keys.iter().flat_map(|key| super::facts_words(key)).filter(|word| sentence.contains(word)).count()
        };
        let leaves: Vec<_> = leaves.map(|leaf| (named(&leaf.keys), leaf)).collect();
        let best = leaves.iter().map(|(count, _)| *count).max().unwrap_or(0);
        let meant: Vec<_> = leaves.iter().filter(|(count, _)| *count == best).map(|(_, leaf)| leaf).collect();
        let values: BTreeSet<String> = meant.iter().map(|leaf| leaf.value.to_ascii_lowercase()).collect();
        // Several places with different values: any of them could be meant.
        let (Some(leaf), 1) = (meant.first(), values.len()) else { continue };
        let same = values.contains(&claim.as_str().to_ascii_lowercase());
        let verdict = if same { Verdict::Fresh } else { Verdict::Stale };
        let hint = Some(format!("{} says {}", leaf.file, leaf.value));
        found.push((whole.start(), Judgement::new(AnchorKind::Value, whole.as_str(), verdict, hint)));
    }
    found
}
