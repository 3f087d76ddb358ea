//! Which of an agent's words may be repeated: those that a person said or that stand in memory. Any other may be whatever
//! it likes, such as a secret that nobody recognises by its shape.

use nidra_core::MemoryView;
use std::collections::HashSet;

/// What stands where words are left out.
const LEFT_OUT: char = '…';

/// The words that are known.
#[derive(Debug, Default)]
pub(crate) struct Vocabulary {
    words: HashSet<String>,
    /// Letters that stand together in writing without blanks.
    pairs: HashSet<(char, char)>,
}

impl Vocabulary {
    /// The words of memory as it is shown, and these.
    pub(crate) fn of<'a>(memory: &MemoryView, said: impl Iterator<Item = &'a str>) -> Self {
        let mut vocabulary = Self::default();
        for topic in &memory.topics {
            let texts = [topic.path.as_str(), &topic.name, &topic.description];
            let entries = topic.entries.iter().map(|entry| entry.text.as_str());
            for text in texts.into_iter().chain(entries) {
                vocabulary.learn(text);
            }
        }
        for text in said {
            vocabulary.learn(text);
        }
        vocabulary
    }

    fn learn(&mut self, text: &str) {
        for word in runs(&text.to_lowercase()).filter(|run| run.starts_with(char::is_alphanumeric)) {
            if !word.is_ascii() {
                self.pairs.extend(word.chars().zip(word.chars().skip(1)));
            }
            self.words.insert(word.to_owned());
        }
    }

    /// A text in one line, with what is not known left out of it; empty where nothing of it is.
    pub(crate) fn shown(&self, text: &str) -> String {
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let (mut shown, mut known) = (String::new(), false);
        // What stands between words is kept as it is, apart from letters that show nothing.
        for run in runs(&line) {
            if !run.starts_with(char::is_alphanumeric) {
                shown.extend(run.chars().filter(|letter| !letter.is_control()));
            } else if self.words.contains(&run.to_lowercase()) {
                known = true;
                shown.push_str(run);
            } else if run.is_ascii() {
                push_gap(&mut shown);
            } else {
                known |= self.push_letters(run, &mut shown);
            }
        }
        if known { shown } else { String::new() }
    }

    /// Adds those letters of a run without blanks that stand beside a known one. Whether there are any.
    fn push_letters(&self, run: &str, shown: &mut String) -> bool {
        let letters: Vec<char> = run.chars().collect();
        let folded = |at: usize| letters.get(at).and_then(|letter| letter.to_lowercase().next());
        let pair = |at: usize| folded(at).zip(folded(at + 1)).is_some_and(|pair| self.pairs.contains(&pair));
        let mut known = false;
        for (at, letter) in letters.iter().enumerate() {
            if pair(at) || at.checked_sub(1).is_some_and(pair) {
                known = true;
                shown.push(*letter);
            } else {
                push_gap(shown);
            }
        }
        known
    }
}

/// Marks that something is left out; once, with whatever stands between, for what lies side by side.
fn push_gap(shown: &mut String) {
    if let Some(place) = shown.rfind(LEFT_OUT) {
        let end = place + LEFT_OUT.len_utf8();
        if !shown.get(end..).unwrap_or_default().contains(char::is_alphanumeric) {
            shown.truncate(end);
            return;
        }
    }
    shown.push(LEFT_OUT);
}

/// A text as words and what stands between them, by turns.
fn runs(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?.is_alphanumeric();
        let end = rest.find(|letter: char| letter.is_alphanumeric() != first).unwrap_or(rest.len());
        let (run, left) = rest.split_at(end);
        rest = left;
        Some(run)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let memory = MemoryView::default();
        let said = ["oh and the label printer sits in the mural room", "发布前先跑迁移"];
        Vocabulary::of(&memory, said.into_iter()).shown(text)
    }

    #[test]
    fn words_that_nobody_said_are_left_out() {
        assert_eq!(
            shown("The label printer\nis xK9-hunter2 in the room."),
            "The label printer … in the room."
        );
        assert_eq!(shown("label-printer.md"), "label-printer.…");
        assert_eq!(shown("Deploys happen daily."), "");
        assert_eq!(shown("发布前要跑迁移"), "发布前…跑迁移");
        assert_eq!(shown("绝密口令"), "");
    }
}
