//! What a person's words would change in a statement, and the new words when they are asked for.

use super::{Known, Revision, Said, Swap, compose, name, values};
use crate::contrary;
use crate::siblings;
use nidra_core::text::date;

/// What a person's words would change in a statement. Many statements look alike and only a few are changed in the end,
/// so the new words are made when they are asked for.
pub(crate) struct Draft<'a> {
    known: &'a Known,
    said: &'a Said,
    swaps: Vec<Swap>,
    /// How sure it is.
    pub(crate) sureness: f64,
}

/// What a person's words would change in a statement; `None` when nothing.
pub(crate) fn draft<'a>(known: &'a Known, said: &'a Said) -> Option<Draft<'a>> {
    let mut swaps: Vec<Swap> = values(known, said);
    // The old value is not said to be over, and every line that may give the new one is of another thing.
    let over = |swap: &Swap| said.values.iter().any(|value| value.text == swap.old && said.mark(value).gone);
    let gives = |line: &&str| swaps.iter().any(|swap| line.contains(swap.said.as_str()));
    if !swaps.iter().any(over)
        && said
            .text
            .lines()
            .filter(gives)
            .any(|line| siblings::are_siblings(&known.text, line) || contrary::are_opposed(&known.text, line))
    {
        swaps.clear();
    }
    if swaps.is_empty() {
        swaps.extend(name(known, said));
    }
    let sureness = swaps.iter().map(|swap| swap.sureness).fold(0.0, f64::max);
    (sureness > 0.0).then_some(Draft { known, said, swaps, sureness })
}

impl Draft<'_> {
    /// The new values, as they were said.
    pub(crate) fn fresh(&self) -> impl Iterator<Item = &str> {
        self.swaps.iter().map(|swap| swap.said.as_str())
    }

    /// A name is put in another's place, rather than a value.
    pub(crate) fn renames(&self) -> bool {
        self.swaps.iter().any(|swap| swap.name)
    }

    /// The statement with the new values in it; `None` where it cannot be said.
    pub(crate) fn revision(&self) -> Option<Revision> {
        let Self { known, said, swaps, sureness } = self;
        // A day that meant something only when it was written down cannot be taken over.
        if date::has_relative(&known.text, &said.moment) {
            return None;
        }
        // What else an entry says of a tool or a person goes with it: then the person's own words say what is so.
        let alone = swaps
            .iter()
            .all(|swap| !swap.name || known.values.is_empty() && qualifiers(known) <= 1 + words(&swap.old));
        let (core, text) =
            if alone { compose::compose(known, said, swaps)? } else { compose::restate(known, said, swaps)? };
        let fresh = self.fresh().map(str::to_owned).collect();
        Some(Revision { text, core, fresh, sureness: *sureness })
    }
}

/// How many names a statement has that may belong to each other; `JSON` belongs to nobody.
fn qualifiers(known: &Known) -> usize {
    known.names.iter().filter(|range| !crate::title::is_short_form(&known.text[(*range).clone()])).count()
}

fn words(text: &str) -> usize {
    text.split(' ').count() - 1
}
