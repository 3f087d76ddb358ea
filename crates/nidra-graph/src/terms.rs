//! The terms of entries, how many entries hold each, and how a term is written.

use crate::Note;
use crate::entity::Found;
use nidra_core::text::language::is_han;
use nidra_core::text::similarity;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The terms of all entries.
#[derive(Debug, Default)]
pub(crate) struct Terms {
    /// The terms, in their order.
    names: Vec<String>,
    /// How each is written most often.
    written: Vec<String>,
    /// The entries that hold each, in their order.
    holders: Vec<Vec<usize>>,
    /// The terms of each entry.
    of: Vec<BTreeSet<usize>>,
}

impl Terms {
    /// Reads the terms of all entries, without those of the entities that they name: these count already.
    pub(crate) fn of(notes: &[Note], found: &[Vec<Found>]) -> Self {
        let mut held: Vec<BTreeSet<String>> = Vec::with_capacity(notes.len());
        let mut written: HashMap<String, BTreeMap<String, usize>> = HashMap::new();
        for (note, found) in notes.iter().zip(found) {
            let mut rest = note.text.clone();
            for range in found.iter().filter_map(|one| one.range.clone()).rev() {
                if rest.is_char_boundary(range.start) && rest.is_char_boundary(range.end) {
                    rest.replace_range(range, " , ");
                }
            }
            let terms: BTreeSet<String> =
                similarity::terms(&rest).into_iter().filter(|term| counts(term)).collect();
            // Whole words, and those that are joined to one by marks, such as `cherry-pick`.
            let ends = |c: char| c.is_whitespace() || is_han(c) || "`\"'“”‘’()（）[],，;；。、".contains(c);
            let joined = rest.split(ends).map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
            let joined = joined.filter(|word| word.contains(|c: char| !c.is_alphanumeric()));
            let plain = rest.split(|c: char| !c.is_alphanumeric() || is_han(c));
            for (word, compound) in joined.map(|word| (word, true)).chain(plain.map(|word| (word, false))) {
                if word.len() < 3 {
                    continue;
                }
                for term in similarity::terms(word).into_iter().filter(|term| terms.contains(term)) {
                    if compound == term.contains(|c: char| !c.is_alphanumeric()) {
                        *written.entry(term).or_default().entry(word.to_lowercase()).or_default() += 1;
                    }
                }
            }
            held.push(terms);
        }
        let names: BTreeSet<&String> = held.iter().flatten().collect();
        let names: Vec<String> = names.into_iter().cloned().collect();
        let number: HashMap<&str, usize> =
            names.iter().enumerate().map(|(number, name)| (name.as_str(), number)).collect();
        let of: Vec<BTreeSet<usize>> = held
            .iter()
            .map(|terms| terms.iter().filter_map(|term| number.get(term.as_str()).copied()).collect())
            .collect();
        let mut holders = vec![Vec::new(); names.len()];
        for (note, terms) in of.iter().enumerate() {
            for term in terms {
                if let Some(held) = holders.get_mut(*term) {
                    held.push(note);
                }
            }
        }
        let usual = |name: &String| {
            let forms = written.get(name)?;
            let best =
                forms.iter().max_by(|left, right| left.1.cmp(right.1).then_with(|| right.0.cmp(left.0)))?;
            Some(best.0.clone())
        };
        let written = names.iter().map(|name| usual(name).unwrap_or_else(|| name.clone())).collect();
        Self { names, written, holders, of }
    }

    /// How many terms there are.
    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    /// A term as it is compared.
    pub(crate) fn name(&self, term: usize) -> &str {
        self.names.get(term).map_or("", String::as_str)
    }

    /// A term as it is written.
    pub(crate) fn written(&self, term: usize) -> &str {
        self.written.get(term).map_or("", String::as_str)
    }

    /// The entries that hold a term.
    pub(crate) fn holders(&self, term: usize) -> &[usize] {
        self.holders.get(term).map_or(&[], Vec::as_slice)
    }

    /// The term with this name.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.names.binary_search_by(|known| known.as_str().cmp(name)).ok()
    }

    /// The terms of an entry.
    pub(crate) fn of_note(&self, note: usize) -> impl Iterator<Item = usize> {
        self.of.get(note).into_iter().flatten().copied()
    }
}

/// Whether a term can say what a text is about: no bare number below four digits, no year, no single
/// letter, no negation.
fn counts(term: &str) -> bool {
    if term.chars().all(|c| c.is_ascii_digit()) {
        return term.len() >= 4 && !(term.len() == 4 && (term.starts_with("19") || term.starts_with("20")));
    }
    term.chars().count() > 1 && !matches!(term, "not" | "no" | "never" | "without")
}
