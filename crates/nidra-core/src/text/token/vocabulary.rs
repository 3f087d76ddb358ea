//! Which words and Han characters are one token in the vocabularies of today.
//!
//! Byte-pair vocabularies are learnt from the same kinds of text, so what is common in one is common in the others. The table
//! holds what two public vocabularies have in common; `cargo run -p nidra-core --example tokens -- --vocabulary FILE` makes it
//! anew. It is a set of hashes: of words that it does not hold it takes one in fourteen for common, which the prices allow for.

use std::ops::Range;

/// The hashes of words, one bit each, then the Han characters of the smaller vocabulary, then those of the larger one.
static TABLE: &[u8] = include_bytes!("vocabulary.bin");

/// Binary digits of a word's hash.
const WORD_BITS: u32 = 19;
/// Bytes of the hashes.
pub const WORD_BYTES: usize = 1 << (WORD_BITS - 3);
/// The Han characters that the table tells apart.
pub const HAN: Range<u32> = 0x3400..0xa000;
/// Bytes of one set of Han characters.
pub const HAN_BYTES: usize = (HAN.end - HAN.start) as usize / 8;
/// A longer word is no single token.
pub const MAX_WORD: usize = 16;

/// How common a Han character is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Frequency {
    /// One token in small vocabularies too.
    Common,
    /// One token in large vocabularies alone.
    Known,
    /// Several tokens.
    Rare,
}

/// A word of up to [`MAX_WORD`] ASCII letters, whatever their case: its letters as one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word(u128);

impl Word {
    /// The letters of the text from this place on; a longer run has to be asked for by nobody.
    #[inline]
    pub fn at(text: &[u8], start: usize, length: usize) -> Self {
        let bytes: [u8; MAX_WORD] =
            text.get(start..start + MAX_WORD).and_then(|bytes| bytes.try_into().ok()).unwrap_or_else(|| {
                let mut bytes = [0; MAX_WORD];
                let rest = text.get(start..).unwrap_or_default();
                let rest = rest.get(..MAX_WORD).unwrap_or(rest);
                bytes.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
                bytes
            });
        // Letters of both cases differ in one bit.
        let small = u128::from_le_bytes(bytes) | u128::from_le_bytes([0x20; MAX_WORD]);
        let beyond = 8 * (MAX_WORD - length.clamp(1, MAX_WORD));
        Self(small << beyond >> beyond)
    }

    /// The place of a word in the table; one `spaced` stands behind a blank, which its token holds as well.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the halves of a number are taken")]
    pub fn place(self, spaced: bool) -> usize {
        let (low, high) = (self.0 as u64, (self.0 >> 64) as u64);
        let mixed = (low ^ high.rotate_left(29).wrapping_mul(0xff51_afd7_ed55_8ccd) ^ u64::from(spaced))
            .wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
        (mixed >> (u64::BITS - WORD_BITS)) as usize
    }
}

/// Whether a word is one token.
#[inline]
pub(super) fn is_common(word: Word, spaced: bool) -> bool {
    is_set(TABLE, word.place(spaced))
}

/// How common a Han character is.
#[inline]
pub(super) fn frequency(letter: char) -> Frequency {
    let letter = u32::from(letter);
    let Some(place) = letter.checked_sub(HAN.start).filter(|_| letter < HAN.end) else {
        return Frequency::Rare;
    };
    let place = 8 * WORD_BYTES + place as usize;
    if is_set(TABLE, place) {
        Frequency::Common
    } else if is_set(TABLE, place + 8 * HAN_BYTES) {
        Frequency::Known
    } else {
        Frequency::Rare
    }
}

fn is_set(bits: &[u8], place: usize) -> bool {
    bits.get(place / 8).is_some_and(|byte| byte >> (place % 8) & 1 == 1)
}
