//! Looking at several bytes in one step.

/// Bytes of a word.
pub(crate) const WORD: usize = size_of::<u64>();

/// A byte repeated over a word.
const fn repeated(byte: u8) -> u64 {
    u64::from_le_bytes([byte; WORD])
}

/// The position of the first byte of a word that is this one.
#[inline]
pub(crate) fn position_in_word(word: [u8; WORD], byte: u8) -> Option<usize> {
    // An equal byte becomes zero, and subtracting 1 from zero sets its highest bit. Borrows can only
    // disturb what stands behind the first such byte.
    let differences = u64::from_le_bytes(word) ^ repeated(byte);
    let equal = differences.wrapping_sub(repeated(1)) & !differences & repeated(0x80);
    (equal != 0).then(|| equal.trailing_zeros() as usize / 8)
}
