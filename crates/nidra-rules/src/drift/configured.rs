//! Ports and values that memory names, against the files that set them.

use super::anchor::Anchor;
use super::checkout::Checkout;
use super::clause::{Clauses, pattern};
use super::facts::{Leaf, Port};
use super::symbol::file;
use super::{AnchorKind, Judgement, Verdict};
use nidra_core::text::markup::{covers, urls};
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// A port, by the words beside it.
static PORT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)\bports?\b(?: (?:is|number|of|for|now|to|=))*[ :=`]{0,3}(\d{2,5})\b|\b(?:localhost|127\.0\.0\.1|0\.0\.0\.0):(\d{2,5})\b|",
        r"\b(?:runs?|running|listens?|listening|serves?|served|starts?|up|exposed|binds?|available|server|proxy|api)(?: (?:on|at|under))?[ :：`]{1,3}:?(\d{4,5})\b|",
        r"端口(?:号|是|为|改成|用|：|:|`|\s)*(\d{2,5})\b|\b(\d{2,5})`?\s?端口|(?:监听|跑在|运行在|启动在|起在|服务|地址)(?:在|是|：|:|`|\s)*(\d{4,5})\b"
    ))
});
/// What stands between a key and its value.
static IS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^[`'”\u{22}]?(?: (?:of|for|in) (?:the |a )?[\w-]+)?\s?(?:(?:is|are|=|:|：|to|set to|is set to|defaults to|default is|equals|at|of|是|为|设为|设成|设置为|默认是|默认为|默认)\s?){1,2}[`'‘“\u{22}]?([\w./:@+~-]*[\w/])",
    )
});
/// Keys that every file has: alone they say nothing.
const COMMON: &[&str] = &[
    "name",
    "version",
    "description",
    "type",
    "id",
    "title",
    "author",
    "license",
    "key",
    "value",
    "default",
    "main",
    "test",
    "build",
    "dev",
    "start",
    "run",
    "on",
    "in",
    "image",
    "kind",
    "file",
    "files",
    "command",
    "state",
    "status",
    "lint",
    "node",
    "branch",
    "format",
    "language",
    "target",
    "scripts",
    "uses",
    "with",
    "if",
    "steps",
    "label",
    "labels",
    "tag",
    "tags",
    "owner",
];

/// Judges the ports that a text names.
pub(super) fn ports(text: &str, clauses: &Clauses<'_>, checkout: &Checkout) -> Vec<(usize, Judgement)> {
    let addresses = urls(text);
    let all = &checkout.facts().ports;
    let spoken: BTreeSet<String> = super::facts_words(text);
    let numbers: BTreeSet<u32> =
        text.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok()).collect();
    let mut found = Vec::new();
    for captures in PORT.iter().flat_map(|pattern| pattern.captures_iter(text)) {
        let Some(number) = captures.iter().skip(1).flatten().next() else { continue };
        let Ok(port) = number.as_str().parse::<u32>() else { continue };
        let local = captures.get(2).is_some();
        if (covers(&addresses, number.start()) && !local)
            || !clauses.is_stated(number.start())
            || !(10..=65535).contains(&port)
        {
            continue;
        }
        if let Some(judgement) = one_port(port, number.as_str(), &spoken, &numbers, all) {
            found.push((number.start(), judgement));
        }
    }
    found
}

fn one_port(
    port: u32,
    said: &str,
    spoken: &BTreeSet<String>,
    others: &BTreeSet<u32>,
    all: &[Port],
) -> Option<Judgement> {
    let kind = AnchorKind::Port;
    let fresh =
        |place: &Port| Judgement::new(kind, said, Verdict::Fresh, Some(format!("{} sets it", place.file)));
    // Those whom the words name: the more of their names, the better.
    let named = |place: &Port| place.owners.intersection(spoken).count();
    let best = all.iter().map(named).max().unwrap_or(0);
    let meant: Vec<&Port> = all.iter().filter(|place| best > 0 && named(place) == best).collect();
    if let Some(place) = meant.iter().find(|place| place.number == port) {
        return Some(fresh(place));
    }
    let numbers: BTreeSet<u32> = if best > 0 {
        meant.iter().map(|place| place.number).collect()
    } else {
        all.iter().map(|place| place.number).collect()
    };
    let same = all.iter().find(|place| place.number == port);
    match (best, same) {
        (0, Some(place)) => Some(fresh(place)),
        // Nobody is named: only a checkout with a single port can tell.
        (0, None) if numbers.len() != 1 => None,
        // What is set stands in the entry as well: this number is another port, of which no file speaks.
        _ if !numbers.is_disjoint(others) => None,
        _ => {
            let place = meant.first().copied().or(all.first())?;
            let shown: Vec<String> = numbers.iter().map(u32::to_string).collect();
            let hint = format!("{} sets {}", place.file, super::path::listed(&shown));
            Some(Judgement::new(kind, said, Verdict::Stale, Some(hint)))
        }
    }
}

/// Judges the values of keys that a text names: `root: /mnt/a`, `the read timeout is 5s`.
pub(super) fn values(text: &str, clauses: &Clauses<'_>, checkout: &Checkout) -> Vec<(usize, Judgement)> {
    let lower = text.to_ascii_lowercase();
    let mut found: Vec<(usize, Judgement)> = Vec::new();
    let mut done: BTreeSet<usize> = BTreeSet::new();
    for (key, leaves) in checkout.facts().values() {
        let Some((at, claim)) = claim(key, text, &lower).or_else(|| beside(key, leaves, text, &lower)) else {
            continue;
        };
        if !clauses.is_stated(at) || done.contains(&at) {
            continue;
        }
        let sentence = super::facts_words(&text[clauses.sentence(at)]);
        if let Some(judgement) = one_value(key, claim, leaves, &sentence) {
            done.insert(at);
            found.push((at, judgement));
        }
    }
    found
}

/// Where a text says a key, and the value that it gives it.
fn claim<'t>(key: &str, text: &'t str, lower: &str) -> Option<(usize, &'t str)> {
    if key.len() < 3 {
        return None;
    }
    let exact = key.to_ascii_lowercase();
    let spaced = exact.replace(['-', '_'], " ");
    [exact.as_str(), spaced.as_str()].into_iter().find_map(|name| {
        lower.match_indices(name).find_map(|(at, _)| {
            let before = lower[..at].chars().next_back();
            if before.is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '/' | '.')) {
                return None;
            }
            let value = IS.as_ref()?.captures(&text[at + name.len()..])?.get(1)?;
            Some((at, value.as_str()))
        })
    })
}

/// Where a text puts a label right behind a key that some file gives it: `the bucket acme-state`. What a job asks of its
/// queue is named so in any case.
fn beside<'t>(key: &str, leaves: &[Leaf], text: &'t str, lower: &str) -> Option<(usize, &'t str)> {
    let name = format!("{} ", key.to_ascii_lowercase());
    lower.match_indices(&name).find_map(|(at, _)| {
        if key.len() < 3
            || lower[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
        {
            return None;
        }
        let rest = text.get(at + name.len()..)?.trim_start_matches(['`', '"', '\'']);
        let end =
            rest.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_')).unwrap_or(rest.len());
        let claim = &rest[..end];
        let asked = leaves.iter().any(|leaf| leaf.keys.first().is_some_and(|key| key == "slurm"));
        let held = leaves.iter().any(|leaf| same(&leaf.value, claim));
        (shape(claim) == Shape::Label && (asked || held)).then_some((at, claim))
    })
}

fn one_value(key: &str, claim: &str, leaves: &[Leaf], sentence: &BTreeSet<String>) -> Option<Judgement> {
    let named = |leaf: &Leaf| {
        let above = leaf.keys[..leaf.keys.len() - 1].iter();
        above.flat_map(|key| super::facts_words(key)).filter(|word| says(sentence, word)).count()
    };
    let best = leaves.iter().map(named).max()?;
    if best == 0 && COMMON.contains(&key.to_ascii_lowercase().as_str()) {
        return None;
    }
    let meant: Vec<&Leaf> = leaves.iter().filter(|leaf| named(leaf) == best).collect();
    let shown = format!("{key} {claim}");
    if let Some(leaf) = meant.iter().find(|leaf| same(&leaf.value, claim)) {
        return Some(Judgement::new(
            AnchorKind::Value,
            shown,
            Verdict::Fresh,
            Some(format!("{} says so", leaf.file)),
        ));
    }
    let values: BTreeSet<&str> = meant.iter().map(|leaf| leaf.value.as_str()).collect();
    let leaf = meant.first()?;
    let alike = values.iter().all(|value| shape(value) == shape(claim)) && shape(claim) != Shape::Word;
    // Several places that the words do not tell apart: any of them could be meant.
    if values.len() != 1 || !alike {
        return None;
    }
    let hint = format!("{} says {}", leaf.file, nidra_core::text::redact::redact(&leaf.value));
    Some(Judgement::new(AnchorKind::Value, shown, Verdict::Stale, Some(hint)))
}

/// Whether a sentence says a word of a key, perhaps with an ending: `prod` and `production`, `staging`.
fn says(sentence: &BTreeSet<String>, word: &str) -> bool {
    sentence.contains(word) || (word.len() > 3 && sentence.iter().any(|said| said.starts_with(word)))
}

/// What a value looks like; only alike ones can contradict each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Number,
    Measure,
    Path,
    Label,
    Word,
}

fn shape(value: &str) -> Shape {
    let digits = value.bytes().any(|byte| byte.is_ascii_digit());
    let letters = value.bytes().any(|byte| byte.is_ascii_alphabetic());
    if digits && !letters {
        Shape::Number
    } else if value.starts_with(['/', '.', '~']) {
        Shape::Path
    } else if digits && value.starts_with(|c: char| c.is_ascii_digit()) {
        Shape::Measure
    } else if value.contains(['-', '_']) && !value.contains(' ') {
        Shape::Label
    } else {
        Shape::Word
    }
}

fn same(value: &str, claim: &str) -> bool {
    let bare = |text: &str| text.trim_end_matches(['/', '.']).to_ascii_lowercase();
    bare(value) == bare(claim)
}

/// A literal that a file can hold or not: an address in memory, or a version.
static LITERAL: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"\b0[xX][0-9A-Fa-f_]{2,16}\b|\bv?\d+\.\d+(?:\.\d+)?\b"));

/// Judges the literals of a sentence that cites a file for them: the file has them, or others of their kind instead.
pub(super) fn cited(
    text: &str,
    anchors: &[Anchor],
    clauses: &Clauses<'_>,
    checkout: &Checkout,
) -> Vec<(usize, Judgement)> {
    let Some(literal) = LITERAL.as_ref() else { return Vec::new() };
    let mut found = Vec::new();
    for anchor in anchors {
        let at = anchor.range.start;
        // `see` and `in` say that the file holds what was said.
        let before = text[..at].trim_end_matches(['`', ' ', '(', '（', '“', '"']).to_ascii_lowercase();
        let points = ["see", "in", "from", "per", "见", "在", "参见", "参考", "定义在", "写在"]
            .iter()
            .any(|word| before.ends_with(word));
        let Some(path) = file(anchor, checkout).filter(|_| points) else { continue };
        let Some(held) = checkout.text(&path) else { continue };
        let sentence = clauses.sentence(at);
        for said in literal.find_iter(&text[sentence.clone()]) {
            let start = sentence.start + said.start();
            if anchor.range.contains(&start) || !clauses.is_stated(start) {
                continue;
            }
            let hex = said.as_str().starts_with(['0']) && said.as_str()[1..].starts_with(['x', 'X']);
            let others: Vec<&str> = literal
                .find_iter(held)
                .map(|other| other.as_str())
                .filter(|other| (other.starts_with("0x") || other.starts_with("0X")) == hex)
                .collect();
            if others.is_empty() {
                continue;
            }
            let holds = others.iter().any(|other| value(other) == value(said.as_str()))
                || (!hex && others.iter().any(|other| other.starts_with(&format!("{}.", said.as_str()))));
            let shown: BTreeSet<&str> = others.iter().copied().collect();
            let shown: Vec<&str> = shown.into_iter().collect();
            let (verdict, hint) = if holds {
                (Verdict::Fresh, format!("{path} holds it"))
            } else {
                (Verdict::Stale, format!("{path} does not hold it, but {}", super::path::listed(&shown)))
            };
            found.push((start, Judgement::new(AnchorKind::Value, said.as_str(), verdict, Some(hint))));
        }
    }
    found
}

/// A literal without the ways to write it.
fn value(literal: &str) -> String {
    let literal = literal.to_ascii_lowercase().replace('_', "");
    match literal.strip_prefix("0x") {
        Some(digits) => format!("0x{}", digits.trim_start_matches('0')),
        None => literal.trim_start_matches('v').to_owned(),
    }
}
