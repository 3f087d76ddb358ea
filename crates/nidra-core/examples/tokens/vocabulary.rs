//! Makes the table of common words out of the two vocabularies of OpenAI.

use nidra_core::text::token::vocabulary::{HAN, HAN_BYTES, MAX_WORD, WORD_BYTES, Word};
use std::collections::BTreeSet;
use std::error::Error;
use tiktoken_rs::CoreBPE;

/// More entries than any of the vocabularies has.
const ENTRIES: u32 = 250_000;

/// The words that are one token in both, behind a blank and without it, and the Han characters of each.
pub(crate) fn table() -> Result<Vec<u8>, Box<dyn Error>> {
    let smaller = entries(&tiktoken_rs::cl100k_base()?);
    let larger = entries(&tiktoken_rs::o200k_base()?);
    let mut table = vec![0_u8; WORD_BYTES + 2 * HAN_BYTES];
    let mut set = |place: usize| table[place / 8] |= 1 << (place % 8);
    for entry in smaller.intersection(&larger) {
        let spaced = entry.starts_with(' ');
        let word = entry.trim_start_matches(' ');
        let blanks = entry.len() - word.len();
        let is_word =
            (2..=MAX_WORD).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_lowercase());
        if is_word && blanks <= 1 {
            set(Word::at(word.as_bytes(), 0, word.len()).place(spaced));
        }
    }
    for (number, entries) in [smaller, larger].iter().enumerate() {
        for entry in entries {
            let mut letters = entry.chars();
            let (Some(letter), None) = (letters.next(), letters.next()) else { continue };
            if HAN.contains(&u32::from(letter)) {
                set(8 * (WORD_BYTES + number * HAN_BYTES) + (u32::from(letter) - HAN.start) as usize);
            }
        }
    }
    Ok(table)
}

/// The entries of a vocabulary that are text.
fn entries(vocabulary: &CoreBPE) -> BTreeSet<String> {
    (0..ENTRIES)
        .filter_map(|entry| vocabulary.decode_bytes(&[entry]).ok())
        .filter_map(|bytes| String::from_utf8(bytes).ok())
        .collect()
}
