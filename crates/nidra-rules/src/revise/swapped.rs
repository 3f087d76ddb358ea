//! Puts the values of a sentence into a statement that is known to be of the same matter.

use super::another::is_of_another;
use super::value::{Form, Value};
use super::{Known, Revision, Said, Swap, address, beside, compose, in_date, value};
use crate::terms;
use std::collections::BTreeSet;

/// The statement with the values of a sentence of the same matter in it; `None` where none has the form of one of its own.
/// A sentence that is not `bound` to the statement by its words or by telling of a change gives it no name or place.
pub(crate) fn swapped(known: &Known, said: &Said, topic: &BTreeSet<String>, bound: bool) -> Option<Revision> {
    let mut swaps: Vec<Swap> = Vec::new();
    for old in &known.values {
        let several = known.values.iter().filter(|other| value::comparable(other, old)).count() > 1;
        let fresh = |new: &&Value| {
            value::comparable(old, new)
                && is_of_kind(old, new, said, bound)
                && !known.values.iter().any(|held| value::comparable(held, new) && value::equal(held, new))
                && (said
                    .around_values
                    .iter()
                    .any(|shown| shown.key == old.key && value::comparable(shown, old))
                    || !is_of_another(known, topic, said, new.range.start))
                && !said.mark(new).kept
                && !said.mark(new).gone
                && !in_date(said, new)
                && !swaps.iter().any(|swap| swap.said == new.text)
                && (!several || beside(known, old, said, new))
        };
        let best = said.values.iter().filter(fresh).max_by_key(|new| {
            (new.form == old.form, said.mark(new).strength, std::cmp::Reverse(new.range.start))
        });
        let Some(new) = best else { continue };
        if swaps.iter().any(|swap| swap.range.start <= old.range.start && old.range.end <= swap.range.end) {
            continue;
        }
        swaps.push(Swap {
            range: old.range.clone(),
            old: old.text.clone(),
            new: value::spelled(old, &address::with_port(old, new, &said.text)),
            said: new.text.clone(),
            sureness: 2.0,
            name: false,
        });
    }
    if swaps.is_empty() {
        return None;
    }
    let (core, text) = compose::compose(known, said, &swaps)?;
    let fresh = swaps.into_iter().map(|swap| swap.said).collect();
    Some(Revision { text, core, fresh, sureness: 2.0 })
}

/// Whether a name or a path is one of the same kind as the old one, or is said to be what holds: names of one shape stand
/// for all kinds of things.
fn is_of_kind(old: &Value, new: &Value, said: &Said, bound: bool) -> bool {
    let alike = terms::alike(&old.key, &new.key);
    match old.form {
        Form::Code(_) => alike || said.mark(new).strength > 0,
        Form::Path => alike || bound && said.mark(new).strength > 0,
        Form::Url | Form::Host => alike || bound,
        _ => true,
    }
}
