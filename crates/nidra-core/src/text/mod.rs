//! Pure tools for text in any language; English and Chinese are equals.
//!
//! Every function takes any string, whatever it holds, and gives ranges that lie on character boundaries.

pub mod date;
pub mod expression;
pub mod fingerprint;
pub mod form;
pub mod language;
pub mod line;
pub mod markup;
pub mod numeral;
pub mod redact;
pub mod sentence;
pub mod similarity;
pub mod token;
pub mod width;
pub mod wording;
