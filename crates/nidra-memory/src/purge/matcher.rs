//! Whether a piece of text says what is to be purged.

use super::{PURGED, Work};
use nidra_core::text::fingerprint::{Fingerprint, FingerprintKey, FingerprintSet};
use nidra_core::text::sentence;
use nidra_core::text::similarity::{terms, weight};
use std::collections::HashMap;

/// Terms in a row that two texts share when one quotes the other.
const RUN: usize = 4;
/// The same where the text was cut, as reports cut what they list: its beginning is all that is left of it.
const CUT_RUN: usize = 3;
/// Terms at least by which a statement is known in other words; of fewer, any talk is full.
const TELLING: usize = 3;
/// How much those weigh at least: four words of any talk are no quotation.
const RUN_WEIGHT: f64 = 3.5;

/// Letters of a word at most.
const WORD: usize = 12;

/// Finds what is to be purged.
#[derive(Debug)]
pub struct Matcher {
    key: FingerprintKey,
    prints: FingerprintSet,
    rows: Vec<Vec<String>>,
    /// Where each pair of neighbouring terms stands in the rows.
    places: HashMap<(String, String), Vec<(usize, usize)>>,
    tokens: Vec<String>,
    texts: Vec<String>,
}

impl Matcher {
    /// Prepares a purge.
    pub fn new(work: &Work, key: &FingerprintKey) -> Self {
        let rows: Vec<Vec<String>> = work.statements.iter().map(|text| terms(text)).collect();
        let mut places: HashMap<(String, String), Vec<(usize, usize)>> = HashMap::new();
        for (row, terms) in rows.iter().enumerate() {
            for (at, pair) in terms.windows(2).enumerate() {
                places.entry((pair[0].clone(), pair[1].clone())).or_default().push((row, at));
            }
        }
        Self {
            prints: work
                .statements
                .iter()
                .zip(&rows)
                .filter(|(_, terms)| terms.len() >= TELLING)
                .map(|(text, _)| Fingerprint::new(text, key))
                .collect(),
            rows,
            places,
            tokens: work.tokens.iter().map(|token| token.to_lowercase()).collect(),
            texts: work.statements.iter().map(|text| fold(text)).filter(|text| !text.is_empty()).collect(),
            key: key.clone(),
        }
    }

    /// Whether a text states it, alone or among other things; another value in the same place is something else.
    pub fn states(&self, text: &str) -> bool {
        self.has_token(text)
            || {
                let folded = fold(text);
                // A statement of one word is a word of everything.
                let is_long = |known: &str| known.contains(' ') || known.chars().count() > WORD;
                self.texts.iter().any(|known| {
                    if is_long(known) { folded.contains(known.as_str()) } else { folded == *known }
                })
            }
            || terms(text).len() > 1 && !self.prints.said_by(&Fingerprint::new(text, &self.key)).is_empty()
    }

    /// Whether a text of a record states it or quotes a part of it.
    pub fn tells(&self, text: &str) -> bool {
        self.states(text) || self.quotes(text)
    }

    /// Whether a text holds a word that only this says.
    pub fn has_token(&self, text: &str) -> bool {
        if self.tokens.is_empty() {
            return false;
        }
        let lower = text.to_lowercase();
        self.tokens.iter().any(|token| {
            lower.match_indices(token.as_str()).any(|(at, found)| {
                let joins = |letter: Option<char>| {
                    letter.is_some_and(|letter| letter.is_ascii_alphanumeric() || letter == '_')
                };
                !joins(lower[..at].chars().next_back()) && !joins(lower[at + found.len()..].chars().next())
            })
        })
    }

    /// Whether a row of its words stands in the text.
    fn quotes(&self, text: &str) -> bool {
        let said = terms(text);
        let needed =
            if text.trim_end_matches(['"', '”', ')', '.']).ends_with('…') { CUT_RUN } else { RUN };
        said.windows(2).enumerate().any(|(start, pair)| {
            let places = self.places.get(&(pair[0].clone(), pair[1].clone()));
            places.into_iter().flatten().any(|(row, at)| {
                let same =
                    self.rows[*row][*at..].iter().zip(&said[start..]).take_while(|(own, said)| own == said);
                let (count, heavy) =
                    same.fold((0, 0.0), |(count, heavy), (term, _)| (count + 1, heavy + weight(term)));
                count >= needed && heavy >= RUN_WEIGHT
            })
        })
    }

    /// A text without the sentences that tell it; `None` when none does.
    pub fn clean(&self, text: &str) -> Option<String> {
        let cleaned = each_line(text, |line| self.clean_line(line));
        cleaned.or_else(|| self.states(text).then(|| PURGED.to_owned()))
    }

    fn clean_line(&self, line: &str) -> Option<String> {
        if line.trim().is_empty() || !self.tells(line) {
            return None;
        }
        let mut out = String::with_capacity(line.len());
        let mut from = 0;
        for sentence in sentence::sentences(line) {
            if self.tells(sentence.text) {
                out.push_str(&line[from..sentence.range.start]);
                out.push_str(PURGED);
                from = sentence.range.end;
            }
        }
        out.push_str(&line[from..]);
        // What is left must not tell it either: its words may go over the ends of sentences.
        if from == 0 || self.tells(&out) { Some(PURGED.to_owned()) } else { Some(out) }
    }

    /// Cleans every string of a value; says whether one told it.
    pub fn clean_json(&self, value: &mut serde_json::Value) -> bool {
        match value {
            serde_json::Value::String(text) => match self.clean(text) {
                Some(clean) => {
                    *text = clean;
                    true
                }
                None => false,
            },
            serde_json::Value::Array(values) => {
                values.iter_mut().fold(false, |changed, value| self.clean_json(value) | changed)
            }
            serde_json::Value::Object(fields) => {
                // What a field is called is no word of anybody's; a path or a text in a field's place may be.
                let is_field =
                    |key: &str| key.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_');
                let told: Vec<String> =
                    fields.keys().filter(|key| !is_field(key) && self.tells(key)).cloned().collect();
                for key in &told {
                    fields.remove(key);
                }
                fields.values_mut().fold(!told.is_empty(), |changed, value| self.clean_json(value) | changed)
            }
            serde_json::Value::Null | serde_json::Value::Bool(_) | serde_json::Value::Number(_) => false,
        }
    }
}

/// A text with some of its lines made anew, each with the ending that it has; `None` when none is.
pub(super) fn each_line(text: &str, anew: impl Fn(&str) -> Option<String>) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut changed = false;
    for line in text.split_inclusive('\n') {
        let words = line.trim_end_matches(['\n', '\r']);
        match anew(words) {
            Some(clean) => {
                changed = true;
                out.push_str(&clean);
                out.push_str(&line[words.len()..]);
            }
            None => out.push_str(line),
        }
    }
    changed.then_some(out)
}

/// Words without regard to white space and letter case, and without the full stop.
fn fold(text: &str) -> String {
    let text = text.trim().trim_end_matches(['.', '。']);
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}
