//! The table as it lies in the program: read in place, nothing copied.
//!
//! Little-endian. Head: `NIDRAVEC`, then 16 bits each: version, dimensions, bits of a number, 0; 32 bits: rows; the
//! unit of scales as a 32-bit float; 64 bits: a digest of all that follows, which names the table. Then the place at
//! which each of 65536 buckets begins among the rows (16 bits, one more for the end), the mark by which a row is known
//! within its bucket (32 bits), its scale (16 bits), and its numbers: 4 bits each, the low half of a byte first, eight
//! added.
//!
//! Names are not stored. Bucket and mark are 48 bits of a name's hash: of five thousand million unknown names, one is
//! taken for a known one.

use crate::DIMENSIONS;

const MAGIC: &[u8] = b"NIDRAVEC";
const VERSION: u16 = 1;
const BITS: u16 = 4;
const HEAD: usize = 32;
const BUCKETS: usize = 1 << 16;
const ROW_BYTES: usize = DIMENSIONS / 2;

/// The dimensions that a table states.
pub(crate) const fn dimensions(bytes: &[u8]) -> usize {
    u16::from_le_bytes([bytes[10], bytes[11]]) as usize
}

/// A table over its bytes.
pub(crate) struct Table<'a> {
    places: &'a [u8],
    marks: &'a [u8],
    scales: &'a [u8],
    numbers: &'a [u8],
    unit: f32,
    digest: u64,
}

impl<'a> Table<'a> {
    /// The table in these bytes; none if they are of another kind or cut short.
    pub(crate) fn read(bytes: &'a [u8]) -> Option<Self> {
        let (head, rest) = bytes.split_at_checked(HEAD)?;
        let fits = head.starts_with(MAGIC)
            && short(head, 4)? == VERSION
            && usize::from(short(head, 5)?) == DIMENSIONS
            && short(head, 6)? == BITS;
        if !fits {
            return None;
        }
        let rows = usize::try_from(long(head, 4)?).ok()?;
        let unit = f32::from_bits(long(head, 5)?);
        let digest = u64::from_le_bytes(head.get(24..HEAD)?.try_into().ok()?);
        let (places, rest) = rest.split_at_checked(2 * (BUCKETS + 1))?;
        let (marks, rest) = rest.split_at_checked(4 * rows)?;
        let (scales, rest) = rest.split_at_checked(2 * rows)?;
        let (numbers, _) = rest.split_at_checked(ROW_BYTES * rows)?;
        Some(Self { places, marks, scales, numbers, unit, digest })
    }

    /// The digest that names this table.
    pub(crate) const fn digest(&self) -> u64 {
        self.digest
    }

    /// The row of the name with this hash.
    pub(crate) fn find(&self, name: Name) -> Option<usize> {
        let (bucket, mark) = name.key();
        let from = usize::from(short(self.places, bucket)?);
        let to = usize::from(short(self.places, bucket + 1)?);
        (from..to).find(|row| long(self.marks, *row) == Some(mark))
    }

    /// Adds a row to the sums.
    pub(crate) fn add(&self, row: usize, sums: &mut [f32; DIMENSIONS]) {
        let start = row * ROW_BYTES;
        let (Some(scale), Some(numbers)) =
            (short(self.scales, row), self.numbers.get(start..start + ROW_BYTES))
        else {
            return;
        };
        let scale = f32::from(scale) * self.unit;
        for (pair, byte) in sums.chunks_exact_mut(2).zip(numbers) {
            pair[0] += (f32::from(byte & 15) - 8.0) * scale;
            pair[1] += (f32::from(byte >> 4) - 8.0) * scale;
        }
    }
}

/// The hash of a name that grows byte by byte, so that every beginning of a word is hashed in one pass.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Name(u64);

impl Name {
    /// The empty name.
    pub(crate) const fn new() -> Self {
        Self(0xCBF2_9CE4_8422_2325)
    }

    /// The name with more bytes after it.
    pub(crate) const fn with(self, bytes: &[u8]) -> Self {
        let mut hash = self.0;
        let mut index = 0;
        while index < bytes.len() {
            hash = (hash ^ bytes[index] as u64).wrapping_mul(0x0100_0000_01B3);
            index += 1;
        }
        Self(hash)
    }

    /// The name with a character after it.
    pub(crate) fn with_sign(self, sign: char) -> Self {
        self.with(sign.encode_utf8(&mut [0; 4]).as_bytes())
    }

    /// The bucket and the mark.
    fn key(self) -> (usize, u32) {
        let mixed = (self.0 ^ (self.0 >> 32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let [_, first, second, third, fourth, _, low, high] = mixed.to_le_bytes();
        (usize::from(u16::from_le_bytes([low, high])), u32::from_le_bytes([first, second, third, fourth]))
    }
}

fn short(bytes: &[u8], index: usize) -> Option<u16> {
    let start = index * 2;
    Some(u16::from_le_bytes(bytes.get(start..start + 2)?.try_into().ok()?))
}

fn long(bytes: &[u8], index: usize) -> Option<u32> {
    let start = index * 4;
    Some(u32::from_le_bytes(bytes.get(start..start + 4)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BYTES;

    #[test]
    fn the_embedded_table_is_whole() {
        let table = Table::read(BYTES).unwrap();
        let rows = table.marks.len() / 4;
        assert!(rows > 10_000);
        assert_eq!(usize::from(short(table.places, BUCKETS).unwrap()), rows);
        assert_eq!(BYTES.len(), HEAD + 2 * (BUCKETS + 1) + rows * (4 + 2 + ROW_BYTES));
    }

    #[test]
    fn bytes_that_are_no_table_are_refused() {
        assert!(Table::read(b"").is_none());
        assert!(Table::read(&BYTES[..BYTES.len() - 1]).is_none());
        assert!(Table::read(&[0; 64]).is_none());
        let mut other_version = BYTES[..HEAD].to_vec();
        other_version[8] = 9;
        assert!(Table::read(&other_version).is_none());
    }

    #[test]
    fn names_are_found_and_others_are_not() {
        let table = Table::read(BYTES).unwrap();
        assert!(table.find(Name::new().with(b"memory")).is_some());
        assert!(table.find(Name::new().with_sign('中')).is_some());
        assert!(table.find(Name::new()).is_none());
        assert!(table.find(Name::new().with(b"no such name at all")).is_none());
    }

    #[test]
    fn a_hash_grows_byte_by_byte() {
        let whole = Name::new().with("##词".as_bytes());
        let grown = Name::new().with(b"##").with_sign('词');
        assert_eq!(whole.key(), grown.key());
    }
}
