//! Which of many statements a person's words may be about at all: those that share a word, a value or a name with the
//! words or with what was said right before. All others have nothing that a revision could rest on.

use super::value::{self, Form, Value};
use super::{Known, Said};
use nidra_core::text::language::is_han;
use std::collections::{BTreeSet, HashMap};

/// The statements by what they share with words.
pub(super) struct Nearby {
    places: HashMap<String, Vec<usize>>,
}

impl Nearby {
    /// Reads the statements.
    pub(super) fn new<'a>(statements: impl Iterator<Item = &'a Known>) -> Self {
        let mut places: HashMap<String, Vec<usize>> = HashMap::new();
        for (place, statement) in statements.enumerate() {
            for key in of_statement(statement) {
                places.entry(key).or_default().push(place);
            }
        }
        Self { places }
    }

    /// The places of the statements that some words may be about, in order.
    pub(super) fn of(&self, said: &Said) -> Vec<usize> {
        let found: BTreeSet<usize> =
            of_words(said).iter().filter_map(|key| self.places.get(key)).flatten().copied().collect();
        found.into_iter().collect()
    }
}

fn of_statement(statement: &Known) -> BTreeSet<String> {
    let mut keys: BTreeSet<String> = statement.subject.iter().map(|term| of_term(term)).collect();
    keys.extend(statement.values.iter().map(of_value));
    for value in &statement.values {
        keys.extend(value::label(&statement.text, &value.range).iter().flat_map(|label| of_text(label)));
    }
    for name in &statement.names {
        keys.extend(of_text(&statement.text[name.clone()].to_lowercase()));
    }
    keys
}

fn of_words(said: &Said) -> BTreeSet<String> {
    let terms = said.terms.iter().chain(&said.around_terms);
    let mut keys: BTreeSet<String> = terms.map(|term| of_term(term)).collect();
    keys.extend(said.values.iter().chain(&said.around_values).map(of_value));
    keys.extend(of_text(&said.lower));
    keys.extend(of_text(&said.around_lower));
    keys
}

/// What all terms have in common that [`crate::terms::same`] may take for one.
fn of_term(term: &str) -> String {
    const LETTERS: usize = 5;
    if let Some(hex) = term.strip_prefix("0x") {
        return format!("0x{}", hex.trim_start_matches('0'));
    }
    if term.is_ascii() { term[..term.len().min(LETTERS)].to_owned() } else { term.to_owned() }
}

/// What all values have in common that may be taken for one; of addresses and commands one may begin with the other.
fn of_value(value: &Value) -> String {
    let begins = matches!(value.form, Form::Command | Form::Url | Form::Host | Form::Path);
    let key: String = if begins { value.key.chars().take(2).collect() } else { value.key.clone() };
    format!("={key}")
}

/// The Latin words and the pairs of Han characters of a text in small letters.
fn of_text(text: &str) -> BTreeSet<String> {
    let mut keys: BTreeSet<String> = text
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(|word| format!("_{word}"))
        .collect();
    let characters: Vec<char> = text.chars().collect();
    keys.extend(
        characters
            .windows(2)
            .filter(|pair| is_han(pair[0]) && is_han(pair[1]))
            .map(|pair| format!("_{}{}", pair[0], pair[1])),
    );
    keys
}
