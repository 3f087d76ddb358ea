//! Search over memory and past sessions.
//!
//! An own index finds the turns that share words with a question ([`index`]), ranking weighs them ([`rank`]), and
//! every hit says why it was found. The crate reads transcripts and memory and writes nothing but its index, which is
//! a cache: it can be removed at any time. No word stands in it in the clear, and secrets are removed before.

pub mod analyze;
pub mod answer;
pub mod context;
pub mod disclose;
pub mod entries;
pub mod index;
pub mod known;
pub mod manifest;
pub mod material;
pub mod newest;
pub mod question;
pub mod rank;
pub mod segment;
pub mod signs;
pub mod turns;
pub mod values;
mod words;
