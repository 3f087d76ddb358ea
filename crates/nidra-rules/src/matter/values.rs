//! Signals of the values that a statement and a person's words give.

use super::signals::{Signals, Words, flag};
use super::slot::{Slot, Slots};
use crate::lexicon::Cue;
use crate::revise::{self, Said, value};
use crate::terms;

/// Whether two values of one form stand for things that only few others are: neither a path nor a bare number.
fn is_exact(old: &value::Value, new: &value::Value) -> bool {
    use value::Form;
    let long = |value: &value::Value| value.key.len() >= 4;
    let bare = old.form == Form::Number("") && !(long(old) && old.key.len() == new.key.len());
    let same = old.form == new.form && !bare && old.form != Form::Path;
    same || revise::counted::count_alike(old, new)
}

/// The statements that have a value of the same form as one of the person's, which it could stand for, and how many have
/// one at all.
pub(super) fn rivals(slots: &Slots, said: &Said) -> (Vec<usize>, usize) {
    let mut exact = Vec::new();
    let mut all = 0;
    for (at, slot) in slots.statements.iter().enumerate() {
        let mut found = (false, false);
        for (old, new) in
            slot.known.values.iter().flat_map(|old| said.values.iter().map(move |new| (old, new)))
        {
            if value::comparable(old, new) && !value::equal(old, new) {
                found.0 |= is_exact(old, new);
                found.1 = true;
            }
        }
        if found.0 {
            exact.push(at);
        }
        all += usize::from(found.1);
    }
    (exact, all)
}

/// Sets the signals of the values of a statement and of a person's words.
pub(super) fn of_values(slots: &Slots, slot: &Slot, words: &Words<'_>, found: &mut Signals) {
    use value::{Form, comparable};
    let said = words.said;
    let turned = said.cues.any(&[Cue::Change, Cue::Removal]) || words.lately;
    let mut rivals = false;
    for old in &slot.known.values {
        for (new, clause) in said.values.iter().zip(&words.clauses) {
            if !comparable(old, new) {
                continue;
            }
            if value::equal(old, new) {
                found.same = 1.0;
                found.gone = found.gone.max(flag(said.mark(new).gone));
                continue;
            }
            if said.mark(new).kept || said.mark(new).gone {
                continue;
            }
            if old.form == Form::Path && !turned && !terms::alike(&old.key, &new.key) {
                continue;
            }
            // Paths stand in statements about everything, and a bare number may count anything.
            let form = if is_exact(old, new) { &mut found.value } else { &mut found.loose };
            *form = 1.0;
            rivals = true;
            found.counts = found.counts.max(flag(revise::counted::count_alike(old, new)));
            found.near = found.near.max(slots.share(slot, |stem| clause.contains(stem)));
        }
        let shown = said.around_values.iter().any(|shown| shown.key == old.key && comparable(old, shown));
        found.shown = found.shown.max(flag(shown));
    }
    if rivals {
        found.both = found.same;
        found.same = 0.0;
    }
}

/// The clause in which a place stands, with the one before it.
pub(super) fn clause(text: &str, at: usize) -> &str {
    let ends = |c: char| matches!(c, '，' | '。' | '；' | ';' | ',' | '\n' | '、' | '：' | '—');
    let head = &text[..at];
    let mut borders =
        head.char_indices().filter(|(_, c)| ends(*c)).map(|(place, c)| place + c.len_utf8()).rev();
    let start = borders.nth(1).unwrap_or(0);
    let end = text[at..].find(ends).map_or(text.len(), |end| at + end);
    &text[start..end]
}
