//! A known statement as far as it may be revised: its values, its names, its subject.

use super::another;
use super::said::Said;
use super::value::{self, Value};
use crate::families;
use crate::lexicon;
use crate::terms;
use nidra_core::text::expression;
use nidra_core::text::language::is_han;
use std::collections::BTreeSet;
use std::ops::Range;

/// A statement that may be revised.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    /// Its words without the reason, which belonged to the old value.
    pub(crate) text: String,
    /// The same in small letters.
    pub(crate) lower: String,
    /// All its words.
    pub(crate) whole: String,
    pub(crate) values: Vec<Value>,
    pub(crate) names: Vec<Range<usize>>,
    pub(crate) subject: BTreeSet<String>,
    /// The things that it speaks of.
    pub(super) things: BTreeSet<String>,
    /// The identifiers in it.
    pub(super) codes: Vec<String>,
}

impl Known {
    /// Reads a statement.
    pub(crate) fn new(text: &str) -> Self {
        let whole = text.to_owned();
        let end =
            ["**Why:**", "**原因：**", "**Why**", "Why:"].iter().filter_map(|mark| text.find(mark)).min();
        let text = text[..end.unwrap_or(text.len())].trim_end().to_owned();
        let mut values = value::find(&text);
        // A bare reading, `0.4s.`, is of whatever was measured just then.
        values.retain(|value| !stands_alone(&text, value));
        let names = names(&text, &values);
        let subject = terms::terms(&value::blank(&text))
            .into_iter()
            .filter(|term| !term.chars().any(|c| c.is_ascii_digit()))
            .collect();
        let things = another::things(&text);
        let codes = values
            .iter()
            .filter(|value| matches!(value.form, value::Form::Code(_)))
            .map(|value| value.key.clone())
            .collect();
        Self { lower: text.to_lowercase(), text, whole, values, names, subject, things, codes }
    }

    /// A new text with what stood behind the statement, the reason and how to apply it, unless it gives a reason itself.
    pub(crate) fn with_rest(&self, text: &str) -> String {
        let rest = &self.whole[self.text.len()..];
        let explains = text.contains("**Why:**") || text.contains("**原因：**");
        if explains {
            text.to_owned()
        } else {
            format!("{text}{}", rest.strip_prefix(['.', '。']).unwrap_or(rest))
        }
    }

    /// How much of the subject stands in the line of the new value, or half as much in the lines beside it.
    pub(crate) fn beside(&self, said: &Said, at: usize) -> f64 {
        let lines: Vec<(usize, &str)> = said
            .text
            .match_indices('\n')
            .map(|(end, _)| end)
            .fold((Vec::new(), 0), |(mut lines, start): (Vec<(usize, &str)>, usize), end| {
                lines.push((start, &said.text[start..end]));
                (lines, end + 1)
            })
            .0;
        let Some(here) = lines.iter().rposition(|(start, _)| *start <= at) else { return 0.0 };
        let of = |index: Option<usize>| {
            index
                .and_then(|index| lines.get(index))
                .map(|(_, line)| terms::terms(&value::blank(line)))
                .unwrap_or_default()
        };
        let (own, mut near) = (of(Some(here)), of(here.checked_sub(1)));
        near.extend(of(here.checked_sub(2)));
        let held = |among: &BTreeSet<String>, term: &str| among.iter().any(|other| terms::same(term, other));
        let sum: f64 = self
            .subject
            .iter()
            .map(|term| {
                if held(&own, term) {
                    1.0
                } else if held(&near, term) {
                    0.7
                } else {
                    0.0
                }
            })
            .sum();
        sum / self.subject.len().max(1) as f64
    }

    /// How much of the subject the words of a person name, and how much with the words around them.
    pub(crate) fn coverage(&self, said: &Said, without: &str) -> (f64, f64) {
        let without = terms::terms(without);
        let subject: BTreeSet<&String> =
            self.subject.iter().filter(|term| !without.contains(*term)).collect();
        if subject.is_empty() {
            return (0.0, 0.0);
        }
        let held = |among: &BTreeSet<String>, term: &str| among.iter().any(|other| terms::same(term, other));
        let own = subject.iter().filter(|term| held(&said.terms, term)).count() as f64;
        let around =
            subject.iter().filter(|term| !held(&said.terms, term) && held(&said.around_terms, term)).count();
        let size = subject.len() as f64;
        (own / size, (own + 0.6 * around as f64) / size)
    }
}

/// Whether the sentence of a value says nothing beside it.
fn stands_alone(text: &str, value: &Value) -> bool {
    let ends = ['。', '！', '？', '\n'];
    let head = &text[..value.range.start];
    let start = head.rfind(ends).map(|at| at + head[at..].chars().next().map_or(1, char::len_utf8));
    let start = start.max([". ", "! ", "? "].iter().filter_map(|end| head.rfind(end)).max().map(|at| at + 2));
    let tail = &text[value.range.end..];
    let end =
        tail.find(ends).into_iter().chain([". ", "! ", "? "].iter().filter_map(|end| tail.find(end))).min();
    let sentence = &text[start.unwrap_or(0)..value.range.end + end.unwrap_or(tail.len())];
    matches!(value.form, value::Form::Number(_) | value::Form::Version)
        && sentence.len() < text.trim_end_matches(['.', '。']).len()
        && terms::terms(&value::blank(sentence)).is_empty()
}

/// The places of names in a statement: tools, people, hosts without marks.
fn names(text: &str, values: &[Value]) -> Vec<Range<usize>> {
    let chinese = text.chars().any(is_han);
    let mut found = Vec::new();
    let mut start = None;
    let ends = text.char_indices().map(|(at, c)| (at, Some(c))).chain(std::iter::once((text.len(), None)));
    for (at, character) in ends {
        let inside =
            character.is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '+' | '#' | '-' | '\''));
        match (inside, start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                let word = text[from..at].trim_end_matches(['.', '-', '\'']).trim_end_matches("'s");
                let range = from..from + word.len();
                let taken =
                    values.iter().any(|value| value.range.start < range.end && range.start < value.range.end);
                if !taken && is_name(text, &range, chinese) {
                    found.push(range);
                }
                start = None;
            }
            _ => {}
        }
    }
    if let Some(pattern) = HAN_PERSON.as_ref() {
        found.extend(
            pattern
                .captures_iter(text)
                .filter_map(|captures| captures.get(1).or_else(|| captures.get(2)))
                .map(|hit| hit.range()),
        );
    }
    found
}

static HAN_PERSON: std::sync::LazyLock<Option<regex::Regex>> = std::sync::LazyLock::new(|| {
    expression::new(
        r"((?:老|小|阿)\p{Han})|(?:找|归|由|问|联系)(\p{Han}{2,3}?)(?:确认|负责|管|审|维护|拍板|，|。|、|$)",
    )
    .ok()
});

/// Nouns that stand before the name of one of their kind.
const ROLES: &[&str] = &[
    "machine",
    "box",
    "host",
    "server",
    "node",
    "cluster",
    "branch",
    "registry",
    "queue",
    "database",
    "bucket",
    "channel",
    "tool",
    "library",
    "framework",
    "manager",
    "runner",
    "broker",
    "vendor",
    "provider",
];

/// Whether a Latin word in a statement is a name rather than a common word.
fn is_name(text: &str, range: &Range<usize>, chinese: bool) -> bool {
    let word = &text[range.clone()];
    let lower = word.to_lowercase();
    if word.len() < 2 || lexicon::is_stop_word(&lower) || word.chars().all(|c| c.is_ascii_digit()) {
        return false;
    }
    let before = text[..range.start].trim_end();
    if families::is_member(&lower) {
        return true;
    }
    if chinese {
        return word.starts_with(|c: char| c.is_ascii_uppercase())
            || ["用", "走", "是", "在", "叫", "换成", "选", "装", "找"]
                .iter()
                .any(|verb| before.ends_with(verb));
    }
    let starts = before.is_empty() || before.ends_with(['.', ':', '!', ';']);
    let capital = word.starts_with(|c: char| c.is_ascii_uppercase());
    if starts {
        // `Odalys signs the firmware`: a single name acts; a plural or a thing `is` or `are`.
        let verb = text[range.end..].split_whitespace().next().unwrap_or_default();
        return capital
            && !lower.ends_with('s')
            && verb.ends_with('s')
            && !matches!(
                verb,
                "is" | "was" | "has" | "does" | "across" | "tests" | "builds" | "logs" | "runs"
            );
    }
    // `the build machine gull`: what a role noun stands before is its name.
    let role = ROLES.iter().any(|role| {
        before.to_lowercase().strip_suffix(role).is_some_and(|head| !head.ends_with(char::is_alphanumeric))
    });
    let follows = text[range.end..].trim_start().starts_with(|c: char| c.is_alphabetic());
    if role && word.len() >= 3 && !follows && !before.ends_with(',') {
        return true;
    }
    let object =
        [" use", " with", " via", " by", " through", " using", " in", " on", " to", " is", "use", " from"]
            .iter()
            .any(|word| before.to_lowercase().ends_with(word));
    capital || object && word.len() >= 4 && !text[range.end..].trim_start().starts_with(char::is_alphabetic)
}
