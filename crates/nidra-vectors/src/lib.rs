//! What a text is about, as a vector: two texts with one meaning are near each other, whatever their words and
//! whichever of English and Chinese they are in.
//!
//! The vectors come from a table of word pieces, Chinese signs and pairs of signs that lies in the program. A text is
//! the sum of its rows, so nothing runs a network, and nothing is read, unpacked or computed before the first text.
//! `docs/vectors.md` says how the table was made and how well it does; `training/vectors` makes it again.
//!
//! ```
//! let memory = nidra_vectors::embed("Rent is due on the fifth.");
//! let near = nidra_vectors::similarity(&memory, &nidra_vectors::embed("when must the landlord be paid?"));
//! let far = nidra_vectors::similarity(&memory, &nidra_vectors::embed("which colour is the roof?"));
//! assert!(near > far);
//! ```
//!
//! Numbers, negations and names weigh little in a vector: “port 80” and “port 81” are almost the same. Whoever takes
//! two statements for one compares those as well.

mod table;
mod tokens;

use table::Table;

/// How many numbers a vector has.
pub const DIMENSIONS: usize = 128;

static BYTES: &[u8] = include_bytes!("table.bin");

// A table of another size would be read as nonsense; the build stops instead.
const _: () = assert!(table::dimensions(BYTES) == DIMENSIONS, "the table has other dimensions");

/// The meaning of a text: a vector of length one, or all zeros for a text in which nothing is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Vector([f32; DIMENSIONS]);

impl Vector {
    /// The numbers, in their order.
    pub fn values(&self) -> &[f32] {
        &self.0
    }

    /// The vector of numbers that were kept somewhere; none if there are too few or too many.
    pub fn from_values(values: &[f32]) -> Option<Self> {
        values.try_into().ok().map(Self)
    }

    /// Whether the text held nothing that the table knows, so that it is near nothing.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|value| *value == 0.0)
    }
}

/// The meaning of a text.
pub fn embed(text: &str) -> Vector {
    let mut sums = [0.0_f32; DIMENSIONS];
    if let Some(table) = Table::read(BYTES) {
        tokens::each_row(text, &table, |row| table.add(row, &mut sums));
    }
    let length = sums.iter().map(|value| value * value).sum::<f32>().sqrt();
    if length > 0.0 {
        for value in &mut sums {
            *value /= length;
        }
    }
    Vector(sums)
}

/// How near two meanings are: 1 for the same, about 0 for what has nothing to do with each other.
pub fn similarity(first: &Vector, second: &Vector) -> f32 {
    first.0.iter().zip(&second.0).map(|(one, other)| one * other).sum()
}

/// What names the table and its vectors: whoever keeps vectors keeps this beside them, and embeds again when it differs.
pub fn version() -> u64 {
    Table::read(BYTES).map_or(0, |table| table.digest())
}

/// The rows of the table that a text is the sum of. They tell whether this reader cuts texts as the training did.
#[doc(hidden)]
pub fn rows(text: &str) -> Vec<usize> {
    let mut rows = Vec::new();
    if let Some(table) = Table::read(BYTES) {
        tokens::each_row(text, &table, |row| rows.push(row));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(first: &str, second: &str) -> f32 {
        similarity(&embed(first), &embed(second))
    }

    #[test]
    fn vectors_have_length_one_or_none() {
        let vector = embed("The museum is closed on Mondays.");
        let length: f32 = vector.values().iter().map(|value| value * value).sum();
        assert!((length - 1.0).abs() < 1e-5);
        for nothing in ["", "  \n", "…", "🙂🙃", "αβγ", "ひらがな"] {
            assert!(embed(nothing).is_empty(), "{nothing:?}");
        }
        assert!(near("", "anything").abs() < f32::EPSILON);
    }

    #[test]
    fn a_text_is_nearest_to_itself() {
        for text in ["pull requests need two approvals", "每月五号交房租", "snake_case and camelCase"]
        {
            assert!((near(text, text) - 1.0).abs() < 1e-5);
        }
    }

    #[test]
    fn case_width_and_accents_do_not_matter() {
        assert_eq!(embed("CAFÉ MENU"), embed("cafe menu"));
        assert_eq!(embed("ｒｅｄｉｓ"), embed("redis"));
    }

    #[test]
    fn meaning_counts_more_than_words() {
        let memory = "Backups are kept in the bucket acme-backups.";
        assert!(
            near("where is the copy of the database stored?", memory) > near("who owns the kitchen?", memory)
        );
        assert!(near("数据库备份放在哪里？", memory) > near("今天天气怎么样？", memory));
    }

    #[test]
    fn the_table_has_a_name() {
        assert_ne!(version(), 0);
    }

    #[test]
    fn kept_numbers_come_back() {
        let vector = embed("kept");
        assert_eq!(Vector::from_values(vector.values()), Some(vector));
        assert_eq!(Vector::from_values(&[1.0]), None);
    }
}
