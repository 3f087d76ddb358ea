//! A forgiving JSON reader for single records: it finds spans first and decodes only what is wanted.
//!
//! It accepts what real transcripts hold and strict parsers reject: raw control characters, halves of
//! surrogate pairs, invalid UTF-8. It never allocates for what it skips and never recurses on input.

mod condense;
mod quote;
mod scan;
mod text;
mod value;
mod word;

pub(crate) use condense::Condenser;
pub(crate) use scan::{Broken, Scanner, Span};
pub(crate) use text::{Cut, Limit, Line};
pub(crate) use value::value;
