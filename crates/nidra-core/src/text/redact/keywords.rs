//! The search for the keywords of all rules, in whatever length of text.
//!
//! An automaton reads a text several times faster than its words can be compared one by one, and takes longer to build
//! than a whole page takes to be compared. A command that stores one sentence must not wait for it, so words are
//! compared until as much was read as pays for the automaton. Both ways give the same hits in the same order.

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// So many bytes are compared word by word in the life of a process before the automaton is built.
const COMPARED: usize = 64 * 1_024;

/// A place in the lists of words for each first byte, and one behind the last.
const PLACES: usize = 257;

/// Keywords, known by their index; letters of ASCII match in both cases.
pub(super) struct Keywords {
    words: Vec<Cow<'static, str>>,
    /// Where the words with a first byte begin in `by_first`.
    places: [usize; PLACES],
    /// Second byte and index of the words, ordered by their first byte.
    by_first: Vec<(Option<u8>, usize)>,
    automaton: OnceLock<Option<AhoCorasick>>,
    compared: AtomicUsize,
}

impl Keywords {
    /// Takes the words; none may be empty.
    pub(super) fn new(words: Vec<Cow<'static, str>>) -> Self {
        let first = |word: &str| word.bytes().next().map_or(0, |byte| usize::from(byte.to_ascii_lowercase()));
        let second = |word: &str| word.as_bytes().get(1).map(u8::to_ascii_lowercase);
        let mut places = [0; PLACES];
        for word in &words {
            places[first(word) + 1] += 1;
        }
        for at in 1..PLACES {
            places[at] += places[at - 1];
        }
        // Each word goes to the next free place of its first byte: sorting them took longer than a short text is read.
        let mut free = places;
        let mut by_first = vec![(None, 0); words.len()];
        for (index, word) in words.iter().enumerate() {
            let place = &mut free[first(word)];
            by_first[*place] = (second(word), index);
            *place += 1;
        }
        Self { words, places, by_first, automaton: OnceLock::new(), compared: AtomicUsize::new(0) }
    }

    /// Gives every place where a keyword stands, by its end; of those that end together the longest first.
    pub(super) fn each(&self, text: &str, found: &mut dyn FnMut(usize, Range<usize>)) {
        if self.automaton.get().is_none() {
            let before = self.compared.fetch_add(text.len(), Ordering::Relaxed);
            if before.saturating_add(text.len()) <= COMPARED {
                for (end, start, index) in self.compare(text) {
                    found(index, start..end);
                }
                return;
            }
        }
        if let Some(automaton) = self.automaton() {
            for hit in automaton.find_overlapping_iter(text) {
                found(hit.pattern().as_usize(), hit.range());
            }
        }
    }

    /// End, start and index of each hit, in order.
    fn compare(&self, text: &str) -> Vec<(usize, usize, usize)> {
        let bytes = text.as_bytes();
        let mut hits = Vec::new();
        for (start, byte) in bytes.iter().enumerate() {
            let first = usize::from(byte.to_ascii_lowercase());
            let next = bytes.get(start + 1).map(u8::to_ascii_lowercase);
            for &(second, index) in &self.by_first[self.places[first]..self.places[first + 1]] {
                if second.is_some() && second != next {
                    continue;
                }
                let word = self.words[index].as_bytes();
                let end = start + word.len();
                if bytes.get(start..end).is_some_and(|here| here.eq_ignore_ascii_case(word)) {
                    hits.push((end, start, index));
                }
            }
        }
        hits.sort_unstable();
        hits
    }

    /// The automaton; `None` when it cannot be built, which a test rules out.
    fn automaton(&self) -> Option<&AhoCorasick> {
        let build = || {
            AhoCorasick::builder()
                .ascii_case_insensitive(true)
                .kind(Some(AhoCorasickKind::DFA))
                .build(self.words.iter().map(Cow::as_ref))
                .ok()
        };
        self.automaton.get_or_init(build).as_ref()
    }

    /// The hits of both ways; `None` when the automaton cannot be built.
    #[cfg(test)]
    pub(super) fn both(&self, text: &str) -> Option<[Vec<(usize, usize, usize)>; 2]> {
        let automaton = self.automaton()?;
        let built = automaton
            .find_overlapping_iter(text)
            .map(|hit| (hit.end(), hit.start(), hit.pattern().as_usize()))
            .collect();
        Some([self.compare(text), built])
    }
}
