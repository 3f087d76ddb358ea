//! How many secrets are found.

use super::forms::FORMS;
use super::kinds::kinds;
use nidra_core::text::redact::{self, sample::Generator};
use std::collections::BTreeMap;

/// What was counted of one kind or form.
#[derive(Clone, Copy, Default)]
pub(crate) struct Count {
    pub(crate) found: usize,
    pub(crate) all: usize,
}

impl Count {
    /// The share that was found.
    pub(crate) fn share(self) -> f64 {
        self.found as f64 / self.all.max(1) as f64
    }

    fn add(&mut self, found: bool) {
        self.all += 1;
        self.found += usize::from(found);
    }
}

/// What was found of all secrets.
#[derive(Default)]
pub(crate) struct Recall {
    pub(crate) kinds: BTreeMap<String, Count>,
    pub(crate) forms: BTreeMap<&'static str, Count>,
    pub(crate) total: Count,
    /// Samples of which more was removed than the secret.
    pub(crate) wide: Count,
    /// Some samples that were missed: kind, form, text.
    pub(crate) missed: Vec<(String, &'static str, String)>,
    /// Some samples of which too much was removed.
    pub(crate) widened: Vec<(String, &'static str, String)>,
}

/// Writes each kind in each form so many times, and counts.
pub(crate) fn recall(seed: u64, rounds: usize) -> Recall {
    let mut generator = Generator::new(seed);
    let mut recall = Recall::default();
    for kind in kinds() {
        for form in FORMS {
            for _ in 0..rounds {
                let Some(sample) = form.write(&kind, &mut generator) else { break };
                let text = format!("before\n{}\nafter\n", sample.text);
                let shift = "before\n".len();
                let found = redact::find(&text);
                let covered = |at: usize| found.iter().any(|finding| finding.range.contains(&at));
                let whole = sample.secrets.iter().all(|secret| {
                    (secret.start + shift..secret.end + shift)
                        .all(|at| covered(at) || !text.is_char_boundary(at) || is_unseen(&text, at))
                });
                recall.kinds.entry(kind.name.clone()).or_default().add(whole);
                recall.forms.entry(form.name).or_default().add(whole);
                recall.total.add(whole);
                if !whole && recall.missed.len() < 4_000 {
                    recall.missed.push((kind.name.clone(), form.name, sample.text.clone()));
                }
                // Marks and blanks around a secret do not count.
                let inside = |at: usize| sample.secrets.iter().any(|secret| secret.contains(&(at - shift)));
                let wide = found.iter().any(|finding| {
                    text[finding.range.clone()].char_indices().any(|(at, character)| {
                        let at = finding.range.start + at;
                        character.is_alphanumeric() && (at < shift || !inside(at))
                    })
                });
                let key = finding_is_key(&found);
                recall.wide.add(wide && !key);
                if wide && !key && recall.widened.len() < 400 {
                    recall.widened.push((kind.name.clone(), form.name, redact::redact(&sample.text)));
                }
            }
        }
    }
    recall
}

/// A private key goes with its marks.
fn finding_is_key(found: &[redact::Finding]) -> bool {
    found.iter().any(|finding| finding.rule == "private-key")
}

/// Whether a character without a width stands here.
fn is_unseen(text: &str, at: usize) -> bool {
    text[at..].starts_with('\u{200b}')
}
