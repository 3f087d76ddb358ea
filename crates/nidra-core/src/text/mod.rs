//! Pure tools for text in any language; English and Chinese are equals.

pub mod date;
pub mod language;
pub mod redact;
pub mod sentence;
pub mod similarity;
pub mod token;
pub mod width;
