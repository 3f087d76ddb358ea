//! Puts a person's words in the place of the sentence of an entry that they replace.

use super::{Entry, Part, terms};
use crate::phrase;
use crate::revise::{Said, told};
use crate::subject;
use nidra_core::text::language::is_han;
use nidra_core::text::redact;
use nidra_core::text::width::utf16_len;

/// What a restated sentence may take, in UTF-16 units.
const UNITS: usize = 320;

/// The new sentence alone, and the entry with it.
pub(super) fn restate(
    entry: &Entry,
    part: &Part,
    lines: &[&str],
    at: usize,
    said: &Said,
) -> Option<(String, String)> {
    let mut words = said_of(lines.get(at)?, said);
    // What the next line adds on the same matter belongs to it.
    if let Some(next) = lines.get(at + 1)
        && terms::shared(&part.subject, &terms::terms(next)) > 0
    {
        words =
            format!("{words}{} {}", if words.chars().any(is_han) { "；" } else { ";" }, said_of(next, said));
    }
    let chinese = words.chars().any(is_han);
    let about = terms::terms(&words);
    if terms::shared(&part.subject, &about) < 2 {
        let subject = subject::of(&part.known.text)
            .or_else(|| subject::head(&part.known.text))
            .unwrap_or_else(|| entry.name.clone());
        let named = terms::shared(&terms::terms(&subject), &about) > 0;
        if !named && !subject.is_empty() {
            words = format!("{}{}{words}", phrase::capitalised(&subject), if chinese { "：" } else { ": " });
        }
    }
    let words = phrase::capitalised(&words);
    let end = if chinese { "。" } else { "." };
    let (head, tail) = (&entry.whole.text[..part.range.start], &entry.whole.text[part.range.end..]);
    let text = format!("{head}{words}{end}{tail}");
    let stored =
        redact::find(&text).is_empty() && !redact::has_placeholder(&text) && utf16_len(&words) <= UNITS;
    stored.then_some((words, text))
}

fn said_of(line: &str, said: &Said) -> String {
    told(&phrase::without_fillers(line), &said.moment)
        .trim_end_matches(['.', '。', ',', '，', ' ', ';', '；'])
        .to_owned()
}
