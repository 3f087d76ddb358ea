//! What an agent put where nothing is read of it: beside the topics, into the index, below what is no longer true.

use super::Reader;
use crate::stray::Stray;
use nidra_core::{IndexLine, MemoryView};
use nidra_memory::index::INDEX_NAME;

/// Why a statement below a heading of an archive, or struck out, is not taken on.
pub(super) const INACTIVE: &str = "it stands among what is no longer true";

impl Reader<'_> {
    /// Lines that were put into the index beside those of its files.
    pub(super) fn index(&mut self, before: &MemoryView, after: &MemoryView) {
        let is_new = |line: &&IndexLine| before.index.iter().all(|other| other.text != line.text);
        for line in after.index.iter().filter(is_new).filter(|line| line.targets.is_empty()) {
            let words = line.text.trim_start_matches(['-', '*', '+', ' ', '\t']).trim();
            if !words.is_empty() && !words.starts_with('#') {
                self.decline_astray("the index holds one line for each file alone", INDEX_NAME, words);
            }
        }
    }

    /// What is no topic.
    pub(super) fn stray(&mut self, stray: &Stray) {
        let place = self.place(&stray.path);
        let statements = stray.statements();
        for text in &statements {
            self.decline_astray(stray.reason, &place, text);
        }
        if statements.is_empty() {
            self.decline(stray.reason, &place, "");
        }
    }

    /// Declines a statement for the place in which it stands.
    pub(super) fn decline_astray(&mut self, reason: &'static str, path: &str, text: &str) {
        if self.added(text).is_ok() {
            self.difference.astray.insert(path.to_owned());
        }
        self.decline(reason, path, text);
    }
}
